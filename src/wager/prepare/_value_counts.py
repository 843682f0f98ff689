"""Counts by value and class of every column, from which discretizers and learners are made.

A column of labels has one line per label.  A column of numbers has one line per distinct number, or
per fine bin (an interval of numbers) where there are too many of them.  Counts of rows that were
counted apart are added with ``+``; the result is what counting all rows together gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from wager._tables import check_count_table_size, format_label
from wager._typing import Bools, Floats, Ints
from wager._visible import in_one_line
from wager.prepare._fine_bins import FineBins

__all__ = ["ColumnCounts", "Lines", "ValueCounts", "count_cells"]


@dataclass(frozen=True, eq=False)
class ColumnCounts:
    """How often each value of a column occurs with each class.

    Attributes
    ----------
    table : ndarray of int, shape (D, K)
        One line per value, in ascending order; rows in which the value is missing are not counted.
    labels : tuple, optional
        The values of a column of labels; None for a column of numbers.
    low, high : ndarray of shape (D,)
        The least and the largest number of each line; equal where the line is a single number.
        Empty for a column of labels.
    bins : FineBins, optional
        The bins that are the lines; None if every distinct number has a line.
    """

    table: Ints
    labels: tuple[Any, ...] | None = None
    low: Floats = field(default_factory=lambda: np.empty(0))
    high: Floats = field(default_factory=lambda: np.empty(0))
    bins: FineBins | None = None

    @classmethod
    def of_numbers(cls, values: Floats, y: Ints, n_classes: int) -> ColumnCounts:
        """The counts of a column of numbers, with the class of each; NaN is missing."""
        known = ~np.isnan(values)
        distinct, code = np.unique(values[known], return_inverse=True)
        cells = np.bincount(code * n_classes + y[known], minlength=len(distinct) * n_classes)
        return cls(cells.reshape(-1, n_classes), None, distinct, distinct)

    @property
    def is_numeric(self) -> bool:
        """Whether the column has numbers."""
        return self.labels is None

    def by_interval(self, cuts: Floats) -> Ints:
        """The counts of the intervals between cuts, shape (number of cuts + 1, K)."""
        table = np.zeros((len(cuts) + 1, self.table.shape[1]), dtype=np.int64)
        np.add.at(table, np.searchsorted(cuts, self.low, side="left"), self.table)
        return table

    def of_classes(self, place: Ints, n_classes: int) -> ColumnCounts:
        """The same counts with every class at a new place."""
        table = np.zeros((len(self.table), n_classes), dtype=np.int64)
        table[:, place] = self.table
        return ColumnCounts(table, self.labels, self.low, self.high, self.bins)


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """How often each value of each column of a table occurs with each class.

    Parameters
    ----------
    names : tuple of str
        The columns.
    classes : tuple
        The labels of the classes, in sorted order.
    rows : ndarray of int, shape (K,)
        The number of rows of each class.
    columns : tuple of ColumnCounts
        One for each column.

    Examples
    --------
    >>> column = ColumnCounts.of_numbers(np.array([1.0, 2.0, 2.0]), np.array([0, 1, 0]), 2)
    >>> counts = ValueCounts(("x",), ("a", "b"), np.array([2, 1]), (column,))
    >>> (counts + counts).columns[0].table.tolist()
    [[2, 0], [2, 2]]
    """

    names: tuple[str, ...]
    classes: tuple[Any, ...]
    rows: Ints
    columns: tuple[ColumnCounts, ...]

    @property
    def nominal(self) -> Bools:
        """Which columns have labels."""
        return np.array([not column.is_numeric for column in self.columns], dtype=bool)

    @property
    def n_rows(self) -> int:
        """The number of rows that were counted."""
        return int(self.rows.sum())

    def __add__(self, other: ValueCounts) -> ValueCounts:
        if not isinstance(other, ValueCounts):
            return NotImplemented
        if self.names != other.names:
            raise ValueError(
                f"cannot add counts of the columns {_listed(self.names)} to counts of "
                f"{_listed(other.names)}: both parts must have the same columns"
            )
        classes = tuple(sorted({*self.classes, *other.classes}))
        first, second = self.of_classes(classes), other.of_classes(classes)
        columns = tuple(
            _added(name, a, b)
            for name, a, b in zip(self.names, first.columns, second.columns, strict=True)
        )
        return ValueCounts(self.names, classes, first.rows + second.rows, columns)

    def __radd__(self, other: object) -> ValueCounts:
        return self if other == 0 else NotImplemented  # sum(parts) starts with 0

    def of_columns(self, chosen: Ints) -> ValueCounts:
        """The counts of some of the columns."""
        names, columns = (tuple(part[j] for j in chosen) for part in (self.names, self.columns))
        return ValueCounts(names, self.classes, self.rows, columns)

    def of_classes(self, classes: tuple[Any, ...]) -> ValueCounts:
        """The same counts with these classes in this order, which include all own."""
        if classes == self.classes:
            return self
        place = np.array([classes.index(label) for label in self.classes], dtype=np.intp)
        rows = np.zeros(len(classes), dtype=np.int64)
        rows[place] = self.rows
        columns = tuple(column.of_classes(place, len(classes)) for column in self.columns)
        return ValueCounts(self.names, classes, rows, columns)


def _listed(names: Sequence[str]) -> str:
    return in_one_line(", ".join(names))


def _added(name: str, first: ColumnCounts, second: ColumnCounts) -> ColumnCounts:
    """The counts of two parts of a column."""
    if not len(first.table):  # a column without any value may have been read as numbers
        return second
    if not len(second.table):
        return first
    if first.is_numeric != second.is_numeric:
        label = (second if first.is_numeric else first).labels or ("",)
        raise ValueError(
            f"cannot add counts: column {name!r} has numbers in one part and labels such as "
            f"{format_label(label[0])} in the other"
        )
    if first.labels is not None and second.labels is not None:
        labels = tuple(sorted({*first.labels, *second.labels}))
        place = {label: i for i, label in enumerate(labels)}
        table = np.zeros((len(labels), first.table.shape[1]), dtype=np.int64)
        for part in (first, second):
            table[[place[label] for label in part.labels or ()]] += part.table
        return ColumnCounts(table, labels)
    if first.bins != second.bins:
        raise ValueError(
            f"cannot add counts of column {name!r}, which were counted by different bins: count "
            "both parts by the same bins"
        )
    low, high, table = (
        np.concatenate([getattr(part, what) for part in (first, second)])
        for what in ("low", "high", "table")
    )
    lines = Lines.of(low, high, first.bins)
    total = np.zeros((len(lines.low), table.shape[1]), dtype=np.int64)
    np.add.at(total, lines.code, table)
    return ColumnCounts(total, None, lines.low, lines.high, first.bins)


class Lines(NamedTuple):
    """The lines of a column of numbers, ascending, and the line of each of the given numbers."""

    low: Floats
    high: Floats
    code: Ints

    @classmethod
    def of(cls, low: Floats, high: Floats, bins: FineBins | None) -> Lines:
        """One line per number, or per bin; `low` and `high` bound what is in a part of a bin."""
        keys, code = np.unique(low if bins is None else bins.number(low), return_inverse=True)
        least, largest = np.full(len(keys), np.inf), np.full(len(keys), -np.inf)
        np.minimum.at(least, code, low)
        np.maximum.at(largest, code, high)
        return cls(least, largest, code)


def count_cells(line: Ints, y: Ints, n: Ints, shape: tuple[int, int]) -> Ints:
    """The counts by line and class of values that occur ``n`` times."""
    check_count_table_size(*shape, int(n.sum()))
    table = np.zeros(shape, dtype=np.int64)
    np.add.at(table, (line, y), n)
    return table
