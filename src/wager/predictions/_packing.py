"""Rows of booleans as bits of 64-bit words: bit ``k % 64`` of word ``k // 64`` is class ``k``.

A row of K classes takes ``ceil(K / 64)`` words, so words are always a matrix; it has one column for
up to 64 classes.  The functions do not check their arguments, and process rows in chunks that stay
in the cache.
"""

from __future__ import annotations

import math

import numpy as np

from wager._typing import Array, Bools, Ints, Words

__all__ = ["has_bit", "members", "n_words", "pack", "pack_codes", "popcount", "unpack"]

_CHUNK = 1 << 15  # rows at a time, a multiple of 8
_ONE = np.uint64(1)


def n_words(n_classes: int) -> int:
    """The number of words for a row of ``n_classes`` bits.

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
    # A word that is read at the first byte of a row must contain the whole row after the shift.
    narrow = n_classes > 0 and n_classes + 8 - math.gcd(n_classes, 8) <= 64
    packed = _pack_narrow if narrow else _pack_wide
    words = np.empty((n, n_words(n_classes)), dtype=np.uint64)
    for start in range(0, n, _CHUNK):
        stop = start + _CHUNK
        words[start:stop] = packed(indicator[start:stop])
    return words


def _pack_narrow(rows: Bools) -> Words:
    """Pack all rows into one string of bits, then read each row at its position in it.

    Packing row by row would take longer than the rest of a score.  The position of a row within
    its byte repeats every ``period`` rows, so a few strided shifts read all rows.
    """
    n, n_classes = rows.shape
    period = 8 // math.gcd(n_classes, 8)
    stride = n_classes * period // 8  # bytes between rows with the same position
    groups = -(-n // period)
    octets = np.zeros(groups * stride + 8, dtype=np.uint8)
    bits = np.packbits(rows.ravel(), bitorder="little")
    octets[: len(bits)] = bits
    words = np.empty((groups, period), dtype=np.uint64)
    for place in range(period):
        byte, bit = divmod(place * n_classes, 8)
        read = np.ndarray((groups,), "<u8", octets, byte, (stride,))
        np.right_shift(read, np.uint64(bit), out=words[:, place])
    words &= np.uint64((1 << n_classes) - 1)
    return words.reshape(-1, 1)[:n]


def _pack_wide(rows: Bools) -> Words:
    n, n_classes = rows.shape
    padded = np.zeros((n, 64 * n_words(n_classes)), dtype=np.bool_)
    padded[:, :n_classes] = rows
    return np.packbits(padded.ravel(), bitorder="little").view("<u8").reshape(n, -1)


def pack_codes(codes: Ints, lengths: Ints, n_classes: int) -> Words:
    """Words from the class codes of all rows end to end, ``lengths[i]`` of them in row ``i``.

    Examples
    --------
    >>> pack_codes(np.array([0, 2, 1]), np.array([2, 0, 1]), 3).tolist()
    [[5], [0], [2]]
    """
    words = np.zeros((len(lengths), n_words(n_classes)), dtype=np.uint64)
    bits = _ONE << (codes & 63).astype(np.uint64)
    if len(codes) == len(lengths) and (lengths == 1).all():
        words[np.arange(len(codes)), codes >> 6] = bits
        return words
    filled = np.flatnonzero(lengths)
    if filled.size == 0:
        return words
    if words.shape[1] > 1:
        row = np.repeat(np.arange(len(lengths)), lengths)
        np.bitwise_or.at(words, (row, codes >> 6), bits)
        return words
    # reduceat cannot handle empty rows; without them, each row ends where the next one starts.
    starts = (np.cumsum(lengths) - lengths)[filled]
    words[filled, 0] = np.bitwise_or.reduceat(bits, starts)
    return words


def unpack(words: Words, n_classes: int) -> Bools:
    """The boolean matrix (n, K) of packed rows: the inverse of ``pack``.

    Examples
    --------
    >>> unpack(np.array([[5]], dtype=np.uint64), 3).tolist()
    [[True, False, True]]
    """
    if n_classes == 0:
        return np.zeros((len(words), 0), dtype=np.bool_)
    octets = np.ascontiguousarray(words, dtype="<u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, count=n_classes, bitorder="little").view(np.bool_)


def members(words: Words, n_classes: int) -> Ints:
    """The codes of all rows end to end, in the order of the classes.

    Examples
    --------
    >>> members(np.array([[5], [0], [2]], dtype=np.uint64), 3).tolist()
    [0, 2, 1]
    """
    rows = max(1, _CHUNK * 32 // max(n_classes, 1))
    parts: list[Array] = [np.zeros(0, dtype=np.intp)]
    for start in range(0, len(words), rows):
        inside = np.flatnonzero(unpack(words[start : start + rows], n_classes))
        parts.append(inside % max(n_classes, 1))
    return np.concatenate(parts)


def popcount(words: Words) -> Ints:
    """The number of bits set in each row; as uint8 if a row has one word.

    Examples
    --------
    >>> popcount(np.array([[5], [0]], dtype=np.uint64)).tolist()
    [2, 0]
    """
    counts = np.bitwise_count(words)
    return counts[:, 0] if words.shape[1] == 1 else counts.sum(axis=1, dtype=np.intp)


def has_bit(words: Words, codes: Ints) -> Bools:
    """Whether bit ``codes[i]`` is set in row ``i``.

    Examples
    --------
    >>> has_bit(np.array([[5], [5]], dtype=np.uint64), np.array([0, 1])).tolist()
    [True, False]
    """
    hits = np.empty(len(words), dtype=np.bool_)
    for start in range(0, len(words), _CHUNK):
        rows, code = words[start : start + _CHUNK], codes[start : start + _CHUNK]
        if words.shape[1] == 1:
            word = rows[:, 0]
        else:
            word = rows[np.arange(len(rows)), code >> 6]
            code = code & 63
        hits[start : start + _CHUNK] = word >> code.astype(np.uint64) & _ONE
    return hits
