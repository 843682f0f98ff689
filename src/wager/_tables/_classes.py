"""Class labels as they enter ``fit``: scikit-learn's checks, then codes among the classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d

from wager._tables._columns import is_missing
from wager._tables._labels import encode_labels
from wager._typing import Array, ArrayLike, Ints


def read_class_labels(
    estimator: Any, y: Any, rows: int, classes: ArrayLike | None = None
) -> tuple[Ints, Array]:
    """The classes of the training rows as codes, and the classes: declared ones, or those found.

    A pandas column declares its categories, which are taken in sorted order as scikit-learn does;
    ``classes`` is taken as it is given.
    """
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None"
        )
    if not hasattr(y, "cat"):
        y = column_or_1d(y, warn=True)
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            row = int(np.argmin(np.isfinite(y)))
            raise ValueError(f"y holds {y[row]} in row {row}: drop the row or give it a label")
    # categories, integers and booleans are classes in any case; the check would sort them all
    if not (hasattr(y, "cat") or (isinstance(y, np.ndarray) and y.dtype.kind in "biu")):
        _check_targets(y)
    if len(y) != rows:
        check_consistent_length(np.empty(rows), y)
    return encode_labels(y, classes, name="y")


def _check_targets(y: Any) -> None:
    """Refuse what are no classes; a missing label, which sorting stumbles over, by its row."""
    try:
        check_classification_targets(y)
    except (TypeError, ValueError):
        for row, label in enumerate(y):
            if is_missing(label):
                raise ValueError(
                    f"y holds {label} in row {row}: drop the row or give it a label"
                ) from None
        raise
