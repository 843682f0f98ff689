"""Inputs that cannot be compared are refused in one sentence that says what to pass."""

import pytest

from wager import CostTally, PairedTally, Tally, break_even, head_to_head, risk_profile
from wager.compare import (
    PairedCosts,
    compare_probabilities,
    equivalence,
    friedman,
    sample_size,
)
from wager.costs import CostMatrix

COSTS = CostMatrix([[0, 9], [1, 0]], ["low", "high"])
Y, A = ["low", "high"] * 5, ["low", "low"] * 5


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: head_to_head(Y, [A, Y]), "must map the name of each classifier .* type list"),
        (lambda: head_to_head(Y, None), "must map the name of each classifier .* type NoneType"),
        (lambda: break_even(A, Y), "needs a PairedTally, two tallies, .* type list"),
        (lambda: break_even(Tally.of(Y, A), A), "needs a PairedTally, two tallies, .* type list"),
        (lambda: risk_profile(None), "pass one tally per classifier by name, got .* NoneType"),
        (
            lambda: risk_profile({"a": CostTally.of(Y, A)}),
            "needs a Tally per classifier, but a has a CostTally: pass costs=",
        ),
        (
            lambda: risk_profile({"a": Tally.of(Y, A)}, costs=COSTS),
            "needs a CostTally per classifier, but a has a Tally: count its predictions with Cost",
        ),
        (lambda: sample_size(5), "pass PairedTally.of.* got an object of type int"),
        (lambda: equivalence(Tally.of(Y, A)), "pass PairedTally.of.* got an object of type Tally"),
        (
            lambda: sample_size(PairedTally.of(Y, A, Y), costs=COSTS),
            "costs need PairedCosts.of",
        ),
        (lambda: PairedCosts.of(Y, A, Y).difference("c.toml"), "read a cost file with wager"),
    ],
)
def test_wrong_inputs_are_refused_in_one_sentence(ask, words):
    with pytest.raises(ValueError, match=words) as caught:
        ask()
    assert "\n" not in str(caught.value)


def test_classifiers_and_utilities_with_the_same_name_are_refused():
    y, p = [0, 1, 1], [[0.6, 0.4]] * 3
    tally = Tally.of(y, y, [0, 1])
    for call in (
        lambda: head_to_head(y, {1: y, "1": [0, 0, 0]}),
        lambda: risk_profile({1: tally, "1": tally}),
        lambda: compare_probabilities(y, {1: p, "1": p, "a": p}),
        lambda: friedman([[3, 2, 1], [3, 1, 2]], names=["a", "b", "a"]),
    ):
        with pytest.raises(ValueError, match=r"two classifiers are called '[1a]'"):
            call()
    functions = [lambda reward: reward, lambda reward: reward**2]
    for utilities in (functions, ["u65", 0.65]):
        with pytest.raises(ValueError, match=r"two utilities are called '(<lambda>|u65)'"):
            head_to_head(y, {"a": y, "b": [0, 0, 0]}, utilities)
