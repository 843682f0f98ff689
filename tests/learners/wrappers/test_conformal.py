"""Conformal sets through MAPIE, against their definitions worked out directly."""

import pickle
import re
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.datasets import load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.learners.stand_ins import GivenProba
from wager.learners import Conformal, NaiveBayes
from wager.learners.wrappers._adaptive_sets import AdaptiveThreshold
from wager.metrics import make_set_scorer, pvalue_efficiency, pvalue_uniformity
from wager.prepare import MDLDiscretizer

IRIS = load_iris(return_X_y=True)


@parametrize_with_checks(
    [Conformal(NaiveBayes(), random_state=0), Conformal(LogisticRegression(), 0.4, mondrian=True)]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@st.composite
def calibrations(draw, least=30, K=None):
    """Probabilities and true classes to calibrate on, and further ones to predict."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    K = K or draw(st.integers(3, 5))
    n = draw(st.integers(least, 2 * least))
    proba = rng.dirichlet(np.full(K, 0.5), n + 20)
    y = np.array([rng.choice(K, p=p) for p in proba[:n]])
    y[: 2 * K] = np.repeat(np.arange(K), 2)
    return proba[:n], y, proba[n:]


def calibrated(known, y, alpha, method="lac", **options):
    """Around a frozen estimator, so that all rows calibrate."""
    model = FrozenEstimator(GivenProba().fit(known, np.arange(known.shape[1])))
    return Conformal(model, alpha, method, random_state=0, **options).fit(known, y)


def quantile(scores, alpha):
    """The ceil((n + 1)(1 - alpha))-th smallest score."""
    place = int(np.ceil(round((len(scores) + 1) * (1 - alpha), 9)))
    return np.sort(scores)[place - 1]


@given(calibrations(), st.sampled_from([0.05, 0.1, 0.3, 0.6]))
def test_lac_keeps_the_classes_whose_score_reaches_the_quantile(rows, alpha):
    known, y, new = rows
    threshold = quantile(1 - known[np.arange(len(y)), y], alpha)
    sets = calibrated(known, y, alpha).predict_set(new)
    np.testing.assert_array_equal(sets, 1 - new <= threshold + 1e-12)


@given(calibrations(least=60), st.sampled_from([0.2, 0.4]))
def test_lac_class_by_class_has_a_quantile_for_each(rows, alpha):
    known, y, new = rows
    sets = calibrated(known, y, alpha, mondrian=True).predict_set(new)
    for c in range(known.shape[1]):
        own = y == c
        if own.sum() < 1 / alpha:
            assert sets[:, c].all()  # too few rows for a threshold
        else:
            threshold = quantile(1 - known[own, c], alpha)
            np.testing.assert_array_equal(sets[:, c], 1 - new[:, c] <= threshold + 1e-12)


def heads(proba):
    """Ranks 1, 2, ... of the classes by falling probability, and the sums down to each."""
    order = np.argsort(-proba, axis=1)
    rank = np.argsort(order, axis=1) + 1
    sums = np.take_along_axis(proba, order, axis=1).cumsum(axis=1)
    return rank, np.take_along_axis(sums, rank - 1, axis=1)


def shortest_head(rank, score, threshold):
    """The classes down to the first whose score reaches the threshold."""
    reached = np.where(score >= threshold - 1e-12, rank, rank.shape[1] + 1).min(axis=1)
    return rank <= reached[:, None]


@pytest.mark.filterwarnings("ignore:include_last=False gives up")
@given(calibrations(), st.sampled_from([0.1, 0.3, 0.6]), st.booleans())
def test_aps_sums_down_to_the_true_class_less_a_random_part_of_it(rows, alpha, last):
    known, y, new = rows
    model = calibrated(known, y, alpha, "aps", include_last=last)
    seed = np.random.RandomState(0).randint(2**31 - 1)
    lots = np.random.RandomState(seed).uniform(size=len(y))
    at = np.arange(len(y)), y
    threshold = quantile(heads(known)[1][at] - lots * known[at], alpha)
    rank, sums = heads(new)
    expected = shortest_head(rank, sums, threshold)
    if not last:  # without the class that passes the threshold, unless it is the only one
        expected &= (sums <= threshold + 1e-12) | (rank == 1)
    np.testing.assert_array_equal(model.predict_set(new), expected)


@settings(max_examples=10)
@given(calibrations(least=200), st.sampled_from([0.1, 0.2]))
def test_raps_penalizes_every_class_beyond_the_first_few(rows, alpha):
    known, y, new = rows
    model = calibrated(known, y, alpha, "raps")
    sets = model.predict_set(new)
    mapie = model._calibrators[0]._mapie_classifier.conformity_score_function_
    price, free = mapie.lambda_star, mapie.k_star  # learned from a tenth of the rows
    rank, sums = heads(new)
    score = sums + price * np.maximum(0, rank - free)
    np.testing.assert_array_equal(sets, shortest_head(rank, score, mapie.quantiles_[0]))


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("lac", {}),
        ("lac", {"mondrian": True}),
        ("aps", {"include_last": "randomized"}),
        ("aps", {}),
    ],
)
def test_the_true_class_is_covered_as_often_as_promised(method, options):
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([0.6, 0.6, 0.6, 0.6], 6000)
    y = (proba.cumsum(axis=1) > rng.random((6000, 1))).argmax(axis=1)
    model = calibrated(proba[:3000], y[:3000], 0.2, method, **options)
    sets, truth = model.predict_set(proba[3000:]), y[3000:]
    hit = sets[np.arange(3000), truth]
    assert hit.mean() > 0.77
    if options.get("mondrian"):
        assert min(hit[truth == c].mean() for c in range(4)) > 0.75
    if method == "lac" or options:
        assert hit.mean() < 0.83


def test_calibration_rows_do_not_train_the_estimator():
    X, y = IRIS
    model = Conformal(LogisticRegression(max_iter=1000), calibration_size=0.4, random_state=1)
    assert model.fit(X, y).n_calibration_ == 60
    again = Conformal(LogisticRegression(max_iter=1000), calibration_size=0.4, random_state=1)
    np.testing.assert_array_equal(again.fit(X, y).predict_set(X), model.predict_set(X))
    back = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(back.predict_set(X), model.predict_set(X))
    assert np.mean(model.predict(X) == y) > 0.9


def test_weights_of_rows_are_split_with_them():
    X, y = IRIS
    weight = np.where(y == 2, 1e-9, 1.0)
    model = Conformal(LogisticRegression(max_iter=1000), random_state=0)
    plain = model.fit(X, y).predict_proba(X)[:, 2].mean()
    assert model.fit(X, y, sample_weight=weight).predict_proba(X)[:, 2].mean() < plain / 10


def test_a_class_with_calibration_rows_only_is_kept():
    X = np.arange(40.0)[:, None]
    y = np.repeat(["a", "b"], 20).astype(object)
    held = np.random.RandomState(0).permutation(40)[:12]  # what calibrates with random_state=0
    y[held[0]] = "c"
    model = Conformal(LogisticRegression(), 0.2, random_state=0).fit(X, y)
    assert model.estimator_.classes_.tolist() == ["a", "b"]
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.predict_proba(X).shape == model.predict_set(X).shape == (40, 3)
    assert (model.predict_proba(X)[:, 2] == 0).all()


def test_too_few_rows_keep_every_class():
    X, y = IRIS
    model = Conformal(LogisticRegression(max_iter=1000), 0.01, random_state=0).fit(X, y)
    assert model.n_calibration_ < 100
    assert model.predict_set(X).all()


def test_frames_pipelines_and_searches():
    X, y = pd.DataFrame(IRIS[0], columns=list("abcd")), IRIS[1]
    made = make_pipeline(MDLDiscretizer(), Conformal(NaiveBayes(), 0.1, random_state=0))
    grid = {"conformal__alpha": [0.05, 0.2]}
    search = GridSearchCV(made, grid, scoring=make_set_scorer("u65"), cv=3).fit(X, y)
    assert search.best_score_ > 0.85


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Conformal(NaiveBayes(), 0), "alpha must lie between 0 and 1, got 0"),
        (Conformal(NaiveBayes(), method="ipa"), "method must be 'lac', 'aps' or 'raps', got 'ipa'"),
        (
            Conformal(NaiveBayes(), calibration_size=2),
            "calibration_size must be a share of the rows",
        ),
        (Conformal(NaiveBayes(), include_last="maybe"), "include_last must be True, False or"),
        (Conformal(NaiveBayes(), method="aps", mondrian=True), "mondrian=True needs method='lac'"),
        (Conformal(Perceptron()), "Perceptron has no predict_proba"),
        (Conformal(NaiveBayes(), method="raps"), "method='raps' cannot be calibrated on these 45"),
    ],
)
def test_wrong_arguments_raise_clear_errors(model, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        model.fit(*IRIS)


@settings(max_examples=15)
@given(calibrations(), st.booleans())
def test_the_most_probable_class_replaces_an_empty_set(rows, mondrian):
    known, y, new = rows
    model = calibrated(known, y, 0.6, mondrian=mondrian)
    sets, filled = model.predict_set(new), model.set_params(allow_empty=False).predict_set(new)
    empty = ~sets.any(axis=1)
    np.testing.assert_array_equal(filled[~empty], sets[~empty])
    best = np.arange(new.shape[1]) == new.argmax(axis=1)[:, None]
    np.testing.assert_array_equal(filled[empty], best[empty])


def test_raps_needs_more_than_two_classes():
    X, y = IRIS
    with pytest.raises(ValueError, match="method='raps' needs more than two classes"):
        Conformal(NaiveBayes(), method="raps").fit(X[:100], y[:100])


@pytest.mark.filterwarnings("ignore:include_last=False gives up")
@given(
    calibrations(), st.sampled_from([0.1, 0.3, 0.6]), st.sampled_from([True, False, "randomized"])
)
def test_aps_by_its_definition_is_mapies_where_mapie_has_one(rows, alpha, last):
    known, y, new = rows
    model = calibrated(known, y, alpha, "aps", include_last=last)
    seed = np.random.RandomState(0).randint(2**31 - 1)
    ours = AdaptiveThreshold.calibrated(known, y, alpha, seed)
    np.testing.assert_array_equal(ours.sets(new, last), model.predict_set(new))


@pytest.mark.parametrize("last", [True, "randomized"])
def test_aps_covers_two_classes_as_often_as_promised(last):
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([0.6, 0.6], 6000)
    y = (proba[:, 1] > rng.random(6000)).astype(int)
    model = calibrated(proba[:3000], y[:3000], 0.2, "aps", include_last=last)
    sets, truth = model.predict_set(proba[3000:]), y[3000:]
    covered = sets[np.arange(3000), truth].mean()
    assert covered > 0.77
    assert last is True or covered < 0.83
    assert sets.any(axis=1).all() == (last is True)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_sets_without_the_last_class_lose_their_coverage_and_fit_says_so(n_classes):
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(n_classes), 6000)
    y = (proba.cumsum(axis=1) > rng.random((6000, 1))).argmax(axis=1)
    with pytest.warns(UserWarning, match="gives up the guarantee .* with probability 0.9: use"):
        model = calibrated(proba[:3000], y[:3000], 0.1, "aps", include_last=False)
    assert model.predict_set(proba[3000:])[np.arange(3000), y[3000:]].mean() < 0.85


def test_raps_without_the_last_class_warns_as_well():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(3), 300)
    y = (proba.cumsum(axis=1) > rng.random((300, 1))).argmax(axis=1)
    with pytest.warns(UserWarning, match="gives up the guarantee"):
        calibrated(proba, y, 0.1, "raps", include_last=False)


def test_lac_has_no_last_class_and_does_not_warn():
    with_it, without = (
        Conformal(NaiveBayes(), random_state=0, include_last=include).fit(*IRIS)
        for include in (True, False)  # a warning would be an error
    )
    X = IRIS[0]
    np.testing.assert_array_equal(without.predict_set(X), with_it.predict_set(X))


def test_without_mapie_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mapie.classification", None)
    with pytest.raises(ImportError, match=r"pip install wager\[conformal\]"):
        Conformal(NaiveBayes()).fit(*IRIS)


@given(
    calibrations(), st.sampled_from([0.05, 0.1, 0.3, 0.6]), st.booleans(), st.sampled_from([0, 10])
)
def test_sets_are_the_classes_with_a_p_value_above_alpha(rows, alpha, mondrian, extreme):
    """Also if nearly all probabilities are 0 or 1, where MAPIE takes close scores for equal."""
    known, y, new = rows
    if extreme:
        known, new = (p**extreme / (p**extreme).sum(axis=1, keepdims=True) for p in (known, new))
    model = calibrated(known, y, alpha, mondrian=mondrian)
    p_values, sets = model.predict_pvalues(new), model.predict_set(new)
    for c in range(known.shape[1]):
        scores = 1 - known[:, c][y == c] if mondrian else 1 - known[np.arange(len(y)), y]
        as_strange = (scores >= 1 - new[:, [c]] - 1e-8).sum(axis=1)
        np.testing.assert_allclose(p_values[:, c], (as_strange + 1) / (len(scores) + 1))
        if len(scores) >= max(1 / alpha, 1 / (1 - alpha)):
            np.testing.assert_array_equal(sets[:, c], p_values[:, c] > alpha + 1e-12)


@given(calibrations(), st.booleans())
def test_robustness_is_the_largest_confidence_with_one_class(rows, mondrian):
    known, y, new = rows
    model = calibrated(known, y, 0.1, mondrian=mondrian)
    found, p_values = model.robustness(new), model.predict_pvalues(new)
    for level, p in zip(found, p_values, strict=True):
        alphas = np.unique(p)
        sizes = (p > alphas[:, None]).sum(axis=1)  # sets change at the p-values alone
        if 1 in sizes:
            assert level == 1 - alphas[sizes == 1].min()
        else:
            assert level == 0


def test_robustness_and_p_values_by_folds():
    X, y = IRIS
    model = Conformal(NaiveBayes(), 0.2, cv=4).fit(np.round(X), y)
    p_values = model.predict_pvalues(np.round(X))
    np.testing.assert_array_equal(p_values > 0.2 + 1e-12, model.predict_set(np.round(X)))
    second = np.sort(p_values, axis=1)[:, 1]
    robust = model.robustness(np.round(X))
    np.testing.assert_array_equal(robust[robust > 0], 1 - second[robust > 0])
    alone = Conformal(NaiveBayes(), 0.2, random_state=0).fit(X[:50], y[:50])
    assert np.isinf(alone.robustness(X[:3])).all()


def test_p_values_of_the_true_class_are_valid():
    """Never too many small ones; pvalue_uniformity reads them as they are."""
    rng = np.random.default_rng(3)
    proba = rng.dirichlet([0.6, 0.6, 0.6], 2000)
    y = (proba.cumsum(axis=1) > rng.random((2000, 1))).argmax(axis=1)
    model = calibrated(proba[:1000], y[:1000], 0.1)
    p_values = model.predict_pvalues(proba[1000:])
    found = pvalue_uniformity(y[1000:], p_values, smoothed=False, n_calibration=1000)
    assert found.p > 0.05
    assert pvalue_efficiency(y[1000:], p_values, alpha=0.1)["S"] < 1.3


def test_p_values_need_the_method_that_has_them():
    X, y = IRIS
    model = Conformal(LogisticRegression(max_iter=1000), 0.2, "aps", random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="p-values need method='lac', got method='aps'"):
        model.predict_pvalues(X)
    with pytest.raises(ValueError, match="p-values need method='lac', got method='aps'"):
        model.robustness(X)
