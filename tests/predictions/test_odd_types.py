"""Labels of unusual types are compared exactly, or refused in one sentence; none is changed."""

from __future__ import annotations

from collections import UserList, deque
from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from wager import as_sets, optimal_sets
from wager.compare import friedman, mcnemar, paired_t
from wager.costs import CostMatrix
from wager.credal import CredalVertices
from wager.learners import Conformal, CredalNeighbors, NaiveBayes, NaiveCredal, VennAbers
from wager.metrics import (
    coverage,
    information_reward,
    kl_divergence,
    mean_set_size,
    prior_from_counts,
)
from wager.partitions import standardize
from wager.predictions import ProbabilityIntervals

DAYS = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]")
DICTIONARY = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
LEVELS = ["a", "b", "c"]  # the last one never occurs


class Frame(pd.DataFrame):
    """A subclass, as of GeoPandas."""

    @property
    def _constructor(self):
        return Frame


EXACT = {
    "floats and large integers": ([2**53 + 1, 1], [2.0**53, 1.0], 0.5),
    "the same in arrays": (np.array([2**53 + 1, 1]), np.array([2.0**53, 1.0]), 0.5),
    "mixed in one list": ([2**53 + 1, 1.5], [2**53, 1.5], 0.5),
    "mixed in NumPy's types": ([np.int64(2**53 + 1), 1.5], [np.int64(2**53), 1.5], 0.5),
    "beyond 64 bits with a sign": ([2**63, 2**63 + 1], [2**63 + 1, 2**63], 0.0),
    "with a negative label": ([2**63, -1], [2**63 + 1, -1], 0.5),
    "beyond 64 bits": ([2**64, 2**64 + 1], [2**64 + 1, 2**64 + 1], 0.5),
    "unsigned and float": (np.array([2**63 + 1], np.uint64), np.array([2.0**63]), 0.0),
    "unsigned and negative": (np.array([1, 2], np.uint64), np.array([-1, 2]), 0.5),
    "large unsigned and negative": (np.array([2**63 + 1, 2], np.uint64), [-1, 2], 0.5),
    "equal integers and floats": ([1, 2], [1.0, 2.0], 1.0),
    "nullable and large": (pd.array([2**53 + 1, 2], dtype="Int64"), [2**53, 2], 0.5),
    "Arrow and large": (pa.array([2**53 + 1, 3]), [2**53, 3], 0.5),
    "nullable integers": (pd.array([1, 2], dtype="Int64"), [1, 2], 1.0),
    "nullable booleans": (pd.array([True, False], dtype="boolean"), [True, True], 0.5),
    "Arrow strings of pandas": (pd.array(["a", "b"], dtype="string[pyarrow]"), ["a", "a"], 0.5),
    "Arrow dictionary of pandas": (pd.Series(["a", "b"], dtype=DICTIONARY), ["a", "a"], 0.5),
    "Arrow dictionary": (["a", "b"], pa.array(["a", "a"]).dictionary_encode(), 0.5),
    "polars Enum": (pl.Series(["a", "b"], dtype=pl.Enum(LEVELS)), ["a", "a"], 0.5),
    "predicted polars Enum": (["a", "b"], pl.Series(["a", "a"], dtype=pl.Enum(LEVELS)), 0.5),
    "polars Categorical": (pl.Series(["a", "b"], dtype=pl.Categorical), ["a", "a"], 0.5),
    "variable-width strings": (np.array(["a", "b"], np.dtypes.StringDType()), ["a", "a"], 0.5),
    "unused category": (pd.Categorical(["a", "b"], LEVELS), ["a", "a"], 0.5),
    "unused category, two columns": (pd.Categorical(["a", "b"], LEVELS), [[True, False]] * 2, 0.5),
    "unused number, two columns": (pd.Categorical([0, 1], [0, 1, 2]), [[True, False]] * 2, 0.5),
    "unused level, three columns": (
        pl.Series(["a", "b"], dtype=pl.Enum(LEVELS)),
        [[True, False, False]] * 2,
        0.5,
    ),
    "bytes": ([b"a", b"b"], [[b"a"], [b"a"]], 0.5),
    "booleans and integers": ([True, False], [1, 1], 0.5),
    "sets of labels": (["a", "b"], [{"a", "b"}, frozenset()], 0.5),
    "a frame of a subclass": (["a", "b"], Frame({"a": [1, 1], "b": [0, 0]}), 0.5),
    "nullable flags": (
        ["a", "b"],
        pd.DataFrame({"a": [True, True], "b": [False, False]}).astype("boolean"),
        0.5,
    ),
    "a queue": (deque([1, 2]), UserList([1, 1]), 0.5),
    "an array without masked entries": (np.ma.array([0, 1]), np.ma.array([0, 0]), 0.5),
}
if hasattr(pl, "Int128"):  # since polars 1.18
    EXACT |= {
        "polars' 128 bits": (pl.Series([2**100, 1], dtype=pl.Int128), [2**100 + 1, 1], 0.5),
        "polars' small 128 bits": (pl.Series([2, 1], dtype=pl.Int128), [2, 2], 0.5),
        "polars' lists of 128 bits": (
            [2**100 + 1, 1],
            pl.Series([[2**100], [1]], dtype=pl.List(pl.Int128)),
            0.5,
        ),
    }


@pytest.mark.parametrize("case", EXACT)
def test_labels_of_any_type_are_compared_exactly(case):
    y_true, y_pred, expected = EXACT[case]
    assert coverage(y_true, y_pred) == expected


def test_a_category_that_is_not_among_the_classes_may_be_unused():
    y = pd.Categorical(["a", "b"], LEVELS)
    assert coverage(y, ["a", "b"], classes=["a", "b"]) == 1.0
    assert coverage(["a", "b"], pd.Series(y), classes=["a", "b"]) == 1.0
    with pytest.raises(ValueError, match="contains 'c' in row 1, which is not among the classes"):
        coverage(pd.Categorical(["a", "c"], LEVELS), ["a", "b"], classes=["a", "b"])


MASKED = np.ma.array([0, 1, 1], mask=[0, 0, 1])
REFUSED = {
    "masked truth": (MASKED, [0, 1, 0], "y_true has a missing label in row 2"),
    "masked prediction": ([0, 1, 0], MASKED, "y_pred has a missing label in row 2"),
    "masked in a list": ([0, np.ma.masked], [0, 1], "y_true has a missing label in row 1"),
    "masked flag": (
        [0, 1],
        np.ma.array([[True, False], [True, True]], mask=[[0, 0], [1, 0]]),
        "the indicator has a missing value in row 1, column 0",
    ),
    "final NUL": (["a", "a\0"], ["a\0", "a"], r"contains 'a\\x00' in row 0, which ends with a NUL"),
    "final NUL in a list": (["a"], [["b", "a\0"]], "ends with a NUL"),
    "final NUL in bytes": ([b"a"], [b"a\0"], "ends with a NUL"),
    "final NUL in polars": (
        pl.Series(["a", "a\0"]),
        pl.Series(["a\0", "a"]),
        r"y_pred contains 'a\\x00' in row 0, which ends with a NUL",
    ),
    "final NUL in polars' lists": (
        pl.Series(["a", "b"]),
        pl.Series([["b", "a\0"], ["b"]]),
        r"y_pred contains 'a\\x00' in row 0, which ends with a NUL",
    ),
    "booleans and their names": (
        [True, False],
        ["True", "False"],
        "y_true contains False, True but y_pred contains 'False', 'True'",
    ),
    "strings and bytes": (
        np.array(["a", "b"]),
        np.array([b"a", b"b"]),
        "y_true contains 'a', 'b' but y_pred contains b'a', b'b': make both strings",
    ),
    "strings and bytes in one list": (["a", "b"], ["a", b"b"], "mixes strings and other labels"),
    "decimal numbers": ([Decimal("1.5")], [1.5], r"got Decimal\('1.5'\) in row 0: convert the"),
    "fractions": ([Fraction(1, 2)], [0.5], "y_true must contain strings or numbers, got Fraction"),
    "dates": ([date(2020, 1, 1)], [1], r"got datetime.date\(2020, 1, 1\) in row 0"),
    "NumPy's dates": (DAYS, DAYS, r"got an array of type datetime64\[D\]: convert it"),
    "pandas' dates": (pd.Series(DAYS), pd.Series(DAYS), "got Timestamp"),
    "complex numbers": ([1j], [1j], "strings or numbers, got an array of type complex"),
    "pandas' NA": (["a", pd.NA], ["a", "b"], "y_true has a missing label in row 1"),
    "nullable with NA": (pd.array([1, None], dtype="Int64"), [1, 2], "missing label in row 1"),
    "polars with null": (pl.Series([1, None]), [1, 2], "missing label in row 1"),
    "Arrow with null": (pa.array(["a", None]).dictionary_encode(), ["a", "b"], "missing label"),
    "one value": (1, [1], "y_true must have one label per row, got 1: pass a list or an array"),
    "an array of one value": (np.array(1), [1], r"one label per row, got an array of shape \(\)"),
    "a predicted value": ([1], np.array(1), r"one prediction per row, got array\(1\)"),
    "a text": ("ab", ["a", "b"], "y_true must have one label per row, got 'ab'"),
    "nothing": (None, ["a"], "y_true must have one label per row, got None"),
    "no prediction": (["a"], None, "one prediction per row, got None"),
    "a set": ({"a"}, ["a"], r"one label per row, got \{'a'\}: pass a list"),
    "a set of predictions": (["a"], {"a"}, r"one prediction per row, got \{'a'\}"),
    "a generator": ((x for x in [0, 1]), [0, 1], r"y_true is a generator.* pass list\(y_true\)"),
    "predicted generator": ([0, 1], (x for x in [0, 1]), r"only once: pass list\(y_pred\)"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_other_labels_are_refused_in_one_sentence(case):
    y_true, y_pred, words = REFUSED[case]
    with pytest.raises(ValueError, match=words):
        coverage(y_true, y_pred)


def test_masked_probabilities_weights_and_classes_are_missing():
    proba = np.ma.array([[0.5, 0.5], [0.5, 0.5]], mask=[[0, 0], [1, 0]])
    with pytest.raises(ValueError, match="got nan in row 1, column 0"):
        information_reward([0, 1], proba)
    with pytest.raises(ValueError, match=r"sample_weight must be finite .* in row 1"):
        coverage([0, 1], [0, 1], sample_weight=np.ma.array([1.0, 2.0], mask=[0, 1]))
    with pytest.raises(ValueError, match="classes has a missing label in row 1"):
        coverage([0, 1], [0, 1], classes=np.ma.array([0, 1], mask=[0, 1]))


NULS = {
    "a list": list,
    "a tuple": tuple,
    "objects": lambda labels: np.array(labels, dtype=object),
    "pandas": pd.Series,
    "categories": pd.Categorical,
    "polars": pl.Series,
    "Arrow": pa.array,
}


@pytest.mark.parametrize("form", NULS)
def test_a_final_nul_is_refused_in_every_form_of_labels_and_classes(form):
    labels, words = NULS[form](["a", "a\0"]), r"contains 'a\\x00' in row 1, which ends with a NUL"
    if form == "categories" and len(labels.categories) == 1:
        pytest.skip("this pandas makes one category of both")
    with pytest.raises(ValueError, match=words):
        coverage(labels, ["a", "a"])
    with pytest.raises(ValueError, match=words):
        coverage(["a", "a"], ["a", "a"], classes=labels)
    with pytest.raises(ValueError, match=words):
        NaiveBayes().fit([[0], [1]], labels)


LEARNERS = {
    "counts": NaiveBayes(),
    "credal": NaiveCredal(),
    "neighbours": CredalNeighbors(),
    "conformal": Conformal(NaiveBayes()),
    "Venn-Abers": VennAbers(NaiveBayes()),
}


@pytest.mark.parametrize("case", LEARNERS)
@pytest.mark.parametrize("kind", [int, float, str, bool, "list"])
def test_masked_labels_are_missing_for_learners(case, kind):
    X, y = np.arange(20)[:, None] % 2, np.arange(20) % 2
    mask = np.arange(20) == 3
    masked = np.ma.array(y if kind == "list" else y.astype(kind), mask=mask)
    labels = list(masked) if kind == "list" else masked
    with pytest.raises(ValueError, match="y contains None in row 3: drop the row"):
        LEARNERS[case].fit(X, labels)


def test_a_masked_array_without_masked_entries_is_an_ordinary_array():
    X, y = np.arange(20)[:, None] % 2, np.arange(20) % 2
    plain = NaiveBayes().fit(X, y).predict_proba(X)
    masked = NaiveBayes().fit(np.ma.array(X), np.ma.array(y)).predict_proba(np.ma.array(X))
    np.testing.assert_array_equal(plain, masked)
    assert mcnemar(np.ma.array(y), 1 - y).p == mcnemar(y, 1 - y).p


def test_masked_numbers_are_missing_for_neighbours():
    X, y = np.arange(20)[:, None] % 5, np.arange(20) % 2
    masked = np.ma.array(X, mask=np.arange(20)[:, None] == 3)
    with pytest.raises(ValueError, match="contains NaN"):
        CredalNeighbors().fit(masked, y)
    with pytest.raises(ValueError, match="contains NaN"):
        CredalNeighbors().fit(X, y).predict(masked)
    missing = np.where(masked.mask, np.nan, X)
    found, wanted = (
        CredalNeighbors(metric="nan_euclidean").fit(part, y).predict_proba(part)
        for part in (masked, missing)
    )
    np.testing.assert_array_equal(found, wanted)


def test_masked_outcomes_of_rows_are_refused():
    right = np.ma.array([True, False, True], mask=[0, 1, 0])
    with pytest.raises(ValueError, match=r"correct_b\[1\] is None: give True or False"):
        mcnemar([True, False, True], right)


NUMBERS = {
    "true probabilities": lambda masked: kl_divergence(masked, np.full((2, 2), 0.5)),
    "reported probabilities": lambda masked: kl_divergence(np.full((2, 2), 0.5), masked),
    "bounds": lambda masked: ProbabilityIntervals(masked, np.full((2, 2), 0.8)),
    "costs": lambda masked: CostMatrix(masked, ["a", "b"]),
    "memberships": lambda masked: standardize([0, 1], masked),
    "probabilities": optimal_sets,
    "vertices": lambda masked: CredalVertices(masked[None]),
    "prior": lambda masked: information_reward([0], [[0.5, 0.5]], prior=masked[0]),
    "counts of a prior": lambda masked: prior_from_counts(masked[0]),
    "scores of tests": lambda masked: paired_t(masked[0], [1.0, 2.0]),
    "tables of scores": friedman,
}


@pytest.mark.parametrize("case", NUMBERS)
def test_masked_numbers_are_never_used(case):
    masked = np.ma.array([[0.5, 0.5], [0.5, 0.5]], mask=[[1, 0], [0, 0]])
    with pytest.raises(ValueError, match=r"nan|missing|finite"):
        NUMBERS[case](masked)


def test_masked_features_are_missing_values():
    X, y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]]), [0, 1, 1, 0]
    masked = np.ma.array(X, mask=[[0, 1], [0, 0], [1, 0], [0, 0]])
    missing = np.array([[0, -1], [1, 0], [-1, 1], [0, 0]])
    found = NaiveBayes().fit(masked, y).predict_proba(masked)
    np.testing.assert_array_equal(found, NaiveBayes().fit(missing, y).predict_proba(missing))
    assert not np.array_equal(found, NaiveBayes().fit(X, y).predict_proba(X))


numbers = st.integers(-(2**66), 2**66) | st.floats(allow_nan=False) | st.booleans()


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=8))
def test_numbers_are_equal_where_python_says_so(pairs):
    y_true, y_pred = ([pair[i] for pair in pairs] for i in (0, 1))
    assert coverage(y_true, y_pred) == np.mean([a == b for a, b in pairs])


def test_pairs_of_labels_and_sets_are_read_as_sets():
    sets = np.array([[[True], [False]], [[True], [True]]])
    assert as_sets((np.array(["a", "b"]), sets), classes=["a", "b"]).to_lists() == [
        ["a"],
        ["a", "b"],
    ]
    assert mean_set_size((np.array([0, 1]), sets)) == 1.5
    with pytest.raises(ValueError, match="got sets at 2 levels"):
        as_sets((np.array([0, 1]), np.concatenate([sets, sets], axis=2)))


def test_weights_that_are_not_numbers_are_refused_in_one_sentence():
    with pytest.raises(ValueError, match="sample_weight must be one number per row: could not"):
        coverage([0, 1], [0, 1], sample_weight=["heavy", 2])
