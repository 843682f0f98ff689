"""What answers say about a utility: brackets, contradictions, and the curves that fit.

Every bracket holds the worth of a hit by a set of so many classes.  The answers go with aversion to
risk if some concave utility passes through all of them, which the concave hull of the lower ends
decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from wager._atomic import replacing
from wager._tables import format_table
from wager._typing import Floats
from wager.rewards._own_utilities import Tabulated
from wager.rewards._utilities import Exponential, Quadratic
from wager.rewards._utility import Utility
from wager.rewards._utility_names import write_utility

_SLACK = 1e-9
_MOST_AVERSE = 50.0  # beyond this risk aversion any set is as good as the class itself


@dataclass(frozen=True)
class Bracket:
    """Between which bounds the worth of a set lies.

    Attributes
    ----------
    size : int
        The number of classes in the set.
    low, high : float
        The bounds.
    answers : tuple of (chance, answer)
        What was asked, and said.
    contradiction : str
        What was said later that goes against it; empty if nothing was.
    """

    size: int
    low: float
    high: float
    answers: tuple[tuple[float, str], ...] = ()
    contradiction: str = ""

    @property
    def value(self) -> float:
        """The middle."""
        return (self.low + self.high) / 2

    def contradicted(self, chance: float, before: str, now: str) -> Bracket:
        """The bracket that both answers to one question leave open."""
        words = (
            f"a set of {self.size} classes or a chance of {100 * chance:.0f}%: first {before}, "
            f"then {now}"
        )
        low, high = min(self.low, chance), max(self.high, chance)
        return replace(self, low=low, high=high, contradiction=words)


@dataclass(frozen=True)
class Fit:
    """A utility of one parameter, the range of it that the answers allow, and how far it is off.

    Attributes
    ----------
    utility : Utility
        The nearest to the middles of the brackets.
    parameter : str
        What the parameter is called.
    interval : tuple of float
        The values with which the curve passes through every bracket; if there is none, the range
        that the brackets, each by itself, span.
    misses_by : float
        How far the curve stays outside the brackets, at most; 0 where it passes through all.
    """

    utility: Utility
    parameter: str
    interval: tuple[float, float]
    misses_by: float

    @property
    def verdict(self) -> str:
        """The fit in words."""
        low, high = self.interval
        if self.misses_by > _SLACK:
            return f"{self.utility.name} is nearest, but off by up to {self.misses_by:.3f}"
        return (
            f"{self.utility.name}: {self.parameter} from {low:.3f} to {high:.3f} fits every answer"
        )


@dataclass(frozen=True, repr=False)
class Elicited:
    """What an interview found.

    Attributes
    ----------
    n_classes : int
        The number of classes.
    brackets : tuple of Bracket
        The worth of each set size that was asked about.
    n_questions : int
        How many questions it took.
    """

    n_classes: int
    brackets: tuple[Bracket, ...]
    n_questions: int

    @property
    def contradictions(self) -> tuple[str, ...]:
        """Answers that do not go together, in words."""
        said = [b.contradiction for b in self.brackets if b.contradiction]
        for small, large in zip(self.brackets, self.brackets[1:], strict=False):
            if large.low > small.high + _SLACK:
                said.append(
                    f"a set of {large.size} classes is worth at least {large.low:.2f} to you, but "
                    f"one of {small.size} at most {small.high:.2f}"
                )
        return tuple(said)

    @property
    def is_concave(self) -> bool:
        """Whether the answers could be those of somebody averse (or neutral) to risk."""
        x, low, high = self._knots()
        return bool((_concave_hull(x, low) <= high + _SLACK).all())

    def utility(self, kind: str = "tabulated") -> Utility:
        """The utility that the answers describe.

        Parameters
        ----------
        kind : {"tabulated", "quadratic", "exponential"}, default="tabulated"
            A table of the values by set size, those between by straight lines in the reward; or
            the nearest curve of one parameter.
        """
        if kind != "tabulated":
            return self.fit(kind).utility
        x, low, high = self._knots()
        values = ((low + high) / 2).round(6)
        if self.is_concave:  # of the values that the brackets leave open, concave ones
            raised = _concave_hull(x, values)
            values = raised if (raised <= high + _SLACK).all() else _concave_hull(x, low)
        sizes = np.arange(1, self.n_classes + 1)
        return Tabulated(tuple(np.interp(1 / sizes, x, values).tolist()))

    def fit(self, kind: str) -> Fit:
        """The nearest quadratic or exponential utility, and how far its parameter is known.

        Parameters
        ----------
        kind : {"quadratic", "exponential"}
        """
        if kind not in _CURVES:
            kinds = ", ".join(["tabulated", *_CURVES])
            raise ValueError(
                f"there is no utility of the kind {kind!r} to fit: choose from {kinds}"
            )
        curve = _CURVES[kind]
        sizes = np.array([b.size for b in self.brackets])
        low, high = (np.array([getattr(b, end) for b in self.brackets]) for end in ("low", "high"))
        least, most = curve.through(sizes, low), curve.through(sizes, high)
        inner = float(least.max()), float(most.min())
        fits = inner[0] <= inner[1] + _SLACK
        interval = inner if fits else (float(least.min()), float(most.max()))
        best = _nearest(curve, sizes, (low + high) / 2, interval)
        worth = curve.utility(best).of_size(sizes)
        off = np.maximum(np.maximum(low - worth, worth - high), 0).max()
        return Fit(curve.utility(best), curve.parameter, interval, 0.0 if fits else float(off))

    def write(self, path: str | PathLike[str], kind: str = "tabulated") -> None:
        """Write the utility to a TOML file that `get_utility` reads; whole, or not at all."""
        notes = [f"# elicited by {self.n_questions} questions about {self.n_classes} classes"]
        notes += [
            f"# a set of {b.size} that holds the right class is worth {b.low:.2f} to {b.high:.2f}"
            for b in self.brackets
        ]
        notes += [f"# contradiction: {words}" for words in self.contradictions]
        with replacing(path) as draft:
            write_utility(self.utility(kind), draft)
            text = draft.read_text(encoding="utf-8")
            draft.write_text("\n".join([*notes, text]), encoding="utf-8")

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        return {
            "n_classes": self.n_classes,
            "n_questions": self.n_questions,
            "brackets": [{"size": b.size, "low": b.low, "high": b.high} for b in self.brackets],
            "contradictions": list(self.contradictions),
            "is_concave": self.is_concave,
        }

    def __repr__(self) -> str:
        rows = [
            (f"a set of {b.size}", b.value, f"{b.low:.2f} to {b.high:.2f}") for b in self.brackets
        ]
        shape = "averse to risk" if self.is_concave else "not averse to risk throughout"
        lines = [format_table(rows, ["a hit by", "worth", "between"], digits=3)]
        lines.append(f"your answers are {shape}")
        lines += [f"contradiction: {words}" for words in self.contradictions]
        return "\n".join(lines)

    def _knots(self) -> tuple[Floats, Floats, Floats]:
        """Rewards 0, 1/k ..., 1, ascending, and the bounds of the utility there."""
        found = sorted((1 / b.size, b.low, b.high) for b in self.brackets)
        x, low, high = np.array([(0.0, 0.0, 0.0), *found, (1.0, 1.0, 1.0)]).T
        return x, low, high


def _concave_hull(x: Floats, y: Floats) -> Floats:
    """The least concave function above the points, at these points."""
    kept: list[int] = []
    for i in range(len(x)):
        while len(kept) > 1 and _turns_up(x, y, kept[-2], kept[-1], i):
            kept.pop()
        kept.append(i)
    return np.interp(x, x[kept], y[kept])


def _turns_up(x: Floats, y: Floats, i: int, j: int, k: int) -> bool:
    return bool((y[j] - y[i]) * (x[k] - x[j]) <= (y[k] - y[j]) * (x[j] - x[i]))


# -- curves of one parameter that grow with it -------------------------------------------------


@dataclass(frozen=True)
class _Curve:
    """A family of utilities: its parameter, the utility at a value, the value through a worth."""

    parameter: str
    utility: Callable[[float], Utility]
    through: Callable[[Any, Floats], Floats]


def _quadratic_through(sizes: Any, worth: Floats) -> Floats:
    """u(0.5) of the parabola that gives a set of each size its worth."""
    x = 1 / sizes
    return np.clip((worth - (2 * x**2 - x)) / (4 * (x - x**2)), 0.0, 1.0)


def _exponential_through(sizes: Any, worth: Floats) -> Floats:
    """The risk aversion with which a set of each size has its worth, by bisection."""
    low, high = np.full(len(worth), -_MOST_AVERSE), np.full(len(worth), _MOST_AVERSE)
    for _ in range(60):
        middle = (low + high) / 2
        found = [float(_exponential(a).of_size(k)) for a, k in zip(middle, sizes, strict=True)]
        short = np.array(found) < worth
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return (low + high) / 2


def _exponential(a: float) -> Exponential:
    return Exponential(float(a), normalized=True)


_CURVES = {
    "quadratic": _Curve("u(0.5)", Quadratic, _quadratic_through),
    "exponential": _Curve("a", _exponential, _exponential_through),
}


def _nearest(curve: _Curve, sizes: Any, worth: Floats, interval: tuple[float, float]) -> float:
    """The parameter in the interval whose curve is nearest to the values, by least squares."""
    low, high = interval
    golden = (5**0.5 - 1) / 2

    def off(value: float) -> float:
        return float(((curve.utility(value).of_size(sizes) - worth) ** 2).sum())

    while high - low > 1e-7:
        left, right = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, right) if off(left) < off(right) else (left, high)
    return round((low + high) / 2, 6)
