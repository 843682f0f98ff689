"""Costs of sets: scoring a million predictions, all sets of many classes, the audit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np

from bench.measure import Row, race
from wager.costs import CostMatrix, CostTally, audit
from wager.metrics import average_cost
from wager.predictions import PredictionSets


def _costs(k: int) -> CostMatrix:
    return CostMatrix(np.random.default_rng(k).random((k, k)) * 5 * (1 - np.eye(k)))


def _rows(n: int, k: int) -> tuple[np.ndarray, np.ndarray, PredictionSets]:
    rng = np.random.default_rng(1)
    indicator = rng.random((n, k)) < 0.3
    indicator[np.arange(n), rng.integers(0, k, n)] = True
    truth = rng.integers(0, k, n)
    return truth, indicator, PredictionSets.from_indicator(indicator)


def rows() -> Iterator[Row]:
    truth, _, sets = _rows(1_000_000, 10)
    extended = _costs(10).extend("p-discounted", r=0.5)
    table = np.concatenate([np.zeros((1, 10)), extended.costs_of_masks(np.arange(1, 1024))])
    masks = sets.words[:, 0].astype(np.intp)
    yield race(
        "costs of 1,000,000 sets of 10 classes",
        lambda: extended.of(sets, truth),
        lambda: table[masks, truth],
        "bare look-up in a ready table",
        at_most=5,
    )
    yield race(
        "average cost of 1,000,000 sets of 10 classes",
        lambda: average_cost(truth, sets, extended),
        lambda: table[masks, truth].mean(),
        "bare look-up in a ready table",
        at_most=5,
    )
    counted = race(
        "tally of 1,000,000 sets of 10 classes",
        lambda: CostTally.of(truth, sets),
        lambda: np.unique(masks * 10 + truth, return_counts=True),
        "np.unique of the pairs",
        at_most=1,
        repeat=20,
    )
    note = "NumPy counts codes that are ready; the tally checks labels and sets and encodes them"
    yield counted if counted.met else replace(counted, note=note)

    truth, indicator, sets = _rows(300_000, 20)
    many = _costs(20).extend("p-discounted", r=0.5)
    roots = np.sqrt(many.determinate.costs).T.copy()

    def bare() -> np.ndarray:
        means = np.einsum("nk,nk->n", indicator, roots[truth]) / indicator.sum(axis=1)
        return means * means

    yield race(
        "costs of 300,000 sets of 20 classes",
        lambda: many.of(sets, truth),
        bare,
        "the mean of square roots in NumPy",
        at_most=3,
    )

    few = _costs(12)
    by_mean = few.extend("p-discounted", r=0.5)
    subsets = [s for size in range(1, 13) for s in combinations(range(12), size)]

    def loop() -> np.ndarray:
        roots = np.sqrt(few.costs)
        return np.array([roots[list(labels)].mean(axis=0) ** 2 for labels in subsets])

    yield race("all 4,095 sets of 12 classes", by_mean.matrix, loop, "a loop over the sets", 0.2)

    eight = _costs(8).extend("p-discounted", r=0.5)
    yield race(
        "audit of all sets of 8 classes",
        lambda: audit(eight),
        lambda: _words(eight),
        "the properties word by word",
        at_most=1,
        repeat=2,
    )


def _words(extended) -> list[bool]:
    """Properties 3, 4, 6, 7 and 10 cell by cell, without the linear programs."""
    singles, broken = extended.singles, [False] * 5
    for labels, row in zip(extended.subsets()[8:], extended.matrix()[8:], strict=True):
        members = singles[list(labels)]
        mean, least, largest = members.mean(axis=0), members.min(axis=0), members.max(axis=0)
        for y, cost in enumerate(row):
            inside = y in labels
            checks = (
                inside and cost >= mean[y] - 1e-9,
                cost < least[y] - 1e-9,
                not inside and cost < mean[y] - 1e-9,
                not inside and cost > mean[y] + 1e-9,
                cost > largest[y] + 1e-9,
            )
            broken = [was or now for was, now in zip(broken, checks, strict=True)]
    return broken
