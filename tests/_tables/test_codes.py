"""Nominal columns as codes: the same table in any container gives the same codes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator

from tests.fewer import fewer
from wager._tables import Schema, nominal_columns, read_table
from wager.learners import C45, NaiveCredal
from wager.prepare import NominalEncoder

LABELS = np.array(["ant", "bee", "cow"])


@st.composite
def coded_tables(draw):
    """Codes of a few columns, every level of which occurs, with gaps."""
    n, m = draw(st.integers(3, 12)), draw(st.integers(1, 4))
    cells = st.lists(st.integers(-1, 2), min_size=m, max_size=m)
    rows = draw(st.lists(cells, min_size=n, max_size=n))
    return np.array(rows + [[k] * m for k in range(3)])


def _containers(codes):
    labels = np.where(codes < 0, None, LABELS[codes]).astype(object)
    frame = pd.DataFrame(labels, columns=[f"c{j}" for j in range(codes.shape[1])])
    category = frame.astype(pd.CategoricalDtype(LABELS))
    return {
        "integers": codes,
        "floats": np.where(codes < 0, np.nan, codes),
        "objects": labels,
        "frame of objects": frame,
        "frame of strings": frame.astype("string"),
        "frame of categories": category,
        "polars": pl.from_pandas(frame).cast(pl.Enum(LABELS)),
        "sparse": sparse.csr_array(codes.astype(float)) if (codes >= 0).all() else codes,
        "frame of integers": pd.DataFrame(codes),
        "nullable integers": pd.DataFrame(codes).replace(-1, pd.NA).astype("Int64"),
    }


@given(coded_tables())
@fewer(12)
def test_every_container_gives_the_same_codes(codes):
    for name, X in _containers(codes).items():
        table = read_table(BaseEstimator(), X, reset=True)
        schema = Schema.of(table)
        assert schema.n_values.tolist() == [3] * codes.shape[1], name
        np.testing.assert_array_equal(schema.codes(table), codes, err_msg=name)


def test_declared_levels_win_over_those_that_occur():
    frame = pd.DataFrame({"g": pd.Categorical(["b"], ["c", "b", "a"])})
    schema = Schema.of(frame)
    assert (schema.n_values.tolist(), schema.codes(frame).tolist()) == ([3], [[1]])
    assert Schema.of(np.array([[0], [1]]), n_values=[5]).n_values.tolist() == [5]
    assert Schema.of(np.array([[0, 1]]), n_values=4).n_values.tolist() == [4, 4]


def test_unseen_values_get_the_code_after_the_last():
    fitted = Schema.of(pd.DataFrame({"g": pd.Categorical(["a"], ["a", "b"])}))
    other = pd.DataFrame({"g": pd.Categorical(["z", "b", None], ["z", "b"])})
    assert fitted.codes(other)[:, 0].tolist() == [2, 1, -1]
    assert fitted.codes(pd.DataFrame({"g": ["b", "q", None]}))[:, 0].tolist() == [1, 2, -1]
    integers = Schema.of(np.array([[0], [2]]))
    assert integers.codes(np.array([[9], [1], [-1]]))[:, 0].tolist() == [3, 1, -1]


def test_mixed_objects_and_unhashable_ones_are_labels_too():
    X = np.array([[1], ["1"], [{"a": 1}], [True], [None]], dtype=object)
    schema = Schema.of(X)
    assert schema.codes(X)[:, 0].tolist() == [0, 1, 2, 0, -1]


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (
            np.array([[0.0], [0.5]]),
            "column 0 must contain categories.*got 0.5 in row 1.*MDLDiscretizer",
        ),
        (np.array([[0.0, -1.0]]), "Negative values in data: column 1 contains -1 in row 0"),
        (np.array([[3], [-2]]), "Negative values in data: column 0 contains -2 in row 1"),
        (np.array([[5_000_000]]), "column 0 contains 5e\\+06 in row 0, which is too large"),
        (np.array([[np.inf]]), "column 0 contains inf"),
        (pd.DataFrame({"a": [0.25]}), "column 'a' must contain categories"),
    ],
)
def test_numbers_that_are_not_codes_are_refused(X, words):
    with pytest.raises(ValueError, match=words):
        Schema.of(X)


def test_too_few_declared_values_and_numbers_for_labels_are_refused():
    with pytest.raises(ValueError, match="declares 2 values for column 0, which has 3"):
        Schema.of(np.array([[2]]), n_values=[2])
    with pytest.raises(ValueError, match="one integer per column"):
        Schema.of(np.array([[2]]), n_values=[2, 2])
    with pytest.raises(ValueError, match="fitted on labels"):
        Schema.of(pd.DataFrame({"g": ["a"]})).codes(pd.DataFrame({"g": [1]}))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (pd.DataFrame({"a": [1], "b": ["x"], "c": [True], "d": [1.5]}), [False, True, True, False]),
        (np.array([[1, 2]]), [True, True]),
        (np.array([[1.0, 2.0]]), [False, False]),
        (np.array([[1.0, "x"]], dtype=object), [False, True]),
    ],
)
def test_types_say_what_is_nominal(table, expected):
    assert nominal_columns(table).tolist() == expected


def test_the_user_may_say_what_is_nominal():
    frame = pd.DataFrame({"a": [1], "b": [2], "c": [3]})
    for said in (["c", "a"], [0, 2], [True, False, True]):
        assert nominal_columns(frame, said).tolist() == [True, False, True]
    assert (
        nominal_columns(frame, []).tolist()
        == nominal_columns(frame, "none").tolist()
        == [False] * 3
    )
    for said, words in [
        ("some", "must be 'auto'"),
        (["z"], "names 'z'"),
        ([3], "from 0 to 2"),
        ([True], "one entry per column"),
    ]:
        with pytest.raises(ValueError, match=words):
            nominal_columns(frame, said)


@pytest.mark.parametrize(
    ("learnt", "new", "words"),
    [
        (["True", "False"], [True, False], "such as 'False' but contains True"),
        ([True, False], ["True", "False"], "such as False but contains 'True'"),
        (pd.Categorical([1, 2]), ["1", "2"], "such as 1 but contains '1'"),
        (["1", "2"], pd.Categorical([2, 1]), "such as '1' but contains 1"),
        (pd.Categorical(["a", "b"]), pd.Categorical([True, False]), "'a' but contains False"),
    ],
)
def test_text_is_not_taken_for_unseen_numbers_and_booleans(learnt, new, words):
    X, y = pd.DataFrame({"x": learnt}), ["p", "q"]
    rows = pd.DataFrame({"x": new})
    for model in (NaiveCredal(), C45(), NominalEncoder()):
        fitted = model.fit(X, y)
        with pytest.raises(ValueError, match=f"column 'x' was fitted on labels .*{words}"):
            getattr(fitted, "predict", getattr(fitted, "transform", None))(rows)


def test_missing_values_unused_categories_and_mixed_labels_have_no_kind():
    model = NaiveCredal().fit(pd.DataFrame({"x": ["a", "b"]}), ["p", "q"])
    for new in ([None, None], pd.Categorical([None, "b"], categories=["b", 1]), ["new", None]):
        assert len(model.predict(pd.DataFrame({"x": new}))) == 2
    mixed = NaiveCredal().fit(pd.DataFrame({"x": ["a", 1]}), ["p", "q"])
    assert mixed.predict(pd.DataFrame({"x": [True, 1.0]})).tolist() == ["q", "q"]


def test_a_column_of_gaps_alone_is_missing_though_libraries_read_it_as_numbers():
    learnt = pd.DataFrame({"sky": ["sun", "sun", "rain"], "wind": ["a", "b", "b"]})
    model = NaiveCredal().fit(learnt, [0, 0, 1])
    expected = model.predict_credal(pd.DataFrame({"sky": ["sun"], "wind": [None]})).lower
    for gap in (np.nan, pd.NA):
        row = pd.DataFrame({"sky": ["sun"], "wind": [gap]})
        assert np.array_equal(model.predict_credal(row).lower, expected)
    encoder = NominalEncoder().fit(learnt)
    codes = encoder.transform(pd.DataFrame({"sky": ["sun"], "wind": [np.nan]}))
    assert codes.to_numpy().tolist() == [[1, -1]]


def test_numbers_among_mixed_labels_are_found_in_a_column_of_numbers():
    fitted = NaiveCredal().fit(pd.DataFrame({"x": ["a", 1]}), ["p", "q"])
    assert fitted.predict(pd.DataFrame({"x": [1, 1]})).tolist() == ["q", "q"]
