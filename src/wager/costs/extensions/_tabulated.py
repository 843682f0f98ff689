"""Costs of sets from a user's table, with another rule for what the table leaves out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wager._typing import Floats, Ints, Words
from wager.costs.extensions._cells import Cells
from wager.costs.extensions._rule import ExtensionRule
from wager.predictions import PredictionSets, pack

__all__ = ["TabulatedCosts"]


@dataclass(frozen=True, eq=False)
class TabulatedCosts(ExtensionRule):
    """The user's costs for some cells, and another rule for all others.

    Parameters
    ----------
    sets : PredictionSets
        The sets of the table, without duplicates.
    rows : array of shape (t, K)
        Their costs by true class; NaN leaves a cell to ``otherwise``.
    otherwise : ExtensionRule
        The rule for every cell that the table does not give.
    """

    sets: PredictionSets
    rows: Floats
    otherwise: ExtensionRule

    needs_members = True

    @property
    def name(self) -> str:
        several = int((self.sets.sizes > 1).sum())
        table = (
            "1 set with costs of its own"
            if several == 1
            else f"{several} sets with costs of their own"
        )
        return table if self.is_complete else f"{table}, the rest {self.otherwise.name}"

    @property
    def is_complete(self) -> bool:
        """Whether the table gives the cost of every set of several classes."""
        several, n_classes = int((self.sets.sizes > 1).sum()), self.rows.shape[1]
        return several == (1 << n_classes) - 1 - n_classes and not np.isnan(self.rows).any()

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
                "a table of set costs belongs to one cost matrix, got one matrix per row: "
                "extend these with a rule such as 'p-discounted'"
            )
