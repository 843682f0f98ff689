"""The betting game against House: what a bettor can secure, whatever the chances of the classes.

Zaffalon, Corani & Mauá (2012, Theorem 1) derive discounted accuracy from a game of two players.
The bettor mixes the bets, House chooses the chances of the classes, and the bettor's expected
reward is ``bet @ rewards @ chances``.  By the minimax theorem the game has a value: some mixture
earns at least that much under all chances, and under some chances no bet earns more.  With 0/1
rewards on k classes the value is 1/k.  For any other rewards it is the solution of a linear
program, whose dual solution gives the chances.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wager._tables import View, Viewed, not_complex
from wager._typing import ArrayLike, Floats
from wager._visible import reason

__all__ = ["GameValue", "game_value"]

_PRECISION = 1e-10  # the finest that HiGHS accepts
_AGREEMENT = 1e-9  # of the range of rewards: how far the two solutions may be apart


@dataclass(frozen=True, eq=False, repr=False)
class GameValue(Viewed):
    """What the bettor can secure, and how both players play.

    Parameters
    ----------
    value : float
        The largest expected reward that a mixture of bets secures under all chances.
    bet : ndarray of shape (n_bets,)
        An optimal mixture: the probability of each bet.
    distribution : ndarray of shape (n_classes,)
        Least favourable chances of the classes: no bet earns more than the value under them.
    gap : float
        How much more some bet earns under ``distribution`` than ``bet`` secures: 0 except for
        rounding, which proves that both are optimal.
    """

    value: float
    bet: Floats
    distribution: Floats
    gap: float

    def __float__(self) -> float:
        return self.value

    def _view(self) -> View:
        bet, chances = (
            "(" + ", ".join(f"{p:.4g}" for p in side) + ")"
            for side in (self.bet, self.distribution)
        )
        words = f"value {self.value:.6g}: bet {bet}, least favourable chances {chances}"
        return View(verdict=[words])


def game_value(rewards: ArrayLike) -> GameValue:
    """The value of the betting game for any rewards, with an optimal strategy of each player.

    Parameters
    ----------
    rewards : array-like of shape (n_bets, n_classes)
        What each bet (row) earns when each class (column) is the true one.  For a set of classes
        pass the rows and the columns of its classes only: House then chooses the chances of the
        classes of the set, as in Theorem 1.

    Returns
    -------
    GameValue

    Notes
    -----
    If several strategies are optimal, one of them is returned.  Rewards are divided by their range
    before the program is solved, so their unit does not matter.

    Examples
    --------
    Theorem 1: with 0/1 rewards on k classes the uniform bet secures 1/k.

    >>> game_value(np.eye(3))
    value 0.333333: bet (0.3333, 0.3333, 0.3333), least favourable chances (0.3333, 0.3333, 0.3333)

    If recognizing the first class earns three times as much, the others deserve more bets.

    >>> game_value(np.diag([3, 1, 1]))
    value 0.428571: bet (0.1429, 0.4286, 0.4286), least favourable chances (0.1429, 0.4286, 0.4286)
    """
    matrix = _check_rewards(rewards)
    lowest = matrix.min()
    span = float(matrix.max() - lowest)
    bet, chances = _solve((matrix - lowest) / (span or 1.0))
    secured, allowed = float((bet @ matrix).min()), float((matrix @ chances).max())
    gap = allowed - secured
    if not gap <= _AGREEMENT * max(span, abs(secured), abs(allowed)):
        raise RuntimeError(
            f"the game was not solved: the bet secures {secured:g}, the chances allow {allowed:g}"
        )
    return GameValue((secured + allowed) / 2, bet, chances, max(gap, 0.0))


def _solve(matrix: Floats) -> tuple[Floats, Floats]:
    """Optimal strategies of both players, from the solution of one program and of its dual.

    Maximizes v subject to ``bet @ matrix >= v`` for every class.
    """
    from scipy.optimize import linprog

    n_bets, n_classes = matrix.shape
    answer = linprog(
        c=np.append(np.zeros(n_bets), -1.0),
        A_ub=np.column_stack([-matrix.T, np.ones(n_classes)]),
        b_ub=np.zeros(n_classes),
        A_eq=np.append(np.ones(n_bets), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * n_bets + [(None, None)],
        method="highs-ds",
        options={
            "primal_feasibility_tolerance": _PRECISION,
            "dual_feasibility_tolerance": _PRECISION,
        },
    )
    if answer.status != 0:
        raise RuntimeError(f"the game was not solved: {answer.message}")
    return _mixture(answer.x[:-1]), _mixture(-answer.ineqlin.marginals)


def _mixture(weights: Floats) -> Floats:
    """Weights as probabilities; the solver may leave some slightly below 0."""
    positive = np.maximum(weights, 0.0)
    return positive / positive.sum()


def _check_rewards(rewards: ArrayLike) -> Floats:
    try:
        matrix = np.array(not_complex(rewards, "rewards"), dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as problem:
        raise ValueError(f"rewards must be a matrix of numbers: {reason(problem)}") from None
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(
            "rewards must be a matrix with one row per bet and one column per class, got shape "
            f"{matrix.shape}"
        )
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0]
        raise ValueError(
            f"rewards must be finite, got {matrix[row, column]} in row {row}, column {column}"
        )
    return matrix
