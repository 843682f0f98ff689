"""Nested dichotomies: a tree of two-class problems with probability intervals.

Yang, Destercke & Masson (2014); for costs of sets: Yang, Destercke & Masson (2017, Section VII-D),
where the tree that is best on the training rows is called 2Tr.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wager._tables import is_one_of
from wager._typing import ArrayLike, Bools, Floats, Ints
from wager._visible import brief
from wager.costs import CostMatrix, ExtendedCosts
from wager.learners._base import check_option
from wager.learners._strengths import FEW_PRIOR_ROWS, Strength
from wager.learners.dichotomies._base import DichotomiesBase
from wager.learners.dichotomies._class_trees import ClassTree
from wager.learners.dichotomies._credal import Credal, PBoxes, SplitIntervals
from wager.learners.dichotomies._split_models import Splits
from wager.predictions import PredictionSets

__all__ = ["NestedDichotomies"]


class NestedDichotomies(DichotomiesBase):
    """Split the classes in two until single classes are left, with an interval at every split.

    At every split of a tree of classes, a credal classifier for two groups of classes gives an
    interval for the probability of the left group.

    Use it for many classes, for ordered classes (``ordinal=True``), and where mistakes have
    different costs.

    Parameters
    ----------
    tree : {"best", "random"} or nested pairs of labels, default="best"
        "best" draws ``n_trees`` trees and keeps the one whose predictions cost least on the
        training rows, the 2Tr of Yang, Destercke & Masson (2017); "random" draws one; a tree such
        as ``(("a", "b"), "c")`` is used as given.
    ordinal : bool, default=False
        Whether splits must cut the order of the classes, which is that of ``classes_``.
    s : float, default=2.0
        Strength of the imprecise Dirichlet models, in rows.
    base : classifier with ``predict_credal``, optional
        The classifier that gives the interval at each split; by default the naive credal
        classifier with posterior intervals, which needs a single pass over the rows for all trees.
    n_trees : int, default=50
        The number of trees that "best" draws.
    costs : CostMatrix, array-like of shape (K, K) or ExtendedCosts, optional
        The costs of predictions; 0/1 by default.  To choose the best tree, costs of single classes
        are extended to sets as p-discounted costs.
    r, mode
        Parameters of the p-discounted costs, as in ``CostMatrix.extend``: the reward for caution,
        0.5 by default, and "cautious" (the default) or "mistake-averse".
    decomposition : {"nested", "cumulative"}, default="nested"
        "cumulative" uses K - 1 problems "is the class after the k-th one?" instead of a tree, as
        Frank & Hall do; for ordered classes.
    random_state : int, RandomState or None
        Draws the trees.
    classes, n_values, empty_classes
        Declared classes and numbers of values, as for ``NaiveBayes``.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_set``, in order.
    tree_ : nested tuple
        The tree, as pairs of labels; None for "cumulative".
    training_costs_ : ndarray
        With "best": the mean cost of each distinct tree drawn, in the order of the draws.

    Notes
    -----
    Lower and upper expectations are computed from the leaves to the root, and a class is kept
    unless another one has a lower expected cost under every distribution of the credal set.
    ``predict_proba`` uses the middle of every interval; ``predict`` returns the most probable class
    of the set under it, or with costs the cheapest one.  Random trees are drawn over the classes in
    their order, so another order gives other trees, like another seed.

    References
    ----------
    Yang, Destercke & Masson (2017), Section VII-D.

    Frank, E. & Hall, M. (2001). A simple approach to ordinal classification. ECML.

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
            self._split_models = self._learn_splits(rows, y, Splits.of_cuts(len(self.classes_)))
            return
        if is_one_of(self.tree, ("best",)) and len(self.classes_) > 1:
            trees, _ = self._sample(self.n_trees)
            self._tree = self._best(trees, rows, y)
        elif isinstance(self.tree, str):
            self._tree = self._sample(1)[0][0]
        else:
            self._tree = ClassTree.from_nested(self.tree, self.classes_)
        self.tree_ = self._tree.to_nested(self.classes_)
        self._split_models = self._learn_splits(rows, y, Splits.of_trees([self._tree])[0])

    @property
    def _strengths(self) -> tuple[Strength, ...]:
        drawn = self.decomposition == "nested" and isinstance(self.tree, str)
        if self.base is None and drawn and self.tree == "best":
            return (Strength("s", FEW_PRIOR_ROWS, refit="the best tree depends on s"),)
        return super()._strengths

    def _best(self, trees: Sequence[ClassTree], rows: Any, y: Ints) -> ClassTree:
        """The tree whose predicted sets cost least on the training rows; the first if tied."""
        splits, numbers = Splits.of_trees(trees)
        self._split_models = self._learn_splits(rows, y, splits)
        extended, labels = self._extended(), self.classes_[y]
        mean_costs = np.zeros(len(trees))
        sets: list[list[Bools]] = [[] for _ in trees]
        for bounds in self._split_bounds(rows):
            for t, (tree, chosen) in enumerate(zip(trees, numbers, strict=True)):
                credal = SplitIntervals(tree, *(bound[:, chosen] for bound in bounds))
                sets[t].append(self._maximal([credal]))
        for t, parts in enumerate(sets):
            predicted = PredictionSets.from_indicator(np.concatenate(parts), self.classes_)
            mean_costs[t] = extended.of(predicted, labels).mean()
        self.training_costs_ = mean_costs
        return trees[int(mean_costs.argmin())]

    def _extended(self) -> ExtendedCosts:
        if isinstance(self.costs, ExtendedCosts):
            return self.costs
        costs = CostMatrix(self._cost_matrix(), self.classes_)
        return costs.extend("p-discounted", r=self.r, mode=self.mode)

    def _credals(self, lower: Floats, upper: Floats) -> list[Credal]:
        if self._tree is None:
            return [PBoxes.of(lower, upper)]
        return [SplitIntervals(self._tree, lower, upper)]

    def _shown_splits(self, apart: Bools, trees: Floats) -> Sequence[int]:
        from_first = range(len(apart))  # the root is the last split of a tree
        return from_first if self._tree is None else from_first[::-1]

    def _decided(
        self, lower: Floats, upper: Floats, split: int, share: float
    ) -> tuple[Floats, Floats]:
        if self._tree is not None:
            return super()._decided(lower, upper, split, share)
        # up to a cut always means up to the later ones as well; after it, after the earlier ones
        also = slice(split, None) if share else slice(0, split + 1)
        lower, upper = lower.copy(), upper.copy()
        lower[:, also] = upper[:, also] = share
        return lower, upper

    def _check_arguments(self) -> None:
        super()._check_arguments()
        check_option("decomposition", self.decomposition, ("nested", "cumulative"))
        if isinstance(self.tree, str) and self.tree not in ("best", "random"):
            raise ValueError(
                f"tree must be 'best', 'random' or nested pairs of labels, got {brief(self.tree)}"
            )
