"""Sums of a reward by true class: enough for its mean and for the uncertainty of the mean.

The standard error follows from the second moments of what the independent units add to the total
weight and to the total of the reward, and the skewness from the third.  The units are rows, or
clusters of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from wager._tables import RowUnits
from wager._typing import Array, Floats, Ints
from wager.rewards._summable import difference, plain_numbers

_MANY_TOTALS = 1 << 22  # by cluster and class: beyond, only those that occur are added up
_LARGEST_MEAN = 1e100  # of scores; squares of larger ones could overflow
_ROUNDING = 1e-14  # a spread this small, relative to the squares, is a rounding error


class ClusterMoments(NamedTuple):
    """What sums by class do not contain if the units are clusters.

    Parameters
    ----------
    units : ndarray of int, shape (n_classes + 1,)
        The number of clusters with rows of each class, and of all clusters.
    overall : ndarray of shape (7,)
        Second and third moments of the totals of clusters over all classes, as in `RewardSums`.
    """

    units: Ints
    overall: Floats

    def __add__(self, other: object) -> ClusterMoments:
        if not isinstance(other, ClusterMoments):
            return NotImplemented
        return ClusterMoments(self.units + other.units, self.overall + other.overall)


@dataclass(frozen=True, eq=False)
class RewardSums:
    """Sums of one reward by true class, enough for its mean and standard error.

    Parameters
    ----------
    rows, infinite : ndarray of int, shape (n_classes,)
        Rows of positive weight, and how many of them earned minus infinity.
    sums : ndarray of shape (9, n_classes)
        Over the finite rows: w and w x; and over the units, with W and X the sums of w and w x of
        a unit: W^2, W X, X^2, and W^3, W^2 X, W X^2, X^3.  In tallies of version 0.1.0 the last
        four are missing, and NaN here.
    clusters : ClusterMoments, optional
        If the units are clusters; by default every row is a unit.

    Examples
    --------
    >>> sums = RewardSums.of(np.array([1.0, 2.0, 3.0]), np.zeros(3, dtype=int), RowUnits(), 1)
    >>> sums.mean, round(sums.standard_error, 4), sums.n
    (2.0, 0.5774, 3.0)
    """

    rows: Ints
    infinite: Ints
    sums: Floats
    clusters: ClusterMoments | None = None

    @classmethod
    def of(cls, values: Floats, truth: Ints, units: RowUnits, n_classes: int) -> RewardSums:
        """Sums over rows; rows of weight 0 are left out."""
        rows, infinite = count_rows(values, truth, units, n_classes)
        if units.clusters is not None:
            assert units.labels is not None
            empty = cls(rows, infinite, np.zeros((9, n_classes)))
            if len(units.labels) * n_classes > _MANY_TOTALS:
                return empty._of_few_totals(values, truth, units)
            return empty.of_clusters(cluster_totals(values, truth, units, n_classes))
        finite, each, counts, weights = np.isfinite(values), units.totals, units.counts, None
        if not finite.all():
            values, truth = values[finite], truth[finite]
            each = None if each is None else each[finite]
            counts = None if counts is None else counts[finite]
        if units.weights is None:  # then w is its square and its cube
            moments = _moments(values, truth, each, n_classes)
            return cls(rows, infinite, _of_equal_weights(moments))
        weights = units.weights[finite]
        terms = [weights if counts is None else weights * counts]
        terms += [terms[0] * weights, terms[0] * weights * weights]
        sums = [*_moments(values, truth, terms[0], n_classes)[:2]]
        sums += _moments(values, truth, terms[1], n_classes)[:3]
        sums += _moments(values, truth, terms[2], n_classes)
        return cls(rows, infinite, np.array(sums))

    @classmethod
    def of_moments(cls, moments: Floats, infinite: Ints) -> RewardSums:
        """The sums of rows of weight 1, from what `moments_by_class` returns."""
        return cls(moments[0].astype(np.int64) + infinite, infinite, _of_equal_weights(moments))

    def of_clusters(self, totals: Floats) -> RewardSums:
        """The same rows in clusters, from the totals of each cluster (see `cluster_totals`)."""
        weight, first = totals
        overall = unit_products(weight.sum(axis=1), first.sum(axis=1)).sum(axis=1)
        sums = np.vstack([totals.sum(axis=1), unit_products(weight, first).sum(axis=1)])
        units = np.append((weight > 0).sum(axis=0), (weight.sum(axis=1) > 0).sum())
        return RewardSums(self.rows, self.infinite, sums, ClusterMoments(units, overall))

    def _of_few_totals(self, values: Floats, truth: Ints, units: RowUnits) -> RewardSums:
        """As `of_clusters`, from the pairs of cluster and class that occur."""
        assert units.clusters is not None
        n_classes, finite = len(self.rows), np.isfinite(values)
        each = np.ones(len(values)) if units.totals is None else units.totals
        terms = each[finite].astype(np.float64), (each * values)[finite]
        pair, place = np.unique(
            units.clusters[finite] * n_classes + truth[finite], return_inverse=True
        )
        weight, first = (_float_sums(place, term, len(pair)) for term in terms)
        cluster, code = np.divmod(pair, n_classes)
        by_class = [weight, first, *unit_products(weight, first)]
        sums = np.array([np.bincount(code, term, n_classes) for term in by_class])
        n_clusters = int(units.clusters.max(initial=-1)) + 1
        totals = [_float_sums(cluster, term, n_clusters) for term in (weight, first)]
        counted = np.bincount(code[weight > 0], minlength=n_classes)
        moments = ClusterMoments(
            np.append(counted, (totals[0] > 0).sum()), unit_products(*totals).sum(axis=1)
        )
        return RewardSums(self.rows, self.infinite, sums.astype(np.float64), moments)

    def __sub__(self, other: RewardSums) -> RewardSums:
        """The sums without a part; a class without rows has exact zeros."""
        rows = difference(self.rows, other.rows)
        infinite = difference(self.infinite, other.infinite)
        sums = np.where(rows > infinite, self.sums - other.sums, 0.0)
        if self.clusters is None and other.clusters is None:
            return RewardSums(rows, infinite, sums)
        ours, theirs = self.moments, other.moments
        moments = ClusterMoments(ours.units - theirs.units, ours.overall - theirs.overall)
        return RewardSums(rows, infinite, sums, moments)

    def __add__(self, other: RewardSums) -> RewardSums:
        clusters = None
        if self.clusters is not None or other.clusters is not None:
            clusters = self.moments + other.moments
        return RewardSums(
            self.rows + other.rows,
            self.infinite + other.infinite,
            self.sums + other.sums,
            clusters,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RewardSums):
            return NotImplemented
        return (
            np.array_equal(self.rows, other.rows)
            and np.array_equal(self.infinite, other.infinite)
            and np.array_equal(self.sums, other.sums, equal_nan=True)
            and np.array_equal(self.moments.units, other.moments.units)
            and np.array_equal(self.moments.overall, other.moments.overall, equal_nan=True)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def moments(self) -> ClusterMoments:
        """The number of units by class and overall, and their second moments overall."""
        if self.clusters is not None:
            return self.clusters
        return ClusterMoments(np.append(self.rows, self.rows.sum()), self.sums[2:].sum(axis=1))

    @cached_property
    def by_class_and_overall(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Mean, standard error, effective number of units and skewness: by class, overall last.

        The mean is minus infinity if a row earned minus infinity, and NaN without rows; the
        standard error is NaN for fewer than two units or an infinite mean; the effective number of
        units is (sum of their weights)^2 / (sum of squares); the skewness is that of the mean, 0
        if it is not known.
        """
        units, overall = self.moments
        weight, first = _with_total(self.sums[0]), _with_total(self.sums[1])
        moments = np.column_stack([self.sums[2:], overall])
        infinite = _with_total(self.infinite) > 0
        # a class without rows has no mean, and huge sums no error
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            mean = first / weight
            # sum over units of (X - mean W)^2: for rows of equal weight the usual s / sqrt(n)
            spread = moments[2] - 2 * mean * moments[1] + mean * mean * moments[0]
            spread = np.where(spread > _ROUNDING * moments[2], spread, 0)
            third = moments[6] - mean * (
                3 * moments[5] - mean * (3 * moments[4] - mean * moments[3])
            )
            error = np.sqrt(spread * units / (units - 1)) / weight
            n = np.where(weight > 0, weight * weight / moments[0], 0)
            skewness = third / spread**1.5
        error = np.where(infinite | (units < 2), np.nan, error)
        known = np.isfinite(skewness) & (spread > 0)
        return np.where(infinite, -np.inf, mean), error, n, np.where(known, skewness, 0)

    @property
    def mean(self) -> float:
        """The mean over all rows; minus infinity if one of them earned minus infinity."""
        return float(self.by_class_and_overall[0][-1])

    @property
    def standard_error(self) -> float:
        """Standard error of the mean; NaN for fewer than two units or an infinite mean."""
        return float(self.by_class_and_overall[1][-1])

    @property
    def n(self) -> float:
        """The effective number of units."""
        return float(self.by_class_and_overall[2][-1])

    @property
    def skewness(self) -> float:
        """Skewness of the mean over all rows."""
        return float(self.by_class_and_overall[3][-1])

    def to_list(self) -> list[Any]:
        """The sums as plain data."""
        short = np.vstack([self.sums[:5], self.sums[-1:]])  # the others follow
        follow = np.array_equal(_of_equal_weights(short[[0, 1, 4, 5]]), self.sums, equal_nan=True)
        known = short if follow else self.sums
        data = [self.rows.tolist(), self.infinite.tolist()]
        data.append((known[:5] if np.isnan(self.sums[5:]).all() else known).tolist())
        if self.clusters is not None:
            data += [self.clusters.units.tolist(), self.clusters.overall.tolist()]
        return data

    @classmethod
    def from_list(cls, data: list[Any], n_classes: int | None = None) -> RewardSums:
        """The sums that `to_list` wrote, also those of version 0.1.0."""
        n_classes = len(data[0]) if n_classes is None else n_classes
        rows, infinite = (plain_numbers(part, "rows", (n_classes,)) for part in data[:2])
        sums = plain_numbers(data[2], "sums", signed=True)
        if sums.ndim != 2 or sums.shape[1] != n_classes or len(sums) not in (5, 6, 9):
            raise ValueError(f"sums must have the shape (9, {n_classes}), got {sums.shape}")
        if (np.abs(sums[1]) / _LARGEST_MEAN > sums[0]).any():
            raise ValueError(f"sums must be those of scores up to {_LARGEST_MEAN:g}")
        rest = [plain_numbers(part, "clusters", signed=True) for part in data[3:]]
        if len(sums) == 5:
            sums = np.vstack([sums, np.full((4, sums.shape[1]), np.nan)])
        elif len(sums) == 6:
            sums = _of_equal_weights(sums[[0, 1, 4, 5]])
        return cls(rows, infinite, sums, ClusterMoments(*rest) if rest else None)


def cluster_totals(values: Floats, truth: Ints, units: RowUnits, n_classes: int) -> Floats:
    """The sums of w and of w x over the finite rows, by cluster and class: shape (2, G, K)."""
    assert units.clusters is not None
    assert units.labels is not None
    n_clusters = len(units.labels)
    finite = np.isfinite(values)
    weights = np.ones(len(values)) if units.totals is None else units.totals
    place = (units.clusters * n_classes + truth)[finite]
    terms = weights[finite], weights[finite] * values[finite]
    sums = [np.bincount(place, term, n_clusters * n_classes) for term in terms]
    return np.array(sums, dtype=np.float64).reshape(2, n_clusters, n_classes)


def count_rows(values: Floats, truth: Ints, units: RowUnits, n_classes: int) -> tuple[Ints, Ints]:
    """Rows of positive weight by class, and those without a finite value."""
    counts = np.ones(len(values), dtype=np.int64) if units.counts is None else units.counts
    if units.weights is not None:
        counts = np.where(units.weights > 0, counts, 0)
    lost = ~np.isfinite(values)
    rows = np.bincount(truth, counts, n_classes).astype(np.int64)
    return rows, np.bincount(truth[lost], counts[lost], n_classes).astype(np.int64)


def _moments(values: Floats, truth: Ints, weights: Floats | None, n_classes: int) -> list[Floats]:
    """The sums of w, w x, w x^2 and w x^3 by class."""
    term = np.ones(len(values)) if weights is None else weights
    sums: list[Floats] = []
    for _ in range(4):
        sums.append(np.bincount(truth, term, n_classes).astype(np.float64))
        with np.errstate(over="ignore", invalid="ignore"):  # cubes of 1e103 and more
            term = term * values
    return sums


def _of_equal_weights(moments: Any) -> Floats:
    """All sums from those of 1, x, x^2 and x^3, for rows of weight 1."""
    one, first, second, third = moments
    return np.array([one, first, one, first, second, one, first, second, third])


def unit_products(w: Floats, x: Floats) -> Floats:
    """The squares and cubes of the totals of units, as in `RewardSums`."""
    return np.array([w * w, w * x, x * x, w**3, w * w * x, w * x * x, x**3])


def _with_total(values: Array) -> Array:
    return np.append(values, values.sum())


def _float_sums(place: Ints, terms: Floats, size: int) -> Floats:
    return np.bincount(place, terms, size).astype(np.float64, copy=False)
