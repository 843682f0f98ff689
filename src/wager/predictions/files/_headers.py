"""The header of a prediction file: names and types of its columns, and the SQL that reads it.

There is one function per format; `HEADERS` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from wager._tables import (
    BLANKS,
    CsvDialect,
    TextFile,
    duckdb_path,
    file_dialect,
    first_line,
    repeated,
    repeated_column,
)
from wager._visible import in_one_line
from wager.predictions.files._arrow_sizes import DamagedPartError, unpacked_sizes
from wager.predictions.files._database import Database
from wager.predictions.files._formats import Format

__all__ = ["HEADERS", "Header"]

_FIRST_LINES = 1 << 22  # characters that are looked at first
_LONGEST_LINE = 1 << 24  # bytes of one row
_JSON_LINES = 1000  # lines of JSON from which names and types are inferred
_NUMBERS = count()  # of the Arrow files that were opened
_ROWS_PER_BYTE = (
    8  # at most, in an Arrow file: columns of nulls take no space, whatever their length
)
_ADDED_BY_ARROW = ("__fragment_index", "__batch_index", "__last_in_fragment", "__filename")


class Header(NamedTuple):
    """What is known of a file before its rows are read.

    Attributes
    ----------
    names, types : tuple of str
        The columns as the file spells them, and their types (see `FileColumn`).
    table : str
        A table expression with these columns, in this order.
    values : tuple
        The values of the parameters (question marks) in `table`.
    stream : callable, optional
        Gives the rows of an Arrow file, which `table` names.
    decimal_comma : bool
        Whether a comma in a number is a decimal comma.
    """

    names: tuple[str, ...]
    types: tuple[str, ...]
    table: str
    values: tuple[Any, ...] = ()
    stream: Callable[[], Any] | None = None
    decimal_comma: bool = False


def _csv_header(file: TextFile, database: Database, wanted: Collection[str]) -> Header:
    dialect = file_dialect(file, wanted)
    names, skip, header = dialect.names, dialect.skip, True
    if len(dialect.first) == len(names) + 1:  # the first row has a field that has no name
        at_end = not dialect.first[-1].strip(BLANKS)  # a delimiter at the end, or R's row names
        skip += 1 + sum(name.count("\n") for name in names)
        names, header = ((*names, "") if at_end else ("", *names)), False
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
    table = (
        f"read_csv(?, delim = '{dialect.delimiter}', columns = {{{columns}}}, header = {header}, "
        f"skip = {skip}, compression = '{file.compression}', quote = '\"', escape = '\"', "
        "allow_quoted_nulls = false, auto_detect = false, hive_partitioning = false, "
        f"max_line_size = {_LONGEST_LINE}, buffer_size = {2 * _LONGEST_LINE}"
        f"{_line_end_sql(dialect)})"
    )
    types = ("VARCHAR",) * len(names)
    for other in file.more:
        also = file_dialect(other, wanted)
        _refuse_other_columns(file.path, dialect.names, other.path, also.names)
        alike = replace(also, first=dialect.first) == dialect
        if not alike or other.compression != file.compression:
            raise ValueError(
                f"{file.path}: {other.path} is another kind of CSV than the first file: use one "
                "delimiter, one kind of line ends and one compression for all files"
            )
    return Header(names, types, table, (_paths(file),), decimal_comma=dialect.decimal_comma)


def _line_end_sql(dialect: CsvDialect) -> str:
    """The line end, where DuckDB would take a carriage return for something else."""
    if dialect.line_end != "\r" and not any("\r" in name for name in dialect.names):
        return ""
    return f", new_line = '{repr(dialect.line_end)[1:-1]}'" if dialect.line_end else ""


def _json_header(file: TextFile, database: Database, wanted: Collection[str]) -> Header:
    file.head(_FIRST_LINES)  # refuses text that is not UTF-8
    # DuckDB 1.4 does not know "none" here
    compression = "uncompressed" if file.compression == "none" else file.compression
    lines = (
        f"read_ndjson_objects(?, compression = '{compression}', hive_partitioning = false, "
        f"maximum_object_size = {_LONGEST_LINE})"
    )
    path = _paths(file)
    with database.cursor() as con:
        query = f"SELECT json_keys(json) FROM {lines} LIMIT {_JSON_LINES}"
        keys: list[list[str]] = [row[0] for row in con.execute(query, [path]).fetchall()]
        # Every key once, those of the widest line first; a duplicate only if that line has one.
        widest = max(keys, key=len, default=[])
        known = set(widest)
        names = (*widest, *dict.fromkeys(key for row in keys for key in row if key not in known))
        pointers = ["/" + name.replace("~", "~0").replace("/", "~1") for name in names]
        paths = f"[{', '.join('?' for _ in names)}]"
        query = f"SELECT json_type(json, {paths}) FROM {lines} LIMIT {_JSON_LINES}"
        kinds = con.execute(query, [*pointers, path]).fetchall() if names else []
    types = tuple(
        next((kind for kind in column if kind not in (None, "NULL")), "NULL")
        for column in zip(*(row[0] for row in kinds), strict=True)
    )
    columns = ", ".join(f"v[{i + 1}] AS c{i}" for i in range(len(names)))
    table = f"(SELECT {columns} FROM (SELECT json_extract(json, {paths}) AS v FROM {lines}))"
    return Header(names, types, table, (*pointers, path))


def _parquet_header(file: TextFile, database: Database, wanted: Collection[str]) -> Header:
    path, first = _paths(file), duckdb_path(file.readable)
    folders = _partitions(file)
    with database.cursor() as con:
        schema = "SELECT name, num_children FROM parquet_schema(?)"
        names = _top_level(con.execute(schema, [first]).fetchall())
        for other in file.more:
            also = con.execute(schema, [duckdb_path(other.readable)]).fetchall()
            _refuse_other_columns(file.path, names, other.path, _top_level(also))
        if names_in_both := [name for name in folders if name in names]:
            raise ValueError(
                f"{file.path}: {in_one_line(names_in_both[0])} is a column of the files and a "
                "folder: rename one"
            )
        hive = f"{bool(folders)}, hive_types_autocast = false" if folders else "false"
        table = f"read_parquet(?, hive_partitioning = {hive})"
        types = _types(con.execute(f"DESCRIBE SELECT * FROM {table}", [path]))
        if outer := len(types) - len(names) - len(folders):  # folders around the named one
            found = con.execute(f"DESCRIBE SELECT * FROM {table}", [path]).fetchall()
            others = [row[0] for row in found[len(names) :] if row[0] not in folders]
            assert len(others) == outer
            excluded = ", ".join('"' + name.replace('"', '""') + '"' for name in others)
            table = f"(SELECT * EXCLUDE ({excluded}) FROM {table})"
            types = _types(con.execute(f"DESCRIBE SELECT * FROM {table}", [path]))
    return Header((*names, *folders), types, table, (path,))


def _paths(file: TextFile) -> str | list[str]:
    """The file, or all files that are read one after the other, as a parameter of SQL."""
    first = duckdb_path(file.readable)
    return [first, *(duckdb_path(other.readable) for other in file.more)] if file.more else first


def _partitions(file: TextFile) -> list[str]:
    """The columns that folders such as ``day=2026-01-01`` name, below the folder of all files."""
    if not file.path.is_dir():
        return []
    inside = file.readable.relative_to(file.path).parent
    return sorted(part.split("=")[0] for part in inside.parts if "=" in part)


def _refuse_other_columns(
    path: Path, names: Sequence[str], other: Path, others: Sequence[str]
) -> None:
    """Raise if one of several files has other columns than the first, or in another order."""
    if tuple(names) == tuple(others):
        return
    lacks = [name for name in names if name not in others]
    extra = [name for name in others if name not in names]
    what = (
        f"has no column {in_one_line(lacks[0])}"
        if lacks
        else f"has a column {in_one_line(extra[0])} that the first file lacks"
        if extra
        else "has its columns in another order"
    )
    raise ValueError(f"{path}: {other} {what}: give all files the same columns")


def _top_level(schema: Sequence[tuple[str, int | None]]) -> tuple[str, ...]:
    """The columns themselves, from a Parquet schema that lists their parts after each."""

    def end(place: int) -> int:
        after = place + 1
        for _ in range(schema[place][1] or 0):
            after = end(after)
        return after

    names, place = [], 1
    while place < len(schema):
        names.append(schema[place][0])
        place = end(place)
    return tuple(names)


def _arrow_header(file: TextFile, database: Database, wanted: Collection[str]) -> Header:
    names, stream = _arrow_stream(file.path, file.readable)
    table = f"arrow_rows_{next(_NUMBERS)}"  # its own, because one query may read several files
    with database.cursor() as con:
        con.register(table, stream())
        types = _types(con.execute(f"DESCRIBE SELECT * FROM {table}"))
    return Header(names, types, table, stream=stream)


def _arrow_stream(path: Path, readable: Path) -> tuple[tuple[str, ...], Callable[[], Any]]:
    """Open an Arrow file and check it: the names of its columns, and what gives its rows anew.

    DuckDB trusts the lengths in a file, so every record batch is checked in full before.  Its
    threads must need nothing of Python after that: while it closes a query, it can wait for them
    and keep Python's lock, for which they would wait.

    Messages call it `path`.
    """
    try:
        import pyarrow
        import pyarrow.dataset
        import pyarrow.ipc
    except ImportError:
        raise ValueError(
            f"{path}: reading Arrow files needs pyarrow: install wager[frames], or save the "
            "predictions as Parquet"
        ) from None
    try:
        content = pyarrow.memory_map(str(readable.absolute())).read_buffer()
        file = pyarrow.ipc.open_file(content)
    except (pyarrow.ArrowException, OSError) as problem:
        raise ValueError(
            f"{path} is not a valid Arrow (Feather) file: {first_line(problem)}"
        ) from None
    names = tuple(file.schema.names)
    if twice := repeated(names):  # Arrow finds columns by name only
        raise repeated_column(twice[0], path)
    reserved = next((name for name in names if name in _ADDED_BY_ARROW), None)
    if reserved is not None:
        raise ValueError(
            f"{path}: Arrow uses the name of the column {reserved} itself: rename or drop it"
        )
    _require_bounded_batches(path, readable)
    for i in range(file.num_record_batches):
        try:
            batch = file.get_batch(i)
            batch.validate(full=True)
        except (pyarrow.ArrowException, OSError) as problem:
            raise ValueError(_damaged(path, i, first_line(problem))) from None
        # not nbytes, which PyArrow 16 cannot count for the strings of polars
        if batch.num_rows > _ROWS_PER_BYTE * batch.get_total_buffer_size():
            raise ValueError(_damaged(path, i, "more rows than its size allows"))
    format = pyarrow.dataset.IpcFileFormat()
    fragments = [format.make_fragment(content)]
    rows = pyarrow.dataset.FileSystemDataset(fragments, file.schema, format)
    # one batch after the other, since each may be large
    ahead = {"batch_readahead": 1, "fragment_readahead": 1, "use_threads": False}
    return names, lambda: rows.scanner(**ahead).to_reader()


def _damaged(path: Path, batch: int, what: str) -> str:
    what = what.partition(". Detail:")[0]
    return (
        f"{path} is a damaged Arrow file (invalid record batch {batch + 1}: {what}): write it again"
    )


def _require_bounded_batches(
    path: Path, readable: Path, least: int = 1 << 28, ratio: int = 100
) -> None:
    """Refuse batches that expand to more than `least` bytes and to `ratio` times the file."""
    try:
        dictionaries, batches = unpacked_sizes(readable)
    except DamagedPartError as problem:
        raise ValueError(f"{path} is not a valid Arrow (Feather) file: {problem}") from None
    most = max(least, ratio * readable.stat().st_size)
    largest = dictionaries + max(batches, default=0)
    if largest > most:
        raise ValueError(
            f"{path}: a record batch expands to {largest / 1e6:.0f} MB, over {ratio} times the "
            "size of the file: write it in smaller batches, or without compression"
        )


def _types(described: Any) -> tuple[str, ...]:
    return tuple(row[1] for row in described.fetchall())


HeaderReader: TypeAlias = Callable[[TextFile, Database, Collection[str]], Header]
# By format: reads the header of a file, in which columns of the wanted names are expected.
HEADERS: Mapping[Format, HeaderReader] = {
    "csv": _csv_header,
    "json": _json_header,
    "parquet": _parquet_header,
    "arrow": _arrow_header,
}
