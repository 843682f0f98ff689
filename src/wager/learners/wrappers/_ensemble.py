"""Probability intervals from the spread of an ensemble, or from the leaves of a forest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, validate_data

from wager._tables import real_number
from wager._typing import Bools, Floats, Ints
from wager._visible import brief
from wager.credal import CredalVertices, DecisionRule, decide
from wager.learners._base import check_option, check_strength
from wager.learners._robustness import RobustMixin
from wager.learners._single_up_to import largest_root
from wager.learners._strengths import PRIOR_ROWS, SHARES, Strength
from wager.learners.wrappers._base import CredalWrapper
from wager.learners.wrappers._inner import innermost, input_of_innermost
from wager.learners.wrappers._members import Members
from wager.predictions import ProbabilityIntervals

__all__ = ["EnsembleCredal"]

ENVELOPES = ("minmax", "quantile", "hull", "idm")
STACK = 1 << 22  # probabilities of all members that are held in memory at a time


class EnsembleCredal(RobustMixin, CredalWrapper):
    """Use the disagreement between the members of an ensemble as a measure of what is not known.

    The probabilities of the members form a credal set, and a decision rule turns it into a set of
    classes.

    Use it for caution with a random forest or another ensemble that is trained already.

    Parameters
    ----------
    estimator : ensemble
        A scikit-learn ensemble whose members give probabilities, such as BaggingClassifier,
        RandomForestClassifier or VotingClassifier, or a pipeline or a search that ends in one; it
        is cloned, never modified.
    envelope : {"minmax", "quantile", "hull", "idm"}, default="minmax"
        "minmax" takes the smallest and the largest probability of each class over the members.
        "quantile" leaves out the extreme ones.  "hull" takes all mixtures of the members, which is
        a smaller credal set.  "idm" uses the leaves of a forest: each tree gives the intervals of
        the imprecise Dirichlet model for the counts of its leaf, and the bounds are averaged over
        the trees.
    alpha : float, default=0.1
        With "quantile": the share of the members that is left out, half of it on each side.
    s : float, default=1.0
        With "idm": the strength of the model, in rows.
    rule : str, default="maximality"
        The decision rule, as in `decide`.
    costs : CostMatrix or array-like of shape (K, K), optional
        The cost of predicting a class (row) when another is true (column); 0/1 by default.

    Attributes
    ----------
    estimator_ : ensemble
        The fitted clone.
    classes_ : ndarray
        The columns of ``predict_set``, in order.

    Notes
    -----
    ``predict_proba`` is that of the ensemble; if it has none, the middle of the intervals.
    ``predict`` returns the most probable class of the set under it, or with costs the cheapest one.

    References
    ----------
    Shaker, M. H. & Hüllermeier, E. (2020). Aleatoric and epistemic uncertainty with random forests.
    Advances in Intelligent Data Analysis.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(50, random_state=0)
    >>> model = EnsembleCredal(forest, "idm").fit(X, y)
    >>> model.predict_set(X[[0, 70]]).tolist()  # the second iris is ambiguous
    [[True, False, False], [False, True, True]]
    """

    def __init__(
        self,
        estimator: Any,
        envelope: str = "minmax",
        *,
        alpha: float = 0.1,
        s: float = 1.0,
        rule: DecisionRule = "maximality",
        costs: Any = None,
    ):
        self.estimator = estimator
        self.envelope = envelope
        self.alpha = alpha
        self.s = s
        self.rule = rule
        self.costs = costs

    def _sets(self, X: Any) -> Bools:
        if self.envelope != "hull":
            return super()._sets(X)
        parts = (CredalVertices(stack, self.classes_) for stack in self._stacks(X))
        return np.concatenate([decide(p, self.rule, self.costs).to_indicator() for p in parts])

    def robustness(self, X: Any) -> Floats:
        """The largest s at which the leaves of the forest leave a single class.

        Needs ``envelope="idm"``, since the other envelopes have no strength, and a rule under which
        sets grow with the credal set: "maximality", "e-admissibility" or "interval-dominance".

        Parameters
        ----------
        X : table
            Any input that the estimator accepts.

        Returns
        -------
        ndarray of shape (n,)
            0 where several classes are left at any s, infinity where one class is left at every s.
        """
        check_is_fitted(self)
        if self.envelope != "idm":
            raise ValueError(
                f"robustness needs a strength, and envelope={self.envelope!r} has none: set "
                "envelope='idm'"
            )
        if self.rule.startswith("gamma"):
            raise ValueError(
                f"robustness needs a rule that keeps more classes as s grows, but {self.rule!r} "
                "names one class at every s: set rule='maximality'"
            )
        members, table = self._members_and_table(X)
        counts = np.stack(list(members.leaf_counts(table)))  # (trees, n, K)
        sizes = counts.sum(axis=2, keepdims=True)

        def sets(rows: Ints, s: Floats) -> Bools:
            total = sizes[:, rows] + s[:, None]
            lower = (counts[:, rows] / total).mean(axis=0)
            upper = lower + (s[:, None] / total).mean(axis=0)
            intervals = ProbabilityIntervals(lower, upper, self.classes_)
            return decide(intervals, self.rule, self.costs).to_indicator()

        def margin(rows: Ints, s: Floats) -> Floats:
            return np.where(sets(rows, s).sum(axis=1) == 1, 1.0, -1.0)

        return largest_root(margin, counts.shape[1])

    def _credal(self, X: Any) -> ProbabilityIntervals:
        if self.envelope == "idm":
            lower, upper = self._leaves(X)
        elif self.envelope == "quantile":
            return self._of_quantiles(self._stacks(X), self.alpha)
        else:
            lower, upper = self._span(X)
        return ProbabilityIntervals(lower, upper, self.classes_)

    def _span(self, X: Any) -> tuple[Floats, Floats]:
        """The smallest and the largest probability of each class over the members."""
        members, table = self._members_and_table(X)
        each = members.proba(table)
        lower = next(each).copy()
        upper = lower.copy()
        for proba in each:
            np.minimum(lower, proba, out=lower)
            np.maximum(upper, proba, out=upper)
        return lower, upper

    def _of_quantiles(self, stacks: Iterable[Floats], alpha: float) -> ProbabilityIntervals:
        parts = [_quantiles(stack, alpha) for stack in stacks]
        lower, upper = (np.concatenate(bound) for bound in zip(*parts, strict=True))
        return ProbabilityIntervals(lower, upper, self.classes_)

    def _leaves(self, X: Any) -> tuple[Floats, Floats]:
        members, table = self._members_and_table(X)
        return _mean_of_leaves(members.leaf_counts(table), len(members), self.s)

    @property
    def _strengths(self) -> tuple[Strength, ...]:
        if self.envelope == "idm":
            return (Strength("s", PRIOR_ROWS),)
        return (Strength("alpha", (*SHARES, 1.0)),) if self.envelope == "quantile" else ()

    def _sets_by_strength(self, X: Any, name: str, values: Sequence[float]) -> Bools:
        """The sets for several values, from the same probabilities or leaves of the members."""
        if name == "s":
            members, table = self._members_and_table(X)
            leaves = list(members.leaf_counts(table))
            bounds = (_mean_of_leaves(leaves, len(leaves), value) for value in values)
            credals = (ProbabilityIntervals(low, high, self.classes_) for low, high in bounds)
        else:
            stacks = list(self._stacks(X))
            credals = (self._of_quantiles(stacks, value) for value in values)
        return np.stack([decide(c, self.rule, self.costs).to_indicator() for c in credals])

    def _stacks(self, X: Any) -> Iterator[Floats]:
        """The probabilities of all members, some rows at a time, (rows, members, K)."""
        members, table = self._members_and_table(X)
        step = max(1, STACK // (len(members) * members.n_classes))
        for start in range(0, table.shape[0], step):
            rows = _safe_indexing(table, slice(start, start + step))
            yield np.stack(list(members.proba(rows)), axis=1)

    def _members_and_table(self, X: Any) -> tuple[Members, Any]:
        ensemble, rows = innermost(self.estimator_), input_of_innermost(self.estimator_, X)
        members = Members.of(ensemble)
        table = members.read(rows)
        # checks the number and the names of the columns, as the ensemble itself would
        validate_data(ensemble, X=rows, reset=False, skip_check_array=True)
        return members, table

    def _check_arguments(self) -> None:
        check_option("envelope", self.envelope, ENVELOPES)
        if not 0 <= real_number(self.alpha, "alpha") <= 1:
            raise ValueError(
                f"alpha must be a share of the members, 0 to 1, got {brief(self.alpha)}"
            )
        check_strength(self.s)

    def _check_fitted_estimator(self) -> None:
        Members.of(innermost(self.estimator_))


def _mean_of_leaves(leaves: Iterable[Floats], trees: int, s: float) -> tuple[Floats, Floats]:
    """Mean over the trees of ``n(c) / (n + s)`` and of ``(n(c) + s) / (n + s)``."""
    lower = upper = np.zeros(())
    for counts in leaves:
        rows = counts.sum(axis=1, keepdims=True) + s
        lower = lower + counts / rows
        upper = upper + (counts + s) / rows
    return lower / trees, upper / trees


def _quantiles(stack: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Quantiles of the members' probabilities, wide enough to contain a distribution.

    Quantiles taken class by class may contain none; then they are widened to contain the mean.

    Examples
    --------
    >>> lower, upper = _quantiles(np.array([[[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]]), 1.0)
    >>> lower.tolist(), upper.round(3).tolist()
    ([[0.0, 0.0, 0.0]], [[0.333, 0.333, 0.333]])
    """
    lower, upper = np.quantile(stack, [alpha / 2, 1 - alpha / 2], axis=1)
    mean = stack.mean(axis=1)
    empty = (lower.sum(axis=1) > 1) | (upper.sum(axis=1) < 1)
    lower[empty] = np.minimum(lower[empty], mean[empty])
    upper[empty] = np.maximum(upper[empty], mean[empty])
    return lower, upper
