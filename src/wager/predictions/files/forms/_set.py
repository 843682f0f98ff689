"""The form ``set``: the labels of each set, joined by ``|`` or as a list."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import BLANKS
from wager._typing import Array, ArrayLike, Bools
from wager.predictions._dispatch import as_sets
from wager.predictions._packing import pack
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
        indicator = self._indicator(texts(rows.columns["predicted"]), rows.classes)
        if indicator is None:
            rows.refuse()
        return PredictionSets(pack(indicator), rows.classes)

    def _indicator(self, cells: Array, classes: Array) -> Bools | None:
        """The indicator matrix of written sets, or None if one of them is wrong."""
        code = {text: place for place, text in enumerate(class_texts(classes))}
        number: dict[Any, int] = {}  # each distinct set is taken apart once
        which = np.empty(len(cells), dtype=np.intp)
        for row, cell in enumerate(cells):
            if cell is None:
                return None
            key = cell if isinstance(cell, str) else tuple(cell)
            which[row] = number.setdefault(key, len(number))
        distinct = np.zeros((len(number), len(classes)), dtype=bool)
        for row, cell in enumerate(number):
            labels = self.labels_of(cell)
            if not all(label in code for label in labels):
                return None
            distinct[row, [code[label] for label in labels]] = True
        return distinct[which]

    @classmethod
    def write(cls, predictions: Any, classes: ArrayLike | None, truth: Array) -> Columns:
        sets = as_sets(predictions, classes)
        labels = plain_labels(sets.classes, "classes")
        column = np.empty(len(sets), dtype=object)
        for row, kept in enumerate(sets.to_indicator()):
            column[row] = cls._cell(labels[kept].tolist())
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
