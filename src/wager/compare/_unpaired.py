"""The difference of two means that were estimated on different rows.

Its interval follows from the intervals of the two means: it ends at the distance
sqrt(reach_a^2 + reach_b^2) from the difference, with the reach of each mean's interval towards the
other mean (Newcombe's hybrid score interval, also called MOVER).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wager._tables import ROUNDING
from wager._typing import Bools, Floats
from wager.rewards import CellSums, Tally, mean_interval, standard_error

_MOST = 40.0  # standard errors at which a p-value is 0 in any case


class Means(NamedTuple):
    """Scores of cells, one row per mean, with the sums of the cells and the range of the scores."""

    values: Floats
    sums: CellSums
    low: Floats
    high: Floats

    @classmethod
    def of(cls, worth: Floats, tally: Tally) -> Means:
        """The means of utilities that are given by size, (m, K + 1)."""
        size, hit, _ = tally.cells
        earned = worth[:, np.where(hit, size, 0)]
        return cls(earned, tally.sums, worth.min(axis=1), worth.max(axis=1))

    @property
    def mean(self) -> Floats:
        """The means."""
        return self.values @ (self.sums.totals / self.sums.n)

    @property
    def standard_error(self) -> Floats:
        """Their standard errors."""
        return standard_error(self.values - self.mean[:, None], self.sums)

    def take(self, row: int) -> Means:
        """One of the means."""
        part = slice(row, row + 1)
        return Means(self.values[part], self.sums, self.low[part], self.high[part])

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """Their intervals; a known mean is its own interval."""
        if self.sums.is_law:
            return self.mean, self.mean
        return mean_interval(self.values, self.sums, self.low, self.high, level)


def difference_interval(a: Means, b: Means, level: float) -> tuple[Floats, Floats]:
    """Intervals of the differences of two means each."""
    (low_a, high_a), (low_b, high_b) = a.interval(level), b.interval(level)
    gap = a.mean - b.mean
    below = np.hypot(a.mean - low_a, high_b - b.mean)
    above = np.hypot(high_a - a.mean, b.mean - low_b)
    return gap - below, gap + above


def excludes_zero(a: Means, b: Means, level: float) -> Bools:
    """Whether the interval of each difference excludes 0."""
    low, high = difference_interval(a, b, level)
    return (low > 0) | (high < 0)


def difference_p_values(a: Means, b: Means) -> Floats:
    """Two-sided p-values of equal means: the level at which the interval begins to exclude 0."""
    from scipy.special import ndtr

    found = []
    for row in range(len(a.values)):
        one, other = a.take(row), b.take(row)
        if abs((one.mean - other.mean).item()) <= ROUNDING:
            found.append(1.0)
            continue
        low, high = 0.0, _MOST
        for _ in range(30):
            z = (low + high) / 2
            level = min(float(2 * ndtr(z) - 1), 1 - 1e-15)
            outside = bool(excludes_zero(one, other, level)[0])
            low, high = (z, high) if outside else (low, z)
        found.append(float(2 * ndtr(-low)))
    return np.array(found)
