"""Counts of a file: one entry per group, true class, set size and hit that occurs.

The counts of two parts add up to the counts of the whole, so a file can be counted in pieces.  Only
combinations that occur are kept: with 2,000 classes a full table would have eight million cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wager._typing import Array, Floats, Ints
from wager.predictions._sets import PredictionSets, size_and_hit
from wager.predictions.files._predictions import Predictions

__all__ = ["FileCounts"]


@dataclass(frozen=True, eq=False)
class FileCounts:
    """Rows of a file by group, true class, set size and hit.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        The classes, to which `truth` is an index.
    group : ndarray of object
        The group of each entry; None in all of them if groups were not requested.
    truth, size, hit : ndarray of int
        True class, set size, and whether the set contains the true class.
    rows : ndarray of int
        The number of rows of each entry.
    weight, weight_squares : ndarray of float
        The sum of their weights, and the sum of the squared weights.
    whole : bool
        Whether every weight is a whole number (without weights, each is 1).

    Examples
    --------
    >>> sets = PredictionSets.from_lists([["a"], ["a", "b"], ["a"]])
    >>> part = Predictions(sets.classes, np.array([0, 1, 0]), "set", sets)
    >>> counts = FileCounts.of(part, sets)
    >>> (counts + counts).by_size().tolist()
    [[0, 0], [0, 4], [0, 2]]
    """

    classes: Array
    group: Array
    truth: Ints
    size: Ints
    hit: Ints
    rows: Ints
    weight: Floats
    weight_squares: Floats
    whole: bool

    @classmethod
    def of(cls, part: Predictions, sets: PredictionSets, by_group: bool = False) -> FileCounts:
        """Count the rows of `part`, given their predictions as sets."""
        n = len(part)
        ones = np.ones(n)
        weight = ones if part.weight is None else part.weight
        group = part.group if by_group and part.group is not None else np.full(n, None)
        size, hit = (column.astype(np.int64) for column in size_and_hit(part.codes, sets))
        whole = bool((weight == np.trunc(weight)).all())
        rows = np.ones(n, dtype=np.int64)
        return cls(
            part.classes, group, part.codes, size, hit, rows, weight, weight**2, whole
        )._reduced()

    def __add__(self, other: FileCounts) -> FileCounts:
        if not np.array_equal(self.classes, other.classes):
            raise ValueError(
                "cannot add counts over different classes: declare the same classes for both"
            )
        mine, theirs = self._columns(), other._columns()
        joined = [np.concatenate(pair) for pair in zip(mine, theirs, strict=True)]
        return self._with(joined, self.whole and other.whole)._reduced()

    def _columns(self) -> tuple[Array, ...]:
        keys = (self.group, self.truth, self.size, self.hit)
        return (*keys, self.rows, self.weight, self.weight_squares)

    def _with(self, columns: Sequence[Array], whole: bool) -> FileCounts:
        group, truth, size, hit, rows, weight, squares = columns
        return FileCounts(self.classes, group, truth, size, hit, rows, weight, squares, whole)

    def _reduced(self) -> FileCounts:
        """The same counts with equal entries combined."""
        names = {name: place for place, name in enumerate(self.groups)}
        code = np.fromiter(map(names.__getitem__, self.group), np.int64, len(self.group))
        n = len(self.classes)
        cell = ((code * n + self.truth) * (n + 1) + self.size) * 2 + self.hit
        _, first, entry = np.unique(cell, return_index=True, return_inverse=True)
        keys = [column[first] for column in (self.group, self.truth, self.size, self.hit)]
        rows = np.bincount(entry, self.rows).astype(np.int64)
        weights = [np.bincount(entry, column) for column in (self.weight, self.weight_squares)]
        return self._with([*keys, rows, *weights], self.whole)

    @property
    def groups(self) -> list[str | None]:
        """The groups that occur, sorted; the missing group last."""
        return sorted(set(self.group.tolist()), key=lambda name: (name is None, name or ""))

    @property
    def n_rows(self) -> int:
        """The number of rows counted."""
        return int(self.rows.sum())

    @property
    def total_squares(self) -> float:
        """The sum of the squared weights of all rows."""
        return float(self.weight_squares.sum())

    def of_group(self, name: str | None) -> FileCounts:
        """The entries of one group."""
        return self._where(np.array([group == name for group in self.group], dtype=bool))

    def of_class(self, code: int) -> FileCounts:
        """The entries of one true class."""
        return self._where(self.truth == code)

    def _where(self, chosen: Array) -> FileCounts:
        return self._with([column[chosen] for column in self._columns()], self.whole)

    def by_size(self) -> Array:
        """Total weights by set size and hit: shape (K + 1, 2)."""
        return self._table(self.size, len(self.classes) + 1)

    def by_class(self) -> Array:
        """Total weights by true class and hit: shape (K, 2)."""
        return self._table(self.truth, len(self.classes))

    def _table(self, row: Ints, n_rows: int) -> Array:
        table = np.bincount(2 * row + self.hit, self.weight, 2 * n_rows).reshape(n_rows, 2)
        return table.astype(np.int64) if self.whole else table
