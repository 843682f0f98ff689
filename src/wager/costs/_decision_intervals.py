"""The cheapest prediction as the probability of one of two classes grows from 0 to 1."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from wager._tables import ROUNDING, fields_html, fields_text, require_kind
from wager._typing import Bools, Floats
from wager.costs._extended_costs import ExtendedCosts
from wager.costs._tolerance import unit_of

__all__ = ["DecisionInterval", "decision_intervals"]


class DecisionInterval(NamedTuple):
    """A range of the probability of the second class, and the set to predict there.

    Attributes
    ----------
    start, stop : float
        The ends of the range.
    set : tuple of labels
        The cheapest prediction there.
    """

    start: float
    stop: float
    set: tuple[Any, ...]

    def __repr__(self) -> str:
        return fields_text(self)

    def _repr_html_(self) -> str:
        return fields_html(self)


def decision_intervals(extended: ExtendedCosts) -> list[DecisionInterval]:
    """The cheapest prediction for every probability of the second of two classes.

    Figure 2 of Yang, Destercke & Masson (2017): the expected cost of each of the three sets is a
    line in that probability, and the lowest line wins; ties go to the smaller set, then to the
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
    require_kind(extended, "extended", ExtendedCosts)
    if extended.n_classes != 2:
        raise ValueError(
            f"decision intervals need costs of exactly two classes, got {extended.n_classes}"
        )
    matrix = extended.matrix()
    at_zero, at_one = matrix.T / unit_of(matrix)  # tolerances are for costs of about 1
    slope, sets = at_one - at_zero, extended.subsets()
    best = _flattest(slope, at_zero <= at_zero.min() + ROUNDING)  # it stays lowest in a tie
    found, start = [], 0.0
    while start < 1:
        gains = slope[best] - slope  # how fast each other line approaches the best one
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = np.where(gains > ROUNDING, (at_zero - at_zero[best]) / gains, np.inf)
        later = np.where(crossing > start, crossing, np.inf)
        stop = min(1.0, float(later.min()))
        found.append(DecisionInterval(start, stop, sets[best]))
        meets = later <= stop + ROUNDING
        best = _flattest(slope, meets)
        start = stop
    return found


def _flattest(slope: Floats, among: Bools) -> int:
    """The line with the smallest slope; the first of those that have it except for rounding."""
    slopes = np.where(among, slope, np.inf)
    return int((slopes <= slopes.min() + ROUNDING).argmax())
