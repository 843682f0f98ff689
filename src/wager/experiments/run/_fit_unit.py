"""Do a task: prepare its data once, then fit and score each of its learners."""

from __future__ import annotations

import json
import random
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from wager._typing import Bools, Floats, Ints
from wager.experiments._measures import ORDINAL, scorer_of
from wager.experiments.plan._prepare import Preparation
from wager.experiments.plan._units import Keep, Limits, Task, Unit
from wager.experiments.run._fold import Fold, fold_of
from wager.experiments.run._limits import TimeUp, limited
from wager.experiments.run._outcome import (
    Outcome,
    Predictions,
    pack_probabilities,
    pack_rows,
    plain,
    true_tally,
)
from wager.learners import TableClassifier, make_learner
from wager.rewards import ProbabilityTally, Tally, kl_divergence, prior_from_counts

__all__ = ["do_task", "predict", "ready"]

Result = TypeVar("Result")


def do_task(task: Task) -> Iterator[Outcome]:
    """The outcome of each unit, as soon as it is there.

    Whatever goes wrong with a unit's data or learner becomes its outcome.
    """
    prepared: dict[Preparation, tuple[Fold | Outcome, float]] = {}
    for unit in task.units:
        how = unit.preparation
        if how not in prepared:
            start = perf_counter()
            found = _caught(unit, task.limits, partial(fold_of, unit))
            prepared[how] = found, perf_counter() - start
        fold, seconds = prepared[how]
        if isinstance(fold, Outcome):
            outcome = replace(fold, key=unit.key)
        else:
            work = partial(fit_and_score, unit, fold, task.keep)
            outcome = _caught(unit, task.limits, work)
        yield replace(outcome, prepare_seconds=seconds, random_state=unit.random_state)


def _caught(unit: Unit, limits: Limits, work: Callable[[], Result]) -> Result | Outcome:
    """What the work returns, or the outcome that tells why it did not."""
    try:
        with limited(limits.seconds, limits.memory):
            return work()
    except (Exception, TimeUp) as problem:
        return Outcome(unit.key, error=_reason(problem, limits), trace=traceback.format_exc())


def _reason(problem: BaseException, limits: Limits) -> str:
    if isinstance(problem, TimeUp):
        return f"took longer than the time limit of {limits.seconds:g} seconds"
    if isinstance(problem, MemoryError) and limits.memory is not None:
        return f"needed more than the memory limit of {limits.memory / 1e6:g} MB"
    return f"{type(problem).__name__}: {str(problem).strip()}"


def fit_and_score(unit: Unit, fold: Fold, keep: Keep) -> Outcome:
    """Fit a unit's learner, predict, and reduce the predictions to what is kept."""
    np.random.seed(unit.random_state)  # noqa: NPY002 - for learners that draw from it
    random.seed(unit.random_state)
    learner = ready(unit.learner, fold, unit.random_state)
    with_proba = keep.probabilities or keep.predictions or fold.truth is not None
    start = perf_counter()
    learner.fit(fold.train.X, fold.y_train)
    fitted = perf_counter()
    sets, proba = predict(learner, fold.test.X, len(fold.classes), with_proba)
    predicted = perf_counter()
    size, hit = sets.sum(axis=1), sets[np.arange(len(sets)), fold.y_test]
    chosen = json.dumps(learner.best_params_, default=plain) if "tune" in unit.learner else None
    return Outcome(
        unit.key,
        n_train=len(fold.y_train),
        n_test=len(fold.y_test),
        n_features=fold.train.X.shape[1],
        tally=_tally(size, hit, len(fold.classes)).to_json(),
        rows=pack_rows(size, hit),
        fit_seconds=fitted - start,
        predict_seconds=predicted - fitted,
        chosen=chosen,
        **_further(fold, sets, proba, keep, unit.clip),
    )


def _further(
    fold: Fold, sets: Bools, proba: Floats | None, keep: Keep, clip: Any
) -> dict[str, Any]:
    """What else is kept, where it is asked for and can be had."""
    found: dict[str, Any] = {}
    n_classes = len(fold.classes)
    if proba is not None and keep.probabilities and n_classes > 1:
        prior = prior_from_counts(np.bincount(fold.y_train, minlength=n_classes))
        if clip == "unseen":  # what the prior gives to a class that training did not meet
            clip = 0.5 / (len(fold.y_train) + 0.5 * n_classes)
        codes = np.arange(n_classes)
        sums = ProbabilityTally.of(fold.y_test, proba, prior, classes=codes, clip=clip)
        found["probabilities"] = pack_probabilities(sums)
    if fold.truth is not None:
        found["true_tally"] = true_tally(sets, fold.truth).to_json()
        if proba is not None:
            found["kl_divergence"] = float(kl_divergence(fold.truth, proba))
    if keep.predictions:
        y_true = fold.classes[fold.y_test]
        found["predictions"] = Predictions(fold.rows, y_true, sets, proba, fold.classes)
    return found


def _tally(size: Ints, hit: Bools, n_classes: int) -> Tally:
    cells = np.bincount(2 * size + hit, minlength=2 * (n_classes + 1))
    return Tally(cells.reshape(n_classes + 1, 2))


def ready(what: Mapping[str, Any], fold: Fold, random_state: int) -> Any:
    """The learner, told what the data declares and where its randomness begins."""
    learner = _with_costs(make_learner(what["learner"], what["params"]), len(fold.classes))
    if "tune" in what:
        learner = _tuned(learner, what, random_state)
    declared: dict[str, Any] = {
        "classes": np.arange(len(fold.classes)),
        "n_values": fold.train.n_values,
        "random_state": random_state,
    }
    if not fold.train.nominal.all():
        declared["categorical_features"] = fold.train.nominal
    told = {}
    for key, value in learner.get_params().items():
        name = key.rpartition("__")[2]
        open_to_data = value is None or (isinstance(value, str) and value in ("auto", "from_dtype"))
        if name in declared and open_to_data:
            told[key] = declared[name]
    return learner.set_params(**told)


def _with_costs(learner: Any, n_classes: int) -> Any:
    """The learner, with ``costs = "ordinal"`` written out for the classes of the data."""
    asked = [
        key
        for key, value in learner.get_params().items()
        if key.rpartition("__")[2] == "costs" and isinstance(value, str) and value == ORDINAL
    ]
    if not asked:
        return learner
    from wager.costs import CostMatrix

    costs = CostMatrix.ordinal(np.arange(n_classes))
    return learner.set_params(**dict.fromkeys(asked, costs.costs))


def _tuned(learner: Any, what: Mapping[str, Any], random_state: int) -> Any:
    """The learner behind a search over its parameters, by an inner cross-validation."""
    from sklearn.model_selection import GridSearchCV, StratifiedKFold

    scoring = scorer_of(learner, what["tune_measure"])
    folds = StratifiedKFold(what["tune_folds"], shuffle=True, random_state=random_state)
    return GridSearchCV(learner, dict(what["tune"]), scoring=scoring, cv=folds, error_score="raise")


def predict(learner: Any, X: Any, n_classes: int, with_proba: bool) -> tuple[Bools, Floats | None]:
    """Sets as a matrix over all classes, and probabilities where the learner has them."""
    proba = None
    if with_proba and hasattr(learner, "predict_proba"):
        proba = _spread(learner.predict_proba(X), learner.classes_, n_classes)
    model = getattr(learner, "best_estimator_", learner)
    if hasattr(model, "predict_set"):
        return _spread(model.predict_set(X), model.classes_, n_classes), proba
    if proba is not None and getattr(type(model), "predict", None) is TableClassifier.predict:
        named = proba.argmax(axis=1)  # which is what its predict does
    else:
        named = np.asarray(model.predict(X))
    return np.arange(n_classes) == named[:, None], proba


def _spread(columns: Any, classes: Ints, n_classes: int) -> Any:
    """The matrix with a column for every declared class; one the learner has not met is empty."""
    matrix = np.asarray(columns)
    if len(classes) == n_classes:
        return matrix
    whole = np.zeros((len(matrix), n_classes), dtype=matrix.dtype)
    whole[:, classes] = matrix
    return whole
