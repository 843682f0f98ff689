"""Break-even points along the accuracy of a person, and along the weight of a class."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.fewer import fewer
from tests.rewards.strategies import labelled_sets
from wager.compare import PairedCosts, break_even, break_even_accuracy, break_even_weight
from wager.costs import SetRewards
from wager.rewards import PairedTally, human_score, human_utility

Y = [0] * 1000
PLAIN = [0] * 860 + [1] * 140
CAUTIOUS = [[0]] * 600 + [[0, 1]] * 400


@pytest.mark.parametrize("cost", [0.0, 0.05, 0.2])
def test_at_the_break_even_accuracy_both_are_worth_the_same(cost):
    paired = PairedTally.of(Y, CAUTIOUS, PLAIN)
    even = break_even_accuracy(paired, cost=cost)
    person = human_utility({2: even.value}, cost=cost)
    assert paired.a.score(human_score(person)).value == pytest.approx(0.86)
    assert even.value == pytest.approx(0.65 + cost)


def test_without_cost_it_is_the_break_even_utility_of_two_classes():
    paired = PairedTally.of(Y, CAUTIOUS, PLAIN)
    accuracy, utility = break_even_accuracy(paired), break_even(paired)
    assert accuracy.value == pytest.approx(utility.value)
    low, high = accuracy.interval
    # Fieller's interval by hand: where (600 + 400 x - 860) / 1000 is within its margin of error
    for x in (low, high):
        gap = np.array([0.0] * 600 + [x - 1] * 260 + [x] * 140)
        assert abs(gap.mean()) == pytest.approx(1.9623 * gap.std(ddof=1) / 1000**0.5, rel=1e-3)


def test_the_interval_of_the_accuracy_covers():
    """In 1,000 samples the 95% interval covers in 92.5% to 98.5%."""
    rng = np.random.default_rng(3)
    law = np.array([0.5, 0.05, 0.28, 0.12, 0.05])  # cells of (size, hit, size, hit)
    cells = np.array([[1, 1, 1, 1], [1, 0, 1, 0], [2, 1, 1, 1], [2, 1, 1, 0], [2, 0, 1, 0]])
    true = 0.28 / 0.4
    covered = 0
    for counts in rng.multinomial(200, law, size=1000):
        even = break_even_accuracy(PairedTally(3, cells, counts))
        covered += even.interval[0] <= true <= even.interval[1]
    assert 925 <= covered <= 985


def test_accuracies_that_cannot_decide_are_said_to():
    always = break_even_accuracy(PairedTally.of(Y, [[0]] * 990 + [[0, 1]] * 10, [1] * 1000))
    assert always.interval is None
    assert always.verdict.endswith("better than B, however often the person is right")
    never = break_even_accuracy(PairedTally.of(Y, [[1]] * 900 + [[0, 1]] * 100, [0] * 1000))
    assert never.value is None
    assert never.verdict.endswith("to a person, even if the person is always right")
    nothing = break_even_accuracy(PairedTally.of(Y, [[0]] * 1000, PLAIN))
    assert nothing.verdict.startswith("no set of several classes by A contains the true class")
    few = break_even_accuracy(PairedTally.of([0] * 4, [[0, 1], [0], [0], [1]], [0, 0, 1, 0]))
    assert few.interval == (0, 1)
    assert few.verdict == (
        "the data do not decide whether handing the sets of A to a person is better than B, for "
        "any accuracy of the person"
    )
    y, plain = [0] * 200, [0] * 190 + [1] * 10
    high = break_even_accuracy(PairedTally.of(y, [[0]] * 150 + [[0, 1]] * 50, plain), cost=0.2)
    assert high.verdict.endswith(
        "% of the sets that contain the true class; above the data do not decide"
    )
    assert high.decided == [(0.0, high.interval[0], -1)]
    plain = [0] * 152 + [1] * 48
    low = break_even_accuracy(PairedTally.of(y, [[0]] * 150 + [[0, 1]] * 50, plain))
    assert low.interval[0] == 0
    assert low.verdict.endswith(
        "% of the sets that contain the true class; below the data do not decide"
    )


def test_sides_are_those_of_the_interval():
    even = break_even_accuracy(PairedTally.of(Y, CAUTIOUS, PLAIN))
    low, high = even.interval
    assert even.decided == [(0.0, low, -1), (high, 1.0, 1)]
    assert f"in more than {100 * high:.1f}% of" in even.verdict
    assert f"and worse below {100 * low:.1f}%; in between the data do not decide" in even.verdict


# -- the weight of a class --


@given(labelled_sets(min_rows=3), st.sampled_from(["u50", "u65", "u80"]))
@fewer(8)
def test_at_the_break_even_weight_both_earn_the_same(data, utility):
    y, sets = data
    K = sets.shape[1]
    plain = np.eye(K, dtype=bool)[(y + (np.arange(len(y)) % 2)) % K]
    paired = PairedCosts.of(y, sets, plain, range(K))
    rewards = SetRewards.by_class(utility, classes=range(K))
    even = break_even_weight(paired, rewards, 0)
    if even.value is None:
        found = [
            paired.difference(SetRewards.by_class(utility, {0: w}, range(K))).mean
            for w in (1e-6, 1, 1e6)
        ]
        assert min(found) * max(found) >= -1e-9 * max(map(abs, found))
        return
    weighted = SetRewards.by_class(utility, {0: max(even.value, 1e-12)}, range(K))
    assert paired.difference(weighted).mean == pytest.approx(0, abs=1e-9 * max(even.value, 1))


def test_numbers_computed_by_hand():
    y = ["ill"] * 100 + ["well"] * 900
    eager = ["ill"] * 90 + ["well"] * 10 + ["ill"] * 200 + ["well"] * 700
    calm = ["ill"] * 50 + ["well"] * 50 + ["ill"] * 20 + ["well"] * 880
    rewards = SetRewards.by_class("u65", classes=["ill", "well"])
    even = break_even_weight(PairedCosts.of(y, eager, calm), rewards, "ill")
    assert even.value == pytest.approx(180 / 40)
    for x in even.interval:
        gap = np.array([x] * 40 + [0.0] * 60 + [-1.0] * 180 + [0.0] * 720)
        assert abs(gap.mean()) == pytest.approx(1.9623 * gap.std(ddof=1) / 1000**0.5, rel=1e-3)
    swapped = break_even_weight(PairedCosts.of(y, calm, eager), rewards, "ill")
    assert swapped.interval == pytest.approx(even.interval)
    assert swapped.verdict.startswith("B earns more than A if the class 'ill' has a weight above")


def test_weights_that_change_nothing_are_said_to():
    rewards = SetRewards.by_class("u65", classes=["a", "b"])
    y, same = ["a", "b"] * 50, ["a", "b"] * 50
    first = break_even_weight(PairedCosts.of(y, same, ["a"] * 100), rewards, "a")
    assert first.verdict == "A and B earn the same where 'a' is true: its weight changes nothing"
    other = break_even_weight(PairedCosts.of(y, same, ["b", "a"] * 50), rewards, "a")
    assert other.verdict == "A earns more than B for every weight of the class 'a'"


@pytest.mark.parametrize(
    ("n_ill", "n_well", "words"),
    [
        (40, 180, "if the class 'ill' has a weight above 6.7, B earns more below 3.3; in between"),
        (3, 180, "B earns more than A if the class 'ill' has a weight below"),
        (40, 3, "below the data do not decide"),
        (2, 2, "the data do not decide which of A and B earns more, for any weight of the class"),
    ],
)
def test_a_sentence_about_weights_claims_what_its_interval_supports(n_ill, n_well, words):
    """A is right on some rows of ill where B is not, and wrong on some rows of well."""
    y = ["ill"] * 100 + ["well"] * 900
    a = ["ill"] * 100 + ["ill"] * n_well + ["well"] * (900 - n_well)
    b = ["well"] * n_ill + ["ill"] * (100 - n_ill) + ["well"] * 900
    rewards = SetRewards.by_class("u65", classes=["ill", "well"])
    even = break_even_weight(PairedCosts.of(y, a, b), rewards, "ill")
    assert words in even.verdict


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: break_even_accuracy(PairedTally.of(Y, PLAIN, CAUTIOUS)), "B must predict exactly"),
        (lambda: break_even_accuracy(PairedTally.of(Y, CAUTIOUS, PLAIN), cost=-1), "cost must be"),
        (lambda: break_even_accuracy(PairedTally.empty(2)), "there are no rows to compare"),
        (
            lambda: break_even_accuracy(PairedTally.of(Y, CAUTIOUS, PLAIN), confidence=1),
            "confidence must lie between 0 and 1",
        ),
        (
            lambda: break_even_weight(
                PairedCosts.of(Y, CAUTIOUS, PLAIN), SetRewards.by_class("u65", classes=[0, 1]), 7
            ),
            "label contains 7",
        ),
    ],
)
def test_wrong_arguments_are_explained(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_the_confidence_is_a_probability():
    paired = PairedCosts.of(["a", "b"], ["a", "a"], ["b", "b"])
    rewards = SetRewards.by_class("u65", classes=["a", "b"])
    with pytest.raises(ValueError, match="confidence"):
        break_even_weight(paired, rewards, "a", confidence=95)


def test_one_row_is_enough_and_none_is_refused():
    rewards = SetRewards.by_class("u65", classes=["a", "b"])
    one = break_even_weight(PairedCosts.of(["a"], ["a"], ["b"], ["a", "b"]), rewards, "a")
    assert one.verdict
    none = PairedCosts.of([], [], [], ["a", "b"])
    with pytest.raises(ValueError, match="there are no rows to compare"):
        break_even_weight(none, rewards, "a")
