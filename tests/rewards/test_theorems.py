"""The theorem, the propositions and the example of Zaffalon, Corani & Mauá (2012), as laws."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.rewards.strategies import concave_utilities, mean_reward, tallies
from wager.compare import objective_winner
from wager.rewards import (
    SET_SCORES,
    Exponential,
    Quadratic,
    Tally,
    all_sets,
    extended_reward_matrix,
    second_order_dominates,
)

shares = st.lists(st.integers(0, 20), min_size=1, max_size=6).filter(any)


@given(shares, shares)
def test_theorem_1_no_strategy_secures_more_than_one_over_k_and_the_uniform_one_secures_it(
    bettor, house
):
    k = len(bettor)
    strategy = [Fraction(s, sum(bettor)) for s in bettor]
    assert min(strategy) <= Fraction(1, k)  # house then puts all chance on that class
    chances = [Fraction(s, sum(house)) for s in (house * k)[:k]]
    if sum(chances):
        uniform = sum(Fraction(1, k) * c for c in chances) / sum(chances)
        assert uniform == Fraction(1, k)
    full = extended_reward_matrix(k)[-1]
    np.testing.assert_allclose(full, 1 / k)


@given(st.integers(1, 6))
def test_theorem_1_every_set_earns_what_its_random_bettor_earns_whatever_the_truth(n_classes):
    matrix = extended_reward_matrix(n_classes)
    singles = matrix[:n_classes]
    for row, chosen in zip(matrix, all_sets(n_classes), strict=True):
        np.testing.assert_allclose(row, singles[list(chosen)].mean(axis=0))


@given(st.integers(2, 6), shares, concave_utilities())
def test_proposition_1_the_vacuous_earns_as_much_as_the_random_and_is_worth_more(n, chances, u):
    theta = [Fraction(c, sum(chances)) for c in chances]
    right = sum(Fraction(1, n) * p for p in theta)
    random = Tally.from_distribution([(1, True, right), (1, False, 1 - right)], n)
    vacuous = Tally.from_distribution([(n, True, 1)], n)
    assert mean_reward(random) == mean_reward(vacuous) == Fraction(1, n)
    assert vacuous.expected_utility(u) >= random.expected_utility(u) - 1e-12
    for strict in (Quadratic(0.65), Exponential(1.0)):
        assert vacuous.expected_utility(strict) > random.expected_utility(strict)
    assert objective_winner(vacuous, random) == "a"


@given(tallies(), concave_utilities())
def test_proposition_2_a_credal_classifier_beats_a_precise_one_of_equal_reward(credal, u):
    mean = mean_reward(credal)
    outcomes = [(1, True, mean), (1, False, 1 - mean)]
    precise = Tally.from_distribution(outcomes, credal.n_classes)
    assert credal.expected_utility(u) >= precise.expected_utility(u) - 1e-12
    assert second_order_dominates(credal, precise)
    # Eq. (3), and strictly only if some indeterminate prediction succeeds
    f, g = credal.decompose(), precise.decompose()
    delta = precise.moments().variance - credal.moments().variance
    assert delta == pytest.approx(g.determinate - f.determinate - f.indeterminate_square)
    verdict = "a" if credal.table[2:, 1].any() else "equal"
    assert objective_winner(credal, precise) == verdict


@st.composite
def vacuous_when_indeterminate(draw):
    """Two classifiers of equal reward that name one class or all; the first is less determinate."""
    n = draw(st.integers(2, 6))
    wrong, right, full = (draw(st.integers(1, 9)) for _ in range(3))
    total = wrong + right + full
    moved = Fraction(draw(st.integers(1, 100)), 100) * min(full, Fraction(n * wrong, n))
    # the same reward from fewer full sets: 1/n of what they lose becomes right, the rest wrong
    f = [(1, False, wrong), (1, True, right), (n, True, full)]
    g = [
        (1, False, wrong + moved * (n - 1) / n),
        (1, True, right + moved / n),
        (n, True, full - moved),
    ]
    return n, *(
        Tally.from_distribution([(k, hit, Fraction(c) / total) for k, hit, c in law], n)
        for law in (f, g)
    )


@given(vacuous_when_indeterminate(), concave_utilities())
def test_proposition_3_the_less_determinate_wins_if_indeterminate_means_vacuous(pair, u):
    n, f, g = pair
    assert mean_reward(f) == mean_reward(g)
    gap = SET_SCORES["determinacy"](g) - SET_SCORES["determinacy"](f)
    delta = g.moments().variance - f.moments().variance
    assert delta == pytest.approx((n - 1) / n**2 * gap)
    assert f.expected_utility(u) >= g.expected_utility(u) - 1e-12
    assert objective_winner(f, g) == "a"


@given(
    st.lists(st.integers(4, 30), min_size=5, max_size=5), st.integers(1, 100), concave_utilities()
)
def test_example_1_with_more_classes_the_more_determinate_may_win(counts, step, u):
    outcomes = [(1, False), (1, True), (2, False), (2, True), (3, True)]
    total = sum(counts)
    g = {o: Fraction(c, total) for o, c in zip(outcomes, counts, strict=True)}
    epsilon = Fraction(step, 100) * min(g[1, False] / 2, g[2, True] / 2)
    moves = {(1, True): 1, (1, False): -2, (2, True): -2, (2, False): 3}
    f = {o: p + moves.get(o, 0) * epsilon for o, p in g.items()}
    first, second = (
        Tally.from_distribution([(*o, p) for o, p in law.items()], 3) for law in (f, g)
    )
    e = float(epsilon)
    assert mean_reward(first) == mean_reward(second)
    assert first.moments().second_moment - second.moments().second_moment == pytest.approx(e / 2)
    more = {name: SET_SCORES[name](first) - SET_SCORES[name](second) for name in SET_SCORES}
    assert more["determinacy"] == pytest.approx(-e)
    assert more["mean_set_size"] == pytest.approx(e)  # the paper prints 4 epsilon
    assert objective_winner(first, second) == "b"
    assert second.expected_utility(u) >= first.expected_utility(u) - 1e-12


def test_equal_means_and_smaller_variance_do_not_make_a_winner_for_every_user():
    f = Tally(np.array([[0, 0], [3, 2], [0, 6], [0, 1]]))
    g = Tally(np.array([[0, 0], [2, 3], [0, 0], [0, 7]]))
    assert mean_reward(f) == mean_reward(g) == Fraction(4, 9)
    assert f.moments().variance < g.moments().variance
    u = Exponential(3, normalized=True)
    assert f.expected_utility(u) == pytest.approx(0.6309, abs=5e-5)
    assert g.expected_utility(u) == pytest.approx(0.6381, abs=5e-5)
    assert objective_winner(f, g) == "none"
