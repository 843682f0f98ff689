"""A mean with its uncertainty: value, standard error, confidence interval, test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from math import isnan, nan
from typing import Any, Protocol, TypeVar

import numpy as np

from wager._tables import ComparedFields, ViewedFields, format_number
from wager._typing import Floats
from wager.rewards._cell_sums import CellSums
from wager.rewards._group_sums import GroupSums
from wager.rewards._level import check_level
from wager.rewards._mean_interval import mean_interval, mean_p_values

Sums = TypeVar("Sums", CellSums, GroupSums)


@dataclass(frozen=True, eq=False)
class MeanSample:
    """What an interval of a mean is computed from: scores of the cells, their sums, the range.

    Parameters
    ----------
    values : array of shape (J,)
        The score of each cell.
    sums : CellSums
        The totals of the J cells.
    low, high : float
        The smallest and the largest possible score.
    """

    values: Floats
    sums: CellSums
    low: float
    high: float

    def interval(self, level: float) -> tuple[float, float]:
        """The confidence interval of the mean."""
        if level not in self._intervals:
            low, high = np.array([self.low]), np.array([self.high])
            ends = mean_interval(self.values[None], self.sums, low, high, level)
            self._intervals[level] = ends[0].item(), ends[1].item()
        return self._intervals[level]

    @cached_property
    def _intervals(self) -> dict[float, tuple[float, float]]:
        return {}  # filled as levels are asked for: a report asks for the same one many times

    def p_value(self, at: float) -> float:
        """The two-sided p-value of the hypothesis that the mean is `at`."""
        low, high = np.array([self.low]), np.array([self.high])
        return mean_p_values(self.values[None], self.sums, low, high, at).item()


@dataclass(frozen=True, eq=False, repr=False)
class Estimate(ComparedFields, ViewedFields):
    """The mean of a score over the rows of a test set, with its uncertainty.

    Parameters
    ----------
    value : float
        The mean; NaN if the score applies to no row.
    standard_error : float
        Standard error of the mean; NaN for fewer than two independent units.
    n : float
        The number of independent units: rows, or the equivalent number of equally weighted rows
        or of equally large clusters.
    sample : MeanSample, optional
        The counts behind the mean, for intervals and tests.

    Examples
    --------
    >>> rows = CellSums(np.array([0, 1]), np.array([50, 50]))
    >>> half = estimate_mean(np.array([0.0, 1.0]), rows, 0, 1)
    >>> half.value, round(half.standard_error, 4)
    (0.5, 0.0503)
    >>> tuple(round(end, 3) for end in half.interval())
    (0.403, 0.597)
    """

    value: float
    standard_error: float
    n: float
    sample: MeanSample | None = field(default=None, repr=False, compare=False)

    def __float__(self) -> float:
        return self.value

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence interval that respects the known range of the score.

        It contains the means that neither a score test nor a likelihood-ratio test with the
        known range rejects; for proportions the score test is Wilson's.
        """
        check_level(level)
        if isnan(self.value) or self.sample is None:
            return nan, nan
        return self.sample.interval(level)

    def p_value(self, at: float = 0.0) -> float:
        """Two-sided p-value of the hypothesis that the mean is `at`, the test of `interval`."""
        return nan if isnan(self.value) or self.sample is None else self.sample.p_value(at)


@dataclass(frozen=True, eq=False, repr=False)
class TransformedEstimate(Estimate):
    """An increasing function of a mean, such as a certainty equivalent u⁻¹(E[u]).

    Its interval has the transformed ends, so it covers as often as that of the mean; its standard
    error is the first-order approximation.

    Parameters
    ----------
    value, standard_error, n, sample
        As in `Estimate`; the sample is that of the mean.
    function : callable
        The increasing function.
    """

    function: Callable[[float], float] = field(default=float, repr=False, compare=False)

    @classmethod
    def of(cls, mean: Estimate, function: Callable[[float], float]) -> TransformedEstimate:
        """The function of an estimated mean."""
        value, error = transformed(mean.value, mean.standard_error, function)
        return cls(float(value), float(error), mean.n, mean.sample, function)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence interval: the function of the ends of the mean's interval.

        Where a measured utility could be smaller or larger than it is, the ends are the function of
        its smallest and its largest value.
        """
        low, high = super().interval(level)
        if isnan(low) or self.sample is None:
            return low, high
        least, most = self.sample.low, self.sample.high
        return self.function(max(low, least)), self.function(min(high, most))

    def p_value(self, at: float = 0.0) -> float:
        """Not defined here: test the mean instead."""
        return nan


class ConfidenceRegion(Protocol):
    """A confidence region of several means, seen through a function of them."""

    def interval(self, level: float) -> tuple[float, float]:
        """The smallest and the largest value of the function in the region."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class RegionEstimate(Estimate):
    """A function of several means that is not smooth, such as the smallest of them.

    Its interval has the smallest and the largest value of the function in a confidence region of
    the means, so it is valid at kinks as well, where the estimate has no normal distribution.  For
    the same reason there is no standard error: it is NaN.

    Parameters
    ----------
    value, standard_error, n, sample
        As in `Estimate`; the standard error is NaN and the sample is None.
    region : ConfidenceRegion, optional
        The confidence regions, by level.
    """

    region: ConfidenceRegion | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        value, low, high = (format_number(each) for each in (self.value, *self.interval()))
        return f"RegionEstimate(value={value}, 95% interval {low} to {high}, n={self.n:g})"

    @classmethod
    def of(cls, value: float, n: float, region: ConfidenceRegion) -> RegionEstimate:
        """The estimate of a function of means."""
        return cls(value, nan, n, None, region)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence interval: the range of the function in the region of this level."""
        check_level(level)
        if isnan(self.value) or self.region is None:
            return nan, nan
        return self.region.interval(level)

    def p_value(self, at: float = 0.0) -> float:
        """Not defined here: see whether the interval contains the value."""
        return nan


def estimate_mean(values: Floats, sums: CellSums, low: float, high: float) -> Estimate:
    """The mean score of cells; cells whose score is NaN are left out.

    Parameters
    ----------
    values, sums, low, high
        As in `MeanSample`.
    """
    values, sums = where_defined(values, sums)
    if not sums.n > 0:
        return Estimate(nan, nan, 0.0)
    mean, error = mean_and_error(values, sums)
    found = float(error) if sums.n_units > 1 else nan  # the same NaN in equal estimates
    return Estimate(float(mean), found, sums.n_units, MeanSample(values, sums, low, high))


def where_defined(values: Floats, sums: Sums) -> tuple[Floats, Sums]:
    """The cells to which a score applies, where its value is not NaN, and their sums."""
    defined = ~np.isnan(values)
    return (values, sums) if defined.all() else (values[defined], sums.where(defined))


def mean_and_error(values: Floats, sums: CellSums | GroupSums) -> tuple[Any, Any]:
    """The mean score with its standard error, of all rows or of each of many groups.

    Without rows the mean is NaN.

    Parameters
    ----------
    values : array
        The score of each cell, or of each entry of the sums of groups.
    sums : CellSums or GroupSums
        Their totals.
    """
    with np.errstate(invalid="ignore"):
        mean = np.divide(sums.total(values), sums.n)
    return mean, standard_error(values - sums.each(mean), sums)


def standard_error(deviation: Floats, sums: CellSums | GroupSums) -> Floats:
    """The standard errors of means, from the deviations of the cells from them.

    The sum over the units of (their total deviation)², with the correction n / (n - 1) for the
    mean that was estimated from the same n units: for plain rows the usual s / sqrt(n).

    Parameters
    ----------
    deviation : array of shape (..., J)
        The deviation of each cell's score from the mean.
    sums : CellSums or GroupSums
        The totals of the J cells, or of the J entries of many groups.
    """
    units = np.asarray(sums.n_units)
    several = units > 1
    correction = np.divide(units, units - 1, out=np.full(units.shape, nan), where=several)
    square = np.maximum(sums.square(deviation), 0.0)
    with np.errstate(invalid="ignore"):
        error: Floats = np.sqrt(square * correction) / np.asarray(sums.n, dtype=np.float64)
    return error


def transformed(mean: Any, error: Any, function: Callable[[Any], Any]) -> tuple[Any, Any]:
    """An increasing function of means, and its standard error to first order."""
    step = 1e-6
    high = np.minimum(mean + step, 1.0)  # utilities and rewards end at 1
    slope = (function(high) - function(high - step)) / step
    return function(mean), slope * error
