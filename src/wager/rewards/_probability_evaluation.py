"""Everything that reported probabilities earned, in one table."""

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
    REWARDS,
    ProbabilityTally,
)
from wager.rewards.information import GOOD, INFORMATION, INFORMATION_2002, KONONENKO_BRATKO

CLASSES_SHOWN = 6  # in the printed table; the frame holds all


@dataclass(frozen=True, eq=False)
class ProbabilityEvaluation:
    """What probabilities earned: rewards with standard errors, by class, and their calibration.

    Read off a `ProbabilityTally`, so that ``ProbabilityEvaluation(sum of tallies)`` evaluates
    chunks, files or machines together.
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
        return self.tally.sums[INFORMATION.name].mean

    @property
    def information_reward_2002(self) -> float:
        """Mean Bayesian information reward of 2002."""
        return self.tally.sums[INFORMATION_2002.name].mean

    @property
    def kononenko_bratko(self) -> float:
        """Mean reward of Kononenko & Bratko."""
        return self.tally.sums[KONONENKO_BRATKO.name].mean

    @property
    def good_reward(self) -> float:
        """Mean of Good's fee."""
        return self.tally.sums[GOOD.name].mean

    @property
    def accuracy(self) -> float:
        """Share of the rows whose most probable class is the true one."""
        return self.tally.sums[HIT.name].mean

    @property
    def log_loss(self) -> float:
        """Log loss in nats, infinite where a truth was ruled out (scikit-learn clips there)."""
        return -self.tally.sums[LOG_SCORE.name].mean

    @property
    def brier(self) -> float:
        """Brier score summed over classes, as scikit-learn's for several classes."""
        return -self.tally.sums[QUADRATIC_SCORE.name].mean

    @cached_property
    def brier_split(self) -> BrierSplit:
        """Reliability, resolution and uncertainty of the Brier score, over the bins."""
        return self.reliability_by_class.brier_split()

    @property
    def top_label_calibration_error(self) -> float:
        """Mean gap between the probability of the named class and how often it was right."""
        return float(self.reliability_top_label.calibration_error[0])

    @property
    def classwise_calibration_error(self) -> float:
        """Mean over classes of the gap between reported probability and frequency."""
        return float(self.reliability_by_class.calibration_error.mean())

    @property
    def reliability_by_class(self) -> ReliabilityBins:
        """The bins of each class's reliability curve."""
        return self.tally.by_class

    @property
    def reliability_top_label(self) -> ReliabilityBins:
        """The bins of the named class's reliability curve."""
        return self.tally.top_label

    def to_dict(self) -> dict[str, Any]:
        """All of it in plain Python: numbers, strings, lists and dictionaries."""
        about = {
            "rows": self.n_rows,
            "classes": self.classes.tolist(),
            "prior": self.prior.tolist(),
            "base": self.tally.base,
            "clip": self.tally.clip,
        }
        return about | {name: entry for name, _, entry in self._means()} | self._from_bins()

    def to_frame(self) -> Any:
        """A pandas frame of the measures: mean, standard error, infinite rows, and by class."""
        import pandas as pd

        rows: list[dict[str, Any]] = []
        for name, _, entry in self._means():
            by_class = {f"mean of {k}": v for k, v in entry.pop("by_class").items()}
            rows.append({"measure": name} | entry | by_class)
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
        rows = [
            [title, *list(entry.values())[:3], *list(entry["by_class"].values())[:CLASSES_SHOWN]]
            for _, title, entry in self._means()
        ]
        titles = ["mean", "std. error", "infinite rows", *map(str, shown)]
        n = len(REWARDS)
        bins = [[name.replace("_", " "), value] for name, value in self._from_bins().items()]
        return (
            f"{self.n_rows} rows, {len(self.classes)} classes, rewards in {unit} over the prior "
            f"{prior}{clip}\n\n{format_table(rows[:n], ['reward', *titles])}"
            + (f"\n({left} classes more: see to_frame())" if left else "")
            + f"\n\n{format_table(rows[n:], ['for comparison', *titles])}"
            + f"\n\n{format_table(bins, ['calibration, over bins', 'value'])}"
        )

    def _means(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Name, title and entry of every measure that is a mean over rows."""
        entries = []
        for reward in (*REWARDS, HIT, LOG_SCORE, QUADRATIC_SCORE):
            sums = self.tally.sums[reward.name]
            sign = -1 if reward in (LOG_SCORE, QUADRATIC_SCORE) else 1
            entry = {
                "mean": sign * sums.mean,
                "standard_error": sums.standard_error,
                "infinite_rows": int(sums.infinite.sum()),
                "by_class": dict(
                    zip(self.classes.tolist(), (sign * sums.mean_by_class).tolist(), strict=True)
                ),
            }
            entries.append((reward.name, reward.title, entry))
        return entries

    def _from_bins(self) -> dict[str, float]:
        split = self.brier_split
        return {
            "brier_reliability": split.reliability,
            "brier_resolution": split.resolution,
            "brier_uncertainty": split.uncertainty,
            "brier_within_bins": split.within_bins,
            "top_label_calibration_error": self.top_label_calibration_error,
            "classwise_calibration_error": self.classwise_calibration_error,
        }


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
    """Score reported probabilities in every way this room knows.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels.
    proba : array-like of shape (n_rows, n_classes)
        Reported probabilities.
    prior : array-like of shape (n_classes,), optional
        What the rewards are relative to, from training data (`prior_from_labels`); uniform by
        default.
    sample_weight : array-like of shape (n_rows,), optional
        Weights of the rows.
    classes : array-like of shape (n_classes,), optional
        The classes of the columns.
    base : float, default=2
        Base of the rewards' logarithms; log loss is always in nats.
    clip : float, optional
        Move probabilities into [clip, 1 - clip] before their logarithms are taken; by default a
        truth that was ruled out earns minus infinity, and the number of such rows is reported.
    n_bins : int, default=15
        Equal bins of [0, 1] for the calibration errors and the split of the Brier score.

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
