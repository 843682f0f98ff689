"""The result of an elicitation: brackets, contradictions, and the curves that fit.

A bracket bounds the value of a hit by a set of a given size.  The answers are consistent with risk
aversion if some concave utility passes through all brackets, which the concave hull of the lower
ends shows.
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
from wager.rewards._custom_utilities import Tabulated
from wager.rewards._utilities import Exponential, Quadratic
from wager.rewards._utility import Utility
from wager.rewards._utility_names import write_utility

_SLACK = 1e-9
_MOST_AVERSE = 50.0  # beyond this risk aversion every set is as good as the class itself


@dataclass(frozen=True)
class Bracket:
    """Bounds on the value of a set.

    Attributes
    ----------
    size : int
        The number of classes in the set.
    low, high : float
        The bounds.
    answers : tuple of (chance, answer)
        The questions and their answers.
    contradiction : str
        A later answer that contradicts it; empty if there is none.
    """

    size: int
    low: float
    high: float
    answers: tuple[tuple[float, str], ...] = ()
    contradiction: str = ""

    @property
    def value(self) -> float:
        """The middle of the bracket."""
        return (self.low + self.high) / 2

    def contradicted(self, chance: float, before: str, now: str) -> Bracket:
        """The bracket that is consistent with both answers to the same question."""
        words = (
            f"a set of {self.size} classes or a chance of {100 * chance:.0f}%: first {before}, "
            f"then {now}"
        )
        low, high = min(self.low, chance), max(self.high, chance)
        return replace(self, low=low, high=high, contradiction=words)


@dataclass(frozen=True)
class Fit:
    """A utility with one parameter, the range of it that the answers allow, and its error.

    Attributes
    ----------
    utility : Utility
        The curve closest to the middles of the brackets.
    parameter : str
        The name of the parameter.
    interval : tuple of float
        The values for which the curve passes through every bracket; if there are none, the range
        of the values that fit single brackets.
    misses_by : float
        The largest distance of the curve from a bracket; 0 if it passes through all.
    """

    utility: Utility
    parameter: str
    interval: tuple[float, float]
    misses_by: float

    @property
    def verdict(self) -> str:
        """The fit as one sentence."""
        low, high = self.interval
        if self.misses_by > _SLACK:
            return f"{self.utility.name} is closest, but misses by up to {self.misses_by:.3f}"
        return (
            f"{self.utility.name}: {self.parameter} from {low:.3f} to {high:.3f} fits every answer"
        )


@dataclass(frozen=True, repr=False)
class Elicited:
    """The result of an interview.

    Attributes
    ----------
    n_classes : int
        The number of classes.
    brackets : tuple of Bracket
        The bounds on the value of each set size.
    n_questions : int
        The number of questions.
    """

    n_classes: int
    brackets: tuple[Bracket, ...]
    n_questions: int

    @property
    def contradictions(self) -> tuple[str, ...]:
        """Answers that contradict each other, one sentence each."""
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
        """Whether the answers are consistent with risk aversion (or neutrality)."""
        x, low, high = self._knots()
        return bool((_concave_hull(x, low) <= high + _SLACK).all())

    def utility(self, kind: str = "tabulated") -> Utility:
        """The utility that the answers describe.

        Parameters
        ----------
        kind : {"tabulated", "quadratic", "exponential"}, default="tabulated"
            A table of values by set size, with linear interpolation in the reward; or the closest
            curve with one parameter.
        """
        if kind != "tabulated":
            return self.fit(kind).utility
        x, low, high = self._knots()
        values = ((low + high) / 2).round(6)
        if self.is_concave:  # choose concave values within the brackets
            raised = _concave_hull(x, values)
            values = raised if (raised <= high + _SLACK).all() else _concave_hull(x, low)
        sizes = np.arange(1, self.n_classes + 1)
        return Tabulated(tuple(np.interp(1 / sizes, x, values).tolist()))

    def fit(self, kind: str) -> Fit:
        """The closest quadratic or exponential utility, with the range of its parameter.

        Parameters
        ----------
        kind : {"quadratic", "exponential"}
        """
        if kind not in _CURVES:
            kinds = ", ".join(["tabulated", *_CURVES])
            raise ValueError(f"cannot fit a utility of kind {kind!r}: choose from {kinds}")
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
        """Write the utility to a TOML file that `get_utility` can read."""
        notes = [f"# elicited by {self.n_questions} questions about {self.n_classes} classes"]
        notes += [
            f"# a set of {b.size} with the right class is worth {b.low:.2f} to {b.high:.2f}"
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
        shape = "consistent" if self.is_concave else "not consistent"
        lines = [format_table(rows, ["a hit by", "value", "bounds"], digits=3)]
        lines.append(f"your answers are {shape} with risk aversion")
        lines += [f"contradiction: {words}" for words in self.contradictions]
        return "\n".join(lines)

    def _knots(self) -> tuple[Floats, Floats, Floats]:
        """Rewards 0, 1/k ..., 1, ascending, and the bounds of their utilities."""
        found = sorted((1 / b.size, b.low, b.high) for b in self.brackets)
        x, low, high = np.array([(0.0, 0.0, 0.0), *found, (1.0, 1.0, 1.0)]).T
        return x, low, high


def _concave_hull(x: Floats, y: Floats) -> Floats:
    """The smallest concave function above the points, evaluated at these points."""
    kept: list[int] = []
    for i in range(len(x)):
        while len(kept) > 1 and _turns_up(x, y, kept[-2], kept[-1], i):
            kept.pop()
        kept.append(i)
    return np.interp(x, x[kept], y[kept])


def _turns_up(x: Floats, y: Floats, i: int, j: int, k: int) -> bool:
    return bool((y[j] - y[i]) * (x[k] - x[j]) <= (y[k] - y[j]) * (x[j] - x[i]))


# -- curves with one parameter, increasing in it --------------------------------------------------


@dataclass(frozen=True)
class _Curve:
    """A family of utilities: its parameter, the utility for a value, the value for a utility."""

    parameter: str
    utility: Callable[[float], Utility]
    through: Callable[[Any, Floats], Floats]


def _quadratic_through(sizes: Any, worth: Floats) -> Floats:
    """u(0.5) of the parabola through the value of a set of each size."""
    x = 1 / sizes
    return np.clip((worth - (2 * x**2 - x)) / (4 * (x - x**2)), 0.0, 1.0)


def _exponential_through(sizes: Any, worth: Floats) -> Floats:
    """The risk aversion at which a set of each size has its value, by bisection."""
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
    """The parameter in the interval whose curve is closest to the values, by least squares."""
    low, high = interval
    golden = (5**0.5 - 1) / 2

    def off(value: float) -> float:
        return float(((curve.utility(value).of_size(sizes) - worth) ** 2).sum())

    while high - low > 1e-7:
        left, right = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, right) if off(left) < off(right) else (left, high)
    return round((low + high) / 2, 6)
