"""Ordered classes: rewards by width and distance, and measures of sets as intervals of ranks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from tests.fewer import fewer
from tests.rewards.strategies import labelled_sets
from wager import metrics
from wager.costs import CostMatrix, SetRewards, average_cost, evaluate_ordered
from wager.rewards import Tabulated, get_utility

ORDER = ["low", "mid", "high"]


def slow_rows(y, sets):
    """Width, gap, distance and distance from the ends of each row, from the definitions."""
    K = sets.shape[1]
    for truth, row in zip(y, sets, strict=True):
        members = [i for i in range(K) if row[i]]
        if not members:
            yield np.nan, np.nan, K - 1, K - 1
            continue
        low, high = min(members), max(members)
        outside = max(low - truth, truth - high, 0)
        yield (
            high - low,
            len(members) == high - low + 1,
            min(abs(m - truth) for m in members),
            outside,
        )


@given(labelled_sets(), st.sampled_from([0.1, 0.5, 1.0]))
@fewer(12)
def test_measures_follow_their_definitions(data, alpha):
    y, sets = data
    known = {"classes": range(sets.shape[1])}
    width, whole, distance, outside = np.array(list(slow_rows(y, sets)), dtype=float).T
    some = ~np.isnan(width)
    score = np.where(some, np.nan_to_num(width), 0) + 2 / alpha * outside
    nan = float("nan")
    slow = {
        "contiguity_rate": whole[some].mean() if some.any() else nan,
        "mean_width": width[some].mean() if some.any() else nan,
        "mean_distance_to_set": distance.mean(),
        "ordinal_interval_score": score.mean(),
    }
    found = evaluate_ordered(y, sets, alpha=alpha, **known)
    for name, value in slow.items():
        assert found[name] == pytest.approx(value, nan_ok=True)
    assert metrics.contiguity_rate(sets, **known) == pytest.approx(
        found["contiguity_rate"], nan_ok=True
    )
    assert metrics.mean_width(sets, **known) == pytest.approx(found["mean_width"], nan_ok=True)
    assert metrics.mean_distance_to_set(y, sets, **known) == pytest.approx(distance.mean())
    own = metrics.ordinal_interval_score(y, sets, alpha=alpha, **known)
    assert own == pytest.approx(score.mean())


@given(
    labelled_sets(),
    st.sampled_from(["u50", "u65", "f1"]),
    st.integers(0, 4),
    st.sampled_from([1, 2]),
)
@fewer(8)
def test_rewards_follow_width_and_distance(data, utility, penalty, power):
    y, sets = data
    rewards = SetRewards.ordered(range(sets.shape[1]), utility, penalty=penalty / 4, power=power)
    u = get_utility(utility)
    slow = []
    for (width, _, distance, _), truth, row in zip(slow_rows(y, sets), y, sets, strict=True):
        hit = row[truth]
        slow.append(float(u(1 / (width + 1))) if hit else -penalty / 4 * distance**power)
    np.testing.assert_allclose(rewards.of(sets, y, classes=range(sets.shape[1])), slow, atol=1e-12)
    assert (rewards.ranges[y, 0] <= np.array(slow) + 1e-12).all()
    assert (np.array(slow) <= rewards.ranges[y, 1] + 1e-12).all()


def test_the_interval_score_is_smallest_for_the_central_interval():
    """Gneiting & Raftery (2007, Eq. 43): the interval between the quantiles is best."""
    proba = np.array([0.05, 0.15, 0.4, 0.25, 0.1, 0.05])
    alpha, K = 0.3, 6
    runs = [range(low, high) for low in range(K) for high in range(low + 1, K + 1)]
    score = [
        sum(p * metrics.ordinal_interval_score([c], [list(run)], alpha=alpha, class_order=range(K))
            for c, p in enumerate(proba))
        for run in runs
    ]  # fmt: skip
    total = proba.cumsum()
    low, high = (int((total >= level).argmax()) for level in (alpha / 2, 1 - alpha / 2))
    assert list(runs[int(np.argmin(score))]) == list(range(low, high + 1))


def test_single_predictions_have_the_mean_absolute_error_of_ordinal_costs():
    rng = np.random.default_rng(0)
    truth, predicted = (np.array(ORDER)[rng.integers(3, size=40)] for _ in range(2))
    found = metrics.mean_distance_to_set(truth, predicted, class_order=ORDER)
    assert found == pytest.approx(average_cost(truth, predicted, CostMatrix.ordinal(ORDER)))


def test_numbers_computed_by_hand():
    found = evaluate_ordered([1, 2, 4, 5], [[1], [2, 3], [2, 3], [3, 5]], alpha=0.5)
    # widths 0, 1, 1, 2; distances 0, 0, 1, 0; scores 0, 1, 1 + 4, 2
    assert found.values == {
        "coverage": 0.75,
        "contiguity_rate": 0.75,
        "mean_width": 1.0,
        "mean_distance_to_set": 0.25,
        "ordinal_interval_score": 2.0,
    }
    error = np.std([0, 1, 1, 2], ddof=1) / 2
    assert found.estimates["mean_width"].standard_error == pytest.approx(error)
    assert found.to_dict()["rows"] == 4
    assert found.to_frame().loc["coverage", "value"] == 0.75


# -- the order of classes --


def test_ordered_categories_give_the_order():
    kind = pd.CategoricalDtype(ORDER, ordered=True)
    truth = pd.Series(["low", "high"], dtype=kind)
    sets = [["low", "high"], ["mid"]]
    assert metrics.mean_distance_to_set(truth, sets) == 0.5
    assert metrics.contiguity_rate(sets, class_order=kind) == 0.5
    assert evaluate_ordered(truth, sets).class_order.tolist() == ORDER
    assert SetRewards.ordered(pd.Categorical(ORDER, ORDER, ordered=True)).classes.tolist() == ORDER


def test_the_order_of_names_must_be_given():
    plain = pd.Series(["low", "high"], dtype="category")
    for truth in (["low", "high"], plain):
        with pytest.raises(
            ValueError, match="order of the classes 'high', 'low' is not known: pass"
        ):
            metrics.mean_distance_to_set(truth, [["low"], ["high"]])
    with pytest.raises(ValueError, match="is not known: pass class_order="):
        metrics.contiguity_rate([["low"]])


def test_unnamed_columns_need_the_sorted_order():
    with pytest.raises(ValueError, match="sorted"):
        metrics.mean_width([[True, False, True]], class_order=ORDER)
    width = metrics.mean_width([[True, False, True]], class_order=ORDER, classes=sorted(ORDER))
    assert width == 1.0  # high, low, mid: the columns of high and mid


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SetRewards.ordered(ORDER, penalty=-1), "penalty must be finite and not negative"),
        (lambda: SetRewards.ordered(ORDER, power=0), "power of a distance must be positive"),
        (lambda: SetRewards.ordered(ORDER, lambda x: -x), "a hit by a set of width 1 must not be"),
        (lambda: evaluate_ordered([1], [1], alpha=0, class_order=[1, 2]), "alpha, the nominal"),
        (lambda: evaluate_ordered([1], [1, 2], class_order=[1, 2]), "2 predictions but 1 true"),
        (lambda: evaluate_ordered([], [], class_order=[1, 2]), "no prediction to score"),
        (lambda: metrics.mean_width([], class_order=[1, 2]), "no prediction to score"),
    ],
)
def test_wrong_arguments_are_explained(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_a_wide_hit_may_be_worth_no_more_than_a_miss():
    rewards = SetRewards.ordered(ORDER, Tabulated((1, 0.5, 0)))
    assert rewards.reward(ORDER, "mid") == rewards.reward(["low"], "high") == 0
    with pytest.raises(ValueError, match="a hit by a set of width 3 must not be worth less"):
        SetRewards.ordered(ORDER, Tabulated((1, 0, -0.5)))


def test_rewards_are_called_by_their_utility_and_penalty():
    assert SetRewards.ordered(ORDER, "u65").rule.name == "u65 by width"
    line = SetRewards.ordered(ORDER, "u65", penalty=0.5)
    assert line.rule.name == "u65 by width, minus 0.5 x distance"
    square = SetRewards.ordered(ORDER, "u65", penalty=0.5, power=2)
    assert square.rule.name == "u65 by width, minus 0.5 x distance^2"
