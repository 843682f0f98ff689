"""The rows of a prediction file as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wager._tables import Table, View, Viewed
from wager._typing import Array, Floats, Ints
from wager.predictions._intervals import ProbabilityIntervals
from wager.predictions._sets import PredictionSets
from wager.predictions._top_k import TopKProbabilities

__all__ = ["Predictions"]

_SHOWN = 10  # classes in the printed form
_WIDE = 1 << 28  # bytes of labels of equal width, beyond which they are objects


@dataclass(frozen=True, eq=False, repr=False)
class Predictions(Viewed):
    """Rows of a prediction file: the true classes, the predictions, and the other columns.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        The classes.
    codes : ndarray of int, shape (n,)
        The true class of each row, as an index into `classes`.
    form : {"label", "set", "mask", "in", "p", "top-k", "interval", "m"}
        The form in which the file states its predictions; it determines which of the next four
        attributes is present.
    sets : PredictionSets, optional
        From ``y_pred``, ``set``, ``mask`` or ``in:`` columns.
    proba : ndarray of shape (n, K), or TopKProbabilities, optional
        From ``p:`` columns, or from columns ``class_1``, ``p_1``, ...
    intervals : ProbabilityIntervals, optional
        From ``lower:`` and ``upper:`` columns.
    memberships : ndarray of shape (n, K), optional
        From ``m:`` columns.
    weight : ndarray of float, optional
        The importance weight of each row.
    count : ndarray of int, optional
        How many observations each row stands for.
    cluster : ndarray of object, optional
        The cluster of each row, as text: rows of the same cluster may depend on each other.
    group, id : ndarray of object, optional
        Text, or None where the cell is missing.
    row : ndarray of int, optional
        The number of each row in the file, from 1.
    warnings : tuple of str
        What is odd about the rows, such as classes that are predicted and never true, and how
        many rows of the file were left out.
    """

    classes: Array
    codes: Ints
    form: str
    sets: PredictionSets | None = None
    proba: Floats | TopKProbabilities | None = None
    intervals: ProbabilityIntervals | None = None
    memberships: Floats | None = None
    weight: Floats | None = None
    count: Ints | None = None
    cluster: Array | None = None
    group: Array | None = None
    id: Array | None = None
    row: Ints | None = None
    warnings: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.codes)

    def _view(self) -> View:
        other = ("weight", "count", "cluster", "group", "id")
        columns = [name for name in other if getattr(self, name) is not None]
        also = f"; further columns: {', '.join(columns)}" if columns else ""
        title = f"{len(self):,} rows of form {self.form!r}, {len(self.classes):,} classes{also}"
        names = np.unique(self.codes, return_counts=True)
        rows = [[str(self.classes[code]), n] for code, n in zip(*names, strict=True)][:_SHOWN]
        return View(title, [Table(["true class", "rows"], rows)], self.warnings)

    @property
    def totals(self) -> Array | None:
        """What each row adds to a total: its count times its weight; None if that is 1."""
        if self.weight is None or self.count is None:
            return self.count if self.weight is None else self.weight
        return self.weight * self.count

    @property
    def y_true(self) -> Array:
        """The true labels; as objects where one long label would make all of them wide."""
        if self.classes.itemsize * len(self.codes) > _WIDE:
            return self.classes.astype(object)[self.codes]
        return self.classes[self.codes]
