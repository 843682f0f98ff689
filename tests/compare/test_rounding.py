"""Classifiers that earn the same are equal, whatever the unit of the weights and the order of rows.

Sums of weights differ in their last digits if rows are added up in another order, and so do the
scores of classifiers that are equal.  No sentence, sign or choice may depend on that.
"""

import numpy as np
import pytest

from wager.compare import (
    PairedCosts,
    break_even,
    break_even_accuracy,
    break_even_weight,
    compare_probabilities,
    head_to_head,
    indeterminate_gain,
    risk_profile,
    sample_size,
)
from wager.compare._recommendation import best_ranges
from wager.costs import CostMatrix, SetRewards, reward_difference
from wager.rewards import PairedTally, Tally

HALF = 120
UNITS = [1, 0.1, 3, 1 / 7, 1e-9]


def mirrored(seed, unit):
    """Rows, and two classifiers; each predicts in one half what the other predicts in the other."""
    rng = np.random.default_rng(0)
    truth = np.tile(rng.integers(0, 3, HALF), 2)
    weight = np.tile(rng.integers(1, 6, HALF), 2) * unit
    one = np.eye(3, dtype=bool)
    first, second = (
        (rng.random((HALF, 3)) < 0.4) | one[rng.integers(0, 3, HALF)] for _ in range(2)
    )
    a, b = np.concatenate([first, second]), np.concatenate([second, first])
    order = np.random.default_rng(seed).permutation(2 * HALF)
    return truth[order], a[order], b[order], weight[order]


CASES = [(seed, unit) for seed in range(3) for unit in UNITS]


@pytest.mark.parametrize(("seed", "unit"), CASES)
@pytest.mark.parametrize("family", ["quadratic", "exponential", "fbeta"])
def test_neither_of_two_equal_classifiers_is_ahead(seed, unit, family):
    truth, a, b, weight = mirrored(seed, unit)
    paired = PairedTally.of(truth, a, b, sample_weight=weight)
    assert "ahead" not in break_even(paired, family=family).verdict
    assert "ahead" not in break_even(paired.a, paired.b, family=family).verdict


@pytest.mark.parametrize("price", [1, 0.1, 1e-14, 1e9, 1e14])
@pytest.mark.parametrize(("seed", "unit"), CASES[:4])
def test_neither_of_two_that_cost_the_same_is_ahead_in_any_currency(seed, unit, price):
    truth, a, b, weight = mirrored(seed, unit)
    costs = CostMatrix(price * np.array([[0, 1, 4], [2, 0, 3], [1, 5, 0]]), [0, 1, 2])
    paired = PairedCosts.of(truth, a, b, sample_weight=weight, classes=[0, 1, 2])
    even = break_even(paired, family="p-discounted", costs=costs)
    assert even.value is None
    assert even.verdict == "the data do not distinguish A from B between r = 0 and 1"
    assert paired.amounts(costs).difference.mean == 0


@pytest.mark.parametrize(("seed", "unit"), CASES)
def test_the_difference_of_two_equal_classifiers_is_0(seed, unit):
    truth, a, b, weight = mirrored(seed, unit)
    paired = PairedTally.of(truth, a, b, sample_weight=weight)
    assert {paired.difference(u).mean for u in ("linear", "u65", "u80", 0.7)} == {0.0}
    table = head_to_head(truth, {"A": a, "B": b}, sample_weight=weight).difference_table()
    assert "-0.0000" not in [cell for row in table[1] for cell in row]


@pytest.mark.parametrize(("seed", "unit"), CASES)
def test_no_number_of_rows_decides_between_two_equal_classifiers(seed, unit):
    truth, a, b, weight = mirrored(seed, unit)
    plan = sample_size(PairedTally.of(truth, a, b, sample_weight=weight), "u65")
    assert plan.n == float("inf")
    assert "shows no difference" in plan.verdict


@pytest.mark.parametrize(("seed", "unit"), CASES)
def test_of_equal_classifiers_the_first_is_named_everywhere(seed, unit):
    truth, a, b, weight = mirrored(seed, unit)
    tallies = {
        name: Tally.of(truth, sets, sample_weight=weight) for name, sets in (("A", a), ("B", b))
    }
    assert [found.name for found in best_ranges(tallies)] == ["A"]
    for family in ("quadratic", "exponential"):
        assert set(risk_profile(tallies, family).best()) == {"A"}


@pytest.mark.parametrize(("seed", "unit"), CASES)
def test_a_gain_of_0_is_neither_more_nor_less(seed, unit):
    """Sets of both classes against guesses that are right for half of the weight."""
    order = np.random.default_rng(seed).permutation(2 * HALF)
    weight = np.random.default_rng(0).integers(1, 6, HALF).repeat(2)[order] * unit
    truth, sets = np.tile([0, 1], HALF)[order], np.ones((2 * HALF, 2), dtype=bool)
    guess = np.zeros(2 * HALF, dtype=int)
    gain = indeterminate_gain(truth, sets, guess, "linear", classes=[0, 1], sample_weight=weight)
    assert "it earns as much utility as the precise one (" in gain.verdict


@pytest.mark.parametrize("price", [1, 1e-9, 1e-14, 1e-100, 1e9])
@pytest.mark.parametrize("seed", range(3))
def test_the_weight_of_a_class_does_not_depend_on_the_unit_of_rewards(seed, price):
    truth, a, b, weight = mirrored(seed, 0.1)
    rewards = SetRewards.by_class("u65", classes=[0, 1, 2], weights=price * np.array([1.0, 2, 3]))
    paired = PairedCosts.of(truth, a, b, sample_weight=weight, classes=[0, 1, 2])
    assert "earn the same where 2 is true" in break_even_weight(paired, rewards, 2).verdict
    hits = np.eye(3, dtype=bool)[truth]
    worse = hits.copy()
    worse[(truth == 2) & (np.arange(2 * HALF) % 2 == 0)] = [True, False, False]
    worse[truth == 0] = [True, False, True]
    paired = PairedCosts.of(truth, worse, hits, sample_weight=weight, classes=[0, 1, 2])
    even = break_even_weight(paired, rewards, 2)
    assert even.verdict == "B earns more than A for every weight of the class 2"
    swapped = break_even_weight(paired.swap(), rewards, 2)
    assert swapped.verdict == "A earns more than B for every weight of the class 2"


@pytest.mark.parametrize(("seed", "unit"), CASES)
def test_a_break_even_accuracy_of_1_is_in_the_range(seed, unit):
    """Sets that hit in as much weight as the other classifier is right in, but in other rows."""
    weight = np.random.default_rng(0).integers(1, 6, HALF).repeat(2) * unit
    order = np.random.default_rng(seed).permutation(2 * HALF)
    even = np.arange(2 * HALF) % 2 == 0
    sets = np.where(even[:, None], [True, True, False], [False, True, True])
    truth, guess = np.zeros(2 * HALF, dtype=int), np.where(even, 1, 0)
    rows = [values[order] for values in (truth, sets, guess)]
    paired = PairedTally.of(*rows, classes=[0, 1, 2], sample_weight=weight[order])
    assert break_even_accuracy(paired).value == 1


@pytest.mark.parametrize(("seed", "unit"), CASES)
def test_probabilities_that_score_the_same_on_other_rows_do_not_differ(seed, unit):
    rng = np.random.default_rng(0)
    truth, weight = np.tile(np.arange(3), 80), rng.integers(1, 6, HALF).astype(float)
    first, second = rng.dirichlet([1, 1, 1], HALF), rng.dirichlet([1, 1, 1], HALF)
    order = np.random.default_rng(seed).permutation(2 * HALF)
    probabilities = {"A": np.concatenate([first, second]), "B": np.concatenate([second, first])}
    found = compare_probabilities(
        truth[order],
        {name: rows[order] for name, rows in probabilities.items()},
        sample_weight=np.tile(weight, 2)[order] * unit,
    )
    pair = found.pairs["A", "B"]
    assert {pair.difference(score).value for score in ("log_loss", "brier", "accuracy")} == {0.0}


@pytest.mark.parametrize("forbidden", [1e12, 1e15, 1e30])
def test_costs_that_never_occur_do_not_make_others_a_rounding_error(forbidden):
    """A mistake that must never happen, and does not, has a cost that stands for infinity."""
    costs = CostMatrix([[0, 5, 5], [1, 0, 5], [forbidden, forbidden, 0]], ["a", "b", "c"])
    y = ["a"] * 500 + ["b"] * 500
    first, second = (["a"] * n + ["b"] * (1000 - n) for n in (480, 300))
    found = head_to_head(
        y, {"first": first, "second": second}, costs=costs, classes=["a", "b", "c"]
    )
    assert found.cost_difference("first", "second").effect == pytest.approx(-0.18)
    assert "cost the same" not in found.recommendation
    assert "first is ahead" in found.cost_break_even("first", "second").verdict
    rewards = SetRewards.by_class("u65", {"a": 1, "b": 1, "c": forbidden})
    assert reward_difference(y, first, second, rewards).mean == pytest.approx(0.18)
