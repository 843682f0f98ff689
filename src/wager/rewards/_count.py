"""One pass over the rows: counts of misses and hits by set size and by true class.

The rows are read in chunks that stay in the processor's cache, so the pass takes about as long as
reading the predictions once.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from wager._tables import RowUnits, counted, encode_labels
from wager._typing import Array, ArrayLike, Bools, Ints
from wager.predictions import FileCounts, PredictionSets, align, size_and_hit
from wager.rewards._cell_sums import CellSums

_CHUNK = 1 << 14  # rows; their sizes, hits and cell numbers stay in the cache


class CellCounts(NamedTuple):
    """Sums by (set size, hit) and by (true class, hit), with the classes.

    Cells are numbered by twice the size (or the code of the class), plus one for a hit.  The sums
    by (true class, set size, hit) are kept if they were counted on the way.
    """

    by_size: CellSums
    by_class: CellSums
    classes: Array
    by_class_and_size: CellSums | None = None


class CheckedRows(NamedTuple):
    """Checked data: truth as codes, predictions as sets, and what each row counts for."""

    codes: Ints
    sets: PredictionSets
    units: RowUnits

    def kept(self) -> CheckedRows:
        """Copies, for results that count the rows again after the caller may have changed them."""
        return CheckedRows(self.codes.copy(), self.sets, self.units.kept())


def count_cells(rows: CheckedRows, *, keep_clusters: bool = False) -> CellCounts:
    """Count the rows by set size and by true class."""
    n_classes = len(rows.sets.classes)
    if rows.units.clusters is not None or keep_clusters:
        cell = cell_numbers(rows)
        return CellCounts(
            CellSums.of(cell, rows.units, keep_clusters=keep_clusters),
            CellSums.of(2 * rows.codes + cell % 2, rows.units),
            rows.sets.classes,
        )
    if n_classes * (n_classes + 1) <= _CHUNK:  # counting the pairs once is faster than two counts
        both = [count_by_group(rows.codes, n_classes, rows, each) for each in _added(rows.units)]
        return CellCounts(
            sums_of_tables(*(table.sum(axis=0) for table in both)),
            sums_of_tables(*(table.sum(axis=1) for table in both)),
            rows.sets.classes,
            sums_of_tables(*both),
        )
    tables = [_two_tables(rows, n_classes, each) for each in _added(rows.units)]
    by_size, by_class = (sums_of_tables(*pair) for pair in zip(*tables, strict=True))
    return CellCounts(by_size, by_class, rows.sets.classes)


def _two_tables(rows: CheckedRows, n_classes: int, each: Array | None) -> tuple[Array, Array]:
    """The tables by size and by class of what each row adds."""
    by_size, by_class = (_zeros((k, 2), each) for k in (n_classes + 1, n_classes))
    for part, (code, size, hit) in chunks(rows, at_least=by_size.size):
        added = None if each is None else each[part]
        by_size += bin_counts(cell_of(size, hit), added, by_size)
        by_class += bin_counts(2 * code + hit, added, by_class)
    return by_size, by_class


def _added(units: RowUnits) -> list[Array | None]:
    """What each row adds to totals, and for weighted rows what it adds to the squares."""
    return [units.totals] if units.weights is None else [units.totals, units.squares]


def sums_of_tables(table: Array, squares: Array | None = None) -> CellSums:
    """The sums of a table of totals, and of one of squared weights."""
    flat = table.ravel()
    numbers = np.flatnonzero(flat)
    moments = None if squares is None else squares.ravel()[numbers]
    return CellSums(numbers, flat[numbers], moments)


def file_sums(counts: FileCounts) -> CellCounts:
    """The sums of the rows of a file."""
    clusters = counts.clusters
    if clusters is None:
        return CellCounts(
            sums_of_tables(counts.by_size(), counts.squares_by_size()),
            sums_of_tables(counts.by_class(), counts.squares_by_class()),
            counts.classes,
        )
    # what a cluster adds to an entry is one row: the rows of a cluster are added up in any case
    weights = clusters.total if counts.weighted else None
    repeats = None if counts.weighted else clusters.total.astype(np.int64)
    units = RowUnits(weights, repeats, clusters.cluster, clusters.labels)
    hit = counts.hit[clusters.entry] == 1
    by_size, by_class = (
        CellSums.of(cell_of(key[clusters.entry], hit), units) for key in (counts.size, counts.truth)
    )
    return CellCounts(by_size, by_class, counts.classes)


def file_sums_by_class(counts: FileCounts) -> CellSums:
    """The sums of a file by (true class, set size, hit), without those of clusters."""
    width = 2 * len(counts.classes) + 2
    cell = counts.truth * width + cell_of(counts.size, counts.hit == 1)
    weight = counts.weight if counts.weighted else counts.weight.astype(np.int64)
    squares = counts.weight_squares if counts.weighted else None
    order = np.argsort(cell, kind="stable")
    moments = None if squares is None else squares[order]
    return CellSums(cell[order], weight[order], moments).renumbered(cell[order])


def split_sums(sums: CellSums, n_groups: int, width: int) -> list[CellSums]:
    """The sums of each group, from sums that are numbered by group and ``width`` cells of each."""
    group, cell = np.divmod(sums.numbers, width)
    ends = np.searchsorted(group, np.arange(n_groups + 1))
    parts = []
    for start, end in pairwise(ends.tolist()):
        part = sums.where(slice(start, end))
        parts.append(CellSums(cell[start:end], part.totals, part.squares, part.clusters))
    return parts


def class_table(counts: CellCounts) -> Array:
    """Totals by true class and miss or hit, as a table of shape (K, 2)."""
    table = np.zeros(2 * len(counts.classes), dtype=counts.by_class.totals.dtype)
    table[counts.by_class.numbers] = counts.by_class.totals
    return table.reshape(-1, 2)


def cell_numbers(rows: CheckedRows) -> Ints:
    """The number of every row's cell: twice the size, plus one for a hit."""
    cell = np.empty(len(rows.codes), dtype=np.intp)
    for part, (_, size, hit) in chunks(rows):
        cell[part] = cell_of(size, hit)
    return cell


def count_by_group(
    member: Ints, n_groups: int, rows: CheckedRows, each: Array | None = None
) -> Array:
    """What the rows add, by (group, set size, hit); by default their number."""
    n_sizes = len(rows.sets.classes) + 1
    table = _zeros((n_groups, n_sizes, 2), each)
    for part, (_, size, hit) in chunks(rows, at_least=table.size):
        number = member[part] * (2 * n_sizes)
        number += cell_of(size, hit)
        table += bin_counts(number, None if each is None else each[part], table)
    return table


def sums_by_group(member: Ints, n_groups: int, rows: CheckedRows) -> CellSums:
    """The sums by (group, set size, hit), numbered in this order."""
    width = 2 * len(rows.sets.classes) + 2
    if rows.units.clusters is not None or n_groups * width > max(_CHUNK, len(member)):
        return CellSums.of(member.astype(np.intp) * width + cell_numbers(rows), rows.units)
    tables = [count_by_group(member, n_groups, rows, each) for each in _added(rows.units)]
    return sums_of_tables(*tables)


def require_rows(n: float) -> None:
    """Raise an error if there are no rows: they have no mean."""
    if n == 0:
        raise ValueError("there is no prediction to score: pass at least one row")


def read_rows(
    y_true: ArrayLike,
    y_pred: Any,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> CheckedRows:
    """Check the input: true classes become codes, predictions become sets; with their units."""
    codes, sets = align(y_true, y_pred, classes)
    if len(sets.classes) == 0:
        raise ValueError(
            "there is no prediction to score, and no classes are given: pass at least one row"
        )
    return CheckedRows(codes, sets, RowUnits.of(len(codes), sample_weight, counts, groups))


def parts_of(by: ArrayLike, rows: CheckedRows) -> tuple[Ints, Array]:
    """The part of each row as a position among the names of the parts, and the names."""
    member, names = encode_labels(by, name="by")
    if len(member) != len(rows.codes):
        raise ValueError(
            f"by has {counted(len(member), 'row')} but y_true has {len(rows.codes)}: name the "
            "group of every row"
        )
    return member, names


def chunks(
    rows: CheckedRows, at_least: int = 0
) -> Iterator[tuple[slice, tuple[Ints, Ints, Bools]]]:
    """Slices of the rows, one after another, with true classes, set sizes and hits."""
    step = max(_CHUNK, at_least)  # adding to a large table is slow: use long chunks
    for start in range(0, len(rows.codes), step):
        part = slice(start, start + step)
        code = rows.codes[part]
        yield part, (code, *size_and_hit(code, rows.sets[part]))


def cell_of(size: Ints, hit: Bools) -> Ints:
    """The position of the cell (size, hit) in the flattened table, in the integer type of sizes."""
    cell = size + size
    cell += hit
    return cell


def bin_counts(cell: Ints, weight: Array | None, like: Array) -> Array:
    """How often (or with what total weight) each cell occurs, in the shape of a table."""
    counts = np.bincount(cell, weights=weight, minlength=like.size).reshape(like.shape)
    return counts.astype(like.dtype, copy=False)  # NumPy adds up weights as floats


def _zeros(shape: tuple[int, ...], each: Array | None) -> Array:
    return np.zeros(shape, dtype=np.int64 if each is None else each.dtype)
