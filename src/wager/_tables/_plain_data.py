"""Checks of what was read from JSON, for tallies and counts that other machines wrote.

What is read may be anything, and every fault becomes one sentence.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from wager._tables._labels import check_classes
from wager._tables._values import format_label
from wager._typing import Array
from wager._visible import brief

__all__ = [
    "parse_json",
    "plain_data",
    "plain_integers",
    "plain_labels",
    "plain_numbers",
    "refuse_huge_counts",
]


def parse_json(kind: type, text: str | bytes) -> Any:
    """The data in a text that the ``to_json`` of a class wrote; any other text is an error."""
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise ValueError(
            f"this is not the JSON of a {kind.__name__}, got {brief(text)}: read what "
            f"{kind.__name__}.to_json wrote"
        ) from None


@contextmanager
def plain_data(
    kind: type, data: Any, keys: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[None]:
    """Read a value of this kind from data with these keys; every fault becomes one sentence."""
    name, cure = kind.__name__, f"read what {kind.__name__}.to_json wrote"
    if not isinstance(data, Mapping):
        raise ValueError(
            f"this is not a {name}: it must be an object with the keys {', '.join(keys)}, {cure}"
        )
    missing = [key for key in keys if key not in data]
    other = [key for key in data if key not in (*keys, *optional)]
    if missing or other:
        fault = (
            f"{missing[0]!r} is missing" if missing else f"{brief(other[0])} is not one of its keys"
        )
        raise ValueError(f"this is not a {name}: {fault}, {cure}")
    try:
        yield
    except ValueError as problem:
        raise ValueError(f"this is not a {name}: {problem}") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError):
        raise ValueError(f"this is not a {name}: a value has the wrong type, {cure}") from None


def plain_numbers(
    values: Any, name: str, shape: tuple[int, ...] | None = None, *, signed: bool = False
) -> Array:
    """An array of finite numbers that were read from plain data, of this shape if it is given.

    Examples
    --------
    >>> plain_numbers([1, 2], "counts").tolist()
    [1, 2]
    >>> plain_numbers([1, -2], "counts")
    Traceback (most recent call last):
    ...
    ValueError: counts must be finite numbers that are not negative, got -2
    """
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.zeros(0, dtype=object)
    if not array.size and array.dtype != object:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} must be numbers in rows of equal length")
    refuse_huge_counts(values, array)
    wrong = ~np.isfinite(array) if signed else ~(np.isfinite(array) & (array >= 0))
    if wrong.any():
        rest = "" if signed else " that are not negative"
        raise ValueError(
            f"{name} must be finite numbers{rest}, got {format_label(array[wrong].ravel()[0])}"
        )
    if shape is not None and array.shape != shape and (array.size or 0 not in shape):
        raise ValueError(f"{name} must have the shape {shape}, got {array.shape}")
    return array if shape is None else array.reshape(shape)


def refuse_huge_counts(values: Any, array: Array) -> None:
    """Raise if these are whole numbers that NumPy has rounded, since one is beyond 64 bits."""
    if array.dtype.kind != "f" or not array.size or array.max() < 2.0**63:
        return
    if all(isinstance(value, int) for value in np.array(values, dtype=object).ravel()):
        raise ValueError("the counts add up to 2**63 rows or more, which is too many")


def plain_integers(values: Any, name: str, below: int = 0) -> Array:
    """An array of whole numbers from 0 up that were read from plain data; below a limit if any."""
    array = plain_numbers(values, name)
    if array.dtype.kind == "f":
        raise ValueError(f"{name} must be whole numbers, got {format_label(array.ravel()[0])}")
    if below and array.size and array.max() >= below:
        raise ValueError(f"{name} must be numbers from 0 to {below - 1}, got {array.max()}")
    return array


def plain_labels(values: Any) -> Array:
    """The classes that were read from plain data."""
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise ValueError(f"classes must be a list of labels, got {format_label(values)}")
    return check_classes(values)
