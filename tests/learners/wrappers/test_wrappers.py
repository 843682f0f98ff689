"""Set-valued classifiers around probabilistic and interval-giving ones."""

import pickle
import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.learners.stand_ins import GivenBounds, GivenProba
from wager.costs import CostMatrix, SetRewards
from wager.credal import CredalVertices, decide, optimal_sets
from wager.learners import (
    Conformal,
    CredalIntervals,
    KRandom,
    NaiveBayes,
    NaiveCredal,
    Nondeterministic,
    OptimalSets,
    Rejecting,
    TunedCaution,
)
from wager.metrics import make_set_scorer, utility_discounted_accuracy
from wager.predictions import ProbabilityIntervals, predict_set
from wager.prepare import MDLDiscretizer

IRIS = load_iris(return_X_y=True)
WRAPPERS = [
    Nondeterministic(NaiveBayes(), beta=2),
    OptimalSets(NaiveBayes(), "u80"),
    OptimalSets(NaiveBayes(), costs=CostMatrix.ordinal([0, 1, 2])),
    OptimalSets(NaiveBayes(), rewards=SetRewards.ordered([0, 1, 2], "u65", penalty=0.1)),
    Rejecting(NaiveBayes(), 0.9),
    Rejecting(NaiveCredal(), 0.5, group=True),
    CredalIntervals(NaiveCredal(), rule="e-admissibility"),
]
each_wrapper = pytest.mark.parametrize("wrapper", WRAPPERS, ids=repr)


@parametrize_with_checks(
    [
        Nondeterministic(NaiveBayes()),
        OptimalSets(LogisticRegression()),
        Rejecting(NaiveBayes(), 0.7),
        Rejecting(NaiveCredal(), 0.5),
        CredalIntervals(NaiveCredal()),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@st.composite
def probabilities(draw, rows=8):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    K = draw(st.integers(2, 5))
    return rng.dirichlet(np.full(K, draw(st.sampled_from([0.3, 1.0, 5.0]))), rows)


def fitted(wrapper, K):
    return wrapper.fit(np.eye(K), np.arange(K))


def all_sets(K):
    sets = [c for k in range(1, K + 1) for c in combinations(range(K), k)]
    return np.array([[c in chosen for c in range(K)] for chosen in sets])


@given(probabilities(), st.sampled_from([0.0, 0.5, 1.0, 2.0, 10.0]))
def test_no_set_has_a_greater_expected_f_measure(proba, beta):
    K = proba.shape[1]
    sets = fitted(Nondeterministic(GivenProba(), beta), K).predict_set(proba)

    def worth(members):  # Zaffalon, Corani & Mauá (2012), Eq. 9: precision 1/k and recall 1
        precision = 1 / members.sum()
        f = (1 + beta**2) * precision / (beta**2 * precision + 1)
        return proba @ members * f

    best = np.max([worth(members) for members in all_sets(K)], axis=0)
    ours = [worth(members)[row] for row, members in enumerate(sets)]
    np.testing.assert_allclose(ours, best)


@given(probabilities(), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_no_set_costs_less_than_the_optimal_one(proba, r):
    K = proba.shape[1]
    costs = CostMatrix.ordinal(np.arange(K)).extend("p-discounted", r=r)
    sets = fitted(OptimalSets(GivenProba(), costs=costs), K).predict_set(proba)
    least = np.min([costs.expected(members[None], proba) for members in all_sets(K)], axis=0)
    np.testing.assert_allclose(costs.expected(sets, proba), least, atol=1e-12)


@given(probabilities(), st.integers(1, 5))
def test_no_set_earns_more_than_the_optimal_one(proba, weight):
    K = proba.shape[1]
    rewards = SetRewards.by_class("u65", {0: weight}, range(K))
    sets = fitted(OptimalSets(GivenProba(), rewards=rewards), K).predict_set(proba)
    most = np.max([rewards.expected(members[None], proba) for members in all_sets(K)], axis=0)
    np.testing.assert_allclose(rewards.expected(sets, proba), most, atol=1e-12)


@given(probabilities(), st.sampled_from(["u50", "u65", "u80", "f2", "log-norm"]))
def test_the_utility_decides_as_in_optimal_sets(proba, utility):
    ours = fitted(OptimalSets(GivenProba(), utility), proba.shape[1]).predict_set(proba)
    np.testing.assert_array_equal(ours, optimal_sets(proba, utility).to_indicator())


@given(probabilities(), st.floats(0, 1))
def test_one_class_is_predicted_if_it_is_probable_enough_and_all_otherwise(proba, threshold):
    sets = fitted(Rejecting(GivenProba(), threshold), proba.shape[1]).predict_set(proba)
    accepted = proba.max(axis=1) >= threshold - 1e-12
    np.testing.assert_array_equal(sets.all(axis=1), ~accepted)
    np.testing.assert_array_equal(sets.sum(axis=1) == 1, accepted)
    assert sets[np.arange(len(sets)), proba.argmax(axis=1)].all()


def test_rejection_pays_under_u80_where_the_best_class_is_right_seven_times_in_ten():
    """Zaffalon, Corani & Mauá (2012), Section 9.4: 0.8 for rejecting at 0.8, 0.7 for not."""
    y = [0] * 7 + [1] * 3
    X = np.zeros((10, 1), dtype=int)
    plain = NaiveBayes("perks", s=1e-9, categorical_features="all")
    for threshold, expected in ((0.8, 0.8), (0.6, 0.7)):
        sets = Rejecting(plain, threshold).fit(X, y).predict_set(X)
        assert utility_discounted_accuracy(y, sets, utility="u80") == pytest.approx(expected)


@pytest.mark.parametrize("group", [False, True])
@pytest.mark.parametrize("threshold", [0.0, 0.4, 0.8, 1.0])
def test_a_credal_classifier_is_rejected_by_its_lower_probabilities(threshold, group):
    X, y = MDLDiscretizer().fit_transform(*IRIS), IRIS[1]
    own = NaiveCredal(reject=threshold, reject_group=group).fit(X[::3], y[::3])
    wrapped = Rejecting(NaiveCredal(), threshold, group=group).fit(X[::3], y[::3])
    np.testing.assert_array_equal(wrapped.predict_set(X), own.predict_set(X))


def test_a_pipeline_inside_predicts_like_one_outside():
    X, y = IRIS
    inside = Rejecting(make_pipeline(MDLDiscretizer(), NaiveCredal()), 0.6).fit(X, y)
    outside = make_pipeline(MDLDiscretizer(), Rejecting(NaiveCredal(), 0.6)).fit(X, y)
    np.testing.assert_array_equal(inside.predict_set(X), predict_set(outside, X))
    bounds = CredalIntervals(make_pipeline(MDLDiscretizer(), "passthrough", NaiveCredal()))
    searched = CredalIntervals(
        GridSearchCV(make_pipeline(MDLDiscretizer(), NaiveCredal()), {"naivecredal__s": [1.0]})
    )
    np.testing.assert_array_equal(
        bounds.fit(X, y).predict_set(X), searched.fit(X, y).predict_set(X)
    )


@each_wrapper
def test_the_estimator_is_cloned_and_a_frozen_one_is_used_as_it_is(wrapper):
    X, y = MDLDiscretizer().fit_transform(*IRIS), IRIS[1]
    wrapper = clone(wrapper)
    first = wrapper.fit(X, y).predict_set(X)
    with pytest.raises(NotFittedError):
        wrapper.estimator.predict(X)
    model = clone(wrapper.estimator).fit(X, y)
    frozen = clone(wrapper).set_params(estimator=FrozenEstimator(model)).fit(X[:3], y[:3])
    assert frozen.estimator_.estimator is model
    np.testing.assert_array_equal(frozen.predict_set(X), first)


@each_wrapper
def test_predict_returns_a_class_of_the_set(wrapper):
    X, y = MDLDiscretizer().fit_transform(*IRIS), IRIS[1]
    model = clone(wrapper).fit(X, y)
    sets, named = model.predict_set(X), model.predict(X)
    assert sets[np.arange(len(X)), named].all()
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert np.mean(named == y) > 0.9


@each_wrapper
def test_a_fitted_wrapper_survives_pickling(wrapper):
    X, y = MDLDiscretizer().fit_transform(*IRIS), IRIS[1]
    model = clone(wrapper).fit(X, y)
    back = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(back.predict_set(X), model.predict_set(X))


def test_predict_with_costs_returns_the_cheapest_class_of_the_set():
    proba = np.array([[0.6, 0.3, 0.1]])
    dear_misses = [[0, 10, 10], [2, 0, 10], [2, 10, 0]]  # rows: predicted
    keep_all = CostMatrix(dear_misses).extend({(0, 1): {0: 0, 1: 0, 2: 0}})
    model = fitted(OptimalSets(GivenProba(), costs=keep_all), 3)
    assert model.predict_set(proba).tolist() == [[True, True, False]]
    expected = np.array(dear_misses) @ proba[0]
    assert model.predict(proba).tolist() == [int(expected[:2].argmin())] == [1]


@given(probabilities(), st.floats(0, 0.4), st.sampled_from(["maximality", "interval-dominance"]))
def test_bounds_come_from_a_method_a_function_or_vertices(proba, width, rule):
    K = proba.shape[1]
    lower, upper = (1 - width) * proba, (1 - width) * proba + width
    intervals = ProbabilityIntervals(lower, upper)
    expected = decide(intervals, rule).to_indicator()
    named = CredalIntervals(GivenBounds(), "between", rule=rule)
    rows = np.hstack([lower, upper])
    made = named.fit(np.zeros((K, 2 * K)), np.arange(K))
    np.testing.assert_array_equal(made.predict_set(rows), expected)
    inside = made.predict_proba(rows)
    assert ((inside >= lower - 1e-9) & (inside <= upper + 1e-9)).all()

    def corners(_, X):
        return CredalVertices.from_intervals(intervals)

    hull = fitted(CredalIntervals(GivenProba(), corners, rule=rule), K)
    np.testing.assert_array_equal(hull.predict_set(proba), expected)
    np.testing.assert_allclose(hull.predict_credal(proba).lower, intervals.tighten().lower)


def test_parameters_are_searched_with_set_scorers():
    X, y = IRIS
    made = make_pipeline(MDLDiscretizer(), Nondeterministic(NaiveBayes()))
    grid = {"nondeterministic__beta": [0.0, 1.0, 3.0]}
    search = GridSearchCV(made, grid, scoring=make_set_scorer("u80"), cv=3).fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert search.best_score_ == scores.max() > 0.9
    tested = cross_validate(made, X, y, cv=3, scoring=make_set_scorer("determinacy"))
    assert ((tested["test_score"] > 0) & (tested["test_score"] <= 1)).all()


def test_string_labels_and_frames_pass_through():
    import pandas as pd

    X = pd.DataFrame({"sky": pd.Categorical(["sun", "sun", "rain", "rain", None])})
    y = ["out", "out", "in", "in", "in"]
    model = OptimalSets(NaiveBayes()).fit(X, y)
    assert model.feature_names_in_.tolist() == ["sky"]
    assert model.classes_.tolist() == ["in", "out"]
    assert model.predict(X[:4]).tolist() == ["out", "out", "in", "in"]


@pytest.mark.parametrize(
    ("wrapper", "words"),
    [
        (Nondeterministic(Perceptron()), "Perceptron has no predict_proba: calibrate it first"),
        (Nondeterministic(GaussianNB(), beta=-1), "beta must be at least 0"),
        (OptimalSets(GaussianNB(), "u7000x"), "u7000x"),
        (OptimalSets(GaussianNB(), search="quick"), "search must be one of auto"),
        (Rejecting(GaussianNB(), 1.5), "threshold must be a probability, 0 to 1, got 1.5"),
        (Rejecting(GaussianNB(), 0.5, group=True), "GaussianNB has no predict_credal"),
        (CredalIntervals(GaussianNB()), "GaussianNB has no method predict_credal: name the method"),
        (CredalIntervals(GaussianNB(), "predict_proba"), "the pair (lower, upper), got ndarray"),
        (CredalIntervals(NaiveCredal(), rule="best"), "rule must be one of"),
        (CredalIntervals(NaiveCredal(), costs=np.eye(2)), "costs has 2 rows but there are 3"),
    ],
)
def test_wrong_arguments_raise_clear_errors(wrapper, words):
    X, y = np.abs(IRIS[0]).astype(int), IRIS[1]
    with pytest.raises(ValueError, match=re.escape(words)):
        wrapper.fit(X, y).predict_set(X)


def test_several_columns_of_classes_are_refused():
    X, y = IRIS
    with pytest.raises(ValueError, match="one set of classes per row, but y has 2 columns"):
        Nondeterministic(DecisionTreeClassifier()).fit(X, np.column_stack([y, y]))


@pytest.mark.parametrize(
    "wrap",
    [
        OptimalSets,
        lambda model: Conformal(model, cv=3),
        lambda model: TunedCaution(Nondeterministic(model), strengths=[0, 1, 2], cv=2),
    ],
)
def test_weights_that_an_estimator_asks_for_reach_it_where_metadata_are_routed(wrap):
    """They were left out without a word, because a wrapper did not say what its estimator needs."""
    X, y = IRIS
    weight = np.random.default_rng(0).integers(1, 9, len(y)).astype(float)
    splits = list(StratifiedKFold(3).split(X, y))
    expected = []
    with config_context(enable_metadata_routing=True):
        model = GaussianNB().set_fit_request(sample_weight=True)
        scorer = get_scorer("neg_log_loss").set_score_request(sample_weight=True)
        scores = cross_validate(
            wrap(model), X, y, cv=splits, scoring=scorer, params={"sample_weight": weight}
        )
        for train, test in splits:
            fitted = wrap(model).fit(X[train], y[train], sample_weight=weight[train])
            expected.append(scorer(fitted, X[test], y[test], sample_weight=weight[test]))
    np.testing.assert_allclose(scores["test_score"], expected)


def test_what_a_function_of_intervals_must_return_is_said_of_the_function():
    X, y = np.arange(6.0)[:, None], np.arange(6) % 2
    for method, name in ((lambda model, X: "ab", "method"), ("predict", "predict of the est")):
        model = CredalIntervals(GaussianNB(), method).fit(X, y)
        with pytest.raises(ValueError, match=f"^{name}.* must return ProbabilityIntervals, Cred"):
            model.predict_set(X)


@pytest.mark.parametrize(
    "wrap",
    [
        Nondeterministic,
        OptimalSets,
        lambda model: Conformal(model, random_state=0),
        lambda model: Conformal(model, cv=3),
        lambda model: TunedCaution(Nondeterministic(model), strengths=[0, 1], cv=2),
        lambda model: KRandom(Nondeterministic(model), random_state=0),
    ],
)
@pytest.mark.parametrize("kind", ["Int64", "int64[pyarrow]", object])
def test_large_whole_numbers_of_pandas_stay_different_classes(wrap, kind):
    X, y = IRIS
    labels = 2**53 + np.unique(y, return_inverse=True)[1]
    model = wrap(GaussianNB()).fit(X, pd.Series(labels, dtype=kind))
    np.testing.assert_array_equal(model.classes_, wrap(GaussianNB()).fit(X, labels).classes_)
    assert len(model.classes_) == 3
