"""A credal tree the slow, obvious way: recursion on lists of rows, entropies as in the text."""

from dataclasses import dataclass, field
from math import log

import numpy as np


def log2(x):
    return log(x) / log(2)


def level_counts(counts, s):
    """Raise the smallest counts to the level L with sum max(0, L - n) = s."""
    rising = sorted(counts)
    for r in range(1, len(rising) + 1):  # the r smallest counts rise to one level
        added = sum(rising[r - 1] - n for n in rising[:r])
        if r == len(rising) or added + (rising[r] - rising[r - 1]) * r >= s:
            level = rising[r - 1] + (s - added) / r
            return [max(float(n), level) for n in counts]
    raise AssertionError


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
    children: list = field(default_factory=list)

    def leaf_of(self, row):
        node = self
        while node.feature is not None:
            node = node.children[row[node.feature]]
        return node

    def kept(self, s):
        """The leaf rule with weak dominance; an empty leaf keeps all."""
        n = self.counts
        if not sum(n):
            return list(range(len(n)))
        others = [max(n[:c] + n[c + 1 :], default=-1) for c in range(len(n))]
        return [c for c in range(len(n)) if n[c] + s > others[c] or n[c] >= max(n)]

    def listed(self):
        """Feature (-1 in a leaf) and counts of every node, parents first."""
        below = [entry for child in self.children for entry in child.listed()]
        return [(-1 if self.feature is None else self.feature, self.counts), *below]


def gains_of(X, y, n_values, n_classes, s, raised):
    """The imprecise information gain of every feature, and the sizes of its branches."""
    own = entropy_of(raised(np.bincount(y, minlength=n_classes).tolist(), s))
    gains, sizes = [], []
    for j, v in enumerate(n_values):
        inside = [np.bincount(y[X[:, j] == a], minlength=n_classes).tolist() for a in range(v)]
        gain = own
        for counts in inside:
            if sum(counts):
                gain -= (sum(counts) / len(y)) * entropy_of(raised(counts, s))
        gains.append(gain)
        sizes.append([sum(counts) for counts in inside])
    return gains, sizes


def by_gain(gains, sizes):
    """The feature of largest gain, the first of equal ones; None where it gains nothing."""
    best = None
    for j, gain in enumerate(gains):
        if best is None or gain > gains[best] + 1e-9:
            best = j
    return best if best is not None and gains[best] >= 1e-6 else None


def by_gain_ratio(gains, sizes):
    """Credal C4.5: gain over the entropy of the branches, among gains of at least the average."""
    usable = [
        j
        for j, branches in enumerate(sizes)
        if sum(n >= 2 for n in branches) >= 2 and gains[j] >= 1e-6
    ]
    if not usable:
        return None
    mean = sum(gains[j] for j in usable) / len(usable)
    ratios = {j: gains[j] / entropy_of(sizes[j]) for j in usable if gains[j] >= mean - 1e-9}
    return max(ratios, key=lambda j: (round(ratios[j], 9), -j))


def grow(X, y, n_values, n_classes, s, raised=level_counts, choose=by_gain):
    node = Node(np.bincount(y, minlength=n_classes).tolist())
    if not len(y):
        return node
    node.feature = choose(*gains_of(X, y, n_values, n_classes, s, raised))
    if node.feature is not None:
        for a in range(n_values[node.feature]):
            here = X[:, node.feature] == a
            node.children.append(grow(X[here], y[here], n_values, n_classes, s, raised, choose))
    return node
