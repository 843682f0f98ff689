"""Rows of booleans as bits of 64-bit words: bit ``k % 64`` of word ``k // 64`` is class ``k``."""

from __future__ import annotations

import numpy as np

from wager._typing import Bools, Ints, Words

__all__ = ["has_bit", "n_words", "pack", "popcount", "unpack"]


def n_words(n_classes: int) -> int:
    """How many words a row of ``n_classes`` bits takes.

    Examples
    --------
    >>> n_words(64), n_words(65)
    (1, 2)
    """
    return -(-n_classes // 64)


def pack(indicator: Bools) -> Words:
    """Words of shape (n, ceil(K / 64)) from a boolean matrix (n, K).

    Examples
    --------
    >>> pack(np.array([[True, False, True]])).tolist()
    [[5]]
    """
    n, n_classes = indicator.shape
    octets = np.zeros((n, 8 * n_words(n_classes)), dtype=np.uint8)
    bits = np.packbits(indicator, axis=1, bitorder="little")
    octets[:, : bits.shape[1]] = bits
    return octets.view("<u8").astype(np.uint64, copy=False)


def unpack(words: Words, n_classes: int) -> Bools:
    """The boolean matrix (n, K) that ``pack`` was given."""
    octets = np.ascontiguousarray(words, dtype="<u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, count=n_classes, bitorder="little").view(bool)


def popcount(words: Words) -> Ints:
    """The number of bits set in each row."""
    counts = np.bitwise_count(words)
    return counts[:, 0] if words.shape[1] == 1 else counts.sum(axis=1, dtype=np.intp)


def has_bit(words: Words, codes: Ints) -> Bools:
    """Whether bit ``codes[i]`` is set in row ``i``."""
    column, bit = np.divmod(codes.astype(np.uint64), np.uint64(64))
    chosen = np.take_along_axis(words, column.astype(np.intp)[:, None], axis=1)[:, 0]
    return (chosen >> bit & np.uint64(1)).astype(bool)
