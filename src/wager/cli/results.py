"""``wager results``: the scores that a run has stored, and the units that failed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wager.cli._costs import cost_option
from wager.cli._errors import one_sentence
from wager.cli._help import examples
from wager.cli._options import (
    Costs,
    CostUnit,
    EmptyCost,
    Format,
    OutputFile,
    OutputFormat,
    argument,
    check_level,
    labels,
    option,
    refuse_beside,
)
from wager.cli._pictures import check_picture
from wager.cli._pivot_table import pivot_printout
from wager.cli._render import Grid, Printout, printing
from wager.cli._say import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wager.experiments import Failure, ScoreTable, Store

_LEVEL = 0.95  # of tests, unless the user asks for another one
COST = "average_cost"  # the measure that --costs adds

EXAMPLES = examples(
    """
    # mean, median, mean rank and wins of each learner
    wager results results
    # one row per data set, with marks against the baseline nbc
    wager results results -m u65 --pivot --baseline nbc
    # which units failed, and why
    wager results results --failures
    # after damage to the disk: keep every intact result
    wager results results --repair
    """
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
    bool,
    typer.Option(
        "--pivot",
        help="Show data sets in rows and learners in columns: mean ± standard deviation over the "
        "splits, with marks against the baseline.",
    ),
]
Pooled = Annotated[
    bool, typer.Option("--pooled", help="Score the rows of all folds together, instead of by fold.")
]
Failures = Annotated[bool, typer.Option("--failures", help="Show which units failed, and why.")]
Repair = Annotated[
    bool,
    typer.Option(
        "--repair",
        help="Write a damaged store anew with every intact result; the damaged file is kept.",
    ),
]

Baseline = Annotated[
    str | None,
    option(
        "--baseline",
        "LEARNER",
        "With --pivot: mark where learners are significantly better (v) or worse (*) than it.",
        default="the first learner",
    ),
]
TestLevel = Annotated[
    float | None,
    option(
        "--level --confidence",
        "NUMBER",
        "With --pivot or --plot: confidence level of the tests against the baseline, and of the "
        "diagram.",
        default="0.95",
    ),
]
Plot = Annotated[
    Path | None,
    option(
        "--plot",
        "FILE",
        "Draw the critical-difference diagram of the learners to this PNG, SVG or PDF file.",
    ),
]
Scatter = Annotated[
    str | None,
    option(
        "--scatter",
        "A,B",
        "With --plot: draw the scores of these two learners against each other instead.",
    ),
]


def results(
    folder: Folder,
    measure: Measures = None,
    pivot: Pivot = False,
    baseline: Baseline = None,
    level: TestLevel = None,
    pooled: Pooled = False,
    costs: Costs = None,
    empty_cost: EmptyCost = None,
    unit: CostUnit = None,
    plot: Plot = None,
    scatter: Scatter = None,
    failures: Failures = False,
    repair: Repair = False,
    output_format: Format = OutputFormat.text,
    output: OutputFile = None,
) -> None:
    """Show the results of a run.

    Prints the mean, median, mean rank and wins of each learner; with --pivot, mean and standard
    deviation on every data set, and who beats the baseline where. With --plot, draws the
    critical-difference diagram as well.
    """
    with one_sentence(), printing(output_format, output) as show:
        from wager.experiments import Store

        check_level(level)
        _refuse_without_effect(
            failures, repair, output_format, output,
            measure=measure, pivot=pivot, baseline=baseline, level=level, pooled=pooled,
            costs=costs, empty_cost=empty_cost, unit=unit, plot=plot, scatter=scatter,
        )  # fmt: skip
        check_picture(plot)
        store = Store(folder)
        if repair:
            say(store.repair().text())
            return
        if failures:
            show(_failures(store.failures()))
            return
        prices = cost_option(costs, unit, empty_cost)
        alpha = round(1 - (_LEVEL if level is None else level), 12)
        names = list(dict.fromkeys(measure or store.measures))
        tables = [store.scores(m, pooled=pooled) for m in names if prices is None or m != COST]
        if prices is not None:
            names = [*(name for name in names if name != COST), COST]
            tables.append(store.costs(prices, pooled=pooled, empty_cost=empty_cost))
        cost_unit = store.cost_unit if prices is None else prices.unit
        remarks = [_state(store, tables[0]), *_cost_remarks(tables[-1], cost_unit)]
        remarks += _infinite(tables)
        remarks += filter(None, [store.uneven()])
        if plot is not None:
            _draw(tables, plot, labels(scatter), alpha)
            remarks.append(f"picture: {plot}")
        if pivot:
            found = [
                store.pivot(
                    name, baseline=baseline, alpha=alpha, pooled=pooled,
                    costs=prices, empty_cost=empty_cost,
                )
                for name in names
            ]  # fmt: skip
            show(pivot_printout(found, remarks))
        else:
            show(_summary(tables, remarks))


def _refuse_without_effect(
    failures: bool, repair: bool, output_format: OutputFormat, output: Path | None, **about: Any
) -> None:
    """Refuse options that would have no effect beside the others, or without another one."""
    if repair:
        about |= {"failures": failures, "output": output}
        about["format"] = None if output_format is OutputFormat.text else output_format
        refuse_beside("--repair", "writes the store anew and shows no table", **about)
    if failures:
        refuse_beside("--failures", "lists failed units and shows no scores", **about)
    if about["scatter"] is not None and about["plot"] is None:
        raise ValueError("--scatter draws a picture: name its file with --plot")
    if about["pivot"]:
        return
    if about["baseline"] is not None:
        raise ValueError("--baseline is for the marks of --pivot: add it, or leave out --baseline")
    if about["level"] is not None and (about["plot"] is None or about["scatter"] is not None):
        raise ValueError(
            "--level is for the tests of --pivot and the diagram of --plot: add one of them, or "
            "leave out --level"
        )


def _cost_remarks(table: ScoreTable, unit: str | None) -> list[str]:
    """The unit of the average costs, and the data sets that the costs do not fit."""
    if table.measure != COST:
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


def _draw(tables: list[ScoreTable], path: Path, pair: list[str] | None, alpha: float) -> None:
    """Draw the learners of the tables, or two of them, on the data sets that all of them have."""
    from wager.cli._pictures import draw_critical_differences, draw_scatter
    from wager.experiments import require_learners

    lower = [table.measure for table in tables if not table.greater_is_better]
    if pair is not None and len(pair) != 2:
        raise ValueError(f"--scatter takes two learners, such as ncc,nbc, got {','.join(pair)!r}")
    learners = tables[0].columns if pair is None else tuple(pair)
    require_learners(learners, tables[0].columns)
    scores = {table.measure: table.of(learners).complete().values for table in tables}
    if pair is None:
        draw_critical_differences(scores, learners, path, alpha=alpha, lower_is_better=lower)
    else:
        draw_scatter(scores, (pair[0], pair[1]), path, lower_is_better=lower)


def _summary(tables: list[ScoreTable], remarks: list[str]) -> Printout:
    """One row per measure and learner."""
    rows: list[list[Any]] = []
    for table in tables:
        parts = (table.means, table.medians, table.mean_ranks, table.wins)
        numbers = zip(*(part.tolist() for part in parts), strict=True)
        rows += [
            [table.measure, learner, *values]
            for learner, values in zip(table.columns, numbers, strict=True)
        ]
    header = ["measure", "learner", "mean", "median", "mean rank", "wins"]
    return Printout(
        about=f"results of {', '.join(tables[0].columns)}",
        grids=[Grid(header, rows, "<<>>>>")],
        remarks=remarks,
    )


def _state(store: Store, table: ScoreTable) -> str:
    """How much of the plan is done, and what the numbers leave out."""
    import numpy as np

    counts = store.counts()
    text = f"{counts['done']} of {counts['planned']} units done"
    if counts["failed"]:
        text += f", {counts['failed']} failed (see --failures)"
    missing = counts["planned"] - counts["done"] - counts["failed"]
    if missing:
        text += f", {missing} not run yet"
    left_out = int(np.isnan(table.values).any(axis=1).sum())
    if left_out:
        lacking = "1 data set that lacks" if left_out == 1 else f"{left_out} data sets that lack"
        text += f"; means, ranks and wins leave out {lacking} some learner"
    if len(store.versions()) > 1:
        text += "; computed with more than one version of the software"
    return text


def _infinite(tables: Sequence[ScoreTable]) -> list[str]:
    """The measures whose infinite scores are in no mean, rank or win."""
    import numpy as np

    from wager._tables import counted

    counts = {t.measure: int(np.isinf(t.values).any(axis=1).sum()) for t in tables}
    return [
        f"{measure}: means, ranks and wins leave out {counted(n, 'data set')} of infinite score"
        for measure, n in counts.items()
        if n
    ]


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
