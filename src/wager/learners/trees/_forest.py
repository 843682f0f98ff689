"""Forests of credal trees, and two ways to combine their leaves into one set of classes.

Abellán, Mantas & Castellano (2017): bootstrap samples, a few random features at each node, splits
by imprecise information gain, no pruning.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from wager._tables import require_whole
from wager._typing import ArrayLike, Bools, Floats, Ints
from wager.credal import decide
from wager.learners._base import check_option, check_single
from wager.learners._explain import CountExplanation, evidence_of
from wager.learners._threads import in_threads
from wager.learners.trees._base import CredalTreeClassifier
from wager.learners.trees._explain import VoteExplanation
from wager.learners.trees._leaf_intervals import centres, intervals, undominated
from wager.learners.trees._leaf_strengths import (
    RowLeaves,
    mean_strengths,
    ruled_out_up_to,
    vote_strengths,
)
from wager.predictions import ProbabilityIntervals

if TYPE_CHECKING:  # these modules load Numba
    from wager.learners.trees._grow import Training
    from wager.learners.trees._information_gain import SplitRule
    from wager.learners.trees._nodes import TreeNodes, TreeRows

__all__ = ["CredalForest"]


class CredalForest(CredalTreeClassifier):
    """Credal trees on resampled rows; predicts the classes that the fewest trees rule out.

    Each tree is a credal tree on a random sample of the rows that tries random features at each
    node.

    Use it instead of one credal tree if accuracy matters more than a tree that a person can read.

    Numbers that differ by 1e-5 or less are not separated, as in Weka: rescale features in tiny
    units.

    Parameters
    ----------
    n_trees : int, default=100
        Number of trees.
    s : float, default=1.0
        Strength of the imprecise Dirichlet model, in rows.
    combine : {"min-dominated", "average"}, default="min-dominated"
        "min-dominated" keeps the classes that the smallest number of trees rules out (Moral-García
        et al., 2020).  "average" takes the mean of the trees' intervals, which is the credal set of
        the mixture, and keeps the classes that no other class dominates.
    dominance : {"weak", "strict"}, default="weak"
        When a leaf rules a class out, as for ``CredalTree``.
    missing : {"mode", "fractional"}, default="mode"
        How to treat missing values, as for ``CredalTree``.
    n_tried : int, optional
        Number of random features to try in a node; further ones are tried as long as none of them
        gains anything.  floor(log2 m) + 1 by default.
    max_depth : int, optional
        Largest number of splits on the path to a leaf; no limit by default.
    random_state : int, RandomState or None
        Seed of the random rows and features.
    n_jobs : int, optional
        Number of threads; one by default, -1 for all processors.  The result does not depend on it.
    categorical_features, classes, n_values, empty_classes
        As for ``CredalTree``.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_set``, in order.
    trees_ : list of TreeNodes
        The trees as flat arrays with one entry per node.

    Notes
    -----
    ``predict_proba`` returns the mean of the class frequencies of the leaves, ``predict_credal``
    the mean of their intervals, and ``predict`` the most probable class within the set.  The random
    features of a node depend on the seed and on the rows of the node, not on the order of classes
    and values.

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

    def _grow(self, training: Training) -> None:
        from wager.learners.trees._information_gain import grow_credal_tree

        rule, n, n_trees = self._rule(training), len(training.y), int(self.n_trees)
        seeds = check_random_state(self.random_state).randint(1, 2**31 - 1, size=n_trees)

        def grow(seed: int) -> TreeNodes:
            drawn = np.random.default_rng(seed).integers(0, n, n)
            sample = training._replace(weights=np.bincount(drawn, minlength=n))
            return grow_credal_tree(sample, rule, seed, n_trees)

        self.trees_ = list(in_threads(grow, seeds.tolist(), self.n_jobs))

    def predict_set(self, X: Any) -> Bools:
        """The classes that remain when the trees are combined, columns as ``classes_``."""
        if self.combine == "average":
            return decide(self.predict_credal(X)).to_indicator()
        votes = self._votes(self._tree_rows(X))
        return votes == votes.max(axis=1, keepdims=True)

    def _votes(self, rows: TreeRows) -> Ints:
        """How many trees keep each class, (n, K)."""

        def kept(tree: TreeNodes) -> Bools:
            lower, upper = intervals(tree, rows, float(self.s))
            return undominated(lower, upper, self.dominance)

        votes = np.zeros((len(rows.codes), len(self.classes_)), dtype=np.int64)
        for of_tree in in_threads(kept, self.trees_, self.n_jobs):
            votes += of_tree
        return votes

    def robustness(self, X: Any) -> Floats:
        """The largest s at which the trees together leave a single class, always the same one.

        The trees stay as they were grown with the fitted ``s``.  With "min-dominated" the votes
        change where a leaf stops to rule a class out, and the answer is the first such s at which
        the prediction changes; beyond it, another class may be alone again.  With "average" the
        mean intervals widen with s.

        Parameters
        ----------
        X : table as for ``fit``

        Returns
        -------
        ndarray of shape (n,)
            0 where several classes are left at any s, infinity if there is one class only.
        """
        return self._largest_strengths(self._tree_rows(X))

    def _largest_strengths(self, rows: TreeRows) -> Floats:
        each = in_threads(lambda tree: RowLeaves.of(tree, rows), self.trees_, self.n_jobs)
        if self.combine == "average":
            return mean_strengths(list(each))
        return vote_strengths(
            np.stack([ruled_out_up_to(leaves, self.dominance) for leaves in each])
        )

    def explain_set(self, x: Any) -> CountExplanation:
        """Why one row has its predicted set: how many trees keep each class.

        With ``combine="average"`` the mean intervals explain it instead.

        Parameters
        ----------
        x : table with one row

        Returns
        -------
        VoteExplanation, or CountExplanation with ``combine="average"``
            ``print(str(...))`` says it in words; `plot_explanation` draws it.

        Examples
        --------
        >>> X, y = [["a"], ["b"], ["c"]] * 20, [0, 1, 0, 0, 1, 1] * 10
        >>> found = CredalForest(20, random_state=0).fit(X, y).explain_set([["a"]])
        >>> [(one.label, one.count) for one in found.evidence]
        [(0, 20.0), (1, 0.0)]
        """
        rows = self._tree_rows(x)
        check_single(len(rows.codes))
        known: dict[str, Any] = {
            "s": float(self.s),
            "robustness": float(self._largest_strengths(rows)[0]),
        }
        n_trees = len(self.trees_)
        if self.combine == "average":
            bounds = self._mean_intervals(rows)
            kept, unknown = decide(bounds).to_indicator()[0], np.full(len(self.classes_), np.nan)
            return CountExplanation(
                **evidence_of(self.classes_, unknown, bounds.lower[0], bounds.upper[0], kept),
                **known,
                source="The intervals of the trees are averaged",
            )
        votes = self._votes(rows)[0].astype(float)
        share = votes / n_trees
        return VoteExplanation(
            **evidence_of(self.classes_, votes, share, share, votes == votes.max()),
            **known,
            source=f"Of {n_trees} tree{'s' * (n_trees != 1)}",
        )

    def predict_credal(self, X: Any) -> ProbabilityIntervals:
        """The mean of the intervals of each row's leaves."""
        return self._mean_intervals(self._tree_rows(X))

    def _mean_intervals(self, rows: TreeRows) -> ProbabilityIntervals:
        lower, upper = self._mean(lambda tree: np.stack(intervals(tree, rows, float(self.s))))
        return ProbabilityIntervals(lower, upper, self.classes_)

    def predict_proba(self, X: Any) -> Floats:
        """The mean of the class frequencies of each row's leaves."""
        rows = self._tree_rows(X)
        return self._mean(lambda tree: centres(tree, rows, 0.0))

    def _mean(self, of_tree: Callable[[TreeNodes], Floats]) -> Floats:
        parts = in_threads(of_tree, self.trees_, self.n_jobs)
        total = next(parts)
        for part in parts:
            total += part
        return total / len(self.trees_)

    def _rule(self, training: Training) -> SplitRule:
        from wager.learners.trees._information_gain import IIG, TIED
        from wager.learners.trees._npi_entropy import IDM
        from wager.learners.trees._upper_entropy import NO_CORRECTION

        n_features = len(training.rows.n_values)
        usual = int(np.log2(max(n_features, 1))) + 1
        return self._split_rule(
            training,
            model=IDM,
            criterion=IIG,
            complete=False,
            min_rows=0.0,
            correction=NO_CORRECTION,
            gamma=1.0,
            t_base=2.0,
            n_tried=usual if self.n_tried is None else int(self.n_tried),
            tied=TIED,
        )

    def _check_arguments(self) -> None:
        super()._check_arguments()
        check_option("combine", self.combine, ("min-dominated", "average"))
        require_whole(self.n_trees, "n_trees", 1)
        if self.n_tried is not None:
            require_whole(self.n_tried, "n_tried", 1)
