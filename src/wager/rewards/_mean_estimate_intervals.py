"""The intervals of `MeanEstimate` for very many means at once, by the same formulas."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np

from wager._typing import Floats
from wager.rewards._mean_estimate import NO_SKEWNESS

Ends = tuple[Floats, Floats]


def mean_estimate_intervals(
    value: Floats,
    error: Floats,
    n: Floats,
    skewness: Floats,
    limits: tuple[float, float],
    level: float,
    *,
    is_proportion: bool = False,
    clustered: bool = False,
) -> Ends:
    """The ends of the confidence interval of each mean; NaN without one.

    Parameters
    ----------
    value, error, n, skewness : array of shape (G,)
        As in `MeanEstimate`.
    limits : tuple of float
        The range of the score.
    level : float
        The confidence level.
    is_proportion, clustered : bool
        As in `MeanEstimate`.

    Examples
    --------
    >>> means = np.array([0.5, 0.02]), np.array([0.1, 0.0]), np.array([30.0, 30.0]), np.zeros(2)
    >>> low, high = mean_estimate_intervals(*means, (0.0, 2.0), 0.95)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.295, 0.019], [0.705, 0.153])
    """
    from scipy.special import stdtrit

    known = bool(np.isfinite(limits).all())
    finite = np.isfinite(value)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        if is_proportion:
            low, high = _wilson(value, error, n, (1 + level) / 2)
            defined = finite & (n > 0)
        else:
            critical = stdtrit(n - 1, (1 + level) / 2)
            low, high = (
                _end(value, error, n, skewness, sign * critical, limits, farther)
                for sign, farther in ((-1.0, np.minimum), (1.0, np.maximum))
            )
            defined = finite & (n > 1) & ((error > 0) | known)
    low, high = np.where(defined, low, np.nan), np.where(defined, high, np.nan)
    if clustered:  # a single cluster leaves the whole range
        alone = finite & np.isnan(error)
        ends = limits if known else (np.nan, np.nan)
        low, high = np.where(alone, ends[0], low), np.where(alone, ends[1], high)
    return low + 0.0, high + 0.0


def _end(
    value: Floats,
    error: Floats,
    n: Floats,
    skewness: Floats,
    critical: Floats,
    limits: tuple[float, float],
    farther: Callable[[Any, Any], Floats],
) -> Floats:
    bound = limits[farther is np.maximum]
    hall = _hall_inverse(-critical, skewness)
    end = farther(value + critical * error, value - error * hall)
    reach = np.abs(bound - value)
    inside = reach**2 - 4 * n * error**2
    helps = np.isfinite(reach) & (inside > 0)
    deviation = np.where(helps, 2 * n * error / (reach + np.sqrt(np.maximum(inside, 0))), np.inf)
    share = -np.expm1((deviation**2 - critical**2) / (2 * n))
    shifted = value + np.copysign(deviation, critical) * error
    other = shifted + share * (bound - shifted)
    end = np.where(deviation < np.abs(critical), farther(end, other), end)
    inner = np.minimum(np.maximum(end, np.minimum(limits[0], value)), np.maximum(limits[1], value))
    return np.where(np.isfinite(critical), inner, bound)


def _hall_inverse(x: Floats, a: Floats) -> Floats:
    return np.where(np.abs(a) < NO_SKEWNESS, x, 3 / a * (np.cbrt(1 + a * (x - a / 6)) - 1))


def _wilson(p: Floats, error: Floats, n: Floats, tail: float) -> Ends:
    from scipy.special import stdtrit

    rows = p * (1 - p) / error**2 + 1
    unequal = (error > 0) & (p > 0) & (p < 1) & (np.abs(rows - n) > 1e-6 * n)
    critical = np.where(unequal, stdtrit(n - 1, tail), NormalDist().inv_cdf(tail))
    n = np.where(unequal, rows, n)
    square = critical * critical
    centre = p + square / (2 * n)
    reach = critical * np.sqrt(np.maximum(p * (1 - p), 0.0) / n + square / (4 * n * n))
    low = np.where(p > 0, (centre - reach) / (1 + square / n), 0.0)
    high = np.where(p < 1, (centre + reach) / (1 + square / n), 1.0)
    bounded = np.isfinite(critical)
    return (
        np.where(bounded, np.maximum(low, 0.0), 0.0),
        np.where(bounded, np.minimum(high, 1.0), 1.0),
    )
