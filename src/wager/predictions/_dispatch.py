"""Read predictions in any form as prediction sets, and align them with the true labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias

import numpy as np

from wager._tables import (
    DistinctLabels,
    check_classes,
    counted,
    declared_categories,
    distinct_labels,
    encode_labels,
    first_value,
    format_label,
    format_labels,
    in_memory,
    is_frame,
    is_list_column,
    is_sparse,
    numbered_classes,
)
from wager._typing import Array, ArrayLike, Ints
from wager.predictions._reading import refuse_other_separator
from wager.predictions._sets import PredictionSets, unite
from wager.predictions._strings import split_labels

__all__ = ["align", "as_sets", "form_of", "sets_to_write"]

_BOOLEANS = (bool, np.bool_)
_LISTS = (list, tuple, np.ndarray)
_Form: TypeAlias = Literal["indicator", "lists", "strings", "labels"]
_READERS: dict[_Form, Callable[..., PredictionSets]] = {
    "indicator": PredictionSets.from_indicator,
    "lists": PredictionSets.from_lists,
    "strings": PredictionSets.from_strings,
    "labels": PredictionSets.from_labels,
}


def as_sets(predictions: Any, classes: ArrayLike | None = None) -> PredictionSets:
    """Read predictions in any form as sets of classes.

    Parameters
    ----------
    predictions : PredictionSets, array-like, sparse matrix, column or table
        - a dense or sparse matrix, a table, or nested lists of *booleans*: an indicator with one
          column per class; also an array of shape (n, K, 1), or a pair of labels and such an
          array, as MAPIE returns it;
        - any other nested list, or a column of lists (pandas, polars, Arrow): the labels of each
          set;
        - strings: labels joined by ``|``, and ``""`` for the empty set.  A column of plain labels
          is therefore a column of sets with one class.  If a name in ``classes`` contains ``|``
          and every string is one of ``classes``, the strings are not split;
        - other labels: sets with one class;
        - `PredictionSets`: returned as they are, or over ``classes`` if given.
    classes : array-like of shape (K,), optional
        The classes, in the desired order.  By default they are those of the columns, or the sorted
        labels that occur, and the categories of a pandas Categorical.

    Returns
    -------
    PredictionSets

    Examples
    --------
    >>> as_sets([[True, True], [False, True]], classes=["no", "yes"])
    PredictionSets(2 rows over 'no', 'yes': {no, yes}, {yes})
    >>> as_sets(["no|yes", "yes"]) == as_sets([["no", "yes"], ["yes"]])
    True
    """
    if isinstance(predictions, PredictionSets):
        return predictions if classes is None else predictions.with_classes(classes)
    predictions = in_memory(_sets_of_pair(predictions))
    known = None if classes is None else check_classes(classes)
    form = form_of(predictions)
    if form == "strings" and known is not None and _whole(predictions, known):
        form = "labels"
    return _READERS[form](predictions, known)


def align(
    y_true: ArrayLike, y_pred: Any, classes: ArrayLike | None = None
) -> tuple[Ints, PredictionSets]:
    """Bring true labels and predictions to the same classes, which all measures of sets need.

    If ``classes`` are given, or the predictions declare them, all labels must be among them.  If
    the predictions are labels, the classes are the sorted labels that occur in either argument.  If
    they are a matrix without names, integer true labels are column numbers; other true labels name
    the columns in sorted order, if there are exactly as many distinct labels as columns.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true labels.
    y_pred : anything that `as_sets` takes
        The predictions, one for each true label.
    classes : array-like of shape (K,), optional
        The classes; scorers pass ``estimator.classes_``.

    Returns
    -------
    codes : ndarray of intp, shape (n,)
        The true classes, as indices into the classes of `sets`.
    sets : PredictionSets
        The predictions.

    Examples
    --------
    >>> codes, sets = align(["a", "c"], ["a|b", "b"])
    >>> codes.tolist(), sets
    ([0, 2], PredictionSets(2 rows over 'a', 'b', 'c': {a, b}, {b}))
    >>> codes, sets = align(["no", "yes"], [[True, True], [False, True]])
    >>> codes.tolist(), sets.classes.tolist()
    ([0, 1], ['no', 'yes'])
    """
    if classes is None:
        classes = numbered_classes(y_true, y_pred)
    sets = as_sets(y_pred, classes)
    if sets.source == "columns":
        codes, names = encode_labels(y_true, n_classes=len(sets.classes))
        sets = sets.with_classes(names) if len(names) else sets
    elif sets.source == "labels":
        truth = distinct_labels(y_true, "y_true")
        if truth.labels.dtype.kind == sets.classes.dtype.kind == "U":
            _check_separators(truth, sets)
        codes, sets = unite(truth, sets)
    else:
        codes, _ = encode_labels(y_true, sets.classes)
    if len(codes) != len(sets):
        raise ValueError(
            f"y_true has {counted(len(codes), 'row')} but y_pred has {len(sets)}: "
            "pass one prediction for each true label"
        )
    return codes, sets


def sets_to_write(predictions: Any, classes: ArrayLike | None, truth: Array) -> PredictionSets:
    """Sets with the names of their classes: columns without names are named by the true labels.

    Examples
    --------
    >>> sets_to_write([[True, True], [False, True]], None, np.array(["no", "yes"])).to_lists()
    [['no', 'yes'], ['yes']]
    """
    sets = as_sets(predictions, classes)
    return align(truth, predictions)[1] if sets.source == "columns" else sets


def _check_separators(truth: DistinctLabels, sets: PredictionSets) -> None:
    """Refuse labels that consist of known labels: a separator was missed, or not intended."""
    predicted_labels = DistinctLabels(
        np.arange(len(sets.classes)),
        sets.classes,
        "y_pred",
        lambda code: f"row {np.argmax(sets.contains(sets.classes[code]))}",
    )
    refuse_other_separator(predicted_labels, truth.labels)
    predicted = set(sets.classes.tolist())
    for code, label in enumerate(truth.labels.tolist()):
        parts = split_labels(label)
        if label not in predicted and len(parts) > 1 and predicted.issuperset(parts):
            raise ValueError(
                f"y_true contains {label!r} in {truth.where(code)}, which in y_pred means the set "
                f"of {format_labels(np.array(parts))}: pass classes=, so that labels are not split"
            )


def form_of(predictions: Any) -> _Form:
    """Which of the forms that `as_sets` takes these predictions have."""
    if is_frame(predictions) or is_sparse(predictions):
        return "indicator"
    if isinstance(predictions, np.ndarray) and predictions.ndim > 1:
        return "indicator"
    first = _first(predictions)
    if isinstance(first, (list, tuple, np.ndarray, set, frozenset)) or is_list_column(predictions):
        return "indicator" if _are_booleans(predictions) else "lists"
    if isinstance(first, str) and not _is_categorical(predictions):
        return "strings"
    return "labels"


def _sets_of_pair(predictions: Any) -> Any:
    """The sets of a pair of labels and sets, as MAPIE's ``predict_set`` returns."""
    if not (isinstance(predictions, tuple) and len(predictions) == 2):
        return predictions
    labels, sets = predictions
    is_pair = isinstance(sets, np.ndarray) and sets.ndim == 3 and np.shape(labels) == (len(sets),)
    return sets if is_pair else predictions


def _first(predictions: Any) -> Any:
    """The first prediction, whose form all others should have; None if there is none."""
    if isinstance(predictions, Iterator):
        raise ValueError(
            f"y_pred is a {type(predictions).__name__}, which can be read only once: pass "
            "list(y_pred)"
        )
    if not _has_rows(predictions):
        raise ValueError(
            f"pass a list or an array with one prediction per row, got {format_label(predictions)}"
        )
    if len(predictions) == 0:
        return None
    return first_value(predictions)


def _has_rows(predictions: Any) -> bool:
    if isinstance(predictions, (np.ndarray, np.generic)):
        return predictions.ndim > 0
    return hasattr(predictions, "__len__") and not isinstance(predictions, (str, bytes, dict, set))


def _is_categorical(predictions: Any) -> bool:
    """Whether this is a pandas Categorical of labels, which declares those that do not occur.

    Categories with a separator, or the empty text, are sets written as text.
    """
    categories = declared_categories(predictions)
    return categories is not None and not any("|" in str(each) or each == "" for each in categories)


def _are_booleans(rows: Any) -> bool:
    if is_list_column(rows):
        return "bool" in str(getattr(rows, "dtype", None) or rows.type).lower()
    first = next((row[0] for row in rows if isinstance(row, _LISTS) and len(row)), None)
    if isinstance(first, _LISTS):  # (n, K, levels), as lists
        return np.asarray(rows).dtype.kind == "b"
    return isinstance(first, _BOOLEANS) and all(
        isinstance(entry, _BOOLEANS) for row in rows if isinstance(row, _LISTS) for entry in row
    )


def _whole(strings: Any, classes: Array) -> bool:
    """Whether strings are not to be split: all are classes, and a class contains ``|``."""
    if not any("|" in label for label in classes.tolist() if isinstance(label, str)):
        return False
    found = distinct_labels(strings, "y_pred", categories=False)
    return set(found.labels.tolist()) <= set(classes.tolist())
