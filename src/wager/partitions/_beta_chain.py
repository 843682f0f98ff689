"""Scaling the classes of an order one after another, as a chain of Beta distributions.

Depth one is the method of the paper (Sondhauss & Weihs, 2001): the assigned class is scaled, and
the others share the rest in the ratio of their own values.  The paper only announces deeper
scaling; what is done here is our extension.  A Dirichlet vector can be drawn as a chain of Betas,
each for the share that a class takes of what the classes before it have left.  So in a region of
order (o1, ..., od) those shares are scaled one after another by the rule of depth one; a trial of
step j is an object that belongs to none of the classes before oj.  If the number of objects limits
the certainty at every step, the scaled vectors follow the Dirichlet distribution of the observed
class counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from wager._tables import row_sums
from wager._typing import Floats, Ints

TINY = 1e-290  # dividing by a smaller remainder would overflow


def chain_shares(points: Floats, order: Ints) -> Iterator[Floats]:
    """For each class of the order, the share that it takes of what the classes before it leave."""
    n_classes, depth = points.shape[1], order.shape[1]
    rows = np.arange(len(points))
    yield points[rows, order[:, 0]]
    others = points.copy() if depth > 1 else points
    for j in range(1, depth):
        others[rows, order[:, j - 1]] = 0
        yield ratio(points[rows, order[:, j]], row_sums(others), 1 / (n_classes - j))


def scale_chain(points: Floats, order: Ints, scale: Callable[[int, Floats], Floats]) -> Floats:
    """Scale the classes of the order one after another; the others keep their ratios."""
    n_rows, n_classes = points.shape
    depth = order.shape[1]
    rows = np.arange(n_rows)
    result, remaining = points.copy(), np.ones(n_rows)
    taken = np.empty((depth, n_rows))
    for j, share in enumerate(chain_shares(points, order)):
        scaled = scale(j, share)
        taken[j] = remaining * scaled
        remaining = remaining * (1 - scaled)
        result[rows, order[:, j]] = 0
    rest = row_sums(result)
    tiny = np.flatnonzero(rest < TINY)
    result[tiny] = ratio(result[tiny], rest[tiny, None], 1 / (n_classes - depth))
    rest[tiny] = 1
    result *= (remaining / rest)[:, None]
    for j in range(depth):
        result[rows, order[:, j]] = taken[j]
    return result


def ratio(part: Floats, whole: Floats, otherwise: float) -> Floats:
    """``part / whole``, or another number where the whole is 0."""
    return np.divide(part, whole, out=np.full(part.shape, otherwise), where=whole > 0)
