"""Expected quadratic utility as a straight line in u(0.5).

Zaffalon, Corani & Mauá (2012) use the quadratic utilities ``u(x) = (2 - 4q) x^2 + (4q - 1) x`` with
``u(0.5) = q``: q = 0.5 is risk neutral (discounted accuracy), 0.65 and 0.80 are their u65 and u80.
The expected utility is linear in q, so two classifiers earn the same for at most one q, and on each
side of it one of them is better.
"""

from __future__ import annotations

import numpy as np

from wager._typing import Floats
from wager.rewards import Tally

LOW, HIGH = 0.5, 1.0  # risk neutral; a hit with two classes is worth as much as with one


def quadratic_line(tally: Tally) -> tuple[float, float]:
    """Expected quadratic utility of a tally as ``intercept + slope * u(0.5)``.

    Examples
    --------
    >>> vacuous = Tally.of([0, 1], np.ones((2, 2), dtype=bool))
    >>> quadratic_line(vacuous)
    (0.0, 1.0)
    """
    rewards, chance = tally.reward_law()
    intercept, slope = chance @ _line(rewards)
    return float(intercept), float(slope)


def _line(reward: Floats) -> Floats:
    # u(x) = (2x^2 - x) + q * 4(x - x^2)
    return np.stack([2 * reward**2 - reward, 4 * (reward - reward**2)], axis=-1)
