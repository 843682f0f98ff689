"""Nondeterministic classifiers: the set of classes with the greatest expected F measure.

del Coz & Bahamonde (2009); Zaffalon, Corani & Mauá (2012, Section 9.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wager._typing import Bools, Floats
from wager.credal import optimal_sets
from wager.learners._robustness import RobustMixin
from wager.learners._strengths import Strength
from wager.learners.wrappers._base import SetWrapper
from wager.rewards import FBeta

__all__ = ["Nondeterministic"]


class Nondeterministic(RobustMixin, SetWrapper):
    """Predict the set of classes with the greatest expected F measure.

    The set of the k most probable classes has the largest expected F measure of all sets of k
    classes; the best k is chosen row by row.

    Use it for sets from any classifier with probabilities; a larger beta gives larger sets.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        It is cloned, never modified.
    beta : float, default=1.0
        The weight of a hit compared with a small set: 0 always predicts one class, larger values
        are more cautious.

    Attributes
    ----------
    estimator_ : classifier
        The fitted clone.
    classes_ : ndarray
        The columns of ``predict_set``, in order.

    Notes
    -----
    A set of k classes that contains the true one earns ``(1 + beta^2) / (beta^2 + k)``, so the best
    set consists of the most probable classes (del Coz & Bahamonde, 2009).  ``predict`` returns the
    most probable class.

    References
    ----------
    del Coz, J. J., Díez, J. & Bahamonde, A. (2009). Learning nondeterministic classifiers. Journal
    of Machine Learning Research 10.

    Examples
    --------
    >>> from wager.learners import NaiveBayes
    >>> X = [["sun"], ["sun"], ["sun"], ["rain"], ["rain"], ["fog"]]
    >>> model = Nondeterministic(NaiveBayes()).fit(X, ["out", "out", "out", "in", "in", "in"])
    >>> model.predict_set([["sun"], [None]]).tolist()  # nothing is known about the second row
    [[False, True], [True, True]]
    """

    def __init__(self, estimator: Any, beta: float = 1.0):
        self.estimator = estimator
        self.beta = beta

    def robustness(self, X: Any) -> Floats:
        """The largest beta at which the most probable class alone is the best set, in closed form.

        With p the largest probability and P_k the sum of the k largest, one class is better than k
        as long as ``p (beta^2 + k) > P_k (1 + beta^2)``, that is, for
        ``beta^2 < (k p - P_k) / (P_k - p)``.

        Parameters
        ----------
        X : table
            Any input that the estimator accepts.

        Returns
        -------
        ndarray of shape (n,)
            0 where two classes are equally probable, infinity where one class has probability 1.
        """
        proba = np.sort(self.predict_proba(X), axis=1)[:, ::-1]
        top, sums = proba[:, :1], proba.cumsum(axis=1)[:, 1:]
        gain = np.arange(2, proba.shape[1] + 1) * top - sums
        with np.errstate(divide="ignore", invalid="ignore"):
            squares = np.where(sums > top, np.maximum(gain, 0.0) / (sums - top), np.inf)
        return np.sqrt(squares.min(axis=1, initial=np.inf))

    def _sets(self, X: Any) -> Bools:
        return self._best_sets(self.predict_proba(X), self.beta)

    def _best_sets(self, proba: Floats, beta: float) -> Bools:
        return optimal_sets(proba, FBeta(beta), classes=self.classes_).to_indicator()

    @property
    def _strengths(self) -> tuple[Strength, ...]:
        return (Strength("beta", tuple((np.arange(50) / 10).tolist())),)

    def _sets_by_strength(self, X: Any, name: str, values: Sequence[float]) -> Bools:
        """The sets for several values of beta, from the same probabilities."""
        proba = self.predict_proba(X)
        return np.stack([self._best_sets(proba, value) for value in values])

    def _check_arguments(self) -> None:
        FBeta(self.beta)
