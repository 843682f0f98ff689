"""``wager compare``: which of several classifiers to take, and for whom."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wager.cli._errors import one_sentence
from wager.cli._options import Rule, labels, progress_bar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wager._typing import Floats
    from wager.compare import HeadToHead, OverDatasets
    from wager.rewards import Utility


class OutputFormat(StrEnum):
    """How the comparison is printed."""

    table = "table"
    json = "json"
    markdown = "markdown"


Files = Annotated[
    list[Path],
    typer.Argument(
        help="Prediction files of the same rows, matched by their id column or by order; or the "
        "folder of a run.",
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
    typer.Option(
        "--names",
        help="What to call the files, as ncc,nbc; or which learners of a run.",
        show_default=False,
    ),
]
Classes = Annotated[
    str | None,
    typer.Option("--classes", help="All classes, as a,b,c: also those that never occur."),
]
FormName = Annotated[
    str | None,
    typer.Option("--form", help="Compare these, where a file states several: set, p, ..."),
]
RuleName = Annotated[
    Rule, typer.Option("--rule", help="How sets follow from lower: and upper: columns.")
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
    rule: RuleName = Rule.maximality,
    confidence: Confidence = 0.95,
    plot: Picture = None,
    output: Format = OutputFormat.table,
) -> None:
    """Compare prediction files, or the learners of a run: differences, break-even, advice."""
    with one_sentence():
        from wager.compare import HeadToHead, compare_files
        from wager.rewards import get_utility

        utilities = [get_utility(name) for name in utility or ("u50", "u65", "u80")]
        found: HeadToHead | OverDatasets
        if any(path.is_dir() for path in files):
            found = _learners(files, labels(names), utilities, confidence)
        else:
            with progress_bar(files[0]) as tell:
                found = compare_files(
                    files, utilities, names=labels(names), classes=labels(classes), form=form,
                    rule=rule.value, confidence=confidence, progress=tell,
                )  # fmt: skip
        if plot is not None:
            if not isinstance(found, HeadToHead):
                raise ValueError("--plot draws the risk profile of one data set: name its files")
            _draw(found, plot)
        typer.echo(_render(found, output))


def _learners(
    folders: list[Path], wanted: list[str] | None, utilities: Sequence[Utility], confidence: float
) -> OverDatasets:
    """The learners of a run, by their ranks over its data sets."""
    from wager.compare import over_datasets
    from wager.experiments import Store

    if len(folders) > 1:
        raise ValueError("compare the folder of one run, or prediction files, not both")
    store = Store(folders[0])
    learners = list(store.learners) if wanted is None else wanted
    for name in learners:
        if name not in store.learners:
            held = ", ".join(map(repr, store.learners))
            raise ValueError(f"no learner {name!r}: the run has {held}")
    tables = {u.name: store.scores(u.name) for u in utilities}
    places = [tables[utilities[0].name].columns.index(name) for name in learners]
    scores = {name: _complete(table.values[:, places]) for name, table in tables.items()}
    return over_datasets(scores, names=learners, alpha=1 - confidence)


def _complete(values: Floats) -> Floats:
    """Only the data sets on which every learner has a score."""
    return values[(values == values).all(axis=1)]


def _render(found: HeadToHead | OverDatasets, output: OutputFormat) -> str:
    if output is OutputFormat.json:
        import json

        return json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    if output is OutputFormat.markdown:
        from wager.report import markdown_text, to_markdown

        said = "\n".join(f"- {markdown_text(sentence)}" for sentence in found.sentences())
        advice = f"**Recommendation:** {markdown_text(found.recommendation)}"
        tables = [to_markdown(*content) for content in found.tables()]
        return "\n\n".join([markdown_text(found.title), *tables, said, advice])
    return repr(found)


def _draw(found: HeadToHead, path: Path) -> None:
    from wager.compare import risk_profile
    from wager.plots import plot_risk_profile, save

    even = {(a, b): found.break_even(a, b) for a, b in found.shown_pairs}
    save(plot_risk_profile(risk_profile(found.tallies), even), path)
