"""Results that are equal if their fields are, also arrays, where NaN is equal to NaN.

NaN stands for a number that is not defined, such as the standard error of one row.  Two results
from the same rows are equal although they have one.  What `dataclass` generates compares NaN by its
identity up to Python 3.12, and never takes two of them for equal from 3.13 on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

__all__ = ["ComparedFields"]


class ComparedFields:
    """Base of frozen dataclasses with ``eq=False`` whose numbers may be undefined.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, eq=False)
    ... class Mean(ComparedFields):
    ...     value: float
    >>> Mean(float("nan")) == Mean(float("nan")), Mean(float("nan")) == Mean(0.0)
    (True, False)
    """

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return _compared(self) == _compared(other)

    def __hash__(self) -> int:
        return hash(_compared(self))


def _compared(result: Any) -> tuple[Any, ...]:
    return tuple(_plain(getattr(result, each.name)) for each in fields(result) if each.compare)


def _plain(item: Any) -> Any:
    """A field, with one object in place of all NaN."""
    if type(item) is tuple:
        return tuple(map(_plain, item))
    if isinstance(item, np.ndarray):
        return (item.shape, *map(_plain, item.ravel().tolist()))
    if isinstance(item, Mapping):
        return {name: _plain(each) for name, each in item.items()}
    return _UNDEFINED if isinstance(item, float) and item != item else item


_UNDEFINED = object()
