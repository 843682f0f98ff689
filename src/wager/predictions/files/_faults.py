"""What is wrong with a prediction file, and in which row.

Reading supposes that a file is right and notices only that something was not.  These functions then
look for the first row at fault; they may take their time.  Rows are counted from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from wager._tables import format_labels
from wager._typing import Array
from wager.predictions._strings import separator_in
from wager.predictions.files._arrays import ALMOST_ONE
from wager.predictions.files._classes import class_texts
from wager.predictions.files._columns import (
    flag_sql,
    label_sql,
    mask_sql,
    members_sql,
    number_sql,
    text_sql,
    weight_sql,
    within_sql,
)
from wager.predictions.files._layout import Layout
from wager.predictions.files._source import Source, ask

__all__ = ["no_rows", "refuse_file", "refuse_unknown"]

_MOST_CELLS = 1000
_CHECKS_AT_ONCE = 200  # columns that one query looks at: DuckDB plans long ones slowly


@dataclass(frozen=True)
class Check:
    """A column, the SQL that is NULL where its cell is wrong, and what was wanted instead."""

    place: int
    sql: str
    wanted: str


def refuse_file(con: Any, source: Source, layout: Layout, classes: Array | None) -> NoReturn:
    """Raise for the first row that cannot be read.

    Parameters
    ----------
    con, source, layout
        An open connection, the file, and what its columns say.
    classes : ndarray, optional
        The classes, where they are known before the rows are read.
    """
    if classes is not None:
        _refuse_strangers(con, source, layout, classes)
    checks = list(_checks(source, layout, classes))
    parts = [checks[i : i + _CHECKS_AT_ONCE] for i in range(0, len(checks), _CHECKS_AT_ONCE)]
    found = [fault for part in parts for fault in _first_fault(con, source, part)]
    row, said, check = min(found, key=lambda fault: fault[0])
    state = "missing" if said is None else said if _is_number(said) else repr(said)
    name = source.names[check.place]
    raise ValueError(f"{source.path}: {name} is {state} in row {row}: {check.wanted}")


def _first_fault(
    con: Any, source: Source, checks: list[Check]
) -> list[tuple[int, str | None, Check]]:
    """The first row in which a check fails, what it says, and that check; or nothing."""
    wrong = ", ".join(f"({check.sql}) IS NULL" for check in checks)
    said = ", ".join(text_sql(source, check.place) for check in checks)
    query = (
        f"SELECT n, said, list_position(wrong, true) FROM (SELECT row_number() OVER () AS n, "
        f"[{said}] AS said, [{wrong}] AS wrong FROM {source.table}) "
        "WHERE list_contains(wrong, true) ORDER BY n LIMIT 1"
    )
    rows = ask(con, source, query).fetchall()
    return [(n, cells[which - 1], checks[which - 1]) for n, cells, which in rows]


def refuse_unknown(
    con: Any, source: Source, place: int, sql: str, cells: Mapping[Any, str], classes: Array
) -> NoReturn:
    """Raise for the first row whose cell is one of those that hold a label outside the classes.

    Parameters
    ----------
    con, source
        An open connection, and the file.
    place : int
        The column.
    sql : str
        The cell in SQL.
    cells : mapping
        The cells at fault, and the label of each that is no class.
    classes : ndarray
        What would have been right.
    """
    row, cell = _first_row_with(con, source, sql, list(cells))
    label, name = cells[cell], source.names[place]
    sep = separator_in(label, class_texts(classes))
    if sep is not None:
        raise ValueError(
            f"{source.path}: {name} is {label!r} in row {row}, where classes are joined by "
            f"{sep!r}: join them by '|', or declare {label!r} with classes= (--classes)"
        )
    raise ValueError(
        f"{source.path}: {name} holds {label!r} in row {row}, which is not among the classes "
        f"{format_labels(classes)}: correct it, or declare it with classes= (--classes)"
    )


def no_rows(source: Source) -> ValueError:
    """The complaint about a file that has columns and nothing in them."""
    return ValueError(f"{source.path}: there is no row, only the names of columns: add predictions")


def _checks(source: Source, layout: Layout, classes: Array | None) -> Iterator[Check]:
    truth = layout.truth
    yield Check(truth, label_sql(source, truth), _wanted_label(source, truth))
    if layout.weight is not None:
        wanted = "a weight is a finite number that is not negative"
        yield Check(layout.weight, weight_sql(source, layout.weight), wanted)
    place = layout.columns[0]
    if layout.form == "label":
        yield Check(place, label_sql(source, place), _wanted_label(source, place))
    elif layout.form == "set":
        wanted = "list its labels joined by |, and write the empty set as an empty text or list"
        yield Check(place, members_sql(source, place), wanted)
    elif layout.form == "mask":
        assert classes is not None
        top = 2 ** len(classes) - 1
        wanted = f"a mask of {len(classes)} classes is a whole number from 0 to {top}"
        mask = mask_sql(source, place)
        yield Check(place, f"CASE WHEN ({mask}) <= {top} THEN true END", wanted)
    elif layout.form == "in":
        wanted = "write 1 where the set holds the class and 0 where not"
        yield from (Check(i, within_sql(flag_sql(source, i), 0, 1), wanted) for i in layout.columns)
    elif layout.form == "m":
        wanted = "a membership value is a finite number"
        yield from (Check(i, within_sql(number_sql(source, i)), wanted) for i in layout.columns)
    else:
        wanted = "a probability is a number from 0 to 1"
        for i in (*layout.columns, *layout.uppers):
            yield Check(i, within_sql(number_sql(source, i), 0, ALMOST_ONE), wanted)


def _wanted_label(source: Source, place: int) -> str:
    if source.format == "json":
        kind = "text" if source.types[place] == "VARCHAR" else "whole numbers"
        return f"its labels begin as {kind}, and all must be alike"
    return "every row needs a class, as text or a whole number"


def _refuse_strangers(con: Any, source: Source, layout: Layout, classes: Array) -> None:
    """Refuse a true class that is none of those known."""
    label = label_sql(source, layout.truth)
    query = (
        f"SELECT DISTINCT said FROM (SELECT {label} AS said FROM {source.table}) WHERE said NOT IN "
        "(SELECT unnest(CAST(? AS VARCHAR[])))"
    )
    strangers = ask(con, source, query, class_texts(classes)).fetchall()
    if strangers:
        cells = {said: said for (said,) in strangers}
        refuse_unknown(con, source, layout.truth, label, cells, classes)


def _first_row_with(con: Any, source: Source, sql: str, cells: list[Any]) -> tuple[int, Any]:
    """The first row that holds one of these cells, and the cell (a list as a tuple)."""
    kind = "VARCHAR[][]" if isinstance(cells[0], tuple) else "VARCHAR[]"
    query = (
        f"SELECT n, said FROM (SELECT row_number() OVER () AS n, {sql} AS said "
        f"FROM {source.table}) WHERE said IN (SELECT unnest(CAST(? AS {kind}))) ORDER BY n LIMIT 1"
    )
    wanted = [list(cell) if isinstance(cell, tuple) else cell for cell in cells[:_MOST_CELLS]]
    row, said = ask(con, source, query, wanted).fetchall()[0]
    return row, tuple(said) if isinstance(said, list) else said


def _is_number(text: str) -> bool:
    shape = r"[-+]?[0-9.]+(e[-+]?[0-9]+)?|[-+]?(nan|inf(inity)?)"
    return re.fullmatch(shape, text, re.IGNORECASE) is not None
