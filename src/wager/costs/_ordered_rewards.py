"""Rewards of sets of ordered classes, by the width of the set and the distance of a miss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wager._tables import real_number
from wager._typing import Bools, Floats, Ints
from wager._visible import brief
from wager.costs._reward_rules import RewardRule
from wager.costs.extensions import Cells
from wager.rewards import Utility

__all__ = ["OrderedRewards", "ends_of", "nearest_distance"]


def ends_of(members: Bools) -> tuple[Ints, Ints]:
    """The positions of the lowest and the highest member of non-empty sets.

    Examples
    --------
    >>> low, high = ends_of(np.array([[0, 1, 0, 1], [1, 0, 0, 0]], dtype=bool))
    >>> low.tolist(), high.tolist()
    ([1, 0], [3, 0])
    """
    last = members.shape[1] - 1
    return members.argmax(axis=1), last - members[:, ::-1].argmax(axis=1)


def nearest_distance(members: Bools) -> Ints:
    """The distance of every class from the nearest member of each set, of shape (n, K).

    It is at least K for an empty set.

    Examples
    --------
    >>> nearest_distance(np.array([[0, 1, 0, 0]], dtype=bool)).tolist()
    [[1, 0, 1, 2]]
    """
    place = np.arange(members.shape[1])
    far = 2 * members.shape[1]
    below = np.maximum.accumulate(np.where(members, place, -far), axis=1)
    above = np.minimum.accumulate(np.where(members, place, 2 * far)[:, ::-1], axis=1)[:, ::-1]
    return np.minimum(place - below, above - place)


@dataclass(frozen=True)
class OrderedRewards(RewardRule):
    """``u(1/w)`` for a hit by a set of width w, ``u(0) - penalty d^power`` for a miss by d.

    Parameters
    ----------
    utility : Utility
        The value of a hit by width.
    penalty, power : float
        The cost of a distance d of the true class from the nearest member of the set.
    """

    utility: Utility
    penalty: float = 0.0
    power: float = 1.0

    @classmethod
    def checked(
        cls, utility: Utility, penalty: float, power: float, n_classes: int
    ) -> OrderedRewards:
        """The rule, if a hit is never worth less than a miss."""
        if not 0 <= real_number(penalty, "penalty") < np.inf:
            raise ValueError(f"penalty must be finite and not negative, got {brief(penalty)}")
        if not 0 < real_number(power, "power") < np.inf:
            raise ValueError(
                f"the power of a distance must be positive and finite, got {brief(power)}"
            )
        rule = cls(utility, float(penalty), float(power))
        with np.errstate(over="ignore", invalid="ignore"):
            farthest = rule.misses(n_classes)
        if not np.isfinite(farthest):
            raise ValueError(
                f"a miss by {n_classes} classes has no finite value with power {brief(power)}: "
                "choose a smaller power or penalty"
            )
        worth = rule.hits(n_classes)
        if (worth < rule.misses(1)).any():
            width = int((worth < rule.misses(1)).argmax()) + 1
            raise ValueError(
                f"a hit by a set of width {width} must not be worth less than a miss, got "
                f"{worth[width - 1]:g} and {float(rule.misses(1)):g}: give a utility with "
                f"u(1/{width}) >= u(0)"
            )
        return rule

    @property
    def name(self) -> str:
        """The utility and the penalty."""
        shown = f"{self.utility.name} by width"
        if not self.penalty:
            return shown
        distance = "distance" if self.power == 1 else f"distance^{self.power:g}"
        return f"{shown}, minus {self.penalty:g} x {distance}"

    def hits(self, n_classes: int) -> Floats:
        """The value of a hit by sets of width 1, ..., K."""
        return self.utility.of_size(np.arange(1, n_classes + 1))

    def misses(self, distance: Ints | int) -> Floats:
        """The value of a miss by some distances."""
        nothing = float(self.utility.of_size(0))
        return nothing - self.penalty * np.asarray(distance, dtype=np.float64) ** self.power

    def fill(self, cells: Cells) -> Floats:
        """By width and distance."""
        low, high = ends_of(cells.members)
        worth = self.hits(cells.n_classes)[high - low]
        distance = nearest_distance(cells.members)
        if cells.truth is None:
            return np.where(cells.hit, worth[:, None], self.misses(distance))
        distance = distance[np.arange(len(cells.truth)), cells.truth]
        return np.where(cells.hit, worth, self.misses(distance))

    def empty_rewards(self, n_classes: int) -> Floats:
        """An empty set is as far away as possible."""
        return np.full(n_classes, float(self.misses(n_classes - 1)))

    def reward_ranges(self, n_classes: int) -> Floats:
        """The best hit, and the worst miss or hit."""
        place = np.arange(n_classes)
        farthest = np.maximum(place, n_classes - 1 - place)
        hits = self.hits(n_classes)
        low = np.minimum(self.misses(farthest), hits.min())
        return np.stack([low, np.full(n_classes, hits.max())], axis=1)
