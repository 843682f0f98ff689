"""Counts of the groups of a file: one entry per group, set size and hit that occurs.

A file may have a million groups with a few rows each, so the entries are plain columns, sorted by
group; the name of a group is kept once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._typing import Array, Bools, Floats, Ints

__all__ = ["GroupCounts"]


@dataclass(frozen=True, eq=False)
class GroupCounts:
    """Rows of a file by group, set size and hit.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        The classes.
    names : ndarray of shape (G,)
        The groups, ascending: whole numbers, or text with None for the missing group, which is
        last.
    group : ndarray of int, ascending
        The group of each entry, as an index into `names`.
    cell : ndarray of int
        Twice the size of the sets of an entry, plus one if they contain the true class.
    rows : ndarray of int
        The number of observations of each entry, as in `FileCounts`.
    weight, weight_squares : ndarray of float, optional
        The sums of their weights and of their squared weights; None if the rows have no weights.
    unit : ndarray of int, optional
        If rows are clustered: a number for each cluster within its group, ascending; entries are
        then kept apart by cluster.

    Examples
    --------
    >>> counts = GroupCounts(
    ...     np.array(["a", "b"]), np.array(["x", "y"]), np.array([0, 0, 1]), np.array([3, 4, 3]),
    ...     np.array([5, 2, 1]),
    ... )
    >>> len(counts), counts.n_rows.tolist()
    (2, [7, 1])
    """

    classes: Array
    names: Array
    group: Ints
    cell: Ints
    rows: Ints
    weight: Floats | None = None
    weight_squares: Floats | None = None
    unit: Ints | None = None

    @classmethod
    def concatenated(cls, parts: Sequence[GroupCounts]) -> GroupCounts:
        """The counts of several parts of a file that have no group in common."""
        starts = np.cumsum([0, *(len(part) for part in parts)])
        units = [part.unit for part in parts if part.unit is not None]
        before = np.cumsum([0, *(int(unit[-1]) + 1 for unit in units)])
        return cls(
            parts[0].classes,
            np.concatenate([part.names for part in parts]),
            np.concatenate([p.group + at for p, at in zip(parts, starts[:-1], strict=True)]),
            np.concatenate([part.cell for part in parts]),
            np.concatenate([part.rows for part in parts]),
            _concatenated([part.weight for part in parts]),
            _concatenated([part.weight_squares for part in parts]),
            _concatenated([u + at for u, at in zip(units, before[:-1], strict=True)]),
        )

    def __len__(self) -> int:
        return len(self.names)

    @property
    def n_rows(self) -> Ints:
        """The number of observations of each group."""
        return _sums(self.group, self.rows, len(self.names))

    @property
    def total_weight(self) -> Floats | None:
        """The sum of the weights of each group; None if the rows have no weights."""
        return None if self.weight is None else _sums(self.group, self.weight, len(self.names))

    def occurring(self) -> GroupCounts:
        """The counts without entries and groups of weight 0."""
        counts = self.rows if self.weight is None else self.weight
        return self if counts.all() else self._where(counts > 0)

    def _where(self, kept: Bools) -> GroupCounts:
        present, group = np.unique(self.group[kept], return_inverse=True)
        optional: dict[str, Any] = {
            name: None if column is None else column[kept]
            for name, column in (
                ("weight", self.weight),
                ("weight_squares", self.weight_squares),
                ("unit", self.unit),
            )
        }
        names, cell, rows = self.names[present], self.cell[kept], self.rows[kept]
        return GroupCounts(self.classes, names, group, cell, rows, **optional)


def _concatenated(columns: Sequence[Array | None]) -> Array | None:
    """The columns that there are, one after another; None if there are none."""
    present = [column for column in columns if column is not None]
    return np.concatenate(present) if present else None


def _sums(group: Ints, each: Array, n_groups: int) -> Array:
    """The sums of the entries of each group, in the type of `each`."""
    total = np.zeros(n_groups, dtype=each.dtype)
    if len(group):
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        total[group[starts]] = np.add.reduceat(each, starts)
    return total
