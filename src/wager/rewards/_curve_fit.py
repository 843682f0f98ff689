"""Curves with one parameter that fit the answers of a person.

The quadratic and the normalized exponential utility have one parameter each, which u(0.5) fixes.
So the answers about all set sizes together give a posterior distribution of u(0.5), which is
narrower than that from the answers about pairs alone if the curve is right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import View, Viewed, is_one_of
from wager._typing import Floats
from wager._visible import brief
from wager.rewards._bracket import Bracket
from wager.rewards._elicited_utilities import ElicitedExponential, ElicitedQuadratic
from wager.rewards._staircase import VALUES, interval, median, posterior_of_half
from wager.rewards._utility import Utility

SLACK = 1e-9
_MOST_AVERSE = 50.0  # beyond this risk aversion every set is as good as the class itself


@dataclass(frozen=True, repr=False)
class Fit(Viewed):
    """A utility with one parameter, an interval for it, and its error.

    Attributes
    ----------
    utility : Utility
        The curve that fits best; its ``half_interval`` is the interval in terms of u(0.5).
    parameter : str
        The name of the parameter.
    interval : tuple of float
        The posterior interval of the parameter if the curve is right.  For brackets without
        answers, the values for which the curve passes through every bracket; if there are none,
        the range of the values that fit single brackets.
    misses_by : float
        The largest distance of the curve from a bracket; 0 if it passes through all.
    level : float
        The probability with which the interval contains the parameter.
    """

    utility: Utility
    parameter: str
    interval: tuple[float, float]
    misses_by: float
    level: float = 0.95

    def _view(self) -> View:
        return View(verdict=[self.verdict])

    @property
    def verdict(self) -> str:
        """The fit as one sentence."""
        low, high = self.interval
        if self.misses_by > SLACK:
            return (
                f"{self.utility.name} is closest, but misses the interval of a set size by "
                f"{self.misses_by:.3f}: a table of your values suits you better"
            )
        return (
            f"{self.utility.name} fits your answers about all set sizes: {self.parameter} is "
            f"between {low:.3f} and {high:.3f} ({100 * self.level:g}% interval)"
        )


@dataclass(frozen=True)
class _Curve:
    """A family of utilities, increasing in its parameter.

    ``make`` builds the utility from the parameter, ``through`` finds the parameter from values of
    sets, and ``at_half`` from u(0.5).
    """

    parameter: str
    make: Callable[..., Utility]
    through: Callable[[Any, Floats], Floats]
    at_half: Callable[[float], float]


def fit_curve(kind: str, brackets: Sequence[Bracket], level: float) -> Fit:
    """The curve of a kind that fits best, with an interval for its parameter."""
    if not is_one_of(kind, _CURVES):
        kinds = ", ".join(["tabulated", *_CURVES])
        raise ValueError(f"cannot fit a utility of kind {brief(kind)}: choose from {kinds}")
    curve = _CURVES[kind]
    sizes = np.array([b.size for b in brackets])
    low, high = np.array([b.interval for b in brackets]).T
    least, most = curve.through(sizes, low), curve.through(sizes, high)
    inner = float(least.max()), float(most.min())
    fits = inner[0] <= inner[1] + SLACK
    if all(b.answers for b in brackets):
        ends, best = _from_answers(curve, brackets, level)
        best = float(np.clip(best, *inner)) if fits else best
    else:
        ends = inner if fits else (float(least.min()), float(most.max()))
        best = _nearest(curve, sizes, np.array([b.value for b in brackets]), ends)
    half = [round(float(np.clip(curve.make(end)(0.5), 0, 1)), 6) for end in ends]
    utility = curve.make(best, half_interval=tuple(half))
    worth = utility.of_size(sizes)
    off = np.maximum(np.maximum(low - worth, worth - high), 0).max()
    return Fit(utility, curve.parameter, ends, 0.0 if fits else float(off), level)


def _from_answers(
    curve: _Curve, brackets: Sequence[Bracket], level: float
) -> tuple[tuple[float, float], float]:
    """The posterior interval of the parameter, and its median, from the answers to all sizes."""
    sizes = np.array([b.size for b in brackets])
    worths = np.array([curve.make(curve.at_half(half)).of_size(sizes) for half in VALUES])
    found = posterior_of_half(worths, tuple((b.size, b.answers) for b in brackets))
    low, high = interval(found, level)
    ends = curve.at_half(low), curve.at_half(high)
    return ends, round(curve.at_half(round(median(found), 3)), 3)


def _nearest(curve: _Curve, sizes: Any, worth: Floats, ends: tuple[float, float]) -> float:
    """The parameter in the interval whose curve is closest to the values, by least squares."""
    low, high = ends
    golden = (5**0.5 - 1) / 2

    def off(value: float) -> float:
        return float(((curve.make(value).of_size(sizes) - worth) ** 2).sum())

    while high - low > 1e-7:
        left, right = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, right) if off(left) < off(right) else (left, high)
    return round((low + high) / 2, 6)


def _quadratic(u_half: float, half_interval: tuple[float, float] | None = None) -> Utility:
    return ElicitedQuadratic(float(u_half), half_interval=half_interval)


def _quadratic_through(sizes: Any, worth: Floats) -> Floats:
    """u(0.5) of the parabola through the value of a set of each size."""
    x = 1 / sizes
    return np.clip((worth - (2 * x**2 - x)) / (4 * (x - x**2)), 0.0, 1.0)


def _exponential(a: float, half_interval: tuple[float, float] | None = None) -> Utility:
    return ElicitedExponential(float(a), normalized=True, half_interval=half_interval)


def _exponential_through(sizes: Any, worth: Floats) -> Floats:
    """The risk aversion at which a set of each size has its value, by bisection."""
    low, high = np.full(len(worth), -_MOST_AVERSE), np.full(len(worth), _MOST_AVERSE)
    for _ in range(60):
        middle = (low + high) / 2
        found = [float(_exponential(a).of_size(k)) for a, k in zip(middle, sizes, strict=True)]
        short = np.array(found) < worth
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return (low + high) / 2


def _exponential_at_half(u_half: float) -> float:
    """A = 2 log(u / (1 - u))."""
    with np.errstate(divide="ignore"):
        a = 2 * (np.log(u_half) - np.log1p(-u_half))
    return float(np.clip(a, -_MOST_AVERSE, _MOST_AVERSE))


_CURVES = {
    "quadratic": _Curve("u(0.5)", _quadratic, _quadratic_through, float),
    "exponential": _Curve("a", _exponential, _exponential_through, _exponential_at_half),
}
