"""Rejection: Chow, Ha, and credal sets that are sure of nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.credal.strategies import intervals, probabilities
from wager.costs import CostMatrix
from wager.credal import class_selective_rejection, decide, optimal_sets, reject, reject_credal
from wager.predictions import PredictionSets, ProbabilityIntervals

THRESHOLDS = st.integers(0, 20).map(lambda i: i / 20)


@given(probabilities(), THRESHOLDS)
def test_chow_predicts_the_likeliest_class_or_all(p, threshold):
    kept = reject(p, threshold).to_indicator()
    for row, sure in zip(kept, p.max(axis=1) >= threshold, strict=True):
        assert row.all() if not sure else row.sum() == 1
    np.testing.assert_array_equal(kept[np.arange(len(p)), p.argmax(axis=1)], True)


@given(probabilities(), THRESHOLDS)
def test_chow_minimises_the_cost_of_errors_and_rejections(p, cost):
    everything = tuple(range(p.shape[1]))
    extended = CostMatrix.zero_one(everything).extend({everything: [cost] * p.shape[1]})
    rejected = extended.expected(reject(p, 1 - cost), p)
    np.testing.assert_allclose(rejected, np.minimum(cost, 1 - p.max(axis=1)), atol=1e-9)


def test_a_threshold_computed_from_a_cost_is_met_in_spite_of_rounding():
    assert 1 - 0.7 > 0.3
    p = [[0.3, 0.25, 0.25, 0.2]]
    assert reject(p, 1 - 0.7).to_lists() == [[0]]


@given(st.data())
def test_ha_finds_the_cheapest_of_all_sets(data):
    p = data.draw(probabilities())
    eta = data.draw(st.lists(st.integers(1, 8), min_size=p.shape[1], max_size=p.shape[1]))
    delta = data.draw(st.integers(0, 12)) / 8
    extended = CostMatrix.ha(np.array(eta) / 2).extend("ha", delta=delta)
    chosen = class_selective_rejection(p, delta, np.array(eta) / 2)
    all_costs = p @ extended.matrix().T
    np.testing.assert_allclose(extended.expected(chosen, p), all_costs.min(axis=1), atol=1e-9)
    first = (all_costs <= all_costs.min(axis=1, keepdims=True) + 1e-9).argmax(axis=1)
    assert chosen.to_lists() == [list(extended.subsets()[i]) for i in first]


def test_one_eta_applies_to_all_classes():
    p = [[0.5, 0.3, 0.2]]
    one = class_selective_rejection(p, 0.5, 2, classes=["a", "b", "c"]).to_lists()
    assert one == [["a", "b"]]
    assert class_selective_rejection(p, 0.25).to_lists() == [[0, 1]]


@given(intervals(), THRESHOLDS)
def test_a_credal_prediction_is_kept_only_where_a_lower_probability_exceeds_the_threshold(
    credal, threshold
):
    sets = decide(credal)
    kept = reject_credal(credal, sets, threshold).to_indicator()
    sure = credal.lower.max(axis=1) > threshold + 1e-12
    np.testing.assert_array_equal(kept[sure], sets.to_indicator()[sure])
    assert kept[~sure].all()


def test_a_lower_probability_equal_to_the_threshold_is_not_enough():
    # Zaffalon, Corani & Mauá (2012), Sec. 9.4: it has to exceed the threshold
    credal = ProbabilityIntervals([[0.55, 0.2]], [[0.8, 0.45]])
    assert reject_credal(credal, [[True, False]], 0.55).to_lists() == [[0, 1]]


@given(intervals(), THRESHOLDS)
def test_a_group_grows_by_upper_probability_until_it_is_probable_enough(credal, threshold):
    sets = decide(credal)
    grown = reject_credal(credal, sets, threshold, group=True)
    tight = credal.tighten()
    for row, (before, after) in enumerate(zip(sets.to_lists(), grown.to_lists(), strict=True)):
        expected = list(before)
        others = sorted(set(range(len(credal.classes))) - set(before))
        others.sort(key=lambda c: -tight.upper[row, c])
        while others and credal.lower_probability(expected)[row] <= threshold + 1e-12:
            expected.append(others.pop(0))
        assert sorted(expected) == after


def test_wrong_arguments_are_refused():
    credal = ProbabilityIntervals([[0.5, 0.2]], [[0.8, 0.5]])
    with pytest.raises(ValueError, match=r"between 0 and 1, got 1\.5"):
        reject([[0.5, 0.5]], 1.5)
    with pytest.raises(ValueError, match=r"delta must be finite and not negative, got -1"):
        class_selective_rejection([[0.5, 0.5]], -1)
    with pytest.raises(ValueError, match=r"for each of the 2 classes, got shape \(3,\)"):
        class_selective_rejection([[0.5, 0.5]], 0.1, [1, 1, 1])
    with pytest.raises(ValueError, match="not negative for every class"):
        class_selective_rejection([[0.5, 0.5]], 0.1, [1, -1])
    with pytest.raises(ValueError, match=r"between 0 and 1, got -0\.1"):
        reject_credal(credal, [[True, False]], -0.1)
    with pytest.raises(ValueError, match=r"the sets have shape \(2, 2\) but the intervals"):
        reject_credal(credal, np.ones((2, 2), dtype=bool), 0.5)


@pytest.mark.parametrize(
    "rule",
    [
        lambda proba: reject(proba, 0.5),
        lambda proba: class_selective_rejection(proba, 0.3),
        lambda proba: optimal_sets(proba, "u65"),
        lambda proba: optimal_sets(proba, costs=CostMatrix.zero_one(["a", "b", "c"])),
    ],
)
def test_named_columns_are_the_classes(rule):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"c": [0.8, 0.1], "a": [0.1, 0.1], "b": [0.1, 0.8]})
    assert rule(frame).to_lists() == [["c"], ["b"]]


def test_a_plain_matrix_of_sets_needs_classes_in_sorted_order():
    bounds = ([[0.5, 0.2]], [[0.8, 0.5]])
    turned = ProbabilityIntervals(*bounds, classes=["b", "a"])
    with pytest.raises(ValueError, match="sets has no class names"):
        reject_credal(turned, [[True, False]], 0.4)
    sets = PredictionSets.from_indicator([[True, False]], ["b", "a"])
    assert reject_credal(turned, sets, 0.4).to_lists() == [["b"]]
    with pytest.raises(ValueError, match="intervals has no class names"):
        reject_credal(ProbabilityIntervals(*bounds), sets, 0.4)
    ordered = ProbabilityIntervals(*bounds, classes=["a", "b"])
    assert reject_credal(ordered, [[True, False]], 0.4).to_lists() == [["a"]]
