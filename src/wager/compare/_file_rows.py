"""Outcomes of rows of a prediction file: the true class, and size and hit of the prediction.

Size and hit are stored as one small number per row; two files are counted jointly by pairs of these
numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from wager._typing import Array, Floats, Ints
from wager.credal import decide
from wager.predictions import PredictionFile, Predictions, PredictionSets, size_and_hit
from wager.rewards import PairedTally, cell_of, whole_if_whole


class RowOutcomes(NamedTuple):
    """True class, outcome (twice the size, plus one for a hit), weight and id of rows."""

    truth: Ints
    cell: Ints
    weight: Floats | None
    id: Array | None

    def __len__(self) -> int:
        return len(self.truth)


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
    return RowOutcomes(rows.codes, cell_of(size.astype(np.int64), hit), rows.weight, rows.id)


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


def joint_counts(
    parts: Sequence[RowOutcomes], n_classes: int
) -> dict[tuple[int, int], PairedTally]:
    """The same rows of several files, counted for every two of them."""
    weight = next((part.weight for part in parts if part.weight is not None), None)
    each = np.ones(len(parts[0]), np.int64) if weight is None else whole_if_whole(weight)
    squares = float(np.dot(each, each))
    counted = {}
    for i, j in combinations(range(len(parts)), 2):
        number = parts[i].cell * (2 * n_classes + 2) + parts[j].cell
        distinct, place = np.unique(number, return_inverse=True)
        total = np.bincount(place, weights=each).astype(each.dtype)
        cells = np.divmod(distinct, 2 * n_classes + 2)
        counted[i, j] = tally_of_cells(*cells, total, squares, n_classes)
    return counted


def tally_of_cells(
    first: Ints, second: Ints, counts: Array, squares: float, n_classes: int
) -> PairedTally:
    """The paired tally of counts by the outcome numbers of two classifiers."""
    outcomes = np.stack([first // 2, first % 2, second // 2, second % 2], axis=1)
    return PairedTally(n_classes, outcomes, counts, squares)


def disagreement(
    first: PredictionFile, second: PredictionFile, column: str, values: Sequence[Any], where: str
) -> ValueError:
    """The error for a row on which two files differ."""
    one, other = (f"{v:g}" if isinstance(v, float) else repr(str(v)) for v in values)
    return ValueError(
        f"{column} is {one} in {first.path} but {other} in {second.path}, {where}: compare "
        "predictions of the same rows"
    )
