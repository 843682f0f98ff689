"""Arrays for compiled kernels, lists for plain ones.

Plain Python reads and writes lists several times faster than arrays, and its numbers neither
overflow nor warn.  Kernels are written so that both work: all arrays have one dimension, slices are
only read, and arrays are made with the functions of this module.
"""

from __future__ import annotations

from math import copysign, inf, log, nan
from typing import Any

import numpy as np

from wager._jit._kernels import inlined_kernel, kernel


class ListOfArray(list):
    """The numbers of an array as a list, together with the array.

    Equivalents of kernels in NumPy use the array, which is that of the start: the list may change.
    """

    __slots__ = ("array",)

    def __init__(self, array: Any):
        super().__init__(array.ravel().tolist())
        self.array = array


def as_lists(value: Any) -> Any:
    """The same value with a list in place of every array, also within tuples.

    Examples
    --------
    >>> as_lists((np.array([1, 2]), 0.5))
    ([1, 2], 0.5)
    """
    if isinstance(value, np.ndarray):
        return ListOfArray(value)
    if isinstance(value, tuple):
        parts = [as_lists(part) for part in value]
        return value._make(parts) if hasattr(value, "_make") else tuple(parts)
    return value.item() if isinstance(value, np.generic) else value


def _list_of_floats(n):
    return [0.0] * n


def _list_of_integers(n):
    return [0] * n


def _list_of_small_integers(n):
    return [0] * n


def _list_of_flags(n):
    return [False] * n


def _widened_list(values, size):
    if size > len(values):
        values.extend([0] * (max(size, 2 * len(values)) - len(values)))
    return values


@kernel(plain=_list_of_floats)
def floats(n):
    """So many zeros as floating point numbers."""
    return np.zeros(n)


@kernel(plain=_list_of_integers)
def integers(n):
    """So many zeros as 64-bit integers."""
    return np.zeros(n, np.int64)


@kernel(plain=_list_of_small_integers)
def small_integers(n):
    """So many zeros as 32-bit integers."""
    return np.zeros(n, np.int32)


@kernel(plain=_list_of_flags)
def flags(n):
    """So many times False."""
    return np.zeros(n, np.bool_)


def _empty_notes():
    return {}


@inlined_kernel(plain=_empty_notes)
def notes():
    """Space where plain forms of kernels remember results; compiled code needs none."""
    return 0


def _divided(a, b):
    if b != 0:
        return a / b
    return nan if a == 0 or a != a else copysign(inf, a) * copysign(1.0, b)


@inlined_kernel(plain=_divided)
def divided(a, b):
    """The quotient, infinite or NaN if the divisor is 0."""
    return a / b


def _logarithm(x):
    return log(x) if x > 0 else -inf if x == 0 else nan


@inlined_kernel(plain=_logarithm)
def logarithm(x):
    """The natural logarithm, minus infinity of 0."""
    return log(x)


def _list_like(values, n):
    return [0] * n


@kernel(plain=_list_like)
def like(values, n):
    """So many zeros of the type that ``values`` has."""
    return np.zeros(n, values.dtype)


@kernel(plain=_widened_list)
def widened(values, size):
    """The same values with space for at least ``size``; the array given may not be used again."""
    if size <= len(values):
        return values
    wider = np.zeros(max(size, 2 * len(values)), values.dtype)
    for i in range(len(values)):
        wider[i] = values[i]
    return wider
