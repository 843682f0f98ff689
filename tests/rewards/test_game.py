"""The value of the betting game, with Theorem 1 of Zaffalon, Corani & Mauá (2012) as a case."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from wager.rewards import extended_reward_matrix, game_value

amounts = st.integers(-20, 20).map(lambda i: i / 4)


@st.composite
def reward_matrices(draw):
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    cells = draw(st.lists(amounts, min_size=rows * columns, max_size=rows * columns))
    return np.array(cells).reshape(rows, columns)


@given(reward_matrices())
def test_both_strategies_prove_the_value(rewards):
    game = game_value(rewards)
    for side in (game.bet, game.distribution):
        assert side.min() >= 0
        assert side.sum() == pytest.approx(1)
    assert (game.bet @ rewards).min() == pytest.approx(game.value, abs=1e-9)
    assert (rewards @ game.distribution).max() == pytest.approx(game.value, abs=1e-9)


@given(reward_matrices(), st.integers(0, 2**16))
def test_no_other_strategy_does_better(rewards, seed):
    game = game_value(rewards)
    random = np.random.default_rng(seed)
    bets = random.dirichlet(np.full(len(rewards), 0.5), 200)
    chances = random.dirichlet(np.full(rewards.shape[1], 0.5), 200)
    assert (bets @ rewards).min(axis=1).max() <= game.value + 1e-9
    assert (chances @ rewards.T).max(axis=1).min() >= game.value - 1e-9


@given(reward_matrices(), st.sampled_from([1e-8, 1e-3, 1e8]), amounts)
def test_the_value_has_the_unit_of_the_rewards(rewards, unit, shift):
    value = game_value(rewards).value
    scaled = game_value(unit * (rewards + shift)).value
    assert scaled == pytest.approx(unit * (value + shift), abs=1e-9 * unit)


@given(reward_matrices())
def test_house_sees_the_same_game_from_the_other_side(rewards):
    assert game_value(-rewards.T).value == pytest.approx(-game_value(rewards).value, abs=1e-9)


@pytest.mark.parametrize("k", [1, 2, 3, 7, 40])
def test_theorem_1_a_set_of_k_classes_is_worth_one_over_k(k):
    game = game_value(np.eye(k))
    assert game.value == pytest.approx(1 / k)
    np.testing.assert_allclose(game.bet, 1 / k)
    np.testing.assert_allclose(game.distribution, 1 / k)
    if k <= 7:  # the row of the set in the extended matrix, on its own classes
        assert extended_reward_matrix(k)[-1] == pytest.approx(game.value)


def test_theorem_1_on_a_subset_uses_its_rows_and_columns():
    chosen = [0, 2, 3]
    assert game_value(np.eye(5)[np.ix_(chosen, chosen)]).value == pytest.approx(1 / 3)
    # House may otherwise choose a class outside the set, and the bettor secures nothing
    assert game_value(np.eye(5)[chosen]).value == pytest.approx(0)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=6))
def test_rewards_on_the_diagonal_have_a_closed_form(gains):
    weights = 1 / np.array(gains)
    game = game_value(np.diag(gains))
    assert game.value == pytest.approx(1 / weights.sum())
    np.testing.assert_allclose(game.bet, weights / weights.sum(), atol=1e-9)


def test_sets_with_a_risk_averse_reward_are_worth_more_than_their_mixtures():
    assert game_value(extended_reward_matrix(3)).value == pytest.approx(1 / 3)
    averse = game_value(extended_reward_matrix(3, "u65"))
    assert averse.value == pytest.approx(1.6 / 3 - 0.6 / 9)  # u65(1/3): bet on the full set
    assert averse.bet[-1] == pytest.approx(1)


def test_the_solution_prints_and_converts():
    game = game_value([[2, 0], [0, 1]])
    assert float(game) == pytest.approx(2 / 3)
    assert str(game).startswith("value 0.666667: bet (0.3333, 0.6667)")


@pytest.mark.parametrize(
    ("rewards", "words"),
    [
        ([], r"one row per bet and one column per class, got shape \(0,\)"),
        ([1, 2], r"got shape \(2,\)"),
        ([[1, np.nan]], "rewards must be finite, got nan in row 0, column 1"),
        ([["a"]], "rewards must be a matrix of numbers"),
    ],
)
def test_wrong_rewards_are_refused(rewards, words):
    with pytest.raises(ValueError, match=words):
        game_value(rewards)
