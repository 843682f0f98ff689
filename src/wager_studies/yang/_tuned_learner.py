"""A naive credal classifier whose strength is tuned for p-discounted costs, for use in plans."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin

from wager._typing import Array, Bools
from wager.costs import CostMatrix
from wager.learners import NaiveCredal, TunedCaution

__all__ = ["TunedForCosts"]


class TunedForCosts(ClassifierMixin, BaseEstimator):
    """`TunedCaution` of a naive credal classifier by intervals, for p-discounted costs.

    Parameters
    ----------
    r : float, default=0.5
        The reward of caution in the costs of sets.
    costs : array-like of shape (K, K), or "ordinal" in a plan
        The costs of single classes.
    strengths : list of float, optional
        The values of s to choose from.
    one_standard_error : bool, default=False
        As in `TunedCaution`.
    classes, n_values, random_state
        Passed on.
    """

    def __init__(
        self,
        r: float = 0.5,
        costs: Any = None,
        strengths: Any = None,
        one_standard_error: bool = False,
        classes: Any = None,
        n_values: Any = None,
        random_state: Any = None,
    ):
        self.r = r
        self.costs = costs
        self.strengths = strengths
        self.one_standard_error = one_standard_error
        self.classes = classes
        self.n_values = n_values
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Choose s on the training rows, and fit with it."""
        costs = CostMatrix(self.costs)
        model = NaiveCredal(
            idm="intervals", costs=costs.costs, classes=self.classes, n_values=self.n_values
        )
        self.model_ = TunedCaution(
            model,
            costs=costs.extend("p-discounted", r=self.r),
            strengths=self.strengths,
            one_standard_error=self.one_standard_error,
            random_state=self.random_state,
        ).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_set(self, X: Any) -> Bools:
        """The sets of the tuned classifier."""
        return self.model_.predict_set(X)

    def predict(self, X: Any) -> Array:
        """The single classes of the tuned classifier."""
        return self.model_.predict(X)
