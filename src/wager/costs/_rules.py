"""Rules that say what a set costs, given what its members cost.

Each rule is a small frozen value that fills cells (set, truth): the discounted and p-discounted
costs of Yang, Destercke & Masson (2017), Ha's class-selective rejection costs, the costs of
Abellán & Masegosa, one minus a utility of set size, and a user's own table completed by one of the
others.  None of them ever lists the 2^K sets.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from wager._typing import Floats, Ints, Words
from wager.costs._cells import Cells
from wager.predictions import PredictionSets, pack
from wager.rewards import Utility

__all__ = [
    "AbellanMasegosa",
    "ClassSelective",
    "Mean",
    "Rule",
    "Table",
    "UtilityDiscounted",
]

_EQUAL = 1e-12  # costs that differ by less are the same to the checks below


class Rule(ABC):
    """What a set costs at a truth, from the costs of its members there."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The rule and its parameters, in words."""

    @abstractmethod
    def fill(self, cells: Cells) -> Floats:
        """The costs of the cells, in their shape."""

    def require(self, costs: Floats) -> None:  # noqa: B027  (most rules take any costs)
        """Refuse determinate costs (..., K, K) that the rule is not made for."""


@dataclass(frozen=True)
class Mean(Rule):
    """A generalized mean of the members' costs (Def. 3 and Eqs 12-16).

    Parameters
    ----------
    inside, outside : float
        The exponents for truths within and outside the set: 1 and 1 are the discounted costs,
        ``1 - r`` twice the cautious, ``1 - r`` and ``1 + r`` the mistake-averse p-discounted ones.
    """

    inside: float = 1.0
    outside: float = 1.0

    @property
    def name(self) -> str:
        if self.inside == self.outside == 1:
            return "discounted"
        if self.inside == self.outside:
            return f"p-discounted, p = {self.inside:g}"
        return f"p-discounted, p = {self.inside:g} inside and {self.outside:g} outside the set"

    def fill(self, cells: Cells) -> Floats:
        inside = cells.mean(self.inside)
        if self.inside == self.outside:
            return inside
        return np.where(cells.hit, inside, cells.mean(self.outside))


@dataclass(frozen=True)
class ClassSelective(Rule):
    """Ha's costs: eta(y) for missing the class y, and delta for every class beyond the first.

    Section V b and Table IX of Yang, Destercke & Masson (2017).
    """

    delta: float

    @property
    def name(self) -> str:
        return f"Ha, delta = {self.delta:g}"

    def fill(self, cells: Cells) -> Floats:
        return np.where(cells.hit, 0.0, cells.worst()) + self.delta * (cells.sizes - 1)

    def require(self, costs: Floats) -> None:
        right = np.eye(costs.shape[-1], dtype=bool)
        expected = np.where(right, 0.0, costs.max(axis=-2, keepdims=True))
        off = np.abs(costs - expected) > _EQUAL * np.maximum(expected, 1)
        if off.any():
            *_, predicted, true = np.unravel_index(off.argmax(), off.shape)
            raise ValueError(
                "the rule 'ha' needs costs that are 0 on the diagonal and depend on the true class "
                f"alone elsewhere, got {costs[off][0]:g} in row {predicted}, column {true}: build "
                "them with CostMatrix.ha(eta, classes), or extend with 'p-discounted'"
            )


@dataclass(frozen=True)
class AbellanMasegosa(Rule):
    """Abellán and Masegosa's costs, shifted so that naming the right class alone is free.

    Section V c of Yang, Destercke & Masson (2017), natural logarithm: ``log |Y|`` when the truth
    is in Y, else ``log K * (largest member cost / (K - 1) + 1)``.  The costs of single classes
    change as well.
    """

    @property
    def name(self) -> str:
        return "Abellán-Masegosa"

    def fill(self, cells: Cells) -> Floats:
        n_classes = cells.n_classes
        largest = cells.fold(np.maximum, lambda c: c)
        miss = np.log(n_classes) * (largest / (n_classes - 1) + 1)
        return np.where(cells.hit, np.log(cells.sizes), miss)


@dataclass(frozen=True)
class UtilityDiscounted(Rule):
    """One minus the utility of a hit by a set of that size; 1 for a miss (Sec. III, 0/1 costs)."""

    utility: Utility

    @property
    def name(self) -> str:
        return f"utility-discounted, {self.utility.name}"

    def fill(self, cells: Cells) -> Floats:
        return np.where(cells.hit, 1.0 - self.utility.of_size(cells.sizes), 1.0)

    def require(self, costs: Floats) -> None:
        off = np.abs(costs - (1.0 - np.eye(costs.shape[-1]))) > _EQUAL
        if off.any():
            *_, predicted, true = np.unravel_index(off.argmax(), off.shape)
            raise ValueError(
                "the rule 'utility' is for 0/1 costs only, got "
                f"{costs[off][0]:g} in row {predicted}, column {true}: extend general costs with "
                "'p-discounted'"
            )
        for reward in (0.0, 1.0):
            if abs(float(self.utility(reward)) - reward) > _EQUAL:
                raise ValueError(
                    f"costs of 1 - u need u(0) = 0 and u(1) = 1, but {self.utility.name} has "
                    f"u({reward:g}) = {float(self.utility(reward)):g}: use its normalized form"
                )


@dataclass(frozen=True, eq=False)
class Table(Rule):
    """The user's own costs for some cells, and another rule for all the rest.

    Parameters
    ----------
    sets : PredictionSets
        The sets of the table, each once.
    rows : array of shape (t, K)
        Their costs by true class; NaN leaves a cell to ``otherwise``.
    otherwise : Rule
        The rule for every cell that the table does not give.
    """

    sets: PredictionSets
    rows: Floats
    otherwise: Rule

    @property
    def name(self) -> str:
        several = int((self.sets.sizes > 1).sum())
        told = f"a table of {several} set{'' if several == 1 else 's'}"
        n_classes = self.rows.shape[1]
        complete = several == (1 << n_classes) - 1 - n_classes and not np.isnan(self.rows).any()
        return told if complete else f"{told}, the rest {self.otherwise.name}"

    def fill(self, cells: Cells) -> Floats:
        filled = np.array(self.otherwise.fill(cells))
        place = self._find(pack(cells.members))
        known = np.flatnonzero(place >= 0)
        own = self.rows[place[known]]
        if cells.truth is not None:
            own = own[np.arange(len(known)), cells.truth[known]]
        filled[known] = np.where(np.isnan(own), filled[known], own)
        return filled

    def _find(self, words: Words) -> Ints:
        """The row of the table for each set, -1 where it has none."""
        if words.shape[1] > 1:
            place = {word.tobytes(): row for row, word in enumerate(self.sets.words)}
            return np.array([place.get(word.tobytes(), -1) for word in words], dtype=np.intp)
        known = self.sets.words[:, 0]
        order = np.argsort(known)
        nearest = order[np.searchsorted(known, words[:, 0], sorter=order) % len(order)]
        return np.where(known[nearest] == words[:, 0], nearest, -1)

    def require(self, costs: Floats) -> None:
        self.otherwise.require(costs)
        if costs.ndim > 2:
            raise ValueError(
                "a table of set costs belongs to one cost matrix, got one matrix a row: "
                "extend these with a rule such as 'p-discounted'"
            )
