"""Nested dichotomies: expectations and decisions against enumeration, and the choice of trees."""

import pickle
import re
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.learners.strategies import rows_to_predict
from wager._tables import Counts
from wager.costs import CostMatrix
from wager.learners import EnsembleCredal, NaiveCredal, NestedDichotomies, NestedDichotomyForest
from wager.learners.dichotomies._class_trees import ClassTree, sample_nominal, sample_ordinal
from wager.learners.dichotomies._credal import PBoxes, SplitIntervals
from wager.learners.dichotomies._decide import maximal
from wager.learners.dichotomies._split_models import NaiveSplitModels, Splits
from wager.metrics import average_cost, make_set_scorer
from wager.predictions import predict_set
from wager.prepare import MDLDiscretizer

IRIS = MDLDiscretizer().fit_transform(*load_iris(return_X_y=True)), load_iris().target
FOREST = EnsembleCredal(RandomForestClassifier(3, random_state=0))
LEARNERS = [
    NestedDichotomies(random_state=0),
    NestedDichotomies("random", ordinal=True, random_state=0, costs=CostMatrix.ordinal(range(3))),
    NestedDichotomies(((0, 1), 2), base=NaiveCredal()),
    NestedDichotomies(decomposition="cumulative"),
    NestedDichotomyForest(random_state=0),
    NestedDichotomyForest(9, combine="vote", ordinal=True, random_state=0),
]
each_learner = pytest.mark.parametrize("learner", LEARNERS, ids=repr)


@parametrize_with_checks(
    [
        NestedDichotomies(n_trees=3),
        NestedDichotomies("random", ordinal=True, costs=None),
        NestedDichotomies(decomposition="cumulative"),
        NestedDichotomyForest(3),
        NestedDichotomyForest(3, combine="vote"),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.mark.long
@parametrize_with_checks([NestedDichotomies(n_trees=2, base=FOREST)])
def test_scikit_learn_conventions_with_a_forest(estimator, check):
    check(estimator)


# -- expectations -------------------------------------------------------------------------------


@st.composite
def split_intervals(draw, trees=1, most=5):
    """Random intervals at the splits of random trees over the same classes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    K, n = draw(st.integers(1, most)), 4
    state = np.random.RandomState(rng.integers(2**31))
    sample = draw(st.sampled_from([sample_nominal, sample_ordinal]))
    made = []
    for _ in range(trees):
        bounds = np.sort(rng.random((2, n, K - 1)), axis=0)
        bounds[0][rng.random((n, K - 1)) < 0.1] = 0.0
        made.append(SplitIntervals(sample(K, state), *bounds))
    return made, rng


def vertices(credal):
    """Every choice of a bound at every split, as class probabilities, (n, 2^(K-1), K)."""
    K = credal.tree.n_classes
    corners = []
    for ends in product((0, 1), repeat=K - 1):
        go_left = np.where(np.array(ends, dtype=bool), credal.upper, credal.lower)
        proba = np.ones((len(go_left), K))
        for i, (left, right) in enumerate(credal.tree.sides):
            proba[:, credal.tree.groups[left]] *= go_left[:, [i]]
            proba[:, credal.tree.groups[right]] *= 1 - go_left[:, [i]]
        corners.append(proba)
    return np.stack(corners, axis=1)


@given(split_intervals())
def test_the_recursion_finds_the_least_expectation_of_all_vertices(made):
    (credal,), rng = made
    functions = rng.normal(size=(6, credal.tree.n_classes))
    expected = (vertices(credal) @ functions.T).min(axis=1)
    np.testing.assert_allclose(credal.lower_expectation(functions).T, expected, atol=1e-12)


@given(split_intervals())
def test_products_along_the_way_bound_the_class_probabilities(made):
    (credal,), _ = made
    lower, upper = credal.bounds()
    corners = vertices(credal)
    np.testing.assert_allclose(lower, corners.min(axis=1), atol=1e-12)
    np.testing.assert_allclose(upper, corners.max(axis=1), atol=1e-12)
    centre = credal.centre()
    np.testing.assert_allclose(centre.sum(axis=1), 1)
    assert ((centre >= lower - 1e-12) & (centre <= upper + 1e-12)).all()


@pytest.mark.long
@given(split_intervals(trees=3, most=4), st.booleans())
def test_a_class_is_kept_unless_another_dominates_it(made, vote):
    credals, rng = made
    K = credals[0].tree.n_classes
    costs = rng.uniform(0.5, 3, (K, K)) * (1 - np.eye(K))
    weights = np.array([2.0, 1.0, 2.0])
    expected = np.ones((4, K), dtype=bool)
    for i, j in product(range(K), repeat=2):
        if i == j:
            continue
        least = [(vertices(c) @ (costs[j] - costs[i])).min(axis=1) for c in credals]
        if vote:
            beats = weights @ (np.array(least) > 1e-9) > 2.5
        else:
            beats = weights @ np.array(least) / 5 > 1e-9
        expected[beats, j] = False
    expected |= ~expected.any(axis=1, keepdims=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WAGER_COMPILE", "always")
        compiled = maximal(credals, weights, costs, vote=vote)
        patch.setenv("WAGER_COMPILE", "never")
        by_arrays = maximal(credals, weights, costs, vote=vote)
    np.testing.assert_array_equal(compiled, expected)
    np.testing.assert_array_equal(by_arrays, expected)


def test_votes_that_form_a_cycle_keep_every_class():
    tree = ClassTree.from_nested(((0, 1), 2), np.arange(3))
    credals = []
    for p in ([0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.2, 0.5]):  # 0 > 1 > 2, 1 > 2 > 0, 2 > 0 > 1
        go_left = np.array([[p[0] / (p[0] + p[1]), p[0] + p[1]]])
        credals.append(SplitIntervals(tree, go_left, go_left))
    assert maximal(credals, np.ones(3), 1 - np.eye(3), vote=True).tolist() == [[True] * 3]


# -- p-boxes ------------------------------------------------------------------------------------


@st.composite
def boxes(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    K = draw(st.integers(2, 4))
    lower, upper = np.sort(rng.random((2, 5, K - 1)), axis=0)
    return lower, upper, rng


@given(boxes())
def test_dynamic_programming_finds_the_least_expectation_of_all_monotone_choices(made):
    lower, upper, rng = made
    box = PBoxes.of(lower, upper)
    K = lower.shape[1] + 1
    functions = rng.normal(size=(4, K))
    found = box.lower_expectation(functions)
    for row in range(len(lower)):
        levels = np.concatenate([box.below[row], box.above[row]])
        steps = [
            np.diff(choice, prepend=0.0, append=1.0)
            for choice in product(levels, repeat=K - 1)
            if (np.diff(choice) >= 0).all()
            and (choice >= box.below[row]).all()
            and (choice <= box.above[row]).all()
        ]
        np.testing.assert_allclose(found[:, row], (functions @ np.array(steps).T).min(axis=1))
        low, high = (bound[row] for bound in box.bounds())
        np.testing.assert_allclose(low, np.min(steps, axis=0), atol=1e-12)
        np.testing.assert_allclose(high, np.max(steps, axis=0), atol=1e-12)
    centre = box.centre()
    assert (centre >= -1e-12).all()
    np.testing.assert_allclose(centre.sum(axis=1), 1)


@given(boxes())
def test_a_box_is_the_bounds_that_a_cumulative_distribution_can_attain(made):
    lower, upper, _ = made
    box = PBoxes.of(lower, upper)
    assert (np.diff(box.below, axis=1) >= 0).all()
    assert (np.diff(box.above, axis=1) >= 0).all()
    assert (box.below <= box.above).all()
    fits = (np.maximum.accumulate(lower, axis=1) <= upper).all(axis=1)
    assert (box.below[fits] >= lower[fits]).all()  # drawn in
    assert (box.below[~fits] <= lower[~fits]).all()  # widened
    assert (box.above[~fits] >= upper[~fits]).all()


# -- what is learned at the splits --------------------------------------------------------------


@st.composite
def problems(draw, most=4):
    """Codes with gaps, classes of which one may never occur, and what is declared of them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    K, m, n = draw(st.integers(2, most)), draw(st.integers(1, 3)), draw(st.integers(1, 30))
    codes, y = rng.integers(-1, 3, (n, m)), rng.integers(0, K, n)
    return codes, y, np.full(m, 3), K


@given(problems(), st.sampled_from([0.0, 0.5, 2.0, 1e6]))
def test_a_split_has_the_interval_of_the_naive_credal_classifier_for_two_groups(problem, s):
    codes, y, n_values, K = problem
    tree = sample_nominal(K, np.random.RandomState(len(y)))
    splits, _ = Splits.of_trees([tree])
    rows = rows_to_predict(problem)
    lower, upper = NaiveSplitModels(Counts.of(codes, y, n_values, K), splits, s).bounds(rows)
    for i, (left, right) in enumerate(zip(splits.left, splits.right, strict=True)):
        chosen = (left | right)[y]
        counts = Counts.of(codes[chosen], left[y[chosen]].astype(int), n_values, 2)
        expected = NaiveCredal(s, idm="intervals").fit_counts(counts).predict_credal(rows)
        np.testing.assert_allclose(lower[:, i], expected.lower[:, 1], atol=1e-12)
        np.testing.assert_allclose(upper[:, i], expected.upper[:, 1], atol=1e-12)


@given(problems())
def test_nothing_is_known_at_a_split_without_rows(problem):
    codes, y, n_values, K = problem
    counts = Counts.of(codes[:0], y[:0], n_values, K)
    lower, upper = NaiveSplitModels(counts, Splits.of_cuts(K), 2.0).bounds(rows_to_predict(problem))
    assert (lower == 0).all()
    assert (upper == 1).all()


def test_a_base_at_every_split_gives_what_the_counts_give():
    X, y = IRIS
    given = NestedDichotomies((0, (1, 2))).fit(X, y)
    base = NaiveCredal(s=2.0, classes=[0, 1, 2])  # of which a split sees two groups
    cloned = NestedDichotomies((0, (1, 2)), base=base).fit(X, y)
    ours, other = given.predict_credal(X), cloned.predict_credal(X)
    np.testing.assert_allclose(ours.lower, other.lower, atol=1e-12)
    np.testing.assert_allclose(ours.upper, other.upper, atol=1e-12)
    np.testing.assert_array_equal(given.predict_set(X), cloned.predict_set(X))


def test_a_split_with_rows_on_one_side_has_the_interval_of_the_dirichlet_model():
    X, y = np.array([[0], [1], [0], [1], [0], [0]]), [0, 0, 1, 1, 1, 1]
    model = NestedDichotomies(((0, 1), (2, 3)), base=NaiveCredal(), s=2.0, classes=range(4))
    lower, upper = model.fit(X, y)._split_models.bounds(X[:1])
    splits = model._split_models.splits
    for i, (left, right) in enumerate(zip(splits.left, splits.right, strict=True)):
        if left[0] and left[1] and right[2]:  # 6 rows on the left, none on the right
            assert (lower[0, i], upper[0, i]) == (6 / 8, 1.0)
        if left[2] and right[3]:
            assert (lower[0, i], upper[0, i]) == (0.0, 1.0)


# -- predictions --------------------------------------------------------------------------------


@given(problems(most=2), st.sampled_from([0.5, 2.0]))
def test_two_classes_leave_one_way_to_split(problem, s):
    codes, y, n_values, _ = problem
    declared = {"classes": [0, 1], "n_values": n_values, "s": s}
    rows = rows_to_predict(problem)
    expected = NaiveCredal(idm="intervals", **declared).fit(codes, y).predict_set(rows)
    for model in (
        NestedDichotomies(n_trees=3, **declared),
        NestedDichotomies(decomposition="cumulative", **declared),
        NestedDichotomyForest(3, **declared),
        NestedDichotomyForest(3, combine="vote", **declared),
    ):
        np.testing.assert_array_equal(model.fit(codes, y).predict_set(rows), expected)


@given(problems())
def test_sets_grow_with_s(problem):
    codes, y, n_values, K = problem
    rows = rows_to_predict(problem)
    for made in (
        NestedDichotomies("random", random_state=0),
        NestedDichotomyForest(5, random_state=0),
    ):
        sets = []
        for s in (0.0, 0.5, 2.0, 1e9):
            made.set_params(s=s, classes=range(K), n_values=n_values)
            sets.append(made.fit(codes, y).predict_set(rows))
        for narrow, wide in pairwise(sets):
            assert (narrow <= wide).all()
        assert sets[-1].all()


@settings(max_examples=20)
@given(problems(most=5), st.booleans())
def test_the_best_tree_is_the_one_that_costs_least_on_the_training_rows(problem, ordinal):
    codes, y, n_values, K = problem
    costs = CostMatrix.ordinal(range(K))
    declared = {"classes": range(K), "n_values": n_values, "costs": costs, "ordinal": ordinal}
    best = NestedDichotomies(n_trees=12, random_state=1, **declared).fit(codes, y)
    drawn = NestedDichotomyForest(12, random_state=1, **declared).fit(codes, y).trees_
    extended = costs.extend("p-discounted", r=0.5, mode="cautious")
    spent = []
    for nested in drawn:
        sets = NestedDichotomies(nested, **declared).fit(codes, y).predict_set(codes)
        spent.append(average_cost(y, sets, extended))
    np.testing.assert_allclose(best.training_costs_, spent)
    assert best.tree_ == drawn[int(np.argmin(np.round(spent, 12)))]


def test_costs_of_sets_choose_the_tree_by_their_own_rule():
    X, y = IRIS
    averse = CostMatrix.ordinal(range(3)).extend("p-discounted", r=0.9, mode="mistake-averse")
    given = NestedDichotomies(costs=averse, random_state=0).fit(X, y)
    spelled = NestedDichotomies(
        costs=CostMatrix.ordinal(range(3)), r=0.9, mode="mistake-averse", random_state=0
    ).fit(X, y)
    np.testing.assert_array_equal(given.training_costs_, spelled.training_costs_)
    np.testing.assert_array_equal(given.predict_set(X), spelled.predict_set(X))


@each_learner
def test_expectations_credal_sets_and_distributions_agree(learner):
    X, y = IRIS
    model = clone(learner).fit(X, y)
    credal = model.predict_credal(X)
    assert credal.is_reachable.all()
    one_class = np.eye(3)
    np.testing.assert_allclose(model.lower_expectation(X, one_class), credal.lower, atol=1e-9)
    np.testing.assert_allclose(model.upper_expectation(X, one_class), credal.upper, atol=1e-9)
    worth = np.array([3.0, -1.0, 2.0])
    lower, upper = model.lower_expectation(X, worth), model.upper_expectation(X, worth)
    expected = model.predict_proba(X) @ worth
    assert lower.shape == (len(X),)
    assert ((lower <= expected + 1e-9) & (expected <= upper + 1e-9)).all()


@each_learner
def test_predict_returns_a_class_of_the_set_and_is_mostly_right(learner):
    X, y = IRIS
    model = clone(learner).fit(X, y)
    named = model.predict(X)
    assert model.predict_set(X)[np.arange(len(X)), named].all()
    assert np.mean(named == y) > 0.9


@each_learner
def test_fitted_models_survive_pickling_and_predict_rows_one_by_one(learner):
    X, y = IRIS
    model = clone(learner).fit(X, y)
    back = pickle.loads(pickle.dumps(model))
    sets = model.predict_set(X)
    np.testing.assert_array_equal(back.predict_set(X), sets)
    np.testing.assert_array_equal(
        np.vstack([model.predict_set(row[None]) for row in X[::10]]), sets[::10]
    )


def test_many_rows_are_worked_on_in_blocks(monkeypatch):
    X, y = IRIS
    model = NestedDichotomyForest(5, random_state=0).fit(X, y)
    whole = model.predict_set(X)
    monkeypatch.setattr("wager.learners.dichotomies._base.BLOCK", 7)
    np.testing.assert_array_equal(model.predict_set(X), whole)


def test_pipelines_searches_and_set_scorers():
    X, y = load_iris(return_X_y=True)
    made = make_pipeline(MDLDiscretizer(), NestedDichotomies(n_trees=3, random_state=0))
    grid = {"nesteddichotomies__s": [0.5, 2.0]}
    search = GridSearchCV(made, grid, scoring=make_set_scorer("u65"), cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    tested = cross_validate(made, X, y, cv=3, scoring=make_set_scorer("u80"))
    assert (tested["test_score"] > 0.8).all()
    assert predict_set(search, X).shape == (150, 3)


def test_ordered_labels_keep_the_order_in_which_they_are_declared():
    y = np.array(["low", "mid", "high"])[IRIS[1]]
    order = ["low", "mid", "high"]
    costs = CostMatrix.ordinal(order)
    made = NestedDichotomies(ordinal=True, classes=order, costs=costs, random_state=0)
    model = made.fit(IRIS[0], y)
    assert model.tree_ in ((("low", "mid"), "high"), ("low", ("mid", "high")))
    assert np.mean(model.predict(IRIS[0]) == y) > 0.9


@pytest.mark.parametrize("s", [0.0, 1e6])
@each_learner
def test_extreme_input_is_answered_without_a_warning(learner, s):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (30, 60))
    X[:, 40:] = -1
    y = rng.integers(0, 2, 30)
    y[0] = 2  # one row of a class
    model = clone(learner)
    if model.base is None:
        model.set_params(classes=range(4))  # one class never occurs
    if model.costs is not None:
        model.set_params(costs=CostMatrix.ordinal(range(4)))
    model.set_params(s=s)
    sets = model.fit(X, y).predict_set(np.vstack([X, np.full((1, 60), -1), np.full((1, 60), 9)]))
    assert sets.any(axis=1).all()
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (NestedDichotomies("deep"), "tree must be 'best', 'random' or nested pairs"),
        (NestedDichotomies(s=-1), "s must be a number of rows"),
        (NestedDichotomies(n_trees=0), "n_trees must be a whole number of at least 1"),
        (NestedDichotomies(base=GaussianNB()), "GaussianNB has no predict_credal: wrap it"),
        (NestedDichotomies(decomposition="flat"), "decomposition must be 'nested' or"),
        (NestedDichotomies((0, 1)), "contains the class 2 0 times"),
        (NestedDichotomies(costs=np.ones((2, 2))), "costs has 2 rows but there are 3 classes"),
        (NestedDichotomyForest(combine="sum"), "combine must be 'mean' or 'vote', got 'sum'"),
    ],
)
def test_wrong_arguments_raise_clear_errors(model, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        model.fit(*IRIS)
