"""The DuckDB database through which prediction files are read, and its errors in plain words.

All work on one file, and on files that are opened beside it, goes through one in-memory database.
It is created when it is first needed and closed when the last of them is garbage collected,
together with the folder for its temporary files.
"""

from __future__ import annotations

import errno
import os
import shutil
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import mkdtemp
from typing import Any

from wager._tables import TextFile, duckdb_sentence
from wager.predictions.files._formats import Format

__all__ = ["Database", "is_before_2", "quoted"]

_MEGABYTES = 300  # DuckDB's memory; larger aggregates go to temporary files
_MEGABYTES_BEFORE_2 = 1200  # comparing nine files, or reading text with 2,000 columns, needs more
_MEGABYTES_PER_COLUMN = 1  # a file of 2,000 classes needs one vector for each


def is_before_2() -> bool:
    """Whether this DuckDB is an old one: it needs more memory, and joins change the order of rows.

    Before version 2.0 the rows of a vector that find a partner come first.
    """
    import duckdb

    return int(duckdb.__version__.partition(".")[0]) < 2


class Database:
    """An in-memory DuckDB for the work on a file.

    Parameters
    ----------
    file, format
        The file and its format, for error messages.
    beside : Database, optional
        That of another file, whose connection is used for this one as well.

    Attributes
    ----------
    n_columns : int
        The number of columns of the file, on which the memory limit depends.
    """

    def __init__(
        self,
        file: TextFile | None = None,
        format: Format | None = None,
        beside: Database | None = None,
    ) -> None:
        self.file = file
        self.format = format
        self.n_columns = 0
        self._shared: _Connection = _Connection() if beside is None else beside._shared

    @contextmanager
    def cursor(self, *, limited: bool = True, megabytes: int = 0) -> Iterator[Any]:
        """A cursor with separate temporary tables; errors of DuckDB become `ValueError`.

        If there is no space for its files, it is an `OSError`.

        Parameters
        ----------
        limited : bool
            Whether to use little memory and to write what exceeds it to temporary files.
        megabytes : int
            Memory beyond the usual little.
        """
        import duckdb

        with self._shared.open().cursor() as con:
            usual = _MEGABYTES_BEFORE_2 if is_before_2() else _MEGABYTES
            limit = usual + _MEGABYTES_PER_COLUMN * self.n_columns + megabytes
            con.execute(f"SET memory_limit = '{limit}MB'" if limited else "RESET memory_limit")
            con.execute("SET enable_progress_bar = true")
            con.execute("SET enable_progress_bar_print = false")
            try:
                yield con
            except (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException):
                raise  # the SQL is wrong, not the file
            except duckdb.Error as problem:
                if (full := os.strerror(errno.ENOSPC)) in str(problem):  # no fault of the file
                    raise OSError(errno.ENOSPC, full) from None
                raise ValueError(self._plain_words(problem)) from None
            except UnicodeDecodeError:  # DuckDB returns the bytes of an error that are not text
                raise self._wrong_encoding() from None

    def _plain_words(self, problem: object) -> str:
        """One sentence that summarizes an error message of DuckDB."""
        path = "the file" if self.file is None else self.file.path
        text = self.file if self.format in ("csv", "json") else None
        return duckdb_sentence(problem, path, text, is_parquet=self.format == "parquet")

    def _wrong_encoding(self) -> ValueError:
        if self.file is None:
            return ValueError("the file is not UTF-8 text: save it as UTF-8")
        return self.file.wrong_encoding()


class _Connection:
    """A connection that is made when it is first needed, and closed with this object."""

    def __init__(self) -> None:
        self._connection: Any = None

    def open(self) -> Any:
        if self._connection is None:
            import duckdb

            con = duckdb.connect()
            folder = mkdtemp(prefix="wager-")
            weakref.finalize(self, _close, con, folder)
            con.execute(f"SET temp_directory = {quoted(folder)}")
            # Rows are joined to a few classes; DuckDB cannot know how many rows a stream has.
            con.execute("SET disabled_optimizers = 'join_order,build_side_probe_side'")
            self._connection = con
        return self._connection


def _close(connection: Any, folder: str) -> None:
    connection.close()
    shutil.rmtree(folder, ignore_errors=True)


def quoted(text: str) -> str:
    """Text as an SQL literal, for the few places where DuckDB accepts no parameter."""
    return "'" + text.replace("'", "''") + "'"
