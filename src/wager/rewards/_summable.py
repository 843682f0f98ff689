"""What all tallies have in common: sums of parts, differences, and JSON and back.

A tally that comes from a file or another machine may be anything.  `plain_data`, `plain_numbers`
and the like check what is read, and every fault becomes one sentence.
"""

from __future__ import annotations

import json
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import singledispatch
from typing import Any, NoReturn, Self, TypeAlias

import numpy as np

from wager._tables import (
    Viewed,
    counted,
    format_labels,
    parse_json,
    plain_data as plain_data,
    plain_integers as plain_integers,
    plain_labels as plain_labels,
    plain_numbers as plain_numbers,
)
from wager._typing import Array
from wager.predictions import PredictionSets

Combine: TypeAlias = Callable[[Any, Any], Any]  # `operator.add` or `operator.sub`
_ROUNDING = 1e-9  # what is left of a weight after subtraction, relative to it, is 0


class SummableTally(Viewed, ABC):
    """Base class of tallies: subclasses say which can be added, and how, and define `to_dict`."""

    @abstractmethod
    def _check_alike(self, other: Self, verb: str) -> None:
        """Raise if another tally cannot be added or subtracted."""

    @abstractmethod
    def _combined(self, other: Self, by: Combine) -> Self:
        """The sum or the difference with a tally that is alike."""

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        self._check_alike(other, "add")
        return self._combined(other, operator.add)

    def __sub__(self, other: Self) -> Self:
        """The tally without a part that was counted in, as for a sliding window.

        Counts are exact; weights and sums of rewards are so up to rounding errors, so count anew
        from time to time if a window slides over very many rows.
        """
        if not isinstance(other, type(self)):
            return NotImplemented
        self._check_alike(other, "subtract")
        return self._combined(other, operator.sub)

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
        return cls.from_dict(parse_json(cls, text))


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


def plain_sets(values: Any, name: str, classes: Array) -> PredictionSets:
    """Sets that were read from plain data: the positions of their classes."""
    members = [plain_integers(positions, name, len(classes)).ravel() for positions in values]
    sets = PredictionSets.from_lists(members, np.arange(len(classes)))
    return PredictionSets(sets.rows, classes)


def check_same_number(first: int, second: int, verb: str) -> None:
    """Raise if two parts, of which the second is added or subtracted, differ in their classes."""
    if first != second:
        text = f"{counted(first, 'class')} to counts over {second}"
        if verb == "subtract":
            text = f"{counted(second, 'class')} from counts over {first}"
        raise ValueError(f"cannot {verb} counts over {text}: both parts must list the same classes")


def check_same_classes(first: Array, second: Array, verb: str) -> None:
    """Raise if two parts, of which the second is added or subtracted, have different classes."""
    if not np.array_equal(first, second):
        pair = f"counts over the classes {format_labels(first)}", format_labels(second)
        text = f"{pair[0]} to counts over {pair[1]}"
        if verb == "subtract":
            text = f"counts over the classes {pair[1]} from {pair[0]}"
        raise ValueError(f"cannot {verb} {text}: both parts must list the same classes")


def in_both(first: Mapping[str, Any], second: Mapping[str, Any], by: Combine) -> dict[str, Any]:
    """What two parts both have, added or subtracted name by name."""
    return {name: by(one, second[name]) for name, one in first.items() if name in second}


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
