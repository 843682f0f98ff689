"""E-admissibility: a class is admissible if it is optimal for some probability of the credal set.

This is a linear program for every class of every row: find the p in the credal set that minimises
the maximum of ``E_p[c_j - c_k]`` over the other classes k; class j is admissible if that minimum is
not positive.  Three facts keep the programs few and cheap.  An admissible class is maximal, and
if there are at most two maximal classes, each is admissible.  A class that is optimal at one of the
probabilities that were tried is admissible.  The remaining programs are solved together by HiGHS,
hundreds of them as the blocks of one sparse program.
"""

from __future__ import annotations

import numpy as np

from wager._typing import Bools, Floats, Ints
from wager.predictions import TOLERANCE, ProbabilityIntervals

__all__ = ["admissible_by_program", "admissible_zero_one", "least_margins"]

_BLOCKS = 500  # programs solved as one: more are not faster, fewer mean more calls of the solver
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


def admissible_by_program(
    tried: Floats, maximal: Bools, costs: Floats, lower: Floats, upper: Floats, points: Floats
) -> Bools:
    """The E-admissible classes among the maximal ones.

    Parameters
    ----------
    tried : ndarray of shape (n, t, K)
        Some probabilities of each credal set.
    maximal : bool ndarray of shape (n, K)
    costs : ndarray of shape (K, K)
        By predicted and true class.
    lower, upper : ndarray of shape (n, V)
        Bounds of the weights of the points.
    points : ndarray of shape (V, K) or (n, V, K)
        A probability of the set is a sum of these points, with weights within the bounds that sum
        to 1.  The points are the corners of the simplex for intervals, or the vertices of a hull.
    """
    kept = maximal.copy()
    undecided = np.flatnonzero(maximal.sum(axis=1) > 2)
    expected = tried[undecided] @ costs.T
    optimal = expected <= expected.min(axis=2, keepdims=True) + TOLERANCE
    found = optimal.any(axis=1)
    kept[undecided] &= found
    row, label = np.nonzero(maximal[undecided] & ~found)
    row = undecided[row]
    for start in range(0, len(row), _BLOCKS):
        rows, labels = row[start : start + _BLOCKS], label[start : start + _BLOCKS]
        at = (
            points[rows]
            if points.ndim == 3
            else np.broadcast_to(points, (len(rows), *points.shape))
        )
        losses = at @ costs.T  # (m, V, K)
        own = np.take_along_axis(losses, labels[:, None, None], axis=2)
        margins = least_margins(own - losses, lower[rows], upper[rows])
        kept[rows, labels] = margins <= TOLERANCE
    return kept


def least_margins(excess: Floats, lower: Floats, upper: Floats) -> Floats:
    """For each block, the minimum over the weights of the largest weighted excess.

    Parameters
    ----------
    excess : ndarray of shape (m, V, R)
        ``excess[b, v, r]``: by how much the class of block b costs more than rival r at point v.
    lower, upper : ndarray of shape (m, V)
        Bounds of the weights, which sum to 1.

    Returns
    -------
    ndarray of shape (m,)
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    blocks, points, rivals = excess.shape
    width = points + 1  # the weights, and the margin that is minimised
    columns = np.arange(blocks * width).reshape(blocks, width)
    rows = np.concatenate([excess.transpose(0, 2, 1), np.full((blocks, rivals, 1), -1.0)], axis=2)
    below = _blocks(csr_array, rows, columns)
    unity = np.concatenate([np.ones((blocks, 1, points)), np.zeros((blocks, 1, 1))], axis=2)
    free = np.full((blocks, 1), np.inf)
    solution = linprog(
        np.tile(np.append(np.zeros(points), 1.0), blocks),
        A_ub=below,
        b_ub=np.zeros(blocks * rivals),
        A_eq=_blocks(csr_array, unity, columns),
        b_eq=np.ones(blocks),
        bounds=np.stack([np.hstack([lower, -free]), np.hstack([upper, free])], axis=-1).reshape(
            -1, 2
        ),
        method="highs-ds",
        options=_HIGHS,
    )
    if solution.status != 0:
        raise RuntimeError(f"the linear program was not solved: {solution.message}")
    return solution.x.reshape(blocks, width)[:, -1]


def _blocks(csr_array, rows: Floats, columns: Ints):
    """A sparse matrix with ``rows[b]`` in the columns of block b."""
    blocks, height, width = rows.shape
    places = np.broadcast_to(columns[:, None, :], rows.shape)
    starts = np.arange(blocks * height + 1) * width
    return csr_array(
        (rows.ravel(), places.ravel(), starts), shape=(blocks * height, blocks * width)
    )
