"""A prediction file as DuckDB sees it, independent of its format.

Opening a file determines the names and types of its columns and the SQL that reads it.  In SQL the
columns are called ``c0``, ``c1``, ... in the order of the file: the names in a file are data
(classes called ``a"; --`` or ``A`` beside ``a`` are legal), so no name becomes part of SQL, and all
other values from outside are passed as parameters.

A file is opened once.  Everything that is read from it afterwards goes through the same source and
the same database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from wager.predictions.files._columns import FileColumn
from wager.predictions.files._database import Database
from wager.predictions.files._formats import file_format
from wager.predictions.files._headers import HEADERS

__all__ = ["FileSession", "FileSource", "Progress", "open_source"]

Progress: TypeAlias = Callable[[float], None]
_TICK = 0.1  # seconds between two reports of progress
_SHOWN = 8  # names of columns in an error message


@dataclass(frozen=True, eq=False)
class FileSource:
    """An open prediction file: its columns, and how SQL reads them.

    Parameters
    ----------
    path : Path
        The file.
    columns : tuple of FileColumn
        Its columns, in the order of the file.
    table : str
        A table expression whose columns are called ``c0``, ``c1``, ...
    values : tuple
        The values of the parameters (question marks) in `table`.
    stream : callable or None
        Gives the rows of an Arrow file, which `table` calls ``arrow_rows``.
    database : Database
        Runs the queries.
    """

    path: Path
    columns: tuple[FileColumn, ...]
    table: str
    values: tuple[Any, ...]
    stream: Callable[[], Any] | None
    database: Database

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns as the file spells them."""
        return tuple(column.name for column in self.columns)

    @property
    def some_names(self) -> str:
        """The names of the first columns, for error messages."""
        shown = ", ".join(self.names[:_SHOWN])
        n = len(self.columns)
        return shown if n <= _SHOWN else f"{shown}, ... ({n} in total)"

    def find(self, name: str) -> FileColumn | None:
        """The column with this name, or None; a duplicate is an error."""
        found = [column for column in self.columns if column.name == name]
        if len(found) > 1:
            raise ValueError(f"{self.path}: the column {name} occurs more than once: keep one")
        return found[0] if found else None

    def class_columns(self, prefix: str) -> dict[str, FileColumn]:
        """The columns ``<prefix><class>`` by class, in the order of the file."""
        found: dict[str, FileColumn] = {}
        for column in self.columns:
            label = column.name.removeprefix(prefix)
            if not column.name.startswith(prefix):
                continue
            if label in found:
                raise ValueError(
                    f"{self.path}: the column {column.name} occurs more than once: keep one"
                )
            found[label] = column
        return found

    @contextmanager
    def session(self, *, limited: bool = True) -> Iterator[FileSession]:
        """A session for queries; errors of DuckDB become `ValueError`.

        Parameters
        ----------
        limited : bool
            Whether to use little memory and to write what exceeds it to temporary files.
        """
        with self.database.cursor(limited=limited) as con:
            yield FileSession(self, con)


@dataclass(frozen=True, eq=False)
class FileSession:
    """Queries on one file, with temporary tables that no other session sees."""

    source: FileSource
    con: Any

    def ask(self, sql: str, *values: Any) -> Any:
        """Run SQL in which the parameters of the file's table come first."""
        if self.source.stream is not None:  # a stream can be read once only
            self.con.register("arrow_rows", self.source.stream())
        return self.con.execute(sql, [*self.source.values, *values])

    def ask_with_progress(self, sql: str, progress: Progress | None) -> None:
        """Run SQL and report the fraction that is done while DuckDB works."""
        if progress is None:
            self.ask(sql)
            return
        from concurrent.futures import ThreadPoolExecutor, wait

        with ThreadPoolExecutor(1) as pool:
            task = pool.submit(self.ask, sql)
            try:
                while not wait([task], timeout=_TICK).done:
                    progress(max(self.con.query_progress(), 0.0) / 100)
            except KeyboardInterrupt:
                self.con.interrupt()
                raise
            task.result()


def open_source(path: str | PathLike[str]) -> FileSource:
    """Open a prediction file and read its header.

    Raises
    ------
    ValueError
        If the file does not exist, or is not in the format that its name declares.
    """
    file = Path(path)
    if file.is_dir():
        raise ValueError(f"{file} is a folder: name a prediction file in it")
    if not file.exists():
        raise ValueError(f"{file}: no such file")
    kind = file_format(file)
    database = Database(file, kind)
    try:
        if file.stat().st_size == 0:
            raise ValueError(
                f"{file} is empty: it needs a column y_true, predictions, and at least one row"
            )
        header = HEADERS[kind](file, database)
    except OSError as problem:
        raise ValueError(f"{file} cannot be read: {problem.strerror or problem}") from None
    database.n_columns = len(header.names)
    named = zip(header.names, header.types, strict=True)
    columns = tuple(FileColumn(i, name, of_type, kind) for i, (name, of_type) in enumerate(named))
    return FileSource(file, columns, header.table, header.values, header.stream, database)
