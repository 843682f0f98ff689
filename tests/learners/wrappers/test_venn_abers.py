"""Venn-Abers intervals: against isotonic regression, against the package, and as sets."""

import pickle
import sys
import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.datasets import load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.learners.stand_ins import GivenProba
from wager.credal import decide
from wager.learners import VennAbers, make_learner
from wager.learners.wrappers._venn_abers import _normalized
from wager.metrics import make_set_scorer
from wager.predictions import ProbabilityIntervals

IRIS = load_iris(return_X_y=True)


@parametrize_with_checks([VennAbers(LogisticRegression(), random_state=0)])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def calibrated(known, y, **options):
    """Around a frozen estimator, so that all rows calibrate."""
    model = FrozenEstimator(GivenProba().fit(known, np.arange(known.shape[1])))
    return VennAbers(model, **options).fit(known, y)


@st.composite
def calibrations(draw, K=None):
    """Probabilities with ties and true classes to calibrate on, and further ones to predict."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    K = K or draw(st.integers(2, 4))
    n = draw(st.integers(1, 25))
    proba = rng.multinomial(20, rng.dirichlet(np.full(K, 0.7), n + 8)) / 20
    proba[n:][:3] = proba[rng.integers(0, n, 3)]
    y = np.array([rng.choice(K, p=p) for p in proba[:n]])
    return proba[:n], y, proba[n:]


def isotonic(scores, is_class, new, as_class):
    """The value at the new row, if it is added with this class."""
    fitted = IsotonicRegression().fit(np.append(scores, new), np.append(is_class, as_class))
    return fitted.predict([new])[0]


@settings(max_examples=10)
@given(calibrations())
def test_ends_are_isotonic_regressions_with_the_row_outside_and_inside_the_class(rows):
    known, y, new = rows
    low, high = calibrated(known, y)._bounds(new)
    for c in range(known.shape[1]):
        for ends, as_class in ((low, 0), (high, 1)):
            expected = [isotonic(known[:, c], y == c, p, as_class) for p in new[:, c]]
            np.testing.assert_allclose(ends[:, c], expected, atol=1e-9)


@settings(max_examples=15)
@given(calibrations(K=3))
def test_it_agrees_with_the_package(rows):
    from venn_abers.venn_abers import predict_proba_prefitted_va

    known, y, new = rows
    y[:1] = 0
    known, y = np.vstack([known, np.eye(3)]), np.append(y, [0, 1, 2])  # the package drops classes
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        proba, pairs = predict_proba_prefitted_va(known, y, new, va_tpe="one_vs_rest")
    model = calibrated(known, y)
    np.testing.assert_allclose(model.predict_proba(new), proba, atol=1e-9)
    low, high = model._bounds(new)
    np.testing.assert_allclose(np.stack([low, high], axis=2), np.stack(pairs, axis=1), atol=1e-9)


@given(calibrations())
def test_sets_are_those_of_the_decision_rule_and_never_empty(rows):
    known, y, new = rows
    for rule in ("maximality", "interval-dominance"):
        model = calibrated(known, y, rule=rule)
        credal = model.predict_credal(new)
        assert credal.is_proper.all()
        sets = model.predict_set(new)
        assert sets.any(axis=1).all()
        np.testing.assert_array_equal(sets, decide(credal, rule).to_indicator())
        chosen = np.searchsorted(model.classes_, model.predict(new))
        assert sets[np.arange(len(new)), chosen].all()
        proba = model.predict_proba(new)
        assert (proba >= credal.lower - 1e-9).all()
        assert (proba <= credal.upper + 1e-9).all()


@given(st.integers(2, 5), st.integers(0, 2**16))
def test_bounds_are_those_of_all_vectors_between_the_ends_divided_by_their_sums(K, seed):
    rng = np.random.default_rng(seed)
    low, high = np.sort(rng.random((2, 1, K)), axis=0)
    found = ProbabilityIntervals(*_normalized(low, high))
    corners = np.array(list(product(*zip(low[0], high[0], strict=True))))
    corners /= corners.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.lower[0], corners.min(axis=0))
    np.testing.assert_allclose(found.upper[0], corners.max(axis=0))
    assert found.is_reachable.all()
    if K == 2:  # two ends that belong together stay as they are
        low, high = np.array([[low[0, 0], 1 - high[0, 0]]]), np.array([[high[0, 0], 1 - low[0, 0]]])
        np.testing.assert_allclose(_normalized(low, high), (low, high))


def test_the_interval_is_calibrated_where_the_scores_are_not():
    """Scores that are far too extreme; among rows of an interval, the class is as frequent."""
    rng = np.random.default_rng(0)
    true = rng.random(4000)
    y = (rng.random(4000) < true).astype(int)
    extreme = 1 / (1 + ((1 - true) / true) ** 4)
    proba = np.column_stack([1 - extreme, extreme])
    model = calibrated(proba[:2000], y[:2000])
    credal = model.predict_credal(proba[2000:])
    middle = model.predict_proba(proba[2000:])[:, 1]
    for lowest in np.arange(0, 1, 0.2):
        part = (middle >= lowest) & (middle < lowest + 0.2)
        rate, error = y[2000:][part].mean(), 2.6 * np.sqrt(0.25 / part.sum())
        assert credal.lower[part, 1].mean() - error < rate < credal.upper[part, 1].mean() + error


def test_frames_searches_labels_and_pickles():
    X, y = pd.DataFrame(IRIS[0], columns=list("abcd")), np.array(["x", "z", "y"])[IRIS[1]]
    grid = {"calibration_size": [0.2, 0.5]}
    scoring = make_set_scorer("u65")
    found = GridSearchCV(VennAbers(GaussianNB(), random_state=0), grid, scoring=scoring, cv=3)
    model = found.fit(X, y).best_estimator_
    assert found.best_score_ > 0.85
    assert model.classes_.tolist() == ["x", "y", "z"]
    back = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(back.predict_set(X), model.predict_set(X))
    rounded = VennAbers(GaussianNB(), precision=1, random_state=0).fit(X, y)
    assert rounded.predict_set(X).any(axis=1).all()


def test_rows_without_weight_do_not_calibrate():
    X, y = IRIS
    weight = (y != 2).astype(float)
    model = VennAbers(LogisticRegression(max_iter=1000), random_state=0)
    upper = model.fit(X, y, sample_weight=weight).predict_credal(X[y == 2]).upper
    assert (upper[:, 2] < 0.1).all()
    weight = np.ones(150)
    weight[np.random.RandomState(0).permutation(150)[:45]] = 0  # what calibrates
    with pytest.raises(ValueError, match="the sample_weight of all calibration rows is 0"):
        model.fit(X, y, sample_weight=weight)


def test_one_class_is_certain():
    X, y = IRIS
    model = VennAbers(GaussianNB(), random_state=0).fit(X[:50], y[:50])
    assert model.predict_set(X[:2]).tolist() == [[True], [True]]
    assert model.predict_credal(X[:2]).lower.tolist() == [[1.0], [1.0]]


def test_importing_the_package_leaves_the_settings_of_numpy(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("venn_abers")]:
        monkeypatch.delitem(sys.modules, name)
    with np.errstate(divide="raise", invalid="raise"):
        VennAbers(GaussianNB(), random_state=0).fit(*IRIS)
        assert np.geterr()["divide"] == np.geterr()["invalid"] == "raise"


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (VennAbers(GaussianNB(), calibration_size=0), "calibration_size must be a share"),
        (VennAbers(GaussianNB(), precision=-1), "precision must be a number of decimals"),
        (VennAbers(Perceptron()), "VennAbers needs probabilities, but Perceptron has no"),
    ],
)
def test_wrong_arguments_are_refused_in_words(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(*IRIS)


def test_without_the_package_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "venn_abers.venn_abers", None)
    with pytest.raises(ImportError, match=r"pip install wager\[venn\]"):
        make_learner("venn-abers", {"estimator": "naive-bayes"}).fit(*IRIS)
