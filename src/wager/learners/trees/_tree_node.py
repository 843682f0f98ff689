"""A decision tree as people read it: the question at each node, and what each leaf predicts.

Learners keep their trees in flat arrays; code that prints or draws a tree needs only ``TreeNode``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["TreeNode"]


@dataclass(frozen=True)
class TreeNode:
    """One node and everything below it.

    Attributes
    ----------
    label : str
        The feature that an inner node splits on, or the prediction of a leaf.
    branches : tuple of (answer, node)
        Empty in a leaf.  An answer continues the label: "<= 4", "= yes".
    shares : tuple of float
        The proportions of the classes, for colours; may be empty.

    Examples
    --------
    >>> tree = TreeNode("wind", (("= low", TreeNode("sail")), ("= high", TreeNode("stay"))))
    >>> print(tree.to_text())
    wind = low: sail
    wind = high: stay
    >>> tree.n_nodes, tree.n_leaves, tree.depth
    (3, 2, 1)
    """

    label: str
    branches: tuple[tuple[str, TreeNode], ...] = ()
    shares: tuple[float, ...] = ()

    @property
    def is_leaf(self) -> bool:
        return not self.branches

    @property
    def n_nodes(self) -> int:
        return sum(1 for _ in self._walk())

    @property
    def n_leaves(self) -> int:
        return sum(node.is_leaf for node, _, _ in self._walk())

    @property
    def depth(self) -> int:
        """Number of splits on the longest path to a leaf."""
        return max(depth for _, depth, _ in self._walk())

    def to_text(self) -> str:
        """One line per branch, indented by depth; the line of a leaf ends with its prediction."""
        if self.is_leaf:
            return f": {self.label}"
        return "\n".join(
            "|   " * (depth - 1) + condition + (f": {node.label}" if node.is_leaf else "")
            for node, depth, condition in self._walk()
            if depth > 0
        )

    def _walk(self) -> Iterator[tuple[TreeNode, int, str]]:
        """Every node with its depth and the condition that leads to it, parents first."""
        waiting = [(self, 0, "")]
        while waiting:
            node, depth, condition = waiting.pop()
            yield node, depth, condition
            waiting += [
                (child, depth + 1, f"{node.label} {answer}")
                for answer, child in reversed(node.branches)
            ]
