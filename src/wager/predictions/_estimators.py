"""Prediction sets of an estimator of any library, as one boolean matrix.

Libraries return sets in different forms: MAPIE a pair of labels and an array with one layer per
confidence level, crepes an indicator matrix or lists of labels, TorchCP a tensor of flags or lists
of positions, nonconformist p-values, and a plain classifier one label per row.  `predict_set` reads
all of them; it recognises them by their methods and imports none of these libraries.
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter, isclass, signature
from numbers import Real
from typing import Any

import numpy as np

from wager._tables import check_classes, first_value, format_label, format_labels
from wager._typing import Array, ArrayLike, Bools, Floats
from wager._visible import brief
from wager.predictions._dispatch import as_sets, form_of
from wager.predictions._sets import PredictionSets

__all__ = ["classes_of", "explain_set", "knows_some", "predict_set", "robustness"]

# Where estimators keep their classes: scikit-learn's name, nonconformist's, then wrapped models of
# crepes, MAPIE, scikit-learn's searches and meta-estimators.
_CLASSES = ("classes_", "classes")
_WRAPPED = ("learner", "_mapie_classifier", "best_estimator_", "estimator_", "estimator")
_SAME_LEVEL = 1e-9  # confidence levels are written as 0.9 and stored as 1 - 0.9


def predict_set(
    estimator: Any, X: Any, *, level: float | None = None, classes: ArrayLike | None = None
) -> Bools:
    """The prediction sets of a fitted estimator of any library, a pipeline or a search.

    Parameters
    ----------
    estimator : estimator
        A set-valued classifier of wager, MAPIE, crepes, TorchCP or nonconformist, or one with the
        same methods; a plain classifier, whose sets have one class; or a ``Pipeline`` or search
        that ends in one of them.
    X : array-like
        What the estimator takes.
    level : float, optional
        The confidence level of the sets, for estimators that offer several or return p-values.
    classes : array-like of shape (n_classes,), optional
        The classes of the columns, for estimators that do not know them.  Columns of an estimator
        that knows some of these classes are found by its own ``classes_``.

    Returns
    -------
    bool ndarray of shape (n_rows, n_classes)
        The columns are in the order of ``classes``, by default that of ``classes_``.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [2.0]] * 2, ["a", "b", "c"] * 2)
    >>> predict_set(model, [[1.9], [0.1]])
    array([[False, False,  True],
           [ True, False, False]])
    """
    if isclass(estimator):
        raise ValueError(f"pass a fitted estimator, got the class {estimator.__name__}")
    model, rows = _last_step(estimator, X)
    own = classes_of(estimator)
    known = own if classes is None else check_classes(classes)
    found = _layer(_predictions(model, rows, level), model, level)
    if known is None and not hasattr(model, "predict_set") and _are_single(found, model):
        raise ValueError(
            f"{type(model).__name__} has no classes_, so its predictions are not known to be "
            "classes: pass a classifier, or classes="
        )
    if classes is not None and knows_some(own, known) and _has_columns_of_its_own(found, model):
        found = PredictionSets.from_indicator(found, own)
    is_matrix = isinstance(found, np.ndarray) and found.dtype == bool and found.ndim == 2
    if is_matrix and (known is None or len(known) == found.shape[1]):
        return found
    return np.asarray(_over(found, model, known))


def robustness(estimator: Any, X: Any, **options: Any) -> Floats:
    """The largest strength at which each prediction of a fitted estimator stays a single class.

    Calls the method ``robustness`` of the estimator, also at the end of a pipeline or a search.

    Parameters
    ----------
    estimator : estimator
        A classifier with ``robustness``, or a ``Pipeline`` or search that ends in one.
    X : array-like
        What the estimator takes.
    **options
        Passed on, such as ``of="missing"``.

    Returns
    -------
    ndarray of shape (n_rows,)
        0 where the prediction is not a single class at any strength; infinity where it always is.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from wager.learners import NaiveCredal
    >>> model = make_pipeline(NaiveCredal()).fit([["sun"], ["sun"], ["rain"]], ["out", "out", "in"])
    >>> robustness(model, [["sun"], ["rain"]]).round(3)
    array([2., 1.])
    """
    model, rows = _with_method(estimator, X, "robustness")
    return np.asarray(model.robustness(rows, **options), dtype=np.float64)


def explain_set(estimator: Any, x: Any) -> Any:
    """Why one row has its predicted set, also at the end of a pipeline or a search.

    Parameters
    ----------
    estimator : estimator
        A classifier with ``explain_set``, or a ``Pipeline`` or search that ends in one.
    x : array-like
        One row, as a table that the estimator takes.

    Returns
    -------
    SetExplanation

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from wager.learners import NaiveCredal
    >>> model = make_pipeline(NaiveCredal()).fit([["sun"], ["sun"], ["rain"]], ["out", "out", "in"])
    >>> explain_set(model, [["rain"]]).kept
    ('in', 'out')
    """
    model, row = _with_method(estimator, x, "explain_set")
    return model.explain_set(row)


def _with_method(estimator: Any, X: Any, name: str) -> tuple[Any, Any]:
    model, rows = _last_step(estimator, X)
    if not hasattr(model, name):
        raise ValueError(
            f"{type(model).__name__} has no method {name}: use a learner of wager that has it, "
            "such as NaiveCredal"
        )
    return model, rows


def classes_of(estimator: Any) -> Array | None:
    """The classes of a fitted estimator, a pipeline, a search or a wrapper; None if unknown.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> classes_of(GaussianNB().fit([[0.0], [1.0]], ["b", "a"])).tolist()
    ['a', 'b']
    """
    for name in _CLASSES:
        found = getattr(estimator, name, None)
        if isinstance(found, (np.ndarray, list, tuple)) and len(found) and np.ndim(found[0]) == 0:
            return check_classes(found)
    for name in _WRAPPED:
        inner = getattr(estimator, name, None)
        found = None if inner is None or inner is estimator else classes_of(inner)
        if found is not None:
            return found
    return None


def knows_some(own: Array | None, classes: Array | None) -> bool:
    """Whether some of these classes are an estimator's own; other names are names of its columns.

    Examples
    --------
    >>> knows_some(np.array(["a", "b"]), np.array(["b", "a"]))
    True
    >>> knows_some(np.array([0, 1]), np.array(["b", "a"]))
    False
    """
    if own is None or classes is None:
        return False
    return not set(own.tolist()).isdisjoint(classes.tolist())


def _last_step(estimator: Any, X: Any) -> tuple[Any, Any]:
    """The estimator that predicts, and its input: scikit-learn forwards only its own methods."""
    while not hasattr(estimator, "predict_set"):
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            X = estimator[:-1].transform(X) if len(estimator.steps) > 1 else X
            estimator = estimator[-1]
        else:
            break
    return estimator, X


def _parameters(method: Any) -> Mapping[str, Parameter]:
    try:
        return signature(method).parameters
    except (TypeError, ValueError):  # a method without a signature, of a compiled class
        return {}


def _predictions(model: Any, X: Any, level: float | None) -> Any:
    """What the model returns for X, at the confidence level if it takes one."""
    if level is not None and not (isinstance(level, Real) and 0 < level < 1):
        raise ValueError(f"level must lie strictly between 0 and 1, got {brief(level)}")
    call = getattr(model, "predict_set", getattr(model, "predict", None))
    if call is None:
        raise ValueError(
            f"{type(model).__name__} has neither predict_set nor predict: pass a fitted "
            "classifier, or sets to wager.as_sets"
        )
    given = _parameters(call)
    if level is None:
        if "significance" in given:
            raise ValueError(
                f"{type(model).__name__} returns p-values: choose the confidence level of its sets "
                "with level=, such as level=0.9"
            )
        return call(X)
    options = {"confidence": level, "significance": 1 - level}
    taken = {name: value for name, value in options.items() if name in given}
    if not taken and not hasattr(model, "_alphas"):
        raise ValueError(
            f"{type(model).__name__} does not take a confidence level: leave level= out, and set "
            "the level where the estimator is made"
        )
    return call(X, **taken)


def _layer(sets: Any, model: Any, level: float | None) -> Any:
    """The sets of one confidence level, from MAPIE's pair of labels and sets by level."""
    if hasattr(sets, "detach"):  # a tensor, perhaps on another device
        return sets.detach().cpu().numpy()
    layers = sets[1] if isinstance(sets, tuple) and len(sets) == 2 else sets
    if not isinstance(layers, np.ndarray) or layers.ndim != 3:
        return sets
    levels = [1 - alpha for alpha in getattr(model, "_alphas", ())]
    shown = ", ".join(f"{one:g}" for one in levels)
    if level is not None:
        same = [k for k, one in enumerate(levels) if abs(one - level) < _SAME_LEVEL]
        if not same:
            raise ValueError(
                f"{type(model).__name__} has sets at the levels {shown}, not at {level:g}: choose "
                "one of them"
            )
        return layers[:, :, same[0]]
    if layers.shape[2] > 1:
        raise ValueError(
            f"{type(model).__name__} has sets at {layers.shape[2]} confidence levels"
            f"{f' ({shown})' if levels else ''}: choose one with level=, or give the estimator "
            "only one"
        )
    return layers[:, :, 0]


def _over(found: Any, model: Any, known: Array | None) -> PredictionSets:
    """What a model returned as sets over its classes."""
    if not _returns_positions(model) or isinstance(found, np.ndarray):
        sets = as_sets(found, None if known is None or _has_columns(found) else known)
        return sets if known is None else sets.with_classes(known)
    rows = [np.asarray(row, dtype=np.intp).ravel().tolist() for row in found]
    if known is None:
        raise ValueError(
            f"{type(model).__name__} returns positions of classes: name the classes with classes="
        )
    flags = np.zeros((len(rows), len(known)), dtype=bool)
    for i, row in enumerate(rows):
        wrong = [place for place in row if not 0 <= place < len(known)]
        if wrong:
            raise ValueError(
                f"{type(model).__name__} returned position {format_label(wrong[0])} in row {i}, "
                f"but there are {len(known)} classes ({format_labels(known)}): list every class"
            )
        flags[i, row] = True
    return PredictionSets.from_indicator(flags, known)


def _are_single(found: Any, model: Any) -> bool:
    """Whether predictions are one value per row rather than sets."""
    first: Any = first_value(found) if len(found) else 0
    return np.ndim(first) == 0 and not _returns_positions(model)


def _has_columns(found: Any) -> bool:
    """Whether columns have names, which show their classes better than their order."""
    return hasattr(found, "columns")


def _has_columns_of_its_own(found: Any, model: Any) -> bool:
    """Whether the sets are a matrix, whose columns are the classes that the model knows."""
    if isinstance(found, PredictionSets) or _returns_positions(model):
        return False
    return form_of(found) == "indicator"


def _returns_positions(model: Any) -> bool:
    """Whether integers in sets are positions: models of TorchCP do not know the class labels."""
    return any(base.__module__.split(".")[0] == "torchcp" for base in type(model).__mro__)
