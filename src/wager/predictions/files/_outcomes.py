"""How one query over several files reads the outcome of every row: size and hit of its set.

The columns of the files get different names by a prefix.  Sets that SQL can take apart become
outcomes inside the query, and so do written sets of very many kinds; other labels and written sets
are joined to a table of the distinct pairs of true class and prediction, each of which is taken
apart once, in Python.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from wager._tables import BLANKS
from wager._typing import Array, Bools
from wager.predictions.files._classes import class_texts
from wager.predictions.files._columns import FileColumn, trimmed_sql
from wager.predictions.files._count import PackedCell, WrittenCell
from wager.predictions.files._count_members import SetMembers, find_members
from wager.predictions.files._count_task import CountTask
from wager.predictions.files._layout import Layout
from wager.predictions.files._source import FileSession

__all__ = ["OutcomeRows", "RowKey", "SetOutcome", "packed_outcome", "written_outcome"]

_PAIRS = 100_000  # distinct pairs of true class and prediction that are fetched at a time


class SetOutcome(NamedTuple):
    """The outcome of a row: twice the size of its set, plus one for a hit.

    Attributes
    ----------
    cells : dict of str to str
        SQL for cells of a row, by name.
    sql : str
        The outcome, from the cells and from the true class, whose number is ``r.code``; NULL if
        the cell is wrong.
    join : str
        A join of the rows ``r`` to another table.
    union : str
        SQL for the mask of the classes in the sets of a group of rows; 0 if it is not needed.
    predicted : ndarray of bool, shape (K,), optional
        The classes that are predicted in any row; None if `union` says it, or nothing.
    """

    cells: dict[str, str]
    sql: str
    join: str = ""
    union: str = "0"
    predicted: Bools | None = None


class RowKey(NamedTuple):
    """A true class or an id in SQL: as text, and as a whole number if that is possible."""

    text: str
    number: str | None = None

    @classmethod
    def of_label(cls, column: FileColumn) -> RowKey:
        """The labels of a column."""
        return cls(column.label_sql(), column.cell if column.fits_bigint else None)

    @classmethod
    def of_name(cls, column: FileColumn) -> RowKey:
        """The names of a column."""
        return cls(column.name_sql(), column.cell if column.fits_bigint else None)


class OutcomeRows(NamedTuple):
    """The rows of one of several files that are read by one query.

    Attributes
    ----------
    prefix : str
        How all names of its columns begin.
    table, numbered : str
        The rows, and the rows with their numbers ``<prefix>n`` in the file.
    values : tuple
        The values of the parameters (question marks) in either.
    prepare : callable
        Provides what they refer to, for the next query.
    truth : RowKey
        The true class.
    id : RowKey or None
        The id.
    outcome : SetOutcome
        Size and hit.
    units : dict of str to str
        SQL for the weight ``w``, the count ``k`` and the cluster ``cl``, if the file has them;
        NULL where one is wrong.
    """

    prefix: str
    table: str
    numbered: str
    values: tuple[Any, ...]
    prepare: Callable[[], None]
    truth: RowKey
    id: RowKey | None
    outcome: SetOutcome
    units: dict[str, str]

    @classmethod
    def of(cls, session: FileSession, layout: Layout, outcome: SetOutcome) -> OutcomeRows:
        """The rows of a file that SQL reads; the columns of the session have a prefix."""
        return cls(
            session.source.prefix,
            session.table,
            session.numbered,
            session.source.values,
            session.prepare,
            RowKey.of_label(layout.truth),
            None if layout.id is None else RowKey.of_name(layout.id),
            outcome,
            layout.count_cells(by_group=False),
        )


def packed_outcome(packed: PackedCell, prefix: str) -> SetOutcome:
    """The outcome of a set that SQL can take apart."""
    said = f"{prefix}said"
    named = packed.named(said, "r.code")
    return SetOutcome({said: packed.cell}, f"2 * ({named.size}) + ({named.hit})", union=named.union)


def written_outcome(task: CountTask, classes: Array, written: WrittenCell) -> SetOutcome:
    """The outcome of a label or of a written set, from a pass over the file.

    Creates the temporary table ``<prefix>pairs``.  Cells that are wrong are not in it.  Very many
    kinds of cells are taken apart in SQL instead.
    """
    session, truth = task.session, task.layout.truth
    members = find_members(task, written.listed, truth)
    if members is not None and members.labels <= set(class_texts(classes)):
        return _members_outcome(session, truth, classes, written, members)
    said, pairs = f"{session.source.prefix}said", f"{session.source.prefix}pairs"
    is_list = written.column.is_list
    cell = f"CAST(to_json({written.cell}) AS VARCHAR)" if is_list else written.cell
    codes = {text: code for code, text in enumerate(class_texts(classes))}
    predicted = np.zeros(len(classes), dtype=bool)
    rows = f"(SELECT {truth.label_sql()} AS y, {cell} AS said FROM {session.table})"
    session.ask_with_progress(f"SELECT DISTINCT y, said FROM {rows}", task.progress)
    found: dict[tuple[int, str], int] = {}
    while part := session.con.fetchmany(_PAIRS):
        for y, spelled in part:
            code = None if y is None else codes.get(y.strip(BLANKS))
            if code is None or spelled is None:
                continue
            labels = written.labels_of(json.loads(spelled) if is_list else spelled)
            named = [codes.get(label, -1) for label in labels]
            if min(named, default=0) >= 0:
                predicted[named] = True
                found[code, spelled] = 2 * len(named) + (code in named)
    _store(session.con, pairs, found)
    join = f"LEFT JOIN {pairs} ON {pairs}.code = r.code AND {pairs}.said = {said}"
    return SetOutcome({said: cell}, f"{pairs}.cell", join, predicted=predicted)


def _members_outcome(
    session: FileSession,
    truth: FileColumn,
    classes: Array,
    written: WrittenCell,
    members: SetMembers,
) -> SetOutcome:
    """The outcome of cells that SQL takes apart, all of whose labels are known."""
    prefix = session.source.prefix
    said, true = f"{prefix}said", f"{prefix}true"
    cells = {said: members.named(f"({written.cell})"), true: trimmed_sql(truth.label_sql())}
    hit = f"CAST(list_contains({said}, {true}) AS INTEGER)"
    named = np.array([text in members.labels for text in class_texts(classes)], dtype=bool)
    size = f"CAST(list_unique({said}) AS INTEGER)"
    return SetOutcome(cells, f"2 * {size} + {hit}", predicted=named)


def _store(con: Any, table: str, found: dict[tuple[int, str], int]) -> None:
    """Create a table of pairs and their outcomes."""
    con.execute(f"CREATE OR REPLACE TEMP TABLE {table} (code INTEGER, said VARCHAR, cell INTEGER)")
    if not found:
        return
    code = np.fromiter((pair[0] for pair in found), np.int64, len(found))
    said = np.array([pair[1] for pair in found], dtype=object)
    cell = np.fromiter(found.values(), np.int64, len(found))
    con.register("part", {"code": code, "said": said, "cell": cell})
    con.execute(f"INSERT INTO {table} SELECT code, said, cell FROM part")
    con.unregister("part")
