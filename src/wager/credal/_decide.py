"""What to predict from a credal set: the decision rules for imprecise probabilities.

A rule compares the classes by their expected costs over all probabilities of the set (Troffaes,
2007; Yang, Destercke & Masson, 2017, Sec. II-C):

=====================  =========================================================================
maximality             keep j unless some i is cheaper under every p: ``lower E[c_j - c_i] > 0``
e-admissibility        keep j if it is cheapest under some p
interval-dominance     keep j unless some i costs less at worst than j at best
gamma-maximin          keep the classes whose cost at worst is least
gamma-maximax          keep the classes whose cost at best is least
=====================  =========================================================================

The first three are nested: E-admissible classes are maximal, maximal ones are not dominated by
intervals.  All ties are kept, and what is below 1e-9 counts as 0.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from wager._typing import Bools, Floats
from wager.credal._admissibility import admissible_by_programme, admissible_zero_one
from wager.credal._costs import determinate_costs
from wager.credal._vertices import CredalVertices
from wager.predictions import TOLERANCE, PredictionSets, ProbabilityIntervals

__all__ = ["Rule", "decide"]

Credal: TypeAlias = ProbabilityIntervals | CredalVertices
Rule: TypeAlias = Literal[
    "maximality", "e-admissibility", "interval-dominance", "gamma-maximin", "gamma-maximax"
]
_BLOCK = 1_000_000  # expected costs held at once


def decide(
    credal: Credal,
    rule: Rule = "maximality",
    costs: Any = None,
    *,
    contiguous: bool = False,
) -> PredictionSets:
    """Predict the classes that a decision rule keeps, given what is known of the probabilities.

    Parameters
    ----------
    credal : ProbabilityIntervals or CredalVertices
    rule : str, default="maximality"
        ``"maximality"``, ``"e-admissibility"``, ``"interval-dominance"``, ``"gamma-maximin"``
        (least cost at worst) or ``"gamma-maximax"`` (least cost at best).
    costs : CostMatrix or array-like of shape (n_classes, n_classes), optional
        The cost of predicting a class (row) when another is true (column); 0/1 by default.
    contiguous : bool, default=False
        Fill the gaps between the kept classes: for ordered classes, where a prediction of "1 or 3"
        would make no sense.

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
            "a decision needs ProbabilityIntervals or CredalVertices, got "
            f"{type(credal).__name__}: wrap the bounds, or the probabilities of an ensemble"
        )
    if rule not in get_args(Rule):
        raise ValueError(f"rule must be one of {', '.join(get_args(Rule))}, got {rule!r}")
    credal.require_proper()
    matrix = determinate_costs(costs, credal.classes)
    kept = np.empty((len(credal), len(credal.classes)), dtype=bool)
    step = max(1, _BLOCK // (kept.shape[1] * _points(credal)))
    for start in range(0, len(credal), step):
        kept[start : start + step] = _RULES[rule](credal[start : start + step], matrix)
    return PredictionSets.from_indicator(_filled(kept) if contiguous else kept, credal.classes)


def _maximality(credal: Credal, costs: Floats | None) -> Bools:
    """Equations (6) and (7) of Yang, Destercke & Masson (2017)."""
    if costs is None and isinstance(credal, ProbabilityIntervals):
        # 1_i and -1_j are comonotone, so lower E[1_i - 1_j] = lower p_i - upper p_j: whoever beats
        # j by every probability beats it by its interval as well
        return _interval_dominance(credal, costs)
    matrix = _or_zero_one(costs, credal)
    kept = np.empty((len(credal), len(matrix)), dtype=bool)
    for j, cost in enumerate(matrix):
        gains = credal.lower_expectation(cost - np.delete(matrix, j, axis=0))
        kept[:, j] = gains.max(axis=1, initial=0.0) <= TOLERANCE
    return kept


def _e_admissibility(credal: Credal, costs: Floats | None) -> Bools:
    if isinstance(credal, CredalVertices):
        matrix = _or_zero_one(costs, credal)
        share = np.ones(credal.vertices.shape[:2])
        maximal = _maximality(credal, matrix)
        points = credal.vertices
        return admissible_by_programme(points, maximal, matrix, 0 * share, share, points)
    tight = credal.tighten()
    if costs is None:
        return admissible_zero_one(tight)
    maximal = _maximality(tight, costs)
    corners = np.eye(len(costs))
    tried = _some_probabilities(tight, maximal, costs)
    return admissible_by_programme(tried, maximal, costs, tight.lower, tight.upper, corners)


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


def _or_zero_one(costs: Floats | None, credal: Credal) -> Floats:
    return 1.0 - np.eye(len(credal.classes)) if costs is None else costs


def _some_probabilities(intervals: ProbabilityIntervals, maximal: Bools, costs: Floats) -> Floats:
    """For each class, the probability that most favours it against the average maximal class."""
    rival = (maximal @ costs) / maximal.sum(axis=1, keepdims=True)
    tried = [_least_favourable(intervals, cost - rival) for cost in costs]
    return np.stack(tried, axis=1)


def _least_favourable(intervals: ProbabilityIntervals, f: Floats) -> Floats:
    """The probability with the least expectation of f, a function a row: fill where f is small."""
    order = np.argsort(f, axis=1)
    room = np.take_along_axis(intervals.upper - intervals.lower, order, axis=1)
    rest = 1 - intervals.lower.sum(axis=1, keepdims=True)
    taken = np.clip(rest - (room.cumsum(axis=1) - room), 0, room)
    given = np.empty_like(taken)
    np.put_along_axis(given, order, taken, axis=1)
    return intervals.lower + given


def _filled(kept: Bools) -> Bools:
    """The smallest run of classes that holds the kept ones."""
    from_left = np.logical_or.accumulate(kept, axis=1)
    from_right = np.logical_or.accumulate(kept[:, ::-1], axis=1)[:, ::-1]
    return from_left & from_right
