"""Intervals from ensembles: what each envelope means, for every kind of scikit-learn ensemble."""

import pickle
import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from wager.credal import CredalVertices, decide
from wager.learners import EnsembleCredal, NaiveBayes
from wager.learners.wrappers import _ensemble as ensemble_module
from wager.learners.wrappers._ensemble import _quantiles
from wager.learners.wrappers._members import Members
from wager.metrics import make_set_scorer
from wager.prepare import MDLDiscretizer

X, CODES = load_iris(return_X_y=True)
LABELS = {
    "codes": CODES,
    "text": np.array(["setosa", "versicolor", "virginica"])[CODES],
    "numbers that are not codes": CODES + 1,
}
PAIR = [("nb", GaussianNB()), ("knn", KNeighborsClassifier())]
KINDS = {
    "forest": RandomForestClassifier(7, random_state=0),
    "extra trees": ExtraTreesClassifier(7, random_state=0),
    "bagging": BaggingClassifier(GaussianNB(), 5, max_features=0.5, random_state=0),
    "voting": VotingClassifier(PAIR, voting="soft"),
    "hard voting": VotingClassifier(PAIR),
    "stacking": StackingClassifier(PAIR, LogisticRegression(max_iter=1000)),
    "boosting": AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=4),
    "calibration": CalibratedClassifierCV(GaussianNB(), cv=3),
}


@pytest.mark.long
@parametrize_with_checks(
    [
        EnsembleCredal(RandomForestClassifier(4, random_state=0)),
        EnsembleCredal(RandomForestClassifier(4, random_state=0), "idm"),
        EnsembleCredal(ExtraTreesClassifier(4, random_state=0), "quantile"),
        EnsembleCredal(BaggingClassifier(LogisticRegression(), 3, random_state=0), "hull"),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("kind", KINDS)
def test_members_are_found_and_have_the_same_classes(kind, labels):
    y = LABELS[labels]
    model = EnsembleCredal(KINDS[kind]).fit(X, y)
    credal = model.predict_credal(X)
    assert credal.classes.tolist() == np.unique(y).tolist()
    assert credal.is_reachable.all()
    # each member is better than chance only if its columns are in the order of its classes
    truth = np.searchsorted(model.classes_, y)
    for proba in Members.of(model.estimator_).proba(X):
        assert np.mean(proba.argmax(axis=1) == truth) > 0.5
    assert np.mean(model.predict(X) == y) > 0.9
    assert model.predict_set(X)[np.arange(len(y)), truth].mean() > 0.9


@pytest.mark.parametrize("kind", ["forest", "bagging", "voting", "calibration"])
def test_the_span_contains_every_member_and_the_ensemble(kind):
    model = EnsembleCredal(KINDS[kind]).fit(X, CODES)
    answers = np.stack(list(Members.of(model.estimator_).proba(X)))
    lower, upper = model._span(X)
    np.testing.assert_array_equal(lower, answers.min(axis=0))
    np.testing.assert_array_equal(upper, answers.max(axis=0))
    mean = model.predict_proba(X)
    assert ((mean >= lower - 1e-12) & (mean <= upper + 1e-12)).all()


def test_a_member_without_a_class_gives_it_no_probability():
    y = CODES.copy()
    y[X[:, 0] < 7.5] = np.minimum(y[X[:, 0] < 7.5], 1)  # class 2 is rare
    bag = BaggingClassifier(KNeighborsClassifier(1), 10, max_samples=7, random_state=1).fit(
        X, y + 3
    )
    members = Members.of(bag)
    assert min(len(member.classes_) for member in bag.estimators_) < 3
    mean = np.mean(list(members.proba(X)), axis=0)
    np.testing.assert_allclose(mean, bag.predict_proba(X))


def test_hull_sets_are_those_of_the_vertices_in_any_chunks(monkeypatch):
    forest = RandomForestClassifier(5, random_state=0, max_depth=2).fit(X, CODES)
    model = EnsembleCredal(FrozenEstimator(forest), "hull", rule="e-admissibility").fit(X, CODES)
    answers = np.stack([tree.predict_proba(X) for tree in forest.estimators_], axis=1)
    expected = decide(CredalVertices(answers), "e-admissibility").to_indicator()
    np.testing.assert_array_equal(model.predict_set(X), expected)
    monkeypatch.setattr(ensemble_module, "STACK", 7 * answers[0].size)
    np.testing.assert_array_equal(model.predict_set(X), expected)
    spanned = EnsembleCredal(FrozenEstimator(forest), rule="e-admissibility").fit(X, CODES)
    assert (expected <= spanned.predict_set(X)).all()
    np.testing.assert_allclose(model.predict_credal(X).lower, answers.min(axis=1), atol=1e-12)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_quantiles_are_widened_only_where_they_contain_no_distribution(seed, alpha):
    stack = np.random.default_rng(seed).dirichlet(np.full(4, 0.3), (6, 9))
    lower, upper = _quantiles(stack, alpha)
    assert (lower.sum(axis=1) <= 1 + 1e-12).all()
    assert (upper.sum(axis=1) >= 1 - 1e-12).all()
    low, high = np.quantile(stack, [alpha / 2, 1 - alpha / 2], axis=1)
    proper = (low.sum(axis=1) <= 1) & (high.sum(axis=1) >= 1)
    np.testing.assert_array_equal(lower[proper], low[proper])
    np.testing.assert_array_equal(upper[proper], high[proper])
    mean = stack.mean(axis=1)[~proper]
    assert ((lower[~proper] <= mean) & (upper[~proper] >= mean)).all()


@pytest.mark.parametrize("s", [0.0, 1.0, 5.0])
@pytest.mark.parametrize(
    "trees", [KINDS["forest"], KINDS["extra trees"], DecisionTreeClassifier(max_depth=2)]
)
def test_leaves_give_the_mean_intervals_of_their_counts(trees, s):
    y = LABELS["text"]
    model = EnsembleCredal(trees, "idm", s=s).fit(X, y)
    members = getattr(model.estimator_, "estimators_", [model.estimator_])
    lower, upper = np.zeros((2, 5, 3))
    bootstrapped = getattr(model.estimator_, "bootstrap", False)
    for b, tree in enumerate(members):
        drawn = model.estimator_.estimators_samples_[b] if bootstrapped else np.arange(len(X))
        at, own = tree.apply(X[:5]), tree.apply(X[drawn])
        for row in range(5):
            in_leaf = CODES[drawn][own == at[row]]
            counts = np.bincount(in_leaf, minlength=3)
            lower[row] += counts / (len(in_leaf) + s)
            upper[row] += (counts + s) / (len(in_leaf) + s)
    credal = model.predict_credal(X[:5])
    np.testing.assert_allclose(credal.lower, lower / len(members))
    np.testing.assert_allclose(credal.upper, upper / len(members))


def test_sets_from_leaves_are_nested_in_s():
    forest = FrozenEstimator(RandomForestClassifier(9, random_state=0).fit(X, CODES))
    sets = [
        EnsembleCredal(forest, "idm", s=s).fit(X, CODES).predict_set(X) for s in (0, 0.5, 2, 1e9)
    ]
    for narrow, wide in pairwise(sets):
        assert (narrow <= wide).all()
    assert sets[-1].all()


def test_pipelines_frames_searches_and_pickles():
    frame = pd.DataFrame(X, columns=list("abcd"))
    plain = EnsembleCredal(KINDS["forest"]).fit(X, CODES).predict_set(X)
    named = EnsembleCredal(KINDS["forest"]).fit(frame, CODES)
    np.testing.assert_array_equal(named.predict_set(frame), plain)
    piped = EnsembleCredal(make_pipeline(StandardScaler(), KINDS["bagging"])).fit(frame, CODES)
    back = pickle.loads(pickle.dumps(piped))
    np.testing.assert_array_equal(back.predict_set(frame), piped.predict_set(frame))
    voting = VotingClassifier([("a", GaussianNB()), ("b", DecisionTreeClassifier())])
    assert EnsembleCredal(voting).fit(frame, CODES).predict_set(frame).shape == (150, 3)
    made = make_pipeline(
        MDLDiscretizer(), EnsembleCredal(BaggingClassifier(NaiveBayes(), 3, random_state=0))
    )
    grid = {"ensemblecredal__envelope": ["minmax", "hull"]}
    search = GridSearchCV(made, grid, scoring=make_set_scorer("u65"), cv=3).fit(X, CODES)
    assert search.best_score_ > 0.9


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            EnsembleCredal(GaussianNB()),
            "GaussianNB has no members that each distinguish all classes",
        ),
        (EnsembleCredal(OneVsRestClassifier(GaussianNB())), "OneVsRestClassifier has no members"),
        (EnsembleCredal(GradientBoostingClassifier(n_estimators=2)), "has no predict_proba: use"),
        (EnsembleCredal(VotingClassifier([("a", Perceptron())])), "Perceptron, a member of Voting"),
        (EnsembleCredal(KINDS["voting"], "idm"), "counts training rows in the leaves of trees"),
        (
            EnsembleCredal(KINDS["forest"], "mean"),
            "envelope must be 'minmax', 'quantile', 'hull' or 'idm'",
        ),
        (EnsembleCredal(KINDS["forest"], alpha=2), "alpha must be a share of the members"),
        (EnsembleCredal(KINDS["forest"], s=-1), "s must be a number of rows"),
    ],
)
def test_wrong_ensembles_and_arguments_raise_clear_errors(model, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        model.fit(X, CODES).predict_set(X)
