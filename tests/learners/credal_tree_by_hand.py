"""A credal tree the slow, obvious way: recursion on lists of rows, entropies as in the text.

Rounding settles the many exact ties between features, so even here the order of operations is that
of the definition.
"""

from dataclasses import dataclass, field
from math import log

import numpy as np


def log2(x):
    return log(x) / log(2)


def level_counts(counts, s):
    """Pour s on the smallest counts, raising them past one count after another."""
    q = [float(n) for n in counts]
    left = s
    while left > 0:
        low = min(q)
        lowest = [c for c, n in enumerate(q) if n == low]
        above = min((n for n in q if n > low), default=float("inf"))
        step = min(left / len(lowest), above - low)
        for c in lowest:
            q[c] = low + step if step < above - low else above
        left = 0 if step < above - low else left - step * len(lowest)
    return q


def peer_counts(counts, s):
    """What Weka-IP does instead: it loses what exceeds 1 if one class alone is the smallest."""
    q = [float(n) for n in counts]
    lowest = [c for c, n in enumerate(q) if n == min(q)]
    for c in lowest:
        q[c] += min(s, 1) if len(lowest) == 1 else s / len(lowest)
    return q


def entropy_of(q):
    total = sum(q)
    return -sum(x * log2(x) for x in q if x > 0) / total + log2(total) if total > 0 else 0.0


@dataclass
class Node:
    counts: list
    feature: int | None = None
    sons: list = field(default_factory=list)

    def leaf_of(self, row):
        node = self
        while node.feature is not None:
            node = node.sons[row[node.feature]]
        return node

    def kept(self, s):
        """The leaf rule with weak dominance; an empty leaf keeps all."""
        n = self.counts
        if not sum(n):
            return list(range(len(n)))
        others = [max(n[:c] + n[c + 1 :], default=-1) for c in range(len(n))]
        return [c for c in range(len(n)) if n[c] + s > others[c] or n[c] >= max(n)]


def grow(X, y, n_values, n_classes, s, pour=level_counts):
    counts = np.bincount(y, minlength=n_classes).tolist()
    node = Node(counts)
    if not counts or not sum(counts):
        return node
    own = entropy_of(pour(counts, s))
    gains = []
    for j, v in enumerate(n_values):
        gain = own
        for a in range(v):
            inside = np.bincount(y[X[:, j] == a], minlength=n_classes).tolist()
            if sum(inside):
                gain -= (sum(inside) / len(y)) * entropy_of(pour(inside, s))
        gains.append(gain)
    if not gains or max(gains) < 1e-6:
        return node
    node.feature = gains.index(max(gains))
    for a in range(n_values[node.feature]):
        here = X[:, node.feature] == a
        node.sons.append(grow(X[here], y[here], n_values, n_classes, s, pour))
    return node
