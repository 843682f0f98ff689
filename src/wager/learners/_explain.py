"""Why a set-valued classifier keeps the classes that it keeps, for one row, in words.

What all explanations share is here: the classes that remain, the pair of classes that decides, and
how far the strength matters.  The evidence differs: a product of factors (``naive._explain``), or
counts of the classes in a leaf, among neighbours or over the trees of a forest.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import isinf, isnan
from typing import Any

import numpy as np

from wager._tables import Table, View, Viewed, format_label
from wager._typing import Array, Bools, Floats

__all__ = [
    "ClassEvidence",
    "CountExplanation",
    "SetExplanation",
    "evidence_of",
    "shown_label",
    "shown_number",
]

SHOWN = 4  # classes whose counts a sentence lists


@dataclass(frozen=True, repr=False)
class SetExplanation(Viewed):
    """Why a row has its predicted set: ``print(str(explanation))`` says it in a paragraph.

    Each kind of learner has its own kind of explanation, with more attributes than these.

    Attributes
    ----------
    kept, ruled_out : tuple
        The classes of the predicted set, and the others.
    pair : tuple
        The classes that decide: for a set of several classes two that are undecided, for a single
        class the class and its closest rival; empty if there is one class.
    s : float
        The strength of the fitted model.
    robustness : float
        The largest strength at which the prediction is a single class.
    """

    kept: tuple[Any, ...]
    ruled_out: tuple[Any, ...]
    pair: tuple[Any, ...]
    s: float
    robustness: float

    def __str__(self) -> str:
        return " ".join(self._sentences())

    def _sentences(self) -> list[str]:
        if not self.pair:
            return [f"The prediction is {shown_label(self.kept[0])}: there is no other class."]
        if len(self.kept) == 1:
            return [*self._why_alone(), self._single_up_to()]
        shown = ", ".join(map(shown_label, self.kept))
        said = f"The classes {shown} remain, with {self._strength(self.s)}."
        return [said, *self._why_several(), self._single_up_to()]

    def _single_up_to(self) -> str:
        """How large the strength may be for a single class."""
        largest, least_difference = self.robustness, 1e-9 * (1 + self.s)
        if len(self.kept) > 1:
            if largest <= 0:
                return "No strength s, however small, makes the prediction a single class."
            reach = "Up to" if largest < self.s - least_difference else "Below"
            return f"{reach} {self._strength(largest)} a single class is predicted."
        if isinf(largest):
            return "It stays a single class at every strength."
        if largest < self.s - least_difference:  # sets that do not only grow with the strength
            return "With some smaller s the prediction is another one."
        return f"It stays a single class up to {self._strength(largest)}."

    def _strength(self, value: float) -> str:
        """A strength in words."""
        return f"s = {value:g}" if value == self.s else f"s = {shown_number(value)}"

    @abstractmethod
    def _why_alone(self) -> list[str]:
        """Why one class remains, in sentences."""

    @abstractmethod
    def _why_several(self) -> list[str]:
        """Why several classes remain, in sentences."""

    @abstractmethod
    def _table(self) -> Table:
        """The evidence as a table."""

    def _view(self) -> View:
        shown = ", ".join(map(shown_label, self.kept))
        tables = [self._table()] if self.pair else []
        return View(f"Prediction: {shown}", tables, verdict=[str(self)])


@dataclass(frozen=True)
class ClassEvidence:
    """What a model knows about one class, for one row.

    Attributes
    ----------
    label : object
        The class.
    count : float
        How many training rows, neighbours or trees are for it; NaN for a mean over several leaves.
    lower, upper : float
        Bounds of its probability; both are the share of the trees where trees vote.
    """

    label: Any
    count: float
    lower: float
    upper: float


@dataclass(frozen=True, repr=False)
class CountExplanation(SetExplanation):
    """Why a row has its predicted set, by counts of the classes and the intervals from them.

    The counts are of training rows in a leaf or of neighbours.  A class remains unless another one
    leads by s rows.  ``pair`` has the two classes with the most evidence.

    Attributes
    ----------
    source : str
        Where the counts come from, in words.
    evidence : tuple of ClassEvidence
        One per class.
    lead : float
        By how many rows the first class of the pair leads the second; NaN for a mean over leaves.
    """

    source: str
    evidence: tuple[ClassEvidence, ...]

    _colon, _verb = ":", "of"  # how a sentence lists the counts

    @property
    def lead(self) -> float:
        first, second = self._both
        return first.count - second.count

    @property
    def _both(self) -> tuple[ClassEvidence, ClassEvidence]:
        known = {one.label: one for one in self.evidence}
        return known[self.pair[0]], known[self.pair[1]]

    def _why_alone(self) -> list[str]:
        first, second = map(shown_label, self.pair)
        said = [f"The prediction is {first} alone.", self._counted()]
        if isnan(self.lead):
            low, high = self._bounds()
            return [*said, f"{first} dominates the closest rival {second}: {low} reaches {high}."]
        enough = "more than" if self.lead > self.s * (1 + 1e-9) else "as many as"
        return [
            *said,
            f"{first} leads the closest rival {second} by {_rows(self.lead)}, {enough} "
            f"{self._strength(self.s)}.",
        ]

    def _why_several(self) -> list[str]:
        first, second = map(shown_label, self.pair)
        said = [self._counted()]
        if isnan(self.lead):
            low, high = self._bounds()
            return [*said, f"{first} does not dominate {second}: {low} does not exceed {high}."]
        if not any(one.count for one in self.evidence):
            return [*said, "So nothing rules a class out."]
        if self.lead <= 0:
            return [*said, f"{first} and {second} have equally many, so neither dominates."]
        little = "less than" if self.lead < self.s * (1 - 1e-9) else "no more than"
        return [
            *said,
            f"{first} does not dominate {second}: it leads by {_rows(self.lead)}, {little} "
            f"{self._strength(self.s)}.",
        ]

    def _bounds(self) -> tuple[str, str]:
        first, second = self._both
        return (
            f"its lower probability {shown_number(first.lower)}",
            f"the upper probability {shown_number(second.upper)} of the other",
        )

    def _counted(self) -> str:
        """Where the counts come from, and those of the classes with the most."""
        counts = sorted(self.evidence, key=lambda one: -one.count)
        if not counts[0].count > 0:  # no rows, or a mean over leaves
            return f"{self.source}."
        shown = counts[:SHOWN] if len(counts) > SHOWN + 1 else counts
        parts = [
            f"{shown_number(one.count)} {self._verb} class {shown_label(one.label)}"
            for one in shown
        ]
        rest = counts[len(shown) :]
        if rest:
            most = shown_number(rest[0].count)
            parts.append(f"at most {most} {self._verb} each of the {len(rest)} others")
        return f"{self.source}{self._colon} {', '.join(parts)}."

    def _table(self) -> Table:
        rows = [
            [
                str(one.label),
                "" if isnan(one.count) else shown_number(one.count),
                f"{one.lower:.3f}",
                f"{one.upper:.3f}",
                "kept" if one.label in self.kept else "ruled out",
            ]
            for one in self.evidence
        ]
        header = ["class", "rows", "lower probability", "upper probability", "prediction"]
        return Table(header, rows, "<>>><")


def evidence_of(
    classes: Array, counts: Floats, lower: Floats, upper: Floats, kept: Bools
) -> dict[str, Any]:
    """The fields that follow from the counts and bounds of all classes, for one row.

    The pair has the kept class with the largest bounds, and of the others the one with the largest.
    """
    labels = classes.tolist()
    order = np.lexsort((-upper, -lower, ~kept)).tolist()
    pair = order[:2] if len(labels) > 1 else []
    each = zip(labels, counts.tolist(), lower.tolist(), upper.tolist(), strict=True)
    return {
        "kept": tuple(labels[c] for c in np.flatnonzero(kept)),
        "ruled_out": tuple(labels[c] for c in np.flatnonzero(~kept)),
        "pair": tuple(labels[c] for c in pair),
        "evidence": tuple(ClassEvidence(*one) for one in each),
    }


def shown_label(label: Any) -> str:
    return format_label(label)


def shown_number(value: float) -> str:
    """Three digits, but all of a number of rows.

    Examples
    --------
    >>> shown_number(0.31249), shown_number(1234), shown_number(float("inf"))
    ('0.312', '1234', 'infinity')
    """
    if isinf(value):
        return "infinity"
    return f"{value:.3g}" if abs(value) < 100 else f"{value:g}"


def _rows(count: float) -> str:
    return f"{shown_number(count)} row" + "s" * (count != 1)
