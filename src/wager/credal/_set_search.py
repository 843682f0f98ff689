"""Search for the set of classes with the least expected cost, for general costs.

Up to some number of classes all sets are compared: a matrix product of probabilities and set costs,
one block at a time.  Beyond that, two families are searched: the runs of neighbouring classes, if
classes are ordered, and the sets that grow from a single class by adding the best class as long as
the cost decreases.  Neither family is sure to contain the best set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from wager._tables import ROUNDING
from wager._typing import Bools, Floats, Ints
from wager.costs import ExtendedCosts, subset_masks
from wager.predictions import PredictionSets

__all__ = ["cheapest_grown", "cheapest_of", "cheapest_of_all", "costs_of", "runs"]

_CHUNK = 1 << 20  # numbers in memory at a time

Costs = Callable[[Bools], Floats]  # the costs by true class of some sets, all (m, K)


def costs_of(extended: ExtendedCosts) -> Costs:
    """The function that maps sets to their rows of costs."""
    return lambda sets: extended.costs_of_masks(PredictionSets.from_indicator(sets).words)


def cheapest_of_all(proba: Floats, costs: Costs) -> tuple[Bools, Floats]:
    """The cheapest of all sets; ties go to the smaller set, then to the lower classes."""
    n_classes = proba.shape[1]
    masks = subset_masks(n_classes)
    step = max(1, _CHUNK // (8 * n_classes))
    names = np.arange(n_classes)
    parts = (
        PredictionSets.from_masks(masks[start : start + step], names).to_indicator()
        for start in range(0, len(masks), step)
    )
    return cheapest_of(proba, costs, parts)


def cheapest_of(proba: Floats, costs: Costs, parts: Iterator[Bools]) -> tuple[Bools, Floats]:
    """The cheapest of some sets, which come in parts; the first one in a tie."""
    best = np.full(len(proba), np.inf)
    chosen = np.zeros(proba.shape, dtype=bool)
    for sets in parts:
        rows = costs(sets)
        slack = ROUNDING * float(np.abs(rows).max())
        step = max(1, _CHUNK // len(sets))
        for start in range(0, len(proba), step):
            block = slice(start, start + step)
            expected = proba[block] @ rows.T
            least = expected.min(axis=1)
            better = np.flatnonzero(least < best[block] - slack)
            first = (expected[better] <= least[better, None] + slack).argmax(axis=1)
            best[start + better] = expected[better, first]
            chosen[start + better] = sets[first]
    return chosen, best


def runs(n_classes: int) -> Bools:
    """All runs of neighbouring classes, shortest first.

    Examples
    --------
    >>> runs(2).astype(int).tolist()
    [[1, 0], [0, 1], [1, 1]]
    """
    place = np.arange(n_classes)
    rows = [
        (place >= start) & (place < start + size)
        for size in range(1, n_classes + 1)
        for start in range(n_classes - size + 1)
    ]
    return np.array(rows)


def cheapest_grown(proba: Floats, costs: Costs) -> tuple[Bools, Floats]:
    """The cheapest set found by adding classes to each single class while the cost decreases."""
    n, n_classes = proba.shape
    chosen = np.empty((n, n_classes), dtype=bool)
    best = np.empty(n)
    step = max(1, _CHUNK // n_classes**3)
    for start in range(0, n, step):
        block = proba[start : start + step]
        grown, value = _grow(block, costs)
        first = _first_least(value, grown.sum(axis=2))
        rows = np.arange(len(block))
        chosen[start : start + step] = grown[rows, first]
        best[start : start + step] = value[rows, first]
    return chosen, best


def _grow(proba: Floats, costs: Costs) -> tuple[Bools, Floats]:
    """A set (n, K, K) and its expected cost (n, K) from each single class."""
    n, n_classes = proba.shape
    single = np.eye(n_classes, dtype=bool)
    sets = np.broadcast_to(single, (n, n_classes, n_classes)).copy()
    value = proba @ costs(single).T
    row, seed = (index.ravel() for index in np.indices((n, n_classes)))
    while len(row):
        trial = sets[row, seed][:, None, :] | single
        rows = costs(trial.reshape(-1, n_classes)).reshape(trial.shape)
        slack = ROUNDING * float(np.abs(rows).max())
        expected = np.einsum("mck,mk->mc", rows, proba[row])
        added = (expected <= expected.min(axis=1, keepdims=True) + slack).argmax(axis=1)
        least = expected[np.arange(len(row)), added]
        pays = least < value[row, seed] - slack
        row, seed, added = row[pays], seed[pays], added[pays]
        sets[row, seed, added] = True
        value[row, seed] = least[pays]
    return sets, value


def _first_least(value: Floats, size: Ints) -> Ints:
    """The place of the least value of each row; in a tie that of the smallest set."""
    slack = ROUNDING * float(np.abs(value).max())
    tied = value <= value.min(axis=1, keepdims=True) + slack
    return np.where(tied, size, size.max() + 1).argmin(axis=1)
