"""Two probability classifiers on the same rows: how much better one of them scores.

The difference of a score is computed in every row, so that what makes a row easy or hard for both
cancels.  Sums of the differences and of their squares are enough for a test and an interval, and
they add up over chunks, files and machines.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from math import nan
from typing import Any, Self

import numpy as np

from wager._tables import (
    ROUNDING,
    Table,
    View,
    counted,
    encode_labels,
    format_number,
    is_one_of,
    require_sorted,
    union_labels,
)
from wager._typing import Array, ArrayLike, Floats, Ints
from wager._visible import brief
from wager.compare._outcome import Names, Outcome, check_alpha, check_names
from wager.predictions import TopKProbabilities, as_top_k, columns_by_name
from wager.rewards import (
    Combine,
    MeanEstimate,
    ProbabilityReward,
    ProbabilityRows,
    RewardSums,
    SummableTally,
    check_base,
    check_clip,
    check_prior,
    in_both,
    plain_data,
    plain_labels,
    plain_numbers,
    probability_rewards,
)

_ROWS_NAMED = 3  # rows that a message lists
_ONE_LOGARITHM = ("log_loss", "good_reward", "information_reward")  # or a mean of several


def reward_gaps(first: Floats, second: Floats) -> Floats:
    """What the first earns more than the second, and 0 where they differ by rounding alone.

    Probabilities that two programs computed are seldom equal to the last bit, and differences of
    1e-17 that have the same sign in most rows would be significant.
    """
    with np.errstate(invalid="ignore"):  # infinite minus infinite counts as not finite
        gap = first - second
        size = np.maximum(1.0, np.minimum(np.abs(first), np.abs(second)))
        same = np.isfinite(gap) & (np.abs(gap) <= ROUNDING * size)
        return np.where(same, 0.0, gap)


@dataclass(frozen=True, eq=False, repr=False)
class MeanDifference(MeanEstimate):
    """The mean difference of a score, first minus second; parameters as in `MeanEstimate`."""

    @property
    def p(self) -> float:
        """Two-sided p-value of the hypothesis that the mean difference is 0."""
        return self.p_value(0.0)

    @property
    def is_bounded(self) -> bool:
        """Whether the range of the difference is known."""
        return bool(np.isfinite(self.lowest) and np.isfinite(self.largest))

    def negative(self) -> MeanDifference:
        """The difference second minus first."""
        return replace(
            self,
            value=-self.value,
            lowest=-self.largest,
            largest=-self.lowest,
            skewness=-self.skewness,
        )


@dataclass(frozen=True, eq=False, repr=False)
class PairedProbabilities(SummableTally):
    """Sums of the differences of every score of two probability classifiers; parts add up.

    Parameters
    ----------
    classes, prior, base, clip
        As in `ProbabilityTally`.
    sums : dict of str to RewardSums
        Sums of the reward of the first minus that of the second, by the name of the score.

    Examples
    --------
    >>> truth = [0, 1, 1, 0]
    >>> good, bad = [[0.8, 0.2], [0.3, 0.7], [0.2, 0.8], [0.6, 0.4]], [[0.5, 0.5]] * 4
    >>> pair = PairedProbabilities.of(truth, good, bad)
    >>> brier = pair.difference("brier")
    >>> round(brier.value, 3), round(brier.p, 3)
    (-0.335, 0.065)
    >>> (pair + pair).difference("brier").n
    8.0
    """

    classes: Array
    prior: Floats
    base: float
    clip: float | None
    sums: dict[str, RewardSums]

    @classmethod
    def of(
        cls,
        y_true: ArrayLike,
        proba_a: ArrayLike,
        proba_b: ArrayLike,
        prior: ArrayLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        base: float = 2.0,
        clip: float | None = None,
    ) -> PairedProbabilities:
        """The differences of some rows; the arguments are those of `evaluate_probabilities`.

        Tallies of parts add up if no cluster of `groups` is divided between parts.
        """
        a, b = aligned_rows(
            y_true,
            {"proba_a": proba_a, "proba_b": proba_b},
            classes,
            sample_weight,
            counts,
            groups,
        )
        before = a.prior(prior)
        unit, clip = check_base(base), check_clip(clip)
        sums = {}
        for reward in probability_rewards():
            first, second = (reward.values(rows, before, unit, clip) for rows in (a, b))
            gap = reward_gaps(first, second)
            sums[reward.name] = RewardSums.of(gap, a.truth, a.units, len(a.classes))
        return cls(a.classes, before, unit, clip, sums)

    def difference(self, score: str) -> MeanDifference:
        """The mean of a score of the first minus that of the second.

        Parameters
        ----------
        score : str
            Such as ``"log_loss"``, ``"brier"``, ``"information_reward"``, ``"good_reward"`` or
            ``"kononenko_bratko"``; ``sums`` lists all.

        Returns
        -------
        MeanDifference
            With ``value``, ``standard_error``, ``n``, ``interval(level)`` and ``p``; NaN if a row
            has an infinite score (see ``infinite_rows``).
        """
        reward = get_score(score)
        if reward.name not in self.sums:
            raise ValueError(
                f"this tally has no differences of {brief(score)}: choose from "
                f"{', '.join(self.sums)}"
            )
        sums = self.sums[reward.name]
        low, high = reward.limits(self.prior, self.base)
        reach = min(float((high - low).max()), self._reach_of_clipped(reward))
        clustered = sums.clusters is not None
        if self.infinite_rows(score):
            return MeanDifference(nan, nan, sums.n, -reach, reach, clustered=clustered)
        is_rounding = abs(sums.mean) <= ROUNDING * sums.standard_error
        return MeanDifference(
            0.0 if is_rounding else reward.sign * sums.mean + 0.0,  # not -0
            sums.standard_error,
            sums.n,
            -reach,
            reach,
            # hits differ by 1 or not at all, so that few rows may all agree by chance
            extremes=reward.is_proportion,
            skewness=reward.sign * sums.skewness,
            clustered=clustered,
        )

    def _reach_of_clipped(self, reward: ProbabilityReward) -> float:
        """The largest difference of rewards that are (means of) logarithms of clipped numbers."""
        if self.clip is None or reward.name not in _ONE_LOGARITHM:
            return float("inf")
        nats = float(np.log((1 - self.clip) / self.clip))
        return nats / float(np.log(self.base)) if reward.in_bits else nats

    def infinite_rows(self, score: str) -> int:
        """How many rows have an infinite score for one or both; ``clip=`` makes them finite."""
        return int(self.sums[get_score(score).name].infinite.sum())

    @property
    def n_rows(self) -> int:
        """Number of rows of positive weight."""
        return int(next(iter(self.sums.values())).rows.sum())

    def _check_alike(self, other: Self, verb: str) -> None:
        if not self._same_setting(other):
            raise ValueError(
                f"cannot {verb} differences with different classes, prior, base or clip: use the "
                "same for both parts"
            )

    def _combined(self, other: Self, by: Combine) -> Self:
        return replace(self, sums=in_both(self.sums, other.sums, by))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairedProbabilities):
            return NotImplemented
        return self._same_setting(other) and self.sums == other.sums

    __hash__ = None  # type: ignore[assignment]

    def _same_setting(self, other: PairedProbabilities) -> bool:
        return (
            np.array_equal(self.classes, other.classes)
            and np.array_equal(self.prior, other.prior)
            and (self.base, self.clip) == (other.base, other.clip)
        )

    def __repr__(self) -> str:
        return (
            f"PairedProbabilities({self.n_rows} rows, {len(self.classes)} classes, "
            f"{len(self.sums)} scores)"
        )

    def _view(self) -> View:
        rows = [
            [name.replace("_", " "), found.value, found.standard_error, found.p]
            for name in (self.sums if self.n_rows else ())
            for found in [self.difference(name)]
        ]
        many = counted(len(self.classes), "class", ",")
        title = f"{counted(self.n_rows, 'row', ',')} over {many}, differences a - b"
        return View(title, [Table(["score", "difference", "std. error", "p"], rows)])

    def to_dict(self) -> dict[str, Any]:
        """The differences as plain data.

        Examples
        --------
        >>> pair = PairedProbabilities.of([0, 1], [[0.5, 0.5]] * 2, [[0.4, 0.6]] * 2)
        >>> PairedProbabilities.from_json(pair.to_json()) == pair
        True
        """
        return {
            "classes": self.classes.tolist(),
            "prior": self.prior.tolist(),
            "base": self.base,
            "clip": self.clip,
            "differences": {name: sums.to_list() for name, sums in self.sums.items()},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The differences that `to_dict` wrote."""
        with plain_data(cls, data, ["classes", "prior", "base", "clip", "differences"]):
            classes = plain_labels(data["classes"])
            K = len(classes)
            prior = check_prior(plain_numbers(data["prior"], "prior", (K,)), K)
            base, clip = check_base(data["base"]), check_clip(data["clip"])
            found = data["differences"].items()
            sums = {name: RewardSums.from_list(parts, K) for name, parts in found}
            if not sums:
                raise ValueError("it has no differences")
            return cls(classes, prior, base, clip, sums)


def paired_probabilities(
    y_true: ArrayLike,
    proba_a: ArrayLike,
    proba_b: ArrayLike,
    score: str = "log_loss",
    prior: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    base: float = 2.0,
    clip: float | None = None,
    names: Names = ("A", "B"),
    alpha: float = 0.05,
) -> Outcome:
    """Test which of two probability classifiers scores better on the same rows.

    A t-test of the differences in every row, or cluster of rows, which allows for skewed
    differences (see `MeanEstimate`).

    Use it for two classifiers that state probabilities, on one test set.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels.
    proba_a, proba_b : array-like of shape (n_rows, n_classes)
        Reported probabilities of both, in the same order of rows.
    score : str, default="log_loss"
        Also ``"brier"``, ``"information_reward"``, ``"information_reward_2002"``,
        ``"good_reward"``, ``"kononenko_bratko"`` or ``"accuracy"``.
    prior, sample_weight, counts, groups, classes, base, clip
        As in `evaluate_probabilities`.
    names : tuple of str, default=("A", "B")
        Names of both in the verdict.
    alpha : float, default=0.05
        Level of the test; the interval has the level 1 - alpha.

    Returns
    -------
    Outcome
        The effect is the mean score of A minus that of B.

    References
    ----------
    Hope & Korb (2004).

    Examples
    --------
    >>> truth = [0, 1, 1, 0] * 3
    >>> good, bad = [[0.8, 0.2], [0.3, 0.7], [0.2, 0.8], [0.6, 0.4]] * 3, [[0.5, 0.5]] * 12
    >>> paired_probabilities(truth, good, bad, "brier").verdict
    'A has the lower Brier score (p = 0.0003)'
    >>> paired_probabilities([0, 1], [[1, 0], [1, 0]], [[0.9, 0.1], [0.8, 0.2]]).verdict
    'the log loss of A is infinite in row 1, so that no difference is defined: pass clip=1e-6'
    """
    check_alpha(alpha)
    names = check_names(names)
    reward = get_score(score)
    pair = PairedProbabilities.of(
        y_true,
        proba_a,
        proba_b,
        prior,
        sample_weight=sample_weight,
        counts=counts,
        groups=groups,
        classes=classes,
        base=base,
        clip=clip,
    )
    found = pair.difference(reward.name)
    if pair.infinite_rows(reward.name):
        verdict = _undefined(y_true, (proba_a, proba_b), pair, reward, names)
    else:
        verdict = verdict_on_scores(found, reward, names, alpha, found.p)
    error, limits = found.standard_error, found.interval(1 - alpha)
    t = (
        found.value / error
        if error > 0
        else (nan if np.isnan(found.value) else found.value * np.inf)
    )
    details = {
        "score": reward.name,
        "standard_error": error,
        "df": found.n - 1,
        "n": pair.n_rows,
        "infinite_rows": pair.infinite_rows(reward.name),
    }
    unit = "clusters" if groups is not None else "rows"
    test = f"paired test of {score_title(reward)}, over {unit}"
    return Outcome(test, float(t), found.p, found.value, limits, verdict, details)


def aligned_rows(
    y_true: ArrayLike,
    probabilities: Mapping[str, ArrayLike],
    classes: ArrayLike | None,
    sample_weight: ArrayLike | None,
    counts: ArrayLike | None,
    groups: ArrayLike | None,
) -> list[ProbabilityRows]:
    """The rows of several classifiers over the classes of the first; only it has the units."""
    units = (sample_weight, counts, groups)
    rows: list[ProbabilityRows] = []
    given = {name: as_top_k(proba) or proba for name, proba in probabilities.items()}
    if classes is None:
        classes = _listed_labels(y_true, given.values())
    for name, proba in given.items():
        if not rows:
            rows.append(ProbabilityRows.of(y_true, proba, classes, *units, name=name))
            continue
        if classes is None and not _has_names(proba):
            require_sorted(rows[0].classes, name, f"the columns of {next(iter(probabilities))}")
        rows.append(ProbabilityRows.of(y_true, proba, rows[0].classes, None, name=name))
    return rows


def _has_names(proba: Any) -> bool:
    """Whether the classes of probabilities are known by name."""
    if isinstance(proba, TopKProbabilities):
        return proba.source != "columns"
    return columns_by_name(proba)[1] is not None


def _listed_labels(y_true: ArrayLike, given: Collection[Any]) -> Array | None:
    """All labels, if every classifier lists labels out of classes that were not declared."""
    listed = [one for one in given if isinstance(one, TopKProbabilities) and one.source == "labels"]
    if len(listed) < len(given):
        return None
    return reduce(union_labels, [one.classes for one in listed], encode_labels(y_true)[1])


def get_score(name: str) -> ProbabilityReward:
    """The score of probabilities with this name.

    Examples
    --------
    >>> get_score("brier").title
    'Brier score'
    """
    known = {reward.name: reward for reward in probability_rewards()}
    for reward in known.values():
        if is_one_of(name, (reward.name, *reward.aliases)):
            return reward
    raise ValueError(
        f"there is no score {brief(name)} of probabilities: use one of {', '.join(known)}"
    )


def verdict_on_scores(
    found: MeanDifference, reward: ProbabilityReward, names: Names, alpha: float, p: float
) -> str:
    """What a test of the p-value `p` says about the scores of two classifiers.

    Examples
    --------
    >>> found = MeanDifference(0.1, 0.02, 100, -2.0, 2.0)
    >>> verdict_on_scores(found, get_score("brier"), ("x", "y"), 0.05, 0.01)
    'y has the lower Brier score (p = 0.0100)'
    """
    a, b = names
    if np.isnan(p):
        return f"{format_number(found.n)} rows are too few to compare {a} and {b}"
    shown = "p < 0.0001" if p < 1e-4 else f"p = {p:.4f}"
    if p >= alpha or found.value == 0:
        return f"no significant difference in {score_title(reward)} between {a} and {b} ({shown})"
    better = a if (found.value > 0) == reward.greater_is_better else b
    words = f"{better} has the {'higher' if reward.sign > 0 else 'lower'} {score_title(reward)}"
    if found.is_bounded:
        return f"{words} ({shown})"
    return (
        f"in these rows {words} ({shown}); a rare large loss that was not observed could change "
        "this, since the score is unbounded: pass clip= for a test that allows for it"
    )


def _undefined(
    y_true: ArrayLike,
    probas: tuple[ArrayLike, ArrayLike],
    pair: PairedProbabilities,
    reward: ProbabilityReward,
    names: Names,
) -> str:
    """Which rows have infinite scores, and what to do about them."""
    parts = []
    for name, proba in zip(names, probas, strict=True):
        rows = ProbabilityRows.of(y_true, proba, pair.classes, None)
        values = reward.values(rows, pair.prior, pair.base, pair.clip)
        lost = np.flatnonzero(~np.isfinite(values))
        if len(lost):
            parts.append(f"of {name} is infinite in {_rows(lost)}")
    return (
        f"the {score_title(reward)} {' and that '.join(parts)}, so that no difference is defined: "
        "pass clip=1e-6"
    )


def _rows(places: Ints) -> str:
    shown = ", ".join(map(str, places[:_ROWS_NAMED].tolist()))
    left = len(places) - _ROWS_NAMED
    word = "row" if len(places) == 1 else "rows"
    return f"{word} {shown}" + (f" and {left} more" if left > 0 else "")


def score_title(reward: ProbabilityReward) -> str:
    """The name of a score in a sentence."""
    title = reward.title.removesuffix(" (nats)")
    return title if reward.for_comparison or "reward" in title else f"{title} reward"
