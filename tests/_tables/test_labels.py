"""Labels become codes, and codes give the labels back."""

from __future__ import annotations

from enum import Enum

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.naive_bayes import GaussianNB

import wager
from tests.fewer import fewer
from tests.predictions.strategies import class_arrays, texts
from wager._tables import check_classes, encode_labels, numbered_classes, read_class_labels

FORMS = {
    "list": np.ndarray.tolist,
    "tuple": lambda y: tuple(y.tolist()),
    "array": lambda y: y,
    "column vector": lambda y: y[:, None],
    "objects": lambda y: y.astype(object),
    "pandas": lambda y: pd.Series(y, index=np.arange(len(y)) + 7),
    "pandas objects": lambda y: pd.Series(y.tolist(), dtype=object),
    "index": pd.Index,
    "categorical": pd.Categorical,
    "categorical series": lambda y: pd.Series(y).astype("category"),
    "polars": lambda y: pl.Series(y.tolist()),
    "arrow": lambda y: pa.array(y.tolist()),
    "arrow chunks": lambda y: pa.chunked_array([y[:1].tolist(), y[1:].tolist()]),
    "arrow dictionary": lambda y: pa.array(y.tolist()).dictionary_encode(),
}

label_lists = st.one_of(
    st.lists(texts, min_size=1),
    st.lists(st.integers(-5, 70_000), min_size=1),
    st.lists(st.integers(-(2**62), 2**62), min_size=1),
    st.lists(st.booleans(), min_size=1),
    st.lists(st.floats(allow_nan=False), min_size=1),
)


@settings(deadline=None)
@given(label_lists)
def test_codes_and_classes_are_those_of_numpy_unique(labels):
    codes, classes = encode_labels(labels)
    expected, inverse = np.unique(np.array(labels), return_inverse=True)
    np.testing.assert_array_equal(classes, expected)
    np.testing.assert_array_equal(codes, inverse)


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
@fewer(8)
def test_every_form_of_a_column_gives_the_same_codes(form, data):
    classes = data.draw(class_arrays(st.integers(1, 6)))
    y = data.draw(st.lists(st.sampled_from(classes.tolist()), min_size=1, max_size=8))
    codes, found = encode_labels(FORMS[form](np.array(y, dtype=classes.dtype)))
    assert found[codes].tolist() == y
    assert found.tolist() == sorted(set(y))


@settings(deadline=None)
@given(st.data())
def test_codes_follow_the_order_in_which_classes_are_declared(data):
    classes = data.draw(class_arrays().flatmap(lambda c: st.permutations(c.tolist())))
    y = data.draw(st.lists(st.sampled_from(classes)))
    codes, known = encode_labels(y, classes)
    assert known.tolist() == list(classes)
    assert codes.tolist() == [list(classes).index(label) for label in y]
    assert codes.dtype == np.intp


@pytest.mark.parametrize("distinct", [1, 10, 500, 3000, 40_000])
@pytest.mark.parametrize("kind", [str, bytes])
def test_many_strings_are_hashed_to_what_a_sort_gives(distinct, kind):
    rng = np.random.default_rng(distinct)
    y = rng.integers(0, distinct, 50_000).astype("U").astype("U" if kind is str else "S")
    codes, classes = encode_labels(y)
    expected, inverse = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(classes, expected)
    np.testing.assert_array_equal(codes, inverse)


@pytest.mark.parametrize("kind", ["U", ">U", "S"])
def test_many_strings_of_one_character_are_sorted_as_characters(kind):
    y = np.array(["b", "z", "a", ""])[np.arange(30_000) % 4].astype(f"{kind}1")
    codes, classes = encode_labels(y)
    np.testing.assert_array_equal(classes, np.unique(y))
    np.testing.assert_array_equal(classes[codes], y)


def test_a_slice_of_strings_is_hashed_like_a_copy():
    y = np.array(["no", "yes", "maybe"])[np.arange(30_000) % 3]
    np.testing.assert_array_equal(encode_labels(y[::2])[0], encode_labels(y[::2].copy())[0])


@given(st.lists(st.integers(0, 9), max_size=20), st.integers(10, 12))
def test_integers_are_codes_where_only_the_number_of_columns_is_known(y, n_classes):
    codes, classes = encode_labels(y, n_classes=n_classes)
    assert codes.tolist() == y
    assert classes.tolist() == list(range(n_classes))


def test_labels_are_columns_in_sorted_order_if_exactly_as_many_occur():
    codes, classes = encode_labels(["no", "yes", "maybe", "no"], n_classes=3)
    assert classes.tolist() == ["maybe", "no", "yes"]
    assert codes.tolist() == [1, 2, 0, 1]


@pytest.mark.parametrize("y", [[True, True], [False], [True, False]])
def test_booleans_are_the_two_columns_even_if_one_of_them_never_occurs(y):
    codes, classes = encode_labels(y, n_classes=2)
    assert codes.tolist() == [int(label) for label in y]
    assert classes.tolist() == [False, True]


def test_categories_are_classes_even_if_they_do_not_occur():
    y = pd.Series(pd.Categorical(["b", "a", "b"], categories=["c", "b", "a"]))
    codes, classes = encode_labels(y, n_classes=3)
    assert classes.tolist() == ["a", "b", "c"]
    assert codes.tolist() == [1, 0, 1]


def test_declared_categories_that_are_whole_numbers_name_the_columns():
    y = pd.Categorical([1, 2, 2], categories=[3, 1, 2])
    codes, classes = encode_labels(y, n_classes=3)
    assert (codes.tolist(), classes.tolist()) == ([0, 1, 1], [1, 2, 3])
    assert encode_labels(y, n_classes=4)[1].tolist() == [0, 1, 2, 3]


def test_numbers_are_the_same_label_whatever_their_type():
    assert encode_labels(np.array([2.0, 1.0]), classes=[1, 2])[0].tolist() == [1, 0]
    assert encode_labels(np.array([1, 2], dtype=np.uint8), classes=[2, 1])[0].tolist() == [1, 0]
    assert encode_labels(pd.array([1, 2], dtype="Int64"), classes=[2, 1])[0].tolist() == [1, 0]


class Answer(str, Enum):  # noqa: UP042, NumPy makes the text "Ans" of both
    YES = "yes"
    NO = "no"


@pytest.mark.parametrize(
    "form", [list, tuple, lambda y: pd.Series(y, dtype=object), lambda y: np.array(y, dtype=object)]
)
def test_members_of_an_enum_of_text_are_their_text(form):
    members = form([Answer.YES, Answer.NO, Answer.YES])
    codes, classes = encode_labels(members)
    assert (codes.tolist(), classes.tolist()) == ([1, 0, 1], ["no", "yes"])
    assert encode_labels(members, classes=["yes", "no"])[0].tolist() == [0, 1, 0]
    assert encode_labels(["no"], classes=form([Answer.YES, Answer.NO]))[0].tolist() == [1]
    codes, classes = read_class_labels(GaussianNB(), members, 3)
    assert (codes.tolist(), classes.tolist()) == ([1, 0, 1], ["no", "yes"])


def test_no_labels_give_no_codes():
    assert encode_labels([], classes=["a"])[0].tolist() == []
    assert encode_labels([], n_classes=3)[1].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("y", "options", "words"),
    [
        (["a", "d"], {"classes": ["a", "b"]}, "'d' in row 1.*not among the classes 'a', 'b'"),
        ([0, 3], {"classes": [0, 1, 2]}, "3 in row 1.*not among the classes 0, 1, 2"),
        ([0, 1], {"classes": ["0", "1"]}, "0 in row 0.*all strings or all numbers"),
        (["a"], {"classes": ["a", "b", "a"]}, "duplicate class 'a' in classes"),
        (["a"], {"classes": []}, "classes is empty"),
        ([1, 2, 3], {"n_classes": 3}, r"runs from 1 to 3 .* 3 columns.*codes 0\.\.2.*classes="),
        ([-1, 0], {"n_classes": 3}, "runs from -1 to 0"),
        (["a", "b"], {"n_classes": 3}, r"2 distinct labels \('a', 'b'\).*3 columns.*classes="),
        (["a", 1], {}, "mixes.*'a' in row 0, 1 in row 1"),
        ([1, "a"], {}, "mixes.*1 in row 0, 'a' in row 1"),
        (pd.Series([2, "a"]), {}, "mixes.*2 in row 0, 'a' in row 1"),
        (["a", None], {}, "missing label in row 1"),
        (["a", np.nan], {}, "missing label in row 1"),
        ([1.0, np.nan], {}, "missing label in row 1"),
        (pd.Series(["a", None]), {}, "missing label in row 1"),
        (pd.Series([1, None], dtype="Int64"), {}, "missing label in row 1"),
        (pd.Categorical(["a", None]), {}, "missing label in row 1"),
        (pl.Series(["a", None]), {}, "missing label in row 1"),
        (pa.array([1, None]), {}, "missing label in row 1"),
        ([[1, 2], [3, 4]], {}, r"one label per row.*shape \(2, 2\)"),
        ([["a", "b"], ["c"]], {}, r"one label per row, got \['a', 'b'\] in row 0"),
        ("abc", {}, "one label per row"),
        ([(1, 2), (3,)], {}, r"strings or numbers, got \(1, 2\) in row 0"),
        (np.array(["2020-01-01"], dtype="M8[D]"), {}, "strings or numbers.*astype"),
    ],
)
def test_a_wrong_label_is_named_with_its_row(y, options, words):
    with pytest.raises(ValueError, match=words) as caught:
        encode_labels(y, **options)
    assert "\n" not in str(caught.value)


def test_an_error_uses_the_name_that_the_caller_gives():
    with pytest.raises(ValueError, match=r"^groups has a missing label in row 0"):
        encode_labels([None], name="groups")
    with pytest.raises(ValueError, match="duplicate class 'b' in the header"):
        check_classes(["b", "b"], "the header")


def _of_objects(labels):
    column = pd.Series(labels, dtype=object)
    return [column, column.to_numpy(), pd.array(labels, dtype="Int64")]


def test_numbers_among_objects_name_numbered_columns_as_plain_numbers_do():
    table = pd.DataFrame([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7], [0.2, 0.6, 0.2]])
    table.columns = pd.RangeIndex(1, 4)
    for labels in _of_objects([3, 2, 3]):
        assert numbered_classes(labels, table) == [1, 2, 3]
    for labels in _of_objects([1, 2, 1]):
        with pytest.raises(ValueError, match="which may be the classes or the places"):
            numbered_classes(labels, table)


def test_estimators_take_whole_numbers_among_objects_and_text_of_any_length():
    X, y = np.array([[0], [1], [0], [1]]), [1, 2, 1, 2]
    for labels in [pd.Series(y, dtype=object), np.array(y, dtype=object)]:
        assert wager.NaiveCredal().fit(X, labels).classes_.tolist() == [1, 2]
    text = np.array(["a", "b", "a", "b"], dtype=np.dtypes.StringDType())
    assert wager.NaiveCredal().fit(X, text).classes_.tolist() == ["a", "b"]
