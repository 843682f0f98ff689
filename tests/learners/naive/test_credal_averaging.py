"""Credal model averaging: enumeration of models and priors, laws, and scikit-learn's checks."""

import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.special import gammaln
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from wager._tables import Counts
from wager.learners import BayesianModelAveraging, CredalModelAveraging
from wager.metrics import make_set_scorer, utility_discounted_accuracy
from wager.prepare import MDLDiscretizer


@st.composite
def problems(draw, most_features=3):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m = draw(st.integers(1, 40)), draw(st.integers(0, most_features))
    n_classes = draw(st.integers(2, 4))
    X, y = rng.integers(-1, 3, (n, m)), rng.integers(0, n_classes, n)
    return Counts.of(X, y, np.full(m, 3), n_classes), rng.integers(-1, 4, (6, m))


def of_subset(counts, s, row, inside):
    """Log of P(data, class, row | features in the model): Dirichlet-multinomials, one by one."""
    K = len(counts.classes)
    n = counts.classes
    logs = np.log(n + s / K)
    for j, v in enumerate(counts.n_values):
        table = counts.of_feature(j).astype(float)
        if not inside[j]:
            table = table.sum(axis=1, keepdims=True)
        share = (s / K if inside[j] else s) / v
        total = table.sum(axis=0) + v * share
        fit = gammaln(v * share) - gammaln(total)
        fit = fit + (gammaln(table + share) - gammaln(share)).sum(axis=0)
        logs = logs + fit.sum()
        if row[j] >= 0:
            seen = table[row[j]] if row[j] < v else 0.0
            logs = logs + np.log((seen + share) / total)
    return logs


def averaged(counts, s, row, t):
    """Class probabilities averaged over all subsets, feature j in with probability t[j]."""
    logs = []
    for inside in product([False, True], repeat=len(t)):
        prior = np.prod([p if i else 1 - p for p, i in zip(t, inside, strict=True)])
        if prior > 0:
            logs.append(of_subset(counts, s, row, inside) + np.log(prior))
    total = np.logaddexp.reduce(logs, axis=0)
    return np.exp(total - np.logaddexp.reduce(total))


@given(problems(), st.sampled_from([0.5, 1.0, 4.0]), st.sampled_from([0.0, 0.1, 0.4]))
def test_a_class_is_dropped_if_another_dominates_it_for_every_extreme_prior(problem, s, t_min):
    counts, rows = problem
    model = CredalModelAveraging(s, t_min).fit_counts(counts)
    sets, credal = model.predict_set(rows), model.predict_credal(rows)
    for i, row in enumerate(rows):
        ends = product([t_min, 1 - t_min], repeat=rows.shape[1])
        proba = np.array([averaged(counts, s, row, t) for t in ends])
        least = np.log(proba[:, :, None] / proba[:, None, :]).min(axis=0)
        if (np.abs(least - 1e-9) < 1e-8)[~np.eye(len(least), dtype=bool)].any():
            continue  # a tie, settled by rounding in the enumeration
        np.testing.assert_array_equal(sets[i], ~(least > 1e-9).any(axis=0))
        assert (credal.lower[i] <= proba + 1e-9).all()
        assert (proba <= credal.upper[i] + 1e-9).all()


@given(problems(), st.sampled_from([0.3, 1.0, 2.0]))
def test_the_centre_is_bayesian_model_averaging_and_its_class_is_kept(problem, s):
    counts, rows = problem
    model = CredalModelAveraging(s).fit_counts(counts)
    centre = BayesianModelAveraging(s).fit_counts(counts).predict_proba(rows)
    np.testing.assert_allclose(model.predict_proba(rows), centre)
    assert model.predict_set(rows)[np.arange(len(rows)), centre.argmax(axis=1)].all()
    precise = CredalModelAveraging(s, 0.5).fit_counts(counts).predict_set(rows)
    best = np.log(centre) >= np.log(centre.max(axis=1, keepdims=True)) - 1e-9
    np.testing.assert_array_equal(precise, best)


@given(problems(6))
def test_sets_are_nested_in_the_width_of_the_priors(problem):
    counts, rows = problem
    wide, narrow = (CredalModelAveraging(1.0, t).fit_counts(counts) for t in (0.05, 0.3))
    assert (narrow.predict_set(rows) <= wide.predict_set(rows)).all()


def test_classes_taken_in_parts_give_the_same_ratios(monkeypatch):
    rng = np.random.default_rng(0)
    counts = Counts.of(rng.integers(0, 3, (60, 4)), rng.integers(0, 5, 60), np.full(4, 3), 5)
    rows = rng.integers(0, 3, (20, 4))
    model = CredalModelAveraging().fit_counts(counts)
    sets, credal = model.predict_set(rows), model.predict_credal(rows)
    monkeypatch.setattr("wager.learners.naive._credal_averaging.TABLE", 1)
    np.testing.assert_array_equal(model.predict_set(rows), sets)
    np.testing.assert_allclose(model.predict_credal(rows).upper, credal.upper)


def test_a_declared_class_without_rows_is_ruled_out_easily():
    X, y = [["a"], ["b"]] * 10, ["u", "v"] * 10
    model = CredalModelAveraging(classes=["u", "v", "w"]).fit(X, y)
    assert model.predict_set([["a"]]).tolist() == [[True, False, False]]


def test_500_features_and_zero_counts_do_not_overflow():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (40, 500)), np.arange(40) % 3
    rows = np.vstack([X[:3], np.full((1, 500), 2), np.full((1, 500), -1)])
    for s in (0.0, 1.0, 1e6):
        model = CredalModelAveraging(s, classes=range(4), n_values=np.full(500, 3)).fit(X, y)
        assert model.predict_set(rows).any(axis=1).all()
        assert np.isfinite(model.predict_proba(rows)).all()
        assert model.predict_credal(rows).is_proper.all()


def test_it_is_tuned_scored_and_piped_like_any_estimator():
    X, y = load_iris(return_X_y=True)
    scorer = make_set_scorer(utility_discounted_accuracy, utility="u65")
    pipe = make_pipeline(MDLDiscretizer(), CredalModelAveraging())
    grid = {"credalmodelaveraging__t_min": [0.05, 0.2]}
    assert GridSearchCV(pipe, grid, scoring=scorer, cv=3).fit(X, y).best_score_ > 0.9
    assert (cross_validate(pipe, X, y, scoring=scorer, cv=3)["test_score"] > 0.85).all()


def test_a_pickled_model_predicts_the_same():
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 3, (50, 4)), rng.integers(0, 3, 50)
    model = CredalModelAveraging().fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_set(X), model.predict_set(X))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [({"s": -1}, "s must be a number of rows"), ({"t_min": 0.6}, "t_min must lie in")],
)
def test_bad_arguments_raise_clear_errors(arguments, words):
    with pytest.raises(ValueError, match=words):
        CredalModelAveraging(**arguments).fit([[0], [1]], [0, 1])


@parametrize_with_checks([CredalModelAveraging()])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)
