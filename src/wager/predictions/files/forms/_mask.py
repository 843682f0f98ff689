"""The form ``mask``: each set as an unsigned integer, in which bit i is class i."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._typing import Array, ArrayLike
from wager.predictions._dispatch import as_sets
from wager.predictions._set_rows import PackedRows
from wager.predictions._sets import PredictionSets
from wager.predictions.files._classes import plain_labels
from wager.predictions.files._columns import Check, FileColumn
from wager.predictions.files._count import PackedCell, count_packed
from wager.predictions.files._count_task import CountTask
from wager.predictions.files._counts import FileCounts
from wager.predictions.files._outcomes import SetOutcome, packed_outcome
from wager.predictions.files._output import Columns
from wager.predictions.files.forms._form import OneColumn, Rows

__all__ = ["MAX_BITS", "MaskForm"]

MAX_BITS = 64  # of a mask


@dataclass(frozen=True)
class MaskForm(OneColumn):
    """Each set as a bit mask of at most 64 classes."""

    name = "mask"
    heading = "mask"
    usage = "mask"
    kind = "sets"
    argument = "sets"
    is_set_valued = True

    def known_classes(self, declared: Array | None, truth: FileColumn) -> Array | None:
        if declared is None:
            raise ValueError(
                f"{self.path}: a mask does not name its classes: list them in the order of the "
                "bits with classes= (--classes a,b,c)"
            )
        if len(declared) > MAX_BITS:
            raise ValueError(
                f"{self.path}: a mask has bits for {MAX_BITS} classes, but {len(declared)} are "
                "declared: state the predictions in a column set or in columns in:<class>"
            )
        return declared

    def cells(self, classes: Array) -> dict[str, str]:
        mask = self.column.mask_sql()
        right = f"coalesce(({mask}) <= {2 ** len(classes) - 1}, false)"
        return {"predicted": f"coalesce({mask}, 0)", "right": right}

    def checks(self, classes: Array | None) -> Iterator[Check]:
        assert classes is not None
        top = 2 ** len(classes) - 1
        wanted = f"a mask of {len(classes)} classes is a whole number from 0 to {top}"
        sql = f"CASE WHEN ({self.column.mask_sql()}) <= {top} THEN true END"
        yield Check(self.column, sql, wanted)

    def assemble(self, rows: Rows) -> PredictionSets:
        if not np.asarray(rows.columns["right"]).all():
            rows.refuse()
        words = np.asarray(rows.columns["predicted"]).astype(np.uint64)[:, None]
        return PredictionSets(PackedRows(words, len(rows.classes)), rows.classes)

    def count(self, task: CountTask, classes: Array | None) -> FileCounts:
        assert classes is not None
        packed = PackedCell.of_mask(self.column.mask_sql())
        return count_packed(
            task, classes, packed, lambda: self.refuse(task.session, task.layout, classes)
        )

    def outcome(self, task: CountTask, classes: Array) -> SetOutcome:
        packed = PackedCell.of_mask(self.column.mask_sql())
        return packed_outcome(packed, task.session.source.prefix)

    @classmethod
    def write(cls, predictions: Any, classes: ArrayLike | None, truth: Array) -> Columns:
        sets = as_sets(predictions, classes)
        if len(sets.classes) > MAX_BITS:
            raise ValueError(
                f"a mask has bits for {MAX_BITS} classes, but there are {len(sets.classes)}: use "
                "form='set'"
            )
        plain_labels(sets.classes, "classes")  # refuses names that the true classes cannot have
        return {cls.heading: sets.words[:, 0]}
