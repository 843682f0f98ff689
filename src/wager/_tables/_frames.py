"""Recognise frames and columns of any library, and turn them into plain arrays.

Narwhals recognises the frames and columns of polars, PyArrow, modin and cuDF, and the lazy frames
of Dask and polars.  It is imported only for such data: arrays and lists, and the frames and columns
of pandas (subclasses included), are recognised by their type.  No library is imported that the
data do not come from.

Lazy data follow one rule: they are computed as a whole before they are read (`in_memory`).  Only
tallies count Dask collections partition by partition, and so take data that do not fit into memory.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np

from wager._tables._values import format_label, is_missing, unmasked
from wager._typing import Array, Ints

__all__ = [
    "column_array",
    "column_names",
    "declared_categories",
    "first_value",
    "flatten_lists",
    "frame_library",
    "frame_names",
    "frame_to_matrix",
    "in_memory",
    "is_frame",
    "is_list_column",
    "is_pandas_column",
    "is_sparse",
    "keep_values",
    "numbered_from",
    "plain_values",
    "shifted_numbers",
]

_PLAIN = (np.ndarray, list, tuple, str, bytes, dict, set, frozenset)  # no frame, no column


def is_frame(data: Any) -> bool:
    """Whether this is a table with named columns: a data frame of any library, eager or lazy.

    Examples
    --------
    This example needs ``pip install 'wager[frames]'``.

    >>> import pandas as pd
    >>> is_frame(pd.DataFrame({"a": [1]})), is_frame(np.zeros((2, 2))), is_frame([[1, 2]])
    (True, False, False)
    """
    if isinstance(data, _PLAIN) or is_pandas_column(data):
        return False
    if _is_pandas_frame(data):
        return True
    import narwhals as nw
    from narwhals import dependencies

    data = nw.to_native(data, pass_through=True)
    return (
        dependencies.is_into_dataframe(data)
        or dependencies.is_dask_dataframe(data)
        or dependencies.is_polars_lazyframe(data)
        or _is_arrow(data, "RecordBatch")
    )


def is_sparse(data: Any) -> bool:
    """Whether this is a sparse matrix or array of SciPy."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and sparse.issparse(data)


def is_pandas_column(data: Any) -> bool:
    """Whether this is a Series, an Index, a Categorical or another extension array of pandas."""
    pandas = sys.modules.get("pandas")
    if pandas is None or isinstance(data, _PLAIN):
        return False
    return isinstance(data, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray))


def is_list_column(data: Any) -> bool:
    """Whether this is a column of polars or PyArrow whose entries are lists."""
    if isinstance(data, _PLAIN) or is_pandas_column(data):
        return False
    import narwhals as nw

    if _is_arrow(data, "Array"):  # narwhals only knows arrays in chunks
        data = sys.modules["pyarrow"].chunked_array([data])
    if not (_is_polars_series(data) or _is_arrow(data, "ChunkedArray")):
        return False
    if "list_view" in str(getattr(data, "type", "")).partition("<")[0]:  # narwhals knows no views
        return True
    return isinstance(nw.from_native(data, series_only=True).dtype, (nw.List, nw.Array))


def in_memory(data: Any) -> Any:
    """Data that can be read at once: computed if they are lazy, else unchanged.

    A Dask collection and a lazy frame of polars are computed as a whole.  Frames and columns of
    modin and cuDF become those of pandas, a record batch becomes an Arrow table.

    Examples
    --------
    This example needs ``pip install 'wager[frames]'``.

    >>> import polars as pl
    >>> in_memory(pl.LazyFrame({"a": [1, 2]})).shape
    (2, 1)
    >>> in_memory([1, 2])
    [1, 2]
    """
    if isinstance(data, _PLAIN) or is_pandas_column(data) or _is_pandas_frame(data):
        return data
    import narwhals as nw
    from narwhals import dependencies

    data = nw.to_native(data, pass_through=True)
    dask = sys.modules.get("dask")
    if dask is not None and dask.is_dask_collection(data):
        return data.compute()
    if dependencies.is_polars_lazyframe(data):
        return data.collect()
    if _is_arrow(data, "RecordBatch"):
        return sys.modules["pyarrow"].Table.from_batches([data])
    if _is_foreign_pandas(data):
        return nw.from_native(data, allow_series=True).to_pandas()
    return data


def column_array(column: Any) -> Array:
    r"""A column or an array as a plain array that has exactly its values; a masked entry is None.

    Examples
    --------
    This example needs ``pip install 'wager[frames]'``.

    >>> import polars as pl
    >>> column_array(pl.Series(["a", "a\0"])).tolist()
    ['a', 'a\x00']
    """
    return np.asarray(keep_values(column))


def keep_values(column: Any) -> Any:
    """A column of which NumPy would lose values as an array that has them; any other unchanged.

    NumPy loses the mask of a masked array, and final NULs and integers of 128 bits of polars.
    """
    if isinstance(column, _PLAIN) or is_pandas_column(column) or not _is_polars_series(column):
        return unmasked(column)
    kind = str(column.dtype)
    if kind in ("Int128", "UInt128"):
        return _array_of_integers(column.to_list())
    if kind == "String" and column.str.ends_with("\0").any():
        return column.to_numpy()  # an array of objects
    return column


def _array_of_integers(numbers: list[Any]) -> Array:
    """Integers as an array of integers, of objects where that cannot have them all."""
    array = np.array(numbers)
    if array.dtype.kind in "iu":
        return array
    return np.fromiter(numbers, dtype=object, count=len(numbers))


def declared_categories(column: Any) -> Array | None:
    """The categories that a column declares, used or not: those of pandas, and polars' Enum.

    Examples
    --------
    This example needs ``pip install 'wager[frames]'``.

    >>> import pandas as pd
    >>> declared_categories(pd.Categorical(["b"], categories=["c", "b"])).tolist()
    ['c', 'b']
    >>> declared_categories(["b"]) is None
    True
    """
    if isinstance(column, _PLAIN):
        return None
    is_enum = str(getattr(column, "dtype", "")).startswith("Enum(")
    if not (is_pandas_column(column) or is_enum):
        return None
    categories = getattr(column.dtype, "categories", None)
    return None if categories is None else np.asarray(categories, dtype=object)


def plain_values(values: Any, types: set[type]) -> Any:
    """A list of these types with values of Python in place of the scalars of PyArrow.

    Examples
    --------
    This example needs ``pip install 'wager[frames]'``.

    >>> import pyarrow as pa
    >>> values = list(pa.array(["a", "b"]))
    >>> plain_values(values, set(map(type, values)))
    ['a', 'b']
    """
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is None or not any(issubclass(t, pyarrow.Scalar) for t in types):
        return values
    return [value.as_py() if isinstance(value, pyarrow.Scalar) else value for value in values]


def first_value(column: Any) -> Any:
    """The first entry of a list, an array or a column that has at least one."""
    first = column.iloc[0] if hasattr(column, "iloc") else column[0]
    return first.as_py() if _is_arrow(first, "Scalar") else first


def frame_names(frame: Any, classes: Any = None) -> Any:
    """The names of the columns of a frame; None for a pandas frame with numbered columns.

    ``frame.iloc[:, 1:]`` of a frame without names has numbered columns, too; but so does
    ``pd.DataFrame({1: ..., 2: ...})`` in pandas 3.  Numbers that begin elsewhere than at 0 are
    names if they are the given classes.

    Examples
    --------
    This example needs ``pip install 'wager[frames]'``.

    >>> import pandas as pd
    >>> frame = pd.DataFrame([[0.25, 0.75]])
    >>> frame_names(frame) is None, list(frame_names(frame[[1, 0]]))
    (True, [1, 0])
    >>> part = frame.iloc[:, 1:]
    >>> frame_names(part) is None, list(frame_names(part, classes=[1]))
    (True, [1])
    """
    if _is_arrow(frame, "Table"):
        return frame.schema.names
    first = numbered_from(frame.columns)
    if first is None:
        return frame.columns
    numbers = range(first, first + len(frame.columns))
    is_meant = classes is not None and set(numbers) == set(np.ravel(classes).tolist())
    return numbers if first != 0 and is_meant else None


def shifted_numbers(frame: Any) -> range | None:
    """The numbers of the columns of a pandas frame that begin elsewhere than at 0.

    They may be the classes or only places, which `frame_names` cannot know.

    Examples
    --------
    This example needs ``pip install 'wager[frames]'``.

    >>> import pandas as pd
    >>> frame = pd.DataFrame([[7, 0.25, 0.75]])
    >>> shifted_numbers(frame), shifted_numbers(frame.iloc[:, 1:])
    (None, range(1, 3))
    """
    first = numbered_from(frame.columns) if _is_pandas_frame(frame) else None
    return range(first, first + len(frame.columns)) if first else None


def numbered_from(index: Any) -> int | None:
    """The first number of a pandas index that only numbers rows or columns; None for names.

    A range in another order or with gaps, as pandas 3 makes of chosen or turned columns, consists
    of names.

    Examples
    --------
    This example needs ``pip install 'wager[frames]'``.

    >>> import pandas as pd
    >>> numbered_from(pd.RangeIndex(1, 4)), numbered_from(pd.RangeIndex(2, -1, -1))
    (1, None)
    """
    if type(index).__name__ != "RangeIndex":
        return None
    first = index[0] if len(index) else 0
    return first if list(index) == list(range(first, first + len(index))) else None


def column_names(table: Any) -> list[str] | None:
    """The names of the columns of a frame in memory, or of a table of scores, as text.

    Examples
    --------
    This example needs ``pip install 'wager[frames]'``.

    >>> import pyarrow as pa
    >>> column_names(pa.table({"a": [0], "b": [1]})), column_names([[0, 1]])
    (['a', 'b'], None)
    """
    if not hasattr(table, "columns"):
        return None
    return list(map(str, table.schema.names if _is_arrow(table, "Table") else table.columns))


def frame_to_matrix(frame: Any, classes: Any = None) -> tuple[Array, Any]:
    """A frame as a matrix, and the names of its columns, as `frame_names` finds them.

    The names are None for a pandas frame whose columns are only numbered.

    Examples
    --------
    This example needs ``pip install 'wager[frames]'``.

    >>> import polars as pl
    >>> frame_to_matrix(pl.DataFrame({"a": [0, 1], "b": [1, 1]}))
    (array([[0, 1],
           [1, 1]]), ['a', 'b'])
    """
    frame = in_memory(frame)
    if _is_arrow(frame, "Table"):
        columns = [np.asarray(column) for column in frame.columns]
        matrix = np.column_stack(columns) if columns else np.zeros((frame.num_rows, 0), np.bool_)
        return matrix, frame_names(frame)
    return frame.to_numpy(), frame_names(frame, classes)


def frame_library(frame: Any) -> Any:
    """The module of the library that a frame belongs to, such as ``polars``."""
    if _is_arrow(frame, "RecordBatch"):  # not known to narwhals
        return sys.modules["pyarrow"]
    import narwhals as nw

    return nw.get_native_namespace(frame)


def flatten_lists(lists: Any) -> tuple[Any, Ints]:
    """All labels of a column of lists, one after the other, and the length of each list.

    Examples
    --------
    >>> labels, lengths = flatten_lists([["a", "b"], [], ["c"]])
    >>> labels, lengths.tolist()
    (['a', 'b', 'c'], [2, 0, 1])
    """
    lists = in_memory(lists)
    if is_list_column(lists):
        return _flatten_list_column(lists)
    rows: list[Any] = list(lists)
    if not {type(labels) for labels in rows} <= {list, tuple}:
        rows = [_as_list(labels, row) for row, labels in enumerate(rows)]
    lengths = np.fromiter(map(len, rows), dtype=np.intp, count=len(rows))
    return list(chain.from_iterable(rows)), lengths


def _is_pandas_frame(data: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def _is_arrow(data: Any, kind: str) -> bool:
    pyarrow = sys.modules.get("pyarrow")
    return pyarrow is not None and isinstance(data, getattr(pyarrow, kind))


def _is_polars_series(data: Any) -> bool:
    from narwhals.dependencies import is_polars_series

    return is_polars_series(data)


def _is_foreign_pandas(data: Any) -> bool:
    """Whether this has the interface of pandas but is not of pandas: modin, cuDF."""
    from narwhals import dependencies

    if dependencies.is_pandas_like_dataframe(data):
        return not dependencies.is_pandas_dataframe(data)
    return dependencies.is_pandas_like_series(data) and not dependencies.is_pandas_series(data)


def _as_list(labels: Any, row: int) -> list[Any]:
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise _not_a_list(row, labels)
    return labels.tolist() if isinstance(labels, np.ndarray) else list(labels)


def _flatten_list_column(column: Any) -> tuple[Any, Ints]:
    missing = np.asarray(column.is_null())  # not from the lengths: polars 1.0 counts 0 for a null
    if missing.any():
        raise _not_a_list(int(np.argmax(missing)), None)
    if _is_polars_series(column):
        if str(column.dtype).startswith("Array"):
            column = column.arr.to_list()
        lengths = column.list.len().to_numpy()
        labels = column.filter(column.list.len() > 0).explode()
    else:
        from pyarrow import compute

        column = column.combine_chunks() if hasattr(column, "combine_chunks") else column
        if hasattr(column, "sizes"):  # of views, whose lengths PyArrow 16 does not compute
            lengths = np.asarray(column.sizes)
        else:
            lengths = np.asarray(compute.list_value_length(column))
        labels = column.flatten()
    return labels, lengths.astype(np.intp)


def _not_a_list(row: int, value: Any) -> ValueError:
    if is_missing(value):
        return ValueError(
            f"the set in row {row} is missing: write an empty list for the empty set, "
            "or drop the row"
        )
    return ValueError(
        f"the set in row {row} must be a list of labels, got {format_label(value)}: "
        f"write [{format_label(value)}] for a single label, or write all sets as text"
    )
