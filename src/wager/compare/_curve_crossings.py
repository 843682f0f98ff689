"""Where a lead curve crosses zero, and where it does not differ significantly from zero."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from wager._typing import Bools, Floats
from wager.compare._lead_curves import LeadCurve
from wager.costs import ROUNDING

_FINE = 401  # points at which a curve is evaluated before the crossings are refined


def crossings_and_interval(
    curve: LeadCurve, within: tuple[float, float], confidence: float
) -> tuple[list[float], tuple[float, float] | None]:
    """Where the lead changes its sign, and the hull of where it is within its margin of error."""
    found = _crossings(curve, within)
    return found, _undecided(curve, within, confidence, found)


def _crossings(curve: LeadCurve, within: tuple[float, float]) -> list[float]:
    points = np.linspace(*within, _FINE)
    lead = curve.at(points)[0]
    away = np.abs(lead) > ROUNDING
    kept, sign = points[away], lead[away] > 0
    turns = np.flatnonzero(sign[1:] != sign[:-1])
    return [_edge(curve, float(kept[i]), float(kept[i + 1]), _ahead) for i in turns]


def _ahead(lead: Floats, _error: Floats) -> Bools:
    return lead > 0


def _undecided(
    curve: LeadCurve, within: tuple[float, float], confidence: float, found: list[float]
) -> tuple[float, float] | None:
    if curve.n < 2:
        return within
    low, high = within
    t = 0.0
    if not np.isnan(curve.n):
        from scipy.special import stdtrit

        t = float(stdtrit(curve.n - 1, (1 + confidence) / 2))

    def insignificant(lead: Floats, error: Floats) -> Bools:
        return np.abs(lead) <= t * error + ROUNDING

    # with many rows the margin is narrower than a step: every crossing is evaluated as well
    points = np.union1d(np.linspace(low, high, _FINE), found)
    inside = insignificant(*curve.at(points))
    if not inside.any():
        return None
    edges = [
        _edge(curve, float(x), float(y), insignificant)
        for (x, y), (here, there) in zip(pairwise(points), pairwise(inside), strict=True)
        if here != there
    ]
    ends = ([low] if inside[0] else []) + edges + ([high] if inside[-1] else [])
    return ends[0], ends[-1]


def _edge(
    curve: LeadCurve, left: float, right: float, test: Callable[[Floats, Floats], Bools]
) -> float:
    """Where the result of a test of lead and error changes between two values, by bisection."""
    before = bool(test(*curve.at(np.array([left])))[0])
    for _ in range(40):
        middle = (left + right) / 2
        if bool(test(*curve.at(np.array([middle])))[0]) == before:
            left = middle
        else:
            right = middle
    return (left + right) / 2
