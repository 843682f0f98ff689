"""Rows of a matrix: blocks that fit the cache, sums and maxima, and a weight for each row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wager._tables._values import unmasked
from wager._typing import Array, ArrayLike, Floats, Ints
from wager._visible import reason

BLOCK = 1 << 16  # numbers in a block
_FEW = 8  # columns

LARGEST_WEIGHT = 1e100  # the squares of larger ones may overflow
LEAST_WEIGHT = 1e-150  # the squares of smaller ones lose digits, or are 0


def row_blocks(n_rows: int, n_columns: int, size: int | None = None) -> Iterator[slice]:
    """Slices of the rows of a matrix, each about ``size`` numbers large, by default ``BLOCK``.

    Examples
    --------
    >>> [(part.start, part.stop) for part in row_blocks(5, BLOCK // 2)]
    [(0, 2), (2, 4), (4, 5)]
    """
    step = max(1, (BLOCK if size is None else size) // max(1, n_columns))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def row_ranges(sizes: Ints, wanted: int, most: int) -> list[tuple[int, int]]:
    """Ranges of rows that are about equally long and end where groups of rows end.

    Parameters
    ----------
    sizes : array of int
        The numbers of rows of the groups, in order, at least one of them positive.
    wanted : int
        The number of rows of a range, about.
    most : int
        The largest number of ranges.

    Examples
    --------
    >>> row_ranges(np.array([4, 4, 4, 1]), 5, 100)
    [(0, 8), (8, 13)]
    """
    ends = np.cumsum(sizes)
    n_rows = int(ends[-1])
    n_parts = min(max(n_rows // max(wanted, 1), 1), most)
    target = np.arange(1, n_parts + 1) * n_rows / n_parts
    cuts = np.unique(ends[np.searchsorted(ends, target - 0.5)])
    return list(zip([0, *cuts[:-1].tolist()], cuts.tolist(), strict=True))


def along_rows(combine: np.ufunc, matrix: Array) -> Array:
    """``combine.reduce`` of every row as a column, several times as fast with few columns.

    NumPy, too, adds fewer than eight numbers one after the other: the sums are the same.

    Examples
    --------
    >>> along_rows(np.maximum, np.array([[1.0, 2.0], [4.0, 3.0]])).tolist()
    [[2.0], [4.0]]
    """
    if not 0 < matrix.shape[1] < _FEW:
        return combine.reduce(matrix, axis=1, keepdims=True)
    found = matrix[:, :1].copy()
    for column in range(1, matrix.shape[1]):
        combine(found, matrix[:, column : column + 1], out=found)
    return found


def row_sums(matrix: Floats) -> Floats:
    """The sum of every row; with few columns several times as fast as ``matrix.sum(axis=1)``.

    Examples
    --------
    >>> row_sums(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([3., 7.])
    """
    n_rows, n_columns = matrix.shape
    return np.add.reduceat(matrix.ravel(), np.arange(0, n_rows * n_columns, n_columns))


def check_weights(
    sample_weight: ArrayLike | None, n_rows: int, *, squared: bool = True
) -> Floats | None:
    """The weights as doubles: one per row, finite, not negative, not all 0; None stays None.

    Weights that will be ``squared`` must not all be so small that their squares vanish.

    Examples
    --------
    >>> check_weights([1, 0, 2], 3).tolist()
    [1.0, 0.0, 2.0]
    >>> check_weights([1, -1], 2)
    Traceback (most recent call last):
    ...
    ValueError: sample_weight must be finite and not negative, got -1 in row 1
    """
    if sample_weight is None:
        return None
    try:
        given = np.asarray(unmasked(sample_weight))
        if given.dtype.kind == "c":  # NumPy would drop the imaginary parts
            raise TypeError("complex numbers are not allowed")
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as problem:
        raise ValueError(f"sample_weight must be one number per row: {reason(problem)}") from None
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have one weight for each of the {n_rows} rows, got the shape "
            f"{weights.shape}"
        )
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(
            f"sample_weight must be finite and not negative, got {weights[row]:g} in row {row}"
        )
    if len(weights) and weights.max() > LARGEST_WEIGHT:
        row = int(weights.argmax())
        raise ValueError(
            f"sample_weight must be at most {LARGEST_WEIGHT:g}, got {weights[row]:g} in row {row}: "
            "divide all weights by the same number"
        )
    if squared and 0 < weights.max(initial=0.0) < LEAST_WEIGHT:
        raise ValueError(
            f"sample_weight has no weight of at least {LEAST_WEIGHT:g}, so that squares "
            "lose digits: multiply all weights by the same number"
        )
    if not weights.any():
        raise ValueError("sample_weight is 0 in every row: at least one row must count")
    return weights
