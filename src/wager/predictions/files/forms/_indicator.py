"""The form ``in:<class>``: one column per class, 1 if the set contains the class and 0 if not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._typing import Array, ArrayLike
from wager.predictions._dispatch import sets_to_write
from wager.predictions._packing import pack
from wager.predictions._set_rows import PackedRows
from wager.predictions._sets import PredictionSets
from wager.predictions.files._classes import class_texts, plain_texts
from wager.predictions.files._columns import Check, within_sql
from wager.predictions.files._count import PackedCell, count_packed
from wager.predictions.files._count_task import CountTask
from wager.predictions.files._counts import FileCounts
from wager.predictions.files._outcomes import SetOutcome, packed_outcome
from wager.predictions.files._output import Columns
from wager.predictions.files.forms._form import ClassColumns, Rows
from wager.predictions.files.forms._mask import MAX_BITS

__all__ = ["IndicatorForm"]

_WRONG = 2  # replaces a cell that is neither 0 nor 1


@dataclass(frozen=True)
class IndicatorForm(ClassColumns):
    """Sets as one 0/1 column per class."""

    name = "in"
    heading = "in:"
    usage = "in:<class>"
    kind = "sets"
    argument = "sets"
    is_set_valued = True

    def cells(self, classes: Array) -> dict[str, str]:
        return {
            column.key: f"CAST(coalesce({column.flag_sql()}, {_WRONG}) AS UTINYINT)"
            for column in self.columns.values()
        }

    def checks(self, classes: Array | None) -> Iterator[Check]:
        wanted = "write 1 if the set contains the class and 0 if not"
        for column in self.columns.values():
            yield Check(column, within_sql(column.flag_sql(), 0, 1), wanted)

    def assemble(self, rows: Rows) -> PredictionSets:
        flags = self.side_by_side(rows, self.columns)
        if flags.max(initial=0) > 1:
            rows.refuse()
        packed = PackedRows(pack(flags.astype(bool)), len(rows.classes))
        return PredictionSets(packed, rows.classes)

    def count(self, task: CountTask, classes: Array | None) -> FileCounts:
        assert classes is not None
        return count_packed(
            task,
            classes,
            self._packed(classes),
            lambda: self.refuse(task.session, task.layout, classes),
        )

    def outcome(self, task: CountTask, classes: Array) -> SetOutcome:
        return packed_outcome(self._packed(classes), task.session.source.prefix)

    def _packed(self, classes: Array) -> PackedCell:
        return self._as_mask(classes) if len(classes) <= MAX_BITS else self._as_list(classes)

    def _as_mask(self, classes: Array) -> PackedCell:
        flags = self._flags(classes)
        mask = " + ".join(f"CAST({flag} AS UBIGINT) * {1 << i}" for i, flag in enumerate(flags))
        unsure = [column.flag_sql() for column in self.columns.values() if column.may_exceed_one]
        if unsure:
            mask = f"CASE WHEN greatest(0, {', '.join(unsure)}) <= 1 THEN {mask} END"
        return PackedCell.of_mask(mask)

    def _as_list(self, classes: Array) -> PackedCell:
        flags = f"CAST([{', '.join(self._flags(classes))}] AS UTINYINT[])"
        right = (
            f"list_aggregate({{predicted}}, 'count') = {len(classes)} AND "
            "list_max({predicted}) <= 1"
        )
        return PackedCell(
            flags,
            f"CASE WHEN {right} THEN CAST(list_sum({{predicted}}) AS INTEGER) END",
            "{predicted}[{code} + 1]",
        )

    def _flags(self, classes: Array) -> list[str]:
        """The 0/1 columns in the order of the classes; 0 if a class has no column."""
        flags = {label: column.flag_sql() for label, column in self.columns.items()}
        return [flags.get(text, "0") for text in class_texts(classes)]

    @classmethod
    def write(cls, predictions: Any, classes: ArrayLike | None, truth: Array) -> Columns:
        sets = sets_to_write(predictions, classes, truth)
        flags = sets.to_indicator().astype(np.uint8)
        return cls.class_columns(cls.heading, flags, plain_texts(sets.classes))
