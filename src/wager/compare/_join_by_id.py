"""Match the rewards of rows of prediction files in a database on disk.

Rows in different orders are joined there by their ids, and rows of clusters are sorted by cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from wager._typing import Array
from wager.compare._file_rows import disagreement, shared
from wager.compare._row_ids import refuse_duplicate_id, refuse_lone_id
from wager.predictions import PredictionFile

_MEMORY = "300MB"  # the rest is kept on disk
_PART = 1 << 16  # rows that are read from the database at a time
# What a row counts for: the column of the file, its name and its type in the database.
_UNITS = (("weight", "w", "DOUBLE"), ("count", "k", "BIGINT"), ("cluster", "cl", "VARCHAR"))


def read_joined(
    files: Sequence[PredictionFile], read: Callable[[PredictionFile], Any], n_rewards: int
) -> Iterator[dict[str, Array]]:
    """The rows of all files, matched by id, some at a time; no cluster is divided.

    Parameters
    ----------
    files : sequence of PredictionFile
        The files, over the same classes.
    read : callable
        Opens a file and yields the rewards of its rows in parts, each row with an id.
    n_rewards : int
        The number of rewards of each row.

    Yields
    ------
    dict of str to array
        The columns ``truth``, ``w``, ``k`` and ``cl`` if files have weights, counts and clusters,
        and ``x<i>_<s>``, the reward s of file i.
    """
    names = [f"r{s}" for s in range(n_rewards)]
    columns = [f"f{i}.{name} AS x{i}_{name[1:]}" for i in range(len(files)) for name in names]
    with _database() as con:
        stored = dict.fromkeys(names, "DOUBLE")
        _join(con, files, read, stored, ["f0.n AS n", "f0.truth AS truth", *columns])
        yield from _in_parts(con, any(file.layout.cluster is not None for file in files))


def read_clustered(steps: Iterable[Sequence[Any]]) -> Iterator[dict[str, Array]]:
    """The same for files whose rows belong to clusters and are in the same order."""
    with _database() as con:
        start = 0
        for parts in steps:
            columns = {name: shared(parts, column) for column, name, _ in _UNITS}
            columns |= {"n": np.arange(start, start + len(parts[0])), "truth": parts[0].truth}
            for i, part in enumerate(parts):
                columns |= {f"x{i}_{name[1:]}": values for name, values in part.numbers.items()}
            _append(con, columns, is_first=not start)
            start += len(parts[0])
        yield from _in_parts(con, clustered=True)


def _append(con: Any, columns: dict[str, Any], *, is_first: bool) -> None:
    """Add rows to the table ``joined``."""
    given = {name: values for name, values in columns.items() if values is not None}
    rows = f"SELECT {', '.join(given)} FROM part"
    con.register("part", given)
    con.execute(f"CREATE TABLE joined AS {rows}" if is_first else f"INSERT INTO joined {rows}")
    con.unregister("part")


def _in_parts(con: Any, clustered: bool) -> Iterator[dict[str, Array]]:
    """The rows of the table ``joined`` in parts, sorted by cluster or by their number."""
    order = "cl, n" if clustered else "n"
    con.execute(
        "CREATE TABLE sorted AS SELECT * EXCLUDE (n), row_number() OVER "
        f"(ORDER BY {order}) AS place FROM joined"
    )
    last = "max(place)" if clustered else "place"
    groups = " GROUP BY cl" if clustered else ""
    ends = con.execute(
        f"SELECT max(place) FROM (SELECT {last} AS place FROM sorted{groups}) "
        f"GROUP BY (place - 1) // {_PART} ORDER BY 1"
    ).fetchall()
    start = 0
    for (end,) in ends:
        part = "SELECT * FROM sorted WHERE place > ? AND place <= ? ORDER BY place"
        found = con.execute(part, [start, end]).fetchnumpy()
        yield {name: np.asarray(column) for name, column in found.items()}
        start = end


def _join(
    con: Any,
    files: Sequence[PredictionFile],
    read: Callable[[PredictionFile], Any],
    stored: dict[str, str],
    columns: Sequence[str],
) -> None:
    """Store all files, check that they agree, and make the table ``joined`` of all rows.

    `stored` names the numbers of each row and their types, `columns` what the table has of them.
    """
    for i, file in enumerate(files):
        with closing(read(file)) as rows:
            _store(con, i, file, rows, stored)
    for i in range(1, len(files)):
        refuse_lone_id(con, ("f0", f"f{i}"), (files[0].path, files[i].path))
        _check_alike(con, files, (0, i), "y_true", "truth")
    units = []
    for column, name, _ in _UNITS:
        having = [i for i, file in enumerate(files) if getattr(file.layout, column) is not None]
        for i in having[1:]:
            _check_alike(con, files, (having[0], i), column, name)
        units += [f"f{i}.{name}" for i in having[:1]]
    others = " ".join(f"JOIN f{i} USING (id)" for i in range(1, len(files)))
    con.execute(f"CREATE TABLE joined AS SELECT {', '.join([*units, *columns])} FROM f0 {others}")


@contextmanager
def _database() -> Iterator[Any]:
    import duckdb

    with (
        TemporaryDirectory(prefix="wager-") as folder,
        duckdb.connect(str(Path(folder) / "rows.duckdb")) as con,
    ):
        con.execute(f"SET memory_limit = '{_MEMORY}'")
        yield con


def _store(
    con: Any, i: int, file: PredictionFile, rows: Iterable[Any], stored: dict[str, str]
) -> None:
    types = {"n": "BIGINT", "id": "VARCHAR", "truth": "INTEGER", **stored}
    types |= {name: kind for column, name, kind in _UNITS if getattr(file.layout, column)}
    con.execute(f"CREATE TABLE f{i} ({', '.join(f'{x} {kind}' for x, kind in types.items())})")
    for part in rows:
        assert part.id is not None
        columns = {"n": part.row, "id": part.id}
        columns |= {"truth": part.truth, **part.numbers}
        units = ((name, getattr(part, column)) for column, name, _ in _UNITS)
        columns |= {name: values for name, values in units if values is not None}
        con.register("part", columns)
        con.execute(f"INSERT INTO f{i} SELECT {', '.join(types)} FROM part")
        con.unregister("part")
    refuse_duplicate_id(con, f"f{i}", file.path)


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
