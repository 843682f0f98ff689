"""Intervals and p-values of means, by hand and by brute force."""

from math import exp, isnan

import numpy as np
import pytest
from scipy.stats import t as student

from wager.rewards import MeanEstimate


@pytest.mark.parametrize(("n", "expected"), [(5, 1 / 16), (2, 1 / 2), (1.5, 2**-0.5)])
def test_equal_rows_reject_another_mean_as_a_coin_would(n, expected):
    """All n rows are on one side of the mean: a fair coin does that with 2 / 2^n."""
    assert MeanEstimate(3.0, 0.0, n).p_value(1.0) == pytest.approx(expected)


def test_one_row_tests_nothing():
    assert isnan(MeanEstimate(0.5, 0.1, 1).p_value(0.5))
    assert MeanEstimate(0.5, 0.1, 2).p_value(0.5) == 1


@pytest.mark.parametrize(("level", "error"), [(0.9, 0.01), (0.999, 0.01), (0.999, 0.05)])
def test_the_end_is_the_farthest_of_all_divisions_of_the_critical_value(level, error):
    """A part z of the critical value is a usual deviation, the rest a share at the bound."""
    value, n, bound = 0.02, 30, 1.0
    critical = student.ppf((1 + level) / 2, n - 1)
    z = np.linspace(0, critical, 200_001)
    left = bound - value - z * error  # from the shifted mean to the bound
    ends = bound - left * np.exp((z**2 - critical**2) / (2 * n))
    found = MeanEstimate(value, error, n, 0.0, bound).interval(level)[1]
    assert ends.max() > ends[-1] + 0.01  # rows at the bound do matter
    assert found == pytest.approx(ends.max(), abs=1e-9)


def test_the_p_value_of_a_farther_mean_uses_the_same_division():
    found = MeanEstimate(0.02, 0.01, 30, 0.0, 1.0)
    for level in (0.5, 0.9, 0.999):
        assert found.p_value(found.interval(level)[1]) == pytest.approx(1 - level, rel=1e-6)


def test_rows_without_spread_leave_the_share_that_chance_allows():
    """Without an error, a share s of rows at the bound is missed with (1 - s)^n."""
    n, level = 20, 0.95
    critical = student.ppf((1 + level) / 2, n - 1)
    found = MeanEstimate(0.0, 0.0, n, 0.0, 1.0).interval(level)
    assert found == pytest.approx((0.0, 1 - exp(-(critical**2) / (2 * n))))
