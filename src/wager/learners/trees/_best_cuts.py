"""The best cuts of several numeric columns of a node at once, for credal trees without Numba.

Every number is computed with the operations of the kernels in ``_information_gain`` and
``_upper_entropy``, in the same order, so the results agree to the last bit.  Logarithms are those
of the C library, as in compiled code: NumPy's own may differ in the last digit.
"""

from __future__ import annotations

from math import inf, log
from typing import Any

import numpy as np

from wager._typing import Array, Floats, Ints
from wager.learners.trees._grow import GAP
from wager.learners.trees._upper_entropy import ABELLAN, LN2, STROBL

__all__ = ["best_cuts"]


def best_cuts(
    training: Any, here: Any, slots: list[int], known: Any, rule: Any
) -> list[tuple[float, float, int]]:
    """For some numeric columns the best gain, the entropy of both sizes, and the rows on the left.

    The node has no missing values, ``known`` is about all its rows.
    """
    starts = [slot * here.capacity + here.low for slot in slots]
    rows = np.array([here.lines[start : start + here.n] for start in starts])
    first = np.array(slots)[:, None] * training.rows.n_rows
    values = training.rows.numbers.array[first + rows]
    weights = training.weights.array[rows]
    n_left = np.cumsum(weights, axis=1)[:, :-1].astype(float)
    n_right = known.n - n_left
    possible = values[:, :-1] + GAP < values[:, 1:]
    possible &= (n_left >= rule.min_rows) & (n_right >= rule.min_rows) & (n_right > 0)
    column, place = np.nonzero(possible)
    if not len(column):
        return [(-inf, 0.0, 0)] * len(rows)
    classes = training.y.array[rows]
    left = np.array(
        [
            np.cumsum(np.where(classes == c, weights, 0), axis=1)[column, place]
            for c in range(training.n_classes)
        ]
    )
    right = np.array(known.counts).astype(left.dtype)[:, None] - left
    upper = _upper_entropies(np.concatenate([left, right], axis=1), rule)
    p, q = n_left[column, place] / known.n, n_right[column, place] / known.n
    gains = known.upper - p * upper[: len(p)] - q * upper[len(p) :]
    found = [(-inf, 0.0, 0)] * len(rows)
    ends = np.searchsorted(column, np.arange(len(rows) + 1)).tolist()
    for k in range(len(rows)):
        best, at = -inf, -1
        for i, gain in enumerate(gains[ends[k] : ends[k + 1]].tolist(), ends[k]):
            if gain > best + rule.tied:
                best, at = gain, i
        if at >= 0:
            a, b = float(p[at]), float(q[at])
            info = -a * (log(a) / LN2) - b * (log(b) / LN2)
            found[k] = best, info, int(place[at]) + 1
    return found


def _upper_entropies(counts: Ints, rule: Any) -> Floats:
    """The largest entropies, with corrections, of whole counts by class (rows of the array)."""
    level = _levels(counts, rule.s)
    at_level = level * (_logs(np.where(level > 0, level, 1.0)) / LN2)
    terms = rule.logs.array[counts]
    inside, of_all = np.zeros(len(level)), np.zeros(len(level))
    for n, own in zip(counts, terms, strict=True):
        raised = n < level
        inside += np.where(raised, at_level, own)
        of_all += np.where(raised, level, n)
    of_all = np.where(of_all > 0, of_all, 1.0)  # no rows: inside is 0, and so is the entropy
    upper = -inside / of_all + _logs(of_all) / LN2
    if rule.correction == STROBL:
        upper += (len(counts) + 1) / (2 * counts.sum(axis=0) + rule.s)
    elif rule.correction == ABELLAN:
        upper += rule.s * (log(len(counts)) / LN2) / (counts.sum(axis=0) + rule.s)
    return upper


def _levels(counts: Ints, s: float) -> Floats:
    """The level to which ``s`` rows raise the smallest counts of each column of the array."""
    low, n_lowest, second = _lowest(counts, counts.min(axis=0))
    level = low + s / n_lowest
    left = np.full(len(level), s)
    while True:
        rising = np.flatnonzero(level > second)
        if not len(rising):
            return level
        left[rising] -= (second[rising] - low[rising]) * n_lowest[rising]
        low[rising], n_lowest[rising], second[rising] = _lowest(counts[:, rising], second[rising])
        level[rising] = low[rising] + left[rising] / n_lowest[rising]


def _lowest(counts: Ints, low: Array) -> tuple[Floats, Ints, Floats]:
    """The given levels, how many counts are not above them, and the next larger counts."""
    above = counts > low
    return (
        low.astype(float),
        len(counts) - above.sum(axis=0),
        np.where(above, counts, inf).min(axis=0),
    )


def _logs(values: Floats) -> Floats:
    return np.array([log(value) for value in values.tolist()])
