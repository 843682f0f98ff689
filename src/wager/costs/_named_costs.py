"""Costs with the names of their classes, from whatever a user passes as costs.

`CostMatrix` and `ExtendedCosts` name their classes, and so does a data frame with labelled columns.
An array does not: its rows and columns stand for the classes of the predictions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._tables import counted, require_sorted, there_are
from wager._typing import ArrayLike
from wager.costs._checks import check_costs
from wager.costs._cost_frames import has_class_names
from wager.costs._extended_costs import ExtendedCosts
from wager.costs._matrix import CostMatrix
from wager.costs._set_rewards import SetRewards
from wager.predictions import class_source

__all__ = ["costs_over", "named_costs", "require_sorted_predictions"]


def named_costs(costs: Any) -> Any:
    """A data frame with labelled columns as a `CostMatrix`; any other costs unchanged.

    Examples
    --------
    This example needs ``pip install 'wager[frames]'``.

    >>> import pandas as pd
    >>> frame = pd.DataFrame([[0, 7], [1, 0]], columns=["low", "high"])
    >>> named_costs(frame).classes.tolist()
    ['low', 'high']
    >>> named_costs([[0, 7], [1, 0]])
    [[0, 7], [1, 0]]
    """
    if isinstance(costs, SetRewards):
        raise ValueError(
            "these are rewards, of which larger ones are better: pass rewards.as_costs(), or use "
            "evaluate_rewards and reward_difference"
        )
    return CostMatrix(costs) if has_class_names(costs) else costs


def require_sorted_predictions(y_pred: Any) -> None:
    """Raise a ValueError if costs without names meet predictions with classes in another order.

    Costs without names are for the sorted classes.
    """
    _, declared = class_source(y_pred)
    if declared is not None:
        cure = "name them with CostMatrix(costs, classes), or pass classes= in their order"
        require_sorted(declared, "costs", "the predictions", cure)


def costs_over(costs: Any, classes: ArrayLike | None) -> CostMatrix | ExtendedCosts:
    """The costs with names: their own, or for an array those of ``classes``, in order."""
    costs = named_costs(costs)
    if isinstance(costs, CostMatrix | ExtendedCosts):
        return costs
    n_rows = len(check_costs(costs))
    if classes is not None and np.ndim(costs) == 2 and n_rows != len(np.asarray(classes)):
        raise ValueError(
            f"costs has {counted(n_rows, 'row')} but "
            f"{there_are(len(np.asarray(classes)), 'class')}: give one row and one column per class"
        )
    return CostMatrix(costs, classes)
