"""A decision tree as a reader sees it: what each node asks or says, and what leads to it.

Learners keep their trees in flat arrays of their own; whatever prints or draws one needs only this.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["TreeMixin", "TreeNode"]


@dataclass(frozen=True)
class TreeNode:
    """One node and all below it.

    Attributes
    ----------
    label : str
        The feature that is asked for, or what a leaf says.
    branches : tuple of (answer, node)
        Empty in a leaf; an answer reads on from the label: "<= 4", "= yes".
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
        """Questions on the longest way to a leaf."""
        return max(depth for _, depth, _ in self._walk())

    def to_text(self) -> str:
        """One line a branch, indented by depth; a leaf's line ends with what it says."""
        if self.is_leaf:
            return f": {self.label}"
        return "\n".join(
            "|   " * (depth - 1) + question + (f": {node.label}" if node.is_leaf else "")
            for node, depth, question in self._walk()
            if depth > 0
        )

    def _walk(self) -> Iterator[tuple[TreeNode, int, str]]:
        """Every node with its depth and the question that leads to it, fathers first."""
        waiting = [(self, 0, "")]
        while waiting:
            node, depth, question = waiting.pop()
            yield node, depth, question
            waiting += [
                (son, depth + 1, f"{node.label} {answer}")
                for answer, son in reversed(node.branches)
            ]


class TreeMixin:
    """The size and the words of an estimator that keeps its tree as flat arrays in ``tree_``."""

    tree_: Any

    def to_node(self) -> TreeNode:
        """The tree as nested nodes with labels, to print or draw."""
        raise NotImplementedError

    def to_text(self) -> str:
        """The tree in words, one line a branch."""
        return self.to_node().to_text()

    @property
    def n_nodes_(self) -> int:
        return len(self.tree_.feature)

    @property
    def n_leaves_(self) -> int:
        return int((self.tree_.feature < 0).sum())

    @property
    def depth_(self) -> int:
        from wager.learners.trees._predict import tree_depth

        return int(tree_depth(self.tree_))
