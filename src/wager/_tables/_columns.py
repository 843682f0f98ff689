"""The features given to an estimator: the checked table, and one column of it at a time.

``read_table`` makes scikit-learn's checks and returns a pandas frame or a plain matrix;
``numeric_column`` and ``label_column`` then read one column as numbers (missing is NaN) or as
labels (missing is None).  A sparse matrix becomes dense: an entry that is not stored is the
number 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wager._tables._frames import frame_library, frame_names, in_memory, is_frame, is_sparse
from wager._tables._values import hashable, is_missing, plain_text, repeated, unmasked
from wager._typing import Array, Bools, Floats, Ints
from wager._visible import brief, in_one_line, reason

__all__ = []

MISSING_CODE = -1  # a missing value among integers


def frame_like(X: Any, columns: Sequence[Any], names: Sequence[Any], index: Any) -> Any:
    """The columns as a frame of the library of X; as a pandas frame where X is a Dask frame."""
    import pandas

    frame = pandas.DataFrame(dict(enumerate(columns)), index=index)
    frame.columns = pandas.Index(list(names))
    library = frame_library(X)
    if library.__name__ == "polars":
        return library.from_pandas(frame)
    if library.__name__ == "pyarrow":
        return library.Table.from_pandas(frame, preserve_index=False)
    if library.__name__ in ("modin.pandas", "cudf"):
        return library.DataFrame(frame)
    return frame


def select_columns(X: Any, chosen: Bools) -> Any:
    """The chosen columns of a frame, as a frame of the same library."""
    places = np.flatnonzero(chosen).tolist()
    if hasattr(X, "iloc"):
        return X.iloc[:, places]
    import narwhals as nw

    return nw.from_native(in_memory(X), eager_only=True)[:, places].to_native()


def categorical_column(codes: Ints, levels: Array) -> Any:
    """A pandas column of these levels; a code beyond them is missing."""
    import pandas

    return pandas.Categorical.from_codes(np.where(codes < len(levels), codes, -1), levels)


def matrix_like(X: Any, matrix: Array) -> Any:
    """The matrix as a sparse one where X is sparse, else unchanged."""
    if not is_sparse(X):
        return matrix
    from scipy import sparse

    form = sparse.csr_array if isinstance(X, sparse.sparray) else sparse.csr_matrix
    return form(matrix)


LARGEST_DENSE = 2**31  # bytes that a sparse matrix may take when it is made dense


def read_table(estimator: Any, X: Any, *, reset: bool) -> Any:
    """The checked table: a pandas frame, or an array of numbers, strings or objects.

    Parameters
    ----------
    estimator : estimator
        Stores the number and names of the columns (``reset=True``), or compares them.
    X : frame of any library, array-like or sparse matrix
    reset : bool
        True in ``fit``.
    """
    if _is_checked(estimator, X, reset):
        if reset:
            estimator.n_features_in_ = X.shape[1]
        return X
    from sklearn.utils.validation import validate_data

    X = _with_plain_text(_without_mask(in_memory(X)))
    if hasattr(X, "__array__") and not hasattr(X, "shape"):  # scikit-learn counts no columns of it
        X = np.asarray(X)
    if is_frame(X):
        refuse_repeated_names(frame_names(X))
        validate_data(estimator, X=X, reset=reset, skip_check_array=True)
        frame = X.to_pandas() if hasattr(X, "to_pandas") else X
        if not len(frame):
            # scikit-learn's checks require the words "0 sample(s)" and "minimum of 1"
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
        ensure_min_features=0 if _has_no_columns(X) else 1,
    )
    return _to_dense(table) if is_sparse(table) else table


def refuse_repeated_names(names: Sequence[Any] | None) -> None:
    """Refuse two columns of the same name; None where columns have no names."""
    if twice := repeated(() if names is None else names):
        raise ValueError(f"the column {brief(twice[0])} occurs more than once: keep one")


def repeated_column(name: Any, path: Path) -> ValueError:
    """The error for two columns of a file with the same name."""
    return ValueError(
        f"{path}: the column {in_one_line(str(name))} occurs more than once: keep one"
    )


def _is_checked(estimator: Any, X: Any, reset: bool) -> bool:
    """Whether scikit-learn's checks, slower than many a small fit, would change and refuse nothing.

    So it is for numbers in a matrix of the right width, if there are no names of columns to check.
    """
    if type(X) is not np.ndarray or X.ndim != 2 or 0 in X.shape or X.dtype.kind not in "iubf":
        return False
    if hasattr(estimator, "feature_names_in_"):
        return False
    return reset or getattr(estimator, "n_features_in_", None) == X.shape[1]


def _without_mask(X: Any) -> Any:
    """A masked matrix with missing values in its masked entries, as its type writes them."""
    if not np.ma.is_masked(X):
        return X
    if X.dtype.kind == "f":
        return X.filled(np.nan)
    return X.filled(MISSING_CODE) if X.dtype.kind == "i" else unmasked(X)


def _with_plain_text(X: Any) -> Any:
    """Lists of rows as NumPy would not read them: it makes text of all that stands beside text.

    A number beside text stays a number, a NaN stays missing, and members of an Enum of text are
    text.
    """
    if not isinstance(X, list | tuple) or not all(isinstance(row, list | tuple) for row in X):
        return X
    types = {type(value) for row in X for value in row}
    texts = {t for t in types if issubclass(t, str)}
    if texts - {str, np.str_}:
        X = [list(map(plain_text, row)) for row in X]
    is_mixed = texts and types - texts and len({len(row) for row in X}) == 1
    return np.array(X, dtype=object) if is_mixed else X


def _has_no_columns(X: Any) -> bool:
    """Whether X holds codes without a column: the output of a selection that chose nothing."""
    return isinstance(X, np.ndarray) and X.dtype.kind in "iu" and X.ndim == 2 and X.shape[1] == 0


def is_matrix_of_numbers(table: Any) -> bool:
    """Whether the table is an array of integers, booleans or floats."""
    return isinstance(table, np.ndarray) and table.dtype.kind in "iubf"


def _is_pandas(table: Any) -> bool:
    """Whether a table that ``read_table`` returned is a pandas frame."""
    return not isinstance(table, np.ndarray)


def column_name(table: Any, j: int) -> str:
    """How a message names the column."""
    return f"column {table.columns[j]!r}" if _is_pandas(table) else f"column {j}"


def column_kind(table: Any, j: int) -> str:
    """The type of a column: "category", "float", "integer", "boolean" or "object"."""
    dtype = table.dtypes.iloc[j] if _is_pandas(table) else table.dtype
    if dtype.name == "category":
        return "category"
    kinds = {"f": "float", "i": "integer", "u": "integer", "b": "boolean"}
    return kinds.get(dtype.kind, "object")


def raw_column(table: Any, j: int) -> Any:
    """The column as it is: a pandas Series or a one-dimensional array."""
    return table.iloc[:, j] if _is_pandas(table) else table[:, j]


def numeric_column(table: Any, j: int, first_row: int = 0) -> Floats:
    """The column as doubles; missing is NaN, an infinite value is an error.

    ``first_row`` is the number of the first row of a part of a table, for error messages.
    """
    column = raw_column(table, j)
    try:
        if _is_pandas(table):
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        elif column.dtype.kind == "O":
            values = np.array([np.nan if is_missing(v) else v for v in column], dtype=np.float64)
        else:
            values = column.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as problem:
        raise ValueError(
            f"{column_name(table, j)} is read as numbers but contains something else "
            f"({reason(problem)}): make it a pandas category, or name it in categorical_features="
        ) from None
    infinite = np.isinf(values)
    if infinite.any():
        raise ValueError(
            f"{column_name(table, j)} contains {values[infinite][0]} (infinity) in row "
            f"{first_row + int(infinite.argmax())}: numbers must be finite, a missing one is NaN"
        )
    return values


def label_column(table: Any, j: int) -> Array:
    """The column as an array of Python objects; missing is None."""
    column = raw_column(table, j)
    values = column.to_numpy(dtype=object) if _is_pandas(table) else column.astype(object)
    known = (None if is_missing(v) else hashable(plain_text(v)) for v in values)
    return np.fromiter(known, dtype=object, count=len(values))


def _to_dense(table: Any) -> Array:
    size = table.shape[0] * table.shape[1] * table.dtype.itemsize
    if size > LARGEST_DENSE:
        raise ValueError(
            f"the sparse matrix of shape {table.shape} takes {size / 2**30:.1f} GiB as a dense "
            "one, which counting every value needs: select columns first"
        )
    return table.toarray()
