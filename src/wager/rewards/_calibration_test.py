"""A test of calibration from the bins of the reliability curve.

The statistic is the mean over bins of the squared gap between reported probability and observed
frequency, weighted by rows.  It is compared with its distribution for calibrated probabilities
(consistency resampling: Bröcker & Smith, 2007).  Then the number of events in a bin is
binomial.  Clustered rows are not independent: the gaps are drawn with the second moments of the
clusters' totals instead, which are larger.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wager._tables import Table, View, Viewed, real_number, require_kind, require_whole
from wager._typing import Floats
from wager.rewards._reliability_bins import VARIANCE, P, ReliabilityBins

_EQUAL = 1e-9  # gaps that differ less are equal

_SHOWN = 10  # classes in the printed form


@dataclass(frozen=True, repr=False)
class CalibrationTest(Viewed):
    """The result of a test of calibration.

    Parameters
    ----------
    statistic : float
        The mean squared gap between reported probability and observed frequency; the largest of
        the classes if several are tested.
    p : float
        The p-value of the hypothesis that the probabilities are calibrated; of several classes the
        smallest one, adjusted by Holm's method.
    by_class : tuple of float
        The adjusted p-value of each class; only one for the predicted class.
    assumption : str
        What the test assumes about the rows.
    """

    statistic: float
    p: float
    by_class: tuple[float, ...]
    assumption: str

    def _view(self) -> View:
        rows = [["mean squared gap", self.statistic], ["p", self.p]]
        if len(self.by_class) > 1:
            rows += [[f"p of class {j}", p] for j, p in enumerate(self.by_class[:_SHOWN])]
        notes = [f"assumption: {self.assumption}"]
        return View("test of calibration", [Table((), rows)], notes, [self.verdict()])

    def verdict(self, alpha: float = 0.05) -> str:
        """The result as a sentence."""
        if np.isnan(self.p):
            return "calibration cannot be tested: the tally lacks the sums that the test needs"
        shown = "p < 0.001" if self.p < 0.001 else f"p = {self.p:.3f}"
        if self.p < real_number(alpha, "alpha"):
            return f"the probabilities are not calibrated ({shown})"
        return f"the data are compatible with calibrated probabilities ({shown})"


def calibration_test(
    bins: ReliabilityBins, n_resamples: int = 1999, random_state: int | None = 0
) -> CalibrationTest:
    """Test whether probabilities are calibrated, from the bins of one or several events.

    Parameters
    ----------
    bins : ReliabilityBins
        The bins, such as ``evaluation.reliability_top_label``.
    n_resamples : int, default=1999
        Number of draws from the distribution for calibrated probabilities.  With more events than
        draws every adjusted p-value is 1.
    random_state : int or None, default=0
        Seed of the draws.

    Examples
    --------
    >>> from wager.rewards import evaluate_probabilities
    >>> bins = evaluate_probabilities([0, 1] * 50, [[0.9, 0.1]] * 100).reliability_top_label
    >>> calibration_test(bins).verdict()
    'the probabilities are not calibrated (p < 0.001)'
    """
    require_kind(bins, "bins", ReliabilityBins)
    n_resamples = require_whole(n_resamples, "n_resamples", 19)
    rng = np.random.default_rng(random_state)
    total = bins.weight.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        each = np.nan_to_num(1 / bins.weight, posinf=0.0)
    statistic = (bins.gaps**2 * each).sum(axis=1)
    if np.isnan(bins.sums[..., VARIANCE]).any():
        p = np.full(len(total), np.nan)
    elif len(total) > n_resamples:
        # no p-value is below 1 / (n_resamples + 1): all are adjusted to 1
        p = np.ones(len(total))
    else:
        p = np.array(
            [
                _p_value(
                    statistic[event], (_drawn(bins, event, n_resamples, rng) ** 2) @ each[event]
                )
                for event in range(len(total) if len(total) != 2 else 1)
            ]
        )
    adjusted = _holm(p)
    if len(total) == 2:  # the gaps of two classes are the same, with opposite signs
        adjusted = np.repeat(adjusted, 2)
    assumption = (
        "the rows are independent"
        if bins.clusters is None
        else "the clusters are independent, and there are many of them"
    )
    largest = float((statistic / total).max())
    return CalibrationTest(largest, float(adjusted.min()), tuple(adjusted.tolist()), assumption)


def _drawn(bins: ReliabilityBins, event: int, n_draws: int, rng: np.random.Generator) -> Floats:
    """Gaps of calibrated probabilities in every bin, one row per draw."""
    if bins.clusters is not None:
        values, vectors = np.linalg.eigh(bins.clusters[event, :, :-1])
        scaled = vectors * np.sqrt(np.maximum(values, 0))
        return rng.standard_normal((n_draws, len(values))) @ scaled.T
    weight, variance = bins.weight[event], bins.sums[event, :, VARIANCE]
    rows, gaps = bins.effective_rows[event], np.zeros((n_draws, len(weight)))
    for place in np.flatnonzero(variance > 0):
        n = max(round(rows[place]), 1)
        p = min(max(bins.sums[event, place, P] / weight[place], 0.0), 1.0)
        counts = rng.binomial(n, p, n_draws)
        if 0 < p < 1:  # else all draws are alike
            gaps[:, place] = (counts - n * p) * np.sqrt(variance[place] / (n * p * (1 - p)))
    return gaps


def _p_value(statistic: float, drawn: Floats) -> float:
    """The share of draws that are at least as large, the sample itself among them."""
    return (1 + int((drawn >= statistic * (1 - _EQUAL)).sum())) / (1 + len(drawn))


def _holm(p: Floats) -> Floats:
    order = np.argsort(p)
    factors = np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p[order]), 1.0)
    return adjusted
