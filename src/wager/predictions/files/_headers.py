"""The header of a prediction file: names and types of its columns, and the SQL that reads it.

There is one function per format; `HEADERS` lists them.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from wager.predictions.files._database import Database, first_line
from wager.predictions.files._formats import Format

__all__ = ["HEADERS", "Header"]

_LONGEST_HEADER = 1 << 22  # characters: 2,000 classes with long names
_JSON_LINES = 1000  # lines of JSON from which names and types are inferred


class Header(NamedTuple):
    """What is known of a file before its rows are read.

    Attributes
    ----------
    names, types : tuple of str
        The columns as the file spells them, and their types (see `FileColumn`).
    table : str
        A table expression whose columns are called ``c0``, ``c1``, ...
    values : tuple
        The values of the parameters (question marks) in `table`.
    stream : callable, optional
        Gives the rows of an Arrow file, which `table` calls ``arrow_rows``.
    """

    names: tuple[str, ...]
    types: tuple[str, ...]
    table: str
    values: tuple[Any, ...] = ()
    stream: Callable[[], Any] | None = None


def _csv_header(path: Path, database: Database) -> Header:
    names, delimiter, line_end = _csv_names(path)
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
    table = (
        f"read_csv(?, delim = '{delimiter}', columns = {{{columns}}}, header = true, quote = '\"', "
        f"escape = '\"', allow_quoted_nulls = false, auto_detect = false{line_end})"
    )
    return Header(names, ("VARCHAR",) * len(names), table, (_literal(path),))


def _csv_names(path: Path) -> tuple[tuple[str, ...], str, str]:
    """The names in the first record, the delimiter that yields ``y_true``, and the line ending."""
    try:
        with _open_text(path) as stream:
            head = stream.read(_LONGEST_HEADER)
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8 text: save it as UTF-8") from None
    except EOFError:
        raise ValueError(f"{path} cannot be read: the compressed file is truncated") from None
    found = {delimiter: _first_record(head, delimiter) for delimiter in ",;\t"}
    best = max(found, key=lambda delimiter: ("y_true" in found[delimiter], len(found[delimiter])))
    names = found[best]
    if not any("\r" in name for name in names):
        return names, best, ""
    # DuckDB takes a quoted carriage return in the header for the end of the line by default.
    end = re.search("\r\n|\r|\n", re.sub('"[^"]*"', "", head))
    return names, best, f", new_line = '{repr(end[0])[1:-1]}'" if end else ""


def _first_record(text: str, delimiter: str) -> tuple[str, ...]:
    try:
        return tuple(next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), ()))
    except csv.Error:
        return ()


def _open_text(path: Path) -> IO[str]:
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _json_header(path: Path, database: Database) -> Header:
    lines, file = "read_ndjson_objects(?)", _literal(path)
    with database.cursor() as con:
        query = f"SELECT json_keys(json) FROM {lines} LIMIT {_JSON_LINES}"
        keys: list[list[str]] = [row[0] for row in con.execute(query, [file]).fetchall()]
        # Every key once, those of the widest line first; a duplicate only if that line has one.
        widest = max(keys, key=len, default=[])
        known = set(widest)
        names = (*widest, *dict.fromkeys(key for row in keys for key in row if key not in known))
        pointers = ["/" + name.replace("~", "~0").replace("/", "~1") for name in names]
        paths = f"[{', '.join('?' for _ in names)}]"
        query = f"SELECT json_type(json, {paths}) FROM {lines} LIMIT {_JSON_LINES}"
        kinds = con.execute(query, [*pointers, file]).fetchall() if names else []
    types = tuple(
        next((kind for kind in column if kind not in (None, "NULL")), "NULL")
        for column in zip(*(row[0] for row in kinds), strict=True)
    )
    columns = ", ".join(f"v[{i + 1}] AS c{i}" for i in range(len(names)))
    table = f"(SELECT {columns} FROM (SELECT json_extract(json, {paths}) AS v FROM {lines}))"
    return Header(names, types, table, (*pointers, file))


def _parquet_header(path: Path, database: Database) -> Header:
    file = _literal(path)
    with database.cursor() as con:
        schema = "SELECT name, num_children FROM parquet_schema(?)"
        names = _top_level(con.execute(schema, [file]).fetchall())
        table = f"read_parquet(?) AS t({_column_list(len(names))})"
        types = _types(con.execute(f"DESCRIBE SELECT * FROM {table}", [file]))
    return Header(names, types, table, (file,))


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


def _arrow_header(path: Path, database: Database) -> Header:
    stream = _arrow_stream(path)
    names = tuple(stream().schema.names)
    duplicates = [name for name in names if names.count(name) > 1]
    if duplicates:  # Arrow finds columns by name only
        raise ValueError(f"{path}: the column {duplicates[0]} occurs more than once: keep one")
    table = f"arrow_rows AS t({_column_list(len(names))})"
    with database.cursor() as con:
        con.register("arrow_rows", stream())
        types = _types(con.execute(f"DESCRIBE SELECT * FROM {table}"))
    return Header(names, types, table, stream=stream)


def _arrow_stream(path: Path) -> Callable[[], Any]:
    """Open an Arrow file; the result gives its record batches, one at a time, on each call."""
    try:
        import pyarrow
        import pyarrow.ipc
    except ImportError:
        raise ValueError(
            f"{path}: reading Arrow files needs pyarrow: install wager[frames], or save the "
            "predictions as Parquet"
        ) from None
    try:
        file = pyarrow.ipc.open_file(str(path))
    except pyarrow.ArrowInvalid as problem:
        raise ValueError(
            f"{path} is not a valid Arrow (Feather) file: {first_line(problem)}"
        ) from None

    def stream() -> Any:
        batches = (file.get_batch(i) for i in range(file.num_record_batches))
        return pyarrow.RecordBatchReader.from_batches(file.schema, batches)

    return stream


def _types(described: Any) -> tuple[str, ...]:
    return tuple(row[1] for row in described.fetchall())


def _column_list(n: int) -> str:
    return ", ".join(f"c{i}" for i in range(n))


def _literal(path: Path) -> str:
    """The path, with the characters escaped that DuckDB would read as a pattern."""
    return re.sub(r"([*?\[])", r"[\1]", str(path))


HEADERS: Mapping[Format, Callable[[Path, Database], Header]] = {
    "csv": _csv_header,
    "json": _json_header,
    "parquet": _parquet_header,
    "arrow": _arrow_header,
}
