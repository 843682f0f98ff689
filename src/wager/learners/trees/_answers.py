"""What the leaves of a credal tree say: intervals, a centre of them, and the classes kept.

A leaf with class counts n(c), n in all, says n(c)/(n+s) to (n(c)+s)/(n+s): the imprecise Dirichlet
model.  A leaf that no training row reached says nothing, [0, 1].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wager._typing import Bools, Floats
from wager.learners.naive._intervals import largest_other

__all__ = ["bounds_of", "centres", "intervals", "undominated"]

TIE = 1e-9


def intervals(nodes: Any, rows: Any, n_rows: int, s: float) -> tuple[Floats, Floats]:
    """Lower and upper class probabilities of each row."""
    both = read_leaves(nodes, rows, n_rows, nodes.counts, lambda n: np.hstack(bounds_of(n, s)))
    K = nodes.counts.shape[1]
    return both[:, :K], both[:, K:]


def centres(nodes: Any, rows: Any, n_rows: int, s: float) -> Floats:
    """One distribution for each row, within its intervals."""
    counts = _speaking_counts(nodes)
    return read_leaves(nodes, rows, n_rows, counts, lambda n: _centre_of(n, s))


def read_leaves(
    nodes: Any, rows: Any, n_rows: int, counts: Floats, says: Callable[[Floats], Floats]
) -> Floats:
    """What the leaf of each row says, or the mean over its leaves where values are missing.

    ``counts`` are the class counts of every node, ``says`` turns such lines into what is asked.
    """
    from wager.learners.trees._leaves import leaves_of, mixtures_of

    counts = np.vstack([counts, np.zeros(counts.shape[1])])  # a value without a branch: no rows
    leaves = leaves_of(nodes, rows, n_rows)
    said = says(counts[leaves])
    torn = np.flatnonzero(leaves < 0)
    if len(torn):
        said[torn] = mixtures_of(nodes, rows, torn, says(counts))
    return said


def bounds_of(counts: Floats, s: float) -> tuple[Floats, Floats]:
    """n(c)/(n+s) and (n(c)+s)/(n+s); 0 and 1 where there is neither a row nor strength."""
    total = counts.sum(axis=1, keepdims=True) + s
    nothing = total[:, 0] <= 0
    total[nothing] = 1.0
    lower, upper = counts / total, (counts + s) / total
    upper[nothing] = 1.0
    return lower, upper


def _centre_of(counts: Floats, s: float) -> Floats:
    """(n(c) + s/K)/(n + s); uniform where there is neither a row nor strength."""
    K = counts.shape[1]
    total = counts.sum(axis=1, keepdims=True) + s
    nothing = total[:, 0] <= 0
    total[nothing] = 1.0
    centre = (counts + s / K) / total
    centre[nothing] = 1 / K
    return centre


def _speaking_counts(nodes: Any) -> Floats:
    """The class counts of every node; of the node above for one without rows."""
    inner = np.flatnonzero(nodes.n_sons)
    n_sons = nodes.n_sons[inner]
    within = np.arange(n_sons.sum()) - np.repeat(np.cumsum(n_sons) - n_sons, n_sons)
    sons, above = np.repeat(nodes.first[inner], n_sons) + within, np.repeat(inner, n_sons)
    empty = nodes.empty[sons]
    counts = nodes.counts.copy()
    counts[sons[empty]] = counts[above[empty]]
    return counts


def undominated(lower: Floats, upper: Floats, dominance: str) -> Bools:
    """The classes whose interval no other one's leaves behind (Abellán & Masegosa, 2012).

    With "weak" dominance it is enough to touch: n(c') >= n(c) + s.  Classes whose probabilities are
    one and the same number never dominate each other.
    """
    rival = largest_other(lower, -np.inf)
    if dominance == "strict":
        return ~(rival > upper + TIE)
    return ~((rival >= upper - TIE) & (rival > lower + TIE))
