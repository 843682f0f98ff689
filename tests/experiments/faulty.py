"""Learners with faults, named in plans by their dotted path."""

from __future__ import annotations

import decimal
import gc
import locale
import logging
import os
import signal
import socket
import sys
import threading
import time
import warnings
from contextlib import suppress

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

try:
    import resource
except ImportError:  # on Windows
    resource = None


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


class Untidy(Majority):
    """Changes settings of its process and leaves them changed."""

    def fit(self, X, y):
        np.seterr(all="raise")
        warnings.simplefilter("error")
        os.environ["WAGER_UNTIDY"] = "1"
        os.chdir("/")
        sys.path.insert(0, "/nowhere")
        sys.setrecursionlimit(5000)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (2**36, hard))
        decimal.getcontext().prec = 2
        decimal.getcontext().traps[decimal.Inexact] = True
        os.umask(0o777)
        sys.setswitchinterval(1.0)
        socket.setdefaulttimeout(0.001)
        np.set_printoptions(precision=1, threshold=2)
        logging.disable(logging.CRITICAL)
        logging.getLogger().setLevel(logging.DEBUG)
        logging.getLogger().addHandler(logging.FileHandler(os.devnull))
        logging.getLogger("asyncio").propagate = False
        gc.set_threshold(7)
        with suppress(locale.Error):
            locale.setlocale(locale.LC_TIME, "C.UTF-8")
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
        return super().fit(X, y)


class Particular(Majority):
    """Refuses to work in a process that another learner has left untidy."""

    def fit(self, X, y):
        assert np.geterr()["divide"] == "warn"
        assert "WAGER_UNTIDY" not in os.environ
        assert "/nowhere" not in sys.path
        assert os.getcwd() != "/"  # noqa: PTH109
        assert sys.getrecursionlimit() != 5000
        assert not signal.pthread_sigmask(signal.SIG_BLOCK, [])
        assert resource.getrlimit(resource.RLIMIT_AS)[0] != 2**36
        assert str(decimal.Decimal(2) / 3) == "0.6666666666666666666666666667"
        assert os.umask(0o22) != 0o777
        assert sys.getswitchinterval() < 1.0
        assert socket.getdefaulttimeout() is None
        assert repr(np.array([1 / 3] * 3)) == "array([0.33333333, 0.33333333, 0.33333333])"
        assert logging.getLogger("asyncio").propagate
        root = logging.getLogger()
        assert not any(type(each) is logging.FileHandler for each in root.handlers)
        assert (root.level, root.isEnabledFor(logging.ERROR)) == (logging.WARNING, True)
        assert gc.get_threshold()[0] != 7
        assert locale.setlocale(locale.LC_TIME) == "C"
        if hasattr(os, "sched_setaffinity"):
            assert os.sched_getaffinity(0) == os.sched_getaffinity(os.getppid())
        warnings.warn("this must not be an error", stacklevel=1)
        return super().fit(X, y)


class Nice(Majority):
    """Gives way to other processes, and refuses to if its process does so already."""

    def fit(self, X, y):
        starter = os.getpriority(os.PRIO_PROCESS, os.getppid())
        assert os.getpriority(os.PRIO_PROCESS, 0) == starter
        os.nice(3)
        return super().fit(X, y)


class Centres(GaussianNB):
    """Changes all that it is given."""

    def fit(self, X, y):
        X[:] = X - X.mean(axis=0)
        super().fit(X, y.copy())
        y[:] = y[0]
        return self

    def predict(self, X):
        X[:] = X - X.mean(axis=0)
        return super().predict(X.copy())

    def predict_proba(self, X):
        X[:] = 0
        X.setflags(write=False)
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


class Declared(Majority):
    """Changes its parameters, and the numbers of values that it is told."""

    def __init__(self, extra=(), n_values=None, other=None):
        self.extra = extra
        self.n_values = n_values
        self.other = other

    def fit(self, X, y):
        assert (self.extra, (self.n_values > 0).all()) == ([1], True)
        self.extra.append(2)
        self.n_values[:] = 0
        return super().fit(X, y)


class LowersLimits(Majority):
    """Takes memory away from its process for good."""

    def fit(self, X, y):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        return super().fit(X, y)


class Forks(Majority):
    """Leaves a copy of its process behind, which sleeps and then goes on; a file has its number."""

    def __init__(self, file="", session=False):
        self.file = file
        self.session = session

    def fit(self, X, y):
        child = os.fork()
        if child == 0:
            if self.session:
                os.setsid()
            time.sleep(1000)
        with open(self.file, "a") as file:  # noqa: PTH123
            file.write(f"{child}\n")
        return super().fit(X, y)


class Threads(Majority):
    """Leaves a thread behind that its process would wait for."""

    def fit(self, X, y):
        threading.Thread(target=time.sleep, args=(1000,), daemon=False).start()
        return super().fit(X, y)


class Surrogate(Majority):
    """Fails with a text that is not valid Unicode, and with a control character."""

    def fit(self, X, y):
        raise RuntimeError("half a character \udc80 and \x1b[31m")


class Speechless(Majority):
    """Fails with an error that has no text."""

    def fit(self, X, y):
        class SilentError(Exception):
            def __str__(self):
                raise RuntimeError("no")

        raise SilentError


class Exits(Majority):
    """Ends its process in Python's way."""

    def fit(self, X, y):
        sys.exit(4)


class Shouts(Majority):
    """Writes much to standard error, and then ends its process."""

    def fit(self, X, y):
        for _ in range(50):
            os.write(2, b"much ado about nothing\n" * 45_000)
        os.write(2, b"the end")
        os._exit(3)
