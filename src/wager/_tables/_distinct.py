"""Number the distinct labels of a column: the one pass over labels that everything else uses.

Labels are strings, integers, booleans or other numbers, in an array, a list or a column of any
library.  The result is codes into their sorted distinct values.  Sorting a million strings takes
longer than computing all their scores, so a table or a hash replaces the sort wherever possible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables._frames import declared_categories, in_memory, is_pandas_column
from wager._tables._values import format_label, format_labels, is_missing
from wager._typing import Array, Ints

__all__ = ["DistinctLabels", "distinct_labels", "read_labels"]

_TABLE = 1 << 16  # slots of the tables that replace a sort
_CHUNK = 1 << 14  # rows that are hashed together


@dataclass(frozen=True)
class DistinctLabels:
    """Labels as codes into their sorted distinct values.

    ``place`` gives the place of the i-th label for error messages: its row, or for lists of labels
    the row of the list.
    """

    codes: Ints
    labels: Array
    name: str
    place: Callable[[int], str]

    def among(self, classes: Array) -> Ints:
        """The codes of the same labels in ``classes``; any other label is an error."""
        code_of = {label: code for code, label in enumerate(classes.tolist())}
        recode = np.array([code_of.get(label, -1) for label in self.labels.tolist()], dtype=np.intp)
        if recode.size and recode.min() < 0:
            raise self._unknown(recode < 0, classes)
        return recode[self.codes]

    def where(self, label: int) -> str:
        """The place where the ``label``-th distinct label first occurs."""
        return self.place(int(np.argmax(self.codes == label)))

    def _unknown(self, unknown: Array, classes: Array) -> ValueError:
        first = int(np.argmax(unknown[self.codes]))
        label, place = self.labels[self.codes[first]], self.place(first)
        if (label.dtype.kind in "US") != (classes.dtype.kind in "US"):
            return ValueError(
                f"{self.name} holds {format_label(label)} in {place} but the classes are "
                f"{format_labels(classes)}: make labels and classes all strings or all numbers"
            )
        return ValueError(
            f"{self.name} holds {format_label(label)} in {place}, which is not among the classes "
            f"{format_labels(classes)}: correct it, or add it to classes="
        )


def _row(index: int) -> str:
    return f"row {index}"


def distinct_labels(
    y: Any, name: str, place: Callable[[int], str] = _row, *, categories: bool = True
) -> DistinctLabels:
    """Number the distinct labels of ``y``; missing labels and mixed types are errors.

    With ``categories=True``, the categories of a pandas column are labels even if they do not
    occur.

    Examples
    --------
    >>> distinct_labels([3, 1, 3], "y").codes.tolist()
    [1, 0, 1]
    """
    labels = read_labels(y)
    if is_pandas_column(labels):
        return _of_pandas(labels, name, place, categories=categories)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(
            f"{name} must have one label per row, got an array of shape {labels.shape}: "
            "pass a one-dimensional array"
        )
    if labels.dtype.kind in "OT":
        return _of_objects(labels.astype(object), name, place)
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise _missing(name, place(int(np.argmax(np.isnan(labels)))))
    if labels.dtype.kind in "iu":
        found, codes = _of_integers(labels)
    elif labels.dtype.kind in "US":
        found, codes = _of_strings(labels)
    elif labels.dtype.kind in "bf":
        found, codes = np.unique(labels, return_inverse=True)
    else:
        raise ValueError(
            f"{name} must hold strings or numbers, got an array of type {labels.dtype}: "
            "convert it with astype(str)"
        )
    return DistinctLabels(codes, found, name, place)


def read_labels(y: Any) -> Any:
    """The labels as an array; a pandas column is kept unless it holds plain numbers.

    Pandas numbers the distinct values of its columns itself, faster than a loop over objects.
    """
    if isinstance(y, np.ndarray):
        return np.asarray(y)  # without the behaviour of a subclass
    if not isinstance(y, (list, tuple)):
        y = in_memory(y)
        return y if is_pandas_column(y) and y.dtype.kind not in "biuf" else np.asarray(y)
    if y and not isinstance(y[0], str):
        try:
            labels = np.asarray(y)
        except ValueError:  # ragged
            labels = np.zeros(0, dtype=object)
        if labels.dtype.kind not in "USO":  # NumPy makes strings of [1, "a"]
            return labels
    return np.fromiter(y, dtype=object, count=len(y))


def _missing(name: str, place: str) -> ValueError:
    return ValueError(f"{name} has a missing label in {place}: drop the row or give it a label")


def _of_pandas(
    column: Any, name: str, place: Callable[[int], str], *, categories: bool
) -> DistinctLabels:
    codes, values = column.factorize()
    codes = np.asarray(codes, dtype=np.intp)
    if codes.size and codes.min() < 0:
        raise _missing(name, place(int(np.argmin(codes))))
    declared = declared_categories(column) if categories else None
    every = [*np.asarray(values, dtype=object), *([] if declared is None else declared)]
    found = _of_objects(
        np.fromiter(every, dtype=object, count=len(every)),
        name,
        lambda value: place(int(np.argmax(codes == value))),
    )
    return DistinctLabels(found.codes[codes], found.labels, name, place)


class _Numbering(dict[Any, int]):
    """Gives each new key the next number."""

    def __missing__(self, key: Any) -> int:
        self[key] = number = len(self)
        return number


def _of_objects(objects: Array, name: str, place: Callable[[int], str]) -> DistinctLabels:
    number = _Numbering()
    try:
        codes = np.fromiter(
            map(number.__getitem__, objects.tolist()), dtype=np.intp, count=len(objects)
        )
    except TypeError:
        row = next(i for i, label in enumerate(objects) if getattr(label, "__hash__", 0) is None)
        raise ValueError(
            f"{name} must have one label per row, got {objects[row]!r} in {place(row)}: "
            "pass strings or numbers"
        ) from None
    first = DistinctLabels(codes, np.fromiter(number, dtype=object, count=len(number)), name, place)
    for code, label in enumerate(number):
        if is_missing(label):
            raise _missing(name, first.where(code))
        if not isinstance(label, (str, bytes, int, float, np.generic)):
            raise ValueError(
                f"{name} must hold strings or numbers, got {label!r} in {first.where(code)}: "
                "pass one label per row"
            )
    texts = [isinstance(label, str) for label in number]
    if any(texts) and not all(texts):
        other = texts.index(not texts[0])
        raise ValueError(
            f"{name} mixes strings and other labels ({format_label(first.labels[0])} in "
            f"{first.where(0)}, {format_label(first.labels[other])} in {first.where(other)}): make "
            "all of them strings or all of them numbers"
        )
    labels = np.array(list(number), dtype=str if texts and texts[0] else None)
    found, rank = np.unique(labels, return_inverse=True)
    return DistinctLabels(rank[codes], found, name, place)


def _of_integers(labels: Array) -> tuple[Array, Ints]:
    """``np.unique`` with its inverse; by a table, not a sort, where the range is small."""
    if labels.size == 0:
        return np.unique(labels, return_inverse=True)
    low = labels.min()
    span = int(labels.max()) - int(low) + 1
    if span > _TABLE:
        return np.unique(labels, return_inverse=True)
    place = labels if low == 0 else labels.astype(np.intp) - int(low)
    seen = np.zeros(span, dtype=np.bool_)
    seen[place] = True
    return np.flatnonzero(seen).astype(labels.dtype) + low, (np.cumsum(seen) - 1)[place]


def _of_strings(labels: Array) -> tuple[Array, Ints]:
    """``np.unique`` with its inverse; by a hash, not a sort, where there are many labels.

    Each string is hashed to a slot of a table, the first string of a slot represents the slot, and
    every string is compared with the representative of its slot.  Only strings that differ from
    it, because two of them share a slot, are sorted.
    """
    n = len(labels)
    if n < _TABLE // 16:
        return np.unique(labels, return_inverse=True)
    labels = np.ascontiguousarray(labels, dtype=labels.dtype.newbyteorder("="))
    character = np.uint32 if labels.dtype.kind == "U" else np.uint8
    units: Array = labels.view(character).reshape(n, -1)
    if units.shape[1] == 1:
        points, codes = _of_integers(units[:, 0])
        return points.view(labels.dtype), codes
    odd = np.random.default_rng(0).integers(1 << 31, size=units.shape[1], dtype=np.uint32) * 2 + 1
    found, number = labels[:0], np.full(_TABLE, -1, dtype=np.intp)  # of slots
    numbers, shared = np.empty(n, dtype=np.uint16), np.empty(n, dtype=np.bool_)
    for start in range(0, n, _CHUNK):
        rows = slice(start, start + _CHUNK)
        slots = units[rows] @ odd >> 16  # multiply-shift; uint32 wraps round
        chosen = number.take(slots)
        if chosen.min() < 0:
            new, first = np.unique(slots[chosen < 0], return_index=True)
            number[new] = len(found) + np.arange(len(new))
            found = np.concatenate([found, labels[rows][chosen < 0][first]])
            chosen = number.take(slots)
        numbers[rows] = chosen
        shared[rows] = found.take(chosen) != labels[rows]
    rest, rest_numbers = np.unique(labels[shared], return_inverse=True)
    every, rank = np.unique(np.concatenate([found, rest]), return_inverse=True)
    codes = rank.take(numbers)
    codes[shared] = rank[len(found) + rest_numbers]
    return every, codes
