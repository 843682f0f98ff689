"""Predictions of the leaves of credal trees: probability intervals, their centres, sets of classes.

A leaf with class counts n(c), n in total, predicts the intervals n(c)/(n+s) to (n(c)+s)/(n+s) of
the imprecise Dirichlet model, or those of nonparametric predictive inference (``_npi_entropy``).  A
leaf without training rows predicts [0, 1] for every class.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from wager._typing import Bools, Floats
from wager.learners._base import TIE
from wager.learners.naive import largest_other

if TYPE_CHECKING:  # these modules load Numba
    from wager.learners.trees._nodes import TreeNodes, TreeRows

__all__ = ["bounds_of", "centres", "intervals", "read_leaves", "undominated"]


def intervals(
    nodes: TreeNodes, rows: TreeRows, s: float, model: str = "idm"
) -> tuple[Floats, Floats]:
    """Lower and upper class probabilities of each row."""
    both = read_leaves(nodes, rows, nodes.counts, lambda n: np.hstack(bounds_of(n, s, model)))
    K = nodes.counts.shape[1]
    return both[:, :K], both[:, K:]


def centres(nodes: TreeNodes, rows: TreeRows, s: float, model: str = "idm") -> Floats:
    """One distribution for each row, within its intervals."""
    counts = _counts_to_guess_from(nodes)
    return read_leaves(nodes, rows, counts, lambda n: _centre_of(n, s, model))


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


def bounds_of(counts: Floats, s: float, model: str = "idm") -> tuple[Floats, Floats]:
    """n(c)/(n+s) and (n(c)+s)/(n+s); 0 and 1 if both n and s are 0.

    By nonparametric predictive inference max(0, n(c)-1)/n and min(n, n(c)+1)/n, for ordered classes
    with n+1 in the place of n, and n(c)/(n+1) as the lower bound of the first and the last class.
    """
    if model != "idm":
        return _predictive_bounds(counts, ordered=model == "npi-ordinal")
    total, vacuous = _total_of(counts, s)
    lower, upper = counts / total, (counts + s) / total
    upper[vacuous] = 1.0
    return lower, upper


def _predictive_bounds(counts: Floats, *, ordered: bool) -> tuple[Floats, Floats]:
    """The intervals of nonparametric predictive inference, for classes in any or in their order."""
    n = counts.sum(axis=1, keepdims=True)
    low, high = np.maximum(counts - 1, 0), counts + 1
    if ordered:
        low[:, [0, -1]] = counts[:, [0, -1]]
        n = n + 1
    if counts.shape[1] == 1:
        low = n
    vacuous = counts.sum(axis=1) <= 0
    total = np.where(n > 0, n, 1.0)
    lower, upper = low / total, np.minimum(high, total) / total
    lower[vacuous], upper[vacuous] = 0.0, 1.0
    return lower, upper


def _predictive_centre(counts: Floats, *, ordered: bool) -> Floats:
    """A distribution within the intervals of nonparametric predictive inference.

    Without an order, the slices that are open are shared in proportion to the widths of the
    intervals, 2 slices for a class with rows and 1 for a class without.  With an order, every
    interval of the line that may belong to several classes is shared equally among them.
    """
    K, n = counts.shape[1], counts.sum(axis=1, keepdims=True)
    if not ordered:
        seen = counts > 0
        n_seen = seen.sum(axis=1, keepdims=True)
        slices = np.maximum(counts - 1, 0) + np.where(seen, 2, 1) * n_seen / (n_seen + K)
        return np.where(n > 0, slices / np.where(n > 0, n, 1.0), 1 / K)
    centre = np.maximum(counts - 1, 0)
    for line, own in zip(centre, counts, strict=True):
        ends = [0, *np.flatnonzero(own > 0).tolist(), K - 1]
        for first, last in pairwise(ends):
            line[first : last + 1] += 1 / (last + 1 - first)
    return centre / (n + 1)


def _centre_of(counts: Floats, s: float, model: str) -> Floats:
    """(n(c) + s/K)/(n + s); uniform if both n and s are 0."""
    if model != "idm":
        return _predictive_centre(counts, ordered=model == "npi-ordinal")
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
