"""Confidence intervals of the means of very many groups, by the formulas of `mean_interval`.

Groups with equally many cells are put together in tables with one row per group and one column per
cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wager._tables import first_of_each, joined
from wager._typing import Array, Floats, Ints
from wager.rewards._estimate import where_defined
from wager.rewards._group_sums import GroupSums
from wager.rewards._level import check_level
from wager.rewards._mean_interval import MeanCells, mean_intervals

_NUMBERS = 1 << 15  # of a table: what is computed from it stays in the cache
_FEW = 3  # cells of groups of which many are alike


def group_intervals(
    values: Floats, sums: GroupSums, low: Floats, high: Floats, level: float
) -> tuple[Floats, Floats]:
    """The interval of the mean score of each group.

    Parameters
    ----------
    values : array of shape (E,)
        The score of each entry; entries with NaN are left out.
    sums : GroupSums
        The totals of the entries.
    low, high : array of shape (G,)
        The smallest and the largest possible score of a row, by group.
    level : float
        The confidence level.

    Returns
    -------
    tuple of arrays of shape (G,)
        The lower and the upper ends; NaN for a group without rows.

    Examples
    --------
    >>> sums = GroupSums(np.array([0, 1, 1]), 2, np.array([40, 3, 5]))
    >>> ends = group_intervals(np.array([0.0, 0.0, 1.0]), sums, np.zeros(2), np.ones(2), 0.95)
    >>> [end.round(3).tolist() for end in ends]
    [[0.0, 0.29], [0.088, 0.89]]
    """
    check_level(level)
    values, sums = where_defined(values, sums)
    if not len(values):
        return np.full(sums.n_groups, np.nan), np.full(sums.n_groups, np.nan)
    cells = _Cells.of(values, sums)
    ends = np.full((2, sums.n_groups), np.nan)
    for groups, width in cells.parts():
        x, found = cells.table(groups, width)
        limits = low[groups], high[groups]
        if cells.is_plain and width <= _FEW:
            ends[:, groups] = _of_distinct(x, found, *limits, level)
        else:
            ends[:, groups] = mean_intervals(x, found, *limits, level)
    return ends[0], ends[1]


def _of_distinct(
    x: Floats, cells: MeanCells, low: Floats, high: Floats, level: float
) -> tuple[Floats, Floats]:
    """Intervals of groups with few cells: many are alike, such as 3 hits in 20 rows."""
    rows = np.column_stack([x, cells.totals, low, high])
    distinct, place = np.unique(rows, axis=0, return_inverse=True)
    width = x.shape[1]
    totals = distinct[:, width : 2 * width]
    n = totals.sum(axis=1)
    found = MeanCells(totals, None, n, n)
    ends = distinct[:, -2], distinct[:, -1]
    lower, upper = mean_intervals(distinct[:, :width], found, ends[0], ends[1], level)
    return lower[place.ravel()], upper[place.ravel()]


@dataclass(frozen=True, eq=False)
class _Cells:
    """The cells of each group; those of rows of weight 1 are joined if they have the same score.

    Attributes
    ----------
    group, values, totals : array of shape (C,)
        The group, the score and the total of each cell, sorted by group.
    squares : array of shape (C,), optional
        The sums of squared weights.
    between : sparse array of shape (C, C), optional
        For clusters: the sum over the clusters of the products of the totals of two cells.
    n, units : array of shape (G,)
        Rows, or total weights, and equivalent units of each group.
    """

    group: Ints
    values: Floats
    totals: Floats
    squares: Floats | None
    between: Any
    n: Floats
    units: Floats

    @classmethod
    def of(cls, values: Floats, sums: GroupSums) -> _Cells:
        """The cells behind the mean of a score of the entries."""
        rows = sums.n, sums.n_units
        if sums.squares is not None:  # the weights of every cell say how uncertain it is
            totals = sums.totals.astype(np.float64)
            return cls(sums.group, values, totals, sums.squares, None, *rows)
        scores, code = np.unique(values, return_inverse=True)
        (group, number), (totals,) = joined([sums.group, code], [sums.totals])
        between = None
        if sums.unit is not None:
            cell = np.searchsorted(group * len(scores) + number, sums.group * len(scores) + code)
            between = _products(sums.unit, cell, sums.totals, len(group))
        return cls(group, scores[number], totals.astype(np.float64), None, between, *rows)

    @property
    def is_plain(self) -> bool:
        """Whether every row is one independent observation of weight 1."""
        return self.squares is None and self.between is None

    @cached_property
    def starts(self) -> Ints:
        """Where the cells of each group begin, and where the last ones end."""
        return np.searchsorted(self.group, np.arange(len(self.n) + 1))

    def parts(self) -> Iterator[tuple[Ints, int]]:
        """Groups with equally many cells, and the number of these."""
        widths = np.diff(self.starts)
        order = np.argsort(widths, kind="stable")
        for width in np.unique(widths[widths > 0]).tolist():
            first, end = np.searchsorted(widths, [width, width + 1], sorter=order).tolist()
            step = max(1, _NUMBERS // (width if self.between is None else width**2))
            for start in range(first, end, step):
                yield order[start : min(start + step, end)], width

    def table(self, groups: Ints, width: int) -> tuple[Floats, MeanCells]:
        """Scores and sums of the cells, one row per group."""
        place = self.starts[groups][:, None] + np.arange(width)
        squares = None if self.squares is None else self.squares[place]
        if self.between is not None:
            squares = np.zeros((len(groups), width, width))
            found = self.between[place.ravel()].tocoo()
            row, column = np.divmod(found.row, width)
            squares[row, column, found.col - place[row, 0]] = found.data
        cells = MeanCells(self.totals[place], squares, self.n[groups], self.units[groups])
        return self.values[place], cells


def _products(unit: Ints, cell: Ints, totals: Array, n_cells: int) -> Any:
    """The sum over the clusters of the products of their totals in two cells."""
    from scipy.sparse import coo_array

    number = np.cumsum(first_of_each(unit)) - 1  # of the clusters to which the score applies
    shape = (int(number.max(initial=-1)) + 1, n_cells)
    of_units = coo_array((totals.astype(np.float64), (number, cell)), shape=shape).tocsr()
    return (of_units.T @ of_units).tocsr()
