"""The one rule for columns without names: they stand for the sorted classes.

That is the order of ``classes_`` in scikit-learn.  Where the classes come from something that lists
them in another order, such as a cost matrix, nobody can know which order the columns have, and
guessing would give wrong numbers without a warning: it is an error that shows both orders.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from wager._tables._frames import numbered_from
from wager._tables._values import format_labels
from wager._typing import Array
from wager._visible import brief

__all__ = ["in_order_of", "named_values", "order_of", "require_sorted", "rows_of"]


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


def named_values(values: Any, what: str) -> dict[Any, Any] | None:
    """The values of a mapping or a pandas Series by name; None if they have no names.

    A Series whose index only numbers its rows has none.

    Examples
    --------
    >>> named_values({"a": 1, "b": 2}, "eta"), named_values([1, 2], "eta")
    ({'a': 1, 'b': 2}, None)
    """
    if isinstance(values, Mapping):
        return dict(values)
    index = getattr(values, "index", None)
    is_series = hasattr(values, "items") and not hasattr(values, "columns")
    if index is None or callable(index) or not is_series:
        return None
    if numbered_from(index) == 0:  # the numbers of a part of the rows are names
        return None
    named = dict(values.items())
    if len(named) < len(values):
        raise ValueError(f"{what} has two values with the same name: give one for each")
    return named


def in_order_of(names: Iterable[Any], values: Any, what: str, whose: str) -> Any:
    """The values of a mapping or Series in the order of names; other values as they are.

    Parameters
    ----------
    names : iterable
        Classes or other names, each of which needs a value.
    values : mapping, Series, array-like or number
        One value per name.
    what : str
        What the values are.
    whose : str
        What has the names, as a plural.

    Examples
    --------
    >>> in_order_of(["b", "a"], {"a": 1, "b": 2}, "eta", "classes")
    [2, 1]
    >>> in_order_of(["b", "a"], [1, 2], "eta", "classes")
    [1, 2]
    >>> in_order_of(["b", "a"], {"a": 1, "c": 2}, "eta", "classes")
    Traceback (most recent call last):
    ...
    ValueError: eta is for 'a', 'c', but the classes are 'b', 'a': give one value for each
    """
    named = named_values(values, what)
    if named is None:
        return values
    wanted = list(names)
    if named.keys() != set(wanted):
        given, needed = (", ".join(map(brief, labels)) for labels in (named, wanted))
        order = ", or pass its to_numpy() in their order" if hasattr(values, "to_numpy") else ""
        raise ValueError(
            f"{what} is for {given}, but the {whose} are {needed}: give one value for each{order}"
        )
    return [named[name] for name in wanted]


def rows_of(a: Any, b: Any) -> Any:
    """The second of two pandas Series in the order of the first, if both have the same names.

    Series with other names, and all else, are paired row by row.  If one of them is numbered 0, 1,
    ..., as a new Series is, and the other has these numbers in another order, both could be meant:
    this is an error.

    Examples
    --------
    This example needs ``pip install 'wager[frames]'``.

    >>> import pandas as pd
    >>> rows_of(pd.Series({"x": 1, "y": 2}), pd.Series({"y": 4, "x": 3})), rows_of([1, 2], [4, 3])
    ([3, 4], [4, 3])
    """
    places = [getattr(values, "index", None) for values in (a, b)]
    if not all(hasattr(place, "tolist") and hasattr(place, "equals") for place in places):
        return b
    if len(a) != len(b) or places[0].equals(places[1]):  # type: ignore[union-attr]
        return b
    first, second = (place.tolist() for place in places)  # type: ignore[union-attr]
    named = dict(zip(second, b, strict=True)) if np.ndim(b) == 1 else {}
    is_same = len(named) == len(second) == len(first) and named.keys() == set(first)
    if not is_same or first == second:
        return b
    if list(range(len(first))) in (first, second):
        raise ValueError(
            "one of two Series is numbered 0, 1, ... and the other has these numbers in another "
            "order: pass both with sort_index() to pair equal numbers, or with to_numpy() to pair "
            "them row by row"
        )
    return [named[name] for name in first]
