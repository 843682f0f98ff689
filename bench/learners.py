"""Learners against scikit-learn, pyAgrum and Weka (stored times, scaled): fit plus predict."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from bench.measure import Row, cpu_seconds, race
from bench.weka import nominal_rows, numeric_rows, public_set, scaled
from wager._tables import PairCounts, training_counts
from wager.learners import AODE, TAN, NaiveBayes
from wager.prepare import MDLDiscretizer, load_dataset

# CPU seconds of Weka 3.6.14: fit and predict of all rows
WEKA: dict[str, dict[str, tuple[float, float]]] = {
    "letter": {"NaiveBayes": (0.003, 0.195), "AODE": (0.012, 0.389), "TAN": (0.095, 0.332)},
    "adult": {"NaiveBayes": (0.006, 0.034), "AODE": (0.015, 0.032), "TAN": (0.136, 0.045)},
    "connect-4": {"NaiveBayes": (0.017, 0.188), "AODE": (0.099, 0.492), "TAN": (2.09, 0.254)},
    "synthetic nominal": {
        "NaiveBayes": (0.015, 0.176),
        "AODE": (0.046, 0.258),
        "TAN": (0.529, 0.251),
    },
    "synthetic numeric": {
        "NaiveBayes": (0.015, 0.189),
        "AODE": (0.059, 0.294),
        "TAN": (0.590, 0.248),
    },
}
LEARNERS: dict[str, Any] = {"NaiveBayes": NaiveBayes, "AODE": AODE, "TAN": TAN}


@cache
def _coded(name: str):
    """A set as codes (numbers discretized beforehand), classes and numbers of values."""
    if name == "synthetic nominal":
        X, y = nominal_rows()
        return X, y, np.full(X.shape[1], 4)
    if name == "synthetic numeric":
        X, y = numeric_rows()
        cutter = MDLDiscretizer().fit(X, y)
        return cutter.transform(X), y, cutter.n_values_
    path = public_set(name)
    if path is None:
        return None
    data = load_dataset(path)
    cutter = MDLDiscretizer(categorical_features=data.nominal).fit(data.matrix, data.target_codes)
    n_values = np.where(data.nominal, data.n_values, cutter.n_values_)
    return cutter.transform(data.matrix), data.target_codes, n_values


def _fit_and_predict(learner: Any, X: Any, y: Any) -> Any:
    return learner.fit(X, y).predict_proba(X)


def rows() -> Iterator[Row]:
    from sklearn.naive_bayes import CategoricalNB

    X, y = nominal_rows()
    yield race(
        "naive Bayes, fit and predict, 100,000 x 20",
        lambda: _fit_and_predict(NaiveBayes(), X, y),
        lambda: _fit_and_predict(CategoricalNB(), X, y),
        "scikit-learn's CategoricalNB",
        at_most=0.5,
    )
    for name, times in WEKA.items():
        coded = _coded(name)
        if coded is None:
            continue
        for learner, (fit, predict) in times.items():
            model = LEARNERS[learner](n_values=coded[2])
            ours = cpu_seconds(lambda m=model, c=coded: _fit_and_predict(m, c[0], c[1]), repeat=3)
            yield Row(
                f"{learner}, fit and predict, {name}",
                ours,
                scaled(fit + predict),
                "Weka 3.6.14, scaled",
                1.0,
            )
    yield _folds_by_subtraction()
    yield from _against_pyagrum()


def _folds_by_subtraction() -> Row:
    X, y = nominal_rows()
    n_values, fold = np.full(X.shape[1], 4), np.arange(len(y)) % 10

    def ours() -> None:
        total = PairCounts.of(X, y, n_values, 4)
        for counts in training_counts(total, X, y, fold):
            TAN().fit_counts(counts)

    def other() -> None:
        for f in range(10):
            TAN(n_values=n_values).fit(X[fold != f], y[fold != f])

    return race(
        "TAN on ten training folds, counts by subtraction", ours, other, "ten fits", 0.5, repeat=2
    )


def _against_pyagrum() -> Iterator[Row]:
    try:
        import pandas as pd
        from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
        from pyagrum.skbn import BNClassifier
    except ImportError:
        return
    coded = _coded("adult")
    if coded is None:
        return
    X, y, n_values = coded
    complete = np.where(X < 0, 0, X)[:5000]  # pyAgrum takes no missing values
    frame = pd.DataFrame(complete.astype(str), columns=[f"x{j}" for j in range(X.shape[1])])
    truth = pd.Series(y[:5000].astype(str), name="y")
    as_it_is = DiscreteTypeProcessor("NoDiscretization", None, 100)
    theirs = BNClassifier(type_processor=as_it_is, learningMethod="TAN")
    yield race(
        "TAN, fit and predict, adult (5,000 rows)",
        lambda: _fit_and_predict(TAN(n_values=n_values), complete, y[:5000]),
        lambda: _fit_and_predict(theirs, frame, truth),
        "pyAgrum's BNClassifier",
        at_most=1.0,
        repeat=1,
    )
