"""Credal nearest neighbours: against votes counted by hand, the decision rule, and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import wager
from wager.credal import decide
from wager.learners import CredalNeighbors, TunedCaution

IRIS = load_iris(return_X_y=True)


@parametrize_with_checks([CredalNeighbors(5), CredalNeighbors(4, metric="nan_euclidean")])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@st.composite
def problems(draw):
    """Numeric rows without ties of distances, their classes, and rows to predict."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, K = draw(st.integers(1, 30)), draw(st.integers(1, 4))
    y = np.array(list("bcad"))[rng.integers(0, K, n)]
    return rng.normal(size=(n, 2)), y, rng.normal(size=(6, 2)), draw(st.integers(1, 12))


@given(problems(), st.floats(0, 5))
def test_intervals_are_votes_with_s_rows_of_any_class(problem, s):
    X, y, new, k = problem
    model = CredalNeighbors(k, s=s).fit(X, y)
    k = min(k, len(y))
    distance = ((new[:, None] - X[None]) ** 2).sum(axis=2)
    near = y[np.argsort(distance, axis=1)[:, :k]]
    votes = (near[:, :, None] == model.classes_).sum(axis=1)
    credal = model.predict_credal(new)
    np.testing.assert_allclose(credal.lower, votes / (k + s))
    np.testing.assert_allclose(credal.upper, (votes + s) / (k + s))
    proba = model.predict_proba(new)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (proba >= credal.lower - 1e-12).all()
    assert (proba <= credal.upper + 1e-12).all()


@given(problems(), st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.5]))
def test_sets_are_those_of_maximality(problem, s):
    X, y, new, k = problem
    model = CredalNeighbors(k, s=s).fit(X, y)
    sets = model.predict_set(new)
    expected = decide(model.predict_credal(new), "maximality").to_indicator()
    np.testing.assert_array_equal(sets, expected)


@given(problems())
def test_predictions_are_single_up_to_the_robustness_and_not_beyond(problem):
    X, y, new, k = problem
    model = CredalNeighbors(k).fit(X, y)
    found = model.robustness(new)
    for s in np.append(np.linspace(1e-9, 13, 14), found[np.isfinite(found)] + 1e-6):
        single = CredalNeighbors(k, s=s).fit(X, y).predict_set(new).sum(axis=1) == 1
        np.testing.assert_array_equal(single, found > s)


def test_without_a_prior_it_is_the_vote_of_scikit_learn():
    X, y = IRIS
    ours, theirs = CredalNeighbors(7, s=0).fit(X, y), KNeighborsClassifier(7).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_caution_is_tuned_with_one_model_per_fold():
    X, y = IRIS
    scaled = make_pipeline(StandardScaler(), CredalNeighbors(9))
    tuned = TunedCaution(scaled, "u80", random_state=0).fit(X, y)
    assert tuned.curve_.why_fitted_again is None
    again = scaled.set_params(credalneighbors__s=tuned.best_strength_).fit(X, y)
    np.testing.assert_array_equal(tuned.predict_set(X), wager.predict_set(again, X))
    np.testing.assert_array_equal(tuned.robustness(X), wager.robustness(again, X))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (CredalNeighbors(0), "n_neighbors must be a number of rows, 1 or more, got 0"),
        (CredalNeighbors(2.5), "n_neighbors must be a number of rows, 1 or more, got 2.5"),
        (CredalNeighbors(s=-1), "s must be a number of rows, 0 or more, got -1"),
    ],
)
def test_wrong_arguments_are_refused_in_words(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(*IRIS)
