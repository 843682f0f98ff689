"""Data sets in chunks of rows, so that a long file of test rows needs little memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from wager._tables import STANDARD_INPUT
from wager._visible import in_one_line
from wager.prepare._dataset import Dataset, TargetError
from wager.prepare._disk_rows import DiskRows, rows_on_disk
from wager.prepare._load import CSV, load_dataset
from wager.prepare._table_files import kind_of_text, open_table, require_exact, rounded_classes

__all__ = ["LARGE_FILE", "dataset_chunks", "is_large_file"]

LARGE_FILE = 64_000_000  # bytes; in memory a CSV file takes a multiple of them, Parquet far more


def is_large_file(source: str | Path) -> bool:
    """Whether this is a CSV or Parquet file that had better stay on disk."""
    path = Path(source)
    if path == STANDARD_INPUT or not path.is_file():
        return False
    return path.name.lower().endswith((*CSV, ".parquet")) and path.stat().st_size > LARGE_FILE


def dataset_chunks(
    source: str | Path, target: str | None, rows: int, *, missing_class: str = "drop"
) -> Iterator[Dataset]:
    """The data set of a file, or of anything else that `load_dataset` takes, in chunks.

    Parameters
    ----------
    source, target, missing_class
        As for `load_dataset`.
    rows : int
        Rows per chunk of a large file.  Anything else is one chunk.

    Yields
    ------
    Dataset
        With the levels and classes that occur in the chunk; what is a number and what is a label
        is decided by the whole file.
    """
    if not is_large_file(source):
        yield load_dataset(source, target=target, missing_class=missing_class)
        return
    table = open_table(Path(source), () if target is None else (target,))
    if target is None or target not in table.names:
        raise TargetError(table.path.name, target, table.names)
    with rows_on_disk(table) as found:
        columns = [_typed_sql(found, name, target) for name in table.names]
        for part in found.ranges(columns, rows):
            named = {name: part[f"v{i}"] for i, name in enumerate(table.names)}
            chunk = Dataset.from_columns(table.path.name.split(".", 1)[0], named, target)
            yield chunk if missing_class == "keep" else chunk.with_class()


def _typed_sql(rows: DiskRows, name: str, target: str) -> str:
    """A column as `load_dataset` reads it, in SQL."""
    place = rows.place(name)
    cell = f"c{place}"
    if name == target:
        require_exact(rows.connection, rows.table, place)
    if rows.table.text is not None:
        trimmed = rows.table.cell_sql(cell)
        rows.connection.execute(
            f"CREATE OR REPLACE TEMP VIEW cells AS SELECT {trimmed} AS {cell} FROM {rows.source}"
        )
        kind = kind_of_text(rows.connection, rows.table, place)
        if name == target and rounded_classes(rows.connection, rows.table, place) is not None:
            raise ValueError(
                f"{rows.table.path}: column {in_one_line(name)} has classes that a double would "
                "round: write them as text, such as c1 for 1"
            )
        number = rows.table.number_sql(trimmed)
        cell = trimmed if kind == "VARCHAR" else f"CAST({number} AS {kind})"
    return f"{cell} AS v{place}"
