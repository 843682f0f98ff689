"""Sets as lists of members are the same sets as bits."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse import csr_array

from wager.predictions import PredictionSets, align, as_sets, concatenate_sets, size_and_hit
from wager.predictions._packing import pack
from wager.predictions._set_rows import PackedRows, SparseRows, rows_of_codes


@st.composite
def flags(draw, n=None, n_classes=None):
    n = draw(st.integers(0, 6)) if n is None else n
    n_classes = draw(st.sampled_from([1, 5, 63, 64, 65, 130])) if n_classes is None else n_classes
    rows = []
    for _ in range(n):
        kind = draw(st.sampled_from(["none", "all", "few"]))
        few = draw(st.sets(st.integers(0, n_classes - 1), max_size=4)) if kind == "few" else ()
        rows.append([kind == "all" or k in few for k in range(n_classes)])
    return np.array(rows, dtype=bool).reshape(n, n_classes)


def packed(matrix) -> PredictionSets:
    return PredictionSets(PackedRows(pack(matrix), matrix.shape[1]), np.arange(matrix.shape[1]))


def listed(matrix) -> PredictionSets:
    lists = packed(matrix).rows.sparse()
    return PredictionSets(lists, np.arange(matrix.shape[1]))


@given(flags(), st.data())
def test_lists_and_bits_answer_alike(matrix, data):
    bits, lists = packed(matrix), listed(matrix)
    n, n_classes = matrix.shape
    codes = np.array(
        data.draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n)), int
    )
    assert isinstance(lists.rows, SparseRows)
    assert lists == bits
    assert bits == lists
    assert hash(lists) == hash(bits)
    np.testing.assert_array_equal(lists.to_indicator(), matrix)
    np.testing.assert_array_equal(lists.words, bits.words)
    np.testing.assert_array_equal(lists.sizes, matrix.sum(axis=1))
    np.testing.assert_array_equal(lists.named, matrix.any(axis=0))
    np.testing.assert_array_equal(lists.contains(codes), matrix[np.arange(n), codes])
    for ours, theirs in zip(size_and_hit(codes, lists), size_and_hit(codes, bits), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert lists.to_lists() == bits.to_lists()
    assert lists.positions() == bits.positions()
    np.testing.assert_array_equal(lists.to_sparse().toarray(), matrix)
    assert repr(lists) == repr(bits)


@given(flags(n=6), st.data())
def test_parts_of_lists_are_parts_of_bits(matrix, data):
    bits, lists = packed(matrix), listed(matrix)
    start, stop = data.draw(st.integers(-6, 6)), data.draw(st.integers(-6, 6))
    rows = np.array(data.draw(st.lists(st.integers(-6, 5))), dtype=int)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=6, max_size=6)))
    for chosen in (slice(start, stop), slice(None, None, -2), rows, mask):
        assert lists[chosen] == bits[chosen]
        assert isinstance(lists[chosen].rows, SparseRows)
    assert lists[start % 6] == bits[start % 6]
    both = concatenate_sets([lists, bits, lists[:2]])
    np.testing.assert_array_equal(both.to_indicator(), np.vstack([matrix, matrix, matrix[:2]]))


@given(st.data())
def test_two_sets_in_each_row_are_combined_alike(data):
    n_classes = data.draw(st.sampled_from([1, 5, 70]))
    first, second = (data.draw(flags(n=4, n_classes=n_classes)) for _ in range(2))
    a, b = listed(first), listed(second)
    for left, right in ((a, b), (a, packed(second)), (packed(first), b)):
        np.testing.assert_array_equal((left & right).to_indicator(), first & second)
        np.testing.assert_array_equal((left | right).to_indicator(), first | second)
        np.testing.assert_array_equal(left.issubset(right), (first <= second).all(axis=1))


@given(flags(n=5), st.data())
def test_other_classes_move_lists_and_bits_alike(matrix, data):
    n_classes = matrix.shape[1]
    more = data.draw(st.integers(0, 3))
    order = data.draw(st.permutations(range(n_classes + more)))
    lists = listed(matrix).with_classes(order)
    assert lists == packed(matrix).with_classes(order)
    np.testing.assert_array_equal(lists.to_indicator()[:, np.argsort(order)][:, :n_classes], matrix)


@given(st.lists(st.lists(st.integers(0, 99), max_size=5), max_size=8))
def test_repeated_and_unordered_members_are_one_set(lists):
    codes = np.array([code for row in lists for code in row], dtype=int)
    lengths = np.array([len(row) for row in lists], dtype=int)
    rows = SparseRows.of_codes(codes, lengths, 100)
    found = PredictionSets(rows, np.arange(100)).to_lists()
    assert found == [sorted(set(row)) for row in lists]


def test_few_of_many_classes_are_kept_as_lists_whatever_they_come_from():
    rng = np.random.default_rng(0)
    names = np.array([f"c{i:05d}" for i in range(20_000)])
    members = np.sort(rng.integers(0, 20_000, (50, 3)), axis=1)
    wanted = [sorted(set(row)) for row in names[members].tolist()]
    flags = csr_array((np.ones(150), members.ravel(), np.arange(0, 151, 3)), shape=(50, 20_000))
    flags.sum_duplicates()
    flags.data[:] = 1
    texts = ["|".join(row) for row in wanted]
    for given_as in (flags, names[members].tolist(), texts):
        sets = as_sets(given_as, names)
        assert isinstance(sets.rows, SparseRows)
        assert sets.to_lists() == wanted
        codes, aligned = align(names[members[:, 0]], given_as, names)
        assert isinstance(aligned.rows, SparseRows)
        assert aligned.rows.has(codes).all()
    assert as_sets(texts).to_lists() == wanted


def test_few_classes_are_kept_as_bits():
    assert isinstance(as_sets([["a"], ["b"]]).rows, PackedRows)
    assert isinstance(rows_of_codes(np.arange(100), np.array([100]), 100), PackedRows)


def test_a_matrix_that_cannot_fit_is_refused_in_words():
    n, n_classes = 10_000_000, 1_000_000
    rows = SparseRows(np.zeros(n, dtype=np.int32), np.arange(n + 1), n_classes)
    sets = PredictionSets(rows, np.arange(n_classes))
    with pytest.raises(ValueError, match=r"would take 10,000 GB: take some rows at a time"):
        sets.to_indicator()
    with pytest.raises(ValueError, match="the words of 10,000,000 sets over 1,000,000 classes"):
        _ = sets.words


def test_reading_few_of_many_classes_takes_memory_for_the_members_only():
    n, n_classes = 20_000, 100_000
    rng = np.random.default_rng(0)
    members = np.sort(rng.integers(0, n_classes, (n, 5)), axis=1).ravel()
    matrix = csr_array((np.ones(5 * n), members, np.arange(0, 5 * n + 1, 5)), shape=(n, n_classes))
    matrix.sum_duplicates()
    matrix.data[:] = 1
    tracemalloc.start()
    codes, sets = align(rng.integers(0, n_classes, n), matrix)
    size_and_hit(codes, sets)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30e6  # as bits it would be 250 megabytes
