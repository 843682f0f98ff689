"""AODE: the mean of its one-dependence models, however it is summed."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.learners.strategies import (
    declared,
    nominal_problems,
    rows_to_predict,
)
from wager._tables import PairCounts
from wager.learners import AODE, NaiveBayes


def _slow(problem, row, smoothing, limit):
    """The definition, one super-parent after another; None without one."""
    codes, y, n_values, K = problem
    scores = []
    for a, v_a in enumerate(n_values):
        here = codes[:, a] == row[a]
        if row[a] < 0 or row[a] >= v_a or here.sum() < limit:
            continue
        known = (codes[:, a] >= 0).sum()
        spode = np.zeros(K)
        for c in range(K):
            n = (here & (y == c)).sum()
            laplace = smoothing == "laplace"
            spode[c] = (n + 1) / (known + K * v_a) if laplace else (n + 1 / (K * v_a)) / (known + 1)
            for b, v_b in enumerate(n_values):
                if b != a and row[b] >= 0:
                    rows = here & (y == c)
                    both, total = (
                        (rows & (codes[:, b] == row[b])).sum(),
                        (rows & (codes[:, b] >= 0)).sum(),
                    )
                    spode[c] *= (
                        (both + 1) / (total + v_b) if laplace else (both + 1 / v_b) / (total + 1)
                    )
        scores.append(spode)
    return np.mean(scores, axis=0) if scores else None


@pytest.mark.parametrize("smoothing", ["laplace", "m-estimate"])
def test_the_posterior_is_the_mean_over_super_parents(engine, smoothing):
    @given(nominal_problems(), st.integers(1, 4))
    def check(problem, limit):
        model = declared(AODE, problem, smoothing=smoothing, frequency_limit=limit)
        rows = rows_to_predict(problem)
        proba = model.fit(*problem[:2]).predict_proba(rows)
        naive = declared(NaiveBayes, problem).fit(*problem[:2]).predict_proba(rows)
        for i, row in enumerate(rows):
            mean = _slow(problem, row, smoothing, limit)
            expected = naive[i] if mean is None else mean / mean.sum()
            np.testing.assert_allclose(proba[i], expected, atol=1e-12)

    check()


def test_merged_tables_of_many_rows_change_nothing(monkeypatch):
    random = np.random.default_rng(2)
    n_values = np.array([2, 3, 2, 5, 9, 2])
    X = random.integers(-1, n_values + 1, size=(400, 6))
    train = np.where(n_values <= X, -1, X)
    for K in (3, 11):
        model = AODE(n_values=n_values).fit(train, random.integers(0, K, size=400))
        plain = model.predict_proba(X)
        monkeypatch.setattr("wager.learners.networks._aode.MANY", 1)
        np.testing.assert_allclose(model.predict_proba(X), plain, atol=1e-13)
        monkeypatch.undo()


def test_products_too_small_for_a_double_are_summed_in_logarithms(monkeypatch):
    random = np.random.default_rng(4)
    X, y = random.integers(-1, 3, size=(300, 6)), random.integers(0, 3, size=300)
    model = AODE().fit(X, y)
    products = model.predict_proba(X)
    monkeypatch.setattr("wager.learners.networks._aode.LEAST", 1.0)  # no sum is that large
    np.testing.assert_allclose(model.predict_proba(X), products, atol=1e-13)


@given(nominal_problems())
def test_a_model_of_counts_is_the_model_of_their_rows(problem):
    codes, y, n_values, K = problem
    fitted = declared(AODE, problem).fit(codes, y)
    counted = AODE().fit_counts(PairCounts.of(codes, y, n_values, K))
    rows = rows_to_predict(problem)
    np.testing.assert_array_equal(fitted.predict_proba(rows), counted.predict_proba(rows))
