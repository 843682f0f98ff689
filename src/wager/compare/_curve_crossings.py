"""Where a lead curve crosses zero, and where a test does not distinguish it from zero."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from wager._typing import Bools, Floats
from wager.compare._lead_curves import LeadCurve
from wager.costs import ROUNDING

_POINTS = 51  # at which a curve is evaluated before crossings and edges are refined
_HALVINGS = 30


class CurveFacts(NamedTuple):
    """What the data say about a lead curve.

    Attributes
    ----------
    crossings : list of float
        Where the lead changes its sign in the sample.
    undecided : tuple of float, or None
        The hull of where the test does not reject; None if it rejects everywhere.
    first, last : {1, 0, -1}
        Which side is significantly ahead at the beginning and at the end of the range: the first
        classifier (1), the second (-1), or neither (0).
    """

    crossings: list[float]
    undecided: tuple[float, float] | None
    first: int
    last: int


def curve_facts(curve: LeadCurve, within: tuple[float, float], level: float) -> CurveFacts:
    """Crossings of a curve, and where it differs significantly from zero."""
    points = np.linspace(*within, _POINTS)
    found = _crossings(curve, points)
    everywhere = np.union1d(points, found)
    inside = curve.undecided(everywhere, level)
    ends = curve.lead(np.array(within))
    first, last = (
        0 if undecided else int(np.sign(lead))
        for undecided, lead in zip(inside[[0, -1]], ends, strict=True)
    )
    return CurveFacts(found, _hull(curve, everywhere, inside, level), first, last)


def _crossings(curve: LeadCurve, points: Floats) -> list[float]:
    lead = curve.lead(points)
    away = np.abs(lead) > ROUNDING
    kept, sign = points[away], lead[away] > 0
    turns = np.flatnonzero(sign[1:] != sign[:-1])
    found = [_edge(lambda x: curve.lead(x) > 0, kept[i], kept[i + 1]) for i in turns]
    if not away.any():
        return found
    # a lead that begins or ends with 0 meets zero there, but does not change its sign
    at_start = [] if away[0] else [float(points[0])]
    return at_start + found + ([] if away[-1] else [float(points[-1])])


def _hull(
    curve: LeadCurve, points: Floats, inside: Bools, level: float
) -> tuple[float, float] | None:
    if not inside.any():
        return None

    def undecided(x: Floats) -> Bools:
        return curve.undecided(x, level)

    edges = [
        _edge(undecided, x, y)
        for (x, y), (here, there) in zip(pairwise(points), pairwise(inside), strict=True)
        if here != there
    ]
    ends = ([points[0]] if inside[0] else []) + edges + ([points[-1]] if inside[-1] else [])
    return float(ends[0]), float(ends[-1])


def _edge(test: Callable[[Floats], Bools], left: float, right: float) -> float:
    """Where the result of a test changes between two values, by bisection."""
    before = bool(test(np.array([left]))[0])
    for _ in range(_HALVINGS):
        middle = (left + right) / 2
        if bool(test(np.array([middle]))[0]) == before:
            left = middle
        else:
            right = middle
    return float((left + right) / 2)
