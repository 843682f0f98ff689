"""Measures of listed probabilities are those of the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.sparse import csr_array

from tests.fewer import fewer
from tests.predictions.strategies import listed_probabilities
from wager.compare import PairedProbabilities, compare_probabilities
from wager.metrics import (
    brier_decomposition,
    classwise_calibration_error,
    classwise_calibration_error_debiased,
    good_reward,
    information_reward,
    information_reward_2002,
    kononenko_bratko,
    top_label_calibration_error,
)
from wager.predictions import TopKProbabilities
from wager.rewards import (
    ProbabilityReward,
    ProbabilityTally,
    RewardSums,
    _probability_tally as probability_tally,
    _reward_sums as reward_sums,
    evaluate_probabilities,
    register,
    unregister,
)

CLASSES = [f"c{i}" for i in range(6)]
PRIOR = np.array([0.3, 0.25, 0.2, 0.1, 0.1, 0.05])


@st.composite
def labelled(draw, min_rows=1):
    """True labels, listed probabilities, and weights, counts and clusters of some kinds."""
    labels, proba, classes = draw(listed_probabilities(CLASSES, min_rows, 8))
    n = len(labels)
    truth = draw(st.lists(st.sampled_from(classes), min_size=n, max_size=n))
    units = {}
    if draw(st.booleans()):
        weights = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.25]), min_size=n, max_size=n)
        units["sample_weight"] = draw(weights.filter(any))
    if draw(st.booleans()):
        units["counts"] = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    if draw(st.booleans()):
        units["groups"] = draw(st.lists(st.sampled_from("xyz"), min_size=n, max_size=n))
    return truth, TopKProbabilities(labels, proba, classes), units


def assert_same(found: ProbabilityTally, dense: ProbabilityTally) -> None:
    assert found.classes.tolist() == dense.classes.tolist()
    assert found.sums.keys() == dense.sums.keys()
    for name, sums in found.sums.items():
        np.testing.assert_array_equal(sums.rows, dense.sums[name].rows, name)
        np.testing.assert_array_equal(sums.infinite, dense.sums[name].infinite, name)
        np.testing.assert_allclose(sums.sums, dense.sums[name].sums, rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(sums.moments.units, dense.sums[name].moments.units)
        np.testing.assert_allclose(
            sums.moments.overall, dense.sums[name].moments.overall, rtol=1e-9, atol=1e-9
        )
    for kind in ("by_class", "top_label"):
        ours, theirs = getattr(found, kind), getattr(dense, kind)
        np.testing.assert_allclose(ours.sums, theirs.sums, rtol=1e-9, atol=1e-12)
        assert ((ours.weight == 0) == (theirs.weight == 0)).all()
        assert (ours.clusters is None) == (theirs.clusters is None)
        if ours.clusters is not None:
            np.testing.assert_allclose(ours.clusters, theirs.clusters, rtol=1e-9, atol=1e-12)


@given(
    data=labelled(),
    prior=st.none() | st.just(PRIOR),
    clip=st.sampled_from([None, 1e-3, 0.2]),
    n_bins=st.sampled_from([1, 4, 15]),
)
@fewer(12)
def test_the_tally_is_that_of_the_matrix(data, prior, clip, n_bins):
    truth, top, units = data
    options = {"classes": CLASSES, "clip": clip, "n_bins": n_bins, **units}
    found = ProbabilityTally.of(truth, top, prior, **options)
    assert_same(found, ProbabilityTally.of(truth, np.asarray(top), prior, **options))


@given(data=labelled(min_rows=2))
@fewer(12)
def test_clusters_that_are_kept_are_those_of_the_matrix(data):
    truth, top, units = data
    options = {**units, "groups": ["x", "y"] * (len(truth) // 2) + ["x"] * (len(truth) % 2)}
    found = ProbabilityTally.of(truth, top, keep_clusters=True, classes=CLASSES, **options)
    dense = ProbabilityTally.of(
        truth, np.asarray(top), keep_clusters=True, classes=CLASSES, **options
    )
    assert found == dense


@given(data=labelled(min_rows=3), cut=st.integers(1, 2))
@fewer(12)
def test_tallies_of_parts_add_up(data, cut):
    truth, top, _ = data
    whole = ProbabilityTally.of(truth, top)
    first, second = (
        ProbabilityTally.of(truth[rows], top[rows]) for rows in (slice(cut), slice(cut, None))
    )
    assert_same(first + second, whole)
    assert (whole - first).n_rows == len(truth) - cut


@given(data=labelled())
@fewer(8)
def test_functions_take_listed_probabilities(data):
    truth, top, _ = data
    matrix = np.asarray(top)
    for function in (good_reward, kononenko_bratko, information_reward, information_reward_2002):
        found = function(truth, top, per_row=True)
        np.testing.assert_allclose(
            found, function(truth, matrix, classes=CLASSES, per_row=True), rtol=1e-9, atol=1e-12
        )
    for function in (
        top_label_calibration_error,
        classwise_calibration_error,
        classwise_calibration_error_debiased,
    ):
        expected = function(truth, matrix, classes=CLASSES)
        assert function(truth, top) == pytest.approx(expected, abs=1e-9, nan_ok=True)
    split, dense = (brier_decomposition(truth, p, classes=CLASSES) for p in (top, matrix))
    assert split.brier == pytest.approx(dense.brier)
    assert split.reliability == pytest.approx(dense.reliability)


@settings(max_examples=20)
@given(data=labelled(min_rows=2))
def test_comparisons_take_listed_probabilities(data):
    truth, top, units = data
    matrix = np.asarray(top)
    other = TopKProbabilities.from_proba(matrix, 2, CLASSES)
    found = PairedProbabilities.of(truth, top, other, classes=CLASSES, **units)
    dense = PairedProbabilities.of(truth, matrix, np.asarray(other), classes=CLASSES, **units)
    for name in ("brier", "accuracy"):
        value = found.difference(name).value
        assert value == pytest.approx(dense.difference(name).value, abs=1e-9)
    both = compare_probabilities(truth, {"a": top, "b": matrix}, classes=CLASSES)
    assert both.difference("a", "b", "brier").effect == pytest.approx(0, abs=1e-12)


def test_comparisons_are_over_all_labels_that_are_listed():
    one = TopKProbabilities([["a"], ["b"]], [[0.5], [0.5]])
    two = TopKProbabilities([["c"], ["b"]], [[0.5], [0.5]])
    pair = PairedProbabilities.of(["a", "d"], one, two)
    assert pair.classes.tolist() == list("abcd")
    declared = TopKProbabilities([["c"], ["b"]], [[0.5], [0.5]], list("dcba"))
    both = PairedProbabilities.of(["a", "d"], declared, declared.with_classes(list("abcd")))
    assert both.classes.tolist() == list("dcba")
    assert both.difference("brier").value == 0


def test_a_sparse_matrix_is_the_matrix():
    matrix = np.array([[0.5, 0.0, 0.5], [0.0, 1.0, 0.0], [0.25, 0.75, 0.0]])
    found = evaluate_probabilities(["a", "b", "c"], csr_array(matrix))
    dense = evaluate_probabilities(["a", "b", "c"], matrix)
    assert_same(found.tally, dense.tally)
    assert found.infinite_rows["log_loss"] == 1
    assert found.to_dict()["brier"]["mean"] == pytest.approx(dense.brier)
    assert repr(found) == repr(dense)


def test_other_measures_get_the_matrix_some_rows_at_a_time():
    seen = []

    def second_largest(proba, truth, prior):
        seen.append(proba.shape)
        return np.sort(proba, axis=1)[:, -2]

    register(ProbabilityReward("second", second_largest, in_bits=False, bounds=lambda p: (0, 1)))
    try:
        top = TopKProbabilities(np.zeros((3, 1), int), np.full((3, 1), 0.5), range(50_000))
        tally = ProbabilityTally.of([0, 1, 2], top)
        assert tally.score("second").value == pytest.approx(0.5 / 49_999)
    finally:
        unregister("second")
    assert seen == [(1, 50_000)] * 3


@pytest.mark.long
def test_thirty_thousand_classes_are_scored_without_a_matrix():
    n, n_classes = 2000, 30_000
    rng = np.random.default_rng(0)
    codes = np.arange(n)[:, None] * 7 + np.arange(5)
    proba = rng.dirichlet(np.ones(6), n)[:, :5]
    truth = np.where(rng.random(n) < 0.7, codes[:, 0], rng.integers(0, n_classes, n))
    top = TopKProbabilities(codes, proba, range(n_classes))
    found = evaluate_probabilities(truth, top)
    listed = codes == truth[:, None]
    p = np.where(listed.any(axis=1), (proba * listed).sum(axis=1), top.shares)
    assert found.log_loss == pytest.approx(-np.log(p).mean())
    squares = (proba**2).sum(axis=1) + (n_classes - 5) * top.shares**2
    assert found.brier == pytest.approx((1 - 2 * p + squares).mean())
    assert found.brier_split.brier == pytest.approx(found.brier)
    assert found.calibration_test("classes").p == 1
    assert "29994 more classes" in repr(found)
    text = found.tally.to_json()
    assert ProbabilityTally.from_json(text) == found.tally
    assert isinstance(found.tally.to_dict()["by_class"], dict)  # only bins with rows


@given(data=labelled(min_rows=2))
@fewer(12)
def test_only_the_pairs_of_cluster_and_class_that_occur_are_added_up(data):
    truth, top, units = data
    groups = units.get("groups", ["x"] * len(truth))
    every = ProbabilityTally.of(truth, top, groups=groups)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reward_sums, "_MANY_TOTALS", 0)
        few = ProbabilityTally.of(truth, top, groups=groups)
    assert_same(few, every)
    assert isinstance(few.sums["brier"], RewardSums)


def test_stored_bins_of_many_classes_are_read_again(monkeypatch):
    tally = ProbabilityTally.of(["a", "b"], [[0.5, 0.5], [0.25, 0.75]])
    monkeypatch.setattr(probability_tally, "_MANY_SUMS", 0)
    assert ProbabilityTally.from_json(tally.to_json()) == tally
    assert tally.to_dict()["top_label"]["shape"] == [1, 15, 5]
