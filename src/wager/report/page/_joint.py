"""Joint counts of classifiers on the same rows, as short plain data.

There are two forms, and the shorter one is taken: the joint outcomes of every two classifiers, or
the distinct rows of the outcomes of all of them, from which the page counts any two.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from wager._typing import Array, Ints
from wager.compare import JointOutcomes
from wager.report.page._packed import pack, squares, steps, totals
from wager.rewards import CellSums


@dataclass(frozen=True, eq=False)
class PairCells:
    """The joint outcomes of two classifiers.

    Parameters
    ----------
    first, second : array of shape (J,)
        The outcomes of both, as numbers.
    sums : CellSums
        The totals of the J joint outcomes.
    """

    first: Ints
    second: Ints
    sums: CellSums

    @property
    def depends_on_cells(self) -> bool:
        """Whether intervals depend on how rows are divided into cells: if rows have weights."""
        return self.sums.squares is not None and self.sums.squares.ndim == 1

    def merged(self, first: Ints, second: Ints) -> PairCells:
        """The same rows with other numbers of outcomes; equal ones are joined."""
        width = int(max(second.max(initial=0), 0)) + 1
        sums = self.sums.renumbered(first.astype(np.int64) * width + second)
        merged = np.divmod(sums.numbers, width)
        return PairCells(*merged, sums)


def misses_joined(numbers: Ints) -> Ints:
    """Outcomes of which all misses have the number 0: their size does not matter to utilities."""
    return np.where(numbers % 2 == 1, numbers, 0)


def joint_section(
    n_classifiers: int,
    pairs: Sequence[PairCells],
    rows: JointOutcomes | None = None,
    *,
    join_misses: bool = True,
) -> dict[str, Any]:
    """The section ``joint`` of the data.

    Parameters
    ----------
    n_classifiers : int
        The number of classifiers.
    pairs : sequence of PairCells
        The joint outcomes of every two, in order.
    rows : JointOutcomes, optional
        The outcomes of all of them, if they are known.
    join_misses : bool, default=True
        Whether outcomes are sizes and hits, of which misses of all sizes can be joined.
    """
    if join_misses and not any(pair.depends_on_cells for pair in pairs):
        pairs = [p.merged(misses_joined(p.first), misses_joined(p.second)) for p in pairs]
        if rows is not None:
            rows = _joined_rows(rows, misses_joined(rows.numbers))
    outcomes = _outcomes(n_classifiers, pairs)
    lists = [known.tolist() for known in outcomes]
    by_pair = {"outcomes": lists, "rows": None, "pairs": _pairs_to_dict(outcomes, pairs)}
    if rows is None:
        return by_pair
    by_row = {"outcomes": lists, "rows": _rows_to_dict(outcomes, rows), "pairs": None}
    return min(by_pair, by_row, key=lambda form: len(json.dumps(form)))


def _joined_rows(rows: JointOutcomes, numbers: Ints) -> JointOutcomes:
    """The rows with other numbers of outcomes; equal ones are joined, if rows are plain."""
    from wager._tables import RowUnits

    repeats = rows.totals if rows.totals.dtype.kind != "f" else None
    weights = rows.totals if repeats is None else None
    labels = None if rows.clusters is None else np.arange(int(rows.clusters.max(initial=0)) + 1)
    units = RowUnits(weights, repeats, rows.clusters, labels)
    return JointOutcomes.of(list(numbers), units)


def _outcomes(n_classifiers: int, pairs: Sequence[PairCells]) -> list[Ints]:
    """The outcomes that occur, of each classifier; the most frequent ones first."""
    found: list[Any] = [None] * n_classifiers
    for (i, j), pair in zip(combinations(range(n_classifiers), 2), pairs, strict=True):
        for place, numbers in ((i, pair.first), (j, pair.second)):
            if found[place] is None:
                known, at = np.unique(numbers, return_inverse=True)
                weight = np.bincount(at, pair.sums.totals, len(known))
                found[place] = known[np.argsort(-weight, kind="stable")]
    return found


def _positions(known: Ints, numbers: Ints) -> Ints:
    """The position of each number in a list that is not sorted."""
    order = np.argsort(known, kind="stable")
    return order[np.searchsorted(known[order], numbers)]


def _pairs_to_dict(outcomes: Sequence[Ints], pairs: Sequence[PairCells]) -> list[dict[str, Any]]:
    found = []
    for (i, j), pair in zip(combinations(range(len(outcomes)), 2), pairs, strict=True):
        cell = _positions(outcomes[i], pair.first) * len(outcomes[j])
        cell += _positions(outcomes[j], pair.second)
        order = np.argsort(cell, kind="stable")
        sums = pair.sums.where(order)
        entry = {"a": i, "b": j, "cells": steps(cell[order]), "totals": totals(sums.totals)}
        found.append(entry | {"squares": squares(sums.squares)})
    return found


def _rows_to_dict(outcomes: Sequence[Ints], rows: JointOutcomes) -> dict[str, Any]:
    columns = [
        pack(_positions(known, numbers))
        for known, numbers in zip(outcomes, rows.numbers, strict=True)
    ]
    counted: Array | None = rows.totals
    if rows.totals.dtype.kind != "f" and (rows.totals == 1).all():
        counted = None
    return {
        "columns": columns,
        "totals": None if counted is None else totals(counted),
        "squares": None if rows.squares is None else rows.squares.tolist(),
        "clusters": None if rows.clusters is None else steps(rows.clusters),
    }
