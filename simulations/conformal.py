"""Conformal sets and p-values: how often they contain the true class, over all rows and by class.

The promise is about the calibration rows and the new row together, so every replication draws its
calibration rows again.  Without calibration by class, the coverage of a single class has no bound;
its lowest value shows why one may want it.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator

from wager.learners import Conformal

REPLICATIONS = 100
SEED = 2027
ALPHA = 0.1
SIZES = (50, 200)
TEST_ROWS = 1000
PRIOR = np.array([0.5, 0.3, 0.2])
# three and a half standard errors below and above the promise, of 100 calibration sets
COVERED, COVERED_BY_CLASS, MISSED = ">= 0.885", ">= 0.88", "<= 0.115"
METHODS: dict[str, dict[str, Any]] = {
    "lac": {},
    "lac, by class": {"mondrian": True},
    "aps": {"method": "aps"},
}
# what the classifier makes of the true probabilities
LAWS = {"true probabilities": 1.0, "far too certain": 4.0, "far too uncertain": 0.25}

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]


class Given(ClassifierMixin, BaseEstimator):
    """A classifier whose rows are its probabilities already."""

    def fit(self, X: Floats, y: Ints) -> Self:
        """Learn nothing but the classes."""
        self.classes_ = np.arange(X.shape[1])
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """The rows themselves."""
        return X


def table(replications: int = REPLICATIONS, seed: int = SEED) -> list[dict[str, Any]]:
    """Coverage of all rows and of the class that is covered least, and error rates of p-values."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for law, power in LAWS.items():
        for n in SIZES:
            for method, (rates, bounds) in _rates(rng, power, n, replications).items():
                for what, rate in rates.items():
                    rows.append(
                        {"what": what, "setting": f"{method}, {law}", "n": n,
                         "value": round(rate, 4), "bound": bounds.get(what, ""),
                         "replications": replications}
                    )  # fmt: skip
    return rows


def _rates(
    rng: np.random.Generator, power: float, n: int, replications: int
) -> dict[str, tuple[dict[str, float], dict[str, str]]]:
    """For each method the rates, and the bounds of those that are promised."""
    hits = {method: np.zeros((2, 3)) for method in METHODS}  # rows and hits by class
    small = dict.fromkeys(("lac", "lac, by class"), 0.0)
    for _ in range(replications):
        proba, y = _rows(rng, power, n)
        new, truth = _rows(rng, power, TEST_ROWS)
        known = FrozenEstimator(Given().fit(proba, y))
        for method, options in METHODS.items():
            model = Conformal(known, ALPHA, random_state=0, **options).fit(proba, y)
            hit = model.predict_set(new)[np.arange(TEST_ROWS), truth]
            hits[method] += np.bincount(truth, minlength=3), np.bincount(truth, hit, minlength=3)
            if method in small:
                p_values = model.predict_pvalues(new)[np.arange(TEST_ROWS), truth]
                small[method] += (p_values <= ALPHA).mean() / replications
    found = {}
    for method, (seen, covered) in hits.items():
        by_class = covered / seen
        name = "coverage by class" if "by class" in method else "coverage by class, not promised"
        rates = {"coverage": float(covered.sum() / seen.sum()), name: float(by_class.min())}
        if method in small:
            rates["p-values of at most 0.1"] = small[method]
        bounds = {
            "coverage": COVERED,
            "coverage by class": COVERED_BY_CLASS,
            "p-values of at most 0.1": MISSED,
        }
        found[method] = rates, bounds
    return found


def _rows(rng: np.random.Generator, power: float, n: int) -> tuple[Floats, Ints]:
    """Probabilities that the classifier states, and the true classes."""
    true = rng.dirichlet(2 * PRIOR, n)
    y = (true.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(max=2)
    stated = np.maximum(true, 1e-12) ** power
    return stated / stated.sum(axis=1, keepdims=True), y
