"""Parameters that make a learner more or less cautious, and sets for many of their values at once.

A learner lists these parameters in ``_strengths``.  If what it learns does not depend on one of
them (counts, probabilities, calibration scores), ``_sets_by_strength`` predicts the sets for many
values with one fitted model, at the cost of the decisions alone.  Otherwise the entry says why the
learner must be fitted again for each value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from wager._typing import Bools, Ints

__all__ = ["FEW_PRIOR_ROWS", "PRIOR_ROWS", "SHARES", "Strength", "nested_sets"]

# numbers of rows that a prior is worth, and probabilities or shares
PRIOR_ROWS = (0.0, *np.logspace(-2, 2, 49).round(6).tolist())
FEW_PRIOR_ROWS = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0)  # where each one is expensive
SHARES = tuple((np.arange(50) / 50).tolist())


class Strength(NamedTuple):
    """A parameter that makes a learner more or less cautious."""

    name: str
    values: tuple[float, ...]  # to try by default
    refit: str | None = None  # why the learner must be fitted again for each value; None if not


def nested_sets(
    decide: Callable[[Ints, float], Bools], values: Sequence[float], n: int, n_classes: int
) -> Bools:
    """The sets of all rows for all values, if sets can only grow from each value to the next.

    A row whose sets at two values are equal has the same set at all values between them, so most
    rows are decided only at the two ends.

    Parameters
    ----------
    decide : callable
        The sets of some rows at one value.
    values : sequence
        In the order of growing sets.
    n, n_classes : int
        The number of rows and of classes.

    Returns
    -------
    bool ndarray of shape (len(values), n, n_classes)

    Examples
    --------
    >>> width = np.array([0.1, 0.5, 0.9])
    >>> decide = lambda rows, s: np.column_stack([np.ones(len(rows), bool), width[rows] < s])
    >>> nested_sets(decide, [0.0, 0.3, 0.6, 1.0], 3, 2).sum(axis=2).tolist()
    [[1, 1, 1], [2, 1, 1], [2, 2, 1], [2, 2, 2]]
    """
    everyone = np.arange(n)
    first = decide(everyone, values[0])
    sets = np.repeat(first[None], len(values), axis=0)  # right for all rows that never change
    if len(values) > 1:
        sets[-1] = decide(everyone, values[-1])
    todo = [(0, len(values) - 1, everyone)]
    while todo:
        low, high, rows = todo.pop()
        if high - low < 2:
            continue
        differ = (sets[low, rows] != sets[high, rows]).any(axis=1)
        if low > 0:
            same = rows[~differ]
            sets[low + 1 : high, same] = sets[low, same]
        rows = rows[differ]
        if len(rows):
            middle = (low + high) // 2
            sets[middle, rows] = decide(rows, values[middle])
            todo += [(low, middle, rows), (middle, high, rows)]
    return sets
