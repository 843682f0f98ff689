"""Predictions of the leaves of credal trees: probability intervals, their centres, sets of classes.

A leaf with class counts n(c), n in total, predicts the intervals n(c)/(n+s) to (n(c)+s)/(n+s) of
the imprecise Dirichlet model.  A leaf without training rows predicts [0, 1] for every class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from wager._typing import Bools, Floats
from wager.learners._base import TIE
from wager.learners.naive import largest_other

if TYPE_CHECKING:  # these modules load Numba
    from wager.learners.trees._nodes import TreeNodes, TreeRows

__all__ = ["bounds_of", "centres", "intervals", "read_leaves", "undominated"]


def intervals(nodes: TreeNodes, rows: TreeRows, s: float) -> tuple[Floats, Floats]:
    """Lower and upper class probabilities of each row."""
    both = read_leaves(nodes, rows, nodes.counts, lambda n: np.hstack(bounds_of(n, s)))
    K = nodes.counts.shape[1]
    return both[:, :K], both[:, K:]


def centres(nodes: TreeNodes, rows: TreeRows, s: float) -> Floats:
    """One distribution for each row, within its intervals."""
    counts = _counts_to_guess_from(nodes)
    return read_leaves(nodes, rows, counts, lambda n: _centre_of(n, s))


def read_leaves(
    nodes: TreeNodes, rows: TreeRows, counts: Floats, predict: Callable[[Floats], Floats]
) -> Floats:
    """The prediction of each row's leaf, or the mean over its leaves where values are missing.

    ``counts`` are the class counts of every node; ``predict`` turns such lines into predictions.
    """
    from wager.learners.trees._predict import leaves_of, mixtures_of

    counts = np.vstack([counts, np.zeros(counts.shape[1])])  # a value without a branch: no rows
    leaves = leaves_of(nodes, rows)
    predicted = predict(counts[leaves])
    several = np.flatnonzero(leaves < 0)
    if len(several):
        predicted[several] = mixtures_of(nodes, rows, several, predict(counts))
    return predicted


def bounds_of(counts: Floats, s: float) -> tuple[Floats, Floats]:
    """n(c)/(n+s) and (n(c)+s)/(n+s); 0 and 1 if both n and s are 0."""
    total, vacuous = _total_of(counts, s)
    lower, upper = counts / total, (counts + s) / total
    upper[vacuous] = 1.0
    return lower, upper


def _centre_of(counts: Floats, s: float) -> Floats:
    """(n(c) + s/K)/(n + s); uniform if both n and s are 0."""
    K = counts.shape[1]
    total, vacuous = _total_of(counts, s)
    centre = (counts + s / K) / total
    centre[vacuous] = 1 / K
    return centre


def _total_of(counts: Floats, s: float) -> tuple[Floats, Bools]:
    """The totals n + s as a column, with 1 in place of 0, and where they are 0."""
    total = counts.sum(axis=1, keepdims=True) + s
    vacuous = total[:, 0] <= 0
    total[vacuous] = 1.0
    return total, vacuous


def _counts_to_guess_from(nodes: TreeNodes) -> Floats:
    """The class counts of every node; those of the parent for a node without rows."""
    from wager.learners.trees._nodes import children_of

    inner = np.flatnonzero(nodes.n_children)
    children, parents = children_of(nodes, inner), np.repeat(inner, nodes.n_children[inner])
    empty = nodes.empty[children]
    counts = nodes.counts.copy()
    counts[children[empty]] = counts[parents[empty]]
    return counts


def undominated(lower: Floats, upper: Floats, dominance: str) -> Bools:
    """The classes that no other class dominates by its interval (Abellán & Masegosa, 2012).

    With "weak" dominance the intervals may touch: n(c') >= n(c) + s.  Classes with the same precise
    probability never dominate each other.
    """
    rival = largest_other(lower, -np.inf)
    if dominance == "strict":
        return ~(rival > upper + TIE)
    return ~((rival >= upper - TIE) & (rival > lower + TIE))
