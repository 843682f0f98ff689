"""Measures of a partition: corners, centroid, and what they have to do with each other."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.partitions.strategies import partitions
from wager.metrics import (
    correctness_rate,
    non_resemblance,
    partition_accuracy,
    precision,
    separability,
    separation,
)
from wager.partitions import PartitionMeasures, standardize
from wager.rewards import MEASURES


@given(st.integers(2, 6), st.integers(1, 10), st.integers(0, 9))
def test_corners_centroid_and_wrong_corners_are_one_zero_and_the_least(n_classes, n_rows, seed):
    truth = np.random.default_rng(seed).integers(0, n_classes, n_rows)
    corners = np.eye(n_classes)[truth]
    assert partition_accuracy(truth, corners, scale=False) == pytest.approx(1)
    assert partition_accuracy(truth, corners) == pytest.approx(1)
    centroid = np.full((n_rows, n_classes), 1 / n_classes)
    assert partition_accuracy(truth, centroid, scale=False) == pytest.approx(0, abs=1e-12)
    assert separation(truth, centroid, scale=False) == pytest.approx(0, abs=1e-12)
    wrong = np.eye(n_classes)[(truth + 1) % n_classes]
    least = 1 - np.sqrt(2 * n_classes / (n_classes - 1))
    assert partition_accuracy(truth, wrong, scale=False) == pytest.approx(least)
    assert separation(truth, wrong, scale=False) == pytest.approx(1)


@given(partitions())
def test_measures_lie_between_wrong_corners_and_right_ones(data):
    truth, memberships = data
    n_classes = memberships.shape[1]
    least = 1 - np.sqrt(2 * n_classes / (n_classes - 1)) - 1e-9
    partition = standardize(truth, memberships)
    for measures in (partition.measures, partition.measures_before):
        assert least <= measures.accuracy <= 1 + 1e-12
        assert measures.accuracy <= 1
        assert least <= measures.separation <= 1 + 1e-12
    assert partition.measures_before.separation >= -1e-9  # the largest is at least 1/G


@given(partitions())
def test_a_rule_that_is_always_right_is_as_accurate_as_it_separates(data):
    _, memberships = data
    truth = memberships.argmax(axis=1)
    measures = standardize(truth, memberships).measures_before
    assert measures.accuracy == measures.separation
    assert standardize(truth, memberships).accuracy == 1


@given(partitions())
def test_the_functions_are_those_of_the_partition(data):
    truth, memberships = data
    partition = standardize(truth, memberships)
    before = partition.measures_before
    assert partition_accuracy(truth, memberships) == partition.accuracy
    assert separation(truth, memberships) == partition.separation
    assert partition_accuracy(truth, memberships, scale=False) == before.accuracy
    assert separation(truth, memberships, scale=False) == before.separation
    assert correctness_rate(truth, memberships) == partition.correctness == before.correctness


@given(partitions())
def test_precision_against_observed_classes_is_accuracy(data):
    truth, memberships = data
    observed = np.eye(memberships.shape[1])[truth]
    accuracy = partition_accuracy(truth, memberships, scale=False)
    assert precision(observed, memberships) == pytest.approx(accuracy)
    assert precision(memberships, memberships) == 1


@given(partitions())
def test_separability_is_the_ability_to_separate_of_the_truth_itself(data):
    truth, proba = data
    assert separability(proba) == pytest.approx(separation(truth, proba, scale=False))


@given(partitions(), st.integers(0, 9))
def test_non_resemblance_grows_with_the_information_of_the_assignment(data, seed):
    _, proba = data
    n_classes = proba.shape[1]
    told = non_resemblance(proba, proba)
    shuffled = proba[np.random.default_rng(seed).permutation(len(proba))]
    nothing = non_resemblance(proba, np.full_like(proba, 1 / n_classes))
    assert -1e-12 <= nothing <= told + 1e-9  # one region says least
    assert nothing <= non_resemblance(proba, shuffled) + 1e-9
    if n_classes > 2:
        assert non_resemblance(proba, proba, depth=2) >= told - 1e-9


def test_weights_count_rows():
    truth, memberships = [0, 1], [[0.9, 0.1], [0.6, 0.4]]
    first = partition_accuracy([0], memberships[:1], scale=False)
    assert partition_accuracy(truth, memberships, scale=False, sample_weight=[3, 0]) == first
    assert correctness_rate(truth, memberships, sample_weight=[3, 1]) == 0.75
    assert separability(memberships, sample_weight=[1, 0]) == pytest.approx(0.8)
    assert precision(memberships, memberships[::-1], sample_weight=[1, 0]) == pytest.approx(0.4)
    told = non_resemblance([[1, 0], [0.5, 0.5]], memberships, sample_weight=[1, 0])
    assert told == pytest.approx(1)


def test_every_measure_of_a_partition_is_registered():
    names = {"partition_accuracy", "separation", "confidence", "correctness_rate"}
    assert {MEASURES[name].kind for name in names} == {"memberships"}


def test_confidence_is_the_mean_membership_in_the_assigned_class():
    points = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
    truth, assigned = np.array([0, 1, 1]), np.array([0, 0, 1])
    measures = PartitionMeasures.of(points, truth, assigned, None)
    assert measures.confidence == pytest.approx((0.9 + 0.6 + 0.8) / 3)
    np.testing.assert_allclose(measures.confidence_by_class, [0.9, 0.7])
    weighted = PartitionMeasures.of(points, truth, assigned, np.array([2.0, 3.0, 1.0]))
    assert weighted.confidence == pytest.approx((2 * 0.9 + 3 * 0.6 + 0.8) / 6)
    np.testing.assert_allclose(weighted.confidence_by_class, [0.9, (3 * 0.6 + 0.8) / 4])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: precision([[0.5, 0.5]], [[0.2, 0.3, 0.5]]), "same rows and classes"),
        (lambda: precision([[0.5, 0.6]], [[0.5, 0.5]]), "every row of true_proba"),
        (lambda: separability([[1.0]]), "at least two classes"),
        (lambda: partition_accuracy([0], [[1.0]], scale=False), "at least two classes"),
        (lambda: non_resemblance([[0.5, 0.5]], [[0.5, 0.5]], depth=2), "from 1 to 1 for 2 classes"),
    ],
)
def test_error_messages_are_clear(call, words):
    with pytest.raises(ValueError, match=words):
        call()
