"""p-discounted costs: a generalized mean of the members' costs.

Yang, Destercke & Masson (2017, Def. 3 and Eqs 12-16).  With the exponents 1 and 1 these are the
discounted costs, the plain mean of the members.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np

from wager._tables import ROUNDING, is_one_of, real_number
from wager._typing import Floats
from wager._visible import brief
from wager.costs._cost_tables import CostTable
from wager.costs.extensions._cells import Cells
from wager.costs.extensions._rule import ExtensionRule

__all__ = ["PDiscounted", "check_exponent"]

MODES = ("cautious", "mistake-averse")


@dataclass(frozen=True)
class PDiscounted(ExtensionRule):
    """A generalized mean of the members' costs (Def. 3 and Eqs 12-16).

    Parameters
    ----------
    inside, outside : float
        The exponents for true classes inside and outside the set.  1 and 1 give the discounted
        costs, ``1 - r`` for both the cautious p-discounted costs, ``1 - r`` and ``1 + r`` the
        mistake-averse ones.
    """

    inside: float = 1.0
    outside: float = 1.0

    @classmethod
    def from_options(
        cls, r: float | None = None, mode: str = "cautious", p: float | None = None
    ) -> PDiscounted:
        """Equations (14) to (16): ``p = 1 - r``; mistakes are averaged with ``2 - p = 1 + r``."""
        if not is_one_of(mode, MODES):
            raise ValueError(f"mode must be one of {', '.join(MODES)}, got {brief(mode)}")
        if p is None:
            r = 0.5 if r is None else r
            if not isinstance(r, Real) or not 0 <= r <= 1:
                raise ValueError(
                    f"r must lie in [0, 1], got {brief(r)}: 0 does not reward caution, 1 rewards "
                    "it most"
                )
            inside, outside = 1 - float(r), 1 + float(r)
        elif r is None:
            inside = check_exponent(p)
            outside = 2 - inside
        else:
            raise ValueError(
                f"give either r or the exponent p = 1 - r, got r={brief(r)} and p={brief(p)}"
            )
        return cls(inside, inside if mode == "cautious" else outside)

    @property
    def name(self) -> str:
        if self.inside == self.outside == 1:
            return "discounted"
        r = 1 - self.inside
        if 0 <= r <= 1 and self.inside == self.outside:
            return f"p-discounted, r = {r:g}"
        if 0 <= r <= 1 and abs(self.outside - 1 - r) < ROUNDING:
            return f"p-discounted, r = {r:g}, mistake-averse"
        if self.inside == self.outside:
            return f"p-discounted, p = {self.inside:g}"
        return f"p-discounted, p = {self.inside:g} inside and {self.outside:g} outside the set"

    def fill(self, cells: Cells) -> Floats:
        inside = cells.mean(self.inside)
        if self.inside == self.outside:
            return inside
        return np.where(cells.hit, inside, cells.mean(self.outside))

    def ranges(self, table: CostTable) -> Floats:
        return np.stack([table.lowest, table.highest], axis=1)  # a mean lies between its values


def check_exponent(p: float) -> float:
    """The exponent of a mean as a float; it may be infinite but not NaN."""
    exponent = real_number(p, "p") if isinstance(p, Real) else np.nan
    if np.isnan(exponent):
        raise ValueError(f"p must be a real number or infinite, got {brief(p)}")
    return exponent
