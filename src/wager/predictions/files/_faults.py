"""Find the first wrong row of a prediction file and say what is wrong with it.

Reading and counting assume that a file is correct and only notice that something is not.  The
functions here then search for the first wrong row, which may take another pass or two over the
file.  Rows are counted from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from wager._tables import BLANKS, LEAST_WEIGHT, format_labels
from wager._typing import Array
from wager.predictions._strings import separator_in
from wager.predictions.files._classes import class_texts
from wager.predictions.files._columns import Check, FileColumn
from wager.predictions.files._missing import RequiredColumn, find_missing
from wager.predictions.files._source import FileSession

__all__ = [
    "MissingValuesError",
    "no_rows",
    "refuse_incomplete",
    "refuse_missing",
    "refuse_rows",
    "refuse_unknown",
    "refuse_unknown_truth",
    "small_weights",
]

_OPENING, _CLOSING, _MARKS = "[({", "])}", BLANKS + "'\""
_FIRST_ROWS = 1000  # which show at once that weights are not all small
_CHECKS_PER_QUERY = 200  # DuckDB plans long queries slowly


class MissingValuesError(ValueError):
    """Rows lack a value."""


def refuse_missing(session: FileSession, required: Iterable[RequiredColumn]) -> None:
    """Raise if rows lack a value: how many, and which is the first."""
    columns = list(required)
    found = find_missing(session, columns)
    if found is not None:
        words = columns[0].column.missing
        raise MissingValuesError(f"{session.source.path}: {found.sentence(words)}")


def small_weights(session: FileSession, column: FileColumn) -> ValueError | None:
    """The error for weights that are all so small that their squares lose digits, or None."""
    weights = f"(SELECT {column.weight_sql()} AS w FROM {session.table})"
    for part in (f"(SELECT w FROM {weights} LIMIT {_FIRST_ROWS})", weights):
        largest = session.ask(f"SELECT max(w) FROM {part}").fetchall()[0][0]
        if largest is not None and largest >= LEAST_WEIGHT:
            return None
    if not largest:  # a file whose weights are all 0 has another error
        return None
    return ValueError(
        f"{session.source.path}: the column {column.shown} has no weight of at least "
        f"{LEAST_WEIGHT:g}, so that squares lose digits: multiply all weights by the same number"
    )


def refuse_rows(session: FileSession, checks: Iterable[Check]) -> NoReturn:
    """Raise for the first row in which one of the checks fails."""
    every = list(checks)
    starts = range(0, len(every), _CHECKS_PER_QUERY)
    parts = [every[start : start + _CHECKS_PER_QUERY] for start in starts]
    found = [fault for part in parts for fault in _first_fault(session, part)]
    row, text, check = min(found, key=lambda fault: fault[0])
    state = "missing" if text is None else text if _is_number(text) else repr(text)
    problem = ValueError(
        f"{session.source.path}: {check.column.shown} is {state} in row {row}: {check.wanted}"
    )
    if check.wanted.startswith("a probability") and _is_percentage(text):
        problem.add_note("if these are percentages, divide them by 100")
    raise problem


def _first_fault(session: FileSession, checks: list[Check]) -> list[tuple[int, str | None, Check]]:
    """The first row in which a check fails, the text of the cell, and the check; or nothing."""
    wrong = ", ".join(f"({check.sql}) IS NULL" for check in checks)
    texts = ", ".join(check.column.text_sql() for check in checks)
    query = (
        f"SELECT n, texts, list_position(wrong, true) FROM (SELECT n, [{texts}] AS texts, "
        f"[{wrong}] AS wrong FROM {session.numbered}) "
        "WHERE list_contains(wrong, true) ORDER BY n LIMIT 1"
    )
    rows = session.ask(query).fetchall()
    return [(n, cells[which - 1], checks[which - 1]) for n, cells, which in rows]


def refuse_unknown(
    session: FileSession, column: FileColumn, sql: str, cells: Mapping[Any, str], classes: Array
) -> NoReturn:
    """Raise for the first row with one of the cells that contain a label outside the classes.

    Parameters
    ----------
    session : FileSession
        A session on the file.
    column : FileColumn
        The column of the cells.
    sql : str
        The cell in SQL.
    cells : mapping
        The wrong cells, and the unknown label in each.
    classes : ndarray
        The known classes.
    """
    path = session.source.path
    row, cell = _first_row_with(session, sql, list(cells))
    label = cells[cell]
    sep = separator_in(label, class_texts(classes))
    if sep == "|":  # only a column of single labels has it
        raise ValueError(
            f"{path}: {column.shown} is {label!r} in row {row}, a set of classes: name a column of "
            f'sets with --set {column.shown} (columns={{"set": "{column.shown}"}}), or declare '
            f"{label!r} with classes= (--classes)"
        )
    if sep is not None:
        problem = ValueError(
            f"{path}: {column.shown} is {label!r} in row {row}, where classes are joined by "
            f"{sep!r}: join them by '|', or declare {label!r} with classes= (--classes)"
        )
        if label[:1] in _OPENING and label[-1:] in _CLOSING:  # a list, tuple or set of Python
            members = [part.strip(_MARKS) for part in label[1:-1].split(sep)]
            problem.add_note(f"for this set write {'|'.join(members)}")
        raise problem
    raise ValueError(
        f"{path}: {column.shown} contains {label!r} in row {row}, which is not among the classes "
        f"{format_labels(classes)}: correct it, or declare it with classes= (--classes)"
    )


def refuse_incomplete(
    session: FileSession, column: FileColumn, sql: str, cells: Mapping[Any, str]
) -> NoReturn:
    """Raise for the first set that contains a missing or empty label; see `refuse_unknown`."""
    row, cell = _first_row_with(session, sql, list(cells))
    shown, label = (cell if isinstance(cell, str) else list(cell)), cells[cell]
    cure = f"; if {label!r} is a class, list it in classes= (--classes)" if label else ""
    raise ValueError(
        f"{session.source.path}: {column.shown} is {shown!r} in row {row}, a set with a missing "
        f"label: correct it{cure}"
    )


def refuse_unknown_truth(
    session: FileSession, truth: FileColumn, classes: Array, *, or_missing: bool = False
) -> None:
    """Raise for the first row whose true class is not among the classes, if there is one.

    Parameters
    ----------
    session : FileSession
        A session on the file.
    truth : FileColumn
        The column of the true classes, or another one with one class per row.
    classes : ndarray
        The known classes.
    or_missing : bool, default=False
        Whether a class may be missing.
    """
    label = truth.label_sql()
    query = (
        f"SELECT DISTINCT label FROM (SELECT {label} AS label FROM {session.table}) "
        "WHERE label NOT IN (SELECT unnest(CAST(? AS VARCHAR[])))"
    )
    known = set(class_texts(classes))
    written = {text: text.strip(BLANKS) for (text,) in session.ask(query, list(known)).fetchall()}
    allowed = known | {"", *truth.missing} if or_missing else known
    unknown = {cell: text for cell, text in written.items() if text not in allowed}
    if unknown:
        refuse_unknown(session, truth, label, unknown, classes)


def no_rows(path: Path) -> ValueError:
    """The error for a file that has a header and no row."""
    return ValueError(f"{path} has a header but no rows: add predictions")


def _first_row_with(session: FileSession, sql: str, cells: list[Any]) -> tuple[int, Any]:
    """The first row with one of these cells, and the cell (a list as a tuple)."""
    kind = "VARCHAR[][]" if isinstance(cells[0], tuple) else "VARCHAR[]"
    query = (
        f"SELECT n, cell FROM (SELECT n, {sql} AS cell FROM {session.numbered}) WHERE cell IN "
        f"(SELECT unnest(CAST(? AS {kind}))) "
        "ORDER BY n LIMIT 1"
    )
    wanted = [list(cell) if isinstance(cell, tuple) else cell for cell in cells]
    row, found = session.ask(query, wanted).fetchall()[0]
    return row, tuple(found) if isinstance(found, list) else found


def _is_percentage(text: str | None) -> bool:
    """Whether a wrong probability may be a percentage."""
    return text is not None and re.fullmatch(r"[0-9.]+", text) is not None and _up_to_100(text)


def _up_to_100(text: str) -> bool:
    try:
        return 2 < float(text) <= 100
    except ValueError:
        return False


def _is_number(text: str) -> bool:
    shape = r"[-+]?[0-9.]+(e[-+]?[0-9]+)?|[-+]?(nan|inf(inity)?)"
    return re.fullmatch(shape, text, re.IGNORECASE) is not None
