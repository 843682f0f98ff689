"""The form ``lower:<class>`` and ``upper:<class>``: a probability interval for each class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wager._tables import check_classes, counted, encode_labels, there_are
from wager._typing import Array, ArrayLike
from wager._visible import in_one_line
from wager.predictions._intervals import ProbabilityIntervals
from wager.predictions.files._classes import class_texts, plain_texts
from wager.predictions.files._columns import FileColumn
from wager.predictions.files._missing import RequiredColumn
from wager.predictions.files._output import Columns
from wager.predictions.files._source import FileSource
from wager.predictions.files.forms._form import Form, Rows
from wager.predictions.files.forms._numbers import NumberForm

__all__ = ["IntervalForm"]

_UPPER = "upper:"


@dataclass(frozen=True)
class IntervalForm(NumberForm):
    """A lower and an upper probability per class; `columns` are the lower ones."""

    uppers: Mapping[str, FileColumn] = field(default_factory=dict)

    name = "interval"
    heading = "lower:"
    usage = "lower:<class> with upper:<class>"
    kind = "intervals"
    argument = "intervals"

    @classmethod
    def is_stated(cls, source: FileSource) -> bool:
        return any(source.class_columns(prefix) for prefix in (cls.heading, _UPPER))

    @classmethod
    def find(cls, source: FileSource) -> Form:
        lowers, uppers = (source.known_class_columns(each) for each in (cls.heading, _UPPER))
        for label in sorted(lowers.keys() ^ uppers.keys()):
            have, lack = (cls.heading, _UPPER) if label in lowers else (_UPPER, cls.heading)
            raise ValueError(
                f"{source.path}: there is a column {have}{label} but no {lack}{label}: give both "
                "bounds of every class"
            )
        return cls(source.path, lowers, uppers)

    @property
    def n_columns(self) -> int:
        return len(self.columns) + len(self.uppers)

    def number_columns(self) -> Iterable[FileColumn]:
        return (*self.columns.values(), *(self.uppers[label] for label in self.columns))

    def required(self) -> Iterator[RequiredColumn]:
        for column in self.number_columns():
            yield RequiredColumn(column, column.missing_sql())

    def assemble(self, rows: Rows) -> ProbabilityIntervals:
        lower, upper = self.matrix(rows, self.columns), self.matrix(rows, self.uppers)
        if (lower > upper).any():
            row, column = np.argwhere(lower > upper)[0]
            name = in_one_line(class_texts(rows.classes)[column])
            raise ValueError(
                f"{self.path}: lower:{name} is {lower[row, column]:g} in row "
                f"{rows.number_of(row)} but upper:{name} is {upper[row, column]:g}: swap them"
            )
        intervals = ProbabilityIntervals(lower, upper, rows.classes)
        if not np.all(intervals.is_proper):
            row = int((~intervals.is_proper).argmax())
            raise ValueError(
                f"{self.path}: no probabilities satisfy the bounds of row {rows.number_of(row)}: "
                f"the lower bounds sum to {lower[row].sum():.6g} and the upper bounds to "
                f"{upper[row].sum():.6g}, but 1 must lie between the two sums"
            )
        return intervals

    @classmethod
    def write(cls, predictions: Any, classes: ArrayLike | None, truth: Array) -> Columns:
        if not isinstance(predictions, ProbabilityIntervals):
            kind = type(predictions).__name__
            raise TypeError(f"intervals must be ProbabilityIntervals, got a {kind}")
        n_classes = predictions.lower.shape[1]
        if predictions.named:
            known = predictions.classes
        elif classes is None:
            known = encode_labels(truth, n_classes=n_classes)[1]
        else:
            known = check_classes(classes)
            if len(known) != n_classes:
                raise ValueError(
                    f"intervals have {counted(n_classes, 'column')} but "
                    f"{there_are(len(known), 'class')}: pass one column per class, in the order "
                    "of classes="
                )
        names = plain_texts(known)
        lower = cls.class_columns(cls.heading, predictions.lower, names)
        return lower | cls.class_columns(_UPPER, predictions.upper, names)
