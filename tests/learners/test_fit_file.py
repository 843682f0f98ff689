"""Learning from a file on disk gives the model that the same rows give in memory."""

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from wager.learners import (
    AODE,
    TAN,
    BayesianModelAveraging,
    CredalModelAveraging,
    NaiveBayes,
    NaiveCredal,
)
from wager.prepare import load_dataset

LEARNERS = {
    "bayes": NaiveBayes(categorical_features="all"),
    "perks": NaiveBayes("perks", categorical_features="all"),
    "credal": NaiveCredal(),
    "intervals": NaiveCredal(idm="intervals", s=2),
    "conservative": NaiveCredal(missing="conservative"),
    "drop": NaiveCredal(classes=["a", "b", "c", "x y"], empty_classes="drop"),
    "aode": AODE(),
    "tan bayes": TAN(),
    "tan cmi": TAN("cmi"),
    "model averaging": BayesianModelAveraging(),
    "credal averaging": CredalModelAveraging(),
}

WORDS = ["a", "b", "c", 'q"uo', "com,ma", "semi;colon", "new\nline", "é", "NA?", "01", "x y"]


@st.composite
def tables(draw):
    """Columns of labels and of codes with missing values, and classes, some of them missing."""
    n = draw(st.integers(2, 30))
    frame = {}
    for j in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["words", "codes", "floats", "booleans", "empty"]))
        values = {
            "words": st.sampled_from(WORDS),
            "codes": st.integers(0, 3),
            "floats": st.sampled_from([0.0, 1.0, 5.0]),
            "booleans": st.booleans(),
            "empty": st.none(),
        }[kind]
        column = draw(st.lists(st.none() | values, min_size=n, max_size=n))
        types = {"codes": "Int8", "floats": "float64", "booleans": "boolean", "empty": "str"}
        frame[f"x {j}"] = pd.Series(column, dtype=types.get(kind, "str"))
    truth = draw(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=n, max_size=n))
    truth[0], truth[-1] = "b", "a"
    place = draw(st.integers(0, len(frame)))
    columns = [*list(frame.items())[:place], ("y", pd.Series(truth, dtype="str"))]
    return pd.DataFrame(dict([*columns, *list(frame.items())[place:]]))


def written(frame, path):
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False)
    return path


def assert_same_model(one, other, rows):
    assert one.counts_ == other.counts_
    assert one.classes_.dtype == other.classes_.dtype
    np.testing.assert_array_equal(one.classes_, other.classes_)
    np.testing.assert_array_equal(one.n_values_, other.n_values_)
    assert one.n_features_in_ == other.n_features_in_
    assert getattr(one, "feature_names_in_", np.array([])).tolist() == (
        getattr(other, "feature_names_in_", np.array([])).tolist()
    )
    np.testing.assert_array_equal(one.predict_proba(rows), other.predict_proba(rows))
    if hasattr(one, "predict_set"):
        np.testing.assert_array_equal(one.predict_set(rows), other.predict_set(rows))


@pytest.mark.parametrize("ending", ["csv", pytest.param("parquet", marks=pytest.mark.long)])
@settings(max_examples=10)
@given(frame=tables(), name=st.sampled_from(sorted(LEARNERS)))
def test_a_file_gives_the_model_of_its_rows(tmp_path_factory, ending, frame, name):
    path = written(frame, tmp_path_factory.mktemp("file") / f"train.{ending}")
    data = load_dataset(path, target="y")
    learner = LEARNERS[name]
    in_memory = learner.__class__(**learner.get_params()).fit(data.frame, data.target)
    on_disk = learner.__class__(**learner.get_params()).fit_file(path)
    assert_same_model(on_disk, in_memory, data.frame)


def test_labels_of_odd_types_are_numbered_as_in_memory(tmp_path):
    frame = pd.DataFrame(
        {
            "day": [datetime.date(2020, 1, 2), None, datetime.date(2019, 5, 1)] * 2,
            "big": pd.Series([0, 200, 0, 7, 7, 40_000]),
            "y": [10, 2, 2, 10, 2, 10],
        }
    )
    path = written(frame, tmp_path / "odd.parquet")
    data = load_dataset(path, target="y")
    for learner in (NaiveCredal, AODE):
        on_disk = learner().fit_file(path, columns=["day"])
        in_memory = learner().fit(data.frame[["day"]], data.target)
        assert_same_model(on_disk, in_memory, data.frame[["day"]])
    assert_same_model(
        NaiveCredal().fit_file(path), NaiveCredal().fit(data.frame, data.target), data.frame
    )


def test_a_label_of_rows_without_a_class_is_declared_as_in_memory(tmp_path):
    path = tmp_path / "days.csv"
    path.write_text("sky;wind;y\n sunny ;1,0;out\nfoggy;0;?\nrainy;2;in\nNA;0;out\n")
    model = TAN("cmi").fit_file(path)
    data = load_dataset(path, target="y")
    assert_same_model(model, TAN("cmi").fit(data.frame, data.target), data.frame)
    assert model.schema_.levels[0].tolist() == ["foggy", "rainy", "sunny"]
    assert model.n_values_.tolist() == [3, 3]


def test_a_compressed_file_and_declared_values_are_read_as_in_memory(tmp_path):
    path = tmp_path / "codes.csv.gz"
    pd.DataFrame({"a": [0, 1, 1], "y": [1, 0, 2]}).to_csv(path, index=False)
    data = load_dataset(path, target="y")
    declared = {"classes": [2, 1, 0, 3], "n_values": 4}
    on_disk = NaiveCredal(**declared).fit_file(path)
    assert_same_model(on_disk, NaiveCredal(**declared).fit(data.frame, data.target), data.frame)


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("a,b\n1,2\n", {}, "bad.csv has no target column 'y': choose one of a, b"),
        ("a,b\n1,2\n", {"target": "c"}, "bad.csv has no target column 'c'"),
        ("y\n1\n", {}, "bad.csv has no feature besides the class 'y'"),
        ("a,y\n1,\n", {}, "bad.csv has no row with a class"),
        ("a,y\n1.5,0\n", {}, "column 'a' must contain categories .*, got 1.5: discretize"),
        ("a,y\n-1,0\n", {}, "Negative values in data: column 'a' contains -1, but codes"),
        ("a,y\ninf,0\n", {}, "column 'a' contains inf"),
        ("a,y\n3000000,0\n", {}, "column 'a' contains 3e.06, which is too large for a code"),
        ("a,y\n1,0\n", {"columns": ["b"]}, "bad.csv has no feature 'b': choose columns= from a"),
        ("a,y\n1,0\n1,2,3\n", {}, "bad.csv"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path, text, options, words):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=words):
        NaiveCredal().fit_file(path, **options)


def test_numbers_of_naive_bayes_are_refused_unless_they_are_codes(tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("a,b,y\n1,u,0\n2,v,1\n")
    with pytest.raises(ValueError, match="column 'a' has numbers, whose normal distribution"):
        NaiveBayes().fit_file(path)
    assert NaiveBayes(categorical_features=["a", "b"]).fit_file(path).n_values_.tolist() == [3, 2]


def test_a_search_by_accuracy_is_refused_before_the_file_is_read(tmp_path):
    with pytest.raises(ValueError, match="search='hcs' needs the rows"):
        TAN("hcs").fit_file(tmp_path / "missing.parquet")
