"""Scaled memberships know that they are scaled, since their largest value assigns nothing.

Objects are assigned by their memberships before scaling (Sondhauss & Weihs, 2001).  After scaling
another class may have the largest value, so a measure of the assigned class must not read it
off scaled values.  The marked type is an ordinary array in all other respects.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["ScaledMemberships", "marked", "refuse_scaled"]


class ScaledMemberships(np.ndarray[Any, np.dtype[np.float64]]):
    """An array of scaled memberships; slices keep the type, results of arithmetic do not."""

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        plain = np.asarray(array)
        return plain[()] if return_scalar else plain

    def __repr__(self) -> str:
        return repr(np.asarray(self))


def marked(points: Any) -> Any:
    """Scaled memberships as an array that knows it; a column on disk is returned as it is.

    Examples
    --------
    >>> scaled = marked(np.array([[0.4, 0.6], [0.9, 0.1]]))
    >>> scaled[:1]
    array([[0.4, 0.6]])
    >>> type(scaled[:1]).__name__, type(scaled + 1).__name__
    ('ScaledMemberships', 'ndarray')
    """
    return points.view(ScaledMemberships) if isinstance(points, np.ndarray) else points


def refuse_scaled(memberships: Any, wanted: str) -> None:
    """Raise a ValueError for memberships that a partition has scaled."""
    if isinstance(memberships, ScaledMemberships):
        raise ValueError(
            f"memberships were already scaled, so their largest value need not be in the assigned "
            f"class: for new objects use partition.transform(memberships, y_true).{wanted}, which "
            "assigns by the memberships before scaling"
        )
