"""Labels in, codes out: how the classes of a problem are named and numbered.

Everything behind this module counts classes 0..K-1.  The labels a person writes become those
codes against declared ``classes``, or against the sorted distinct labels that scikit-learn would
use, or, where a matrix gives no more than the number of its columns, by that number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._tables._distinct import (
    DistinctLabels,
    distinct_labels,
    format_label,
    format_labels,
    read_labels,
)
from wager._typing import Array, ArrayLike, Ints

__all__ = ["check_classes", "encode_labels", "format_labels"]


def encode_labels(
    y: ArrayLike,
    classes: ArrayLike | None = None,
    *,
    name: str = "y_true",
    n_classes: int | None = None,
) -> tuple[Ints, Array]:
    """Number the labels: codes 0..K-1, and the classes they stand for.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels: strings, integers, booleans or other numbers, none of them missing.
    classes : array-like of shape (K,), optional
        The classes, in the order of the codes.  A label outside them is an error.  Without it
        the classes are the sorted distinct labels, and the categories of a pandas Categorical.
    name : str
        What the error sentences call ``y``.
    n_classes : int, optional
        The number of classes where they have no names, as for a matrix without ``classes``:
        integers are then codes already, and other labels are taken in sorted order if exactly
        ``n_classes`` distinct ones occur.

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
    """Codes where only the number of classes is known; the rule is ``encode_labels``'s."""
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
            f"{found.name} holds {len(labels)} distinct label{plural} ({format_labels(labels)}) but the "
            f"predictions have {n_classes} columns: name the columns with classes="
        )
    return found.codes, labels


def check_classes(classes: ArrayLike, name: str = "classes") -> Array:
    """The declared classes as an array, each of them once.

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
        raise ValueError(f"{format_label(twice)} stands twice in {name}: name each class once")
    return found.labels[found.codes]


def _are_codes(classes: Array) -> bool:
    return classes.dtype.kind in "iu" and np.array_equal(classes, np.arange(len(classes)))


def _are_within(labels: Any, n_classes: int) -> bool:
    """Whether the labels are integers in 0..n_classes-1 as they stand."""
    if not isinstance(labels, np.ndarray) or labels.dtype.kind not in "iu" or labels.ndim != 1:
        return False
    return labels.size == 0 or bool(labels.min() >= 0 and labels.max() < n_classes)
