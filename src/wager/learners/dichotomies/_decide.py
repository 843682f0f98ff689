"""Maximality with the credal sets of one or many trees.

Class i dominates j if the lower expectation of ``C_j - C_i`` is positive: that of one tree, the
mean over the trees, or that of more than half of them.  A class is kept if no other dominates it,
so one that does is enough to rule it out; the class that seems cheapest is tried first, as it
usually decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from wager._jit import entry
from wager._typing import Bools, Floats, Ints
from wager.learners.dichotomies._credal import Credal, SplitIntervals
from wager.predictions import TOLERANCE

__all__ = ["gains_of", "maximal", "weighted_mean"]


def maximal(
    credals: Sequence[Credal], weights: Floats, costs: Floats, *, vote: bool = False
) -> Bools:
    """The undominated classes of each row, (n, K).

    Parameters
    ----------
    credals : sequence
        The credal sets of each tree, for the same rows.
    weights : ndarray
        The weight of each tree.
    costs : ndarray of shape (K, K)
        The cost of predicting a class (row) when another is true (column).
    vote : bool
        Whether trees vote, instead of averaging their expectations.

    Notes
    -----
    Votes may form a cycle; if every class is dominated, all classes are kept.
    """
    trees = [credal for credal in credals if isinstance(credal, SplitIntervals)]
    tolerance = _tolerance(costs)
    if len(trees) == len(credals):
        stacked = _Stacked.of(trees, weights)
        first = (trees[0].centre() @ costs.T).argmin(axis=1)
        kept = np.ones((len(first), len(costs)), dtype=bool)
        work = 1e-8 * stacked.lower.size * len(costs) ** 2
        _rule_out(stacked, costs, first, vote, tolerance, kept, work=work)
    else:
        kept = _maximal_of_all_pairs(credals, weights, costs, vote, tolerance)
    return kept | ~kept.any(axis=1, keepdims=True)


def gains_of(
    i: int, credals: Sequence[Credal], weights: Floats, costs: Floats
) -> tuple[Floats, Floats]:
    """What class i saves at least compared with each class, in the only row.

    Returns
    -------
    tuple of ndarray of shape (K,)
        The lower expectations of ``C_j - C_i``, on average over the trees, and the total weight of
        the trees in which i dominates j.
    """
    gains = [credal.lower_expectation(costs - costs[i])[:, 0] for credal in credals]
    wins = weighted_mean([gain > _tolerance(costs) for gain in gains], weights) * weights.sum()
    return weighted_mean(gains, weights), wins.round()


def _tolerance(costs: Floats) -> float:
    """What counts as a positive gain: the unit of the costs must not matter."""
    return float(TOLERANCE * (costs.max() or 1.0))


def _maximal_of_all_pairs(
    credals: Sequence[Credal], weights: Floats, costs: Floats, vote: bool, tolerance: float
) -> Bools:
    """The undominated classes from the expectations of all pairs, by recursion on arrays."""
    K = len(costs)
    j, i = np.nonzero(~np.eye(K, dtype=bool))
    gains = [credal.lower_expectation(costs[j] - costs[i]) for credal in credals]
    if vote:
        dominates = weighted_mean([gain > tolerance for gain in gains], weights) > 0.5
    else:
        dominates = weighted_mean(gains, weights) > tolerance
    dominated = np.any(dominates.reshape(K, K - 1, dominates.shape[1]), axis=1)
    return np.logical_not(dominated.T)


def weighted_mean(values: Sequence[Floats | Bools], weights: Floats) -> Floats:
    """The weighted mean of arrays, one per tree."""
    total: Floats = np.zeros(values[0].shape)
    for value, weight in zip(values, weights, strict=True):
        total += weight * value
    return total / weights.sum()


class _Stacked(NamedTuple):
    """The intervals of all trees, for the compiled loop."""

    lower: Floats  # (trees, n, K - 1)
    upper: Floats
    sides: Ints  # (trees, K - 1, 2)
    weights: Floats  # (trees,)
    total_weight: float

    @classmethod
    def of(cls, trees: Sequence[SplitIntervals], weights: Floats) -> _Stacked:
        lower, upper = (
            np.stack([getattr(tree, bound) for tree in trees]) for bound in ("lower", "upper")
        )
        sides = np.stack([tree.tree.sides for tree in trees])
        return cls(lower, upper, sides, weights, float(weights.sum()))


def _rule_out_by_recursion(
    trees: _Stacked, costs: Floats, first: Ints, vote: bool, tolerance: float, kept: Bools
) -> None:
    """The same classes from the expectations of all pairs."""
    dominates = _dominating_pairs(trees, costs, vote, tolerance)
    for turn in range(-1, len(costs)):
        i = first if turn < 0 else np.full(len(first), turn)
        tried = np.full(len(first), True) if turn < 0 else first != turn
        rows = np.flatnonzero(tried & (vote | kept[np.arange(len(first)), i]))
        kept[rows] &= ~dominates[i[rows], :, rows]


def _dominating_pairs(trees: _Stacked, costs: Floats, vote: bool, tolerance: float) -> Bools:
    """Whether class i dominates class j in a row, ``[i, j, row]``."""
    n_classes, n_rows = len(costs), trees.lower.shape[1]
    dominates = np.zeros((n_classes, n_classes, n_rows), dtype=bool)
    for i in range(n_classes):
        total = np.zeros((n_classes, n_rows))
        for lower, upper, sides, weight in zip(*trees[:4], strict=True):
            below = [(costs[:, c] - costs[i, c])[:, None] for c in range(n_classes)]
            for split, (left, right) in enumerate(sides):
                gap = below[left] - below[right]
                share = np.where(gap >= 0, lower[:, split], upper[:, split])
                below.append(share * gap + below[right])
            total += weight * (below[-1] > tolerance if vote else below[-1])
        dominates[i] = total / trees.total_weight > (0.5 if vote else tolerance)
        dominates[i, i] = False
    return dominates


@entry(plain=_rule_out_by_recursion, label="sets of nested dichotomies")
def _rule_out(trees, costs, first, vote, tolerance, kept):
    """Set ``kept`` to False for every class that another one dominates."""
    lower, upper, sides, weights = trees.lower, trees.upper, trees.sides, trees.weights
    n_trees, n_rows, n_splits = lower.shape
    n_classes = n_splits + 1
    total_weight = trees.total_weight
    below = np.empty(2 * n_classes - 1)
    for row in range(n_rows):
        for turn in range(-1, n_classes):  # first the class that seems cheapest
            i = first[row] if turn < 0 else turn
            # a class that dominates i also dominates all that i dominates, as lower expectations
            # are superadditive; so a dominated i need not be tried, except among votes
            if (turn >= 0 and i == first[row]) or not (vote or kept[row, i]):
                continue
            for j in range(n_classes):
                if i == j or not kept[row, j]:
                    continue
                total = 0.0
                for t in range(n_trees):
                    for c in range(n_classes):
                        below[c] = costs[j, c] - costs[i, c]
                    for split in range(n_splits):
                        left, right = below[sides[t, split, 0]], below[sides[t, split, 1]]
                        gap = left - right
                        share = lower[t, row, split] if gap >= 0 else upper[t, row, split]
                        below[n_classes + split] = share * gap + right
                    least = below[2 * n_classes - 2]
                    if not vote:
                        total += weights[t] * least
                    elif least > tolerance:
                        total += weights[t]
                if total / total_weight > (0.5 if vote else tolerance):
                    kept[row, j] = False
