"""Standard errors and intervals of a partition's measures, which know that the scaling was fitted.

A fixed simulation compares them with the spread over test sets, and the slow jackknife, which
standardizes again without each row, with one test set.
"""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import binomtest, sem

from tests.partitions.strategies import partitions
from wager.partitions import PartitionEstimate, _influence, standardize

MEASURES = ("accuracy", "separation", "correctness", "confidence")


def overlapping(rng, n, n_classes=3, distance=1.5, sharpness=1.0):
    """Classes with normal features, and their posterior probabilities raised to a power."""
    centres = np.eye(n_classes) * distance / np.sqrt(2)
    truth = rng.integers(0, n_classes, n)
    features = centres[truth] + rng.normal(size=(n, n_classes))
    memberships = np.exp(sharpness * (features @ centres.T))
    return truth, memberships / memberships.sum(axis=1, keepdims=True)


def values(truth, memberships, **options):
    partition = standardize(truth, memberships, **options)
    return [getattr(partition, name) for name in MEASURES]


# Against the truth -------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("sharpness", [1.0, 3.0])
def test_standard_errors_are_the_spread_over_test_sets(sharpness):
    rng = np.random.default_rng(8)
    population = values(*overlapping(rng, 200_000, sharpness=sharpness))
    draws = [standardize(*overlapping(rng, 150, sharpness=sharpness)) for _ in range(120)]
    for name, target in zip(MEASURES, population, strict=True):
        found = [draw.estimates[name] for draw in draws]
        spread = np.std([estimate.value for estimate in found], ddof=1)
        error = np.mean([estimate.standard_error for estimate in found])
        assert 0.8 < error / spread < 1.25, name
        covered = [low <= target <= high for low, high in (e.interval() for e in found)]
        assert np.mean(covered) > 0.88, name  # three standard errors of 120 draws below 0.95


@pytest.mark.parametrize("options", [{}, {"depth": 2}, {"depth": 3}, {"ties": "join"}])
def test_standard_errors_agree_with_the_jackknife(options):
    truth, memberships = overlapping(np.random.default_rng(4), 250, n_classes=4, distance=2.0)
    if "ties" in options:
        memberships = memberships.round(1) + 1e-3
        memberships /= memberships.sum(axis=1, keepdims=True)
    n = len(truth)
    without = [np.delete(np.arange(n), i) for i in range(n)]
    again = np.array([values(truth[kept], memberships[kept], **options) for kept in without])
    slow = np.sqrt((n - 1) / n * ((again - again.mean(axis=0)) ** 2).sum(axis=0))
    estimates = standardize(truth, memberships, **options).estimates
    fast = [estimates[name].standard_error for name in MEASURES]
    np.testing.assert_allclose(fast, slow, rtol=0.1)


@given(partitions(max_rows=20))
def test_before_scaling_standard_errors_are_those_of_the_distances(data):
    truth, memberships = data
    estimate = standardize(truth, memberships).estimates_before["accuracy"]
    n_classes = memberships.shape[1]
    radius = np.sqrt((n_classes - 1) / n_classes)
    distances = np.linalg.norm(memberships - np.eye(n_classes)[truth], axis=1)
    if len(truth) == 1:
        assert np.isnan(estimate.standard_error)
        assert estimate.interval() == (estimate.least, 1)
    else:
        assert estimate.standard_error == pytest.approx(sem(distances) / radius, abs=1e-9)


@given(partitions())
def test_the_correctness_rate_is_a_binomial_share(data):
    truth, memberships = data
    partition = standardize(truth, memberships)
    n = len(truth)
    if n > 1:
        exact = binomtest(int((partition.assigned == truth).sum()), n).proportion_ci()
        estimate = partition.estimates["correctness"]
        assert estimate.interval() == pytest.approx((exact.low, exact.high), abs=1e-9)
        assert estimate.n == n


# What is known ---------------------------------------------------------------------------------


@given(partitions(), st.data(), st.sampled_from(["first", "random", "join"]))
def test_intervals_stay_in_the_range_and_contain_the_value(data, draw, ties):
    truth, memberships = data
    depth = draw.draw(st.integers(1, memberships.shape[1] - 1))
    partition = standardize(truth, memberships, depth=depth, ties=ties, random_state=1)
    for estimates in (partition.estimates, partition.estimates_before):
        for name, estimate in estimates.items():
            n_classes = memberships.shape[1]
            closeness = name in ("accuracy", "separation")
            least = 1 - np.sqrt(2 * n_classes / (n_classes - 1)) if closeness else 0
            low, high = estimate.interval()
            narrow_low, narrow_high = estimate.interval(0.5)
            assert least - 1e-12 <= low <= narrow_low <= estimate.value + 1e-9
            assert estimate.value - 1e-9 <= narrow_high <= high <= 1
            assert low < high


def test_rows_that_agree_leave_uncertainty():
    """Without an error in 40 rows, the share of errors may still be 9%, and the rest follows."""
    truth = np.arange(40) % 2
    estimates = standardize(truth, np.where(np.eye(2)[truth] == 1, 0.9, 0.1)).estimates
    assert all(
        estimate.value == 1 and estimate.standard_error == 0 for estimate in estimates.values()
    )
    low, high = estimates["correctness"].interval()
    assert (low, high) == (pytest.approx(1 - 0.0881, abs=1e-4), 1)
    assert estimates["accuracy"].interval()[0] < 0.8  # an error costs its own row and the scaling
    assert estimates["separation"].interval()[0] < 0.9


# How it is computed -----------------------------------------------------------------------------


def test_nothing_is_estimated_before_it_is_asked_for():
    partition = standardize(*overlapping(np.random.default_rng(0), 50))
    assert partition.accuracy
    assert "estimates" not in vars(partition)
    estimate = partition.estimates["accuracy"]
    assert isinstance(estimate, PartitionEstimate)
    assert float(estimate) == estimate.value == partition.accuracy


def test_many_rows_are_scaled_again_in_part_and_always_the_same(monkeypatch):
    truth, memberships = overlapping(np.random.default_rng(1), 12_000)
    part, again = (standardize(truth, memberships).estimates for _ in range(2))
    assert part == again
    monkeypatch.setattr(_influence, "ROWS_SCALED_AGAIN", 12_000)
    every = standardize(truth, memberships).estimates
    for name in MEASURES:
        ratio = part[name].standard_error / every[name].standard_error
        assert ratio == pytest.approx(1, abs=0.02)


def test_the_order_of_rows_and_rows_without_weight_do_not_matter():
    rng = np.random.default_rng(2)
    truth, memberships = overlapping(rng, 80)
    weights = rng.integers(0, 4, 80).astype(float)
    expected = standardize(truth, memberships, sample_weight=weights).estimates
    kept = rng.permutation(np.flatnonzero(weights))
    found = standardize(truth[kept], memberships[kept], sample_weight=weights[kept]).estimates
    for name in MEASURES:
        assert found[name].n == expected[name].n == len(kept)
        assert found[name].standard_error == pytest.approx(expected[name].standard_error)
        assert found[name].interval() == pytest.approx(expected[name].interval())


def test_unequal_weights_widen_the_interval():
    rng = np.random.default_rng(3)
    truth, memberships = overlapping(rng, 300)
    weights = rng.choice([1.0, 19.0], 300)
    equal, unequal = (
        standardize(truth, memberships, sample_weight=w).estimates for w in (None, weights)
    )
    for name in MEASURES:
        assert unequal[name].effective_n < 0.75 * equal[name].effective_n


def test_the_table_and_the_dictionary_show_these_standard_errors():
    partition = standardize(*overlapping(np.random.default_rng(5), 100))
    plain = partition.to_dict()
    for name in MEASURES:
        error = partition.estimates[name].standard_error
        assert plain[f"{name}_standard_error"] == error
        assert f"{error:.4f}" in repr(partition)
        before = partition.estimates_before[name].standard_error
        assert plain["before_scaling"][f"{name}_standard_error"] == before


@pytest.mark.parametrize("level", [0, 1, 95, float("nan")])
def test_a_level_is_between_0_and_1(level):
    with pytest.raises(ValueError, match="level must be between 0 and 1, got"):
        standardize([0, 1], [[0.6, 0.4], [0.3, 0.7]]).estimates["accuracy"].interval(level)
