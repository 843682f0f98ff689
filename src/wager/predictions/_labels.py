"""Labels in, codes out: how the classes of a problem are named and numbered.

Everything behind this module counts classes 0..K-1.  Here the labels a person writes (strings,
integers, booleans, numbers; arrays, lists, columns of pandas, polars or Arrow) become those codes,
against declared ``classes`` or against the sorted distinct labels that scikit-learn would use.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._typing import Array, ArrayLike, Ints

__all__ = ["as_labels", "check_classes", "encode_labels", "listing"]


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
        The classes, in the order of the codes.  A label outside them is an error.
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
    """
    labels, categories = as_labels(y, name)
    if classes is not None:
        known = check_classes(classes)
        return _codes_among(labels, known, name), known
    if n_classes is None:
        return _codes_of_distinct(labels, categories)
    if labels.dtype.kind in "iu":
        return _codes_in_range(labels, n_classes, name), np.arange(n_classes)
    if labels.dtype.kind == "b" and n_classes == 2:
        return labels.astype(np.intp), np.array([False, True])
    codes, found = _codes_of_distinct(labels, categories)
    if len(found) != n_classes:
        raise ValueError(
            f"{name} holds {len(found)} distinct labels ({listing(found)}) but the predictions "
            f"have {n_classes} columns: name the columns with classes="
        )
    return codes, found


def check_classes(classes: ArrayLike) -> Array:
    """The declared classes as an array, each of them once.

    Examples
    --------
    >>> check_classes(["b", "a"]).tolist()
    ['b', 'a']
    """
    known, _ = as_labels(classes, "classes")
    if known.size == 0:
        raise ValueError("classes is empty: name at least one class")
    distinct, first, counts = np.unique(known, return_index=True, return_counts=True)
    if len(distinct) < len(known):
        twice = known[np.min(first[counts > 1])]
        raise ValueError(f"classes lists {_show(twice)} more than once: name each class once")
    return known


def as_labels(y: Any, name: str) -> tuple[Array, Array | None]:
    """The labels as a plain one-dimensional array, and the categories they declare (or None)."""
    categories = _categories_of(y)
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(
            f"{name} must be one label a row, got an array of shape {labels.shape}: "
            "pass a one-dimensional array"
        )
    if labels.dtype.kind in "US" and not isinstance(y, np.ndarray):
        labels = _plain(np.array(y, dtype=object), name)  # NumPy turns [1, "a"] into strings
    elif labels.dtype.kind == "O":
        labels = _plain(labels, name)
    elif labels.dtype.kind == "T":
        labels = labels.astype(str)
    elif labels.dtype.kind == "f" and np.isnan(labels).any():
        raise _missing(name, int(np.flatnonzero(np.isnan(labels))[0]))
    return labels, categories


def listing(classes: Array, most: int = 6) -> str:
    """The classes for an error sentence, cut short when there are many."""
    shown = ", ".join(_show(label) for label in classes[:most])
    return shown if len(classes) <= most else f"{shown}, ... ({len(classes)} in all)"


def _show(label: Any) -> str:
    return repr(label.item() if isinstance(label, np.generic) else label)


def _categories_of(y: Any) -> Array | None:
    categorical = getattr(y, "cat", y)  # a pandas Series, or the Categorical itself
    categories = getattr(categorical, "categories", None)
    return None if categories is None else np.asarray(categories)


def _plain(labels: Array, name: str) -> Array:
    """Strings, or numbers, from an array of Python objects; missing and mixed ones refused."""
    kinds = {type(label) for label in labels}
    if kinds <= {str, np.str_}:
        return labels.astype(str)
    for row, label in enumerate(labels):
        if label is None or type(label).__name__ in ("NAType", "NaTType") or label != label:
            raise _missing(name, row)
    texts = [issubclass(kind, str) for kind in kinds]
    if any(texts):
        first = labels[0]
        odd = next(i for i, v in enumerate(labels) if isinstance(v, str) != isinstance(first, str))
        raise ValueError(
            f"{name} mixes strings and other labels ({_show(first)} in row 0, "
            f"{_show(labels[odd])} in row {odd}): make all labels strings or all integers"
        )
    plain = np.array(labels.tolist())
    if plain.ndim != 1 or plain.dtype.kind not in "biufS":
        raise ValueError(
            f"{name} must hold strings or numbers, got {_show(labels[0])} "
            f"of type {type(labels[0]).__name__} in row 0: pass one label a row"
        )
    return plain


def _missing(name: str, row: int) -> ValueError:
    return ValueError(f"{name} is missing in row {row}: drop the row or give it a label")


def _codes_of_distinct(labels: Array, categories: Array | None) -> tuple[Ints, Array]:
    distinct, codes = np.unique(labels, return_inverse=True)
    if categories is None:
        return codes.astype(np.intp, copy=False), distinct
    every = np.union1d(distinct, categories)
    return np.searchsorted(every, distinct)[codes], every


def _codes_in_range(labels: Array, n_classes: int, name: str) -> Ints:
    if labels.size:
        low, high = int(labels.min()), int(labels.max())
        if low < 0 or high >= n_classes:
            raise ValueError(
                f"{name} runs from {low} to {high} but the predictions have {n_classes} columns: "
                f"pass codes 0..{n_classes - 1}, or name the columns with classes="
            )
    return labels.astype(np.intp, copy=False)


def _codes_among(labels: Array, classes: Array, name: str) -> Ints:
    if labels.size == 0:
        return np.zeros(0, dtype=np.intp)
    if (labels.dtype.kind in "US") != (classes.dtype.kind in "US"):
        raise ValueError(
            f"{name} holds {_show(labels[0])} in row 0 but the classes are {listing(classes)}: "
            "make both strings or both numbers"
        )
    order = np.argsort(classes)
    place = np.searchsorted(classes, labels, sorter=order)
    codes = order[np.minimum(place, len(classes) - 1)]
    unknown = classes[codes] != labels
    if unknown.any():
        row = int(np.argmax(unknown))
        raise ValueError(
            f"{name} holds {_show(labels[row])} in row {row}, which is not among the classes "
            f"{listing(classes)}: correct it, or add it to classes="
        )
    return codes
