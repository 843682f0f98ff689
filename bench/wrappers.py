"""Set-valued wrappers and nested dichotomies, beside what they wrap and beside their slow twins."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import cross_validate

from bench.measure import Row, cpu_seconds, race
from wager.costs import CostMatrix
from wager.learners import (
    Conformal,
    EnsembleCredal,
    NaiveBayes,
    NaiveCredal,
    NestedDichotomies,
    NestedDichotomyForest,
    Nondeterministic,
    TunedCaution,
)
from wager.learners.dichotomies._decide import _maximal_of_all_pairs, maximal
from wager.metrics import make_set_scorer

ROWS = 50_000


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    yield from around_naive_bayes(*codes(rng, ROWS, 10, 4, 8))
    yield from around_a_forest(rng)
    yield from dichotomies(rng)
    yield from tuning(rng)


def around_naive_bayes(X, y) -> Iterator[Row]:
    bayes = NaiveBayes(categorical_features="all").fit(X, y)
    sets = Nondeterministic(FrozenEstimator(bayes)).fit(X, y)
    yield race(
        f"optimal F1 sets around naive Bayes, {ROWS:,} x 8 classes",
        lambda: sets.predict_set(X),
        lambda: bayes.predict_proba(X),
        "its predict_proba",
    )
    conformal = Conformal(FrozenEstimator(bayes), method="aps", random_state=0)
    conformal.fit(X[:5000], y[:5000])
    mapie, proba = conformal._calibrators[0], bayes.predict_proba(X)
    yield race(
        f"conformal sets (APS) around naive Bayes, {ROWS:,} x 8 classes",
        lambda: conformal.predict_set(X),
        lambda: mapie.predict_set(proba),
        "MAPIE, given the probabilities",
        at_most=2.0,
        repeat=3,
    )


def around_a_forest(rng) -> Iterator[Row]:
    X = rng.normal(size=(20_000, 10))
    y = (X[:, :3] + rng.normal(size=(20_000, 3))).argmax(axis=1)
    forest = RandomForestClassifier(50, random_state=0, n_jobs=1).fit(X[:5000], y[:5000])
    for envelope, at_most in (("minmax", 1.5), ("idm", 2.0), ("quantile", None), ("hull", None)):
        model = EnsembleCredal(FrozenEstimator(forest), envelope).fit(X, y)
        yield race(
            f"sets from a forest of 50 trees, {envelope}, 20,000 x 3 classes",
            lambda model=model: model.predict_set(X),
            lambda: forest.predict_proba(X),
            "the forest's predict_proba",
            at_most=at_most,
            repeat=3,
        )


def dichotomies(rng) -> Iterator[Row]:
    X, y = codes(rng, 2000, 6, 5, 9)
    costs = CostMatrix.ordinal(range(9))
    many = {"ordinal": True, "costs": costs, "random_state": 0}
    yield race(
        "forest of 50 dichotomies, fit, 2,000 x 9 classes",
        lambda: NestedDichotomyForest(**many).fit(X, y),
        lambda: NestedDichotomyForest(base=NaiveCredal(), **many).fit(X, y),
        "a naive credal classifier at each split",
        at_most=0.5,
        repeat=1,
    )
    forest = NestedDichotomyForest(**many).fit(X, y)
    credals = forest._credals(*forest._nodes.bounds(X[:500]))
    yield race(
        "forest of 50 dichotomies, L1 costs, 500 x 9 classes",
        lambda: maximal(credals, forest._weights, costs.costs),
        lambda: _maximal_of_all_pairs(credals, forest._weights, costs.costs, False),
        "all pairs on arrays",
        at_most=0.5,
        repeat=2,
    )
    wide, labels = codes(rng, 2000, 16, 8, 26)
    yield Row(
        "the best of 50 trees, fit, 2,000 x 26 classes",
        cpu_seconds(lambda: NestedDichotomies(random_state=0).fit(wide, labels), repeat=1),
        5.0,
        "the aim, 5 s",
        at_most=1.0,
    )


def tuning(rng) -> Iterator[Row]:
    score = make_set_scorer("utility_discounted_accuracy", utility="u65")
    for n, m, v, k in ((2000, 10, 4, 3), (20_000, 10, 4, 3), (20_000, 20, 5, 8)):
        X, y = codes(rng, n, m, v, k)
        yield race(
            f"50 strengths of the naive credal classifier, {n:,} x {m} features, {k} classes",
            lambda X=X, y=y: TunedCaution(NaiveCredal()).fit(X, y),
            lambda X=X, y=y: cross_validate(NaiveCredal(), X, y, cv=5, scoring=score),
            "one cross-validation",
            at_most=3.0,
        )


def codes(rng, n: int, m: int, v: int, k: int):
    """Nominal features that tell something of the class."""
    y = rng.integers(0, k, n)
    leaning = rng.dirichlet(np.full(v, 0.7), (k, m)).cumsum(axis=2)
    return (rng.random((n, m, 1)) > leaning[y]).sum(axis=2).clip(0, v - 1), y
