"""Measures of coverage within strata, against their definitions and against MAPIE."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from mapie.metrics.classification import classification_ssc, classification_ssc_score
from mapie.metrics.regression import hsic

from tests.fewer import fewer
from tests.rewards.strategies import labelled_sets
from wager import metrics
from wager.metrics import make_set_scorer
from wager.rewards import MEASURES, Tally


def size_and_hit(y, sets):
    return sets.sum(axis=1), sets[np.arange(len(y)), y]


def coverages(hit, stratum):
    return np.array([hit[stratum == s].mean() for s in np.unique(stratum)])


alphas = st.floats(0, 1)


@given(labelled_sets(), alphas)
def test_the_violation_is_that_of_the_worst_size(data, alpha):
    y, sets = data
    size, hit = size_and_hit(y, sets)
    expected = np.abs(coverages(hit, size) - (1 - alpha)).max()
    assert metrics.size_stratified_violation(y, sets, alpha) == pytest.approx(expected)


@given(labelled_sets(max_classes=5))
def test_ranges_of_sizes_are_strata(data):
    y, sets = data
    size, hit = size_and_hit(y, sets)
    expected = np.abs(coverages(hit, size >= 2) - 0.9).max()
    found = metrics.size_stratified_violation(y, sets, 0.1, strata=[(0, 1), (2, 5)])
    assert found == pytest.approx(expected)


@given(labelled_sets(), st.integers(1, 3))
@fewer(12)
def test_the_score_of_size_stratified_coverage_is_that_of_mapie(data, n_bins):
    y, sets = data
    size, _ = size_and_hit(y, sets)
    assume(len(np.unique(size)) > n_bins)  # MAPIE refuses others
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # MAPIE takes means of no rows
        binned = classification_ssc_score(y, sets[:, :, None], num_bins=n_bins)[0]
        each = classification_ssc(y, sets[:, :, None])[0]
    assert metrics.worst_size_coverage(y, sets, strata=n_bins) == pytest.approx(binned, abs=1e-9)
    found = metrics.size_stratified_coverage(y, sets)
    np.testing.assert_allclose(found, each, atol=1e-9)
    assert metrics.worst_size_coverage(y, sets) == pytest.approx(np.nanmin(each), abs=1e-9)


@given(labelled_sets(), alphas)
def test_violated_classes_are_those_below_the_promise(data, alpha):
    y, sets = data
    _, hit = size_and_hit(y, sets)
    found = metrics.violated_classes(y, sets, alpha)
    assert found == pytest.approx((coverages(hit, y) < 1 - alpha).mean())


@given(labelled_sets(), alphas, st.integers(0, 2**20))
def test_difficulty_is_the_rank_of_the_true_class(data, alpha, seed):
    y, sets = data
    scores = np.random.default_rng(seed).normal(size=sets.shape)
    rank = 1 + (scores > scores[np.arange(len(y)), y][:, None]).sum(axis=1)
    stratum = np.searchsorted([1, 3, 6], rank)
    _, hit = size_and_hit(y, sets)
    expected = np.abs(coverages(hit, stratum) - (1 - alpha)).max()
    found = metrics.difficulty_violation(y, sets, scores, alpha)
    assert found == pytest.approx(expected)


@given(labelled_sets())
def test_the_singleton_hit_ratio_is_determinacy_times_single_accuracy(data):
    y, sets = data
    found = metrics.singleton_hit_ratio(y, sets)
    determinacy = metrics.determinacy(sets)
    product = determinacy * metrics.single_accuracy(y, sets) if determinacy else 0.0
    assert found == pytest.approx(product)


def test_the_singleton_hit_ratio_has_the_interval_of_a_proportion():
    y, sets = ["a", "b", "b", "b"], [["a"], ["a"], ["a", "b"], ["b"]]
    found = metrics.singleton_hit_ratio(y, sets, return_estimate=True)
    alike = Tally.of([0, 0, 1, 1], [[0], [0], [0], [0]], classes=[0, 1]).score("coverage")
    assert (found.value, found.standard_error) == (alike.value, alike.standard_error)
    assert found.interval() == pytest.approx(alike.interval())


def kernel_sum(y, sets, widths):
    """The criterion with matrices of all pairs of rows."""
    size, hit = size_and_hit(y, sets)
    n = len(y)
    K, L = (
        np.exp(-(np.subtract.outer(x * 1.0, x * 1.0) ** 2) / w)
        for x, w in zip((size, hit), widths, strict=True)
    )
    H = np.eye(n) - 1 / n
    return np.sqrt(max(np.trace(K @ H @ L @ H), 0)) / (n - 1)


@given(labelled_sets(min_rows=2), st.tuples(st.floats(0.1, 5), st.floats(0.1, 5)))
def test_hsic_from_counts_is_hsic_from_all_pairs(data, widths):
    y, sets = data
    found = metrics.size_coverage_hsic(y, sets, widths=widths)
    assert found == pytest.approx(kernel_sum(y, sets, widths), abs=1e-6)


def test_hsic_is_that_of_mapie_for_intervals_as_wide_as_the_sets():
    rng = np.random.default_rng(3)
    y = rng.integers(5, size=200)
    sets = rng.random((200, 5)) < 0.5
    size, hit = size_and_hit(y, sets)
    start = np.where(hit, 0.0, 10.0)
    expected = hsic(np.zeros(200), np.column_stack([start, start + size]), (1.5, 0.7))[0]
    found = metrics.size_coverage_hsic(y, sets, widths=(1.5, 0.7))
    assert found == pytest.approx(expected, abs=1e-9)


@given(labelled_sets(min_rows=2))
@fewer(12)
def test_equal_weights_change_nothing(data):
    y, sets = data
    w = np.full(len(y), 0.25)
    scores = np.arange(sets.size).reshape(sets.shape)
    for found, weighted in [
        (metrics.size_stratified_violation(y, sets, 0.1),
         metrics.size_stratified_violation(y, sets, 0.1, sample_weight=w)),
        (metrics.worst_size_coverage(y, sets),
         metrics.worst_size_coverage(y, sets, sample_weight=w)),
        (metrics.violated_classes(y, sets, 0.1),
         metrics.violated_classes(y, sets, 0.1, sample_weight=w)),
        (metrics.singleton_hit_ratio(y, sets),
         metrics.singleton_hit_ratio(y, sets, sample_weight=w)),
        (metrics.size_coverage_hsic(y, sets),
         metrics.size_coverage_hsic(y, sets, sample_weight=w)),
        (metrics.difficulty_violation(y, sets, scores, 0.1),
         metrics.difficulty_violation(y, sets, scores, 0.1, sample_weight=w)),
        (metrics.coverage_gap(y, sets, 0.1, by=y % 2),
         metrics.coverage_gap(y, sets, 0.1, by=y % 2, sample_weight=w)),
    ]:  # fmt: skip
        assert weighted == pytest.approx(found, abs=1e-7)


@given(labelled_sets(), alphas)
@fewer(12)
def test_the_gap_over_classes_is_the_gap_over_groups_that_are_classes(data, alpha):
    y, sets = data
    _, hit = size_and_hit(y, sets)
    gaps = np.abs(coverages(hit, y) - (1 - alpha))
    shares = np.unique(y, return_counts=True)[1] / len(y)
    assert metrics.coverage_gap(y, sets, alpha) == pytest.approx(gaps.mean())
    assert metrics.coverage_gap(y, sets, alpha, by=y) == pytest.approx(gaps.mean())
    weighted = metrics.coverage_gap(y, sets, alpha, weighted=True)
    assert weighted == pytest.approx(gaps @ shares)


Y, SETS = ["a", "b", "c"], [["a"], ["a", "b"], ["c"]]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: metrics.size_stratified_violation(Y, SETS, 1.5), "must lie in"),
        (lambda: metrics.size_stratified_violation(Y, SETS, 0.1, strata=9), "between 1 and 4"),
        (lambda: metrics.size_stratified_violation(Y, SETS, 0.1, strata=[(0, 2), (2, 3)]),
         "overlaps another one"),
        (lambda: metrics.size_stratified_violation(Y, SETS, 0.1, strata=[(3, 3)]), "no set has"),
        (lambda: metrics.size_stratified_violation(Y, SETS, 0.1, strata=[]), "strata is empty"),
        (lambda: metrics.size_stratified_violation(Y, SETS, 0.1, strata=[1, 2]), "must be pairs"),
        (lambda: metrics.difficulty_violation(Y, SETS, np.eye(2), 0.1), r"\(3, 3\), got \(2, 2\)"),
        (lambda: metrics.difficulty_violation(Y, SETS, np.full((3, 3), np.nan), 0.1), "missing"),
        (lambda: metrics.difficulty_violation(Y, SETS, np.eye(3), 0.1, strata=[(7, 9)]),
         "no row has a rank"),
        (lambda: metrics.size_coverage_hsic(Y, SETS, widths=(0, 1)), "two positive numbers"),
        (lambda: metrics.coverage_gap(Y, SETS, 0.1, by=["x"]), "by has 1 row but y_true has 3"),
        (lambda: metrics.violated_classes([], [], 0.1), "no prediction to score"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_one_row_has_no_hsic():
    assert np.isnan(metrics.size_coverage_hsic(["a"], [["a"]], classes=["a", "b"]))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("size_stratified_violation", {"alpha": 0.1}),
        ("worst_size_coverage", {}),
        ("violated_classes", {"alpha": 0.1}),
        ("singleton_hit_ratio", {}),
        ("size_coverage_hsic", {}),
    ],
)
def test_measures_are_scorers(name, options):
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB

    X, y = load_iris(return_X_y=True)
    model = GaussianNB().fit(X, y)
    sign = 1 if MEASURES[name].greater_is_better else -1
    direct = MEASURES[name].function(y, model.predict(X), **options)
    assert make_set_scorer(name, **options)(model, X, y) == pytest.approx(sign * direct)
