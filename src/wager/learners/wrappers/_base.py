"""What every classifier around another one shares: a fitted clone, and its view of the world.

The wrapped estimator checks its own input; the wrapper takes over its classes and features, so that
it stands in pipelines and searches wherever the other did.  A fitted model need not be fitted
again: ``FrozenEstimator(model)`` of scikit-learn is taken as it is.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from wager._typing import Array, Bools, Floats
from wager.costs import ExtendedCosts
from wager.credal import determinate_costs
from wager.learners._set_valued import SetValuedMixin, forced_choice
from wager.predictions import ProbabilityIntervals

__all__ = [
    "SetWrapper",
    "adopt",
    "cheapest_choice",
    "inner_tags",
    "innermost",
    "middle_of",
    "seen_by",
]


class SetWrapper(SetValuedMixin, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A set-valued classifier around ``estimator``; a base for the wrappers of this room."""

    estimator: Any
    costs: Any = None

    estimator_: Any
    classes_: Array

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Fit a clone of the estimator.

        Parameters
        ----------
        X : table as the estimator takes it
        y : array-like of shape (n,)
        **fit_params
            Passed on to the estimator's ``fit``.
        """
        self._check_arguments()
        self.estimator_ = clone(self.estimator).fit(X, y, **fit_params)
        adopt(self, self.estimator_)
        self._check_fitted_estimator()
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The probabilities that the estimator gives.

        Parameters
        ----------
        X : table as the estimator takes it

        Returns
        -------
        ndarray of shape (n, K), columns in the order of ``classes_``
        """
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    def predict(self, X: Any) -> Array:
        """The one class that a forced bettor names: of the set, the most probable one.

        Where there are costs, the one of the set that is cheapest under ``predict_proba``.

        Parameters
        ----------
        X : table as the estimator takes it
        """
        sets, proba = self.predict_set(X), self.predict_proba(X)
        return self.classes_[cheapest_choice(sets, proba, self.costs, self.classes_)]

    def _check_arguments(self) -> None:
        """Refuse arguments that make no sense, before anything is fitted."""

    def _check_fitted_estimator(self) -> None:
        if not hasattr(self.estimator_, "predict_proba"):
            raise ValueError(
                f"{type(self).__name__} decides from probabilities, but "
                f"{type(self.estimator).__name__} has no predict_proba: calibrate it first, for "
                "instance with scikit-learn's CalibratedClassifierCV"
            )

    def __sklearn_tags__(self) -> Any:
        return inner_tags(super().__sklearn_tags__(), self.estimator)


def adopt(wrapper: Any, fitted: Any) -> None:
    """Take over the classes and the features of the fitted estimator."""
    if isinstance(fitted.classes_, list):
        raise ValueError(
            f"{type(wrapper).__name__} predicts one set of classes a row, but y has "
            f"{len(fitted.classes_)} columns: fit one wrapper for each of them"
        )
    wrapper.classes_ = np.asarray(fitted.classes_)
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(fitted, name):
            setattr(wrapper, name, getattr(fitted, name))


def innermost(estimator: Any) -> Any:
    """What answers in the end: the last step of a pipeline, the best of a search, the frozen model.

    scikit-learn's own containers pass on the methods that they know; ``predict_set`` and
    ``predict_credal`` are not among them.
    """
    return _layers(estimator)[1]


def seen_by(estimator: Any, X: Any) -> Any:
    """The table as the innermost estimator sees it, transformed by the steps of a pipeline."""
    for step in _layers(estimator)[0]:
        X = step.transform(X)
    return X


def _layers(estimator: Any) -> tuple[list[Any], Any]:
    """The transformers in front, in order, and the estimator behind them."""
    if isinstance(estimator, FrozenEstimator):
        return _layers(estimator.estimator)
    if hasattr(estimator, "best_estimator_"):
        return _layers(estimator.best_estimator_)
    if not hasattr(estimator, "steps"):
        return [], estimator
    front = [step for _, step in estimator.steps[:-1] if step not in (None, "passthrough")]
    behind, last = _layers(estimator.steps[-1][1])
    return front + behind, last


def inner_tags(tags: Any, estimator: Any) -> Any:
    """The tags of a wrapper: it takes what the estimator takes, and is as good at it."""
    inner = get_tags(estimator)
    tags.input_tags = inner.input_tags
    tags.non_deterministic = inner.non_deterministic
    if inner.classifier_tags is not None:
        tags.classifier_tags = inner.classifier_tags
        tags.classifier_tags.multi_label = False
    return tags


def cheapest_choice(sets: Bools, proba: Floats, costs: Any, classes: Array) -> Any:
    """The place of each set's class of least expected cost: of the most probable, without costs.

    Examples
    --------
    >>> sets, proba = np.array([[True, True, False]]), np.array([[0.6, 0.4, 0.0]])
    >>> cheapest_choice(sets, proba, None, np.arange(3)).tolist()
    [0]
    >>> cheapest_choice(sets, proba, [[0, 9, 9], [1, 0, 9], [1, 1, 0]], np.arange(3)).tolist()
    [1]
    """
    single = costs.determinate if isinstance(costs, ExtendedCosts) else costs
    matrix = determinate_costs(single, classes)
    if matrix is None:
        return forced_choice(sets, proba)
    return forced_choice(sets, matrix.max() - proba @ matrix.T)


def middle_of(intervals: ProbabilityIntervals) -> Floats:
    """A distribution inside the bounds of every row: the same share of each class's room.

    Examples
    --------
    >>> middle_of(ProbabilityIntervals([[0.2, 0.4]], [[0.6, 0.8]])).round(12)
    array([[0.4, 0.6]])
    """
    lower, room = intervals.lower, intervals.upper - intervals.lower
    rest = 1 - lower.sum(axis=1, keepdims=True)
    whole = room.sum(axis=1, keepdims=True)
    share = np.divide(rest, whole, out=np.zeros_like(rest), where=whole > 0)
    proba = lower + np.clip(share, 0, 1) * room
    return proba / proba.sum(axis=1, keepdims=True)
