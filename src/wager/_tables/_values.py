"""Single values: whether one is missing, and how messages write labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from decimal import Decimal
from operator import index
from typing import Any

import numpy as np

from wager._typing import Array, Floats, Ints
from wager._visible import brief, in_one_line, reason

__all__ = [
    "ROUNDING",
    "chosen_rows",
    "format_label",
    "format_labels",
    "hashable",
    "in_braces",
    "is_missing",
    "is_number",
    "is_one_of",
    "look_up",
    "not_complex",
    "plain_text",
    "positions",
    "real_number",
    "real_numbers",
    "repeated",
    "require_kind",
    "require_whole",
    "unmasked",
]

# Computed numbers that differ by less, or by less than this part of their size, are equal: sums of
# the same terms in another order, or of as many weights, differ so much by rounding.
ROUNDING = 1e-12
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
    try:
        return np.asarray(not_complex(values, name), dtype=np.float64)
    except OverflowError:
        raise ValueError(f"{name} must be numbers below 1e308") from None
    except ValueError as problem:
        raise ValueError(f"{name} must be numbers: {reason(problem)}") from None
    except TypeError as problem:
        not_complex(np.asarray(values), name)  # such as a list of complex numbers
        raise TypeError(f"{name} must be numbers: {reason(problem)}") from None


def not_complex(values: Any, name: str) -> Any:
    """Values without a mask, as `unmasked` gives them; complex numbers are refused.

    NumPy would drop their imaginary parts, with a warning.

    Examples
    --------
    >>> not_complex(np.array([1j]), "scores")
    Traceback (most recent call last):
    ...
    TypeError: scores must be real numbers, got complex ones
    """
    given = unmasked(values)
    if not hasattr(given, "dtype") and hasattr(given, "__array__"):  # a frame
        given = np.asarray(given)
    if getattr(getattr(given, "dtype", None), "kind", None) == "c":
        raise TypeError(f"{name} must be real numbers, got complex ones")
    return given


def real_number(value: Any, name: str) -> float:
    """A single real number as a float; NaN where it is missing.

    Examples
    --------
    >>> real_number(3, "the level")
    3.0
    >>> real_number([1, 2], "the level")
    Traceback (most recent call last):
    ...
    TypeError: the level must be a number, got a list
    """
    several = np.ndim(value) if isinstance(value, np.ndarray) else hasattr(value, "__len__")
    if several or isinstance(value, type):
        raise TypeError(f"{name} must be a number, got a {type(value).__name__}")
    return float(real_numbers(value, name))


def is_one_of(value: Any, words: Container[str | None]) -> bool:
    """Whether a value is one of some words; a frame or an array, which compare by cell, is not.

    Examples
    --------
    >>> is_one_of("drop", ("drop", "keep")), is_one_of(np.array(["drop"]), ("drop", "keep"))
    (True, False)
    """
    return (value is None or isinstance(value, str)) and value in words


def repeated(values: Iterable[Any]) -> list[Any]:
    """The values that occur more than once, in the order in which they first do.

    Examples
    --------
    >>> repeated(["a", "b", "c", "b", "a"]), repeated("abc")
    (['a', 'b'], [])
    """
    return [value for value, times in Counter(values).items() if times > 1]


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


def plain_text(value: Any) -> Any:
    """The text itself of a subclass of ``str``, such as a member of an Enum of text.

    NumPy would write such a member in its own way, and cut it off after as many characters as the
    text has.  Any other value is unchanged.

    Examples
    --------
    >>> from enum import Enum
    >>> class Answer(str, Enum):
    ...     YES = "yes"
    >>> plain_text(Answer.YES), plain_text(1)
    ('yes', 1)
    """
    return str.__str__(value) if isinstance(value, str) else value


def format_label(label: Any) -> str:
    """A label as one would type it in Python.

    Examples
    --------
    >>> format_label(np.str_("a")), format_label(np.int64(3))
    ("'a'", '3')
    """
    return brief(label.item() if isinstance(label, np.generic) else label)


def format_labels(labels: Array | list[Any], most: int = 6) -> str:
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


def in_braces(labels: Iterable[Any]) -> str:
    r"""A set written as in the papers, in one line.

    Examples
    --------
    >>> print(in_braces(["h", "b\n"]))
    {h, b\n}
    """
    return "{" + ", ".join(in_one_line(str(label)) for label in labels) + "}"


def chosen_rows(rows: Any, n: int) -> Any:
    """What chooses some of n rows: a number, a slice, a mask or an array of row numbers.

    An integer that no array can have as an index is an IndexError, as any other missing row is.

    Examples
    --------
    >>> chosen_rows(2**64, 3)
    Traceback (most recent call last):
    ...
    IndexError: there is no row 18446744073709551616 among 3 rows
    """
    if isinstance(rows, int | np.integer) and not -n <= rows < n:
        raise IndexError(f"there is no row {rows} among {n} rows")
    return rows


def positions(values: Any, n: int, name: str) -> Ints:
    """Numbers from 0 to n - 1 as an array of integers; others are a ValueError.

    Examples
    --------
    >>> positions([2, 0], 3, "groups").tolist()
    [2, 0]
    >>> positions([3], 3, "groups")
    Traceback (most recent call last):
    ...
    ValueError: groups must be whole numbers from 0 to 2, got 3
    """
    numbers = real_numbers(values, name)
    wrong = ~((numbers >= 0) & (numbers < n) & (numbers == np.floor(numbers)))
    if wrong.any():
        raise ValueError(
            f"{name} must be whole numbers from 0 to {n - 1}, got {numbers[wrong].flat[0]:.10g}"
        )
    return numbers.astype(np.intp)


def look_up(table: Mapping[Any, Any], name: Any, kind: str) -> Any:
    """The entry of a table with this name; a ValueError that lists the names if there is none.

    Examples
    --------
    >>> look_up({"u65": 1, "u80": 2}, "u70", "utility")
    Traceback (most recent call last):
    ...
    ValueError: unknown utility 'u70': choose one of 'u65', 'u80'
    """
    try:
        return table[name]
    except (KeyError, TypeError):
        known = format_labels(list(table))
        raise ValueError(f"unknown {kind} {brief(name)}: choose one of {known}") from None


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
        wanted = " or ".join(map(_with_article, kinds))
        raise TypeError(f"{name} must be {wanted}, got {_with_article(type(value))}")


def _with_article(kind: type) -> str:
    name = kind.__name__
    return f"an {name}" if name[0] in "aeioAEIO" or name == "ndarray" else f"a {name}"


def require_whole(value: Any, name: str, least: int = 0) -> int:
    """The value as an int; a `TypeError` or `ValueError` if it is no whole number, or too small.

    Examples
    --------
    >>> require_whole(0, "n_samples", 1)
    Traceback (most recent call last):
    ...
    ValueError: n_samples must be at least 1, got 0
    """
    if isinstance(value, float | np.floating) and float(value).is_integer():
        value = int(value)
    try:
        number = int(index(value))  # True is 1
    except TypeError:
        raise TypeError(f"{name} must be a whole number, got {brief(value)}") from None
    if number < least:
        raise ValueError(f"{name} must be at least {least}, got {number}")
    return number
