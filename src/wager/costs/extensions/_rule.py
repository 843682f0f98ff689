"""The interface of an extension rule: the cost of a set, given the costs of its members.

Each rule is a small frozen value that computes the costs of cells (set, true class).  No rule ever
lists all 2^K sets.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from wager._typing import Bools, Floats
from wager.costs._cost_tables import CostTable
from wager.costs.extensions._cells import Cells

__all__ = ["ExtensionRule", "first_wrong_cost"]


class ExtensionRule(ABC):
    """The cost of a set for a true class, computed from the costs of its members.

    Attributes
    ----------
    needs_members : bool
        Whether the rule looks up which classes are members (`Cells.members`).
    knows_ranges : bool
        Whether `ranges` is to be used for any number of classes.
    """

    needs_members = False
    knows_ranges = False

    @property
    @abstractmethod
    def name(self) -> str:
        """The rule and its parameters, as text."""

    @abstractmethod
    def fill(self, cells: Cells) -> Floats:
        """The costs of the cells, in their shape."""

    def ranges(self, table: CostTable) -> Floats | None:
        """The smallest and the largest cost of a set by true class, (K, 2); None if unknown.

        It must be known for costs of very many classes, of which no matrix can be made.
        """
        return None

    def require(self, costs: Floats) -> None:  # noqa: B027  (most rules take any costs)
        """Raise a ValueError if the rule does not apply to these costs of shape (..., K, K)."""


def first_wrong_cost(costs: Floats, wrong: Bools) -> str:
    """The first cost that a rule does not accept, and its place, for an error message."""
    *_, predicted, true = np.unravel_index(wrong.argmax(), wrong.shape)
    return f"{costs[wrong][0]:g} in row {predicted}, column {true}"
