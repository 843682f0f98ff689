"""What predicted sets are worth to the user, row by row: a utility of their size, or their cost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from wager._typing import Array, Bools, Floats, Ints
from wager.costs import CostMatrix, ExtendedCosts, cost_ranges, costs_over
from wager.predictions import PredictionSets
from wager.rewards import Utility, UtilityLike, get_utility

__all__ = ["Payoff", "payoff_of"]


class Payoff(ABC):
    """The value of sets to a user, whose mean is to be as good as possible."""

    greater_is_better: ClassVar[bool]

    @property
    @abstractmethod
    def name(self) -> str:
        """What the mean is called."""

    @property
    def unit(self) -> str | None:
        """What the values are counted in, if it is known."""
        return None

    @abstractmethod
    def of(self, sets: Bools, sizes: Ints, columns: Ints, codes: Ints) -> Floats:
        """The value of each row at each strength, (S, n).

        Parameters
        ----------
        sets : bool ndarray of shape (S, n, K)
            The predicted sets, over the classes of the model.
        sizes : ndarray of shape (S, n)
            Their sizes.
        columns : ndarray of shape (L,)
            The column of each label in ``sets``; -1 for a label that the model does not know.
        codes : ndarray of shape (n,)
            The true label of each row, 0..L-1.
        """

    @abstractmethod
    def bounds(self, n_classes: int) -> tuple[float, float]:
        """The smallest and the largest possible value."""


def payoff_of(utility: UtilityLike, costs: Any, labels: Array, empty_cost: float | None) -> Payoff:
    """The payoff by costs if there are any, otherwise by the utility.

    Parameters
    ----------
    labels : ndarray of shape (L,)
        All labels; the classes of costs without names.
    """
    if costs is None:
        return ByUtility(get_utility(utility))
    named = costs_over(costs, labels)
    extended = named.extend() if isinstance(named, CostMatrix) else named
    known = {label: code for code, label in enumerate(extended.classes.tolist())}
    missing = [label for label in labels.tolist() if label not in known]
    if missing:
        raise ValueError(
            f"y has the class {missing[0]!r}, but the costs are for "
            f"{', '.join(repr(label) for label in known)}: give the costs of every class"
        )
    places = np.array([known[label] for label in labels.tolist()], dtype=np.intp)
    return ByCosts(extended, places, empty_cost)


@dataclass(frozen=True, eq=False)
class ByUtility(Payoff):
    """The utility of a set: u(1/k) for a hit by k classes, u(0) for a miss."""

    utility: Utility
    greater_is_better: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """The name of the utility."""
        return self.utility.name

    def of(self, sets: Bools, sizes: Ints, columns: Ints, codes: Ints) -> Floats:
        """The utility of each row at each strength."""
        worth = self.utility.of_size(np.arange(sets.shape[2] + 1))
        column = columns[codes]
        hit = sets[:, np.arange(len(codes)), column] & (column >= 0)
        return np.where(hit, worth[sizes], float(self.utility(0.0)))

    def bounds(self, n_classes: int) -> tuple[float, float]:
        """Those of a miss and of hits by sets of every size."""
        worth = self.utility.of_size(np.arange(n_classes + 1))
        return float(worth.min()), float(worth.max())


@dataclass(frozen=True, eq=False)
class ByCosts(Payoff):
    """The cost of a set for the true class."""

    costs: ExtendedCosts
    places: Ints  # of each label among the classes of the costs
    empty_cost: float | None
    greater_is_better: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """The name of the mean."""
        return "average cost"

    @property
    def unit(self) -> str | None:
        """What the costs are counted in."""
        return self.costs.unit

    def of(self, sets: Bools, sizes: Ints, columns: Ints, codes: Ints) -> Floats:
        """The cost of each row at each strength."""
        if self.empty_cost is None and not sizes.all():
            raise ValueError(
                "some predicted sets are empty, and the costs do not say what an empty set costs: "
                "pass empty_cost=, or let the classifier predict no empty sets"
            )
        n_strengths, n, _ = sets.shape
        known = np.flatnonzero(columns >= 0)
        members = np.zeros((n_strengths * n, self.costs.n_classes), dtype=bool)
        members[:, self.places[known]] = sets[:, :, columns[known]].reshape(len(members), -1)
        predicted = PredictionSets.from_indicator(members, self.costs.classes)
        truth = np.tile(self.places[codes], n_strengths)
        return self.costs.at(predicted, truth, self.empty_cost).reshape(n_strengths, n)

    def bounds(self, n_classes: int) -> tuple[float, float]:
        """The range over all sets and true classes that occur."""
        ranges = cost_ranges(self.costs, self.empty_cost)[self.places]
        return float(ranges[:, 0].min()), float(ranges[:, 1].max())
