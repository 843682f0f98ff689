"""Symmetric uncertainty: how strongly two nominal variables are associated, from 0 to 1.

``2 (H(B) - H(B|A)) / (H(A) + H(B))``, from a table of counts whose last row and column count the
rows in which the variable is missing.  Those rows are distributed over the known cells in
proportion to the known counts, or kept as a separate value.
"""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from wager._jit import entry
from wager._tables import value_offsets
from wager._typing import Floats, Ints

TINY = 1e-6  # an entropy, a count or a correlation below this counts as zero


def symmetric_uncertainties(
    codes: Ints, n_values: Ints, j: int, *, share_missing: bool = True
) -> Floats:
    """The symmetric uncertainty of column j with every column, including itself.

    Examples
    --------
    >>> codes = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> abs(symmetric_uncertainties(codes, np.array([2, 2, 2]), 0)).tolist()
    [1.0, 1.0, 0.0]
    """
    sizes = n_values + 1  # the last state is "missing"
    starts = value_offsets(sizes)
    table = _cross_table(codes, starts, n_values, j).astype(np.float64)
    if share_missing:
        table = _share_missing(table, starts, sizes)
    return _uncertainty(table, starts, sizes)


def _cross_table(codes: Ints, starts: Ints, n_values: Ints, j: int) -> Ints:
    """Counts by the value of column j and of every column; missing is the last value."""
    table = np.zeros((n_values[j] + 1, int(n_values.sum()) + len(n_values)), dtype=np.int64)
    _count_cross(codes, starts, n_values, j, table, work=2e-8 * codes.size)
    return table


def _cross_by_bincount(codes: Ints, starts: Ints, n_values: Ints, j: int, table: Ints) -> None:
    states = np.where(codes < 0, n_values, codes)
    for k in range(codes.shape[1]):
        size = int(n_values[k]) + 1
        cells = np.bincount(states[:, j] * size + states[:, k], minlength=len(table) * size)
        table[:, starts[k] : starts[k] + size] = cells.reshape(len(table), size)


@entry(plain=_cross_by_bincount, label="cross tables")
def _count_cross(codes, starts, n_values, j, table):
    """Count the rows by the value of column j and of every column."""
    for i in range(codes.shape[0]):
        u = codes[i, j] if codes[i, j] >= 0 else n_values[j]
        for k in range(codes.shape[1]):
            table[u, starts[k] + (codes[i, k] if codes[i, k] >= 0 else n_values[k])] += 1


def _share_missing(table: Floats, starts: Ints, sizes: Ints) -> Floats:
    """Distribute the counts of missing values in proportion to the original margins and cells.

    A pair stays as it is if one of its variables is always missing.
    """
    each = np.repeat(np.arange(len(sizes)), sizes)  # the column variable of a table column
    last = starts + sizes - 1
    rows, columns = table[:, : sizes[0]].sum(axis=1), table.sum(axis=0)
    total = rows.sum()
    missing_a, missing_b, missing_both = rows[-1], columns[last], table[-1, last]
    usable = (missing_a < total) & (missing_b < total)
    known_b = np.where(usable, total - missing_b, 1.0)
    complete = total - (missing_a + missing_b - missing_both)
    of_both = np.where(complete > 0, missing_both / np.maximum(complete, 1), 0.0)
    shared = table[:-1] * (1 + of_both[each])
    shared += np.outer(rows[:-1] / max(total - missing_a, 1.0), table[-1])
    shared += (columns / known_b[each]) * table[:-1, last][:, each]
    shared[:, last] = 0.0
    spread = np.vstack([shared, np.zeros(table.shape[1])])
    return np.where(usable[each], spread, table)


def _uncertainty(table: Floats, starts: Ints, sizes: Ints) -> Floats:
    """Symmetric uncertainty of the row variable with each column variable."""
    cells = np.add.reduceat(_xlogx(table).sum(axis=0), starts)
    columns = np.add.reduceat(_xlogx(table.sum(axis=0)), starts)
    by_row = np.add.reduceat(table, starts, axis=1)  # row sums, one column per variable
    rows = _xlogx(by_row).sum(axis=0)
    total = _xlogx(by_row.sum(axis=0))
    entropy_b, entropy_a = columns - total, rows - total  # times -n, in nats
    gain = entropy_b - (cells - rows)
    both = entropy_a + entropy_b
    none = (np.abs(entropy_a) < TINY) | (np.abs(entropy_b) < TINY)
    return np.where(none, 0.0, 2 * gain / np.where(none, 1.0, both))


def _xlogx(x: Floats) -> Floats:
    return np.where(x < TINY, 0.0, xlogy(x, x))
