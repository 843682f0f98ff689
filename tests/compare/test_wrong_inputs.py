"""Inputs that cannot be compared are refused in one sentence that says what to pass."""

import inspect

import numpy as np
import pytest

from wager import CostTally, PairedTally, Tally, break_even, compare, head_to_head, risk_profile
from wager.compare import (
    PairedCosts,
    compare_probabilities,
    equivalence,
    friedman,
    sample_size,
)
from wager.costs import CostMatrix, SetRewards
from wager.rewards import evaluate_selective

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


SCORES = [0.1, 0.2, 0.3, 0.5], [0.2, 0.1, 0.4, 0.3]
PAIRED, PRICED = PairedTally.of(Y, A, Y), PairedCosts.of(Y, A, Y)
TALLIES = Tally.of(Y, A), Tally.of(Y, Y)
SELECTIVE = [evaluate_selective(Y, A, [*range(n, n + 10)][::step]) for n, step in ((1, 1), (2, -1))]
TWO_NAMES = {
    "bayesian_correlated_t": (*SCORES, {"rho": 0.1}),
    "bayesian_hierarchical": ([SCORES[0], SCORES[1]], {"rho": 0.1, "rope": 0.01, "n_samples": 10}),
    "bayesian_signed_rank": (*SCORES, {"n_samples": 10}),
    "break_even": (PAIRED, {}),
    "break_even_accuracy": (PAIRED, {}),
    "break_even_weight": (PRICED, SetRewards.by_class("u65", classes=["low", "high"]), "low", {}),
    "compare_selective": (*SELECTIVE, {}),
    "corrected_t": (*SCORES, {"n_train": 9, "n_test": 1}),
    "dominance": (PAIRED, {}),
    "equivalence": (PAIRED, {}),
    "five_by_two_cv": ([[0.1, 0.2]] * 5, [[0.3, 0.2]] * 5, {}),
    "indeterminate_gain": (Y, [["low", "high"]] * 10, A, {}),
    "mcnemar": ([True, False, True], [True, True, False], {}),
    "paired_probabilities": ([0, 1, 1], [[0.6, 0.4]] * 3, [[0.3, 0.7]] * 3, {}),
    "paired_t": (*SCORES, {}),
    "proposition": (*TALLIES, {}),
    "sample_size": (PAIRED, {}),
    "sequential": (Y, A, Y, {}),
    "sequential_differences": ([0.1, 0.2], {}),
    "sign_test": (*SCORES, {}),
    "wilcoxon": (*SCORES, {}),
    "wins_table": ({"u65": ([SCORES[0]], [SCORES[1]])}, {}),
}


@pytest.mark.parametrize("name", TWO_NAMES)
def test_names_of_two_classifiers_are_two_texts(name):
    function, (*given, options) = getattr(compare, name), TWO_NAMES[name]
    function(*given, names=("one", "other"), **options)
    for names in (
        0.1,
        np.float64(0.1),
        "ab",
        ("one",),
        ("one", "other", "third"),
        {"one", "other"},
    ):
        with pytest.raises(ValueError, match="names must be two texts"):
            function(*given, names=names, **options)


def test_every_function_of_two_names_is_tried():
    def takes_two(function):
        names = inspect.signature(function).parameters.get("names")
        return names is not None and isinstance(names.default, tuple) and len(names.default) == 2

    functions = dict(inspect.getmembers(compare, inspect.isfunction))
    assert {name for name, function in functions.items() if takes_two(function)} == {*TWO_NAMES}
