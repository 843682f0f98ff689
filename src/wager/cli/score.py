"""``wager score``: what the predictions in a file are worth."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wager.cli._errors import one_sentence
from wager.cli._options import Rule, labels, progress_bar

if TYPE_CHECKING:
    from wager.report import FileScores, Score

UNLIMITED = 100_000  # characters of a line
DUST = 1e-12
FOLD_NAMES_AT = 24  # characters of a file's name in the head of a column


class OutputFormat(StrEnum):
    """How scores are printed."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"


Files = Annotated[
    list[Path],
    typer.Argument(
        help="Prediction files (CSV, Parquet, Arrow, JSON Lines): y_true, and one of y_pred, set, "
        "mask, in:<class>, p:<class>, lower:/upper:<class>, m:<class>.",
        metavar="FILE...",
        show_default=False,
    ),
]
Utilities = Annotated[
    list[str] | None,
    typer.Option(
        "--utility", "-u",
        help="u50, u65, u80, f1, log-norm, exp-norm:2, 0.7, or a TOML file; may be repeated.",
        show_default="u50 u65 u80",
    ),
]  # fmt: skip
ByClass = Annotated[bool, typer.Option("--by-class", help="Scores for each true class as well.")]
By = Annotated[
    str | None, typer.Option("--by", help="Scores for each value of this column as well.")
]
Classes = Annotated[
    str | None,
    typer.Option("--classes", help="All classes, as a,b,c: also those that never occur."),
]
FormName = Annotated[
    str | None,
    typer.Option("--form", help="Score these only, where a file states several: set, p, ..."),
]
RuleName = Annotated[
    Rule, typer.Option("--rule", help="How sets follow from lower: and upper: columns.")
]
Prior = Annotated[
    str | None,
    typer.Option(
        "--prior", help="Training frequencies of the classes in their order, as 0.5,0.3,0.2."
    ),
]
Format = Annotated[OutputFormat, typer.Option("--format", "-f", help="How to print.")]


def score(
    files: Files,
    utility: Utilities = None,
    by_class: ByClass = False,
    by: By = None,
    classes: Classes = None,
    form: FormName = None,
    prior: Prior = None,
    rule: RuleName = Rule.maximality,
    output: Format = OutputFormat.table,
) -> None:
    """Score prediction files by everything that applies, several side by side."""
    with one_sentence():
        from wager.predictions import file_forms, scan_predictions
        from wager.report import comparison_words, score_file
        from wager.rewards import get_utility

        utilities = [get_utility(name) for name in utility or ("u50", "u65", "u80")]
        declared = labels(classes)
        files = list(dict.fromkeys(files))
        names = _short_names(files)
        found = []
        for path, name in zip(files, names, strict=True):
            with progress_bar(path) as tell:
                kinds = [form] if form else file_forms(path)
                for kind in kinds:
                    scanned = scan_predictions(path, declared, form=kind, by=by)
                    title = name if len(kinds) == 1 else f"{name} ({kind})"
                    found.append(
                        score_file(
                            scanned, title, utilities, by_class=by_class, by_group=by is not None,
                            prior=_numbers(prior), rule=rule.value, progress=tell,
                        )
                    )  # fmt: skip
        words = comparison_words(found, [u.name for u in utilities])
        typer.echo(_render(found, words, output), nl=output is not OutputFormat.table)


def _numbers(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"--prior takes numbers as 0.5,0.3,0.2, got {text!r}") from None


def _short_names(files: list[Path]) -> list[str]:
    """File names without folder and ending, as far as they stay apart."""
    stems = [path.stem for path in files]
    return stems if len(set(stems)) == len(stems) else [str(path) for path in files]


def _render(found: list[FileScores], words: list[str], output: OutputFormat) -> str:
    from wager.report import to_csv, to_latex, to_markdown

    if output is OutputFormat.json:
        return _json(found)
    scores = [score for file in found for score in file.scores]
    if output is OutputFormat.csv:
        header = ["file", "family", "group", "class", "measure", "value", "standard_error"]
        rows = [
            [s.file, s.family, s.group, s.of_class, s.measure, s.value, s.standard_error]
            for s in scores
        ]
        return to_csv(header, rows)
    tables = [_side_by_side(found, scores, family) for family in _families(scores)]
    if output is OutputFormat.markdown:
        return "\n\n".join(to_markdown(header, rows) for header, rows in tables)
    if output is OutputFormat.latex:
        return "\n\n".join(to_latex(header, rows) for header, rows in tables)
    return _terminal(found, words, tables)


def _families(scores: list[Score]) -> list[str]:
    return list(dict.fromkeys(score.family for score in scores))


def _side_by_side(
    found: list[FileScores], scores: list[Score], family: str
) -> tuple[list[str], list[list[str]]]:
    """Measures as rows (by class, where asked), files and their groups as columns."""
    own = [s for s in scores if s.family == family]
    columns = list(dict.fromkeys((s.file, s.group) for s in own))
    cells = {(s.file, s.group, s.of_class, s.measure): s for s in own}
    lines = list(dict.fromkeys((s.of_class, s.measure) for s in own))
    header = [family, *(f if not g else f"{f} [{g}]" for f, g in columns)]
    rows = []
    for of_class, measure in lines:
        title = measure.replace("_", " ")
        label = f"  {title} of {of_class}" if of_class else title
        rows.append([label, *(_cell(cells.get((f, g, of_class, measure))) for f, g in columns)])
    return header, rows


def _cell(score: Score | None) -> str:
    from wager._tables import format_number

    if score is None:
        return "-"
    value = format_number(_without_dust(score.value))
    if score.standard_error != score.standard_error:
        return value
    return f"{value} ± {format_number(_without_dust(score.standard_error))}"


def _without_dust(value: float) -> float:
    """What rounding leaves of a difference that should be 0 is shown as 0."""
    return 0.0 if abs(value) <= DUST else value


def _terminal(
    found: list[FileScores], words: list[str], tables: list[tuple[list[str], list[list[str]]]]
) -> str:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = UNLIMITED  # in a pipe nothing needs to be folded
    with console.capture() as captured:
        for header, rows in (block for table in tables for block in _blocks(*table, console.width)):
            shown = Table(box=SIMPLE_HEAD, pad_edge=False)
            for i, head in enumerate(header):
                shown.add_column(Text(head), justify="left" if i == 0 else "right", no_wrap=True)
            for row in rows:
                shown.add_row(*(Text(cell) for cell in row))
            console.print(shown, crop=False)
        for sentence in [f"{f.file}: {words}" for f in found for words in f.sentences] + words:
            console.print(Text(sentence))
    return captured.get()


def _blocks(
    header: list[str], rows: list[list[str]], width: int
) -> Iterator[tuple[list[str], list[list[str]]]]:
    """The table in parts that fit: the first column, and as many others as there is room for."""
    header = ["\n".join(wrap(head, FOLD_NAMES_AT, break_on_hyphens=False)) for head in header]
    lines = [[*head.splitlines()] for head in header]
    gap = 3  # between two columns
    widths = [
        gap + max(map(len, [*lines[i], *(row[i] for row in rows)])) for i in range(len(header))
    ]
    chosen, room = [0], width - widths[0]
    for i in range(1, len(header)):
        if widths[i] > room and len(chosen) > 1:
            yield [header[j] for j in chosen], [[row[j] for j in chosen] for row in rows]
            chosen, room = [0], width - widths[0]
        chosen.append(i)
        room -= widths[i]
    yield [header[j] for j in chosen], [[row[j] for j in chosen] for row in rows]


def _json(found: list[FileScores]) -> str:
    import json
    from dataclasses import asdict
    from math import isfinite

    def plain(value: Any) -> Any:
        if isinstance(value, float) and not isfinite(value):
            return None if value != value else str(value)
        return value

    return json.dumps(
        [
            {
                "file": file.file,
                "words": list(file.sentences),
                "scores": [
                    {key: plain(value) for key, value in asdict(s).items() if key != "file"}
                    for s in file.scores
                ],
            }
            for file in found
        ],
        indent=2,
        ensure_ascii=False,
    )
