"""Beta scaling: move the values of a region so that their mean equals the observed rate.

In a region the values are treated as draws from a Beta distribution fitted by moments.  The scaled
value is the quantile of the same level under a second Beta, whose mean is the rate of correct
assignments and whose certainty is that of the first, but at most the number of objects
(Sondhauss & Weihs, 2001, Sec. 4, with the missing ``- 1`` of alpha + beta added).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wager._tables import RowUnits, ViewedFields, real_numbers
from wager._typing import ArrayLike, Floats, Ints
from wager.partitions._region_sums import RegionSums, effective_number

LEAST_VARIANCE = 1e-4  # with a smaller variance a region counts as constant and is shifted
LEAST_CONCENTRATION = 1e-6  # a Beta distribution needs positive parameters
EMPTY, ZERO, ONE, SHIFT, BETA = range(5)
BRANCHES = ("empty", "zero", "one", "shift", "beta")


@dataclass(frozen=True, repr=False)
class BetaMoments(ViewedFields):
    """A Beta distribution fitted by the method of moments.

    Parameters
    ----------
    mean, variance : float
        Mean and variance of the values, the variance with N - 1; NaN for a single value.
    concentration : float
        ``alpha + beta = mean (1 - mean) / variance - 1``.
    """

    mean: float
    variance: float
    concentration: float

    @property
    def alpha(self) -> float:
        """First parameter of the values' Beta distribution."""
        return self.concentration * self.mean

    @property
    def beta(self) -> float:
        """Second parameter of the values' Beta distribution."""
        return self.concentration * (1 - self.mean)


def beta_moments(values: ArrayLike) -> BetaMoments:
    """Fit a Beta distribution to values in [0, 1] by their mean and variance.

    Parameters
    ----------
    values : array-like of shape (n,)
        Numbers in [0, 1], at least one.

    Examples
    --------
    >>> moments = beta_moments([0.5, 0.6, 0.7, 0.9])
    >>> round(moments.alpha, 4), round(moments.beta, 4)
    (4.402, 2.1195)
    """
    numbers = real_numbers(values, "values")
    if numbers.ndim != 1 or not numbers.size or not ((numbers >= 0) & (numbers <= 1)).all():
        raise ValueError("values must be a list of numbers in [0, 1], at least one")
    alone = np.zeros(len(numbers), dtype=np.intp)
    sums = RegionSums.empty(1)
    sums.add(numbers, np.ones(len(numbers), dtype=bool), None, alone, RowUnits())
    sums.add_squares(numbers, alone, RowUnits())
    _, mean, variance, concentration = sums.moments()
    return BetaMoments(float(mean[0]), float(variance[0]), float(concentration[0]))


@dataclass(frozen=True, eq=False)
class BetaScaling:
    """The fitted scaling of all regions, as arrays with one entry per region.

    Parameters
    ----------
    n : ndarray
        Number of objects; of weighted objects, the number of equal ones that say as much.
    trials : ndarray
        How many of them could belong to the class in question; at the first step all of them.
    p : ndarray
        Share of the trials that belong to that class; NaN without trials.
    mean, variance, concentration : ndarray
        Moments of the values and alpha + beta of their Beta distribution.
    certainty : ndarray
        alpha + beta of the scaled values: ``min(trials, concentration)``, NaN outside "beta".
    branch : ndarray of int
        Index into ``BRANCHES``.
    searched : bool, default=False
        Whether the certainty was searched; then it stays when other parameters change.
    is_shrunken : bool, default=False
        Whether ``p`` was shrunk towards one half, for objects outside the fit.
    """

    n: Floats
    trials: Floats
    p: Floats
    mean: Floats
    variance: Floats
    concentration: Floats
    certainty: Floats
    branch: Ints
    searched: bool = False
    is_shrunken: bool = False

    @classmethod
    def of_sums(cls, sums: RegionSums) -> BetaScaling:
        """The scaling that follows from the sums over the rows of every region."""
        n, mean, variance, concentration = sums.moments()
        trials = effective_number(sums.trials, sums.trial_squares)
        with np.errstate(invalid="ignore"):
            p = sums.hits / sums.trials
            # a single object has no variance: it is shifted like a constant region
            spread = (variance >= LEAST_VARIANCE) & (concentration > 0)
        branch = np.where(spread, BETA, SHIFT)
        branch[sums.misses == 0] = ONE
        branch[sums.hits == 0] = ZERO
        branch[sums.trials == 0] = EMPTY
        certainty = np.where(branch == BETA, np.fmin(trials, concentration), np.nan)
        return cls(n, trials, p, mean, variance, concentration, certainty, branch)

    def apply(self, values: Floats, region: Ints) -> Floats:
        """Scale values of known regions; values of region -1 are unchanged."""
        branch = np.where(region < 0, EMPTY, self.branch[region])
        scaled = values.copy()
        scaled[branch == ZERO] = 0
        scaled[branch == ONE] = 1
        shifted = np.flatnonzero(branch == SHIFT)
        if shifted.size:
            where = region[shifted]
            moved = values[shifted] - self.mean[where] + self.p[where]
            ends: tuple[Any, Any] = (0, 1)
            if self.is_shrunken:  # a shift is no reason for certainty
                both = values[shifted], self.p[where]
                ends = np.minimum(*both), np.maximum(*both)
            scaled[shifted] = np.clip(moved, *ends)
        rows = np.flatnonzero(branch == BETA)
        scaled[rows] = self._beta(values[rows], region[rows])
        return scaled

    def shrunken(self) -> BetaScaling:
        """The scaling for objects outside the fit, whose rates are less extreme than those inside.

        Every rate becomes its posterior mean under Jeffreys' prior Beta(1/2, 1/2), which is
        ``(hits + 1/2) / (trials + 1)`` and never 0 or 1 (Jeffreys, 1961; Brown, Cai & DasGupta,
        2001).  A region without spread is shifted, but not beyond the larger (or below the smaller)
        of the value itself and the rate.
        """
        rates = (self.trials * np.nan_to_num(self.p) + 0.5) / (self.trials + 1)
        return replace(self.with_rates(rates), is_shrunken=True)

    def with_rates(self, p: Floats) -> BetaScaling:
        """The scaling for rates between 0 and 1, where a Beta or a shift is always needed."""
        with np.errstate(invalid="ignore"):
            spread = (self.variance >= LEAST_VARIANCE) & (self.concentration > 0)
        branch = np.where(spread, BETA, SHIFT)
        branch[self.trials == 0] = EMPTY
        certainty = np.where(branch == BETA, np.fmin(self.trials, self.concentration), np.nan)
        if self.searched:
            certainty = np.where(np.isnan(self.certainty), certainty, self.certainty)
        return replace(self, p=p, branch=branch, certainty=certainty)

    def with_parameter(self, name: str, value: Floats) -> BetaScaling:
        """The scaling with another mean, variance or p, by the same case of the scaling rule."""
        changed: dict[str, Any] = {name: value}
        moved = replace(self, **changed)
        if name == "p":
            return moved
        with np.errstate(invalid="ignore", divide="ignore"):
            found = moved.mean * (1 - moved.mean) / moved.variance - 1
        concentration = np.maximum(found, LEAST_CONCENTRATION)
        if self.searched:
            return replace(moved, concentration=concentration)
        certainty = np.where(self.branch == BETA, np.fmin(self.trials, concentration), np.nan)
        return replace(moved, concentration=concentration, certainty=certainty)

    def _beta(self, values: Floats, region: Ints) -> Floats:
        from scipy.special import betainc

        a, b = self.concentration * self.mean, self.concentration * (1 - self.mean)
        a_scaled, b_scaled = self.certainty * self.p, self.certainty * (1 - self.p)
        # F(x; a, b) = 1 - F(1 - x; b, a): values above the mean are scaled by their upper tail,
        # because a level close to 1 has lost its digits
        upper = values > self.mean[region]
        side, x = upper.astype(np.intp), np.where(upper, 1 - values, values)
        level = betainc(np.array([a, b])[side, region], np.array([b, a])[side, region], x)
        scaled = _beta_quantile(
            np.array([a_scaled, b_scaled])[side, region],
            np.array([b_scaled, a_scaled])[side, region],
            level,
        )
        return np.where(upper, 1 - scaled, scaled)


def _beta_quantile(a: Floats, b: Floats, level: Floats) -> Floats:
    """The inverse of the Beta distribution function, also where SciPy's search fails."""
    from scipy.special import betaincinv, betaln

    x = betaincinv(a, b, level)
    lost = np.flatnonzero(np.isnan(x))
    if lost.size:  # levels of 1e-100 and less, where F(x) = x^a / (a B(a, b)) to all digits
        a, b = a[lost], b[lost]
        # a level of 0; and parameters beyond their range, for slopes, have no quantile
        with np.errstate(divide="ignore", invalid="ignore"):
            x[lost] = np.exp((np.log(level[lost]) + np.log(a) + betaln(a, b)) / a)
    return x
