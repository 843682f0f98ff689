"""Rows that lack a value: how many there are, which is the first, and the SQL that leaves them out.

A cell is missing if it is empty, or one of the words in `wager._tables.MISSING_WORDS` that is not
a declared class.  An empty cell of the column ``set`` is the empty set instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from wager._visible import in_one_line
from wager.predictions.files._columns import FileColumn
from wager.predictions.files._source import FileSession

__all__ = ["MissingRows", "RequiredColumn", "count_missing", "find_missing", "missing_sql"]

_MOST_COLUMNS = 50  # columns whose missing cells are counted one by one


class RequiredColumn(NamedTuple):
    """A column in which every row needs a value, and SQL that is true where it lacks one."""

    column: FileColumn
    missing: str
    is_label: bool = False  # whether the values are classes


@dataclass(frozen=True)
class MissingRows:
    """The rows that lack a value.

    Attributes
    ----------
    n, n_rows : int
        How many rows lack a value, and how many rows there are.
    first : int
        The number of the first such row, from 1.
    columns : dict of str to int
        The number of missing cells by column; empty if there are very many columns.
    cell : str
        The missing cell of the first row: its column, and its text if it has one.
    is_label : bool
        Whether the values of that column are classes.
    """

    n: int
    n_rows: int
    first: int
    columns: dict[str, int]
    cell: tuple[str, str | None]
    is_label: bool = False

    def __add__(self, other: MissingRows) -> MissingRows:
        """Those of two parts of a file, which may have none."""
        first = min(
            (one for one in (self, other) if one.n), key=lambda one: one.first, default=self
        )
        columns = {
            name: self.columns.get(name, 0) + other.columns.get(name, 0) for name in first.columns
        }
        n, n_rows = self.n + other.n, self.n_rows + other.n_rows
        return replace(first, n=n, n_rows=n_rows, columns=columns)

    def sentence(self, words: Sequence[str]) -> str:
        """What is wrong and what to do; `words` are those that mean missing."""
        name, text = in_one_line(self.cell[0]), self.cell[1]
        shown = "" if text is None or text not in words else f", which is {text!r}"
        place = f"{name} in row {self.first}" if len(self._lacking) != 1 else f"row {self.first}"
        them, these = ("it", "this row") if self.n == 1 else ("them", "these rows")
        cure = f'fill {them} in, or leave {these} out with na="drop" (--na drop)'
        if shown and self.is_label:
            cure += f"; if {text!r} is a class, list it in classes= (--classes)"
        return f"{self._share} {self._lack}; the first is {place}{shown}: {cure}"

    def left_out(self) -> str:
        """That the rows are left out."""
        what = "it has" if self.n == 1 else "they have"
        return (
            f"{self._share} {'is' if self.n == 1 else 'are'} left out because {what} "
            f"{self._lack.split(' ', 1)[1]}"
        )

    @property
    def _lacking(self) -> dict[str, int]:
        return {name: n for name, n in self.columns.items() if n}

    @property
    def _share(self) -> str:
        return f"{self.n:,} of {self.n_rows:,} row{'s' if self.n_rows > 1 else ''}"

    @property
    def _lack(self) -> str:
        verb = "has" if self.n == 1 else "have"
        if len(self._lacking) == 1:
            return f"{verb} no {in_one_line(next(iter(self._lacking)))}"
        counted = ", ".join(f"{in_one_line(name)}: {n:,}" for name, n in self._lacking.items())
        return f"{verb} missing values ({counted})" if counted else f"{verb} missing values"


def missing_sql(required: Sequence[RequiredColumn]) -> str:
    """SQL that is 1 for a row that lacks a value and 0 for others.

    As a number, because DuckDB plans a condition of hundreds of parts for minutes.
    """
    return f"(CASE WHEN {' OR '.join(each.missing for each in required)} THEN 1 ELSE 0 END)"


def find_missing(session: FileSession, required: Sequence[RequiredColumn]) -> MissingRows | None:
    """The rows that lack a value in one of the columns; None if there is none."""
    found = count_missing(session, required)
    return found if found.n else None


def count_missing(session: FileSession, required: Sequence[RequiredColumn]) -> MissingRows:
    """The rows that lack a value in one of the columns, of which there may be none."""
    lacks = missing_sql(required)
    n_rows, n, first = session.ask(
        f"SELECT count(*), sum({lacks}), min(CASE {lacks} WHEN 1 THEN n END) FROM "
        f"{session.numbered}"
    ).fetchall()[0]
    if not n:
        return MissingRows(0, n_rows, 0, {}, ("", None))
    columns = _count_by_column(session, required) if len(required) <= _MOST_COLUMNS else {}
    cell, is_label = _first_cell(session, required, first)
    return MissingRows(n, n_rows, first, columns, cell, is_label)


def _count_by_column(session: FileSession, required: Sequence[RequiredColumn]) -> dict[str, int]:
    """The number of missing cells of every column."""
    sums = ", ".join(f"count_if({each.missing})" for each in required)
    counts = session.ask(f"SELECT {sums} FROM {session.table}").fetchall()[0]
    names = [each.column.name for each in required]
    return dict(zip(names, counts, strict=True))


def _first_cell(
    session: FileSession, required: Sequence[RequiredColumn], row: int
) -> tuple[tuple[str, str | None], bool]:
    """The first missing cell of a row, its column and its text; and whether it is for a class."""
    for start in range(0, len(required), _MOST_COLUMNS):
        part = required[start : start + _MOST_COLUMNS]
        cells = ", ".join(f"{each.missing}, {each.column.text_sql()}" for each in part)
        found = session.ask(f"SELECT {cells} FROM {session.numbered} WHERE n = {row}").fetchall()[0]
        for each, is_missing, text in zip(part, found[::2], found[1::2], strict=True):
            if is_missing:
                return (each.column.name, text), each.is_label
    raise AssertionError("a row that lacks a value has a missing cell")
