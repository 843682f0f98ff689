"""Costs matched by name to the classes of predictions: the same labels as text or as numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from wager._tables import format_labels, require_kind
from wager._typing import Array
from wager.costs._extended_costs import ExtendedCosts
from wager.costs._matrix import CostMatrix

__all__ = ["costs_for_classes", "other_classes"]


def costs_for_classes(
    costs: CostMatrix | ExtendedCosts, classes: Iterable[Any], source: str = "the predictions"
) -> CostMatrix | ExtendedCosts:
    """The costs with their labels written as in the classes of predictions, matched by name.

    Files write labels as text: the class ``1`` of predictions is the class ``"1"`` of a cost file.
    The costs may list more classes than occur; a class without costs is an error.

    Parameters
    ----------
    costs : CostMatrix or ExtendedCosts
        The costs.
    classes : iterable of labels
        The classes of the predictions.
    source : str
        What to call the predictions in an error.

    Examples
    --------
    >>> costs_for_classes(CostMatrix.zero_one(["1", "2", "3"]), [1, 2]).classes.tolist()
    [1, 2, 3]
    >>> costs_for_classes(CostMatrix.zero_one(["a", "b"]), ["a", "c"])
    Traceback (most recent call last):
    ...
    ValueError: the costs have no row and column for 'c', a class of the predictions (they list
    'a', 'b'): correct the spelling, or add a row and a column
    """
    require_kind(costs, "costs", CostMatrix, ExtendedCosts)
    wanted = list(classes)
    known = [str(label) for label in costs.classes.tolist()]
    names = set(known)
    missing = [label for label in wanted if str(label) not in names]
    if missing:
        which = "a class" if len(missing) == 1 else "classes"
        lacking = f"{format_labels(np.array(missing))}, {which} of {source}"
        file = _source(costs)
        if file is None:
            what = f"the costs have no row and column for {lacking} (they list"
        else:
            what = f"{file} has no costs for {lacking} (it has"
        raise ValueError(
            f"{what} {format_labels(costs.classes)}): correct the spelling, or add a row and a "
            "column"
        )
    by_name = {str(label): label for label in wanted}
    whole = all(isinstance(label, int) for label in wanted)
    labels = [by_name.get(name, int(name) if whole and _is_whole(name) else name) for name in known]
    if isinstance(costs, CostMatrix):
        return CostMatrix(costs.table, labels, costs.unit)
    single = CostMatrix(costs.determinate.table, labels, costs.unit)
    return replace(costs, determinate=single)


def other_classes(costs: CostMatrix | ExtendedCosts, classes: Array) -> list[Any]:
    """The classes that the costs list and the predictions do not have."""
    known = {str(label) for label in classes.tolist()}
    return [label for label in costs.classes.tolist() if str(label) not in known]


def _source(costs: CostMatrix | ExtendedCosts) -> str | None:
    """The file that the costs were read from, if any."""
    return (costs if isinstance(costs, CostMatrix) else costs.determinate).source


def _is_whole(name: str) -> bool:
    return name.removeprefix("-").isdecimal()
