"""Learning from counts: rows in parts, merged counts, and what a model costs beyond counting."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bench.measure import Row, cpu_seconds, race
from bench.weka import nominal_rows
from wager.learners import AODE, NaiveBayes, NaiveCredal

PARTS = 100


def rows() -> Iterator[Row]:
    from sklearn.naive_bayes import CategoricalNB

    X, y = nominal_rows()
    parts, classes = np.array_split(np.arange(len(y)), PARTS), np.unique(y)
    cells = np.full(X.shape[1], 4)

    def in_parts(learner) -> None:
        for part in parts:
            learner.partial_fit(X[part], y[part], classes=classes)

    yield race(
        "NaiveCredal, fit, 100,000 x 20",
        lambda: NaiveCredal().fit(X, y),
        lambda: CategoricalNB().fit(X, y),
        "scikit-learn's CategoricalNB",
        at_most=0.3,
    )
    for learner in (NaiveBayes, NaiveCredal):
        yield race(
            f"{learner.__name__}, partial_fit, 100 x 1,000 x 20",
            lambda learner=learner: in_parts(learner()),
            lambda: in_parts(CategoricalNB(min_categories=cells)),
            "scikit-learn's CategoricalNB",
            at_most=0.5,
            repeat=3,
        )
    yield from _merging(X, y, parts)


def _merging(X: np.ndarray, y: np.ndarray, parts: list[np.ndarray]) -> Iterator[Row]:
    """What it costs to merge the counts of 100 sites, and to make a model of the sum."""
    for learner, at_most in ((NaiveCredal, 0.5), (AODE, 0.5)):
        name = learner.__name__
        sites = [learner().fit(X[part], y[part]).counts_ for part in parts]
        fit = cpu_seconds(lambda learner=learner: learner().fit(X, y), repeat=3)
        merge = cpu_seconds(lambda sites=sites: sum(sites), repeat=3)
        whole = sum(sites)
        model = cpu_seconds(lambda learner=learner, whole=whole: learner().fit_counts(whole), 3)
        yield Row(f"{name}, sum of the counts of 100 parts", merge, fit, "fit on all rows", at_most)
        yield Row(f"{name}, a model from counts", model, fit, "fit on all rows", at_most)
