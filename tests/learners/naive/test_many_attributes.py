"""Ten thousand attributes: products of as many probabilities neither overflow nor vanish."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from wager import (
    BayesianModelAveraging,
    CredalModelAveraging,
    LazyNaiveCredal,
    NaiveBayes,
    NaiveCredal,
)

ATTRIBUTES, VALUES, CLASSES = 10_000, 4, 3


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.arange(45) % CLASSES
    X = rng.integers(0, VALUES, (45, ATTRIBUTES))
    told = rng.random(X.shape) < 0.02
    return np.where(told, y[:, None], X), y


def exact_posterior(X, y, row):
    """The posterior with Laplace's estimates, (count + 1) / (rows + values), in 50 digits."""
    n_values = (X.max(axis=0) + 1).tolist()  # integers are codes from 0
    with localcontext() as context:
        context.prec = 50
        weights = []
        for c in range(CLASSES):
            own = X[y == c]
            weight = Decimal(len(own) + 1) / (len(y) + CLASSES)
            for column, n, value in zip(own.T.tolist(), n_values, row.tolist(), strict=True):
                weight *= Decimal(column.count(value) + 1) / (len(own) + n)
            weights.append(weight)
        assert max(weights) < Decimal("1e-3000")  # far below the smallest double
        return [float(weight / sum(weights)) for weight in weights]


def test_the_posterior_of_naive_bayes_is_the_exact_one(data):
    X, y = data
    found = NaiveBayes(prior="laplace").fit(X[:40], y[:40]).predict_proba(X[40:42])
    for row, proba in zip(X[40:42], found, strict=True):
        exact = exact_posterior(X[:40], y[:40], row)
        # logarithms of about -14,000 have an absolute error of 1e-11 at most
        np.testing.assert_allclose(proba, exact, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize(
    "learner", [NaiveCredal(), LazyNaiveCredal(), CredalModelAveraging(), BayesianModelAveraging()]
)
def test_other_naive_learners_give_probabilities_and_sets(learner, data):
    X, y = data
    fitted = learner.fit(X[:40], y[:40])  # a RuntimeWarning would fail the test
    proba = fitted.predict_proba(X[40:])
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1, atol=1e-12)
    if hasattr(fitted, "predict_set"):
        sets = fitted.predict_set(X[40:])
        assert sets[np.arange(5), proba.argmax(axis=1)].all()


def test_dominance_among_many_attributes_is_finite_and_has_its_sign(data):
    X, y = data
    log = NaiveCredal(s=0.01, epsilon=0.1).fit(X[:40], y[:40]).log_dominance(X[40:])
    off = ~np.eye(CLASSES, dtype=bool)
    assert np.isfinite(log[:, off]).all()
    # the least ratio of i over j and that of j over i cannot both be above 1
    assert (np.minimum(log, log.transpose(0, 2, 1))[:, off] <= 0).all()
