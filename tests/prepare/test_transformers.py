"""Transformers: scikit-learn's conventions, and output in the form of the input."""

from functools import partial

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from wager.learners import NaiveBayes
from wager.prepare import (
    CfsSelector,
    EqualFrequencyDiscretizer,
    MDLDiscretizer,
    ModeMeanImputer,
    NominalEncoder,
    load_dataset,
)


@parametrize_with_checks(
    [
        MDLDiscretizer(),
        MDLDiscretizer(criterion="kononenko", single_bin="drop"),
        EqualFrequencyDiscretizer(),
        CfsSelector(),
        NominalEncoder(),
        ModeMeanImputer(),
        ModeMeanImputer(categorical_features="all"),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.fixture
def mixed():
    frame = pd.DataFrame(
        {
            "x": [1.0, 2.0, 3.0, 10.0, 11.0, np.nan],
            "g": pd.Categorical(["u", None, "u", "v", "v", "v"], ["w", "v", "u"]),
            "flat": [5, 5, 5, 5, 5, 5],
        },
        index=list("abcdef"),
    )
    return frame, np.array(["p", "p", "p", "q", "q", "q"])


def test_a_frame_keeps_its_index_and_nominal_columns(mixed):
    X, y = mixed
    out = MDLDiscretizer().fit_transform(X, y)
    assert out.index.tolist() == list("abcdef")
    pd.testing.assert_series_equal(out["g"], X["g"])
    assert out["x"].cat.categories.tolist() == ["(-inf, 6.5]", "(6.5, inf)"]
    assert out["x"].cat.codes.tolist() == [0, 0, 0, 1, 1, -1]
    assert out["flat"].cat.categories.tolist() == ["all"]


def test_a_column_without_a_cut_can_be_dropped(mixed):
    X, y = mixed
    cutter = MDLDiscretizer(single_bin="drop").fit(X, y)
    assert cutter.get_feature_names_out().tolist() == ["x", "g"]
    assert cutter.transform(X).columns.tolist() == ["x", "g"]


class OwnFrame(pd.DataFrame):
    @property
    def _constructor(self):
        return OwnFrame


@pytest.mark.parametrize(
    ("form", "output"),
    [
        (OwnFrame, pd.DataFrame),
        (pl.from_pandas, pl.DataFrame),
        (lambda frame: pl.from_pandas(frame).lazy(), pl.DataFrame),
        (partial(pa.Table.from_pandas, preserve_index=False), pa.Table),
        (partial(pa.RecordBatch.from_pandas, preserve_index=False), pa.Table),
        (partial(dd.from_pandas, npartitions=2), pd.DataFrame),
    ],
    ids=["pandas subclass", "polars", "polars lazy", "pyarrow", "pyarrow batch", "dask"],
)
def test_the_output_is_a_frame_of_the_same_library(mixed, form, output):
    X, y = mixed
    table = form(X)
    expected = MDLDiscretizer().fit_transform(X, y)
    out = MDLDiscretizer().fit_transform(table, y)
    assert isinstance(out, output)
    assert isinstance(CfsSelector().fit_transform(out, y), output)
    for transformer in (NominalEncoder(), ModeMeanImputer(), EqualFrequencyDiscretizer()):
        assert isinstance(transformer.fit_transform(table), output)
    in_pandas = out if isinstance(out, pd.DataFrame) else out.to_pandas()
    assert in_pandas["x"].astype(object).tolist()[:5] == expected["x"].tolist()[:5]
    assert list(in_pandas.columns) == ["x", "g", "flat"]


def test_sparse_in_sparse_out():
    X = sparse.csr_array(np.array([[0, 1.5], [0, 0], [4, 0], [5, 1]]))
    y = [0, 0, 1, 1]
    dense = MDLDiscretizer().fit(X.toarray(), y).transform(X.toarray())
    out = MDLDiscretizer().fit(X, y).transform(X)
    assert sparse.issparse(out)
    np.testing.assert_array_equal(out.toarray(), dense)
    assert sparse.issparse(ModeMeanImputer().fit_transform(X))


def test_discretizing_selecting_and_learning_go_through_one_pipeline():
    data = load_dataset("iris")
    pipe = make_pipeline(MDLDiscretizer(), CfsSelector(), NaiveBayes())
    framed = pipe.fit(data.frame, data.y).predict_proba(data.frame)
    plain = pipe.fit(data.matrix, data.y).predict_proba(data.matrix)
    np.testing.assert_allclose(framed, plain)
    assert pipe.fit(data.frame, data.y).score(data.frame, data.y) > 0.9


def test_set_output_gives_frames_from_arrays():
    X, y = load_dataset("wine").matrix, load_dataset("wine").y
    out = MDLDiscretizer().set_output(transform="pandas").fit_transform(X, y)
    assert isinstance(out, pd.DataFrame)
    np.testing.assert_array_equal(out.to_numpy(), MDLDiscretizer().fit_transform(X, y))


@given(
    st.lists(st.floats(-50, 50), min_size=1, max_size=40),
    st.integers(1, 6),
    st.lists(st.floats(-60, 60), max_size=5),
)
def test_a_value_gets_the_number_of_cuts_below_it(values, n_bins, more):
    X = np.array(values)[:, None]
    cutter = EqualFrequencyDiscretizer(n_bins).fit(X)
    cuts = cutter.cuts_[0]
    quantiles = np.quantile(values, np.arange(1, n_bins) / n_bins)
    assert cuts.tolist() == sorted(set(quantiles.tolist()))
    codes = cutter.transform(np.array([*values, *more])[:, None])[:, 0]
    assert codes.tolist() == [int((cuts < x).sum()) for x in [*values, *more]]


def test_equal_frequencies_of_a_published_set_leave_the_published_numbers_of_levels():
    """Yang, Destercke & Masson (2017): ties leave ESL with 5, 4, 4 and 3 levels."""
    from tests.shared import dataset_path

    data = load_dataset(dataset_path("esl"))
    assert EqualFrequencyDiscretizer(5).fit(data.frame).n_values_.tolist() == [5, 4, 4, 3]


def test_the_imputer_fills_with_mean_and_first_mode():
    frame = pd.DataFrame(
        {
            "x": [1.0, np.nan, 4.0],
            "g": pd.Categorical(["b", None, "a"], ["b", "a", "c"]),
            "none": pd.Categorical([None, None, None], ["k", "l"]),
            "nothing": np.full(3, np.nan),
        }
    )
    imputer = ModeMeanImputer().fit(frame)
    assert imputer.fill_ == [2.5, "b", "k", 0.0]
    filled = imputer.transform(frame)
    assert not filled.isna().any().any()
    assert filled["g"].cat.categories.tolist() == ["b", "a", "c"]
    objects = np.array([["u", 1.0], [None, 3.0], ["u", None], [None, None]], dtype=object)
    assert ModeMeanImputer().fit_transform(objects)[:, 0].tolist() == ["u"] * 4
    assert ModeMeanImputer().fit_transform(objects)[3, 1] == 2.0
    assert ModeMeanImputer().fit_transform(np.full((2, 1), None))[:, 0].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("kind", ["Int64", "int64[pyarrow]"])
def test_the_mean_of_whole_numbers_is_not_rounded(kind):
    column = pd.DataFrame({"n": pd.array([1, 2, None, 2], dtype=kind)})
    assert ModeMeanImputer().fit_transform(column)["n"].tolist() == [1, 2, pytest.approx(5 / 3), 2]
    full = pd.DataFrame({"n": pd.array([1, 2], dtype=kind)})
    assert ModeMeanImputer().fit(column).transform(full)["n"].tolist() == [1, 2]


def test_gaps_of_single_precision_are_filled_in_single_precision():
    numbers = np.array([[1], [np.nan], [2]], dtype=np.float32)
    filled = ModeMeanImputer().fit_transform(pd.DataFrame(numbers, columns=["n"]))["n"]
    assert filled.dtype == ModeMeanImputer().fit_transform(numbers).dtype == np.float32
    assert filled.tolist() == [1, 1.5, 2]


def test_minus_one_is_filled_among_codes_and_a_number_among_numbers():
    codes = np.array([[1], [-1], [4], [1]])
    frame = pd.DataFrame(codes, columns=["a"])
    for table in (codes, frame, frame.astype("Int64")):
        filled = ModeMeanImputer(categorical_features="all").fit_transform(table)
        assert np.ravel(filled).tolist() == [1, 1, 4, 1]
        imputer = ModeMeanImputer(categorical_features="none").fit(table)
        assert imputer.fill_ == [1.25]
        assert np.ravel(imputer.transform(table)).tolist() == [1, -1, 4, 1]


def test_gaps_are_filled_whatever_the_categories_of_the_new_rows():
    imputer = ModeMeanImputer().fit(pd.DataFrame({"c": pd.Categorical(["x", "y", "y"])}))
    new = pd.DataFrame({"c": pd.Categorical(["x", None])})
    assert imputer.transform(new)["c"].tolist() == ["x", "y"]
    gaps = pd.DataFrame({"c": [np.nan, np.nan]})
    text = ModeMeanImputer().fit(pd.DataFrame({"c": ["x", "y", "y"]}))
    assert text.transform(gaps)["c"].tolist() == ["y", "y"]


def test_the_encoder_keeps_declared_levels_and_can_be_inverted():
    frame = pd.DataFrame(
        {"g": pd.Categorical(["b", None], ["c", "b"]), "n": [10, 30], "t": [True, False]}
    )
    encoder = NominalEncoder().fit(frame)
    codes = encoder.transform(frame)
    assert codes.to_numpy().tolist() == [[1, 0, 1], [-1, 1, 0]]
    assert encoder.n_values_.tolist() == [2, 2, 2]
    assert encoder.inverse_transform(codes.to_numpy()).tolist() == [
        ["b", 10, True],
        [None, 30, False],
    ]


@pytest.mark.parametrize(("unseen", "expected"), [("value", 2), ("missing", -1)])
def test_the_encoder_says_what_it_has_not_seen(unseen, expected):
    encoder = NominalEncoder(unseen).fit(np.array([["a"], ["b"]]))
    assert encoder.transform(np.array([["z"]])).tolist() == [[expected]]
    numbers = NominalEncoder(unseen).fit([[1.5], [2.5]])
    assert numbers.transform([[2.0], [np.nan], [1.5]])[:, 0].tolist() == [expected, -1, 0]


@pytest.mark.parametrize(
    ("transformer", "words"),
    [
        (MDLDiscretizer("cells"), "encoding must be"),
        (MDLDiscretizer(criterion="x"), "criterion must be"),
        (MDLDiscretizer(single_bin="x"), "single_bin must be"),
        (EqualFrequencyDiscretizer(0), "n_bins must be"),
        (CfsSelector(missing="x"), "missing must be"),
        (CfsSelector(zero_pair=2), "zero_pair must be"),
        (CfsSelector(stale=0), "stale must be"),
        (NominalEncoder("x"), "unseen must be"),
    ],
)
def test_unknown_arguments_are_refused(transformer, words):
    with pytest.raises(ValueError, match=words):
        transformer.fit([[1.0], [2.0]], [0, 1])


def test_an_unseen_label_can_be_an_error():
    encoder = NominalEncoder("error").fit(np.array([["a"]]))
    with pytest.raises(ValueError, match="column 0 contains a value in row 1"):
        encoder.transform(np.array([["a"], ["z"]]))


def test_words_where_numbers_should_be_are_named():
    with pytest.raises(ValueError, match="column 0 is read as numbers but contains something else"):
        MDLDiscretizer(categorical_features="none").fit(np.array([["a"], ["b"]]), [0, 1])


def test_an_encoder_says_that_it_takes_categories():
    assert get_tags(NominalEncoder()).input_tags.categorical
