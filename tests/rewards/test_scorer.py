from __future__ import annotations

import pickle
from inspect import signature

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from wager import metrics
from wager.costs import CostMatrix, SetRewards
from wager.predictions import PredictionSets
from wager.rewards import (
    MEASURES,
    SET_SCORES,
    SetScore,
    make_set_scorer,
    register,
    unregister,
)


class Cautious(ClassifierMixin, BaseEstimator):
    """Keeps the classes at least `ratio` times as probable as the best."""

    def __init__(self, ratio=0.5):
        self.ratio = ratio

    def fit(self, X, y):
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_set(self, X):
        proba = self.model_.predict_proba(X)
        return proba >= self.ratio * proba.max(axis=1, keepdims=True)

    def predict(self, X):
        return self.model_.predict(X)

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True)
    return X[:, :2], np.array(["setosa", "versicolor", "virginica"])[y]


FOLDS = StratifiedKFold(5)
PASSES_WEIGHTS = hasattr(GridSearchCV, "_check_scorers_accept_sample_weight")


@pytest.mark.parametrize("name", ["coverage", "u65", "average_cost", "difficulty_violation"])
def test_the_order_of_the_classes_changes_no_score(flowers, name):
    X, y = flowers
    model, classes = Cautious().fit(X, y), np.unique(y)
    costs = np.array([[0.0, 1, 2], [3, 0, 4], [5, 6, 0]])
    turned = [2, 0, 1]
    options = {"difficulty_violation": {"alpha": 0.1}}.get(name, {})
    first, second = options, options
    if name == "average_cost":
        first, second = {"costs": costs}, {"costs": costs[np.ix_(turned, turned)]}
    expected = make_set_scorer(name, classes=classes, **first)(model, X, y)
    assert expected == make_set_scorer(name, **first)(model, X, y)
    assert make_set_scorer(name, classes=classes[turned], **second)(model, X, y) == expected


class Weighted(Cautious):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y)


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("routing", [False, True])
def test_a_search_with_weights_weights_the_scores(flowers, several, routing):
    if not (routing or PASSES_WEIGHTS):
        pytest.skip("this scikit-learn passes weights to scorers only where it routes metadata")
    X, y = flowers
    weights = np.arange(len(y)) % 4.0
    plain = make_set_scorer("u65")
    train, test = next(FOLDS.split(X, y))
    expected = plain(Cautious().fit(X[train], y[train]), X[test], y[test], weights[test])
    assert expected != plain(Cautious().fit(X[train], y[train]), X[test], y[test])
    with config_context(enable_metadata_routing=routing):
        model, scorer = Weighted(), plain
        if routing:
            model = model.set_fit_request(sample_weight=True)
            with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
                GridSearchCV(model, {"ratio": [0.5]}, scoring=plain).fit(
                    X, y, sample_weight=weights
                )
            scorer = plain.set_score_request(sample_weight=True)
        scoring = {"u65": scorer, "size": make_set_scorer("mean_set_size")} if several else scorer
        if several and routing:
            scoring["size"] = scoring["size"].set_score_request(sample_weight=False)
        search = GridSearchCV(model, {"ratio": [0.5]}, scoring=scoring, refit=False, cv=FOLDS)
        search.fit(X, y, sample_weight=weights)
    name = "u65" if several else "score"
    assert search.cv_results_[f"split0_test_{name}"][0] == expected


@pytest.mark.skipif(not PASSES_WEIGHTS, reason="this scikit-learn asks no scorer")
def test_a_measure_without_weights_asks_for_none(flowers):
    X, y = flowers

    def share(y_true, y_pred, *, classes):
        return 0.5

    scorer = make_set_scorer(share)
    scoring = {"share": scorer, "u65": make_set_scorer("u65")}
    search = GridSearchCV(Weighted(), {"ratio": [0.5]}, scoring=scoring, refit=False, cv=FOLDS)
    with pytest.warns(UserWarning, match="does not support sample_weight"):
        search.fit(X, y, sample_weight=np.ones(len(y)))
    assert search.cv_results_["mean_test_share"].tolist() == [0.5]


def test_cross_validation_gives_the_measure_of_each_fold(flowers):
    X, y = flowers
    scores = cross_validate(
        Cautious(0.3),
        X,
        y,
        cv=FOLDS,
        scoring={
            "u65": make_set_scorer(metrics.utility_discounted_accuracy, utility="u65"),
            "coverage": make_set_scorer("coverage"),
            "size": make_set_scorer(metrics.mean_set_size),
        },
    )
    for fold, (train, test) in enumerate(FOLDS.split(X, y)):
        model = Cautious(0.3).fit(X[train], y[train])
        sets, known = model.predict_set(X[test]), {"classes": model.classes_}
        u65 = metrics.utility_discounted_accuracy(y[test], sets, "u65", **known)
        assert scores["test_u65"][fold] == u65
        assert scores["test_coverage"][fold] == metrics.coverage(y[test], sets, **known)
        assert scores["test_size"][fold] == -metrics.mean_set_size(sets)  # smaller is better


def test_the_search_finds_the_best_utility(flowers):
    X, y = flowers
    ratios = [0.05, 0.3, 0.9]
    search = GridSearchCV(Cautious(), {"ratio": ratios}, scoring=make_set_scorer("u80"), cv=FOLDS)
    search.fit(X, y)
    scorer = make_set_scorer("u80")
    means = [cross_val_score(Cautious(r), X, y, scoring=scorer, cv=FOLDS).mean() for r in ratios]
    assert search.best_params_ == {"ratio": ratios[int(np.argmax(means))]}
    assert search.best_score_ == pytest.approx(max(means))


def test_a_fold_without_some_class_is_scored_over_all(flowers):
    X, y = flowers
    model = Cautious(0.0).fit(X, y)
    only = y == "virginica"
    assert make_set_scorer("discounted_accuracy")(model, X[only], y[only]) == pytest.approx(1 / 3)


@pytest.mark.parametrize("metric", ["u65", "coverage", "mean_set_size", metrics.set_accuracy])
def test_scorers_are_cloned_and_pickled(flowers, metric):
    X, y = flowers
    model, scorer = Cautious(0.3).fit(X, y), make_set_scorer(metric)
    copies = [pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False)]
    assert {copy(model, X, y) for copy in copies} == {scorer(model, X, y)}


def test_weights_reach_the_measure(flowers):
    X, y = flowers
    model, weights = Cautious(0.3).fit(X, y), np.linspace(0.1, 2, len(y))
    sets, known = model.predict_set(X), {"classes": model.classes_}
    for metric in ("coverage", metrics.coverage, SET_SCORES["coverage"]):
        found = make_set_scorer(metric)(model, X, y, sample_weight=weights)
        assert found == metrics.coverage(y, sets, sample_weight=weights, **known)


def test_the_direction_of_a_score_is_known(flowers):
    X, y = flowers
    model = Cautious(0.3).fit(X, y)
    for smaller in ("mean_set_size", "reward_variance", "empty_rate", SET_SCORES["mean_set_size"]):
        assert make_set_scorer(smaller).sign == -1
    assert make_set_scorer("coverage_gap", alpha=0.1)(model, X, y) <= 0
    assert make_set_scorer("mean_set_size", greater_is_better=True)(model, X, y) >= 1

    def own(y_true, y_pred, *, classes):
        return float(len(classes))

    assert make_set_scorer(own)(model, X, y) == 3
    assert repr(make_set_scorer(SET_SCORES["coverage"])) == "make_set_scorer(coverage)"


def test_a_plain_classifier_is_scored_by_its_labels(flowers):
    X, y = flowers
    model = make_pipeline(StandardScaler(), GaussianNB())
    found = cross_validate(model, X, y, cv=FOLDS, scoring=make_set_scorer("u65"))
    accuracy = cross_val_score(model, X, y, cv=FOLDS, scoring="accuracy")
    np.testing.assert_allclose(found["test_score"], accuracy)


def test_average_cost_is_a_scorer_by_name(flowers):
    X, y = flowers
    order = ["virginica", "setosa", "versicolor"]  # not that of classes_
    costs = CostMatrix([[0, 5, 1], [9, 0, 2], [3, 1, 0]], order).extend("p-discounted", r=0.5)
    scorer = make_set_scorer("average_cost", costs=costs)
    ratios = [0.05, 0.3, 0.9]
    search = GridSearchCV(Cautious(), {"ratio": ratios}, scoring=scorer, cv=FOLDS).fit(X, y)
    means = []
    for ratio in ratios:
        parts = []
        for train, test in FOLDS.split(X, y):
            model = Cautious(ratio).fit(X[train], y[train])
            sets = PredictionSets.from_indicator(model.predict_set(X[test]), model.classes_)
            parts.append(-metrics.average_cost(y[test], sets, costs))
        means.append(np.mean(parts))
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], means)
    assert search.best_params_ == {"ratio": ratios[int(np.argmax(means))]}
    assert "average_cost" in repr(scorer)


@pytest.mark.parametrize(
    ("name", "missing"), [("average_cost", "costs"), ("coverage_gap", "alpha")]
)
def test_a_missing_argument_of_the_measure_is_reported_at_once(name, missing):
    with pytest.raises(ValueError, match=rf"{name} needs {missing}=: pass make_set_scorer"):
        make_set_scorer(name)


FLOWERS = ["setosa", "versicolor", "virginica"]
ARGUMENTS = {
    "average_cost": {"costs": 1 - np.eye(3), "rule": "discounted"},
    "coverage_gap": {"alpha": 0.1},
    "certainty_equivalent": {"utility": "u65"},
    "average_reward": {"rewards": SetRewards.by_class("u65", [1, 2, 3], FLOWERS)},
    "hierarchical_utility": {"hierarchy": [FLOWERS[:2], FLOWERS[2]]},
    "correct_at_depth": {"hierarchy": [FLOWERS[:2], FLOWERS[2]]},
    "node_error": {"hierarchy": [FLOWERS[:2], FLOWERS[2]]},
    "contiguity_rate": {"class_order": FLOWERS},
    "mean_width": {"class_order": FLOWERS},
    "mean_distance_to_set": {"class_order": FLOWERS},
    "ordinal_interval_score": {"class_order": FLOWERS},
    "size_stratified_violation": {"alpha": 0.1},
    "violated_classes": {"alpha": 0.1},
    "difficulty_violation": {"alpha": 0.1},
    "conditional_coverage_error": {"alpha": 0.1},
    "worst_slice_coverage": {"n_directions": 20},
}
RANKED = [
    name
    for name, measure in MEASURES.items()
    if measure.kind in ("sets", "costs")
    and measure.greater_is_better is not None
    and measure.function is not None  # others are formulas with parameters, or baselines
]


@pytest.mark.parametrize("name", [n for n in RANKED if n != "area_of_ignorance"])
def test_every_measure_by_which_classifiers_are_ranked_is_a_scorer(flowers, name):
    X, y = flowers
    model, options = Cautious(0.3).fit(X, y), ARGUMENTS.get(name, {})
    sets = PredictionSets.from_indicator(model.predict_set(X), model.classes_)
    measure = MEASURES[name]
    given = (y, sets) if measure.needs_truth else (sets,)
    sign = 1 if measure.greater_is_better else -1
    found = make_set_scorer(name, **options)(model, X, y)
    of_rows = {"X": X, "scores": model.predict_proba(X)}  # which the scorer takes by itself
    needed = {key: of_rows[key] for key in of_rows if key in signature(measure.function).parameters}
    assert found == pytest.approx(sign * measure.metric(*given, **options, **needed))


def test_measures_of_features_work_in_cross_validation(flowers):
    X, y = flowers
    scorer = make_set_scorer("worst_slice_coverage", n_directions=20, share=0.5)
    found = cross_val_score(Cautious(0.3), X, y, scoring=scorer, cv=FOLDS)
    for value, (train, test) in zip(found, FOLDS.split(X, y), strict=True):
        model = Cautious(0.3).fit(X[train], y[train])
        sets = PredictionSets.from_indicator(model.predict_set(X[test]), model.classes_)
        own = metrics.worst_slice_coverage(y[test], sets, X[test], n_directions=20, share=0.5)
        assert value == pytest.approx(own)


def test_a_measure_of_probabilities_needs_an_estimator_that_has_them(flowers):
    X, y = flowers
    scorer = make_set_scorer("difficulty_violation", alpha=0.1)
    with pytest.raises(ValueError, match="LinearSVC has no predict_proba, which this measure"):
        scorer(LinearSVC().fit(X, y), X, y)


def test_a_registered_score_is_a_scorer_and_other_functions_keep_their_names(flowers):
    X, y = flowers
    pairs = register(SetScore("pairs", lambda size, hit: (size == 2) * 1.0, False))
    try:
        sets = Cautious(0.3).fit(X, y).predict_set(X)
        found = make_set_scorer("pairs")(Cautious(0.3).fit(X, y), X, y)
        assert found == -(sets.sum(axis=1) == 2).mean()
    finally:
        unregister(pairs.name)
    for name in ("make_set_scorer", "evaluate_sets", "kl_divergence", "prior_from_counts"):
        with pytest.raises(ValueError, match=r"already (has a function|a measure) "):
            register(SetScore(name, lambda size, hit: hit * 1.0))


def test_an_unknown_name_is_reported_at_once():
    with pytest.raises(
        ValueError,
        match=r"not a measure of sets \(.*coverage.*\), and there is no utility called 'accurracy'",
    ):
        make_set_scorer("accurracy")


def test_an_unknown_argument_is_reported_at_once():
    with pytest.raises(
        ValueError, match="utility_discounted_accuracy has no argument 'utlity': it"
    ):
        make_set_scorer("utility_discounted_accuracy", utlity="u80")
    with pytest.raises(ValueError, match="has no argument 'costs': it takes utility, sample_weigh"):
        make_set_scorer("u65", costs=CostMatrix.zero_one([0, 1]))
