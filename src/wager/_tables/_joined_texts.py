"""Number the distinct labels in a long text, such as a million sets that are joined by ``|``.

A Python dictionary needs half a microsecond per label.  Here labels are hashed by array operations,
eight bytes at a time, and every label is compared with the first one that has the same hash, so the
result is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from wager._typing import Array, Ints

__all__ = ["count_joined", "number_joined"]

_LABELS = 1 << 16  # labels that are handled together, so that what is computed stays in the cache
_SLOTS = 20  # bits: the table that finds equal hashes has 2^20 slots
_MIX = np.uint64(0x9E3779B97F4A7C15)  # spreads a hash over all of its bits
_WORD = 8  # bytes that are compared at a time
_KEPT = np.array([(1 << 8 * n) - 1 for n in range(_WORD + 1)], dtype=np.uint64)  # the first n bytes


def number_joined(text: str, sep: str) -> tuple[Ints, list[str]] | None:
    """The codes of the labels of a text, and the distinct labels in the order of appearance.

    None in the rare case that two labels have the same hash.

    Parameters
    ----------
    text : str
        Labels joined by ``sep``.
    sep : str
        One ASCII character.

    Examples
    --------
    >>> codes, labels = number_joined("b|a|b", "|")
    >>> codes.tolist(), labels
    ([0, 1, 0], ['b', 'a'])
    """
    whole = (text + sep).encode("utf-8", "surrogatepass")
    data = np.frombuffer(whole, dtype=np.uint8)
    ends = np.flatnonzero(data == ord(sep)) + 1  # after the separator, which belongs to its label
    starts = np.concatenate([[0], ends[:-1]])
    lengths = ends - starts
    words = _words(whole)
    first = _first_equal(_hashes(words, starts, lengths))
    if not _same_bytes(words, starts, lengths, first):
        return None
    kept, codes = _numbered(first)
    places = zip(starts[kept].tolist(), ends[kept].tolist(), strict=True)
    labels = [whole[start : end - 1].decode("utf-8", "surrogatepass") for start, end in places]
    return codes, labels


def count_joined(texts: list[str], sep: str) -> Ints:
    """The number of labels in each text; 0 in an empty one.

    Parameters
    ----------
    texts : list of str
        Labels joined by ``sep``.
    sep : str
        One ASCII character.

    Examples
    --------
    >>> count_joined(["a|b", "", "c"], "|").tolist()
    [2, 0, 1]
    """
    lengths = np.fromiter(map(len, texts), np.intp, len(texts))
    joined = "".join(texts)
    if not joined.isascii():  # a character is not a byte
        return np.fromiter((t.count(sep) + bool(t) for t in texts), np.intp, len(texts))
    found = np.flatnonzero(np.frombuffer(joined.encode(), dtype=np.uint8) == ord(sep))
    before = np.searchsorted(found, np.cumsum(lengths))  # separators before the end of each text
    return np.diff(before, prepend=0) + (lengths > 0)


def _words(data: bytes) -> Array:
    """The eight bytes from every byte on, as a number; zeros follow the last byte."""
    return np.ndarray((len(data),), "<u8", data + bytes(_WORD), 0, (1,))


def _parts(n: int) -> Iterator[slice]:
    return (slice(start, start + _LABELS) for start in range(0, n, _LABELS))


def _hashes(words: Array, starts: Ints, lengths: Ints) -> Array:
    """A number for each label, from its bytes."""
    found = np.empty(len(starts), dtype=np.uint64)
    for part in _parts(len(starts)):
        start, left = starts[part], lengths[part]
        value = (words[start] & _KEPT[np.minimum(left, _WORD)]) * _MIX
        value ^= value >> np.uint64(29)
        for at in range(_WORD, int(left.max()), _WORD):
            longer = np.flatnonzero(left > at)
            word = words[start[longer] + at] & _KEPT[np.minimum(left[longer] - at, _WORD)]
            mixed = (value[longer] ^ word) * _MIX
            value[longer] = mixed ^ mixed >> np.uint64(29)
        found[part] = value * _MIX
    return found


def _first_equal(hashes: Array) -> Ints:
    """The place of the first of the equal hashes, for each of them."""
    n = len(hashes)
    first: Ints = np.empty(n, dtype=np.int32 if n <= np.iinfo(np.int32).max else np.intp)
    every = (np.arange(part.start, min(part.stop, n)) for part in _parts(n))
    left = _find_owners(hashes, every, 44, first)
    for shift in (24, 4):  # other bits for the hashes that share a slot
        left = _find_owners(hashes, (left[part] for part in _parts(len(left))), shift, first)
    if not len(left):
        return first
    distinct, place = np.unique(hashes[left], return_inverse=True)
    lowest = np.full(len(distinct), len(hashes))
    np.minimum.at(lowest, place, left)
    first[left] = lowest[place]
    return first


def _find_owners(hashes: Array, places: Iterable[Ints], shift: int, first: Ints) -> Ints:
    """Store the owner of its slot for each hash that equals it, and return the other places.

    The owner of a slot is the first hash in it.
    """
    owner = np.full(1 << _SLOTS, -1, dtype=first.dtype)
    owned = np.empty(1 << _SLOTS, dtype=np.uint64)
    others: list[Ints] = [np.zeros(0, dtype=np.intp)]
    for here in places:
        value = hashes[here]
        slot = (value >> np.uint64(shift)).astype(np.intp) & (1 << _SLOTS) - 1
        found = owner[slot]
        new = np.flatnonzero(found < 0)
        if len(new):
            owner[slot[new[::-1]]] = here[new[::-1]]  # the last one that is written is the first
            owned[slot[new]] = hashes[owner[slot[new]]]
            found[new] = owner[slot[new]]
        same = owned[slot] == value
        if same.all():
            first[here] = found
        else:
            first[here[same]] = found[same]
            others.append(here[~same])
    return np.concatenate(others)


def _numbered(first: Ints) -> tuple[Ints, Ints]:
    """The places of the first of equal labels, and for each label the number of its first one."""
    kept = [
        np.flatnonzero(first[part] == np.arange(part.start, part.start + len(first[part])))
        + part.start
        for part in _parts(len(first))
    ]
    places = np.concatenate(kept)
    number = np.empty(len(first), dtype=np.intp)
    number[places] = np.arange(len(places))
    for part in _parts(len(first)):
        number[part] = number[first[part]]  # those of first ones, which come before
    return places, number


def _same_bytes(words: Array, starts: Ints, lengths: Ints, first: Ints) -> bool:
    """Whether every label is the same as the first one with its hash.

    A label ends with its only separator, so that the bytes of another length are different.
    """
    for part in _parts(len(starts)):
        start, left, other = starts[part], lengths[part], starts[first[part]]
        for at in range(0, int(left.max()), _WORD):
            if at:
                longer = left > at
                start, left, other = start[longer], left[longer], other[longer]
            kept = _KEPT[np.minimum(left - at, _WORD)]
            if ((words[start + at] ^ words[other + at]) & kept).any():
                return False
    return True
