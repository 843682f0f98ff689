"""Rows that lack a value: how many there are, which is the first, and the SQL that leaves them out.

A cell is missing if it is empty, or one of the words in `wager._tables.MISSING_WORDS` that is not
a declared class.  An empty cell of the column ``set`` is the empty set instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from wager.predictions.files._columns import FileColumn
from wager.predictions.files._source import FileSession

__all__ = ["MissingRows", "RequiredColumn", "find_missing", "missing_sql"]

_MOST_COLUMNS = 50  # columns whose missing cells are counted one by one


class RequiredColumn(NamedTuple):
    """A column in which every row needs a value, and SQL that is true where it lacks one."""

    column: FileColumn
    missing: str


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
    """

    n: int
    n_rows: int
    first: int
    columns: dict[str, int]
    cell: tuple[str, str | None]

    def sentence(self, words: Sequence[str]) -> str:
        """What is wrong and what to do; `words` are those that mean missing."""
        name, text = self.cell
        shown = "" if text is None or text not in words else f", which is {text!r}"
        place = f"{name} in row {self.first}" if len(self.columns) != 1 else f"row {self.first}"
        cure = 'fill them in, or leave these rows out with na="drop" (--na drop)'
        if shown:
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
    def _share(self) -> str:
        return f"{self.n:,} of {self.n_rows:,} row{'s' if self.n_rows > 1 else ''}"

    @property
    def _lack(self) -> str:
        verb = "has" if self.n == 1 else "have"
        if len(self.columns) == 1:
            return f"{verb} no {next(iter(self.columns))}"
        counted = ", ".join(f"{name}: {n:,}" for name, n in self.columns.items())
        return f"{verb} missing values ({counted})" if counted else f"{verb} missing values"


def missing_sql(required: Sequence[RequiredColumn]) -> str:
    """SQL that is true for a row that lacks a value."""
    return f"list_contains([{', '.join(each.missing for each in required)}], true)"


def find_missing(session: FileSession, required: Sequence[RequiredColumn]) -> MissingRows | None:
    """The rows that lack a value in one of the columns; None if there is none."""
    lacks = ", ".join(f"({each.missing})" for each in required)
    texts = ", ".join(each.column.text_sql() for each in required)
    one_by_one = len(required) <= _MOST_COLUMNS
    counts = ", ".join(
        f"count_if(lacks[{i + 1}])" for i in range(len(required) if one_by_one else 0)
    )
    found = session.ask(
        "SELECT count(*), count_if(lack), min(CASE WHEN lack THEN n END), min_by([CAST(first AS "
        f"VARCHAR), texts[first]], n) FILTER (lack), [{counts}] FROM (SELECT *, "
        "list_contains(lacks, true) AS lack, list_position(lacks, true) AS first FROM (SELECT n, "
        f"[{lacks}] AS lacks, [{texts}] AS texts FROM {session.numbered}))"
    ).fetchall()[0]
    n_rows, n, first, cell, each = found
    if not n:
        return None
    names = [column.column.name for column in required]
    columns = {name: k for name, k in zip(names, each, strict=True) if k} if one_by_one else {}
    return MissingRows(n, n_rows, first, columns, (names[int(cell[0]) - 1], cell[1]))
