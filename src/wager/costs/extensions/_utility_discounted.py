"""Costs of sets as one minus a utility of the set size, for 0/1 costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wager._tables import ROUNDING
from wager._typing import Floats
from wager.costs._cost_tables import CostTable
from wager.costs.extensions._cells import Cells
from wager.costs.extensions._rule import ExtensionRule, first_wrong_cost
from wager.rewards import Utility, UtilityLike, get_utility

__all__ = ["UtilityDiscounted"]


@dataclass(frozen=True)
class UtilityDiscounted(ExtensionRule):
    """One minus the utility of a hit by a set of that size; 1 for a miss (Sec. III, 0/1 costs)."""

    utility: Utility
    knows_ranges = True

    @classmethod
    def from_options(cls, utility: UtilityLike = "u65") -> UtilityDiscounted:
        """The rule of a utility, given as `get_utility` takes it."""
        return cls(get_utility(utility))

    @property
    def name(self) -> str:
        return f"utility-discounted, {self.utility.name}"

    def fill(self, cells: Cells) -> Floats:
        return np.where(cells.hit, 1.0 - self.utility.of_size(cells.sizes), 1.0)

    def ranges(self, table: CostTable) -> Floats:
        n = table.n_classes
        known = int(min(n, self.utility.largest_size))
        hits = 1.0 - self.utility.of_size(np.arange(1, known + 1))  # a table may go up and down
        ends = np.append(hits, 1.0)
        return np.tile([ends.min(), ends.max()], (n, 1))

    def require(self, costs: Floats) -> None:
        wrong = np.abs(costs - (1.0 - np.eye(costs.shape[-1]))) > ROUNDING
        if wrong.any():
            raise ValueError(
                f"the rule 'utility' is for 0/1 costs only, got {first_wrong_cost(costs, wrong)}: "
                "extend general costs with 'p-discounted'"
            )
        for reward in (0.0, 1.0):
            if abs(float(self.utility(reward)) - reward) > ROUNDING:
                raise ValueError(
                    f"costs of 1 - u need u(0) = 0 and u(1) = 1, but {self.utility.name} has "
                    f"u({reward:g}) = {float(self.utility(reward)):g}: use its normalized form"
                )
