"""Count the values of a file by class, inside DuckDB, in one pass over its rows.

Each column is counted by value and class.  Several columns with few values are counted together:
one group for each combination of their values costs one look-up per row instead of one per column,
and the counts of each column follow by addition.  A sample shows which columns have few values;
it affects the speed, not the counts.

Values become labels or numbers exactly as `load_dataset` reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from wager._dask import DaskEngine
from wager._typing import Array, Floats, Ints
from wager._visible import brief, in_one_line
from wager.prepare._dataset import TargetError, encode_column_labels, read_column_values
from wager.prepare._disk_rows import DiskRows, Progress
from wager.prepare._fine_bins import FineBins
from wager.prepare._row_parts import RowsPart, row_parts
from wager.prepare._table_files import (
    class_column,
    kind_of_text,
    require_exact,
    typed_column,
)
from wager.prepare._value_counts import ColumnCounts, Lines, ValueCounts, count_cells

__all__ = ["count_values", "feature_names"]

MOST_VALUES = 100_000  # distinct numbers of a column that are counted one by one
_CELLS = 256  # combinations of values that are counted together
_TOGETHER = 48  # columns of one query, which keeps the tables of all their groups in memory
_SAMPLE = 1 << 17  # rows that show how many values a column has
_PIECES = 16  # places of the file from which they are taken
_BIN_SAMPLE = 1 << 18  # rows that determine fine bins
_COUNTABLE = 1_000_000  # distinct values of a column that are counted one by one at most


def feature_names(
    path: Path, names: Sequence[str], target: str | None, columns: Sequence[str] | None
) -> tuple[str, ...]:
    """The columns that are features: the given ones, or all but the target."""
    if target is None or target not in names:
        raise TargetError(path.name, target, names)
    if columns is None:
        columns = [name for name in names if name != target]
    if not len(columns):
        raise ValueError(f"{path.name} has no feature besides the class {brief(target)}")
    for name in columns:
        if name not in names or name == target:
            others = [name for name in names if name != target]
            raise ValueError(
                f"{path.name} has no feature {brief(name)}: choose columns= from "
                f"{in_one_line(', '.join(others))}"
            )
    return tuple(columns)


def count_values(
    rows: DiskRows,
    target: str,
    features: Sequence[str],
    *,
    bins: bool = False,
    progress: Progress | None = None,
    engine: DaskEngine | None = None,
) -> ValueCounts:
    """How often each value of each feature occurs with each class.

    Parameters
    ----------
    rows : DiskRows
        The file; rows whose class is missing are not counted.
    target, features
        The names of the columns.
    bins : bool, default=False
        Whether a column with more than 100,000 distinct numbers is counted by fine bins.
    progress : callable, optional
        Called from time to time with the fraction of the work that is done.
    engine : DaskEngine, optional
        Counts parts of a Parquet file on a cluster; a CSV file is counted on this machine.
    """
    y = rows.place(target)
    require_exact(rows.connection, rows.table, y)
    places = [rows.place(name) for name in features]
    sizes = _sampled_sizes(rows, [y, *places])
    fine = _columns_of_many_numbers(rows, places, sizes) if bins else {}
    exact = [place for place in places if place not in fine]
    _require_countable(rows, [p for p in (y, *exact) if sizes[p] > _SAMPLE // 2])
    plan = CountPlan(y, tuple(features), tuple(places), tuple(_batches(exact, sizes, y)), fine)
    parts = [] if engine is None else row_parts(rows)
    if engine is None or not parts:
        found = plan.count(rows, progress)
    else:
        found = engine.total(partial(_count_part, plan=plan), parts, progress)
    if not found.n_rows:
        raise ValueError(f"{rows.table.path} has no row with a class")
    return found


@dataclass(frozen=True, eq=False)
class CountPlan:
    """What is counted, and in which order.

    Attributes
    ----------
    y : int
        The place of the class among the columns of the file.
    features : tuple of str
        The names of the columns that are counted.
    places : tuple of int
        Their places.
    batches : tuple
        The columns of each query, in groups that are counted together.
    fine : dict of int to (str, FineBins)
        The columns that are counted by fine bins: their numbers in SQL, and the bins.
    """

    y: int
    features: tuple[str, ...]
    places: tuple[int, ...]
    batches: tuple[list[tuple[int, ...]], ...]
    fine: dict[int, tuple[str, FineBins]]

    def count(self, rows: DiskRows, progress: Progress | None = None) -> ValueCounts:
        """The counts of the rows of a file, or of a part of one."""
        found = _FileCounter(rows, self.y)
        steps = len(self.batches) + len(self.fine)
        for i, batch in enumerate(self.batches):
            found.count(batch, _share(progress, i, steps))
        for i, (place, how) in enumerate(self.fine.items(), len(self.batches)):
            found.count_bins(place, how, _share(progress, i, steps))
        return found.together(self.features, self.places)


def _count_part(part: RowsPart, plan: CountPlan) -> ValueCounts:
    with part.open() as rows:
        return plan.count(rows)


def _share(progress: Progress | None, i: int, steps: int) -> Progress | None:
    return progress and (lambda done: progress((i + done) / steps))


def _sampled_sizes(rows: DiskRows, places: Sequence[int]) -> dict[int, int]:
    """The number of distinct values of each column in a sample from all parts of the file."""
    step = max(_SAMPLE // _PIECES, 1)
    starts = sorted({i * max(rows.n_rows - step, 0) // (_PIECES - 1) for i in range(_PIECES)})
    pieces = " UNION ALL ".join(
        f"SELECT {_columns(places)} FROM {rows.source} WHERE n >= {start} AND n < {start + step}"
        for start in starts
    )
    counted = ", ".join(f"approx_count_distinct(c{p}) AS c{p}" for p in places)
    found = rows.ask(f"SELECT {counted} FROM ({pieces})")
    return {p: int(found[f"c{p}"][0]) for p in places}


def _columns(places: Sequence[int]) -> str:
    return ", ".join(f"c{p}" for p in places)


def _columns_of_many_numbers(
    rows: DiskRows, places: Sequence[int], sizes: dict[int, int]
) -> dict[int, tuple[str, FineBins]]:
    """The columns that are counted by bins: their numbers in SQL, and the bins."""
    found: dict[int, tuple[str, FineBins]] = {}
    for p in places:
        if sizes[p] <= min(MOST_VALUES, _SAMPLE) // 2:
            continue
        number = _number_sql(rows, p)
        if number is None:
            continue
        size = rows.ask(f"SELECT approx_count_distinct(c{p}) AS size FROM {rows.source}")
        if size["size"][0] > MOST_VALUES:
            stride = max(rows.n_rows // _BIN_SAMPLE, 1)
            query = f"SELECT {number} AS v FROM {rows.source} WHERE n % {stride} = 0"
            sample = np.ma.filled(rows.ask(query)["v"].astype(np.float64), np.nan)
            found[p] = (number, FineBins.of_sample(sample[np.isfinite(sample)]))
    return found


def _require_countable(rows: DiskRows, places: Sequence[int]) -> None:
    """Refuse columns with so many values that their counts do not fit into memory."""
    for p in places:
        size = rows.ask(f"SELECT approx_count_distinct(c{p}) AS size FROM {rows.source}")["size"][0]
        if size > _COUNTABLE:
            raise ValueError(
                f"{rows.table.path.name}: column {rows.table.names[p]!r} has about {size:,} "
                f"distinct values, more than {_COUNTABLE:,}: discretize numbers, and leave out "
                "identifiers with columns="
            )


def _number_sql(rows: DiskRows, place: int) -> str | None:
    """A column of numbers as doubles, in SQL; None for a column of labels."""
    if rows.table.text is None:
        is_number = rows.ask(f"SELECT c{place} AS v FROM {rows.source} LIMIT 0")["v"]
        return f"CAST(c{place} AS DOUBLE)" if is_number.dtype.kind in "iuf" else None
    cell = rows.table.cell_sql(f"c{place}")
    rows.connection.execute(
        f"CREATE OR REPLACE TEMP VIEW cells AS SELECT {cell} AS c{place} FROM {rows.source}"
    )
    kind = kind_of_text(rows.connection, rows.table, place)
    rows.connection.execute("DROP VIEW cells")
    return None if kind == "VARCHAR" else f"CAST({rows.table.number_sql(cell)} AS DOUBLE)"


def _batches(
    places: Sequence[int], sizes: dict[int, int], y: int
) -> Iterator[list[tuple[int, ...]]]:
    """The columns of each query, in groups that are counted together."""
    groups: list[tuple[int, ...]] = []
    for p in sorted(places, key=lambda p: (sizes[p], p)):
        joint = (*groups[-1], p) if groups else ()
        if joint and prod(sizes[q] + 1 for q in (y, *joint)) <= _CELLS:
            groups[-1] = joint
        else:
            groups.append((p,))
    batch: list[tuple[int, ...]] = []
    for group in groups:
        if sum(map(len, batch)) + len(group) > _TOGETHER:
            yield batch
            batch = []
        batch.append(group)
    yield batch


@dataclass(frozen=True)
class _CountedColumn:
    """Some values of a column, the class of each, and how often they occur together."""

    values: Array  # numbers (NaN is missing) or labels (masked where missing)
    truth: Array  # the classes, as the file writes them
    n: Ints
    bins: FineBins | None = None
    high: Floats | None = None  # with bins: the largest number of each, `values` are the least


class _FileCounter:
    """Collects the counts of a file: by column, values and classes as the file writes them."""

    def __init__(self, rows: DiskRows, y: int) -> None:
        self.rows = rows
        self.y = y
        self.found: dict[int | None, _CountedColumn] = {}

    def count(self, groups: list[tuple[int, ...]], progress: Progress | None) -> None:
        """Count the columns of one query."""
        y, places = self.y, [p for group in groups for p in group]
        sets = ", ".join(f"(c{y}{''.join(f', c{p}' for p in group)})" for group in groups)
        which = f"GROUPING({_columns(places)})" if places else "0"
        chosen = _columns([y, *places])
        found = self.rows.ask(
            f"SELECT {which} AS which, count(*) AS rows, {chosen} FROM {self.rows.source} "
            f"GROUP BY GROUPING SETS ({sets or f'(c{y})'})",
            progress,
        )
        truth = typed_values(self.rows, found[f"c{y}"], y, class_column)
        if not places:
            self.found[None] = _CountedColumn(truth, truth, found["rows"])
        for group in groups:
            here = found["which"] == _grouping(places, group)
            for p in group:
                values = typed_values(self.rows, found[f"c{p}"][here], p)
                self.found[p] = _CountedColumn(values, truth[here], found["rows"][here])

    def count_bins(self, place: int, how: tuple[str, FineBins], progress: Progress | None) -> None:
        """Count a column of many numbers by bins."""
        y, (number, bins) = self.y, how
        found = self.rows.ask(
            f"SELECT c{y} AS y, min(x) AS low, max(x) AS high, count(*) AS rows FROM "
            f"(SELECT c{y}, CASE WHEN isnan({number}) THEN NULL ELSE {number} END AS x "
            f"FROM {self.rows.source}) GROUP BY c{y}, "
            f"CASE WHEN x IS NULL THEN -1 ELSE {bins.sql('x')} END",
            progress,
        )
        low, high = (np.ma.filled(found[end], np.nan) for end in ("low", "high"))
        truth = typed_values(self.rows, found["y"], y, class_column)
        self.found[place] = _CountedColumn(low, truth, found["rows"], bins, high)

    def together(self, features: Sequence[str], places: Sequence[int]) -> ValueCounts:
        """The counts of all columns; rows without a class are not counted."""
        some = next(iter(self.found.values()))
        codes, classes = encode_column_labels(some.truth)
        rows = np.zeros(len(classes) + 1, dtype=np.int64)
        np.add.at(rows, codes, some.n)
        columns = [
            _column_counts(self.found[p], classes, name)
            for p, name in zip(places, features, strict=True)
        ]
        return ValueCounts(tuple(features), tuple(classes), rows[:-1], tuple(columns))


def typed_values(
    rows: DiskRows, raw: Array, place: int, read: Callable[..., Array] = typed_column
) -> Array:
    """The values of a column as `load_dataset` reads them; those of a CSV file are texts before.

    All distinct values of the column must be among them, since they determine its kind together.
    ``read`` is `class_column` for the column of classes.
    """
    if rows.table.text is None:
        return raw
    missing = np.ma.getmaskarray(raw)
    texts, code = np.unique(np.ma.getdata(raw)[~missing].astype(object), return_inverse=True)
    connection, cell = rows.connection, rows.table.cell_sql(f"CAST(c{place} AS VARCHAR)")
    connection.register("texts", {f"c{place}": texts})
    connection.execute(f"CREATE TEMP TABLE cells AS SELECT {cell} AS c{place} FROM texts")
    known = np.ma.asarray(read(connection, rows.table, place))
    connection.unregister("texts")
    connection.execute("DROP TABLE cells")
    values = np.ma.masked_all(len(raw), dtype=known.dtype)
    values[~missing] = known[code]
    return values


def _grouping(places: Sequence[int], group: Sequence[int]) -> int:
    """The value of GROUPING: one bit per column, the first one highest, 0 if it is grouped."""
    return sum(1 << i for i, p in enumerate(reversed(places)) if p not in group)


def _column_counts(part: _CountedColumn, classes: list[Any], name: str) -> ColumnCounts:
    code_of = {label: code for code, label in enumerate(classes)}
    codes, present = encode_column_labels(part.truth)
    y = np.array([*(code_of[label] for label in present), -1], dtype=np.intp)[codes]
    values, labels = read_column_values(part.values)
    known = (y >= 0) & (values >= 0 if labels is not None else ~np.isnan(values))
    y, n = y[known], part.n[known]
    if labels is not None:
        # a label that occurs only in rows without a class is declared all the same
        return ColumnCounts(count_cells(values[known], y, n, (len(labels), len(classes))), labels)
    high = values if part.high is None else part.high
    _require_finite(values[known], name)
    _require_finite(high[known], name)
    lines = Lines.of(values[known], high[known], part.bins)
    table = count_cells(lines.code, y, n, (len(lines.low), len(classes)))
    return ColumnCounts(table, None, lines.low, lines.high, part.bins)


def _require_finite(values: Floats, name: str) -> None:
    infinite = values[np.isinf(values)]
    if len(infinite):
        raise ValueError(
            f"column {name!r} contains {infinite[0]} (infinity): numbers must be finite, a missing "
            "one is NaN"
        )
