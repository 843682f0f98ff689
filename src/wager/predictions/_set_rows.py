"""The rows of prediction sets in memory: as bits of words, or as lists of members.

Bits are best for few classes, or large sets: the size of a set is a bit count.  Five out of 100,000
classes would take 12 kilobytes as bits and 20 bytes as a list.  Both classes here offer the same
operations and represent the same sets; `rows_of_codes` chooses the one that takes less memory.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wager._typing import Array, Bools, Ints, Words
from wager.predictions._packing import has_bit, members, n_words, pack_codes, popcount, unpack

__all__ = ["PackedRows", "SetRows", "SparseRows", "joined_rows", "rows_of_codes", "rows_of_members"]


class SetRows(ABC):
    """Rows of sets over the classes 0..K-1."""

    n_classes: int

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def sizes(self) -> Ints:
        """The size of each set, in any integer type that can also hold twice the size plus 1."""

    @abstractmethod
    def has(self, codes: Ints) -> Bools:
        """Whether each set contains the class of its row."""

    @abstractmethod
    def take(self, rows: Any) -> SetRows:
        """The sets of a slice, a mask or an array of rows."""

    @abstractmethod
    def members(self) -> Ints:
        """The classes of all sets end to end, ascending within each set."""

    @abstractmethod
    def words(self) -> Words:
        """The sets as bits of words (see `_packing`)."""

    @abstractmethod
    def named(self) -> Bools:
        """Whether each class is in any of the sets."""

    @abstractmethod
    def sparse(self) -> SparseRows:
        """The same sets as lists of members."""

    @abstractmethod
    def moved(self, to: Ints, n_classes: int) -> SetRows:
        """The same sets over other classes: class ``k`` becomes class ``to[k]``."""

    def indicator(self) -> Bools:
        """The boolean matrix (n, K)."""
        check_memory(len(self) * self.n_classes, "a matrix", len(self), self.n_classes)
        return unpack(self.words(), self.n_classes)

    def offsets(self) -> Ints:
        """The start and end of each row in `members`."""
        ends = np.zeros(len(self) + 1, dtype=np.intp)
        np.cumsum(self.sizes, out=ends[1:])
        return ends

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SetRows):
            return NotImplemented
        ours, theirs = self.sparse(), other.sparse()
        return (
            np.array_equal(ours.ends, theirs.ends)
            and np.array_equal(ours.codes, theirs.codes)
            and np.array_equal(ours.is_whole, theirs.is_whole)
        )

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class PackedRows(SetRows):
    """Sets as bits: bit ``k % 64`` of word ``k // 64`` is class ``k``."""

    packed: Words
    n_classes: int

    def __len__(self) -> int:
        return len(self.packed)

    @property
    def sizes(self) -> Ints:
        return popcount(self.packed)

    def has(self, codes: Ints) -> Bools:
        return has_bit(self.packed, codes)

    def take(self, rows: Any) -> PackedRows:
        return PackedRows(self.packed[rows], self.n_classes)

    def members(self) -> Ints:
        return members(self.packed, self.n_classes)

    def words(self) -> Words:
        return self.packed

    def named(self) -> Bools:
        return unpack(np.bitwise_or.reduce(self.packed, axis=0)[None], self.n_classes)[0]

    def sparse(self) -> SparseRows:
        return SparseRows.of_codes(self.members(), self.sizes.astype(np.intp), self.n_classes)

    def moved(self, to: Ints, n_classes: int) -> SetRows:
        if self.n_classes <= 64 and n_classes <= 64:
            bits = np.zeros((len(self), n_words(n_classes)), dtype=np.uint64)
            for old, new in enumerate(to.tolist()):
                bits |= (self.packed >> np.uint64(old) & np.uint64(1)) << np.uint64(new)
            return PackedRows(bits, n_classes)
        return rows_of_codes(to[self.members()], self.sizes.astype(np.intp), n_classes)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PackedRows):
            return np.array_equal(self.packed, other.packed)
        return super().__eq__(other)

    __hash__ = None


@dataclass(frozen=True, eq=False)
class SparseRows(SetRows):
    """Sets as lists of members; sets of all classes are marked instead of listed.

    Parameters
    ----------
    codes : ndarray of int32
        The listed classes of all sets end to end, ascending within each set.
    ends : ndarray of shape (n + 1,)
        The start and end of each row in `codes`.
    n_classes : int
        The number of classes.
    whole : ndarray of bool, shape (n,), optional
        The sets that contain every class, of which none is listed; by default there are none.
    """

    codes: Ints
    ends: Ints
    n_classes: int
    whole: Bools | None = None

    @classmethod
    def of_codes(
        cls, codes: Ints, lengths: Ints, n_classes: int, whole: Bools | None = None
    ) -> SparseRows:
        """Sets from the classes of all rows end to end, in any order and with duplicates."""
        ends = np.zeros(len(lengths) + 1, dtype=np.intp)
        np.cumsum(lengths, out=ends[1:])
        rising = np.ones(len(codes), dtype=np.bool_)
        np.greater(codes[1:], codes[:-1], out=rising[1:])
        rising[ends[:-1][lengths > 0]] = True  # a row may begin with a lower class
        if not rising.all():
            row = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
            return cls._of_keys(_distinct(row * n_classes + codes), len(lengths), n_classes, whole)
        full = np.diff(ends) == n_classes
        if full.any():
            codes = codes[~np.repeat(full, lengths)]
            np.cumsum(np.where(full, 0, lengths), out=ends[1:])
            whole = full if whole is None else whole | full
        return cls(codes.astype(np.int32, copy=False), ends, n_classes, _some(whole))

    @classmethod
    def _of_keys(cls, keys: Ints, n: int, n_classes: int, whole: Bools | None = None) -> SparseRows:
        """Sets from the ascending numbers row * K + class of their members."""
        row, codes = np.divmod(keys, n_classes)
        return cls.of_codes(codes, np.bincount(row, minlength=n), n_classes, whole)

    def __len__(self) -> int:
        return len(self.ends) - 1

    @cached_property
    def is_whole(self) -> Bools:
        """Whether each set contains every class."""
        return np.zeros(len(self), dtype=np.bool_) if self.whole is None else self.whole

    @property
    def sizes(self) -> Ints:
        listed = np.diff(self.ends)
        return listed if self.whole is None else np.where(self.whole, self.n_classes, listed)

    def row_numbers(self) -> Ints:
        """The row of each listed member."""
        return np.repeat(np.arange(len(self)), np.diff(self.ends))

    def has(self, codes: Ints) -> Bools:
        hits = self.is_whole.copy()
        row = self.row_numbers()
        hits[row[self.codes == codes[row]]] = True
        return hits

    def take(self, rows: Any) -> SparseRows:
        whole = None if self.whole is None else _some(self.whole[rows])
        if isinstance(rows, slice) and rows.step in (None, 1):
            start, stop, _ = rows.indices(len(self))
            ends = self.ends[start : max(start, stop) + 1]
            part = self.codes[ends[0] : ends[-1]]
            return SparseRows(part, ends - ends[0], self.n_classes, whole)
        chosen = _row_numbers(rows, len(self))
        starts = self.ends[chosen]
        lengths = self.ends[chosen + 1] - starts
        ends = np.zeros(len(chosen) + 1, dtype=np.intp)
        np.cumsum(lengths, out=ends[1:])
        place = np.repeat(starts - ends[:-1], lengths) + np.arange(ends[-1])
        return SparseRows(self.codes[place], ends, self.n_classes, whole)

    def members(self) -> Ints:
        if self.whole is None:
            return self.codes
        ends = self.offsets()
        check_memory(8 * int(ends[-1]), "the members", len(self), self.n_classes)
        every = np.empty(ends[-1], dtype=np.int32)
        every[~np.repeat(self.whole, self.sizes)] = self.codes
        for start in ends[:-1][self.whole]:
            every[start : start + self.n_classes] = np.arange(self.n_classes)
        return every

    def words(self) -> Words:
        check_memory(
            8 * len(self) * n_words(self.n_classes), "the words", len(self), self.n_classes
        )
        packed = pack_codes(self.codes, np.diff(self.ends), self.n_classes)
        if self.whole is not None:
            packed[self.whole] = pack_codes(
                np.arange(self.n_classes), np.array([self.n_classes]), self.n_classes
            )
        return packed

    def named(self) -> Bools:
        seen = np.full(self.n_classes, self.whole is not None)
        seen[self.codes] = True
        return seen

    def sparse(self) -> SparseRows:
        return self

    def moved(self, to: Ints, n_classes: int) -> SetRows:
        if self.whole is None:
            return rows_of_codes(to[self.codes], np.diff(self.ends), n_classes)
        if n_classes == self.n_classes:
            lengths = np.diff(self.ends)
            return SparseRows.of_codes(to[self.codes], lengths, n_classes, self.whole)
        return rows_of_codes(to[self.members()], self.sizes, n_classes)

    # Two sets in each row

    def _keys(self) -> Ints:
        """The members as ascending numbers row * K + class."""
        return self.row_numbers() * self.n_classes + self.codes

    def common(self, other: SparseRows) -> SparseRows:
        """The intersection with the set in the same row of ``other``."""
        ours, theirs = self._keys(), other._keys()
        both = np.intersect1d(ours, theirs, assume_unique=True)
        if self.whole is not None or other.whole is not None:
            ours = ours[other.is_whole[self.row_numbers()]]
            theirs = theirs[self.is_whole[other.row_numbers()]]
            both = np.sort(np.concatenate([both, ours, theirs]))
        return self._of_keys(both, len(self), self.n_classes, self.is_whole & other.is_whole)

    def union(self, other: SparseRows) -> SparseRows:
        """The union with the set in the same row of ``other``."""
        whole = self.is_whole | other.is_whole
        parts = [part._keys()[~whole[part.row_numbers()]] for part in (self, other)]
        return self._of_keys(_distinct(np.concatenate(parts)), len(self), self.n_classes, whole)

    def within(self, other: SparseRows) -> Bools:
        """Whether each set is a subset of the set in the same row of ``other``."""
        return self.common(other).sizes == self.sizes


def rows_of_codes(codes: Ints, lengths: Ints, n_classes: int) -> SetRows:
    """Sets from the classes of all rows end to end, ``lengths[i]`` of them in row ``i``.

    Examples
    --------
    >>> type(rows_of_codes(np.array([0, 2, 1]), np.array([2, 0, 1]), 3)).__name__
    'PackedRows'
    >>> type(rows_of_codes(np.array([5, 7]), np.array([1, 1]), 1000)).__name__
    'SparseRows'
    """
    as_bits, as_lists = 8 * n_words(n_classes) * len(lengths), 4 * len(codes) + 8 * len(lengths)
    if 2 * as_lists < as_bits:
        return SparseRows.of_codes(codes, lengths, n_classes)
    return PackedRows(pack_codes(codes, lengths, n_classes), n_classes)


def rows_of_members(codes: Ints, lengths: Ints, n_classes: int, whole: Bools) -> SetRows:
    """As `rows_of_codes`; the sets that `whole` marks contain every class, and list none."""
    if not whole.any():
        return rows_of_codes(codes, lengths, n_classes)
    lists = SparseRows.of_codes(codes, lengths, n_classes, whole)
    as_bits, as_lists = 8 * n_words(n_classes) * len(lists), 4 * len(codes) + 9 * len(lists)
    return lists if 2 * as_lists < as_bits else PackedRows(lists.words(), n_classes)


def joined_rows(parts: list[SetRows]) -> SetRows:
    """The rows of several sets over the same classes, one after the other."""
    first = parts[0]
    packed = [part.packed for part in parts if isinstance(part, PackedRows)]
    if len(packed) == len(parts):
        return PackedRows(np.concatenate(packed), first.n_classes)
    lists = [part.sparse() for part in parts]
    starts = np.cumsum([0, *(len(part.codes) for part in lists)])
    ends = [part.ends[1:] + start for part, start in zip(lists, starts, strict=False)]
    whole = _some(np.concatenate([part.is_whole for part in lists]))
    codes = np.concatenate([part.codes for part in lists])
    return SparseRows(codes, np.concatenate([[0], *ends]), first.n_classes, whole)


def check_memory(n_bytes: int, what: str, n: int, n_classes: int) -> None:
    """Raise if an array would not fit into the memory of this machine."""
    if not fits_memory(n_bytes):
        raise ValueError(
            f"{what} of {n:,} sets over {n_classes:,} classes would take {n_bytes / 1e9:,.0f} GB: "
            "take some rows at a time, or use to_sparse(), sizes and contains()"
        )


def fits_memory(n_bytes: float) -> bool:
    """Whether so many bytes fit into the memory of this machine."""
    try:
        return n_bytes <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not a POSIX system
        return n_bytes <= 16e9


def _distinct(keys: Ints) -> Ints:
    """Sorted without duplicates."""
    keys = np.sort(keys)
    first = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return keys if first.all() else keys[first]


def _row_numbers(rows: Any, n: int) -> Ints:
    """The rows of a slice, a mask or an array; a few rows of many take little time."""
    if isinstance(rows, slice):
        return np.arange(n)[rows]
    chosen = np.asarray(rows)
    if chosen.dtype == np.bool_ or not chosen.size or chosen.min() < 0:
        return np.arange(n)[rows]
    return chosen


def _some(whole: Array | None) -> Array | None:
    """The mask, or None if it marks no row."""
    return whole if whole is not None and whole.any() else None
