"""Join rows with equal keys, and add up what they count for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wager._typing import Array, Bools, Ints

__all__ = ["first_of_each", "joined"]


def joined(keys: Sequence[Ints], added: Sequence[Array | None]) -> tuple[list[Ints], list[Array]]:
    """Rows with equal keys joined: the distinct keys, sorted, and the sums of what rows add.

    A column that is None adds 1 for each row.

    Examples
    --------
    >>> joined([np.array([1, 0, 1]), np.array([2, 2, 2])], [None, np.array([5, 6, 7])])
    ([array([0, 1]), array([2, 2])], [array([1, 2]), array([ 6, 12])])
    """
    order = np.lexsort(keys[::-1])
    ordered = [key[order] for key in keys]
    starts = np.flatnonzero(first_of_each(*ordered))
    sums = [
        np.diff(np.append(starts, len(order)))
        if column is None
        else np.add.reduceat(column[order], starts)
        for column in added
    ]
    return [key[starts] for key in ordered], sums


def first_of_each(*keys: Ints) -> Bools:
    """Whether a row is the first one with its keys, for rows that are sorted by them."""
    first = np.zeros(len(keys[0]), dtype=bool)
    for key in keys:
        first |= np.diff(key, prepend=-1) != 0
    return first
