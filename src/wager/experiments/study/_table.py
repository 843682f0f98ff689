"""Tables of a study's report, as Markdown and as CSV files."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from wager._atomic import replacing
from wager._tables import counted, format_number
from wager._visible import safe_cell, visible

__all__ = ["StudyTable", "folded", "slug"]

LONG = 12  # rows; a longer table is folded away on a page
WIDE = 105  # characters; so is one that a laptop's page cannot show
LENGTHY = 220  # characters; the end of a longer text in a cell is folded away
SHOWN = 170  # characters of it that are not, at most
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
# what begins as a formula and is none: a dash, "+0.02 (+0.01 to +0.03)"
_SIGNED = re.compile(r"[-+]((\d[\d.]*|inf)( [\w .,%()+-]*)?)?")
_LINK = re.compile(r"\]\(")


@dataclass(frozen=True, repr=False)
class StudyTable:
    """A table of a report; with ``shown=False`` it is only written to a file.

    Attributes
    ----------
    title : str
        The heading.
    headers : tuple of str
        The names of the columns.
    rows : sequence of sequences
        The cells.
    shown : bool
        Whether reports show the table.
    digits : int
        The number of decimals.
    """

    title: str
    headers: tuple[str, ...]
    rows: Sequence[Sequence[Any]]
    shown: bool = True
    digits: int = 2

    def __repr__(self) -> str:
        rows = counted(len(self.rows), "row")
        return f"StudyTable({self.title!r}, {rows} of {', '.join(self.headers)})"

    def _repr_markdown_(self) -> str:
        return self.markdown()

    def markdown(self, fold: bool = False) -> str:
        """The table in Markdown; text is aligned left and numbers right.

        With ``fold`` the ends of long texts are folded away.
        """
        sides = ["---" if _is_text(self.rows, j) else "---:" for j in range(len(self.headers))]
        shown = [[plain(format_number(cell, self.digits)) for cell in row] for row in self.rows]
        if fold:
            shown = [[folded(cell) for cell in row] for row in shown]
        return markdown_rows([[plain(name) for name in self.headers], sides, *shown])

    def section(self, collapse: bool = False) -> str:
        """The table below its title; a long or wide one is folded away if ``collapse``."""
        if collapse and (len(self.rows) > LONG or self._least_width() > WIDE):
            rows = f"{self.title} ({len(self.rows)} rows)"
            opened = f"<details><summary>{escape(visible(rows))}</summary>"
            return f"{opened}\n\n{self.markdown()}\n\n</details>"
        return f"### {plain(self.title)}\n\n{self.markdown(fold=collapse)}"

    def _least_width(self) -> int:
        """The characters in a line if every column is as narrow as its longest word."""
        shown = [[format_number(cell, self.digits) for cell in row] for row in self.rows]
        cells = zip(self.headers, *shown, strict=True)
        return sum(2 + max(len(w) for c in column for w in c.split() or [""]) for column in cells)

    @property
    def file_name(self) -> str:
        """The name of the file for the table."""
        return f"{slug(self.title)}.csv"

    def csv_text(self) -> str:
        """The table as CSV, with an apostrophe before what a spreadsheet would run."""
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([_cell(name) for name in self.headers])
        writer.writerows([[_cell(cell) for cell in row] for row in self.rows])
        return file.getvalue()

    def write(self, path: Path) -> None:
        """Write the table to a CSV file."""
        with replacing(path) as draft:
            draft.write_text(self.csv_text(), encoding="utf-8", newline="")


def _is_text(rows: Sequence[Sequence[Any]], column: int) -> bool:
    return any(isinstance(row[column], str) for row in rows)


def _cell(value: Any) -> Any:
    """A number with six significant digits; NaN becomes an empty cell."""
    if isinstance(value, float | np.floating):
        return "" if isnan(value) else f"{float(value):.6g}"
    if isinstance(value, str) and not _SIGNED.fullmatch(value):
        return safe_cell(value)
    return value


def markdown_rows(rows: Sequence[Sequence[str]]) -> str:
    """The lines of a table in Markdown, from the cells as they are written there."""
    shown = [[cell.replace("|", r"\|") for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in shown)


def plain(text: str) -> str:
    r"""A text in one line, in which names of data sets, learners and classes are only text.

    Control codes are spelt out, and neither HTML nor links can begin.  Emphasis and code stay.

    Examples
    --------
    >>> print(plain("<b>a [b](c) p < 0.05"))
    &lt;b>a [b]\(c) p < 0.05
    """
    line = visible(" ".join(text.splitlines()))
    return _LINK.sub(r"]\\(", _TAG.sub("&lt;", line))


def folded(text: str) -> str:
    """A text whose end is folded away if it is long, after a clause if possible.

    Examples
    --------
    >>> folded("short")
    'short'
    >>> folded(f"ours {'1, ' * 40}in all; theirs {'2, ' * 40}in all").partition("in all; ")[2][:43]
    '<details><summary>more</summary>theirs 2, 2'
    """
    if len(text) <= LENGTHY:
        return text
    for end in ("[;.] ", ", ", " "):
        places = [m.end() for m in re.finditer(end, text[:SHOWN]) if _is_whole(text[: m.end()])]
        if places:
            shown, rest = text[: places[-1]].rstrip(), text[places[-1] :]
            return f"{shown} <details><summary>more</summary>{rest}</details>"
    return text


def _is_whole(text: str) -> bool:
    """Whether no bracket, quotation, code or emphasis is still open."""
    balanced = all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}", "“”"))
    return balanced and not any(text.count(mark) % 2 for mark in "`*$")


def slug(title: str) -> str:
    """A title as part of a file name.

    Examples
    --------
    >>> slug("Table 12, NCC"), slug("Abellán's costs")
    ('table-12-ncc', 'abellan-s-costs')
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
