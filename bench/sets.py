"""Prediction sets against bare NumPy and MAPIE: reading, sizes and hits, the whole evaluation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from mapie.metrics.classification import (
    classification_coverage_score,
    classification_mean_width_score,
)

from bench.measure import Row, cpu_seconds, race
from wager._tables import encode_labels
from wager.metrics import evaluate_sets
from wager.predictions import PredictionSets, align, as_sets, size_and_hit

N_ROWS, N_CLASSES = 1_000_000, 10
N_PACKED = 10_000_000


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    matrix = rng.random((N_ROWS, N_CLASSES)) < 0.3
    y = rng.integers(0, N_CLASSES, N_ROWS)
    size = f"{N_ROWS:,} x {N_CLASSES}"

    def bare() -> object:
        return matrix.sum(axis=1), matrix[np.arange(N_ROWS), y]

    def mapie() -> object:
        sets = matrix[:, :, None]
        return classification_coverage_score(y, sets), classification_mean_width_score(sets)

    yield race(
        f"evaluate_sets, bool {size}",
        lambda: evaluate_sets(y, matrix),
        bare,
        "S.sum(1), S[arange, y]",
        1.0,
    )
    yield race(
        f"evaluate_sets, bool {size}",
        lambda: evaluate_sets(y, matrix),
        mapie,
        "MAPIE coverage and width",
        0.5,
    )
    yield race(
        f"sizes and hits, bool {size}",
        lambda: size_and_hit(*align(y, matrix)),
        bare,
        "S.sum(1), S[arange, y]",
        1.0,
    )

    names = np.array([f"class_{i}" for i in range(N_CLASSES)])
    labels = names[y]
    codes = cpu_seconds(lambda: evaluate_sets(y, matrix))
    strings = cpu_seconds(lambda: evaluate_sets(labels, matrix))
    unique = cpu_seconds(lambda: np.unique(labels))
    yield Row(f"string labels on top, {size}", strings - codes, unique, "np.unique", 1.0)
    yield race(
        f"encode_labels, {N_ROWS:,} strings",
        lambda: encode_labels(labels),
        lambda: np.unique(labels, return_inverse=True),
        "np.unique with inverse",
        1.0,
    )
    sets = as_sets(matrix, names)
    texts = np.array(sets.to_strings())
    yield race(
        f'sets from "a|b" strings, {size}',
        lambda: as_sets(texts),
        lambda: np.unique(texts, return_inverse=True),
        "np.unique with inverse",
        1.0,
    )
    sparse = sets.to_sparse()
    yield race(f"sets from sparse, {size}", lambda: as_sets(sparse), sparse.toarray, "toarray()")

    words = rng.integers(0, 1 << N_CLASSES, N_PACKED, dtype=np.uint64)
    y = rng.integers(0, N_CLASSES, N_PACKED)
    yield race(
        f"evaluate_sets, {N_PACKED:,} packed rows",
        lambda: evaluate_sets(y, PredictionSets.from_masks(words, np.arange(N_CLASSES))),
        lambda: (np.bitwise_count(words), words >> y.astype(np.uint64) & np.uint64(1)),
        "bitwise_count, a shift and a mask",
        3.0,
        repeat=3,
    )
