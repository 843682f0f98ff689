"""Decisions for classifiers that give intervals already, whatever they call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils.validation import check_is_fitted

from wager._typing import Bools, Floats
from wager.credal import CredalVertices, DecisionRule, decide
from wager.learners.wrappers._base import SetWrapper, innermost, middle_of, seen_by
from wager.predictions import ProbabilityIntervals

__all__ = ["CredalIntervals", "CredalWrapper"]

Source = str | Callable[[Any, Any], Any]


class CredalWrapper(SetWrapper):
    """A wrapper that knows bounds of the class probabilities, and decides by ``rule``."""

    rule: DecisionRule = "maximality"

    def _credal(self, X: Any) -> ProbabilityIntervals | CredalVertices:
        raise NotImplementedError

    def predict_set(self, X: Any) -> Bools:
        """The classes that the rule keeps, a boolean matrix with columns as ``classes_``.

        Parameters
        ----------
        X : table as the estimator takes it
        """
        return decide(self._credal(X), self.rule, self.costs).to_indicator()

    def predict_credal(self, X: Any) -> ProbabilityIntervals:
        """The bounds of the class probabilities, drawn in where no probability attains them.

        Parameters
        ----------
        X : table as the estimator takes it
        """
        credal = self._credal(X)
        intervals = credal.envelope() if isinstance(credal, CredalVertices) else credal
        return intervals.tighten()

    def predict_proba(self, X: Any) -> Floats:
        """The estimator's probabilities, or else a distribution inside the bounds.

        Parameters
        ----------
        X : table as the estimator takes it

        Returns
        -------
        ndarray of shape (n, K), columns in the order of ``classes_``
        """
        check_is_fitted(self)
        if hasattr(self.estimator_, "predict_proba"):
            return self.estimator_.predict_proba(X)
        return middle_of(self.predict_credal(X))


class CredalIntervals(CredalWrapper):
    """Predict sets with a classifier that gives lower and upper class probabilities.

    Parameters
    ----------
    estimator : classifier
        It is cloned, never modified.  A pipeline or a search that ends in one will do.
    method : str or callable, default="predict_credal"
        Where the bounds come from: the name of a method of the fitted estimator, called with X; or
        a function, called with the fitted estimator and X.  It returns ``ProbabilityIntervals``,
        ``CredalVertices``, or the pair (lower, upper) of arrays of shape (n, K).
    rule : str, default="maximality"
        The decision rule, as in `decide`.
    costs : CostMatrix or array-like of shape (K, K), optional
        The cost of predicting a class (row) when one is true (column); 0/1 by default.

    Attributes
    ----------
    estimator_ : classifier
        The fitted clone.
    classes_ : ndarray
        The columns of ``predict_set``, in order.

    Notes
    -----
    ``predict_proba`` is the estimator's own, or else the distribution that takes the same share of
    every interval.  ``predict`` names the class of the set that is most probable under it, or
    cheapest if there are costs.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> def give_or_take(model, X):
    ...     proba = model.predict_proba(X)
    ...     return np.maximum(proba - 0.1, 0), np.minimum(proba + 0.1, 1)
    >>> model = CredalIntervals(LogisticRegression(), give_or_take)
    >>> _ = model.fit([[0], [1], [2], [3]], ["a", "a", "b", "b"])
    >>> model.predict_set([[0], [1.5]]).tolist()
    [[True, False], [True, True]]
    """

    def __init__(
        self,
        estimator: Any,
        method: Source = "predict_credal",
        *,
        rule: DecisionRule = "maximality",
        costs: Any = None,
    ):
        self.estimator = estimator
        self.method = method
        self.rule = rule
        self.costs = costs

    def _credal(self, X: Any) -> ProbabilityIntervals | CredalVertices:
        check_is_fitted(self)
        if callable(self.method):
            given = self.method(self.estimator_, X)
        else:
            given = getattr(innermost(self.estimator_), self.method)(seen_by(self.estimator_, X))
        if isinstance(given, CredalVertices):
            return CredalVertices(given.vertices, self.classes_)
        if isinstance(given, ProbabilityIntervals):
            given = given.lower, given.upper
        if isinstance(given, tuple | list) and len(given) == 2:
            return ProbabilityIntervals(given[0], given[1], self.classes_)
        raise ValueError(
            f"{self._source} must return ProbabilityIntervals, CredalVertices or the pair "
            f"(lower, upper), got {type(given).__name__}"
        )

    @property
    def _source(self) -> str:
        return "method" if callable(self.method) else f"{self.method} of the estimator"

    def _check_fitted_estimator(self) -> None:
        inner = innermost(self.estimator_)
        if not callable(self.method) and not hasattr(inner, self.method):
            raise ValueError(
                f"{type(inner).__name__} has no method {self.method}: name the one that gives "
                "lower and upper probabilities with method="
            )
