"""Costs by predicted and true class, without a K x K array where a rule describes them.

0/1 costs, costs that depend on the true class only (Ha, 1997), distances of ranks, and matrices in
which most errors cost the same are known from a few numbers.  With 100,000 classes only these can
be scored; the whole matrix is made only if someone asks for it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wager._typing import Array, Floats, Ints

__all__ = ["CostTable", "DefaultCosts", "FullCosts", "LossByTruth", "RankDistances"]

_MOST_CLASSES = 20_000  # of a whole matrix, which then takes 3 GB
_SAMPLE = 50  # classes that show which kinds of costs there are

Function = Callable[[Floats], Floats]


class CostTable(ABC):
    """The cost of predicting one class when another is true."""

    n_classes: int

    @abstractmethod
    def at(self, predicted: Ints, true: Ints) -> Floats:
        """The costs of some pairs of predicted and true class."""

    @abstractmethod
    def whole(self, of: Function, by: np.ufunc) -> Floats:
        """A function of the costs, reduced over all predicted classes, for each true class."""

    @abstractmethod
    def distinct(self) -> Floats:
        """Costs among which are the smallest positive one and the largest one."""

    @abstractmethod
    def sample(self) -> Floats:
        """A small square matrix with the same kinds of costs, to check what a rule needs."""

    @cached_property
    def lowest(self) -> Floats:
        """The smallest cost for each true class."""
        return self.whole(_identity, np.minimum)

    @cached_property
    def highest(self) -> Floats:
        """The largest cost for each true class."""
        return self.whole(_identity, np.maximum)

    def dense(self) -> Floats:
        """The whole matrix, of shape (K, K)."""
        if self.n_classes > _MOST_CLASSES:
            raise ValueError(
                f"a matrix of costs over {self.n_classes:,} classes would take "
                f"{8 * self.n_classes**2 / 1e9:,.0f} GB: score predictions with average_cost or "
                "evaluate_costs, which need no matrix"
            )
        return self.at(*np.indices((self.n_classes, self.n_classes)))


@dataclass(frozen=True, eq=False)
class FullCosts(CostTable):
    """A whole matrix ``values[predicted, true]``."""

    values: Floats

    @property
    def n_classes(self) -> int:  # type: ignore[override]
        return len(self.values)

    def at(self, predicted: Ints, true: Ints) -> Floats:
        return self.values[predicted, true]

    def whole(self, of: Function, by: np.ufunc) -> Floats:
        return np.asarray(by.reduce(of(self.values), axis=0))

    def distinct(self) -> Floats:
        return self.values

    def sample(self) -> Floats:
        return self.values

    def dense(self) -> Floats:
        return self.values


@dataclass(frozen=True, eq=False)
class LossByTruth(CostTable):
    """0 for the true class, and ``losses[true]`` for every other prediction.

    Examples
    --------
    >>> LossByTruth(np.array([2.0, 1.0])).dense().tolist()
    [[0.0, 1.0], [2.0, 0.0]]
    """

    losses: Floats

    @property
    def n_classes(self) -> int:  # type: ignore[override]
        return len(self.losses)

    def at(self, predicted: Ints, true: Ints) -> Floats:
        return np.where(predicted == true, 0.0, self.losses[true])

    def whole(self, of: Function, by: np.ufunc) -> Floats:
        right, wrong = of(np.zeros(self.n_classes)), of(self.losses)
        return _repeated(wrong, self.n_classes - 1, by, right)

    def distinct(self) -> Floats:
        return self.losses

    def sample(self) -> Floats:
        return LossByTruth(np.array([self.losses.min(), self.losses.max()])).dense()


@dataclass(frozen=True, eq=False)
class RankDistances(CostTable):
    """The distance between the ranks of ordered classes, to the power ``p``.

    Examples
    --------
    >>> RankDistances(3, 2.0).dense().tolist()
    [[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]
    """

    n_classes: int
    p: float

    def at(self, predicted: Ints, true: Ints) -> Floats:
        return np.abs(predicted - true).astype(np.float64) ** self.p

    def whole(self, of: Function, by: np.ufunc) -> Floats:
        sides = by.accumulate(of(np.arange(self.n_classes, dtype=np.float64) ** self.p))
        if by is np.add:  # the true class itself is on both sides
            return sides + sides[::-1] - sides[0]
        return np.asarray(by(sides, sides[::-1]))

    def distinct(self) -> Floats:
        return np.array([1.0, float(self.n_classes - 1)]) ** self.p

    def sample(self) -> Floats:
        return RankDistances(min(self.n_classes, 3), self.p).dense()


@dataclass(frozen=True, eq=False)
class DefaultCosts(CostTable):
    """Some costs of a sparse matrix; all other errors cost ``default``, and the diagonal 0.

    Parameters
    ----------
    stored : scipy sparse array of shape (K, K)
        The costs that differ, by column of the true class.
    default : float
        The cost of every error that is not stored.
    """

    stored: Any
    default: float

    @classmethod
    def of(cls, matrix: Any, default: float) -> DefaultCosts:
        """Costs from any sparse matrix of SciPy."""
        from scipy.sparse import csc_array

        stored = csc_array(matrix, dtype=np.float64)
        stored.sum_duplicates()
        return cls(stored, float(default))

    @property
    def n_classes(self) -> int:  # type: ignore[override]
        return int(self.stored.shape[1])

    @cached_property
    def _keys(self) -> Array:
        """The stored pairs as ascending numbers true * K + predicted."""
        true = np.repeat(np.arange(self.n_classes), np.diff(self.stored.indptr))
        return true * self.n_classes + self.stored.indices

    def at(self, predicted: Ints, true: Ints) -> Floats:
        costs = np.where(predicted == true, 0.0, self.default)
        if self.stored.nnz:
            wanted = np.asarray(true, dtype=np.int64) * self.n_classes + predicted
            place = np.minimum(np.searchsorted(self._keys, wanted), self.stored.nnz - 1)
            costs = np.where(self._keys[place] == wanted, self.stored.data[place], costs)
        return costs

    def whole(self, of: Function, by: np.ufunc) -> Floats:
        n, every = self.n_classes, np.arange(self.n_classes)
        true = self._keys // n
        diagonal = np.zeros(n, dtype=bool)
        diagonal[true[self.stored.indices == true]] = True
        others = n - np.bincount(true, minlength=n) - ~diagonal
        reduced = _repeated(of(np.full(n, self.default)), others, by)
        right = of(self.at(every, every))
        reduced = by(reduced, right)
        errors = self.stored.indices != true
        by.at(reduced, true[errors], of(self.stored.data[errors]))
        return np.asarray(reduced)

    def distinct(self) -> Floats:
        return np.append(self.stored.data, self.default)

    def sample(self) -> Floats:
        pairs = np.concatenate(
            [self.stored.indices[:_SAMPLE], self._keys[:_SAMPLE] // self.n_classes]
        )
        classes = np.unique(np.append(pairs, np.arange(min(self.n_classes, 3))))
        return self.at(classes[:, None], classes)


def _repeated(
    value: Floats, times: Array | int, by: np.ufunc, start: Floats | None = None
) -> Floats:
    """A value reduced with itself so many times, and with a start; neutral for 0 times."""
    if by is np.add:
        repeated = np.where(np.asarray(times) > 0, value * times, 0.0)
    elif by is np.logaddexp:
        with np.errstate(divide="ignore"):
            repeated = value + np.log(times)
    else:
        neutral = -np.inf if by is np.maximum else np.inf
        repeated = np.where(np.asarray(times) > 0, value, neutral)
    return np.asarray(repeated if start is None else by(start, repeated))


def _identity(c: Floats) -> Floats:
    return c
