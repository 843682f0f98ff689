"""Costs from data frames, whose labels name the predicted and the true classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._tables import (
    format_labels,
    frame_names,
    frame_to_matrix,
    in_memory,
    is_frame,
    numbered_from,
)
from wager._typing import Array, ArrayLike
from wager.costs._checks import match_labels

__all__ = ["has_class_names", "values_of_frame"]


def has_class_names(costs: Any) -> bool:
    """Whether these costs are a data frame whose columns are labelled, not only numbered."""
    if not is_frame(costs):
        return False
    frame = in_memory(costs)
    return _labels(frame_names(frame, getattr(frame, "index", None))) is not None


def values_of_frame(frame: Any, classes: ArrayLike | None) -> tuple[Array, ArrayLike | None]:
    """The costs in a data frame, and the classes of their rows and columns.

    Labelled columns are matched by name with ``classes``, if these are given.
    """
    frame = in_memory(frame)
    known = getattr(frame, "index", None) if classes is None else classes
    values, columns = _rows_as_columns(frame, known)
    if columns is None or classes is None:
        return values, columns if classes is None else classes
    wanted = np.asarray(classes)
    if set(wanted.tolist()) != set(columns.tolist()):
        raise ValueError(
            f"the columns of costs are {format_labels(columns)} but the classes are "
            f"{format_labels(wanted)}: name the columns by the classes"
        )
    place = {label: i for i, label in enumerate(columns.tolist())}
    order = [place[label] for label in wanted.tolist()]
    return values[np.ix_(order, order)], classes


def _labels(names: Any) -> Array | None:
    """The names of columns; None if they are only numbered 0, 1, ..."""
    if names is None or list(names) == list(range(len(names))):
        return None
    return np.asarray(names)


def _names_classes(index: Any, columns: Array) -> bool:
    """Whether an index names the classes of the columns, as they are or by their text.

    An index that only numbers the rows names them if the classes are the same numbers.
    """
    if numbered_from(index) == 0:
        return set(index) == set(columns.tolist())
    return set(map(str, index)) == set(map(str, columns.tolist()))


def _rows_as_columns(frame: Any, known: Any) -> tuple[Array, Array | None]:
    """The values with their rows in the order of the columns, and the columns if labelled.

    Numbers of columns that begin elsewhere than at 0 are labels if they are the known classes.
    """
    index = getattr(frame, "index", None)
    values, names = frame_to_matrix(frame, known)
    columns = _labels(names)
    if index is not None:
        names = np.asarray(index)
        if columns is not None and _names_classes(index, columns):
            return values[match_labels(names.astype(str), columns.astype(str))], columns
        if len(names) == values.shape[1] and (names == np.arange(len(names))).all():
            return values, columns  # the default index 0, 1, ... has no labels
        return values[match_labels(names, np.asarray(frame.columns))], columns
    if columns is None or len(columns) != len(values) + 1:
        return values, columns
    # other libraries have no index: a first column of labels replaces it
    names, columns = values[:, 0], columns[1:]
    return values[match_labels(names, columns), 1:].astype(np.float64), columns
