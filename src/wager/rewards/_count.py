"""One pass over the rows: counts by set size and by true class, of misses and of hits.

The pass goes through the rows in chunks that stay in the cache, so that its speed is that of
reading the predictions once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager.predictions import PredictionSets, align, check_weights
from wager.predictions._packing import has_bit, popcount

_CHUNK = 1 << 16  # rows; their sizes, hits and cell numbers fit the second-level cache


class Cells(NamedTuple):
    """Counts (or total weights) by (set size, hit) and by (true class, hit)."""

    by_size: Array
    by_class: Array
    weight_squares: float
    classes: Array


def whole_numbers(counts: Array) -> bool:
    """Whether a table counts rows (integers) rather than weighs them."""
    return counts.dtype.kind != "f"


def count_cells(
    y_true: ArrayLike,
    y_pred: Any,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> Cells:
    """Count the rows by set size and by true class."""
    codes, sets, weights, squares = read_rows(y_true, y_pred, classes, sample_weight)
    n_classes = len(sets.classes)
    by_size, by_class = _zeros((n_classes + 1, 2), weights), _zeros((n_classes, 2), weights)
    for code, size, hit, weight in chunks(codes, sets, weights):
        by_size += bin_counts(2 * size + hit, weight, by_size)
        by_class += bin_counts(2 * code + hit, weight, by_class)
    return Cells(by_size, by_class, squares, sets.classes)


def count_joint(
    y_true: ArrayLike,
    y_pred: Any,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> Cells:
    """Count the rows by (true class, set size, hit): as `by_class`, of shape (K, K + 1, 2)."""
    codes, sets, weights, squares = read_rows(y_true, y_pred, classes, sample_weight)
    n_classes = len(sets.classes)
    table = _zeros((n_classes, n_classes + 1, 2), weights)
    for code, size, hit, weight in chunks(codes, sets, weights, at_least=table.size):
        table += bin_counts((code * (n_classes + 1) + size) * 2 + hit, weight, table)
    return Cells(table.sum(axis=0), table, squares, sets.classes)


def read_rows(
    y_true: ArrayLike, y_pred: Any, classes: ArrayLike | None, sample_weight: ArrayLike | None
) -> tuple[Ints, PredictionSets, Array | None, float]:
    """Truth as codes, predictions as sets, and the weights with the sum of their squares."""
    codes, sets = align(y_true, y_pred, classes)
    weights = check_weights(sample_weight, len(codes))
    if weights is None:
        return codes, sets, None, float(len(codes))
    return codes, sets, whole_if_whole(weights), float(np.dot(weights, weights))


def whole_if_whole(weights: Floats) -> Array:
    """Weights as integers if all of them are whole: such weights are repeated rows."""
    whole = weights.astype(np.int64)
    return whole if (whole == weights).all() else weights


def chunks(
    codes: Ints, sets: PredictionSets, weights: Array | None, at_least: int = 0
) -> Iterator[tuple[Ints, Ints, Bools, Array | None]]:
    """True class, set size, hit and weight, a chunk of rows at a time."""
    step = max(_CHUNK, at_least)
    for start in range(0, len(codes), step):
        rows = slice(start, start + step)
        code, words = codes[rows], sets.words[rows]
        size = popcount(words).astype(np.intp)
        yield code, size, has_bit(words, code), None if weights is None else weights[rows]


def bin_counts(cell: Ints, weight: Array | None, like: Array) -> Array:
    """How often (or with what total weight) each cell occurs, in the shape of a table."""
    counts = np.bincount(cell, weights=weight, minlength=like.size).reshape(like.shape)
    return counts.astype(like.dtype, copy=False)  # NumPy adds up weights as floats


def _zeros(shape: tuple[int, ...], weights: Array | None) -> Array:
    return np.zeros(shape, dtype=np.int64 if weights is None else weights.dtype)
