"""Write a table of columns to a CSV, JSON Lines, Parquet or Arrow file.

A file appears complete or not at all: it is written under a temporary name in the same folder, and
renamed when it is complete.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, TypeAlias

from wager._atomic import replacing
from wager._typing import Array
from wager.predictions.files._database import Database, quoted
from wager.predictions.files._formats import Format, file_format

__all__ = ["Columns", "write_columns"]

Columns: TypeAlias = dict[str, Array]
_ROWS = 1 << 16  # rows that are converted to text at a time


def write_columns(path: Path, columns: Columns) -> None:
    """Write columns to a file in the format that the ending of its name declares."""
    writer = _WRITERS[file_format(path)]
    with replacing(path) as draft:
        writer(draft, columns, path.suffix.lower() == ".gz")


def _write_csv(path: Path, columns: Columns, zipped: bool) -> None:
    if any(_has_lists(column) for column in columns.values()):
        raise ValueError(
            "a CSV file cannot contain lists: use form='set', or write a Parquet or JSON Lines file"
        )
    with _open_text(path, zipped) as file:
        file.write(",".join(map(_csv_cell, columns)) + "\n")
        for row in _rows(columns):
            file.write(",".join(map(_csv_cell, row)) + "\n")


def _csv_cell(value: Any) -> str:
    """Text in quotes, so that empty text differs from a missing value; numbers without."""
    if value is None:
        return ""
    return '"' + value.replace('"', '""') + '"' if isinstance(value, str) else repr(value)


def _write_json(path: Path, columns: Columns, zipped: bool) -> None:
    with _open_text(path, zipped) as file:
        for row in _rows(columns):
            line = dict(zip(columns, row, strict=True))
            file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")


def _open_text(path: Path, zipped: bool) -> IO[str]:
    if zipped:
        return gzip.open(path, "wt", encoding="utf-8", newline="")
    return path.open("w", encoding="utf-8", newline="")


def _rows(columns: Columns) -> Iterator[tuple[Any, ...]]:
    """The rows as plain Python values."""
    arrays = list(columns.values())
    for start in range(0, len(arrays[0]), _ROWS):
        yield from zip(*(c[start : start + _ROWS].tolist() for c in arrays), strict=True)


def _write_parquet(path: Path, columns: Columns, zipped: bool) -> None:
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
        con.execute(f"COPY (SELECT {named} FROM rows) TO {quoted(str(path))} (FORMAT parquet)")


def _column_sql(column: Array, place: int) -> str:
    if column.dtype != object:
        return f"c{place}"
    if not _has_lists(column):
        return f"CAST(c{place} AS VARCHAR)"
    return f"CAST(c{place} AS {'BIGINT' if _has_whole_numbers(column) else 'VARCHAR'}[])"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _write_arrow(path: Path, columns: Columns, zipped: bool) -> None:
    try:
        import pyarrow
        import pyarrow.feather
    except ImportError:
        raise ValueError(
            "writing Arrow files needs pyarrow: install wager[frames], or write Parquet"
        ) from None
    arrays = [
        pyarrow.array(column.tolist(), type=_arrow_type(pyarrow, column))
        if column.dtype == object
        else pyarrow.array(column)
        for column in columns.values()
    ]
    pyarrow.feather.write_feather(pyarrow.table(arrays, names=list(columns)), str(path))


def _arrow_type(pyarrow: Any, column: Array) -> Any:
    if not _has_lists(column):
        return pyarrow.string()
    return pyarrow.list_(pyarrow.int64() if _has_whole_numbers(column) else pyarrow.string())


def _has_lists(column: Array) -> bool:
    return any(isinstance(value, list) for value in column[:1])


def _has_whole_numbers(lists: Array) -> bool:
    return any(isinstance(label, int) for value in lists for label in value[:1])


_WRITERS: Mapping[Format, Callable[[Path, Columns, bool], None]] = {
    "csv": _write_csv,
    "json": _write_json,
    "parquet": _write_parquet,
    "arrow": _write_arrow,
}
