"""Columns and frames of pandas, polars, Arrow and SciPy, to and from plain arrays.

A column is told by the library its type comes from, so that none of these libraries is loaded
unless its objects are there already, or asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np

from wager._tables._distinct import format_label
from wager._typing import Array, Ints

__all__ = ["flatten_lists", "frame_to_matrix", "is_frame", "is_list_column", "is_sparse", "library"]


def library(data: Any) -> str:
    """The library that a value's type comes from.

    Examples
    --------
    >>> library(np.zeros(1)), library([])
    ('numpy', 'builtins')
    """
    return type(data).__module__.partition(".")[0]


def is_sparse(data: Any) -> bool:
    """Whether this is a sparse matrix or array of SciPy."""
    return library(data) == "scipy" and hasattr(data, "tocsr")


def is_frame(data: Any) -> bool:
    """Whether this is a table: a DataFrame of pandas or polars, or an Arrow table."""
    kinds = {
        "pandas": ("DataFrame",),
        "polars": ("DataFrame",),
        "pyarrow": ("Table", "RecordBatch"),
    }
    return type(data).__name__ in kinds.get(library(data), ())


def is_list_column(data: Any) -> bool:
    """Whether this is a column of polars or Arrow whose type is a list."""
    if library(data) not in ("polars", "pyarrow"):
        return False
    kind = getattr(data, "dtype", None) or getattr(data, "type", None)
    return str(kind).lower().startswith(("list", "large_list", "fixed_size_list", "array"))


def frame_to_matrix(frame: Any) -> tuple[Array, Any]:
    """A table as a matrix, and the names of its columns (None where they are only counted)."""
    if library(frame) == "pyarrow":
        columns = [np.asarray(column) for column in frame.columns]
        matrix = np.column_stack(columns) if columns else np.zeros((frame.num_rows, 0), np.bool_)
        return matrix, frame.schema.names
    names = frame.columns
    counted = library(frame) == "pandas" and type(names).__name__ == "RangeIndex"
    return frame.to_numpy(), None if counted else names


def flatten_lists(lists: Any) -> tuple[Any, Ints]:
    """All labels of a column of lists end to end, and how many each row has.

    Examples
    --------
    >>> labels, lengths = flatten_lists([["a", "b"], [], ["c"]])
    >>> labels, lengths.tolist()
    (['a', 'b', 'c'], [2, 0, 1])
    """
    if is_list_column(lists):
        return _list_column_parts(lists)
    rows: list[Any] = list(lists)
    if not {type(labels) for labels in rows} <= {list, tuple}:
        rows = [_as_list(labels, row) for row, labels in enumerate(rows)]
    lengths = np.fromiter(map(len, rows), dtype=np.intp, count=len(rows))
    return list(chain.from_iterable(rows)), lengths


def _as_list(labels: Any, row: int) -> list[Any]:
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise _no_list(row, labels)
    return labels.tolist() if isinstance(labels, np.ndarray) else list(labels)


def _list_column_parts(column: Any) -> tuple[Any, Ints]:
    if library(column) == "polars":
        if str(column.dtype).startswith("Array"):
            column = column.arr.to_list()
        lengths = column.list.len().to_numpy()
        labels = column.filter(column.list.len() > 0).explode()
    else:
        from pyarrow import compute

        column = column.combine_chunks() if hasattr(column, "combine_chunks") else column
        lengths = np.asarray(compute.list_value_length(column))
        labels = column.flatten()
    if lengths.dtype.kind == "f" and np.isnan(lengths).any():  # a null has no length
        raise _no_list(int(np.argmax(np.isnan(lengths))), None)
    return labels, lengths.astype(np.intp)


def _no_list(row: int, value: Any) -> ValueError:
    if value is None or value != value:
        return ValueError(
            f"the set in row {row} is missing: write an empty list for the empty set, "
            "or drop the row"
        )
    return ValueError(
        f"the set in row {row} must be a list of labels, got {format_label(value)}: "
        f"write [{format_label(value)}] for a single label, or sets as text throughout"
    )
