"""Calibration errors: how far reported probabilities are from observed frequencies.

The plain errors depend on the number of rows: even calibrated probabilities score above 0, because
frequencies in few rows differ from probabilities by chance.  So there are also the error to expect
of calibrated probabilities, and a debiased error, which is 0 for them on average.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._typing import ArrayLike
from wager.rewards._listed_bins import class_bins
from wager.rewards._probability_rows import ProbabilityRows
from wager.rewards._registry import as_measure
from wager.rewards._reliability_bins import BrierSplit, ReliabilityBins, check_bins


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
    return class_bins(rows, check_bins(n_bins)).brier_split()


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
    is_rare=True,
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
    bins = class_bins(rows, check_bins(n_bins))
    return float(bins.calibration_error.mean())


@as_measure(
    kind="probabilities",
    greater_is_better=False,
    title="top label calibration error, debiased",
    meaning="How far the probability of the predicted class is from how often it is right, "
    "beyond what chance adds.",
    formula="signed root of the mean over bins of (mean largest probability - accuracy)^2, over "
    "pairs of different rows only",
    use="0 on average for calibrated probabilities; negative if the gaps are smaller than chance "
    "makes them. It is a root mean square, which can exceed the mean gap.",
    source="Bröcker (2012), Kumar, Liang & Ma (2019)",
    range="0 (best, on average) to 1",
    of_tally=lambda tally: signed_root(tally.top_label.squared_error_debiased[0]),
    is_rare=True,
)
def top_label_calibration_error_debiased(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    n_bins: int = 15,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """The root mean squared gap of the predicted class, without what chance adds.

    Calibrated probabilities have a plain calibration error above 0, because frequencies in few
    rows differ from probabilities by chance.  Here the square of each bin's gap is estimated from
    pairs of different rows, which removes what chance adds (Bröcker, 2012; Kumar, Liang & Ma,
    2019).  The squared error is unbiased and may be negative; its root keeps the sign.

    Parameters
    ----------
    y_true, proba, sample_weight, classes
        As in `good_reward`.
    n_bins : int, default=15
        Number of bins of [0, 1], of equal width.

    Examples
    --------
    >>> truth, proba = [0, 0, 0, 1], [[0.75, 0.25]] * 4
    >>> top_label_calibration_error_debiased(truth, proba)
    -0.25
    """
    rows = ProbabilityRows.of(y_true, proba, classes, sample_weight)
    bins = ReliabilityBins.top_label(rows, check_bins(n_bins))
    return signed_root(bins.squared_error_debiased[0])


@as_measure(
    kind="probabilities",
    greater_is_better=False,
    title="classwise calibration error, debiased",
    meaning="The calibration error of the probability of each class, beyond what chance adds.",
    formula="signed root of the mean over classes and bins of (mean probability - frequency)^2, "
    "over pairs of different rows only",
    use="0 on average for calibrated probabilities; negative if the gaps are smaller than chance "
    "makes them. It is a root mean square, which can exceed the mean gap.",
    source="Bröcker (2012), Kumar, Liang & Ma (2019)",
    range="0 (best, on average) to 1",
    of_tally=lambda tally: signed_root(tally.by_class.squared_error_debiased.mean()),
    is_rare=True,
)
def classwise_calibration_error_debiased(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    n_bins: int = 15,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """The root mean squared gap over classes, without what chance adds.

    As `top_label_calibration_error_debiased`, with the mean over classes of the squared errors.

    Parameters
    ----------
    y_true, proba, sample_weight, classes
        As in `good_reward`.
    n_bins : int, default=15
        Number of bins of [0, 1], of equal width.

    Examples
    --------
    >>> truth, proba = [0, 0, 1, 1], [[0.9, 0.1]] * 4
    >>> round(classwise_calibration_error_debiased(truth, proba), 3)
    0.277
    """
    rows = ProbabilityRows.of(y_true, proba, classes, sample_weight)
    bins = class_bins(rows, check_bins(n_bins))
    return signed_root(bins.squared_error_debiased.mean())


@as_measure(
    kind="probabilities",
    greater_is_better=None,
    title="top label calibration error if calibrated",
    meaning="The top-label calibration error to expect of calibrated probabilities in this many "
    "rows.",
    formula="mean over bins of E|X/n - p|, X binomial with n rows and the mean probability p",
    use="A reference for the calibration error: the difference matters, not its size.",
    source="Bröcker & Smith (2007)",
    range="0 to 1",
    of_tally=lambda tally: float(tally.top_label.error_if_calibrated[0]),
    is_rare=True,
)
def top_label_calibration_error_if_calibrated(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    n_bins: int = 15,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """The top-label calibration error to expect if these probabilities were calibrated.

    The number of right predictions in a bin would be binomial; its mean absolute deviation is
    known (De Moivre).  The true classes are used only to find the classes of the columns.

    Parameters
    ----------
    y_true, proba, sample_weight, classes
        As in `good_reward`.
    n_bins : int, default=15
        Number of bins of [0, 1], of equal width.

    Examples
    --------
    >>> round(top_label_calibration_error_if_calibrated([0, 1], [[0.5, 0.5]] * 2), 3)
    0.25
    """
    rows = ProbabilityRows.of(y_true, proba, classes, sample_weight)
    bins = ReliabilityBins.top_label(rows, check_bins(n_bins))
    return float(bins.error_if_calibrated[0])


@as_measure(
    kind="probabilities",
    greater_is_better=None,
    title="classwise calibration error if calibrated",
    meaning="The classwise calibration error to expect of calibrated probabilities in this many "
    "rows.",
    formula="mean over classes and bins of E|X/n - p|, X binomial with n rows and the mean "
    "probability p",
    use="A reference for the calibration error: the difference matters, not its size.",
    source="Bröcker & Smith (2007)",
    range="0 to 1",
    of_tally=lambda tally: float(tally.by_class.error_if_calibrated.mean()),
    is_rare=True,
)
def classwise_calibration_error_if_calibrated(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    n_bins: int = 15,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """The classwise calibration error to expect if these probabilities were calibrated.

    As `top_label_calibration_error_if_calibrated`, with the mean over classes.

    Parameters
    ----------
    y_true, proba, sample_weight, classes
        As in `good_reward`.
    n_bins : int, default=15
        Number of bins of [0, 1], of equal width.

    Examples
    --------
    >>> round(classwise_calibration_error_if_calibrated([0, 1], [[0.5, 0.5]] * 2), 3)
    0.25
    """
    rows = ProbabilityRows.of(y_true, proba, classes, sample_weight)
    bins = class_bins(rows, check_bins(n_bins))
    return float(bins.error_if_calibrated.mean())


def signed_root(square: Any) -> float:
    """The root of a square that is estimated and may be negative, with its sign."""
    return float(np.sign(square) * np.sqrt(np.abs(square)))
