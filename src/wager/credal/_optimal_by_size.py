"""The best set of classes if its value depends only on its size and on whether it hits.

A set of k classes that contains the true one is worth g(k), any other set g(0).  Among the sets of
one size the most probable classes are best, so the best set consists of the first classes in the
order of decreasing probability, called a head: sort, cumulate, and take the size with the largest
``g(k) P(head of size k)`` (del Coz & Bahamonde, 2009; Mortier et al., 2021).

Many rows are sorted at the same time: a sorting network compares whole columns of a chunk, which
takes a fraction of the time of sorting row by row.  Only the sorted values are needed, because the
set consists of the classes that are at least as probable as the last one of the head.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from wager._tables import ROUNDING, counted
from wager._typing import Bools, Floats, Ints, Words
from wager.predictions import n_words

__all__ = ["best_heads", "comparators", "gain_of_size"]

Octets: TypeAlias = NDArray[np.uint8]

_CHUNK = 80_000  # probabilities per chunk, so that its copies stay in the cache
_WIDEST_NETWORK = 24  # for more classes NumPy's sort of each row is faster


def best_heads(proba: Floats, worth: Floats) -> tuple[Words, Floats]:
    """The best set of each row as packed bits, and what it is worth.

    Parameters
    ----------
    proba : ndarray of shape (n, K)
    worth : ndarray of shape (K + 1,)
        The value of a miss, and of a hit by a set of 1, ..., K classes.

    Notes
    -----
    Ties go to the smaller set; classes of equal probability are taken in their order.
    """
    n, n_classes = proba.shape
    gain = gain_of_size(worth)
    octets = np.zeros((n, 8 * n_words(n_classes)), dtype=np.uint8)
    value = np.empty(n)
    step = max(64, _CHUNK // n_classes)
    for start in range(0, n, step):
        part = slice(start, start + step)
        keep, value[part] = _heads_of_columns(np.ascontiguousarray(proba[part].T), gain)
        for first in range(0, n_classes, 8):
            octets[part, first // 8] = _octet(keep[first : first + 8].view(np.uint8))
    return octets.view("<u8").astype(np.uint64, copy=False), worth[0] + value


def gain_of_size(worth: Floats) -> Floats:
    """By how much a hit by a set of 1, ..., K classes is worth more than a miss."""
    gain = worth[1:] - worth[0]
    if (gain < 0).any():
        size = int((gain < 0).argmax()) + 1
        raise ValueError(
            f"a hit by a set of {counted(size, 'class')} must not be worth less than a miss, got "
            f"{worth[size]:g} and {worth[0]:g}: give a utility with u(1/{size}) >= u(0)"
        )
    return gain


def _octet(bits: Octets) -> Octets:
    """Eight classes (8, n) as one byte per row, five times as fast as packing along this axis."""
    octet = bits[0].copy()
    for k in range(1, len(bits)):
        octet |= bits[k] << k
    return octet


def _heads_of_columns(columns: Floats, gain: Floats) -> tuple[Bools, Floats]:
    """Which classes to keep, (K, n), and the gain over a miss, from columns (K, n)."""
    ceiling = np.maximum.accumulate(gain[::-1])[
        ::-1
    ]  # no head of this size or larger is worth more
    floor = gain[0] * columns.max(axis=0).min()  # the value of the best single class
    descending = _sorted_down(columns, max(1, int((ceiling > floor).sum())))
    head = descending[0].copy()
    values = [gain[0] * head]
    best = values[0].copy()
    for k in range(1, len(descending)):
        if ceiling[k] <= best.min():
            break
        head += descending[k]
        values.append(gain[k] * head)
        np.maximum(best, values[k], out=best)
    almost = best - ROUNDING * float(gain.max())
    least = descending[0].copy()  # the probability of the last class of the best head
    size = np.ones(len(best), dtype=np.intp)
    short = values[0] < almost  # a larger head is better
    for k in range(1, len(values)):
        np.copyto(least, descending[k], where=short)
        size += short
        short &= values[k] < almost
    keep = columns >= least - ROUNDING
    tied = np.add.reduce(keep, axis=0, dtype=np.intp) > size
    if tied.any():
        keep[:, tied] = _first_of_equals(columns[:, tied], least[tied], size[tied])
    return keep, best


def _first_of_equals(columns: Floats, least: Floats, size: Ints) -> Bools:
    """The ``size`` most probable classes, given the last one's probability.

    Of equally probable ones the first are taken, also if they differ by rounding.
    """
    above = columns > least + ROUNDING
    equal = (columns >= least - ROUNDING) & ~above
    place = np.cumsum(equal, axis=0, dtype=np.intp)
    left = size - np.add.reduce(above, axis=0, dtype=np.intp)
    return above | (equal & (place <= left))


def _sorted_down(columns: Floats, enough: int) -> list[Floats]:
    """The ``enough`` largest values of each column in decreasing order, as a list of rows."""
    if len(columns) > _WIDEST_NETWORK:
        ascending = columns.T
        if enough < len(columns):
            ascending = np.partition(ascending, len(columns) - enough, axis=1)[:, -enough:]
        return list(np.ascontiguousarray(np.sort(ascending, axis=1)[:, ::-1].T))
    rows = list(columns.copy())
    spare = np.empty_like(columns[0])
    for i, j in comparators(len(rows)):
        np.maximum(rows[i], rows[j], out=spare)
        np.minimum(rows[i], rows[j], out=rows[j])
        rows[i], spare = spare, rows[i]
    return rows[:enough]


@lru_cache(maxsize=64)
def comparators(n: int) -> tuple[tuple[int, int], ...]:
    """Batcher's merge-exchange network: the pairs to compare, in order, to sort any n values.

    Examples
    --------
    >>> comparators(4)
    ((0, 2), (1, 3), (0, 1), (2, 3), (1, 2))
    """
    pairs = []
    step = top = (1 << (n - 1).bit_length()) // 2  # half of the next power of two
    while step:
        span, offset, residue = top, step, 0
        while True:
            pairs += [(i, i + offset) for i in range(n - offset) if i & step == residue]
            if span == step:
                break
            offset, span, residue = span - step, span // 2, step
        step //= 2
    return tuple(pairs)
