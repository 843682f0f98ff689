"""What all tallies have in common: sums of parts, differences, and JSON and back.

A tally that comes from a file or another machine may be anything.  `plain_data` and
`plain_numbers` check what is read, and every fault becomes one sentence.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import singledispatch
from typing import Any, NoReturn, Self

import numpy as np

from wager._tables import check_classes, format_label, format_labels
from wager._typing import Array
from wager.predictions import PredictionSets

_ROUNDING = 1e-9  # what is left of a weight after subtraction, relative to it, is 0


class SummableTally(ABC):
    """Base class of tallies: subclasses define ``__add__``, `to_dict` and `from_dict`."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The tally as plain data."""

    @classmethod
    @abstractmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The tally that `to_dict` wrote."""

    def __radd__(self, other: object) -> Self:
        return self if other == 0 else NotImplemented  # sum(tallies) starts with 0

    def to_json(self) -> str:
        """The tally as one line of JSON; `from_json` reads it."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The tally that `to_json` wrote; anything else is a ValueError."""
        try:
            data = json.loads(text)
        except (TypeError, ValueError, RecursionError):
            shown = format_label(text)
            raise ValueError(
                f"this is not the JSON of a {cls.__name__}, got "
                f"{shown if len(shown) < 60 else shown[:50] + ' ...'}: read what "
                f"{cls.__name__}.to_json wrote"
            ) from None
        return cls.from_dict(data)


@singledispatch
def score_of(tally: Any, score: Any) -> Any:
    """One score of a tally; scores are made of tallies, so they register here what they answer."""
    _no_scores(tally)


@singledispatch
def scores_of(tally: Any, *options: Any) -> Any:
    """Every score of a tally by name."""
    _no_scores(tally)


def _no_scores(tally: Any) -> NoReturn:
    raise TypeError(f"a {type(tally).__name__} has no scores: pass a tally")


@contextmanager
def plain_data(
    tally: type, data: Any, keys: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[None]:
    """Read a tally from plain data with these keys; every fault becomes one sentence."""
    name, cure = tally.__name__, f"read what {tally.__name__}.to_json wrote"
    if not isinstance(data, Mapping):
        raise ValueError(
            f"this is not a {name}: it must be an object with the keys {', '.join(keys)}, {cure}"
        )
    missing = [key for key in keys if key not in data]
    other = [key for key in data if key not in (*keys, *optional)]
    if missing or other:
        fault = f"{missing[0]!r} is missing" if missing else f"{other[0]!r} is not one of its keys"
        raise ValueError(f"this is not a {name}: {fault}, {cure}")
    try:
        yield
    except ValueError as problem:
        raise ValueError(f"this is not a {name}: {problem}") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError):
        raise ValueError(f"this is not a {name}: a value has the wrong type, {cure}") from None


def plain_numbers(
    values: Any, name: str, shape: tuple[int, ...] | None = None, *, signed: bool = False
) -> Array:
    """An array of finite numbers that were read from plain data, of this shape if it is given.

    Examples
    --------
    >>> plain_numbers([1, 2], "counts").tolist()
    [1, 2]
    >>> plain_numbers([1, -2], "counts")
    Traceback (most recent call last):
    ...
    ValueError: counts must be finite numbers that are not negative, got -2
    """
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.zeros(0, dtype=object)
    if not array.size and array.dtype != object:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} must be numbers in rows of equal length")
    wrong = ~np.isfinite(array) if signed else ~(np.isfinite(array) & (array >= 0))
    if wrong.any():
        rest = "" if signed else " that are not negative"
        raise ValueError(
            f"{name} must be finite numbers{rest}, got {format_label(array[wrong].ravel()[0])}"
        )
    if shape is not None and array.shape != shape and (array.size or 0 not in shape):
        raise ValueError(f"{name} must have the shape {shape}, got {array.shape}")
    return array if shape is None else array.reshape(shape)


def plain_integers(values: Any, name: str, below: int = 0) -> Array:
    """An array of whole numbers from 0 up that were read from plain data; below a limit if any."""
    array = plain_numbers(values, name)
    if array.dtype.kind == "f":
        raise ValueError(f"{name} must be whole numbers, got {format_label(array.ravel()[0])}")
    if below and array.size and array.max() >= below:
        raise ValueError(f"{name} must be numbers from 0 to {below - 1}, got {array.max()}")
    return array


def plain_labels(values: Any) -> Array:
    """The classes of a tally that was read from plain data."""
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise ValueError(f"classes must be a list of labels, got {format_label(values)}")
    return check_classes(values)


def plain_sets(values: Any, name: str, classes: Array) -> PredictionSets:
    """Sets that were read from plain data: the positions of their classes."""
    members = np.zeros((len(values), len(classes)), dtype=bool)
    for row, positions in enumerate(values):
        members[row, plain_integers(positions, name, len(classes))] = True
    return PredictionSets.from_indicator(members, classes)


def check_same_classes(first: Array, second: Array, verb: str = "add") -> None:
    """Raise if two parts, of which the second is added or subtracted, have different classes."""
    if not np.array_equal(first, second):
        pair = f"counts over the classes {format_labels(first)}", format_labels(second)
        text = f"{pair[0]} to counts over {pair[1]}"
        if verb == "subtract":
            text = f"counts over the classes {pair[1]} from {pair[0]}"
        raise ValueError(f"cannot {verb} {text}: both parts must list the same classes")


def difference(whole: Array, part: Array, name: str = "rows") -> Array:
    """What is left of totals without a part of them: exact for counts, 0 instead of rounding.

    Examples
    --------
    >>> difference(np.array([3, 1]), np.array([1, 1])).tolist()
    [2, 0]
    >>> difference(np.array([0.3]), np.array([0.1 + 0.2])).tolist()
    [0.0]
    """
    left = np.subtract(whole, part)
    if left.dtype.kind == "f":
        left[np.abs(left) <= _ROUNDING * np.maximum(np.abs(whole), np.abs(part))] = 0.0
    if (left < 0).any():
        raise ValueError(
            f"cannot subtract more {name} than there are: subtract a part that was counted in"
        )
    return left
