"""A break-even point as a sentence that claims only what the data support."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from wager.compare._curve_crossings import CurveFacts
from wager.compare._decimals import decimals


class CurveName(NamedTuple):
    """How a sentence names a curve.

    Parameters
    ----------
    parameter : str
        The parameter along which two classifiers are compared.
    within : pair of float
        Its range.
    names : pair of str
        The two classifiers.
    verb : {"earn", "cost"}
        What both do equally at a break-even point.
    confidence : float
        The level of the statements.
    """

    parameter: str
    within: tuple[float, float]
    names: tuple[str, str]
    verb: str
    confidence: float

    @property
    def beats(self) -> str:
        """What the better of the two does."""
        return "scores higher" if self.verb == "earn" else "costs less"

    def show(self, *values: float) -> list[str]:
        """Ascending values of the parameter, with so many digits that no two look equal."""
        low, high = self.within
        digits = decimals(*pairwise(values), least=2 if high - low >= 0.4 else 3)
        return [f"{value:.{digits}f}" for value in values]

    def edges(self, *values: float) -> list[str]:
        """Ascending values that also look different from the ends of the range."""
        low, high = self.within
        return self.show(low, *values, high)[1:-1]

    def point(self, value: float, ends: tuple[float, float]) -> str:
        """A point with its interval and the level."""
        start, here, end = self.show(ends[0], value, ends[1])
        return f"{here} ({100 * self.confidence:g}% interval {start}-{end})"


def break_even_sentence(facts: CurveFacts, curve: CurveName) -> str:
    """Which users each of two classifiers suits, as far as the data distinguish them."""
    low, high = curve.within
    inner = [x for x in facts.crossings if min(x - low, high - x) > 1e-6 * (high - low)]
    if facts.undecided is None:
        return _everywhere(facts, curve)
    if facts.islands:
        return _pieces(facts, curve)
    if facts.first == 0 and facts.last == 0:
        return _undecided(facts, inner, curve)
    if facts.first == facts.last:
        better, worse = _ordered(facts.first, curve)
        start, end = curve.edges(*facts.undecided)
        return (
            f"{better} {curve.beats} than {worse} for {curve.parameter} below {start} and above "
            f"{end}; between them, the data do not distinguish the two"
        )
    point = curve.point(inner[0], facts.undecided) if len(inner) == 1 else None
    if facts.first == 0 or facts.last == 0:
        return _one_side(facts, point, curve)
    better, worse = _ordered(facts.last, curve)
    start, end = curve.edges(*facts.undecided)
    where, below = (point, "") if point else (end, f" {start}")
    return (
        f"{better} {curve.beats} than {worse} for {curve.parameter} above {where}, "
        f"{worse} {curve.beats} below{below}"
    )


def _ordered(sign: int, curve: CurveName) -> tuple[str, str]:
    """The better and the worse classifier."""
    a, b = curve.names
    return (a, b) if sign > 0 else (b, a)


def _everywhere(facts: CurveFacts, curve: CurveName) -> str:
    better, worse = _ordered(facts.first, curve)
    low, high = curve.within
    return (
        f"{better} {curve.beats} than {worse} for every {curve.parameter} from {low:g} to {high:g} "
        f"({100 * curve.confidence:g}% confidence)"
    )


def _undecided(facts: CurveFacts, inner: list[float], curve: CurveName) -> str:
    (a, b), (low, high) = curve.names, curve.within
    here = f"; in this sample both {curve.verb} the same at " if inner else ""
    if not inner and facts.middle:
        here = f"; in this sample {_ordered(facts.middle, curve)[0]} is ahead"
    where = f"between {curve.parameter} = {low:g} and {high:g}"
    return f"the data do not distinguish {a} from {b} {where}{here}{', '.join(curve.show(*inner))}"


def _pieces(facts: CurveFacts, curve: CurveName) -> str:
    """The parts of the range in which each of the two is better."""
    said = []
    for sign in (1, -1):
        better, worse = _ordered(sign, curve)
        parts = [
            "from {} to {}".format(*curve.show(start, end))
            for start, end, side in facts.decided
            if side == sign
        ]
        if parts:
            where = f"{curve.parameter} {' and '.join(parts)}"
            said.append(f"{better} {curve.beats} than {worse} for {where}")
    return f"{', '.join(said)}; elsewhere the data do not distinguish them"


def _one_side(facts: CurveFacts, point: str | None, curve: CurveName) -> str:
    """One classifier is better on one side, and the other side is undecided."""
    assert facts.undecided is not None
    above = facts.last != 0
    better, worse = _ordered(facts.last if above else facts.first, curve)
    side, other = ("above", "below") if above else ("below", "above")
    (edge,) = curve.edges(facts.undecided[1 if above else 0])
    where = point or edge
    return (
        f"{better} {curve.beats} than {worse} for {curve.parameter} {side} {where}; {other} that, "
        "the data do not distinguish them"
    )
