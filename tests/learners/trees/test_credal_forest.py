"""Forests of credal trees: how trees are combined, seeds, and scikit-learn's checks."""

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_validate
from sklearn.utils.estimator_checks import parametrize_with_checks

from wager.credal import decide
from wager.learners import CredalForest, CredalTree
from wager.metrics import make_set_scorer, utility_discounted_accuracy


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m, n_classes = draw(st.integers(1, 80)), draw(st.integers(1, 5)), draw(st.integers(2, 4))
    X = rng.integers(0, 3, (n, m))
    y = np.where(rng.random(n) < 0.6, X[:, 0] % n_classes, rng.integers(0, n_classes, n))
    declared = {"classes": range(n_classes), "n_values": np.full(m, 3)}
    return X, y, rng.integers(0, 3, (15, m)), declared


def one_by_one(forest, X, y):
    """Each tree of the forest as a single tree."""
    alone = CredalTree(
        forest.s, dominance=forest.dominance, classes=forest.classes, n_values=forest.n_values
    ).fit(X, y)
    for nodes in forest.trees_:
        alone.tree_ = nodes
        yield alone


@given(problems(), st.sampled_from([0.5, 1.0, 3.0]), st.sampled_from(["weak", "strict"]))
def test_sets_are_the_classes_that_fewest_trees_rule_out(problem, s, dominance):
    X, y, rows, declared = problem
    forest = CredalForest(7, s, dominance=dominance, random_state=0, **declared).fit(X, y)
    against = sum(~tree.predict_set(rows) for tree in one_by_one(forest, X, y)).astype(int)
    expected = against == against.min(axis=1, keepdims=True)
    np.testing.assert_array_equal(forest.predict_set(rows), expected)


@given(problems(), st.sampled_from([0.5, 1.0]))
def test_intervals_and_probabilities_are_means_over_the_trees(problem, s):
    X, y, rows, declared = problem
    forest = CredalForest(5, s, "average", random_state=1, **declared).fit(X, y)
    credals = [tree.predict_credal(rows) for tree in one_by_one(forest, X, y)]
    found = forest.predict_credal(rows)
    np.testing.assert_allclose(found.lower, np.mean([c.lower for c in credals], axis=0))
    np.testing.assert_allclose(found.upper, np.mean([c.upper for c in credals], axis=0))
    np.testing.assert_array_equal(forest.predict_set(rows), np.asarray(decide(found)))
    proba = forest.predict_proba(rows)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (found.lower <= proba + 1e-9).all()
    assert (proba <= found.upper + 1e-9).all()


@given(problems(), st.integers(0, 1000))
def test_the_seed_fixes_the_forest_for_any_number_of_threads(problem, seed):
    X, y, rows, declared = problem
    one, two = (
        CredalForest(4, random_state=seed, n_jobs=jobs, **declared).fit(X, y) for jobs in (1, 2)
    )
    for a, b in zip(one.trees_, two.trees_, strict=True):
        np.testing.assert_array_equal(a.feature, b.feature)
        np.testing.assert_array_equal(a.counts, b.counts)
    np.testing.assert_array_equal(one.predict_proba(rows), two.predict_proba(rows))


@given(problems())
def test_every_tree_has_as_many_rows_as_the_training_set(problem):
    X, y, _, declared = problem
    forest = CredalForest(3, random_state=0, **declared).fit(X, y)
    for nodes in forest.trees_:
        assert nodes.weight[0] == len(y)
        assert nodes.counts.sum() >= len(y)


def test_with_every_feature_tried_only_the_rows_are_random():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (300, 4))
    y = X[:, 2] % 2
    forest = CredalForest(10, n_tried=4, random_state=0).fit(X, y)
    assert {int(nodes.feature[0]) for nodes in forest.trees_} == {2}
    drawn = CredalForest(40, n_tried=1, random_state=0).fit(X, y)
    # one feature at a time: another one only if that gains nothing
    assert len({int(nodes.feature[0]) for nodes in drawn.trees_}) > 1


@pytest.mark.parametrize("combine", ["min-dominated", "average"])
def test_it_learns_from_numbers(combine):
    X, y = load_iris(return_X_y=True)
    scorer = make_set_scorer(utility_discounted_accuracy, utility="u65")
    forest = CredalForest(20, combine=combine, random_state=0)
    scores = cross_validate(forest, X, y, scoring=scorer, cv=3)["test_score"]
    assert (scores > 0.85).all()


def test_a_pickled_forest_predicts_the_same():
    X, y = load_iris(return_X_y=True)
    model = CredalForest(5, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_set(X), model.predict_set(X))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n_trees": 0}, "n_trees must be at least 1, got 0"),
        ({"n_tried": 0.5}, "n_tried must be a whole number"),
        ({"combine": "vote"}, "combine must be 'min-dominated' or 'average', got 'vote'"),
        ({"s": float("nan")}, "s must be a number of rows"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
    ],
)
def test_error_messages_name_the_wrong_argument(arguments, words):
    with pytest.raises((ValueError, TypeError), match=words):
        CredalForest(**arguments).fit([[0], [1]], [0, 1])


@pytest.mark.long
@parametrize_with_checks([CredalForest(5, random_state=0), CredalForest(5, combine="average")])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def test_a_number_of_trees_may_be_a_whole_float():
    X, y = load_iris(return_X_y=True)
    three = [CredalForest(n_trees=n, random_state=0).fit(X, y) for n in (3, 3.0)]
    assert (three[0].predict_set(X) == three[1].predict_set(X)).all()
