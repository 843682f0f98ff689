"""Intervals for measures that sum up the coverages of strata, or how coverage depends on size.

A largest or smallest coverage, a distance from the nominal one and a share of strata below it are
not smooth: the estimate is pulled away from the truth where strata are alike, and it has no normal
distribution there.  So each interval here comes from a confidence region: if the region contains
the true coverages, the range of the measure over the region contains its true value.

- For strata the region is a box of simultaneous intervals (Bonferroni), as in `coverage_report`.
- The criterion of size and coverage is a norm of covariances, so it differs from the true one by
  at most the norm of their error, of which a quantile is known also at independence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple, TypeAlias

import numpy as np

from wager._typing import Array, Bools, Floats, Ints
from wager.rewards._estimate import RegionEstimate, mean_and_error
from wager.rewards._group_intervals import group_intervals
from wager.rewards._group_sums import GroupSums, equivalent_units
from wager.rewards._mean_interval import MeanCells, mean_intervals

_ADDED = 2.0  # hits, and as many misses, at each size: a size without misses has a variance too


class Box(NamedTuple):
    """Bounds of the coverage of every stratum, and of its share of the rows."""

    low: Floats
    high: Floats
    least: Floats
    most: Floats


Summary: TypeAlias = Callable[[Box], tuple[float, float]]  # the range of a measure over a box


# -- the range of a measure over a box -------------------------------------------------------------


def smallest_coverage(box: Box) -> tuple[float, float]:
    """The range of the smallest coverage."""
    return float(box.low.min()), float(box.high.min())


def largest_distance(box: Box, at: float) -> tuple[float, float]:
    """The range of the largest distance of a coverage from `at`."""
    near, far = _distances(box, at)
    return float(near.max()), float(far.max())


def mean_distance(box: Box, at: float) -> tuple[float, float]:
    """The range of the mean distance of the coverages from `at`."""
    near, far = _distances(box, at)
    return float(near.mean()), float(far.mean())


def mean_distance_by_rows(box: Box, at: float) -> tuple[float, float]:
    """The range of the mean distance from `at` if strata count by their share of the rows."""
    near, far = _distances(box, at)
    return _least_average(near, box), -_least_average(-far, box)


def share_below(box: Box, at: float) -> tuple[float, float]:
    """The range of the share of strata with a coverage below `at`."""
    return float((box.high < at).mean()), float((box.low < at).mean())


def _distances(box: Box, at: float) -> tuple[Floats, Floats]:
    """The smallest and the largest distance of every coverage from `at`."""
    near = np.maximum(0.0, np.maximum(box.low - at, at - box.high))
    return near, np.maximum(np.abs(box.low - at), np.abs(box.high - at))


def _least_average(values: Floats, box: Box) -> float:
    """The smallest average with shares in a box: small values get as much of the rest as they can.

    Examples
    --------
    >>> bounds = np.array([0.2, 0.3]), np.array([0.7, 0.9])
    >>> round(_least_average(np.array([1.0, 5.0]), Box(*bounds, *bounds)), 12)  # 0.7 and 0.3
    2.2
    """
    order = np.argsort(values, kind="stable")
    span = (box.most - box.least)[order]
    rest = 1.0 - box.least.sum()
    shares = box.least.copy()
    shares[order] += np.clip(rest - (np.cumsum(span) - span), 0.0, span)
    return float(np.average(values, weights=shares))


# -- strata ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Strata:
    """Misses and hits of the strata that have rows.

    Parameters
    ----------
    sums : GroupSums
        The totals of cells of misses and of hits, by stratum.
    hits : array of shape (E,)
        Whether each entry of the sums counts hits (1.0) or misses (0.0).
    certain : array of bool, shape (G,)
        The strata whose coverage is known beforehand.
    """

    sums: GroupSums
    hits: Floats
    certain: Bools

    @classmethod
    def of(
        cls,
        stratum: Ints,
        hit: Array,
        totals: Array,
        squares: Floats | None,
        certain: Sequence[int] = (),
    ) -> Strata:
        """The strata of cells, which are given in the order of the strata.

        Parameters
        ----------
        stratum, hit, totals, squares : array of shape (E,)
            The number of the stratum of each cell, whether it has hits, and its sums.
        certain : sequence of int
            The numbers of the strata whose coverage is known beforehand.
        """
        occurring, group = np.unique(stratum, return_inverse=True)
        sums = GroupSums(group.ravel(), len(occurring), totals, squares)
        return cls(sums, hit.astype(np.float64), np.isin(occurring, certain))

    def measure(self, summary: Summary, *, by_rows: bool = False) -> RegionEstimate:
        """The estimate of a measure; with `by_rows` it depends on the shares of the rows."""
        at = self.coverage, self.sums.n / self.sums.n.sum()
        value, _ = summary(Box(at[0], at[0], at[1], at[1]))
        return RegionEstimate.of(value, self.n_units, StrataRegion(self, summary, by_rows))

    @property
    def coverage(self) -> Floats:
        """The share of hits in each stratum."""
        mean, _ = mean_and_error(self.hits, self.sums)
        return np.asarray(mean)

    @property
    def n_units(self) -> float:
        """The equivalent number of equally weighted rows in all strata."""
        squares = self.sums.totals if self.sums.squares is None else self.sums.squares
        return float(equivalent_units(self.sums.n.sum(), squares.sum()))

    def box(self, level: float, *, by_rows: bool) -> Box:
        """Intervals that together have the level (Bonferroni)."""
        coverage, share = self.coverage, self.sums.n / self.sums.n.sum()
        n_intervals = int((~self.certain).sum()) + by_rows * len(share)
        each = 1 - (1 - level) / max(n_intervals, 1)
        G = len(share)
        low, high = group_intervals(self.hits, self.sums, np.zeros(G), np.ones(G), each)
        low, high = np.minimum(low, coverage), np.maximum(high, coverage)
        low, high = (np.where(self.certain, coverage, end) for end in (low, high))
        least, most = self._share_intervals(each) if by_rows and G > 1 else (share, share)
        return Box(low, high, np.minimum(least, share), np.maximum(most, share))

    def _share_intervals(self, level: float) -> tuple[Floats, Floats]:
        """The interval of the share of each of several strata in the rows."""
        sums = self.sums
        n, units = (np.full(sums.n_groups, x) for x in (sums.n.sum(), self.n_units))
        squares = None
        if sums.squares is not None:
            inside = np.bincount(sums.group, sums.squares, sums.n_groups)
            squares = np.column_stack([inside, sums.squares.sum() - inside])
        cells = MeanCells(np.column_stack([sums.n, n - sums.n]), squares, n, units)
        values = np.tile([1.0, 0.0], (sums.n_groups, 1))
        ends = np.zeros(sums.n_groups), np.ones(sums.n_groups)
        return mean_intervals(values, cells, *ends, level)


@dataclass(frozen=True, eq=False)
class StrataRegion:
    """Simultaneous intervals of strata, seen through a measure."""

    strata: Strata
    summary: Summary
    by_rows: bool = False

    def interval(self, level: float) -> tuple[float, float]:
        """The range of the measure over the box of the intervals."""
        return self.summary(self.strata.box(level, by_rows=self.by_rows))


# -- dependence of coverage on size ----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class CovarianceRegion:
    """Covariances of the sizes with the hits, and the errors that they may have.

    The criterion is the norm sqrt(d' K d) of the covariances d of "the set has k classes" and "the
    set hits", since hits have two values.  By the triangle inequality it is within sqrt(e' K e) of
    the true one, where e is the error of d: for many rows normal around 0 with a known covariance,
    whether or not d is 0.  The distribution of e' K e is approximated by a scaled and shifted
    chi-square with the same mean, variance and skewness (Pearson; see Imhof, 1961).  As Agresti &
    Coull (1998) do for a proportion, two hits and two misses are added to the rows of each size
    before the covariance is estimated: sizes of few rows would seem too certain otherwise.

    Parameters
    ----------
    value : float
        The estimated norm.
    kernel : array of shape (S, S)
        K, of the sizes that occur.
    totals, squares : array of shape (S, 2)
        Sums of the weights of misses and hits by size, and of their squares.
    """

    value: float
    kernel: Floats
    totals: Floats
    squares: Floats

    def interval(self, level: float) -> tuple[float, float]:
        """The norms that differ from the estimate by at most the quantile of the error's norm."""
        q = self.largest_error(level)
        # covariances with a hit add up to at most 1/2, half of them positive
        largest = sqrt(2 * (self.kernel.max() - self.kernel.min())) / 4
        return max(self.value - q, 0.0), max(min(self.value + q, largest), self.value)

    def largest_error(self, level: float) -> float:
        """The quantile of sqrt(e' K e)."""
        from scipy.special import chdtri

        product = self.kernel @ self._covariance()
        square = product @ product
        mean, second, third = (float(np.trace(m)) for m in (product, square, square @ product))
        if len(self.kernel) == 1:  # sets of one size
            return 0.0
        freedom = second**3 / third**2
        chi = float(chdtri(freedom, 1 - level))
        return sqrt(max(mean + (chi - freedom) * sqrt(second / freedom), 0.0))

    def _covariance(self) -> Floats:
        """The covariance matrix of the errors of the covariances."""
        average = self.squares.sum() / self.totals.sum()  # the weight of a typical row
        added = _ADDED * average
        totals, squares = self.totals + added, self.squares + average * added
        n = totals.sum()
        by_size, hit_rate = totals.sum(axis=1) / n, totals[:, 1].sum() / n
        deviation = np.eye(len(totals)) - by_size  # of the sizes, one row per size of a row
        miss, hit = -hit_rate * deviation, (1 - hit_rate) * deviation
        each = np.concatenate([miss, hit])
        weight = totals.T.ravel() / n
        each -= weight @ each
        units = float(equivalent_units(n, squares.sum()))
        return (each.T * squares.T.ravel()) @ each * (units / (units - 1)) / n**2
