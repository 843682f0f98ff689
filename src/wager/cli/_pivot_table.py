"""The table of ``wager results --pivot``: data sets by learners, with marks against a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wager.cli._render import Grid, Printout

if TYPE_CHECKING:
    from wager.experiments import PivotTable

# Marks of learners that are significantly better and worse than the baseline.
TEXT_MARKS = {1: " v", 0: "  ", -1: " *"}
LATEX_MARKS = {1: " ∘", 0: "", -1: " •"}
WORDS = {1: "win", 0: "tie", -1: "loss"}


def pivot_printout(tables: Sequence[PivotTable], remarks: Sequence[str]) -> Printout:
    """The tables of one or more measures, for every format."""
    learners = tables[0].scores.columns
    printout = Printout(
        about=f"results of {', '.join(learners)}",
        grids=[_grid(tables, TEXT_MARKS)],
        legend=tables[0].legend("v", "*"),
        remarks=remarks,
        records=_records(tables),
        data=_data(tables),
    )
    better, worse = (LATEX_MARKS[side].strip() for side in (1, -1))
    latex = replace(
        printout, grids=[_grid(tables, LATEX_MARKS)], legend=tables[0].legend(better, worse)
    )
    return replace(printout, latex=latex)


def _grid(tables: Sequence[PivotTable], marks: dict[int, str]) -> Grid:
    """Mean ± standard deviation with marks; the last rows count wins, ties and losses."""
    learners = tables[0].scores.columns
    # only in a column with a mark, the cells without one leave its place free
    padding = [
        marks[0] if any(table.outcomes[:, j].any() for table in tables) else ""
        for j in range(len(learners))
    ]
    rows = []
    for i, name in enumerate(tables[0].scores.rows):
        for table in tables:
            sides = table.outcomes[i].tolist()
            ends = [marks[side] if side else pad for side, pad in zip(sides, padding, strict=True)]
            shown = [text + end for text, end in zip(table.cells()[i], ends, strict=True)]
            rows.append([name, table.scores.measure, *shown])
    for table in tables:
        counts = [
            "" if name == table.baseline else _slashed(table.wins_ties_losses(name)) + pad
            for name, pad in zip(learners, padding, strict=True)
        ]
        rows.append(["win/tie/loss", table.scores.measure, *counts])
    if len(tables) == 1:  # the measure becomes the first title
        rows = [[row[0], *row[2:]] for row in rows]
        return Grid([tables[0].scores.measure, *learners], rows)
    return Grid(["data set", "measure", *learners], rows, "<<" + ">" * len(learners))


def _slashed(counts: tuple[int, int, int]) -> str:
    return "/".join(map(str, counts))


def _word(table: PivotTable, row: int, column: int) -> str | None:
    """The result of the test in a word; None where there is no test, as with a single split."""
    tested = table.p[row, column] == table.p[row, column]
    return WORDS[int(table.outcomes[row, column])] if tested else None


def _records(tables: Sequence[PivotTable]) -> Grid:
    """One row per data set and measure, for CSV: means, then deviations and marks."""
    learners = tables[0].scores.columns
    header = [*learners, *(f"{name} sd" for name in learners)]
    others = [name for name in learners if name != tables[0].baseline]
    header += [f"{name} mark" for name in others]
    rows: list[list[Any]] = []
    for i, dataset in enumerate(tables[0].scores.rows):
        for table in tables:
            words = [_word(table, i, learners.index(name)) or "" for name in others]
            numbers = [*table.scores.values[i].tolist(), *table.deviations[i].tolist()]
            rows.append([dataset, table.scores.measure, *numbers, *words])
    if len(tables) == 1:
        return Grid([tables[0].scores.measure, *header], [[row[0], *row[2:]] for row in rows])
    return Grid(["data set", "measure", *header], rows)


def _data(tables: Sequence[PivotTable]) -> list[dict[str, Any]]:
    """One object per data set and measure, for JSON."""
    learners = tables[0].scores.columns
    entries = []
    for i, dataset in enumerate(tables[0].scores.rows):
        for table in tables:
            others = [j for j, name in enumerate(learners) if name != table.baseline]
            entries.append(
                {
                    "data set": dataset,
                    "measure": table.scores.measure,
                    **dict(zip(learners, table.scores.values[i].tolist(), strict=True)),
                    "standard_deviation": dict(
                        zip(learners, table.deviations[i].tolist(), strict=True)
                    ),
                    "baseline": table.baseline,
                    "marks": {learners[j]: _word(table, i, j) for j in others},
                    "p": {learners[j]: float(table.p[i, j]) for j in others},
                }
            )
    return entries
