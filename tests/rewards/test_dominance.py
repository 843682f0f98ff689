from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given

from tests.rewards.strategies import concave_utilities, tallies, utilities
from wager.compare import objective_winner
from wager.rewards import Tally, first_order_dominates, same_law, second_order_dominates


def law(tally: Tally) -> dict[Fraction, Fraction]:
    chances: dict[Fraction, Fraction] = {}
    for size, hit, count in zip(*tally.cells, strict=True):
        reward = Fraction(1, int(size)) if hit else Fraction(0)
        chances[reward] = chances.get(reward, Fraction(0)) + Fraction(int(count), int(tally.n))
    return chances


def capped_mean(chances: dict[Fraction, Fraction], cap: Fraction) -> Fraction:
    return sum(min(x, cap) * p for x, p in chances.items())


def tail(chances: dict[Fraction, Fraction], level: Fraction) -> Fraction:
    return sum(p for x, p in chances.items() if x >= level)


@given(tallies(n_classes=4), tallies(n_classes=4))
def test_second_order_dominance_is_a_larger_mean_under_every_cap(a, b):
    first, second = law(a), law(b)
    caps = [Fraction(1, k) for k in range(1, 5)]
    expected = all(capped_mean(first, c) >= capped_mean(second, c) for c in caps)
    assert second_order_dominates(a, b) is expected


@given(tallies(n_classes=4), tallies(n_classes=4))
def test_first_order_dominance_is_a_larger_chance_of_every_reward(a, b):
    first, second = law(a), law(b)
    levels = [Fraction(1, k) for k in range(1, 5)]
    expected = all(tail(first, x) >= tail(second, x) for x in levels)
    assert first_order_dominates(a, b) is expected


@given(tallies(n_classes=3, max_count=3), tallies(n_classes=3, max_count=3), concave_utilities())
def test_every_risk_averse_user_agrees_with_second_order_dominance(a, b, u):
    assume(second_order_dominates(a, b))
    assert a.expected_utility(u) >= b.expected_utility(u) - 1e-12


@given(tallies(n_classes=3, max_count=3), tallies(n_classes=3, max_count=3), utilities())
def test_every_user_agrees_with_first_order_dominance(a, b, u):
    assume(u.is_increasing(3))
    assume(first_order_dominates(a, b))
    assert a.expected_utility(u) >= b.expected_utility(u) - 1e-12
    assert second_order_dominates(a, b)


@given(tallies(n_classes=5), tallies(n_classes=5))
def test_the_verdict_turns_with_the_order(a, b):
    turned = {"a": "b", "b": "a", "equal": "equal", "none": "none"}
    assert objective_winner(b, a) == turned[objective_winner(a, b)]


@given(tallies())
def test_proportional_tallies_are_equal_with_weights_as_with_counts(tally):
    weighted = Tally(tally.table * 0.1)
    tripled = tally + tally + tally
    assert same_law(tally, weighted)
    assert objective_winner(tally, tripled) == objective_winner(weighted, tally) == "equal"


def test_misses_of_any_size_earn_the_same():
    small, large = (Tally.of([0], [[False, True, also]]) for also in (False, True))
    assert small != large
    assert objective_winner(small, large) == "equal"


def test_the_smallest_difference_counts():
    n = 10**12
    a = Tally(np.array([[0, 0], [n, n + 1], [0, 0]]))
    b = Tally(np.array([[0, 0], [n, n], [0, 0]]))
    assert objective_winner(a, b) == "a"


def test_problems_with_different_numbers_of_classes_can_be_compared():
    pair, triple = (Tally.of([0], [[True] * n_classes]) for n_classes in (2, 3))
    assert objective_winner(pair, triple) == "a"


def test_empty_tallies_cannot_be_compared():
    with pytest.raises(ValueError, match="no prediction to score"):
        objective_winner(Tally.empty(2), Tally.of([0], [[True, True]]))
