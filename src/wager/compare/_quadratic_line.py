"""Expected quadratic utility as a straight line in u(0.5), and the difference of two such lines.

Zaffalon, Corani & Mauá (2012) use the quadratic utilities ``u(x) = (2 - 4q) x^2 + (4q - 1) x`` with
``u(0.5) = q``: q = 0.5 is risk neutral (discounted accuracy), 0.65 and 0.80 are their u65 and u80.
The expected utility is linear in q, so two classifiers earn the same for at most one q, and on each
side of it one of them is better.
"""

from __future__ import annotations

import numpy as np

from wager._typing import Floats
from wager.costs import ROUNDING
from wager.rewards import PairedTally, Tally, rewards_of

LOW, HIGH = 0.5, 1.0  # risk neutral; a hit with two classes is worth as much as with one
_NEAR_END = 1e-9  # a crossing this close to an end of the range counts as inside


def quadratic_line(tally: Tally) -> tuple[float, float]:
    """Expected quadratic utility of a tally as ``intercept + slope * u(0.5)``.

    Examples
    --------
    >>> vacuous = Tally.of([0, 1], np.ones((2, 2), dtype=bool))
    >>> quadratic_line(vacuous)
    (0.0, 1.0)
    """
    mean, _ = _mean_and_covariance(*_cells(tally))
    return float(mean[0]), float(mean[1])


def line_difference(a: PairedTally | Tally, b: Tally | None) -> tuple[Floats, Floats, float]:
    """The difference of two lines: (intercept, slope), their covariance, and the rows behind it."""
    if isinstance(a, PairedTally):
        return _paired_difference(a)
    assert b is not None
    return _unpaired_difference(a, b)


def crossing(mean: Floats) -> float | None:
    """The u(0.5) in [0.5, 1] where the line ``intercept + slope * u(0.5)`` is 0, or None."""
    intercept, slope = mean
    if abs(slope) <= ROUNDING:
        return None
    value = -intercept / slope
    inside = LOW - _NEAR_END <= value <= HIGH + _NEAR_END
    return float(min(max(value, LOW), HIGH)) if inside else None


def _cells(tally: Tally) -> tuple[Floats, Floats]:
    """(intercept, slope) of the utility of each reward that occurs, and its probability."""
    rewards, chance = tally.reward_law()
    return _line(rewards), chance


def _line(reward: Floats) -> Floats:
    # u(x) = (2x^2 - x) + q * 4(x - x^2)
    return np.stack([2 * reward**2 - reward, 4 * (reward - reward**2)], axis=-1)


def _mean_and_covariance(lines: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Mean of the rows' lines, and the (population) covariance of intercept and slope."""
    total = weights.sum()
    mean = weights @ lines / total
    centred = lines - mean
    return mean, (centred * weights[:, None]).T @ centred / total


def _paired_difference(paired: PairedTally) -> tuple[Floats, Floats, float]:
    paired.a.require_rows()
    size_a, hit_a, size_b, hit_b = paired.outcomes.T
    lines = _line(rewards_of(size_a, hit_a)) - _line(rewards_of(size_b, hit_b))
    mean, covariance = _mean_and_covariance(lines, np.asarray(paired.counts, dtype=float))
    n = paired.effective_n
    return mean, covariance / _degrees(n), n


def _unpaired_difference(a: Tally, b: Tally) -> tuple[Floats, Floats, float]:
    mean_a, covariance_a = _mean_and_covariance(*_cells(a))
    mean_b, covariance_b = _mean_and_covariance(*_cells(b))
    n_a, n_b = a.effective_n, b.effective_n
    covariance = covariance_a / _degrees(n_a) + covariance_b / _degrees(n_b)
    return mean_a - mean_b, covariance, min(n_a, n_b)


def _degrees(n: float) -> float:
    """The divisor of the variance of a mean; infinite for a known distribution."""
    return np.inf if np.isnan(n) else max(n - 1, 1)
