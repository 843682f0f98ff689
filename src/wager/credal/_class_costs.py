"""Costs of single classes as a plain matrix, in the order of the classes of a prediction."""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._tables import counted, order_of, require_sorted
from wager._typing import Array, Floats
from wager.costs import ExtendedCosts, costs_over, named_costs

__all__ = ["determinate_costs", "named_by_costs"]


def determinate_costs(costs: Any, classes: Array) -> Floats | None:
    """The costs of single classes, rows and columns ordered as ``classes``; None for 0/1 costs.

    Of costs that were extended to sets, those of single classes are used.
    """
    if costs is None:
        return None
    named = costs_over(costs, classes)
    single = named.determinate if isinstance(named, ExtendedCosts) else named
    order = order_of(single.classes, classes)
    matrix = single.costs[np.ix_(order, order)]
    zero_one = (matrix == 1.0 - np.eye(len(matrix))).all()
    return None if zero_one else matrix


def named_by_costs(costs: Any, n_classes: int, what: str) -> Array | None:
    """The classes of columns without names: those of the costs, which must be in sorted order.

    None if the costs are a plain matrix, which has no names either.
    """
    known = getattr(named_costs(costs), "classes", None)
    if known is None:
        return None
    if len(known) != n_classes:
        raise ValueError(
            f"{what} has {counted(n_classes, 'column')} but there are costs for "
            f"{counted(len(known), 'class')}: give one column per class"
        )
    require_sorted(known, what, "the costs")
    return known
