"""Parts of a Parquet file of training rows, which the workers of a cluster count.

Counts of parts add up to the counts of the whole, so each worker counts some row groups of the file
with the functions that count a whole file on one machine.  A CSV file is not divided.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from wager._tables import duckdb_path, row_ranges
from wager.prepare._disk_rows import DiskRows, rows_on_disk
from wager.prepare._table_files import open_table

__all__ = ["RowsPart", "row_parts"]

_NUMBERS = 1 << 26  # cells of a part, about
_PARTS = 1024  # at most, so that a scheduler has little to do


@dataclass(frozen=True)
class RowsPart:
    """Some rows of a Parquet file.

    Parameters
    ----------
    path : Path
        Where every machine finds the file.
    span : (int, int)
        The first row, from 0, and the one after the last.
    """

    path: Path
    span: tuple[int, int]

    @contextmanager
    def open(self) -> Iterator[DiskRows]:
        """The rows, which DuckDB reads with one thread."""
        if not self.path.exists():
            raise ValueError(
                f"{self.path}: there is no such file on a Dask worker: all workers must find it "
                "under this path"
            )
        with rows_on_disk(open_table(self.path)) as rows:
            rows.connection.execute("SET threads = 1")
            yield replace(rows, span=self.span)


def row_parts(rows: DiskRows) -> list[RowsPart]:
    """The parts of a file, in the order of its rows; none of a file that cannot be divided."""
    if rows.table.text is not None or not rows.n_rows:
        return []
    sizes = rows.connection.execute(
        "SELECT any_value(row_group_num_rows) AS n FROM parquet_metadata(?) GROUP BY row_group_id "
        "ORDER BY row_group_id",
        [duckdb_path(rows.path)],
    ).fetchnumpy()["n"]
    wanted = _NUMBERS // max(len(rows.table.names), 1)
    spans = row_ranges(np.asarray(sizes), wanted, _PARTS)
    return [RowsPart(rows.path.absolute(), span) for span in spans]
