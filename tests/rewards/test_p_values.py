"""Conformal p-values: the ten criteria by their definitions, and the test of uniformity."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy.stats import kstest

from tests.replications import replications
from wager.rewards import MEASURES, pvalue_efficiency, pvalue_uniformity
from wager.rewards._p_values import CRITERIA


def definitions(y, p, e):
    """The criteria row by row, in the words of Vovk et al. (2016), Table 1."""
    rows = []
    for truth, each in zip(y, p, strict=True):
        false = np.delete(each, truth)
        kept = {i for i, v in enumerate(each) if v > e}
        rows.append({
            "S": sum(each), "N": len(kept), "U": sorted(each)[-2], "F": sum(sorted(each)[:-1]),
            "M": float(len(kept) > 1), "E": max(len(kept) - 1, 0), "OU": max(false),
            "OF": sum(false), "OM": float(bool(kept - {truth})), "OE": len(kept - {truth}),
        })  # fmt: skip
    return pd.DataFrame(rows)


@st.composite
def p_values(draw):
    n, K, seed = draw(st.integers(2, 20)), draw(st.integers(2, 5)), draw(st.integers(0, 2**20))
    rng = np.random.default_rng(seed)
    return rng.integers(K, size=n), rng.integers(0, 11, (n, K)) / 10, draw(st.floats(0, 0.9))


@given(p_values())
def test_every_criterion_is_its_definition(data):
    y, p, alpha = data
    found = pvalue_efficiency(y, p, alpha, classes=range(p.shape[1]))
    expected = definitions(y, p, alpha)
    assert list(found.estimates) == list(expected.columns)
    for letter, column in expected.items():
        estimate = found.estimates[letter]
        assert estimate.value == pytest.approx(column.mean())
        assert estimate.standard_error == pytest.approx(column.sem(), abs=1e-7)
        low, high = estimate.interval()
        assert 0 <= low <= estimate.value + 1e-9
        assert estimate.value - 1e-9 <= high <= p.shape[1]


def test_the_stated_range_of_a_criterion_ends_at_its_largest_value():
    largest = pvalue_efficiency([0, 1, 2], np.ones((3, 3)), 0.1, classes=range(3))
    by_end = {"K": 3.0, "K - 1": 2.0, "1": 1.0}
    for criterion in CRITERIA:
        start, _, end = MEASURES[criterion.name].range.rpartition(" to ")
        assert (start, by_end[end]) == ("0 (best)", largest[criterion.letter])


@given(p_values())
def test_counts_are_rows_written_several_times(data):
    y, p, alpha = data
    counts = np.arange(len(y)) % 3 + 1
    known = range(p.shape[1])
    found = pvalue_efficiency(y, p, alpha, counts=counts, classes=known)
    written = pvalue_efficiency(y.repeat(counts), p.repeat(counts, axis=0), alpha, classes=known)
    for letter, estimate in written.estimates.items():
        assert found[letter] == pytest.approx(estimate.value)
        error = found.estimates[letter].standard_error
        assert error == pytest.approx(estimate.standard_error, abs=1e-7)
        ends = found.estimates[letter].interval(), estimate.interval()
        np.testing.assert_allclose(*ends, atol=1e-6)
    assert found.n_rows == written.n_rows


def test_clusters_of_equal_rows_count_once():
    rng = np.random.default_rng(0)
    y, p = rng.integers(3, size=40), rng.random((40, 3))
    cluster = np.repeat(np.arange(40), 5)
    once = pvalue_efficiency(y, p)
    five = pvalue_efficiency(y.repeat(5), p.repeat(5, axis=0), groups=cluster)
    for letter, estimate in once.estimates.items():
        assert five[letter] == pytest.approx(estimate.value)
        assert five.estimates[letter].standard_error == pytest.approx(estimate.standard_error)


def test_frames_are_read_by_the_names_of_their_columns():
    frame = pd.DataFrame({"b": [0.1, 0.9], "a": [0.8, 0.2]})
    found = pvalue_efficiency(["a", "b"], frame)
    assert found["OF"] == pytest.approx((0.1 + 0.2) / 2)
    assert found.to_frame().loc["OF", "value"] == found["OF"]
    assert found.to_dict()["S"] == pytest.approx(1.0)


def test_every_criterion_is_in_the_record_of_measures():
    known = {m.source.split()[-1]: m for m in MEASURES.values() if m.kind == "p-values"}
    assert list(known) == list(pvalue_efficiency([0, 1], np.eye(2)).estimates)
    assert not any(m.greater_is_better for m in known.values())


def test_the_test_of_uniformity_is_that_of_kolmogorov_and_smirnov():
    rng = np.random.default_rng(0)
    y, p = rng.integers(3, size=60), rng.random((60, 3)) ** 1.3
    true = p[np.arange(60), y]
    found = pvalue_uniformity(y, p)
    assert (found.statistic, found.p) == pytest.approx(tuple(kstest(true, "uniform")))
    small = pvalue_uniformity(None, true, smoothed=False)
    assert small.p == pytest.approx(kstest(true, "uniform", alternative="greater").pvalue)
    assert found.n_effective == 60


def conformal(rng, n_calibration, n_test, smoothed):
    """p-values of true classes by split conformal prediction with rounded scores."""
    scores = rng.normal(size=n_calibration + n_test).round(1)
    calibration, test = scores[:n_calibration], scores[n_calibration:]
    larger = (calibration > test[:, None]).sum(axis=1)
    equal = (calibration == test[:, None]).sum(axis=1) + 1
    part = rng.random(n_test) if smoothed else 1.0
    return (larger + part * equal) / (n_calibration + 1)


@pytest.mark.parametrize("smoothed", [True, False])
def test_valid_predictors_are_rarely_rejected_if_the_calibration_rows_are_known(smoothed):
    rng = np.random.default_rng(0)
    runs = replications(600)
    drawn = [conformal(rng, 100, 400, smoothed) for _ in range(runs)]
    known = [pvalue_uniformity(None, p, smoothed=smoothed, n_calibration=100).p for p in drawn]
    rejected = np.mean(np.array(known) < 0.05)
    assert rejected <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
    unknown = [pvalue_uniformity(None, p, smoothed=smoothed).p for p in drawn]
    assert np.mean(np.array(unknown) < 0.05) > 0.1  # the shared calibration rows are ignored


def test_larger_p_values_are_expected_without_smoothing():
    rng = np.random.default_rng(0)
    p = conformal(rng, 200, 200, smoothed=False) ** 0.5
    assert pvalue_uniformity(None, p).p < 0.001
    found = pvalue_uniformity(None, p, smoothed=False)
    assert found.p > 0.5
    assert found.verdict().startswith("the data are compatible with valid p-values")
    assert "uniform or larger" in repr(found)


P = [[0.5, 0.2], [0.1, 0.9]]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: pvalue_efficiency([0, 1], [[0.5, 1.2], [0, 0]]), r"got 1.2 in row 0, column 1"),
        (lambda: pvalue_efficiency([0, 1], P, alpha=1), r"must lie in \[0, 1\), got 1"),
        (lambda: pvalue_efficiency([0, 1, 1], P), "one row for each of the 3 labels"),
        (lambda: pvalue_efficiency([0, 1], P)["X"], "there is no criterion 'X'"),
        (lambda: pvalue_uniformity(None, P), "the p-values of the true classes: one number"),
        (lambda: pvalue_uniformity([0, 1], P, n_calibration=0), "at least 1, got 0"),
    ],
)
def test_wrong_arguments_are_refused(call, words):
    with pytest.raises((ValueError, KeyError), match=words):
        call()


def test_a_p_value_of_1_minus_the_level_is_not_greater():
    """A level of 0.9 is a significance level of 0.1, although 1 - 0.9 is a little less."""
    y, p_values = [0, 1, 0, 1], [[0.1, 0.4], [0.3, 0.1], [0.2, 0.1], [0.1, 0.15]]
    once, again = (pvalue_efficiency(y, p_values, alpha=alpha) for alpha in (0.1, 1 - 0.9))
    assert again["N"] == once["N"] == 1
    assert again["M"] == once["M"] == 0
