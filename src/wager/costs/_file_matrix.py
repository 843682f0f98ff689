"""The matrix of a cost file: what is wrong with it is said with the names of the classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wager._tables import counted, format_labels, there_are
from wager._visible import brief, in_one_line
from wager.costs._checks import MOST_COST

__all__ = ["check_matrix", "check_set"]


def check_matrix(rows: Sequence[Sequence[Any]], classes: Sequence[Any] | None) -> None:
    """Raise a ValueError if the rows are not a cost of 0 or more for every pair of classes.

    Parameters
    ----------
    rows : sequence of sequences
        A row per predicted class, with a cost per true class.
    classes : sequence of labels, optional
        The classes, if the file names them; else they are 0, 1, ...

    Examples
    --------
    >>> check_matrix([[0, 1], [1, -3]], ["a", "b"])
    Traceback (most recent call last):
    ...
    ValueError: the cost of predicting b when b is true is -3: costs must be 0 or more
    """
    if classes is None:
        classes = range(len(rows))
    n = len(classes)
    if len(rows) != n:
        raise ValueError(
            f"costs has {counted(len(rows), 'row')} but {there_are(n, 'class')}: "
            "give one row and one column per class"
        )
    for number, (predicted, row) in enumerate(zip(classes, rows, strict=True), start=1):
        if len(row) != n:
            raise ValueError(
                f"row {number} of costs (predicted {in_one_line(str(predicted))}) has "
                f"{counted(len(row), 'number')}, but {there_are(n, 'class')}: "
                "give one per true class"
            )
        for true, cost in zip(classes, row, strict=True):
            _check_cost(cost, f"predicting {in_one_line(str(predicted))}", true)


def check_set(name: str, labels: Sequence[Any], row: Any, classes: Sequence[Any]) -> None:
    """Raise a ValueError if a set of a cost file has unknown classes or wrong costs."""
    for label in labels:
        if label not in classes:
            raise ValueError(
                f"the set {brief(name)} contains {brief(label)}, which is not among the classes "
                f"{format_labels(np.array(classes))}: correct it, or add the class and its costs"
            )
    if isinstance(row, Mapping):
        for true, cost in row.items():
            _check_cost(cost, f"the set {in_one_line(name)}", true)
        return
    if len(row) != len(classes):
        first = in_one_line(str(classes[0]))
        raise ValueError(
            f"the set {brief(name)} has {counted(len(row), 'number')}, but "
            f"{there_are(len(classes), 'class')}: give one per true class, or name those that you "
            f"give, as in {{ {first} = 0.5 }}"
        )
    for true, cost in zip(classes, row, strict=True):
        _check_cost(cost, f"the set {in_one_line(name)}", true)


def _check_cost(cost: Any, prediction: str, true: Any) -> None:
    place = f"the cost of {prediction} when {in_one_line(str(true))} is true is"
    if isinstance(cost, bool) or not isinstance(cost, int | float):
        raise ValueError(f"{place} {brief(cost)}: write a number")
    if not 0 <= cost <= MOST_COST:
        wanted = "costs must be 0 or more" if cost < 0 else "costs must be finite numbers"
        if MOST_COST < cost < float("inf"):
            wanted = f"costs must be at most {MOST_COST:g}"
        shown = f"{cost:g}" if isinstance(cost, float) else brief(cost)
        raise ValueError(f"{place} {shown}: {wanted}")
