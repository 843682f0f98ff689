"""Outcomes of rows of a prediction file: the true class, and size and hit of the prediction.

Size and hit are stored as one small number per row; two files are counted jointly by pairs of these
numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from wager._tables import RowUnits
from wager._typing import Array, Floats, Ints
from wager.credal import decide
from wager.predictions import PredictionFile, Predictions, PredictionSets, size_and_hit
from wager.rewards import CellSums, PairedTally, cell_of, joint_number


@dataclass(frozen=True, eq=False)
class RowOutcomes:
    """True class and outcome (twice the size, plus one for a hit) of rows, and other columns."""

    truth: Ints
    cell: Ints
    weight: Floats | None
    count: Ints | None
    cluster: Array | None
    id: Array | None

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def numbers(self) -> dict[str, Array]:
        """What is stored of each row while rows are matched, by column."""
        return {"cell": self.cell}


def outcomes_of(rows: Predictions, rule: str) -> RowOutcomes:
    """The outcomes of the predictions of some rows.

    Parameters
    ----------
    rows : Predictions
        Rows that were read from a file.
    rule : str
        The rule of `wager.credal.decide` that turns probability intervals into sets.
    """
    size, hit = size_and_hit(rows.codes, sets_of(rows, rule))
    cell = cell_of(size.astype(np.int64), hit)
    return RowOutcomes(rows.codes, cell, rows.weight, rows.count, rows.cluster, rows.id)


def sets_of(rows: Predictions, rule: str = "maximality") -> PredictionSets:
    """The sets of the file, or those that follow from intervals, probabilities or memberships."""
    if rows.sets is not None:
        return rows.sets
    if rows.intervals is not None:
        return decide(rows.intervals, rule)  # type: ignore[arg-type]
    values = rows.memberships if rows.proba is None else rows.proba
    assert values is not None
    best = values.argmax(axis=1)[:, None] == np.arange(len(rows.classes))
    return PredictionSets.from_indicator(best, rows.classes)


def shared(parts: Sequence[Any], column: str) -> Array | None:
    """A column that any of the files has; None if none of them has it."""
    every = (getattr(part, column) for part in parts)
    return next((values for values in every if values is not None), None)


def joint_counts(
    parts: Sequence[RowOutcomes], n_classes: int
) -> dict[tuple[int, int], PairedTally]:
    """The same independent rows of several files, counted for every two of them."""
    units = RowUnits(shared(parts, "weight"), shared(parts, "count"))
    counted = {}
    for i, j in combinations(range(len(parts)), 2):
        number = joint_number(parts[i].cell, parts[j].cell, n_classes)
        counted[i, j] = PairedTally.of_sums(n_classes, CellSums.of(number, units))
    return counted


def disagreement(
    first: PredictionFile, second: PredictionFile, column: str, values: Sequence[Any], where: str
) -> ValueError:
    """The error for a row on which two files differ."""
    is_number = column in ("weight", "count")
    one, other = (f"{v:g}" if is_number else repr(str(v)) for v in values)
    return ValueError(
        f"{column} is {one} in {first.path} but {other} in {second.path}, {where}: compare "
        "predictions of the same rows"
    )
