"""The tallies of very many groups of rows, such as the users of a service, as plain columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from wager._tables import (
    RowUnits,
    Table,
    View,
    Viewed,
    counted,
    encode_labels,
    first_of_each,
    joined,
)
from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager._visible import brief
from wager.predictions import GroupCounts
from wager.rewards._cell_sums import CellSums, distinct_numbers
from wager.rewards._count import CheckedRows, cell_numbers, parts_of, read_rows
from wager.rewards._group_sums import GroupSums
from wager.rewards._scores import SetScore
from wager.rewards._tally import Moments, Tally, moments_of
from wager.rewards._utility import rewards_of

_ENTRIES = 1 << 16  # of a part that is worked on at a time: its columns stay in the cache


GROUPS_SHOWN = 10  # groups in the printed form


def more_groups(n_groups: int, where: str) -> list[str]:
    """A note about the groups that are not shown."""
    left = n_groups - GROUPS_SHOWN
    return [f"{left:,} more groups: see {where}"] if left > 0 else []


@dataclass(frozen=True, eq=False, repr=False)
class GroupTally(Viewed):
    """One tally for each group of rows.

    Parameters
    ----------
    names : array of shape (G,)
        The groups.
    n_classes : int
        The number of classes K.
    cell : array of shape (E,)
        The cell of each entry of the sums: twice the set size, plus one for a hit.
    sums : GroupSums
        The totals of the cells.

    Examples
    --------
    >>> tally = GroupTally.of(["x", "y", "x"], ["a", "b", "b"], ["a", "a", "b"])
    >>> tally
    2 groups, 3 predictions over 2 classes
    <BLANKLINE>
    group  rows  hits  mean size
    ----------------------------
    x         2     2     1.0000
    y         1     0     1.0000
    >>> tally["x"].expected_utility("u65")
    1.0
    """

    names: Array
    n_classes: int
    cell: Ints
    sums: GroupSums

    @classmethod
    def of(
        cls,
        by: ArrayLike,
        y_true: ArrayLike,
        y_pred: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        counts: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> GroupTally:
        """Count the predictions of each group.

        Parameters
        ----------
        by : array-like of shape (n,)
            The group of each row.
        y_true, y_pred, classes, sample_weight, counts, groups
            As in `Tally.of`; a cluster may have rows in several groups.
        """
        rows = read_rows(y_true, y_pred, classes, sample_weight, counts, groups)
        return cls.of_counts(group_counts(by, rows))

    @classmethod
    def of_counts(cls, counts: GroupCounts) -> GroupTally:
        """The tallies of the groups of a file."""
        totals = counts.rows if counts.weight is None else counts.weight
        squares = None if counts.unit is not None else counts.weight_squares
        sums = GroupSums(counts.group, len(counts), totals, squares, counts.unit)
        return cls(counts.names, len(counts.classes), counts.cell, sums)

    def __len__(self) -> int:
        return len(self.names)

    def _view(self) -> View:
        shown = self.take(np.arange(min(len(self), GROUPS_SHOWN)))
        rows = [
            [str(name), tally.n, tally.table[:, 1].sum().item(), tally.score("mean_set_size").value]
            for name, tally in zip(shown.names, shown.tallies(), strict=True)
        ]
        total = counted(self.sums.totals.sum(), "prediction", ".10g")
        total = f"{total} over {counted(self.n_classes, 'class')}"
        return View(
            f"{counted(len(self), 'group', ',')}, {total}",
            [Table(["group", "rows", "hits", "mean size"], rows)],
            more_groups(len(self), "names"),
        )

    def __getitem__(self, name: Any) -> Tally:
        """The tally of one group."""
        # a frame or a column is no name, and would be compared cell by cell
        is_name = isinstance(name, str | bytes | tuple) or np.ndim(name) == 0
        found = np.flatnonzero(self.names == name if is_name else [])
        if not len(found):
            raise KeyError(f"there is no group {brief(name)}")
        return next(self.take(found).tallies())

    def tallies(self) -> Iterator[Tally]:
        """The tally of each group, one after another."""
        ends = np.searchsorted(self.sums.group, np.arange(len(self) + 1)).tolist()
        for start, end in pairwise(ends):
            yield Tally.of_sums(self.n_classes, self._cell_sums(slice(start, end)))

    def _cell_sums(self, part: slice) -> CellSums:
        """The sums of one group, whose entries are at these places."""
        cell, totals, unit = self.cell[part], self.sums.totals[part], self.sums.unit
        if unit is None:
            squares = None if self.sums.squares is None else self.sums.squares[part]
            return CellSums(cell, totals, squares)
        clusters, numbers = encode_labels(unit[part], name="clusters")
        weighted = totals.dtype.kind == "f"
        weights, repeats = (totals, None) if weighted else (None, totals)
        return CellSums.of(cell, RowUnits(weights, repeats, clusters, numbers))

    def take(self, groups: Ints) -> GroupTally:
        """The tallies of some groups, given by their numbers."""
        sums, place = self.sums.take(groups)
        return GroupTally(self.names[groups], self.n_classes, self.cell[place], sums)

    def parts(self) -> Iterator[tuple[slice, GroupTally]]:
        """The groups in parts of moderate size, one after another, with their places."""
        ends = np.searchsorted(self.sums.group, np.arange(len(self) + 1))
        start = 0
        while start < len(self):
            end = int(np.searchsorted(ends, ends[start] + _ENTRIES, side="right")) - 1
            end = min(max(end, start + 1), len(self))
            yield slice(start, end), self._slice(start, end, slice(ends[start], ends[end]))
            start = end

    def _slice(self, start: int, end: int, entries: slice) -> GroupTally:
        group, totals = self.sums.group[entries] - start, self.sums.totals[entries]
        squares = None if self.sums.squares is None else self.sums.squares[entries]
        unit = None if self.sums.unit is None else self.sums.unit[entries]
        sums = GroupSums(group, end - start, totals, squares, unit)
        return GroupTally(self.names[start:end], self.n_classes, self.cell[entries], sums)

    @cached_property
    def cells(self) -> tuple[Ints, Bools, Ints]:
        """Size and hit of every cell that occurs in any group, and the place of each entry's."""
        numbers, place = distinct_numbers(self.cell)
        size, hit = np.divmod(numbers, 2)
        return size, hit.astype(bool), place

    def moments(self) -> Moments[Floats]:
        """Mean, second moment and population variance of the reward, by group."""
        size, hit, place = self.cells
        return moments_of(rewards_of(size, hit)[place], self.sums)

    def values(self, score: SetScore) -> Floats:
        """The score of each entry; NaN where it does not apply."""
        if not hasattr(score, "values") or not hasattr(score, "function"):
            raise TypeError(f"score must be a SetScore, got a {type(score).__name__}")
        size, hit, place = self.cells
        return score.values(size, hit, self.n_classes)[place]

    @property
    def largest_sizes(self) -> Ints:
        """The size of the largest set in each group."""
        largest = np.zeros(len(self), dtype=np.intp)
        starts = np.flatnonzero(first_of_each(self.sums.group))
        largest[self.sums.group[starts]] = np.maximum.reduceat(self.cell, starts) // 2
        return largest


def group_counts(by: ArrayLike, rows: CheckedRows) -> GroupCounts:
    """Count rows by the group that `by` names, set size and hit; groups of weight 0 are left out.

    Parameters
    ----------
    by : array-like of shape (n,)
        The group of each row.
    rows : CheckedRows
        The rows.
    """
    return count_members(*parts_of(by, rows), rows)


def count_members(member: Ints, names: Array, rows: CheckedRows) -> GroupCounts:
    """Count rows by group, given as positions in `names`, set size and hit."""
    units, observed = rows.units, rows.units.counts
    if units.weights is not None:
        ones = np.ones(len(member), dtype=np.int64) if observed is None else observed
        observed = np.where(units.weights > 0, ones, 0)
    weights = [] if units.weights is None else [units.totals, units.squares]
    clusters = [] if units.clusters is None else [units.clusters]
    keys, sums = joined([member, *clusters, cell_numbers(rows)], [observed, *weights])
    unit = first_of_each(*keys[:2]).cumsum() - 1 if clusters else None
    found = GroupCounts(rows.sets.classes, names, keys[0], keys[-1], sums[0], unit=unit)
    if weights:
        found = replace(found, weight=sums[1], weight_squares=sums[2])
    return found.occurring()
