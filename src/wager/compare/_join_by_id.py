"""Count rows of prediction files jointly in a database on disk.

Rows in different orders are joined there by their ids, and rows of clusters are grouped by cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from wager._tables import RowUnits
from wager._typing import Array, Ints
from wager.compare._file_rows import RowOutcomes, disagreement, shared
from wager.predictions import PredictionFile
from wager.rewards import CellSums, PairedTally, joint_number

Reader = Generator[RowOutcomes, None, None]
_MEMORY = "300MB"  # the rest is kept on disk
# What a row counts for: the column of the file, its name and its type in the database.
_UNITS = (("weight", "w", "DOUBLE"), ("count", "k", "BIGINT"), ("cluster", "cl", "VARCHAR"))


def count_joined(
    files: Sequence[PredictionFile], read: Callable[[PredictionFile], Reader]
) -> dict[tuple[int, int], PairedTally]:
    """Joint counts of every two files, their rows matched by id.

    Parameters
    ----------
    files : sequence of PredictionFile
        The files, over the same classes.
    read : callable
        Opens a file and yields the outcomes of its rows in parts, each row with an id.
    """
    with _database() as con:
        for i, file in enumerate(files):
            with closing(read(file)) as rows:
                _store(con, i, file, rows)
        for i in range(1, len(files)):
            _check_ids(con, files, i)
            _check_alike(con, files, (0, i), "y_true", "truth")
        stored = []
        for column, name, _ in _UNITS:
            having = [i for i, file in enumerate(files) if getattr(file.layout, column) is not None]
            for i in having[1:]:
                _check_alike(con, files, (having[0], i), column, name)
            stored += [f"f{i}.{name}" for i in having[:1]]
        cells = (f"f{i}.cell AS c{i}" for i in range(len(files)))
        others = " ".join(f"JOIN f{i} USING (id)" for i in range(1, len(files)))
        con.execute(
            f"CREATE TABLE joined AS SELECT {', '.join([*stored, *cells])} FROM f0 {others}"
        )
        return _count(con, files)


def count_clustered(
    files: Sequence[PredictionFile], steps: Iterable[Sequence[RowOutcomes]]
) -> dict[tuple[int, int], PairedTally]:
    """Joint counts of every two files, whose rows belong to clusters and are in the same order.

    Parameters
    ----------
    files : sequence of PredictionFile
        The files, over the same classes.
    steps : iterable
        The same rows of all files, some at a time.
    """
    with _database() as con:
        for start, parts in enumerate(steps):
            columns = {name: shared(parts, column) for column, name, _ in _UNITS}
            columns |= {f"c{i}": part.cell for i, part in enumerate(parts)}
            given = {name: values for name, values in columns.items() if values is not None}
            con.register("part", given)
            con.execute(
                f"INSERT INTO joined SELECT {', '.join(given)} FROM part"
                if start
                else f"CREATE TABLE joined AS SELECT {', '.join(given)} FROM part"
            )
            con.unregister("part")
        return _count(con, files)


@contextmanager
def _database() -> Iterator[Any]:
    import duckdb

    with (
        TemporaryDirectory(prefix="wager-") as folder,
        duckdb.connect(str(Path(folder) / "rows.duckdb")) as con,
    ):
        con.execute(f"SET memory_limit = '{_MEMORY}'")
        yield con


def _store(con: Any, i: int, file: PredictionFile, rows: Reader) -> None:
    types = {"n": "BIGINT", "id": "VARCHAR", "truth": "INTEGER", "cell": "INTEGER"}
    types |= {name: kind for column, name, kind in _UNITS if getattr(file.layout, column)}
    con.execute(f"CREATE TABLE f{i} ({', '.join(f'{x} {kind}' for x, kind in types.items())})")
    start = 0
    for part in rows:
        assert part.id is not None
        missing = np.flatnonzero(part.id == None)  # noqa: E711  (element by element)
        if len(missing):
            raise ValueError(
                f"{file.path}: id is missing in row {start + missing[0] + 1}: give every row an "
                "id, "
                "or remove the column and sort all files alike"
            )
        columns = {"n": np.arange(start + 1, start + len(part) + 1), "id": part.id}
        columns |= {"truth": part.truth, "cell": part.cell}
        units = ((name, getattr(part, column)) for column, name, _ in _UNITS)
        columns |= {name: values for name, values in units if values is not None}
        con.register("part", columns)
        con.execute(f"INSERT INTO f{i} SELECT {', '.join(types)} FROM part")
        con.unregister("part")
        start += len(part)
    twice = con.execute(
        f"SELECT id, min(n), max(n) FROM f{i} GROUP BY id HAVING count(*) > 1 ORDER BY 2 LIMIT 1"
    ).fetchone()
    if twice:
        raise ValueError(
            f"{file.path}: duplicate id {twice[0]} in rows {twice[1]} and {twice[2]}: rows are "
            "matched "
            "by id, so give every row its own"
        )


def _check_ids(con: Any, files: Sequence[PredictionFile], i: int) -> None:
    for have, lack in ((0, i), (i, 0)):
        alone = con.execute(
            f"SELECT id, n FROM f{have} ANTI JOIN f{lack} USING (id) ORDER BY n LIMIT 1"
        ).fetchone()
        if alone:
            raise ValueError(
                f"{files[have].path} has the id {alone[0]} (row {alone[1]}) but "
                f"{files[lack].path} does not: compare predictions of the same rows"
            )


def _check_alike(
    con: Any, files: Sequence[PredictionFile], pair: tuple[int, int], column: str, stored: str
) -> None:
    """Raise a ValueError if two files differ in a column that they must share."""
    i, j = pair
    found = con.execute(
        f"SELECT a.id, a.n, a.{stored}, b.{stored} FROM f{i} AS a JOIN f{j} AS b USING (id) "
        f"WHERE a.{stored} <> b.{stored} ORDER BY a.n LIMIT 1"
    ).fetchone()
    if found:
        name, row, *values = found
        if column == "y_true":
            classes = files[0].classes
            assert classes is not None
            values = [classes[code] for code in values]
        raise disagreement(files[i], files[j], column, values, f"row {row} (id {name})")


def _count(con: Any, files: Sequence[PredictionFile]) -> dict[tuple[int, int], PairedTally]:
    """Joint counts of every two files, from the table ``joined`` of all rows."""
    classes = files[0].classes
    assert classes is not None
    weighted, repeated, clustered = (
        any(getattr(file.layout, column) is not None for file in files) for column, *_ in _UNITS
    )
    rows, k = ("CAST(sum(k) AS BIGINT)", "k * ") if repeated else ("count(*)", "")
    total, squares = (f"sum({k}w)", f"sum({k}w * w)") if weighted else (rows, "NULL")
    read = _sums_of_clusters if clustered else _sums_of_rows
    counted = {}
    for i, j in combinations(range(len(files)), 2):
        cells = f"c{i} AS first, c{j} AS second, {total} AS total, {squares} AS squares"
        sums = read(con, cells, len(classes), weighted)
        counted[i, j] = PairedTally.of_sums(len(classes), sums)
    return counted


def _sums_of_rows(con: Any, cells: str, n_classes: int, weighted: bool) -> CellSums:
    """The sums over independent rows."""
    found = con.execute(f"SELECT {cells} FROM joined GROUP BY first, second ORDER BY 1, 2")
    columns = {name: np.asarray(column) for name, column in found.fetchnumpy().items()}
    squares = columns["squares"] if weighted else None
    return CellSums(_numbers(columns, n_classes), columns["total"], squares).occurring()


def _sums_of_clusters(con: Any, cells: str, n_classes: int, weighted: bool) -> CellSums:
    """The sums over clusters: what a cluster adds to a cell counts as one row."""
    totals = f"SELECT cl, {cells} FROM joined GROUP BY cl, first, second"
    found = con.execute(
        "SELECT first, second, total, dense_rank() OVER (ORDER BY cl) - 1 AS cluster FROM "
        f"({totals})"
    )
    columns = {name: np.asarray(column) for name, column in found.fetchnumpy().items()}
    total, cluster = columns["total"], columns["cluster"]
    weights, counts = (total, None) if weighted else (None, total)
    labels = np.arange(int(cluster.max(initial=-1)) + 1)
    return CellSums.of(_numbers(columns, n_classes), RowUnits(weights, counts, cluster, labels))


def _numbers(columns: dict[str, Array], n_classes: int) -> Ints:
    first, second = (columns[name].astype(np.int64) for name in ("first", "second"))
    return joint_number(first, second, n_classes)
