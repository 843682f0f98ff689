"""Inputs that cannot be compared are refused in one sentence that says what to pass."""

import pytest

from wager import CostTally, PairedTally, Tally, break_even, head_to_head, risk_profile
from wager.compare import PairedCosts, equivalence, sample_size
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
