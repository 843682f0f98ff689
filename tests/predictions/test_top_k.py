"""Probabilities of a few listed classes are those of the whole matrix."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse import coo_array, csr_array

from tests.predictions.strategies import listed_probabilities
from wager.predictions import (
    TopKProbabilities,
    align_top_k,
    as_top_k,
    check_probabilities,
    first_largest,
    most_probable,
)


def dense_in_a_loop(labels, proba, classes):
    matrix = []
    for names, numbers in zip(labels, proba, strict=True):
        known = dict(zip(names, numbers, strict=True))
        others = len(classes) - len(names)
        left = 1 - sum(numbers)
        share = left / others if others and left > 1e-12 else 0.0
        matrix.append([known.get(name, share) for name in classes])
    return np.array(matrix)


@given(listed_probabilities())
def test_the_matrix_has_listed_probabilities_and_even_shares(data):
    labels, proba, classes = data
    top = TopKProbabilities(labels, proba, classes)
    assert top.shape == (len(labels), len(classes))
    assert top.n_listed.tolist() == list(map(len, labels))
    np.testing.assert_allclose(np.asarray(top), dense_in_a_loop(*data), atol=1e-15)
    check_probabilities(np.asarray(top))


@given(listed_probabilities())
def test_the_most_probable_class_is_the_first_of_the_matrix(data):
    top = TopKProbabilities(*data)
    np.testing.assert_array_equal(most_probable(top), np.asarray(top).argmax(axis=1))
    np.testing.assert_array_equal(most_probable(top), first_largest(np.asarray(top)))


@given(listed_probabilities(), st.data())
def test_blocks_answer_as_the_matrix(data, draw):
    top = TopKProbabilities(*data)
    matrix = np.asarray(top)
    for block in top.blocks():
        part = matrix[block.rows]
        np.testing.assert_array_equal(block.dense(), part)
        np.testing.assert_array_equal(block.largest(), part.max(axis=1))
        codes = np.array(
            draw.draw(st.lists(st.integers(0, len(data[2]) - 1), min_size=len(block),
                               max_size=len(block))))  # fmt: skip
        np.testing.assert_array_equal(block.of(codes), part[np.arange(len(part)), codes])
        ordered, numbers = block.descending()
        for row, (names, values) in enumerate(zip(ordered, numbers, strict=True)):
            kept = names >= 0
            expected = sorted(zip(-part[row][names[kept]], names[kept], strict=True))
            assert [code for _, code in expected] == names[kept].tolist()
            assert (values[~kept] == -1).all()


@given(listed_probabilities(min_rows=3), st.data())
def test_some_rows_and_other_classes_are_those_of_the_matrix(data, draw):
    top = TopKProbabilities(*data)
    rows = draw.draw(st.lists(st.integers(0, len(top) - 1), max_size=5))
    np.testing.assert_array_equal(
        np.asarray(top[np.array(rows, dtype=int)]), np.asarray(top)[np.array(rows, dtype=int)]
    )
    np.testing.assert_array_equal(np.asarray(top[1:]), np.asarray(top)[1:])
    order = draw.draw(st.permutations(range(len(data[2]))))
    moved = top.with_classes([data[2][i] for i in order])
    np.testing.assert_array_equal(np.asarray(moved), np.asarray(top)[:, order])
    more = top.with_classes([*data[2], "another"])
    np.testing.assert_allclose(
        np.asarray(more), dense_in_a_loop(*data[:2], [*data[2], "another"]), atol=1e-15
    )


@given(listed_probabilities())
def test_a_sparse_matrix_stores_everything(data):
    matrix = np.asarray(TopKProbabilities(*data))
    top = TopKProbabilities.from_sparse(csr_array(matrix), data[2])
    np.testing.assert_array_equal(np.asarray(top), matrix)
    assert not top.left.any()
    assert not top.shares.any()


def test_forms_of_input():
    lists = TopKProbabilities([[1, 0], [2]], [[0.5, 0.25], [0.5]], [0, 1, 2])
    labels, proba = np.array([[1, 0], [2, 2]]), np.array([[0.5, 0.25], [0.5, np.nan]])
    matrix = TopKProbabilities(labels, proba, [0, 1, 2])
    np.testing.assert_array_equal(np.asarray(lists), np.asarray(matrix))
    np.testing.assert_array_equal(np.asarray(lists), [[0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])
    single = TopKProbabilities(labels, proba.astype(np.float32), [0, 1, 2])
    np.testing.assert_array_equal(np.asarray(single), np.asarray(matrix))
    assert repr(lists) == "2 rows of the probabilities of up to 2 of 3 classes: 0, 1, 2"
    assert as_top_k(lists) is lists
    assert as_top_k(np.eye(2)) is None


def test_a_sum_that_rounds_to_one_leaves_nothing():
    top = TopKProbabilities([["a", "b", "c"]], [[0.7, 0.2, 0.1]], ["a", "b", "c", "d"])
    assert 0.7 + 0.2 + 0.1 != 1
    assert top.shares.tolist() == [0.0]
    small = TopKProbabilities([["a"]], [[1 - 1e-12]], ["a", "b"])
    assert small.shares[0] == pytest.approx(1e-12, rel=1e-3)
    single = TopKProbabilities([["a"]], np.array([[1 - 6e-8]], dtype=np.float32), ["a", "b"])
    assert single.shares.tolist() == [0.0]


@given(listed_probabilities(), st.integers(1, 8))
def test_the_largest_of_a_matrix_are_listed(data, k):
    matrix = np.asarray(TopKProbabilities(*data))
    k = min(k, matrix.shape[1])
    top = TopKProbabilities.from_proba(matrix, k)
    assert (top.n_listed == k).all()
    for block in top.blocks():
        np.testing.assert_array_equal(block.proba, -np.sort(-matrix, axis=1)[:, :k])
    if k == matrix.shape[1]:
        np.testing.assert_array_equal(np.asarray(top), matrix)
    named = matrix[np.arange(len(top)), most_probable(top)]
    np.testing.assert_allclose(named, matrix.max(axis=1))  # equal ones may differ by rounding


def test_true_labels_are_matched():
    labels, proba = [["a"], ["b"]], [[0.5], [0.5]]
    codes, top = align_top_k(["c", "a"], TopKProbabilities(labels, proba), None)
    assert top.classes.tolist() == ["a", "b", "c"]  # the labels of both
    assert codes.tolist() == [2, 0]
    assert top.shares.tolist() == [0.25, 0.25]
    codes, top = align_top_k(["b", "a"], TopKProbabilities(labels, proba, list("abcd")), None)
    assert top.shape == (2, 4)
    sparse = TopKProbabilities.from_sparse(csr_array([[0.5, 0.5], [1, 0]]))
    codes, top = align_top_k(["no", "yes"], sparse, None)
    assert top.classes.tolist() == ["no", "yes"]
    with pytest.raises(ValueError, match="y_true has 1 label but proba has 2 rows"):
        align_top_k([0], sparse, None)
    with pytest.raises(ValueError, match="'x' in row 1, which is not among the classes"):
        align_top_k(["a", "x"], TopKProbabilities(labels, proba, list("ab")), None)


@pytest.mark.parametrize(
    ("labels", "proba", "classes", "words"),
    [
        ([["a", "b"]], [[0.5, 0.6]], None, "the probabilities of row 0 sum to 1.1"),
        ([["a"], ["a", "a"]], [[1], [0.5, 0.2]], None, "row 1 lists 'a' twice"),
        ([["a"], ["b", "c"]], [[1], [0.5]], None, "row 1 has 2 labels but 1 probabilities"),
        ([["a"]], [[1], [1]], None, "labels have 1 row but proba has 2"),
        ([["a"]], [[-0.5]], None, r"not negative, got -0.5 in row 0"),
        ([["a"], ["b"]], [[1], [np.inf]], None, "got inf in row 1"),
        ([["a"]], [["x"]], None, "proba must contain numbers"),
        ([["a", "b"]], [[0.5, 0.2]], ["a", "b"], "row 0 lists every class but the .* 0.7"),
        ([["a"], ["a", "b"]], [[0.5], [0.4, 0.4]], ["a", "b"], "row 1 lists every class but"),
        (
            [["a"], ["x"]],
            [[1], [1]],
            ["a", "b"],
            "labels contains 'x' in row 1, which is not",
        ),
        ([["a"], [None]], [[1], [1]], None, "labels has a missing label in row 1"),
        (np.array([["a"]]), np.array([[0.5, 0.5]]), None, "give one probability for each label"),
        (np.zeros((0, 2), int), np.zeros((0, 2)), None, "proba has no row"),
    ],
)
def test_wrong_lists_are_refused_in_words(labels, proba, classes, words):
    with pytest.raises(ValueError, match=words):
        TopKProbabilities(labels, proba, classes)


@pytest.mark.parametrize(
    ("matrix", "classes", "words"),
    [
        (csr_array([[0.5, 0.5], [0.5, 0.0]]), None, "row 1 sums to 0.5, and what a sparse matrix"),
        (csr_array([[2.0, -1.0]]), None, "got -1 in row 0"),
        (csr_array([[1.0, 0.0]]), ["a"], "2 columns but there is 1 class"),
        (csr_array((0, 3)), None, r"sparse matrix of shape \(0, 3\)"),
    ],
)
def test_wrong_sparse_matrices_are_refused_in_words(matrix, classes, words):
    with pytest.raises(ValueError, match=words):
        TopKProbabilities.from_sparse(matrix, classes)


def test_duplicates_in_a_sparse_matrix_are_added():
    parts = coo_array(([0.25, 0.25, 0.5], ([0, 0, 0], [1, 1, 0])), shape=(1, 2))
    np.testing.assert_array_equal(np.asarray(TopKProbabilities.from_sparse(parts)), [[0.5, 0.5]])


def test_other_wrong_arguments():
    top = TopKProbabilities([["a"]], [[0.5]], ["a", "b"])
    with pytest.raises(ValueError, match=r"lists every class but the .* 0.5"):
        TopKProbabilities([["a"]], [[0.5]]).with_classes(["a"])
    with pytest.raises(ValueError, match="'b' in its own classes, which is not among"):
        top.with_classes(["a", "c"])
    with pytest.raises(ValueError, match="k must be a whole number from 1 to 2, got 3"):
        TopKProbabilities.from_proba([[0.5, 0.5]], 3)
    with pytest.raises(ValueError, match="2 columns but there are 3 classes"):
        TopKProbabilities.from_sparse(csr_array([[0.5, 0.5]])).with_classes([1, 2, 3])
    with pytest.raises(ValueError, match="always a copy"):
        np.array(top, copy=False)
    many = TopKProbabilities(np.zeros((1000, 1), int), np.ones((1000, 1)), range(10**9 // 1000))
    huge = many.of_codes(
        np.zeros(10**7, np.int32), np.ones(10**7), np.arange(10**7 + 1), np.zeros(10**7),
        many.classes)  # fmt: skip
    with pytest.raises(ValueError, match="would take 80,000 GB: take some rows at a time"):
        np.asarray(huge)


def test_one_long_row_among_short_ones_takes_little_memory():
    n, n_classes = 20_000, 50_000
    lengths = np.ones(n, dtype=np.intp)
    lengths[n // 2] = n_classes
    ends = np.append(0, np.cumsum(lengths))
    codes = np.zeros(ends[-1], dtype=np.int32)
    codes[ends[n // 2] : ends[n // 2 + 1]] = np.arange(n_classes)
    values = np.full(len(codes), 1 / n_classes)
    top = TopKProbabilities.of_codes(
        codes, values, ends, np.where(lengths > 1, 0, 1 - 1 / n_classes), np.arange(n_classes)
    )
    tracemalloc.start()
    named = top.most_probable()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert not named.any()
    assert peak < 30e6  # as a matrix it would be 8 gigabytes
