"""A decision tree as a picture: the root at the left, every leaf on a line of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from wager.plots._style import axes, colour, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from wager.learners import TreeNode

__all__ = ["plot_tree"]

LETTER = 0.072  # inches: about the width of a letter of 8 points
LINE = 0.30  # inches between leaves
GAP = 2.0  # letters between a label and the next branching


def plot_tree(tree: Any, ax: Axes | None = None, *, max_leaves: int = 60) -> Axes:
    """Draw a tree with its questions, answers and leaves.

    A leaf has the colour of its most frequent class, the paler the more other classes are in it.

    Parameters
    ----------
    tree : TreeNode, or a fitted estimator with ``to_node`` (C45, CredalTree)
    ax : matplotlib Axes, optional
        Where to draw; a new figure of fitting size by default.
    max_leaves : int, default=60
        A larger tree is cut at the depth that leaves no more than so many.

    Examples
    --------
    >>> from wager.learners import C45
    >>> tree = C45().fit([[1.0], [1.5], [2.0], [2.5]] * 3, ["low", "low", "high", "high"] * 3)
    >>> len(plot_tree(tree).texts)  # a question, two answers, two leaves
    5
    """
    node = _cut_to(tree.to_node() if hasattr(tree, "to_node") else tree, max_leaves)
    starts = _columns(node)
    ax = axes(ax, figsize=(1 + LETTER * starts[-1], 0.4 + LINE * node.n_leaves))
    ax.set(xlim=(-1, starts[-1]), ylim=(node.n_leaves - 0.4, -0.6))
    ax.axis("off")
    _draw(ax, node, starts, 0, 0)
    return ax


def _cut_to(node: TreeNode, max_leaves: int) -> TreeNode:
    depth = node.depth
    while depth > 0 and _cut(node, depth).n_leaves > max_leaves:
        depth -= 1
    return _cut(node, depth)


def _cut(node: TreeNode, depth: int) -> TreeNode:
    """The tree down to a depth; what lies below is a leaf that says how much it stands for."""
    if node.is_leaf:
        return node
    if depth == 0:
        return replace(node, label=f"{node.label} … {node.n_leaves} leaves", branches=())
    sons = tuple((answer, _cut(son, depth - 1)) for answer, son in node.branches)
    return replace(node, branches=sons)


def _columns(node: TreeNode) -> list[float]:
    """Where the labels of each depth begin, in letters, and where the picture ends.

    Only questions take room: to the right of a leaf its line is free.
    """
    starts, end, level = [0.0], 0.0, [node]
    while level:
        end = max(end, *(starts[-1] + len(at.label) for at in level))
        questions = [at for at in level if not at.is_leaf]
        if not questions:
            break
        widest = max(len(at.label) for at in questions)
        answer = max(len(answer) for at in questions for answer, _ in at.branches)
        starts.append(starts[-1] + widest + answer + 2 * GAP)
        level = [son for at in questions for _, son in at.branches]
    return [*starts, end + GAP]


def _draw(ax: Axes, node: TreeNode, starts: list[float], depth: int, first: int) -> float:
    """Draw a subtree whose first leaf is on line ``first``; give the line of its own label."""
    x = starts[depth]
    if node.is_leaf:
        _label(ax, x, first, node)
        return first
    lines, below = [], first
    branching = x + max(len(node.label), 1) + 0.8
    end = starts[depth + 1] - 0.6
    for answer, son in node.branches:
        line = _draw(ax, son, starts, depth + 1, below)
        lines.append(line)
        below += son.n_leaves
        ax.text(end, line, f"{written(answer)} ", ha="right", va="bottom", fontsize=7, color="0.35")
    middle = (lines[0] + lines[-1]) / 2
    ax.plot([branching] * 2, [lines[0], lines[-1]], color="0.6", linewidth=0.8)
    for line in lines:
        ax.plot([branching, end], [line, line], color="0.6", linewidth=0.8)
    ax.plot([x, branching], [middle, middle], color="0.6", linewidth=0.8)
    _label(ax, x, middle, node)
    return middle


def _label(ax: Axes, x: float, line: float, node: TreeNode) -> None:
    box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "0.6", "linewidth": 0.6}
    if node.is_leaf:
        box |= {"facecolor": _shade(node.shares), "edgecolor": "none"}
    ax.text(x, line, written(node.label), ha="left", va="center", fontsize=8, bbox=box)


def _shade(shares: tuple[float, ...]) -> Any:
    """The colour of the most frequent class, mixed with white by the share of the others."""
    from matplotlib.colors import to_rgb

    if not shares or max(shares) <= 0:
        return "white"
    most = int(np.argmax(shares))
    strength = 0.15 + 0.45 * max(0.0, shares[most] * len(shares) - 1) / max(len(shares) - 1, 1)
    full = np.array(to_rgb(colour(most)))
    if full.mean() < 0.2:  # the words on it must stay readable
        strength /= 2
    return tuple(1 - strength * (1 - full))
