"""Every score of sets from a tally, by its name, with its standard error and interval."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from math import nan
from typing import Any

import numpy as np

from wager._tables import repeated
from wager._visible import brief, reason
from wager.rewards._estimate import Estimate, TransformedEstimate
from wager.rewards._measure import Measure
from wager.rewards._registry import MEASURES
from wager.rewards._scores import SetScore, utility_score
from wager.rewards._summable import score_of, scores_of
from wager.rewards._tally import Tally
from wager.rewards._utility import Utility
from wager.rewards._utility_names import UtilityLike, get_utility


@score_of.register
def score_of_sets(tally: Tally, score: Any) -> Estimate:
    """One score of the predictions that a tally counted: a name, a `SetScore` or a utility.

    Examples
    --------
    >>> tally = Tally.of(["a", "b"], [["a"], ["a", "b"]])
    >>> score_of_sets(tally, "determinacy").value, score_of_sets(tally, "u65").value
    (0.5, 0.825)
    """
    if isinstance(score, SetScore):
        return score.estimate(tally)
    measure = MEASURES.get(score) if isinstance(score, str) else None
    if isinstance(measure, SetScore):
        return measure.estimate(tally)
    if measure is not None and measure.kind == "sets" and measure.is_read_off_tallies:
        return _without_error(measure, tally)
    if measure is not None:
        raise ValueError(
            f"{measure.name} cannot be computed from counts by size and hit: choose from "
            f"{', '.join(_names())}"
        )
    try:
        return utility_score(score).estimate(tally)
    except ValueError as problem:
        if not isinstance(score, str):
            raise
        raise ValueError(
            f"there is no score {brief(score)} ({', '.join(_names())}), and {reason(problem)}"
        ) from None


@scores_of.register
def scores_of_sets(
    tally: Tally, utilities: Iterable[UtilityLike] | UtilityLike
) -> dict[str, Estimate]:
    """Every score of the predictions that a tally counted, by name.

    Measures that are not means, such as the variance of the reward, have no standard error.
    """
    chosen = tuple(get_utility(u) for u in listed(utilities))
    others = {name: _without_error(measure, tally) for name, measure in other_measures().items()}
    return mean_scores(tally, chosen) | others


def mean_scores(tally: Tally, utilities: Iterable[Utility]) -> dict[str, Estimate]:
    """Every score that is a mean, and the certainty equivalents of the utilities."""
    chosen = tuple(utilities)
    found = {name: score.estimate(tally) for name, score in mean_measures(chosen).items()}
    certain: dict[str, Estimate] = {
        certainty_name(u): TransformedEstimate.of(found[u.name], _inverse(u)) for u in chosen
    }
    return found | certain


def mean_measures(utilities: Iterable[Utility]) -> dict[str, SetScore]:
    """Every score that is a mean: the utilities, and those that are registered."""
    registered = {n: score for n, score in MEASURES.items() if isinstance(score, SetScore)}
    first = "discounted_accuracy"  # next to the utilities, of which it is one
    return {first: registered[first]} | {u.name: utility_score(u) for u in utilities} | registered


def other_measures() -> dict[str, Measure]:
    """The registered measures of sets that are not means, such as the variance of the reward."""
    return {
        name: measure
        for name, measure in MEASURES.items()
        if measure.kind == "sets" and measure.of_tally is not None
    }


def certainty_name(utility: Utility) -> str:
    """The name of the certainty equivalent under a utility."""
    return f"certainty_equivalent:{utility.name}"


def listed(utilities: Any) -> list[Any]:
    """Utilities as a list, also if only one is given."""
    one = isinstance(utilities, str | Utility) or not isinstance(utilities, Iterable)
    return [utilities] if one else list(utilities)


def distinct_utilities(utilities: Any) -> tuple[Utility, ...]:
    """One utility or several; two with the same name are an error, and so is a constant one."""
    chosen = tuple(get_utility(u) for u in listed(utilities))
    if twice := repeated(u.name for u in chosen):
        raise ValueError(
            f"two utilities are called {twice[0]!r}: list each utility once, and give functions "
            "different names with Custom(function, label)"
        )
    for utility in chosen:
        if not np.ptp(utility(np.linspace(0.0, 1.0, 101))):
            raise ValueError(
                f"{utility.name} is {utility(0.0):g} for every reward: give a utility that grows "
                "with the reward"
            )
    return chosen


def _without_error(measure: Measure, tally: Tally) -> Estimate:
    tally.require_rows()
    return Estimate(measure(tally), nan, tally.effective_n)


def _inverse(utility: Utility) -> Callable[[float], float]:
    return partial(_inverse_of, utility)  # unlike a local function it can be pickled


def _inverse_of(utility: Utility, value: float) -> float:
    return float(utility.inverse(value))


def _names() -> list[str]:
    return [n for n, m in MEASURES.items() if m.kind == "sets" and m.is_read_off_tallies]
