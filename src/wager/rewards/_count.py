"""One pass over the rows: counts of misses and hits by set size and by true class.

The rows are read in chunks that stay in the processor's cache, so the pass takes about as long as
reading the predictions once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from wager._tables import check_weights
from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager.predictions import PredictionSets, align, size_and_hit

_CHUNK = 1 << 14  # rows; their sizes, hits and cell numbers stay in the cache


class CellCounts(NamedTuple):
    """Counts (or total weights) by (set size, hit) and by (true class, hit)."""

    by_size: Array
    by_class: Array
    weight_squares: float
    classes: Array


class CheckedRows(NamedTuple):
    """Checked data: truth as codes, predictions as sets, weights and the sum of their squares."""

    codes: Ints
    sets: PredictionSets
    weights: Array | None
    weight_squares: float


def whole_numbers(counts: Array) -> bool:
    """Whether a table counts rows (integers) instead of adding up weights."""
    return counts.dtype.kind != "f"


def count_cells(
    y_true: ArrayLike,
    y_pred: Any,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> CellCounts:
    """Count the rows by set size and by true class."""
    rows = read_rows(y_true, y_pred, classes, sample_weight)
    n_classes = len(rows.sets.classes)
    if n_classes * (n_classes + 1) <= _CHUNK:  # counting the pairs once is faster than two counts
        table = count_by_group(rows.codes, n_classes, rows)
        by_size, by_class = table.sum(axis=0), table.sum(axis=1)
        return CellCounts(by_size, by_class, rows.weight_squares, rows.sets.classes)
    by_size, by_class = (_zeros((k, 2), rows.weights) for k in (n_classes + 1, n_classes))
    for _, (code, size, hit, weight) in chunks(rows):
        by_size += bin_counts(cell_of(size, hit), weight, by_size)
        by_class += bin_counts(2 * code + hit, weight, by_class)
    return CellCounts(by_size, by_class, rows.weight_squares, rows.sets.classes)


def count_by_group(member: Ints, n_groups: int, rows: CheckedRows) -> Array:
    """Counts by (group, set size, hit)."""
    n_sizes = len(rows.sets.classes) + 1
    table = _zeros((n_groups, n_sizes, 2), rows.weights)
    for part, (_, size, hit, weight) in chunks(rows, at_least=table.size):
        number = member[part] * (2 * n_sizes)
        number += cell_of(size, hit)
        table += bin_counts(number, weight, table)
    return table


def square_sums(member: Ints, n_groups: int, rows: CheckedRows) -> Floats:
    """The sum of the squared weights in each group."""
    squares = None if rows.weights is None else rows.weights**2
    return np.bincount(member, squares, n_groups).astype(np.float64, copy=False)


def require_rows(n: float) -> None:
    """Raise an error if there are no rows: they have no mean."""
    if n == 0:
        raise ValueError("there is no prediction to score: pass at least one row")


def read_rows(
    y_true: ArrayLike,
    y_pred: Any,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> CheckedRows:
    """Check the input: true classes become codes, predictions become sets; with weights."""
    codes, sets = align(y_true, y_pred, classes)
    if len(sets.classes) == 0:
        raise ValueError(
            "there is no prediction to score, and no classes are given: pass at least one row"
        )
    weights = check_weights(sample_weight, len(codes))
    if weights is None:
        return CheckedRows(codes, sets, None, float(len(codes)))
    return CheckedRows(codes, sets, whole_if_whole(weights), float(np.dot(weights, weights)))


def whole_if_whole(weights: Floats) -> Array:
    """Weights as integers if all of them are whole numbers: these stand for repeated rows."""
    whole = weights.astype(np.int64)
    return whole if (whole == weights).all() else weights


def chunks(
    rows: CheckedRows, at_least: int = 0
) -> Iterator[tuple[slice, tuple[Ints, Ints, Bools, Array | None]]]:
    """Slices of the rows, one after another, with true classes, set sizes, hits and weights."""
    step = max(_CHUNK, at_least)  # adding to a large table is slow: use long chunks
    for start in range(0, len(rows.codes), step):
        part = slice(start, start + step)
        code = rows.codes[part]
        size, hit = size_and_hit(code, rows.sets[part])
        yield part, (code, size, hit, None if rows.weights is None else rows.weights[part])


def cell_of(size: Ints, hit: Bools) -> Ints:
    """The position of the cell (size, hit) in the flattened table, in the integer type of sizes."""
    cell = size + size
    cell += hit
    return cell


def bin_counts(cell: Ints, weight: Array | None, like: Array) -> Array:
    """How often (or with what total weight) each cell occurs, in the shape of a table."""
    counts = np.bincount(cell, weights=weight, minlength=like.size).reshape(like.shape)
    return counts.astype(like.dtype, copy=False)  # NumPy adds up weights as floats


def _zeros(shape: tuple[int, ...], weights: Array | None) -> Array:
    return np.zeros(shape, dtype=np.int64 if weights is None else weights.dtype)
