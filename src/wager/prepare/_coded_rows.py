"""Count pairs of values of a file: DuckDB turns the cells into codes, a compiled loop counts them.

Counting all pairs of m columns inside DuckDB takes m (m - 1) / 2 groupings, whose tables fill the
memory.  Instead DuckDB encodes some rows at a time, and packs the codes of up to eight columns into
one number of 64 bits, whose bytes are then the codes: so rows cost little to fetch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from wager._dask import DaskEngine
from wager._tables import PairCounts
from wager._typing import Array, Floats, Ints
from wager.prepare._count_values import typed_values
from wager.prepare._dataset import encode_column_labels, read_column_values
from wager.prepare._disk_rows import DiskRows, Progress
from wager.prepare._fine_bins import interval_sql
from wager.prepare._row_parts import RowsPart, row_parts
from wager.prepare._table_files import class_column, typed_column

__all__ = ["CodedColumn", "count_pairs"]

_CODES = 1 << 24  # codes that are fetched at a time


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column whose values become codes.

    Attributes
    ----------
    place : int
        The number of the column in the file.
    labels : tuple, optional
        The labels, in the order of their codes; None for a column of numbers.
    cuts : ndarray, optional
        The cuts between the intervals of numbers; None if the numbers are codes already.
    """

    place: int
    labels: tuple[Any, ...] | None = None
    cuts: Floats | None = None

    def sql(self, rows: DiskRows) -> str:
        """The code of a value; NULL where it is missing."""
        cell, kind = f"c{self.place}", rows.table.types[self.place]
        if self.labels is not None or rows.table.text is not None:
            return self._looked_up(rows)
        if kind in ("FLOAT", "DOUBLE"):
            cell = f"CASE WHEN isnan({cell}) THEN NULL ELSE {cell} END"
        if self.cuts is None:
            return f"CAST({cell} AS BIGINT)"
        number = f"CAST({cell} AS DOUBLE)"
        return f"CASE WHEN {cell} IS NULL THEN NULL ELSE {interval_sql(number, self.cuts)} END"

    def _looked_up(self, rows: DiskRows) -> str:
        """The code of a text among all texts of the column."""
        cell = f"CAST(c{self.place} AS VARCHAR)"
        found = rows.ask(
            f"SELECT c{self.place} AS v, {cell} AS t FROM {rows.source} "
            f"WHERE c{self.place} IS NOT NULL GROUP BY ALL"
        )
        # only classes are numbers with labels
        read = typed_column if self.labels is None else class_column
        codes = self._codes(typed_values(rows, found["v"], self.place, read))
        known = codes >= 0
        texts = np.ma.getdata(found["t"])[known].astype(object)
        order = np.argsort(codes[known], kind="stable")
        name, codes = f"texts_{self.place}", codes[known][order]
        if not len(codes):
            return "NULL"
        rows.connection.register("texts", {"t": texts[order], "i": np.arange(len(order))})
        rows.connection.execute(
            f"CREATE OR REPLACE TYPE {name} AS ENUM "
            "(SELECT CAST(t AS VARCHAR) FROM texts ORDER BY i)"
        )
        rows.connection.unregister("texts")
        place = f"enum_code(TRY_CAST({cell} AS {name}))"
        if (codes == np.arange(len(codes))).all():
            return place
        return f"{codes.tolist()}[{place} + 1]"

    def _codes(self, values: Array) -> Ints:
        """The codes of distinct values; -1 where a value is missing."""
        if self.labels is not None:
            codes, labels = encode_column_labels(values)
            code_of = {label: code for code, label in enumerate(self.labels)}
            return np.array([*(code_of[label] for label in labels), -1], dtype=np.int64)[codes]
        numbers, _ = read_column_values(values)
        if self.cuts is not None:
            codes = np.searchsorted(self.cuts, numbers, side="left")
            return np.where(np.isnan(numbers), -1, codes)
        return np.where(np.isnan(numbers), -1, numbers).astype(np.int64)


def count_pairs(
    rows: DiskRows,
    truth: CodedColumn,
    columns: Sequence[CodedColumn],
    n_values: Ints,
    progress: Progress | None = None,
    engine: DaskEngine | None = None,
) -> PairCounts:
    """The counts of all pairs of values of the columns; rows without a class are not counted.

    Parameters
    ----------
    rows : DiskRows
        The file.
    truth : CodedColumn
        The column of the class, with its labels.
    columns : sequence of CodedColumn
    n_values : ndarray of int
        The number of values of each column.
    progress : callable, optional
        Called from time to time with the fraction of the work that is done.
    engine : DaskEngine, optional
        Counts parts of a Parquet file on a cluster.
    """
    parts = [] if engine is None else row_parts(rows)
    if engine is not None and parts:
        count = partial(_count_part, truth=truth, columns=tuple(columns), n_values=n_values)
        return engine.total(count, parts, progress)
    n_classes, m = len(truth.labels or ()), len(columns)
    bits = next(bits for bits in (8, 16, 32) if n_values.max(initial=0) < 1 << (bits - 1))
    words = _packed([column.sql(rows) for column in columns], bits)
    chosen = [f"coalesce({truth.sql(rows)}, -1) AS y", *words]
    step = max(_CODES // max(m, 1), 1 << 16)
    total = PairCounts.of(np.zeros((0, m), np.int32), np.zeros(0, int), n_values, n_classes)
    done = 0
    for part in rows.ranges(chosen, step):
        y = np.ma.getdata(part["y"]).astype(np.int64)
        packed = np.column_stack([np.empty((len(y), 0), "<u8"), *_words(part)])
        codes = packed.astype("<u8", copy=False).view(f"<i{bits // 8}")[:, :m]
        known = y >= 0
        if not known.all():
            codes, y = codes[known], y[known]
        total = total + PairCounts.of(codes.astype(np.int32, order="C"), y, n_values, n_classes)
        done += step
        if progress:
            progress(min(done / rows.n_rows, 1.0))
    return total


def _count_part(
    part: RowsPart, truth: CodedColumn, columns: Sequence[CodedColumn], n_values: Ints
) -> PairCounts:
    with part.open() as rows:
        return count_pairs(rows, truth, columns, n_values)


def _packed(codes: Sequence[str], bits: int) -> list[str]:
    """The columns of SQL that contain several codes each; the code -1 is missing."""
    each = 64 // bits
    missing = (1 << bits) - 1
    return [
        " + ".join(
            f"CAST(coalesce({code}, {missing}) AS UBIGINT) * {1 << (bits * i)}::UBIGINT"
            for i, code in enumerate(codes[start : start + each])
        )
        + f" AS w{start // each}"
        for start in range(0, len(codes), each)
    ]


def _words(part: dict[str, Array]) -> list[Array]:
    return [np.ma.getdata(column) for name, column in part.items() if name != "y"]
