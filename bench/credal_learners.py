"""Credal learners against a first prototype, Weka-IP and imptree (stored times, scaled)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from bench.measure import Row, cpu_seconds
from bench.weka import nominal_rows, public_set, scaled
from wager._tables import Counts
from wager.experiments._weka_folds import fold_of_row
from wager.learners import CredalModelAveraging, CredalTree, LazyNaiveCredal
from wager.learners.naive._ratio import Dominance
from wager.learners.trees._information_gain import grow_credal_tree
from wager.learners.trees._leaf_intervals import intervals, undominated
from wager.learners.trees._nodes import TreeRows
from wager.prepare import MDLDiscretizer, ModeMeanImputer, load_dataset

PROTOTYPE = "a first prototype, scaled"
# CPU seconds, fit and predict on ten folds, numbers discretized beforehand
TEN_FOLDS: dict[str, dict[str, float]] = {
    "mushroom": {"NCC, floor": 0.014, "NCC": 0.010, "CMA": 0.027, "CDT": 0.022},
    "nursery": {"NCC, floor": 0.064, "NCC": 0.042, "CMA": 0.018, "CDT": 0.078},
    "letter": {"NCC, floor": 0.92, "NCC": 0.64, "CMA": 0.98, "CDT": 2.0},
    "connect-4": {"NCC, floor": 0.27, "NCC": 0.26, "CMA": 0.22, "CDT": 6.9},
}
FROM_COUNTS: dict[str, Any] = {
    "NCC, floor": lambda counts, codes: Dominance(counts, 1.0, 0.01).undominated(codes),
    "NCC": lambda counts, codes: Dominance(counts, 1.0).undominated(codes),
    "CMA": lambda counts, codes: CredalModelAveraging().fit_counts(counts)._sets(codes),
}
ONE_FOLD = {"letter": 1.0, "connect-4": 5.0}  # seconds for the lazy classifier, on two cores
WEKA_IP = {"CMA": (CredalModelAveraging, 0.013, 0.073), "CDT": (CredalTree, 0.057, 0.018)}


class Coded(NamedTuple):
    """A set as codes, without gaps, and its folds."""

    X: Any
    y: Any
    n_values: Any
    n_classes: int
    fold: Any


@cache
def coded(name: str) -> Coded | None:
    path = public_set(name)
    if path is None:
        return None
    data = load_dataset(path)
    y = data.target_codes
    X = ModeMeanImputer(categorical_features=data.nominal).fit_transform(data.matrix)
    cutter = MDLDiscretizer(categorical_features=data.nominal).fit(X, y)
    n_values = np.where(data.nominal, data.n_values, cutter.n_values_)
    codes = np.asarray(cutter.transform(X), dtype=np.int32)
    return Coded(codes, y, n_values, len(data.classes), fold_of_row(y))


def rows() -> Iterator[Row]:
    yield from ten_folds()
    yield from lazy_fold()
    yield from lazy_variants()
    yield from against_weka_ip()
    yield from against_imptree()
    yield from predictive_trees()


def ten_folds() -> Iterator[Row]:
    """Ten folds of one run, on codes that were checked beforehand, as the prototype's were.

    Training counts come by subtraction; for trees the rows are read once and weighed by fold.
    """
    for name, times in TEN_FOLDS.items():
        data = coded(name)
        if data is None:
            continue
        for learner, seconds in times.items():
            if learner == "CDT":
                ours = cpu_seconds(lambda d=data: _tree_folds(d), repeat=7)
                plain = cpu_seconds(lambda d=data: _plain_folds(d), repeat=3)
                yield Row(f"CDT, ten plain fits, {name}", plain, scaled(seconds), PROTOTYPE)
            else:
                rule = FROM_COUNTS[learner]
                ours = cpu_seconds(lambda d=data, r=rule: _count_folds(d, r), repeat=3)
            yield Row(f"{learner}, ten folds, {name}", ours, scaled(seconds), PROTOTYPE, 0.5)


def _count_folds(data: Coded, undominated: Any) -> None:
    total = Counts.of(data.X, data.y, data.n_values, data.n_classes)
    for f in range(10):
        test = data.fold == f
        codes = data.X[test]
        left_out = Counts.of(codes, data.y[test], data.n_values, data.n_classes)
        undominated(total - left_out, codes)


def _tree_folds(data: Coded) -> None:
    model = CredalTree(classes=range(data.n_classes), n_values=data.n_values)
    training = model._training(data.X, data.y)
    rule = model._rule(training)
    for f in range(10):
        nodes = grow_credal_tree(training._replace(weights=data.fold != f), rule)
        codes = data.X[data.fold == f].astype(training.rows.codes.dtype)
        numbers = np.empty((0, len(codes)))
        test = TreeRows(codes, numbers, training.rows.n_values, training.rows.slot)
        undominated(*intervals(nodes, test, 1.0), "weak")


def _plain_folds(data: Coded) -> None:
    for f in range(10):
        train, test = data.fold != f, data.fold == f
        model = CredalTree(classes=range(data.n_classes), n_values=data.n_values)
        model.fit(data.X[train], data.y[train]).predict_set(data.X[test])


def lazy_fold() -> Iterator[Row]:
    """One fold; CPU seconds of both threads together, so half of it passes on two idle cores."""
    for name, seconds in ONE_FOLD.items():
        data = coded(name)
        if data is None:
            continue
        train, test = data.fold != 0, data.fold == 0
        model = LazyNaiveCredal(n_jobs=2, classes=range(data.n_classes), n_values=data.n_values)
        model.fit(data.X[train], data.y[train])
        ours = cpu_seconds(lambda m=model, d=data, t=test: m.predict_set(d.X[t]), repeat=2)
        yield Row(f"LNCC, one fold, {name}", ours, seconds, "the budget", 1.0)


def lazy_variants() -> Iterator[Row]:
    """Neighbours that are sorted, and counted by weights, beside those counted by levels."""
    X, y = nominal_rows(6_000, 20, 4, 5)
    times = {}
    for metric, weights in product(("overlap", "mvdm"), ("uniform", "linear")):
        model = LazyNaiveCredal(metric=metric, weights=weights).fit(X[:5_000], y[:5_000])
        times[metric, weights] = cpu_seconds(lambda m=model: m.predict_set(X[5_000:]), repeat=2)
    usual = times.pop(("overlap", "uniform"))
    for (metric, weights), ours in times.items():
        what = f"LNCC, {metric} and {weights}, 1,000 rows of 5,000 x 20"
        yield Row(what, ours, usual, "overlap and uniform")


def against_weka_ip() -> Iterator[Row]:
    X, y = nominal_rows(20_000, 20, 4, 5)
    for learner, (make, fit, predict) in WEKA_IP.items():
        ours = cpu_seconds(lambda m=make: m().fit(X[:10_000], y[:10_000]).predict_set(X[10_000:]))
        what = f"{learner}, fit and predict, 10,000 x 20"
        yield Row(what, ours, scaled(fit + predict), "Weka-IP, scaled", 1.0)


def against_imptree() -> Iterator[Row]:
    """Rows of the same shapes as imptree's, with something to learn in them."""
    for what, (X, y), seconds in (
        ("100,224 x 6", _like_car(), 0.22),
        ("3,186 x 180", _like_dna(), 0.28),
    ):
        model = CredalTree(candidates="complete")
        ours = cpu_seconds(lambda m=model, X=X, y=y: m.fit(X, y))
        yield Row(f"CredalTree, fit, {what}", ours, scaled(seconds), "imptree 0.5.1, scaled", 1.0)


def predictive_trees() -> Iterator[Row]:
    """Trees by nonparametric predictive inference beside those by the imprecise Dirichlet model."""
    for what, (X, y) in (("100,224 x 6", _like_car()), ("3,186 x 180", _like_dna())):
        usual = cpu_seconds(lambda X=X, y=y: CredalTree().fit(X, y))
        for model in ("npi", "npi-ordinal"):
            ours = cpu_seconds(lambda m=model, X=X, y=y: CredalTree(model=m).fit(X, y))
            name = f"CredalTree, {model}, fit, {what}"
            yield Row(name, ours, usual, "the imprecise Dirichlet model", 2.0)


@cache
def _like_car() -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    cells = np.array(list(product(*(range(v) for v in (4, 4, 4, 3, 3, 3)))))
    X = np.tile(cells, (58, 1))
    liking = X[:, 0] + X[:, 1] + X[:, 3] * X[:, 5] + random.normal(0, 0.7, len(X))
    return X, np.digitize(liking, [2, 5, 8])


@cache
def _like_dna() -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (3186, 180))
    score = 2 * X[:, 0] + X[:, 1] + X[:, 2] * X[:, 3] + 1.5 * random.random(len(X))
    return X, np.minimum(score.astype(int), 2)
