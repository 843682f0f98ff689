"""The answers of tests do not depend on the unit of the scores."""

import numpy as np
import pytest

from wager import friedman, wilcoxon
from wager.compare import (
    bayesian_correlated_t,
    bayesian_signed_rank,
    corrected_t,
    five_by_two_cv,
    paired_t,
    sign_test,
    wins_ties_losses,
)
from wager.compare._rank_table import ranks

A = np.array([0.81, 0.78, 0.90, 0.70, 0.66])
B = np.array([0.80, 0.79, 0.88, 0.71, 0.60])
TESTS = {
    "paired_t": paired_t,
    "corrected_t": lambda *scores: corrected_t(*scores, n_train=90, n_test=10),
    "wilcoxon": wilcoxon,
    "sign_test": sign_test,
    "bayesian_correlated_t": lambda *scores: bayesian_correlated_t(*scores, rho=0.1, rope=0),
    "bayesian_signed_rank": lambda *scores: bayesian_signed_rank(
        *scores, rope=0, random_state=1, n_samples=500
    ),
}


@pytest.mark.parametrize("unit", [1e-10, 1e-13, 1e-14, 1e-200, 1e10])
@pytest.mark.parametrize("test", TESTS)
def test_pairs_of_scores(test, unit):
    found, wanted = (TESTS[test](scale * A, scale * B) for scale in (unit, 1))
    np.testing.assert_allclose(_numbers(found), _numbers(wanted), rtol=1e-6)
    if test != "sign_test":  # its effect is a share
        assert found.effect == pytest.approx(unit * wanted.effect, rel=1e-6)


@pytest.mark.parametrize("unit", [1e-12, 1e-14, 1e-200])
@pytest.mark.parametrize("test", TESTS)
def test_differences_alone(test, unit):
    found, wanted = (TESTS[test](scale * (A - B)) for scale in (unit, 1))
    np.testing.assert_allclose(_numbers(found), _numbers(wanted), rtol=1e-6)


@pytest.mark.parametrize("unit", [1e-10, 1e-14, 1e-200])
def test_tables_of_scores(unit):
    scores = np.column_stack([A, B, B[::-1]])
    assert friedman(unit * scores).p == pytest.approx(friedman(scores).p)


def test_a_rounding_error_is_still_no_difference():
    constant = np.array([0.1 + 0.2, 0.85, 0.95]), np.array([0.3, 0.85, 0.95])
    assert paired_t(*constant).p == 1
    assert paired_t([0.85, 0.95, 0.3], [0.8, 0.9, 0.25]).p == 0  # always 0.05 ahead
    assert paired_t([0.05, 0.85 - 0.8, 0.95 - 0.9]).p == 0
    assert wilcoxon([0.87, 0.77, 0.5], [0.86, 0.76, 0.5]).details["w_plus"] == 3


def test_equal_scores_in_the_middle_between_two_rounded_numbers_are_tied():
    """Accuracies in 8192 rows: odd multiples of 1/8192 have 13 digits, of which the last is a 5."""
    scores = np.arange(1, 8192, 2) / 8192
    for other in (np.nextafter(scores, 1), np.nextafter(scores, 0)):
        assert (ranks(np.column_stack([scores, other])) == 1.5).all()
    gaps = np.array([5, -5, 7, 9, -9, 11, 13, -15]) / 8192
    moved = gaps * (1 + np.array([1, 0, -1, 1, -1, 0, 1, 0]) * np.finfo(float).eps)
    assert wilcoxon(0.1 + moved, np.full(8, 0.1)).p == wilcoxon(gaps).p


def test_a_tie_is_a_tie_in_ranks_wins_and_tests():
    """Means over a million rows in another order differ by up to 1e-13."""
    scores, other = np.array([0.81, 0.7, 0.64]), np.array([0.81 + 5e-14, 0.7 - 4e-14, 0.64])
    assert (ranks(np.column_stack([scores, other])) == 1.5).all()
    assert str(wins_ties_losses(scores, other)) == "0/3/0"
    assert sign_test(scores, other).details["ties"] == 3
    assert wilcoxon(scores, other).details["n_nonzero"] == 0


def _numbers(outcome):
    posterior = [value for key, value in outcome.details.items() if key.startswith("p_")]
    return np.nan_to_num([outcome.p, *posterior], nan=-1.0)


@pytest.mark.parametrize("statistic", ["t", "F"])
def test_scores_of_a_5x2_plan_that_differ_by_rounding_are_equal(statistic):
    first, second = np.full((5, 2), 0.1 + 0.2), np.full((5, 2), 0.3)
    assert five_by_two_cv(first, second, statistic=statistic).p == 1
    assert five_by_two_cv(first + 0.05, second, statistic=statistic).p == 0
