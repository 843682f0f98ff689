"""Credal sets given by their vertices, for example by the members of an ensemble."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wager._tables import (
    View,
    Viewed,
    check_classes,
    chosen_rows,
    in_order_of,
    is_frame,
    order_of,
    real_numbers,
    require_kind,
    require_sorted,
    unmasked,
)
from wager._typing import Array, ArrayLike, Floats
from wager.predictions import (
    ProbabilityIntervals,
    check_functions,
    check_probabilities,
    columns_by_name,
)

__all__ = ["CredalVertices"]


@dataclass(frozen=True, eq=False, init=False, repr=False)
class CredalVertices(Viewed):
    """For each instance, the convex hull of a few probabilities.

    Parameters
    ----------
    vertices : array-like of shape (n_rows, n_vertices, n_classes)
        Probabilities whose convex hull is the credal set.  They need not be extreme points; a row
        with fewer vertices repeats one of them.
    classes : array-like of shape (n_classes,), optional
        The classes of the last axis.  By default those of the columns, if the rows are a list of
        data frames, which are matched by name, or 0..K-1: without names, the last axis stands for
        the sorted classes.

    Examples
    --------
    >>> ensemble = CredalVertices([[[0.7, 0.3], [0.4, 0.6]]], classes=["a", "b"])
    >>> ensemble.lower_expectation([1, 0]).tolist()
    [0.4]
    >>> ensemble.envelope().upper.tolist()
    [[0.7, 0.6]]
    """

    vertices: Floats
    classes: Array
    named: bool

    def __init__(self, vertices: ArrayLike, classes: ArrayLike | None = None):
        if isinstance(vertices, list | tuple) and any(map(is_frame, vertices)):
            vertices, classes = _by_name(vertices, classes)
        points = np.array(unmasked(vertices))
        if points.ndim != 3 or 0 in points.shape:
            raise ValueError(
                "vertices must have shape (rows, vertices, classes), got "
                f"{points.shape}: give each row at least one probability vector"
            )
        flat = check_probabilities(points.reshape(-1, points.shape[2]), name="vertices")
        known = ProbabilityIntervals(flat[:1], flat[:1], classes).classes  # checks the labels
        object.__setattr__(self, "vertices", flat.reshape(points.shape))
        object.__setattr__(self, "classes", known)
        object.__setattr__(self, "named", classes is not None)

    @classmethod
    def from_intervals(cls, intervals: ProbabilityIntervals) -> CredalVertices:
        """The same credal sets, given by their extreme points.

        Examples
        --------
        >>> vacuous = ProbabilityIntervals([[0, 0]], [[1, 1]])
        >>> CredalVertices.from_intervals(vacuous).vertices.tolist()
        [[[0.0, 1.0], [1.0, 0.0]]]
        """
        require_kind(intervals, "intervals", ProbabilityIntervals)
        rows = [intervals.vertices(i) for i in range(len(intervals))]
        most = max(map(len, rows))
        padded = [np.pad(row, ((0, most - len(row)), (0, 0)), mode="edge") for row in rows]
        return cls(np.stack(padded), intervals.classes if intervals.named else None)

    def lower_expectation(self, f: ArrayLike, *, per_row: bool = False) -> Floats:
        """The least expectation of a function of the class, which one of the vertices attains.

        Same arguments and result as ``ProbabilityIntervals.lower_expectation``.
        """
        f = in_order_of(self.classes.tolist(), f, "f", "classes")
        functions = check_functions(f, (len(self), len(self.classes)), per_row)
        if per_row:
            return np.einsum("nvk,nk->nv", self.vertices, functions).min(axis=1)
        values = (self.vertices @ functions.T).min(axis=1)
        return values[:, 0] if np.ndim(f) == 1 else values

    def upper_expectation(self, f: ArrayLike, *, per_row: bool = False) -> Floats:
        """The greatest expectation of a function of the class."""
        f = in_order_of(self.classes.tolist(), f, "f", "classes")
        functions = real_numbers(f, "the values of a function")
        return -self.lower_expectation(-functions, per_row=per_row)

    def envelope(self) -> ProbabilityIntervals:
        """The narrowest probability intervals around the vertices; often a larger credal set."""
        return ProbabilityIntervals(
            self.vertices.min(axis=1), self.vertices.max(axis=1), self._names
        )

    @property
    def _names(self) -> Array | None:
        return self.classes if self.named else None

    def require_proper(self) -> None:
        """Does nothing: a hull of probabilities is never empty."""

    def __len__(self) -> int:
        return len(self.vertices)

    def __getitem__(self, rows: Any) -> CredalVertices:
        """The chosen rows, as credal sets again."""
        chosen = self.vertices[chosen_rows(rows, len(self))]
        return CredalVertices(chosen if chosen.ndim == 3 else chosen[None], self._names)

    def __repr__(self) -> str:
        n, v, k = self.vertices.shape
        return f"{n} credal sets of {v} vertices over {k} classes"

    def _view(self) -> View:
        return replace(self.envelope()._view(), title=repr(self))


def _by_name(rows: Sequence[Any], classes: ArrayLike | None) -> tuple[list[Any], ArrayLike | None]:
    """The vertices of each row with their columns in the same order, and the classes."""
    found = [columns_by_name(row, classes) for row in rows]
    first = next((names for _, names in found if names is not None), None)
    if classes is not None or first is None:
        return [vertices for vertices, _ in found], classes
    known, ordered = check_classes(first), []
    for number, (vertices, names) in enumerate(found):
        row = f"row {number} of vertices"
        if names is None:
            cure = "name the columns of all rows, or of none"
            require_sorted(known, row, "the columns of others", cure)
            ordered.append(vertices)
        else:
            place = order_of(check_classes(names), known, f"the columns of {row}", "vertices")
            ordered.append(np.asarray(vertices)[:, place])
    return ordered, known
