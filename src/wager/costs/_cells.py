"""The cells of an extended cost matrix, and what each can know of its set's members.

A cell is a pair (set, truth).  Every extension of determinate costs to sets reads the costs of the
set's members at that truth: their mean, their largest.  `EveryTruth` lays the cells out as a
matrix, one row a set and one column a truth, so that additive sums over members are one matrix
product; `OneTruth` holds one cell a row, as scoring needs, and never forms the other columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from wager._typing import Array, Bools, Floats, Ints

__all__ = ["Cells", "EveryTruth", "OneTruth"]

_SMALL = 1e-3  # exponents below this lose digits in c**p, so c**p - 1 is summed instead
_FAR = 600.0  # beyond exp(+-600) a power leaves the range of doubles
_NEUTRAL: dict[np.ufunc, float] = {np.maximum: -np.inf, np.minimum: np.inf, np.logaddexp: -np.inf}

Function = Callable[[Floats], Floats]


class Cells(ABC):
    """Non-empty sets of classes, and the determinate costs of their members at some truth."""

    members: Bools  # (m, K)
    sizes: Ints  # the sizes of the sets, shaped to broadcast against the cells
    hit: Bools  # whether the truth is in the set, in the shape of the cells
    truth: Ints | None  # the truth of each set, or None for all truths
    costs: Floats

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return self.members.shape[1]

    @abstractmethod
    def total(self, of: Function) -> Floats:
        """The sum over the members of a function of their cost."""

    @abstractmethod
    def fold(self, by: np.ufunc, of: Function) -> Floats:
        """The members' values of a function of their cost, folded by a binary ufunc."""

    @abstractmethod
    def worst(self) -> Floats:
        """The largest cost of any class, member or not."""

    def mean(self, p: float) -> Floats:
        """The generalized mean of the members' costs (Yang, Destercke & Masson, 2017, Eq. 12).

        ``p = 0`` is the geometric mean (Eq. 13), minus and plus infinity are the least and the
        largest.  A zero among the values makes the mean 0 for every p <= 0, its limit.
        """
        with np.errstate(over="ignore"):  # where a zero makes the mean 0, set in the end
            mean = self._mean(p)
        single = self.sizes == 1
        return np.where(single, self.total(_same), mean) if single.any() else mean

    def _mean(self, p: float) -> Floats:
        if p == 1:
            return self.total(_same) / self.sizes
        if np.isinf(p):
            return self.fold(np.maximum if p > 0 else np.minimum, _same)
        positive = self.costs[self.costs > 0]
        if positive.size == 0:
            return self.total(_same)  # all zero, in the right shape
        if p == 0:
            mean = np.exp(self.total(_log_or_zero) / self.sizes)
        elif abs(p) * np.abs(np.log([positive.min(), positive.max()])).max() > _FAR:
            logs = self.fold(np.logaddexp, lambda c: p * _log(c))
            return np.exp((logs - np.log(self.sizes)) / p)  # zeros come out right by themselves
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
    """One cell a set: cells of shape (m,).

    Parameters
    ----------
    costs : array of shape (K, K) or (m, K, K)
        Costs by predicted and true class: the same for all sets, or one matrix a set.
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
        """A function of the cost of every class at the row's truth, (m, K)."""
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


def _same(c: Floats) -> Floats:
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
    """``(1 + gain) ** (1 / p)`` without the rounding of the sum; 0 where the gain is -1."""
    out = np.zeros(gain.shape)
    some = gain > -1
    out[some] = np.exp(np.log1p(gain[some]) / p)
    return out


def _power(base: Floats, exponent: float) -> Floats:
    """``base ** exponent``, 0 where the base is (those cells are zero, or masked by the caller)."""
    return _where_positive(base, lambda x: x**exponent, 0.0)
