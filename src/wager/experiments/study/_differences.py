"""Differences between the results of a study and tables that were stored before."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wager._tables import counted
from wager.experiments.study._report import StudyReport
from wager.experiments.study._table import StudyTable

__all__ = ["CellDifference", "Differences", "differences", "differs"]

NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)
DIGITS = 6  # significant digits of a number that is not whole; one with more of them is a count
SIX_DIGITS = 1.001e-5  # relative: one unit of the sixth significant digit
TINY = 1e-12  # what should be 0 may be this large
DECIDED = ("verdict", "answer")  # the columns that must not depend on a random seed


@dataclass(frozen=True)
class CellDifference:
    """A cell, row or table that differs from the stored one.

    Attributes
    ----------
    study, table : str
    place : str
        The row and column, or what is missing.
    stored, found : str
    """

    study: str
    table: str
    place: str
    stored: str
    found: str

    def __str__(self) -> str:
        change = (
            f": stored {self.stored!r}, now {self.found!r}" if self.stored != self.found else ""
        )
        return f"{self.study}, {self.table}, {self.place}{change}"


@dataclass(frozen=True)
class Differences:
    """What differs from stored tables, and how much was compared.

    Attributes
    ----------
    compared : int
        The number of cells that were compared.
    found : tuple of CellDifference
    """

    compared: int
    found: tuple[CellDifference, ...]

    def __iter__(self) -> Iterator[CellDifference]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


def differs(stored: str, found: str) -> bool:
    """Whether two cells differ by more than rounding.

    Words and whole numbers must be equal.  A cell that is one number of up to six digits may be
    rounded, and has six significant digits; other numbers in a text may differ by one unit of their
    last digit.

    Examples
    --------
    >>> differs("0.123456", "0.123457"), differs("0.5", "0.50001")
    (False, True)
    >>> differs("p = 0.02", "p = 0.03"), differs("p = 0.02", "p = 0.04")
    (False, True)
    >>> differs("1 of 2", "2 of 2")
    True
    """
    if stored == found:
        return False
    if NUMBER.split(stored) != NUMBER.split(found):
        return True
    numbers = list(zip(NUMBER.findall(stored), NUMBER.findall(found), strict=True))
    if [stored, found] == [*numbers[0]]:
        a, b = _value(stored), _value(found)
        if stored.isdigit() and found.isdigit() and len(stored) > DIGITS:
            return a != b
        return abs(a - b) > SIX_DIGITS * max(abs(a), abs(b)) + TINY
    return any(_is_far(*pair) for pair in numbers)


def _is_far(a: str, b: str) -> bool:
    unit = min(_unit(a), _unit(b))
    if unit == 1:
        return a != b
    return abs(_value(a) - _value(b)) > 1.001 * unit


def _value(text: str) -> float:
    return float(text.replace(",", ""))


def _unit(text: str) -> float:
    """One unit of the last digit of a number as it is written."""
    digits, _, exponent = text.lower().replace(",", "").partition("e")
    return float(10.0 ** (int(exponent or 0) - len(digits.partition(".")[2])))


def differences(report: StudyReport, stored: Path, *, only_verdicts: bool = False) -> Differences:
    """What differs between a report and the tables of an earlier one.

    Parameters
    ----------
    report : StudyReport
    stored : path
        The folder with one folder of tables per study.
    only_verdicts : bool, default=False
        Compare only verdicts and answers, for a run with another random seed.
    """
    folder = stored / report.name
    tables = {table.file_name: table for table in report.all_tables()}
    kept = {path.name for path in folder.glob("*.csv")}
    compared, found = 0, list[CellDifference]()
    for name in sorted(kept | set(tables)):
        if name in kept and name in tables:
            before = (folder / name).read_text(encoding="utf-8")
            cells = _cells(report.name, tables[name], before, only_verdicts)
            compared += cells.compared
            found += cells.found
        elif not only_verdicts:
            what = "a table that is not stored" if name in tables else "stored, but not found now"
            found.append(CellDifference(report.name, name, what, "", ""))
    return Differences(compared, tuple(found))


def _cells(study: str, table: StudyTable, stored: str, only_verdicts: bool) -> Differences:
    old = list(csv.reader(io.StringIO(stored)))
    new = list(csv.reader(io.StringIO(table.csv_text())))
    kept = [c for c, name in enumerate(old[0]) if name in DECIDED or not only_verdicts]
    if not kept:
        return Differences(0, ())
    if old[0] != new[0] or len(old) != len(new):
        before, now = (
            f"{counted(len(rows) - 1, 'row')} of {', '.join(rows[0])}" for rows in (old, new)
        )
        shape = CellDifference(study, table.file_name, "its shape", before, now)
        return Differences(0, (shape,))
    found = [
        CellDifference(study, table.file_name, f"row {number}, {old[0][c]}", before[c], now[c])
        for number, (before, now) in enumerate(zip(old[1:], new[1:], strict=True), start=1)
        for c in kept
        if differs(before[c], now[c])
    ]
    return Differences(len(kept) * (len(old) - 1), tuple(found))
