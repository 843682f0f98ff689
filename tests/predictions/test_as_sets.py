"""Predictions in any form are read as the same sets, over the classes of the true labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, strategies as st
from scipy import sparse

from tests.predictions.strategies import truths_and_matrices
from wager.predictions import PredictionSets, align, as_sets

LISTS = [["a", "b"], [], ["c"]]
TEXTS = ["a|b", "", "c"]
FLAGS = [[True, True, False], [False, False, False], [False, False, True]]
NUMBERS = np.array(FLAGS, dtype=int)

LABELLED = {
    "lists": LISTS,
    "tuples": [tuple(row) for row in LISTS],
    "sets": [set(row) for row in LISTS],
    "arrays": [np.array(row, dtype=str) for row in LISTS],
    "array of lists": np.array(LISTS, dtype=object),
    "pandas lists": pd.Series(LISTS, index=[3, 4, 5]),
    "pandas arrow lists": pd.Series(LISTS, dtype=pd.ArrowDtype(pa.list_(pa.string()))),
    "polars lists": pl.Series(LISTS),
    "arrow lists": pa.array(LISTS),
    "arrow large lists": pa.array(LISTS, pa.large_list(pa.string())),
    "arrow slice": pa.array([["x"], *LISTS])[1:],
    "arrow chunks": pa.chunked_array([LISTS[:1], LISTS[1:]]),
    "strings": TEXTS,
    "array of strings": np.array(TEXTS),
    "object strings": np.array(TEXTS, dtype=object),
    "variable-width strings": np.array(TEXTS, dtype=np.dtypes.StringDType()),
    "pandas strings": pd.Series(TEXTS, index=[3, 4, 5]),
    "pandas index": pd.Index(TEXTS),
    "categorical strings": pd.Categorical(TEXTS),
    "polars strings": pl.Series(TEXTS),
    "polars categorical": pl.Series(TEXTS, dtype=pl.Categorical),
    "arrow strings": pa.array(TEXTS),
    "arrow dictionary": pa.array(TEXTS).dictionary_encode(),
    "pandas frame": pd.DataFrame(NUMBERS, columns=["a", "b", "c"]),
    "pandas flags": pd.DataFrame(FLAGS, columns=["a", "b", "c"]),
    "nullable flags": pd.DataFrame(FLAGS, columns=["a", "b", "c"]).astype("boolean"),
    "polars frame": pl.DataFrame(dict(zip("abc", NUMBERS.T.tolist(), strict=True))),
    "arrow table": pa.table(dict(zip("abc", NUMBERS.T.tolist(), strict=True))),
    "arrow batch": pa.record_batch(dict(zip("abc", NUMBERS.T.astype(bool), strict=True))),
}

INDICATORS = {
    "booleans": np.array(FLAGS),
    "integers": NUMBERS,
    "bytes": NUMBERS.astype(np.uint8),
    "floats": NUMBERS.astype(float),
    "objects": NUMBERS.astype(object),
    "Fortran order": np.asfortranarray(FLAGS),
    "MAPIE": NUMBERS.astype(bool)[:, :, None],
    "nested booleans": FLAGS,
    "nested MAPIE": NUMBERS.astype(bool)[:, :, None].tolist(),
    "list of arrays": list(np.array(FLAGS)),
    "csr": sparse.csr_array(NUMBERS),
    "csc matrix": sparse.csc_matrix(NUMBERS.astype(float)),
    "coo": sparse.coo_array(np.array(FLAGS)),
    "stored zeros": sparse.csr_array((NUMBERS.ravel(), np.tile([0, 1, 2], 3), [0, 3, 6, 9])),
    "unnamed frame": pd.DataFrame(NUMBERS),
    "pandas boolean lists": pd.Series(FLAGS),
    "polars boolean lists": pl.Series(FLAGS),
    "polars arrays": pl.Series(FLAGS, dtype=pl.Array(pl.Boolean, 3)),
    "arrow boolean lists": pa.array(FLAGS),
}


@pytest.mark.parametrize("form", LABELLED)
def test_labelled_forms_mean_the_same_sets(form):
    sets = as_sets(LABELLED[form])
    assert sets.classes.tolist() == ["a", "b", "c"]
    assert sets.to_lists() == LISTS


@pytest.mark.parametrize("form", LABELLED)
def test_labelled_forms_take_the_order_of_declared_classes(form):
    sets = as_sets(LABELLED[form], classes=["c", "d", "b", "a"])
    assert sets.to_lists() == [["b", "a"], [], ["c"]]
    assert sets.source == "declared"


@pytest.mark.parametrize("form", INDICATORS)
def test_a_matrix_is_an_indicator_whatever_it_is_made_of(form):
    np.testing.assert_array_equal(as_sets(INDICATORS[form]).to_indicator(), FLAGS)
    assert as_sets(INDICATORS[form], classes=["a", "b", "c"]).to_lists() == LISTS


@pytest.mark.parametrize(
    "labels",
    [
        ["b", "a", "b"],
        np.array(["b", "a", "b"]),
        pd.Series(["b", "a", "b"]),
        pd.Categorical(["b", "a", "b"]),
        pl.Series(["b", "a", "b"]),
        pa.array(["b", "a", "b"]),
    ],
)
def test_plain_labels_are_sets_of_one(labels):
    assert as_sets(labels).to_lists() == [["b"], ["a"], ["b"]]


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint16, float, bool])
def test_labels_that_are_not_strings_are_sets_of_one(dtype):
    labels = np.array([1, 0, 1], dtype=dtype)
    assert as_sets(labels).to_lists() == [[label] for label in labels.tolist()]


def test_nested_numbers_are_labels_and_only_nested_booleans_an_indicator():
    assert as_sets([[0, 1], [1, 0]]).sizes.tolist() == [2, 2]
    assert as_sets([[False, True], [True, False]]).sizes.tolist() == [1, 1]
    assert as_sets([[], [1]]).to_lists() == [[], [1]]


def test_categories_that_no_row_predicts_are_classes():
    assert as_sets(pd.Categorical(["a"], ["b", "a"])).classes.tolist() == ["a", "b"]
    assert as_sets(pd.Series([2], dtype="category")).classes.tolist() == [2]


def test_sets_pass_through():
    sets = as_sets(TEXTS)
    assert as_sets(sets) is sets
    assert as_sets(sets, sets.classes) == sets


def test_strings_are_not_split_if_a_class_contains_the_separator():
    assert as_sets(["a|b", "c"], classes=["a|b", "c"]).to_lists() == [["a|b"], ["c"]]
    assert as_sets(["a|b", "a"], classes=["a", "b"]).to_lists() == [["a", "b"], ["a"]]
    assert as_sets([r"a\|b|c"], classes=["a|b", "c"]).to_lists() == [["a|b", "c"]]


def test_no_row_and_no_label_are_legal_sets():
    assert len(as_sets([])) == 0
    assert as_sets([], classes=["a", "b"]).to_indicator().shape == (0, 2)
    assert as_sets(np.zeros((0, 3), dtype=bool)).classes.tolist() == [0, 1, 2]
    assert as_sets([[], []]).sizes.tolist() == [0, 0]


# Truth and predictions on the same classes


@given(truths_and_matrices(), st.sampled_from(["lists", "strings", "pandas", "polars", "arrow"]))
def test_alignment_keeps_truths_and_sets_whatever_the_form(data, form):
    codes, matrix, classes = data
    sets = PredictionSets.from_indicator(matrix, classes)
    codes_found, aligned = align(classes[codes], getattr(sets, f"to_{form}")(), classes)
    np.testing.assert_array_equal(codes_found, codes)
    assert aligned == sets


@given(truths_and_matrices())
def test_without_classes_all_labels_that_occur_are_the_classes(data):
    codes, matrix, classes = data
    y, lists = classes[codes], PredictionSets.from_indicator(matrix, classes).to_lists()
    assume(not set("".join(map(str, classes))) & set("|;,/+& \t"))  # those need declared classes
    found, sets = align(y, lists)
    assert sets.classes.tolist() == sorted(
        {*y.tolist(), *(label for row in lists for label in row)}
    )
    assert sets.classes[found].tolist() == y.tolist()
    assert sets.to_lists() == lists


def test_a_truth_that_is_never_predicted_is_a_class():
    codes, sets = align(["a", "z"], ["a|b", "b"])
    assert sets.classes.tolist() == ["a", "b", "z"]
    assert codes.tolist() == [0, 2]
    assert align(["a", "z"], as_sets(["a|b", "b"]))[1] == sets


def test_integer_truths_are_the_columns_of_a_matrix():
    codes, sets = align([2, 0], np.array([[1, 1, 0], [1, 0, 0]]))
    assert codes.tolist() == [2, 0]
    assert sets.classes.tolist() == [0, 1, 2]


def test_label_truths_name_the_columns_of_a_matrix():
    codes, sets = align(["no", "yes", "no"], np.array([[1, 0], [1, 1], [0, 0]]))
    assert codes.tolist() == [0, 1, 0]
    assert sets.to_lists() == [["no"], ["no", "yes"], []]


def test_declared_categories_of_the_truth_name_the_columns():
    y = pd.Categorical(["b", "b"], categories=["c", "b", "a"])
    codes, sets = align(y, np.array([[1, 0, 0], [0, 1, 1]]))
    assert codes.tolist() == [1, 1]
    assert sets.to_lists() == [["a"], ["b", "c"]]


def test_integer_labels_in_text_need_declared_classes():
    with pytest.raises(ValueError, match=r"both strings or both numbers.*classes="):
        align([0, 1], ["0|1", "1"])
    codes, sets = align([0, 1], ["0|1", "1"], classes=[0, 1, 2])
    assert sets.to_lists() == [[0, 1], [1]]
    assert codes.tolist() == [0, 1]
