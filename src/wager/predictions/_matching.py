"""Match predictions to classes that something else lists: costs, intervals, other predictions.

Predictions with names (prediction sets over declared classes, frames with class columns, labels)
are matched by name.  Columns without names stand for the sorted classes, as ``classes_`` in
scikit-learn; if the classes are listed in another order, that is an error.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._tables import (
    check_classes,
    frame_names,
    frame_to_matrix,
    in_memory,
    is_frame,
    is_sparse,
    named_values,
    order_of,
    require_sorted,
)
from wager._typing import Array, ArrayLike, Floats
from wager._visible import brief
from wager.predictions._dispatch import as_sets, form_of
from wager.predictions._probabilities import columns_by_name, same_spelling
from wager.predictions._reading import ClassSource
from wager.predictions._sets import PredictionSets

__all__ = ["class_source", "columns_over", "row_by_name", "same_columns", "sets_over"]


def class_source(
    predictions: Any, classes: ArrayLike | None = None
) -> tuple[ClassSource, Array | None]:
    """Where the classes of predictions come from, and the classes that they declare.

    Columns whose numbers are the given classes are called so.

    Examples
    --------
    This example needs ``pip install 'wager[frames]'``.

    >>> class_source([[True, False]])
    ('columns', None)
    >>> import pandas as pd
    >>> class_source(pd.DataFrame({"b": [True], "a": [False]}))
    ('declared', array(['b', 'a'], dtype='<U1'))
    """
    if isinstance(predictions, PredictionSets):
        declared = predictions.classes if predictions.source == "declared" else None
        return predictions.source, declared
    predictions = in_memory(predictions)
    if form_of(predictions) != "indicator":
        return "labels", None
    names = frame_names(predictions, classes) if is_frame(predictions) else None
    if names is None:
        return "columns", None
    return "declared", check_classes(list(names), "the columns")


def sets_over(
    predictions: Any,
    known: Array,
    whose: str = "the costs",
    classes: ArrayLike | None = None,
    what: str = "y_pred",
) -> PredictionSets:
    """Predictions as sets over the classes that something else lists, in its order.

    Parameters
    ----------
    predictions : anything that `as_sets` takes
    known : array of shape (K,)
        The classes.
    whose : str
        What lists them, for messages.
    classes : array-like, optional
        The classes of the columns of ``predictions``, as the user declares them.
    what : str
        The name of the predictions in messages.

    Examples
    --------
    >>> sets_over([[True, False]], np.array(["low", "high"]), classes=["high", "low"]).to_lists()
    [['high']]
    """
    if classes is not None:
        return as_sets(as_sets(predictions, classes), known)
    sets = as_sets(predictions, known)
    if class_source(predictions, known)[0] == "columns":
        require_sorted(known, what, whose)
    return sets


def columns_over(
    proba: Any,
    known: Array,
    whose: str,
    classes: ArrayLike | None = None,
    what: str = "proba",
) -> ArrayLike:
    """A matrix with its columns in the order of the classes that something else lists.

    Columns with names (of a frame, or given by ``classes``) are matched by name, and so are columns
    whose numbers are these classes; columns without names are already in that order.

    Examples
    --------
    >>> columns_over([[0.9, 0.1]], np.array(["low", "high"]), "the costs", ["high", "low"])
    array([[0.1, 0.9]])
    """
    matrix: Any
    if classes is None and is_frame(proba):
        matrix, names = frame_to_matrix(proba, known)
    else:
        matrix, names = columns_by_name(proba, classes)
    if names is None:
        return matrix
    named = same_spelling(check_classes(names), known)
    place = np.argsort(order_of(known, named, whose, what))
    if is_sparse(matrix):
        matrix = matrix.toarray()
    if np.shape(matrix)[-1:] != (len(named),):
        raise ValueError(f"{what} must have one column per class, got {brief(matrix)}")
    return np.asarray(matrix)[..., place]


def row_by_name(values: Any, name: str) -> Any:
    """A frame with one row for a Series with names; other values as they are."""
    has_names = hasattr(values, "to_frame") and named_values(values, name) is not None
    return values.to_frame().T if has_names else values


def same_columns(
    first: Any, second: Any, names: tuple[str, str]
) -> tuple[ArrayLike, ArrayLike, list[Any] | None]:
    """Two matrices with their columns in the same order, and the classes if one has names.

    Examples
    --------
    This example needs ``pip install 'wager[frames]'``.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"b": [0.25], "a": [0.75]})
    >>> same_columns(frame, frame[["a", "b"]], ("lower", "upper"))[1]
    array([[0.25, 0.75]])
    """
    (a, named_a), (b, named_b) = columns_by_name(first), columns_by_name(second)
    if named_a is None and named_b is None:
        return a, b, None
    if named_a is None or named_b is None:
        without, named = (names[0], named_b) if named_a is None else (names[1], named_a)
        with_names = names[1] if named_a is None else names[0]
        require_sorted(
            np.asarray(named),
            without,
            f"the columns of {with_names}",
            "name the columns of both, or of neither",
        )
        return a, b, list(np.asarray(named).tolist())
    columns = check_classes(named_a)
    place = order_of(check_classes(named_b), columns, f"the columns of {names[1]}", names[0])
    matrix: Floats = np.asarray(b)[:, place]
    return a, matrix, columns.tolist()
