"""Two classifiers of the example of Sondhauss & Weihs (2001) that libraries do not have."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from wager._typing import Array, Floats
from wager.experiments.generators import ChiSquareClasses
from wager.partitions import to_memberships

__all__ = ["RealNetwork", "TrueBayes"]


class TrueBayes(ClassifierMixin, BaseEstimator):
    """The Bayes rule with the true class probabilities of chi-square classes.

    Parameters
    ----------
    degrees : sequence of float
        The degrees of freedom of the classes.
    """

    def __init__(self, degrees: Sequence[float] = (2, 8, 16)):
        self.degrees = degrees

    def fit(self, X: Any, y: Any) -> Self:
        """Store the names of the classes; nothing else is learnt."""
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The true probabilities."""
        return ChiSquareClasses(tuple(self.degrees)).class_probabilities(X)

    def predict(self, X: Any) -> Array:
        """The most probable class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class RealNetwork(ClassifierMixin, BaseEstimator):
    """A small neural network with real-valued outputs, one output per class.

    It is trained by least squares to output 1 for the true class and 0 for the others; a softmax
    turns the outputs into memberships and keeps the order of the classes.

    Parameters
    ----------
    hidden : int, default=4
        Number of units of the hidden layer.
    alpha : float, default=0.1
        Weight decay.
    sharpness : float, default=5.0
        Factor of the outputs before the softmax.
    random_state : int, RandomState or None
        Seed of the initial weights.
    """

    def __init__(
        self,
        hidden: int = 4,
        *,
        alpha: float = 0.1,
        sharpness: float = 5.0,
        random_state: Any = None,
    ):
        self.hidden = hidden
        self.alpha = alpha
        self.sharpness = sharpness
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the network to standardized features."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.neural_network import MLPRegressor

        table = np.asarray(X, dtype=float)
        self.classes_ = np.unique(y)
        self.centre_, spread = table.mean(axis=0), table.std(axis=0)
        self.spread_ = np.where(spread > 0, spread, 1.0)
        network = MLPRegressor(
            hidden_layer_sizes=(self.hidden,),
            activation="tanh",
            solver="lbfgs",
            alpha=self.alpha,
            max_iter=2000,
            random_state=self.random_state,
        )
        with warnings.catch_warnings():  # a network that has not converged is still usable
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.network_ = network.fit(
                (table - self.centre_) / self.spread_,
                (np.asarray(y)[:, None] == self.classes_).astype(float),
            )
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The outputs as memberships."""
        check_is_fitted(self)
        table = (np.asarray(X, dtype=float) - self.centre_) / self.spread_
        outputs = self.network_.predict(table).reshape(len(table), -1)
        return to_memberships(outputs, kind="softmax", sharpness=self.sharpness)

    def predict(self, X: Any) -> Array:
        """The class with the largest output."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
