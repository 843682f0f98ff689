"""What plots draw, made from what users have at hand; anything else is refused in one sentence.

A critical-difference diagram needs the result of a test, but its table of scores will do as well; a
risk profile can be computed from tallies, and so on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wager._tables import is_frame
from wager._typing import Array, Floats
from wager.compare import (
    HeadToHead,
    Outcome,
    RankComparison,
    RiskProfile,
    nemenyi,
    nemenyi_of_ranks,
    risk_profile,
)
from wager.costs import CostMatrix, CostTally, ExtendedCosts, named_costs
from wager.credal import CredalVertices
from wager.predictions import ProbabilityIntervals
from wager.rewards import PairedTally, ProbabilityEvaluation, ProbabilityTally, Tally

__all__ = [
    "as_cost_matrix",
    "as_credal",
    "as_evaluation",
    "as_extended_costs",
    "as_numbers",
    "as_rank_comparison",
    "as_risk_profile",
    "check_fitted",
    "refuse",
]


def refuse(plot: str, wanted: str, given: Any, hint: str = "") -> TypeError:
    """The error for a value that a plot cannot draw.

    Examples
    --------
    >>> print(refuse("plot_tree", "a fitted C45 or CredalTree", None))
    plot_tree draws a fitted C45 or CredalTree, got None
    """
    if given is None or isinstance(given, bool | int | float):
        shown = repr(given)
    elif isinstance(given, str):
        shown = f"the text {given!r}" if len(given) < 40 else "a text"
    elif isinstance(given, np.ndarray):
        shown = f"an array of shape {given.shape}"
    else:
        name = getattr(given, "__name__", type(given).__name__)
        shown = f"the class {name}" if isinstance(given, type) else f"an object of type {name}"
    return TypeError(f"{plot} draws {wanted}, got {shown}{': ' + hint if hint else ''}")


def check_fitted(model: Any, plot: str) -> None:
    """Refuse an estimator that was not fitted."""
    if hasattr(model, "fit") and not hasattr(model, "classes_"):
        name = type(model).__name__
        raise ValueError(f"{plot} draws a fitted model, but this {name} is not fitted: call fit")


def as_cost_matrix(given: Any) -> CostMatrix | None:
    """A cost matrix, also from a square array or a frame of costs; None for anything else."""
    given = named_costs(given)
    if isinstance(given, CostMatrix):
        return given
    values = as_numbers(given) if isinstance(given, np.ndarray | list | tuple) else None
    if values is None or values.ndim != 2 or len(values) != values.shape[1] or not len(values):
        return None
    return CostMatrix(values, list(range(len(values))))


def as_numbers(given: Any) -> Floats | None:
    """An array of numbers, or None."""
    try:
        values = np.asarray(given)
    except ValueError:
        return None
    return values.astype(np.float64) if values.dtype.kind in "iuf" else None


def as_extended_costs(given: Any, plot: str) -> ExtendedCosts:
    """Costs of sets; costs of single classes are extended by the usual rule."""
    if isinstance(given, ExtendedCosts):
        return given
    costs = as_cost_matrix(given)
    if costs is None:
        raise refuse(plot, "costs of sets, or a CostMatrix", given, "make one with CostMatrix")
    return costs.extend()


def as_rank_comparison(given: Any, plot: str) -> RankComparison:
    """The result of a post-hoc test, also from Friedman's test or from a table of scores."""
    if isinstance(given, RankComparison):
        return given
    if isinstance(given, Outcome) and {"names", "mean_ranks", "n_datasets"} <= set(given.details):
        ranks = np.asarray(given.details["mean_ranks"])
        return nemenyi_of_ranks(ranks, given.details["n_datasets"], given.details["names"])
    if isinstance(given, Mapping) and given and all(np.ndim(one) == 1 for one in given.values()):
        columns = [as_numbers(one) for one in given.values()]
        lengths = {0 if column is None else len(column) for column in columns}
        if len(lengths) == 1 and 0 not in lengths:
            return nemenyi(np.transpose(columns), names=[str(name) for name in given])  # type: ignore[arg-type]
    values = as_numbers(given)
    if values is None or values.ndim != 2:
        raise refuse(
            plot,
            "the result of nemenyi, holm or friedman, or a table of scores with one row per data "
            "set and one column per classifier",
            given,
        )
    return nemenyi(given, higher_is_better=getattr(given, "greater_is_better", True))


def as_risk_profile(given: Any, plot: str) -> RiskProfile:
    """A risk profile, also from tallies by name, a paired tally or a comparison."""
    if isinstance(given, RiskProfile):
        return given
    if isinstance(given, Tally):
        return risk_profile({"classifier": given})
    if isinstance(given, PairedTally):
        return risk_profile({"a": given.a, "b": given.b})
    if isinstance(given, HeadToHead):
        if given.costs is not None and not given.utilities:
            return given.costs.profile()  # compared by costs alone
        found: dict[str, Tally] = {}
        for (first, second), pair in given.pairs.items():
            found |= {first: pair.a, second: pair.b}
        return risk_profile({name: found[name] for name in given.names})
    items: Sequence[Any] = ()
    if isinstance(given, Mapping):
        items = list(given.values())
    elif isinstance(given, list | tuple):
        items = given
    if not items or not all(isinstance(one, Tally) for one in items):
        by_cost = bool(items) and all(isinstance(one, CostTally) for one in items)
        hint = "for costs pass risk_profile(tallies, costs=...)" if by_cost else ""
        wanted = "a risk profile, or tallies by the names of the classifiers"
        raise refuse(plot, wanted, given, hint)
    return risk_profile(given)


def as_evaluation(given: Any, proba: Any, plot: str) -> ProbabilityEvaluation:
    """An evaluation of probabilities, also from a tally, or from true labels and probabilities."""
    from wager.rewards import evaluate_probabilities

    if proba is not None:
        return evaluate_probabilities(given, proba)
    if isinstance(given, ProbabilityTally):
        return ProbabilityEvaluation(given)
    if isinstance(given, ProbabilityEvaluation):
        return given
    raise refuse(
        plot,
        "the result of evaluate_probabilities, or true labels and probabilities",
        given,
        "" if as_numbers(given) is None else "pass both y_true and proba",
    )


def as_credal(given: Any, plot: str) -> ProbabilityIntervals | CredalVertices:
    """Credal sets, also from precise probabilities (n, K) or from vertices (n, V, K)."""
    if isinstance(given, ProbabilityIntervals | CredalVertices):
        return given
    names = [str(name) for name in given.columns] if is_frame(given) else None
    values = None if given is None else as_numbers(given)
    if values is not None and values.ndim in (2, 3) and values.size:
        classes: Array = np.arange(values.shape[-1]) if names is None else np.array(names)
        if values.ndim == 3:
            return CredalVertices(values, classes)
        return ProbabilityIntervals(values, values, classes=classes)
    hint = "pass model.predict_credal(X)" if hasattr(given, "predict_credal") else ""
    raise refuse(plot, "probability intervals, credal vertices or probabilities", given, hint)
