"""Everything that a tally gives, beside MAPIE's two numbers and bare NumPy's sizes and hits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from mapie.metrics.classification import (
    classification_coverage_score,
    classification_mean_width_score,
)
from scipy.signal import fftconvolve

from bench.measure import Row, race
from wager.predictions import as_sets
from wager.rewards import PairedTally, Tally, evaluate_sets, expected_utility_of_bets

N_ROWS, N_CLASSES = 1_000_000, 10


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    matrix = rng.random((N_ROWS, N_CLASSES)) < 0.3
    other = rng.random((N_ROWS, N_CLASSES)) < 0.3
    y = rng.integers(0, N_CLASSES, N_ROWS)
    weights = rng.random(N_ROWS)
    size = f"{N_ROWS:,} x {N_CLASSES}"

    def bare(sets=matrix) -> object:
        return sets.sum(axis=1), sets[np.arange(N_ROWS), y]

    def mapie() -> object:
        sets = matrix[:, :, None]
        return classification_coverage_score(y, sets), classification_mean_width_score(sets)

    def everything() -> object:
        return evaluate_sets(y, matrix).to_dict()

    name = f"evaluate_sets, all numbers, {size}"
    yield race(name, everything, bare, "S.sum(1), S[arange, y]", 1.0, repeat=20)
    yield race(name, everything, mapie, "MAPIE coverage and width", 0.5, repeat=20)
    yield race(
        f"evaluate_sets with weights, {size}",
        lambda: evaluate_sets(y, matrix, sample_weight=weights).to_dict(),
        lambda: (bare(), np.bincount(y, weights=weights)),
        "the same and a weighted bincount",
    )
    yield race(
        f"paired tally of two classifiers, {size}",
        lambda: PairedTally.of(y, matrix, other),
        lambda: (bare(), bare(other)),
        "S.sum(1), S[arange, y] of both",
        1.0,
    )
    sets = as_sets(matrix)
    yield race(
        f"tally of packed sets, {size}",
        lambda: Tally.of(y, sets),
        lambda: np.bincount(y, minlength=N_CLASSES),
        "np.bincount of the truth",
    )
    tally = Tally(np.array([[1, 0], [5, 40], [3, 20], [2, 11], [4, 7], [2, 5], [0, 9]]))
    m = 10_000
    yield race(
        f"exact utility of {m:,} bets, sizes 1 to 6",
        lambda: expected_utility_of_bets(tally, m, "log"),
        lambda: squared_convolutions(tally, m),
        "repeated squaring with fftconvolve",
        1.0,
    )


def squared_convolutions(tally: Tally, m: int, step: int = 60) -> float:
    """The same expectation the plain way: all of the law, by repeated squaring."""
    rewards, chance = tally.reward_law()
    base = np.zeros(step + 1)
    base[np.rint(rewards * step).astype(int)] = chance
    law = np.ones(1)
    while m:
        if m & 1:
            law = fftconvolve(law, base)
        base, m = fftconvolve(base, base) if m > 1 else base, m >> 1
    return float(law @ np.log1p(np.arange(len(law)) / step))
