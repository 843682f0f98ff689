"""Process rows in blocks that fit the cache, so that memory does not grow with the data."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wager._typing import Floats

BLOCK = 1 << 16  # numbers in a block


def row_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Slices of the rows of a matrix, each about ``BLOCK`` numbers large.

    Examples
    --------
    >>> [(part.start, part.stop) for part in row_blocks(5, BLOCK // 2)]
    [(0, 2), (2, 4), (4, 5)]
    """
    step = max(1, BLOCK // max(1, n_columns))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def row_sums(matrix: Floats) -> Floats:
    """The sum of every row; with few columns several times as fast as ``matrix.sum(axis=1)``.

    Examples
    --------
    >>> row_sums(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([3., 7.])
    """
    n_rows, n_columns = matrix.shape
    return np.add.reduceat(matrix.ravel(), np.arange(0, n_rows * n_columns, n_columns))
