"""The rows of a CSV or Parquet file on disk, in parts that fit into memory.

Rows stay on disk: DuckDB counts them, or reads a range of them.  A CSV file is read once, into a
temporary Parquet file with the same cells, from which columns and ranges of rows can be read
without reading everything; the temporary file needs free space below the folder for temporary files
(``TMPDIR``), and is deleted at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from wager._tables import duckdb_path, irregular_csv
from wager._typing import Array
from wager.predictions import run_with_progress
from wager.prepare._table_files import TableFile, nested_cells, quoted

__all__ = ["DiskRows", "Progress", "rows_on_disk"]

Progress: TypeAlias = Callable[[float], None]
_NESTED = ("STRUCT", "MAP", "UNION", "VARIANT")


@dataclass(frozen=True, eq=False)
class DiskRows:
    """The rows of an open file, in a database that uses little memory.

    Attributes
    ----------
    table : TableFile
        The file.
    connection : DuckDBPyConnection
    path : Path
        The Parquet file that is read.
    n_rows : int
        The number of rows of the file.
    span : (int, int), optional
        The first row that is read, from 0, and the one after the last; by default all are read.
    """

    table: TableFile
    connection: Any
    path: Path
    n_rows: int
    span: tuple[int, int] | None = None

    @property
    def source(self) -> str:
        """A table expression with columns c0, c1, ... and the number of the row, n, from 0."""
        columns = ", ".join(f"c{i}" for i in range(len(self.table.names)))
        file = quoted(duckdb_path(self.path))
        every = (
            f"read_parquet({file}, hive_partitioning = false, file_row_number = true) "
            f"AS t({columns}, n)"
        )
        if self.span is None:
            return every
        start, end = self.span
        return f"(SELECT * FROM {every} WHERE n >= {start} AND n < {end}) AS t"

    def place(self, name: str) -> int:
        """The number of a column; cells that are not single values are an error."""
        place = self.table.names.index(name)
        kind = self.table.types[place]
        if kind.endswith("]") or kind.startswith(_NESTED):
            raise nested_cells(self.table.path, name)
        return place

    def known(self, place: int) -> str:
        """A condition: the value of a column is not missing."""
        is_float = self.table.types[place] in ("FLOAT", "DOUBLE")
        return f"c{place} IS NOT NULL" + (f" AND NOT isnan(c{place})" if is_float else "")

    def ask(self, query: str, progress: Progress | None = None) -> dict[str, Array]:
        """The columns of the result of a query, some of them masked."""
        found: dict[str, Array] = run_with_progress(
            self.connection, lambda: self.connection.execute(query), progress
        ).fetchnumpy()
        return found

    def ranges(
        self, columns: Sequence[str], step: int, where: str = "true"
    ) -> Iterator[dict[str, Array]]:
        """Expressions of the columns (``c0 AS x``), for some rows at a time, in order."""
        chosen = ", ".join(columns)
        first, after = self.span or (0, self.n_rows)
        for start in range(first, after, step):
            end = min(start + step, after)
            yield self.ask(
                f"SELECT {chosen} FROM {self.source} WHERE n >= {start} AND n < {end} AND {where}"
            )


@contextmanager
def rows_on_disk(table: TableFile, progress: Progress | None = None) -> Iterator[DiskRows]:
    """Open the rows of a file; a CSV file is first read into a temporary Parquet file."""
    with table.database(limited=True) as connection, TemporaryDirectory(prefix="wager-") as folder:
        path = Path(str(table.path))
        if table.text is not None:
            path = Path(folder) / "rows.parquet"
            copy = f"COPY ({table.rows}) TO {quoted(str(path))} (FORMAT parquet)"
            run_with_progress(connection, lambda: connection.execute(copy, table.values), progress)
        count = "SELECT count(*) FROM read_parquet(?, hive_partitioning = false)"
        (n_rows,) = connection.execute(count, [duckdb_path(path)]).fetchone()
        if not n_rows and table.has_rows:
            raise ValueError(irregular_csv(table.path))
        yield DiskRows(table, connection, path, int(n_rows))
