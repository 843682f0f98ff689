"""The form ``set``: the labels of each set, joined by ``|`` or as a list."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import BLANKS
from wager._typing import Array, ArrayLike
from wager.predictions._dispatch import as_sets
from wager.predictions._set_rows import SetRows, rows_of_codes
from wager.predictions._sets import PredictionSets
from wager.predictions._strings import join_labels, split_labels
from wager.predictions.files._classes import class_texts, plain_labels
from wager.predictions.files._columns import Check
from wager.predictions.files._missing import RequiredColumn
from wager.predictions.files._output import Columns
from wager.predictions.files.forms._form import Rows, texts
from wager.predictions.files.forms._written import WrittenForm

__all__ = ["ListForm", "SetForm"]


@dataclass(frozen=True)
class SetForm(WrittenForm):
    """The labels of each set, joined by ``|``, or in a list column."""

    name = "set"
    heading = "set"
    usage = "set"
    argument = "sets"
    is_set_valued = True

    def required(self) -> Iterator[RequiredColumn]:
        yield RequiredColumn(self.column, self.column.missing_sql(may_be_empty=True), is_label=True)

    def cell_sql(self) -> str:
        return self.column.members_sql()

    @staticmethod
    def labels_of(cell: Any) -> Collection[str]:
        members = split_labels(cell.strip(BLANKS)) if isinstance(cell, str) else cell
        return {member.strip(BLANKS) for member in members}

    def cells(self, classes: Array) -> dict[str, str]:
        return {"predicted": self.cell_sql()}

    def checks(self, classes: Array | None) -> Iterator[Check]:
        wanted = "join the labels by |, and write the empty set as empty text or an empty list"
        yield Check(self.column, self.cell_sql(), wanted)

    def assemble(self, rows: Rows) -> PredictionSets:
        sets = self._sets(texts(rows.columns["predicted"]), rows.classes)
        if sets is None:
            rows.refuse()
        return PredictionSets(sets, rows.classes)

    def _sets(self, cells: Array, classes: Array) -> SetRows | None:
        """Written sets as codes, or None if one of them is wrong."""
        code = {text: place for place, text in enumerate(class_texts(classes))}
        number: dict[Any, int] = {}  # each distinct set is taken apart once
        which = np.empty(len(cells), dtype=np.intp)
        for row, cell in enumerate(cells):
            if cell is None:
                return None
            key = cell if isinstance(cell, str) else tuple(cell)
            which[row] = number.setdefault(key, len(number))
        members: list[int] = []
        lengths = np.empty(len(number), dtype=np.intp)
        for row, cell in enumerate(number):
            labels = self.labels_of(cell)
            lengths[row] = len(labels)
            members += [code.get(label, -1) for label in labels]
        codes = np.array(members, dtype=np.intp)
        if codes.min(initial=0) < 0:
            return None
        return rows_of_codes(codes, lengths, len(classes)).take(which)

    @classmethod
    def write(cls, predictions: Any, classes: ArrayLike | None, truth: Array) -> Columns:
        sets = as_sets(predictions, classes)
        labels = plain_labels(sets.classes, "classes")
        column = np.empty(len(sets), dtype=object)
        for row, members in enumerate(PredictionSets(sets.rows, labels).to_lists()):
            column[row] = cls._cell(members)
        return {cls.heading: column}

    @staticmethod
    def _cell(members: list[Any]) -> str | list[Any]:
        return join_labels(map(str, members))


@dataclass(frozen=True)
class ListForm(SetForm):
    """Sets written as a list column; `SetForm` reads both."""

    name = "list"

    @staticmethod
    def _cell(members: list[Any]) -> str | list[Any]:
        return members
