"""Names for the nodes of a tree: features and values, and what the leaves predict."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

import numpy as np

from wager._typing import Array, Bools, Floats
from wager.learners.trees._nodes import NEAR, TreeNodes, majority
from wager.learners.trees._tree_node import TreeNode

__all__ = ["answers", "c45_labels", "credal_label", "named_tree"]


def named_tree(
    nodes: TreeNodes, names: Sequence[str], levels: Sequence[Array | None], labels: Sequence[str]
) -> TreeNode:
    """The tree with names for features and values, built bottom up.

    ``labels`` is what each node would predict as a leaf.
    """
    made: list[TreeNode] = [TreeNode("")] * len(nodes.feature)
    for node in range(len(made) - 1, -1, -1):
        a = int(nodes.feature[node])
        shares = tuple(nodes.counts[node] / max(nodes.weight[node], 1e-300))
        if a < 0:
            made[node] = TreeNode(labels[node], (), shares)
            continue
        children = made[nodes.first[node] : nodes.first[node] + nodes.n_children[node]]
        words = answers(nodes.threshold[node], len(children), levels[a])
        made[node] = TreeNode(names[a], tuple(zip(words, children, strict=True)), shares)
    return made[0]


def answers(threshold: float, n_children: int, levels: Array | None) -> list[str]:
    """The branches of a node in words, such as "<= 4" and "> 4"."""
    if not np.isnan(threshold):
        cut = _trimmed(float(threshold), 6)
        return [f"<= {cut}", f"> {cut}"]
    values = range(n_children) if levels is None else levels
    return [f"= {value}" for value in values]


def c45_labels(nodes: TreeNodes, classes: Array) -> list[str]:
    """What every node would predict as a leaf, as Weka prints it.

    A leaf without rows predicts the class of its parent.
    """
    best = np.array([majority(counts, 0, len(counts)) for counts in nodes.counts])
    for node in range(len(best)):
        for child in range(nodes.first[node], nodes.first[node] + nodes.n_children[node]):
            if nodes.empty[child]:
                best[child] = best[node]
    wrong = nodes.weight - nodes.counts[np.arange(len(best)), best]
    return [
        f"{classes[c]} ({_rounded(n)}/{_rounded(e)})"
        if e > NEAR
        else f"{classes[c]} ({_rounded(n)})"
        for c, n, e in zip(best, nodes.weight, wrong, strict=True)
    ]


def credal_label(counts: Floats, classes: Array, lower: Floats, upper: Floats, kept: Bools) -> str:
    """The classes that a leaf keeps, its rows and its intervals.

    Classes without rows share an interval, which comes last.

    Examples
    --------
    >>> counts = np.array([3.0, 0.0, 2.0])
    >>> lower, upper = counts / 6, (counts + 1) / 6
    >>> credal_label(counts, np.array(["a", "b", "c"]), lower, upper, counts > 0)
    'a|c (5): a [0.50, 0.67], c [0.33, 0.50], others [0.00, 0.17]'
    """
    if not counts.any():
        return "any (0)"
    names = "|".join(str(c) for c in classes[kept])
    seen = np.flatnonzero(counts) if len(counts) > 2 else np.arange(len(counts))
    intervals = [f"{classes[c]} [{lower[c]:.2f}, {upper[c]:.2f}]" for c in seen]
    if len(seen) < len(counts):
        rest = np.flatnonzero(counts == 0)[0]
        intervals.append(f"others [{lower[rest]:.2f}, {upper[rest]:.2f}]")
    rows = f"{counts.sum():.2f}".rstrip("0").rstrip(".")
    return f"{names} ({rows}): {', '.join(intervals)}"


def _rounded(value: float) -> str:
    return str(floor(float(value) * 100 + 0.5) / 100)


def _trimmed(value: float, digits: int) -> str:
    """At most so many decimals, halves away from zero, no trailing zeros."""
    scaled = floor(abs(value) * 10.0**digits + 0.5)
    if scaled >= 2**53:
        return repr(value)
    text = f"{scaled / 10.0**digits:.{digits}f}".rstrip("0").rstrip(".")
    return f"-{text}" if value < 0 and scaled > 0 else text
