"""Long lists of whole numbers as short texts, for the data of a page.

A number is written with 5 bits per character, the least significant ones first; 32 is added to the
value of every character but the last one.  So most counts need one or two characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wager._typing import Array, Ints

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_LETTERS = np.frombuffer(_ALPHABET.encode("ascii"), dtype=np.uint8)
_BITS = 5


def pack(numbers: Any) -> str:
    """Whole numbers that are not negative, as a text.

    Examples
    --------
    >>> pack([3, 0, 40])
    'DAoB'
    """
    left = np.asarray(numbers, dtype=np.uint64)
    if not left.size:
        return ""
    longest = max(1, -(-int(left.max()).bit_length() // _BITS))
    digits = np.stack([(left >> np.uint64(_BITS * i)) & np.uint64(31) for i in range(longest)], 1)
    rest = np.stack([left >> np.uint64(_BITS * i) for i in range(longest)], 1)
    used = rest > 0
    used[:, 0] = True
    more = np.zeros_like(used)
    more[:, :-1] = used[:, 1:]
    values = digits.astype(np.uint8) + np.where(more, 32, 0).astype(np.uint8)
    return _LETTERS[values[used]].tobytes().decode("ascii")


def unpack(text: str | Sequence[int]) -> list[int]:
    """The numbers of a text; a list stays as it is.

    Examples
    --------
    >>> unpack("DAoB")
    [3, 0, 40]
    """
    if not isinstance(text, str):
        return list(text)
    found, value, unit = [], 0, 1
    for letter in text:
        digit = _ALPHABET.index(letter)
        value += (digit & 31) * unit
        if digit & 32:
            unit *= 32
        else:
            found.append(value)
            value, unit = 0, 1
    return found


def steps(ascending: Ints) -> str:
    """An ascending list: its first number, then the differences of neighbours.

    Examples
    --------
    >>> unpack(steps(np.array([2, 3, 7])))
    [2, 1, 4]
    """
    return pack(np.diff(ascending, prepend=0))


def totals(numbers: Array) -> str | list[float]:
    """Counts as a packed text, or weights as a list."""
    return numbers.tolist() if numbers.dtype.kind == "f" else pack(numbers)


def triangle(matrix: Array) -> str | list[float]:
    """The lower triangle of a symmetric matrix, row by row; packed if it has whole numbers.

    Examples
    --------
    >>> unpack(triangle(np.array([[4.0, 1.0], [1.0, 9.0]])))
    [4, 1, 9]
    """
    values = matrix[np.tril_indices(len(matrix))]
    whole = (values == np.floor(values)).all() and (values >= 0).all() and values.size
    return pack(values.astype(np.uint64)) if whole else values.tolist()


def squares(moments: Array | None) -> str | list[float] | None:
    """Second moments of cells: nothing, one number per cell, or a triangle."""
    if moments is None or moments.ndim == 2:
        return None if moments is None else triangle(moments)
    return moments.tolist()
