"""Read the columns of a CSV or Parquet file as numbers or labels.

A CSV file is read as text first.  A column whose known values are all numbers becomes numbers, with
decimal commas where the delimiter is a semicolon or a tab; every other column keeps its text.  So a
column does not change its kind because of a value far down in the file, and "yes" or "1/2" stay
labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from wager._tables import (
    BLANKS,
    MISSING_WORDS,
    TextFile,
    as_utf8,
    duckdb_path,
    duckdb_sentence,
    file_dialect,
    irregular_csv,
)
from wager._typing import Array
from wager._visible import in_one_line

__all__ = ["MISSING_TEXTS", "TableFile", "open_table", "read_csv", "read_parquet"]

MISSING_TEXTS = ("", "?", *MISSING_WORDS)  # missing values in a CSV file
Columns = dict[str, Array]

NUMBER = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?(inf|Inf|INF|Infinity)"
WHOLE = r"[-+]?[0-9]{1,18}"
_BLANKS = " || ".join(f"chr({ord(blank)})" for blank in BLANKS)  # as SQL
_MEGABYTES = 400  # DuckDB's memory; larger aggregates go to temporary files
_MEGABYTES_PER_COLUMN = 1


@dataclass(frozen=True, eq=False)
class TableFile:
    """An open CSV or Parquet file: its columns, and the SQL that reads its rows.

    Attributes
    ----------
    path : Path
        What messages call the file.
    names : tuple of str
        The names of the columns.
    types : tuple of str
        Their types in DuckDB; in a CSV file they are text.
    rows : str
        A query for all rows, with columns c0, c1, ...
    values : tuple
        The values of the parameters (question marks) in `rows`.
    text : TextFile, optional
        The text of a CSV file.
    decimal_comma : bool
        Whether a comma in a number of a CSV file is a decimal comma.
    has_rows : bool
        Whether the beginning of the file shows a row, so that reading none is an error.
    """

    path: Path
    names: tuple[str, ...]
    types: tuple[str, ...]
    rows: str
    values: tuple[Any, ...]
    text: TextFile | None = None
    decimal_comma: bool = False
    has_rows: bool = False

    @contextmanager
    def database(self, *, limited: bool = False) -> Iterator[Any]:
        """A connection to an empty database; errors of DuckDB become `ValueError`.

        Parameters
        ----------
        limited : bool
            Whether to use little memory and to write what exceeds it to temporary files.
        """
        with _database(self.path, self.text) as connection, ExitStack() as stack:
            if limited:
                folder = stack.enter_context(TemporaryDirectory(prefix="wager-"))
                connection.execute(f"SET temp_directory = {quoted(folder)}")
                limit = _MEGABYTES + _MEGABYTES_PER_COLUMN * len(self.names)
                connection.execute(f"SET memory_limit = '{limit}MB'")
                connection.execute("SET enable_progress_bar = true")
                connection.execute("SET enable_progress_bar_print = false")
            yield connection

    def cell_sql(self, column: str) -> str:
        """The value of a cell: in a CSV file without blanks around it, NULL if it is missing."""
        if self.text is None:
            return column
        missing = ", ".join(f"'{word}'" for word in MISSING_TEXTS)
        trimmed = f"trim({column}, {_BLANKS})"
        return f"if({trimmed} IN ({missing}), NULL, {trimmed})"

    def number_sql(self, column: str) -> str:
        """The value of a cell of a CSV file as text in which a number has a decimal point."""
        return f"replace({column}, ',', '.')" if self.decimal_comma else column


def open_table(path: Path, wanted: Sequence[str] = ()) -> TableFile:
    """Open a CSV or Parquet file and read its header.

    Parameters
    ----------
    path : Path
        The file; CSV may be compressed, and ``-`` is CSV from standard input.
    wanted : sequence of str
        Names of columns that are expected, from which the delimiter is recognised.
    """
    return _open_parquet(path) if path.suffix.lower() == ".parquet" else _open_csv(path, wanted)


def _open_parquet(path: Path) -> TableFile:
    source = "read_parquet(?, hive_partitioning = false)"
    values = (duckdb_path(path),)
    with _database(path) as connection:
        described = connection.execute(f"DESCRIBE SELECT * FROM {source}", values).fetchall()
    names, types = (tuple(str(row[i]) for row in described) for i in range(2))
    columns = ", ".join(f"c{i}" for i in range(len(names)))
    return TableFile(path, names, types, f"SELECT * FROM {source} AS t({columns})", values)


def _open_csv(path: Path, wanted: Sequence[str]) -> TableFile:
    file = as_utf8(path)
    dialect = file_dialect(file, wanted)
    if not any(name.strip(BLANKS) for name in dialect.names):
        raise ValueError(f"{file.path} has no header: the first line must name the columns")
    names, skip = list(dialect.names), dialect.skip + 1
    skip += sum(name.count("\n") for name in names)
    if len(dialect.first) == len(names) + 1:  # R's row names have no name, or each row ends in ;
        at_end = not dialect.first[-1].strip(BLANKS)
        names = [*names, ""] if at_end else ["", *names]
    cells = [f"c{i}" for i in range(len(names))]
    types = ", ".join(f"'{cell}': 'VARCHAR'" for cell in cells)
    ends = ", new_line = '\\r'" if dialect.line_end == "\r" else ""
    source = (
        f"read_csv(?, delim = '{dialect.delimiter}', columns = {{{types}}}, header = false, "
        f"skip = {skip}, quote = '\"', escape = '\"', auto_detect = false, "
        f"compression = '{file.compression}', hive_partitioning = false, null_padding = false"
        f"{ends})"
    )
    return TableFile(
        file.path,
        _distinct_names(names, file.path),
        ("VARCHAR",) * len(names),
        f"SELECT * FROM {source}",
        (duckdb_path(file.readable),),
        file,
        dialect.decimal_comma,
        any(dialect.first),
    )


def read_csv(path: Path, wanted: Sequence[str] = ()) -> Columns:
    """The columns of a CSV file by name, blanks removed; missing values are masked.

    The parameters are those of `open_table`.
    """
    table = _open_csv(path, wanted)
    with table.database() as connection:
        cells = ", ".join(f"{table.cell_sql(f'c{i}')} AS c{i}" for i in range(len(table.names)))
        connection.execute(
            f"CREATE TABLE cells AS SELECT {cells} FROM ({table.rows})", table.values
        )
        (n_rows,) = connection.execute("SELECT count(*) FROM cells").fetchone()
        if not n_rows and table.has_rows:
            raise ValueError(irregular_csv(table.path))
        return {
            name: typed_column(connection, table, place) for place, name in enumerate(table.names)
        }


def read_parquet(path: Path) -> Columns:
    """The columns of a Parquet file by name; missing values are masked."""
    with _database(path) as connection:
        query = "from read_parquet(?, hive_partitioning = false)"
        found: Columns = connection.execute(query, [duckdb_path(path)]).fetchnumpy()
    for name, values in found.items():
        known = np.ma.compressed(values) if np.ma.isMA(values) else values
        if len(known) and isinstance(known[0], list | dict | np.ndarray):
            raise nested_cells(path, name)
    return found


def nested_cells(path: Path, name: str) -> ValueError:
    """The error for a column whose cells are not single values."""
    return ValueError(
        f"{path}: column {in_one_line(name)} has lists or tables in its cells, but a feature must "
        "be a number or a label: remove the column, or give each entry a column"
    )


@contextmanager
def _database(path: Path, file: TextFile | None = None) -> Iterator[Any]:
    """A connection to an empty database; errors of DuckDB become a `ValueError` of one sentence."""
    import duckdb

    try:
        with duckdb.connect() as connection:
            yield connection
    except duckdb.Error as problem:
        raise ValueError(duckdb_sentence(problem, path, file, is_parquet=file is None)) from None
    except UnicodeDecodeError:  # DuckDB repeats bytes that are not text
        raise (
            ValueError(f"{path} is not UTF-8 text") if file is None else file.wrong_encoding()
        ) from None


def _distinct_names(names: Sequence[str], path: Path) -> tuple[str, ...]:
    """The names without blanks; columns without a name or values are numbered."""
    found: dict[str, int] = {}
    for place, given in enumerate(names):
        name = given.strip(BLANKS) or f"column {place + 1}"
        if name in found:
            raise ValueError(
                f"{path}: the column {in_one_line(name)} occurs more than once: keep one"
            )
        found[name] = place
    return tuple(found)


def typed_column(connection: Any, table: TableFile, place: int) -> Array:
    """A column of the texts in the table ``cells``, as whole numbers, numbers or text."""
    cell = f"c{place}"
    kind = kind_of_text(connection, table, place)
    value = cell if kind == "VARCHAR" else f"CAST({table.number_sql(cell)} AS {kind})"
    found: Array = connection.execute(f"SELECT {value} AS v FROM cells").fetchnumpy()["v"]
    return found


def kind_of_text(connection: Any, table: TableFile, place: int) -> str:
    """BIGINT, DOUBLE or VARCHAR: the kind of a column of the table ``cells``."""
    cell = f"c{place}"
    shape = f"regexp_full_match({table.number_sql(cell)}, '{{}}')"
    (known, whole, numbers) = connection.execute(
        f"SELECT count({cell}), count(*) FILTER ({shape.format(WHOLE)}), "
        f"count(*) FILTER ({shape.format(NUMBER)}) FROM cells"
    ).fetchone()
    return "BIGINT" if whole == known else "DOUBLE" if numbers == known else "VARCHAR"


def quoted(text: str) -> str:
    """Text as an SQL literal, for the few places where DuckDB accepts no parameter."""
    return "'" + text.replace("'", "''") + "'"
