"""Forests of nested dichotomies: Yang, Destercke & Masson (2017, Section VII-D)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wager._typing import ArrayLike, Bools, Floats, Ints
from wager.learners._base import check_option
from wager.learners.dichotomies._base import DichotomiesBase
from wager.learners.dichotomies._credal import Credal, SplitIntervals
from wager.learners.dichotomies._split_models import Splits

__all__ = ["NestedDichotomyForest"]


class NestedDichotomyForest(DichotomiesBase):
    """Average the lower expectations of many nested dichotomies.

    Each tree splits the classes at random.  A class dominates another one if the expected cost that
    it saves is positive under the trees' credal sets, on average or for more than half of the
    trees.

    Use it if a single tree of the classes would depend too much on chance, with or without costs.

    Parameters
    ----------
    n_trees : int, default=50
        The number of trees, drawn uniformly from all trees.
    combine : {"mean", "vote"}, default="mean"
        Class i dominates j if the lower expectation of (cost of j - cost of i) is positive: its
        mean over the trees, or that of more than half of the trees.
    ordinal : bool, default=False
        Whether splits must cut the order of the classes, which is that of ``classes_``.
    s : float, default=2.0
        Strength of the imprecise Dirichlet models, in rows.
    base : classifier with ``predict_credal``, optional
        The classifier that gives the interval at each split, as for ``NestedDichotomies``.
    costs : CostMatrix, array-like of shape (K, K) or ExtendedCosts, optional
        The costs of predictions; 0/1 by default.
    random_state : int, RandomState or None
        Draws the trees.
    classes, n_values, empty_classes
        Declared classes and numbers of values, as for ``NaiveBayes``.

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
    This is Fo of Yang, Destercke & Masson (2017, Section VII-D).  A mean of lower expectations is
    the lower expectation of the average of the credal sets; votes may form a cycle, and then every
    class is kept.  ``predict_credal`` and ``predict_proba`` are means over the trees; ``predict``
    returns the most probable class of the set, or with costs the cheapest one.  The random trees
    are drawn over the classes in their order, so another order gives other trees.

    References
    ----------
    Yang, Destercke & Masson (2017), Section VII-D.

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
        self._split_models = self._learn_splits(rows, y, splits)

    def _credals(self, lower: Floats, upper: Floats) -> list[Credal]:
        return [
            SplitIntervals(tree, lower[:, chosen], upper[:, chosen])
            for tree, chosen in zip(self._trees, self._numbers, strict=True)
        ]

    def _split_counts(self) -> Floats:
        times = np.zeros(len(self._split_models.splits))
        for chosen, weight in zip(self._numbers, self._weights, strict=True):
            times[chosen] += weight
        return times

    def _shown_splits(self, apart: Bools, trees: Floats) -> Sequence[int]:
        chosen = np.flatnonzero(apart)
        return chosen[np.argsort(-trees[chosen], kind="stable")].tolist()

    def _check_arguments(self) -> None:
        super()._check_arguments()
        check_option("combine", self.combine, ("mean", "vote"))
