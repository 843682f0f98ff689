"""E-admissibility: a class is admissible if it is optimal for some probability of the credal set.

This is a linear program for every class of every row.  Most are not needed: a class that another
one beats is not admissible, if only two classes are left both are, and a class that is optimal at
one of the probabilities that were tried is.  The remaining programs of a row are solved together by
one walk over the vertices, and many rows at a time.  HiGHS solves what that walk leaves in doubt:
minima within rounding errors of the tolerance.
"""

from __future__ import annotations

import numpy as np

from wager._typing import Bools, Floats, Ints
from wager.credal._screening import screen
from wager.credal._simplex_walk import Mixtures, walk
from wager.credal._vertices import CredalVertices
from wager.predictions import TOLERANCE, ProbabilityIntervals

__all__ = ["admissible_by_program", "admissible_zero_one", "least_margin"]

_WALK = 400_000  # numbers in the tableaus that are pivoted together
_HIGHS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def admissible_zero_one(intervals: ProbabilityIntervals) -> Bools:
    """The classes that are most probable for some probability within reachable bounds.

    Class i can be the most probable one if and only if its upper probability reaches every lower
    one, and the upper probabilities, cut at that of class i, sum to at least 1.
    """
    lower, upper = intervals.lower, intervals.upper
    reaches = upper >= lower.max(axis=1, keepdims=True) - TOLERANCE
    largest_sum = np.empty_like(upper)
    for i in range(upper.shape[1]):
        largest_sum[:, i] = np.minimum(upper, upper[:, i : i + 1]).sum(axis=1)
    return reaches & (largest_sum >= 1 - TOLERANCE)


def admissible_by_program(credal: ProbabilityIntervals | CredalVertices, costs: Floats) -> Bools:
    """The E-admissible classes under any costs, by predicted and true class.

    The bounds of intervals must be reachable, and the largest cost 1.
    """
    unbeaten, optimal = screen(credal, costs)
    asked = unbeaten & ~optimal
    asked[unbeaten.sum(axis=1) <= 2] = False
    kept = unbeaten & ~asked
    several = np.flatnonzero(asked.any(axis=1))
    n_points = credal.vertices.shape[1] if isinstance(credal, CredalVertices) else len(costs)
    step = max(1, _WALK // (len(costs) * (n_points + 1)))
    for start in range(0, len(several), step):
        rows = several[start : start + step]
        mixtures = _mixtures(credal, rows, costs)
        found, doubtful = walk(mixtures, asked[rows])
        kept[rows] |= (found | _solved(mixtures, doubtful)) & asked[rows]
    return kept


def _mixtures(credal: ProbabilityIntervals | CredalVertices, rows: Ints, costs: Floats) -> Mixtures:
    """Some rows as mixtures of the vertices of a hull, or of the corners of the simplex."""
    if isinstance(credal, CredalVertices):
        losses = credal.vertices[rows] @ costs.T
        return Mixtures.of(losses, np.zeros(losses.shape[:2]), np.ones(losses.shape[:2]))
    return Mixtures.of(costs.T[None], credal.lower[rows], credal.upper[rows])


def _solved(mixtures: Mixtures, asked: Bools) -> Bools:
    """The classes that are optimal for some weights, by a program for each."""
    kept = np.zeros(asked.shape, dtype=bool)
    for row, label in zip(*np.nonzero(asked), strict=True):
        kept[row, label] = least_margin(mixtures.some(np.array([row])), label) <= TOLERANCE
    return kept


def least_margin(mixture: Mixtures, label: int) -> float:
    """The minimum over the weights of the largest ``E[c_label - c_k]`` over the classes k."""
    from scipy.optimize import linprog

    losses = mixture.losses[0]
    n_points, n_classes = losses.shape
    solution = linprog(
        np.append(np.zeros(n_points), 1.0),  # the weights above the least ones, and the margin
        A_ub=np.column_stack([losses[:, [label]].T - losses.T, -np.ones(n_classes)]),
        b_ub=(losses.T - losses[:, label]) @ mixture.lower[0],
        A_eq=np.append(np.ones(n_points), 0.0)[None],
        b_eq=mixture.rest,
        bounds=[*((0, width) for width in mixture.width[0]), (None, None)],
        method="highs-ds",
        options=_HIGHS,
    )
    if solution.status != 0:
        raise RuntimeError(f"the linear program was not solved: {solution.message}")
    return float(solution.fun)
