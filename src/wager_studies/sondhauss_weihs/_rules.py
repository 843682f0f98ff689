"""Classifiers of the example of Sondhauss & Weihs (2001): the true rule and small networks."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from wager._typing import Array, Floats
from wager.experiments.generators import ChiSquareClasses
from wager.partitions import to_memberships

__all__ = ["ClassNetwork", "RealNetwork", "TrueBayes"]


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


class _Network(ClassifierMixin, BaseEstimator):
    """A network of scikit-learn on standardized features."""

    def _fit_on(self, network: Any, X: Any, targets: Any) -> None:
        """Fit the network to standardized features; store it with their means and spreads."""
        from sklearn.exceptions import ConvergenceWarning

        table = np.asarray(X, dtype=float)
        self.centre_, spread = table.mean(axis=0), table.std(axis=0)
        self.spread_ = np.where(spread > 0, spread, 1.0)
        with warnings.catch_warnings():  # a network that has not converged is still usable
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.network_ = network.fit(self._standardized(table), targets)

    def _standardized(self, X: Any) -> Floats:
        return (np.asarray(X, dtype=float) - self.centre_) / self.spread_

    def predict_proba(self, X: Any) -> Floats:
        """The memberships."""
        raise NotImplementedError

    def predict(self, X: Any) -> Array:
        """The class with the largest membership."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class RealNetwork(_Network):
    """A small neural network with real-valued outputs, one output per class.

    It is trained by least squares to output 1 for the true class and 0 for the others; the outputs
    are then turned into memberships, which keeps the order of the classes.

    Parameters
    ----------
    hidden : int, default=4
        Number of units of the hidden layer.
    activation : str, default="tanh"
        What the hidden units compute, as in scikit-learn.
    alpha : float, default=0.1
        Weight decay.
    kind : {"softmax", "shift", "rank"}, default="softmax"
        How outputs become memberships, as in ``to_memberships``.
    sharpness : float, default=5.0
        Factor of the outputs before the softmax.
    max_iter : int, default=2000
        Largest number of steps.
    random_state : int, RandomState or None
        Seed of the initial weights.
    """

    def __init__(
        self,
        hidden: int = 4,
        *,
        activation: str = "tanh",
        alpha: float = 0.1,
        kind: Literal["softmax", "shift", "rank"] = "softmax",
        sharpness: float = 5.0,
        max_iter: int = 2000,
        random_state: Any = None,
    ):
        self.hidden = hidden
        self.activation = activation
        self.alpha = alpha
        self.kind = kind
        self.sharpness = sharpness
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the network to standardized features."""
        from sklearn.neural_network import MLPRegressor

        self.classes_ = np.unique(y)
        network = MLPRegressor(
            hidden_layer_sizes=(self.hidden,),
            activation=self.activation,
            solver="lbfgs",
            alpha=self.alpha,
            max_iter=self.max_iter,
            random_state=self.random_state,
        )
        self._fit_on(network, X, (np.asarray(y)[:, None] == self.classes_).astype(float))
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The outputs as memberships."""
        check_is_fitted(self)
        table = self._standardized(X)
        outputs = self.network_.predict(table).reshape(len(table), -1)
        return to_memberships(outputs, kind=self.kind, sharpness=self.sharpness)


class ClassNetwork(_Network):
    """A network that outputs class probabilities, trained by maximum likelihood.

    The defaults are those of scikit-learn's ``MLPClassifier``.

    Parameters
    ----------
    hidden : int, default=100
        Number of units of the hidden layer.
    activation : str, default="relu"
        What the hidden units compute, as in scikit-learn.
    alpha : float, default=0.0001
        Weight decay.
    solver : str, default="adam"
        How the weights are found, as in scikit-learn.
    max_iter : int, default=200
        Largest number of steps.
    random_state : int, RandomState or None
        Seed of the initial weights.
    """

    def __init__(
        self,
        hidden: int = 100,
        *,
        activation: str = "relu",
        alpha: float = 0.0001,
        solver: str = "adam",
        max_iter: int = 200,
        random_state: Any = None,
    ):
        self.hidden = hidden
        self.activation = activation
        self.alpha = alpha
        self.solver = solver
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the network to standardized features."""
        from sklearn.neural_network import MLPClassifier

        network = MLPClassifier(
            hidden_layer_sizes=(self.hidden,),
            activation=self.activation,
            solver=self.solver,
            alpha=self.alpha,
            max_iter=self.max_iter,
            random_state=self.random_state,
        )
        self._fit_on(network, X, y)
        self.classes_ = self.network_.classes_
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The probabilities, as memberships."""
        check_is_fitted(self)
        return self.network_.predict_proba(self._standardized(X))
