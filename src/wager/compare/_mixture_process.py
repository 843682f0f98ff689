"""The confidence sequence of Choe & Ramdas (2024): for the average so far, which may drift.

The boundary is the gamma-exponential mixture of Howard, Ramdas, McAuliffe & Sekhon (2021,
Proposition 9) on the empirical variance process.  It needs more rows than bets do, but the mean may
change over time: the interval is for the average of the means of the rows so far.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from wager._typing import ArrayLike, Floats, Ints
from wager._visible import brief
from wager.compare._mixture_martingale import MixtureMartingale


@dataclass(frozen=True)
class MixtureProcess:
    """The sum of the rows and their variation: all that must be stored, however many rows.

    Attributes
    ----------
    alpha : float
        Level of the confidence sequence.
    bounds : tuple of two floats
        The smallest and the largest possible value.
    n : int
        The number of rows seen.
    total : float
        The sum of the rows.
    variation : float
        Sum of squared deviations of each row from the mean before it.
    """

    alpha: float
    bounds: tuple[float, float]
    n: int = 0
    total: float = 0.0
    variation: float = 0.0

    def __post_init__(self) -> None:
        most = max(map(abs, self.bounds)) * self.n * (1 + 1e-6)
        if not (self.n >= 0 and abs(self.total) <= most and 0 <= self.variation < np.inf):
            raise ValueError(
                f"{self.n} rows cannot have the sum {self.total!r} and the variation "
                f"{brief(self.variation)}"
            )

    def follow(self, rows: Floats) -> tuple[MixtureProcess, Floats, Floats]:
        """The process after more rows, and the running total and variation after each of them."""
        if len(rows) == 0:
            return self, np.empty(0), np.empty(0)
        totals = np.cumsum(rows)
        totals += self.total
        before = np.empty_like(totals)  # mean of the rows before each; 0 before the first
        before[0] = self.total
        before[1:] = totals[:-1]
        before /= np.maximum(np.arange(self.n, self.n + len(rows)), 1)
        np.subtract(rows, before, out=before)
        np.square(before, out=before)
        variations = np.cumsum(before, out=before)
        variations += self.variation
        after = replace(
            self,
            n=self.n + len(rows),
            total=float(totals[-1]),
            variation=float(variations[-1]),
        )
        return after, totals, variations

    def course(
        self, rows: Floats, shown: Ints
    ) -> tuple[MixtureProcess, Floats, Floats, Floats, Floats]:
        """The process after the rows; bounds and evidence after some of them (1 is the first)."""
        after, totals, variations = self.follow(rows)
        total, variation = totals[shown - 1], variations[shown - 1]
        low, high = self.bounds_at(self.n + shown, total, variation)
        return after, low, high, *self.log_evidence_at(total, variation)

    @property
    def interval(self) -> tuple[float, float]:
        """Bounds of the average mean so far, valid at all times simultaneously."""
        if self.n == 0:
            return self.bounds
        low, high = self.bounds_at(self.n, self.total, self.variation)
        return float(low), float(high)

    @property
    def log_evidence(self) -> tuple[float, float]:
        """Logarithms of the e-values against a mean of at most 0, and of at least 0."""
        a, b = self.log_evidence_at(self.total, self.variation)
        return float(a), float(b)

    def bounds_at(
        self, n: Ints | int, total: ArrayLike, variation: ArrayLike
    ) -> tuple[Floats, Floats]:
        """The interval after n rows with these totals and variations."""
        radius = self._mixture.boundary(variation) / n
        mean = np.asarray(total) / n
        smallest, largest = self.bounds
        return np.maximum(mean - radius, smallest), np.minimum(mean + radius, largest)

    def log_evidence_at(self, total: ArrayLike, variation: ArrayLike) -> tuple[Floats, Floats]:
        """Both e-values, as logarithms, given these totals and variations."""
        s = np.asarray(total, dtype=float)
        return self._mixture.log_value(s, variation), self._mixture.log_value(-s, variation)

    @property
    def _mixture(self) -> MixtureMartingale:
        # a row deviates from the mean before it by at most the range: that is the scale
        return MixtureMartingale.tuned(scale=self.bounds[1] - self.bounds[0], alpha=self.alpha / 2)
