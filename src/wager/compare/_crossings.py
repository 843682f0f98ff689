"""Where a curve crosses zero, and where it cannot be told from zero."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from wager._typing import Bools, Floats
from wager.compare._gaps import Gap

_FINE = 401  # points at which a curve is looked at before it is followed more closely
_NOTHING = 1e-12  # a lead below this is rounding


def follow(
    gap: Gap, low: float, high: float, confidence: float
) -> tuple[list[float], tuple[float, float] | None]:
    """Where the lead changes its sign, and the hull of where it is within its margin of error."""
    found = _crossings(gap, low, high)
    return found, _undecided(gap, low, high, confidence, found)


def _crossings(gap: Gap, low: float, high: float) -> list[float]:
    points = np.linspace(low, high, _FINE)
    lead = gap.at(points)[0]
    away = np.abs(lead) > _NOTHING
    kept, sign = points[away], lead[away] > 0
    turns = np.flatnonzero(sign[1:] != sign[:-1])
    return [_edge(gap, float(kept[i]), float(kept[i + 1]), _ahead) for i in turns]


def _ahead(lead: Floats, _error: Floats) -> Bools:
    return lead > 0


def _undecided(
    gap: Gap, low: float, high: float, confidence: float, found: list[float]
) -> tuple[float, float] | None:
    if gap.n < 2:
        return low, high
    t = 0.0
    if not np.isnan(gap.n):
        from scipy.special import stdtrit

        t = float(stdtrit(gap.n - 1, (1 + confidence) / 2))

    def within(lead: Floats, error: Floats) -> Bools:
        return np.abs(lead) <= t * error + _NOTHING

    # with many rows the margin is narrower than a step: every crossing is looked at as well
    points = np.union1d(np.linspace(low, high, _FINE), found)
    inside = within(*gap.at(points))
    if not inside.any():
        return None
    edges = [
        _edge(gap, float(x), float(y), within)
        for (x, y), (here, there) in zip(pairwise(points), pairwise(inside), strict=True)
        if here != there
    ]
    ends = ([low] if inside[0] else []) + edges + ([high] if inside[-1] else [])
    return ends[0], ends[-1]


def _edge(gap: Gap, left: float, right: float, test: Callable[[Floats, Floats], Bools]) -> float:
    """Where the answer of a test of lead and error changes between two values, by bisection."""
    before = bool(test(*gap.at(np.array([left])))[0])
    for _ in range(40):
        middle = (left + right) / 2
        if bool(test(*gap.at(np.array([middle])))[0]) == before:
            left = middle
        else:
            right = middle
    return (left + right) / 2
