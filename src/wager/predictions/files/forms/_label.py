"""The form ``y_pred``: one predicted label per row."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import BLANKS
from wager._typing import Array, ArrayLike
from wager.predictions._set_rows import rows_of_codes
from wager.predictions._sets import PredictionSets
from wager.predictions.files._classes import label_column
from wager.predictions.files._columns import Check
from wager.predictions.files._count_members import ListedCell
from wager.predictions.files._output import Columns
from wager.predictions.files.forms._form import Rows
from wager.predictions.files.forms._written import WrittenForm

__all__ = ["LabelForm"]


@dataclass(frozen=True)
class LabelForm(WrittenForm):
    """One label per row, read as a set with one class."""

    name = "label"
    heading = "y_pred"
    usage = "y_pred"
    argument = "y_pred"

    def cell_sql(self) -> str:
        return self.column.label_sql()

    @staticmethod
    def labels_of(cell: Any) -> Collection[str]:
        return {cell.strip(BLANKS)}

    def listed_cell(self) -> ListedCell:
        return ListedCell.of_label(self.cell_sql())

    def label_cells(self) -> dict[str, str]:
        return {"predicted": self.column.label_sql()}

    def checks(self, classes: Array | None) -> Iterator[Check]:
        yield self.column.label_check()

    def assemble(self, rows: Rows) -> PredictionSets:
        codes = np.asarray(rows.columns["predicted"])
        if (codes < 0).any():
            rows.refuse()
        sets = rows_of_codes(codes, np.ones_like(codes), len(rows.classes))
        return PredictionSets(sets, rows.classes)

    @classmethod
    def write(cls, predictions: Any, classes: ArrayLike | None, truth: Array) -> Columns:
        return {cls.heading: label_column(predictions, "y_pred")}
