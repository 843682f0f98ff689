"""Read the columns of a CSV or Parquet file as numbers or labels.

A CSV file is read as text first.  A column whose known values are all numbers becomes numbers, with
decimal commas where the delimiter is a semicolon or a tab; every other column keeps its text.  So a
column does not change its kind because of a value far down in the file, and "yes" or "1/2" stay
labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from decimal import Decimal
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
    refuse_many_rows,
    repeated,
    repeated_column,
)
from wager._typing import Array
from wager._visible import in_one_line

__all__ = ["MISSING_TEXTS", "TableFile", "open_table", "read_csv", "read_parquet"]

MISSING_TEXTS = ("", "?", *MISSING_WORDS)  # missing values in a CSV file
Columns = dict[str, Array]

NUMBER = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?(inf|Inf|INF|Infinity)"
_EXACT_DIGITS = 15  # numbers with so many digits at most are different doubles
WHOLE = r"[-+]?[0-9]{1,18}"
_BLANKS = " || ".join(f"chr({ord(blank)})" for blank in BLANKS)  # as SQL
_MEGABYTES = 400  # DuckDB's memory; larger aggregates go to temporary files
_MEGABYTES_PER_COLUMN = 1
_INSTEAD = "keep fewer rows, or leave them on disk (fit_file, wager fit --rows disk)"


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
    if ".arff" in map(str.lower, path.suffixes):
        raise ValueError(
            f"{path}: the rows of an ARFF file cannot stay on disk: read it with load_dataset, "
            "leave out --rows disk, or save it as CSV or Parquet"
        )
    return _open_parquet(path) if path.suffix.lower() == ".parquet" else _open_csv(path, wanted)


def _open_parquet(path: Path) -> TableFile:
    source = "read_parquet(?, hive_partitioning = false)"
    values = (duckdb_path(path),)
    with _database(path) as connection:
        described = connection.execute(f"DESCRIBE SELECT * FROM {source}", values).fetchall()
        schema = connection.execute(
            "SELECT name, num_children FROM parquet_schema(?)", values
        ).fetchall()
    shown, types = (tuple(str(row[i]) for row in described) for i in range(2))
    names = _names_in_file(schema, shown, path)
    columns = ", ".join(f"c{i}" for i in range(len(names)))
    return TableFile(path, names, types, f"SELECT * FROM {source} AS t({columns})", values)


def _names_in_file(
    schema: Sequence[tuple[str, int | None]], shown: Sequence[str], path: Path
) -> tuple[str, ...]:
    """The names of the columns as the file writes them.

    DuckDB adds a number to a name that differs from another one only by case, or not at all.
    """
    names: list[str] = []
    inner = 0  # fields of the last column that follow
    for name, children in schema[1 : _end_of_tree(schema)]:
        if not inner:
            names.append(name)
        inner = max(inner - 1, 0) + (children or 0)
    if len(names) != len(shown):
        return tuple(shown)
    if twice := repeated(names):
        raise repeated_column(twice[0], path)
    return tuple(name or other for name, other in zip(names, shown, strict=True))


def _end_of_tree(schema: Sequence[tuple[str, int | None]]) -> int:
    """The number of entries of the first file of a schema that lists the entries of each file."""
    missing = 1
    for place, (_, children) in enumerate(schema):
        missing += (children or 0) - 1
        if not missing:
            return place + 1
    return len(schema)


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

    The parameters are those of `open_table`; the wanted columns are read as `class_column` does.
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
        refuse_many_rows(n_rows, len(table.names), table.text or path, _INSTEAD)
        return {
            name: (class_column if name in wanted else typed_column)(connection, table, place)
            for place, name in enumerate(table.names)
        }


def read_parquet(path: Path, wanted: Sequence[str] = ()) -> Columns:
    """The columns of a Parquet file by name; missing values are masked.

    Different values of the wanted columns stay different.
    """
    table = _open_parquet(path)
    with table.database() as connection:
        (n_rows,) = connection.execute(
            f"SELECT count(*) FROM ({table.rows})", table.values
        ).fetchone()
        refuse_many_rows(n_rows, len(table.names), path, _INSTEAD)
        cells = ", ".join(
            f"CAST(c{i} AS {_exact_type(connection, table, i)}) AS c{i}"
            if name in wanted and is_rounded(connection, table, i)
            else f"c{i}"
            for i, name in enumerate(table.names)
        )
        query = f"SELECT {cells} FROM ({table.rows})"
        read = connection.execute(query, table.values).fetchnumpy()
    found: Columns = {name: read[f"c{i}"] for i, name in enumerate(table.names)}
    for name, values in found.items():
        known = np.ma.compressed(values) if np.ma.isMA(values) else values
        if len(known) and isinstance(known[0], list | dict | np.ndarray):
            raise nested_cells(path, name)
    return found


def is_rounded(connection: Any, table: TableFile, place: int) -> bool:
    """Whether a column of a Parquet file has decimals or large integers that no double is."""
    cell, kind = f"c{place}", table.types[place]
    if not kind.startswith(("DECIMAL", "HUGEINT", "UHUGEINT")):
        return False
    back = f"TRY_CAST(CAST({cell} AS DOUBLE) AS {kind})"
    (rounded,) = connection.execute(
        f"SELECT count(*) FROM ({table.rows}) WHERE {back} IS DISTINCT FROM {cell}", table.values
    ).fetchone()
    return bool(rounded)


def require_exact(connection: Any, table: TableFile, place: int) -> None:
    """Refuse a column of classes of a Parquet file, read in parts, that doubles would round."""
    if table.text is None and is_rounded(connection, table, place):
        raise ValueError(
            f"{table.path}: column {in_one_line(table.names[place])} has classes of type "
            f"{table.types[place]} that a double would round: write them as text"
        )


def _exact_type(connection: Any, table: TableFile, place: int) -> str:
    """A type with all values of a column of decimals that NumPy has too, else text."""
    cell = f"c{place}"
    if table.types[place].endswith((",0)", "HUGEINT")):
        for kind in ("BIGINT", "UBIGINT"):
            (lost,) = connection.execute(
                f"SELECT count(*) FROM ({table.rows}) "
                f"WHERE {cell} IS NOT NULL AND TRY_CAST({cell} AS {kind}) IS NULL",
                table.values,
            ).fetchone()
            if not lost:
                return kind
    return "VARCHAR"


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
    found = tuple(name.strip(BLANKS) or f"column {i}" for i, name in enumerate(names, start=1))
    if twice := repeated(found):
        raise repeated_column(twice[0], path)
    return found


def typed_column(connection: Any, table: TableFile, place: int) -> Array:
    """A column of the texts in the table ``cells``, as whole numbers, numbers or text."""
    cell = f"c{place}"
    kind = kind_of_text(connection, table, place)
    value = cell if kind == "VARCHAR" else f"CAST({table.number_sql(cell)} AS {kind})"
    found: Array = connection.execute(f"SELECT {value} AS v FROM cells").fetchnumpy()["v"]
    return found


def class_column(connection: Any, table: TableFile, place: int) -> Array:
    """A column of classes of the table ``cells``: as `typed_column`, but different numbers differ.

    Classes that doubles would round are integers or texts as `rounded_classes` gives them.
    """
    labels = rounded_classes(connection, table, place)
    if labels is None:
        return typed_column(connection, table, place)
    texts = connection.execute(f"SELECT c{place} AS v FROM cells").fetchnumpy()["v"]
    missing = np.ma.getmaskarray(texts)
    known = [labels[text] for text in np.ma.getdata(texts)[~missing]]
    column = np.ma.masked_all(len(missing), dtype=_integer_type(labels.values()) or object)
    column[~missing] = known
    return column


def rounded_classes(connection: Any, table: TableFile, place: int) -> dict[str, Any] | None:
    """The class of each text of a column of the table ``cells``; None where doubles lose nothing.

    Whole numbers of 64 bits that a double would round are integers.  Other numbers of which a
    double would make one are texts; texts of the same number are one class, the shortest of them.
    """
    if kind_of_text(connection, table, place) != "DOUBLE":
        return None
    cell = f"c{place}"
    number = table.number_sql(cell)
    is_long = f"length({cell}) > {_EXACT_DIGITS} OR abs(CAST({number} AS DOUBLE)) >= {2**53}"
    (some,) = connection.execute(f"SELECT bool_or({is_long}) FROM cells").fetchone()
    if not some:
        return None
    found = connection.execute(
        f"SELECT DISTINCT {cell}, {number} FROM cells WHERE {cell} IS NOT NULL"
    ).fetchall()
    numbers = {text: _exact_number(written) for text, written in found}
    values = set(numbers.values())
    if all(map(_is_short_integer, values)):
        integers = {text: int(value) for text, value in numbers.items()}
        is_same = all(float(value) == value for value in integers.values())
        if not is_same and _integer_type(integers.values()) is not None:
            return integers
    if len(set(map(float, values))) == len(values):
        return None
    shortest: dict[Decimal, str] = {}
    for text in sorted(numbers, key=lambda text: (len(text), text)):
        shortest.setdefault(numbers[text], text)
    return {text: shortest[value] for text, value in numbers.items()}


def _is_short_integer(value: Decimal) -> bool:
    return value.is_finite() and value.adjusted() < 20 and value == value.to_integral_value()


def _exact_number(text: str) -> Decimal:
    try:
        return Decimal(text)
    except ArithmeticError:  # an exponent of more than 18 digits
        return Decimal(float(text))


def _integer_type(values: Iterable[Any]) -> type | None:
    """The type of an array that holds all these integers; None if there is none, or for texts."""
    listed = list(values)
    if all(isinstance(value, int) for value in listed):
        for kind in (np.int64, np.uint64):
            if np.iinfo(kind).min <= min(listed) and max(listed) <= np.iinfo(kind).max:
                return kind
    return None


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
