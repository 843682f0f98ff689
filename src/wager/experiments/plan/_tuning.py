"""How learners are tuned: the scorer for a measure, and costs that a plan gives in words."""

from __future__ import annotations

from typing import Any

from wager.rewards import make_set_scorer

__all__ = ["ORDINAL", "check_costs", "scorer_of"]

COST = "cost:"
ORDINAL = "ordinal"  # costs that grow with the distance between the ranks of two classes


def scorer_of(learner: Any, measure: str) -> Any:
    """The scorer that a search maximises: a measure of sets, or accuracy for precise learners.

    Accuracy is the expected utility of single classes under every utility.  ``"cost:0.5"`` is
    minus the average p-discounted cost with r = 0.5, computed from the costs that the learner
    has; ``"cost:0.5:mistake-averse"`` uses the other mode.

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
        raise ValueError(f"the measure {measure!r} needs costs: set the learner's parameter costs")
    r, _, mode = measure.removeprefix(COST).partition(":")
    try:
        options: dict[str, Any] = {"r": float(r), "mode": mode or "cautious"}
    except ValueError:
        options = {"r": -1.0, "mode": mode}
    if not 0 <= options["r"] <= 1 or options["mode"] not in ("cautious", "mistake-averse"):
        raise ValueError(
            f"there is no measure {measure!r}: write 'cost:0.5' or 'cost:0.5:mistake-averse', with "
            "a number between 0 and 1"
        )
    return make_set_scorer(average_cost, costs=costs, rule="p-discounted", **options)


def check_costs(learner: Any) -> None:
    """Raise an error if a learner's costs are a word with no meaning."""
    for key, value in learner.get_params().items():
        if key.rpartition("__")[2] == "costs" and isinstance(value, str) and value != ORDINAL:
            raise ValueError(f"{key} must be {ORDINAL!r} or a table of numbers, got {value!r}")
