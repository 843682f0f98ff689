"""Count labels and written sets of very many kinds, which the database takes apart.

A file of few classes has few distinct sets, and each of them is taken apart once, in Python.  If
almost every row has another set, as with a few out of 100,000 classes, that would take longer than
everything else.  Then SQL splits the text at ``|``, and only the distinct labels come to Python.
Sets in which a backslash escapes a ``|``, and files in which something is wrong, are left to
Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from wager._tables import BLANKS
from wager._typing import Array
from wager.predictions.files._columns import FileColumn, trimmed_sql
from wager.predictions.files._count_task import CountQuery, CountTask
from wager.predictions.files._source import Progress

__all__ = ["ListedCell", "MemberCounts", "SetMembers", "count_members", "find_members"]

_MANY = 1 << 16  # distinct pairs of true class and prediction that are too many for Python
_SAMPLE = 2 * _MANY  # rows that show whether there are so many
_BLANK_AT_END = re.compile(f"\0[{BLANKS}]|[{BLANKS}]\0")
_ALMOST_ALL = 0.95  # the share of different rows from which grouping equal ones does not pay


class ListedCell(NamedTuple):
    """A label or a set as a list of labels, in SQL.

    Attributes
    ----------
    cell : str
        The cell as it is; NULL if it is wrong.
    labels : str
        Its labels as a list, in which the cell is called ``{predicted}``, to be formatted.
    is_joined : bool
        Whether the cell is text that joins the labels by ``|``.
    """

    cell: str
    labels: str
    is_joined: bool

    @classmethod
    def of_set(cls, cell: str, *, is_list: bool) -> ListedCell:
        """A set as a list of labels, or as text."""
        if is_list:
            return cls(cell, "{predicted}", is_joined=False)
        empty = "CAST([] AS VARCHAR[])"
        split = "string_split({predicted}, '|')"
        return cls(cell, f"CASE {{predicted}} WHEN '' THEN {empty} ELSE {split} END", True)

    @classmethod
    def of_label(cls, cell: str) -> ListedCell:
        """A single label."""
        return cls(cell, "[{predicted}]", is_joined=False)


class SetMembers(NamedTuple):
    """The labels of the rows of a file.

    Attributes
    ----------
    sql : str
        The labels of the cell ``{predicted}``, as in `ListedCell`, without blanks around them.
    labels : frozenset of str
        All labels that occur in predictions.
    """

    sql: str
    labels: frozenset[str]

    def named(self, predicted: str) -> str:
        """The labels of a cell with this name."""
        return self.sql.format(predicted=predicted)


class MemberCounts(NamedTuple):
    """The number of rows by group, true class, set size and hit, and other sums.

    Attributes
    ----------
    columns : dict of str to ndarray
        ``g``, ``size``, ``hit`` and the sums of `CountTask.sums`.
    truth : list of str
        The true class of each entry.
    labels : frozenset of str
        All labels that occur in predictions.
    """

    columns: dict[str, Array]
    truth: list[str]
    labels: frozenset[str]


def find_members(task: CountTask, listed: ListedCell, truth: FileColumn) -> SetMembers | None:
    """How SQL takes predictions apart; None if that does not pay, or if they are not plain.

    Parameters
    ----------
    task : CountTask
        The file.
    listed : ListedCell
        The predictions.
    truth : FileColumn
        The column of the true classes.
    """
    query = _pairs(listed, truth)
    if _share_of_different(task, query) < 0.5:
        return None
    ask = task.session.ask
    return _members(lambda sql: ask(sql).fetchall(), task.rows(query), listed, truth)


def count_members(task: CountTask, listed: ListedCell, truth: FileColumn) -> MemberCounts | None:
    """Count the rows by true class, size and hit; None as in `find_members`."""
    query = _pairs(listed, truth)
    share = _share_of_different(task, query)
    if share < 0.5:
        return None
    rows, sums, con = task.rows(query), task.sums(), task.session.con
    is_stored = share < _ALMOST_ALL
    if is_stored:  # equal rows are joined first
        task.group_into("pairs", query)
        rows, sums = "pairs", {name: f"sum({name})" for name in sums}

    def ask(sql: str, first: float) -> Any:
        if is_stored:
            return con.execute(sql)
        task._replace(progress=_of_two(task.progress, first)).run(sql)
        return con

    members = _members(lambda sql: ask(sql, 0.0).fetchall(), rows, listed, truth)
    if members is None:
        return None
    for y in ("y", trimmed_sql("y")):
        columns = ask(_counts_sql(task, rows, members, y, sums), 0.5).fetchnumpy()
        labels = np.ma.getdata(columns.pop("y")).tolist()
        if None in labels or np.ma.getmaskarray(columns["size"]).any() or any(columns["wrong"]):
            return None
        if not _has_blanks(set(labels)):
            break
    if not {"", *truth.missing}.isdisjoint(labels):
        return None
    return MemberCounts(columns, labels, members.labels)


def _of_two(progress: Progress | None, first: float) -> Progress | None:
    """Progress of one of two passes, which begins when so much is done."""
    return None if progress is None else lambda done: progress(first + done / 2)


def _pairs(listed: ListedCell, truth: FileColumn) -> CountQuery:
    """The rows by true class and prediction."""
    cells = {"y": truth.label_sql(), "predicted": listed.cell}
    return CountQuery(cells, {name: name for name in cells})


def _share_of_different(task: CountTask, query: CountQuery) -> float:
    """How many of the first rows are different; 0 if there are few rows."""
    some = f"(SELECT y, predicted FROM {task.rows(query)} LIMIT {_SAMPLE})"
    n, different = task.session.ask(
        f"SELECT count(*), count(DISTINCT hash(y, predicted)) FROM {some}"
    ).fetchall()[0]
    return float(different / n) if n == _SAMPLE else 0.0


def _members(
    ask: Callable[[str], list[tuple[Any]]], rows: str, listed: ListedCell, truth: FileColumn
) -> SetMembers | None:
    labels = listed.labels.format(predicted="predicted")
    found = [label for (label,) in ask(f"SELECT DISTINCT unnest({labels}) FROM {rows}")]
    if None in found or (listed.is_joined and any(label.endswith("\\") for label in found)):
        return None
    trims = _has_blanks(found)
    plain = frozenset(label.strip(BLANKS) for label in found) if trims else frozenset(found)
    if not plain.isdisjoint({"", *truth.missing}):
        return None
    if not trims:
        return SetMembers(listed.labels, plain)
    return SetMembers(f"[{trimmed_sql('x')} FOR x IN ({listed.labels})]", plain)


def _has_blanks(labels: Iterable[str]) -> bool:
    """Whether a label has blanks around it."""
    return _BLANK_AT_END.search("\0".join(["", *labels, ""])) is not None


def _counts_sql(
    task: CountTask, rows: str, members: SetMembers, y: str, sums: dict[str, str]
) -> str:
    group = "g" if task.has_groups else "CAST(NULL AS VARCHAR)"
    added = ", ".join(f"{sql} AS {name}" for name, sql in sums.items())
    listed = f"(SELECT * REPLACE ({y} AS y), {members.named('predicted')} AS labels FROM {rows})"
    return (
        f"SELECT {group} AS g, y, CAST(list_unique(labels) AS BIGINT) AS size, "
        f"list_contains(labels, y) AS hit, {added} FROM {listed} GROUP BY ALL"
    )
