"""Debiased calibration errors, what calibrated probabilities score, and a test of calibration."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import binom

from tests.replications import replications
from wager import metrics
from wager.rewards import MEASURES, ProbabilityTally, calibration_test, evaluate_probabilities


def sample(n_rows, rng, power=1.0, n_classes=3):
    q = rng.dirichlet(np.ones(n_classes), n_rows)
    truth = (q.cumsum(axis=1) < rng.random((n_rows, 1))).sum(axis=1).clip(max=n_classes - 1)
    reported = q**power
    return truth, reported / reported.sum(axis=1, keepdims=True)


def pairs_error(p, event, weight, group, n_bins):
    """The mean squared gap over pairs of rows of the same bin in different groups, slowly."""
    place = np.ceil(p * n_bins).clip(1).astype(int)
    total = used = 0.0
    for b in set(place.tolist()):
        rows = np.flatnonzero(place == b)
        gaps, weights = 0.0, 0.0
        for i in rows:
            for j in rows:
                if group[i] != group[j]:
                    gaps += weight[i] * weight[j] * (p[i] - event[i]) * (p[j] - event[j])
                    weights += weight[i] * weight[j]
        if weights > 0:
            total += weight[rows].sum() * gaps / weights
            used += weight[rows].sum()
    return total / used if used else np.nan


@given(st.integers(2, 40), st.integers(0, 20), st.integers(1, 8), st.sampled_from("rwg"))
def test_the_debiased_error_is_that_of_pairs_of_independent_rows(n_rows, seed, n_bins, kind):
    rng = np.random.default_rng(seed)
    truth, proba = sample(n_rows, rng)
    weight = rng.random(n_rows) + 0.1 if kind == "w" else np.ones(n_rows)
    group = rng.integers(0, 4, n_rows) if kind == "g" else np.arange(n_rows)
    found = evaluate_probabilities(
        truth,
        proba,
        n_bins=n_bins,
        classes=[0, 1, 2],
        sample_weight=weight if kind == "w" else None,
        groups=group if kind == "g" else None,
    )
    named = proba.argmax(axis=1)
    top = pairs_error(proba.max(axis=1), named == truth, weight, group, n_bins)
    classes = [pairs_error(proba[:, c], truth == c, weight, group, n_bins) for c in range(3)]
    assert found.reliability_top_label.squared_error_debiased[0] == pytest.approx(
        top, abs=1e-9, nan_ok=True
    )
    np.testing.assert_allclose(
        found.reliability_by_class.squared_error_debiased, classes, atol=1e-9
    )


def test_the_functions_are_the_measures_of_the_tally():
    truth, proba = sample(80, np.random.default_rng(3))
    tally = ProbabilityTally.of(truth, proba)
    for of in ("top_label", "classwise"):
        for kind in ("", "_debiased", "_if_calibrated"):
            name = f"{of}_calibration_error{kind}"
            assert getattr(metrics, name)(truth, proba) == MEASURES[name](tally)


@given(st.integers(1, 30), st.floats(0.0, 1.0))
def test_the_error_if_calibrated_is_the_mean_deviation_of_a_binomial(n, p):
    bins = evaluate_probabilities(
        [0] * n, [[p, 1 - p]] * n, n_bins=5, classes=[0, 1]
    ).reliability_by_class
    k = np.arange(n + 1)
    expected = binom.pmf(k, n, p) @ np.abs(k / n - p)
    assert bins.error_if_calibrated[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("n_rows", [100, 285, 1000])
def test_calibrated_probabilities_have_a_debiased_error_near_0(n_rows):
    rng = np.random.default_rng(11)
    plain, expected, debiased, squared = np.array(
        [_errors(*sample(n_rows, rng)) for _ in range(200)]
    ).T
    assert expected.mean() == pytest.approx(plain.mean(), rel=0.05)
    assert abs(debiased.mean()) < 0.25 * plain.mean()
    assert abs(squared.mean()) < 3 * squared.std() / np.sqrt(200)


def test_the_debiased_error_finds_the_true_gap():
    rng = np.random.default_rng(12)
    q = np.linspace(0.5, 0.8, 300)
    found = []
    for _ in range(200):
        truth = (rng.random(300) > q).astype(int)
        p = q + 0.15
        bins = evaluate_probabilities(truth, np.column_stack([p, 1 - p])).reliability_top_label
        found.append(bins.squared_error_debiased[0])
    assert np.mean(found) == pytest.approx(0.15**2, abs=3 * np.std(found) / np.sqrt(200))


def _errors(truth, proba):
    bins = evaluate_probabilities(truth, proba, classes=[0, 1, 2]).reliability_top_label
    square = bins.squared_error_debiased[0]
    root = np.sign(square) * np.sqrt(abs(square))
    return bins.calibration_error[0], bins.error_if_calibrated[0], root, square


# The test --------------------------------------------------------------------------------------


@pytest.mark.parametrize("of", ["top-label", "classes"])
def test_calibrated_probabilities_are_rarely_rejected(of):
    rng, n = np.random.default_rng(13), replications(300)
    p = [
        evaluate_probabilities(*sample(150, rng), classes=[0, 1, 2])
        .calibration_test(of, n_resamples=199)
        .p
        for _ in range(n)
    ]
    assert np.mean(np.array(p) < 0.05) <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / n)


def test_overconfident_probabilities_are_rejected():
    truth, proba = sample(500, np.random.default_rng(14), power=3)
    found = evaluate_probabilities(truth, proba)
    test = found.calibration_test()
    assert test.p < 0.01
    assert test.verdict() == "the probabilities are not calibrated (p < 0.001)"
    assert test.assumption == "the rows are independent"
    assert f"{found.calibration_test('classes').p:.4f}" in repr(found)
    assert found.calibration_test() == test  # the same draws


def test_the_draws_are_those_of_the_seed_0_unless_another_is_given():
    truth, proba = sample(60, np.random.default_rng(3))
    bins = evaluate_probabilities(truth, proba).reliability_top_label
    p = [calibration_test(bins, 99, random_state=seed).p for seed in range(5)]
    assert len(set(p)) > 1
    assert calibration_test(bins, 99).p == p[0] != p[1]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "measure",
    [
        metrics.top_label_calibration_error,
        metrics.classwise_calibration_error,
        metrics.top_label_calibration_error_debiased,
        metrics.classwise_calibration_error_debiased,
    ],
)
def test_blocks_of_rows_make_no_difference(measure, weighted, monkeypatch):
    rng = np.random.default_rng(4)
    truth, proba = sample(50, rng)
    weights = rng.random(50) if weighted else None
    whole = measure(truth, proba, sample_weight=weights)
    monkeypatch.setattr("wager.rewards._probability_block._NUMBERS", 3 * 8)  # eight rows
    assert measure(truth, proba, sample_weight=weights) == pytest.approx(whole, abs=1e-12)


def test_a_calibrated_forecaster_is_not_called_calibrated():
    truth, proba = sample(200, np.random.default_rng(0))
    words = evaluate_probabilities(truth, proba).calibration_test().verdict()
    assert words.startswith("the data are compatible with calibrated probabilities (p = 0.")


def test_dependent_rows_are_no_evidence_against_calibration():
    rng = np.random.default_rng(15)
    groups = np.repeat(np.arange(30), 10)
    plain, clustered = [], []
    for _ in range(100):
        truth, proba = (part[groups] for part in sample(30, rng))
        tallies = [
            ProbabilityTally.of(truth, proba, classes=[0, 1, 2], groups=g) for g in (None, groups)
        ]
        for p, tally in zip((plain, clustered), tallies, strict=True):
            p.append(calibration_test(tally.top_label, 199).p)
    assert np.mean(np.array(plain) < 0.05) > 0.5
    assert np.mean(np.array(clustered) < 0.05) <= 0.06


def test_an_event_of_probability_0_refutes_calibration():
    found = evaluate_probabilities([0] * 50 + [1], [[1.0, 0.0]] * 51)
    assert found.calibration_test(n_resamples=999).p == 0.001


def test_the_options_are_checked():
    found = evaluate_probabilities([0, 1], [[0.5, 0.5]] * 2)
    with pytest.raises(ValueError, match="'top-label' or 'classes', got 'rows'"):
        found.calibration_test("rows")
    with pytest.raises(ValueError, match="n_resamples must be at least 19, got 5"):
        found.calibration_test(n_resamples=5)
