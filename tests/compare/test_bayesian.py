"""Bayesian comparisons, against baycomp, simulation and their own limits."""

import numpy as np
import pytest

from wager.compare import (
    bayesian_correlated_t,
    bayesian_hierarchical,
    bayesian_signed_rank,
    corrected_t,
)
from wager.compare._bayesian import _most_frequent
from wager.compare._hierarchical_sampler import _inverse_gamma, sample_hierarchical


@pytest.mark.parametrize("rope", [0.0, 0.01, 0.05])
def test_the_correlated_t_test_is_baycomps(rope):
    baycomp = pytest.importorskip("baycomp")
    rng = np.random.default_rng(5)
    a, b = rng.normal(0.80, 0.05, 100), rng.normal(0.78, 0.05, 100)
    theirs = baycomp.two_on_single(b, a, rope, runs=10)  # (P(b better), [rope,] P(a better))
    ours = bayesian_correlated_t(a, b, rho=0.1, rope=rope).details
    assert ours["p_a"] == pytest.approx(theirs[-1], abs=1e-9)
    assert ours["p_b"] == pytest.approx(theirs[0], abs=1e-9)


def test_without_a_rope_it_is_the_corrected_t_test_seen_from_the_other_side():
    d = np.random.default_rng(2).normal(0.01, 0.03, 30)
    frequentist = corrected_t(d, n_train=90, n_test=10)
    bayesian = bayesian_correlated_t(d, rho=0.1)
    assert 2 * min(bayesian.details["p_a"], bayesian.details["p_b"]) == pytest.approx(frequentist.p)
    assert bayesian.interval == pytest.approx(frequentist.interval)


@pytest.mark.parametrize("rope", [0.0, 0.01])
def test_the_signed_rank_test_is_baycomps_up_to_sampling(rope):
    baycomp = pytest.importorskip("baycomp")
    rng = np.random.default_rng(7)
    a, b = rng.normal(0.80, 0.05, 25), rng.normal(0.79, 0.05, 25)
    theirs = baycomp.SignedRankTest.probs(b, a, rope, nsamples=4000, random_state=1)
    ours = bayesian_signed_rank(a, b, rope=rope, n_samples=20_000).details
    assert ours["p_a"] == pytest.approx(theirs[-1], abs=0.03)
    assert ours["p_b"] == pytest.approx(theirs[0], abs=0.03)


def test_the_truncated_inverse_gamma_has_its_moments_and_keeps_its_bound():
    from scipy.stats import invgamma

    rng = np.random.default_rng(0)
    shape, rate = np.full(200_000, 4.0), np.full(200_000, 3.0)
    free = _inverse_gamma(shape, rate, 1e9, rng)
    assert free.mean() == pytest.approx(invgamma(4, scale=3).mean(), rel=0.01)
    assert _inverse_gamma(shape, rate, 0.5, rng).max() <= 0.5 * (1 + 1e-9)


@pytest.mark.long
@pytest.mark.slow
def test_the_hierarchical_posterior_covers_the_parameters_of_a_simulation():
    """Data drawn from the model: 90% intervals of the centre contain it about as often."""
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(40):
        centre = rng.uniform(-0.05, 0.05)
        folds = []
        for _ in range(12):
            mu = rng.normal(centre, 0.03)
            common = rng.normal(0, 0.04 * np.sqrt(0.1))
            folds.append(mu + common + rng.normal(0, 0.04 * np.sqrt(0.9), 10))
        chain = sample_hierarchical(folds, 0.1, 400, rng)
        low, high = np.quantile(chain.centre, [0.05, 0.95])
        held += low <= centre <= high
    assert held >= 31  # 36 expected; fewer than 31 of 40 would happen once in a hundred


FOLDS = (
    [0.028, 0.061, 0.001, 0.027, 0.04, 0.066, 0.004, 0.064, 0.013, 0.014],
    [0.059, 0.031, 0.007, 0.084, 0.083, -0.023, 0.026, 0.031, 0.041, 0.034],
    [0.05, 0.031, 0.045, 0.054, 0.028, 0.047, 0.032, 0.034, 0.034, 0.04],
    [-0.026, -0.009, -0.001, -0.007, -0.009, 0.008, 0.004, -0.019, -0.019, -0.025],
    [-0.043, 0.059, -0.013, 0.056, -0.03, 0.002, 0.069, 0.019, 0.071, 0.039],
    [0.009, 0.008, 0.013, -0.001, 0.009, 0.023, 0.012, 0.009, 0.025, 0.018],
    [0.116, 0.086, 0.06, 0.131, 0.129, 0.076, 0.091, 0.14, 0.085, 0.095],
)


@pytest.mark.long
def test_the_hierarchical_posterior_is_pymcs():
    """PyMC 5.28 on the same model, the folds as one correlated normal, the means non-centred.

    NUTS, four chains of 5000 draws, rank-normalised R-hat at most 1.0007 for every parameter.
    """
    data = [np.array(folds) for folds in FOLDS]
    chain = sample_hierarchical(data, 0.1, 10_000, np.random.default_rng(1))
    assert chain.centre.mean() == pytest.approx(0.03121, abs=0.001)
    assert chain.centre.std() == pytest.approx(0.01718, abs=0.001)
    assert np.median(chain.spread) == pytest.approx(0.03554, abs=0.001)
    assert np.median(chain.nu) == pytest.approx(25.4, abs=2)
    means = [0.03152, 0.03582, 0.03923, -0.00867, 0.02523, 0.0128, 0.08967]
    np.testing.assert_allclose(chain.means.mean(axis=0), means, atol=0.001)
    areas = chain.areas(0.01)
    np.testing.assert_allclose(areas.mean(axis=0), [0.7088, 0.1348, 0.1564], atol=0.006)
    wins = np.bincount(areas.argmax(axis=1), minlength=3) / len(areas)
    np.testing.assert_allclose(wins, [0.9661, 0.0004, 0.0336], atol=0.008)


@pytest.mark.long
def test_the_chain_moves_freely_where_data_sets_hardly_differ():
    """Two halves of one chain agree on a spread that is mostly near 0, a notorious funnel."""
    rng = np.random.default_rng(3)
    data = [rng.normal(0.005, 0.03, 10) for _ in range(8)]
    spread = sample_hierarchical(data, 0.1, 6000, rng).spread
    halves = [np.quantile(half, [0.25, 0.5, 0.75]) for half in np.split(spread, 2)]
    np.testing.assert_allclose(*halves, rtol=0.12)


def test_data_sets_without_any_difference_do_not_collapse_the_distribution():
    """Folds that are all equal count as differences anywhere in the rope, and nu > 1."""
    rng = np.random.default_rng(5)
    data = [np.zeros(10)] * 6 + [rng.normal(m, 0.02, 10) for m in rng.normal(-0.05, 0.03, 20)]
    chain = sample_hierarchical(data, 0.1, 1000, rng, rope=0.01)
    assert chain.nu.min() > 1
    assert np.abs(chain.means[:, :6].mean(axis=0)).max() < 0.01
    above, same, below = chain.areas(0.01).mean(axis=0)
    assert below > 0.6 > same > above


def test_means_of_data_sets_are_drawn_towards_each_other():
    rng = np.random.default_rng(3)
    folds = [rng.normal(m, 0.05, 10) for m in rng.normal(0.02, 0.005, 15)]
    outcome = bayesian_hierarchical(folds, rho=0.1, rope=0.01, n_samples=1000)
    shrunk = np.array(outcome.details["dataset_means"])
    raw = np.array([d.mean() for d in folds])
    assert shrunk.std() < raw.std()


def test_the_hierarchical_verdict_names_equivalence_when_everything_lies_in_the_rope():
    rng = np.random.default_rng(4)
    folds = [rng.normal(0, 0.002, 10) for _ in range(10)]
    names = ("ncc", "nbc")
    outcome = bayesian_hierarchical(folds, rho=0.1, rope=0.02, n_samples=1000, names=names)
    assert outcome.verdict.startswith("ncc and nbc are practically equivalent with probability")


def test_identical_classifiers_give_no_nan():
    outcome = bayesian_correlated_t([0.0, 0.0, 0.0], rho=0.1, rope=0.01)
    assert outcome.details["p_rope"] == 1.0
    without_rope = bayesian_correlated_t([0.0, 0.0, 0.0], rho=0.1)
    assert without_rope.verdict == "A and B are practically equivalent with probability 1.000"
    hierarchical = bayesian_hierarchical([[0.0] * 5] * 3, rho=0.2, rope=0.01, n_samples=1000)
    assert hierarchical.details["p_rope"] > 0.9
    assert np.isfinite(hierarchical.effect)


@pytest.mark.parametrize("rope", [0.0, 5e-324, 0.01, 1e300, np.inf])
@pytest.mark.parametrize(
    "folds",
    [
        [[0.0] * 5] * 3,
        [[0.3] * 5] * 3,
        [[1.0] * 5, [2.0] * 5],
        [[0.0, 5e-324, 0.0], [0.0] * 3, [5e-324] * 3],
        [[1.0] * 3, [1e-100, 2e-100, 1e-100], [0.0] * 3],
        [[1e100] * 3, [1e-200, 2e-200, 1e-200], [0.0] * 3],
        [[1e-100] * 3, [1e-100] * 2],
    ],
)
@pytest.mark.parametrize("rho", [0.1, 1 - 2**-53])
def test_hardly_any_spread_gives_finite_numbers(folds, rope, rho):
    outcome = bayesian_hierarchical(folds, rho=rho, rope=rope, n_samples=40)
    found = outcome.details
    numbers = [outcome.effect, *outcome.interval, *found["dataset_means"]]
    assert np.isfinite(numbers).all()
    assert found["p_a"] + found["p_rope"] + found["p_b"] == pytest.approx(1)
    if rope >= 1e300:
        assert found["p_rope"] == 1


def test_the_same_difference_in_all_folds_is_certain_in_every_unit():
    for size in (5e-324, 1e-310, 1e-200, 1e-5, 1.0, 1e90):
        outcome = bayesian_hierarchical([[size] * 4] * 4, rho=0.1, rope=0.0, n_samples=200)
        assert outcome.details["p_a"] > 0.95, size
        assert outcome.effect == pytest.approx(size, rel=0.01)


def test_very_small_differences_are_tested_as_larger_ones():
    folds = np.random.default_rng(6).normal(0.5, 1, (6, 8))
    small = bayesian_hierarchical(folds * 2.0**-900, rho=0.1, rope=2.0**-901, n_samples=200)
    large = bayesian_hierarchical(folds * 2.0**-200, rho=0.1, rope=2.0**-201, n_samples=200)
    assert small.details["p_a"] == large.details["p_a"]
    assert small.effect == pytest.approx(large.effect * 2.0**-700)


def test_few_data_sets_get_no_verdict():
    """Finding A12: one data set gave "probability 1.000"."""
    for n in (1, 5):
        verdict = bayesian_signed_rank([0.03] * n).verdict
        assert verdict.startswith("too few data sets for a verdict: with")
        assert "is better" not in verdict
    assert "is better than" in bayesian_signed_rank([0.03] * 6).verdict


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bayesian_correlated_t([1, 2], rho=1.0), "fraction of rows in a test fold"),
        (lambda: bayesian_signed_rank([1, 2], rope=-1), "must not be negative"),
        (lambda: bayesian_hierarchical([[1, 2]] * 2, rho=1.0, rope=0), "fraction of rows"),
        (lambda: bayesian_hierarchical([[1, 2]], rho=0.1, rope=0), "at least 2 pairs, got 1"),
        (lambda: bayesian_hierarchical([[1], [1, 2]], rho=0.1, rope=0), "data set 0 has 1 fold"),
    ],
)
def test_bad_input_is_refused_with_a_clear_message(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_region_of_no_importance_is_not_negative():
    with pytest.raises(ValueError, match="rope"):
        bayesian_correlated_t([0.1, 0.2, 0.1], rho=0.1, rope=-0.01)


def test_the_p_value_is_the_probability_that_the_verdict_is_wrong():
    found = bayesian_correlated_t([0.02, 0.03, 0.01, 0.02], rho=0.1, rope=0.005)
    assert found.p == pytest.approx(1 - found.details["p_a"])


def test_ties_between_areas_are_split():
    areas = np.array([[0.5, 0.0, 0.5], [1.0, 0.0, 0.0], [0.3, 0.4, 0.3], [0.2, 0.2, 0.6]])
    assert _most_frequent(areas) == ((0.5 + 1) / 4, (0.5 + 1) / 4)


def test_a_number_of_samples_may_be_a_whole_float():
    a, b = [0.82, 0.83, 0.81, 0.84, 0.82, 0.85], [0.8, 0.8, 0.79, 0.8, 0.83, 0.81]
    for n in (1000, 1e3):
        found = bayesian_signed_rank(a, b, n_samples=n, random_state=0)
        assert found.details == bayesian_signed_rank(a, b, n_samples=1000, random_state=0).details
        folds = [np.subtract(a, b), np.subtract(b, a)]
        assert bayesian_hierarchical(folds, rho=0.1, rope=0.01, n_samples=n).details
