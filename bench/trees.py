"""C4.5 against Weka's J48 (stored times, scaled); CausalMML against bare counts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from bench.measure import Row, cpu_seconds
from bench.weka import nominal_rows, numeric_rows, public_set, scaled
from wager.experiments.generators import random_network
from wager.learners import C45, CausalMML
from wager.prepare import MDLDiscretizer, load_dataset

WEKA = "Weka 3.6.14's J48, scaled"
# CPU seconds: fit and predict of all rows, numbers discretized beforehand
CODED = {
    "letter": (0.100, 0.022),
    "adult": (0.176, 0.006),
    "connect-4": (0.870, 0.022),
    "synthetic nominal": (0.508, 0.031),
    "synthetic numeric": (0.396, 0.027),
}
# fit on the numbers as they are, and the speed that is asked for
RAW = {"letter": (0.75, 3), "adult": (1.4, 3), "synthetic numeric": (67.0, 10)}


@cache
def _raw(name: str) -> Any:
    """Features as a frame or an array, and the classes."""
    if name == "synthetic nominal":
        return nominal_rows()
    if name == "synthetic numeric":
        return numeric_rows()
    path = public_set(name)
    if path is None:
        return None
    data = load_dataset(path)
    return data.frame, data.target


@cache
def _coded(name: str) -> Any:
    """The same with every number in its interval."""
    raw = _raw(name)
    if raw is None or name == "synthetic nominal":
        return raw
    X, y = raw
    return MDLDiscretizer().fit(X, y).transform(X), y


def rows() -> Iterator[Row]:
    for name, (fit, predict) in CODED.items():
        data = _coded(name)
        if data is not None:
            ours = cpu_seconds(lambda d=data: C45().fit(*d).predict_proba(d[0]))
            yield Row(f"C45, fit and predict, {name}", ours, scaled(fit + predict), WEKA, 1.0)
    for name, (fit, times) in RAW.items():
        data = _raw(name)
        if data is not None:
            ours = cpu_seconds(lambda d=data: C45().fit(*d), repeat=3)
            yield Row(f"C45, fit, {name} as it is", ours, scaled(fit), WEKA, 1 / times)
    yield from _networks()


def _networks() -> Iterator[Row]:
    """CausalMML samples thousands of structures; the peer climbs to a single one."""
    try:
        import pandas as pd
        from pyagrum import BNLearner
    except ImportError:
        return
    network = random_network(0, n_variables=31, n_values=(2, 4))
    for n, most in ((1_000, None), (50_000, 2.0)):
        X, y = network.sample(n, random_state=0)
        model = CausalMML(
            random_state=0, n_values=network.n_values, classes=np.arange(network.n_classes)
        )
        columns = [f"x{j}" for j in range(X.shape[1])]
        frame = pd.DataFrame(X.astype(str), columns=columns).assign(y=y.astype(str))

        def climb(frame=frame) -> object:
            learner = BNLearner(frame)
            learner.useGreedyHillClimbing()
            return learner.learnDAG()

        ours = cpu_seconds(lambda X=X, y=y, model=model: model.fit(X, y), repeat=2)
        one = cpu_seconds(lambda X=X: _count_family(X), repeat=5)
        what = f"CausalMML, fit, {n:,} x 30"
        floor = f"NumPy's counts of {model.n_parent_sets_:,} parent sets, as many as it meets"
        yield Row(what, ours, one * model.n_parent_sets_, floor, most)
        climbed = cpu_seconds(climb, repeat=1)
        yield Row(what, ours, climbed, "pyAgrum's hill climbing, to a single structure")


def _count_family(X: np.ndarray) -> np.ndarray:
    """The counts of a variable given two others, of at most four values each."""
    return np.bincount((X[:, 0] * 4 + X[:, 1]) * 4 + X[:, 2], minlength=64)
