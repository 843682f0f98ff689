"""Plot of a decision tree: the root on the left, every leaf on a separate line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._tables import real_number
from wager.plots._inputs import check_fitted, refuse
from wager.plots._labels import height_of, text_width, width_of
from wager.plots._style import axes_or_new, series_colour, short_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from wager.learners import TreeNode

__all__ = ["plot_tree"]

LETTER = 0.072  # inches: about the width of a letter of 8 points
LINE = 0.30  # inches between leaves
GAP = 2.0  # letters between a label and the next split
SIZE = 8.0  # points of a label
LONGEST_LEAF = 110  # characters: a leaf lists the intervals of its classes


def plot_tree(
    tree: Any,
    ax: Axes | None = None,
    *,
    feature_names: Sequence[Any] | None = None,
    max_leaves: int = 60,
) -> Axes:
    """Draw a tree with its splits, branches and leaves.

    A leaf has the colour of its most frequent class; it is paler if it contains other classes.

    Parameters
    ----------
    tree : TreeNode, or a fitted estimator with ``to_node`` (C45, CredalTree)
    ax : matplotlib Axes, optional
        Where to draw; a new figure of fitting size by default.
    feature_names : sequence of str, optional
        Names of the features of an estimator that learned from an array.
    max_leaves : int, default=60
        A larger tree is cut at the largest depth with at most this number of leaves.

    Examples
    --------
    >>> from wager.learners import C45
    >>> tree = C45().fit([[1.0], [1.5], [2.0], [2.5]] * 3, ["low", "low", "high", "high"] * 3)
    >>> len(plot_tree(tree).texts)  # one split, two branches, two leaves
    5
    """
    check_fitted(tree, "plot_tree")
    if not hasattr(tree, "to_node") and not hasattr(tree, "is_leaf"):
        raise refuse("plot_tree", "a fitted C45 or CredalTree, or a TreeNode", tree, _hint(tree))
    if feature_names is not None:
        if not hasattr(tree, "to_node"):
            raise ValueError("feature_names needs a fitted tree: the names of a TreeNode are fixed")
        tree = tree.to_node(feature_names)
    node = _cut_to(
        tree.to_node() if hasattr(tree, "to_node") else tree, real_number(max_leaves, "max_leaves")
    )
    starts = _columns(node)
    ax = axes_or_new(ax, figsize=(1 + LETTER * starts[-1], 0.4 + LINE * node.n_leaves))
    ax.set(xlim=(-1, starts[-1]), ylim=(node.n_leaves - 0.4, -0.6))
    ax.axis("off")
    full = width_of(ax) / (LETTER * (starts[-1] + 1)), height_of(ax) / (LINE * node.n_leaves)
    _draw(ax, node, starts, 0, 0, SIZE * min(1.0, *full))
    return ax


def _letters(text: str, size: float = SIZE) -> float:
    """The width of a text in letters."""
    return text_width(text, size) / LETTER


def _shown(node: TreeNode) -> str:
    """The label of a node, not too long for a plot."""
    return short_text(node.label, LONGEST_LEAF) if node.is_leaf else short_text(node.label)


def _hint(tree: Any) -> str:
    """How to draw a tree of another kind."""
    if hasattr(tree, "trees_"):
        return "a forest has many trees, fit a CredalTree to draw one"
    if hasattr(tree, "steps"):
        return "pass its last step, pipeline[-1]"
    return "draw it with sklearn.tree.plot_tree" if hasattr(tree, "tree_") else ""


def _cut_to(node: TreeNode, max_leaves: float) -> TreeNode:
    depth = node.depth
    while depth > 0 and _cut(node, depth).n_leaves > max_leaves:
        depth -= 1
    return _cut(node, depth)


def _cut(node: TreeNode, depth: int) -> TreeNode:
    """The tree down to a depth; a subtree below becomes a leaf that shows its number of leaves."""
    if node.is_leaf:
        return node
    if depth == 0:
        return replace(node, label=f"{node.label} … {node.n_leaves} leaves", branches=())
    children = tuple((value, _cut(child, depth - 1)) for value, child in node.branches)
    return replace(node, branches=children)


def _columns(node: TreeNode) -> list[float]:
    """Where the labels of each depth begin, in letters, and where the plot ends.

    Only splits need space: to the right of a leaf its line is empty.
    """
    starts, end, level = [0.0], 0.0, [node]
    while level:
        end = max(end, *(starts[-1] + _letters(_shown(at)) for at in level))
        splits = [at for at in level if not at.is_leaf]
        if not splits:
            break
        widest = max(_letters(_shown(at)) for at in splits)
        longest = max(
            _letters(short_text(value), 7 / 8 * SIZE) for at in splits for value, _ in at.branches
        )
        starts.append(starts[-1] + widest + longest + 2 * GAP)
        level = [child for at in splits for _, child in at.branches]
    return [*starts, end + GAP]


def _draw(
    ax: Axes, node: TreeNode, starts: list[float], depth: int, first: int, size: float
) -> float:
    """Draw a subtree whose first leaf is on line ``first``; return the line of its label."""
    x = starts[depth]
    if node.is_leaf:
        _label(ax, x, first, node, size)
        return first
    lines, below = [], first
    split_x = x + max(_letters(_shown(node)), 1) + 0.8
    end = starts[depth + 1] - 0.6
    for value, child in node.branches:
        line = _draw(ax, child, starts, depth + 1, below, size)
        lines.append(line)
        below += child.n_leaves
        ax.text(
            end, line, f"{short_text(value)} ", ha="right", va="bottom", fontsize=7 / 8 * size,
            color="0.35",
        )  # fmt: skip
    middle = (lines[0] + lines[-1]) / 2
    ax.plot([split_x] * 2, [lines[0], lines[-1]], color="0.6", linewidth=0.8)
    for line in lines:
        ax.plot([split_x, end], [line, line], color="0.6", linewidth=0.8)
    ax.plot([x, split_x], [middle, middle], color="0.6", linewidth=0.8)
    _label(ax, x, middle, node, size)
    return middle


def _label(ax: Axes, x: float, line: float, node: TreeNode, size: float) -> None:
    box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "0.6", "linewidth": 0.6}
    if node.is_leaf:
        box |= {"facecolor": _shade(node.shares), "edgecolor": "none"}
    ax.text(x, line, _shown(node), ha="left", va="center", fontsize=size, bbox=box)


def _shade(shares: tuple[float, ...]) -> Any:
    """The colour of the most frequent class, mixed with white by the share of other classes."""
    from matplotlib.colors import to_rgb

    if not shares or max(shares) <= 0:
        return "white"
    most = int(np.argmax(shares))
    strength = 0.15 + 0.45 * max(0.0, shares[most] * len(shares) - 1) / max(len(shares) - 1, 1)
    full = np.array(to_rgb(series_colour(most)))
    if full.mean() < 0.2:  # the text on it must stay readable
        strength /= 2
    return tuple(1 - strength * (1 - full))
