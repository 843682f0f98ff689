"""Work is done in blocks, so that memory does not grow with rows or with sets."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from wager.credal import CredalVertices, decide
from wager.credal._set_search import cheapest_of, cheapest_of_all


def peak_of(call: Callable[[], object]) -> int:
    """The largest number of bytes in use during a call, which is made twice."""
    call()  # imports what is needed
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_decisions_by_vertices_keep_a_block_of_expected_costs(monkeypatch):
    monkeypatch.setattr("wager.credal._decide._BLOCK", 8_000)
    n, n_vertices, n_classes = 4_000, 20, 4
    rng = np.random.default_rng(0)
    hulls = CredalVertices(rng.dirichlet(np.ones(n_classes), (n, n_vertices)))
    costs = rng.random((n_classes, n_classes)) + 1.0
    np.fill_diagonal(costs, 0.0)
    peak = peak_of(lambda: decide(hulls, "interval-dominance", costs))
    assert peak < n * n_vertices * n_classes * 8 / 2  # half of all expected costs


def by_class(sets: np.ndarray) -> np.ndarray:
    """Costs of some sets: how many classes they have, and 10 for a missed one."""
    return sets.sum(axis=1, keepdims=True) + 10.0 * ~sets


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr("wager.credal._set_search._CHUNK", 1 << 13)


@pytest.mark.usefixtures("small_chunks")
def test_a_search_of_sets_keeps_the_costs_of_a_block_of_rows():
    n, n_classes = 4_000, 6
    proba = np.random.default_rng(0).dirichlet(np.ones(n_classes), n)
    sets = (np.arange(1, 1 << n_classes)[:, None] >> np.arange(n_classes) & 1).astype(bool)
    peak = peak_of(lambda: cheapest_of(proba, by_class, iter([sets])))
    assert peak < n * len(sets) * 8 / 2  # half of the costs of all sets for all rows


@pytest.mark.usefixtures("small_chunks")
def test_a_search_of_all_sets_keeps_a_part_of_them():
    n_classes = 13
    proba = np.random.default_rng(0).dirichlet(np.ones(n_classes), 1)
    peak = peak_of(lambda: cheapest_of_all(proba, by_class))
    assert peak < (1 << n_classes) * n_classes * 8 / 2  # half of the costs of all sets
