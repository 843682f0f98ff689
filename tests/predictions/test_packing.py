"""Packed words are equivalent to the boolean matrix, for any number of classes and rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tests.predictions.strategies import N_CLASSES, matrices
from wager.predictions._packing import has_bit, members, n_words, pack, pack_codes, popcount, unpack

MANY = [0, 1, 2, 3, 7, 8, 10, 57, 58, 59, 60, 61, 62, 63, 64, 65, 70, 127, 128, 129, 2000]


def slow_pack(matrix):
    """A Python integer a row, cut into words of 64 bits, the lowest first."""
    masks = [sum(1 << k for k, kept in enumerate(row) if kept) for row in matrix.tolist()]
    columns = range(n_words(matrix.shape[1]))
    words = [[mask >> 64 * column & (1 << 64) - 1 for column in columns] for mask in masks]
    return np.array(words, dtype=np.uint64).reshape(len(matrix), len(columns))


@settings(deadline=None)
@given(N_CLASSES.flatmap(lambda k: matrices(k, max_rows=40)))
def test_words_are_the_binary_numbers_of_the_rows(matrix):
    np.testing.assert_array_equal(pack(matrix), slow_pack(matrix))


@pytest.mark.parametrize("n_classes", MANY)
@pytest.mark.parametrize("n", [0, 1, 9, 300])
def test_packing_is_undone_by_unpacking_and_by_listing_the_members(n_classes, n):
    matrix = np.random.default_rng(n_classes).random((n, n_classes)) < 0.4
    words = pack(matrix)
    np.testing.assert_array_equal(unpack(words, n_classes), matrix)
    np.testing.assert_array_equal(members(words, n_classes), np.nonzero(matrix)[1])
    lengths = matrix.sum(axis=1)
    np.testing.assert_array_equal(popcount(words), lengths)
    np.testing.assert_array_equal(pack_codes(np.nonzero(matrix)[1], lengths, n_classes), words)


@pytest.mark.parametrize("n_classes", [10, 61, 130])
def test_rows_beyond_one_chunk_are_packed_like_those_within(n_classes):
    matrix = np.random.default_rng(0).random((70_001, n_classes)) < 0.3
    words = pack(matrix)
    np.testing.assert_array_equal(unpack(words, n_classes), matrix)
    y = np.random.default_rng(1).integers(0, n_classes, len(matrix))
    np.testing.assert_array_equal(has_bit(words, y), matrix[np.arange(len(matrix)), y])


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_layout_of_the_matrix_in_memory_does_not_matter(order):
    matrix = np.random.default_rng(0).random((100, 20)) < 0.5
    other = np.array(matrix, order=order)
    np.testing.assert_array_equal(pack(other), pack(matrix))
    np.testing.assert_array_equal(pack(other[::3, ::-2]), slow_pack(matrix[::3, ::-2]))


@settings(deadline=None)
@given(N_CLASSES, st.lists(st.lists(st.integers(0, 10**6), max_size=6), max_size=15))
def test_repeated_codes_of_a_row_count_once(n_classes, rows):
    rows = [[code % n_classes for code in row] for row in rows]
    flat = np.array([code for row in rows for code in row], dtype=np.intp)
    words = pack_codes(flat, np.array([len(row) for row in rows], dtype=np.intp), n_classes)
    assert popcount(words).tolist() == [len(set(row)) for row in rows]
