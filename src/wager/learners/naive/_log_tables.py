"""Sums of table entries over the features of a row: the product of a naive Bayes model, in logs.

The table of a model has one line per feature for "missing" (it adds nothing), then one for each
value and one for values that training never saw.  ``starts[j]`` is the line of the first value of
feature j, so the codes -1 and v need no special case.
"""

from __future__ import annotations

import numpy as np

from wager._jit import entry
from wager._tables import row_blocks
from wager._typing import Floats, Ints

__all__ = ["add_up", "pad", "padded_starts"]


def padded_starts(n_values: Ints) -> Ints:
    """The line of each feature's first value in a table that is padded as described above.

    Examples
    --------
    >>> padded_starts(np.array([2, 3])).tolist()
    [1, 5]
    """
    ends = np.cumsum(np.asarray(n_values, dtype=np.int64) + 2)
    return np.concatenate([[0], ends[:-1]])[: len(n_values)] + 1


def pad(values: Floats, unseen: Floats, n_values: Ints, missing: float = 0.0) -> Floats:
    """Add the line for "missing" before each feature's values and the one for "unseen" after them.

    The lines are the second to last axis; ``missing`` is the neutral entry, 0 in a sum.
    """
    starts = padded_starts(n_values)
    lines = int(np.sum(n_values)) + 2 * len(n_values)
    table = np.full((*values.shape[:-2], lines, values.shape[-1]), missing)
    first = starts - np.cumsum(n_values) + n_values
    place = np.repeat(first, n_values) + np.arange(values.shape[-2])
    table[..., place, :] = values
    table[..., starts + n_values, :] = unseen
    return table


def add_up(codes: Ints, table: Floats, starts: Ints, first: Floats) -> Floats:
    """``first[c]`` plus the entries of each row's features, shape (n, K).

    Examples
    --------
    >>> table = pad(np.array([[1.0], [2.0]]), np.array([[9.0]]), np.array([2]))
    >>> add_up(np.array([[0], [1], [2], [-1]]), table, padded_starts([2]), np.zeros(1))[:, 0]
    array([1., 2., 9., 0.])
    """
    sums = np.empty((len(codes), len(first)))
    _add_up_rows(codes, table, starts, first, sums, work=1e-8 * codes.size * len(first))
    return sums


def _add_up_by_gathering(
    codes: Ints, table: Floats, starts: Ints, first: Floats, sums: Floats
) -> None:
    for block in row_blocks(*sums.shape):
        sums[block] = first
        for j in range(codes.shape[1]):
            sums[block] += table[starts[j] + codes[block, j]]


@entry(plain=_add_up_by_gathering, label="sums of logarithms")
def _add_up_rows(codes, table, starts, first, sums):
    n_classes = first.shape[0]
    for i in range(codes.shape[0]):
        for c in range(n_classes):
            sums[i, c] = first[c]
        for j in range(codes.shape[1]):
            line = starts[j] + codes[i, j]
            for c in range(n_classes):
                sums[i, c] += table[line, c]
