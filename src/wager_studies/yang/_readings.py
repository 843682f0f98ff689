"""Readings of the cost in Table XII of Yang, Destercke & Masson (2017), whose numbers do not fit.

Section VII-D defines the cost by Eq. (14).  The others are what a program might have computed
instead: another mean, no division by the size of the set, other costs of single classes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wager.costs import CostMatrix, CostTally
from wager_studies.yang._ordinal_data import p_discounted

__all__ = ["READINGS", "R"]

R = 0.5  # of Section VII-D


def _sum_of(costs: CostMatrix, tally: CostTally, p: float) -> float:
    """The mean of (sum of c^p)^(1/p), without the division by the size of the set."""
    sizes = tally.sets.sizes
    each = costs.extend("p-discounted", p=p).at(tally.sets, tally.truth) * sizes ** (1 / p)
    return float(np.average(each, weights=tally.counts))


def _ordinal(tally: CostTally, power: float = 1.0) -> CostMatrix:
    return CostMatrix.ordinal(tally.classes, p=power)


READINGS: dict[str, Callable[[CostTally], float]] = {
    "as defined": lambda t: t.average(p_discounted(t.classes, R)),
    "mistake-averse": lambda t: t.average(p_discounted(t.classes, R, "mistake-averse")),
    "plain mean": lambda t: t.average(p_discounted(t.classes, 0)),
    "largest cost in the set": lambda t: t.average(_ordinal(t), rule="p-discounted", p=np.inf),
    "sum of the costs": lambda t: _sum_of(_ordinal(t), t, 1),
    "sum of roots, squared": lambda t: _sum_of(_ordinal(t), t, 0.5),
    "every cost plus 1": lambda t: t.average(_ordinal(t), rule="p-discounted", r=R, epsilon=1),
    "squared distances": lambda t: t.average(_ordinal(t, 2), rule="p-discounted", r=R),
    "sum of squared distances": lambda t: _sum_of(_ordinal(t, 2), t, 1),
}
