"""Do a task: prepare its data once, then fit and score each of its learners."""

from __future__ import annotations

import json
import random
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from copy import deepcopy
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from wager._typing import Array, Bools, Floats, Ints
from wager._visible import brief
from wager.costs import CostMatrix
from wager.experiments.plan import (
    ORDINAL,
    Keep,
    Limits,
    Preparation,
    Task,
    Unit,
    code_of,
    modules_in,
    scorer_of,
)
from wager.experiments.run._limits import TimeUp, limited
from wager.experiments.run._unit_data import Folds, UnitData, load_data, unit_data
from wager.experiments.store import (
    UnitPredictions,
    UnitResult,
    expected_tally,
    pack_cost_tally,
    pack_numbers,
    pack_probabilities,
    pack_rows,
)
from wager.learners import (
    CategoricalClassifier,
    NaiveBayes,
    TableClassifier,
    first_largest,
    make_learner,
)
from wager.rewards import ProbabilityTally, Tally, kl_divergence, prior_from_counts

__all__ = ["configured_learner", "do_task", "get_ready", "predict", "with_declared"]

T = TypeVar("T")

ERROR_KEPT = 2_000  # characters of an error
TRACE_KEPT = 20_000  # characters of a traceback


def get_ready(task: Task) -> None:
    """Import the learners of a task and load its data, which the limits of a unit do not count.

    Errors are left to the units, where they occur again.
    """
    for unit in task.units:
        with suppress(BaseException), _modules_of(task.folder, unit):
            make_learner(unit.learner["learner"], deepcopy(unit.learner["params"]))
            code_of(unit.learner, _CODE)
    with suppress(BaseException):
        load_data(task.units[0].source)
    if task.limits != Limits():  # learners import it when compiling pays
        with suppress(ImportError):
            import numba  # noqa: F401


def do_task(task: Task) -> Iterator[UnitResult]:
    """The result of each unit, as soon as it is available.

    An error in a unit's data or learner becomes the result of that unit.
    """
    prepared: dict[Preparation, tuple[UnitData | UnitResult, float]] = {}
    folds: Folds = {}
    for unit in task.units:
        if unit.preparation not in prepared:
            start = perf_counter()
            found = _guarded(unit, task.limits, partial(unit_data, unit, folds))
            prepared[unit.preparation] = found, perf_counter() - start
        data, seconds = prepared[unit.preparation]
        if isinstance(data, UnitResult):
            result = replace(data, key=unit.key)
        else:
            result = _do_unit(task, unit, data)
        yield replace(result, prepare_seconds=seconds, random_state=unit.random_state)


def _do_unit(task: Task, unit: Unit, data: UnitData) -> UnitResult:
    """The result of one unit, whose learner may change the arrays that it is given."""
    # Units of a split share their data.  A learner that centres its columns or shuffles its classes
    # in place would change what the next one learns from, and the result of that one would be wrong
    # without any sign.  Each unit gets copies, of which there is one at a time.  They are made
    # before the limits of the learner apply, since it cannot help them.
    own = _guarded(unit, task.limits, data.for_learner)
    if isinstance(own, UnitResult):
        return own
    return _guarded(unit, task.limits, partial(_with_code, task, unit, data, own))


def _with_code(task: Task, unit: Unit, data: UnitData, own: UnitData) -> UnitResult:
    """Fit and score a unit, whose learner may be in a module in a folder."""
    with _modules_of(task.folder, unit):
        for path, code in code_of(unit.learner, _CODE).items():
            if code != unit.code.get(path):
                raise ValueError(
                    f"the code of {path} was changed after the run had started: run the plan again "
                    "with --retry"
                )
        return fit_and_score(unit, data, own, task.keep)


def _modules_of(folder: str, unit: Unit) -> AbstractContextManager[None]:
    return modules_in(folder) if unit.code else nullcontext()


_CODE: dict[str, str] = {}  # the identity of each learner's code when it was imported


def _guarded(unit: Unit, limits: Limits, work: Callable[[], T]) -> T | UnitResult:
    """What the work returns, or a result with the error that stopped it."""
    try:
        with limited(limits.seconds, limits.memory):
            return work()
    except BaseException as problem:  # also SystemExit: a learner must not end its worker
        reason, trace = _reason(problem, limits), traceback.format_exc()
        return UnitResult(
            unit.key, error=plain_text(reason[:ERROR_KEPT]), trace=plain_text(trace[-TRACE_KEPT:])
        )


def plain_text(text: str) -> str:
    r"""Text that can be stored and shown: other characters are written as escapes.

    Examples
    --------
    >>> plain_text("half a character \udc80, a bell \a")
    'half a character \\udc80, a bell \\x07'
    """
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else repr(letter)[1:-1]
        for letter in text
    )


def _reason(problem: BaseException, limits: Limits) -> str:
    if isinstance(problem, TimeUp):
        return f"took longer than the time limit of {limits.seconds:g} seconds"
    if isinstance(problem, MemoryError) and limits.memory is not None:
        return f"needed more than the memory limit of {limits.memory / 1e6:g} MB"
    try:
        text = str(problem).strip()
    except Exception:
        text = "its message cannot be shown"
    return f"{type(problem).__name__}: {text}"


def fit_and_score(unit: Unit, data: UnitData, own: UnitData, keep: Keep) -> UnitResult:
    """Fit a unit's learner, predict the test rows, and reduce the predictions to what is kept.

    The learner gets the arrays of ``own``, a copy of the data that it may change.
    """
    np.random.seed(unit.random_state)  # noqa: NPY002 - for learners that draw from it
    random.seed(unit.random_state)
    # a copy: the parameters of a grid share lists and tables, which a learner may change as well
    learner = configured_learner(deepcopy(dict(unit.learner)), own, unit.random_state)
    with_proba = keep.probabilities or keep.predictions or data.truth is not None
    start = perf_counter()
    learner.fit(own.train.X, own.y_train)
    fitted = perf_counter()
    sets, proba = predict(learner, own.test.X, len(data.classes), with_proba, data.test.X)
    predicted = perf_counter()
    size, hit = sets.sum(axis=1), sets[np.arange(len(sets)), data.y_test]
    chosen = json.dumps(learner.best_params_, default=_jsonable) if "tune" in unit.learner else None
    return UnitResult(
        unit.key,
        n_train=data.n_train,
        n_test=len(data.y_test),
        n_features=data.train.X.shape[1],
        tally=_tally(size, hit, len(data.classes)).to_json(),
        rows=pack_rows(size, hit),
        row_numbers=pack_numbers(data.rows),
        cost_tally=pack_cost_tally(data.y_test, sets, data.classes),
        fit_seconds=fitted - start,
        predict_seconds=predicted - fitted,
        chosen=chosen,
        **_optional_fields(data, sets, proba, keep, unit.clip),
    )


def _optional_fields(
    data: UnitData, sets: Bools, proba: Floats | None, keep: Keep, clip: Any
) -> dict[str, Any]:
    """The fields of a result that are kept only if wanted and available."""
    found: dict[str, Any] = {}
    n_classes = len(data.classes)
    if proba is not None and keep.probabilities and n_classes > 1:
        prior = prior_from_counts(np.bincount(data.y_train, minlength=n_classes))
        if clip == "unseen":  # the prior probability of a class without training rows
            clip = 0.5 / (len(data.y_train) + 0.5 * n_classes)
        codes = np.arange(n_classes)
        sums = ProbabilityTally.of(data.y_test, proba, prior, classes=codes, clip=clip)
        found["probabilities"] = pack_probabilities(sums)
    if data.truth is not None:
        found["true_tally"] = expected_tally(sets, data.truth).to_json()
        if proba is not None:
            found["kl_divergence"] = float(kl_divergence(data.truth, proba))
    if keep.predictions:
        y_true = data.classes[data.y_test]
        found["predictions"] = UnitPredictions(data.rows, y_true, sets, proba, data.classes)
    return found


def _tally(size: Ints, hit: Bools, n_classes: int) -> Tally:
    cells = np.bincount(2 * size + hit, minlength=2 * (n_classes + 1))
    return Tally(cells.reshape(n_classes + 1, 2))


def _jsonable(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)


def configured_learner(what: Mapping[str, Any], data: UnitData, random_state: int) -> Any:
    """The learner with its parameters, and with the declared classes and values of the data."""
    learner = _with_costs(make_learner(what["learner"], what["params"]), len(data.classes))
    if "tune" in what:
        learner = _tuned(learner, what, random_state)
    return with_declared(learner, data, random_state)


def with_declared(learner: Any, data: UnitData, random_state: int) -> Any:
    """The learner with the declared classes and values of the data.

    ``classes``, ``n_values``, ``categorical_features`` and ``random_state`` are set if the learner,
    or a learner inside it, has such a parameter and leaves it open.
    """
    declared: dict[str, Any] = {
        "classes": np.arange(len(data.classes)),
        "n_values": data.train.n_values,
        "random_state": random_state,
    }
    if not data.train.nominal.all():
        declared["categorical_features"] = data.train.nominal
    settings = {}
    for key, value in learner.get_params().items():
        name = key.rpartition("__")[2]
        is_open = value is None or (isinstance(value, str) and value in ("auto", "from_dtype"))
        if name in declared and is_open:
            settings[key] = declared[name]
    return learner.set_params(**settings)


def _with_costs(learner: Any, n_classes: int) -> Any:
    """The learner, with ``costs = "ordinal"`` replaced by the cost matrix of the classes."""
    ordinal = [
        key
        for key, value in learner.get_params().items()
        if key.rpartition("__")[2] == "costs" and isinstance(value, str) and value == ORDINAL
    ]
    if not ordinal:
        return learner
    costs = CostMatrix.ordinal(np.arange(n_classes))
    return learner.set_params(**dict.fromkeys(ordinal, costs.costs))


def _tuned(learner: Any, what: Mapping[str, Any], random_state: int) -> Any:
    """The learner inside a search over its parameters by an inner cross-validation."""
    from sklearn.model_selection import GridSearchCV, StratifiedKFold

    scoring = scorer_of(learner, what["tune_measure"])
    folds = StratifiedKFold(what["tune_folds"], shuffle=True, random_state=random_state)
    return GridSearchCV(learner, dict(what["tune"]), scoring=scoring, cv=folds, error_score="raise")


def predict(
    learner: Any, X: Any, n_classes: int, with_proba: bool, original: Array | None = None
) -> tuple[Bools, Floats | None]:
    """Sets as a matrix over all classes, and probabilities if the learner has them.

    ``original`` has the same rows as ``X``, for learners that change ``X`` when they predict.
    """
    proba = None
    if with_proba and hasattr(learner, "predict_proba"):
        columns = np.asarray(_without_mask(learner.predict_proba(X), "predict_proba"), np.float64)
        proba = _spread(columns, learner, (len(X), n_classes), "predict_proba")
        if original is not None:  # the sets must not depend on whether probabilities are kept
            X.setflags(write=True)  # the learner may have protected it
            np.copyto(X, original)
    model = getattr(learner, "best_estimator_", learner)
    if hasattr(model, "predict_set"):
        given = np.asarray(_without_mask(model.predict_set(X), "predict_set"))
        return _members(_spread(given, model, (len(X), n_classes), "predict_set")), proba
    own = getattr(type(model), "predict", None)
    of_proba = (TableClassifier.predict, CategoricalClassifier.predict, NaiveBayes.predict)
    if proba is not None and own in of_proba:
        label = first_largest(proba)  # its predict, without computing proba again
    else:
        label = _checked_labels(model.predict(X), (len(X), n_classes))
    return np.arange(n_classes) == label[:, None], proba


def _checked_labels(predicted: Any, shape: tuple[int, int]) -> Array:
    """The predicted classes; a ValueError if some are not among the classes of the data."""
    n_rows, n_classes = shape
    label = np.asarray(_without_mask(predicted, "predict"))
    if label.shape != (n_rows,):
        raise ValueError(f"predict returned an array of shape {label.shape} for {n_rows} rows")
    unknown = ~np.isin(label, np.arange(n_classes))
    if unknown.any():
        row = int(unknown.argmax())
        raise ValueError(
            f"predict returned {brief(label[row])} for test row {row + 1}, but the learner was "
            f"trained on the classes 0 to {n_classes - 1}: predict must return one of these"
        )
    return label


def _without_mask(answer: Any, method: str) -> Any:
    """What a learner has returned; a ValueError if some of it is masked.

    NumPy would take the numbers below the mask, which the learner has declared invalid.
    """
    if np.ma.is_masked(answer):
        mask = np.atleast_1d(np.ma.getmaskarray(answer))
        row = int(mask.reshape(len(mask), -1).any(axis=1).argmax())
        raise ValueError(
            f"{method} returned a masked value for test row {row + 1}: it must return an array "
            "without missing values"
        )
    return answer


def _members(given: Array) -> Bools:
    """The sets as a matrix of True and False; a ValueError if it has other values than 0 and 1."""
    if given.dtype != bool:
        wrong = ~np.isin(given, [0, 1])
        if wrong.any():
            row, column = np.argwhere(wrong)[0].tolist()
            raise ValueError(
                f"predict_set returned {brief(given[row, column])} for test row {row + 1}: it must "
                "return True or 1 for the classes in the set, and False or 0 for the others"
            )
    return given.astype(bool, copy=False)


def _spread(columns: Array, learner: Any, shape: tuple[int, int], method: str) -> Any:
    """The matrix with one column per declared class; a class unknown to the learner gets zeros."""
    classes = np.asarray(learner.classes_)
    n_rows, n_classes = shape
    if columns.shape != (n_rows, len(classes)):
        raise ValueError(
            f"{method} returned an array of shape {columns.shape} for {n_rows} rows and "
            f"{len(classes)} classes"
        )
    if not np.isin(classes, np.arange(n_classes)).all():
        raise ValueError(
            f"classes_ of the learner is {classes.tolist()}, but it was trained on the classes 0 "
            f"to {n_classes - 1}"
        )
    whole = np.zeros((n_rows, n_classes), dtype=columns.dtype)
    whole[:, classes.astype(np.int64)] = columns
    return whole
