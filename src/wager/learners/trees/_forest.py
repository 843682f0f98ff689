"""Forests of credal trees, and two ways to make one set out of many leaves.

Abellán, Mantas & Castellano (2017): bootstrap samples, a few random features at each node, splits
by imprecise information gain, no pruning.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from wager._typing import ArrayLike, Bools, Floats
from wager.credal import decide
from wager.learners._threads import in_threads
from wager.learners.trees._answers import centres, intervals, undominated
from wager.learners.trees._rows import UNLIMITED, CredalTreeBase, TreeGrower
from wager.predictions import ProbabilityIntervals

__all__ = ["CredalForest"]


class CredalForest(CredalTreeBase):
    """Grow many credal trees on resampled rows, and keep the classes that fewest of them rule out.

    Parameters
    ----------
    n_trees : int, default=100
        Number of trees.
    s : float, default=1.0
        Strength of the imprecise Dirichlet model, in rows.
    combine : {"min-dominated", "average"}, default="min-dominated"
        "min-dominated" keeps the classes that the smallest number of trees rules out (Moral-García
        et al., 2020).  "average" takes the mean of the trees' intervals, the credal set of the
        mixture, and keeps the classes that no interval leaves behind.
    dominance : {"weak", "strict"}, default="weak"
        When a leaf rules a class out, as for ``CredalTree``.
    missing : {"mode", "fractional"}, default="mode"
        What becomes of missing values, as for ``CredalTree``.
    n_tried : int, optional
        Number of features that are looked at in a node, and more while none of them gains anything;
        floor(log2 m) + 1 by default.
    max_depth : int, optional
        Number of questions on the way to a leaf; no limit by default.
    random_state : int, RandomState or None
        Draws the rows and the features.
    n_jobs : int, optional
        Number of threads; one by default, -1 for all processors.  Does not change the result.
    categorical_features, classes, n_values, empty_classes
        As for ``CredalTree``.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_set``, in order.
    trees_ : list of Nodes
        The trees as flat arrays.

    Notes
    -----
    ``predict_proba`` is the mean of the class frequencies of the leaves, ``predict_credal`` the
    mean of their intervals, and ``predict`` the most probable class within the set.

    References
    ----------
    Abellán, J., Mantas, C. J. & Castellano, J. G. (2017). A random forest approach using imprecise
    probabilities. Knowledge-Based Systems 134.

    Moral-García, S., Mantas, C. J., Castellano, J. G., Benítez, M. D. & Abellán, J. (2020). Bagging
    of credal decision trees for imprecise classification. Expert Systems with Applications 141.

    Examples
    --------
    >>> X, y = [["a"], ["b"], ["c"]] * 20, [0, 1, 0, 0, 1, 1] * 10
    >>> forest = CredalForest(20, random_state=0).fit(X, y)
    >>> forest.predict_set([["a"], ["b"], ["c"]]).tolist()
    [[True, False], [False, True], [True, True]]
    """

    def __init__(
        self,
        n_trees: int = 100,
        s: float = 1.0,
        combine: str = "min-dominated",
        *,
        dominance: str = "weak",
        missing: str = "mode",
        n_tried: int | None = None,
        max_depth: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        categorical_features: Any = "auto",
        classes: ArrayLike | None = None,
        n_values: ArrayLike | None = None,
        empty_classes: str = "keep",
    ):
        self.n_trees = n_trees
        self.s = s
        self.combine = combine
        self.dominance = dominance
        self.missing = missing
        self.n_tried = n_tried
        self.max_depth = max_depth
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.categorical_features = categorical_features
        self.classes = classes
        self.n_values = n_values
        self.empty_classes = empty_classes

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the trees, each on rows drawn with replacement.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
            Missing is NaN, None, NA, or -1 in an array of integers.
        y : array-like of shape (n,)
        """
        self._check_arguments()
        rows, labels = self._read_tree_rows(X, y)
        grower, rule = TreeGrower(rows, labels, len(self.classes_)), self._rule(len(rows.n_values))
        seeds = check_random_state(self.random_state).randint(1, 2**31 - 1, size=self.n_trees)

        def grow(seed: int) -> Any:
            n = len(labels)
            drawn = np.random.default_rng(seed).integers(0, n, n)
            return grower.grow(rule, np.bincount(drawn, minlength=n), seed)

        self.trees_ = list(in_threads(grow, seeds.tolist(), self.n_jobs))
        return self

    def predict_set(self, X: Any) -> Bools:
        """The classes that remain when the trees are combined, columns as ``classes_``."""
        if self.combine == "average":
            return decide(self.predict_credal(X)).to_indicator()
        rows, n_rows = self._rows_to_predict(X)

        def ruled_out(tree: Any) -> Bools:
            lower, upper = intervals(tree, rows, n_rows, float(self.s))
            return ~undominated(lower, upper, self.dominance)

        votes = np.zeros((n_rows, len(self.classes_)), dtype=np.int64)
        for against in in_threads(ruled_out, self.trees_, self.n_jobs):
            votes += against
        return votes == votes.min(axis=1, keepdims=True)

    def predict_credal(self, X: Any) -> ProbabilityIntervals:
        """The mean of the intervals of each row's leaves."""
        rows, n_rows = self._rows_to_predict(X)

        def bounds(tree: Any) -> Floats:
            return np.stack(intervals(tree, rows, n_rows, float(self.s)))

        lower, upper = self._mean(bounds)
        return ProbabilityIntervals(lower, upper, self.classes_)

    def predict_proba(self, X: Any) -> Floats:
        """The mean of the class frequencies of each row's leaves."""
        rows, n_rows = self._rows_to_predict(X)

        def frequencies(tree: Any) -> Floats:
            return centres(tree, rows, n_rows, 0.0)

        return self._mean(frequencies)

    def _mean(self, of_tree: Callable[[Any], Floats]) -> Floats:
        parts = in_threads(of_tree, self.trees_, self.n_jobs)
        total = next(parts)
        for part in parts:
            total += part
        return total / len(self.trees_)

    def _rule(self, n_features: int) -> Any:
        from wager.learners.trees._credal_gain import CRITERIA, Rule

        usual = int(np.log2(max(n_features, 1))) + 1
        return Rule(
            s=float(self.s),
            criterion=CRITERIA["iig"],
            complete=False,
            min_rows=0.0,
            max_depth=UNLIMITED if self.max_depth is None else int(self.max_depth),
            correction=0,
            gamma=1.0,
            t_base=2.0,
            n_tried=usual if self.n_tried is None else int(self.n_tried),
        )

    def _check_arguments(self) -> None:
        self._check_shared_arguments()
        if self.combine not in ("min-dominated", "average"):
            raise ValueError(f"combine must be 'min-dominated' or 'average', got {self.combine!r}")
        for name, value in (("n_trees", self.n_trees), ("n_tried", self.n_tried)):
            if value is not None and not (value == int(value) and value >= 1):
                raise ValueError(f"{name} must be a whole number, 1 or more, got {value!r}")
