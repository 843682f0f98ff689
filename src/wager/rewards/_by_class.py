"""Measures of set-valued predictions for each true class: one tally per class, read as usual."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from wager._typing import Array
from wager.predictions import FileCounts
from wager.rewards._cell_sums import CellSums
from wager.rewards._count import (
    CellCounts,
    CheckedRows,
    cell_numbers,
    file_sums,
    file_sums_by_class,
    split_sums,
)
from wager.rewards._estimate import Estimate
from wager.rewards._registry import SET_SCORES
from wager.rewards._scores import utility_score
from wager.rewards._tally import Tally
from wager.rewards._utility import Utility

# The measures that are shown for each true class, before those of the utilities.
BY_CLASS = ("coverage", "determinacy", "single_accuracy", "mean_set_size")


def class_counter(found: CellCounts, rows: CheckedRows) -> Callable[[], list[Tally]]:
    """A function that gives the tally of each class; it copies the rows if it needs them."""
    if found.by_class_and_size is not None:
        return partial(_read_off, found.by_class_and_size, len(found.classes))
    return partial(_count_classes, rows.kept())


def _read_off(sums: CellSums, n_classes: int) -> list[Tally]:
    """The tallies of the classes, from sums by (true class, size, hit)."""
    parts = split_sums(sums, n_classes, 2 * n_classes + 2)
    return [Tally.of_sums(n_classes, part) for part in parts]


def _count_classes(rows: CheckedRows) -> list[Tally]:
    """The tallies of the classes, counted anew."""
    K, cell = len(rows.sets.classes), cell_numbers(rows)
    if rows.units.clusters is None:
        number = rows.codes.astype(np.intp) * (2 * K + 2) + cell
        return _read_off(CellSums.of(number, rows.units), K)
    # with clusters, the products of cells are needed within each class only
    order = np.argsort(rows.codes, kind="stable")
    parts = np.split(order, np.searchsorted(rows.codes[order], np.arange(1, K)))
    return [Tally.of_sums(K, CellSums.of(cell[here], rows.units.take(here))) for here in parts]


def class_tallies_of_file(counts: FileCounts) -> list[Tally]:
    """The tally of each true class of a file, in the order of the classes."""
    K = len(counts.classes)
    if counts.clusters is None:
        return _read_off(file_sums_by_class(counts), K)
    parts = (file_sums(counts.of_class(code)) for code in range(K))
    return [Tally.of_sums(K, part.by_size) for part in parts]


def class_estimates(tally: Tally, utilities: Sequence[Utility]) -> dict[str, Estimate]:
    """The measures that are shown for a class, from its tally."""
    scores = {name: SET_SCORES[name] for name in BY_CLASS}
    scores |= {u.name: utility_score(u) for u in utilities}
    return {name: score.estimate(tally) for name, score in scores.items()}


def class_frame(
    classes: Array, tallies: Sequence[Tally], utilities: Sequence[Utility], level: float | None
) -> Any:
    """A pandas frame with one row per class; with a level, also the ends of the intervals."""
    import pandas as pd

    rows: list[dict[str, float]] = []
    for tally in tallies:
        row: dict[str, float] = {"rows": tally.n}
        for name, estimate in (class_estimates(tally, utilities) if tally.n else {}).items():
            row[name] = estimate.value
            if level is not None:
                row[f"{name}_lower"], row[f"{name}_upper"] = estimate.interval(level)
        rows.append(row)
    return pd.DataFrame(rows, index=pd.Index(classes.tolist(), name="class"))
