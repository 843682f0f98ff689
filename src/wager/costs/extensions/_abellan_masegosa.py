"""The costs of Abellán & Masegosa (2012), as Yang, Destercke & Masson (2017) write them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wager._typing import Floats
from wager.costs._cost_tables import CostTable
from wager.costs.extensions._cells import Cells
from wager.costs.extensions._rule import ExtensionRule

__all__ = ["AbellanMasegosa"]


@dataclass(frozen=True)
class AbellanMasegosa(ExtensionRule):
    """Abellán and Masegosa's costs, shifted so that predicting only the true class is free.

    Section V c of Yang, Destercke & Masson (2017), natural logarithm: ``log |Y|`` if the set Y
    contains the true class, else ``log K * (largest member cost / (K - 1) + 1)``.  The costs of
    single classes change as well.

    By this formula a miss costs ``log K`` even if the given costs are 0, so the unit of the given
    costs matters: in a small unit (all costs times 1e9) only the misses count and larger sets
    become optimal, in a large one (times 1e-9) all misses cost the same.  Give costs in multiples
    of that of an ordinary error.
    """

    @property
    def name(self) -> str:
        return "Abellán-Masegosa"

    def fill(self, cells: Cells) -> Floats:
        n_classes = cells.n_classes
        largest = cells.fold(np.maximum, lambda c: c)
        miss = np.log(n_classes) * (largest / (n_classes - 1) + 1)
        return np.where(cells.hit, np.log(cells.sizes), miss)

    def ranges(self, table: CostTable) -> Floats:
        n = table.n_classes
        high = np.log(n) * (table.highest / (n - 1) + 1)
        return np.stack([np.zeros(n), high], axis=1)
