"""A break-even point as a sentence to quote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from wager._typing import Floats

Curve = Callable[[Floats], tuple[Floats, object]]  # the first classifier's lead, and its error


def sentence(
    lead: Curve,
    crossings: Sequence[float],
    interval: tuple[float, float] | None,
    parameter: str,
    within: tuple[float, float],
    names: tuple[str, str],
    verb: str,
) -> str:
    """Who is better for whom.

    Parameters
    ----------
    lead : callable
        The lead of the first classifier at some values of the parameter.
    crossings : sequence of float
        The values at which it changes its sign.
    interval : pair of float, or None
        Where the data do not tell the two apart.
    parameter, within : str, pair of float
        What the values are called, and their range.
    names : pair of str
        The two classifiers.
    verb : {"earn", "cost"}
        What both do the same of where they are even.
    """
    low, high = within
    a, b = names
    show = _shown(high - low)
    inner = [x for x in crossings if min(x - low, high - x) > 1e-6 * (high - low)]
    edges = [low, *inner, high]
    leads = lead(np.array([(x + y) / 2 for x, y in pairwise(edges)]))[0]
    if np.abs(lead(np.linspace(low, high, 5))[0]).max() <= 1e-12:
        return f"{a} and {b} {verb} the same whatever {parameter} is"
    ahead = [names if value > 0 else names[::-1] for value in leads]  # (better, worse) by piece
    if interval is not None and interval[0] <= low and interval[1] >= high:
        here = f"{ahead[0][0]} is ahead"
        if inner:
            here = f"both {verb} the same at {', '.join(map(show, inner))}"
        return (
            f"the data do not tell {a} and {b} apart between {parameter} = {low:g} and {high:g}; "
            f"in this sample {here}"
        )
    if not inner:
        better, worse = ahead[0]
        said = (
            f"{better} is better than {worse} for anyone with {parameter} from {low:g} to {high:g}"
        )
        if interval is None:
            return said
        if interval[0] == interval[1]:
            return f"{said}; at {show(interval[0])} both {verb} the same"
        return f"{said}, though not surely between {show(interval[0])} and {show(interval[1])}"
    sure = "" if interval is None else f" ({show(interval[0])}-{show(interval[1])})"
    if len(inner) == 1:
        above, below = ahead[1]
        return (
            f"{above} is better than {below} for anyone with {parameter} above {show(inner[0])}"
            f"{sure}, {below} for anyone below"
        )
    better, worse = ahead[0]
    where = " and ".join(
        f"{show(x)} to {show(y)}"
        for (x, y), pair in zip(pairwise(edges), ahead, strict=True)
        if pair == ahead[0]
    )
    who = f"{better} is better than {worse} for anyone with {parameter}"
    return f"{who} from {where}, {worse} elsewhere"


def _shown(span: float) -> Callable[[float], str]:
    digits = 2 if span >= 0.4 else 3
    return lambda value: f"{value:.{digits}f}"
