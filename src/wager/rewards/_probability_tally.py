"""The tally of reported probabilities: sums from which all their measures are computed.

Rewards of probabilities are means over rows, so a test set of any length reduces to a few sums per
true class and to the bins of the reliability curve.  The tallies of two chunks, files or machines
add up to the tally of the whole, from which `evaluate_probabilities` computes its results.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from wager._typing import Array, ArrayLike, Floats, Ints
from wager.rewards._calibration import ReliabilityBins, check_bins
from wager.rewards._priors import check_prior
from wager.rewards._probability_rows import ProbabilityRows, pick
from wager.rewards._registry import MEASURES, register
from wager.rewards._tally import SummableTally
from wager.rewards.information import ProbabilityReward, check_base, check_clip


def _log_score(p: Floats, truth: Ints, prior: Floats) -> Floats:
    return np.log(pick(p, truth))


LOG_SCORE = register(
    ProbabilityReward(
        "log_loss",
        _log_score,
        greater_is_better=False,
        in_bits=False,
        for_comparison=True,
        title="log loss (nats)",
        meaning="Minus the logarithm of the probability of the true class, in nats.",
        formula="mean of -log p of the true class",
        use="For comparison with other libraries; a proper score that punishes certain mistakes "
        "severely.",
        source="common usage",
        range="0 (best) to infinity",
    )
)


def _quadratic_score(p: Floats, truth: Ints, prior: Floats) -> Floats:
    return 2 * pick(p, truth) - np.einsum("ij,ij->i", p, p) - 1


QUADRATIC_SCORE = register(
    ProbabilityReward(
        "brier",
        _quadratic_score,
        greater_is_better=False,
        in_bits=False,
        takes_logarithms=False,
        for_comparison=True,
        title="Brier score",
        meaning="The squared distance of the probabilities from the true class.",
        formula="mean over rows of sum over classes of (p - [class is true])^2",
        use="For comparison; it is bounded, so one mistake cannot dominate. It splits into "
        "reliability minus resolution plus uncertainty.",
        source="Brier (1950), Murphy (1973)",
        range="0 (best) to 2",
        aliases=(
            "brier_score",
            "brier_decomposition",
            "brier_reliability",
            "brier_resolution",
            "brier_uncertainty",
            "brier_within_bins",
        ),
    )
)


def _hit(p: Floats, truth: Ints, prior: Floats) -> Floats:
    return (p.argmax(axis=1) == truth).astype(np.float64)


HIT = register(
    ProbabilityReward(
        "accuracy",
        _hit,
        in_bits=False,
        takes_logarithms=False,
        for_comparison=True,
        meaning="The share of rows whose most probable class is the true one.",
        formula="share of rows with argmax p = true class",
        use="For comparison; it does not depend on how large the probabilities are.",
        source="common usage",
    )
)


def probability_rewards() -> list[ProbabilityReward]:
    """The registered measures that are means of a reward of each row."""
    return [measure for measure in MEASURES.values() if isinstance(measure, ProbabilityReward)]


@dataclass(frozen=True, eq=False)
class RewardSums:
    """Sums of one reward by true class, enough for its mean and standard error.

    Parameters
    ----------
    rows, infinite : ndarray of int, shape (n_classes,)
        Rows of positive weight, and how many of them earned minus infinity.
    sums : ndarray of shape (5, n_classes)
        Over the finite rows: w, w x, w squared, w squared times x, w squared times x squared.
    """

    rows: Ints
    infinite: Ints
    sums: Floats

    @classmethod
    def of(cls, values: Floats, truth: Ints, weights: Floats, n_classes: int) -> RewardSums:
        """Sums over rows; rows of weight 0 are left out."""
        counted = weights > 0
        rows = np.bincount(truth[counted], minlength=n_classes)
        finite = counted & np.isfinite(values)
        if not finite.all():
            values, truth, weights = values[finite], truth[finite], weights[finite]
        squared = weights * weights
        terms = (weights, weights * values, squared, squared * values, squared * values * values)
        sums = np.array([np.bincount(truth, term, n_classes) for term in terms])
        return cls(rows, rows - np.bincount(truth, minlength=n_classes), sums)

    def __add__(self, other: RewardSums) -> RewardSums:
        return RewardSums(
            self.rows + other.rows, self.infinite + other.infinite, self.sums + other.sums
        )

    @property
    def mean(self) -> float:
        """The mean over all rows; minus infinity if one of them earned minus infinity."""
        return float(_mean(self.sums.sum(axis=1), self.infinite.sum()))

    @property
    def standard_error(self) -> float:
        """Standard error of the mean; NaN for fewer than two rows or an infinite mean."""
        return float(_standard_error(self.sums.sum(axis=1), self.rows.sum(), self.infinite.sum()))

    @property
    def mean_by_class(self) -> Floats:
        """The mean over the rows of each true class, NaN for a class without rows."""
        return _mean(self.sums, self.infinite)

    @property
    def standard_error_by_class(self) -> Floats:
        """Standard error of each class's mean."""
        return _standard_error(self.sums, self.rows, self.infinite)


def _mean(sums: Floats, infinite: Ints) -> Floats:
    with np.errstate(invalid="ignore"):  # a class without rows has no mean
        return np.where(np.asarray(infinite) > 0, -np.inf, sums[1] / sums[0])


def _standard_error(sums: Floats, rows: Ints, infinite: Ints) -> Floats:
    weight, first, squared, squared_first, squared_second = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = first / weight
        # sum of w^2 (x - mean)^2: for equal weights this is the usual s / sqrt(n).
        spread = squared_second - 2 * mean * squared_first + mean * mean * squared
        error = np.sqrt(np.maximum(spread, 0) * rows / (rows - 1)) / weight
    return np.where((np.asarray(infinite) > 0) | (np.asarray(rows) < 2), np.nan, error)


@dataclass(frozen=True, eq=False)
class ProbabilityTally(SummableTally):
    """Sums of every reward and the bins of the reliability curve; tallies of parts add up.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The classes, in the order of the probabilities' columns.
    prior : ndarray of shape (n_classes,)
        The prior that the rewards are relative to.
    base : float
        Base of the logarithms.
    clip : float or None
        Probabilities were clipped to [clip, 1 - clip] before taking logarithms.
    sums : dict of str to RewardSums
        By the name of the reward, or of the loss that it is the negative of.
    by_class, top_label : ReliabilityBins
        Reported probability and observed frequency, for each class and for the predicted class.

    Examples
    --------
    >>> first = ProbabilityTally.of(["a", "b"], [[0.5, 0.5], [0.25, 0.75]])
    >>> second = ProbabilityTally.of(["b", "a"], [[0.5, 0.5], [1.0, 0.0]])
    >>> whole = first + second
    >>> whole.n_rows, whole.sums["accuracy"].mean
    (4, 0.75)
    """

    classes: Array
    prior: Floats
    base: float
    clip: float | None
    sums: dict[str, RewardSums]
    by_class: ReliabilityBins
    top_label: ReliabilityBins

    @classmethod
    def of(
        cls,
        y_true: ArrayLike,
        proba: ArrayLike,
        prior: ArrayLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        base: float = 2.0,
        clip: float | None = None,
        n_bins: int = 15,
    ) -> ProbabilityTally:
        """The tally of some rows; the arguments are those of `evaluate_probabilities`."""
        rows = ProbabilityRows.of(y_true, proba, classes, sample_weight)
        truth, table, weights, known = rows
        n_rows, n_classes = table.shape
        before = check_prior(prior, n_classes)
        unit, clip, n_bins = check_base(base), check_clip(clip), check_bins(n_bins)
        counted = np.ones(n_rows) if weights is None else weights
        sums = {}
        for reward in probability_rewards():
            clipped_at = clip if reward.takes_logarithms else None
            values = reward.rows(table, truth, before, unit, clipped_at)
            sums[reward.name] = RewardSums.of(values, truth, counted, n_classes)
        by_class = ReliabilityBins.by_class(rows, n_bins)
        top_label = ReliabilityBins.top_label(rows, n_bins)
        return cls(known, before, unit, clip, sums, by_class, top_label)

    @property
    def n_rows(self) -> int:
        """Number of rows of positive weight."""
        return int(self.sums[HIT.name].rows.sum())

    def __add__(self, other: ProbabilityTally) -> ProbabilityTally:
        if not isinstance(other, ProbabilityTally):
            return NotImplemented
        if not np.array_equal(self.classes, other.classes):
            raise ValueError(
                f"cannot add probabilities of the classes {list(other.classes)} to those of "
                f"{list(self.classes)}: both parts must list the same classes"
            )
        if (self.base, self.clip) != (other.base, other.clip) or not np.array_equal(
            self.prior, other.prior
        ):
            raise ValueError(
                "cannot add tallies with different prior, base or clip: use the same for both parts"
            )
        shared = [name for name in self.sums if name in other.sums]
        sums = {name: self.sums[name] + other.sums[name] for name in shared}
        by_class, top_label = self.by_class + other.by_class, self.top_label + other.top_label
        return ProbabilityTally(
            self.classes, self.prior, self.base, self.clip, sums, by_class, top_label
        )

    def to_dict(self) -> dict[str, Any]:
        """The tally as plain data.

        Examples
        --------
        >>> tally = ProbabilityTally.of(["a", "b"], [[0.5, 0.5], [0.25, 0.75]])
        >>> again = ProbabilityTally.from_dict(tally.to_dict())
        >>> again.sums["log_loss"].mean == tally.sums["log_loss"].mean
        True
        """
        return {
            "classes": self.classes.tolist(),
            "prior": self.prior.tolist(),
            "base": self.base,
            "clip": self.clip,
            "sums": {
                name: [sums.rows.tolist(), sums.infinite.tolist(), sums.sums.tolist()]
                for name, sums in self.sums.items()
            },
            "by_class": self.by_class.sums.tolist(),
            "top_label": self.top_label.sums.tolist(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The tally that `to_dict` wrote."""
        sums = {
            name: RewardSums(np.asarray(rows), np.asarray(infinite), np.asarray(parts))
            for name, (rows, infinite, parts) in data["sums"].items()
        }
        by_class, top_label = (
            ReliabilityBins(np.asarray(data[name])) for name in ("by_class", "top_label")
        )
        classes, prior = np.asarray(data["classes"]), np.asarray(data["prior"])
        return cls(classes, prior, data["base"], data["clip"], sums, by_class, top_label)
