"""What probabilities, intervals and memberships have in common: one number per class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from wager._tables import check_classes, encode_labels, real_numbers
from wager._typing import Array, ArrayLike, Floats
from wager.predictions._probabilities import columns_by_name
from wager.predictions.files._classes import plain_texts
from wager.predictions.files._columns import Check, FileColumn, within_sql
from wager.predictions.files._output import Columns
from wager.predictions.files.forms._form import ClassColumns, Rows

__all__ = ["NumberForm"]


@dataclass(frozen=True)
class NumberForm(ClassColumns):
    """One number per class, all within the same bounds: by default, a probability."""

    low: ClassVar[float] = 0.0
    high: ClassVar[float] = 1.0
    slack: ClassVar[float] = 1e-6  # what exceeds `high` by less is rounded down to it
    wanted: ClassVar[str] = "a probability is a number from 0 to 1"  # for error messages

    def number_columns(self) -> Iterable[FileColumn]:
        """All columns with numbers."""
        return self.columns.values()

    def cells(self, classes: Array) -> dict[str, str]:
        return {
            column.key: f"coalesce({column.number_sql()}, CAST('nan' AS DOUBLE))"
            for column in self.number_columns()
        }

    def checks(self, classes: Array | None) -> Iterator[Check]:
        for column in self.number_columns():
            sql = within_sql(column.number_sql(), self.low, self.high + self.slack)
            yield Check(column, sql, self.wanted)

    def matrix(self, rows: Rows, columns: Mapping[str, FileColumn]) -> Floats:
        """Numbers as a matrix with one column per class, checked to be within the bounds."""
        return self.within_bounds(rows, self.side_by_side(rows, columns))

    def within_bounds(self, rows: Rows, matrix: Floats) -> Floats:
        """A matrix whose numbers are checked to be within the bounds."""
        low, high = matrix.min(), matrix.max()  # NaN if there is one
        if not (low >= self.low and high <= self.high + self.slack):
            rows.refuse()
        return np.minimum(matrix, self.high) if high > self.high else matrix

    @classmethod
    def write(cls, predictions: Any, classes: ArrayLike | None, truth: Array) -> Columns:
        predictions, classes = columns_by_name(predictions, classes, truth)
        values = real_numbers(predictions, "predictions")
        if values.ndim != 2:
            raise ValueError(
                f"predictions must have one column per class, got an array of shape {values.shape}"
            )
        if classes is None:
            names = encode_labels(truth, n_classes=values.shape[1])[1]
        else:
            names = check_classes(classes)
        return cls.class_columns(cls.heading, values, plain_texts(names))
