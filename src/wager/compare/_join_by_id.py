"""Join the rows of prediction files in different orders by their ids, in a database on disk."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from wager.compare._file_rows import RowOutcomes, disagreement, tally_of_cells
from wager.predictions import PredictionFile
from wager.rewards import PairedTally

Reader = Generator[RowOutcomes, None, None]
_MEMORY = "300MB"  # the rest is kept on disk


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
    import duckdb

    with (
        TemporaryDirectory(prefix="wager-") as folder,
        duckdb.connect(str(Path(folder) / "rows.duckdb")) as con,
    ):
        con.execute(f"SET memory_limit = '{_MEMORY}'")
        for i, file in enumerate(files):
            with closing(read(file)) as rows:
                _store(con, i, file, rows)
        for i in range(1, len(files)):
            _check_ids(con, files, i)
            _check_alike(con, files, 0, i, "y_true", "truth")
        weights = [i for i, file in enumerate(files) if file.layout.weight is not None]
        for i in weights[1:]:
            _check_alike(con, files, weights[0], i, "weight", "w")
        return _count(con, files, weights)


def _store(con: Any, i: int, file: PredictionFile, rows: Reader) -> None:
    con.execute(f"CREATE TABLE f{i} (n BIGINT, id VARCHAR, truth INTEGER, cell INTEGER, w DOUBLE)")
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
        weight = np.ones(len(part)) if part.weight is None else part.weight
        n = np.arange(start + 1, start + len(part) + 1)
        columns = {"n": n, "id": part.id, "truth": part.truth, "cell": part.cell, "w": weight}
        con.register("part", columns)
        con.execute(f"INSERT INTO f{i} SELECT n, id, truth, cell, w FROM part")
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
    con: Any, files: Sequence[PredictionFile], i: int, j: int, column: str, stored: str
) -> None:
    """Raise a ValueError if two files differ in a column that they must share."""
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


def _count(
    con: Any, files: Sequence[PredictionFile], weights: Sequence[int]
) -> dict[tuple[int, int], PairedTally]:
    classes = files[0].classes
    assert classes is not None
    weight = f"f{weights[0]}.w" if weights else "1.0"
    cells = ", ".join(f"f{i}.cell AS c{i}" for i in range(len(files)))
    others = " ".join(f"JOIN f{i} USING (id)" for i in range(1, len(files)))
    con.execute(f"CREATE TABLE joined AS SELECT {weight} AS w, {cells} FROM f0 {others}")
    totals = con.execute("SELECT sum(w * w), bool_and(w = trunc(w)) FROM joined").fetchone()
    squares, whole = float(totals[0]), bool(totals[1])
    counted = {}
    for i, j in combinations(range(len(files)), 2):
        found = con.execute(f"SELECT c{i}, c{j}, sum(w) FROM joined GROUP BY ALL").fetchnumpy()
        first, second, counts = (np.asarray(column) for column in found.values())
        counts = counts.astype(np.int64) if whole else counts
        cells_of = (first.astype(np.int64), second.astype(np.int64))
        counted[i, j] = tally_of_cells(*cells_of, counts, squares, len(classes))
    return counted
