"""Naive Bayes: its formula, agreement with other libraries, and invariances."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from scipy.stats import norm
from sklearn.naive_bayes import CategoricalNB

from tests.learners.strategies import (
    declared,
    nominal_problems,
    rows_to_predict,
)
from wager._tables import Counts
from wager.learners import NaiveBayes


def _slow(problem, rows, prior, s):
    """The product of Duda & Hart, factor by factor."""
    codes, y, n_values, K = problem
    scores = np.zeros((len(rows), K))
    for i, c in np.ndindex(scores.shape):
        extra = 1 if prior == "laplace" else s / K
        scores[i, c] = (sum(y == c) + extra) / (len(y) + K * extra)
        for j, v in enumerate(n_values):
            if rows[i, j] >= 0:
                count = sum((codes[:, j] == rows[i, j]) & (y == c))
                total = sum((codes[:, j] >= 0) & (y == c))
                extra = 1 if prior == "laplace" else s / (K * v)
                scores[i, c] *= (count + extra) / (total + v * extra)
    return scores / scores.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(("prior", "s"), [("laplace", 1.0), ("perks", 1.0), ("bdeu", 2.5)])
def test_the_posterior_is_the_product_of_smoothed_frequencies(engine, prior, s):
    @given(nominal_problems())
    def check(problem):
        model = declared(NaiveBayes, problem, prior=prior, s=s).fit(*problem[:2])
        rows = rows_to_predict(problem)
        np.testing.assert_allclose(
            model.predict_proba(rows), _slow(problem, rows, prior, s), atol=1e-12
        )

    check()


def test_categorical_nb_of_scikit_learn_agrees_given_the_same_class_prior():
    random = np.random.default_rng(0)
    X, y = random.integers(0, 4, size=(300, 6)), random.integers(0, 3, size=300)
    ours = NaiveBayes().fit(X, y)
    prior = np.exp(ours.class_log_prior_)
    theirs = CategoricalNB(class_prior=prior, min_categories=4).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)


@given(nominal_problems())
def test_a_model_of_counts_is_the_model_of_their_rows(problem):
    codes, y, n_values, K = problem
    fitted = declared(NaiveBayes, problem).fit(codes, y)
    counted = NaiveBayes().fit_counts(Counts.of(codes, y, n_values, K))
    rows = rows_to_predict(problem)
    np.testing.assert_array_equal(fitted.predict_proba(rows), counted.predict_proba(rows))


def test_a_gaussian_is_the_probability_of_the_rounded_interval():
    x = np.array([1.0, 1.5, 3.0, 3.5, 6.0, np.nan])
    y = np.array([0, 0, 0, 1, 1, 1])
    model = NaiveBayes().fit(x[:, None], y)
    precision = 5.0 / 4  # gaps .5, 1.5, .5, 2.5
    rounded = np.rint(x / precision) * precision
    scores = np.zeros(2)
    for c in (0, 1):
        known = rounded[(y == c) & ~np.isnan(x)]
        sd = max(known.std(), precision / 6)
        at = np.rint(2.2 / precision) * precision
        law = norm(known.mean(), sd)
        scores[c] = 0.5 * (law.cdf(at + precision / 2) - law.cdf(at - precision / 2))
    np.testing.assert_allclose(model.predict_proba([[2.2]])[0], scores / scores.sum(), rtol=1e-9)
    assert model.predict_proba([[np.nan]])[0].tolist() == [0.5, 0.5]


def test_far_values_and_classes_without_numbers_stay_finite():
    X = np.array([[0.0], [1.0], [np.nan]])
    model = NaiveBayes(classes=[0, 1, 2]).fit(X, [0, 1, 2])
    assert np.isfinite(model.predict_proba([[1e30], [-1e30], [0.5]])).all()
    constant = NaiveBayes().fit([[2.0], [2.0]], [0, 1])
    assert constant.predict_proba([[2.0]])[0].tolist() == [0.5, 0.5]


def test_mixed_columns_multiply():
    random = np.random.default_rng(5)
    frame = pd.DataFrame({"x": random.normal(size=80), "g": random.choice(list("abc"), size=80)})
    y = random.integers(0, 2, size=80)
    both = NaiveBayes().fit(frame, y)
    number = NaiveBayes().fit(frame[["x"]], y).predict_proba(frame[["x"]])
    nominal = NaiveBayes().fit(frame[["g"]], y).predict_proba(frame[["g"]])
    prior = np.exp(both.class_log_prior_)
    product = number * nominal / prior
    np.testing.assert_allclose(
        both.predict_proba(frame), product / product.sum(axis=1, keepdims=True), atol=1e-12
    )
    with pytest.raises(ValueError, match="column 0 is numeric"):
        NaiveBayes(numeric="refuse").fit(frame, y)


def test_nominal_columns_can_be_declared():
    X = np.array([[0.0, 1.5], [1.0, 2.5], [0.0, 1.0], [1.0, 3.0]])
    model = NaiveBayes(categorical_features=[0]).fit(X, [0, 1, 0, 1])
    assert model.n_values_.tolist() == [2, 0]
    assert model.predict(X).tolist() == [0, 1, 0, 1]
