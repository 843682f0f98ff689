"""The one rule for columns without names: they stand for the sorted classes.

That is the order of ``classes_`` in scikit-learn.  Where the classes come from something that lists
them in another order, such as a cost matrix, nobody can know which order the columns have, and
guessing would give wrong numbers without a warning: it is an error that shows both orders.
"""

from __future__ import annotations

import numpy as np

from wager._tables._values import format_labels
from wager._typing import Array

__all__ = ["order_of", "require_sorted"]


_CURE = "pass classes= with the classes of the columns, in their order"


def require_sorted(classes: Array, what: str, whose: str, cure: str = _CURE) -> None:
    """Raise a ValueError if columns without names meet classes that are not in sorted order.

    Parameters
    ----------
    classes : array of shape (K,)
        The classes that the columns would stand for.
    what : str
        What has columns without names.
    whose : str
        What lists the classes.
    cure : str
        What to do, where that is not ``classes=``.

    Examples
    --------
    >>> require_sorted(np.array(["high", "low"]), "y_pred", "the costs")
    >>> require_sorted(np.array(["low", "high"]), "y_pred", "the costs")
    Traceback (most recent call last):
    ...
    ValueError: y_pred has no class names, so it is read in the sorted order 'high', 'low', but the
    costs list the classes in the order 'low', 'high': pass classes= with the classes of the
    columns, in their order
    """
    ordered = np.sort(classes)
    if not np.array_equal(ordered, classes):
        raise ValueError(
            f"{what} has no class names, so it is read in the sorted order "
            f"{format_labels(ordered)}, but {whose} list the classes in the order "
            f"{format_labels(classes)}: {cure}"
        )


def order_of(
    named: Array, classes: Array, whose: str = "the costs", what: str = "prediction"
) -> Array:
    """The position of each class of ``classes`` among ``named``, which must list the same ones.

    Examples
    --------
    >>> order_of(np.array(["low", "high"]), np.array(["high", "low"])).tolist()
    [1, 0]
    """
    if len(named) == len(classes):
        order = np.argsort(named)
        place = order[np.searchsorted(named, classes, sorter=order) % len(order)]
        if (named[place] == classes).all():
            return place
    raise ValueError(
        f"{whose} are for the classes {format_labels(named)} but the {what} has "
        f"{format_labels(classes)}: give both the same classes with classes="
    )
