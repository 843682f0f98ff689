"""The experiment engine against the least it could take: the time inside learners, and joblib's
processes without a store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import RepeatedStratifiedKFold

from bench.measure import Row, race
from wager.experiments import Plan, Store, run
from wager.experiments.run._fit_unit import do_task

BUSY_SECONDS = 0.05
TRIVIAL_UNITS = 10_000


class Busy(ClassifierMixin, BaseEstimator):
    """A learner that computes for 50 ms and then names the first class."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        end = process_time() + BUSY_SECONDS
        while process_time() < end:
            pass
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def rows() -> Iterator[Row]:
    yield overhead()
    yield trivial_units()
    yield from sharing()


def overhead() -> Row:
    """The clock between the first and the last unit, against the clock inside fit and predict."""
    learners = {"busy": "bench.experiments.Busy"}
    plan = Plan(datasets=["iris"], learners=learners, scheme={"repeats": 10})
    moments = []
    with TemporaryDirectory() as folder:
        run(plan, folder, progress=lambda state: moments.append(perf_counter()))
        frame = Store(folder).columns(["u65"])
    inside = sum(frame["fit_seconds"][1:]) + sum(frame["predict_seconds"][1:])
    what = "units of 50 ms, one process, all of it"
    row = Row(what, moments[-1] - moments[1], inside, "inside fit and predict", 1 / 0.95)
    each = 1e3 * (row.ours - row.other) / len(moments)
    note = f"{each:.1f} ms a unit to prepare the fold, score the predictions and store the unit"
    return row if row.met else replace(row, note=note)


def trivial_units() -> Row:
    """Ten thousand units that take no time: each is fitted, scored and stored for good."""
    scheme = {"n_folds": 10, "repeats": TRIVIAL_UNITS // 20}
    learners = {"all": "vacuous", "one": "random-class"}
    plan = Plan(datasets=["iris"], learners=learners, scheme=scheme)
    with TemporaryDirectory() as folder:
        start = perf_counter()
        done = run(plan, folder, n_jobs=2).done
        seconds = perf_counter() - start
    X, y = load_iris(return_X_y=True)
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=TRIVIAL_UNITS // 20, random_state=0)
    start = perf_counter()
    with Parallel(n_jobs=2) as pool:
        pool(delayed(bare_unit)(X, y, fold) for fold in folds.split(X, y))
    bare = perf_counter() - start
    what = f"{done:,} trivial units, two processes, stored one by one"
    row = Row(what, seconds, bare, "joblib: folds, fit, predict, nothing stored", 3.0)
    note = (
        f"{1e3 * seconds / done:.1f} ms a unit: scores with standard errors, a message to the "
        "process that writes, and the record of the unit with what it takes to compare plans"
    )
    return row if row.met else replace(row, note=note)


def bare_unit(X, y, fold) -> list[float]:
    """Two learners that learn nothing, on one fold."""
    train, test = fold
    learners = DummyClassifier(strategy="prior"), DummyClassifier(strategy="uniform")
    return [
        float((learner.fit(X[train], y[train]).predict(X[test]) == y[test]).mean())
        for learner in learners
    ]


def sharing() -> Iterator[Row]:
    """NBC, NCC and CDT on the same folds: prepared once for all, or once for each."""
    learners = {"nbc": "naive-bayes", "ncc": "naive-credal", "cdt": "credal-tree"}
    for what, select in (("MDL", "none"), ("MDL and CFS", "cfs")):
        plan = Plan(
            datasets=["wine", "breast_cancer", "digits"],
            learners=learners,
            scheme={"kind": "holdout", "repeats": 2},
            prepare={"discretize": "mdl", "select": select},
        )
        tasks = plan.tasks(plan.units())
        apart = [task.only([unit]) for task in tasks for unit in task.units]
        row = race(
            f"NBC, NCC and CDT after {what}, sharing folds",
            lambda tasks=tasks: [list(do_task(task)) for task in tasks],
            lambda apart=apart: [list(do_task(task)) for task in apart],
            "each by itself",
            1 / 1.8,
            repeat=3,
        )
        shared = 1.5 * (1 - row.ratio)  # what three learners share is done once instead of thrice
        note = (
            f"what the three share (rows, folds, {what}) is done once, and is {shared:.0%} of the "
            "time of each by itself; the target needs 67%: the rest is the learners' own work"
        )
        yield row if row.met else replace(row, note=note)
