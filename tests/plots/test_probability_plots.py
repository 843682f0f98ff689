"""Reward curves and reliability curves show the numbers of their functions."""

import numpy as np
import pytest

from wager.metrics import evaluate_probabilities, information_reward, kononenko_bratko
from wager.plots import plot_reliability, plot_reward_curves


@pytest.mark.parametrize("prior", [[1 / 3] * 3, [0.1, 0.45, 0.45]])
def test_figure_1_all_rewards_cross_zero_at_the_prior(prior):
    """Hope & Korb (2004), Figures 1a and 1b."""
    ax = plot_reward_curves(prior, n_points=2000)
    curves = ax.get_lines()[:3]
    assert len({curve.get_label() for curve in curves}) == 3
    for curve in curves:
        x, y = curve.get_data()
        crossing = x[np.argmin(np.abs(y))]
        assert crossing == pytest.approx(prior[0], abs=1e-3)
        assert (np.diff(y) > 0).all()


def test_curves_are_those_of_the_functions():
    prior = [0.1, 0.45, 0.45]
    new, _, old = plot_reward_curves(prior, n_points=5).get_lines()[:3]
    report = [[0.3, 0.35, 0.35]]
    assert new.get_xdata()[1] == pytest.approx(0.3)
    assert new.get_ydata()[1] == pytest.approx(information_reward([0], report, prior))
    assert old.get_ydata()[1] == pytest.approx(kononenko_bratko([0], report, prior))


def test_another_class_may_be_true_and_another_base_be_used():
    ax = plot_reward_curves([0.2, 0.3, 0.5], 2, base=np.e)
    assert ax.get_ylabel() == "reward (nats)"
    line = ax.get_lines()[0]
    crossing = line.get_xdata()[np.argmin(np.abs(line.get_ydata()))]
    assert crossing == pytest.approx(0.5, abs=0.005)


def evaluation():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(3), 300)
    truth = (proba.cumsum(axis=1) < rng.random((300, 1))).sum(axis=1).clip(max=2)
    return evaluate_probabilities(np.array(["a", "b", "c"])[truth], proba, n_bins=8)


def test_the_curve_of_the_predicted_class_is_that_of_its_bins():
    result = evaluation()
    ax = plot_reliability(result)
    bins = result.reliability_top_label
    filled = bins.weight[0] > 0
    x, y = ax.get_lines()[1].get_data()
    np.testing.assert_array_equal(x, bins.reported[0][filled])
    np.testing.assert_array_equal(y, bins.observed[0][filled])
    assert f"{result.top_label_calibration_error:.3f}" in ax.get_lines()[1].get_label()


def test_there_is_a_curve_for_every_class():
    ax = plot_reliability(evaluation(), of="classes")
    labels = [line.get_label() for line in ax.get_lines()]
    assert labels[0] == "calibrated"
    assert [label[0] for label in labels[1:]] == ["a", "b", "c"]


def test_other_curves_are_refused():
    with pytest.raises(ValueError, match="'top-label' or 'classes', got 'all'"):
        plot_reliability(evaluation(), of="all")
