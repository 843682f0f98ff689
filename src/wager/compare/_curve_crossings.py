"""Where a lead curve crosses zero, and where a test does not distinguish it from zero."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from wager._typing import Floats, Ints
from wager.compare._lead_curves import TestedCurve

_POINTS = 17  # at which a curve is evaluated before crossings and edges are refined
_CLOSE = 1e-12  # precision of crossings and edges
_PATIENCE = 20  # steps of regula falsi before bisection
_STEPS = 60


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
    middle : {1, 0, -1}
        Which side is ahead in the middle of the range, in the sample.
    decided : sequence of (float, float, int)
        The parts of the range in which the test rejects, each with the side that is ahead.
    """

    crossings: list[float]
    undecided: tuple[float, float] | None
    first: int
    last: int
    middle: int = 0
    decided: Sequence[tuple[float, float, int]] = ()

    @property
    def islands(self) -> bool:
        """Whether the test rejects somewhere between two parts in which it does not."""
        if self.undecided is None:
            return False
        low, high = self.undecided
        return any(low < start and end < high for start, end, _ in self.decided)


def curve_facts(curve: TestedCurve, within: tuple[float, float], level: float) -> CurveFacts:
    """Crossings of a curve, and where it differs significantly from zero."""
    points = np.linspace(*within, _POINTS)
    found = _crossings(curve, points)
    everywhere = np.union1d(points, found)
    excess = curve.excess(everywhere, level)
    edges = _edges(curve, everywhere, excess, level)
    inside = [bool(excess[0] <= 0)]
    for _ in edges:
        inside.append(not inside[-1])
    pieces = list(pairwise([within[0], *edges, within[1]]))
    leads = curve.lead(np.array([(start + end) / 2 for start, end in pieces]))
    undecided = [piece for piece, held in zip(pieces, inside, strict=True) if held]
    decided = [
        (*piece, int(np.sign(lead)))
        for piece, held, lead in zip(pieces, inside, leads, strict=True)
        if not held
    ]
    return CurveFacts(
        found,
        (undecided[0][0], undecided[-1][1]) if undecided else None,
        0 if inside[0] else decided[0][2],
        0 if inside[-1] else decided[-1][2],
        int(np.sign(curve.lead(np.array([np.mean(within)]))[0])),
        decided,
    )


def _crossings(curve: TestedCurve, points: Floats) -> list[float]:
    lead = curve.lead(points)
    away = lead != 0
    if not away.any():
        return []
    kept, value = points[away], lead[away]
    turns = np.flatnonzero((value[1:] > 0) != (value[:-1] > 0))
    found = _zeros(curve.lead, kept, value, turns, _CLOSE).tolist()
    # a lead that begins or ends with 0 meets zero there, but does not change its sign
    at_start = [] if away[0] else [float(points[0])]
    return at_start + found + ([] if away[-1] else [float(points[-1])])


def _edges(curve: TestedCurve, points: Floats, excess: Floats, level: float) -> list[float]:
    """Where the test begins or ceases to reject."""
    inside = excess <= 0
    turns = np.flatnonzero(inside[1:] != inside[:-1])
    found: list[float] = _zeros(
        lambda x: curve.excess(x, level), points, excess, turns, _CLOSE
    ).tolist()
    return found


def _zeros(
    function: Callable[[Floats], Floats], points: Floats, values: Floats, turns: Ints, close: float
) -> Floats:
    """Where a function is 0 within the steps at which its sign changes, all at once.

    Regula falsi in its Illinois form, then bisection if that has not converged.
    """
    a, b, at_a, at_b = points[turns], points[turns + 1], values[turns], values[turns + 1]
    c, side = (a + b) / 2, np.zeros(len(turns))
    for step in range(_STEPS if len(turns) else 0):
        with np.errstate(invalid="ignore", divide="ignore"):
            c = (a * at_b - b * at_a) / (at_b - at_a)
        inner = np.isfinite(c) & (c > np.minimum(a, b)) & (c < np.maximum(a, b))
        c = np.where(inner & (step < _PATIENCE), c, (a + b) / 2)
        value = function(c)
        same = (value > 0) == (at_a > 0)
        at_b = np.where(same & (side == 1), at_b / 2, at_b)
        at_a = np.where(~same & (side == -1), at_a / 2, at_a)
        a, at_a = np.where(same, c, a), np.where(same, value, at_a)
        b, at_b = np.where(same, b, c), np.where(same, at_b, value)
        side = np.where(same, 1, -1)
        if ((np.abs(b - a) < close) | (np.abs(value) < close)).all():
            break
    return c
