"""Nested dichotomies: many classes as a tree of two-class problems with probability intervals.

Yang, Destercke & Masson (2014); as used for the costs of indeterminacy: Yang, Destercke & Masson
(2017, Section VII-D), where the tree that does best on the learning set is called 2Tr and the
forest of 50 trees Fo.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wager._typing import ArrayLike, Bools, Floats, Ints
from wager.costs import CostMatrix, ExtendedCosts
from wager.learners.dichotomies._base import DichotomiesBase
from wager.learners.dichotomies._class_trees import ClassTree
from wager.learners.dichotomies._credal import Credal, PBoxes, SplitIntervals
from wager.learners.dichotomies._split_models import Splits
from wager.predictions import PredictionSets

__all__ = ["NestedDichotomies", "NestedDichotomyForest"]


class NestedDichotomies(DichotomiesBase):
    """Split the classes in two again and again, with an interval at every split.

    Parameters
    ----------
    tree : {"best", "random"} or nested pairs of labels, default="best"
        "best" draws ``n_trees`` and keeps the one whose predictions cost least on the training
        rows, the 2Tr of Yang, Destercke & Masson (2017); "random" draws one; ``(("a", "b"), "c")``
        is taken as it is.
    ordinal : bool, default=False
        Whether splits cut the order of the classes, which is that of ``classes_``.
    s : float, default=2.0
        Strength of the imprecise Dirichlet models, in rows.
    base : classifier with ``predict_credal``, optional
        What gives the interval at each split; by default the naive credal classifier by posterior
        intervals, which needs a single pass over the rows for all trees.
    n_trees : int, default=50
        How many trees "best" draws.
    costs : CostMatrix, array-like of shape (K, K) or ExtendedCosts, optional
        What predictions cost; 0/1 by default.  To choose the best tree, costs of single classes
        carry over to sets as p-discounted costs.
    r, mode
        Their reward for caution, 0.5 by default, and whether they are "cautious" (by default) or
        "mistake-averse", as in ``CostMatrix.extend``.
    decomposition : {"nested", "cumulative"}, default="nested"
        "cumulative" asks K - 1 times whether the class lies beyond the k-th, as Frank & Hall do,
        instead of splitting by a tree; for ordered classes.
    random_state : int, RandomState or None
        Draws the trees.
    classes, n_values, empty_classes
        What is declared, as for ``NaiveCredal``.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_set``, in order.
    tree_ : nested tuple
        The tree, as pairs of labels; None for "cumulative".
    training_costs_ : ndarray
        With "best": the mean cost of each distinct tree drawn, in their order.

    Notes
    -----
    Lower and upper expectations are found from the leaves to the root, and a class is kept when no
    other has a lower cost under every probability of the set.  ``predict_proba`` goes by the middle
    of every interval; ``predict`` names the class of the set that is most probable under it, or
    cheapest if there are costs.

    Examples
    --------
    >>> X = [["low"], ["low"], ["mid"], ["mid"], ["high"], ["high"]] * 3
    >>> y = ["a", "a", "b", "b", "c", "b"] * 3
    >>> model = NestedDichotomies((("a", "b"), "c")).fit(X, y)
    >>> model.predict_set([["low"], ["high"]]).tolist()
    [[True, False, False], [False, True, True]]
    >>> NestedDichotomies(ordinal=True, random_state=0).fit(X, y).tree_
    (('a', 'b'), 'c')
    """

    def __init__(
        self,
        tree: Any = "best",
        *,
        ordinal: bool = False,
        s: float = 2.0,
        base: Any = None,
        n_trees: int = 50,
        costs: Any = None,
        r: float = 0.5,
        mode: str = "cautious",
        decomposition: str = "nested",
        random_state: Any = None,
        classes: ArrayLike | None = None,
        n_values: ArrayLike | None = None,
        empty_classes: str = "keep",
    ):
        self.tree = tree
        self.ordinal = ordinal
        self.s = s
        self.base = base
        self.n_trees = n_trees
        self.costs = costs
        self.r = r
        self.mode = mode
        self.decomposition = decomposition
        self.random_state = random_state
        self.classes = classes
        self.n_values = n_values
        self.empty_classes = empty_classes

    def _learn(self, rows: Any, y: Ints) -> None:
        self._weights = np.ones(1)
        if self.decomposition == "cumulative":
            self._tree, self.tree_ = None, None
            self._nodes = self._learn_nodes(rows, y, Splits.of_cuts(len(self.classes_)))
            return
        if self.tree == "best" and len(self.classes_) > 1:
            trees, _ = self._sample(self.n_trees)
            self._tree = self._best(trees, rows, y)
        elif isinstance(self.tree, str):
            self._tree = self._sample(1)[0][0]
        else:
            self._tree = ClassTree.from_nested(self.tree, self.classes_)
        self.tree_ = self._tree.to_nested(self.classes_)
        self._nodes = self._learn_nodes(rows, y, Splits.of_trees([self._tree])[0])

    def _best(self, trees: Sequence[ClassTree], rows: Any, y: Ints) -> ClassTree:
        """The tree whose maximal sets cost least on the training rows; the first of several."""
        splits, numbers = Splits.of_trees(trees)
        self._nodes = self._learn_nodes(rows, y, splits)
        extended, labels = self._extended(), self.classes_[y]
        spent = np.zeros(len(trees))
        sets: list[list[Bools]] = [[] for _ in trees]
        for bounds in self._split_bounds(rows):
            for t, (tree, chosen) in enumerate(zip(trees, numbers, strict=True)):
                credal = SplitIntervals(tree, *(bound[:, chosen] for bound in bounds))
                sets[t].append(self._maximal([credal]))
        for t, parts in enumerate(sets):
            predicted = PredictionSets.from_indicator(np.concatenate(parts), self.classes_)
            spent[t] = extended.of(predicted, labels).mean()
        self.training_costs_ = spent
        return trees[int(spent.argmin())]

    def _extended(self) -> ExtendedCosts:
        if isinstance(self.costs, ExtendedCosts):
            return self.costs
        costs = CostMatrix(self._cost_matrix(), self.classes_)
        return costs.extend("p-discounted", r=self.r, mode=self.mode)

    def _credals(self, lower: Floats, upper: Floats) -> list[Credal]:
        if self._tree is None:
            return [PBoxes.of(lower, upper)]
        return [SplitIntervals(self._tree, lower, upper)]

    def _check_arguments(self) -> None:
        super()._check_arguments()
        if self.decomposition not in ("nested", "cumulative"):
            raise ValueError(
                f"decomposition must be 'nested' or 'cumulative', got {self.decomposition!r}"
            )
        if isinstance(self.tree, str) and self.tree not in ("best", "random"):
            raise ValueError(
                f"tree must be 'best', 'random' or nested pairs of labels, got {self.tree!r}"
            )


class NestedDichotomyForest(DichotomiesBase):
    """Average the lower expectations of many trees of two-class problems.

    Parameters
    ----------
    n_trees : int, default=50
        How many trees are drawn, uniformly from all.
    combine : {"mean", "vote"}, default="mean"
        Class i beats j when the mean over the trees of the least expectation of (cost of j - cost
        of i) is positive, or when that of more than half of the trees is.
    ordinal : bool, default=False
        Whether splits cut the order of the classes, which is that of ``classes_``.
    s : float, default=2.0
        Strength of the imprecise Dirichlet models, in rows.
    base : classifier with ``predict_credal``, optional
        What gives the interval at each split, as for ``NestedDichotomies``.
    costs : CostMatrix, array-like of shape (K, K) or ExtendedCosts, optional
        What predictions cost; 0/1 by default.
    random_state : int, RandomState or None
        Draws the trees.
    classes, n_values, empty_classes
        What is declared, as for ``NaiveCredal``.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_set``, in order.
    trees_ : list of nested tuples
        The distinct trees, as pairs of labels.
    tree_counts_ : ndarray
        How often each of them was drawn.

    Notes
    -----
    The Fo of Yang, Destercke & Masson (2017, Section VII-D).  A mean of lower expectations is the
    lower expectation of the average of the credal sets; votes may go round in a circle, and then
    every class is kept.  ``predict_credal`` and ``predict_proba`` are means over the trees;
    ``predict`` names the class of the set that is most probable, or cheapest if there are costs.

    Examples
    --------
    >>> X = [["low"], ["low"], ["mid"], ["mid"], ["high"], ["high"]] * 10
    >>> y = ["a", "a", "b", "b", "c", "b"] * 10
    >>> model = NestedDichotomyForest(ordinal=True, random_state=0).fit(X, y)
    >>> model.predict_set([["low"], ["high"]]).tolist()
    [[True, False, False], [False, True, True]]
    >>> model.trees_
    [(('a', 'b'), 'c'), ('a', ('b', 'c'))]
    """

    def __init__(
        self,
        n_trees: int = 50,
        *,
        combine: str = "mean",
        ordinal: bool = False,
        s: float = 2.0,
        base: Any = None,
        costs: Any = None,
        random_state: Any = None,
        classes: ArrayLike | None = None,
        n_values: ArrayLike | None = None,
        empty_classes: str = "keep",
    ):
        self.n_trees = n_trees
        self.combine = combine
        self.ordinal = ordinal
        self.s = s
        self.base = base
        self.costs = costs
        self.random_state = random_state
        self.classes = classes
        self.n_values = n_values
        self.empty_classes = empty_classes

    def _learn(self, rows: Any, y: Ints) -> None:
        self._trees, self._weights = self._sample(self.n_trees)
        self.trees_ = [tree.to_nested(self.classes_) for tree in self._trees]
        self.tree_counts_ = self._weights.astype(np.int64)
        splits, self._numbers = Splits.of_trees(self._trees)
        self._nodes = self._learn_nodes(rows, y, splits)

    def _credals(self, lower: Floats, upper: Floats) -> list[Credal]:
        return [
            SplitIntervals(tree, lower[:, chosen], upper[:, chosen])
            for tree, chosen in zip(self._trees, self._numbers, strict=True)
        ]

    def _check_arguments(self) -> None:
        super()._check_arguments()
        if self.combine not in ("mean", "vote"):
            raise ValueError(f"combine must be 'mean' or 'vote', got {self.combine!r}")
