"""The form ``set``: the labels of each set, joined by ``|`` or as a list."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import BLANKS, count_joined, number_joined
from wager._typing import Array, ArrayLike, Ints
from wager.predictions._dispatch import sets_to_write
from wager.predictions._set_rows import SetRows, rows_of_codes
from wager.predictions._sets import PredictionSets
from wager.predictions._strings import join_labels, split_labels
from wager.predictions.files._classes import class_texts, plain_labels
from wager.predictions.files._columns import Check
from wager.predictions.files._count_members import ListedCell
from wager.predictions.files._missing import RequiredColumn
from wager.predictions.files._output import Columns
from wager.predictions.files.forms._form import Rows, texts
from wager.predictions.files.forms._written import WrittenForm

__all__ = ["ListForm", "SetForm"]

_MANY = 1 << 12  # distinct sets that are taken apart together
_SAMPLE = 1 << 12  # sets that show whether most of them are different


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

    def listed_cell(self) -> ListedCell:
        return ListedCell.of_set(self.cell_sql(), is_list=self.column.is_list)

    def cells(self, classes: Array) -> dict[str, str]:
        cell = self.cell_sql()
        return {"predicted": _joined_sql(cell) if self.column.is_list else cell}

    def checks(self, classes: Array | None) -> Iterator[Check]:
        wanted = "join the labels by |, and write the empty set as empty text or an empty list"
        yield Check(self.column, self.cell_sql(), wanted)

    def assemble(self, rows: Rows) -> PredictionSets:
        sets = self._sets(texts(rows.columns["predicted"]), rows.classes)
        if sets is None:
            rows.refuse()
        return PredictionSets(sets, rows.classes)

    def _sets(self, cells: Array, classes: Array) -> SetRows | None:
        """Sets written as text as codes, or None if one of them is wrong."""
        written = cells.tolist()
        if None in written:
            return None
        code = {text: place for place, text in enumerate(class_texts(classes))}
        which = None
        if len(set(written[:_SAMPLE])) < _SAMPLE // 2:  # each distinct set is taken apart once
            number = {text: place for place, text in enumerate(dict.fromkeys(written))}
            which = np.fromiter(map(number.__getitem__, written), np.intp, len(written))
            written = list(number)
        codes, lengths = self._codes(written, code)
        if codes.min(initial=0) < 0:
            return None
        sets = rows_of_codes(codes, lengths, len(classes))
        return sets if which is None else sets.take(which)

    def _codes(self, cells: list[str], code: Mapping[str, int]) -> tuple[Ints, Ints]:
        """The codes of the labels of all cells end to end, -1 if unknown, and their numbers."""
        many = _number_labels(cells) if len(cells) > _MANY else None
        if many is not None:
            numbers, labels, lengths = many
            of_label = [code.get(label, -1) for label in labels]
            return np.array(of_label, dtype=np.intp)[numbers], lengths
        members = [self.labels_of(cell) for cell in cells]
        lengths = np.fromiter(map(len, members), np.intp, len(members))
        codes = [code.get(label, -1) for labels in members for label in labels]
        return np.array(codes, dtype=np.intp), lengths

    @classmethod
    def write(cls, predictions: Any, classes: ArrayLike | None, truth: Array) -> Columns:
        sets = sets_to_write(predictions, classes, truth)
        labels = plain_labels(sets.classes, "classes")
        column = np.empty(len(sets), dtype=object)
        for row, members in enumerate(PredictionSets(sets.rows, labels).to_lists()):
            column[row] = cls._cell(members)
        return {cls.heading: column}

    @staticmethod
    def _cell(members: list[Any]) -> str | list[Any]:
        return join_labels(map(str, members))


def _joined_sql(cell: str) -> str:
    """A list of labels as the text that `join_labels` makes of it."""
    text, n = f"array_to_string({cell}, '|')", f"len({cell})"
    is_plain = (
        f"length({text}) - length(replace({text}, '|', '')) = {n} - 1 AND "
        f"NOT contains({text}, '\\') AND {text} <> ''"
    )
    escaped = rf"[regexp_replace(x, '(\\*)\|', '\1\1\\|', 'g') FOR x IN {cell}]"
    ended = rf"[regexp_replace(x, '(\\+)$', '\1\1') FOR x IN {escaped}[1:{n} - 1]]"
    every = f"array_to_string(list_concat({ended}, {escaped}[{n}:{n}]), '|')"
    return (
        f"CASE WHEN {n} = 0 THEN '' "  # DuckDB 1.4 joins no labels to NULL
        f"WHEN {is_plain} THEN {text} WHEN {text} = '' THEN '|' ELSE {every} END"
    )


def _number_labels(cells: list[str]) -> tuple[Ints, list[str], Ints] | None:
    """The labels of many cells end to end as numbers, the distinct ones, and their number by cell.

    None if a backslash may escape a separator, or if a label is empty.
    """
    joined = "|".join(filter(None, cells))
    if not joined or "\\|" in joined:
        return None
    found = number_joined(joined, "|")
    labels = [] if found is None else [label.strip(BLANKS) for label in found[1]]
    if found is None or "" in labels:
        return None
    return found[0], labels, count_joined(cells, "|")


@dataclass(frozen=True)
class ListForm(SetForm):
    """Sets written as a list column; `SetForm` reads both."""

    name = "list"

    @staticmethod
    def _cell(members: list[Any]) -> str | list[Any]:
        return members
