"""Single values: whether one is missing, and how messages write labels."""

from __future__ import annotations

from decimal import Decimal
from operator import index
from typing import Any

import numpy as np

from wager._typing import Array, Floats

__all__ = [
    "format_label",
    "format_labels",
    "hashable",
    "is_missing",
    "is_number",
    "real_numbers",
    "require_kind",
    "require_whole",
    "unmasked",
]

_MISSING_TYPES = ("NAType", "NaTType")  # pandas' NA and NaT, recognised without importing pandas


def is_missing(value: Any) -> bool:
    """Whether a value is missing: None, NaN, NA, NaT or a masked entry.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), 0.0, "")]
    [True, True, False, False]
    """
    if value is None or value is np.ma.masked or type(value).__name__ in _MISSING_TYPES:
        return True
    # only NaN and NumPy's NaT differ from themselves
    return isinstance(value, float | complex | np.generic | Decimal) and bool(value != value)


def unmasked(values: Any) -> Any:
    """A masked array with None, which is missing, in its masked entries; anything else unchanged.

    ``np.asarray`` would drop the mask, and use what is stored under it.

    Examples
    --------
    >>> unmasked(np.ma.array([1, 2], mask=[False, True])).tolist()
    [1, None]
    >>> unmasked([1, 2])
    [1, 2]
    """
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if not np.ma.is_masked(values):
        return np.asarray(values)
    known = np.asarray(values).astype(object)
    known[np.ma.getmaskarray(values)] = None
    return known


def real_numbers(values: Any, name: str) -> Floats:
    """Values as an array of floats; complex numbers and numbers above 1e308 are refused.

    Examples
    --------
    >>> real_numbers([1, 2], "scores").tolist()
    [1.0, 2.0]
    >>> real_numbers([1j], "scores")
    Traceback (most recent call last):
    ...
    TypeError: scores must be real numbers, got complex ones
    """
    given = np.asarray(unmasked(values))
    if given.dtype.kind == "c":  # NumPy would drop the imaginary parts
        raise TypeError(f"{name} must be real numbers, got complex ones")
    try:
        return given.astype(np.float64, copy=False)
    except OverflowError:
        raise ValueError(f"{name} must be numbers below 1e308") from None


def is_number(value: Any) -> bool:
    """Whether a value is a number; a boolean is not."""
    return isinstance(value, int | float | np.number) and not isinstance(value, bool | np.bool_)


def hashable(value: Any) -> Any:
    """The value, or its text where it cannot be the key of a dictionary."""
    try:
        hash(value)
    except TypeError:
        return str(value)
    return value


def format_label(label: Any) -> str:
    """A label as one would type it in Python.

    Examples
    --------
    >>> format_label(np.str_("a")), format_label(np.int64(3))
    ("'a'", '3')
    """
    return repr(label.item() if isinstance(label, np.generic) else label)


def format_labels(labels: Array, most: int = 6) -> str:
    """Labels as a list for a message, shortened if there are more than ``most``.

    Examples
    --------
    >>> format_labels(np.array(["a", "b"]))
    "'a', 'b'"
    >>> format_labels(np.arange(9), most=2)
    '0, 1, ... (9 in all)'
    """
    shown = ", ".join(format_label(label) for label in labels[:most])
    return shown if len(labels) <= most else f"{shown}, ... ({len(labels)} in all)"


def require_kind(value: Any, name: str, *kinds: type) -> None:
    """Raise a `TypeError` if an argument is not of one of these kinds.

    Examples
    --------
    >>> require_kind("a", "proba", list)
    Traceback (most recent call last):
    ...
    TypeError: proba must be a list, got a str
    """
    if not isinstance(value, kinds):
        kinds = tuple(kind for kind in kinds if kind is not type(None))
        wanted = " or a ".join(kind.__name__ for kind in kinds)
        raise TypeError(f"{name} must be a {wanted}, got a {type(value).__name__}")


def require_whole(value: Any, name: str, least: int = 0) -> int:
    """The value as an int; a `TypeError` or `ValueError` if it is no whole number, or too small.

    Examples
    --------
    >>> require_whole(0, "n_samples", 1)
    Traceback (most recent call last):
    ...
    ValueError: n_samples must be at least 1, got 0
    """
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, got {value!r}") from None
    if number < least:
        raise ValueError(f"{name} must be at least {least}, got {number}")
    return number
