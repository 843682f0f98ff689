"""Decision rules for imprecise probabilities: which classes to predict from a credal set.

A rule compares the classes by their expected costs over all probabilities of the set (Troffaes,
2007; Yang, Destercke & Masson, 2017, Sec. II-C):

=====================  =========================================================================
maximality             keep j unless some i costs less under every p: ``lower E[c_j - c_i] > 0``
e-admissibility        keep j if it has the least expected cost under some p
interval-dominance     keep j unless the upper cost of some i is below the lower cost of j
gamma-maximin          keep the classes with the least upper expected cost
gamma-maximax          keep the classes with the least lower expected cost
=====================  =========================================================================

The first three are nested: E-admissible classes are maximal, and maximal classes are not
interval-dominated.  All tied classes are kept, and expected costs that differ by less than 1e-9 of
the largest cost are tied, so the unit of the costs does not matter.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from wager._tables import is_one_of
from wager._typing import Bools, Floats
from wager._visible import brief
from wager.credal._class_costs import determinate_costs, named_by_costs
from wager.credal._e_admissibility import admissible_by_program, admissible_zero_one
from wager.credal._screening import screen
from wager.credal._vertices import CredalVertices
from wager.predictions import TOLERANCE, PredictionSets, ProbabilityIntervals

__all__ = ["DecisionRule", "decide"]

Credal: TypeAlias = ProbabilityIntervals | CredalVertices
DecisionRule: TypeAlias = Literal[
    "maximality", "e-admissibility", "interval-dominance", "gamma-maximin", "gamma-maximax"
]
_BLOCK = 1_000_000  # expected costs in memory at a time


def decide(
    credal: Credal,
    rule: DecisionRule = "maximality",
    costs: Any = None,
    *,
    contiguous: bool = False,
) -> PredictionSets:
    """Predict the classes that a decision rule keeps for each credal set.

    Parameters
    ----------
    credal : ProbabilityIntervals or CredalVertices
    rule : str, default="maximality"
        ``"maximality"``, ``"e-admissibility"``, ``"interval-dominance"``, ``"gamma-maximin"``
        (least upper cost) or ``"gamma-maximax"`` (least lower cost).
    costs : CostMatrix or array-like of shape (n_classes, n_classes), optional
        The cost of predicting a class (row) when another is true (column); 0/1 by default.  A
        `CostMatrix` is matched by name; a plain matrix has the classes of ``credal``, in its order.
    contiguous : bool, default=False
        Fill the gaps between the kept classes: for ordered classes, where predicting "1 or 3"
        makes no sense.

    Returns
    -------
    PredictionSets

    Examples
    --------
    Yang, Destercke & Masson (2017), Examples 3 and 4.

    >>> obstacle = ProbabilityIntervals([[0, 0.3, 0.4]], [[0.2, 0.4, 0.6]], classes=["h", "b", "n"])
    >>> decide(obstacle, costs=[[0, 1, 2], [1, 0, 2], [4, 4, 0]]).to_lists()
    [['b']]
    >>> decide(obstacle).to_lists()
    [['b', 'n']]
    """
    if not isinstance(credal, ProbabilityIntervals | CredalVertices):
        raise ValueError(
            "credal must be ProbabilityIntervals or CredalVertices, got "
            f"{type(credal).__name__}: wrap the bounds, or the probabilities of an ensemble"
        )
    if not is_one_of(rule, get_args(DecisionRule)):
        raise ValueError(
            f"rule must be one of {', '.join(get_args(DecisionRule))}, got {brief(rule)}"
        )
    credal.require_proper()
    names = credal.classes if credal.named else None
    if names is None:
        names = named_by_costs(costs, len(credal.classes), "credal")
    matrix = _in_units_of_the_largest(
        determinate_costs(costs, credal.classes if names is None else names)
    )
    kept = np.empty((len(credal), len(credal.classes)), dtype=bool)
    step = max(1, _BLOCK // (kept.shape[1] * _points(credal)))
    for start in range(0, len(credal), step):
        kept[start : start + step] = _RULES[rule](credal[start : start + step], matrix)
    return PredictionSets.from_indicator(_filled(kept) if contiguous else kept, names)


def _maximality(credal: Credal, costs: Floats | None) -> Bools:
    """Equations (6) and (7) of Yang, Destercke & Masson (2017)."""
    if costs is None and isinstance(credal, ProbabilityIntervals):
        # 1_i and -1_j are comonotone, so lower E[1_i - 1_j] = lower p_i - upper p_j: a class
        # that beats j under every probability beats it by interval dominance as well
        return _interval_dominance(credal, costs)
    matrix = _or_zero_one(costs, credal)
    reachable = credal if isinstance(credal, CredalVertices) else credal.tighten()
    kept, optimal = screen(reachable, matrix)
    for j, cost in enumerate(matrix):
        rows = np.flatnonzero(kept[:, j] & ~optimal[:, j])  # a class that is optimal is maximal
        if rows.size:
            gains = credal[rows].lower_expectation(cost - np.delete(matrix, j, axis=0))
            kept[rows, j] = gains.max(axis=1, initial=0.0) <= TOLERANCE
    return kept


def _e_admissibility(credal: Credal, costs: Floats | None) -> Bools:
    if isinstance(credal, CredalVertices):
        return admissible_by_program(credal, _or_zero_one(costs, credal))
    tight = credal.tighten()
    return admissible_zero_one(tight) if costs is None else admissible_by_program(tight, costs)


def _interval_dominance(credal: Credal, costs: Floats | None) -> Bools:
    if costs is None and isinstance(credal, ProbabilityIntervals):
        tight = credal.tighten()
        return tight.upper >= tight.lower.max(axis=1, keepdims=True) - TOLERANCE
    matrix = _or_zero_one(costs, credal)
    at_worst = credal.upper_expectation(matrix).min(axis=1, keepdims=True)
    return credal.lower_expectation(matrix) <= at_worst + TOLERANCE


def _gamma_maximin(credal: Credal, costs: Floats | None) -> Bools:
    return _least(credal.upper_expectation(_or_zero_one(costs, credal)))


def _gamma_maximax(credal: Credal, costs: Floats | None) -> Bools:
    return _least(credal.lower_expectation(_or_zero_one(costs, credal)))


_RULES = {
    "maximality": _maximality,
    "e-admissibility": _e_admissibility,
    "interval-dominance": _interval_dominance,
    "gamma-maximin": _gamma_maximin,
    "gamma-maximax": _gamma_maximax,
}


def _points(credal: Credal) -> int:
    return credal.vertices.shape[1] if isinstance(credal, CredalVertices) else 1


def _least(values: Floats) -> Bools:
    return values <= values.min(axis=1, keepdims=True) + TOLERANCE


def _in_units_of_the_largest(costs: Floats | None) -> Floats | None:
    """The costs divided by the largest one, so that one tolerance suits money and millionths."""
    if costs is None:
        return None
    return costs / (costs.max() or 1.0)


def _or_zero_one(costs: Floats | None, credal: Credal) -> Floats:
    return 1.0 - np.eye(len(credal.classes)) if costs is None else costs


def _filled(kept: Bools) -> Bools:
    """The smallest run of neighbouring classes that contains the kept ones."""
    from_left = np.logical_or.accumulate(kept, axis=1)
    from_right = np.logical_or.accumulate(kept[:, ::-1], axis=1)[:, ::-1]
    return from_left & from_right
