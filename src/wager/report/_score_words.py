"""Summaries of the scores of a file in one or two sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isclose, isfinite, isnan, sqrt
from typing import TYPE_CHECKING

import numpy as np

from wager._tables import ROUNDING
from wager.compare import listed
from wager.rewards import MEASURES, ProbabilityEvaluation, SetEvaluation

if TYPE_CHECKING:
    from wager.report._score import FileScores

_CLASSES_SHOWN = 8  # of a prior in a sentence
_LAGGING = 0.1  # mention a class whose coverage is this far below that of all rows


def set_words(evaluation: SetEvaluation) -> str:
    """The summary of the evaluation, and the class with the lowest coverage if it lags behind."""
    words = evaluation.sentence()
    coverage = evaluation.class_coverage
    if np.isnan(coverage).all():
        return words
    overall, least = evaluation["coverage"], float(np.nanmin(coverage))
    places = np.flatnonzero(coverage <= least + ROUNDING)
    lowest = evaluation.classes[places].tolist()
    largest = places[evaluation.class_table[places].sum(axis=1).argmax()]
    n = evaluation.class_sums.where(evaluation.class_sums.numbers // 2 == largest).n_units
    chance = 2 * sqrt(overall * (1 - overall) / n)  # a gap that can arise by chance in so many rows
    if overall - least > max(_LAGGING, chance):
        who = f"class {lowest[0]} has" if len(lowest) == 1 else f"classes {_listed(lowest)} have"
        words += f" The {who} the lowest coverage: {100 * least:.1f}%."
    return words


def _listed(labels: Sequence[object]) -> str:
    shown = [str(label) for label in labels[:_CLASSES_SHOWN]]
    rest = len(labels) - len(shown)
    return f"{', '.join(shown)} and {rest} other{'s' * (rest > 1)}" if rest else listed(shown)


def probability_words(evaluation: ProbabilityEvaluation) -> str:
    """What the probabilities add to the prior, and how well they are calibrated."""
    reward = evaluation.information_reward
    accuracy = 100 * evaluation.accuracy
    if not isfinite(reward):
        lost = int(evaluation.tally.sums["information_reward"].infinite.sum())
        return (
            f"The predictions are certain and wrong in {lost:,} of {evaluation.n_rows:,} rows, so "
            "the information rewards are minus infinity; the most probable class is right "
            f"{accuracy:.1f}% of the time."
        )
    compared = f"{abs(reward):.3f} bits {'more' if reward > 0 else 'less'} information than"
    if abs(reward) <= ROUNDING:
        compared = "as much information as"
    return (
        f"The probabilities of {evaluation.n_rows:,} rows contain {compared} the prior; the most "
        f"probable class is right {accuracy:.1f}% of the time, and its probability is off by "
        f"{100 * evaluation.top_label_calibration_error:.1f} percentage points on average"
        f"{_if_calibrated(evaluation)}."
    )


def _if_calibrated(evaluation: ProbabilityEvaluation) -> str:
    """What a calibrated forecaster would score, to compare the calibration error with."""
    expected = MEASURES["top_label_calibration_error_if_calibrated"](evaluation.tally)
    if isnan(expected):
        return ""
    points = f"{100 * expected:.1f} percentage points"
    return f" (calibrated probabilities would be off by {points} by chance)"


def prior_words(prior: Mapping[str, float], *, given: bool) -> str:
    """Which prior the information rewards use, and how to give another one.

    Examples
    --------
    >>> prior_words({"a": 0.5, "b": 0.5}, given=False)
    'Information rewards use the uniform prior, 1/2 for each class; --prior takes the training
    frequencies.'
    >>> prior_words({"a": 0.6, "b": 0.4}, given=True)
    'Information rewards use the prior a 0.6, b 0.4.'
    """
    if not given:
        return (
            f"Information rewards use the uniform prior, 1/{len(prior)} for each class; --prior "
            "takes the training frequencies."
        )
    some = [f"{label} {share:.4g}" for label, share in list(prior.items())[:_CLASSES_SHOWN]]
    rest = ", ..." if len(prior) > _CLASSES_SHOWN else ""
    return f"Information rewards use the prior {', '.join(some)}{rest}."


def cluster_words(n_clusters: int) -> str:
    """That intervals allow for clusters of dependent rows.

    Examples
    --------
    >>> cluster_words(30)
    'Intervals and standard errors allow for dependence between the rows of each of 30
    clusters.'
    """
    if n_clusters == 1:
        return "All rows belong to one cluster, so intervals and standard errors are not known."
    return (
        "Intervals and standard errors allow for dependence between the rows of each of "
        f"{n_clusters:,} clusters."
    )


def comparison_words(found: Sequence[FileScores], utilities: Sequence[str]) -> list[str]:
    """Which of several files earns most under each utility."""
    for file in found:
        if not hasattr(file, "scores"):
            raise TypeError(f"found must be a list of FileScores, got a {type(file).__name__}")
    best: dict[str, list[str]] = {}
    for utility in utilities:
        earned = [
            (score.value, score.file)
            for file in found
            for score in file.scores
            if (score.family, score.group, score.of_class, score.measure)
            == ("sets", "", "", utility)
            and not isnan(score.value)
        ]
        if len(earned) < 2:
            return []
        most = max(value for value, _ in earned)
        winners = [
            file
            for value, file in earned
            if isclose(value, most, rel_tol=ROUNDING, abs_tol=ROUNDING)
        ]
        verb = "earns" if len(winners) == 1 else "earn"
        who = f"{listed(winners)} {verb} most under"
        best.setdefault(who, []).append(f"{utility} ({most:.4f})")
    words = "; ".join(f"{who} {', '.join(won)}" for who, won in best.items())
    return [f"In this sample {words}; `wager compare` tests the differences."]
