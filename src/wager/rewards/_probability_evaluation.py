"""All measures of reported probabilities, from one tally."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wager._tables import format_number, format_table
from wager._typing import Array, ArrayLike, Floats
from wager.rewards._calibration import BrierSplit, ReliabilityBins
from wager.rewards._probability_tally import (
    HIT,
    LOG_SCORE,
    QUADRATIC_SCORE,
    ProbabilityTally,
    probability_rewards,
)
from wager.rewards._registry import MEASURES
from wager.rewards.information import (
    GOOD,
    INFORMATION,
    INFORMATION_2002,
    KONONENKO_BRATKO,
    ProbabilityReward,
)

CLASSES_SHOWN = 6  # in the printed table; to_frame() has all


@dataclass(frozen=True, eq=False)
class ProbabilityEvaluation:
    """Measures of probabilities: rewards with standard errors, by class, and calibration.

    Everything is computed from a `ProbabilityTally`, so ``ProbabilityEvaluation(sum(tallies))``
    evaluates chunks, files or machines together.
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

    def to_dict(self) -> dict[str, Any]:
        """All measures as plain data: numbers, strings, lists and dictionaries."""
        about = {
            "rows": self.n_rows,
            "classes": self.classes.tolist(),
            "prior": self.prior.tolist(),
            "base": self.tally.base,
            "clip": self.tally.clip,
        }
        return about | {reward.name: entry for reward, entry in self._means()} | self._from_bins()

    def to_frame(self) -> Any:
        """A pandas frame of the measures: mean, standard error, infinite rows, and by class."""
        import pandas as pd

        rows: list[dict[str, Any]] = []
        for reward, entry in self._means():
            by_class = {f"mean of {k}": v for k, v in entry.pop("by_class").items()}
            rows.append({"measure": reward.name} | entry | by_class)
        rows += [{"measure": name, "mean": value} for name, value in self._from_bins().items()]
        return pd.DataFrame(rows).set_index("measure").astype({"infinite_rows": "Int64"})

    def __repr__(self) -> str:
        unit = {2.0: "bits", np.e: "nats"}.get(self.tally.base, f"base {self.tally.base:g}")
        shown = self.classes[:CLASSES_SHOWN]
        left = len(self.classes) - len(shown)
        prior = ", ".join(format_number(p) for p in self.prior[:CLASSES_SHOWN]) + ", ..." * (
            left > 0
        )
        clip = "" if self.tally.clip is None else f", clipped at {self.tally.clip:g}"
        means, titles = self._means(), ["mean", "std. error", "infinite rows", *map(str, shown)]
        rewards, others = (
            [_shown(reward, entry) for reward, entry in means if reward.for_comparison is later]
            for later in (False, True)
        )
        bins = [[name.replace("_", " "), value] for name, value in self._from_bins().items()]
        return (
            f"{self.n_rows} rows, {len(self.classes)} classes, rewards in {unit} over the prior "
            f"{prior}{clip}\n\n{format_table(rewards, ['reward', *titles])}"
            + (f"\n({left} more classes: see to_frame())" if left else "")
            + f"\n\n{format_table(others, ['for comparison', *titles])}"
            + f"\n\n{format_table(bins, ['calibration, over bins', 'value'])}"
        )

    def _means(self) -> list[tuple[ProbabilityReward, dict[str, Any]]]:
        """Every measure that is a mean over rows, with its results; those for comparison last."""
        known = [reward for reward in probability_rewards() if reward.name in self.tally.sums]
        known.sort(key=lambda reward: (reward.for_comparison, not reward.greater_is_better))
        return [(reward, self._entry(reward)) for reward in known]

    def _entry(self, reward: ProbabilityReward) -> dict[str, Any]:
        sums = self.tally.sums[reward.name]
        by_class = (reward.sign * sums.mean_by_class).tolist()
        return {
            "mean": reward(self.tally),
            "standard_error": sums.standard_error,
            "infinite_rows": int(sums.infinite.sum()),
            "by_class": dict(zip(self.classes.tolist(), by_class, strict=True)),
        }

    def _from_bins(self) -> dict[str, float]:
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


def _shown(reward: ProbabilityReward, entry: dict[str, Any]) -> list[Any]:
    """A row of the printed table: mean, standard error, infinite rows and some classes."""
    *overall, by_class = entry.values()
    return [reward.title, *overall, *list(by_class.values())[:CLASSES_SHOWN]]


def evaluate_probabilities(
    y_true: ArrayLike,
    proba: ArrayLike,
    prior: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    base: float = 2.0,
    clip: float | None = None,
    n_bins: int = 15,
) -> ProbabilityEvaluation:
    """All measures of reported probabilities, with standard errors.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels.
    proba : array-like of shape (n_rows, n_classes)
        Reported probabilities.
    prior : array-like of shape (n_classes,), optional
        The prior that rewards are relative to, from training data (`prior_from_labels`); uniform
        by default.
    sample_weight : array-like of shape (n_rows,), optional
        Weights of the rows.
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
        Prints as a table; ``.to_frame()`` and ``.to_dict()`` for further work.

    Examples
    --------
    >>> evaluation = evaluate_probabilities(["a", "b"], [[0.5, 0.5], [0.0, 1.0]])
    >>> evaluation.information_reward, evaluation.accuracy
    (0.5, 1.0)
    """
    return ProbabilityEvaluation(
        ProbabilityTally.of(
            y_true,
            proba,
            prior,
            sample_weight=sample_weight,
            classes=classes,
            base=base,
            clip=clip,
            n_bins=n_bins,
        )
    )
