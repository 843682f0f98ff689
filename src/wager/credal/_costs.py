"""Costs as decisions need them: a plain matrix over the classes of the prediction."""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._typing import Array, Floats
from wager.costs import CostMatrix

__all__ = ["determinate_costs", "order_of"]


def determinate_costs(costs: Any, classes: Array) -> Floats | None:
    """The costs of naming each class, in the order of ``classes`` both ways; None for 0/1 costs."""
    if costs is None:
        return None
    if not isinstance(costs, CostMatrix):
        if len(np.asarray(costs)) != len(classes):
            raise ValueError(
                f"costs has {len(np.asarray(costs))} rows but there are {len(classes)} classes: "
                "give a row and a column for each class"
            )
        costs = CostMatrix(costs, classes)
    order = order_of(costs.classes, classes)
    matrix = costs.costs[np.ix_(order, order)]
    zero_one = (matrix == 1.0 - np.eye(len(matrix))).all()
    return None if zero_one else matrix


def order_of(named: Array, classes: Array) -> Array:
    """Where each class of the prediction stands among those the costs name."""
    if len(named) == len(classes):
        order = np.argsort(named)
        place = order[np.searchsorted(named, classes, sorter=order) % len(order)]
        if (named[place] == classes).all():
            return place
    raise ValueError(
        f"the costs are for the classes {_listing(named)} but the prediction has "
        f"{_listing(classes)}: name the same classes in both with classes="
    )


def _listing(classes: Array) -> str:
    return ", ".join(map(str, classes[:6])) + (", ..." if len(classes) > 6 else "")
