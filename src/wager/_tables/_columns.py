"""Tables as people hold them: data frames, arrays, sparse matrices; one column at a time.

``read_table`` makes scikit-learn's checks and leaves either a pandas frame or a plain matrix;
``numbers`` and ``labels`` then read one column of it as numbers (missing is NaN) or as labels
(missing is None).  A sparse matrix is spread out: an entry that is not stored is the number 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from wager._typing import Array, Floats

LARGEST_SPREAD = 2**31  # bytes that a sparse matrix may take when spread out


def read_table(estimator: Any, X: Any, *, reset: bool) -> Any:
    """The checked table: a pandas frame, or an array of numbers, strings or objects.

    Parameters
    ----------
    estimator : estimator
        Learns the number and names of the columns (``reset``), or compares them.
    X : frame of pandas or polars, array-like or sparse matrix
    reset : bool
        True in ``fit``.
    """
    if is_frame(X):
        validate_data(estimator, X=X, reset=reset, skip_check_array=True)
        frame = X.to_pandas() if hasattr(X, "to_pandas") else X
        if not len(frame):
            raise ValueError(
                f"found a frame with 0 sample(s) (shape={frame.shape}) while a minimum of 1 is "
                f"required by {type(estimator).__name__}"
            )
        return frame
    table = validate_data(
        estimator,
        X=X,
        reset=reset,
        dtype=None,
        ensure_all_finite=False,
        accept_sparse=True,
        ensure_min_features=0 if _selected_nothing(X) else 1,
    )
    return _spread(table) if hasattr(table, "toarray") else table


def _selected_nothing(X: Any) -> bool:
    """Whether X is what a feature selection leaves that found nothing: codes without a column."""
    return isinstance(X, np.ndarray) and X.dtype.kind in "iu" and X.ndim == 2 and X.shape[1] == 0


def is_frame(X: Any) -> bool:
    """Whether X is a data frame of pandas or polars (or has just been one)."""
    return hasattr(X, "columns") and (hasattr(X, "iloc") or hasattr(X, "to_pandas"))


def column_name(table: Any, j: int) -> str:
    """What an error sentence calls the column."""
    return f"column {table.columns[j]!r}" if is_frame(table) else f"column {j}"


def column_kind(table: Any, j: int) -> str:
    """One of "category", "number", "whole" (integers), "truth" (booleans) and "object"."""
    dtype = table.dtypes.iloc[j] if is_frame(table) else table.dtype
    if dtype.name == "category":
        return "category"
    kinds = {"f": "number", "i": "whole", "u": "whole", "b": "truth"}
    return kinds.get(dtype.kind, "object")


def raw_column(table: Any, j: int) -> Any:
    """The column as it is: a pandas Series or a one-dimensional array."""
    return table.iloc[:, j] if is_frame(table) else table[:, j]


def numeric_column(table: Any, j: int) -> Floats:
    """The column as doubles; missing is NaN, infinite is refused."""
    column = raw_column(table, j)
    try:
        if is_frame(table):
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        elif column.dtype.kind == "O":
            values = np.array([np.nan if is_missing(v) else v for v in column], dtype=np.float64)
        else:
            values = column.astype(np.float64, copy=False)
    except (TypeError, ValueError) as problem:
        raise ValueError(
            f"{column_name(table, j)} is read as numbers but holds something else ({problem}): "
            "make it a pandas category, or name it in categorical_features="
        ) from None
    infinite = np.isinf(values)
    if infinite.any():
        raise ValueError(
            f"{column_name(table, j)} holds {values[infinite][0]} (infinity) in row "
            f"{int(infinite.argmax())}: numbers must be finite, a missing one is NaN"
        )
    return values


def label_column(table: Any, j: int) -> Array:
    """The column as an array of Python objects; missing is None."""
    column = raw_column(table, j)
    values = column.to_numpy(dtype=object) if is_frame(table) else column.astype(object)
    return np.array([None if is_missing(v) else hashable(v) for v in values], dtype=object)


def is_missing(value: Any) -> bool:
    """Whether a cell says that nothing is known: None, NaN, NA, NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def hashable(value: Any) -> Any:
    """The value, or its text where it cannot be the key of a dictionary."""
    try:
        hash(value)
    except TypeError:
        return str(value)
    return value


def _spread(table: Any) -> Array:
    size = table.shape[0] * table.shape[1] * table.dtype.itemsize
    if size > LARGEST_SPREAD:
        raise ValueError(
            f"the sparse matrix of shape {table.shape} takes {size / 2**30:.1f} GiB when spread "
            "out, as counting every value needs: select columns first"
        )
    return table.toarray()
