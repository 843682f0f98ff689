"""The published tables, read from the files in the package."""

from __future__ import annotations

import csv
from functools import lru_cache
from importlib.resources import files

__all__ = ["flags", "printed", "repairs", "row_order", "text_entries"]


@lru_cache
def _rows(name: str) -> tuple[dict[str, str], ...]:
    text = files("wager_studies").joinpath("published", f"{name}.csv")
    return tuple(csv.DictReader(text.read_text(encoding="utf-8").splitlines()))


def printed(
    name: str, table: str, *keys: str, value: str = "value"
) -> dict[tuple[str, ...], float]:
    """The numbers of a published table by the given columns, without illegible cells.

    Examples
    --------
    >>> printed("zaffalon2011_table1", "1", "train_size", "classifier")["5", "NCC"]
    2.0
    """
    return {
        tuple(row[key] for key in keys): float(row[value])
        for row in _rows(name)
        if row["table"] == table and row[value] != ""
    }


def flags(name: str, table: str, *keys: str) -> dict[tuple[str, ...], str]:
    """The reliability of cells of a table that are not read as printed.

    "truncated" cells have lost the last digit, "uncertain" ones have several readings, "repaired"
    ones were misplaced or split in the text copy, "inferred" ones follow from other tables.

    Examples
    --------
    >>> flags("zaffalon2012_tables12_19", "12", "dataset", "classifier")["solar-flare-m", "CDT"]
    'truncated'
    """
    return {
        tuple(row[key] for key in keys): row["flag"]
        for row in _rows(name)
        if row["table"] == table and row["flag"]
    }


def repairs(name: str) -> list[tuple[str, ...]]:
    """The cells that are not read as printed: table, data set, classifier, flag and the reason.

    Examples
    --------
    >>> repairs("zaffalon2012_repairs")[0][:4]
    ('12', 'segment', 'CDT', 'truncated')
    """
    columns = ("table", "dataset", "classifier", "flag", "reason")
    return [tuple(row[key] for key in columns) for row in _rows(name)]


def text_entries(name: str, *keys: str) -> list[tuple[str, ...]]:
    """The entries of a table of text, without incomplete rows.

    Examples
    --------
    >>> text_entries("hope_korb2004_table1", "dataset", "winner", "loser")[0]
    ('adult', 'CaMML', 'AODE')
    """
    found = [tuple(row[key] for key in keys) for row in _rows(name)]
    return [entry for entry in found if all(entry)]


def row_order(dataset: str) -> tuple[int, ...]:
    """The rows of a data file in the order that the paper used, as positions in our file.

    Examples
    --------
    >>> row_order("liver-disorders")[:6]
    (0, 1, 2, 3, 310, 4)
    """
    rows = _rows("zaffalon2012_row_order")
    return tuple(int(row["row"]) for row in rows if row["dataset"] == dataset)
