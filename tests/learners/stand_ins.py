"""Classifiers whose predictions are the rows themselves, so that tests see only the wrapper."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class GivenProba(ClassifierMixin, BaseEstimator):
    """Takes each row for the probabilities of the classes."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.asarray(X, dtype=float)


class GivenBounds(ClassifierMixin, BaseEstimator):
    """Takes each row for lower and then upper probabilities; gives no probabilities."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def between(self, X):
        lower, upper = np.split(np.asarray(X, dtype=float), 2, axis=1)
        return lower, upper
