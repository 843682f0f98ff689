"""Maximality with the credal sets of one or many trees.

Class i beats j when the least expectation of ``C_j - C_i`` is positive: that of one tree, the mean
over the trees, or that of more than half of them.  A class is kept when nobody beats it, so it is
enough to find one that does; the class that looks cheapest is tried first, and mostly settles it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wager._jit import compiled
from wager._typing import Bools, Floats
from wager.learners.dichotomies._credal import Credal, SplitIntervals
from wager.predictions import TOLERANCE

__all__ = ["maximal", "weighted_mean"]


def maximal(
    credals: Sequence[Credal], weights: Floats, costs: Floats, *, vote: bool = False
) -> Bools:
    """The classes that no other beats, (n, K).

    Parameters
    ----------
    credals : sequence
        What each tree says of the same rows.
    weights : ndarray
        How much each of them counts.
    costs : ndarray of shape (K, K)
        The cost of naming a class (row) when one is true (column).
    vote : bool
        Whether trees vote, instead of averaging their expectations.

    Notes
    -----
    Votes may go round in a circle; where everybody is beaten, everybody is kept.
    """
    trees = [credal for credal in credals if isinstance(credal, SplitIntervals)]
    loop = None
    if len(trees) == len(credals):
        work = len(trees) * trees[0].lower.size * len(costs) ** 2
        loop = compiled(_maximal_loop, work=work)
    if loop is None:
        kept = _maximal_of_all_pairs(credals, weights, costs, vote)
    else:
        lower, upper = (
            np.stack([getattr(tree, bound) for tree in trees]) for bound in ("lower", "upper")
        )
        sides = np.stack([tree.tree.sides for tree in trees])
        first = (trees[0].centre() @ costs.T).argmin(axis=1)
        kept = np.ones((lower.shape[1], len(costs)), dtype=bool)
        loop(lower, upper, sides, weights, costs, first, vote, TOLERANCE, kept)
    return kept | ~kept.any(axis=1, keepdims=True)


def _maximal_of_all_pairs(
    credals: Sequence[Credal], weights: Floats, costs: Floats, vote: bool
) -> Bools:
    """Every expectation of every pair, by the recursion on arrays."""
    K = len(costs)
    j, i = np.nonzero(~np.eye(K, dtype=bool))
    gains = [credal.lower_expectation(costs[j] - costs[i]) for credal in credals]
    if vote:
        beats = weighted_mean([gain > TOLERANCE for gain in gains], weights) > 0.5
    else:
        beats = weighted_mean(gains, weights) > TOLERANCE
    beaten = np.any(beats.reshape(K, K - 1, beats.shape[1]), axis=1)
    return np.logical_not(beaten.T)


def weighted_mean(values: Sequence[Floats | Bools], weights: Floats) -> Floats:
    """The mean of arrays, one a tree, each counting by its weight."""
    total: Floats = np.zeros(values[0].shape)
    for value, weight in zip(values, weights, strict=True):
        total += weight * value
    return total / weights.sum()


def _maximal_loop(lower, upper, sides, weights, costs, first, vote, tolerance, kept):
    n_trees, n_rows, n_splits = lower.shape
    n_classes = n_splits + 1
    everything = weights.sum()
    below = np.empty(2 * n_classes - 1)
    for row in range(n_rows):
        for turn in range(-1, n_classes):  # the favourite before all others
            i = first[row] if turn < 0 else turn
            # whoever beats i beats all that i beats, as lower expectations are superadditive
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
                if total / everything > (0.5 if vote else tolerance):
                    kept[row, j] = False
