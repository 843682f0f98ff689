import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tests.costs.strategies import amounts
from wager.costs import generalized_mean

positive = st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=6)
exponents = st.one_of(st.floats(-60, 60), st.sampled_from([-math.inf, 0.0, 1e-9, 1.0, math.inf]))


def slow_mean(values, p):
    """The definition, one number after another, in logarithms scaled by the largest."""
    if p == math.inf:
        return max(values)
    if p == -math.inf or (p <= 0 and min(values) == 0):
        return min(values)
    if p == 0:
        return math.exp(sum(math.log(v) for v in values) / len(values))
    if max(values) == 0:
        return 0.0
    pivot = max(values) if p > 0 else min(values)
    return pivot * (sum((v / pivot) ** p for v in values) / len(values)) ** (1 / p)


@settings(deadline=None)
@given(
    st.lists(amounts, min_size=1, max_size=6), st.floats(-60, 60).filter(lambda p: abs(p) > 0.01)
)
def test_it_is_the_definition(values, p):
    assert generalized_mean(values, p) == pytest.approx(slow_mean(values, p), rel=1e-9)


@settings(deadline=None)
@given(positive, exponents, exponents)
def test_it_grows_with_the_exponent(values, p, q):
    low, high = sorted((p, q))
    assert generalized_mean(values, low) <= generalized_mean(values, high) * (1 + 1e-9)


@settings(deadline=None)
@given(st.lists(amounts, min_size=1, max_size=6), exponents)
def test_it_lies_between_the_least_and_the_largest_value(values, p):
    mean = generalized_mean(values, p)
    assert min(values) * (1 - 1e-9) <= mean <= max(values) * (1 + 1e-9)


@settings(deadline=None)
@given(positive, exponents, st.floats(1e-3, 1e3))
def test_scaling_the_values_scales_the_mean(values, p, factor):
    scaled = generalized_mean([factor * v for v in values], p)
    assert scaled == pytest.approx(factor * generalized_mean(values, p), rel=1e-9)


@pytest.mark.parametrize("p", [1e-12, -1e-12, 1e-7, -1e-7])
def test_small_exponents_approach_the_geometric_mean_without_losing_digits(p):
    values = [0.5, 3.0, 40.0]
    spread = np.var(np.log(values))  # the mean is geometric * exp(p * spread / 2) near p = 0
    limit = generalized_mean(values, 0) * math.exp(p * spread / 2)
    assert generalized_mean(values, p) == pytest.approx(limit, rel=1e-12)


@pytest.mark.parametrize(("p", "limit"), [(2000, 7.0), (-2000, 1e-5)])
def test_large_exponents_neither_overflow_nor_underflow(p, limit):
    assert generalized_mean([1e-5, 0.3, 7.0], p) == pytest.approx(limit, rel=1e-3)


@pytest.mark.parametrize("p", [0, -1, -1e-5, -math.inf])
def test_a_zero_makes_the_mean_zero_unless_the_exponent_is_positive(p):
    assert generalized_mean([0, 2, 4], p) == 0
    assert generalized_mean([0, 2, 4], 0.5) > 0


def test_adding_a_constant_can_reverse_a_comparison():
    """Unlike the paper's remark on Eq. (12): generalized means are not translation invariant."""
    assert generalized_mean([0, 4], 0.5) < generalized_mean([1.2, 1.2], 0.5)
    assert generalized_mean([1, 5], 0.5) > generalized_mean([2.2, 2.2], 0.5)


@pytest.mark.parametrize(
    ("values", "p", "words"),
    [
        ([], 1, "at least one number"),
        ([1, -2], 1, "got -2 at position 1"),
        ([1, math.nan], 1, "got nan at position 1"),
        ([1, 2], math.nan, "p must be a real number"),
    ],
)
def test_errors_name_the_wrong_value(values, p, words):
    with pytest.raises(ValueError, match=words):
        generalized_mean(values, p)


def test_zeros_count_under_a_small_positive_exponent():
    # one zero and seven ones: the mean of the powers is 7/8, whatever the exponent
    mean = generalized_mean([0, *[1] * 7], 9e-4)
    assert mean == pytest.approx((7 / 8) ** (1 / 9e-4), rel=1e-9, abs=0)
