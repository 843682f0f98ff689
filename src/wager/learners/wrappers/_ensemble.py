"""Probability intervals from the spread of an ensemble, or from the leaves of a forest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, validate_data

from wager._typing import Bools, Floats
from wager.credal import CredalVertices, DecisionRule, decide
from wager.learners.wrappers._base import innermost, seen_by
from wager.learners.wrappers._members import Members
from wager.learners.wrappers._credal_intervals import CredalWrapper
from wager.predictions import ProbabilityIntervals

__all__ = ["EnsembleCredal"]

ENVELOPES = ("minmax", "quantile", "hull", "idm")
STACK = 1 << 22  # numbers that the answers of all members to some rows may take


class EnsembleCredal(CredalWrapper):
    """Take the disagreement of an ensemble's members for what is not known.

    Parameters
    ----------
    estimator : ensemble
        A scikit-learn ensemble whose members give probabilities, as BaggingClassifier,
        RandomForestClassifier or VotingClassifier; it is cloned, never modified.  A pipeline or a
        search that ends in one will do.
    envelope : {"minmax", "quantile", "hull", "idm"}, default="minmax"
        "minmax" spans the members' probabilities, class by class.  "quantile" leaves out the
        extreme ones.  "hull" takes all mixtures of the members, a smaller credal set.  "idm" looks
        into the leaves of a forest: each tree gives the intervals of the imprecise Dirichlet model
        for the counts of its leaf, and the bounds are averaged over the trees.
    alpha : float, default=0.1
        With "quantile": the share of the members that is left out, half on each side.
    s : float, default=1.0
        With "idm": the strength of the model, in rows.
    rule : str, default="maximality"
        The decision rule, as in `decide`.
    costs : CostMatrix or array-like of shape (K, K), optional
        The cost of predicting a class (row) when one is true (column); 0/1 by default.

    Attributes
    ----------
    estimator_ : ensemble
        The fitted clone.
    classes_ : ndarray
        The columns of ``predict_set``, in order.

    Notes
    -----
    ``predict_proba`` is the ensemble's own, or else the middle of the intervals; ``predict`` names
    the class of the set that is most probable under it, or cheapest if there are costs.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(50, random_state=0)
    >>> model = EnsembleCredal(forest, "idm").fit(X, y)
    >>> model.predict_set(X[[0, 70]]).tolist()  # of the second iris it is not sure
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

    def predict_set(self, X: Any) -> Bools:
        """The classes that the rule keeps, a boolean matrix with columns as ``classes_``.

        Parameters
        ----------
        X : table as the estimator takes it
        """
        if self.envelope != "hull":
            return super().predict_set(X)
        parts = (CredalVertices(stack, self.classes_) for stack in self._stacks(X))
        return np.concatenate([decide(p, self.rule, self.costs).to_indicator() for p in parts])

    def _credal(self, X: Any) -> ProbabilityIntervals:
        if self.envelope == "idm":
            lower, upper = self._leaves(X)
        elif self.envelope == "quantile":
            parts = [_quantiles(stack, self.alpha) for stack in self._stacks(X)]
            lower, upper = (np.concatenate(bound) for bound in zip(*parts, strict=True))
        else:
            lower, upper = self._span(X)
        return ProbabilityIntervals(lower, upper, self.classes_)

    def _span(self, X: Any) -> tuple[Floats, Floats]:
        members, table = self._asked(X)
        answers = members.proba(table)
        lower = next(answers).copy()
        upper = lower.copy()
        for proba in answers:
            np.minimum(lower, proba, out=lower)
            np.maximum(upper, proba, out=upper)
        return lower, upper

    def _leaves(self, X: Any) -> tuple[Floats, Floats]:
        """Mean over the trees of ``n(c) / (n + s)`` and of ``(n(c) + s) / (n + s)``."""
        members, table = self._asked(X)
        lower = upper = np.zeros(())
        for counts in members.leaf_counts(table):
            rows = counts.sum(axis=1, keepdims=True) + self.s
            lower = lower + counts / rows
            upper = upper + (counts + self.s) / rows
        return lower / len(members), upper / len(members)

    def _stacks(self, X: Any) -> Iterator[Floats]:
        """The answers of all members to some rows after the other, (rows, members, K)."""
        members, table = self._asked(X)
        step = max(1, STACK // (len(members) * members.n_classes))
        for start in range(0, table.shape[0], step):
            rows = _safe_indexing(table, slice(start, start + step))
            yield np.stack(list(members.proba(rows)), axis=1)

    def _asked(self, X: Any) -> tuple[Members, Any]:
        check_is_fitted(self)
        ensemble, rows = innermost(self.estimator_), seen_by(self.estimator_, X)
        members = Members.of(ensemble)
        table = members.read(rows)
        validate_data(ensemble, X=rows, reset=False, skip_check_array=True)  # the same columns?
        return members, table

    def _check_arguments(self) -> None:
        if self.envelope not in ENVELOPES:
            raise ValueError(
                f"envelope must be one of {', '.join(ENVELOPES)}, got {self.envelope!r}"
            )
        if not 0 <= self.alpha <= 1:
            raise ValueError(f"alpha is a share of the members, 0 to 1, got {self.alpha!r}")
        if not 0 <= self.s < np.inf:
            raise ValueError(f"s must be a number of rows, 0 or more, got {self.s!r}")

    def _check_fitted_estimator(self) -> None:
        Members.of(innermost(self.estimator_))


def _quantiles(stack: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Quantiles of the members' probabilities, wide enough to hold some probability.

    Quantiles taken class by class may leave none; where that is so, the mean is let in.

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
