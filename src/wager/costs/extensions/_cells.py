"""The cells of an extended cost matrix, and summaries of the costs of each set's members.

A cell is a pair (set, true class).  Every extension rule reads the costs of the set's members for
that true class: their mean, or their maximum.  `EveryTruth` arranges the cells as a matrix with one
row per set and one column per true class, so that sums over members are one matrix product;
`OneTruth` holds one cell per set, as scoring needs, and never computes the other columns;
`ListedMembers` does the same for a few members out of many classes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from wager._typing import Array, Bools, Floats, Ints
from wager.costs._cost_tables import CostTable
from wager.predictions import PredictionSets

__all__ = ["Cells", "EveryTruth", "ListedMembers", "OneTruth"]

_SMALL = 1e-3  # below this exponent c**p loses digits, so c**p - 1 is summed instead
_FAR = 600.0  # a power beyond exp(+-600) is outside the range of doubles
_NEUTRAL: dict[np.ufunc, float] = {np.maximum: -np.inf, np.minimum: np.inf, np.logaddexp: -np.inf}

Function = Callable[[Floats], Floats]


class Cells(ABC):
    """Non-empty sets of classes, and the costs of their members for some true classes."""

    members: Bools  # (m, K)
    sizes: Ints  # the sizes of the sets, shaped to broadcast against the cells
    hit: Bools  # whether the set contains the true class, in the shape of the cells
    truth: Ints | None  # the true class of each set, or None for all classes
    costs: Floats

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return self.members.shape[1]

    @abstractmethod
    def total(self, of: Function) -> Floats:
        """The sum over the members of a function of their cost."""

    @abstractmethod
    def fold(self, by: np.ufunc, of: Function) -> Floats:
        """A function of the members' costs, reduced over the members by a binary ufunc."""

    @abstractmethod
    def worst(self) -> Floats:
        """The largest cost of any class, whether it is a member or not."""

    def distinct_costs(self) -> Floats:
        """Costs among which are the smallest positive one and the largest one."""
        return self.costs

    def mean(self, p: float) -> Floats:
        """The generalized mean of the members' costs (Yang, Destercke & Masson, 2017, Eq. 12).

        ``p = 0`` is the geometric mean (Eq. 13), minus and plus infinity are the minimum and the
        maximum.  A zero among the values makes the mean 0 for every p <= 0, which is its limit.
        """
        with np.errstate(over="ignore"):  # overflow only where a zero makes the mean 0
            mean = self._mean(p)
        single = self.sizes == 1
        return np.where(single, self.total(_identity), mean) if single.any() else mean

    def _mean(self, p: float) -> Floats:
        if p == 1:
            return self.total(_identity) / self.sizes
        if np.isinf(p):
            return self.fold(np.maximum if p > 0 else np.minimum, _identity)
        some = self.distinct_costs()
        positive = some[some > 0]
        if positive.size == 0:
            return self.total(_identity)  # all zero, in the right shape
        if p == 0:
            mean = np.exp(self.total(_log_or_zero) / self.sizes)
        elif abs(p) * np.abs(np.log([positive.min(), positive.max()])).max() > _FAR:
            logs = self.fold(np.logaddexp, lambda c: p * _log(c))
            return np.exp((logs - np.log(self.sizes)) / p)  # needs no special case for zeros
        elif abs(p) < _SMALL:
            gain = self.total(lambda c: _where_positive(c, lambda x: np.expm1(p * np.log(x)), -1.0))
            mean = _exp_of_log1p(gain / self.sizes, p)
        else:
            powers = self.total(lambda c: _where_positive(c, lambda x: x**p, 0.0))
            mean = _power(powers / self.sizes, 1 / p)
        if p > 0:
            return mean
        return np.where(self.total(lambda c: (c == 0).astype(np.float64)) > 0, 0.0, mean)


class EveryTruth(Cells):
    """The whole rows of some sets: cells of shape (m, K)."""

    def __init__(self, costs: Floats, members: Bools):
        self.costs = costs
        self.members = self.hit = members
        self.truth = None
        self.sizes = members.sum(axis=1)[:, None]
        self._weights = members.astype(np.float64)

    def total(self, of: Function) -> Floats:
        return self._weights @ of(self.costs)

    def fold(self, by: np.ufunc, of: Function) -> Floats:
        values = of(self.costs)
        folded = np.full(self.members.shape, _NEUTRAL[by])
        for column, row in zip(self.members.T, values, strict=True):
            by(folded, row, out=folded, where=column[:, None])
        return folded

    def worst(self) -> Floats:
        return self.costs.max(axis=0)


class OneTruth(Cells):
    """One cell per set: cells of shape (m,).

    Parameters
    ----------
    costs : array of shape (K, K) or (m, K, K)
        Costs by predicted and true class: the same for all sets, or one matrix per set.
    members : bool array of shape (m, K)
    truth : int array of shape (m,)
    """

    def __init__(self, costs: Floats, members: Bools, truth: Ints):
        rows = np.arange(len(truth))
        self.truth = truth
        self._at = truth if costs.ndim == 2 else None
        self.costs = costs if costs.ndim == 2 else costs[rows, :, truth]
        self.members = members
        self.sizes = members.sum(axis=1)
        self.hit = members[rows, truth]

    def _values(self, of: Function) -> Floats:
        """A function of the cost of every class for the true class of the row, (m, K)."""
        values = of(self.costs)
        return values if self._at is None else values.T[self._at]

    def total(self, of: Function) -> Floats:
        return np.einsum("mk,mk->m", self.members, self._values(of))

    def fold(self, by: np.ufunc, of: Function) -> Floats:
        values = np.where(self.members, self._values(of), _NEUTRAL[by])
        return by.reduce(values, axis=1)

    def worst(self) -> Floats:
        if self._at is None:
            return self.costs.max(axis=1)
        return self.costs.max(axis=0)[self._at]


class ListedMembers(Cells):
    """One cell per set, for small sets of many classes: only the costs of members are looked up.

    Parameters
    ----------
    table : CostTable
        The costs by predicted and true class.
    sets : PredictionSets
        The sets, none of which is empty.
    truth : int array of shape (m,)
    """

    def __init__(self, table: CostTable, sets: PredictionSets, truth: Ints):
        lists = sets.rows.sparse()
        self.truth = truth
        self.sizes = sets.sizes
        self.hit = lists.has(truth)
        self._table = table
        self._whole = lists.is_whole  # sets of all classes, whose members are not listed
        self._starts = lists.ends[:-1][~self._whole]
        self._each = table.at(lists.codes, truth[lists.row_numbers()])

    @property
    def n_classes(self) -> int:
        return self._table.n_classes

    def distinct_costs(self) -> Floats:
        return self._table.distinct()

    def total(self, of: Function) -> Floats:
        return self.fold(np.add, of)

    def fold(self, by: np.ufunc, of: Function) -> Floats:
        assert self.truth is not None
        folded = np.empty(len(self.truth))
        if len(self._starts):
            folded[~self._whole] = by.reduceat(of(self._each), self._starts)
        if self._whole.any():
            folded[self._whole] = self._table.whole(of, by)[self.truth[self._whole]]
        return folded

    def worst(self) -> Floats:
        return self._table.highest[self.truth]


def _identity(c: Floats) -> Floats:
    return c


def _where_positive(c: Floats, of: Callable[[Floats], Array], otherwise: float) -> Floats:
    out = np.full(c.shape, otherwise)
    positive = c > 0
    out[positive] = of(c[positive])
    return out


def _log_or_zero(c: Floats) -> Floats:
    return _where_positive(c, np.log, 0.0)


def _log(c: Floats) -> Floats:
    return _where_positive(c, np.log, -np.inf)


def _exp_of_log1p(gain: Floats, p: float) -> Floats:
    """``(1 + gain) ** (1 / p)`` without rounding the sum; 0 where the gain is -1."""
    out = np.zeros(gain.shape)
    some = gain > -1
    out[some] = np.exp(np.log1p(gain[some]) / p)
    return out


def _power(base: Floats, exponent: float) -> Floats:
    """``base ** exponent``, 0 where the base is 0 (the caller overwrites cells with p <= 0)."""
    return _where_positive(base, lambda x: x**exponent, 0.0)
