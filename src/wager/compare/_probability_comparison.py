"""Probability classifiers compared on the same rows: scores, paired differences, recommendation.

Information reward, log loss and Brier score decide together; the accuracy of the most probable
class is shown beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import isnan
from typing import Any

import numpy as np

from wager._tables import (
    Table,
    View,
    Viewed,
    format_number,
    look_up,
    real_number,
    require_kind,
    signed_numbers,
)
from wager._typing import Array, ArrayLike, Floats
from wager._visible import brief
from wager.compare._classifier_names import distinct_names, listed
from wager.compare._outcome import Outcome, plain_interval, plain_test
from wager.compare._paired_probabilities import (
    MeanDifference,
    PairedProbabilities,
    aligned_rows,
    get_score,
    score_title,
    verdict_on_scores,
)
from wager.compare._probability_advice import ProbabilityResults, advise, short_title, winner
from wager.compare._probability_rows import RewardSettings, Sums, add_up
from wager.compare._simultaneous import Adjustment, z_value
from wager.rewards import (
    MeanEstimate,
    RewardSums,
    check_base,
    check_clip,
    prior_over,
    reward_estimates,
)

DECIDING = ("information_reward", "log_loss", "brier")
SHOWN = (*DECIDING, "accuracy")
_CLASSES_SHOWN = 8  # of the prior


@dataclass(frozen=True, repr=False)
class ProbabilityComparison(Viewed):
    """Several probability classifiers on the same rows.

    Attributes
    ----------
    names : tuple of str
        The classifiers.
    pairs : mapping of (name, name) to PairedProbabilities
        Sums of the differences of every two, in the order of the names.
    sums : mapping of name to mapping of score to RewardSums
        Sums of the rewards of each classifier.
    confidence : float
        Level of the intervals.  Those of differences, and all tests, hold together for all pairs
        and scores.
    warnings : tuple of str
        How many rows of the files were left out.
    """

    names: tuple[str, ...]
    pairs: Mapping[tuple[str, str], PairedProbabilities]
    sums: Mapping[str, Mapping[str, RewardSums]]
    confidence: float = 0.95
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 < real_number(self.confidence, "confidence") < 1:
            raise ValueError(f"confidence must lie between 0 and 1, got {brief(self.confidence)}")

    @classmethod
    def of_sums(
        cls, names: tuple[str, ...], settings: RewardSettings, sums: Sums, confidence: float
    ) -> ProbabilityComparison:
        """The comparison that follows from the sums of every file and every two."""
        by_score = {
            places: {r.name: one for r, one in zip(settings.rewards, found, strict=True)}
            for places, found in sums.items()
        }
        about = (settings.classes, settings.prior, settings.base, settings.clip)
        pairs = {
            (names[i], names[j]): PairedProbabilities(*about, by_score[i, j])
            for i, j in combinations(range(len(names)), 2)
        }
        single = {name: by_score[i,] for i, name in enumerate(names)}
        return cls(names, pairs, single, confidence)

    # -- results -------------------------------------------------------------------------------

    @property
    def _any(self) -> PairedProbabilities:
        return next(iter(self.pairs.values()))

    @property
    def n_rows(self) -> int:
        """Number of rows of positive weight; a row with a count is so many rows."""
        return self._any.n_rows

    @property
    def classes(self) -> Array:
        """The classes."""
        return self._any.classes

    @property
    def prior(self) -> Floats:
        """The prior of information rewards."""
        return self._any.prior

    @property
    def alpha(self) -> float:
        """The level of the report: the chance of any false statement is at most this."""
        return 1 - self.confidence

    @property
    def adjustment(self) -> Adjustment:
        """How tests are adjusted for all pairs and scores."""
        return Adjustment(n_single=len(SHOWN), n_pairs=len(self.pairs))

    def score(self, name: str, score: str) -> MeanEstimate:
        """A mean score of a classifier."""
        reward = get_score(score)
        sums = look_up(self.sums, name, "classifier")[reward.name]
        return reward_estimates(reward, sums, self.prior, self._any.base)[-1]

    def infinite_rows(self, name: str, score: str) -> int:
        """The number of rows in which a score of a classifier is infinite."""
        sums = look_up(self.sums, name, "classifier")
        return int(sums[get_score(score).name].infinite.sum())

    def difference(self, a: str, b: str, score: str) -> Outcome:
        """The mean score of a minus that of b on the same rows: adjusted test and interval."""
        reward = get_score(score)
        found = self._mean_difference(a, b, reward.name)
        p, level = self.adjustment.p(found.p), self.adjustment.level(self.alpha)
        lost = [name for name in (a, b) if self.infinite_rows(name, score)]
        if lost:
            verdict = (
                f"the {score_title(reward)} of {listed(lost)} is infinite in some rows, so that no "
                "difference is defined: pass clip=1e-6 (--clip 1e-6)"
            )
        else:
            verdict = verdict_on_scores(found, reward, (a, b), self.alpha, p)
        sign = 0.0 if np.isnan(found.value) else float(np.sign(found.value))
        details = {
            "score": reward.name,
            "n": found.n,
            "unadjusted_p": found.p,
            "is_draw": found.value == 0 and found.standard_error == 0,
        }
        return Outcome(
            f"paired test of {score_title(reward)}",
            sign * z_value(found.p),
            p,
            found.value,
            found.interval(level),
            verdict,
            details,
        )

    def _mean_difference(self, a: str, b: str, score: str) -> MeanDifference:
        if (a, b) in self.pairs:
            return self.pairs[a, b].difference(score)
        return self.pairs[b, a].difference(score).negative()

    @cached_property
    def _results(self) -> ProbabilityResults:
        return ProbabilityResults(
            self.names,
            {
                (*pair, score): self.difference(*pair, score)
                for pair in self.pairs
                for score in SHOWN
            },
            {
                (name, score): self.infinite_rows(name, score)
                for name in self.names
                for score in SHOWN
            },
            frozenset(score for score in SHOWN if not self._any.difference(score).is_bounded),
            self.alpha,
            DECIDING,
            "row" if self._any.sums["brier"].clusters is None else "cluster",
        )

    @cached_property
    def recommended(self) -> str | None:
        """The classifier that is significantly better than every other one, or None.

        It has the better information reward, log loss and Brier score, after the adjustment.
        """
        return winner(self._results)

    @cached_property
    def recommendation(self) -> str:
        """Which classifier to take, as a sentence."""
        return advise(self._results)

    # -- tables and sentences ------------------------------------------------------------------

    def score_table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows: scores with their intervals."""
        rows = []
        for name in self.names:
            for i, score in enumerate(SHOWN):
                estimate = self.score(name, score)
                low, high = (format_number(end) for end in estimate.interval(self.confidence))
                between = "-" if low == high == format_number(float("nan")) else f"{low} to {high}"
                shown = format_number(estimate.value)
                rows.append([name if i == 0 else "", short_title(score), shown, between])
        return ["classifier", "score", "mean", "interval"], rows

    def difference_table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows: paired differences with intervals and p-values, * if significant."""
        rows = []
        for a, b in self.pairs:
            for i, score in enumerate(SHOWN):
                found = self.difference(a, b, score)
                mean, low, high = signed_numbers(found.effect, *found.interval)
                tested = found.p == found.p
                star = "*" if found.p < self.alpha else " "
                p = "<0.0001" if found.p < 1e-4 else f"{found.p:.4f}"
                rows.append(
                    [
                        f"{a} - {b}" if i == 0 else "",
                        short_title(score),
                        "-" if isnan(found.effect) else mean,
                        "-" if isnan(found.interval[0]) else f"{low} to {high}",
                        f"{p}{star}" if tested else "- ",
                    ]
                )
        return ["difference", "score", "mean", "interval", "p "], rows

    def tables(self) -> list[tuple[list[str], list[list[str]]]]:
        """Scores and differences."""
        return [self.score_table(), self.difference_table()]

    def sentences(self) -> list[str]:
        """What differs between every two classifiers, and what the results depend on."""
        return self._results.sentences()

    @property
    def title(self) -> str:
        """The classifiers, and the number of rows and classes."""
        rows = f"{self.n_rows} row{'' if self.n_rows == 1 else 's'}"
        return (
            f"probabilities of {listed(self.names)} on the same {rows}, {len(self.classes)} classes"
        )

    @property
    def note(self) -> str:
        """The prior, the level of the intervals, and the adjustment."""
        level = f"{100 * self.confidence:g}%"
        pairs = "" if len(self.pairs) == 1 else f" all {len(self.pairs)} pairs and"
        clip = self._any.clip
        clipped = "" if clip is None else f"; probabilities clipped to [{clip:g}, {1 - clip:g}]"
        return (
            f"Information rewards in {self._unit} relative to the prior {self._prior_words}; log "
            f"loss in nats{clipped}. {level} intervals of scores; * significant. Intervals of "
            f"differences and p-values are adjusted to hold together for{pairs} these "
            f"{len(SHOWN)} scores{self._units}"
        )

    @property
    def _unit(self) -> str:
        return {2.0: "bits", np.e: "nats"}.get(self._any.base, f"base {self._any.base:g}")

    @property
    def _prior_words(self) -> str:
        n = len(self.classes)
        if np.allclose(self.prior, 1 / n, rtol=0, atol=1e-12):
            return f"1/{n} for each class"
        some = [
            f"{label} {share:.4g}"
            for label, share in zip(self.classes[:_CLASSES_SHOWN], self.prior, strict=False)
        ]
        return ", ".join(some) + (", ..." if n > _CLASSES_SHOWN else "")

    @property
    def _units(self) -> str:
        """What the standard errors allow for, if the rows are in clusters."""
        sums = self._any.sums["brier"]
        if sums.clusters is None:
            return ""
        return f"; errors allow for dependence within {sums.clusters.units[-1]:,} clusters"

    def to_dict(self) -> dict[str, Any]:
        """The whole comparison as plain data."""
        labels = map(str, self.classes.tolist())
        return {
            "kind": "probabilities",
            "rows": self.n_rows,
            "classes": len(self.classes),
            "confidence": self.confidence,
            "prior": dict(zip(labels, self.prior.tolist(), strict=True)),
            "base": self._any.base,
            "clip": self._any.clip,
            "scores": {
                name: {score: self._score_to_dict(name, score) for score in SHOWN}
                for name in self.names
            },
            "pairs": [self._pair_to_dict(a, b) for a, b in self.pairs],
            "recommended": self.recommended,
            "warnings": list(self.warnings),
            "recommendation": self.recommendation,
        }

    def _score_to_dict(self, name: str, score: str) -> dict[str, Any]:
        estimate = self.score(name, score)
        return {
            "mean": estimate.value,
            "interval": plain_interval(estimate.interval(self.confidence)),
            "infinite_rows": self.infinite_rows(name, score),
        }

    def _pair_to_dict(self, a: str, b: str) -> dict[str, Any]:
        found = {score: self.difference(a, b, score) for score in SHOWN}
        differences = {score: plain_test(o) for score, o in found.items()}
        return {"first": a, "second": b, "differences": differences}

    def _view(self) -> View:
        (heads, rows), (titles, gaps) = self.tables()
        return View(
            self.title,
            [Table(heads, rows, "<<>>"), Table(titles, gaps, "<<>>>")],
            [self.note],
            [f"recommendation: {self.recommendation}"],
            self.sentences(),
        )


def compare_probabilities(
    y_true: ArrayLike,
    probabilities: Mapping[str, ArrayLike],
    prior: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    base: float = 2.0,
    clip: float | None = None,
    confidence: float = 0.95,
) -> ProbabilityComparison:
    """Compare probability classifiers on the same rows: scores, differences, recommendation.

    Information reward, log loss and Brier score of each classifier, and their differences row by
    row, with intervals that hold together.

    Use it for classifiers that state probabilities.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels.
    probabilities : mapping of name to array-like of shape (n_rows, n_classes)
        The reported probabilities of at least two classifiers.
    prior, sample_weight, counts, groups, classes, base, clip
        As in `evaluate_probabilities`.
    confidence : float, default=0.95
        Level of the intervals and tests, which hold together for all pairs and scores.

    References
    ----------
    Hope & Korb (2004).

    Examples
    --------
    >>> truth = [0, 1, 1, 0] * 30
    >>> good = [[0.8, 0.2], [0.3, 0.7], [0.2, 0.8], [0.6, 0.4]] * 30
    >>> found = compare_probabilities(truth, {"good": good, "blind": [[0.5, 0.5]] * 120})
    >>> found.recommended
    'good'
    >>> round(found.difference("good", "blind", "brier").effect, 3)
    -0.335
    """
    require_kind(probabilities, "probabilities", Mapping)
    if len(probabilities) < 2:
        raise ValueError(f"a comparison needs at least 2 classifiers, got {len(probabilities)}")
    names = tuple(distinct_names(probabilities))
    rows = aligned_rows(
        y_true,
        dict(zip(names, probabilities.values(), strict=True)),
        classes,
        sample_weight,
        counts,
        groups,
    )
    settings = reward_settings(rows[0].classes, rows[0].prior(prior), base, clip)
    values = [settings.values(rows[0].truth, one.proba) for one in rows]
    sums = add_up(values, rows[0].truth, rows[0].units, len(settings.classes))
    return ProbabilityComparison.of_sums(names, settings, sums, confidence)


def reward_settings(
    classes: Array, prior: ArrayLike | None, base: float = 2.0, clip: float | None = None
) -> RewardSettings:
    """The scores that are compared, and the checked settings."""
    rewards = tuple(get_score(name) for name in SHOWN)
    before = prior_over(prior, classes, declared=True)
    return RewardSettings(rewards, classes, before, check_base(base), check_clip(clip))
