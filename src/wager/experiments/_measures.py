"""Measures of stored units, by name.

=============================  ===============================================================
name                           read off
=============================  ===============================================================
``u65``, ``f1``, ``log``, ...  the tally: any utility that ``get_utility`` knows
``coverage``, ...              the tally: any plain score of ``wager.metrics``
``certainty_equivalent:u65``   the tally
``true:u65``                   the tally that the true probabilities expect, of generated data
``information_reward``, ...    the sums of probabilities
``kl_divergence``              the true probabilities
``fit_seconds``, ...           the clock
=============================  ===============================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._typing import Array, Floats
from wager.rewards import SET_SCORES, SetScore, get_utility, make_set_scorer, mic, utility_score

__all__ = ["ORDINAL", "Measure", "check_costs", "check_measure", "scorer_of", "set_values"]

TIMES = ("prepare_seconds", "fit_seconds", "predict_seconds")
REWARDS = (
    "information_reward",
    "information_reward_2002",
    "kononenko_bratko",
    "good_reward",
    "accuracy",
)
LOSSES = ("log_loss", "brier", "top_label_calibration_error", "classwise_calibration_error")
CERTAIN = "certainty_equivalent:"
TRUE = "true:"
COST = "cost:"
ORDINAL = "ordinal"  # stands for costs that grow with the distance of the ranks


@dataclass(frozen=True)
class Measure:
    """A measure: the column of the store that it is read off, and which direction is better."""

    name: str
    column: str
    greater_is_better: bool = True

    @property
    def of_tally(self) -> str:
        """The name without the prefix for generated data."""
        return self.name.removeprefix(TRUE)


def check_measure(name: str) -> Measure:
    """The measure of that name; an unknown one is refused.

    Examples
    --------
    >>> check_measure("u65").column, check_measure("log_loss").greater_is_better
    ('tally', False)
    """
    if name in TIMES or name == "kl_divergence":
        return Measure(name, name, False)
    if name in REWARDS or name in LOSSES:
        return Measure(name, "probabilities", name in REWARDS)
    column = "true_tally" if name.startswith(TRUE) else "tally"
    plain = name.removeprefix(TRUE)
    if plain == "reward_variance":
        return Measure(name, column, False)
    if plain in SET_SCORES:
        return Measure(name, column, SET_SCORES[plain].greater_is_better)
    if plain != "mic":
        try:
            get_utility(plain.removeprefix(CERTAIN))
        except ValueError:
            known = [*SET_SCORES, "mic", "reward_variance", *REWARDS, *LOSSES, "kl_divergence"]
            raise ValueError(
                f"there is no measure {name!r}: take a utility such as 'u65' or 'f1', or one of "
                f"{', '.join([*known, *TIMES])}"
            ) from None
    return Measure(name, column)


def set_values(name: str, tables: Array) -> Floats:
    """A measure of many tallies over the same classes at once.

    Parameters
    ----------
    name : str
        Of a measure that is read off tallies.
    tables : array of shape (n, K + 1, 2)

    Examples
    --------
    >>> set_values("u65", np.array([[[0, 0], [1, 1], [0, 2]]])).round(3).tolist()
    [0.575]
    """
    if name.startswith(CERTAIN):
        utility = get_utility(name.removeprefix(CERTAIN))
        means = _means(utility_score(utility), tables)
        return np.array([float(utility.inverse(mean)) for mean in means])
    if name == "reward_variance":
        reward = SET_SCORES["discounted_accuracy"]
        square = SetScore("square", lambda size, hit: reward.function(size, hit) ** 2)
        return _means(square, tables) - _means(reward, tables) ** 2
    if name == "mic":
        return _means(mic(tables.shape[1] - 1), tables)
    return _means(SET_SCORES.get(name) or utility_score(name), tables)


def _means(score: SetScore, tables: Array) -> Floats:
    """Means over the predictions that the score applies to; NaN where there is none."""
    size, hit = np.meshgrid(np.arange(tables.shape[1]), np.arange(2), indexing="ij")
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.broadcast_to(score.function(size, hit == 1), size.shape)
        counts = np.where(np.isnan(values), 0, tables)
        sums = np.where(counts > 0, counts * values, 0.0).sum(axis=(1, 2))
        return sums / counts.sum(axis=(1, 2))


def scorer_of(learner: Any, measure: str) -> Any:
    """What scikit-learn's searches maximise: a measure of sets, or else accuracy.

    Accuracy is the expected utility of single classes, whatever the utility.  ``"cost:0.5"`` is
    minus the average p-discounted cost with r = 0.5, from the learner's own costs of single
    classes, and ``"cost:0.5:mistake-averse"`` its other mode.

    Examples
    --------
    >>> from wager.learners import NaiveCredal
    >>> scorer_of(NaiveCredal(), "u80")
    make_set_scorer(utility_discounted_accuracy, utility='u80')
    """
    if not hasattr(learner, "predict_set"):
        return "accuracy"
    if measure.startswith(COST):
        return _cost_scorer(learner, measure)
    return make_set_scorer(measure)


def _cost_scorer(learner: Any, measure: str) -> Any:
    from wager.costs import average_cost

    costs = getattr(learner, "costs", None)
    if costs is None:
        raise ValueError(f"the measure {measure!r} needs costs: give them to the learner, as costs")
    r, _, mode = measure.removeprefix(COST).partition(":")
    try:
        options: dict[str, Any] = {"r": float(r), "mode": mode or "cautious"}
    except ValueError:
        options = {"r": -1.0, "mode": mode}
    if not 0 <= options["r"] <= 1 or options["mode"] not in ("cautious", "mistake-averse"):
        raise ValueError(
            f"there is no measure {measure!r}: write 'cost:0.5' or 'cost:0.5:mistake-averse', with "
            "a number from 0 to 1"
        )
    return make_set_scorer(average_cost, costs=costs, rule="p-discounted", **options)


def check_costs(learner: Any) -> None:
    """Refuse words for a learner's costs that stand for none."""
    for key, value in learner.get_params().items():
        if key.rpartition("__")[2] == "costs" and isinstance(value, str) and value != ORDINAL:
            raise ValueError(f"{key} must be {ORDINAL!r} or a table of numbers, got {value!r}")
