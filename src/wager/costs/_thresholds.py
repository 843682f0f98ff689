"""Which prediction is cheapest, as the probability of one of two classes grows from 0 to 1."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from wager.costs._extended import ExtendedCosts

__all__ = ["DecisionInterval", "decision_intervals"]


class DecisionInterval(NamedTuple):
    """A range of the probability of the second class, and the set to predict there."""

    start: float
    stop: float
    set: tuple[Any, ...]


def decision_intervals(extended: ExtendedCosts) -> list[DecisionInterval]:
    """The cheapest prediction for every probability of the second of two classes.

    Figure 2 of Yang, Destercke & Masson (2017): the expected cost of each of the three sets is a
    line in that probability, and the lowest line wins; of equal ones the smaller set, then the
    first class.

    Examples
    --------
    >>> from wager.costs import CostMatrix
    >>> costs = CostMatrix([[0, 2], [4, 0]], ["h", "n"])
    >>> for part in decision_intervals(costs.extend({("h", "n"): [0.5, 0.5]})):  # Table VI
    ...     print(part.start, part.stop, part.set)
    0.0 0.25 ('h',)
    0.25 0.875 ('h', 'n')
    0.875 1.0 ('n',)
    """
    if extended.n_classes != 2:
        raise ValueError(
            f"decisions along one probability are for two classes, got {extended.n_classes}"
        )
    at_zero, at_one = extended.matrix().T
    slope, sets = at_one - at_zero, extended.subsets()
    tied = at_zero <= at_zero.min() + 1e-12 * max(1.0, at_zero.max())
    best = int(np.where(tied, slope, np.inf).argmin())  # of equals, the one that stays cheapest
    found, start = [], 0.0
    while start < 1:
        gains = slope[best] - slope  # by how much each other line falls behind less
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = np.where(gains > 1e-12, (at_zero - at_zero[best]) / gains, np.inf)
        later = np.where(crossing > start, crossing, np.inf)
        stop = min(1.0, float(later.min()))
        found.append(DecisionInterval(start, stop, sets[best]))
        meets = later <= stop + 1e-12
        best = int(np.where(meets, slope, np.inf).argmin())
        start = stop
    return found
