"""The form ``class_1, p_1, ..., class_k, p_k``: the probabilities of a few classes in each row.

The classes that a row does not list share the rest of the probability evenly.  A row may list fewer
than k classes: then both cells of a pair are empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from wager._tables import BLANKS, check_classes, format_label
from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager.predictions._top_k import TopKProbabilities, align_top_k, as_top_k, find_twice, sum_rows
from wager.predictions.files._classes import class_array, plain_labels, refuse_mixed_kinds
from wager.predictions.files._columns import Check, FileColumn, within_sql
from wager.predictions.files._count_task import CountTask
from wager.predictions.files._database import quoted
from wager.predictions.files._faults import refuse_missing, refuse_rows, refuse_unknown_truth
from wager.predictions.files._layout import Layout
from wager.predictions.files._missing import RequiredColumn
from wager.predictions.files._output import Columns
from wager.predictions.files._source import FileSession, FileSource
from wager.predictions.files.forms._form import Form, Rows
from wager.predictions.files.forms._probability import COMPUTED, PRINTED

__all__ = ["TopKForm"]

_MISSING = -2  # the code of a label that is missing
_NUMBERS = 10_000_000  # cells that are read together, at most
_SLACK = 1e-6  # what exceeds 1 by less is rounded down to it


class _Pair(NamedTuple):
    """The columns of a class and of its probability."""

    label: FileColumn
    proba: FileColumn

    @property
    def keys(self) -> tuple[str, str]:
        """Names for the label and the probability, in SQL."""
        return f"{self.label.key}l", self.proba.key

    def checks(self) -> Iterator[Check]:
        """What must hold in every row."""
        label, proba = self
        no_label, no_proba = label.missing_sql(), proba.missing_sql()
        yield Check(
            label,
            f"CASE WHEN {no_label} AND NOT {no_proba} THEN NULL ELSE true END",
            f"name the class that has the probability in {proba.shown}, or leave both empty",
        )
        yield Check(
            proba,
            f"CASE WHEN {no_proba} AND NOT {no_label} THEN NULL ELSE true END",
            f"give the probability of the class in {label.shown}, or leave both empty",
        )
        known = label.label_check()
        yield replace(known, sql=f"CASE WHEN {no_label} THEN '' ELSE {known.sql} END")
        within = within_sql(proba.number_sql(), 0.0, 1 + _SLACK)
        wanted = "a probability is a number from 0 to 1"
        yield Check(proba, f"CASE WHEN {no_proba} THEN 0.0 ELSE {within} END", wanted)


@dataclass(frozen=True)
class TopKForm(Form):
    """The most probable classes of each row, with their probabilities."""

    name = "top-k"
    heading = "class_1"
    usage = "class_1 with p_1"
    kind = "proba"
    argument = "proba"

    path: Path
    pairs: tuple[_Pair, ...]

    # The columns

    @classmethod
    def is_stated(cls, source: FileSource) -> bool:
        labels, proba = _numbered(source, "class_"), _numbered(source, "p_")
        prefix = source.called.names.get("p:")  # p_1 may be the probability of the class 1
        is_taken = prefix is not None and 1 in proba and proba[1].name.startswith(prefix)
        return 1 in labels and 1 in proba and not is_taken

    @classmethod
    def find(cls, source: FileSource) -> Form:
        labels, proba = _numbered(source, "class_"), _numbered(source, "p_")
        for number in sorted(labels.keys() ^ proba.keys()):
            have, lack = ("class", "p") if number in labels else ("p", "class")
            raise ValueError(
                f"{source.path}: there is a column {have}_{number} but no {lack}_{number}: every "
                "listed class needs both"
            )
        _refuse_numbering(source, labels)
        pairs = tuple(_Pair(labels[number], proba[number]) for number in sorted(labels))
        return cls(source.path, pairs)

    @property
    def n_columns(self) -> int:
        return 2 * len(self.pairs)

    def rows_at_once(self, numbers: int, n_classes: int) -> int:
        # what is counted for each class should not take longer than the rows
        wanted = max(numbers // self.n_columns, 10 * n_classes)
        return max(1, min(wanted, max(numbers, _NUMBERS) // self.n_columns))

    def required(self) -> Iterator[RequiredColumn]:
        for column, is_label in zip(self.pairs[0], (True, False), strict=True):
            yield RequiredColumn(column, column.missing_sql(), is_label)

    def find_classes(self, task: CountTask) -> Array:
        """All labels of ``y_true`` and of the columns of classes."""
        truth = task.layout.truth
        columns = [truth, *(pair.label for pair in self.pairs)]
        cells = ", ".join(column.label_sql() for column in columns)
        flags = ", ".join(str(column is truth) for column in columns)
        rows = f"(SELECT unnest([{cells}]) AS label, unnest([{flags}]) AS is_true FROM "
        found = task.session.ask(
            f"SELECT label, bool_or(is_true), bool_and(is_true) FROM {rows}{task.session.table}) "
            "GROUP BY label"
        ).fetchall()
        texts = [("" if label is None else label.strip(BLANKS), *flags) for label, *flags in found]
        missing = {"", *truth.missing}
        truths = {text for text, is_true, _ in texts if is_true} - missing
        predicted = {text for text, _, only_true in texts if not only_true} - missing
        if not task.is_part:
            refuse_mixed_kinds(self.path, self.pairs[0].label.shown, truths, predicted)
        return class_array(truths | predicted, truth)

    # From rows to arrays

    def label_cells(self) -> dict[str, str]:
        return {pair.keys[0]: pair.label.label_sql() for pair in self.pairs}

    def missing_code(self, name: str, label: str) -> str:
        if name not in self.label_cells():
            return super().missing_code(name, label)
        return f"CASE WHEN {_missing_sql(label, self.pairs[0].label)} THEN {_MISSING} END"

    def cells(self, classes: Array) -> dict[str, str]:
        """Probabilities: NaN where one is missing, and -1 where it is not a number."""
        return {
            pair.keys[1]: f"coalesce({pair.proba.number_sql()}, CASE WHEN "
            f"{_missing_number_sql(pair.proba)} THEN CAST('nan' AS DOUBLE) ELSE -1.0 END)"
            for pair in self.pairs
        }

    def checks(self, classes: Array | None) -> Iterator[Check]:
        for pair in self.pairs:
            yield from pair.checks()

    def refuse(self, session: FileSession, layout: Layout, classes: Array | None) -> NoReturn:
        refuse_missing(session, [*layout.required(), *self.required()])
        if classes is not None:
            refuse_unknown_truth(session, layout.truth, classes)
            for pair in self.pairs:
                refuse_unknown_truth(session, pair.label, classes, or_missing=True)
        refuse_rows(session, [*layout.checks(), *self.checks(classes)])

    def assemble(self, rows: Rows) -> TopKProbabilities:
        codes, proba = (
            np.stack([np.asarray(rows.columns[key]) for key in same], axis=1)
            for same in zip(*(pair.keys for pair in self.pairs), strict=True)
        )
        listed: Bools = codes >= 0
        right = np.where(listed, (proba >= 0) & (proba <= 1 + _SLACK), np.isnan(proba))
        if not (right & (codes != -1)).all() or not listed[:, 0].all():
            rows.refuse()
        lengths = listed.sum(axis=1)
        ends = np.zeros(len(codes) + 1, dtype=np.intp)
        np.cumsum(lengths, out=ends[1:])
        is_whole = lengths.min() == len(self.pairs)
        flat = codes.ravel() if is_whole else codes[listed]
        values = np.minimum(proba.ravel() if is_whole else proba[listed], 1.0)
        self._refuse_twice(rows, flat, ends, listed)
        values, left = self._scaled(rows, values, ends)
        return TopKProbabilities.of_codes(flat.astype(np.int32), values, ends, left, rows.classes)

    def _refuse_twice(self, rows: Rows, codes: Ints, ends: Ints, listed: Bools) -> None:
        """Raise if a row lists a class twice."""
        twice = find_twice(codes, ends)
        if twice is None:
            return
        row, code = twice
        places = np.flatnonzero(listed[row])[codes[ends[row] : ends[row + 1]] == code]
        first, second = (self.pairs[place].label.shown for place in places[:2])
        raise ValueError(
            f"{self.path}: {first} and {second} are both {format_label(rows.classes[code])} in row "
            f"{rows.number_of(row)}: list each class once"
        )

    def _scaled(self, rows: Rows, values: Floats, ends: Ints) -> tuple[Floats, Floats]:
        """Probabilities, and what each row leaves to the classes that it does not list.

        Sums that differ from 1 by rounding in print are made 1, as for ``p:`` columns, if they
        exceed it, or if the row lists all classes.
        """
        sums, lengths = sum_rows(values, ends), np.diff(ends)
        complete = lengths == len(rows.classes)
        above = sums - 1
        wrong = (above > PRINTED * lengths) | (complete & (-above > PRINTED * lengths))
        if wrong.any():
            row = int(wrong.argmax())
            names = f"{self.pairs[0].proba.shown} to {self.pairs[-1].proba.shown}"
            what = "must not sum to more than 1"
            if sums[row] < 1:
                what = (
                    f"must sum to 1 in a row that lists all {len(rows.classes)} classes; declare "
                    "further ones with classes= (--classes)"
                )
            raise ValueError(
                f"{self.path}: {names} of row {rows.number_of(row)} sum to {sums[row]:.6g}: "
                f"probabilities {what}"
            )
        divided = (above > COMPUTED) | (complete & (np.abs(above) > COMPUTED))
        if divided.any():
            values = values / np.repeat(np.where(divided, sums, 1.0), lengths)
        left = np.where(divided | complete, 0.0, np.maximum(-above, 0.0))
        left[left <= 4 * np.finfo(np.float64).eps * np.maximum(lengths, 1)] = 0.0
        return values, left

    # Writing

    @classmethod
    def write(cls, predictions: Any, classes: ArrayLike | None, truth: Array) -> Columns:
        proba = as_top_k(predictions)
        assert proba is not None
        if classes is not None:
            proba = proba.with_classes(check_classes(classes))
        elif proba.source == "columns":
            proba = align_top_k(truth, proba, None)[1]
        labels = plain_labels(proba.classes, "classes")
        width = max(int(proba.n_listed.max()), 1)
        codes, values = np.full((len(proba), width), -1), np.full((len(proba), width), np.nan)
        for block in proba.blocks():
            ordered, numbers = block.descending()
            codes[block.rows, : ordered.shape[1]] = ordered
            values[block.rows, : ordered.shape[1]] = np.where(ordered < 0, np.nan, numbers)
        columns: Columns = {}
        for place in range(width):
            columns[f"class_{place + 1}"] = _labels(labels, codes[:, place])
            columns[f"p_{place + 1}"] = values[:, place]
        return columns


def _numbered(source: FileSource, role: str) -> dict[int, FileColumn]:
    """The columns of a role such as ``class_`` by number."""
    found = source.class_columns(role)
    return {
        int(number): column
        for number, column in found.items()
        if number.isascii() and number.isdigit() and number == str(int(number))
    }


def _missing_number_sql(column: FileColumn) -> str:
    if column.format in ("csv", "json") or column.is_text:
        return _missing_sql(column.text_sql(), column)
    return column.missing_sql()


def _missing_sql(text: str, column: FileColumn) -> str:
    """Whether a cell is missing.

    A regular expression, since DuckDB would remove blanks from the cells of all rows before it
    compares those that are not numbers or known labels.
    """
    pattern = f"[{BLANKS}]*({'|'.join(map(re.escape, column.missing))}|)[{BLANKS}]*"
    return f"({text} IS NULL OR regexp_full_match({text}, {quoted(pattern)}))"


def _refuse_numbering(source: FileSource, labels: dict[int, FileColumn]) -> None:
    """Raise unless the pairs are numbered 1, 2, 3, ...: a column that is passed over is a loss."""
    for role in ("class_", "p_"):
        for written, column in source.class_columns(role).items():
            if written.isascii() and written.isdigit() and written.startswith("0"):
                raise ValueError(
                    f"{source.path}: the column {column.shown} is not numbered as 1, 2, 3, ...: "
                    "number the listed classes from 1, without leading zeros"
                )
    for place, number in enumerate(sorted(labels), start=1):
        if number != place:
            raise ValueError(
                f"{source.path}: there is a column {labels[number].shown} but none with the number "
                f"{place}: number the listed classes 1, 2, 3, ... without gaps"
            )


def _labels(labels: Array, codes: Ints) -> Array:
    """The labels of a column; text with None where no class is listed."""
    if codes.min(initial=0) >= 0:
        return labels[codes]
    texts = np.array([*(str(label) for label in labels.tolist()), None], dtype=object)
    return texts[codes]
