"""The experiment engine against the least it could take: the time inside learners, and a minute."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

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
    return Row(what, moments[-1] - moments[1], inside, "inside fit and predict", 1 / 0.95)


def trivial_units() -> Row:
    """Ten thousand units that take no time, start of two workers included."""
    scheme = {"n_folds": 10, "repeats": TRIVIAL_UNITS // 20}
    learners = {"all": "vacuous", "one": "random-class"}
    plan = Plan(datasets=["iris"], learners=learners, scheme=scheme)
    with TemporaryDirectory() as folder:
        start = perf_counter()
        done = run(plan, folder, n_jobs=2).done
        seconds = perf_counter() - start
    return Row(f"{done:,} trivial units, two processes", seconds, 60.0, "a minute", 1.0)


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
        yield race(
            f"NBC, NCC and CDT after {what}, sharing folds",
            lambda tasks=tasks: [list(do_task(task)) for task in tasks],
            lambda apart=apart: [list(do_task(task)) for task in apart],
            "each by itself",
            1 / 1.8,
            repeat=3,
        )
