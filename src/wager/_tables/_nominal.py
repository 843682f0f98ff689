"""Which columns of a table are nominal: as the user says, or as their types say."""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._tables._columns import column_kind, is_matrix_of_numbers, raw_column
from wager._tables._frames import is_frame
from wager._tables._values import is_missing, is_number
from wager._typing import Array, Bools

__all__ = ["nominal_columns"]


def nominal_columns(
    table: Any, categorical_features: Any = "auto", *, integers: str = "nominal"
) -> Bools:
    """Which columns are nominal, as the user says or as their types say.

    Parameters
    ----------
    table : frame or array
        As ``read_table`` returns it.
    categorical_features : "auto", "all", "none", mask, or indices or names of columns
        With "auto", the columns of a frame are nominal if their type is category, string, object
        or boolean, and its numbers are numeric.  An array of integers, booleans or strings is
        nominal (such as the output of a discretizer), an array of floats is numeric, and an array
        of objects is numeric in the columns that hold only numbers.
    integers : {"nominal", "numeric"}
        How "auto" treats an array of integers.

    Examples
    --------
    >>> nominal_columns(np.array([[1, 2]])).tolist()
    [True, True]
    >>> nominal_columns(np.array([[1.0, "x"]], dtype=object)).tolist()
    [False, True]
    """
    m = table.shape[1]
    if isinstance(categorical_features, str):
        return _by_keyword(table, categorical_features, integers)
    given = np.asarray(categorical_features)
    if given.dtype.kind == "b":
        if given.shape != (m,):
            raise ValueError(
                f"categorical_features as a mask must have one entry per column ({m}), got the "
                f"shape {given.shape}"
            )
        return given
    if given.dtype.kind in "UTO" and given.size:
        return _by_name(table, given)
    if given.size and (given.min() < 0 or given.max() >= m):
        raise ValueError(
            f"categorical_features must be column numbers from 0 to {m - 1}, got {given.tolist()}"
        )
    mask = np.zeros(m, dtype=bool)
    mask[given.astype(int)] = True
    return mask


def _by_keyword(table: Any, keyword: str, integers: str) -> Bools:
    m = table.shape[1]
    if keyword in ("all", "none"):
        return np.full(m, keyword == "all")
    if keyword != "auto":
        raise ValueError(
            "categorical_features must be 'auto', 'all', 'none', a mask, indices or names, got "
            f"{keyword!r}"
        )
    if m and is_matrix_of_numbers(table):  # all columns have the same type
        return np.full(m, _looks_nominal(table, 0, integers))
    return np.array([_looks_nominal(table, j, integers) for j in range(m)], dtype=bool)


def _by_name(table: Any, names: Array) -> Bools:
    known = [str(name) for name in table.columns] if is_frame(table) else []
    mask = np.zeros(table.shape[1], dtype=bool)
    for name in names:
        if str(name) not in known:
            raise ValueError(f"categorical_features names {str(name)!r}, which is not a column")
        mask[known.index(str(name))] = True
    return mask


def _looks_nominal(table: Any, j: int, integers: str) -> bool:
    kind = column_kind(table, j)
    if kind in ("category", "boolean"):
        return True
    if kind == "object":
        if is_frame(table):
            return True
        return not all(is_missing(v) or is_number(v) for v in raw_column(table, j))
    return kind == "integer" and integers == "nominal" and not is_frame(table)
