"""A break-even point as a sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from wager._typing import Floats
from wager.costs import ROUNDING

Lead = Callable[[Floats], tuple[Floats, object]]  # the first classifier's lead, and its error
Interval = tuple[float, float]


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
    """

    parameter: str
    within: Interval
    names: tuple[str, str]
    verb: str

    def show(self, value: float) -> str:
        """A value of the parameter with as many digits as its range needs."""
        low, high = self.within
        return f"{value:.{2 if high - low >= 0.4 else 3}f}"


def break_even_sentence(
    lead: Lead, crossings: Sequence[float], interval: Interval | None, curve: CurveName
) -> str:
    """Which users each of two classifiers suits.

    Parameters
    ----------
    lead : callable
        The lead of the first classifier at some values of the parameter.
    crossings : sequence of float
        The values at which the lead changes its sign.
    interval : pair of float, or None
        Where the data do not distinguish the two.
    curve : CurveName
        The names of the parameter and of the classifiers.
    """
    (low, high), (a, b), verb = curve.within, curve.names, curve.verb
    inner = [x for x in crossings if min(x - low, high - x) > 1e-6 * (high - low)]
    edges = [low, *inner, high]
    if np.abs(lead(np.linspace(low, high, 5))[0]).max() <= ROUNDING:
        return f"{a} and {b} {verb} the same for every {curve.parameter}"
    leads = lead(np.array([(x + y) / 2 for x, y in pairwise(edges)]))[0]
    ahead = [(a, b) if value > 0 else (b, a) for value in leads]  # (better, worse) in each piece
    if interval is not None and interval[0] <= low and interval[1] >= high:
        here = f"{ahead[0][0]} is ahead"
        if inner:
            here = f"both {verb} the same at {', '.join(map(curve.show, inner))}"
        return (
            f"the data do not distinguish {a} from {b} between {curve.parameter} = {low:g} and "
            f"{high:g}; in this sample {here}"
        )
    if not inner:
        return _one_is_better(*ahead[0], interval, curve)
    if len(inner) == 1:
        above, below = ahead[1]
        within = "" if interval is None else f" ({'-'.join(map(curve.show, interval))})"
        return (
            f"{above} is better than {below} for anyone with {curve.parameter} above "
            f"{curve.show(inner[0])}{within}, {below} for anyone below"
        )
    return _alternating(edges, ahead, curve)


def _one_is_better(better: str, worse: str, interval: Interval | None, curve: CurveName) -> str:
    low, high = curve.within
    words = (
        f"{better} is better than {worse} for anyone with {curve.parameter} from {low:g} to "
        f"{high:g}"
    )
    if interval is None:
        return words
    if interval[0] == interval[1]:
        return f"{words}; at {curve.show(interval[0])} both {curve.verb} the same"
    start, end = map(curve.show, interval)
    return f"{words}, but not significantly between {start} and {end}"


def _alternating(edges: Sequence[float], ahead: Sequence[tuple[str, str]], curve: CurveName) -> str:
    """The sentence for a lead that changes its sign more than once."""
    better, worse = ahead[0]
    where = " and ".join(
        f"{curve.show(x)} to {curve.show(y)}"
        for (x, y), pair in zip(pairwise(edges), ahead, strict=True)
        if pair == ahead[0]
    )
    return (
        f"{better} is better than {worse} for anyone with {curve.parameter} from {where}, "
        f"{worse} elsewhere"
    )
