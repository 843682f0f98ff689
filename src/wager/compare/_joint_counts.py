"""Count the outcomes of several prediction files jointly, inside the database that reads them.

One pass over all files gives the joint outcomes that occur, and memory does not grow with the
files.  If rows do not fit together, a second look finds the first such row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from wager._tables import RowUnits, counted
from wager._typing import Array, Ints
from wager.compare._file_rows import JointSums, RowOutcomes, disagreement, pair_numbers
from wager.compare._joint_query import UNITS, JointQuery
from wager.compare._matched_rows import other_order
from wager.compare._row_ids import refuse_duplicate_id, refuse_lone_id
from wager.predictions import OutcomeRows, PredictionFile, RowKey, SetOutcome, run_with_progress
from wager.rewards import CellSums

_FIRST_ROWS = 2048  # rows that show whether files have the same order
_ENTRIES = 1 << 22  # totals of clusters that are in memory at a time
Progress = Callable[[float], None]


class JointCounts(NamedTuple):
    """What the rows of several files have in common.

    Attributes
    ----------
    sums : dict
        The joint counts of every two files.
    n_rows : int
        The number of rows, or the sum of their counts.
    truth : ndarray of int
        The numbers of the true classes that occur.
    cells : list of ndarray of int
        The outcomes that occur in each file.
    masks : list of int
        The classes that each file predicts, as a mask; 0 if that is known otherwise.
    """

    sums: JointSums
    n_rows: int
    truth: Ints
    cells: list[Ints]
    masks: list[int]


def count_jointly(
    con: Any,
    files: Sequence[PredictionFile],
    query: JointQuery,
    progress: Progress | None = None,
) -> JointCounts:
    """Count the outcomes of every two files jointly.

    Parameters
    ----------
    con : DuckDB connection
        Has the table ``classes``, and what the query needs.
    files : sequence of PredictionFile
        The files, for messages.
    query : JointQuery
        Reads the files.
    progress : callable, optional
        Called with the fraction of the files that is read.
    """
    divided = files[0].is_part  # rows that do not match may match those of another part
    if (
        query.by_id
        and not divided
        and _ask(con, query, query.moved_at_once(_FIRST_ROWS)).fetchall()[0][0]
    ):
        query = query._replace(joined=True)
    try:
        found = _create(con, query, progress)
        if found.moved and divided:
            raise other_order(files)
        if found.moved and not query.joined:  # later rows are in another order
            query = query._replace(joined=True)
            found = _create(con, query, progress)
    except _database_errors():
        for file in files:
            file.check_rows()  # says which file cannot be read, and where
        raise
    classes = files[0].classes
    assert classes is not None
    # an id that occurs twice is joined to more rows than there are
    twice = query.joined and any(n != found.n_joined for n in _lengths(con, query))
    if found.wrong or twice or any(mask >> len(classes) for mask in found.masks):
        _refuse(con, files, query)
    return JointCounts(
        _sums(con, query, len(files), keep_clusters=divided),
        found.n_rows,
        _column(con, "SELECT DISTINCT code FROM joint"),
        [_column(con, f"SELECT DISTINCT c{i} FROM joint") for i in range(len(files))],
        found.masks,
    )


def store_outcomes(
    con: Any, prefix: str, file: PredictionFile, parts: Iterable[RowOutcomes]
) -> OutcomeRows:
    """Outcomes that Python has computed, as rows of a temporary table.

    Parameters
    ----------
    con : DuckDB connection
        Where to create the table.
    prefix : str
        How the names of its columns begin.
    file : PredictionFile
        Where the rows come from.
    parts : iterable of RowOutcomes
        All rows, some at a time.
    """
    types = {"n": "BIGINT", "truth": "INTEGER", "cell": "BIGINT", "id": "VARCHAR"}
    types |= {"w": "DOUBLE", "k": "BIGINT", "cl": "VARCHAR"}
    table = f"{prefix}stored"
    columns = ", ".join(f"{prefix}{name} {kind}" for name, kind in types.items())
    con.execute(f"CREATE OR REPLACE TEMP TABLE {table} ({columns})")
    for part in parts:
        given = {"n": part.row, "truth": part.truth, "cell": part.cell, "id": part.id}
        given |= {name: getattr(part, column) for column, name in UNITS.items()}
        present = {name: values for name, values in given.items() if values is not None}
        con.register("part", present)
        names = ", ".join(f"{prefix}{name}" for name in present)
        con.execute(f"INSERT INTO {table} ({names}) SELECT {', '.join(present)} FROM part")
        con.unregister("part")
    units = {name for column, name in UNITS.items() if getattr(file.layout, column) is not None}
    return OutcomeRows(
        prefix,
        table,
        table,
        (),
        lambda: None,
        RowKey(f"getvariable('class_labels')[{prefix}truth + 1]"),
        None if file.layout.id is None else RowKey(f"{prefix}id"),
        SetOutcome({f"{prefix}said": f"{prefix}cell"}, f"{prefix}said"),
        {name: f"{prefix}{name}" for name in units},
    )


class _Totals(NamedTuple):
    """Totals over all joint outcomes."""

    n_joined: int
    n_rows: int
    wrong: int
    moved: int
    masks: list[int]


def _create(con: Any, query: JointQuery, progress: Progress | None) -> _Totals:
    """Create the table ``joint`` of the joint counts, and add them up."""
    create = f"CREATE OR REPLACE TEMP TABLE joint AS {query.counts()}"
    n_classes = con.execute("SELECT count(*) FROM classes").fetchall()[0][0]
    report = None if progress is None else _share_of_rows(progress, n_classes)
    run_with_progress(con, lambda: _ask(con, query, create), report)
    masks = [f"bit_or(CAST(named{i} AS UBIGINT))" for i in range(len(query.files))]
    sums = ["sum(n_joined)", "sum(rows)", "sum(wrong)", "sum(moved)"]
    totals = con.execute(f"SELECT {', '.join([*sums, *masks])} FROM joint").fetchall()[0]
    n_joined, n_rows, wrong, moved, *named = (int(total or 0) for total in totals)
    return _Totals(n_joined, n_rows, wrong, moved, named)


def _share_of_rows(progress: Progress, n_classes: int) -> Progress:
    """Progress over the rows of the files, from what DuckDB reports.

    DuckDB does not know how many rows come side by side and takes them for one, beside those of
    the table of the classes, which are read at once: what it reports first stands for these.
    """
    first = 0.0

    def report(done: float) -> None:
        nonlocal first
        first = first or done
        if first:
            progress(min(n_classes * (done / first - 1), 1.0))

    return report


def _ask(con: Any, query: JointQuery, sql: str) -> Any:
    for file in query.files:
        file.prepare()
    return con.execute(sql, query.values)


def _database_errors() -> Any:
    import duckdb

    return duckdb.Error


def _column(con: Any, sql: str) -> Ints:
    return np.array([value for (value,) in con.execute(sql).fetchall()], dtype=np.int64)


# -- from the joint counts to sums ----------------------------------------------------------------


def _sums(con: Any, query: JointQuery, n_files: int, *, keep_clusters: bool) -> JointSums:
    """The sums of every two files, from the table ``joint``."""
    units = query.units()
    total = "sum(total)" if "w" in units else "CAST(sum(total) AS BIGINT)"
    of_clusters = partial(_sums_of_clusters, keep_clusters=keep_clusters)
    read = of_clusters if "cl" in units else _sums_of_rows
    counted = {}
    for i, j in combinations(range(n_files), 2):
        cells = (
            f"CAST(c{i} AS BIGINT) AS first, CAST(c{j} AS BIGINT) AS second, {total} AS total, "
            "sum(squares) AS squares"
        )
        counted[i, j] = read(con, cells, "w" in units)
    return counted


def _sums_of_rows(con: Any, cells: str, weighted: bool) -> CellSums:
    """The sums over independent rows."""
    found = con.execute(f"SELECT {cells} FROM joint GROUP BY first, second ORDER BY 1, 2")
    columns = {name: np.asarray(column) for name, column in found.fetchnumpy().items()}
    squares = columns["squares"] if weighted else None
    return CellSums(_numbers(columns), columns["total"], squares).occurring()


def _sums_of_clusters(con: Any, cells: str, weighted: bool, *, keep_clusters: bool) -> CellSums:
    """The sums over clusters: what a cluster adds to a cell counts as one row.

    Some of the clusters at a time, since their sums add up.
    """
    n_parts = con.execute("SELECT count(*) FROM joint").fetchall()[0][0] // _ENTRIES + 1
    whole: CellSums | None = None
    for number in range(n_parts):
        some = f"WHERE hash(cl) % {n_parts} = {number}" if n_parts > 1 else ""
        totals = f"SELECT cl, {cells} FROM joint {some} GROUP BY cl, first, second"
        found = con.execute(
            "SELECT cl, first, second, total, dense_rank() OVER (ORDER BY cl) - 1 AS cluster FROM "
            f"({totals})"
        )
        columns = {name: np.asarray(column) for name, column in found.fetchnumpy().items()}
        total, cluster = columns["total"], columns["cluster"]
        weights, counts = (total, None) if weighted else (None, total)
        labels = np.empty(int(cluster.max(initial=-1)) + 1, dtype=object)
        labels[cluster] = columns["cl"]
        units = RowUnits(weights, counts, cluster, labels)
        part = CellSums.of(_numbers(columns), units, keep_clusters=keep_clusters)
        whole = part if whole is None else whole + part
    assert whole is not None
    return whole


def _numbers(columns: dict[str, Array]) -> Ints:
    return pair_numbers(columns["first"], columns["second"])


# -- rows that do not fit together ----------------------------------------------------------------


def _refuse(con: Any, files: Sequence[PredictionFile], query: JointQuery) -> None:
    """Raise the error for the first row that is wrong or does not fit."""
    for file in files:
        file.check_rows()
    if query.joined:
        _refuse_ids(con, files, query)
    else:
        _refuse_lengths(con, files, query)
    classes = files[0].classes
    assert classes is not None
    first = query.files[0]
    for file, other in zip(files[1:], query.files[1:], strict=True):
        names = (f"{first.prefix}y", f"{other.prefix}y")
        if row := _first_row(con, query, query.differ_in_truth(other), names):
            raise disagreement(files[0], file, "y_true", row.values, row.where)
    for column, unit in UNITS.items():
        having = [(f, rows) for f, rows in zip(files, query.files, strict=True)
                  if unit in rows.units]  # fmt: skip
        for file, other in having[1:]:
            one, known = having[0]
            names = (f"{known.prefix}{unit}", f"{other.prefix}{unit}")
            if row := _first_row(con, query, f"{names[1]} IS DISTINCT FROM {names[0]}", names):
                raise disagreement(one, file, column, row.values, row.where)
    raise ValueError(
        f"{files[0].path} and {files[1].path} do not have the same rows: compare predictions of "
        "the same rows"
    )


class _Row(NamedTuple):
    """Where two files differ, and their values there."""

    where: str
    values: list[Any]


def _first_row(con: Any, query: JointQuery, condition: str, names: tuple[str, str]) -> _Row | None:
    found = _ask(con, query, query.differences(condition)).fetchall()
    if not found:
        return None
    row = dict(zip((column[0] for column in con.description), found[0], strict=True))
    first = query.files[0].prefix
    where = f"row {row[f'{first}n']}"
    if query.by_id:
        where += f" (id {row[f'{first}id']})"
    return _Row(where, [row[name] for name in names])


def _lengths(con: Any, query: JointQuery) -> list[int]:
    """The number of rows of each file."""
    lengths = []
    for rows in query.files:
        rows.prepare()
        counted = con.execute(f"SELECT count(*) FROM {rows.table}", list(rows.values))
        lengths.append(counted.fetchall()[0][0])
    return lengths


def _refuse_lengths(con: Any, files: Sequence[PredictionFile], query: JointQuery) -> None:
    """Raise if the files have different numbers of rows."""
    totals = _lengths(con, query)
    for file, total in zip(files, totals, strict=True):
        if total != totals[0]:
            raise ValueError(
                f"{files[0].path} has {counted(totals[0], 'row')} but {file.path} has {total}: "
                "compare predictions of the same rows, or add an id column to every file to match "
                "them by"
            )


def _refuse_ids(con: Any, files: Sequence[PredictionFile], query: JointQuery) -> None:
    """Raise if an id occurs twice in a file, or is not in all of them."""
    for i, rows in enumerate(query.files):
        rows.prepare()
        con.execute(
            f"CREATE OR REPLACE TEMP TABLE ids{i} AS SELECT {query.id_of(rows)} AS id, "
            f"{rows.prefix}n AS n FROM {rows.numbered}",
            list(rows.values),
        )
        refuse_duplicate_id(con, f"ids{i}", files[i].path)
    for i in range(1, len(files)):
        refuse_lone_id(con, ("ids0", f"ids{i}"), (files[0].path, files[i].path))
