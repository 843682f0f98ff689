"""Ha's costs of class-selective rejection (Ha, 1997)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np

from wager._tables import ROUNDING
from wager._typing import Floats
from wager._visible import brief
from wager.costs._checks import MOST_COST
from wager.costs._cost_tables import CostTable
from wager.costs.extensions._cells import Cells
from wager.costs.extensions._rule import ExtensionRule, first_wrong_cost

__all__ = ["ClassSelective"]


@dataclass(frozen=True)
class ClassSelective(ExtensionRule):
    """Ha's costs: eta(y) for missing the class y, plus delta for every class beyond the first.

    Section V b and Table IX of Yang, Destercke & Masson (2017).
    """

    delta: float

    @classmethod
    def from_options(cls, delta: float | None = None) -> ClassSelective:
        """The rule with its option ``delta``, which is required."""
        if delta is None:
            raise ValueError("the rule 'ha' needs delta, the cost of each class beyond the first")
        if not isinstance(delta, Real) or not 0 <= delta <= MOST_COST:
            raise ValueError(f"delta must be finite and not negative, got {brief(delta)}")
        return cls(float(delta))

    @property
    def name(self) -> str:
        return f"Ha, delta = {self.delta:g}"

    def fill(self, cells: Cells) -> Floats:
        return np.where(cells.hit, 0.0, cells.worst()) + self.delta * (cells.sizes - 1)

    def ranges(self, table: CostTable) -> Floats:
        n, eta = table.n_classes, table.highest
        high = np.maximum(eta + self.delta * (n - 2), self.delta * (n - 1))
        return np.stack([np.zeros(n), high], axis=1)

    def require(self, costs: Floats) -> None:
        right = np.eye(costs.shape[-1], dtype=bool)
        expected = np.where(right, 0.0, costs.max(axis=-2, keepdims=True))
        wrong = np.abs(costs - expected) > ROUNDING * costs.max(axis=(-2, -1), keepdims=True)
        if wrong.any():
            raise ValueError(
                "the rule 'ha' needs costs that are 0 on the diagonal and otherwise depend only on "
                f"the true class, got {first_wrong_cost(costs, wrong)}: build them with "
                "CostMatrix.ha(eta, classes), or extend with 'p-discounted'"
            )
