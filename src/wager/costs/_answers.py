"""An expert's answers about the costs of sets, in three forms.

A value ("predicting {h, n} costs 0.75 when n is true"), a ratio ("three times as much when n is
true as when h is true") and an expected cost ("0.5 if both are equally likely", as in Example 7 of
Yang, Destercke & Masson, 2017).  Each is one linear equation or inequality in the unknown costs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from wager._tables import (
    ViewedFields,
    encode_labels,
    format_labels,
    in_braces,
    is_one_of,
    named_values,
    real_number,
    real_numbers,
)
from wager._typing import Array, Bools, Floats
from wager._visible import brief
from wager.costs._checks import check_proba
from wager.costs._subsets import members_of

__all__ = ["Answer", "Answers", "CostRatio", "ExpectedCost", "SetCost", "as_answers"]

_WORDS = {"=": "", "<=": "at most ", ">=": "at least "}


class Term(NamedTuple):
    """A multiple of the cost of one set for one true class."""

    members: Bools
    truth: int
    factor: float


class Answer(ViewedFields, ABC):
    """One statement about costs of sets; ``relation`` is ``"="``, ``"<="`` or ``">="``."""

    relation: str

    @property
    @abstractmethod
    def value(self) -> float:
        """The number that the sum of the terms is compared with."""

    @abstractmethod
    def terms(self, classes: Array) -> list[Term]:
        """The cells that the answer is about, with their factors."""

    def _check(self, numbers: Mapping[str, Any]) -> None:
        if not is_one_of(self.relation, _WORDS):
            raise ValueError(f"relation must be '=', '<=' or '>=', got {brief(self.relation)}")
        for name, number in numbers.items():
            if not isinstance(number, Real) or isinstance(number, bool):
                raise ValueError(f"{name} must be a number, got {brief(number)}")
            if not 0 <= real_number(number, name) < np.inf:
                raise ValueError(f"{name} must be finite and not negative, got {brief(number)}")


class _StatesCost(Answer):
    """An answer that states a cost."""

    cost: float

    def __post_init__(self) -> None:
        self._check({"cost": self.cost})

    @property
    def value(self) -> float:
        return float(self.cost)


@dataclass(frozen=True, repr=False)
class SetCost(_StatesCost):
    """The cost of predicting this set when ``true`` is the true class.

    Parameters
    ----------
    set : label or sequence of labels
        The set.
    true : label
        The true class.
    cost : float
        The cost.
    relation : {"=", "<=", ">="}, default="="
        Whether the cost is exact, an upper or a lower bound.

    Examples
    --------
    >>> print(SetCost(("h", "n"), "n", 0.75))
    {h, n} costs 0.75 when n is true
    >>> print(SetCost(("h", "n"), "n", 1, relation="<="))
    {h, n} costs at most 1 when n is true
    """

    set: Any
    true: Any
    cost: float
    relation: str = "="

    def terms(self, classes: Array) -> list[Term]:
        return [Term(members_of(self.set, classes), _code(self.true, classes), 1.0)]

    def __str__(self) -> str:
        words = _WORDS[self.relation]
        return f"{_show(self.set)} costs {words}{self.cost:g} when {self.true} is true"


@dataclass(frozen=True, repr=False)
class CostRatio(Answer):
    """How many times as much this set costs when ``true`` is true as when ``than`` is true.

    With ``than_set`` the comparison is with another set, or with a single class of known cost.

    Parameters
    ----------
    set : label or sequence of labels
        The set.
    true, than : label
        The two true classes to compare.
    times : float
        The ratio of the costs.
    than_set : label or sequence of labels, optional
        The set to compare with; by default the same set.
    relation : {"=", "<=", ">="}, default="="
        Whether the ratio is exact, an upper or a lower bound.

    Examples
    --------
    >>> print(CostRatio(("h", "n"), "n", "h", 3))
    {h, n} costs 3 times as much when n is true as when h is true
    """

    set: Any
    true: Any
    than: Any
    times: float
    than_set: Any = None
    relation: str = "="

    def __post_init__(self) -> None:
        self._check({"times": self.times})

    @property
    def value(self) -> float:
        return 0.0

    def terms(self, classes: Array) -> list[Term]:
        other = self.set if self.than_set is None else self.than_set
        return [
            Term(members_of(self.set, classes), _code(self.true, classes), 1.0),
            Term(members_of(other, classes), _code(self.than, classes), -float(self.times)),
        ]

    def __str__(self) -> str:
        other = "" if self.than_set is None else f"{_show(self.than_set)} "
        return (
            f"{_show(self.set)} costs {_WORDS[self.relation]}{self.times:g} times as much when "
            f"{self.true} is true as {other}when {self.than} is true"
        )


@dataclass(frozen=True, repr=False)
class ExpectedCost(_StatesCost):
    """The expected cost of predicting this set under these class probabilities.

    ``proba`` is a mapping of labels to probabilities (missing labels have probability 0), or a
    sequence over all classes.

    Parameters
    ----------
    set : label or sequence of labels
        The set.
    proba : mapping or sequence
        Probabilities by label (labels that are missing have probability 0), or one per class.
    cost : float
        The expected cost.
    relation : {"=", "<=", ">="}, default="="
        Whether the cost is exact, an upper or a lower bound.

    Examples
    --------
    >>> print(ExpectedCost(("h", "n"), {"h": 0.5, "n": 0.5}, 0.5))
    {h, n} costs 0.5 on average at p(h) = 0.5, p(n) = 0.5
    """

    set: Any
    proba: Any
    cost: float
    relation: str = "="

    def terms(self, classes: Array) -> list[Term]:
        members = members_of(self.set, classes)
        return [
            Term(members, truth, float(p))
            for truth, p in enumerate(self._probabilities(classes))
            if p > 0
        ]

    def _probabilities(self, classes: Array) -> Floats:
        named = named_values(self.proba, "proba")
        if named is None:
            return check_proba(real_numbers(self.proba, "proba"), classes)
        codes, _ = encode_labels(list(named), classes, name="proba")
        values = np.zeros(len(classes))
        values[codes] = real_numbers(list(named.values()), "proba")
        return check_proba(values, classes)

    def __str__(self) -> str:
        named = named_values(self.proba, "proba")
        if named is not None:
            at = ", ".join(f"p({label}) = {p:g}" for label, p in named.items())
        else:
            at = "p = (" + ", ".join(f"{p:g}" for p in self.proba) + ")"
        words = _WORDS[self.relation]
        return f"{_show(self.set)} costs {words}{self.cost:g} on average at {at}"


Answers: TypeAlias = Iterable[Answer] | Mapping[Any, Mapping[Any, float]]


def as_answers(answers: Answers) -> list[Answer]:
    """The answers as a list; a mapping of sets to costs by true class becomes one `SetCost` each.

    Examples
    --------
    >>> [str(answer) for answer in as_answers({("h", "n"): {"n": 0.75}})]
    ['{h, n} costs 0.75 when n is true']
    """
    if isinstance(answers, Mapping):
        for labels, row in answers.items():
            if not hasattr(row, "items"):
                raise TypeError(f"the costs of {_show(labels)} must be a Mapping, got {brief(row)}")
        return [SetCost(s, true, c) for s, row in answers.items() for true, c in row.items()]
    listed = list(answers)
    for place, answer in enumerate(listed):
        if not isinstance(answer, Answer):
            raise ValueError(
                f"answer {place} must be a SetCost, CostRatio or ExpectedCost, got {brief(answer)}"
            )
    return listed


def _code(label: Any, classes: Array) -> int:
    try:
        codes, _ = encode_labels([label], classes)
    except ValueError:
        raise ValueError(
            f"an answer names {brief(label)}, which is not among the classes "
            f"{format_labels(classes)}"
        ) from None
    return int(codes[0])


def _show(labels: Any) -> str:
    listed = [labels] if isinstance(labels, str) or not isinstance(labels, Iterable) else labels
    return in_braces(listed)
