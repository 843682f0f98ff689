"""Measures of predictions in a hierarchy of classes: how deep they are, and how often right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import RowUnits
from wager._typing import ArrayLike, Bools, Floats, Ints
from wager.costs._checks import check_lengths
from wager.costs._hierarchy import ClassHierarchy, NodeValue
from wager.costs._named_estimates import NamedEstimates, estimate_rows, mean_of_rows
from wager.predictions import PredictionSets
from wager.rewards import Measure, UtilityLike, as_measure, register

__all__ = [
    "HierarchyEvaluation",
    "correct_at_depth",
    "evaluate_hierarchy",
    "hierarchical_utility",
    "mean_node_depth",
    "node_error",
]


@dataclass(frozen=True, eq=False)
class PredictedNodes:
    """The node of each prediction, and the true class."""

    tree: ClassHierarchy
    node: Ints  # -1 for an empty set
    sets: PredictionSets
    truth: Ints

    @classmethod
    def of(
        cls, y_true: ArrayLike, y_pred: Any, hierarchy: Any, classes: ArrayLike | None
    ) -> PredictedNodes:
        """Read true classes and predictions over the leaves of a tree."""
        tree = as_hierarchy(hierarchy)
        node, sets = tree.read(y_pred, classes)
        truth = tree.truth(y_true)
        check_lengths(len(node), len(truth))
        return cls(tree, node, sets, truth)

    @property
    def some(self) -> Bools:
        """Whether the set is not empty."""
        return self.node >= 0

    @property
    def wrong(self) -> Floats:
        """1 if the true class is not below the node, which an empty set does not have."""
        below = (self.truth >= self.tree.first[self.node]) & (
            self.truth < self.tree.last[self.node]
        )
        return np.where(below & self.some, 0.0, 1.0)

    @property
    def depth(self) -> Floats:
        """The depth of the node; NaN for an empty set."""
        return np.where(self.some, self.tree.depths[self.node], np.nan)

    @property
    def is_node(self) -> Floats:
        """1 if the set has all classes below its node; NaN for an empty set."""
        whole = self.sets.sizes == self.tree.n_leaves[self.node]
        return np.where(self.some, whole, np.nan)

    def correct_at(self, depth: int) -> Floats:
        """1 if the prediction determines the ancestor of the true class at some depth."""
        wanted = self.tree.ancestors_at(depth)[self.truth]
        inside = (self.tree.first[self.node] >= self.tree.first[wanted]) & (
            self.tree.last[self.node] <= self.tree.last[wanted]
        )
        return np.where(inside & self.some, 1.0, 0.0)


@dataclass(frozen=True, repr=False)
class HierarchyEvaluation(NamedEstimates):
    """Measures of predictions in a hierarchy, each with its standard error and interval.

    Parameters
    ----------
    estimates : mapping of name to Estimate
        The measures by name: ``evaluation["node_error"]`` is a value; ``correct_at_depth:2`` is
        that at depth 2.
    n_rows : int
        The number of predictions.
    """

    def sentence(self) -> str:
        """The main results in a sentence."""
        return (
            f"{self.n_rows:,} predictions: the nodes have depth {self['mean_node_depth']:.2f} on "
            f"average, and {100 * self['node_error']:.1f}% of them do not contain the true class."
        )


def as_hierarchy(hierarchy: Any) -> ClassHierarchy:
    """The hierarchy, or the one that its description gives."""
    return hierarchy if isinstance(hierarchy, ClassHierarchy) else ClassHierarchy(hierarchy)


@as_measure(
    meaning="The mean utility of predictions as nodes of a hierarchy of classes.",
    formula="mean of u(value of the node) for a hit and u(0) for a miss; the value of a node is "
    "1 / leaves, its relative depth, or 1 - log(leaves) / log(K)",
    use="For predictions such as 'some animal': a smaller node is worth more. Read it together "
    "with the node error.",
    source="Deng, Krause, Berg & Fei-Fei (2012), with a utility",
    range="that of the utility; larger is better",
    aliases=("hierarchy_utility", "evaluate_hierarchy"),
)
def hierarchical_utility(
    y_true: ArrayLike,
    y_pred: Any,
    hierarchy: Any,
    utility: UtilityLike = "u65",
    by: NodeValue = "leaves",
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """The mean utility of predictions as nodes of a hierarchy of classes.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true classes, which are leaves.
    y_pred : anything `wager.predictions.as_sets` takes
        The predicted sets; ``hierarchy.sets(nodes)`` makes them from nodes.
    hierarchy : ClassHierarchy, or anything that `ClassHierarchy` takes
        The tree of classes.
    utility, by
        As in `ClassHierarchy.rewards`.
    sample_weight : array-like of shape (n,), optional
        A weight for each row.
    classes : array-like of shape (K,), optional
        The classes of the columns of ``y_pred``.

    Examples
    --------
    >>> tree = ClassHierarchy({"animal": ["dog", "cat"], "plant": ["oak", "fir"]})
    >>> sets = tree.sets(["animal", "oak", "plant"])
    >>> round(hierarchical_utility(["dog", "oak", "cat"], sets, tree, "u65"), 4)
    0.55
    """
    tree = as_hierarchy(hierarchy)
    rewards = tree.rewards(utility, by)
    rows = PredictedNodes.of(y_true, y_pred, tree, classes)
    return mean_of_rows(rewards.at(rows.sets, rows.truth), sample_weight)


@as_measure(
    meaning="How often a prediction determines the node above the true class at some depth.",
    formula="share of rows whose node is the ancestor of the true class at that depth, or below "
    "it; a class that is not that deep must be predicted itself",
    use="Depth 0 is the root, which every prediction that is not empty determines; the depth of "
    "the leaves gives the share of right single classes.",
    source="common in hierarchical classification",
    aliases=("correct_at",),
)
def correct_at_depth(
    y_true: ArrayLike,
    y_pred: Any,
    hierarchy: Any,
    depth: int = 1,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """How often a prediction determines the node above the true class at some depth.

    Parameters
    ----------
    y_true, y_pred, hierarchy, sample_weight, classes
        As in `hierarchical_utility`.
    depth : int, default=1
        The depth, 0 for the root.

    Examples
    --------
    >>> tree = ClassHierarchy({"animal": ["dog", "cat"], "plant": ["oak", "fir"]})
    >>> sets = tree.sets(["animal", "oak", "plant", "(all)"])
    >>> truth = ["dog", "oak", "cat", "cat"]
    >>> [correct_at_depth(truth, sets, tree, depth) for depth in (0, 1, 2)]
    [1.0, 0.5, 0.25]
    """
    rows = PredictedNodes.of(y_true, y_pred, hierarchy, classes)
    return mean_of_rows(rows.correct_at(depth), sample_weight)


@as_measure(
    greater_is_better=False,
    meaning="How often the true class is not below the predicted node.",
    formula="share of rows whose smallest node around the set does not contain the true class",
    use="The root has no error: read it together with the mean node depth.",
    source="common in hierarchical classification",
    range="0 (best) to 1",
)
def node_error(
    y_true: ArrayLike,
    y_pred: Any,
    hierarchy: Any,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """How often the true class is not below the predicted node.

    Parameters
    ----------
    y_true, y_pred, hierarchy, sample_weight, classes
        As in `hierarchical_utility`.

    Examples
    --------
    >>> tree = ClassHierarchy({"animal": ["dog", "cat"], "plant": ["oak", "fir"]})
    >>> node_error(["dog", "cat"], tree.sets(["animal", "oak"]), tree)
    0.5
    """
    return mean_of_rows(PredictedNodes.of(y_true, y_pred, hierarchy, classes).wrong, sample_weight)


@as_measure(
    greater_is_better=None,
    meaning="The mean depth of the smallest nodes around the predicted sets.",
    formula="mean of the depth of the node; 0 for the root; empty sets are left out",
    use="Deeper predictions say more, if they are right: read it together with the node error.",
    source="common in hierarchical classification",
    range="0 (the root) to the height of the tree",
    needs_truth=False,
    aliases=("node_depth",),
)
def mean_node_depth(
    y_pred: Any,
    hierarchy: Any,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """The mean depth of the smallest nodes around the predicted sets.

    Parameters
    ----------
    y_pred, hierarchy, sample_weight, classes
        As in `hierarchical_utility`.

    Examples
    --------
    >>> tree = ClassHierarchy({"animal": ["dog", "cat"], "plant": ["oak", "fir"]})
    >>> mean_node_depth(tree.sets(["animal", "oak"]), tree)
    1.5
    """
    tree = as_hierarchy(hierarchy)
    node, _ = tree.read(y_pred, classes)
    check_lengths(len(node), len(node))
    return mean_of_rows(np.where(node >= 0, tree.depths[node], np.nan), sample_weight)


register(
    Measure(
        "sets_that_are_nodes",
        greater_is_better=None,
        meaning="How often the predicted set consists of all classes below a node.",
        formula="share of sets that have as many classes as the smallest node around them",
        use="Other sets have the value, the depth and the errors of that node, but the utility "
        "counts classes that they leave out as misses. `ClassHierarchy.sets` makes sets from "
        "nodes.",
        source="common in hierarchical classification",
        range="0 to 1",
    )
)


def evaluate_hierarchy(
    y_true: ArrayLike,
    y_pred: Any,
    hierarchy: Any,
    utility: UtilityLike = "u65",
    by: NodeValue = "leaves",
    *,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> HierarchyEvaluation:
    """Measures of predictions in a hierarchy of classes, with standard errors and intervals.

    Parameters
    ----------
    y_true, y_pred, hierarchy, utility, by, classes
        As in `hierarchical_utility`.
    sample_weight, counts, groups
        As in `wager.metrics.evaluate_sets`.

    Examples
    --------
    >>> tree = ClassHierarchy({"animal": ["dog", "cat"], "plant": ["oak", "fir"]})
    >>> sets = tree.sets(["animal", "oak", "plant", "(all)"])
    >>> found = evaluate_hierarchy(["dog", "oak", "cat", "cat"], sets, tree)
    >>> found["node_error"], found["correct_at_depth:1"]
    (0.25, 0.5)
    """
    tree = as_hierarchy(hierarchy)
    rewards = tree.rewards(utility, by)
    rows = PredictedNodes.of(y_true, y_pred, tree, classes)
    units = RowUnits.of(len(rows.truth), sample_weight, counts, groups)
    low, high = float(rewards.ranges[:, 0].min()), float(rewards.ranges[:, 1].max())
    estimates = {
        "hierarchical_utility": estimate_rows(rewards.at(rows.sets, rows.truth), units, low, high),
        "node_error": estimate_rows(rows.wrong, units, 0, 1),
        "mean_node_depth": estimate_rows(rows.depth, units, 0, tree.height),
    }
    for depth in range(1, tree.height + 1):
        estimates[f"correct_at_depth:{depth}"] = estimate_rows(rows.correct_at(depth), units, 0, 1)
    estimates["sets_that_are_nodes"] = estimate_rows(rows.is_node, units, 0, 1)
    return HierarchyEvaluation(estimates, units.observations(len(rows.truth)))
