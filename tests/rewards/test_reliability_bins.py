"""Bins of reported probabilities: parts of the Brier score, subtraction, and weights, by hand."""

import numpy as np
import pytest

from wager.rewards import ProbabilityTally, calibration_test, evaluate_probabilities


def test_the_parts_of_the_brier_score_by_hand():
    """Two bins of two rows each, for two classes.

    Reliability: (0.9 - 1/2)^2 and (0.3 - 0)^2, half of the rows each, for either class.
    """
    proba = [[0.9, 0.1], [0.9, 0.1], [0.3, 0.7], [0.3, 0.7]]
    split = evaluate_probabilities([0, 1, 1, 1], proba).reliability_by_class.brier_split()
    assert split.reliability == pytest.approx(2 * (0.4**2 / 2 + 0.3**2 / 2))
    assert split.resolution == pytest.approx(2 * ((1 / 2 - 1 / 4) ** 2 / 2 + (1 / 4) ** 2 / 2))
    assert split.uncertainty == pytest.approx(2 * 1 / 4 * 3 / 4)
    assert split.within_bins == pytest.approx(0, abs=1e-15)
    assert split.brier == pytest.approx(2 * (0.1**2 + 0.9**2 + 0.3**2 + 0.3**2) / 4)


def test_bins_without_a_part_are_those_of_the_other_rows():
    """The numbers are multiples of 1/8, so that sums are exact; two bins become empty."""
    truth, proba = np.array([0, 1, 1, 0]), np.array([[7, 1], [5, 3], [7, 1], [6, 2]]) / 8
    whole, part, rest = (
        ProbabilityTally.of(truth[rows], proba[rows], classes=[0, 1])
        for rows in ([0, 1, 2, 3], [1, 3], [0, 2])
    )
    found = whole.top_label - part.top_label
    assert found == rest.top_label
    assert not found.sums[found.weight == 0].any()


@pytest.mark.parametrize("weight", [2.0, 0.25])
def test_the_unit_of_weights_does_not_change_a_test_of_calibration(weight):
    rng = np.random.default_rng(3)
    proba = np.repeat([[0.8, 0.2], [0.3, 0.7]], 30, axis=0)
    truth = (rng.random(60) > proba[:, 0]).astype(int)
    plain, weighted = (
        calibration_test(
            evaluate_probabilities(
                truth, proba, sample_weight=np.full(60, unit)
            ).reliability_top_label
        )
        for unit in (1.0, weight)
    )
    assert 0.05 < plain.p < 1
    assert weighted.p == plain.p
    assert weighted.statistic == pytest.approx(plain.statistic)


def test_accuracy_does_not_depend_on_the_clip():
    """Clipped to [0.4, 0.6] all three classes would be equally probable, and the first one win."""
    rows = [1, 1, 2], [[0.3, 0.36, 0.34]] * 3
    for clip in (None, 0.4):
        assert ProbabilityTally.of(*rows, clip=clip).score("accuracy").value == pytest.approx(2 / 3)


def test_a_prior_of_0_is_refused_although_it_sums_to_1():
    with pytest.raises(ValueError, match=r"strictly between 0 and 1, got 0 for class 0"):
        evaluate_probabilities([1, 2], [[0.2, 0.4, 0.4]] * 2, prior=[0, 0.5, 0.5])


def test_a_tally_is_not_equal_to_something_else():
    tally = ProbabilityTally.of([0, 1], [[0.8, 0.2], [0.3, 0.7]])
    assert tally.__eq__(5) is NotImplemented
    assert tally != 5
