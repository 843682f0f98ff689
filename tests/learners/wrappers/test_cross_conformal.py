"""Cross-conformal sets against their definition, MAPIE's, and their promise."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.datasets import load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, LeaveOneOut, PredefinedSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from wager.learners import Conformal, NaiveBayes


@pytest.mark.long
@parametrize_with_checks([Conformal(NaiveBayes(), cv=KFold(3))])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def problem(seed, n=60, n_new=15, spread=1.5):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n + n_new)
    y[:6] = [0, 1, 2, 0, 1, 2]
    X = rng.normal(size=(n + n_new, 2)) * spread + np.array([[0, 0], [2, 0], [0, 2]])[y]
    return X[:n], y[:n], X[n:], y[n:]


def by_definition(X, y, new, alpha, folds, mondrian):
    """Count, for every new row and class, the training rows that conform less."""
    n, kept = len(X), np.zeros((len(new), 3), dtype=bool)
    models = {}
    for learn, rest in folds.split(X, y):
        model = GaussianNB().fit(X[learn], y[learn])
        models |= dict.fromkeys(rest.tolist(), model)
    own = np.array([1 - models[i].predict_proba(X[i : i + 1])[0, y[i]] for i in range(n)])
    theirs = np.array([1 - models[i].predict_proba(new) for i in range(n)])
    for c in range(3):
        rows = np.flatnonzero(y == c) if mondrian else np.arange(n)
        smaller = (own[rows, None] < theirs[rows, :, c]).sum(axis=0)
        kept[:, c] = smaller < round((1 - alpha) * (len(rows) + 1), 9)
    return kept


@settings(max_examples=8)
@given(st.integers(0, 10_000), st.sampled_from([0.05, 0.1, 0.3]), st.booleans(), st.booleans())
def test_a_class_stays_if_enough_rows_conform_less(seed, alpha, mondrian, leave_one_out):
    X, y, new, _ = problem(seed)
    folds = LeaveOneOut() if leave_one_out else StratifiedKFold(4)
    model = Conformal(GaussianNB(), alpha, cv=folds, mondrian=mondrian).fit(X, y)
    expected = by_definition(X, y, new, alpha, folds, mondrian)
    np.testing.assert_array_equal(model.predict_set(new), expected)
    assert len(model.estimators_) == folds.get_n_splits(X)
    assert model.n_calibration_ == len(X)


def test_mapie_gives_the_same_sets():
    """With 100 rows both need ten conforming rows; MAPIE compares with alpha (n - 1)."""
    mapie = pytest.importorskip("mapie.classification")
    X, y, new, _ = problem(1, n=100, n_new=200)
    folds = KFold(5)
    peer = mapie.CrossConformalClassifier(
        GaussianNB(), confidence_level=0.9, conformity_score="lac", cv=folds
    ).fit_conformalize(X, y)
    _, theirs = peer.predict_set(new, agg_scores="crossval")
    ours = Conformal(GaussianNB(), 0.1, cv=folds).fit(X, y).predict_set(new)
    np.testing.assert_array_equal(ours, theirs[:, :, 0])


@pytest.mark.parametrize("mondrian", [False, True])
def test_the_true_class_is_covered_about_as_often_as_wanted(mondrian):
    hits, rows = np.zeros(3), np.zeros(3)
    for seed in range(60):
        X, y, new, truth = problem(seed, n=60, n_new=40)
        model = Conformal(GaussianNB(), 0.2, cv=5, mondrian=mondrian).fit(X, y)
        kept = model.predict_set(new)[np.arange(40), truth]
        hits += np.bincount(truth, kept, 3)
        rows += np.bincount(truth, minlength=3)
    # 2400 rows, and five standard errors of rows that were independent
    assert hits.sum() / rows.sum() > 0.8 - 5 * np.sqrt(0.16 / 2400)
    if mondrian:
        assert (hits / rows > 0.8 - 5 * np.sqrt(0.16 / rows)).all()


def test_a_class_that_a_fold_has_not_seen_gets_probability_0():
    X, y, new, _ = problem(3, n=30)
    y = np.where(y == 2, 0, y)
    y[-1] = 2  # in the last fold alone
    model = Conformal(GaussianNB(), 0.3, cv=KFold(5)).fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict_set(new).shape == (15, 3)
    few = Conformal(GaussianNB(), 0.05, cv=KFold(2)).fit(X[:8], y[:8])
    assert few.predict_set(new).all()  # 8 rows cannot rule out anything with probability 0.95


def test_empty_sets_weights_and_the_model_of_all_rows():
    X, y = load_iris(return_X_y=True)
    options = {"alpha": 0.4, "cv": 5}
    with_empty = Conformal(GaussianNB(), **options).fit(X, y).predict_set(X)
    without = Conformal(GaussianNB(), **options, allow_empty=False).fit(X, y)
    sets = without.predict_set(X)
    assert sets.any(axis=1).all()
    assert not with_empty.any(axis=1).all()
    np.testing.assert_array_equal(sets[with_empty.any(axis=1)], with_empty[with_empty.any(axis=1)])
    whole = GaussianNB().fit(X, y)
    np.testing.assert_allclose(without.predict_proba(X), whole.predict_proba(X))
    weights = np.where(y == 0, 1.0, 2.0)
    weighted = Conformal(GaussianNB(), **options).fit(X, y, sample_weight=weights)
    assert weighted.estimators_[0].class_prior_[0] == pytest.approx(0.2)


@pytest.mark.parametrize("folds", [5, 60])
def test_rows_without_weight_do_not_calibrate(folds):
    """So it is with rows that are set aside at random, too."""
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    weight, fold = rng.integers(0, 2, len(y)).astype(float), rng.integers(0, folds, len(y))
    some = weight > 0
    model = Conformal(GaussianNB(), 0.2, cv=PredefinedSplit(fold)).fit(X, y, sample_weight=weight)
    without = Conformal(GaussianNB(), 0.2, cv=PredefinedSplit(fold[some])).fit(X[some], y[some])
    assert model.n_calibration_ == without.n_calibration_ == some.sum()
    np.testing.assert_allclose(model.predict_pvalues(X), without.predict_pvalues(X))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Conformal(GaussianNB(), cv=3, method="aps"), "cv needs method='lac', got method='aps'"),
        (
            Conformal(FrozenEstimator(LogisticRegression().fit([[0], [1]], [0, 1])), cv=3),
            "a FrozenEstimator is not trained again",
        ),
    ],
)
def test_wrong_arguments_raise_clear_errors(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit([[0.0], [1.0], [2.0], [3.0]] * 3, [0, 1, 0, 1] * 3)
