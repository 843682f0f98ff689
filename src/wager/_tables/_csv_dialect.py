"""How a CSV file is written: its delimiter, its line ends, and what its header says.

The delimiter is a comma, a semicolon or a tab.  With a semicolon or a tab a number may have a
decimal comma.  Excel's first line ``sep=;`` declares the delimiter and is skipped.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wager._tables._text_files import TextFile

__all__ = ["BLANKS", "MISSING_WORDS", "CsvDialect", "csv_dialect", "file_dialect"]

# Exactly these words, and empty cells, are missing values in files, unless one is a class.
MISSING_WORDS = ("NA", "NaN", "nan", "<NA>", "NaT", "null", "NULL", "None")
BLANKS = " \t\r\n\v\f\u00a0"  # what is removed around names and labels
_DELIMITERS = ",;\t"
_LONGEST_HEADER = 1 << 22  # characters: 2,000 classes with long names
_DECLARED = re.compile(r'"?sep=([,;\t])"?(\r\n|\r|\n)')


@dataclass(frozen=True)
class CsvDialect:
    r"""How a CSV file is written.

    Attributes
    ----------
    names : tuple of str
        The fields of the header, as they are written.
    delimiter : {",", ";", "\t"}
    line_end : {"\n", "\r\n", "\r", ""}
        The end of the first line; empty if there is only one.
    skip : int
        Lines before the header.
    first : tuple of str
        The fields of the first row; empty if there is none.
    """

    names: tuple[str, ...]
    delimiter: str
    line_end: str
    skip: int
    first: tuple[str, ...]

    @property
    def decimal_comma(self) -> bool:
        """Whether a comma in a number is a decimal comma."""
        return self.delimiter != ","


def csv_dialect(head: str, wanted: Collection[str] = ()) -> CsvDialect:
    r"""How a CSV file is written, judged by its beginning.

    Parameters
    ----------
    head : str
        The first characters of the file; at least the header.
    wanted : collection of str
        Names of columns: the delimiter that yields most of them is chosen, and among equal ones
        the delimiter that yields most fields.

    Examples
    --------
    >>> csv_dialect("sep=;\ny_true;p:a\na;0,5\n")
    CsvDialect(names=('y_true', 'p:a'), delimiter=';', line_end='\n', skip=1, first=('a', '0,5'))
    """
    declared = _DECLARED.match(head)
    if declared:
        head = head[declared.end() :]
    delimiters = declared[1] if declared else _DELIMITERS
    found = {delimiter: _records(head, delimiter) for delimiter in delimiters}

    def merit(delimiter: str) -> tuple[int, int]:
        names = [name.strip(BLANKS) for name in found[delimiter][0]]
        return sum(name in wanted for name in names), len(names)

    best = max(found, key=merit)
    names, first = found[best]
    end = re.search("\r\n|\r|\n", re.sub('"[^"]*"', "", head[: _end_of_header(names)]))
    return CsvDialect(names, best, end[0] if end else "", int(declared is not None), first)


def file_dialect(file: TextFile, wanted: Collection[str] = ()) -> CsvDialect:
    """How a CSV file is written; a header that is too long to be read is an error.

    Parameters
    ----------
    file : TextFile
        The file.
    wanted : collection of str
        As for `csv_dialect`.
    """
    head = file.head(_LONGEST_HEADER)
    found = csv_dialect(head, wanted)
    if len(head) >= _LONGEST_HEADER and not found.first:
        raise ValueError(
            f"{file.path}: the header is longer than {_LONGEST_HEADER >> 20} million characters: "
            "use fewer columns or shorter names, such as a column set instead of one per class"
        )
    return found


def _end_of_header(names: tuple[str, ...]) -> int:
    """A place after the header, so that the search for its end does not read everything."""
    return 2 * sum(len(name) + 3 for name in names) + 2


def _records(text: str, delimiter: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields of the first two records."""
    records = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    found: list[tuple[str, ...]] = []
    try:
        while len(found) < 2:
            record = tuple(next(records))
            if record or not found:  # an empty line is not a row
                found.append(record)
    except (csv.Error, StopIteration):
        pass
    return (*found, (), ())[0], (*found, (), ())[1]
