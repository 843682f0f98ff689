"""``wager report``: an interactive page that decides with its reader."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wager._atomic import replacing
from wager.cli._columns import (
    CountColumn,
    IdColumn,
    MissingValues,
    PredColumn,
    ProbaPrefix,
    SetColumn,
    TruthColumn,
    WeightColumn,
    column_names,
    refuse_twice,
    warn,
)
from wager.cli._costs import cost_option
from wager.cli._errors import one_sentence
from wager.cli._help import examples
from wager.cli._options import (
    Classes,
    Cluster,
    Costs,
    CostUnit,
    EmptyCost,
    Form,
    Level,
    Prior,
    Quiet,
    RuleName,
    Utilities,
    argument,
    check_level,
    class_labels,
    labels,
    numbers,
    option,
    output_option,
    refuse_beside,
)
from wager.cli._progress import file_progress
from wager.cli._say import say
from wager.cli._utilities import chosen_utilities

if TYPE_CHECKING:
    from wager.report import Page

EXAMPLES = examples(
    """
    # a page about two prediction files
    wager report cautious.csv plain.csv -o report.html
    # with costs, and up to 500 rows to look at
    wager report cautious.csv plain.csv --costs costs.toml --rows 500
    # a page about the results of a run
    wager report results -o report.html
    # a page without data, on which prediction files can be dropped
    wager report --empty -o try.html
    """
)

Inputs = Annotated[
    list[Path] | None,
    argument(
        "INPUT",
        "Prediction files of the same rows (- is standard input), tallies as JSON, or the results "
        "folder of a run.",
    ),
]
Output = Annotated[Path, output_option("File of the page.")]
Title = Annotated[str | None, option("--title", "TEXT", "The heading of the page.")]
Names = Annotated[str | None, option("--names", "NAMES", "Names for the files, such as ncc,nbc.")]
By = Annotated[
    str | None,
    option(
        "--by",
        "COLUMN",
        "Also show each group of rows: each value of this column.",
        default="the column group, if there is one",
    ),
]
Rows = Annotated[
    int,
    option(
        "--rows",
        "NUMBER",
        "Include up to this many rows, to show where one classifier is right and another is "
        "wrong. The page then contains data, not only counts.",
        min=0,
    ),
]
Full = Annotated[
    bool,
    typer.Option(
        "--full", help="Keep everything, also sections that make the page larger than 1 MB."
    ),
]
Empty = Annotated[
    bool,
    typer.Option(
        "--empty", help="Write a page without data, on which prediction files can be dropped."
    ),
]

_DEFAULTS = {
    "rows": 0, "full": False, "columns": {}, "na": "error", "confidence": 0.95,
}  # fmt: skip


def report(
    inputs: Inputs = None,
    output: Output = Path("report.html"),
    utility: Utilities = None,
    title: Title = None,
    names: Names = None,
    classes: Classes = None,
    by: By = None,
    rows: Rows = 0,
    full: Full = False,
    empty: Empty = False,
    form: Form = None,
    truth: TruthColumn = None,
    pred: PredColumn = None,
    sets: SetColumn = None,
    proba_prefix: ProbaPrefix = None,
    row_id: IdColumn = None,
    weight: WeightColumn = None,
    count: CountColumn = None,
    cluster: Cluster = None,
    na: MissingValues = "error",
    rule: RuleName = None,
    prior: Prior = None,
    costs: Costs = None,
    empty_cost: EmptyCost = None,
    unit: CostUnit = None,
    level: Level = 0.95,
    quiet: Quiet = False,
) -> None:
    """Write an interactive page about prediction files, tallies or a run.

    The page is one HTML file that needs no network. Its reader sets a slider to the value of a
    half-right answer, and the browser computes every score, interval and verdict again.
    """
    with one_sentence(), replacing(output) as draft:  # an output that is impossible fails at once
        from wager.report import page, reproduction

        check_level(level)
        chosen: list[Any] = list(inputs or [])
        if empty:
            if chosen:
                raise ValueError("--empty writes a page without data: leave out the inputs")
            refuse_beside(
                "--empty", "writes a page without data",
                utility=utility, names=names, classes=classes, by=by, rows=rows or None, full=full,
                form=form, truth=truth, pred=pred, set=sets, proba_prefix=proba_prefix, id=row_id,
                weight=weight, count=count, cluster=cluster, na=None if na == "error" else na,
                rule=rule, prior=prior, costs=costs, empty_cost=empty_cost, unit=unit,
                level=None if level == _DEFAULTS["confidence"] else level,
            )  # fmt: skip
            _write(page(None, title=title), draft, output)
            return
        if not chosen:
            raise ValueError("no input: name prediction files, or write an empty page with --empty")
        refuse_twice(chosen)
        columns = column_names(truth, pred, sets, proba_prefix, row_id, weight, count)
        prices = cost_option(costs, unit, empty_cost)
        settings: dict[str, Any] = {
            "title": title, "names": labels(names), "classes": class_labels(classes), "by": by,
            "rows": rows, "full": full, "form": form, "columns": columns, "cluster": cluster,
            "na": na, "rule": rule, "empty_cost": empty_cost, "confidence": level,
            "prior": numbers(prior, float, "--prior", "0.5,0.3,0.2"),
        }  # fmt: skip
        changed = {k: v for k, v in settings.items() if v != _DEFAULTS.get(k)}
        lines = reproduction(
            [str(path) for path in chosen],
            str(output),
            changed | {"utilities": utility, "unit": unit},
            None if costs is None else str(costs),
        )
        with file_progress(*chosen, quiet=quiet) as progress:
            found = page(
                chosen,
                utilities=None if utility is None else chosen_utilities(utility, ()),
                costs=prices,
                progress=progress,
                reproduce=lines,
                **settings,
            )
        warn(found.data["facts"]["warnings"])
        _write(found, draft, output)


def _write(found: Page, draft: Path, output: Path) -> None:
    draft.write_text(found.html, encoding="utf-8", newline="\n")
    size = draft.stat().st_size
    shown = f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
    say(f"{output}: {found.title} ({shown})")
