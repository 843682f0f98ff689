"""Base classes of set-valued classifiers that wrap another classifier.

A wrapper fits a clone of its estimator.  A model that is already fitted need not be fitted again:
``FrozenEstimator(model)`` of scikit-learn is used as it is.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils.validation import check_is_fitted

from wager._doc_links import DocumentedEstimator
from wager._tables import labels_for_fit
from wager._typing import Array, Bools, Floats
from wager.credal import CredalVertices, DecisionRule, decide
from wager.learners._set_valued import CostSensitiveMixin
from wager.learners.wrappers._inner import adopt, inner_tags, new_copy, routed
from wager.predictions import ProbabilityIntervals

__all__ = ["CredalWrapper", "SetWrapper"]


class SetWrapper(
    DocumentedEstimator, CostSensitiveMixin, MetaEstimatorMixin, ClassifierMixin, BaseEstimator
):
    """Base class of set-valued classifiers around ``estimator``."""

    estimator: Any

    estimator_: Any
    classes_: Array

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Fit a clone of the estimator.

        Parameters
        ----------
        X : table
            Any input that the estimator accepts.
        y : array-like of shape (n,)
            The class labels.
        **fit_params
            Passed on to the estimator's ``fit``.
        """
        self._check_arguments()
        self.estimator_ = new_copy(self.estimator).fit(X, labels_for_fit(y), **fit_params)
        adopt(self, self.estimator_)
        self._check_fitted_estimator()
        return self

    def predict_set(self, X: Any) -> Bools:
        """The classes kept for each row, a boolean matrix with columns as ``classes_``.

        Parameters
        ----------
        X : table
            Any input that the estimator accepts.
        """
        check_is_fitted(self)
        return self._sets(X)

    def predict_proba(self, X: Any) -> Floats:
        """The class probabilities, those of the estimator where it has them.

        Parameters
        ----------
        X : table
            Any input that the estimator accepts.

        Returns
        -------
        ndarray of shape (n, K), columns in the order of ``classes_``
        """
        check_is_fitted(self)
        return self._proba(X)

    def get_metadata_routing(self) -> Any:
        """What the estimator's ``fit`` asks for, as scikit-learn's ``MetadataRouter``."""
        return routed(self)

    @abstractmethod
    def _sets(self, X: Any) -> Bools:
        """The predicted sets of a fitted wrapper."""

    def _proba(self, X: Any) -> Floats:
        return self.estimator_.predict_proba(X)

    def _check_arguments(self) -> None:
        """Raise an error for impossible arguments, before anything is fitted."""

    def _check_fitted_estimator(self) -> None:
        if not hasattr(self.estimator_, "predict_proba"):
            raise ValueError(
                f"{type(self).__name__} needs probabilities, but {type(self.estimator).__name__} "
                "has no predict_proba: calibrate it first, for instance with scikit-learn's "
                "CalibratedClassifierCV"
            )

    def __sklearn_tags__(self) -> Any:
        return inner_tags(super().__sklearn_tags__(), self.estimator)


class CredalWrapper(SetWrapper):
    """Base class of wrappers with bounds of the class probabilities, which decide by ``rule``."""

    rule: DecisionRule = "maximality"

    @abstractmethod
    def _credal(self, X: Any) -> ProbabilityIntervals | CredalVertices:
        """The bounds of the class probabilities of a fitted wrapper."""

    def predict_credal(self, X: Any) -> ProbabilityIntervals:
        """The bounds of the class probabilities, tightened to bounds that are attained.

        Parameters
        ----------
        X : table
            Any input that the estimator accepts.
        """
        check_is_fitted(self)
        credal = self._credal(X)
        intervals = credal.envelope() if isinstance(credal, CredalVertices) else credal
        return intervals.tighten()

    def _sets(self, X: Any) -> Bools:
        return decide(self._credal(X), self.rule, self.costs).to_indicator()

    def _proba(self, X: Any) -> Floats:
        """The estimator's probabilities, or a distribution within the bounds if it has none."""
        if hasattr(self.estimator_, "predict_proba"):
            return self.estimator_.predict_proba(X)
        return _middle_of(self.predict_credal(X))


def _middle_of(intervals: ProbabilityIntervals) -> Floats:
    """A distribution within the bounds of every row: the same share of every class's interval.

    Examples
    --------
    >>> _middle_of(ProbabilityIntervals([[0.2, 0.4]], [[0.6, 0.8]])).round(12)
    array([[0.4, 0.6]])
    """
    lower, width = intervals.lower, intervals.upper - intervals.lower
    rest = 1 - lower.sum(axis=1, keepdims=True)
    whole = width.sum(axis=1, keepdims=True)
    share = np.divide(rest, whole, out=np.zeros_like(rest), where=whole > 0)
    proba = lower + np.clip(share, 0, 1) * width
    return proba / proba.sum(axis=1, keepdims=True)
