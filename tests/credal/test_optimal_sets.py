"""Optimal sets under one distribution: against all subsets, and the ways that need no search."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.credal.strategies import cost_matrices, probabilities
from tests.fewer import fewer
from wager.costs import CostMatrix, SetRewards
from wager.credal import optimal_sets
from wager.credal._cost_bounds import _by_size, least_possible
from wager.credal._optimal_by_size import comparators
from wager.credal._set_search import _first_least
from wager.rewards import Tabulated, get_utility

UTILITIES = (
    "linear",
    "u65",
    "u80",
    "f1",
    "f2",
    "log",
    "log-norm",
    "exp:2",
    "exp-norm:2",
    "power:0.3",
)
TABLE_I = CostMatrix([[0, 1, 2], [1, 0, 2], [4, 4, 0]], ["h", "b", "n"])


def subsets(n_classes: int):
    classes = range(n_classes)
    return [list(s) for size in classes for s in combinations(classes, size + 1)]


def first_best(values, sets):
    """The first of the largest values, and its set; the sets come by size, then by class."""
    return max(values), sets[int(np.argmax(np.asarray(values) >= max(values) - 1e-9))]


@given(probabilities(most_classes=10), st.sampled_from(UTILITIES), st.integers(0, 99))
def test_of_classes_that_differ_by_rounding_the_first_are_taken(p, name, seed):
    """As one and two thirds of a half, or probabilities that were normalised once more."""
    eps = np.finfo(float).eps
    moved = p * (1 + eps * np.random.default_rng(seed).integers(-1, 2, p.shape))
    assert optimal_sets(moved, name).to_lists() == optimal_sets(p, name).to_lists()
    rewards = SetRewards.by_class(name, np.full(p.shape[1], 0.1), range(p.shape[1]))
    assert optimal_sets(moved, rewards=rewards).to_lists() == optimal_sets(p, name).to_lists()


@given(probabilities(most_classes=10, most_rows=2), st.sampled_from(UTILITIES))
def test_a_utility_of_size_agrees_with_a_search_of_all_subsets(p, name):
    utility = get_utility(name)
    found, info = optimal_sets(p, name, return_info=True)
    everything = subsets(p.shape[1])
    for row, chosen, expected in zip(p, found.to_lists(), info.expected, strict=True):
        inside = [row[s].sum() for s in everything]
        worth = [
            mass * utility(1 / len(s)) + (1 - mass) * utility(0)
            for mass, s in zip(inside, everything, strict=True)
        ]
        best, first = first_best(worth, everything)
        assert expected == pytest.approx(best, abs=1e-9)
        assert chosen == first
    assert info.is_exact
    assert info.search == "sorted"


@given(st.data(), st.integers(2, 40), st.sampled_from(UTILITIES))
@fewer(12)
def test_sorting_whole_columns_gives_what_sorting_each_row_gives(data, n_classes, name):
    p = data.draw(probabilities(n_classes, most_rows=8))
    worth = get_utility(name).of_size(np.arange(n_classes + 1))
    order = np.argsort(-p, axis=1, kind="stable")
    heads = np.take_along_axis(p, order, axis=1).cumsum(axis=1)
    value = (worth[1:] - worth[0]) * heads
    size = (value >= value.max(axis=1, keepdims=True) - 1e-12).argmax(axis=1) + 1
    slow = [sorted(row[:k].tolist()) for row, k in zip(order, size, strict=True)]
    assert optimal_sets(p, name).to_lists() == slow


@pytest.mark.parametrize("n", range(1, 13))
def test_the_comparators_sort_every_row_of_zeros_and_ones(n):
    # and therefore every row of numbers: the 0-1 principle (Knuth, Sec. 5.3.4)
    columns = (np.arange(1 << n) >> np.arange(n)[:, None]) & 1
    for i, j in comparators(n):
        columns[[i, j]] = np.maximum(columns[i], columns[j]), np.minimum(columns[i], columns[j])
    assert (np.diff(columns, axis=0) <= 0).all()


@pytest.mark.parametrize("n_classes", [3, 24, 25, 70, 130])
def test_many_rows_and_many_classes_are_done_in_parts(n_classes):
    rng = np.random.default_rng(n_classes)
    p = rng.dirichlet(np.full(n_classes, 0.3), 200_000 // n_classes)
    sets, info = optimal_sets(p, "u80", return_info=True)
    kept = sets.to_indicator()
    size = kept.sum(axis=1)
    k = np.arange(1, n_classes + 1)
    heads = (-np.sort(-p, axis=1)).cumsum(axis=1)
    worth = get_utility("u80").of_size(k) * heads
    np.testing.assert_allclose(info.expected, worth.max(axis=1))
    np.testing.assert_array_equal(size, worth.argmax(axis=1) + 1)
    np.testing.assert_allclose((p * kept).sum(axis=1), heads[np.arange(len(p)), size - 1])


def test_equal_probabilities_are_taken_in_the_order_of_the_classes():
    assert optimal_sets([[0.25, 0.25, 0.25, 0.25]], Tabulated([1, 0.9, 0.1, 0])).to_lists() == [
        [0, 1]
    ]
    assert optimal_sets([[0.1, 0.3, 0.3, 0.3]], Tabulated([1, 0.9, 0, 0])).to_lists() == [[1, 2]]


def test_ties_between_sizes_go_to_the_smaller_set():
    assert optimal_sets([[0.5, 0.5]], "linear").to_lists() == [[0]]


def test_a_certain_class_is_predicted_alone():
    assert optimal_sets([[0, 1, 0]], "u80", classes=["a", "b", "c"]).to_lists() == [["b"]]


def test_a_utility_that_prefers_a_miss_is_refused():
    with pytest.raises(
        ValueError, match="a hit by a set of 2 classes must not be worth less than a miss"
    ):
        optimal_sets([[0.5, 0.5]], Tabulated([1, 0.1], miss=0.2))
    with pytest.raises(ValueError, match="a hit by a set of 1 class must not be worth less"):
        optimal_sets([[0.5, 0.5]], lambda x: 1 - x)


def rules(matrix):
    costs = CostMatrix(matrix)
    yield costs.extend("discounted")
    for r in (0.0, 0.3, 1.0):
        for mode in ("cautious", "mistake-averse"):
            yield costs.extend("p-discounted", r=r, mode=mode)
    yield costs.extend("abellan-masegosa")
    yield costs.extend({(0, 1): [0.1] * len(matrix)})


@given(st.data())
@fewer(8)
def test_the_cheapest_set_agrees_with_a_search_of_all_subsets(data):
    p = data.draw(probabilities(most_classes=6, most_rows=2))
    everything = subsets(p.shape[1])
    for extended in rules(data.draw(cost_matrices(p.shape[1]))):
        found, info = optimal_sets(p, costs=extended, return_info=True)
        table = extended.matrix()
        for row, chosen, expected in zip(p, found.to_lists(), info.expected, strict=True):
            best, first = first_best(-table @ row, everything)
            assert expected == pytest.approx(-best, abs=1e-9)
            assert chosen == first
        assert info.is_exact


@given(
    probabilities(most_classes=8), st.sampled_from(["p-discounted", "utility", "abellan-masegosa"])
)
@fewer(12)
def test_costs_of_size_and_hit_need_no_search(p, rule):
    extended = CostMatrix.zero_one(range(p.shape[1])).extend(rule)
    found, info = optimal_sets(p, costs=extended, return_info=True)
    table = p @ extended.matrix().T
    assert info.search == "sorted"
    np.testing.assert_allclose(info.expected, table.min(axis=1), atol=1e-9)
    np.testing.assert_allclose(extended.expected(found, p), info.expected, atol=1e-9)


@given(st.data())
@fewer(12)
def test_discounted_costs_never_prefer_a_set(data):
    # Yang, Destercke & Masson (2017), Proposition 1
    p = data.draw(probabilities())
    costs = CostMatrix(data.draw(cost_matrices(p.shape[1])))
    found, info = optimal_sets(p, costs=costs.extend("discounted"), return_info=True)
    assert info.search == "single class"
    np.testing.assert_array_equal(np.ravel(found.to_lists()), costs.optimal_class(p))


def test_fifteen_classes_are_searched_exactly():
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.ones(15), 3)
    extended = CostMatrix(rng.uniform(0.5, 4, (15, 15)) * (1 - np.eye(15))).extend(r=0.8)
    sets, info = optimal_sets(p, costs=extended, return_info=True)
    assert info.search == "exact"
    np.testing.assert_allclose(info.expected, (p @ extended.matrix().T).min(axis=1))
    np.testing.assert_allclose(extended.expected(sets, p), info.expected)


@given(st.data(), st.sampled_from([0.3, 0.7, 1.0]), st.sampled_from(["cautious", "mistake-averse"]))
@fewer(8)
def test_the_gap_of_a_greedy_search_covers_the_best_set(data, r, mode):
    p = data.draw(probabilities(most_classes=7))
    extended = CostMatrix(data.draw(cost_matrices(p.shape[1]))).extend(r=r, mode=mode)
    best = (p @ extended.matrix().T).min(axis=1)
    for search in ("greedy", "contiguous"):
        sets, info = optimal_sets(p, costs=extended, search=search, return_info=True)
        np.testing.assert_allclose(extended.expected(sets, p), info.expected, atol=1e-9)
        assert (info.expected >= best - 1e-9).all()
        assert (info.expected - info.gap <= best + 1e-9).all()


@given(st.data())
@fewer(12)
def test_the_gap_covers_the_sets_of_a_table_that_follow_no_rule(data):
    p = data.draw(probabilities(n_classes=4))
    matrix = data.draw(cost_matrices(4))
    row = data.draw(st.lists(st.integers(0, 4), min_size=4, max_size=4))
    extended = CostMatrix(matrix).extend({(1, 2, 3): row})
    best = (p @ extended.matrix().T).min(axis=1)
    _, info = optimal_sets(p, costs=extended, search="greedy", return_info=True)
    assert (info.expected - info.gap <= best + 1e-9).all()


def test_more_classes_than_can_be_searched_are_grown_greedily():
    rng = np.random.default_rng(4)
    p = rng.dirichlet(np.full(17, 0.4), 4)
    extended = CostMatrix.ordinal(range(17)).extend(r=0.5)
    sets, info = optimal_sets(p, costs=extended, return_info=True)
    assert info.search == "greedy"
    exact = optimal_sets(p, costs=extended, search="exact", return_info=True)[1]
    assert (info.expected >= exact.expected - 1e-9).all()
    assert (info.expected - info.gap <= exact.expected + 1e-9).all()
    np.testing.assert_allclose(extended.expected(sets, p), info.expected)


@given(probabilities(most_classes=7), st.sampled_from(["u65", "f1"]))
@fewer(12)
def test_the_best_run_of_ordered_classes(p, utility):
    runs = [s for s in subsets(p.shape[1]) if s == list(range(s[0], s[-1] + 1))]
    sets, info = optimal_sets(p, utility, search="contiguous", return_info=True)
    for row, chosen, expected in zip(p, sets.to_lists(), info.expected, strict=True):
        worth = [row[s].sum() * get_utility(utility)(1 / len(s)) for s in runs]
        best, first = first_best(worth, runs)
        assert chosen == first
        assert expected == pytest.approx(best, abs=1e-9)
    free = optimal_sets(p, utility, return_info=True)[1]
    np.testing.assert_allclose(info.expected + info.gap, free.expected, atol=1e-9)


def test_example_7_changes_its_mind_where_the_paper_says():
    # Yang, Destercke & Masson (2017), Tables VI and VII, Fig. 2: thresholds of p(n)
    costs = CostMatrix([[0, 2], [4, 0]], ["h", "n"])
    for pair, (low, high) in (([0.5, 0.5], (1 / 4, 7 / 8)), ([0.25, 0.75], (1 / 6, 5 / 6))):
        extended = costs.extend({("h", "n"): pair})
        for p_n, chosen in (
            (low - 1e-6, ["h"]), (low + 1e-6, ["h", "n"]),
            (high - 1e-6, ["h", "n"]), (high + 1e-6, ["n"]),
        ):  # fmt: skip
            assert optimal_sets([[1 - p_n, p_n]], costs=extended).to_lists() == [chosen]


def test_the_columns_may_be_in_another_order_than_the_costs():
    p = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])
    plain = optimal_sets(p, costs=TABLE_I, classes=TABLE_I.classes)
    turned = optimal_sets(p[:, ::-1], costs=TABLE_I, classes=["n", "b", "h"])
    assert turned.classes.tolist() == ["n", "b", "h"]
    assert [sorted(s) for s in turned.to_lists()] == [sorted(s) for s in plain.to_lists()]


def test_a_plain_matrix_of_costs_is_extended_by_its_p_discounted_means():
    p = [[0.3, 0.3, 0.4], [0.1, 0.1, 0.8]]
    named = {"classes": TABLE_I.classes}
    plain = optimal_sets(p, costs=TABLE_I.costs, **named)
    extended = optimal_sets(p, costs=TABLE_I.extend("p-discounted"), **named)
    assert plain.to_lists() == extended.to_lists()
    numbers = optimal_sets(p, costs=TABLE_I.costs)
    np.testing.assert_array_equal(numbers.to_indicator(), plain.to_indicator())
    assert numbers.source == "columns"


def test_columns_take_the_names_of_costs_in_sorted_order():
    costs = CostMatrix(TABLE_I.costs, ["a", "b", "c"])
    assert optimal_sets([[0, 0, 1]], costs=costs).to_lists() == [["c"]]
    with pytest.raises(ValueError, match="proba has no class names"):
        optimal_sets([[0, 0, 1]], costs=TABLE_I)


def test_wrong_arguments_are_refused():
    p = [[0.5, 0.3, 0.2]]
    with pytest.raises(ValueError, match="search must be one of auto, exact, contiguous, greedy"):
        optimal_sets(p, search="all")
    with pytest.raises(ValueError, match="proba has 2 columns but there are costs for 3 classes"):
        optimal_sets([[0.5, 0.5]], costs=TABLE_I)
    with pytest.raises(
        ValueError, match=r"costs are for the classes 'h', 'b', 'n' but .* 'x', 'y', 'z'"
    ):
        optimal_sets(p, costs=TABLE_I, classes=["x", "y", "z"])
    with pytest.raises(ValueError, match="every row of proba must sum to 1"):
        optimal_sets([[0.5, 0.6]])
    twenty_one = CostMatrix.ordinal(range(21)).extend()
    with pytest.raises(ValueError, match="21 classes have"):
        optimal_sets(np.full((1, 21), 1 / 21), costs=twenty_one, search="exact")


@given(st.data(), st.sampled_from(["p-discounted", "abellan-masegosa"]))
def test_the_bound_of_all_sets_is_reached_if_costs_depend_on_size_and_hit(data, rule):
    p = data.draw(probabilities(most_classes=6))
    extended = CostMatrix.zero_one(range(p.shape[1])).extend(rule)
    best = (p @ extended.matrix().T).min(axis=1)
    np.testing.assert_allclose(least_possible(p, extended), best, atol=1e-9)


def test_weighted_sets_bring_the_bound_near_the_best_set():
    p = np.random.default_rng(2).dirichlet(np.ones(8), 20)
    extended = CostMatrix.ordinal(range(8)).extend(r=0.5)
    best = (p @ extended.matrix().T).min(axis=1)
    bound = least_possible(p, extended)
    assert (bound <= best + 1e-9).all()
    assert (bound > _by_size(p, extended)).all()


def test_the_least_cost_wins_whatever_its_set_is():
    value, size = np.array([[1.0, 0.0, 0.0]]), np.array([[1, 3, 2]])
    assert _first_least(value, size).tolist() == [2]
    assert _first_least(value[:, :2], size[:, :2]).tolist() == [1]


def bound_by_size(p, extended):
    """The bound of `_by_size` from the costs of all sets of each size."""
    everything, table = extended.subsets(), extended.matrix()
    K = p.shape[1]
    bounds = []
    for size in range(1, K + 1):
        of_size = [i for i, members in enumerate(everything) if len(members) == size]
        hit, miss = np.full(K, np.inf), np.full(K, np.inf)
        for i in of_size:
            inside = np.isin(range(K), everything[i])
            hit = np.where(inside, np.minimum(hit, table[i]), hit)
            miss = np.where(inside, miss, np.minimum(miss, table[i]))
        if size == K:
            bounds.append(p @ hit)
        else:
            bounds.append(p @ miss - np.sort(p * (miss - hit), axis=1)[:, -size:].sum(axis=1))
    return np.min(bounds, axis=0)


@given(st.data(), st.sampled_from(["cautious", "mistake-averse"]))
def test_the_bound_by_size_takes_the_cheapest_sets_of_each_size(data, mode):
    p = data.draw(probabilities(n_classes=4))
    extended = CostMatrix(data.draw(cost_matrices(4))).extend(r=0.3, mode=mode)
    np.testing.assert_allclose(_by_size(p, extended), bound_by_size(p, extended), atol=1e-9)


def test_a_greedy_search_adds_the_class_that_saves_most():
    p = np.array([[0.02, 0.03, 0.45, 0.5]])
    costs = np.array([[0, 1, 1, 0.9], [1, 0, 0.8, 1], [1, 0.9, 0, 1], [1, 1, 1, 0]])
    extended = CostMatrix(costs).extend(r=0.8)
    for search in ("greedy", "exact"):
        assert optimal_sets(p, costs=extended, search=search).to_lists() == [[2, 3]]


def test_the_bound_is_reached_by_equally_probable_classes_in_a_ring():
    """No weights are better than equal ones, by symmetry, and the set of all classes has them."""
    K = 6
    apart = np.abs(np.subtract.outer(range(K), range(K)))
    extended = CostMatrix(np.minimum(apart, K - apart)).extend(r=0.5)
    p = np.full((1, K), 1 / K)
    everything = extended.expected([[True] * K], p)
    np.testing.assert_allclose(least_possible(p, extended), everything)


def test_ties_are_found_in_every_unit_of_the_costs():
    """The last two classes are alike, so every set with one of them ties with another set."""
    rng = np.random.default_rng(0)
    like = [0, 1, 3, 2]
    for _ in range(40):
        costs = rng.uniform(0.5, 2, (4, 4)) * (1 - np.eye(4))
        costs = costs + costs[np.ix_(like, like)]
        p = rng.integers(1, 9, (20, 4))[:, [0, 1, 2, 2]]
        p = p / p.sum(axis=1, keepdims=True)
        plain, dear = (
            optimal_sets(p, costs=CostMatrix(unit * costs).extend(r=0.5), search="greedy")
            for unit in (1, 1e9)
        )
        assert plain.to_lists() == dear.to_lists()


def test_the_cheapest_run_of_ordered_classes():
    """With r = 1 a set with the true class is free: the outer classes, or the run around them."""
    extended = CostMatrix([[0, 2, 3], [1, 0, 1], [3, 2, 0]]).extend("p-discounted", r=1)
    proba = [[0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
    assert optimal_sets(proba, costs=extended).to_lists() == [[0, 2], [0, 1]]
    assert optimal_sets(proba, costs=extended, search="contiguous").to_lists() == [
        [0, 1, 2],
        [0, 1],
    ]


@pytest.mark.parametrize("unit", [1.0, 1e6])
def test_a_tie_except_for_rounding_goes_to_the_smaller_set_in_any_unit(unit):
    """One of ten equal classes is worth 3 x 0.1, three are worth 1 x 0.30000000000000004."""
    utility = Tabulated((3 * unit, unit, unit, *[0.0] * 7))
    assert optimal_sets([[0.1] * 10], utility).to_lists() == [[0]]


def test_what_a_search_says_of_its_sets():
    costs = CostMatrix([[0, 1, 9], [2, 0, 8], [1, 5, 0]], range(3)).extend("p-discounted", r=0.5)
    p = np.array([[0.4, 0.35, 0.25], [1.0, 0.0, 0.0]])
    _, exact = optimal_sets(p, costs=costs, return_info=True)
    _, greedy = optimal_sets(p, costs=costs, return_info=True, search="greedy")
    assert repr(exact).endswith("2 sets found by the search 'exact', known to be optimal")
    assert f"'greedy', off by at most {greedy.gap.max():.4g}" in repr(greedy)
    assert greedy.gap.max() > 0
