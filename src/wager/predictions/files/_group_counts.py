"""Counts of the groups of a file: one entry per group, set size and hit that occurs.

A file may have a million groups with a few rows each, so the entries are plain columns, sorted by
group; the name of a group is kept once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import (
    Table,
    View,
    Viewed,
    counted,
    encode_labels,
    first_of_each,
    joined,
)
from wager._typing import Array, Bools, Floats, Ints

__all__ = ["GroupCounts"]

_SHOWN = 10  # groups in the printed form


@dataclass(frozen=True, eq=False, repr=False)
class GroupCounts(Viewed):
    """Rows of a file by group, set size and hit.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        The classes.
    names : ndarray of shape (G,)
        The groups, ascending: whole numbers or text, with None for the missing group, which is
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
    cluster : ndarray, optional
        The cluster of each entry, if it is kept for parts of a file that divide clusters.

    Examples
    --------
    >>> counts = GroupCounts(
    ...     np.array(["a", "b"]), np.array(["x", "y"]), np.array([0, 0, 1]), np.array([3, 4, 3]),
    ...     np.array([5, 2, 1]),
    ... )
    >>> len(counts), counts.n_rows.tolist()
    (2, [7, 1])
    >>> (counts + counts).n_rows.tolist()
    [14, 2]
    """

    classes: Array
    names: Array
    group: Ints
    cell: Ints
    rows: Ints
    weight: Floats | None = None
    weight_squares: Floats | None = None
    unit: Ints | None = None
    cluster: Array | None = None

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

    def _view(self) -> View:
        shown = list(zip(map(str, self.names), self.n_rows, strict=True))[:_SHOWN]
        more = len(self) - len(shown)
        return View(
            f"{counted(len(self), 'group', ',')}, {counted(self.n_rows.sum(), 'row', ',')} over "
            f"{counted(len(self.classes), 'class', ',')}",
            [Table(["group", "rows"], shown)],
            [f"{more:,} more groups"] if more else [],
        )

    def __len__(self) -> int:
        return len(self.names)

    def __add__(self, other: GroupCounts) -> GroupCounts:
        """The counts of two parts, which may divide groups, and clusters if they are kept."""
        if not np.array_equal(self.classes, other.classes):
            raise ValueError(
                "cannot add counts over different classes: declare the same classes for both"
            )
        both = (self, other)
        names, place = _all_names(self.names, other.names)
        group = np.concatenate([place[: len(self)][self.group], place[len(self) :][other.group]])
        clusters, labels = [], np.empty(0)
        if self.unit is not None:
            kept = [part.cluster for part in both if part.cluster is not None]
            if len(kept) < 2:
                raise ValueError(
                    "cannot add counts of clusters that are not kept: count both parts together"
                )
            code, labels = encode_labels(np.concatenate(kept), name="cluster")
            clusters = [code]
        cell, rows = (np.concatenate([getattr(part, name) for part in both])
                      for name in ("cell", "rows"))  # fmt: skip
        weights = [
            np.concatenate([getattr(part, name) for part in both])
            for name in ("weight", "weight_squares")
            if self.weight is not None
        ]
        keys, sums = joined([group, *clusters, cell], [rows, *weights])
        unit = np.cumsum(first_of_each(*keys[:2])) - 1 if clusters else None
        cluster = labels[keys[1]] if clusters else None
        weight, squares = sums[1:] if weights else (None, None)
        return GroupCounts(
            self.classes, names, keys[0], keys[-1], sums[0], weight, squares, unit, cluster
        )

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
                ("cluster", self.cluster),
            )
        }
        names, cell, rows = self.names[present], self.cell[kept], self.rows[kept]
        return GroupCounts(self.classes, names, group, cell, rows, **optional)


def _all_names(first: Array, second: Array) -> tuple[Array, Ints]:
    """The groups of two parts, ascending, and the place of each group of both among them."""
    if first.dtype.kind in "iu" and second.dtype.kind in "iu":
        names, place = np.unique(np.concatenate([first, second]), return_inverse=True)
        return names, place
    every = first.tolist() + second.tolist()
    if len({type(name) for name in every if name is not None}) > 1:
        every = [None if name is None else str(name) for name in every]
    listed = [*sorted({*every} - {None}), *([None] if None in every else [])]
    place_of = {name: place for place, name in enumerate(listed)}
    found = np.empty(len(listed), dtype=object)
    found[:] = listed
    return found, np.array([place_of[name] for name in every], dtype=np.intp)


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
