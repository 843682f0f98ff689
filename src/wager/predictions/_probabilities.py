"""Probabilities as a classifier reports them: one row an instance, one column a class.

The one check that stands where such a matrix enters; behind it the arithmetic is bare.
"""

from __future__ import annotations

import numpy as np

from wager._typing import Array, ArrayLike, Floats

SUM_TOLERANCE = 1e-6  # how far the sum of a row of doubles may be from 1


def check_probabilities(proba: ArrayLike, *, name: str = "proba") -> Floats:
    """Take a matrix of class probabilities, or say which row is none.

    Parameters
    ----------
    proba : array-like of shape (n_rows, n_classes)
        Finite, not negative, each row summing to 1.  A sum may be off by rounding: up to 1e-6 for
        doubles, up to 3.5e-4 for single and 3.2e-2 for half precision (the square root of their
        epsilon).  Rows within that tolerance are taken as they are, not rescaled, except that a
        value above 1 becomes 1.
    name : str, default="proba"
        What the error messages call the matrix.

    Returns
    -------
    ndarray of shape (n_rows, n_classes), float64
        The same matrix; not a copy where none was needed.

    Examples
    --------
    >>> check_probabilities([[0.25, 0.75], [1, 0]])
    array([[0.25, 0.75],
           [1.  , 0.  ]])
    >>> check_probabilities([[0.5, 0.5], [0.5, 0.6]])
    Traceback (most recent call last):
    ...
    ValueError: every row of proba must sum to 1, but row 1 sums to 1.1: divide each row by its
    sum, or turn scores into memberships with to_memberships
    """
    table, tolerance = as_real_matrix(proba, name)
    sums = table @ np.ones(table.shape[1])
    smallest, largest = table.min(), table.max()
    if not smallest >= 0 or not largest < np.inf:  # a NaN makes both comparisons false
        _refuse_first_value(table, name)
    off = np.abs(sums - 1) > tolerance
    if off.any():
        row = int(off.argmax())
        raise ValueError(
            f"every row of {name} must sum to 1, but row {row} sums to {sums[row]:.10g}: divide "
            "each row by its sum, or turn scores into memberships with to_memberships"
        )
    return np.minimum(table, 1.0) if largest > 1 else table


def as_real_matrix(values: ArrayLike, name: str) -> tuple[Floats, float]:
    """A matrix of doubles with at least one row and column, and the tolerance of its sums."""
    try:
        given: Array = np.asarray(values)
        table = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise ValueError(
            f"{name} must be a matrix of numbers, one row an instance and one column a class: "
            f"{problem}"
        ) from None
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(
            f"{name} must have one row an instance and one column a class, got the shape "
            f"{table.shape}{_way_out(table)}"
        )
    narrow = given.dtype.kind == "f" and given.dtype.itemsize < table.dtype.itemsize
    return table, float(np.sqrt(np.finfo(given.dtype).eps)) if narrow else SUM_TOLERANCE


def _way_out(table: Floats) -> str:
    if table.ndim == 1 and len(table):
        return ": give both columns of a two-class problem, np.column_stack([1 - p, p])"
    if table.ndim == 2 and not len(table):
        return ": there is no row to score"
    return ""


def _refuse_first_value(table: Floats, name: str) -> None:
    bad = ~(np.isfinite(table) & (table >= 0))
    row, column = np.unravel_index(bad.argmax(), table.shape)
    raise ValueError(
        f"{name} must hold finite values that are not negative, got {table[row, column]:g} in row "
        f"{row}, column {column}"
    )
