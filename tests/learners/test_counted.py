"""Learning in parts, or from merged counts, gives the model of all rows, to the last bit."""

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.base import clone

from wager.learners import (
    AODE,
    TAN,
    BayesianModelAveraging,
    CredalModelAveraging,
    NaiveBayes,
    NaiveCredal,
    NamedCounts,
)

LEARNERS = [
    NaiveBayes(categorical_features="all"),
    NaiveBayes("perks", 2.0, categorical_features="all"),
    NaiveCredal(),
    NaiveCredal(2.0, idm="local"),
    NaiveCredal(idm="intervals", reject=0.3),
    NaiveCredal(missing="conservative"),
    NaiveCredal(epsilon=0.1, epsilon_model="contamination"),
    BayesianModelAveraging(),
    CredalModelAveraging(),
    AODE(),
    TAN(),
    TAN("cmi"),
]
each_learner = pytest.mark.parametrize("learner", LEARNERS, ids=map(repr, LEARNERS))
COLUMNS = ("integers", "floats", "strings", "frame", "categories")


@st.composite
def labelled_tables(draw):
    """A table of one of several types, with missing values, and its classes."""
    n, m = draw(st.integers(1, 30)), draw(st.integers(1, 3))
    random = np.random.default_rng(draw(st.integers(0, 2**16)))
    codes = random.integers(0, draw(st.integers(1, 4)), size=(n, m))
    gaps = random.random((n, m)) < draw(st.sampled_from([0.0, 0.3]))
    letters = np.where(gaps, None, np.array(list("dbca"), dtype=object)[codes])
    names = [f"x{j}" for j in range(m)]
    kind = draw(st.sampled_from(COLUMNS))
    table = {
        "integers": lambda: np.where(gaps, -1, codes),
        "floats": lambda: np.where(gaps, np.nan, codes),
        "strings": lambda: letters,
        "frame": lambda: pd.DataFrame(letters, columns=names).assign(more=codes[:, 0]),
        "categories": lambda: pd.DataFrame(
            {name: pd.Categorical(letters[:, j], list("dcbae")) for j, name in enumerate(names)}
        ),
    }[kind]()
    labels = draw(st.sampled_from([np.array(["no", "yes", "maybe"]), np.array([7, 3, 5])]))
    return table, labels[random.integers(0, draw(st.integers(1, 3)), size=n)]


def rows_of(table, rows):
    return table.iloc[rows] if isinstance(table, pd.DataFrame) else table[rows]


def parts_of(data, cuts):
    """The rows between the cuts, in order; none of the parts is empty."""
    table, y = data
    bounds = np.unique([0, len(y), *(cut % len(y) for cut in cuts)])
    for start, stop in pairwise(bounds):
        yield rows_of(table, slice(start, stop)), y[start:stop]


def assert_same_model(ours, expected, table):
    assert ours.counts_ == expected.counts_
    assert ours.classes_.tolist() == expected.classes_.tolist()
    assert ours.n_values_.tolist() == expected.n_values_.tolist()
    np.testing.assert_array_equal(ours.predict_proba(table), expected.predict_proba(table))
    if hasattr(expected, "predict_set"):
        np.testing.assert_array_equal(ours.predict_set(table), expected.predict_set(table))


@each_learner
def test_rows_in_any_parts_give_the_model_of_all_rows(learner):
    @settings(max_examples=15)
    @given(labelled_tables(), st.lists(st.integers(0, 29), max_size=5), st.booleans())
    def check(data, cuts, declare):
        table, y = data
        classes = np.unique(y) if declare else None
        whole, grown = clone(learner).fit(table, y), clone(learner)
        for part, labels in parts_of(data, cuts):
            grown.partial_fit(part, labels, classes=classes)
        assert_same_model(grown, whole, table)

    check()


@each_learner
def test_counts_made_apart_add_up_to_the_model_of_all_rows(learner):
    @settings(max_examples=15)
    @given(labelled_tables(), st.lists(st.integers(0, 29), max_size=3), st.randoms())
    def check(data, cuts, random):
        sites = [clone(learner).fit(*part).counts_ for part in parts_of(data, cuts)]
        random.shuffle(sites)
        sent = [NamedCounts.from_json(counts.to_json()) for counts in sites]
        assert sent == sites
        merged = clone(learner).fit_counts(sum(sent))
        assert_same_model(merged, clone(learner).fit(*data), data[0])

    check()


@given(st.lists(st.integers(0, 49), max_size=4), st.integers(0, 2**16))
@settings(max_examples=10)
def test_numeric_features_in_parts_give_the_normal_distributions_of_all_rows(cuts, seed):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({"size": random.normal(size=50).round(2), "kind": list("ababc") * 10})
    frame.loc[random.random(50) < 0.2, "size"] = np.nan
    data = frame, random.choice(list("pqr"), 50)
    grown = NaiveBayes()
    for part in parts_of(data, cuts):
        grown.partial_fit(*part)
    assert_same_model(grown, NaiveBayes().fit(*data), frame)


def test_what_counts_cannot_say_is_refused_in_words():
    numbers, y = np.array([[0.5], [1.25], [3.0]]), [0, 1, 1]
    model = NaiveBayes().fit(numbers, y)
    with pytest.raises(ValueError, match="feature 0 is numeric, and its normal distribution needs"):
        NaiveBayes().fit_counts(model.counts_)
    with pytest.raises(ValueError, match="feature 0 is numeric and was not counted"):
        model.counts_.to_json()
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError) as refused:
        model.partial_fit(numbers, y)
    assert "fit does not keep the values of numeric features" in str(refused.value.__cause__)
    with pytest.raises(AttributeError) as refused:
        TAN("superparent").partial_fit([[0]], [0])
    assert "needs the rows, not only counts" in str(refused.value.__cause__)
    with pytest.raises(ValueError, match="AODE needs the counts of pairs of values"):
        AODE().fit_counts(NaiveCredal().fit([[0]], [0]).counts_)
    with pytest.raises(ValueError, match=r"counts must be NamedCounts, such .* got 0"):
        NaiveCredal().fit_counts(sum([]))
    pairs = AODE().fit([[0], [1]], [0, 1]).counts_
    assert NaiveCredal().fit_counts(pairs).predict([[1]]).tolist() == [1]


def test_declared_classes_and_values_hold_for_parts_and_for_counts():
    X, y = np.array([[0], [1]]), np.array(["b", "a"])
    model = NaiveBayes(classes=["c", "b", "a"], n_values=3)
    model.partial_fit(X, y).partial_fit(X[:1], y[:1], classes=["a", "b", "c"])
    assert model.classes_.tolist() == ["c", "b", "a"]
    assert model.n_values_.tolist() == [3]
    with pytest.raises(ValueError, match="n_values declares 3 values for column 0, which has 4"):
        model.partial_fit([[3]], ["a"])
    with pytest.raises(ValueError, match="y contains 'd' in row 0, which is not among the classes"):
        model.partial_fit([[0]], ["d"])
    assert model.counts_.n_rows == 3
    other = NaiveBayes().fit([[0], [1]], ["d", "a"]).counts_
    with pytest.raises(ValueError, match="'d' was counted, but is not among the classes 'c', 'b'"):
        model.fit_counts(other)
    dropping = NaiveBayes(classes=["c", "b", "a"], empty_classes="drop").partial_fit(X, y)
    assert dropping.classes_.tolist() == ["b", "a"]
    assert dropping.partial_fit([[0]], ["c"]).classes_.tolist() == ["c", "b", "a"]


def test_classes_of_later_calls_must_be_those_of_the_first():
    model = NaiveCredal().partial_fit([["x"]], [1], classes=[2, 1])
    assert model.classes_.tolist() == [1, 2]
    with pytest.raises(ValueError, match="classes is 1, 3, but was 1, 2 before: pass the same"):
        model.partial_fit([["x"]], [1], classes=[1, 3])
    with pytest.raises(ValueError, match="not among the classes 1, 2"):
        model.partial_fit([["x"]], [3])
    grown = NaiveCredal().partial_fit([["x"]], [2]).partial_fit([["y"]], [1])
    assert grown.classes_.tolist() == [1, 2]
    with pytest.raises(ValueError, match="but was not given before"):
        grown.partial_fit([["x"]], [1], classes=[1, 2])


def test_a_refused_part_adds_no_rows():
    model = NaiveCredal(s=-1)
    with pytest.raises(ValueError, match="s must be"):
        model.partial_fit([[0]], [0])
    assert model.set_params(s=1.0).partial_fit([[0], [1]], [0, 1]).counts_.n_rows == 2


def test_a_model_of_merged_counts_has_the_features_of_its_parts():
    frame = pd.DataFrame({"a": ["x", "y"], "b": ["u", "u"]})
    counts = NaiveCredal().fit(frame, [0, 1]).counts_
    model = NaiveCredal().fit_counts(counts + counts)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.n_features_in_ == 2
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"a": "z"}))


def test_naive_credal_makes_only_the_tables_that_are_asked_for():
    X, y = np.array([[0, 1], [1, 0], [1, 1]]), [0, 1, 1]
    model = NaiveCredal().fit(X, y)
    made = ["value_logs", "_table"], ["_tables"]

    def is_made():
        return (
            any(name in vars(model._centre) for name in made[0]),
            any(name in vars(model._local) for name in made[1]),
        )

    model.predict_set(X)
    assert is_made() == (False, False)
    model.predict_credal(X)
    assert is_made() == (False, True)
    proba = model.predict_proba(X)
    assert is_made() == (True, True)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), proba)
    refitted = model.fit(X, [1, 1, 0])
    np.testing.assert_array_equal(
        refitted.predict_proba(X), NaiveCredal().fit(X, [1, 1, 0]).predict_proba(X)
    )
