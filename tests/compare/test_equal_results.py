"""Results of comparisons can be compared, and stay what they are when more is asked of them."""

import numpy as np
import pytest

import wager
from wager import compare

RNG = np.random.default_rng(0)
Y, A, B, POINTS = RNG.integers(0, 3, (4, 40))
SETS = (RNG.random((40, 3)) < 0.6) | np.eye(3, dtype=bool)[POINTS]
SCORES = RNG.random((10, 3))
TALLIES = {"A": wager.Tally.of(Y, A), "B": wager.Tally.of(Y, SETS)}
CONFIDENCE = np.linspace(0, 1, 40)


def _read_comparison():
    found = wager.head_to_head(Y, {"A": A, "B": SETS})
    found.difference("A", "B", "u65")
    return found


def _read_selective():
    both = [wager.evaluate_selective(Y, A, c) for c in (CONFIDENCE, CONFIDENCE[::-1])]
    found = compare.compare_selective(*both)
    assert found.differences
    return found


MADE = {
    "outcome": lambda: wager.friedman(SCORES),
    "comparison": _read_comparison,
    "selective comparison": _read_selective,
    "least variance": lambda: wager.least_variance_winner(TALLIES),
    "rank comparison": lambda: wager.nemenyi(SCORES),
    "over data sets": lambda: compare.over_datasets({"u65": SCORES}),
    "risk profile": lambda: wager.risk_profile(TALLIES),
    "sequence": lambda: wager.sequential(Y, A, SETS),
    "ordered classes": lambda: wager.evaluate_ordered(Y, SETS, class_order=[0, 1, 2]),
    "worst slice": lambda: wager.rewards.worst_slice(Y, SETS, np.column_stack([A, B])),
}


@pytest.mark.parametrize("name", MADE)
def test_results_of_the_same_call_are_equal(name):
    if name != "selective comparison":  # its parts have no equality of their own
        assert MADE[name]() == MADE[name]()


def test_results_of_other_numbers_are_not_equal():
    assert wager.nemenyi(SCORES) != wager.nemenyi(SCORES[:, ::-1])
    assert wager.risk_profile(TALLIES, grid=[0.5, 0.6]) != wager.risk_profile(
        TALLIES, grid=[0.5, 0.7]
    )


def test_costs_are_no_family_after_their_break_even_point():
    found = wager.head_to_head(Y, {"A": A, "B": SETS}, costs=1 - np.eye(3))
    found.cost_break_even("A", "B")
    with pytest.raises(ValueError, match="unknown family"):
        found.break_even("A", "B", family="average_cost")
