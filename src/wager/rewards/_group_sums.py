"""Totals of cells in very many groups, and the second moments of what independent units add.

This is `CellSums` for all groups of a test set at once: the cells that occur in a group are a
stretch of plain columns.  What a mean and its standard error need from the sums (`total`, `square`,
`each`, `n`, `n_units`) has the same names in both, so one formula serves one tally and a million.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import ROUNDING, RowUnits, first_of_each, joined
from wager._typing import Array, Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class GroupSums:
    """Totals of the cells of each group, one entry per cell that occurs.

    Parameters
    ----------
    group : array of shape (E,), ascending
        The group of each entry, as a number from 0.
    n_groups : int
        The number of groups.
    totals : array of shape (E,)
        Counts as integers, or total weights as floats.
    squares : array of shape (E,), optional
        The sums of squared weights, for rows of different weights.
    unit : array of shape (E,), optional
        For clusters: the number of the cluster within its group, ascending.  Each cluster then has
        separate entries.

    Examples
    --------
    >>> sums = GroupSums(np.array([0, 0, 1]), 2, np.array([3, 1, 2]))
    >>> sums.n.tolist(), sums.total(np.array([0.0, 1.0, 1.0])).tolist()
    ([4.0, 2.0], [1.0, 2.0])
    """

    group: Ints
    n_groups: int
    totals: Array
    squares: Floats | None = None
    unit: Ints | None = None

    @classmethod
    def of_rows(
        cls, member: Ints, n_groups: int, cell: Ints, units: RowUnits
    ) -> tuple[GroupSums, Ints]:
        """The sums of rows by group and cell, and the cell of each entry."""
        clusters = [] if units.clusters is None else [units.clusters]
        squares = None if units.weights is None or clusters else units.squares
        added = [units.totals] if squares is None else [units.totals, squares]
        keys, sums = joined([member, *clusters, cell], added)
        unit = np.cumsum(first_of_each(*keys[:2])) - 1 if clusters else None
        found = cls(keys[0], n_groups, sums[0], None if squares is None else sums[1], unit)
        return found, keys[-1]

    @classmethod
    def concatenated(cls, parts: Sequence[GroupSums]) -> GroupSums:
        """The sums of the groups of several parts, one after another."""
        starts = np.cumsum([0, *(part.n_groups for part in parts)])
        group = np.concatenate([p.group + at for p, at in zip(parts, starts[:-1], strict=True)])
        squares = [part.squares for part in parts if part.squares is not None]
        units = [part.unit for part in parts if part.unit is not None]
        before = np.cumsum([0, *(int(unit[-1]) + 1 for unit in units)])[:-1]
        moved = [unit + at for unit, at in zip(units, before, strict=True)]
        return cls(
            group,
            int(starts[-1]),
            np.concatenate([part.totals for part in parts]),
            np.concatenate(squares) if squares else None,
            np.concatenate(moved) if moved else None,
        )

    def total(self, values: Floats) -> Floats:
        """The total of a score of the entries, by group."""
        return self._by_group(self.totals * values)

    def each(self, of_group: Floats) -> Floats:
        """A number of each group, for each of its entries."""
        return of_group[self.group]

    def square(self, deviation: Floats) -> Floats:
        """The sum over the units of their squared total deviation, by group."""
        if self.unit is None:
            squares = self.totals if self.squares is None else self.squares
            return self._by_group(squares * deviation**2)
        first = np.flatnonzero(np.diff(self.unit, prepend=-1))
        if not len(first):
            return np.zeros(self.n_groups)
        of_unit = np.add.reduceat(self.totals * deviation, first)
        found = np.bincount(self.group[first], of_unit**2, self.n_groups)
        return found.astype(np.float64, copy=False)

    @property
    def n(self) -> Floats:
        """The number of rows of each group, or their total weight."""
        return self._by_group(self.totals)

    @property
    def n_units(self) -> Floats:
        """The equivalent number of equally large independent units of each group."""
        if self.squares is None and self.unit is None:
            return self.n
        return equivalent_units(self.n, self.square(np.ones(len(self.group))))

    def where(self, kept: Bools) -> GroupSums:
        """The sums over some of the entries, for the same groups."""
        squares = None if self.squares is None else self.squares[kept]
        unit = None if self.unit is None else self.unit[kept]
        return GroupSums(self.group[kept], self.n_groups, self.totals[kept], squares, unit)

    def take(self, groups: Ints) -> tuple[GroupSums, Ints]:
        """The sums of some groups, in their order, and the places of their entries."""
        starts = np.searchsorted(self.group, groups)
        lengths = np.searchsorted(self.group, groups, side="right") - starts
        before = np.cumsum(lengths) - lengths
        place = np.arange(lengths.sum()) + np.repeat(starts - before, lengths)
        group = np.repeat(np.arange(len(groups)), lengths)
        squares = None if self.squares is None else self.squares[place]
        unit = self.unit
        if unit is not None:  # numbered anew, so that they ascend
            unit = np.cumsum(first_of_each(group, unit[place])) - 1
        return GroupSums(group, len(groups), self.totals[place], squares, unit), place

    def _by_group(self, each: Array) -> Floats:
        return np.bincount(self.group, each, self.n_groups).astype(np.float64, copy=False)


def equivalent_units(n: Any, squares: Any) -> Any:
    """The number of equally large units with the total n and the sum of squares; 0 without any.

    A single unit must not count as more than one because of rounding errors.

    Examples
    --------
    >>> equivalent_units(4.0, np.array([8.0, 0.0])).tolist()
    [2.0, 0.0]
    """
    with np.errstate(over="ignore"):  # of squares that are wrong
        units = np.divide(
            n**2, squares, out=np.zeros(np.shape(squares)), where=np.asarray(squares) > 0
        )
    return np.where(np.abs(units - 1) < ROUNDING, 1.0, units)
