"""Sets that cost less than each of their members under some probability (Definition 4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wager._typing import Bools, Floats
from wager.rewards import GameValue, game_value

__all__ = ["Possibility", "find_possible_set", "most_favourable"]

_MOST_PROGRAMS = 4096  # linear programs that are tried; 11 classes have fewer sets


class Possibility(NamedTuple):
    """A set, the probability that favours it, and by how much it costs less there."""

    place: int
    proba: Floats
    margin: float


def most_favourable(rivals: Floats, row: Floats) -> GameValue:
    """The probability that favours a set most, compared with the best of its rivals.

    Solves the game between the probability and a mixture of rivals, whose reward is how much less
    than the set it costs.

    Parameters
    ----------
    rivals : array of shape (k, K)
        The costs of other predictions, such as the set's members, by true class.
    row : array of shape (K,)
        The costs of the set.

    Returns
    -------
    GameValue
        ``distribution`` is the probability and ``bet`` the mixture.  The value is negative if the
        set costs less than every rival there: with its members as rivals, if it is possible (Yang,
        Destercke & Masson, 2017, Def. 4).

    Examples
    --------
    >>> most_favourable(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([0.35, 0.35]))
    value -0.15: bet (0.5, 0.5), least favourable chances (0.5, 0.5)
    """
    return game_value(row - rivals)


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
        game = most_favourable(singles[members[place]], rows[place])
        if -game.value > tolerance:
            return Possibility(int(candidates[place]), game.distribution, -game.value)
    return None


def _margins(singles: Floats, members: Bools, rows: Floats, proba: Floats) -> Floats:
    """By how much each set costs less than its best member under its probability."""
    best = np.where(members, proba @ singles.T, np.inf).min(axis=1)
    return best - np.einsum("nk,nk->n", proba, rows)
