"""Learners with faults, named in plans by their dotted path."""

from __future__ import annotations

import os
import signal
import sys
import time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Majority(ClassifierMixin, BaseEstimator):
    """Predicts the most frequent class; the faulty learners do the same when they do not fail."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.most_ = np.bincount(y).argmax()
        return self

    def predict(self, X):
        return np.full(len(X), self.most_)


class Raises(Majority):
    """Fails on some folds: those in which the first value of the first row is odd."""

    def fit(self, X, y):
        if int(X[0, 0]) % 2:
            raise RuntimeError(f"cannot learn from a value of {int(X[0, 0])}")
        return super().fit(X, y)


class Sleeps(Majority):
    """Runs for a long time, in Python."""

    def fit(self, X, y):
        for _ in range(10_000):
            time.sleep(0.1)
        return super().fit(X, y)


class Hangs(Majority):
    """Runs for a long time, with the alarm signal blocked."""

    def fit(self, X, y):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        time.sleep(1000)
        return super().fit(X, y)


class Eats(Majority):
    """Allocates four gigabytes."""

    def fit(self, X, y):
        self.food_ = np.ones(500_000_000)
        return super().fit(X, y)


class Dies(Majority):
    """Kills its process."""

    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y)


class Talks(Majority):
    """Prints, also without Python's buffer, and reads: neither may disturb its worker."""

    def fit(self, X, y):
        print("hello")
        os.write(1, b"hello\n")
        self.read_ = sys.stdin.read()
        return super().fit(X, y)


class DiesOnce(Majority):
    """Ends its process, but only the first time: a file records it."""

    def __init__(self, memory=""):
        self.memory = memory

    def fit(self, X, y):
        if not os.path.exists(self.memory):  # noqa: PTH110
            with open(self.memory, "w"):  # noqa: PTH123
                pass
            os._exit(3)
        return super().fit(X, y)


class Draws(Majority):
    """Predicts classes drawn from NumPy's global generator."""

    def predict(self, X):
        return np.random.choice(self.classes_, len(X))  # noqa: NPY002


class Strange(Majority):
    """Predicts a class that the data do not have."""

    def predict(self, X):
        return np.full(len(X), 7)


class FailsUntil(Majority):
    """Fails until a file exists."""

    def __init__(self, file=""):
        self.file = file

    def fit(self, X, y):
        if not os.path.exists(self.file):  # noqa: PTH110
            raise RuntimeError("not yet")
        return super().fit(X, y)


class CompilesOnce(Majority):
    """Takes long the first time, as a loop that must be compiled: a file records it."""

    def __init__(self, cache="", seconds=2.5):
        self.cache = cache
        self.seconds = seconds

    def fit(self, X, y):
        if not os.path.exists(self.cache):  # noqa: PTH110
            time.sleep(self.seconds)
            with open(self.cache, "w"):  # noqa: PTH123
                pass
        return super().fit(X, y)
