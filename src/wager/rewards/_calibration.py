"""Reported probability against observed frequency, bin by bin.

Of a bin five sums are kept: weight, p, p squared, event, and p times event.  The sums of two parts
add up to those of the whole, and the reliability curve, the calibration errors and Murphy's (1973)
split of the Brier score are read off them without the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import row_blocks
from wager._typing import ArrayLike, Floats, Ints
from wager.predictions import align_probabilities, check_weights

WEIGHT, P, P2, EVENT, P_EVENT = range(5)


@dataclass(frozen=True, eq=False)
class ReliabilityBins:
    """Sums over equal bins of [0, 1] for one or several kinds of event.

    A bin is closed on the right, as in scikit-learn's ``calibration_curve``; the first one holds 0
    as well.

    Parameters
    ----------
    sums : ndarray of shape (n_events, n_bins, 5)
        Weight, sum of p, of p squared, of the event (0 or 1), and of p times the event.
    """

    sums: Floats

    @classmethod
    def top_label(
        cls, truth: Ints, proba: Floats, weights: Floats | None, n_bins: int
    ) -> ReliabilityBins:
        """One event: the class named with the largest probability is the true one."""
        sums = np.zeros((1, n_bins, 5))
        for rows in row_blocks(*proba.shape):
            named = proba[rows].argmax(axis=1)
            p = proba[rows][np.arange(len(named)), named]
            w = np.ones(len(p)) if weights is None else weights[rows]
            place, event = _bin_of(p, n_bins), named == truth[rows]
            for column, values in enumerate((w, w * p, w * p * p, w * event, w * p * event)):
                sums[0, :, column] += np.bincount(place, values, n_bins)
        return cls(sums)

    @classmethod
    def by_class(
        cls, truth: Ints, proba: Floats, weights: Floats | None, n_bins: int
    ) -> ReliabilityBins:
        """One event a class: it is the true one."""
        n_classes = proba.shape[1]
        size = n_classes * n_bins
        sums = np.zeros((5, size))
        for rows in row_blocks(*proba.shape):
            p, true = proba[rows], truth[rows]
            place = _bin_of(p, n_bins) + n_bins * np.arange(n_classes)
            w = np.ones(len(p)) if weights is None else weights[rows]
            weighted = p * w[:, None]
            spread = np.broadcast_to(w[:, None], p.shape)
            for column, values in ((WEIGHT, spread), (P, weighted), (P2, weighted * p)):
                sums[column] += np.bincount(place.ravel(), values.ravel(), size)
            row = np.arange(len(p))
            place, p = place[row, true], p[row, true]  # the event happens in one column a row
            sums[EVENT] += np.bincount(place, w, size)
            sums[P_EVENT] += np.bincount(place, w * p, size)
        return cls(np.ascontiguousarray(np.moveaxis(sums.reshape(5, n_classes, n_bins), 0, -1)))

    def __add__(self, other: ReliabilityBins) -> ReliabilityBins:
        if self.sums.shape != other.sums.shape:
            raise ValueError(
                f"cannot add bins of shape {self.sums.shape[:2]} to bins of shape "
                f"{other.sums.shape[:2]}: both parts need the same classes and n_bins"
            )
        return ReliabilityBins(self.sums + other.sums)

    @property
    def weight(self) -> Floats:
        """Weight of the rows in each bin, shape (n_events, n_bins)."""
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
        gaps = np.abs(self.sums[..., P] - self.sums[..., EVENT]).sum(axis=1)
        return gaps / self.weight.sum(axis=1)

    @property
    def largest_gap(self) -> Floats:
        """The largest gap between reported and observed in any bin, by event."""
        return np.nanmax(np.abs(self.reported - self.observed), axis=1)

    def brier_split(self) -> BrierSplit:
        """The Brier score of all events together, and what it is made of."""
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


@dataclass(frozen=True)
class BrierSplit:
    """The Brier score and its parts: ``reliability - resolution + uncertainty + within_bins``.

    Parameters
    ----------
    brier : float
        Mean over rows of the squared distance to the true corner, summed over classes (0 to 2).
    reliability : float
        Squared gaps between reported and observed in the bins: 0 for a calibrated report.
    resolution : float
        How far the bins' frequencies are from the overall ones: what the report knows.
    uncertainty : float
        Variance of the classes themselves, which no report can change.
    within_bins : float
        What the spread of the reports inside a bin leaves over; 0 if each bin holds one value.
    """

    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within_bins: float


def brier_decomposition(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    n_bins: int = 15,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> BrierSplit:
    """Split the Brier score into reliability, resolution and uncertainty (Murphy, 1973).

    The score of several classes is the sum of the scores of each class against the rest, as in
    scikit-learn's ``brier_score_loss``; each of them is split over equal bins, and the parts are
    summed.  A convenience beside the rewards of this room.

    Parameters
    ----------
    y_true, proba, sample_weight, classes
        As in `good_reward`.
    n_bins : int, default=15
        Number of equal bins of [0, 1].

    Examples
    --------
    >>> split = brier_decomposition([0, 1, 1, 1], [[0.25, 0.75]] * 4)
    >>> split.brier, split.reliability, split.uncertainty
    (0.375, 0.0, 0.375)
    """
    return _bins_by_class(y_true, proba, n_bins, sample_weight, classes).brier_split()


def classwise_calibration_error(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    n_bins: int = 15,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """Mean over classes of the gap between the probability reported for it and its frequency.

    The classwise expected calibration error (Kull et al., 2019) over equal bins of [0, 1].  A
    convenience beside the rewards of this room.

    Parameters
    ----------
    y_true, proba, sample_weight, classes
        As in `good_reward`.
    n_bins : int, default=15
        Number of equal bins of [0, 1].

    Examples
    --------
    >>> classwise_calibration_error([0, 1, 1, 1], [[0.5, 0.5]] * 4)
    0.25
    """
    bins = _bins_by_class(y_true, proba, n_bins, sample_weight, classes)
    return float(bins.calibration_error.mean())


def top_label_calibration_error(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    n_bins: int = 15,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """Mean gap between the probability of the named class and how often it was the true one.

    The expected calibration error (Guo et al., 2017) over equal bins of [0, 1].  A convenience
    beside the rewards of this room.

    Parameters
    ----------
    y_true, proba, sample_weight, classes
        As in `good_reward`.
    n_bins : int, default=15
        Number of equal bins of [0, 1].

    Examples
    --------
    >>> round(top_label_calibration_error([0, 0], [[0.9, 0.1], [0.8, 0.2]]), 3)
    0.15
    """
    truth, table, _ = align_probabilities(y_true, proba, classes)
    weights = check_weights(sample_weight, len(table))
    bins = ReliabilityBins.top_label(truth, table, weights, check_bins(n_bins))
    return float(bins.calibration_error[0])


def check_bins(n_bins: Any) -> int:
    """A number of bins, at least one."""
    if not isinstance(n_bins, (int, np.integer)) or n_bins < 1:
        raise ValueError(f"n_bins must be a whole number of at least 1, got {n_bins!r}")
    return int(n_bins)


def _bins_by_class(
    y_true: ArrayLike,
    proba: ArrayLike,
    n_bins: int,
    sample_weight: ArrayLike | None,
    classes: ArrayLike | None,
) -> ReliabilityBins:
    truth, table, _ = align_probabilities(y_true, proba, classes)
    weights = check_weights(sample_weight, len(table))
    return ReliabilityBins.by_class(truth, table, weights, check_bins(n_bins))


def _bin_of(p: Floats, n_bins: int) -> Ints:
    inner = np.linspace(0, 1, n_bins + 1)[1:-1]
    return np.searchsorted(inner, p)
