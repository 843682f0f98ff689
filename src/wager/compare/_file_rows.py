"""Outcomes of rows of a prediction file: the true class, and size and hit of the prediction.

Size and hit are stored as one small number per row; two files are counted jointly by pairs of these
numbers.  Where costs are compared, the number stands for the predicted set and the true class
instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._typing import Array, Floats, Ints
from wager.compare._paired_costs import PairedCosts
from wager.costs import distinct_pairs, set_keys
from wager.credal import decide
from wager.predictions import (
    PredictionFile,
    Predictions,
    PredictionSets,
    concatenate_sets,
    most_probable,
    sets_of_members,
    size_and_hit,
)
from wager.rewards import CellSums, PairedTally, cell_of, joint_number

_BASE = 1 << 31  # beyond the number of any outcome
JointSums = dict[tuple[int, int], CellSums]  # of every two files, by their positions


@dataclass(frozen=True, eq=False)
class RowOutcomes:
    """True class and outcome of rows, and other columns.

    The outcome is twice the size, plus one for a hit; or the number that `SetBook` gives.
    """

    truth: Ints
    cell: Ints
    weight: Floats | None
    count: Ints | None
    cluster: Array | None
    id: Array | None
    row: Ints  # numbers of the rows in the file, from 1

    def __len__(self) -> int:
        return len(self.truth)


class SetBook:
    """Numbers for the sets that occur in any of several files, in the order of appearance."""

    def __init__(self, classes: Array):
        self.classes = classes
        self._numbers: dict[bytes, int] = {}
        self._sets: list[PredictionSets] = []  # the new sets of each part, in this order

    def cells(self, sets: PredictionSets, truth: Ints) -> Ints:
        """The number of each row's outcome: that of its set, and the true class."""
        distinct, codes, place = distinct_pairs(sets, truth)
        before = len(self._numbers)
        known = [self._numbers.setdefault(key, len(self._numbers)) for key in set_keys(distinct)]
        _, first = np.unique(known, return_index=True)
        self._sets.append(distinct[[row for row in first if known[row] >= before]])
        return (np.array(known, dtype=np.int64) * len(self.classes) + codes)[place]

    def read(self, cells: Ints) -> tuple[PredictionSets, Ints]:
        """The sets and the true classes of outcomes."""
        number, truth = np.divmod(cells, len(self.classes))
        every = concatenate_sets(self._sets)
        return PredictionSets(every.rows.take(number), self.classes), truth


def outcomes_of(rows: Predictions, rule: str, book: SetBook | None = None) -> RowOutcomes:
    """The outcomes of the predictions of some rows.

    Parameters
    ----------
    rows : Predictions
        Rows that were read from a file.
    rule : str
        The rule of `wager.credal.decide` that turns probability intervals into sets.
    book : SetBook, optional
        Distinguish outcomes by the predicted set and the true class.
    """
    sets = sets_of(rows, rule)
    if book is None:
        size, hit = size_and_hit(rows.codes, sets)
        cell = cell_of(size.astype(np.int64), hit)
    else:
        cell = book.cells(sets, rows.codes)
    assert rows.row is not None
    return RowOutcomes(rows.codes, cell, rows.weight, rows.count, rows.cluster, rows.id, rows.row)


def sets_of(rows: Predictions, rule: str = "maximality") -> PredictionSets:
    """The sets of the file, or those that follow from intervals, probabilities or memberships."""
    if rows.sets is not None:
        return rows.sets
    if rows.intervals is not None:
        return decide(rows.intervals, rule)  # type: ignore[arg-type]
    values = rows.memberships if rows.proba is None else rows.proba
    assert values is not None
    best = most_probable(values)
    none = np.zeros(len(best), dtype=bool)
    return sets_of_members(best, np.ones_like(best), rows.classes, none)


def shared(parts: Sequence[Any], column: str) -> Array | None:
    """A column that any of the files has; None if none of them has it."""
    every = (getattr(part, column) for part in parts)
    return next((values for values in every if values is not None), None)


def pair_numbers(first: Ints, second: Ints) -> Ints:
    """The outcomes of two files as one number."""
    return first.astype(np.int64) * _BASE + second


def paired_tallies(joint: JointSums, n_classes: int) -> dict[tuple[int, int], PairedTally]:
    """The paired tallies of outcomes that stand for size and hit."""
    found = {}
    for pair, sums in joint.items():
        numbers = joint_number(*np.divmod(sums.numbers, _BASE), n_classes)
        renumbered = CellSums(numbers, sums.totals, sums.squares, sums.clusters)  # in this order
        found[pair] = PairedTally.of_sums(n_classes, renumbered)
    return found


def paired_costs(joint: JointSums, book: SetBook) -> dict[tuple[int, int], PairedCosts]:
    """The joint counts of outcomes that `SetBook` has numbered."""
    found = {}
    for pair, sums in joint.items():
        first, second = np.divmod(sums.numbers, _BASE)
        sets_a, truth = book.read(first)
        found[pair] = PairedCosts.of_cells(sets_a, book.read(second)[0], truth, sums)
    return found


def sizes_and_hits(paired: PairedCosts) -> PairedTally:
    """The paired tally of the same rows."""
    n_classes = len(paired.classes)
    cells = []
    for sets in (paired.sets_a, paired.sets_b):
        size, hit = size_and_hit(paired.truth, sets)
        cells.append(cell_of(size.astype(np.int64), hit))
    numbers = joint_number(cells[0], cells[1], n_classes)
    return PairedTally.of_sums(n_classes, paired.sums.renumbered(numbers))


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
