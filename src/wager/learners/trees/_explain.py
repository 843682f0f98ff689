"""Why a leaf of a credal tree keeps the classes that it keeps: the tests on the way, the counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._tables import Table
from wager._typing import Array, Ints
from wager.learners._explain import CountExplanation, shown_label, shown_number

if TYPE_CHECKING:  # these modules load Numba
    from wager.learners.trees._nodes import TreeNodes, TreeRows

__all__ = ["LeafExplanation", "LeafPath", "VoteExplanation"]


@dataclass(frozen=True, repr=False)
class LeafExplanation(CountExplanation):
    """Why a row has its predicted set, by the class counts of its leaf in a credal tree.

    Attributes
    ----------
    path : tuple of str
        The tests from the root to the leaf; of a row whose missing values lead to several leaves,
        the tests before the first missing value.
    filled : tuple of str
        The features on the path that are missing in the row, so that usual values count.
    undecided_by : tuple
        A pair (test, class): before this test of the path the tree would leave that class alone,
        from it on not; empty if one class is kept, or if no node of the path leaves one class.
    """

    path: tuple[str, ...]
    filled: tuple[str, ...]
    undecided_by: tuple[Any, ...]

    def _why_several(self) -> list[str]:
        said = super()._why_several()
        if self.undecided_by:
            test, label = self.undecided_by
            said.append(f"Before the test {test}, {shown_label(label)} would be alone.")
        return said

    def _counted(self) -> str:
        if not self.filled:
            return super()._counted()
        shown, verb = " and ".join(self.filled), "is" if len(self.filled) == 1 else "are"
        return f"{super()._counted()} The row's {shown} {verb} missing, so usual values count."


@dataclass(frozen=True, repr=False)
class VoteExplanation(CountExplanation):
    """Why a row has its predicted set, by how many trees of a forest keep each class.

    The classes that the most trees keep remain; ``lead`` counts trees.
    """

    _colon, _verb = ",", "keep"

    def _why_alone(self) -> list[str]:
        first, second = self._both
        return [
            f"The prediction is {shown_label(first.label)} alone: more trees keep it than any "
            "other class.",
            self._counted(),
            f"The closest rival is {shown_label(second.label)}, {shown_number(self.lead)} "
            f"tree{'s' * (self.lead != 1)} behind.",
        ]

    def _why_several(self) -> list[str]:
        first, second = self._both
        return [
            self._counted(),
            f"{shown_label(first.label)} and {shown_label(second.label)} are undecided: "
            f"{shown_number(first.count)} trees keep each of them, and no class has more.",
        ]

    def _table(self) -> Table:
        rows = [
            [str(one.label), shown_number(one.count), "kept" if one.label in self.kept else ""]
            for one in self.evidence
        ]
        return Table(["class", "trees that keep it", "prediction"], rows, "<><")


@dataclass(frozen=True)
class LeafPath:
    """The nodes and tests that one row passes in a tree.

    Attributes
    ----------
    nodes : list of int
        From the root on; without the last one if the last value has no branch.
    turns : list of (int, int)
        The feature and the branch of each split.
    tests : list of str
        The same in words, such as "wind <= 4".
    ends : str
        "leaf", or "missing" or "no branch" after the first test that cannot be answered.
    """

    nodes: list[int]
    turns: list[tuple[int, int]]
    tests: list[str]
    ends: str

    @classmethod
    def of(
        cls,
        tree: TreeNodes,
        rows: TreeRows,
        names: Sequence[str],
        levels: Sequence[Array | None],
    ) -> LeafPath:
        """The path of the only row."""
        from wager.learners.trees._labels import answers
        from wager.learners.trees._nodes import branch_of

        node, table, found = 0, rows.flat(), cls([0], [], [], "leaf")
        while tree.n_children[node] > 0:
            a, n = int(tree.feature[node]), int(tree.n_children[node])
            b = branch_of(table, a, tree.threshold[node], 0)
            if b < 0:
                return cls(found.nodes, found.turns, found.tests, "missing")
            found.turns.append((a, b))
            if b >= n:
                found.tests.append(f"{names[a]} = a new value")
                return cls(found.nodes, found.turns, found.tests, "no branch")
            found.tests.append(f"{names[a]} {answers(tree.threshold[node], n, levels[a])[b]}")
            node = int(tree.first[node]) + b
            found.nodes.append(node)
        return found

    @property
    def shortest(self) -> str:
        """The tests that matter, in words: of several bounds of one side the last, narrowest."""
        return " and ".join(dict(zip(self.turns, self.tests, strict=True)).values())

    def source(self, n_rows: float, n_leaves: int) -> str:
        """Where the counts of a row come from, in words."""
        if self.ends == "missing":
            before = f"After {self.shortest}, missing" if self.tests else "Missing"
            return f"{before} values lead to {n_leaves} leaves, whose intervals are averaged"
        leaf = f"The leaf with {self.shortest}" if self.tests else "The tree is one leaf and"
        rows = "no training rows" if n_rows == 0 else f"{shown_number(n_rows)} training rows"
        return f"{leaf} has {rows[:-1] if n_rows == 1 else rows}"

    def undecided_by(self, kept: Any, classes: Array) -> tuple[Any, ...]:
        """The test from which on no node leaves one class, and the class alone before it.

        ``kept`` has one line per node of the path.
        """
        single: Ints = np.flatnonzero(kept.sum(axis=1) == 1)
        if not len(single) or single[-1] >= len(self.tests):
            return ()
        at = int(single[-1])
        return self.tests[at], classes[kept[at]].tolist()[0]
