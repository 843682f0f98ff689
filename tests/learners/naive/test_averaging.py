"""Averaging in closed form is averaging over all subsets of the features."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.special import gammaln

from tests.learners.strategies import declared, nominal_problems, rows_to_predict
from wager._tables import Counts
from wager.learners import BayesianModelAveraging, NaiveBayes


def _slow(problem, row, s, t):
    """The sum over all subsets of prior, likelihood of the training values and prediction."""
    codes, y, n_values, K = problem
    total = np.zeros(K)
    for chosen in product((False, True), repeat=len(n_values)):
        term = (np.bincount(y, minlength=K) + s / K) / (len(y) + s)
        for j, (v, inside) in enumerate(zip(n_values, chosen, strict=True)):
            groups = range(K) if inside else [None]
            term = term * (t if inside else 1 - t)
            weight = s / K if inside else s
            for c in groups:
                rows = (codes[:, j] >= 0) & (True if c is None else y == c)
                counts = np.bincount(codes[rows, j], minlength=v)
                term = term * np.exp(
                    gammaln(weight)
                    - gammaln(counts.sum() + weight)
                    + (gammaln(counts + weight / v) - gammaln(weight / v)).sum()
                )
                if row[j] >= 0:
                    count = counts[row[j]] if row[j] < v else 0
                    factor = (count + weight / v) / (counts.sum() + weight)
                    if c is None:
                        term = term * factor
                    else:
                        term[c] *= factor
        total += term
    return total / total.sum()


@given(nominal_problems(), st.sampled_from([1.0, 2.0]), st.sampled_from([0.5, 0.2]))
def test_the_closed_form_is_the_sum_over_all_subsets(problem, s, t):
    model = declared(BayesianModelAveraging, problem, s=s, inclusion=t).fit(*problem[:2])
    rows = rows_to_predict(problem)[:6]
    for row, proba in zip(rows, model.predict_proba(rows), strict=True):
        np.testing.assert_allclose(proba, _slow(problem, row, s, t), atol=1e-9)


@given(nominal_problems())
def test_with_every_feature_included_it_is_naive_bayes_and_with_none_the_class_frequency(problem):
    rows = rows_to_predict(problem)
    everything = declared(BayesianModelAveraging, problem, inclusion=1.0).fit(*problem[:2])
    naive = declared(NaiveBayes, problem, prior="perks").fit(*problem[:2])
    np.testing.assert_allclose(
        everything.predict_proba(rows), naive.predict_proba(rows), atol=1e-12
    )
    nothing = declared(BayesianModelAveraging, problem, inclusion=0.0).fit(*problem[:2])
    np.testing.assert_allclose(
        nothing.predict_proba(rows),
        np.tile(np.exp(naive.class_log_prior_), (len(rows), 1)),
        atol=1e-12,
    )


def test_informative_features_are_included_and_noise_is_excluded():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, size=500)
    X = np.column_stack([np.where(random.random(500) < 0.9, y, 1 - y), random.integers(0, 2, 500)])
    inclusion = BayesianModelAveraging().fit(X, y).inclusion_
    assert inclusion[0] > 0.99
    assert inclusion[1] < 0.5


def test_a_model_of_counts_is_the_model_of_their_rows():
    random = np.random.default_rng(1)
    X, y = random.integers(0, 3, size=(50, 3)), random.integers(0, 2, size=50)
    fitted = BayesianModelAveraging().fit(X, y)
    counted = BayesianModelAveraging().fit_counts(Counts.of(X, y, np.full(3, 3), 2))
    assert counted.predict_proba(X) == pytest.approx(fitted.predict_proba(X))
