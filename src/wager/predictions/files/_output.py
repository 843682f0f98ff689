"""Write a table of columns to a CSV, JSON Lines, Parquet or Arrow file.

A file appears complete or not at all: it is written under a temporary name in the same folder, and
renamed when it is complete.  Its rows may come in parts, so that a long file needs little memory.

DuckDB and Arrow get absolute paths: in others they replace a ``~`` by the home folder.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, TypeAlias

import numpy as np

from wager._atomic import replacing
from wager._tables import duckdb_path
from wager._typing import Array
from wager.predictions.files._database import Database, quoted
from wager.predictions.files._formats import Format, file_format

__all__ = ["Columns", "writing_columns"]

Columns: TypeAlias = dict[str, Array]
_ROWS = 1 << 16  # rows that are converted to text at a time


Write: TypeAlias = Callable[[Columns], None]


@contextmanager
def writing_columns(path: Path) -> Iterator[Write]:
    """A function that writes some rows at a time, of the same columns each time.

    The file appears when the last rows are written.
    """
    writer = _WRITERS[file_format(path)]
    with replacing(path) as draft, writer(draft, path.suffix.lower() == ".gz") as write:
        yield write


@contextmanager
def _writing_csv(path: Path, zipped: bool) -> Iterator[Write]:
    with _open_text(path, zipped) as file:
        names: list[str] = []

        def write(columns: Columns) -> None:
            if any(_has_lists(column) for column in columns.values()):
                raise ValueError(
                    "a CSV file cannot contain lists: use form='set', or write a Parquet or JSON "
                    "Lines file"
                )
            if not names:
                names.extend(columns)
                file.write(",".join(map(_csv_cell, columns)) + "\n")
            for row in _rows(columns):
                file.write(",".join(map(_csv_cell, row)) + "\n")

        yield write


def _csv_cell(value: Any) -> str:
    """Text in quotes, so that empty text differs from a missing value; numbers without."""
    if value is None:
        return ""
    return '"' + value.replace('"', '""') + '"' if isinstance(value, str) else repr(value)


@contextmanager
def _writing_json(path: Path, zipped: bool) -> Iterator[Write]:
    with _open_text(path, zipped) as file:

        def write(columns: Columns) -> None:
            for row in _rows(columns):
                line = dict(zip(columns, row, strict=True))
                file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")

        yield write


def _open_text(path: Path, zipped: bool) -> IO[str]:
    if zipped:
        return gzip.open(path, "wt", encoding="utf-8", newline="")
    return path.open("w", encoding="utf-8", newline="")


def _rows(columns: Columns) -> Iterator[tuple[Any, ...]]:
    """The rows as plain Python values."""
    arrays = list(columns.values())
    for start in range(0, len(arrays[0]), _ROWS):
        yield from zip(*(_plain(c[start : start + _ROWS]) for c in arrays), strict=True)


def _plain(column: Array) -> list[Any]:
    """A column as plain Python values; a number that is missing (NaN) is None."""
    if column.dtype.kind == "f" and np.isnan(column).any():
        return [None if value != value else value for value in column.tolist()]
    return list(column.tolist())


@contextmanager
def _writing_parquet(path: Path, zipped: bool) -> Iterator[Write]:
    """Rows that come in several parts are written to a file each, which are joined at the end."""
    with TemporaryDirectory(prefix=".wager-", dir=path.parent) as folder:
        parts: list[Path] = []

        def write(columns: Columns) -> None:
            parts.append(Path(folder) / f"{len(parts)}.parquet")
            _write_parquet(parts[-1], columns)

        yield write
        if len(parts) == 1:
            parts[0].replace(path)
        elif parts:
            files = ", ".join(quoted(duckdb_path(part)) for part in parts)
            with Database().cursor() as con:
                con.execute(
                    f"COPY (SELECT * FROM read_parquet([{files}], hive_partitioning = false)) "
                    f"TO {quoted(str(path.absolute()))} (FORMAT parquet)"
                )


def _write_parquet(path: Path, columns: Columns) -> None:
    lower = [name.lower() for name in columns]
    if len(set(lower)) < len(lower):
        name = next(name for name in columns if lower.count(name.lower()) > 1)
        raise ValueError(
            f"the column {name} differs from another one in upper and lower case alone, which "
            "DuckDB cannot write to Parquet: write CSV or JSON Lines, or sets with form='set'"
        )
    with Database().cursor() as con:
        con.register("rows", {f"c{i}": column for i, column in enumerate(columns.values())})
        named = ", ".join(
            f"{_column_sql(column, i)} AS {_identifier(name)}"
            for i, (name, column) in enumerate(columns.items())
        )
        con.execute(
            f"COPY (SELECT {named} FROM rows) TO {quoted(str(path.absolute()))} (FORMAT parquet)"
        )


def _column_sql(column: Array, place: int) -> str:
    if column.dtype != object:
        return f"c{place}"
    if not _has_lists(column):
        return f"CAST(c{place} AS VARCHAR)"
    return f"CAST(c{place} AS {'BIGINT' if _has_whole_numbers(column) else 'VARCHAR'}[])"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def _writing_arrow(path: Path, zipped: bool) -> Iterator[Write]:
    try:
        import pyarrow
        import pyarrow.ipc
    except ImportError:
        raise ValueError(
            "writing Arrow files needs pyarrow: install wager[frames], or write Parquet"
        ) from None
    with ExitStack() as stack:
        files: list[Any] = []

        def write(columns: Columns) -> None:
            arrays = [
                pyarrow.array(column.tolist(), type=_arrow_type(pyarrow, column))
                if column.dtype == object
                else pyarrow.array(column)
                for column in columns.values()
            ]
            table = pyarrow.table(arrays, names=list(columns))
            if not files:
                options = pyarrow.ipc.IpcWriteOptions(compression="lz4")
                file = pyarrow.ipc.new_file(str(path.absolute()), table.schema, options=options)
                files.append(stack.enter_context(file))
            files[0].write_table(table, max_chunksize=_ROWS)

        yield write


def _arrow_type(pyarrow: Any, column: Array) -> Any:
    if not _has_lists(column):
        return pyarrow.string()
    return pyarrow.list_(pyarrow.int64() if _has_whole_numbers(column) else pyarrow.string())


def _has_lists(column: Array) -> bool:
    return any(isinstance(value, list) for value in column[:1])


def _has_whole_numbers(lists: Array) -> bool:
    return any(isinstance(label, int) for value in lists for label in value[:1])


_WRITERS: Mapping[Format, Callable[[Path, bool], AbstractContextManager[Write]]] = {
    "csv": _writing_csv,
    "json": _writing_json,
    "parquet": _writing_parquet,
    "arrow": _writing_arrow,
}
