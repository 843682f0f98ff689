"""Work is done in blocks, so that memory does not grow with rows or with sets."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from wager.credal import CredalVertices, decide, optimal_sets
from wager.credal._set_search import cheapest_of, cheapest_of_all
from wager.predictions import ProbabilityIntervals, TopKProbabilities


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


def test_best_sets_of_listed_probabilities_need_no_column_per_class():
    n, n_classes = 40, 20_000
    listed = TopKProbabilities(
        np.tile([3, 5], (n, 1)), np.tile([0.6, 0.3], (n, 1)), range(n_classes)
    )
    peak = peak_of(lambda: optimal_sets(listed, "u65"))
    assert peak < n * n_classes * 8 / 2  # half of a number for every class of every row


def test_a_row_with_more_classes_than_a_chunk_has_numbers_is_decided(monkeypatch):
    monkeypatch.setattr("wager.credal._optimal_by_size._CHUNK", 2)
    monkeypatch.setattr("wager.credal._screening._CHUNK", 2)
    assert optimal_sets([[0.5, 0.4, 0.1]], "u65").to_lists() == [[0, 1]]
    either = ProbabilityIntervals([[0.4, 0.4, 0.0]], [[0.6, 0.6, 0.0]])
    assert decide(either, "e-admissibility", 2 * (1 - np.eye(3))).to_lists() == [[0, 1]]
