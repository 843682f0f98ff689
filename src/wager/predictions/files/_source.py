"""A prediction file as DuckDB sees it, independent of its format.

Opening a file determines the names and types of its columns and the SQL that reads it.  In SQL the
columns are called ``c0``, ``c1``, ... in the order of the file: the names in a file are data
(classes called ``a"; --`` or ``A`` beside ``a`` are legal), so no name becomes part of SQL, and all
other values from outside are passed as parameters.

A file is opened once.  Everything that is read from it afterwards goes through the same source and
the same database.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from wager._tables import (
    BLANKS,
    MISSING_WORDS,
    STANDARD_INPUT,
    TextFile,
    as_utf8,
    reading,
    repeated_column,
)
from wager._typing import Array
from wager._visible import shortened
from wager.predictions.files._column_names import ColumnNames
from wager.predictions.files._columns import FileColumn
from wager.predictions.files._database import Database
from wager.predictions.files._formats import Format, content_format, file_format
from wager.predictions.files._headers import HEADERS
from wager.predictions.files._places import Places, find_places
from wager.predictions.files._suggestions import suggest_column

__all__ = [
    "FileSession",
    "FileSource",
    "KeptRows",
    "Progress",
    "has_pyarrow",
    "open_source",
    "run_with_progress",
]

Progress: TypeAlias = Callable[[float], None]
_NUMBERS_OF_ARROW = ("double", "float", "int8", "int16", "int32", "int64")
_TICK = 0.1  # seconds between two reports of progress
_HEAD = 4096  # bytes that show the format of standard input
_NUMBERS = count()  # of the tables of rows that are left out
_MOST_COLUMNS = 20_000  # the time that DuckDB needs for a query grows with their square
_SHOWN = 8  # names of columns in an error message


@dataclass(frozen=True, eq=False)
class FileSource:
    """An open prediction file: its columns, and how SQL reads them.

    Parameters
    ----------
    path : Path
        What messages call the file.
    columns : tuple of FileColumn
        Its columns, in the order of the file.
    rows : str
        A table expression with these columns, in this order.
    values : tuple
        The values of the parameters (question marks) in `rows`.
    stream : callable or None
        Gives the rows of an Arrow file, of which `rows` is the name.
    database : Database
        Runs the queries.
    called : ColumnNames
        What the file calls the columns that have a role.
    file : TextFile
        The file that is read, which may be a temporary copy.
    prefix : str
        How the names of its columns begin in SQL.
    skipped : int
        The number of rows of the file before the first one that is read.
    """

    path: Path
    columns: tuple[FileColumn, ...]
    rows: str
    values: tuple[Any, ...]
    stream: Callable[[], Any] | None
    database: Database
    called: ColumnNames
    file: TextFile
    prefix: str = ""
    skipped: int = 0

    @cached_property
    def table(self) -> str:
        """The rows as a table whose columns are called ``c0``, ``c1``, ..., after `prefix`."""
        cells = ", ".join(column.cell for column in self.columns)
        return f"{self.rows} AS {self.prefix}t({cells})"

    @property
    def is_plain_text(self) -> bool:
        """Whether its rows cannot take much more space than the file."""
        binary = self.columns[0].format in ("parquet", "arrow")
        return not (binary or self.file.copies or self.file.compression != "none")

    def with_prefix(self, prefix: str) -> FileSource:
        """The same open file, whose columns have other names in SQL."""
        columns = tuple(replace(column, prefix=prefix) for column in self.columns)
        return replace(self, columns=columns, prefix=prefix)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns as the file spells them."""
        return tuple(column.name for column in self.columns)

    @property
    def shown_names(self) -> tuple[str, ...]:
        """The names of the columns, each in one line, for error messages."""
        return tuple(column.shown for column in self.columns)

    @property
    def some_names(self) -> str:
        """The names of the first columns, for error messages."""
        shown = ", ".join(self.shown_names[:_SHOWN])
        n = len(self.columns)
        return shown if n <= _SHOWN else f"{shown}, ... ({n} in total)"

    def find(self, role: str) -> FileColumn | None:
        """The column with this role, such as ``y_true``, or None; a duplicate is an error."""
        name = self.called.names.get(role)
        found = self._named(name) if name is not None else None
        if name is not None and found is None and not self.called.lenient:
            raise self._absent(name, role)
        if found is None and not self.called.is_taken(role):
            found = self._named(role)
        return found

    def refuse_absent(self) -> None:
        """Raise if a column of predictions that was named is not in the file."""
        for role in ("y_pred", "set"):
            name = self.called.names.get(role)
            if name is not None and self._named(name) is None:
                raise self._absent(name, role)

    def _absent(self, name: str, role: str) -> ValueError:
        return ValueError(
            f"{self.path}: there is no column {shortened(name)} among {self.some_names}: "
            f"{suggest_column(name, role, self.shown_names)}"
        )

    def _named(self, name: str) -> FileColumn | None:
        found = [column for column in self.columns if column.name == name]
        if len(found) > 1:
            raise repeated_column(name, self.path)
        return found[0] if found else None

    def class_columns(self, role: str) -> dict[str, FileColumn]:
        """The columns of a role such as ``p:`` by class, in the order of the file."""
        prefix = self.called.names.get(role)
        found = self._prefixed(prefix) if prefix is not None else {}
        if prefix is not None and not found and not self.called.lenient:
            raise ValueError(
                f"{self.path}: there is no column that begins with {shortened(prefix)} "
                f"among {self.some_names}"
            )
        return found or self._prefixed(role)

    def known_class_columns(self, role: str) -> dict[str, FileColumn]:
        """The same; a class whose name means a missing value, and is not declared, is an error."""
        found = self.class_columns(role)
        for label, column in found.items():
            if label in column.missing:
                raise ValueError(
                    f"{self.path}: the column {column.shown} names the class {label!r}, which "
                    "means a missing value in y_true: list it with all other classes in classes= "
                    "(--classes)"
                )
        return found

    def _prefixed(self, prefix: str) -> dict[str, FileColumn]:
        found: dict[str, FileColumn] = {}
        for column in self.columns:
            if not column.name.startswith(prefix) or self.called.is_taken(column.name):
                continue
            label = column.name.removeprefix(prefix).strip(BLANKS)
            if label in found:
                raise repeated_column(column.name, self.path)
            found[label] = column
        return found

    @contextmanager
    def session(
        self, kept: KeptRows | None = None, *, limited: bool = True, megabytes: int = 0
    ) -> Iterator[FileSession]:
        """A session for queries; errors of DuckDB become `ValueError`.

        Parameters
        ----------
        kept : KeptRows, optional
            The rows that are read; by default all.
        limited : bool
            Whether to use little memory and to write what exceeds it to temporary files.
        megabytes : int
            Memory beyond the usual little.
        """
        with self.database.cursor(limited=limited, megabytes=megabytes) as con:
            yield FileSession(self, con, kept)


@dataclass(frozen=True, eq=False)
class KeptRows:
    """Which rows of a file are read.

    Attributes
    ----------
    key : str
        The number or the id of a row, in SQL.
    left_out : ndarray
        The keys of the rows that are not read; a row without a key is not read either.
    by_id : bool
        Whether the keys are ids.
    table : str
        The name of a table in SQL for these keys.
    """

    key: str
    left_out: Array
    by_id: bool
    table: str = field(default_factory=lambda: f"left_out_{next(_NUMBERS)}")

    @property
    def sql(self) -> str:
        """The condition for a row to be read."""
        return f"coalesce({self.key} NOT IN (SELECT key FROM {self.table}), false)"


@dataclass(frozen=True, eq=False)
class FileSession:
    """Queries on one file, with temporary tables that no other session sees."""

    source: FileSource
    con: Any
    kept: KeptRows | None = None

    @property
    def numbered(self) -> str:
        """The rows that are read, with their numbers ``n`` in the file, from 1."""
        before = f"{self.source.skipped} + " if self.source.skipped else ""
        number = f"{before}row_number() OVER () AS {self.source.prefix}n"
        every = f"(SELECT {number}, * FROM {self.source.table})"
        return every if self.kept is None else f"(SELECT * FROM {every} WHERE {self.kept.sql})"

    @property
    def table(self) -> str:
        """The rows that are read."""
        return self.source.table if self.kept is None else self.numbered

    def ask(self, sql: str, *values: Any) -> Any:
        """Run SQL in which the parameters of the file's table come first."""
        self.prepare()
        return self.con.execute(sql, [*self.source.values, *values])

    def prepare(self) -> None:
        """Provide what the SQL of the rows refers to, for the next query."""
        if self.source.stream is not None:  # a stream can be read once only
            self.con.register(self.source.rows, self.source.stream())
        if self.kept is not None:
            self.con.register(self.kept.table, {"key": self.kept.left_out})

    def stream(self, sql: str, rows: int, progress: Progress | None) -> Iterator[dict[str, Array]]:
        """The columns of the rows that SQL gives, so many rows at a time; needs pyarrow."""
        self.prepare()
        found = self.con.sql(sql, params=list(self.source.values))
        # DuckDB has renamed it
        read = getattr(found, "to_arrow_reader", None) or found.fetch_arrow_reader
        for batch in read(rows):
            if progress is not None:
                progress(min(max(self.con.query_progress(), 0.0) / 100, 1.0))
            yield {
                name: _as_array(column)
                for name, column in zip(batch.schema.names, batch.columns, strict=True)
            }
        if progress is not None:
            progress(1.0)

    def ask_with_progress(self, sql: str, progress: Progress | None) -> None:
        """Run SQL and report the fraction that is done while DuckDB works."""
        run_with_progress(self.con, lambda: self.ask(sql), progress)


def _as_array(column: Any) -> Array:
    """An Arrow column as an array; numbers that are all present without a copy.

    ``to_numpy`` would import pandas, which takes longer than many files.
    """
    if column.null_count == 0 and str(column.type).strip("u") in _NUMBERS_OF_ARROW:
        return np.from_dlpack(column)
    return np.asarray(column.to_numpy(zero_copy_only=False))


def has_pyarrow() -> bool:
    """Whether pyarrow is installed."""
    from importlib.util import find_spec

    return find_spec("pyarrow") is not None


def run_with_progress(con: Any, work: Callable[[], Any], progress: Progress | None) -> Any:
    """Run a query of a connection, and report the fraction that is done while DuckDB works."""
    if progress is None:
        return work()
    from concurrent.futures import ThreadPoolExecutor, wait

    with ThreadPoolExecutor(1) as pool:
        task = pool.submit(work)
        try:
            while not wait([task], timeout=_TICK).done:
                progress(max(con.query_progress(), 0.0) / 100)
        except KeyboardInterrupt:
            con.interrupt()
            raise
        return task.result()


def open_source(
    path: str | PathLike[str] | Places,
    called: ColumnNames | None = None,
    declared: Collection[str] = (),
    beside: FileSource | None = None,
) -> FileSource:
    """Open a prediction file and read its header.

    Parameters
    ----------
    path : path or Places
        The file; ``-`` is standard input.
    called : ColumnNames, optional
        What the file calls its columns.
    declared : collection of str
        The declared classes: such a word does not mean that a value is missing.
    beside : FileSource, optional
        Another open file, whose connection to DuckDB is used for this one as well.

    Raises
    ------
    ValueError
        If the file does not exist, or is not in the format that its name declares.
    """
    called = called or ColumnNames()
    places = path if isinstance(path, Places) else find_places(Path(path))
    file, kind = _open_files(places)
    database = Database(file, kind, None if beside is None else beside.database)
    header = HEADERS[kind](file, database, ("y_true", *called.names.values()))
    database.n_columns = len(header.names)
    if len(header.names) > _MOST_COLUMNS:
        raise ValueError(
            f"{file.path} has {len(header.names)} columns, but at most {_MOST_COLUMNS} can be "
            "read: write a column set or class_1, p_1, ... instead of one column per class"
        )
    missing = tuple(word for word in MISSING_WORDS if word not in declared)
    columns = tuple(
        FileColumn(i, name.strip(BLANKS), of_type, kind, missing, header.decimal_comma)
        for i, (name, of_type) in enumerate(zip(header.names, header.types, strict=True))
    )
    return FileSource(
        file.path, columns, header.table, header.values, header.stream, database, called, file
    )


def _open_files(places: Places) -> tuple[TextFile, Format]:
    """All files that a path names, as one that is followed by the others, and their format."""
    opened = [_open_file(path) for path in places.files]
    file, kind = opened[0]
    if places.shown == places.files[0]:
        return file, kind
    for path, (_, other) in zip(places.files, opened, strict=True):
        if other != kind:
            raise ValueError(
                f"{places.shown}: {path} is not in the format of {places.files[0]}: name files of "
                "one format"
            )
    if kind == "arrow" and len(opened) > 1:
        raise ValueError(
            f"{places.shown}: several files must be CSV, JSON Lines or Parquet: save the Arrow "
            "files as Parquet"
        )
    more = tuple(one for one, _ in opened[1:])
    copies = (*file.copies, places.kept)
    return replace(file, path=places.shown, copies=copies, more=more, own=file.path), kind


def _open_file(path: Path) -> tuple[TextFile, Format]:
    """The file, or a copy that can be read, and its format."""
    kind: Format | None = None
    if path != STANDARD_INPUT:
        if not path.exists():
            raise ValueError(f"{shortened(path)}: no such file")
        if not path.is_file():  # a pipe can be read only once, and reading it again would wait
            raise ValueError(
                f"{shortened(path)} is not a regular file: send its content to standard input, "
                "and name - as the file"
            )
        kind = file_format(path)
    if kind in ("parquet", "arrow"):
        file, head = TextFile(path, path, "none"), b" "
    else:
        file = as_utf8(path)
        with reading(file.readable, file.path), file.open_bytes() as stream:
            head = stream.read(_HEAD)
    shown = content_format(head)
    if kind is not None and shown in ("parquet", "arrow"):
        raise ValueError(
            f"{path} is a {shown.capitalize()} file: rename it so that its name ends in .{shown}"
        )
    if not head or (kind in ("parquet", "arrow") and path.stat().st_size == 0):
        raise ValueError(
            f"{file.path} is empty: it needs a column y_true, predictions, and at least one row"
        )
    return file, kind or shown
