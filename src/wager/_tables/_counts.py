"""Counts: how often each value of each feature occurs with each class.

Features are codes 0..v_j - 1 with -1 for missing, classes are codes 0..K - 1.  All values of all
features form one flat list: value a of feature j has the index ``offset_j + a``.  So
``values[offset_j + a, c]`` is n_j(a, c), and one more axis gives the pairs that one-dependence
models and feature selection need.  Counts are additive: the counts of a training part are those of
all rows minus those of the test fold, which makes refitting in cross-validation cheap.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from wager._jit import entry
from wager._typing import Bools, Ints

__all__ = ["Counts", "PairCounts", "training_counts", "value_offsets"]

C = TypeVar("C", "Counts", "PairCounts")
LARGEST_TABLE = 2**31  # bytes that a table of pairs may take
LARGEST_COUNTS = 2**32  # bytes that a table of single values may take
SMALL_COUNTS = 2**26  # bytes that it may take whatever its rows are
MOST_EMPTY = 200  # cells of a larger table for each value that the rows have


def value_offsets(n_values: Ints) -> Ints:
    """The index of each feature's first value in the flat list.

    Examples
    --------
    >>> value_offsets(np.array([2, 3, 4])).tolist()
    [0, 2, 5]
    """
    return np.concatenate([[0], np.cumsum(n_values[:-1])]).astype(np.int64)[: len(n_values)]


@dataclass(frozen=True, eq=False)
class Counts:
    """Number of rows by value and class, n_j(a, c), and by class, n(c).

    Examples
    --------
    >>> codes = np.array([[0, 1], [1, -1], [1, 0]])
    >>> counts = Counts.of(codes, np.array([0, 1, 1]), n_values=np.array([2, 2]), n_classes=2)
    >>> counts.values.tolist()
    [[1, 0], [0, 2], [0, 1], [1, 0]]
    >>> counts.observed.tolist()  # the second feature is missing in one row of class 1
    [[1, 2], [1, 1]]
    >>> (counts - counts).classes.tolist()
    [0, 0]
    """

    values: Ints  # (sum v_j, K)
    classes: Ints  # (K,)
    n_values: Ints  # (m,)

    @classmethod
    def of(cls, codes: Ints, y: Ints, n_values: Ints, n_classes: int) -> Counts:
        n_values = np.asarray(n_values, dtype=np.int64)
        values = _count(codes, y, value_offsets(n_values), int(n_values.sum()), n_classes)
        return cls(values, np.bincount(y, minlength=n_classes).astype(np.int64), n_values)

    def __add__(self, other: Counts) -> Counts:
        self._require_same_shape(other)
        classes = self.classes + other.classes
        if (classes < 0).any():  # integers wrap round; no value has more rows than its class
            raise ValueError("the counts add up to 2**63 rows or more, which is too many")
        return Counts(self.values + other.values, classes, self.n_values)

    def __sub__(self, other: Counts) -> Counts:
        self._require_same_shape(other)
        return Counts(self.values - other.values, self.classes - other.classes, self.n_values)

    @property
    def n_classes(self) -> int:
        """The number of classes, with or without rows."""
        return len(self.classes)

    @cached_property
    def feature_of_value(self) -> Ints:
        """The feature of every value of the flat list."""
        return np.repeat(np.arange(len(self.n_values)), self.n_values)

    @cached_property
    def offsets(self) -> Ints:
        """The index of each feature's first value."""
        return value_offsets(self.n_values)

    @cached_property
    def observed(self) -> Ints:
        """n_j(c), shape (m, K): rows of class c in which feature j is not missing."""
        if not len(self.n_values):
            return np.zeros((0, len(self.classes)), dtype=np.int64)
        return np.add.reduceat(self.values, self.offsets, axis=0)

    def of_feature(self, j: int) -> Ints:
        """n_j(a, c) of one feature, shape (v_j, K)."""
        return self.values[self.offsets[j] : self.offsets[j] + self.n_values[j]]

    def of_classes(self, chosen: Bools) -> Counts:
        """The counts of some of the classes."""
        return Counts(self.values[:, chosen], self.classes[chosen], self.n_values)

    def moved(
        self, kept: Bools, of_value: Ints, of_class: Ints, n_values: Ints, n_classes: int
    ) -> Counts:
        """The counts in a larger table: the kept values and all classes at their new places.

        Values that are not kept must not occur.
        """
        values = np.zeros((int(n_values.sum()), n_classes), dtype=np.int64)
        classes = np.zeros(n_classes, dtype=np.int64)
        values[np.ix_(of_value, of_class)] = self.values[kept]
        classes[of_class] = self.classes
        return Counts(values, classes, n_values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return (
            np.array_equal(self.n_values, other.n_values)
            and np.array_equal(self.classes, other.classes)
            and np.array_equal(self.values, other.values)
        )

    def _require_same_shape(self, other: Counts) -> None:
        if self.values.shape != other.values.shape or (self.n_values != other.n_values).any():
            raise ValueError(
                "cannot combine counts over different features or classes: both parts must "
                "declare the same values and classes"
            )


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Number of rows by two values and class: ``table[u, w, c]`` over the flat list of values.

    The table is symmetric in u and w; its diagonal blocks hold n_j(a, c) on their diagonals.
    """

    table: Ints  # (sum v_j, sum v_j, K), 32-bit if that is enough for the number of rows
    single: Counts

    @classmethod
    def of(cls, codes: Ints, y: Ints, n_values: Ints, n_classes: int) -> PairCounts:
        single = Counts.of(codes, y, n_values, n_classes)
        check_pair_table_size(single.n_values, n_classes)
        return cls(_count_pairs(codes, y, single.offsets, len(single.values), n_classes), single)

    def __add__(self, other: PairCounts) -> PairCounts:
        single = self.single + other.single
        cell = np.int32 if single.classes.sum() < 2**31 else np.int64
        return PairCounts(np.add(self.table, other.table, dtype=cell), single)

    def __sub__(self, other: PairCounts) -> PairCounts:
        return PairCounts(self.table - other.table, self.single - other.single)

    def of_features(self, i: int, j: int) -> Ints:
        """Counts by the values of features i and j and by class, shape (v_i, v_j, K)."""
        start, size = self.single.offsets, self.single.n_values
        return self.table[start[i] : start[i] + size[i], start[j] : start[j] + size[j]]

    def of_classes(self, chosen: Bools) -> PairCounts:
        """The counts of some of the classes."""
        return PairCounts(self.table[:, :, chosen], self.single.of_classes(chosen))

    def moved(
        self, kept: Bools, of_value: Ints, of_class: Ints, n_values: Ints, n_classes: int
    ) -> PairCounts:
        """As for ``Counts``."""
        check_pair_table_size(n_values, n_classes)
        total = int(n_values.sum())
        table = np.zeros((total, total, n_classes), dtype=self.table.dtype)
        table[np.ix_(of_value, of_value, of_class)] = self.table[np.ix_(kept, kept)]
        single = self.single.moved(kept, of_value, of_class, n_values, n_classes)
        return PairCounts(table, single)

    def filled(self, modes: Ints) -> PairCounts:
        """The counts if every missing value were the given one of its feature.

        The rows in which feature k is missing and another feature has the value u are those with u
        less those with u in which k is known, so that the counts of pairs are enough.
        """
        single, offsets = self.single, self.single.offsets
        hidden = single.classes - single.observed
        if not hidden.any():
            return self
        mode = offsets + modes
        values = single.values.copy()
        values[mode] += hidden
        table = self.table.copy()
        table[:, mode] += single.values[:, None] - np.add.reduceat(table, offsets, axis=1)
        table[mode] += values - np.add.reduceat(table, offsets, axis=0)
        return PairCounts(table, Counts(values, single.classes, single.n_values))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairCounts):
            return NotImplemented
        return self.single == other.single and np.array_equal(self.table, other.table)


def training_counts(total: C, codes: Ints, y: Ints, fold: Ints) -> Iterator[C]:
    """The counts of each training part of a cross-validation: the total minus the test fold.

    Parameters
    ----------
    total : Counts or PairCounts
        The counts of all rows.
    codes, y : arrays
        The rows that were counted.
    fold : ndarray of int
        The test fold of each row, 0, 1, ...; -1 for a row that is in no test fold.

    Examples
    --------
    >>> codes, y = np.array([[0], [1], [1]]), np.array([0, 0, 1])
    >>> total = Counts.of(codes, y, np.array([2]), 2)
    >>> [part.classes.tolist() for part in training_counts(total, codes, y, np.array([0, 1, 1]))]
    [[1, 1], [1, 0]]
    """
    single = total.single if isinstance(total, PairCounts) else total
    for f in range(int(fold.max()) + 1):
        test = fold == f
        yield total - type(total).of(codes[test], y[test], single.n_values, len(single.classes))


def check_pair_table_size(n_values: Ints, n_classes: int, cell_bytes: int = 4) -> None:
    """Raise an error if a table of pairs would not fit into memory."""
    size = cell_bytes * int(n_values.sum()) ** 2 * n_classes
    if size > LARGEST_TABLE:
        raise ValueError(
            f"a table of all pairs of {int(n_values.sum())} values in {len(n_values)} features "
            f"with {n_classes} classes takes {size / 2**30:.1f} GiB, more than "
            f"{LARGEST_TABLE / 2**30:.0f}: select features first, for instance with CfsSelector"
        )


def check_count_table_size(n_values: int, n_classes: int, n_cells: int | None = None) -> None:
    """Raise an error if a table by value and class is too large for the cells that it counts.

    Without their number only what is too large for any data is refused.

    Examples
    --------
    >>> check_count_table_size(20_000, 8_000, n_cells=8_000)
    Traceback (most recent call last):
    ...
    ValueError: a table of 20,000 values in 8,000 classes takes 1.2 GiB, more than 0.1 for 8,000 ...
    """
    size = 8 * n_values * n_classes
    most, rows = LARGEST_COUNTS, ""
    if n_cells is not None:
        most = min(max(SMALL_COUNTS, 8 * MOST_EMPTY * n_cells), most)
        rows = f" for {n_cells:,} cells of data"
    if size > most:
        raise ValueError(
            f"a table of {n_values:,} values in {n_classes:,} classes takes {size / 2**30:.1f} "
            f"GiB, more than {most / 2**30:.1f}{rows}: discretize features of many values, merge "
            "rare classes, or declare fewer of them"
        )


def _count(codes: Ints, y: Ints, offsets: Ints, total: int, n_classes: int) -> Ints:
    check_count_table_size(total, n_classes)
    table = np.zeros((total, n_classes), dtype=np.int64)
    _count_values(codes, y, offsets, table, work=2e-8 * codes.size)
    return table


def _count_by_bincount(codes: Ints, y: Ints, offsets: Ints, table: Ints) -> None:
    cell = (codes + offsets) * table.shape[1] + y[:, None]
    table += np.bincount(cell[codes >= 0], minlength=table.size).reshape(table.shape)


@entry(plain=_count_by_bincount, label="counts of values")
def _count_values(codes, y, offsets, table):
    """Count the rows by value and class."""
    for i in range(codes.shape[0]):
        c = y[i]
        for j in range(codes.shape[1]):
            if codes[i, j] >= 0:
                table[offsets[j] + codes[i, j], c] += 1


def _count_pairs(codes: Ints, y: Ints, offsets: Ints, total: int, n_classes: int) -> Ints:
    table = np.zeros((total, total, n_classes), dtype=np.int32)
    _count_all_pairs(codes, y, offsets, table, work=1e-8 * codes.size * codes.shape[1])
    return table


def _count_pairs_by_bincount(codes: Ints, y: Ints, offsets: Ints, table: Ints) -> None:
    total, _, n_classes = table.shape
    ends = [*offsets[1:], total]
    for j in range(codes.shape[1]):
        for k in range(j, codes.shape[1]):
            both = (codes[:, j] >= 0) & (codes[:, k] >= 0)
            v_j, v_k = ends[j] - offsets[j], ends[k] - offsets[k]
            cell = (codes[both, j].astype(np.int64) * v_k + codes[both, k]) * n_classes + y[both]
            block = np.bincount(cell, minlength=v_j * v_k * n_classes).reshape(v_j, v_k, n_classes)
            table[offsets[j] : ends[j], offsets[k] : ends[k]] = block
            table[offsets[k] : ends[k], offsets[j] : ends[j]] = block.transpose(1, 0, 2)


@entry(plain=_count_pairs_by_bincount, label="counts of pairs of values")
def _count_all_pairs(codes, y, offsets, table):
    """Count the rows by two values and class."""
    m = codes.shape[1]
    total, _, n_classes = table.shape
    flat = table.reshape(-1)
    place = np.empty(m, dtype=np.uint64)  # unsigned, so that Numba checks no index for its sign
    for i in range(codes.shape[0]):
        known = 0
        for j in range(m):
            if codes[i, j] >= 0:
                place[known] = np.uint64((offsets[j] + codes[i, j]) * n_classes)
                known += 1
        for j in range(known):
            start = place[j] * np.uint64(total) + np.uint64(y[i])
            for k in range(j, known):  # places ascend, so only the upper half is written
                flat[start + place[k]] += 1
    # mirroring once is cheaper than writing both halves for every row
    for u in range(total):
        for w in range(u):
            for c in range(n_classes):
                table[u, w, c] = table[w, u, c]
