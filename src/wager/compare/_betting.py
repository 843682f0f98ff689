"""Betting against a mean: capital, evidence and bounds (Waudby-Smith & Ramdas, 2024).

Someone claims that the mean of values in [low, high] is at most m.  A bettor starts with a capital
of 1 and stakes the same fraction f of it on each row: a row x multiplies the capital by
1 - f + f (x - low) / (m - low).  If the claim is true, the capital is a non-negative
supermartingale, an e-process: it ever reaches 1/alpha with probability at most alpha.  The capital
is divided between bettors with different fractions, so that no fraction has to be chosen (a
universal portfolio; Cover, 1991).  It falls as m grows, hence the claims that are refuted form an
interval, and it depends on the rows only through the number of times that each value occurred.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from wager._typing import ArrayLike, Bools, Floats

# Stakes from large to small: the best stake is about the mean over the variance, in units of the
# range.  Large stakes own more of the capital, since early decisions depend on them; the smallest
# ones serve streams of millions of rows.
FRACTIONS = 0.95 * 1.4 ** -np.arange(24.0)
CAPITALS = FRACTIONS**0.85 / (FRACTIONS**0.85).sum()


_ROUNDING = 1e-9  # part of the range by which rounding may carry a value beyond its bounds


def within(values: Floats, low: float, high: float) -> Bools:
    """Which values lie within their bounds, but for rounding; NaN does not.

    Examples
    --------
    >>> within(np.array([-1.5, 1 + 1e-15, np.nan]), -1.0, 1.0).tolist()
    [False, True, False]
    """
    slack = _ROUNDING * (high - low)
    return (values >= low - slack) & (values <= high + slack)


@dataclass(frozen=True)
class Bets:
    """Bets on a mean above m (``up``) or below m, for values in [low, high]."""

    low: float
    high: float
    up: bool

    def factors(self, values: Floats, m: float) -> Floats:
        """What one row of each value multiplies each capital by.

        One row per fraction, one column per value.
        """
        ratio = (
            (values - self.low) / (m - self.low)
            if self.up
            else (self.high - values) / (self.high - m)
        )
        return (1 - FRACTIONS)[:, None] + np.multiply.outer(FRACTIONS, ratio)

    def log_factors(self, values: Floats, m: float) -> Floats:
        """The logarithms of `factors`."""
        return np.log(self.factors(values, m))

    def log_capital(self, values: Floats, counts: Floats, m: float) -> float:
        """The logarithm of the whole capital after each value occurred that often."""
        return float(total_capital(self.log_factors(values, m) @ counts))

    def refuted_until(
        self, values: Floats, counts: Floats, goal: float, m: float, precision: float
    ) -> float:
        """The last mean, going up from ``m`` (or down), at which the capital reaches the goal.

        The capital has reached it at ``m``, and cannot at the mean of the values.
        """
        from scipy.optimize import brentq

        def excess(mean: float) -> float:
            return self.log_capital(values, counts, mean) - goal

        mean = float(values @ counts / counts.sum())
        if excess(m) <= 0:  # by rounding: it was just reached
            return m
        root = float(brentq(excess, m, mean, xtol=precision))
        # the root is exact to the precision: stay on the refuted side of it
        return max(root - precision, m) if self.up else min(root + precision, m)


def total_capital(log_capitals: Floats) -> Floats:
    """The logarithm of the sum of the capitals, given what each fraction made of 1.

    Examples
    --------
    >>> float(total_capital(np.zeros(len(FRACTIONS))).round(12))
    0.0
    """
    shape = (-1,) + (1,) * (np.ndim(log_capitals) - 1)
    terms = log_capitals + np.log(CAPITALS).reshape(shape)
    most: Floats = terms.max(axis=0)
    return most + np.log(np.exp(terms - most).sum(axis=0))


def two_sided(log_a: ArrayLike, log_b: ArrayLike) -> Floats:
    """The logarithm of the average of two e-values, itself an e-value."""
    return np.asarray(np.logaddexp(log_a, log_b) - log(2))
