"""Sums over the rows of every region, from which the scaling of a step is fitted.

Only the shares of the weights matter: a weight of 2 in every row is the same as no weights.  Where
the paper has the number N of objects, weighted objects count as the number of equal ones that say
as much, ``(sum of weights)^2 / (sum of squared weights)``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wager._tables import RowUnits
from wager._typing import Array, Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class RegionSums:
    """Sums of one step, one entry per region; blocks of rows are added one after another.

    Parameters
    ----------
    total, squares : ndarray
        The sum of the weights and of the squared weights.
    values : ndarray
        The weighted sum of the values.
    deviations : ndarray
        The weighted sum of the squared deviations from the mean, which needs a second pass.
    trials, trial_squares : ndarray
        The sum of the weights, and of their squares, of the rows that are tried.
    hits, misses : ndarray
        The weight of those that belong to the class in question, and that do not.
    """

    total: Floats
    squares: Floats
    values: Floats
    deviations: Floats
    trials: Floats
    trial_squares: Floats
    hits: Floats
    misses: Floats

    @classmethod
    def empty(cls, n_regions: int) -> RegionSums:
        """Sums over no rows."""
        return cls(*np.zeros((8, n_regions)))

    def add(
        self, values: Floats, hit: Bools, tried: Bools | None, region: Ints, units: RowUnits
    ) -> None:
        """Add rows to all sums except `deviations`; ``tried=None`` means all of them."""
        n = len(self.total)
        weights, squares = units.totals, units.squares
        self.total[:] += _sum(None, region, n, weights)
        self.squares[:] += _sum(None, region, n, squares)
        self.values[:] += _sum(values, region, n, weights)
        among = np.ones(len(hit), dtype=bool) if tried is None else tried
        self.trials[:] += _sum(among, region, n, weights)
        self.trial_squares[:] += _sum(among, region, n, squares)
        self.hits[:] += _sum(among & hit, region, n, weights)
        self.misses[:] += _sum(among & ~hit, region, n, weights)

    def add_squares(self, values: Floats, region: Ints, units: RowUnits) -> None:
        """Add rows to `deviations`, after all rows were added to the other sums."""
        with np.errstate(invalid="ignore"):  # a region without weight has no mean
            away = (values - (self.values / self.total)[region]) ** 2
        away[np.isnan(away)] = 0
        self.deviations[:] += _sum(away, region, len(self.total), units.totals)

    def moments(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Number of objects, mean, variance, and alpha + beta of the Beta distribution."""
        n = effective_number(self.total, self.squares)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = self.values / self.total
            variance = np.where(n > 1, self.deviations / (self.total - self.total / n), np.nan)
            concentration = mean * (1 - mean) / variance - 1
        return n, mean, variance, concentration


def effective_number(total: Floats, squares: Floats) -> Floats:
    """The number of equal objects that say as much as weighted ones (Kish, 1965); 0 without any.

    Examples
    --------
    >>> effective_number(np.array([6.0, 4.0, 0.0]), np.array([12.0, 10.0, 0.0])).tolist()
    [3.0, 1.6, 0.0]
    """
    plain = total == squares  # weights of 1 (or 0): without a rounding error
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(plain, total, total**2 / squares)


def _sum(values: Array | None, region: Ints, n: int, weights: Array | None) -> Floats:
    if values is None or weights is None:
        term = weights if values is None else values.astype(np.float64, copy=False)
    else:
        term = weights * values
    return np.bincount(region, term, n).astype(np.float64, copy=False)
