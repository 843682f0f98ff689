"""``wager compare``: which of several classifiers to take, and for whom."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wager.cli._errors import one_sentence
from wager.cli._options import labels, progress_bar

if TYPE_CHECKING:
    from wager.compare import HeadToHead


class OutputFormat(StrEnum):
    """How the comparison is printed."""

    table = "table"
    json = "json"
    markdown = "markdown"


Files = Annotated[
    list[Path],
    typer.Argument(
        help="Prediction files of the same rows, matched by their id column or by order.",
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
Names = Annotated[
    str | None,
    typer.Option("--names", help="What to call the files, as ncc,nbc.", show_default=False),
]
Classes = Annotated[
    str | None,
    typer.Option("--classes", help="All classes, as a,b,c: also those that never occur."),
]
FormName = Annotated[
    str | None,
    typer.Option("--form", help="Compare these, where a file states several: set, p, ..."),
]
Rule = Annotated[
    str, typer.Option("--rule", help="How sets follow from lower: and upper: columns.")
]
Confidence = Annotated[
    float, typer.Option("--confidence", help="Level of the intervals, for all pairs together.")
]
Picture = Annotated[
    Path | None,
    typer.Option("--plot", help="Draw the risk profile to this PNG, SVG or PDF file.",
                 show_default=False),
]  # fmt: skip
Format = Annotated[OutputFormat, typer.Option("--format", "-f", help="How to print.")]


def compare(
    files: Files,
    utility: Utilities = None,
    names: Names = None,
    classes: Classes = None,
    form: FormName = None,
    rule: Rule = "maximality",
    confidence: Confidence = 0.95,
    plot: Picture = None,
    output: Format = OutputFormat.table,
) -> None:
    """Compare prediction files: scores, paired differences, break-even, dominance, advice."""
    with one_sentence():
        from wager.compare import compare_files
        from wager.rewards import get_utility

        utilities = [get_utility(name) for name in utility or ("u50", "u65", "u80")]
        with progress_bar(files[0]) as tell:
            found = compare_files(
                files, utilities, names=labels(names), classes=labels(classes), form=form,
                rule=rule, confidence=confidence, progress=tell,
            )  # fmt: skip
        if plot is not None:
            _draw(found, plot)
        typer.echo(_render(found, output))


def _render(found: HeadToHead, output: OutputFormat) -> str:
    if output is OutputFormat.json:
        import json

        return json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    if output is OutputFormat.markdown:
        from wager.report import to_markdown

        tables = [to_markdown(*found.score_table()), to_markdown(*found.difference_table())]
        said = "\n".join(f"- {sentence}" for sentence in found.sentences())
        advice = f"**Recommendation:** {found.recommendation}"
        return "\n\n".join([found.title, *tables, found.note, said, advice])
    return repr(found)


def _draw(found: HeadToHead, path: Path) -> None:
    from wager.compare import risk_profile
    from wager.plots import plot_risk_profile, save

    even = {(a, b): found.break_even(a, b) for a, b in found.shown_pairs}
    save(plot_risk_profile(risk_profile(found.tallies), even).figure, path)
