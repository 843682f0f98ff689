"""What stands out in the scores of a file, in a sentence or two."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan, sqrt
from typing import TYPE_CHECKING

import numpy as np

from wager.rewards import ProbabilityEvaluation, SetEvaluation

if TYPE_CHECKING:
    from wager.report._score import FileScores

_LAGGING = 0.1  # a class whose coverage is so far below that of all rows is worth a word


def set_words(evaluation: SetEvaluation) -> str:
    """The evaluation's own sentence, and the class that pays for the others, if one does."""
    words = evaluation.sentence()
    coverage = evaluation.class_coverage
    if np.isnan(coverage).all():
        return words
    worst = int(np.nanargmin(coverage))
    overall, n = evaluation["coverage"], float(evaluation.class_table[worst].sum())
    chance = 2 * sqrt(overall * (1 - overall) / n)  # what a class of so many rows may lag by chance
    if overall - coverage[worst] > max(_LAGGING, chance):
        words += (
            f" The class {evaluation.classes[worst]} fares worst: "
            f"{100 * coverage[worst]:.1f}% of its rows are hit."
        )
    return words


def probability_words(evaluation: ProbabilityEvaluation) -> str:
    """What the probabilities add to the prior, and whether they mean what they say."""
    reward = evaluation.information_reward
    accuracy = 100 * evaluation.accuracy
    if not isfinite(reward):
        lost = int(evaluation.tally.sums["information_reward"].infinite.sum())
        return (
            f"Certain and wrong in {lost:,} of {evaluation.n_rows:,} rows, so that the information "
            f"rewards are minus infinity; the most probable class is right {accuracy:.1f}% of the "
            "time."
        )
    side = "more" if reward >= 0 else "less"
    return (
        f"The probabilities of {evaluation.n_rows:,} rows tell {abs(reward):.3f} bits {side} than "
        f"the prior; the most probable class is right {accuracy:.1f}% of the time, and its "
        f"probability is off by {100 * evaluation.top_label_calibration_error:.1f} points on "
        "average."
    )


def comparison_words(found: Sequence[FileScores], utilities: Sequence[str]) -> list[str]:
    """Which file earns most under each utility, where several are scored."""
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
        winners = [file for value, file in earned if value == most]
        verb = "earns" if len(winners) == 1 else "earn"
        who = f"{' and '.join(winners)} {verb} most under"
        best.setdefault(who, []).append(f"{utility} ({most:.4f})")
    return ["; ".join(f"{who} {', '.join(won)}" for who, won in best.items()) + "."]
