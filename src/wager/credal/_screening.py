"""Quick bounds that settle most classes before pairs are compared or programs are solved.

A class is beaten if the class that is best in the middle of the credal set costs less than it under
every probability: one lower expectation per class instead of one per pair.  A class is kept if it
is optimal at one of a few probabilities of the set.  Both need only a few passes over the rows.
"""

from __future__ import annotations

import numpy as np

from wager._typing import Bools, Floats
from wager.credal._vertices import CredalVertices
from wager.predictions import TOLERANCE, ProbabilityIntervals

__all__ = ["screen"]

_CHUNK = 80_000  # expected costs in the processor's cache


def screen(credal: ProbabilityIntervals | CredalVertices, costs: Floats) -> tuple[Bools, Bools]:
    """The classes that the best class in the middle does not beat, and those optimal somewhere.

    The bounds of intervals must be reachable.
    """
    if isinstance(credal, CredalVertices):
        return _of_vertices(credal.vertices @ costs.T)
    lower, width = credal.lower, credal.upper - credal.lower
    rest = np.maximum(1 - lower.sum(axis=1), 0)
    share = np.minimum(rest / np.maximum(width.sum(axis=1), TOLERANCE), 1)
    best = ((lower + share[:, None] * width) @ costs.T).argmin(axis=1)
    unbeaten = np.empty(lower.shape, dtype=bool)
    for i in np.unique(best):
        rows = np.flatnonzero(best == i)
        unbeaten[rows] = credal[rows].lower_expectation(costs - costs[i]) <= TOLERANCE
    optimal = np.zeros(lower.shape, dtype=bool)
    several = np.flatnonzero(unbeaten.sum(axis=1) > 1)
    step = max(64, _CHUNK // costs.size)
    for start in range(0, len(several), step):
        rows = several[start : start + step]
        optimal[rows] = _at_best_cases(lower[rows], width[rows], rest[rows], costs)
    optimal[np.arange(len(best)), best] = True
    return unbeaten, optimal


def _of_vertices(losses: Floats) -> tuple[Bools, Bools]:
    """The same, given the cost of every class at every vertex, of shape (n, V, K)."""
    best = losses.mean(axis=1).argmin(axis=1)
    of_best = np.take_along_axis(losses, best[:, None, None], axis=2)
    unbeaten = (losses - of_best).min(axis=1) <= TOLERANCE
    optimal = (losses <= losses.min(axis=2, keepdims=True) + TOLERANCE).any(axis=1)
    optimal[np.arange(len(best)), best] = True
    return unbeaten, optimal


def _at_best_cases(lower: Floats, width: Floats, rest: Floats, costs: Floats) -> Bools:
    """The classes that are optimal at a probability with the least expected cost of some class.

    Its order of filling depends on the costs only, so all rows are filled together.
    """
    low, spare = np.ascontiguousarray(lower.T), np.ascontiguousarray(width.T)
    order = np.argsort(costs, axis=1, kind="stable")
    width = spare[order]  # (class of the case, place in the order, row)
    left = rest - (np.add.accumulate(width, axis=1) - width)
    tried = np.empty_like(width)
    tried[np.arange(len(order))[:, None], order] = np.clip(left, 0, width, out=left)
    tried += low
    expected = costs @ tried  # (class of the case, class, row)
    least = expected.min(axis=1, keepdims=True)
    return np.asarray((expected <= least + TOLERANCE).any(axis=0).T)
