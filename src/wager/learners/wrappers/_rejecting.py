"""Rejection: the predicted class, or all classes if none is probable enough (Chow, 1970)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wager._tables import real_number
from wager._typing import Bools, Floats
from wager._visible import brief
from wager.credal import reject, reject_credal
from wager.learners._robustness import RobustMixin
from wager.learners._strengths import SHARES, Strength
from wager.learners.wrappers._base import SetWrapper
from wager.learners.wrappers._inner import innermost, input_of_innermost
from wager.predictions import PredictionSets

__all__ = ["Rejecting"]


class Rejecting(RobustMixin, SetWrapper):
    """Predict all classes where none is probable enough.

    The prediction is accepted if its probability reaches a threshold; otherwise nothing is ruled
    out.

    Use it as the classic reject option, to compare with sets that keep a few classes.

    Parameters
    ----------
    estimator : classifier with ``predict_proba`` or ``predict_credal``
        It is cloned, never modified.
    threshold : float in [0, 1]
        A prediction is accepted if the largest probability is at least this; with cost 1 for an
        error and d for a rejection, ``1 - d`` is optimal.  The prediction of an estimator with
        ``predict_credal`` is accepted if the largest lower probability exceeds the threshold.
    group : bool, default=False
        For an estimator with ``predict_credal``: instead of predicting all classes, add classes
        until the lower probability of the set exceeds the threshold.

    Attributes
    ----------
    estimator_ : classifier
        The fitted clone.
    classes_ : ndarray
        The columns of ``predict_set``, in order.

    Notes
    -----
    Chow (1970); the credal forms: Zaffalon, Corani & Mauá (2012), Section 9.4.  ``predict`` returns
    the most probable class of the set.

    References
    ----------
    Chow, C. K. (1970). On optimum recognition error and reject tradeoff. IEEE Transactions on
    Information Theory 16.

    Zaffalon, Corani & Mauá (2012), Section 9.4.

    Examples
    --------
    >>> from wager.learners import NaiveBayes
    >>> X = [["sun"], ["sun"], ["sun"], ["rain"], ["rain"], ["fog"]]
    >>> model = Rejecting(NaiveBayes(), 0.7).fit(X, ["out", "out", "out", "in", "in", "in"])
    >>> model.predict_set([["sun"], ["fog"]]).tolist()
    [[False, True], [True, True]]
    """

    def __init__(self, estimator: Any, threshold: float, *, group: bool = False):
        self.estimator = estimator
        self.threshold = threshold
        self.group = group

    def _sets(self, X: Any) -> Bools:
        return self._rejection(X)(self.threshold)

    def _rejection(self, X: Any) -> Callable[[float], Bools]:
        """The predicted sets of the rows as a function of the threshold."""
        inner = innermost(self.estimator_)
        if not hasattr(inner, "predict_credal"):
            proba = self.predict_proba(X)
            return lambda threshold: reject(proba, threshold, self.classes_).to_indicator()
        rows = input_of_innermost(self.estimator_, X)
        sets = PredictionSets.from_indicator(inner.predict_set(rows), self.classes_)
        credal = inner.predict_credal(rows)
        return lambda threshold: reject_credal(
            credal, sets, threshold, group=self.group
        ).to_indicator()

    @property
    def _strengths(self) -> tuple[Strength, ...]:
        return (Strength("threshold", (*SHARES, 1.0)),)

    def _sets_by_strength(self, X: Any, name: str, values: Sequence[float]) -> Bools:
        """The sets for several thresholds, from the same probabilities."""
        sets_at = self._rejection(X)
        return np.stack([sets_at(value) for value in values])

    def robustness(self, X: Any) -> Floats:
        """The largest threshold at which the prediction is accepted as a single class.

        This is the largest probability, or the largest lower probability of an estimator with
        ``predict_credal``.

        Parameters
        ----------
        X : table
            Any input that the estimator accepts.

        Returns
        -------
        ndarray of shape (n,)
            0 where the estimator itself predicts several classes.
        """
        check_is_fitted(self)
        inner = innermost(self.estimator_)
        if not hasattr(inner, "predict_credal"):
            return self.predict_proba(X).max(axis=1)
        rows = input_of_innermost(self.estimator_, X)
        sets, credal = inner.predict_set(rows), inner.predict_credal(rows)
        lower = np.where(sets, credal.tighten().lower, 0.0) if self.group else credal.lower
        return np.where(sets.sum(axis=1) == 1, lower.max(axis=1), 0.0)

    def _check_arguments(self) -> None:
        if not 0 <= real_number(self.threshold, "threshold") <= 1:
            raise ValueError(
                f"threshold must be a probability, 0 to 1, got {brief(self.threshold)}"
            )

    def _check_fitted_estimator(self) -> None:
        super()._check_fitted_estimator()
        if self.group and not hasattr(innermost(self.estimator_), "predict_credal"):
            raise ValueError(
                "group=True needs lower probabilities, but "
                f"{type(self.estimator).__name__} has no predict_credal: set group=False"
            )
