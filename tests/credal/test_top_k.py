"""Optimal sets and rejection for listed probabilities are those of the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse import csr_array

from tests.fewer import fewer
from tests.predictions.strategies import listed_probabilities
from wager.costs import CostMatrix
from wager.credal import (
    _optimal_top_k as optimal_top_k,
    class_selective_rejection,
    optimal_sets,
    reject,
)
from wager.predictions import TopKProbabilities
from wager.predictions._set_rows import SparseRows
from wager.rewards import Tabulated

UTILITIES = ["u50", "u65", "u80", "f1", "f2", "log-norm", "exp-norm:2", 0.95]


@pytest.mark.parametrize("utility", UTILITIES)
@given(data=listed_probabilities())
@fewer(8)
def test_optimal_sets_are_those_of_the_matrix(utility, data):
    top = TopKProbabilities(*data)
    sets, info = optimal_sets(top, utility, return_info=True)
    dense, expected = optimal_sets(np.asarray(top), utility, classes=data[2], return_info=True)
    assert sets == dense
    np.testing.assert_allclose(info.expected, expected.expected, rtol=1e-12, atol=1e-15)
    assert info.search == expected.search == "sorted"
    assert info.is_exact


@pytest.mark.parametrize("utility", UTILITIES)
@given(data=listed_probabilities(), seed=st.integers(0, 99))
@fewer(8)
def test_classes_that_differ_by_rounding_are_taken_as_from_the_matrix(utility, data, seed):
    codes, proba, classes = data
    rng, eps = np.random.default_rng(seed), np.finfo(float).eps
    moved = [[p * (1 + eps * int(rng.integers(-1, 2))) for p in row] for row in proba]
    top = TopKProbabilities(codes, moved, classes)
    same = optimal_sets(TopKProbabilities(*data), utility)
    assert optimal_sets(top, utility) == same
    assert optimal_sets(np.asarray(top), utility, classes=classes) == same


@given(
    data=listed_probabilities([f"c{i:02d}" for i in range(40)]),
    gain=st.lists(st.integers(0, 6), min_size=40, max_size=40).map(np.array),
    widest=st.sampled_from([1, 3, 256]),
)
def test_any_gain_by_size_gives_the_best_head(data, gain, widest):
    """Gains that neither fall nor rise, so that the best set may have any size."""
    top = TopKProbabilities(*data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimal_top_k, "_WIDEST", widest)
        sets, best = optimal_top_k.best_listed_heads(top, gain.astype(float))
    order = np.argsort(-np.asarray(top), axis=1, kind="stable")
    heads = np.cumsum(np.take_along_axis(np.asarray(top), order, axis=1), axis=1)
    values = gain * heads
    np.testing.assert_allclose(best, values.max(axis=1), rtol=1e-12)
    size = (values >= values.max(axis=1, keepdims=True) - 1e-11).argmax(axis=1) + 1
    np.testing.assert_array_equal(sets.sizes, size)
    names = np.array(data[2])
    for row, labels in enumerate(sets.to_lists()):
        assert labels == sorted(names[order[row, : size[row]]])


def test_classes_that_are_not_listed_are_taken_in_their_order():
    classes = list("abcdefgh")
    top = TopKProbabilities([["c"], [], ["b", "d"]], [[0.16], [], [0.1, 0.08]], classes)
    # the share of the others is 0.12, 0.125 and 0.1367
    sets = optimal_sets(top, "u80")
    assert sets.to_lists() == optimal_sets(np.asarray(top), "u80", classes=classes).to_lists()
    assert "a" in sets[1]
    assert optimal_sets(top, lambda x: np.where(x > 0, 1.0, 0.0)).sizes.tolist() == [8, 8, 8]


def test_sets_of_all_classes_are_marked_and_not_listed(monkeypatch):
    asked = []
    monkeypatch.setattr(optimal_top_k, "check_memory", lambda size, *_: asked.append(size))
    n_classes = 10_000
    top = TopKProbabilities(np.zeros((100, 1), int), np.full((100, 1), 0.3), range(n_classes))
    sets = reject(top, 0.4)
    assert isinstance(sets.rows, SparseRows)
    assert (sets.sizes == n_classes).all()
    assert len(sets.rows.codes) == 0
    kept = optimal_sets(top, lambda x: np.where(x > 0, 1.0, 0.0))
    assert len(kept.rows.codes) == 0
    assert (kept.sizes == n_classes).all()
    assert asked == [0]  # bytes for their members


@given(data=listed_probabilities(), threshold=st.sampled_from([0.0, 0.125, 0.25, 1 / 3, 0.5, 1.0]))
def test_rejection_is_that_of_the_matrix(data, threshold):
    top = TopKProbabilities(*data)
    assert reject(top, threshold) == reject(np.asarray(top), threshold, data[2])


@given(
    data=listed_probabilities(),
    delta=st.sampled_from([0.0, 0.05, 0.125, 0.2, 0.5, 2.0]),
    eta=st.none() | st.lists(st.integers(0, 3), min_size=8, max_size=8),
)
def test_class_selective_rejection_is_that_of_the_matrix(data, delta, eta):
    top, classes = TopKProbabilities(*data), data[2]
    losses = None if eta is None else eta[: len(classes)]
    found = class_selective_rejection(top, delta, losses)
    assert found == class_selective_rejection(np.asarray(top), delta, losses, classes)
    if losses is None or not all(losses):
        return
    costs = CostMatrix.ha(losses, classes).extend("ha", delta=delta)
    sets, info = optimal_sets(top, costs=costs, return_info=True)
    dense, expected = optimal_sets(np.asarray(top), costs=costs, classes=classes, return_info=True)
    assert sets == dense
    np.testing.assert_allclose(info.expected, expected.expected, atol=1e-12)


@given(
    data=listed_probabilities([f"c{i}" for i in range(4)]),
    rule=st.sampled_from(["utility", "p-discounted", "discounted"]),
)
def test_costs_are_minimised_as_for_the_matrix(data, rule):
    top, classes = TopKProbabilities(*data), data[2]
    costs = CostMatrix.zero_one(classes[::-1]).extend(rule)
    sets, info = optimal_sets(top, costs=costs, return_info=True)
    dense, expected = optimal_sets(np.asarray(top), costs=costs, classes=classes, return_info=True)
    assert sets == dense
    np.testing.assert_allclose(info.expected, expected.expected, atol=1e-12)
    runs = optimal_sets(top, "u65", search="contiguous")
    assert runs == optimal_sets(np.asarray(top), "u65", classes=classes, search="contiguous")


def test_a_sparse_matrix_is_taken_as_it_is():
    matrix = np.array([[0.5, 0.0, 0.5, 0.0], [0.0, 1.0, 0.0, 0.0]])
    sets = optimal_sets(csr_array(matrix), "u80")
    assert sets == optimal_sets(matrix, "u80")
    assert sets.source == "columns"
    assert reject(csr_array(matrix), 0.6) == reject(matrix, 0.6)
    assert reject(csr_array(matrix), 0.6, list("abcd")).classes.tolist() == list("abcd")
    with pytest.raises(ValueError, match=r"row 0 sums to 0.5, and what a sparse matrix does not"):
        optimal_sets(csr_array([[0.5, 0.0]]))


def test_costs_name_the_columns_of_a_sparse_matrix():
    costs = CostMatrix.ha([1, 4], ["a", "b"]).extend("ha", delta=0.1)
    sets = optimal_sets(csr_array([[0.95, 0.05], [0.5, 0.5]]), costs=costs)
    assert sets.to_lists() == [["a", "b"], ["a", "b"]]
    listed = TopKProbabilities([["b"]], [[0.9]])
    assert optimal_sets(listed, costs=costs).to_lists() == [["b"]]


def test_a_hit_that_is_worth_less_than_a_miss_is_refused():
    top = TopKProbabilities([["a"]], [[0.5]], ["a", "b", "c"])
    with pytest.raises(ValueError, match="must not be worth less than a miss"):
        optimal_sets(top, lambda x: np.where(x > 0.4, x, 0.2 - x))


def test_a_listed_class_as_probable_as_the_others_waits_for_its_turn():
    top = TopKProbabilities([["d"]], [[0.25]], list("abcd"))
    assert optimal_sets(top, Tabulated([1, 0.9, 0.1, 0])).to_lists() == [["a", "b"]]


def test_sizes_that_only_the_bound_favours_are_passed_over():
    """Two listed classes are less probable than the others, so the bound exceeds 1 for 4 and 5."""
    top = TopKProbabilities([["a", "b"]], [[0.005, 0.005]], list("abcde"))
    sets, best = optimal_top_k.best_listed_heads(top, np.array([0, 0, 0, 0.9, 1.0]))
    assert sets.sizes.tolist() == [5]
    assert best.tolist() == pytest.approx([1.0])


def test_a_threshold_of_listed_probabilities_is_met_in_spite_of_rounding():
    assert 1 - 0.7 > 0.3
    assert reject(TopKProbabilities([[1]], [[0.3]], range(9)), 1 - 0.7).to_lists() == [[1]]
