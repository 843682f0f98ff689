"""Learners with faults, named in plans by their dotted path."""

from __future__ import annotations

import os
import signal
import time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Majority(ClassifierMixin, BaseEstimator):
    """Names the most frequent class: all that the faulty ones do when they do not fail."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.most_ = np.bincount(y).argmax()
        return self

    def predict(self, X):
        return np.full(len(X), self.most_)


class Raises(Majority):
    """Fails where the first training row's first value is odd: on some folds."""

    def fit(self, X, y):
        if int(X[0, 0]) % 2:
            raise RuntimeError(f"cannot learn from a value of {int(X[0, 0])}")
        return super().fit(X, y)


class Sleeps(Majority):
    """Does not come back for a long time, in Python."""

    def fit(self, X, y):
        for _ in range(10_000):
            time.sleep(0.1)
        return super().fit(X, y)


class Hangs(Majority):
    """Does not come back for a long time, and hears no signal while it does."""

    def fit(self, X, y):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        time.sleep(1000)
        return super().fit(X, y)


class Eats(Majority):
    """Takes four gigabytes."""

    def fit(self, X, y):
        self.food_ = np.ones(500_000_000)
        return super().fit(X, y)


class Dies(Majority):
    """Takes its whole process down."""

    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y)


class DiesOnce(Majority):
    """Takes its process down, but only the first time: a file remembers."""

    def __init__(self, memory=""):
        self.memory = memory

    def fit(self, X, y):
        if not os.path.exists(self.memory):  # noqa: PTH110
            with open(self.memory, "w"):  # noqa: PTH123
                pass
            os._exit(3)
        return super().fit(X, y)


class Draws(Majority):
    """Names a class drawn from NumPy's global generator."""

    def predict(self, X):
        return np.random.choice(self.classes_, len(X))  # noqa: NPY002
