"""Sets that cost less than each of their members under some probability (Definition 4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wager._typing import Bools, Floats

__all__ = ["Possibility", "find_possible_set", "most_favourable"]

_MOST_PROGRAMS = 4096  # linear programs that are tried; 11 classes have fewer sets


class Possibility(NamedTuple):
    """A set, the probability that favours it, and by how much it costs less there."""

    place: int
    proba: Floats
    margin: float


def most_favourable(members: Floats, row: Floats) -> tuple[Floats, float]:
    """The probability that favours a set most, compared with the best of its members.

    Solves the linear program max over p of min over members of E[c_member - c_set].

    Parameters
    ----------
    members : array of shape (k, K)
        The costs of the set's members by true class.
    row : array of shape (K,)
        The costs of the set.

    Returns
    -------
    proba : ndarray of shape (K,)
    margin : float
        Positive if the set is possible (Yang, Destercke & Masson, 2017, Def. 4).

    Examples
    --------
    >>> proba, margin = most_favourable(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([0.35, 0.35]))
    >>> proba.round(6).tolist(), round(margin, 6)
    ([0.5, 0.5], 0.15)
    """
    from scipy.optimize import linprog

    gain = members - row
    k, n_classes = gain.shape
    answer = linprog(
        c=np.append(np.zeros(n_classes), -1.0),  # maximise the last variable, the margin
        A_ub=np.column_stack([-gain, np.ones(k)]),
        b_ub=np.zeros(k),
        A_eq=np.append(np.ones(n_classes), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * n_classes + [(None, None)],
        method="highs-ds",
    )
    proba = np.maximum(answer.x[:-1], 0.0)
    proba /= proba.sum()
    return proba, float((gain @ proba).min())


def find_possible_set(
    singles: Floats, members: Bools, rows: Floats, mean: Floats, tolerance: float
) -> Possibility | None:
    """A set that costs less than each of its members under some probability, or None.

    A set that costs at least the mean of its members for every true class is never possible
    (Proposition 1), so only the others are tried: first with uniform probabilities over the set and
    over all classes, then by linear programs, the most promising sets first.
    """
    candidates = np.flatnonzero((rows < mean - tolerance).any(axis=1))
    if candidates.size == 0:
        return None
    members, rows = members[candidates], rows[candidates]
    on_set = members / members.sum(axis=1, keepdims=True)
    guess = np.maximum(
        _margins(singles, members, rows, on_set),
        _margins(singles, members, rows, np.full(on_set.shape, 1 / singles.shape[0])),
    )
    for place in np.argsort(-guess, kind="stable")[:_MOST_PROGRAMS]:
        proba, margin = most_favourable(singles[members[place]], rows[place])
        if margin > tolerance:
            return Possibility(int(candidates[place]), proba, margin)
    return None


def _margins(singles: Floats, members: Bools, rows: Floats, proba: Floats) -> Floats:
    """By how much each set costs less than its best member under its probability."""
    best = np.where(members, proba @ singles.T, np.inf).min(axis=1)
    return best - np.einsum("nk,nk->n", proba, rows)
