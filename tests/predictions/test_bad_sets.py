"""What cannot be read as sets is refused in one sentence: what came, where, and the way out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from wager.predictions import PredictionSets, align, as_sets

ABC = ["a", "b", "c"]

UNREADABLE = {
    "levels": (np.zeros((3, 4, 5)), None, r"5 levels.*last axis.*y_pred\[:, :, 0\]"),
    "MAPIE's pair": ((np.zeros(3), np.zeros((3, 4, 2))), None, r"2 levels.*y_pred\[:, :, 0\]"),
    "four axes": (np.zeros((1, 2, 3, 4)), None, r"two axes.*shape \(1, 2, 3, 4\)"),
    "ragged flags": ([[True], [True, False]], None, "1 in row 0 and 2 in row 1.*from_lists"),
    "ragged flags of Arrow": (pa.array([[True], [True, False]]), None, "2 in row 1"),
    "a number": (np.array([[0, 1], [0, 2]]), None, "got 2 in row 1, column 1"),
    "a negative": (np.array([[0, -1]]), None, "got -1 in row 0, column 1"),
    "a probability": (np.array([[0.2, 0.8]]), None, "got 0.2 in row 0, column 0.*optimal_sets"),
    "NaN": (np.array([[0, 1], [0, np.nan]]), None, "missing value in row 1, column 1"),
    "text": (np.array([["a", "b"]]), None, "got 'a' in row 0, column 0.*from_lists"),
    "a sparse number": (sparse.csr_array([[0, 1], [3, 0]]), None, "got 3 in row 1, column 0"),
    "sparse NaN": (sparse.csr_array([[0, np.nan]]), None, "missing value in row 0, column 1"),
    "a sparse vector": (sparse.coo_array(np.ones(3)), None, r"two axes.*shape \(3,\)"),
    "NaN in a frame": (pd.DataFrame({"a": [1, None]}), None, "missing value in row 1, column 'a'"),
    "NA in a frame": (
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}),
        None,
        "missing value in row 1, column 'a'",
    ),
    "text in a frame": (pl.DataFrame({"a": ["x"]}), None, "got 'x' in row 0, column 'a'"),
    "two columns of a name": (
        pd.DataFrame([[1, 0]], columns=["a", "a"]),
        None,
        "duplicate class 'a' in the columns",
    ),
    "an undeclared column": (
        pd.DataFrame({"a": [1], "z": [1]}),
        ABC,
        "'z' in row 0.*'a', 'b', 'c'",
    ),
    "too few columns": (np.zeros((3, 2)), ABC, "2 columns but there are 3 classes"),
    "too many columns": (sparse.csr_array((3, 4)), ABC, "4 columns but there are 3 classes"),
    "a missing set": ([["a"], None], None, "the set in row 1 is missing.*empty list"),
    "a missing set of pandas": (pd.Series([["a"], np.nan]), None, "set in row 1 is missing"),
    "a missing set of polars": (pl.Series([["a"], None]), None, "set in row 1 is missing"),
    "a missing set of Arrow": (pa.array([["a"], None]), None, "set in row 1 is missing"),
    "a missing member": ([["a"], ["b", None]], None, "missing label in row 1"),
    "a missing member of Arrow": (pa.array([["a"], ["b", None]]), None, "missing label in row 1"),
    "a label among lists": ([["a"], "b"], None, r"row 1 must be a list.*got 'b'.*write \['b'\]"),
    "a list among labels": (["a", ["b"]], None, r"one label per row, got \['b'\] in row 1"),
    "mixed labels": ([["a"], ["b", 1]], None, "mixes.*'a' in row 0, 1 in row 1"),
    "mixed texts": (["a|b", 1], None, "mixes.*'a|b' in row 0, 1 in row 1"),
    "an unknown label": (["a", "a|d"], ABC, "'d' in row 1.*not among the classes 'a', 'b', 'c'"),
    "an unknown member": ([["a"], [], ["d"]], ABC, "'d' in row 2"),
    "another separator": (["a", "a;b"], ABC, "'a;b' in row 1, joined by ';'.*sep=';'"),
    "an empty label": (["a", "a||b"], None, "empty label in row 1.*empty text for the empty set"),
    "missing text": (["a|b", None], None, "missing label in row 1"),
    "one string": ("a|b", None, "list or an array with one prediction per row, got 'a|b'"),
    "a number alone": (3, None, "one prediction per row, got 3"),
    "nothing": (None, None, "one prediction per row, got None"),
    "a dictionary": ({"a": 1}, None, "one prediction per row"),
    "duplicate classes": (["a"], ["a", "b", "a"], "duplicate class 'a' in classes"),
    "other sets": (as_sets(["a|d", "b"]), ABC, "'d' in row 0.*not among the classes"),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_unreadable_predictions_are_refused_in_one_sentence(case):
    predictions, classes, words = UNREADABLE[case]
    with pytest.raises(ValueError, match=words) as caught:
        as_sets(predictions, classes)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert not sentence.endswith(".")


@pytest.mark.parametrize(
    ("y_true", "y_pred", "words"),
    [
        ([0, 1], np.eye(3), "y_true has 2 rows but y_pred has 3"),
        (["a", "b", "a"], ["a", "b"], "y_true has 3 rows but y_pred has 2"),
        ([0, 3], np.eye(2), "runs from 0 to 3.*2 columns.*classes="),
        ([1, 2], np.eye(2), r"runs from 1 to 2.*codes 0\.\.1"),
        (["a", "b"], np.eye(3)[:2], r"2 distinct labels \('a', 'b'\).*3 columns.*classes="),
        ([0, 1], ["0", "1"], "y_true contains 0, 1 but y_pred contains '0', '1'"),
        (["a", "b"], ["a,b", "a"], "'a,b' in row 0, joined by ','"),
        (["a|b", "b"], ["a|b", "a"], "'a|b' in row 0.*set of 'a', 'b'.*classes="),
        (
            ["a", "x"],
            PredictionSets.from_labels(["a", "a"], ["a", "b"]),
            "y_true contains 'x' in row 1",
        ),
        (["a", None], np.eye(2), "y_true has a missing label in row 1"),
    ],
)
def test_truth_and_predictions_that_do_not_fit_are_refused(y_true, y_pred, words):
    with pytest.raises(ValueError, match=words) as caught:
        align(y_true, y_pred)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("masks", "classes", "words"),
    [
        ([1, 8], ABC, r"mask in row 1 is 8, but 3 classes use only bits 0\.\.2"),
        ([1, -1], ABC, "mask in row 1 is -1"),
        ([1.5], ABC, "unsigned integers, got an array of type float64"),
        ([True], ABC, "unsigned integers, got an array of type bool"),
        ([1], range(70), r"70 classes must have the shape \(n, 2\), got \(1,\)"),
        ([[1, 1 << 6]], range(70), r"mask in row 0 is 64, but 70 classes use only bits 0\.\.69"),
        ([[1, 1]], ABC, r"3 classes must have the shape \(n, 1\), got \(1, 2\)"),
        ([1], ["a", "a"], "duplicate class 'a'"),
    ],
)
def test_masks_that_do_not_fit_the_classes_are_refused(masks, classes, words):
    with pytest.raises(ValueError, match=words):
        PredictionSets.from_masks(masks, list(classes))


def test_the_highest_bit_of_the_last_class_is_legal():
    full = PredictionSets.from_masks([2**64 - 1], list(range(64)))
    assert full.sizes.tolist() == [64]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda s: s.to_labels(), "set in row 0 contains 2 labels, not one"),
        (lambda s: s.contains(["a"]), "y has 1 label but there are 3 sets"),
        (lambda s: s.with_classes(ABC).contains(["a", "b", "x"]), "y contains 'x' in row 2"),
        (lambda s: s.with_classes(ABC).contains("x"), "y contains 'x' in row 0"),
        (lambda s: s.contains([0, 1, 2]), "y contains 0, 1, 2 but y_pred contains 'a', 'b', 'c'"),
        (lambda s: s & s[:1], "got 3 sets and 1"),
        (lambda s: s | s.with_classes([*ABC, "d"]), "different classes.*same classes="),
        (lambda s: s.issubset(s.with_classes([*ABC, "d"])), "different classes"),
        (lambda s: s.with_classes(["a", "b"]), "'c' in row 2.*not among the classes 'a', 'b'"),
        (lambda s: s.to_strings(sep="||"), "one character"),
        (lambda s: s.to_strings(sep="\\"), "other than a backslash"),
        (lambda s: PredictionSets.from_strings(["a"], sep=""), "without a backslash, got ''"),
        (lambda s: PredictionSets.from_strings([1, 2]), "strings, got 1 in row 0.*from_labels"),
        (lambda s: PredictionSets.from_labels([""]).to_strings(), "looks like the empty set"),
    ],
)
def test_calls_without_an_answer_are_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        wrong(PredictionSets.from_strings(["a|b", "", "c"]))


def test_sets_are_not_mixed_with_other_things():
    with pytest.raises(TypeError):
        as_sets(["a"]) & {"a"}
    with pytest.raises(TypeError):
        as_sets(["a"]) | {"a"}
