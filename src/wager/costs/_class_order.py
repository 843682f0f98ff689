"""The order of classes: as declared, from ordered categories, or that of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._tables import check_classes, distinct_labels, encode_labels, format_labels
from wager._typing import Array, ArrayLike, Ints
from wager.costs._checks import check_lengths
from wager.predictions import PredictionSets, as_sets, class_source, sets_over

__all__ = ["declared_order", "order_of_classes", "read_ordered"]


def declared_order(classes: Any) -> Array:
    """The classes from the lowest to the highest: a list, or those of an ordered Categorical."""
    ordered = ordered_categories(classes)
    return check_classes(classes if ordered is None else ordered, "class_order")


def ordered_categories(y: Any) -> list[Any] | None:
    """The categories of an ordered pandas column, index, Categorical or type; None for others.

    Examples
    --------
    This example needs ``pip install 'wager[frames]'``.

    >>> import pandas as pd
    >>> ordered_categories(pd.Categorical(["b"], categories=["b", "a"], ordered=True))
    ['b', 'a']
    """
    dtype = getattr(y, "dtype", y)
    if getattr(dtype, "ordered", False) and getattr(dtype, "categories", None) is not None:
        return list(dtype.categories.tolist())
    return None


def order_of_classes(
    class_order: Any, y_true: Any = None, y_pred: Any = None, classes: ArrayLike | None = None
) -> Array:
    """The classes from the lowest to the highest.

    As declared; those of an ordered pandas column of true classes; or numbers, which have an order.
    """
    if class_order is not None:
        return declared_order(class_order)
    ordered = ordered_categories(y_true)
    if ordered is not None:
        return check_classes(ordered, "class_order")
    known = _known_classes(y_true, y_pred, classes)
    if known.dtype.kind not in "iufb":
        raise ValueError(
            f"the order of the classes {format_labels(known)} is not known: pass class_order= from "
            "the lowest to the highest, or the true classes as an ordered pandas Categorical"
        )
    return np.sort(known)


def _known_classes(y_true: Any, y_pred: Any, classes: ArrayLike | None) -> Array:
    if classes is not None:
        return check_classes(classes)
    found = as_sets(y_pred).classes
    if y_true is None or class_source(y_pred)[0] != "labels":
        return found
    return np.union1d(found, distinct_labels(y_true, "y_true").labels)


def read_ordered(
    y_true: Any, y_pred: Any, class_order: Any, classes: ArrayLike | None
) -> tuple[Ints, PredictionSets]:
    """True classes as ranks, and predictions as sets over the ordered classes."""
    known = order_of_classes(class_order, y_true, y_pred, classes)
    sets = sets_over(y_pred, known, "class_order", classes)
    codes, _ = encode_labels(y_true, known)
    check_lengths(len(sets), len(codes))
    return codes, sets
