"""C4.5: agreement with a slow version, laws of its probabilities, its text, and edge cases."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.learners.trees.c45_by_hand import count_by_hand, grow_by_hand, proba_by_hand
from wager.learners import C45
from wager.learners.trees._gain_ratio import logs_up_to
from wager.prepare import MDLDiscretizer


@parametrize_with_checks([C45(), C45(prune=False, smoothing="laplace")])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@st.composite
def mixed_tables(draw):
    """Small tables with nominal and numeric columns, missing values, and related classes."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n = draw(st.integers(1, 150))
    n_classes = draw(st.integers(1, 4))
    n_values = draw(st.lists(st.sampled_from([0, 0, 1, 2, 3, 5]), min_size=1, max_size=4))
    y = rng.integers(0, n_classes, n)
    gaps = draw(st.sampled_from([0.0, 0.1, 0.5]))
    noise = draw(st.sampled_from([0.0, 0.3, 1.0]))
    columns = []
    for v in n_values:
        noisy = np.where(rng.random(n) < noise, rng.integers(0, n_classes, n), y)
        if v:
            column = (noisy % v).astype(float)
        else:
            column = noisy + rng.integers(-8, 9, n) / 8 * draw(st.sampled_from([0.5, 2.0]))
        column[rng.random(n) < gaps] = np.nan
        columns.append(column)
    return np.column_stack(columns), y, np.array(n_values), n_classes


@given(
    mixed_tables(),
    st.booleans(),
    st.sampled_from([1, 2, 5]),
    st.sampled_from([0.05, 0.25, 0.5]),
    st.sampled_from([None, "laplace"]),
)
def test_the_tree_equals_that_of_the_slow_version(table, prune, min_rows, confidence, smoothing):
    X, y, n_values, n_classes = table
    half = len(X) * 2 // 3 + 1
    tree = C45(
        confidence,
        min_rows,
        prune=prune,
        smoothing=smoothing,
        categorical_features=n_values > 0,
        classes=np.arange(n_classes),
        n_values=np.maximum(n_values, 1),
    ).fit(X[:half], y[:half])
    rows = [_by_hand(row, n_values) for row in X]
    slow = grow_by_hand(
        list(zip(rows[:half], y[:half], strict=True)),
        n_classes,
        n_values,
        min_rows=min_rows,
        confidence=float(np.float32(confidence)),
        prune=prune,
    )
    assert (tree.n_nodes_, tree.n_leaves_) == count_by_hand(slow)
    expected = [proba_by_hand(slow, row, smoothing) for row in rows]
    np.testing.assert_allclose(tree.predict_proba(X), expected, rtol=0, atol=1e-9)


def _by_hand(row, n_values):
    return [
        None if np.isnan(x) else int(x) if v else float(x)
        for x, v in zip(row, n_values, strict=True)
    ]


@given(mixed_tables(), st.sampled_from([None, "laplace"]))
def test_probabilities_sum_to_one(table, smoothing):
    X, y, n_values, _ = table
    tree = C45(smoothing=smoothing, categorical_features=n_values > 0).fit(X, y)
    proba = tree.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (proba >= 0).all()
    assert smoothing is None or (proba > 0).all()


def test_the_text_reads_as_weka_prints_it():
    frame = pd.DataFrame(
        {
            "wind": pd.Categorical(["low", "low", "high", "high"] * 3, ["low", "high", "none"]),
            "speed": [1.0, 2.0, 1.0, 2.0] * 3,
        }
    )
    tree = C45().fit(frame, ["sail", "sail", "row", "stay"] * 3)
    assert tree.to_text().splitlines() == [
        "wind = low: sail (6.0)",
        "wind = high",
        "|   speed <= 1: row (3.0)",
        "|   speed > 1: stay (3.0)",
        "wind = none: sail (0.0)",  # no rows: the majority of the parent
    ]
    assert (tree.n_nodes_, tree.n_leaves_, tree.depth_) == (6, 4, 2)
    assert C45().fit([[1.0], [1.0]], ["a", "b"]).to_text() == ": a (2.0/1.0)"


def test_iris_has_the_tree_of_the_textbooks():
    # Witten & Frank, Data Mining: J48 on iris has 5 leaves, 9 nodes and splits on petals alone
    data = load_iris(as_frame=True)
    tree = C45().fit(data.data, data.target_names[data.target])
    assert (tree.n_nodes_, tree.n_leaves_) == (9, 5)
    assert tree.to_text().splitlines()[0] == "petal width (cm) <= 0.6: setosa (50.0)"


def test_a_missing_value_goes_down_every_branch():
    X = np.array([[0.0], [0.0], [0.0], [1.0]] * 5)
    tree = C45().fit(X, X[:, 0].astype(int))
    assert tree.predict_proba([[np.nan]]).tolist() == [[0.75, 0.25]]


def test_the_node_itself_predicts_an_unseen_level():
    X = pd.DataFrame({"wind": ["low", "high"] * 5, "sky": ["grey"] * 10})
    tree = C45().fit(X, ["sail", "stay"] * 5)
    unseen = pd.DataFrame({"wind": ["none", "low"], "sky": ["blue", "blue"]})
    assert tree.predict_proba(unseen).tolist() == [[0.5, 0.5], [1.0, 0.0]]


def test_minus_one_among_integers_is_missing():
    codes = np.array([[0, 1], [1, -1], [0, 0], [1, 1], [-1, 0], [0, 1]] * 4)
    floats = np.where(codes < 0, np.nan, codes)
    y = np.array([0, 1, 0, 1, 1, 0] * 4)
    ours = C45().fit(codes, y).predict_proba(codes)
    same = C45(categorical_features="all").fit(floats, y).predict_proba(floats)
    np.testing.assert_array_equal(ours, same)


def test_a_declared_value_without_rows_is_a_leaf_and_a_declared_class_a_column():
    tree = C45(n_values=4, classes=["a", "b", "c"]).fit([[0], [1]] * 5, ["a", "c"] * 5)
    assert (tree.n_nodes_, tree.n_leaves_) == (5, 4)
    assert tree.predict_proba(np.array([[3]])).tolist() == [[0.5, 0.0, 0.5]]


@pytest.mark.parametrize(
    "X",
    [
        np.ones((6, 2)),  # constant columns
        np.full((6, 2), np.nan),  # all missing
        np.arange(6.0)[:, None],
    ],
)
def test_one_class_or_nothing_to_split_on_gives_a_single_leaf(X):
    tree = C45().fit(X, ["only"] * 6)
    assert tree.n_nodes_ == 1
    assert tree.predict_proba(X).tolist() == [[1.0]] * 6
    if len(np.unique(X)) < 6:
        proba = C45().fit(X, list("aabbbb")).predict_proba(X)
        np.testing.assert_allclose(proba, [[1 / 3, 2 / 3]] * 6)


def test_one_row():
    assert C45().fit([[1.0]], ["a"]).predict([[5.0]]).tolist() == ["a"]


def test_ten_thousand_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 10_000))
    y = rng.integers(0, 3, 60)
    X[:, 7_000] += 10 * y
    numeric = C45().fit(X, y)
    assert numeric.tree_.feature[0] == 7_000
    nominal = C45().fit((X > 5).astype(int), y)
    assert nominal.tree_.feature[0] == 7_000


def test_it_works_in_pipelines_searches_and_pickles():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(MDLDiscretizer(), C45())
    search = GridSearchCV(pipeline, {"c45__confidence": [0.1, 0.25]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    tree = clone(C45(0.1, 3)).fit(X, y)
    again = pickle.loads(pickle.dumps(tree))
    np.testing.assert_array_equal(again.predict_proba(X), tree.predict_proba(X))
    assert again.to_text() == tree.to_text()


def test_row_order_does_not_matter_without_missing_values():
    X, y = load_iris(return_X_y=True)
    shuffled = np.random.default_rng(1).permutation(len(X))
    assert C45().fit(X[shuffled], y[shuffled]).to_text() == C45().fit(X, y).to_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"confidence": 0.7}, r"confidence must be in \(0, 0.5\], got 0.7"),
        ({"min_rows": 0}, "min_rows must be at least 1, got 0"),
        ({"smoothing": "lidstone"}, "smoothing must be None or 'laplace', got 'lidstone'"),
    ],
)
def test_wrong_arguments_are_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        C45(**arguments).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("n", [3, 5000])
def test_the_table_of_logarithms_begins_with_zero_rows(n):
    table = logs_up_to(n)
    assert len(table) > n
    assert table[:5].tolist() == [0.0, 0.0, 2.0, pytest.approx(3 * np.log2(3)), 8.0]
