"""Costs of single classes as a plain matrix, in the order of the classes of a prediction."""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._tables import format_labels
from wager._typing import Array, Floats
from wager.costs import CostMatrix

__all__ = ["determinate_costs", "order_of"]


def determinate_costs(costs: Any, classes: Array) -> Floats | None:
    """The costs of single classes, rows and columns ordered as ``classes``; None for 0/1 costs."""
    if costs is None:
        return None
    if not isinstance(costs, CostMatrix):
        if len(np.asarray(costs)) != len(classes):
            raise ValueError(
                f"costs has {len(np.asarray(costs))} rows but there are {len(classes)} classes: "
                "give one row and one column per class"
            )
        costs = CostMatrix(costs, classes)
    order = order_of(costs.classes, classes)
    matrix = costs.costs[np.ix_(order, order)]
    zero_one = (matrix == 1.0 - np.eye(len(matrix))).all()
    return None if zero_one else matrix


def order_of(named: Array, classes: Array) -> Array:
    """The position of each class of the prediction among the classes of the costs."""
    if len(named) == len(classes):
        order = np.argsort(named)
        place = order[np.searchsorted(named, classes, sorter=order) % len(order)]
        if (named[place] == classes).all():
            return place
    raise ValueError(
        f"the costs are for the classes {format_labels(named)} but the prediction has "
        f"{format_labels(classes)}: give both the same classes with classes="
    )
