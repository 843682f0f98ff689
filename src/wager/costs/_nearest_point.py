"""The point nearest to a given one among all points that satisfy linear constraints.

Least-distance programming (Lawson & Hanson, 1974, chapter 23): equations are eliminated through
their null space, the rest is one non-negative least-squares problem, and its active constraints
give the solution to machine precision.  The nearest point is unique, so an elicitation has one
result.
"""

from __future__ import annotations

import numpy as np

from wager._tables import ROUNDING
from wager._typing import Bools, Floats

__all__ = ["is_feasible", "nearest"]

_SLACK = 1e-9  # how far a constraint may be violated, relative to the size of the numbers


def nearest(
    target: Floats, at_most: tuple[Floats, Floats], equal: tuple[Floats, Floats]
) -> Floats | None:
    """The point nearest to ``target`` with ``A x <= b`` and ``E x = f``; None if none exists.

    Parameters
    ----------
    target : array of shape (n,)
    at_most, equal : pairs of a matrix (m, n) and a vector (m,)

    Examples
    --------
    >>> half_plane = np.array([[1.0, 1.0]]), np.array([1.0])
    >>> nearest(np.ones(2), half_plane, (np.empty((0, 2)), np.empty(0))).round(9).tolist()
    [0.5, 0.5]
    """
    (A, b), (E, f) = at_most, equal
    if _satisfies(target, at_most, equal):
        return target
    if not is_feasible(at_most, equal):
        return None
    start, free = _solutions(E, f, target)
    if _satisfies(start, at_most, equal):
        return start
    reduced = A @ free
    undecided = np.abs(reduced).max(axis=1, initial=0.0) > ROUNDING * np.abs(A).max(axis=1)
    # equations alone decide the other bounds: rounding would make those impossible
    A, b, reduced = A[undecided], b[undecided], reduced[undecided]
    step, active = _shortest(reduced, b - A @ start)
    rows, values = np.concatenate([E, A[active]]), np.concatenate([f, b[active]])
    sharp = _solutions(rows, values, target)[0]
    return sharp if _satisfies(sharp, at_most, equal) else start + free @ step


def is_feasible(at_most: tuple[Floats, Floats], equal: tuple[Floats, Floats]) -> bool:
    """Whether any point satisfies the constraints."""
    from scipy.optimize import linprog

    (A, b), (E, f) = at_most, equal
    if A.shape[1] == 0:
        return _satisfies(np.empty(0), at_most, equal)
    limits = {"A_ub": A, "b_ub": b, "A_eq": E, "b_eq": f, "bounds": (None, None)}
    # simplifying the program first ("presolve") can find limits of 1e-8 infeasible that are not
    answer = linprog(np.zeros(A.shape[1]), **limits, method="highs", options={"presolve": False})
    return bool(answer.status == 0)


def _satisfies(x: Floats, at_most: tuple[Floats, Floats], equal: tuple[Floats, Floats]) -> bool:
    (A, b), (E, f) = at_most, equal
    slack = _SLACK * max(1.0, np.abs(x).max(initial=0.0))
    return bool((A @ x <= b + slack).all() and (np.abs(E @ x - f) <= slack).all())


def _solutions(E: Floats, f: Floats, target: Floats) -> tuple[Floats, Floats]:
    """The solution of ``E x = f`` nearest to the target, and a basis of the null space of E."""
    if len(E) == 0:
        return target, np.eye(len(target))
    scale = np.abs(E).max(axis=1)  # beside factors of 1e6, factors of 1 would seem to be 0
    scale[scale == 0] = 1.0  # an equation whose factors cancel
    E, f = E / scale[:, None], f / scale
    u, s, vt = np.linalg.svd(E)
    rank = int((s > ROUNDING * max(1.0, s[0])).sum())
    step = vt[:rank].T @ ((u[:, :rank].T @ (f - E @ target)) / s[:rank])
    return target + step, vt[rank:].T


def _shortest(A: Floats, b: Floats) -> tuple[Floats, Bools]:
    """The shortest z with ``A z <= b``, and which of the constraints are active."""
    from scipy.optimize import nnls

    if A.size == 0:
        return np.zeros(A.shape[1]), np.zeros(len(A), dtype=bool)
    goal = np.append(np.zeros(A.shape[1]), 1.0)
    system = np.vstack([-A.T, -b])
    multipliers, _ = nnls(system, goal)
    residual = system @ multipliers - goal
    return -residual[:-1] / residual[-1], multipliers > 1e-10 * multipliers.max()
