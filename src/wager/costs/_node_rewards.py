"""Rewards of sets as nodes of a hierarchy of classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from wager._typing import Array, Bools, Floats, Ints
from wager.costs._reward_rules import RewardRule
from wager.costs.extensions import Cells

__all__ = ["NodeRewards"]


@dataclass(frozen=True, eq=False)
class NodeRewards(RewardRule):
    """The value of the smallest node around a set for a hit, and a constant for a miss.

    Parameters
    ----------
    codes_of : callable
        Gives the smallest node around each set.
    first, last : array of shape (V,)
        The leaves below each node.
    values : array of shape (V,)
        The value of a hit by each node.
    miss : float
        The value of a miss.
    words : str
        The rewards in words.
    """

    codes_of: Callable[[Bools], Ints]
    first: Ints
    last: Ints
    values: Floats
    miss: float
    words: str

    @classmethod
    def checked(
        cls,
        codes_of: Callable[[Bools], Ints],
        nodes: Array,
        first: Ints,
        last: Ints,
        values: Floats,
        miss: float,
        words: str,
    ) -> NodeRewards:
        """The rule, if a hit is never worth less than a miss."""
        bad = values < miss
        if bad.any():
            node = int(bad.argmax())
            raise ValueError(
                f"a hit by the node {nodes[node]!r} must not be worth less than a miss, got "
                f"{values[node]:g} and {miss:g}: give a utility that increases"
            )
        return cls(codes_of, first, last, values, miss, words)

    @property
    def name(self) -> str:
        """The utility and what it is a function of."""
        return self.words

    def fill(self, cells: Cells) -> Floats:
        """The value of the node if the set contains the true class."""
        values = self.values[self.codes_of(cells.members)]
        if cells.truth is None:
            values = values[:, None]
        return np.where(cells.hit, values, self.miss)

    def empty_rewards(self, n_classes: int) -> Floats:
        """An empty set misses every class."""
        return np.full(n_classes, self.miss)

    def reward_ranges(self, n_classes: int) -> Floats:
        """A miss, and the best node that contains the class."""
        best = np.full(n_classes, self.miss)
        for first, last, value in zip(self.first, self.last, self.values, strict=True):
            best[first:last] = np.maximum(best[first:last], value)
        return np.stack([np.full(n_classes, self.miss), best], axis=1)
