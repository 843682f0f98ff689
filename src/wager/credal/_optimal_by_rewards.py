"""The best set of classes under rewards that depend on the true class.

Three kinds of rewards have a structure that makes the search exact and fast: utilities by class
(sort the classes for each size), rewards of ordered classes (compare the runs), and rewards of the
nodes of a hierarchy (compare the nodes).  The docstrings prove that no other set is better.
"""

from __future__ import annotations

import numpy as np

from wager._tables import ROUNDING, row_blocks
from wager._typing import Bools, Floats, Ints
from wager.costs import ClassUtilities, NodeRewards, OrderedRewards
from wager.credal._optimal_by_size import best_heads
from wager.predictions import unpack

__all__ = ["best_by_size", "best_nodes", "best_runs"]


def best_by_size(proba: Floats, rule: ClassUtilities) -> tuple[Bools, Floats]:
    """The best sets under utilities and weights by class, and their expected rewards.

    Notes
    -----
    A set S of k classes earns ``r(c, k)`` if the true class c is in S and ``m(c)`` otherwise, so
    its expected reward is ``sum_c p(c) m(c) + sum_{c in S} g(c, k)`` with ``g(c, k) = p(c) (r(c, k)
    - m(c))``.  The first sum is the same for all sets.  In the second, a member adds a term that
    depends on the size but not on the other members: exchanging a member for a class with a larger
    term increases the sum.  So the best set of size k has the k largest terms.

    With one utility u, ``g(c, k) = p(c) w(c) (u(1/k) - u(0))``.  If a hit is never worth less than
    a miss, the order of the terms is that of ``p(c) w(c)`` for every k: one sort serves all sizes,
    and the problem is that of probabilities ``p(c) w(c)`` which need not add up to 1.
    """
    n_classes = proba.shape[1]
    misses = rule.empty_rewards(n_classes)
    gains = rule.by_size(n_classes) - misses
    if rule.is_common and (gains >= 0).all():
        scale = rule.weight.max()
        worth = rule.utilities[0].of_size(np.arange(n_classes + 1))
        words, value = best_heads(proba * (rule.weight / scale), worth)
        return unpack(words, n_classes), (value - worth[0]) * scale + proba @ misses
    members = np.zeros(proba.shape, dtype=bool)
    best = np.full(len(proba), -np.inf)
    finite = gains[np.isfinite(gains)]
    slack = ROUNDING * float(np.abs(finite).max(initial=0.0))
    for part in row_blocks(len(proba), n_classes):
        for size in range(1, n_classes + 1):
            if not np.isfinite(gains[size - 1]).all():
                break  # beyond the end of a table of utilities
            terms = proba[part] * gains[size - 1]
            order = _falling(terms, slack)[:, :size]
            value = np.take_along_axis(terms, order, axis=1).sum(axis=1)
            better = np.flatnonzero(value > best[part] + slack)
            rows = part.start + better
            best[rows] = value[better]
            members[rows] = False
            members[rows[:, None], order[better]] = True
    return members, best + proba @ misses


def _falling(terms: Floats, slack: float) -> Ints:
    """The columns of each row by falling terms; those that differ by rounding in their order."""
    order = np.argsort(-terms, axis=1, kind="stable")
    gap = -np.diff(np.take_along_axis(terms, order, axis=1), axis=1)
    if not ((gap > 0) & (gap <= slack)).any():
        return order
    level = np.zeros(order.shape, dtype=np.intp)
    level[:, 1:] = np.cumsum(gap > slack, axis=1)
    return np.take_along_axis(order, np.lexsort((order, level), axis=1), axis=1)


def best_runs(proba: Floats, rule: OrderedRewards) -> tuple[Bools, Floats]:
    """The best sets of ordered classes, and their expected rewards.

    Notes
    -----
    Filling the gaps of a set changes neither its width nor its ends: the reward stays the same if
    a member is true or a class outside, and a class inside turns from a miss into a hit, which is
    worth at least as much.  So a run of neighbouring classes is best.  The run from l to h earns
    ``u(1/w) P(l..h) + L(l) + R(h)``, where L and R are the expected rewards of misses below and
    above.  They are computed once per row, so that all K (K + 1) / 2 runs take O(K^2).
    """
    n, n_classes = proba.shape
    place = np.arange(n_classes)
    ahead = place[:, None] - place  # by how much the end (row) is above the true class (column)
    misses = rule.misses(np.abs(ahead))
    below = proba @ np.where(ahead > 0, misses, 0.0).T  # (n, K): L of a run that begins there
    above = proba @ np.where(ahead < 0, misses, 0.0).T
    total = np.concatenate([np.zeros((n, 1)), np.cumsum(proba, axis=1)], axis=1)
    worth = rule.hits(n_classes)
    slack = ROUNDING * max(float(np.abs(worth).max()), float(np.abs(misses).max()))
    best = np.full(n, -np.inf)
    start, width = np.zeros(n, dtype=np.intp), np.zeros(n, dtype=np.intp)
    for size in range(1, n_classes + 1):
        last = n_classes - size + 1
        inside = total[:, size:] - total[:, :last]
        values = worth[size - 1] * inside + below[:, :last] + above[:, size - 1 :]
        most = values.max(axis=1)
        first = (values >= most[:, None] - slack).argmax(axis=1)
        better = most > best + slack
        best[better], start[better], width[better] = most[better], first[better], size
    members = (place >= start[:, None]) & (place < (start + width)[:, None])
    return members, best


def best_nodes(proba: Floats, rule: NodeRewards) -> tuple[Bools, Floats]:
    """The best sets as nodes of a hierarchy, and their expected rewards.

    Notes
    -----
    A set is worth what the smallest node around it is worth.  Taking the whole node changes no
    value and turns misses into hits, so a node is best.  The probability of a node is the sum of
    those of its children; as the leaves below it are neighbours, it is the difference of two
    cumulated sums, and all V nodes take O(K + V) per row.
    """
    n, n_classes = proba.shape
    place = np.arange(n_classes)
    # smaller nodes first, which win ties; of nodes with the same leaves the deepest one counts
    order = np.lexsort((rule.first, rule.last - rule.first))
    keys = rule.first * (n_classes + 1) + rule.last
    deepest = {int(key): node for node, key in enumerate(keys)}
    nodes = np.array([node for node in order if deepest[int(keys[node])] == node])
    gain = rule.values[nodes] - rule.miss
    members = np.zeros(proba.shape, dtype=bool)
    best = np.empty(n)
    slack = ROUNDING * float(np.abs(gain).max())
    for part in row_blocks(n, max(len(nodes), n_classes)):
        rows = proba[part]
        total = np.concatenate([np.zeros((len(rows), 1)), np.cumsum(rows, axis=1)], axis=1)
        values = gain * (total[:, rule.last[nodes]] - total[:, rule.first[nodes]])
        most = values.max(axis=1, keepdims=True)
        chosen = nodes[(values >= most - slack).argmax(axis=1)]
        first, last = rule.first[chosen, None], rule.last[chosen, None]
        members[part] = (place >= first) & (place < last)
        best[part] = most[:, 0] + rule.miss
    return members, best
