"""Credal sets given by intervals at the splits of a tree, or at the cuts of an order.

Yang, Destercke & Masson (2014): with independent intervals for the probability of the left side at
every split, the lower expectation of a function is computed from the leaves to the root; each split
takes the bound that favours the side with the smaller expectation.  Destercke & Yang (2014): bounds
of the cumulative distribution of ordered classes form a p-box.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from wager._typing import Floats
from wager.learners.dichotomies._class_trees import ClassTree

__all__ = ["Credal", "PBoxes", "SplitIntervals"]


class Credal(Protocol):
    """The credal sets of some rows."""

    def lower_expectation(self, functions: Floats) -> Floats:
        """The lower expectations (m, n) of functions (m, K) of the class."""
        ...

    def bounds(self) -> tuple[Floats, Floats]:
        """The lower and the upper probability of every class, (n, K) each."""
        ...

    def centre(self) -> Floats:
        """One distribution of the set for each row, (n, K)."""
        ...


@dataclass(frozen=True, eq=False)
class SplitIntervals:
    """Bounds of the probability of going left at every split of a tree.

    Parameters
    ----------
    tree : ClassTree
    lower, upper : ndarray of shape (n, K - 1)
        One column per split, in the order of ``tree.sides``.

    Examples
    --------
    >>> tree = ClassTree.from_nested(((0, 1), 2), np.arange(3))
    >>> known = SplitIntervals(tree, np.array([[0.5, 0.6]]), np.array([[0.7, 0.8]]))
    >>> [bound.round(2).tolist() for bound in known.bounds()]
    [[[0.3, 0.18, 0.2]], [[0.56, 0.4, 0.4]]]
    >>> known.lower_expectation(np.array([[1.0, 0.0, 0.0], [1.0, 0.0, -1.0]])).round(2).tolist()
    [[0.3], [-0.1]]
    """

    tree: ClassTree
    lower: Floats
    upper: Floats

    def lower_expectation(self, functions: Floats) -> Floats:
        """The lower expectations (m, n) of functions (m, K), by backward recursion."""
        below = [functions[:, [c]] for c in range(self.tree.n_classes)]
        for i, (left, right) in enumerate(self.tree.sides):
            gap = below[left] - below[right]
            share = np.where(gap >= 0, self.lower[:, i], self.upper[:, i])
            share *= gap
            share += below[right]
            below.append(share)
            below[left] = below[right] = share[:0]  # no longer needed
        return np.broadcast_to(below[-1], (len(functions), len(self.lower)))

    def bounds(self) -> tuple[Floats, Floats]:
        """Products of the bounds along the path from the root to each class."""
        return self._products(self.lower, 1 - self.upper), self._products(
            self.upper, 1 - self.lower
        )

    def centre(self) -> Floats:
        """The distribution that goes left with the middle of every interval."""
        middle = (self.lower + self.upper) / 2
        return self._products(middle, 1 - middle)

    def _products(self, go_left: Floats, go_right: Floats) -> Floats:
        n_classes = self.tree.n_classes
        proba = np.ones((2 * n_classes - 1, len(go_left)))
        for i in reversed(range(n_classes - 1)):
            left, right = self.tree.sides[i]
            proba[left] = proba[n_classes + i] * go_left[:, i]
            proba[right] = proba[n_classes + i] * go_right[:, i]
        return proba[:n_classes].T


@dataclass(frozen=True, eq=False)
class PBoxes:
    """Bounds of the cumulative distribution of ordered classes, made monotone.

    Parameters
    ----------
    below, above : ndarray of shape (n, K - 1)
        Bounds of the probability of classes 0..k, for k = 0..K-2.

    Examples
    --------
    >>> box = PBoxes.of(np.array([[0.2, 0.1]]), np.array([[0.6, 0.5]]))
    >>> box.below.tolist(), box.above.tolist()  # cumulative bounds cannot decrease
    ([[0.2, 0.2]], [[0.5, 0.5]])
    >>> box.lower_expectation(np.array([[0.0, 1.0, 2.0]])).tolist()
    [[1.0]]
    """

    below: Floats
    above: Floats

    @classmethod
    def of(cls, lower: Floats, upper: Floats) -> PBoxes:
        """The p-box within bounds that may not be monotone.

        Where no cumulative distribution fits them all, they are widened until one does.
        """
        below = np.maximum.accumulate(lower, axis=1)
        above = np.minimum.accumulate(upper[:, ::-1], axis=1)[:, ::-1]
        empty = PBoxes.gap(lower, upper) > 0
        below[empty] = np.minimum.accumulate(lower[empty, ::-1], axis=1)[:, ::-1]
        above[empty] = np.maximum.accumulate(upper[empty], axis=1)
        return cls(below, above)

    @staticmethod
    def gap(lower: Floats, upper: Floats) -> Floats:
        """How far bounds are from containing a cumulative distribution; positive if none fits."""
        below = np.maximum.accumulate(lower, axis=1)
        above = np.minimum.accumulate(upper[:, ::-1], axis=1)[:, ::-1]
        return (below - above).max(axis=1, initial=-np.inf)

    @cached_property
    def _levels(self) -> Floats:
        """The values that an extreme cumulative distribution takes, ascending, (n, 2K - 2)."""
        return np.sort(np.concatenate([self.below, self.above], axis=1), axis=1)

    def lower_expectation(self, functions: Floats) -> Floats:
        """The lower expectations (m, n) of functions (m, K), by dynamic programming.

        ``E f = f(K-1) - sum_k F(k) (f(k+1) - f(k))``: the sum is maximized over the monotone F
        within the bounds, cut by cut, for every level that F may have reached.
        """
        most = np.zeros((len(functions), *self._levels.shape))
        for k in range(self.below.shape[1]):
            open_here = (self._levels >= self.below[:, [k]]) & (self._levels <= self.above[:, [k]])
            step = (functions[:, k + 1] - functions[:, k])[:, None, None]
            np.maximum.accumulate(most, axis=2, out=most)
            most += np.where(open_here, self._levels * step, -np.inf)
        return functions[:, [-1]] - most.max(axis=2, initial=-np.inf if most.shape[2] else 0.0)

    def bounds(self) -> tuple[Floats, Floats]:
        """Differences of the bounds at neighbouring cuts."""
        rows = len(self.below)
        before = np.zeros((rows, 1)), np.ones((rows, 1))
        low, high = (np.hstack([before[0], b, before[1]]) for b in (self.below, self.above))
        return np.maximum(low[:, 1:] - high[:, :-1], 0.0), high[:, 1:] - low[:, :-1]

    def centre(self) -> Floats:
        """The distribution whose cumulative distribution is the middle of the box."""
        middle = (self.below + self.above) / 2
        return np.diff(middle, axis=1, prepend=0.0, append=1.0)
