"""The largest strength at which a prediction stays a single class, for many rows at once.

Sets of credal classifiers grow with the strength s of their model, so "the prediction is a single
class" holds up to one value of s and fails beyond it.  Where a classifier gives a margin, a number
that is positive while the class dominates all others, this value is the root of the margin.  It is
found by bisection, with secant steps where the margin is smooth, to about 14 digits; no grid of
strengths is involved.

Where the margin need not fall with s, `first_root` walks from 0 in steps that are too short to
jump over a root: a bound of the slope shows how fast the margin can fall.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wager._typing import Bools, Floats, Ints
from wager.learners._base import LEAST_STRENGTH

__all__ = ["STRONGEST", "Margin", "first_root", "largest_root", "single_class"]

STRONGEST = 1e12  # a prediction that is single at this strength is single at every strength
_HALVINGS = 120  # more than a bracket of floating point numbers can need
_STEPS = 5000  # of a walk; a few dozen are usual
NEAR = 2.0**-46  # relative: margins are not known better than to a few bits more

Margin = Callable[[Ints, Floats], Floats]  # of rows (by number) and the strength of each


def largest_root(
    margin: Margin,
    n: int,
    *,
    first: float = LEAST_STRENGTH,
    last: float = STRONGEST,
    near: float = NEAR,
) -> Floats:
    """The largest strength at which a falling margin is positive, for each of n rows.

    Parameters
    ----------
    margin : callable
        Called with row numbers and one strength for each of them; positive where the prediction is
        still a single class.  Only its sign matters; its size makes the search faster.
    n : int
        The number of rows.
    first, last : float
        The least and the greatest strength.
    near : float
        The relative width of a bracket that is not searched further.

    Returns
    -------
    ndarray of shape (n,)
        0 where the margin is not positive at ``first``, infinity where it is positive at ``last``.

    Examples
    --------
    >>> largest_root(lambda rows, s: np.array([2.0, -1.0, np.inf])[rows] - s, 3).round(12)
    array([ 2.,  0., inf])
    """
    found = np.zeros(n)
    rows = np.arange(n)
    start = margin(rows, np.full(n, first)) > 0
    rows = rows[start]
    middle = min(max(1.0, first), last)
    low, high, at_low, at_high = _bracket(margin, rows, (first, middle, last))
    never = np.isinf(high)
    found[rows[never]] = np.inf
    rows, low, high = rows[~never], low[~never], high[~never]
    at_low, at_high = at_low[~never], at_high[~never]
    moved = np.zeros(len(rows), dtype=int)  # which end moved last: -1 the low one, 1 the high one
    for turn in range(_HALVINGS):
        wide = high - low > near * high
        if not wide.any():
            break
        found[rows[~wide]] = low[~wide]
        rows, low, high, moved = rows[wide], low[wide], high[wide], moved[wide]
        at_low, at_high = at_low[wide], at_high[wide]
        s = _inside((low, high), (at_low, at_high), near, turn)
        value = margin(rows, s)
        holds = value > 0
        # the value of an end that has not moved twice is halved (Illinois), so that it moves, too
        at_low = np.where(holds, value, np.where(moved == 1, at_low / 2, at_low))
        at_high = np.where(holds, np.where(moved == -1, at_high / 2, at_high), value)
        low, high = np.where(holds, s, low), np.where(holds, high, s)
        moved = np.where(holds, -1, 1)
    found[rows] = low
    return found


def _bracket(
    margin: Margin, rows: Ints, ends: tuple[float, float, float]
) -> tuple[Floats, Floats, Floats, Floats]:
    """For each row a strength where the margin holds and one, at most twice as large, where not.

    The second is infinite where the margin holds at the last strength.
    """
    first, middle, last = ends
    n = len(rows)
    low, high = np.full(n, first), np.full(n, np.inf)
    at_low, at_high = np.full(n, np.inf), np.full(n, -np.inf)
    if not n:
        return low, high, at_low, at_high
    value = margin(rows, np.full(n, middle))
    up = value > 0
    for rising in (True, False):
        part = np.flatnonzero(up == rising)
        s, at = np.full(len(part), middle), value[part]
        while len(part):
            if rising:
                low[part], at_low[part] = s, at
                going = s < last
                part, s = part[going], np.minimum(2 * s[going], last)
            else:
                high[part], at_high[part] = s, at
                going = s / 2 > first
                part, s = part[going], s[going] / 2
            if not len(part):
                break
            at = margin(rows[part], s)
            done = (at <= 0) if rising else (at > 0)
            if rising:
                high[part[done]], at_high[part[done]] = s[done], at[done]
            else:
                low[part[done]], at_low[part[done]] = s[done], at[done]
            part, s, at = part[~done], s[~done], at[~done]
    return low, high, at_low, at_high


def _inside(
    ends: tuple[Floats, Floats], values: tuple[Floats, Floats], near: float, turn: int
) -> Floats:
    """A point inside each bracket: where the secant is 0, or the middle.

    It keeps a distance from the ends, so that an end that is the root does not stop the search.
    """
    (low, high), (at_low, at_high) = ends, values
    middle = low + (high - low) / 2
    if turn % 8 == 7:
        return middle
    with np.errstate(invalid="ignore", divide="ignore"):
        secant = low + (high - low) * (at_low / (at_low - at_high))
    least = np.minimum(near * high / 2, (high - low) / 4)
    secant = np.clip(secant, low + least, high - least)
    return np.where(np.isfinite(secant), secant, middle)


def first_root(
    margin: Margin, steepest: Margin, n: int, *, first: float = LEAST_STRENGTH
) -> Floats:
    """The smallest strength at which a margin is no longer positive, which need not fall with s.

    Parameters
    ----------
    margin : callable
        As for `largest_root`.
    steepest : callable
        A bound D(s), not falling in s, of how fast the margin falls per unit of log s: from s the
        margin v stays positive at least up to ``s exp(v / D)``.
    n : int
        The number of rows.

    Examples
    --------
    >>> first_root(lambda rows, s: np.cos(s), lambda rows, s: s, 1).round(6)  # not 3 pi / 2
    array([1.570796])
    """
    found = np.zeros(n)
    s = np.full(n, first)
    rows = np.arange(n)
    value = margin(rows, s)
    rows, s, value = rows[value > 0], s[value > 0], value[value > 0]
    for _ in range(_STEPS):
        if not len(rows):
            break
        with np.errstate(divide="ignore", over="ignore"):
            step = np.minimum(np.log(2.0), value / steepest(rows, 2 * s))
            # the bound on a shorter way is sharper, and allows a longer step up to its end
            longer = np.minimum(2 * step, np.log(2.0))
            step = np.maximum(step, np.minimum(longer, value / steepest(rows, s * np.exp(longer))))
        further = s * np.exp(step)
        value = margin(rows, further)
        holds = value > 0
        stays = holds & (step > NEAR) & (further < STRONGEST)
        found[rows] = np.where(holds, np.where(further < STRONGEST, further, np.inf), s)
        rows, s, value = rows[stays], further[stays], value[stays]
    return found


def single_class(sets: Bools) -> tuple[Bools, Ints]:
    """Which rows have a set of one class, and this class (0 for the others)."""
    alone = sets.sum(axis=1) == 1
    return alone, np.where(alone, sets.argmax(axis=1), 0)
