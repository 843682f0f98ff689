"""Decisions for classifiers that give lower and upper probabilities, under any method name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wager._tables import format_labels, require_kind
from wager._typing import Array
from wager._visible import shortened
from wager.credal import CredalVertices, DecisionRule
from wager.learners.wrappers._base import CredalWrapper
from wager.learners.wrappers._inner import innermost, input_of_innermost
from wager.predictions import ProbabilityIntervals

__all__ = ["CredalIntervals"]


class CredalIntervals(CredalWrapper):
    """Predict sets with a classifier that gives lower and upper class probabilities.

    A decision rule turns the probability intervals of the classifier into a set.

    Use it to score any classifier with probability intervals, also one from another library.

    Parameters
    ----------
    estimator : classifier
        It is cloned, never modified.  It may be a pipeline or a search that ends in a classifier.
    method : str or callable, default="predict_credal"
        The source of the bounds: the name of a method of the fitted estimator, called with X; or a
        function, called with the fitted estimator and X.  It returns ``ProbabilityIntervals``,
        ``CredalVertices``, or the pair (lower, upper) of arrays of shape (n, K).
    rule : str, default="maximality"
        The decision rule, as in `decide`.
    costs : CostMatrix or array-like of shape (K, K), optional
        The cost of predicting a class (row) when another is true (column); 0/1 by default.

    Attributes
    ----------
    estimator_ : classifier
        The fitted clone.
    classes_ : ndarray
        The columns of ``predict_set``, in order.

    Notes
    -----
    ``predict_proba`` is that of the estimator; if it has none, the distribution that takes the same
    share of every interval.  ``predict`` returns the most probable class of the set under it, or
    with costs the cheapest one.

    References
    ----------
    Troffaes, M. C. M. (2007). Decision making under uncertainty using imprecise probabilities.
    International Journal of Approximate Reasoning 45.

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
        method: str | Callable[[Any, Any], Any] = "predict_credal",
        *,
        rule: DecisionRule = "maximality",
        costs: Any = None,
    ):
        self.estimator = estimator
        self.method = method
        self.rule = rule
        self.costs = costs

    def _credal(self, X: Any) -> ProbabilityIntervals | CredalVertices:
        if callable(self.method):
            given = self.method(self.estimator_, X)
        else:
            method = getattr(innermost(self.estimator_), self.method)
            given = method(input_of_innermost(self.estimator_, X))
        if isinstance(given, CredalVertices):
            columns = _columns_by_name(given, self.classes_)
            return CredalVertices(given.vertices[..., columns], self.classes_)
        if isinstance(given, ProbabilityIntervals):
            columns = _columns_by_name(given, self.classes_)
            given = given.lower[:, columns], given.upper[:, columns]
        if isinstance(given, tuple | list) and len(given) == 2:
            return ProbabilityIntervals(given[0], given[1], self.classes_)
        source = "method" if callable(self.method) else f"{self.method} of the estimator"
        raise ValueError(
            f"{source} must return ProbabilityIntervals, CredalVertices or the pair "
            f"(lower, upper), got {type(given).__name__}"
        )

    def _check_fitted_estimator(self) -> None:
        inner = innermost(self.estimator_)
        if not callable(self.method):
            require_kind(self.method, "method", str)
        if not callable(self.method) and not hasattr(inner, self.method):
            raise ValueError(
                f"{type(inner).__name__} has no method {shortened(self.method)}: name the method "
                "that returns lower and upper probabilities with method="
            )


def _columns_by_name(given: ProbabilityIntervals | CredalVertices, classes: Array) -> Any:
    """The columns of the classes; all of them in their order if they have no or other names.

    Examples
    --------
    >>> import numpy as np
    >>> turned = ProbabilityIntervals([[0, 0]], [[1, 1]], ["b", "a"])
    >>> _columns_by_name(turned, np.array(["a", "b"]))
    [1, 0]
    """
    names, wanted = given.classes.tolist(), classes.tolist()
    if not given.named or names == wanted or not {*names} & {*wanted}:
        return slice(None)
    if {*names} != {*wanted}:
        raise ValueError(
            f"the bounds are for the classes {format_labels(given.classes)} but the estimator was "
            f"fitted to {format_labels(classes)}: give bounds for these classes"
        )
    return [names.index(label) for label in wanted]
