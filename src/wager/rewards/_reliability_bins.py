"""Calibration: reported probability and observed frequency, bin by bin.

A few sums are kept for each bin.  The sums of two parts add up to those of the whole, and the
reliability curve, the calibration errors, their debiased forms and Murphy's (1973) decomposition
of the Brier score are computed from them without the data.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wager._tables import ROUNDING, RowUnits, Table, View, Viewed, ViewedFields
from wager._typing import Bools, Floats, Ints
from wager._visible import brief
from wager.rewards._block_sums import bin_of, bin_sums
from wager.rewards._probability_block import ProbabilityBlock
from wager.rewards._probability_rows import ProbabilityRows
from wager.rewards._summable import difference

WEIGHT, P, P2, EVENT, P_EVENT, WEIGHT2, VARIANCE, GAP2 = range(8)
N_SUMS = GAP2 + 1
FIRST = 5  # the columns from which the others follow if every row has weight 1


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityBins(Viewed):
    """Sums over bins of [0, 1] of equal width, for one or several kinds of event.

    A bin is closed on the right, as in scikit-learn's ``calibration_curve``; the first one also
    contains 0.

    Parameters
    ----------
    sums : ndarray of shape (n_events, n_bins, 8)
        Weight, sum of p, of p squared, of the event (0 or 1), and of p times the event; and with
        squared weights the sums of 1, of p (1 - p), and of (p - event) squared.  Without the last
        three columns, as in tallies of version 0.1.0, they are NaN.
    clusters : ndarray of shape (n_events, n_bins, n_bins + 1), optional
        If rows are clustered: the second moments of the clusters' totals of p - event between
        bins, and in the last column the sums of the squared weights of clusters.
    """

    sums: Floats
    clusters: Floats | None = None

    def _view(self) -> View:
        n_events, n_bins = self.sums.shape[:2]
        weight, p, _, event = (self.sums[..., j].sum(axis=0) for j in range(4))
        rows = [
            [f"{j / n_bins:.3f} to {(j + 1) / n_bins:.3f}", f"{n:.6g}", p[j] / n, event[j] / n]
            for j, n in enumerate(weight.tolist())
            if n
        ]
        kinds = "" if n_events == 1 else f", {n_events} classes together"
        headers = ["probability", "weight", "mean reported", "observed"]
        return View(f"{n_bins} bins of reported probabilities{kinds}", [Table(headers, rows)])

    def __post_init__(self) -> None:
        if self.sums.shape[-1] == FIRST:
            missing = np.full((*self.sums.shape[:2], GAP2 + 1 - FIRST), np.nan)
            object.__setattr__(self, "sums", np.concatenate([self.sums, missing], axis=-1))

    @classmethod
    def of_plain_rows(cls, sums: Floats) -> ReliabilityBins:
        """Bins of rows of weight 1, from the first five sums."""
        weight, p, p2, event, p_event = np.moveaxis(sums[..., :FIRST], -1, 0)
        # each sum apart in memory, which is faster to fill for very many classes
        table = np.moveaxis(np.empty((N_SUMS, *sums.shape[:-1])), 0, -1)
        table[..., :FIRST] = sums[..., :FIRST]
        table[..., WEIGHT2] = weight
        np.subtract(p, p2, out=table[..., VARIANCE])
        np.subtract(p2 + event, 2 * p_event, out=table[..., GAP2])
        return cls(table)

    @classmethod
    def top_label(cls, rows: ProbabilityRows | ProbabilityBlock, n_bins: int) -> ReliabilityBins:
        """One event: the class with the largest probability is the true one."""
        total: Floats | None = None
        for block in [rows] if isinstance(rows, ProbabilityBlock) else ProbabilityBlock.split(rows):
            p, event = block.largest, block.is_right
            if block.units.is_plain:
                part = bin_sums(p[None], event.astype(np.intp) - 1, n_bins)
            else:
                place = bin_of(p, n_bins)
                sums = _weighted_sums(place, p, event, block.units, len(block), n_bins)
                part = np.array(sums).T[None]
            total = part if total is None else total + part
        assert total is not None
        return completed(total)

    @classmethod
    def by_class(cls, rows: ProbabilityRows | ProbabilityBlock, n_bins: int) -> ReliabilityBins:
        """One event per class: it is the true one; for listed probabilities see `class_bins`."""
        total: Floats | None = None
        for block in _blocks(rows):
            K = len(block.columns)
            if block.units.is_plain:
                part = bin_sums(block.columns, block.truth, n_bins)
            else:
                place = bin_of(block.columns, n_bins) + n_bins * np.arange(K)[:, None]
                event = np.zeros(block.columns.size, dtype=bool)
                event[block.true_place] = True
                flat = (place.ravel(), block.columns.ravel(), event)
                sums = _weighted_sums(*flat, block.units, len(block), K * n_bins)
                part = np.array(sums).T.reshape(K, n_bins, len(sums))
            total = part if total is None else total + part
        assert total is not None
        return completed(np.ascontiguousarray(total))

    def of_clusters(self, totals: Iterable[Floats]) -> ReliabilityBins:
        """The same rows in clusters, from each event's totals (see `gap_totals`)."""
        tables = []
        for gaps, weights in totals:
            squares = (weights * weights).sum(axis=0)
            tables.append(np.column_stack([gaps.T @ gaps, squares]))
        return ReliabilityBins(self.sums, np.array(tables))

    def __add__(self, other: ReliabilityBins) -> ReliabilityBins:
        if self.sums.shape != other.sums.shape:
            raise ValueError(
                f"cannot add bins of shape {self.sums.shape[:2]} to bins of shape "
                f"{other.sums.shape[:2]}: both parts need the same classes and n_bins"
            )
        clusters = None
        if self.clusters is not None or other.clusters is not None:
            clusters = self.unit_squares + other.unit_squares
        return ReliabilityBins(self.sums + other.sums, clusters)

    def __sub__(self, other: ReliabilityBins) -> ReliabilityBins:
        """The bins without the rows of a part; a bin without rows has exact zeros."""
        if self.sums.shape != other.sums.shape:
            raise ValueError(
                f"cannot subtract bins of shape {other.sums.shape[:2]} from bins of shape "
                f"{self.sums.shape[:2]}: both parts need the same classes and n_bins"
            )
        weight = difference(self.weight, other.weight)
        sums = np.where(weight[..., None] > 0, self.sums - other.sums, 0.0)
        sums[..., WEIGHT] = weight
        clusters = None
        if self.clusters is not None or other.clusters is not None:
            clusters = self.unit_squares - other.unit_squares
        return ReliabilityBins(sums, clusters)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ReliabilityBins):
            return NotImplemented
        if not np.array_equal(self.sums, other.sums, equal_nan=True):
            return False
        if self.clusters is None and other.clusters is None:
            return True  # the squares of single rows follow from the sums
        return np.array_equal(self.unit_squares, other.unit_squares, equal_nan=True)

    __hash__ = None  # type: ignore[assignment]

    @property
    def unit_squares(self) -> Floats:
        """Second moments of the units' totals, as in `clusters`; of single rows by default."""
        if self.clusters is not None:
            return self.clusters
        between = self.sums[..., GAP2, None] * np.eye(self.sums.shape[1])
        return np.concatenate([between, self.sums[..., WEIGHT2, None]], axis=-1)

    @property
    def gaps(self) -> Floats:
        """Total of reported minus observed in each bin, shape (n_events, n_bins)."""
        return self.sums[..., P] - self.sums[..., EVENT]

    @property
    def weight(self) -> Floats:
        """Total weight of the rows in each bin, shape (n_events, n_bins)."""
        return self.sums[..., WEIGHT]

    @property
    def reported(self) -> Floats:
        """Mean reported probability in each bin, NaN in an empty one."""
        return self._per_weight(P)

    @property
    def observed(self) -> Floats:
        """Frequency of the event in each bin, NaN in an empty one."""
        return self._per_weight(EVENT)

    @property
    def calibration_error(self) -> Floats:
        """Mean gap between reported and observed, weighted by the rows of the bins, by event."""
        return np.abs(self.gaps).sum(axis=1) / self.weight.sum(axis=1)

    @cached_property
    def error_if_calibrated(self) -> Floats:
        """The calibration error to expect of calibrated probabilities in so many rows, by event.

        The number of events in a bin is then binomial.  Weighted rows count as fewer equal ones,
        and clustered rows as fewer independent ones.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            p = np.clip(self.sums[..., P] / self.weight, 0, 1)
        rows = self.effective_rows
        gap = _binomial_deviation(rows, p) / rows
        return np.where(self.weight > 0, self.weight * gap, 0).sum(axis=1) / self.weight.sum(axis=1)

    @property
    def squared_error_debiased(self) -> Floats:
        """Unbiased estimate of the mean squared gap between reported and observed, by event.

        The square of a bin's gap is a mean over pairs of rows.  Only pairs of independent rows are
        counted, so that chance adds nothing (Bröcker, 2012; Kumar, Liang & Ma, 2019); a bin whose
        rows are all in one unit is left out.  NaN if there is no pair.
        """
        own, squares = self.sums[..., GAP2], self.sums[..., WEIGHT2]
        if self.clusters is not None:
            own = np.diagonal(self.clusters[..., :-1], axis1=1, axis2=2)
            squares = self.clusters[..., -1]
        pairs = self.weight**2 - squares
        usable = ~(pairs <= ROUNDING * self.weight**2)  # NaN stays
        weight = np.where(usable, self.weight, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            gap = np.where(usable, (self.gaps**2 - own) / pairs, 0)
            return (weight * gap).sum(axis=1) / weight.sum(axis=1)

    @property
    def effective_rows(self) -> Floats:
        """The equivalent number of independent rows of equal weight in each bin."""
        with np.errstate(invalid="ignore", divide="ignore"):
            rows = np.nan_to_num(self.weight**2 / self.sums[..., WEIGHT2], nan=1.0)
            rows = np.where(np.isnan(self.sums[..., WEIGHT2]), np.nan, rows)
            if self.clusters is None:
                return rows
            own = np.diagonal(self.clusters[..., :-1], axis1=1, axis2=2)
            ratio = np.nansum(own / self.weight, axis=1) / np.nansum(
                self.sums[..., GAP2] / self.weight, axis=1
            )
        return np.maximum(rows / np.maximum(np.nan_to_num(ratio), 1.0)[:, None], 1.0)

    @property
    def largest_gap(self) -> Floats:
        """The largest gap between reported and observed in any bin, by event."""
        return np.nanmax(np.abs(self.reported - self.observed), axis=1)

    def brier_split(self) -> BrierSplit:
        """The Brier score of all events together, and its parts."""
        total = self.weight.sum(axis=1)
        base_rate = self.sums[..., EVENT].sum(axis=1) / total
        sums = np.moveaxis(self.sums, -1, 0)
        brier = (sums[P2] - 2 * sums[P_EVENT] + sums[EVENT]).sum(axis=1) / total
        reported, observed = np.nan_to_num(self.reported), np.nan_to_num(self.observed)
        reliability = (self.weight * (reported - observed) ** 2).sum(axis=1) / total
        resolution = (self.weight * (observed - base_rate[:, None]) ** 2).sum(axis=1) / total
        uncertainty = base_rate * (1 - base_rate)
        within = brier - (reliability - resolution + uncertainty)
        parts = (brier, reliability, resolution, uncertainty, within)
        return BrierSplit(*(float(part.sum()) for part in parts))

    def _per_weight(self, column: int) -> Floats:
        with np.errstate(invalid="ignore"):  # an empty bin has no mean
            return self.sums[..., column] / self.weight


@dataclass(frozen=True, repr=False)
class BrierSplit(ViewedFields):
    """The Brier score and its parts: ``reliability - resolution + uncertainty + within_bins``.

    Parameters
    ----------
    brier : float
        Mean over rows of the squared distance to the true corner, summed over classes (0 to 2).
    reliability : float
        Mean squared gap between reported and observed in the bins: 0 if well calibrated.
    resolution : float
        How far the frequencies in the bins are from the overall ones: how informative it is.
    uncertainty : float
        Variance of the classes themselves, which does not depend on the predictions.
    within_bins : float
        The remainder, from different probabilities in the same bin; 0 if each bin has one value.
    """

    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within_bins: float


def check_bins(n_bins: Any) -> int:
    """The number of bins, if it is a whole number of at least 1."""
    if not isinstance(n_bins, (int, np.integer)) or n_bins < 1:
        raise ValueError(f"n_bins must be a whole number of at least 1, got {brief(n_bins)}")
    return int(n_bins)


def gap_totals(p: Floats, event: Floats, rows: ProbabilityRows, n_bins: int) -> Floats:
    """Totals of weight times (p - event), and of weight, by cluster and bin: (2, G, n_bins)."""
    codes, labels = rows.units.clusters, rows.units.labels
    assert codes is not None
    assert labels is not None
    weight = _weights(rows)[0]
    place, size = codes * n_bins + bin_of(p, n_bins), len(labels) * n_bins
    sums = [np.bincount(place, term, size) for term in (weight * (p - event), weight)]
    return np.array(sums, dtype=np.float64).reshape(2, len(labels), n_bins)


def _weights(rows: ProbabilityRows) -> tuple[Floats, Floats]:
    """What each row adds to a total, and to a sum of squares."""
    totals, squares = rows.units.totals, rows.units.squares
    ones = np.ones(len(rows.truth))
    return ones if totals is None else totals, ones if squares is None else squares


def _binomial_deviation(n: Floats, p: Floats) -> Floats:
    """The mean absolute deviation of a binomial variable (De Moivre), also for fractional n."""
    from scipy.special import gammaln, xlog1py, xlogy

    found = np.zeros(np.broadcast_shapes(n.shape, p.shape))
    some = (p > 0) & (p < 1) | np.isnan(n)  # few of the bins of very many classes
    n, p = n[some], p[some]
    k = np.floor(n * p) + 1
    with np.errstate(invalid="ignore", divide="ignore"):
        logarithm = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        logarithm += xlogy(k, p) + xlog1py(n - k + 1, -p)
        found[some] = 2 * k * np.exp(logarithm)
    return found


def _blocks(rows: ProbabilityRows | ProbabilityBlock) -> Iterable[ProbabilityBlock]:
    blocks = [rows] if isinstance(rows, ProbabilityBlock) else ProbabilityBlock.split(rows)
    return (block for block in blocks if isinstance(block, ProbabilityBlock))


def completed(sums: Floats) -> ReliabilityBins:
    """Bins from all sums, or from the first ones if every row has weight 1."""
    if sums.shape[-1] == FIRST:
        return ReliabilityBins.of_plain_rows(sums)
    return ReliabilityBins(sums)


def _weighted_sums(
    place: Ints, p: Floats, event: Bools, units: RowUnits, n_rows: int, size: int
) -> list[Floats]:
    """The sums for cells of weighted or repeated rows, which come class by class."""
    totals, squares = units.totals, units.squares
    totals = np.ones(n_rows) if totals is None else totals  # rows in clusters
    n_classes = len(place) // n_rows
    weight = np.tile(totals, n_classes).astype(np.float64)
    weighted = weight * p
    terms = [weight, weighted, weighted * p, weight * event, weighted * event]
    if units.weights is not None:
        assert squares is not None
        square = np.tile(squares, n_classes)
        terms += [square, square * p * (1 - p), square * (p - event) ** 2]
    return [_sums(place, term, size) for term in terms]


def _sums(place: Ints, terms: Floats, size: int) -> Floats:
    return np.asarray(np.bincount(place, terms, size), dtype=np.float64)
