"""Bayesian comparisons, against baycomp, simulation and their own limits."""

import numpy as np
import pytest

from wager.compare import (
    bayesian_correlated_t,
    bayesian_hierarchical,
    bayesian_signed_rank,
    corrected_t,
)
from wager.compare._hierarchical import _inverse_gamma, sample_hierarchical


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


def test_the_hierarchical_posterior_covers_the_truth_it_was_drawn_from():
    """Simulation: data drawn from the model; 90% intervals of the centre hold it about as often."""
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


def test_means_of_data_sets_are_drawn_towards_each_other():
    rng = np.random.default_rng(3)
    folds = [rng.normal(m, 0.05, 10) for m in rng.normal(0.02, 0.005, 15)]
    shrunk = np.array(bayesian_hierarchical(folds, rho=0.1, rope=0.01).details["dataset_means"])
    raw = np.array([d.mean() for d in folds])
    assert shrunk.std() < raw.std()


def test_the_hierarchical_verdict_names_equivalence_when_everything_lies_in_the_rope():
    rng = np.random.default_rng(4)
    folds = [rng.normal(0, 0.002, 10) for _ in range(10)]
    outcome = bayesian_hierarchical(folds, rho=0.1, rope=0.02, names=("ncc", "nbc"))
    assert outcome.verdict.startswith("ncc and nbc are practically equivalent with probability")


def test_identical_classifiers_give_no_nan():
    outcome = bayesian_correlated_t([0.0, 0.0, 0.0], rho=0.1, rope=0.01)
    assert outcome.details["p_rope"] == 1.0
    hierarchical = bayesian_hierarchical([[0.0] * 5] * 3, rho=0.2, rope=0.01)
    assert hierarchical.details["p_rope"] > 0.9
    assert np.isfinite(hierarchical.effect)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bayesian_correlated_t([1, 2], rho=1.0), "share of rows tested"),
        (lambda: bayesian_signed_rank([1, 2], rope=-1), "cannot be negative"),
        (lambda: bayesian_hierarchical([[1, 2]], rho=0.1, rope=0), "at least 2 pairs, got 1"),
        (lambda: bayesian_hierarchical([[1], [1, 2]], rho=0.1, rope=0), "data set 0 has 1 fold"),
    ],
)
def test_bad_input_is_refused_in_words(call, words):
    with pytest.raises(ValueError, match=words):
        call()
