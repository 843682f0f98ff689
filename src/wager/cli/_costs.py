"""The options ``--costs``, ``--empty-cost`` and ``--unit``, which several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wager.costs import CostMatrix, ExtendedCosts


def cost_option(
    path: Path | None, unit: str | None, empty_cost: float | None = None
) -> CostMatrix | ExtendedCosts | None:
    """The costs that ``--costs`` names, in the unit of ``--unit``; None without the option."""
    if path is None:
        for name, value in (("--unit", unit), ("--empty-cost", empty_cost)):
            if value is not None:
                raise ValueError(f"{name} needs costs: name their file with --costs")
        return None
    from wager.costs import read_costs

    costs = read_costs(path)
    return costs if unit is None else costs.with_unit(unit)
