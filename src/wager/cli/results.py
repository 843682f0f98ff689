"""``wager results``: the scores that a run has stored, and the units that failed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wager.cli._costs import cost_option
from wager.cli._errors import one_sentence
from wager.cli._options import (
    Costs,
    CostUnit,
    EmptyCost,
    Format,
    OutputFile,
    OutputFormat,
    argument,
    examples,
    option,
)
from wager.cli._render import Grid, Printout, objects, printing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wager.experiments import Failure, ScoreTable, Store

EXAMPLES = examples(
    "wager results results",
    "wager results results -m u65 --pivot --format latex -o table.tex",
    "wager results results --costs costs.toml --unit EUR --pivot",
    "wager results results --failures",
)

Folder = Annotated[
    Path,
    argument("FOLDER", "The results folder of a run."),
]
Measures = Annotated[
    list[str] | None,
    option(
        "--measure -m",
        "MEASURE",
        "Measure to show, such as u65, coverage or log_loss. May be repeated.",
        default="those of the plan",
    ),
]
Pivot = Annotated[
    bool, typer.Option("--pivot", help="Show data sets in rows and learners in columns.")
]
Pooled = Annotated[
    bool, typer.Option("--pooled", help="Score the rows of all folds together, instead of by fold.")
]
Failures = Annotated[bool, typer.Option("--failures", help="Show which units failed, and why.")]


def results(
    folder: Folder,
    measure: Measures = None,
    pivot: Pivot = False,
    pooled: Pooled = False,
    costs: Costs = None,
    empty_cost: EmptyCost = None,
    unit: CostUnit = None,
    failures: Failures = False,
    output_format: Format = OutputFormat.text,
    output: OutputFile = None,
) -> None:
    """Show the results of a run.

    Prints the mean, median, mean rank and wins of each learner; with --pivot, the score on every
    data set.
    """
    with one_sentence(), printing(output_format, output) as show:
        from wager.experiments import Store

        store = Store(folder)
        if failures:
            show(_failures(store.failures()))
            return
        prices = cost_option(costs, unit, empty_cost)
        names = [m for m in measure or store.measures if prices is None or m != "average_cost"]
        tables = [store.scores(name, pooled=pooled) for name in names]
        if prices is not None:
            tables.append(store.costs(prices, pooled=pooled, empty_cost=empty_cost))
        grid = _pivot(tables) if pivot else _summary(tables)
        cost_unit = store.cost_unit if prices is None else prices.unit
        show(_printout(store, tables, grid, cost_unit))


def _printout(
    store: Store, tables: list[ScoreTable], grid: Grid, unit: str | None = None
) -> Printout:
    shown = grid
    if len(tables) == 1 and grid.header[0] == "data set":  # the measure becomes the first title
        header = [tables[0].measure, *grid.header[2:]]
        shown = Grid(header, [[row[0], *row[2:]] for row in grid.rows])
    return Printout(
        about=f"results of {', '.join(tables[0].columns)}",
        grids=[shown],
        remarks=[_state(store, tables[0]), *_cost_remarks(tables[-1], unit)],
        data=objects(grid),
    )


def _cost_remarks(table: ScoreTable, unit: str | None) -> list[str]:
    """The unit of the average costs, and the data sets that the costs do not fit."""
    if table.measure != "average_cost":
        return []
    unpriced = [
        name
        for name, values in zip(table.rows, table.values, strict=True)
        if (values != values).all()
    ]
    remarks = [] if unit is None else [f"average costs are in {unit}, and smaller is better"]
    if unpriced:
        remarks.append(f"no cost of {', '.join(unpriced)}: the costs are for other classes")
    return remarks


def _pivot(tables: list[ScoreTable]) -> Grid:
    """One row per data set and measure, one column per learner."""
    rows = [
        [name, table.measure, *table.values[place].tolist()]
        for place, name in enumerate(tables[0].rows)
        for table in tables
    ]
    columns = tables[0].columns
    return Grid(["data set", "measure", *columns], rows, "<<" + ">" * len(columns))


def _summary(tables: list[ScoreTable]) -> Grid:
    """One row per measure and learner."""
    rows: list[list[Any]] = []
    for table in tables:
        parts = (table.means, table.medians, table.mean_ranks, table.wins)
        numbers = zip(*(part.tolist() for part in parts), strict=True)
        rows += [
            [table.measure, learner, *values]
            for learner, values in zip(table.columns, numbers, strict=True)
        ]
    return Grid(["measure", "learner", "mean", "median", "mean rank", "wins"], rows, "<<>>>>")


def _state(store: Store, table: ScoreTable) -> str:
    """How much of the plan is done, and what the numbers leave out."""
    counts = store.counts()
    text = f"{counts['done']} of {counts['planned']} units done"
    if counts["failed"]:
        text += f", {counts['failed']} failed (see --failures)"
    left_out = len(table.rows) - len(table.complete().rows)
    if left_out:
        lacking = "1 data set that lacks" if left_out == 1 else f"{left_out} data sets that lack"
        text += f"; means, ranks and wins leave out {lacking} some learner"
    if len(store.versions()) > 1:
        text += "; computed with more than one version of the software"
    return text


def _failures(failed: Sequence[Failure]) -> Printout:
    """The failed units; their tracebacks in text, JSON and CSV only."""
    header = ["learner", "data set", "rows", "repeat", "fold", "error", "traceback"]
    rows = [[f.learner, f.dataset, f.size, f.repeat, f.fold, f.error, f.trace] for f in failed]
    number = f"{len(failed)} unit{'' if len(failed) == 1 else 's'} failed"

    def text() -> str:
        return "\n".join([*(_failure_text(failure) for failure in failed), number])

    return Printout(
        about=number,
        grids=[Grid(header[:-1], [row[:-1] for row in rows])],
        remarks=[number],
        text=text,
        records=Grid(header, rows),
    )


def _failure_text(failure: Failure) -> str:
    size = "" if failure.size is None else f", {failure.size} rows"
    where = f"{failure.dataset}{size}, repeat {failure.repeat}, fold {failure.fold}"
    return f"{failure.learner} on {where}: {failure.error}\n{failure.trace}"
