"""A C4.5 tree in words, in the form that Weka prints."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

import numpy as np

from wager._typing import Array
from wager.learners.trees._nodes import Nodes, majority
from wager.learners.trees._view import TreeNode

__all__ = ["named_tree", "view"]


def view(
    nodes: Nodes, names: Sequence[str], levels: Sequence[Array | None], classes: Array
) -> TreeNode:
    """The tree with names for features, values and classes."""
    return named_tree(nodes, names, levels, _leaf_labels(nodes, classes))


def named_tree(
    nodes: Nodes, names: Sequence[str], levels: Sequence[Array | None], labels: Sequence[str]
) -> TreeNode:
    """The tree with names for features and values, built from the leaves up.

    ``labels`` is what each node says if it is a leaf.
    """
    made: list[TreeNode] = [TreeNode("")] * len(nodes.feature)
    for node in range(len(made) - 1, -1, -1):
        a = int(nodes.feature[node])
        shares = tuple(nodes.counts[node] / max(nodes.weight[node], 1e-300))
        if a < 0:
            made[node] = TreeNode(labels[node], (), shares)
            continue
        sons = made[nodes.first[node] : nodes.first[node] + nodes.n_sons[node]]
        answers = _answers(nodes.threshold[node], len(sons), levels[a])
        made[node] = TreeNode(names[a], tuple(zip(answers, sons, strict=True)), shares)
    return made[0]


def _answers(threshold: float, n_sons: int, levels: Array | None) -> list[str]:
    if not np.isnan(threshold):
        cut = _trimmed(float(threshold), 6)
        return [f"<= {cut}", f"> {cut}"]
    values = range(n_sons) if levels is None else levels
    return [f"= {value}" for value in values]


def _leaf_labels(nodes: Nodes, classes: Array) -> list[str]:
    """What every node would say as a leaf; one without rows speaks for its father."""
    best = np.array([majority(counts) for counts in nodes.counts])
    for node in range(len(best)):
        for son in range(nodes.first[node], nodes.first[node] + nodes.n_sons[node]):
            if nodes.empty[son]:
                best[son] = best[node]
    wrong = nodes.weight - nodes.counts[np.arange(len(best)), best]
    return [
        f"{classes[c]} ({_rounded(n)}/{_rounded(e)})"
        if e > 1e-6
        else f"{classes[c]} ({_rounded(n)})"
        for c, n, e in zip(best, nodes.weight, wrong, strict=True)
    ]


def _rounded(value: float) -> str:
    return str(floor(float(value) * 100 + 0.5) / 100)


def _trimmed(value: float, digits: int) -> str:
    """At most so many decimals, halves away from zero, no trailing zeros."""
    scaled = floor(abs(value) * 10.0**digits + 0.5)
    if scaled >= 2**53:
        return repr(value)
    text = f"{scaled / 10.0**digits:.{digits}f}".rstrip("0").rstrip(".")
    return f"-{text}" if value < 0 and scaled > 0 else text
