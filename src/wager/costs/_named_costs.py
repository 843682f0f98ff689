"""Costs with the names of their classes, from whatever a user passes as costs.

`CostMatrix` and `ExtendedCosts` name their classes, and so does a data frame with labelled columns.
An array does not: its rows and columns stand for the classes of the predictions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._typing import ArrayLike
from wager.costs._checks import check_costs
from wager.costs._cost_frames import has_class_names
from wager.costs._extended_costs import ExtendedCosts
from wager.costs._matrix import CostMatrix

__all__ = ["costs_over", "named_costs"]


def named_costs(costs: Any) -> Any:
    """A data frame with labelled columns as a `CostMatrix`; any other costs unchanged.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame([[0, 7], [1, 0]], columns=["low", "high"])
    >>> named_costs(frame).classes.tolist()
    ['low', 'high']
    >>> named_costs([[0, 7], [1, 0]])
    [[0, 7], [1, 0]]
    """
    return CostMatrix(costs) if has_class_names(costs) else costs


def costs_over(costs: Any, classes: ArrayLike | None) -> CostMatrix | ExtendedCosts:
    """The costs with names: their own, or for an array those of ``classes``, in order."""
    costs = named_costs(costs)
    if isinstance(costs, CostMatrix | ExtendedCosts):
        return costs
    n_rows = len(check_costs(costs))
    if classes is not None and np.ndim(costs) == 2 and n_rows != len(np.asarray(classes)):
        raise ValueError(
            f"costs has {n_rows} rows but there are {len(np.asarray(classes))} classes: "
            "give one row and one column per class"
        )
    return CostMatrix(costs, classes)
