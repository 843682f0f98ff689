"""The evaluation of probabilities: sums that add up, scikit-learn's scores, calibration."""

import json

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import sem
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, log_loss

from wager.metrics import (
    brier_decomposition,
    classwise_calibration_error,
    evaluate_probabilities,
    good_reward,
    information_reward,
    information_reward_2002,
    kononenko_bratko,
    top_label_calibration_error,
)
from wager.rewards import ProbabilityEvaluation, ProbabilityTally

PRIOR = np.array([0.2, 0.3, 0.5])
LABELS = np.array(["a", "b", "c"])
NAMES = {
    "good_reward": good_reward,
    "kononenko_bratko": kononenko_bratko,
    "information_reward_2002": information_reward_2002,
    "information_reward": information_reward,
}


def sample(n_rows, seed=0, n_classes=3):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(n_classes), n_rows)
    lots = rng.random((n_rows, 1))
    return (proba.cumsum(axis=1) < lots).sum(axis=1).clip(max=n_classes - 1), proba, rng


def test_means_are_those_of_the_functions_with_scipys_standard_errors():
    truth, proba, _ = sample(60)
    evaluation = evaluate_probabilities(truth, proba, PRIOR)
    for name, reward in NAMES.items():
        options = {} if name == "good_reward" else {"prior": PRIOR}
        rows = reward(truth, proba, per_row=True, **options)
        entry = evaluation.to_dict()[name]
        assert getattr(evaluation, name) == entry["mean"] == pytest.approx(rows.mean())
        assert entry["standard_error"] == pytest.approx(sem(rows))
        for code in range(3):
            assert entry["by_class"][code] == pytest.approx(rows[truth == code].mean())


def test_what_scikit_learn_has_is_scikit_learns():
    truth, proba, rng = sample(200, 1)
    weights = rng.random(200)
    evaluation = evaluate_probabilities(truth, proba, sample_weight=weights)
    assert evaluation.log_loss == pytest.approx(log_loss(truth, proba, sample_weight=weights))
    by_class = [  # before version 1.7 scikit-learn knows two classes only
        brier_score_loss(truth == k, proba[:, k], sample_weight=weights) for k in range(3)
    ]
    assert evaluation.brier == pytest.approx(sum(by_class))
    hits = proba.argmax(axis=1) == truth
    assert evaluation.accuracy == pytest.approx(np.average(hits, weights=weights))


@given(st.integers(1, 30), st.integers(0, 30), st.integers(0, 5))
def test_tallies_of_two_parts_add_up_to_that_of_the_whole(n_rows, cut, seed):
    truth, proba, rng = sample(n_rows + 1, seed)
    proba[0] = [1, 0, 0]  # perhaps a certain error
    weights = rng.integers(1, 4, n_rows + 1)
    cut = 1 + cut % n_rows
    options = {"prior": PRIOR, "classes": LABELS}
    parts = [
        ProbabilityTally.of(
            LABELS[truth[rows]], proba[rows], sample_weight=weights[rows], **options
        )
        for rows in (slice(0, cut), slice(cut, None))
    ]
    both = ProbabilityEvaluation(parts[0] + parts[1]).to_dict()
    whole = evaluate_probabilities(LABELS[truth], proba, sample_weight=weights, **options).to_dict()
    _assert_alike(both, whole)


def _assert_alike(one, other):
    if isinstance(other, dict):
        assert one.keys() == other.keys()
        for key in other:
            _assert_alike(one[key], other[key])
    elif isinstance(other, list):
        for a, b in zip(one, other, strict=True):
            _assert_alike(a, b)
    elif isinstance(other, float):
        assert one == pytest.approx(other, abs=1e-9, nan_ok=True)
    else:
        assert one == other


def test_certain_errors_are_counted_and_clip_is_explicit():
    truth, proba = [0, 1, 1, 0], [[1.0, 0.0], [1.0, 0.0], [0.4, 0.6], [0.0, 1.0]]
    plain = evaluate_probabilities(truth, proba)
    entry = plain.to_dict()["information_reward"]
    assert entry["mean"] == -np.inf
    assert entry["infinite_rows"] == 2
    assert entry["by_class"] == {0: -np.inf, 1: -np.inf}
    assert np.isnan(entry["standard_error"])
    assert plain.log_loss == np.inf
    assert np.isfinite(plain.kononenko_bratko)
    clipped = evaluate_probabilities(truth, proba, clip=1e-3)
    assert clipped.information_reward == information_reward(truth, proba, clip=1e-3)
    assert clipped.to_dict()["information_reward"]["infinite_rows"] == 0
    assert clipped.brier == plain.brier  # no logarithm, nothing to clip
    assert "clipped at 0.001" in repr(clipped)


def test_a_class_without_rows_has_no_mean():
    evaluation = evaluate_probabilities([0, 0], [[0.6, 0.3, 0.1]] * 2)
    by_class = evaluation.to_dict()["information_reward"]["by_class"]
    assert np.isnan(by_class[1])
    assert np.isfinite(by_class[0])


def test_one_row_has_no_standard_error():
    evaluation = evaluate_probabilities([0], [[0.6, 0.4]])
    assert np.isnan(evaluation.to_dict()["information_reward"]["standard_error"])


def test_table_frame_and_dictionary_agree():
    truth, proba, _ = sample(40)
    evaluation = evaluate_probabilities(LABELS[truth], proba, PRIOR, classes=LABELS)
    plain, frame = evaluation.to_dict(), evaluation.to_frame()
    json.dumps(plain)
    assert frame.loc["information_reward", "mean"] == plain["information_reward"]["mean"]
    assert frame.loc["brier", "mean of b"] == plain["brier"]["by_class"]["b"]
    assert frame.loc["brier_resolution", "mean"] == plain["brier_resolution"]
    shown = repr(evaluation)
    assert f"{evaluation.information_reward:.4f}" in shown
    assert "40 rows, 3 classes, rewards in bits over the prior 0.2000, 0.3000, 0.5000" in shown
    assert "for comparison" in shown


def test_a_table_of_many_classes_is_cut_and_says_so():
    truth, proba, _ = sample(50, n_classes=9)
    assert "(3 more classes: see to_frame())" in repr(evaluate_probabilities(truth, proba))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"classes": ["x", "y", "z"]}, "both parts must list the same classes"),
        ({"prior": PRIOR}, "different prior, base or clip"),
        ({"base": np.e}, "different prior, base or clip"),
        ({"n_bins": 5}, "same classes and n_bins"),
    ],
)
def test_tallies_of_different_kinds_do_not_add_up(change, words):
    truth, proba, _ = sample(10)
    one = ProbabilityTally.of(truth, proba)
    truth = np.array(change["classes"])[truth] if "classes" in change else truth
    with pytest.raises(ValueError, match=words):
        _ = one + ProbabilityTally.of(truth, proba, **change)


# Calibration -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n_bins", [1, 7, 10])
def test_the_curve_of_a_class_is_scikit_learns(n_bins):
    truth, proba, _ = sample(300, 3)
    proba = proba.round(1)  # many values on the edge of a bin
    proba /= proba.sum(axis=1, keepdims=True)
    bins = evaluate_probabilities(truth, proba, n_bins=n_bins).reliability_by_class
    for code in range(3):
        observed, reported = calibration_curve(truth == code, proba[:, code], n_bins=n_bins)
        filled = bins.weight[code] > 0
        np.testing.assert_allclose(bins.observed[code][filled], observed)
        np.testing.assert_allclose(bins.reported[code][filled], reported)


@given(st.integers(2, 60), st.integers(0, 9), st.integers(1, 20))
def test_calibration_errors_are_those_of_a_loop_over_bins(n_rows, seed, n_bins):
    truth, proba, _ = sample(n_rows, seed)

    def error(p, event):
        place = np.ceil(p * n_bins).clip(1).astype(int)  # right-closed bins
        return sum(
            abs(p[place == b].sum() - event[place == b].sum()) for b in set(place.tolist())
        ) / len(p)

    classwise = np.mean([error(proba[:, c], truth == c) for c in range(3)])
    named = proba.argmax(axis=1)
    top = error(proba.max(axis=1), named == truth)
    assert classwise_calibration_error(truth, proba, n_bins=n_bins) == pytest.approx(classwise)
    assert top_label_calibration_error(truth, proba, n_bins=n_bins) == pytest.approx(top)
    evaluation = evaluate_probabilities(truth, proba, n_bins=n_bins)
    assert evaluation.classwise_calibration_error == pytest.approx(classwise)
    assert evaluation.top_label_calibration_error == pytest.approx(top)
    gaps = evaluation.reliability_top_label
    assert gaps.largest_gap[0] >= gaps.calibration_error[0] - 1e-12


@given(st.integers(1, 60), st.integers(0, 9), st.integers(1, 20))
def test_the_parts_of_the_brier_score_add_up(n_rows, seed, n_bins):
    truth, proba, _ = sample(n_rows, seed)
    split = brier_decomposition(truth, proba, n_bins=n_bins)
    parts = split.reliability - split.resolution + split.uncertainty + split.within_bins
    assert parts == pytest.approx(split.brier, abs=1e-12)
    distance = ((proba - np.eye(3)[truth]) ** 2).sum(axis=1).mean()
    assert split.brier == pytest.approx(distance)


def test_bins_with_one_value_leave_no_remainder_and_calibration_costs_nothing():
    truth = [0, 0, 0, 1, 1, 1, 1, 0]
    proba = [[0.75, 0.25]] * 4 + [[0.25, 0.75]] * 4
    split = brier_decomposition(truth, proba, n_bins=4)
    assert split.within_bins == pytest.approx(0, abs=1e-15)
    assert split.reliability == pytest.approx(0)
    assert split.resolution == pytest.approx(2 * 0.25**2)
    assert split.uncertainty == pytest.approx(0.5)


def test_a_number_of_bins_is_whole_and_positive():
    with pytest.raises(ValueError, match="at least 1, got 0"):
        classwise_calibration_error([0], [[0.5, 0.5]], n_bins=0)
