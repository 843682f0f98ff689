"""Checks of probability matrices, and the errors for wrong ones."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from wager._tables import _rows, check_weights
from wager.predictions import align_probabilities, check_probabilities

distributions = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6),
    elements=st.floats(0.001, 1),
).map(lambda table: table / table.sum(axis=1, keepdims=True))


@given(distributions)
def test_probabilities_come_back_as_they_were(proba):
    np.testing.assert_array_equal(check_probabilities(proba), proba)
    np.testing.assert_array_equal(check_probabilities(np.asfortranarray(proba)), proba)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, list])
def test_frames_and_lists_are_taken(frame):
    proba = np.array([[0.25, 0.75], [1, 0]])
    np.testing.assert_array_equal(check_probabilities(frame(proba)), proba)


@pytest.mark.parametrize(
    ("dtype", "noise", "accepted"),
    [
        (np.float64, 9e-7, True),
        (np.float64, 2e-6, False),
        (np.float32, 3e-4, True),
        (np.float32, 1e-3, False),
        (np.float16, 2e-2, True),
    ],
)
def test_a_sum_may_be_off_by_the_noise_of_its_precision(dtype, noise, accepted):
    proba = np.array([[0.5, 0.5 + noise]], dtype=dtype)
    if accepted:
        np.testing.assert_array_equal(check_probabilities(proba), proba.astype(np.float64))
    else:
        with pytest.raises(ValueError, match=r"row 0 sums to 1\.00"):
            check_probabilities(proba)


def test_a_probability_above_one_by_rounding_becomes_one():
    np.testing.assert_array_equal(check_probabilities([[1 + 1e-9, 0.0]]), [[1.0, 0.0]])


@pytest.mark.parametrize(
    ("proba", "words"),
    [
        ([[0.5, 0.5], [0.5, 0.4], [0.1, 0.1]], "row 1 sums to 0.9: divide each row by its sum"),
        ([[0.5, 0.5], [1.2, -0.2]], "not negative, got -0.2 in row 1, column 1"),
        ([[0.5, 0.5], [np.nan, 1.0]], "got nan in row 1, column 0"),
        ([[np.inf, 0.0]], "got inf in row 0, column 0"),
        ([0.2, 0.8], r"np.column_stack\(\[1 - p, p\]\)"),
        (np.zeros((0, 3)), "there is no row to score"),
        ([["a", "b"]], "must be a matrix of numbers"),
        ([[0.5, 0.5], [1.0]], "must be a matrix of numbers"),
        (np.ones((1, 1, 1)), r"got an array of shape \(1, 1, 1\)"),
    ],
)
def test_an_error_names_the_row_and_column(proba, words):
    with pytest.raises(ValueError, match=words):
        check_probabilities(proba)


def test_a_bad_row_is_found_in_any_block(monkeypatch):
    monkeypatch.setattr(_rows, "BLOCK", 4)
    proba = np.full((9, 2), 0.5)
    proba[7] = [0.5, 0.6]
    with pytest.raises(ValueError, match=r"row 7 sums to 1\.1"):
        check_probabilities(proba)
    proba[7] = [np.nan, 0.5]
    with pytest.raises(ValueError, match="nan in row 7, column 0"):
        check_probabilities(proba, name="memberships")


@pytest.mark.parametrize(
    ("y_true", "classes", "words"),
    [
        ([0, 1, 2], None, "runs from 0 to 2 but the predictions have 2 columns"),
        (["a", "b", "c"], ["a", "b"], "contains 'c' in row 2, which is not among the classes"),
        (["a", "b", "a"], ["a", "b", "c"], "has 2 columns but there are 3 classes"),
        ([0, 1], None, "y_true has 2 labels but proba has 3 rows"),
    ],
)
def test_true_labels_and_columns_must_have_the_same_classes(y_true, classes, words):
    with pytest.raises(ValueError, match=words):
        align_probabilities(y_true, [[0.5, 0.5]] * 3, classes)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("classes", [None, ["a", "b", "c"], ["c", "a", "b"]])
def test_named_columns_are_found_by_their_names(library, classes):
    truth, columns = ["a", "c"], {"c": [0.1, 0.7], "a": [0.6, 0.2], "b": [0.3, 0.1]}
    module = pytest.importorskip(library)
    frame = (module.table if library == "pyarrow" else module.DataFrame)(columns)
    codes, table, known = align_probabilities(truth, frame, classes)
    assert known.tolist() == (classes or ["c", "a", "b"])
    assert table[[0, 1], codes].tolist() == [0.6, 0.7]


def test_other_class_names_rename_the_columns_in_order():
    frame = pytest.importorskip("pandas").DataFrame({"p1": [0.6], "p2": [0.4]})
    codes, table, _ = align_probabilities(["b"], frame, ["a", "b"])
    assert table[0, codes[0]] == 0.4
    with pytest.raises(ValueError, match="not among the classes 'p1', 'p2'"):
        align_probabilities(["b"], frame)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, 2], "one weight for each of the 3 rows"),
        ([1, np.nan, 1], "got nan in row 1"),
        ([0, 0, 0], "at least one row must count"),
    ],
)
def test_weights_are_one_per_row_finite_and_not_all_zero(weights, words):
    with pytest.raises(ValueError, match=words):
        check_weights(weights, 3)
