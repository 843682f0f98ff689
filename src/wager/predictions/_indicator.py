"""Check indicator matrices: n rows and K columns that show which classes each set contains."""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._tables import format_label, unmasked
from wager._typing import Array, Bools, Ints

__all__ = ["check_indicator", "check_sparse_indicator"]

_NUMBERS = 1 << 16  # entries that are checked together


def check_indicator(matrix: Any, names: Array | None = None) -> Bools:
    """A boolean matrix from booleans or 0 and 1, of shape (n, K), or (n, K, 1) as in MAPIE.

    Examples
    --------
    >>> check_indicator([[0, 1], [1, 1]]).tolist()
    [[False, True], [True, True]]
    """
    values = _two_dimensional(_rectangular(matrix))
    if values.dtype.kind == "b":
        return values
    flags = np.empty(values.shape, dtype=np.bool_)
    step = max(1, _NUMBERS // max(values.shape[1], 1))
    for start in range(0, len(values), step):
        part = values[start : start + step]
        flags[start : start + step] = ones = _equals(part, 1)
        wrong = ~(ones | _equals(part, 0))
        if wrong.any():
            row, column = (int(place) for place in np.argwhere(wrong)[0])
            raise _not_a_flag(part[row, column], start + row, column, names)
    return flags


def check_sparse_indicator(matrix: Any, names: Array | None = None) -> tuple[Ints, Ints]:
    """The columns of all sets end to end, and the size of each set, of a SciPy sparse matrix."""
    if len(matrix.shape) != 2:
        raise ValueError(
            f"an indicator must have two axes, rows and classes, got a sparse array of shape "
            f"{matrix.shape}: reshape it to (rows, classes)"
        )
    rows = matrix.tocsr()
    if not rows.has_canonical_format or (rows.data == 0).any():
        rows = rows.copy()
        rows.sum_duplicates()
        rows.eliminate_zeros()
    wrong = rows.data != 1
    if wrong.any():
        at = int(np.argmax(wrong))
        row = int(np.searchsorted(rows.indptr, at, side="right")) - 1
        raise _not_a_flag(rows.data[at], row, int(rows.indices[at]), names)
    return rows.indices.astype(np.intp), np.diff(rows.indptr).astype(np.intp)


def _rectangular(matrix: Any) -> Array:
    """A matrix from a matrix, or from a list or a column of rows of equal length."""
    try:
        values = np.asarray(unmasked(matrix))
        if values.ndim == 1 and values.dtype.kind == "O":
            values = np.asarray(values.tolist())
    except ValueError:
        lengths = [len(row) if hasattr(row, "__len__") else 0 for row in matrix]
        odd = next((row for row, length in enumerate(lengths) if length != lengths[0]), 0)
        raise ValueError(
            f"every row of an indicator must have one entry per class, got {lengths[0]} in row 0 "
            f"and {lengths[odd]} in row {odd}: pass lists of labels to PredictionSets.from_lists"
        ) from None
    return values


def _two_dimensional(values: Array) -> Array:
    if values.ndim == 3 and values.shape[2] == 1:
        return values[:, :, 0]
    if values.ndim == 3:
        raise ValueError(
            f"got sets at {values.shape[2]} levels, an array of shape {values.shape} = (rows, "
            f"classes, levels): select one along the last axis, as in y_pred[:, :, 0]"
        )
    if values.ndim != 2:
        raise ValueError(
            f"an indicator must have two axes, rows and classes, got an array of shape "
            f"{values.shape}: pass one column per class, or labels to PredictionSets.from_labels"
        )
    return values


def _equals(values: Array, number: int) -> Bools:
    """Whether each entry is this number; text, None and NA are not."""
    if values.dtype.kind in "iuf":
        return np.asarray(values == number)
    numbers = (bool, int, float, np.generic)
    same = [isinstance(v, numbers) and bool(v == number) for v in values.ravel().tolist()]
    return np.array(same, dtype=np.bool_).reshape(values.shape)


def _not_a_flag(value: Any, row: int, column: int, names: Array | None) -> ValueError:
    known = [] if names is None else names.tolist()
    place = f"row {row}, column {format_label(known[column]) if column < len(known) else column}"
    if value is None or type(value).__name__ == "NAType" or value != value:
        return ValueError(
            f"the indicator has a missing value in {place}: write 0 or 1, or drop the row"
        )
    if isinstance(value, str):
        hint = "pass lists of labels to PredictionSets.from_lists"
    elif 0 < value < 1:
        hint = "choose sets from probabilities with optimal_sets or reject"
    else:
        hint = "write 1 where the class is in the set, else 0"
    return ValueError(
        f"an indicator must contain only 0 and 1, got {format_label(value)} in {place}: {hint}"
    )
