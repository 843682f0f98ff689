"""A prediction file as DuckDB sees it, whatever its format.

Opening a file settles the names and types of its columns and the SQL that reads it.  Behind that
door the columns are called ``c0``, ``c1``, ... in the order of the file: the names in a file are
data (classes called ``a"; --`` or ``A`` beside ``a`` are legal), so none is ever put into SQL, and
whatever else comes from outside is bound to a question mark.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Literal

__all__ = ["Source", "ask", "connect", "file_format", "open_source", "quoted"]

Format = Literal["csv", "json", "parquet", "arrow"]

_FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
_ENDINGS = ".csv (or .csv.gz), .parquet, .jsonl, .arrow or .feather"
_MEGABYTES = 300  # DuckDB's share; larger aggregates go to its temporary files
_MEGABYTES_A_COLUMN = 1  # a file of 2,000 classes needs room for a vector of each
_LONGEST_HEADER = 1 << 22  # characters: 2,000 classes with long names
_LINES_TO_LEARN_FROM = 1000  # JSON lines that tell the keys and types


@dataclass(frozen=True)
class Source:
    """Where the columns of a file are, what they are called, and how SQL reads them.

    Parameters
    ----------
    path : Path
        The file.
    format : {"csv", "json", "parquet", "arrow"}
    names : tuple of str
        The columns, as the file spells them.
    types : tuple of str
        Their DuckDB types; every column of a CSV is text; of JSON Lines, the JSON types that the
        first lines have.
    table : str
        A table expression whose columns are ``c0``, ``c1``, ...
    values : tuple
        What the question marks of `table` stand for.
    """

    path: Path
    format: Format
    names: tuple[str, ...]
    types: tuple[str, ...]
    table: str
    values: tuple[Any, ...]


def file_format(path: Path) -> Format:
    """The format that the ending of a file's name declares.

    Examples
    --------
    >>> file_format(Path("out.csv.gz")), file_format(Path("out.feather"))
    ('csv', 'arrow')
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
        if suffixes and _FORMATS.get(suffixes[-1]) in ("parquet", "arrow"):
            raise ValueError(f"{path}: a {suffixes[-1]} file is compressed inside: leave .gz off")
    if not suffixes or suffixes[-1] not in _FORMATS:
        raise ValueError(f"{path}: cannot tell the format by the name: end it in {_ENDINGS}")
    return _FORMATS[suffixes[-1]]


def open_source(path: str | PathLike[str]) -> Source:
    """Look into a file as far as its columns.

    Raises
    ------
    ValueError
        If there is no such file, or it cannot be read as what its name says.
    """
    file = Path(path)
    if file.is_dir():
        raise ValueError(f"{file} is a folder: name the prediction file in it")
    if not file.exists():
        raise ValueError(f"{file}: no such file")
    kind = file_format(file)
    try:
        if file.stat().st_size == 0:
            raise ValueError(
                f"{file} is empty: it needs a y_true column, one of predictions, and rows"
            )
        opener = {"csv": _open_csv, "json": _open_json, "parquet": _open_parquet}
        source = opener[kind](file) if kind in opener else _open_arrow(file)
    except OSError as problem:
        raise ValueError(f"{file} cannot be read: {problem.strerror or problem}") from None
    return source


@contextmanager
def connect(source: Source | None = None, *, frugal: bool = True) -> Iterator[Any]:
    """A DuckDB of our own for the length of a task; its complaints become `ValueError`.

    A frugal one keeps to little memory and puts what exceeds it into temporary files.
    """
    import duckdb

    with TemporaryDirectory(prefix="wager-") as folder, duckdb.connect() as con:
        con.execute(f"SET temp_directory = {quoted(folder)}")
        if frugal:
            columns = 0 if source is None else len(source.names)
            limit = _MEGABYTES + _MEGABYTES_A_COLUMN * columns
            con.execute(f"SET memory_limit = '{limit}MB'")
        # We join rows to a handful of classes; DuckDB cannot know how many rows a stream has.
        con.execute("SET disabled_optimizers = 'join_order,build_side_probe_side'")
        con.execute("SET enable_progress_bar = true")
        con.execute("SET enable_progress_bar_print = false")
        try:
            yield con
        except (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException):
            raise  # our SQL is wrong, not the file
        except duckdb.Error as problem:
            raise ValueError(_plain_words(source, str(problem))) from None


def ask(con: Any, source: Source, sql: str, *more: Any) -> Any:
    """Put a question to the file: SQL in which the values of its table come first."""
    if source.format == "arrow":
        con.register("arrow_rows", _arrow_batches(source.path))  # a stream, so anew each time
    return con.execute(sql, [*source.values, *more])


def quoted(text: str) -> str:
    """Text as SQL writes it, for the few places where a question mark may not stand."""
    return "'" + text.replace("'", "''") + "'"


def columns_list(n: int) -> str:
    """``c0, c1, ...``: the names that columns have in SQL."""
    return ", ".join(f"c{i}" for i in range(n))


def _open_csv(path: Path) -> Source:
    names, delimiter, line_end = _csv_header(path)
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
    table = (
        f"read_csv(?, delim = '{delimiter}', columns = {{{columns}}}, header = true, quote = '\"', "
        f"escape = '\"', allow_quoted_nulls = false, auto_detect = false{line_end})"
    )
    return Source(path, "csv", names, ("VARCHAR",) * len(names), table, (_literal(path),))


def _csv_header(path: Path) -> tuple[tuple[str, ...], str, str]:
    """The names in the first record, the separator that makes ``y_true`` one, the end of lines."""
    try:
        with _text(path) as stream:
            head = stream.read(_LONGEST_HEADER)
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8 text: save it as UTF-8") from None
    except EOFError:
        raise ValueError(f"{path} cannot be read: the compressed file ends early") from None
    found = {separator: _first_record(head, separator) for separator in ",;\t"}
    best = max(found, key=lambda separator: ("y_true" in found[separator], len(found[separator])))
    names = found[best]
    if not any("\r" in name for name in names):
        return names, best, ""
    # DuckDB takes a quoted carriage return in the header for the end of the line, unless told.
    end = re.search("\r\n|\r|\n", re.sub('"[^"]*"', "", head))
    return names, best, f", new_line = '{repr(end[0])[1:-1]}'" if end else ""


def _first_record(text: str, separator: str) -> tuple[str, ...]:
    try:
        return tuple(next(csv.reader(io.StringIO(text, newline=""), delimiter=separator), ()))
    except csv.Error:
        return ()


def _text(path: Path) -> IO[str]:
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _open_json(path: Path) -> Source:
    lines, file = "read_ndjson_objects(?)", _literal(path)
    with connect(Source(path, "json", (), (), lines, (file,))) as con:
        query = f"SELECT json_keys(json) FROM {lines} LIMIT {_LINES_TO_LEARN_FROM}"
        keys: list[list[str]] = [row[0] for row in con.execute(query, [file]).fetchall()]
        # Every key once, those of the widest line first; twice only if it has it twice.
        widest = max(keys, key=len, default=[])
        known = set(widest)
        names = (*widest, *dict.fromkeys(key for row in keys for key in row if key not in known))
        pointers = ["/" + name.replace("~", "~0").replace("/", "~1") for name in names]
        paths = f"[{', '.join('?' for _ in names)}]"
        query = f"SELECT json_type(json, {paths}) FROM {lines} LIMIT {_LINES_TO_LEARN_FROM}"
        kinds = con.execute(query, [*pointers, file]).fetchall() if names else []
    types = tuple(
        next((kind for kind in column if kind not in (None, "NULL")), "NULL")
        for column in zip(*(row[0] for row in kinds), strict=True)
    )
    columns = ", ".join(f"v[{i + 1}] AS c{i}" for i in range(len(names)))
    table = f"(SELECT {columns} FROM (SELECT json_extract(json, {paths}) AS v FROM {lines}))"
    return Source(path, "json", names, types, table, (*pointers, file))


def _open_parquet(path: Path) -> Source:
    bare = Source(path, "parquet", (), (), "parquet_schema(?)", (_literal(path),))
    with connect(bare) as con:
        names = _top_level(
            ask(con, bare, f"SELECT name, num_children FROM {bare.table}").fetchall()
        )
        named = replace(
            bare, names=names, table=f"read_parquet(?) AS t({columns_list(len(names))})"
        )
        return replace(named, types=_types(con, named))


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


def _open_arrow(path: Path) -> Source:
    names = tuple(_arrow_batches(path).schema.names)
    twice = [name for name in names if names.count(name) > 1]
    if twice:  # Arrow hands out columns by name alone
        raise ValueError(f"{path}: the column {twice[0]} occurs more than once: keep one")
    bare = Source(path, "arrow", names, (), f"arrow_rows AS t({columns_list(len(names))})", ())
    with connect(bare) as con:
        return replace(bare, types=_types(con, bare))


def _arrow_batches(path: Path) -> Any:
    """The record batches of a file, one at a time."""
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
        raise ValueError(f"{path} is no Arrow (Feather) file: {_first_line(problem)}") from None
    batches = (file.get_batch(i) for i in range(file.num_record_batches))
    return pyarrow.RecordBatchReader.from_batches(file.schema, batches)


def _types(con: Any, source: Source) -> tuple[str, ...]:
    described = ask(con, source, f"DESCRIBE SELECT * FROM {source.table}").fetchall()
    return tuple(row[1] for row in described)


def _literal(path: Path) -> str:
    """The path, with the characters escaped that DuckDB would read as a pattern of names."""
    return re.sub(r"([*?\[])", r"[\1]", str(path))


def _first_line(problem: object) -> str:
    line = str(problem).strip().splitlines()[0].rstrip(". ")
    return re.sub(r"^(Invalid Input|IO|Conversion) Error: ", "", line)


def _plain_words(source: Source | None, problem: str) -> str:
    """One sentence out of DuckDB's paragraph."""
    path = "the file" if source is None else source.path
    line = re.search(r"CSV Error on Line: (\d+)", problem)
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", problem)
    if line and columns:
        return (
            f"{path}: line {line[1]} has {columns[2]} fields where the header names {columns[1]}: "
            "give every row a value for each column"
        )
    if line and "unterminated quote" in problem:
        return f"{path}: a quote opens in line {line[1]} and never closes: double quotes in text"
    if line and "unicode" in problem:
        return f"{path}: line {line[1]} is not UTF-8 text: save the file as UTF-8"
    if source is not None and source.format == "parquet":
        return (
            f"{path} is no whole Parquet file ({_first_line(problem)}): it may have been cut "
            "short; write it again"
        )
    return f"{path} cannot be read: {_first_line(problem)}"
