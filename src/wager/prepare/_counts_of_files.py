"""Counts of a file of training rows, as a learner needs them, without reading it into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from wager._dask import DaskEngine
from wager._tables import (
    Counts,
    NamedCounts,
    Schema,
    codes_of_numbers,
    encode_labels,
    refuse_final_nul,
)
from wager._typing import Array, Bools, Ints
from wager.prepare._coded_rows import CodedColumn, count_pairs
from wager.prepare._count_values import count_values, feature_names
from wager.prepare._dataset import class_array
from wager.prepare._disk_rows import DiskRows, Progress, rows_on_disk
from wager.prepare._table_files import open_table
from wager.prepare._value_counts import ColumnCounts, ValueCounts

__all__ = ["count_file", "levels_array", "open_rows", "read_values"]


def count_file(
    path: str | PathLike[str],
    target: str = "y",
    *,
    columns: Sequence[str] | None = None,
    nominal: Callable[[Sequence[str], Bools], Bools] | None = None,
    pairs: bool = False,
    check_size: Callable[[Ints, int], None] | None = None,
    progress: Progress | None = None,
    engine: DaskEngine | None = None,
) -> NamedCounts:
    r"""The counts of a CSV or Parquet file of any length, for ``fit_counts`` of a learner.

    The result equals the counts of the rows that `load_dataset` reads.  The file is read once for
    the counts of values, and once more for those of pairs.

    Parameters
    ----------
    path : path
        The file.
    target : str
        The column of the class; rows without a class are not counted.
    columns : sequence of str, optional
        The features; by default all other columns.  Labels are values in sorted order; numbers
        must be codes 0, 1, ...
    nominal : callable, optional
        From the names of the columns and the mask of those with numbers, which columns are
        nominal; by default all.
    pairs : bool, default=False
        Whether pairs of values are counted, as AODE and TAN need.
    check_size : callable, optional
        Called with the numbers of values and of classes before pairs are counted.
    progress : callable, optional
        Called from time to time with the fraction of the work that is done.
    engine : DaskEngine, optional
        Counts parts of a Parquet file on a cluster; a CSV file is counted on this machine.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "days.csv"
    ...     _ = file.write_text("sky,y\nsunny,out\nrainy,in\nsunny,out\n")
    ...     count_file(file).single.values.tolist()
    [[1, 0], [0, 2]]
    """
    with open_rows(path, target, columns, progress) as (rows, features):
        found = count_values(rows, target, features, progress=progress, engine=engine)
        if nominal is not None:
            _require_nominal(rows.table.path, features, nominal(features, ~found.nominal))
        named = named_counts(found)
        if not pairs:
            return named
        if check_size is not None:
            check_size(named.single.n_values, len(found.classes))
        coded = [
            CodedColumn(rows.place(name), column.labels)
            for name, column in zip(features, found.columns, strict=True)
        ]
        truth = CodedColumn(rows.place(target), found.classes)
        counted = count_pairs(rows, truth, coded, named.single.n_values, progress, engine)
        return NamedCounts(counted, named.classes, named.schema, named.features)


def read_values(
    path: str | PathLike[str],
    target: str = "y",
    *,
    columns: Sequence[str] | None = None,
    bins: bool = True,
    progress: Progress | None = None,
    engine: DaskEngine | None = None,
) -> ValueCounts:
    """The counts by value and class of every column of a file, for ``fit_counts`` of a discretizer.

    Parameters
    ----------
    path, target, columns, progress, engine
        As for `count_file`.
    bins : bool, default=True
        Whether a column with more than 100,000 distinct numbers is counted by fine bins.
    """
    table = open_table(Path(path), [target])
    features = feature_names(table.path, table.names, target, columns)
    with rows_on_disk(table, progress) as rows:
        return count_values(rows, target, features, bins=bins, progress=progress, engine=engine)


@contextmanager
def open_rows(
    path: str | PathLike[str],
    target: str | None,
    columns: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Iterator[tuple[DiskRows, tuple[str, ...]]]:
    """The rows of a file and the names of its features.

    The parameters are those of `count_file`.
    """
    table = open_table(Path(path), () if target is None else (target,))
    features = feature_names(table.path, table.names, target, columns)
    with rows_on_disk(table, progress) as rows:
        yield rows, features


def _require_nominal(path: Path, features: Sequence[str], nominal: Bools) -> None:
    if not nominal.all():
        name = features[int(nominal.argmin())]
        raise ValueError(
            f"{path.name}: column {name!r} has numbers, whose normal distribution needs all rows: "
            "discretize it, or name it in categorical_features= if the numbers are codes"
        )


def named_counts(found: ValueCounts) -> NamedCounts:
    """The counts of values by class as ``fit`` numbers them: labels sorted, numbers as codes."""
    tables, levels = [], []
    for name, column in zip(found.names, found.columns, strict=True):
        tables.append(_by_code(column, name))
        levels.append(None if column.labels is None else levels_array(column.labels))
    sizes = np.array([len(table) for table in tables], dtype=np.int64)
    refuse_final_nul(found.classes, "the column of classes")
    order, classes = encode_labels(class_array(found.classes), name="y")
    values = np.concatenate([np.zeros((0, len(classes)), dtype=np.int64), *tables])
    counts = Counts(_placed(values, order), _placed(found.rows, order), sizes)
    schema = Schema(np.ones(len(sizes), dtype=bool), tuple(levels), sizes)
    return NamedCounts(counts, classes, schema, found.names)


def _placed(counts: Ints, order: Ints) -> Ints:
    """The counts with each class in its place."""
    placed = np.empty_like(counts)
    placed[..., order] = counts
    return placed


def _by_code(column: ColumnCounts, name: str) -> Ints:
    """The counts of a column, one line per code; a column without any value has one."""
    if column.labels is not None:
        return column.table if len(column.table) else np.zeros((1, column.table.shape[1]), int)
    codes = codes_of_numbers(column.low, f"column {name!r}")
    table = np.zeros((max(int(codes.max(initial=-1)) + 1, 1), column.table.shape[1]), dtype=int)
    table[codes] = column.table
    return table


def levels_array(labels: Sequence[Any]) -> Array:
    """Labels as the categories of a pandas column are as an array."""
    if all(isinstance(label, str) for label in labels):
        return np.fromiter(labels, dtype=object, count=len(labels))
    if all(isinstance(label, bool) for label in labels):
        return np.array(labels)
    import pandas

    return np.asarray(pandas.Index(labels))
