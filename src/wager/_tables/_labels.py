"""Class labels as codes 0..K-1, and the classes that the codes refer to.

All other modules work with codes.  The classes are those the user declares with ``classes=``, else
the sorted distinct labels as in scikit-learn, else, for a matrix without column names, the numbers
of its columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._tables._distinct import DistinctLabels, distinct_labels, read_labels
from wager._tables._frames import declared_categories, in_memory
from wager._tables._values import format_label, format_labels, is_missing
from wager._typing import Array, ArrayLike, Ints

__all__ = ["check_classes", "encode_labels", "read_class_labels"]


def encode_labels(
    y: ArrayLike,
    classes: ArrayLike | None = None,
    *,
    name: str = "y_true",
    n_classes: int | None = None,
) -> tuple[Ints, Array]:
    """Encode labels as codes 0..K-1, and return the classes they refer to.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels: strings, integers, booleans or other numbers, none of them missing.
    classes : array-like of shape (K,), optional
        The classes, in the order of the codes.  Any other label is an error.  By default the
        classes are the sorted distinct labels and the categories of a pandas Categorical.
    name : str
        The name of ``y`` in error messages.
    n_classes : int, optional
        The number of classes if they have no names, as for a matrix without ``classes``: integers
        are then codes already, and other labels are taken in sorted order if exactly ``n_classes``
        distinct ones occur.

    Returns
    -------
    codes : ndarray of intp, shape (n,)
    classes : ndarray of shape (K,)

    Examples
    --------
    >>> codes, classes = encode_labels(["b", "a", "b"])
    >>> codes.tolist(), classes.tolist()
    ([1, 0, 1], ['a', 'b'])
    >>> encode_labels(["b", "a"], classes=["c", "b", "a"])[0].tolist()
    [1, 2]
    >>> encode_labels([0, 2], n_classes=4)[1].tolist()
    [0, 1, 2, 3]
    >>> encode_labels(["a", "d"], classes=["a", "b", "c"])
    Traceback (most recent call last):
    ...
    ValueError: y_true holds 'd' in row 1, which is not among the classes 'a', 'b', 'c': correct
    it, or add it to classes=
    """
    labels = read_labels(y)
    known = None if classes is None else check_classes(classes)
    numbers = np.arange(n_classes or 0) if known is None else known
    if _are_codes(numbers) and _are_within(labels, len(numbers)):
        return labels.astype(np.intp, copy=False), numbers
    found = distinct_labels(labels, name)
    if known is not None:
        return found.among(known), known
    return (found.codes, found.labels) if n_classes is None else _as_columns(found, n_classes)


def _as_columns(found: DistinctLabels, n_classes: int) -> tuple[Ints, Array]:
    """Codes if only the number of classes is known, by the rule in ``encode_labels``."""
    labels = found.labels
    if labels.dtype.kind in "iu" or labels.size == 0:
        if labels.size and (labels[0] < 0 or labels[-1] >= n_classes):
            raise ValueError(
                f"{found.name} runs from {labels[0]} to {labels[-1]} but the predictions have "
                f"{n_classes} columns: pass codes 0..{n_classes - 1}, or name the columns with "
                "classes="
            )
        return labels.astype(np.intp)[found.codes], np.arange(n_classes)
    if labels.dtype.kind == "b" and n_classes == 2:
        return labels.astype(np.intp)[found.codes], np.array([False, True])
    if len(labels) != n_classes:
        plural = "" if len(labels) == 1 else "s"
        raise ValueError(
            f"{found.name} holds {len(labels)} distinct label{plural} ({format_labels(labels)}) "
            f"but the predictions have {n_classes} columns: name the columns with classes="
        )
    return found.codes, labels


def check_classes(classes: ArrayLike, name: str = "classes") -> Array:
    """The declared classes as an array; an empty list or a duplicate is an error.

    Examples
    --------
    >>> check_classes(["b", "a"]).tolist()
    ['b', 'a']
    """
    found = distinct_labels(classes, name, categories=False)
    if len(found.codes) == 0:
        raise ValueError(f"{name} is empty: name at least one class")
    counts = np.bincount(found.codes)
    if counts.max() > 1:
        twice = found.labels[np.argmax(counts > 1)]
        raise ValueError(f"duplicate class {format_label(twice)} in {name}: name each class once")
    return found.labels[found.codes]


def read_class_labels(
    estimator: Any, y: Any, n_rows: int, classes: ArrayLike | None = None
) -> tuple[Ints, Array]:
    """The labels given to ``fit`` as codes, after scikit-learn's checks, and the classes.

    The categories of a pandas column are its classes, in sorted order as in scikit-learn; declared
    ``classes`` keep their order.
    """
    from sklearn.utils.validation import check_consistent_length, column_or_1d

    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None"
        )
    y = in_memory(y)
    is_categorical = hasattr(y, "cat") and declared_categories(y) is not None
    if not is_categorical:
        y = column_or_1d(y, warn=True)
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            row = int(np.argmin(np.isfinite(y)))
            raise ValueError(f"y holds {y[row]} in row {row}: drop the row or give it a label")
    # categories, integers and booleans are always classes; the check would sort all of them
    if not (is_categorical or y.dtype.kind in "biu"):
        _check_targets(y)
    if len(y) != n_rows:
        check_consistent_length(np.empty(n_rows), y)
    return encode_labels(y, classes, name="y")


def _check_targets(y: Array) -> None:
    """Refuse labels that are not classes; name the row of a missing label."""
    from sklearn.utils.multiclass import check_classification_targets

    try:
        check_classification_targets(y)
    except (TypeError, ValueError):  # sorting a missing label fails
        for row, label in enumerate(y):
            if is_missing(label):
                raise ValueError(
                    f"y holds {label} in row {row}: drop the row or give it a label"
                ) from None
        raise


def _are_codes(classes: Array) -> bool:
    return classes.dtype.kind in "iu" and np.array_equal(classes, np.arange(len(classes)))


def _are_within(labels: Any, n_classes: int) -> bool:
    """Whether the labels are an array of integers in 0..n_classes-1."""
    if not isinstance(labels, np.ndarray) or labels.dtype.kind not in "iu" or labels.ndim != 1:
        return False
    return labels.size == 0 or bool(labels.min() >= 0 and labels.max() < n_classes)
