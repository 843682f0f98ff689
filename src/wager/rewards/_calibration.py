"""Calibration: reported probability and observed frequency, bin by bin.

Five sums are kept for each bin: weight, p, p squared, event, and p times event.  The sums of two
parts add up to those of the whole, and the reliability curve, the calibration errors and Murphy's
(1973) decomposition of the Brier score are computed from them without the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import row_blocks
from wager._typing import ArrayLike, Floats, Ints
from wager.rewards._probability_rows import ProbabilityRows, pick
from wager.rewards._registry import as_measure

WEIGHT, P, P2, EVENT, P_EVENT = range(5)


@dataclass(frozen=True, eq=False)
class ReliabilityBins:
    """Sums over bins of [0, 1] of equal width, for one or several kinds of event.

    A bin is closed on the right, as in scikit-learn's ``calibration_curve``; the first one also
    contains 0.

    Parameters
    ----------
    sums : ndarray of shape (n_events, n_bins, 5)
        Weight, sum of p, of p squared, of the event (0 or 1), and of p times the event.
    """

    sums: Floats

    @classmethod
    def top_label(cls, rows: ProbabilityRows, n_bins: int) -> ReliabilityBins:
        """One event: the class with the largest probability is the true one."""
        sums = np.zeros((1, n_bins, 5))
        for block in row_blocks(*rows.proba.shape):
            proba, weight = rows.proba[block], _weights(rows, block)
            named = proba.argmax(axis=1)
            p, event = pick(proba, named), named == rows.truth[block]
            place, weighted = _bin_of(p, n_bins), weight * p
            terms = (weight, weighted, weighted * p, weight * event, weighted * event)
            for column, values in enumerate(terms):
                sums[0, :, column] += np.bincount(place, values, n_bins)
        return cls(sums)

    @classmethod
    def by_class(cls, rows: ProbabilityRows, n_bins: int) -> ReliabilityBins:
        """One event per class: it is the true one."""
        n_classes = rows.proba.shape[1]
        size = n_classes * n_bins
        sums = np.zeros((5, size))
        for block in row_blocks(*rows.proba.shape):
            p, true, weight = rows.proba[block], rows.truth[block], _weights(rows, block)
            place = _bin_of(p, n_bins) + n_bins * np.arange(n_classes)
            weighted = p * weight[:, None]
            spread = np.broadcast_to(weight[:, None], p.shape)
            for column, values in ((WEIGHT, spread), (P, weighted), (P2, weighted * p)):
                sums[column] += np.bincount(place.ravel(), values.ravel(), size)
            # in each row the event happens for one class only
            place, p = place[np.arange(len(p)), true], pick(p, true)
            sums[EVENT] += np.bincount(place, weight, size)
            sums[P_EVENT] += np.bincount(place, weight * p, size)
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
        gaps = np.abs(self.sums[..., P] - self.sums[..., EVENT]).sum(axis=1)
        return gaps / self.weight.sum(axis=1)

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


@dataclass(frozen=True)
class BrierSplit:
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
    scikit-learn's ``brier_score_loss``.  Each of them is split over the bins, and the parts are
    added up.

    Parameters
    ----------
    y_true, proba, sample_weight, classes
        As in `good_reward`.
    n_bins : int, default=15
        Number of bins of [0, 1], of equal width.

    Examples
    --------
    >>> split = brier_decomposition([0, 1, 1, 1], [[0.25, 0.75]] * 4)
    >>> split.brier, split.reliability, split.uncertainty
    (0.375, 0.0, 0.375)
    """
    rows = ProbabilityRows.of(y_true, proba, classes, sample_weight)
    return ReliabilityBins.by_class(rows, check_bins(n_bins)).brier_split()


@as_measure(
    kind="probabilities",
    greater_is_better=False,
    meaning="How far the probability of the predicted class is from how often it is right.",
    formula="mean over bins of |mean largest probability - accuracy|, weighted by rows",
    use="Whether a probability of 80% means right in 80% of cases; depends on the bins.",
    source="Guo et al. (2017)",
    range="0 (best) to 1",
    of_tally=lambda tally: float(tally.top_label.calibration_error[0]),
)
def top_label_calibration_error(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    n_bins: int = 15,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """Mean gap between the probability of the predicted class and how often it is right.

    The expected calibration error (Guo et al., 2017).

    Parameters
    ----------
    y_true, proba, sample_weight, classes
        As in `good_reward`.
    n_bins : int, default=15
        Number of bins of [0, 1], of equal width.

    Examples
    --------
    >>> round(top_label_calibration_error([0, 0], [[0.9, 0.1], [0.8, 0.2]]), 3)
    0.15
    """
    rows = ProbabilityRows.of(y_true, proba, classes, sample_weight)
    bins = ReliabilityBins.top_label(rows, check_bins(n_bins))
    return float(bins.calibration_error[0])


@as_measure(
    kind="probabilities",
    greater_is_better=False,
    meaning="The calibration error of the probability of each class, averaged over classes.",
    formula="mean over classes of the binned |mean probability - frequency|",
    use="Shows miscalibrated classes that top-label calibration does not see.",
    source="Kull et al. (2019)",
    range="0 (best) to 1",
    of_tally=lambda tally: float(tally.by_class.calibration_error.mean()),
)
def classwise_calibration_error(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    n_bins: int = 15,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """Mean over classes of the gap between reported probability and observed frequency.

    The classwise expected calibration error (Kull et al., 2019).

    Parameters
    ----------
    y_true, proba, sample_weight, classes
        As in `good_reward`.
    n_bins : int, default=15
        Number of bins of [0, 1], of equal width.

    Examples
    --------
    >>> classwise_calibration_error([0, 1, 1, 1], [[0.5, 0.5]] * 4)
    0.25
    """
    rows = ProbabilityRows.of(y_true, proba, classes, sample_weight)
    bins = ReliabilityBins.by_class(rows, check_bins(n_bins))
    return float(bins.calibration_error.mean())


def check_bins(n_bins: Any) -> int:
    """The number of bins, if it is a whole number of at least 1."""
    if not isinstance(n_bins, (int, np.integer)) or n_bins < 1:
        raise ValueError(f"n_bins must be a whole number of at least 1, got {n_bins!r}")
    return int(n_bins)


def _weights(rows: ProbabilityRows, block: slice) -> Floats:
    return np.ones(len(rows.truth[block])) if rows.weights is None else rows.weights[block]


def _bin_of(p: Floats, n_bins: int) -> Ints:
    inner = np.linspace(0, 1, n_bins + 1)[1:-1]
    return np.searchsorted(inner, p)
