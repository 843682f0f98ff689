"""Fieller's (1954) confidence set: where a straight line of differences may be zero.

An estimated difference ``intercept + slope * x`` is tested at every x of a range; the points at
which the test does not reject are a confidence set for the x at which the true difference is 0.
A ratio of means is the case ``mean_1 - x * mean_2``.
"""

from __future__ import annotations

from itertools import pairwise
from math import copysign, isfinite, sqrt

import numpy as np

from wager._typing import Floats

_TINY = 1e-15  # a smaller difference of means is rounding error


def fieller_set(
    mean: Floats, covariance: Floats, n: float, confidence: float, within: tuple[float, float]
) -> tuple[float, float] | None:
    """The hull of {x in range : the difference at x is within its margin of error}, or None.

    Parameters
    ----------
    mean : array (intercept, slope)
        The estimated difference at x is ``mean @ (1, x)``.
    covariance : array of shape (2, 2)
        Covariance of the two estimates; the difference has variance
        ``(1, x) @ covariance @ (1, x)``.
    n : float
        The number of rows behind the estimates; NaN if they are known exactly.
    confidence : float
        The level of the set.
    within : pair of float
        The range of x; its end may be infinite.
    """
    if n < 2:
        return within  # one row has no variance estimate
    low, high = within
    a, b, c = _quadratic(np.where(np.abs(mean) < _TINY, 0.0, mean), covariance, n, confidence)
    if a == b == c == 0:
        return within
    edges = [low, *(x for x in _roots(a, b, c) if low < x < high), high]
    pieces = [
        (left, right)
        for left, right in pairwise(edges)
        if (a * (x := _between(left, right)) + b) * x + c <= 0
    ]
    return (pieces[0][0], pieces[-1][1]) if pieces else None


def _roots(a: float, b: float, c: float) -> list[float]:
    """The real roots of ax² + bx + c, ascending."""
    if a == 0:
        return [-c / b] if b else []
    square = b * b - 4 * a * c
    if square <= 0:
        return []
    q = -(b + copysign(sqrt(square), b)) / 2  # without cancellation
    return sorted([q / a, c / q] if q else [0.0, 0.0])


def _quadratic(
    mean: Floats, covariance: Floats, n: float, confidence: float
) -> tuple[float, float, float]:
    """Coefficients of (difference at x)^2 - t^2 * (its variance), a quadratic in x."""
    form = np.outer(mean, mean)
    if not np.isnan(n):
        from scipy.special import stdtrit

        form = form - stdtrit(n - 1, (1 + confidence) / 2) ** 2 * covariance
    return float(form[1, 1]), float(2 * form[0, 1]), float(form[0, 0])


def _between(left: float, right: float) -> float:
    return (left + right) / 2 if isfinite(right) else left + 1.0
