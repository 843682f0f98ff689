"""Cases in which a comparison would be easy to get wrong."""

import numpy as np
import pytest

from tests.replications import replications
from wager.compare import (
    break_even,
    dominance,
    head_to_head,
    least_variance_winner,
    mcnemar,
    paired_probabilities,
)
from wager.rewards import PairedTally, Tally


def test_classes_that_only_one_classifier_names_belong_to_both():
    y = [0, 1] * 20
    paired = PairedTally.of(y, y, [[0, 1, 2]] * 40)
    assert paired.n_classes == 3
    assert paired.difference("u65").mean == pytest.approx(1 - 7 / 15)
    found = head_to_head(y, {"A": [1, 0] * 20, "B": [[2, 3, 4]] * 40, "C": y})
    assert found.n_classes == 5
    assert [found.score(name, "u65").value for name in "ABC"] == [0, 0, 1]
    assert found.recommended == "C"


def test_two_rows_of_labels_decide_nothing():
    found = head_to_head([0, 0], {"A": [0, 0], "B": [1, 1]})
    assert found.recommended is None
    assert "do not distinguish A from B" in found.recommendation


def test_equal_scores_on_different_rows_are_not_equal_in_every_row():
    a = Tally.of([0] * 10, [0] * 7 + [1] * 3, classes=[0, 1])
    b = Tally.of([0] * 100, [0] * 70 + [1] * 30, classes=[0, 1])
    assert break_even(a, b).verdict.startswith("the data do not distinguish A from B")


def test_known_distributions_get_a_fact_and_not_a_test():
    plain = Tally.from_distribution([(1, True, 0.75), (1, False, 0.25)], 2)
    worse = Tally.from_distribution([(1, True, 0.7), (2, True, 0.05), (1, False, 0.25)], 2)
    found = dominance(plain, worse)
    assert found.p == 0
    assert found.verdict == "everyone who is averse or neutral to risk prefers A to B"


def test_a_star_in_the_middle_of_the_range_is_in_the_recommendation():
    # the lead is significant for u(0.5) in the middle, but at neither end
    rng = np.random.default_rng(0)
    for _ in range(replications(400)):
        counts = rng.integers(0, 12, 6)
        outcomes = np.array(
            [[2, 1, 1, 1], [2, 1, 1, 0], [1, 1, 2, 1], [1, 0, 2, 1], [1, 1, 1, 0], [1, 1, 1, 1]]
        )
        paired = PairedTally(3, outcomes, counts + 1)
        even = break_even(paired)
        for low, high, side in even.decided:
            middle = (low + high) / 2
            lead = paired.difference(middle).mean
            assert np.sign(lead) == side
            assert paired.difference(middle).p < 0.05


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1e20])
def test_the_scale_of_weights_does_not_matter(scale):
    rng = np.random.default_rng(0)
    y, p, w = rng.integers(0, 2, 60), rng.integers(0, 2, 60), rng.integers(1, 11, 60)
    plain, scaled = (
        Tally.of(y, p, sample_weight=w * s).estimate("u50").interval() for s in (1.0, scale)
    )
    assert scaled == pytest.approx(plain, abs=1e-6)


def test_a_loss_that_was_never_seen_is_allowed_for():
    y, a, b = [0] * 30, [[0.99, 0.01]] * 30, [[0.9, 0.1]] * 30
    unbounded = paired_probabilities(y, a, b, classes=[0, 1])
    assert unbounded.verdict.startswith("in these rows A has the lower log loss")
    assert "pass clip=" in unbounded.verdict
    clipped = paired_probabilities(y, a, b, classes=[0, 1], clip=1e-6)
    assert clipped.verdict.startswith("no significant difference")
    low, high = clipped.interval
    assert low < 0 < high


def test_the_clipped_test_keeps_its_level_where_a_rare_loss_decides():
    rng = np.random.default_rng(1)
    n, runs = 50, 200
    a, b = [[0.99, 0.01]] * n, [[0.9, 0.1]] * n
    rejected = 0
    for _ in range(runs):  # both have the same expected log loss
        y = (rng.random(n) < 0.0397).astype(int)
        rejected += paired_probabilities(y, a, b, classes=[0, 1], clip=1e-3).p < 0.05
    assert rejected / runs <= 0.06


def test_the_largest_mean_with_the_least_variance_wins_without_a_caveat():
    better = Tally(np.array([[0, 0], [5, 95], [0, 0]]))
    worse = Tally(np.array([[0, 0], [6, 94], [0, 0]]))
    found = least_variance_winner({"a": better, "b": worse})
    assert found.winner == "a"
    assert "its expected reward is the largest" in found.verdict


def test_too_many_counts_are_refused():
    with pytest.raises(ValueError, match="rows can be counted"):
        Tally.of([0, 1], [0, 1], counts=[2**62, 1])


def test_an_outcome_is_plain_data_with_its_details():
    found = mcnemar([1] * 9 + [0], [1] * 4 + [0] * 6)
    data = found.to_dict()
    assert data["p"] == found.p == pytest.approx(2 / 2**5)  # five rows, all won by the first
    assert data["verdict"] == found.verdict
    assert data.items() >= found.details.items()
