"""Columns are matched by name; columns without names stand for the sorted classes, everywhere.

Every function that takes predictions is called with the same predictions in several forms: a matrix
without names in the sorted order of the classes, and permuted columns with names.  All forms have
the same answer.  Where a matrix without names meets classes in another order, the function raises.
"""

from __future__ import annotations

import inspect
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.naive_bayes import GaussianNB

import wager
from wager import compare, metrics
from wager.costs import CostMatrix, CostTally, ExpectedCost, SetRewards, evaluate_costs
from wager.credal import (
    CredalVertices,
    class_selective_rejection,
    decide,
    judge_conflict,
    optimal_sets,
    pool_judges,
    reject,
    reject_credal,
)
from wager.learners import OptimalSets
from wager.partitions import standardize, to_memberships
from wager.predictions import PredictionSets, ProbabilityIntervals
from wager.rewards import (
    SET_SCORES,
    ClassTally,
    HumanUtility,
    PairedTally,
    ProbabilityTally,
    Tabulated,
    Tally,
    evaluate_probabilities,
    evaluate_sets,
    human_utility,
)

SORTED = ["high", "low", "mid"]
LISTED = ["low", "mid", "high"]  # the order of the costs: from the lowest to the highest
ORDER = [SORTED.index(label) for label in LISTED]

_RANDOM = np.random.default_rng(3)
N = 60
Y = np.array(SORTED)[np.append(np.arange(3), _RANDOM.integers(3, size=N - 3))]
P = _RANDOM.dirichlet([0.7, 1.0, 0.6], size=N)
M = _RANDOM.random((N, 3)) < [0.7, 0.3, 0.5]
M[~M.any(axis=1)] = [True, False, True]
ONE = np.eye(3, dtype=bool)[_RANDOM.integers(3, size=N)]
COSTS = CostMatrix([[0, 1, 9], [2, 0, 4], [5, 3, 0]], LISTED)
EXTENDED = COSTS.extend("p-discounted", r=0.5)
REWARDS = SetRewards.by_class("u65", [1, 2, 3], LISTED)
TREE = [["low", "mid"], "high"]
HALVES = np.array(["first", "second"])[np.arange(N) % 2]
BOTH_ORDERS = "sorted order 'high', 'low', 'mid', but .* the order 'low', 'mid', 'high'"


def permuted(values):
    """The same columns in the order of the costs, with names, in several libraries."""
    listed = values[:, ORDER]
    columns = {label: listed[:, j] for j, label in enumerate(LISTED)}
    return {
        "pandas": pd.DataFrame(columns),
        "polars": pl.DataFrame(columns),
        "arrow": pa.table(columns),
    }


def permuted_sets(values):
    return permuted(values) | {"sets": PredictionSets.from_indicator(values[:, ORDER], LISTED)}


def numbers(answer):
    """What a function returned, as an array of numbers or texts that do not depend on the order."""
    if isinstance(answer, PredictionSets):
        return answer.with_classes(SORTED).to_indicator()
    return np.asarray(answer)


def same(found, expected):
    np.testing.assert_allclose(numbers(found), numbers(expected), rtol=1e-12, atol=1e-12)


# -- functions of sets ----------------------------------------------------------------------------


def _with_options(metric, options, y, sets, **c):
    return metric(y, sets, **options, **c)


SETS = {
    name: getattr(metrics, name)
    for name in metrics.__all__
    if list(inspect.signature(getattr(metrics, name)).parameters)[:2] == ["y_true", "y_pred"]
    and "costs" not in inspect.signature(getattr(metrics, name)).parameters
}
SETS |= {
    "evaluate_sets": lambda y, sets, **c: list(evaluate_sets(y, sets, **c).values.values()),
    "class_coverage": lambda y, sets, **c: np.sort(
        metrics.class_coverage(y, sets, **c)
    ),  # in the order of the classes
    "coverage_gap": lambda y, sets, **c: metrics.coverage_gap(y, sets, 0.1, **c),
    "certainty_equivalent": lambda y, sets, **c: metrics.certainty_equivalent(y, sets, "u65", **c),
    "set_confusion": lambda y, sets, **c: np.sort(
        np.asarray(metrics.set_confusion(y, sets, **c)).ravel()
    ),
    "determinacy": lambda y, sets, **c: metrics.determinacy(sets, **c),
    **{
        name: partial(_with_options, getattr(metrics, name), options)
        for options, names in (
            ({"alpha": 0.1}, ("size_stratified_violation", "violated_classes")),
            ({"X": P, "share": 0.5, "n_directions": 20}, ("worst_slice_coverage",)),
            ({"X": P, "alpha": 0.1}, ("conditional_coverage_error",)),
            ({"scores": pd.DataFrame(P, columns=SORTED), "alpha": 0.1}, ("difficulty_violation",)),
        )
        for name in names
    },
    "worst_slice": lambda y, sets, **c: (
        metrics.worst_slice(y, sets, P, share=0.5, n_directions=20, **c).coverage.value
    ),
    "coverage_report": lambda y, sets, **c: np.sort(
        [part.coverage for part in metrics.coverage_report(y, sets, alpha=0.1, **c).parts]
    ),
    "caution_by_group": lambda y, sets, **c: [
        gap.gap for gap in metrics.caution_by_group(HALVES, y, sets, **c).gaps
    ],
    "evaluate_selective": lambda y, sets, **c: metrics.evaluate_selective(
        y, sets, P.max(axis=1), utility="u65", **c
    )["augrc"],
    "Tally.of": lambda y, sets, **c: Tally.of(y, sets, **c).table,
    "ClassTally.of": lambda y, sets, **c: np.sort(ClassTally.of(y, sets, **c).table.ravel()),
    "PairedTally.of": lambda y, sets, **c: PairedTally.of(y, sets, sets, **c).a.table,
    "CostTally.of": lambda y, sets, **c: CostTally.of(y, sets, **c).average(EXTENDED),
    "SetScore.per_row": lambda y, sets, **c: SET_SCORES["coverage"].per_row(y, sets, **c),
    "head_to_head": lambda y, sets, **c: (
        compare.head_to_head(y, {"a": sets, "b": list(Y)}, **c).tallies["a"].table
    ),
    "sequential": lambda y, sets, **c: compare.sequential(y, sets, list(Y), "u65", **c).mean,
    "utility_differences": lambda y, sets, **c: compare.utility_differences(
        y, sets, list(Y), "u65", **c
    ),
    "area_of_ignorance": lambda y, sets, **c: metrics.area_of_ignorance(
        y, sets, SORTED[1:2] * N, **c
    ),
    "indeterminate_gain": lambda y, sets, **c: (
        compare.indeterminate_gain(y, sets, ["low"] * N, "u65", **c).value
    ),
}


# Functions that also take classes in an order, as costs do.
WITH_CLASSES = {
    name: partial(_with_options, getattr(metrics, name), options)
    for options, names in (
        ({"hierarchy": TREE}, ("hierarchical_utility", "correct_at_depth", "node_error")),
        ({"class_order": LISTED}, ("mean_distance_to_set", "ordinal_interval_score")),
        ({"rewards": REWARDS}, ("average_reward",)),
    )
    for name in names
}
WITH_CLASSES |= {
    "evaluate_rewards": lambda y, sets, **c: metrics.evaluate_rewards(y, sets, REWARDS, **c).mean,
    "evaluate_hierarchy": lambda y, sets, **c: [
        estimate.value
        for estimate in metrics.evaluate_hierarchy(y, sets, TREE, **c).estimates.values()
    ],
    "evaluate_ordered": lambda y, sets, **c: [
        estimate.value
        for estimate in metrics.evaluate_ordered(
            y, sets, class_order=LISTED, **c
        ).estimates.values()
    ],
    "contiguity_rate": lambda y, sets, **c: metrics.contiguity_rate(sets, class_order=LISTED, **c),
    "mean_width": lambda y, sets, **c: metrics.mean_width(sets, class_order=LISTED, **c),
    "mean_node_depth": lambda y, sets, **c: metrics.mean_node_depth(sets, TREE, **c),
}
for _name in WITH_CLASSES:
    SETS.pop(_name, None)


@pytest.mark.parametrize("form", ["pandas", "polars", "arrow", "sets"])
@pytest.mark.parametrize("name", SETS)
def test_permuted_columns_of_sets_with_names_have_the_same_answer(name, form):
    same(SETS[name](Y, permuted_sets(M)[form]), SETS[name](Y, M))


@pytest.mark.parametrize("name", SETS)
def test_classes_name_the_permuted_columns_of_sets(name):
    same(SETS[name](Y, M[:, ORDER], classes=LISTED), SETS[name](Y, M))


@pytest.mark.parametrize("name", SETS)
def test_labels_and_a_matrix_of_sets_have_the_same_answer(name):
    same(SETS[name](Y, PredictionSets.from_indicator(M, SORTED).to_lists()), SETS[name](Y, M))


# -- functions of probabilities and memberships ---------------------------------------------------

PROBABILITIES = {
    name: getattr(metrics, name)
    for name in metrics.__all__
    if list(inspect.signature(getattr(metrics, name)).parameters)[1:2]
    in (["proba"], ["memberships"])
    and next(iter(inspect.signature(getattr(metrics, name)).parameters)) == "y_true"
}
PRIOR = {"high": 0.5, "low": 0.2, "mid": 0.3}
PROBABILITIES |= {
    "evaluate_probabilities": lambda y, p, **c: [
        entry["mean"]
        for entry in evaluate_probabilities(y, p, **c).to_dict().values()
        if isinstance(entry, dict) and "mean" in entry
    ],
    "brier_decomposition": lambda y, p, **c: metrics.brier_decomposition(y, p, **c).resolution,
    "information_reward with a prior": lambda y, p, **c: metrics.information_reward(
        y, p, PRIOR, **c
    ),
    "ProbabilityTally.of": lambda y, p, **c: (
        ProbabilityTally.of(y, p, PRIOR, **c).sums["information_reward"].mean
    ),
    "paired_probabilities": lambda y, p, **c: (
        compare.paired_probabilities(y, p, pd.DataFrame(P[::-1], columns=SORTED), **c).effect
    ),
    "standardize": lambda y, p, **c: standardize(y, p, **c).separation,
    "pvalue_efficiency": lambda y, p, **c: [
        estimate.value for estimate in metrics.pvalue_efficiency(y, p, **c).estimates.values()
    ],
    "pvalue_uniformity": lambda y, p, **c: metrics.pvalue_uniformity(y, p, **c).p,
}


@pytest.mark.parametrize("form", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("name", PROBABILITIES)
def test_permuted_columns_of_probabilities_with_names_have_the_same_answer(name, form):
    same(PROBABILITIES[name](Y, permuted(P)[form]), PROBABILITIES[name](Y, P))


@pytest.mark.parametrize("name", PROBABILITIES)
def test_classes_name_the_permuted_columns_of_probabilities(name):
    same(PROBABILITIES[name](Y, P[:, ORDER], classes=LISTED), PROBABILITIES[name](Y, P))


TWO_MATRICES = {
    "kl_divergence": metrics.kl_divergence,
    "precision": metrics.precision,
    "non_resemblance": metrics.non_resemblance,
}


@pytest.mark.parametrize("form", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("name", TWO_MATRICES)
def test_two_matrices_of_probabilities_are_matched_by_name(name, form):
    other = _RANDOM.dirichlet([1, 1, 1], size=N)
    expected = TWO_MATRICES[name](P, other)
    same(TWO_MATRICES[name](permuted(P)[form], pd.DataFrame(other, columns=SORTED)), expected)
    with pytest.raises(ValueError, match=BOTH_ORDERS):
        TWO_MATRICES[name](permuted(P)[form], other)


def test_every_metric_that_takes_predictions_is_in_a_table():
    costs = {"average_cost", "evaluate_costs"}
    without = {
        "information_reward_bound", "make_set_scorer", "optimal_report_2002", "prior_from_counts",
        "prior_from_labels", "separability",
    }  # fmt: skip
    sizes = {"empty_rate", "indeterminate_set_size", "mean_set_size"}  # of the sets alone
    tabled = {*SETS, *WITH_CLASSES, *PROBABILITIES, *TWO_MATRICES, *costs, *without, *sizes}
    assert set(metrics.__all__) <= tabled


# -- functions of predictions and costs -----------------------------------------------------------

WITH_COSTS = {
    "average_cost": lambda y, sets, **c: metrics.average_cost(y, sets, EXTENDED, **c),
    "average_cost of a matrix with a rule": lambda y, sets, **c: metrics.average_cost(
        y, sets, COSTS, rule="p-discounted", r=0.5, **c
    ),
    "evaluate_costs": lambda y, sets, **c: evaluate_costs(y, sets, EXTENDED, **c).mean,
    "ExtendedCosts.of": lambda y, sets, **c: EXTENDED.of(sets, y, **c),
    "sequential": lambda y, sets, **c: (
        compare.sequential(y, sets, list(Y), costs=EXTENDED, **c).mean
    ),
}


IN_AN_ORDER = WITH_COSTS | WITH_CLASSES


@pytest.mark.parametrize("name", IN_AN_ORDER)
def test_sets_meet_costs_by_name(name):
    function = IN_AN_ORDER[name]
    expected = function(Y, PredictionSets.from_indicator(M, SORTED).to_lists())
    for sets in permuted_sets(M).values():
        same(function(Y, sets), expected)
    same(function(Y, M, classes=SORTED), expected)
    same(function(Y, M[:, ORDER], classes=LISTED), expected)


@pytest.mark.parametrize("sets", [M, M.tolist(), PredictionSets.from_indicator(M)])
@pytest.mark.parametrize("name", IN_AN_ORDER)
def test_columns_without_names_do_not_guess_the_order_of_the_costs(name, sets):
    with pytest.raises(ValueError, match=f"{BOTH_ORDERS}.*: pass classes="):
        IN_AN_ORDER[name](Y, sets)


@pytest.mark.parametrize("name", WITH_COSTS)
def test_true_classes_that_the_costs_do_not_list_are_shown_with_those_they_list(name):
    y = np.where(Y == "mid", "middle", Y)
    with pytest.raises(ValueError, match=r"'high', 'low', 'middle'.*'low', 'mid', 'high'"):
        WITH_COSTS[name](y, PredictionSets.from_indicator(M, SORTED))


def test_sorted_costs_name_the_columns():
    order = np.argsort(LISTED)
    costs = CostMatrix(COSTS.costs[np.ix_(order, order)], SORTED)
    expected = metrics.average_cost(Y, M, EXTENDED, classes=SORTED)
    same(metrics.average_cost(Y, M, costs.extend("p-discounted", r=0.5)), expected)
    same(metrics.average_cost(Y, M, costs.costs, rule="p-discounted", r=0.5), expected)
    same(CostTally.of(Y, M).average(EXTENDED), expected)


def test_costs_without_names_do_not_guess_the_order_of_the_predictions():
    sets = PredictionSets.from_indicator(M[:, ORDER], LISTED)
    with pytest.raises(ValueError, match=f"costs has no class names.*{BOTH_ORDERS}"):
        metrics.average_cost(Y, sets, COSTS.costs, rule="p-discounted")


@pytest.mark.parametrize("method", ["expected", "optimal_class"])
def test_methods_of_costs_use_their_own_order_unless_classes_are_given(method):
    call = getattr(COSTS, method)
    expected = call(P[:, ORDER])
    np.testing.assert_array_equal(call(P, classes=SORTED), expected)
    for proba in permuted(P).values():
        np.testing.assert_array_equal(call(proba), expected)
    np.testing.assert_array_equal(call(P[0, ORDER]), expected[0])


def test_expected_costs_of_sets_use_their_own_order_unless_classes_are_given():
    expected = EXTENDED.expected(M[:, ORDER], P[:, ORDER])
    same(EXTENDED.expected(M, P, classes=SORTED), expected)
    same(EXTENDED.expected(permuted(M)["polars"], permuted(P)["pandas"]), expected)


# -- decisions ------------------------------------------------------------------------------------

LOW, HIGH = np.maximum(P - 0.1, 0), np.minimum(P + 0.1, 1)
DECISIONS = {
    "optimal_sets by utility": lambda p, **c: optimal_sets(p, "u65", **c),
    "optimal_sets by costs": lambda p, **c: optimal_sets(p, costs=EXTENDED, **c),
    "optimal_sets by a matrix": lambda p, **c: optimal_sets(p, costs=COSTS, **c),
    "reject": lambda p, **c: reject(p, 0.6, **c),
    "class_selective_rejection": lambda p, **c: class_selective_rejection(p, 0.2, **c),
}


@pytest.mark.parametrize("name", DECISIONS)
def test_decisions_do_not_depend_on_the_order_of_named_columns(name):
    expected = DECISIONS[name](P, classes=SORTED)
    same(DECISIONS[name](P[:, ORDER], classes=LISTED), expected)
    for proba in permuted(P).values():
        same(DECISIONS[name](proba), expected)


@pytest.mark.parametrize("costs", [COSTS, EXTENDED])
def test_optimal_sets_do_not_guess_the_order_of_the_costs(costs):
    with pytest.raises(ValueError, match=f"proba has no class names.*{BOTH_ORDERS}.*classes="):
        optimal_sets(P, costs=costs)


@pytest.mark.parametrize("name", ["optimal_sets by utility", "reject", "class_selective_rejection"])
def test_decisions_over_columns_without_names_are_named_by_the_truth(name):
    named = metrics.coverage(Y, DECISIONS[name](P, classes=SORTED))
    assert metrics.coverage(Y, DECISIONS[name](P)) == named


RULES = ["maximality", "e-admissibility", "interval-dominance", "gamma-maximin", "gamma-maximax"]


@pytest.mark.parametrize("rule", RULES)
def test_decide_does_not_depend_on_the_order_of_named_columns(rule):
    expected = decide(ProbabilityIntervals(LOW, HIGH, SORTED), rule, COSTS)
    frames = permuted(LOW), permuted(HIGH)
    for form in frames[0]:
        same(decide(ProbabilityIntervals(frames[0][form], frames[1][form]), rule, COSTS), expected)
    listed = ProbabilityIntervals(LOW[:, ORDER], HIGH[:, ORDER], LISTED)
    same(decide(listed, rule, COSTS), expected)
    mixed = ProbabilityIntervals(frames[0]["pandas"], pd.DataFrame(HIGH, columns=SORTED))
    same(decide(mixed, rule, COSTS), expected)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "credal", [ProbabilityIntervals(LOW, HIGH), CredalVertices(P[:, None])], ids=["bounds", "hull"]
)
def test_decide_over_columns_without_names_follows_the_rule(rule, credal):
    with pytest.raises(ValueError, match=f"credal has no class names.*{BOTH_ORDERS}"):
        decide(credal, rule, COSTS)
    order = np.argsort(LISTED)
    costs = CostMatrix(COSTS.costs[np.ix_(order, order)], SORTED)
    found = decide(credal, rule, costs)
    assert found.classes.tolist() == SORTED
    same(found, decide(credal, rule, costs.costs).with_classes(SORTED))
    assert metrics.coverage(Y, decide(credal, rule)) == metrics.coverage(
        Y, decide(credal, rule).with_classes(SORTED)
    )


def test_bounds_with_and_without_names_do_not_guess_each_other():
    with pytest.raises(ValueError, match=f"upper has no class names.*{BOTH_ORDERS}"):
        ProbabilityIntervals(permuted(LOW)["pandas"], HIGH)


def test_reject_credal_matches_sets_by_name():
    bounds = ProbabilityIntervals(LOW, HIGH, SORTED)
    expected = reject_credal(bounds, M, 0.4)
    for sets in permuted_sets(M).values():
        same(reject_credal(bounds, sets, 0.4), expected)
    listed = ProbabilityIntervals(LOW[:, ORDER], HIGH[:, ORDER], LISTED)
    same(reject_credal(listed, permuted(M)["pandas"], 0.4), expected)
    with pytest.raises(ValueError, match=f"sets has no class names.*{BOTH_ORDERS}"):
        reject_credal(listed, M, 0.4)
    same(reject_credal(ProbabilityIntervals(LOW, HIGH), M, 0.4), expected.to_indicator())


# -- several predictions at once ------------------------------------------------------------------


def test_a_matrix_without_names_does_not_take_the_order_of_other_predictions():
    named = PredictionSets.from_indicator(M[:, ORDER], LISTED)
    for pair in ((named, M), (M, named), (permuted(M)["polars"], M.tolist())):
        with pytest.raises(ValueError, match=BOTH_ORDERS):
            PairedTally.of(Y, *pair)
        with pytest.raises(ValueError, match=BOTH_ORDERS):
            compare.head_to_head(Y, {"a": pair[0], "b": pair[1]})
    paired = PairedTally.of(Y, named, M, classes=SORTED)
    np.testing.assert_array_equal(paired.a.table, paired.b.table)


def test_predictions_that_declare_different_orders_are_matched_by_name():
    named = PredictionSets.from_indicator(M[:, ORDER], LISTED)
    paired = PairedTally.of(Y, named, pd.DataFrame(M, columns=SORTED))
    np.testing.assert_array_equal(paired.a.table, paired.b.table)


def test_the_prediction_that_declares_most_classes_names_them_for_all():
    two = PredictionSets.from_indicator([[True, False], [True, True]], ["a", "b"])
    three = PredictionSets.from_indicator([[True, False, True]] * 2, ["a", "b", "c"])
    for pair in ((two, three), (three, two)):
        assert PairedTally.of(["a", "c"], *pair).n == 2


# -- priors ---------------------------------------------------------------------------------------


def test_a_prior_is_matched_by_name_or_has_the_order_of_the_columns():
    values = [PRIOR[label] for label in SORTED]
    expected = metrics.information_reward(Y, P, values)
    frame = permuted(P)["pandas"]
    same(metrics.information_reward(Y, frame, PRIOR), expected)
    same(metrics.information_reward(Y, frame, pd.Series(PRIOR)), expected)
    same(metrics.information_reward(Y, frame, values, classes=SORTED), expected)
    with pytest.raises(ValueError, match=f"prior has no class names.*{BOTH_ORDERS}"):
        metrics.information_reward(Y, frame, values)
    with pytest.raises(ValueError, match="the prior is for the classes 'high', 'low' but"):
        metrics.information_reward(Y, P, {"high": 0.5, "low": 0.5})


# -- integers, names and learners -----------------------------------------------------------------


def test_integer_truths_without_classes_are_codes():
    assert metrics.coverage([0, 2], [[True, False, False], [False, False, True]]) == 1
    with pytest.raises(ValueError, match="classes="):
        metrics.coverage([1, 3], [[True, False, False], [False, False, True]])


def test_column_names_as_text_match_numbers_by_their_spelling():
    frame = pl.DataFrame({"1": [0.9, 0.2], "0": [0.1, 0.8]})
    same(
        metrics.information_reward([1, 0], frame, classes=[0, 1]),
        metrics.information_reward([1, 0], [[0.1, 0.9], [0.8, 0.2]]),
    )


def test_column_names_that_are_not_the_declared_classes_are_an_error():
    frame = pd.DataFrame(P, columns=["high", "low", "middle"])
    words = "'high', 'low', 'middle' but classes= lists 'high', 'low', 'mid'"
    with pytest.raises(ValueError, match=words):
        metrics.information_reward(Y, frame, classes=SORTED)
    same(
        metrics.information_reward(Y, frame.set_axis(["p1", "p2", "p3"], axis=1), classes=SORTED),
        metrics.information_reward(Y, P),
    )


def test_learners_match_costs_by_name():
    X = P @ np.array([[1.0, 0], [0, 1], [1, 1]])
    order = np.argsort(LISTED)
    costs = CostMatrix(COSTS.costs[np.ix_(order, order)], SORTED)
    by_name = OptimalSets(GaussianNB(), costs=COSTS).fit(X, Y)
    np.testing.assert_array_equal(
        by_name.predict_set(X), OptimalSets(GaussianNB(), costs=costs).fit(X, Y).predict_set(X)
    )


def test_money_is_the_same_by_every_way():
    costs = CostMatrix([[0, 9], [1, 0]], classes=["low", "high"])
    y = ["high", "low", "low"]
    right = np.array([[1, 0], [0, 1], [0, 1]], dtype=bool)  # columns as classes_
    assert metrics.coverage(y, right) == 1
    assert CostTally.of(y, right).average(costs.extend("p-discounted")) == 0
    assert metrics.average_cost(y, right, costs, classes=["high", "low"]) == 0
    with pytest.raises(ValueError, match=r"'high', 'low'.*'low', 'high'.*classes="):
        metrics.average_cost(y, right, costs)
    with pytest.raises(ValueError, match=r"'high', 'low'.*'low', 'high'.*classes="):
        wager.optimal_sets([[0.9, 0.1]], costs=costs)


# -- values by class and by judge -----------------------------------------------------------------

BY_CLASS = {"mid": 0.3, "high": 0.5, "low": 0.2}
_IN_ORDER = [BY_CLASS[label] for label in SORTED]
NAMED_VALUES = {
    "information_reward": lambda given: metrics.information_reward(Y, P, given),
    "information_reward_bound": lambda given: metrics.information_reward_bound(
        given, Y, classes=SORTED
    ),
    "prior_from_counts": metrics.prior_from_counts,
    "class_selective_rejection": lambda given: class_selective_rejection(P, 0.1, given, SORTED),
    "CostMatrix.ha": lambda given: CostMatrix.ha(given, SORTED).costs,
    "SetRewards.by_class": lambda given: SetRewards.by_class("u65", given, SORTED).matrix(),
}

_PAIR = ("low", "mid")
NAMED_VALUES |= {
    "CostMatrix.expected": lambda given: COSTS.expected(given, None if _named(given) else SORTED),
    "a row of costs of sets": lambda given: [
        CostMatrix(COSTS.costs, SORTED).extend({_PAIR: given}).cost(_PAIR, label)
        for label in SORTED
    ],
    "ExpectedCost": lambda given: [
        (truth, weight)
        for _, truth, weight in ExpectedCost(_PAIR, given, 1).terms(np.array(SORTED))
    ],
    "a row of rewards of sets": lambda given: SetRewards(
        {_PAIR: given}, SORTED, otherwise="u65"
    ).matrix(),
    "lower_expectation": lambda given: [
        credal.lower_expectation(given) + credal.upper_expectation(given)
        for credal in (CredalVertices(P[:, None], SORTED), ProbabilityIntervals(P, P, SORTED))
    ],
}


def _named(given):
    return not isinstance(given, list)


@pytest.mark.parametrize("name", NAMED_VALUES)
@pytest.mark.parametrize("form", [dict, pd.Series, "categories"])
def test_values_by_class_with_names_are_matched_by_name(name, form):
    given = BY_CLASS
    if form == "categories":
        given = pd.Series(list(BY_CLASS.values()), index=pd.CategoricalIndex(list(BY_CLASS)))
    elif form is pd.Series:
        given = pd.Series(BY_CLASS)
    same(NAMED_VALUES[name](given), NAMED_VALUES[name](_IN_ORDER))


def test_values_by_class_without_names_do_not_meet_other_columns():
    with pytest.raises(ValueError, match=BOTH_ORDERS):
        class_selective_rejection(permuted(P)["pandas"], 0.1, _IN_ORDER)
    same(
        class_selective_rejection(permuted(P)["pandas"], 0.1, BY_CLASS),
        class_selective_rejection(P, 0.1, _IN_ORDER, SORTED),
    )
    with pytest.raises(ValueError, match="eta is for 'a', 'b', 'c', but the classes are 'high'"):
        class_selective_rejection(P, 0.1, {"a": 1, "b": 1, "c": 1}, SORTED)
    with pytest.raises(ValueError, match="eta has two values with the same name"):
        CostMatrix.ha(pd.Series([1, 2, 3], index=["high", "low", "low"]))


def test_judges_are_matched_by_the_names_of_their_columns():
    frame, table = permuted(P)["pandas"], pd.DataFrame(P[::-1], columns=SORTED)
    expected = pool_judges([P, P[::-1]], "linear", classes=SORTED).lower
    for judges in ([frame, table], [table, frame]):
        pooled = pool_judges(judges, "linear")
        same(pooled.lower[:, [list(pooled.classes).index(label) for label in SORTED]], expected)
    for judges in ([P[::-1], frame], [frame, P[::-1]]):
        for call in (pool_judges, judge_conflict):
            with pytest.raises(ValueError, match=BOTH_ORDERS):
                call(judges)
    same(pool_judges([P[::-1], frame], "linear", classes=SORTED).lower, expected)
    found = pool_judges([P[::-1], pd.DataFrame(P, columns=SORTED)], "linear")
    assert found.classes.tolist() == SORTED
    same(found.lower, expected)


@pytest.mark.parametrize("form", [dict, pd.Series])
def test_weights_of_judges_are_matched_by_name(form):
    judges, weights = {"x": P, "y": P[::-1]}, form({"y": 0.25, "x": 0.75})
    same(
        pool_judges(judges, "linear", weights=weights, discount=weights).lower,
        pool_judges(judges, "linear", weights=[0.75, 0.25], discount=[0.75, 0.25]).lower,
    )
    with pytest.raises(ValueError, match="weights is for 'y', 'x', but the judges are 0, 1"):
        pool_judges([P, P], "linear", weights=weights)


def test_values_by_set_size_are_matched_by_size():
    accuracy, n = {3: 0.7, 1: 0.9, 2: 0.8}, {2: 40, 3: 30, 1: 50}
    expected = human_utility([0.9, 0.8, 0.7], [50, 40, 30])
    assert human_utility(pd.Series(accuracy), pd.Series(n)) == expected
    assert human_utility(pd.Series([0.9, 0.8, 0.7]), [50, 40, 30]) == expected
    assert human_utility(pd.Series({2: 0.8, 3: 0.7})) == human_utility({2: 0.8, 3: 0.7})
    assert Tabulated(pd.Series({3: 0.4, 1: 1.0, 2: 0.6})).values == (1.0, 0.6, 0.4)
    assert Tabulated({3: 0.4, 1: 1.0, 2: 0.6}).values == (1.0, 0.6, 0.4)
    person = HumanUtility(pd.Series(accuracy), pd.Series(n), cost={3: 0.2, 2: 0.1, 1: 0})
    assert person == HumanUtility((0.9, 0.8, 0.7), (50, 40, 30), cost=(0, 0.1, 0.2))
    with pytest.raises(ValueError, match="by set size is for 1, 2, 4, but the sizes are 1, 2, 3"):
        Tabulated(pd.Series({1: 1.0, 2: 0.6, 4: 0.4}))
    for sizes in ({2.7: 0.9, 3.2: 0.5}, {2: 0.9, "2": 0.5}):
        with pytest.raises(ValueError, match="needs whole set sizes, each once"):
            human_utility(sizes)


@pytest.mark.parametrize("classes", [None, SORTED])
@pytest.mark.parametrize("form", ["pandas", "polars", "arrow"])
def test_intervals_are_made_of_columns_with_names(form, classes):
    counts = np.arange(3 * N).reshape(N, 3)
    for found, expected in (
        (
            ProbabilityIntervals.from_idm(permuted(counts)[form], classes=classes),
            ProbabilityIntervals.from_idm(counts, classes=SORTED),
        ),
        (
            ProbabilityIntervals.from_contamination(permuted(P)[form], 0.2, classes),
            ProbabilityIntervals.from_contamination(P, 0.2, SORTED),
        ),
    ):
        assert found.named
        same(decide(found, "maximality"), decide(expected, "maximality"))
        order = [list(found.classes).index(label) for label in SORTED]
        same(found.lower[:, order], expected.lower)


def test_intervals_are_made_of_a_row_with_names():
    row = pd.Series({"low": 5, "high": 3, "mid": 1})
    for found in (
        ProbabilityIntervals.from_idm(row, classes=SORTED),
        ProbabilityIntervals.from_idm(dict(row), classes=SORTED),
    ):
        same(found.lower, ProbabilityIntervals.from_idm([[3, 5, 1]], classes=SORTED).lower)
    assert ProbabilityIntervals.from_idm(row).classes.tolist() == ["low", "high", "mid"]


def test_bounds_and_vertices_are_matched_by_the_names_of_their_columns():
    low, high = {"low": 0.1, "mid": 0.2, "high": 0.3}, {"mid": 0.5, "high": 0.7, "low": 0.4}
    expected = ProbabilityIntervals([[0.3, 0.1, 0.2]], [[0.7, 0.4, 0.5]], SORTED)
    named = ProbabilityIntervals(pd.Series(low), pd.Series(high))
    assert named.classes.tolist() == LISTED
    for found in (named, ProbabilityIntervals(pd.Series(low), pd.Series(high), SORTED)):
        same(decide(found, "maximality"), decide(expected, "maximality"))
        same(found.upper_expectation(BY_CLASS), expected.upper_expectation(BY_CLASS))
    rows = [P[:2], P[2:4]]
    for vertices, classes in (
        ([permuted(rows[0])["pandas"], rows[1]], SORTED),
        ([permuted(row)["polars"] for row in rows], None),
        ([pd.DataFrame(rows[0], columns=SORTED), permuted(rows[1])["arrow"]], None),
    ):
        credal = CredalVertices(vertices, classes)
        expectation = CredalVertices(rows, SORTED).lower_expectation(BY_CLASS)
        same(credal.lower_expectation(BY_CLASS), expectation)
    with pytest.raises(ValueError, match=f"row 1 of vertices has no class names.*{BOTH_ORDERS}"):
        CredalVertices([permuted(rows[0])["pandas"], rows[1]])
    with pytest.raises(ValueError, match="the columns of row 1 of vertices"):
        CredalVertices([permuted(rows[0])["pandas"], pd.DataFrame(rows[1], columns=list("abc"))])


def test_memberships_without_names_are_not_made_of_columns_in_another_order():
    same(to_memberships(pd.DataFrame(P, columns=SORTED)), to_memberships(P))
    same(to_memberships(pd.DataFrame(P)), to_memberships(P))
    for frame in permuted(P).values():
        with pytest.raises(ValueError, match=BOTH_ORDERS):
            to_memberships(frame)


def test_two_vectors_with_names_are_matched_by_name():
    true, proba = pd.Series({"a": 0.2, "b": 0.8}), pd.Series({"b": 0.3, "a": 0.7})
    expected = metrics.kl_divergence([0.2, 0.8], [0.7, 0.3])
    assert metrics.kl_divergence(true, proba) == pytest.approx(expected)
    assert metrics.kl_divergence(true.to_frame().T, proba) == pytest.approx(expected)
    assert metrics.kl_divergence(proba, true) == pytest.approx(
        metrics.kl_divergence([0.7, 0.3], [0.2, 0.8])
    )
    assert metrics.kl_divergence(pd.Series([0.2, 0.8]), [0.7, 0.3]) == pytest.approx(expected)
    with pytest.raises(ValueError, match=r"proba has no class names.*name the columns of both"):
        metrics.kl_divergence(proba, [0.7, 0.3])
    same(
        metrics.optimal_report_2002(true, proba),
        metrics.optimal_report_2002([0.2, 0.8], [0.7, 0.3]),
    )
