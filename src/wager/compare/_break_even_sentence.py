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

    def point(self, shown: tuple[str, str, str]) -> str:
        """A break-even point with its interval and the level: start, point and end as shown."""
        start, here, end = shown
        level = f"{100 * self.confidence:g}%"
        return f" (break-even at {here}, {level} interval {start}-{end})"


def break_even_sentence(facts: CurveFacts, curve: CurveName) -> str:
    """Which users each of two classifiers suits, as far as the data distinguish them.

    A side is named only beyond the end of the interval, where the test rejects.
    """
    (low, high), undecided = curve.within, facts.undecided
    inner = [x for x in facts.crossings if min(x - low, high - x) > 1e-6 * (high - low)]
    if undecided is None:
        return _everywhere(facts, curve)
    if facts.islands:
        return _pieces(facts, curve)
    facts = _without_slivers(facts, undecided, curve)
    if facts.first == 0 and facts.last == 0:
        return _undecided(facts, inner, curve)
    start, end, point = _ends(undecided, inner, curve)
    if facts.first == facts.last:
        better, worse = _ordered(facts.first, curve)
        return (
            f"{better} {curve.beats} than {worse} for {curve.parameter} below {start} and above "
            f"{end}; between them, the data do not distinguish the two"
        )
    if facts.first == 0 or facts.last == 0:
        return _one_side(facts, end if facts.last else start, point, curve)
    better, worse = _ordered(facts.last, curve)
    between = f"; in between, the data do not distinguish them{point}" if start != end else ""
    return (
        f"{better} {curve.beats} than {worse} for {curve.parameter} above {end}, "
        f"{worse} below {start}{between}"
    )


def _without_slivers(
    facts: CurveFacts, undecided: tuple[float, float], curve: CurveName
) -> CurveFacts:
    """The facts without a decided end of the range that is too short to be shown."""
    low, start, end, high = curve.show(curve.within[0], *undecided, curve.within[1])
    first, last = facts.first if start != low else 0, facts.last if end != high else 0
    return facts._replace(first=first, last=last)


def _ends(
    undecided: tuple[float, float], inner: list[float], curve: CurveName
) -> tuple[str, str, str]:
    """The ends of the interval, and in words the break-even point if there is only one."""
    if len(inner) != 1:
        start, end = curve.edges(*undecided)
        return start, end, ""
    start, here, end = curve.edges(undecided[0], inner[0], undecided[1])
    return start, end, curve.point((start, here, end))


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


def _one_side(facts: CurveFacts, edge: str, point: str, curve: CurveName) -> str:
    """One classifier is better on one side, and the other side is undecided."""
    better, worse = _ordered(facts.last or facts.first, curve)
    side, other = ("above", "below") if facts.last else ("below", "above")
    return (
        f"{better} {curve.beats} than {worse} for {curve.parameter} {side} {edge}; {other} that, "
        f"the data do not distinguish them{point}"
    )
