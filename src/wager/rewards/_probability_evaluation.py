"""All measures of reported probabilities, from one tally."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from wager._tables import Table, View, Viewed, format_number, is_one_of
from wager._typing import Array, ArrayLike, Floats
from wager._visible import brief
from wager.rewards._calibration_test import CalibrationTest, calibration_test
from wager.rewards._mean_estimate import MeanEstimate
from wager.rewards._probability_tally import (
    HIT,
    LOG_SCORE,
    QUADRATIC_SCORE,
    ProbabilityTally,
    probability_rewards,
)
from wager.rewards._registry import MEASURES
from wager.rewards._reliability_bins import BrierSplit, ReliabilityBins
from wager.rewards._reward_estimates import reward_estimates
from wager.rewards._summable import scores_of
from wager.rewards.information import (
    GOOD,
    INFORMATION,
    INFORMATION_2002,
    KONONENKO_BRATKO,
    ProbabilityReward,
)

CLASSES_SHOWN = 6  # in the printed table; to_frame() has all


@dataclass(frozen=True, eq=False, repr=False)
class ProbabilityEvaluation(Viewed):
    """Measures of probabilities: rewards with standard errors, by class, and calibration.

    Everything is computed from a `ProbabilityTally`, so ``ProbabilityEvaluation(sum(tallies))``
    evaluates chunks, files or machines together.

    Attributes
    ----------
    tally : ProbabilityTally
        The sums that all measures are computed from.
    """

    tally: ProbabilityTally

    @property
    def n_rows(self) -> int:
        """Number of rows (of positive weight)."""
        return self.tally.n_rows

    @property
    def classes(self) -> Array:
        """The classes, in the order of the columns."""
        return self.tally.classes

    @property
    def prior(self) -> Floats:
        """The prior that the rewards are relative to."""
        return self.tally.prior

    @cached_property
    def estimates(self) -> dict[str, MeanEstimate]:
        """Every measure that is a mean over rows, with standard error and ``interval(level)``."""
        last = slice(len(self.classes), None)
        return {reward.name: self._means(reward, last)[0] for reward in self._rewards()}

    @property
    def infinite_rows(self) -> dict[str, int]:
        """The number of rows that earn minus infinity, by measure."""
        return {reward.name: self._infinite(reward) for reward in self._rewards()}

    @cached_property
    def estimates_by_class(self) -> dict[str, dict[Any, MeanEstimate]]:
        """The same over the rows of each true class, by measure and class."""
        labels, every = self.classes.tolist(), slice(len(self.classes))
        return {
            reward.name: dict(zip(labels, self._means(reward, every), strict=True))
            for reward in self._rewards()
        }

    @property
    def information_reward(self) -> float:
        """Mean IR_B of Hope & Korb (2004)."""
        return INFORMATION(self.tally)

    @property
    def information_reward_2002(self) -> float:
        """Mean Bayesian information reward of 2002."""
        return INFORMATION_2002(self.tally)

    @property
    def kononenko_bratko(self) -> float:
        """Mean reward of Kononenko & Bratko."""
        return KONONENKO_BRATKO(self.tally)

    @property
    def good_reward(self) -> float:
        """Mean of Good's fee."""
        return GOOD(self.tally)

    @property
    def accuracy(self) -> float:
        """Share of the rows whose most probable class is the true one."""
        return HIT(self.tally)

    @property
    def log_loss(self) -> float:
        """Log loss in nats; infinite if a true class has probability 0 (scikit-learn clips)."""
        return LOG_SCORE(self.tally)

    @property
    def brier(self) -> float:
        """Brier score summed over classes, as in scikit-learn for several classes."""
        return QUADRATIC_SCORE(self.tally)

    @cached_property
    def brier_split(self) -> BrierSplit:
        """Reliability, resolution and uncertainty of the Brier score, over the bins."""
        return self.reliability_by_class.brier_split()

    @property
    def top_label_calibration_error(self) -> float:
        """Mean gap between the probability of the predicted class and how often it is right."""
        return MEASURES["top_label_calibration_error"](self.tally)

    @property
    def classwise_calibration_error(self) -> float:
        """Mean over classes of the gap between reported probability and frequency."""
        return MEASURES["classwise_calibration_error"](self.tally)

    @property
    def reliability_by_class(self) -> ReliabilityBins:
        """The bins of each class's reliability curve."""
        return self.tally.by_class

    @property
    def reliability_top_label(self) -> ReliabilityBins:
        """The bins of the predicted class's reliability curve."""
        return self.tally.top_label

    def calibration_test(
        self,
        of: Literal["top-label", "classes"] = "top-label",
        *,
        n_resamples: int = 1999,
        random_state: int | None = 0,
    ) -> CalibrationTest:
        """Test whether the probabilities are calibrated.

        Parameters
        ----------
        of : {"top-label", "classes"}, default="top-label"
            The probability of the predicted class, or of every class; the p-values of classes are
            adjusted by Holm's method.
        n_resamples : int, default=1999
            Number of draws from the distribution for calibrated probabilities.
        random_state : int or None, default=0
            Seed of the draws.
        """
        if not is_one_of(of, ("top-label", "classes")):
            raise ValueError(f"of must be 'top-label' or 'classes', got {brief(of)}")
        bins = self.reliability_top_label if of == "top-label" else self.reliability_by_class
        return calibration_test(bins, n_resamples, random_state)

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """All measures as plain data: numbers, strings, lists and dictionaries.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the intervals.
        """
        about = {
            "rows": self.n_rows,
            "classes": self.classes.tolist(),
            "prior": self.prior.tolist(),
            "base": self.tally.base,
            "clip": self.tally.clip,
        }
        means = {reward.name: self._entry(reward, level) for reward in self._rewards()}
        return about | means | self.from_bins

    def to_frame(self, level: float = 0.95) -> Any:
        """A pandas frame of the measures: mean, standard error, interval, and by class.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the intervals.
        """
        import pandas as pd

        rows: list[dict[str, Any]] = []
        for reward in self._rewards():
            entry, by_class = self._entry(reward, level), {}
            for label, (low, high) in entry["interval_by_class"].items():
                by_class[f"mean of {label}"] = entry["by_class"][label]
                by_class |= {f"low of {label}": low, f"high of {label}": high}
            low, high = entry["interval"]
            rows.append(
                {
                    "measure": reward.name,
                    "mean": entry["mean"],
                    "standard_error": entry["standard_error"],
                    "low": low,
                    "high": high,
                    "infinite_rows": entry["infinite_rows"],
                }
                | by_class
            )
        rows += [{"measure": name, "mean": value} for name, value in self.from_bins.items()]
        return pd.DataFrame(rows).set_index("measure").astype({"infinite_rows": "Int64"})

    def _view(self) -> View:
        unit = {2.0: "bits", np.e: "nats"}.get(self.tally.base, f"base {self.tally.base:g}")
        shown = self.classes[:CLASSES_SHOWN]
        left = len(self.classes) - len(shown)
        prior = ", ".join(format_number(p) for p in self.prior[:CLASSES_SHOWN]) + ", ..." * (
            left > 0
        )
        clip = "" if self.tally.clip is None else f", clipped at {self.tally.clip:g}"
        titles = ["mean", "std. error", "95% interval", "infinite rows", *map(str, shown)]
        rewards, others = (
            [self._shown(one) for one in self._rewards() if one.for_comparison is later]
            for later in (False, True)
        )
        calibration = ["calibration error, over bins", "value", "if calibrated", "debiased", "p"]
        return View(
            f"{self.n_rows} rows, {len(self.classes)} classes, rewards in {unit} over the prior "
            f"{prior}{clip}",
            [
                Table(["reward", *titles], rewards),
                Table(["for comparison", *titles], others),
                Table(calibration, self._calibration_rows()),
                Table(["Brier score, over bins", "value"], self._brier_rows()),
            ],
            [f"({left} more classes: see to_frame())"] if left else [],
        )

    def _rewards(self) -> list[ProbabilityReward]:
        """Every measure that is a mean over rows; those for comparison last."""
        known = [reward for reward in probability_rewards() if reward.name in self.tally.sums]
        known.sort(key=lambda reward: (reward.for_comparison, not reward.greater_is_better))
        return known

    def _means(self, reward: ProbabilityReward, chosen: slice) -> list[MeanEstimate]:
        """Means of a measure: of some of the true classes, and of all rows last."""
        sums = self.tally.sums[reward.name]
        return reward_estimates(reward, sums, self.prior, self.tally.base, chosen)

    def _infinite(self, reward: ProbabilityReward) -> int:
        return int(self.tally.sums[reward.name].infinite.sum())

    def _entry(self, reward: ProbabilityReward, level: float) -> dict[str, Any]:
        estimate, by_class = self.estimates[reward.name], self.estimates_by_class[reward.name]
        return {
            "mean": estimate.value,
            "standard_error": estimate.standard_error,
            "interval": list(estimate.interval(level)),
            "infinite_rows": self._infinite(reward),
            "by_class": {label: one.value for label, one in by_class.items()},
            "standard_error_by_class": {
                label: one.standard_error for label, one in by_class.items()
            },
            "interval_by_class": {
                label: list(one.interval(level)) for label, one in by_class.items()
            },
        }

    def _shown(self, reward: ProbabilityReward) -> list[Any]:
        """A row of the printed table: mean, standard error, interval and some classes."""
        estimate = self.estimates[reward.name]
        some = self._means(reward, slice(min(CLASSES_SHOWN, len(self.classes))))
        low, high = estimate.interval()
        interval = "-" if np.isnan(low) else f"{format_number(low)} to {format_number(high)}"
        return [
            reward.title,
            estimate.value,
            estimate.standard_error,
            interval,
            self._infinite(reward),
            *(one.value for one in some),
        ]

    def _calibration_rows(self) -> list[list[Any]]:
        """Rows of the printed table: calibration errors, what chance gives, and a test."""
        tests = {"top_label": "top-label", "classwise": "classes"}
        return [
            [
                name.replace("_", " "),
                *(
                    MEASURES[f"{name}_calibration_error{kind}"](self.tally)
                    for kind in ("", "_if_calibrated", "_debiased")
                ),
                self.calibration_test(of).p,  # type: ignore[arg-type]
            ]
            for name, of in tests.items()
        ]

    def _brier_rows(self) -> list[list[Any]]:
        split = self.brier_split
        return [
            [name.replace("_", " "), getattr(split, name)]
            for name in ("reliability", "resolution", "uncertainty", "within_bins")
        ]

    @cached_property
    def from_bins(self) -> dict[str, float]:
        """The measures that are computed from the bins of the reliability curves, by name."""
        split = self.brier_split
        parts = {
            "brier_reliability": split.reliability,
            "brier_resolution": split.resolution,
            "brier_uncertainty": split.uncertainty,
            "brier_within_bins": split.within_bins,
        }
        return parts | {
            name: measure(self.tally)
            for name, measure in MEASURES.items()
            if measure.kind == "probabilities" and measure.of_tally is not None
        }


@scores_of.register
def scores_of_probabilities(tally: ProbabilityTally) -> dict[str, MeanEstimate]:
    """Every measure of a tally of probabilities that is a mean over rows."""
    return ProbabilityEvaluation(tally).estimates


def evaluate_probabilities(
    y_true: ArrayLike,
    proba: ArrayLike,
    prior: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    base: float = 2.0,
    clip: float | None = None,
    n_bins: int = 15,
) -> ProbabilityEvaluation:
    """All measures of reported probabilities, with standard errors and confidence intervals.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels.
    proba : array-like of shape (n_rows, n_classes), TopKProbabilities or sparse matrix
        Reported probabilities; those that a sparse matrix does not store are 0.
    prior : array-like of shape (n_classes,), optional
        The prior that rewards are relative to, from training data (`prior_from_labels`); uniform
        by default.
    sample_weight : array-like of shape (n_rows,), optional
        Importance weights: a row of weight 2 counts twice, but is one observation.
    counts : array-like of int, shape (n_rows,), optional
        How many rows each row stands for.
    groups : array-like of shape (n_rows,), optional
        Clusters of rows that are not independent, such as the patient of each visit.
    classes : array-like of shape (n_classes,), optional
        The classes of the columns.
    base : float, default=2
        Base of the rewards' logarithms; log loss is always in nats.
    clip : float, optional
        Clip probabilities to [clip, 1 - clip] before taking logarithms; by default a true class of
        probability 0 earns minus infinity, and the number of such rows is reported.
    n_bins : int, default=15
        Number of bins of [0, 1] for the calibration errors and the split of the Brier score.

    Returns
    -------
    ProbabilityEvaluation
        Prints as a table; ``.to_frame()`` and ``.to_dict()`` for further work, and
        ``.estimates[name].interval(level)`` for confidence intervals.

    Examples
    --------
    >>> evaluation = evaluate_probabilities(["a", "b"], [[0.5, 0.5], [0.0, 1.0]])
    >>> evaluation.information_reward, evaluation.accuracy
    (0.5, 1.0)
    >>> tuple(round(end, 2) for end in evaluation.estimates["accuracy"].interval())
    (0.34, 1.0)
    """
    return ProbabilityEvaluation(
        ProbabilityTally.of(
            y_true,
            proba,
            prior,
            sample_weight=sample_weight,
            counts=counts,
            groups=groups,
            classes=classes,
            base=base,
            clip=clip,
            n_bins=n_bins,
        )
    )
