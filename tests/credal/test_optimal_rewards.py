"""The best sets under rewards that depend on the class: against all sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.credal.strategies import probabilities
from tests.fewer import fewer
from wager.costs import ClassHierarchy, SetRewards
from wager.credal import optimal_sets
from wager.rewards import Tabulated, extended_reward_matrix

UTILITIES = ("u50", "u65", "u80", "f1", "f2", "log-norm")


def best_of_all(proba, rewards):
    """The largest expected reward of any set, and the first set that has it."""
    expected = proba @ rewards.matrix().T
    most = expected.max(axis=1)
    first = (expected >= most[:, None] - 1e-9).argmax(axis=1)
    sets = rewards.subsets()
    return most, [list(sets[i]) for i in first]


def runs_only(proba, rewards):
    """The largest expected reward of the runs of neighbouring classes."""
    K = proba.shape[1]
    runs = [set(range(low, high)) for low in range(K) for high in range(low + 1, K + 1)]
    rows = [rewards.matrix()[rewards.subsets().index(tuple(sorted(run)))] for run in runs]
    return (proba @ np.array(rows).T).max(axis=1)


def check(proba, rewards, how):
    sets, info = optimal_sets(proba, rewards=rewards, return_info=True)
    most, first = best_of_all(proba, rewards)
    np.testing.assert_allclose(info.expected, most, atol=1e-9)
    np.testing.assert_allclose(rewards.expected(sets, proba), most, atol=1e-9)
    assert info.search == how
    assert info.is_exact
    return sets.to_lists(), first


@given(probabilities(), st.data())
def test_weighted_utilities_sort_by_weight_times_probability(proba, draw):
    K = proba.shape[1]
    weights = draw.draw(st.lists(st.integers(0, 6), min_size=K, max_size=K).filter(any))
    utility = draw.draw(st.sampled_from(UTILITIES))
    found, first = check(proba, SetRewards.by_class(utility, weights, range(K)), "sorted")
    assert [len(row) for row in found] == [len(row) for row in first]


@given(probabilities(most_classes=5), st.data())
@fewer(8)
def test_utilities_by_class_are_sorted_for_each_size(proba, draw):
    K = proba.shape[1]
    weights = draw.draw(st.lists(st.integers(0, 6), min_size=K, max_size=K).filter(any))
    tables = st.lists(st.integers(-4, 8), min_size=K, max_size=K).map(
        lambda values: Tabulated([v / 4 for v in values], miss=0.25)
    )
    utilities = {c: draw.draw(st.sampled_from(UTILITIES) | tables) for c in range(K)}
    found, first = check(proba, SetRewards.by_class(utilities, weights), "sorted")
    assert [len(row) for row in found] == [len(row) for row in first]


@given(probabilities(), st.sampled_from(UTILITIES))
@fewer(8)
def test_equal_weights_give_the_sets_of_the_utility(proba, utility):
    rewards = SetRewards.by_class(utility, classes=range(proba.shape[1]))
    plain, info = optimal_sets(proba, utility, return_info=True)
    found, own = optimal_sets(proba, rewards=rewards, return_info=True)
    assert found.to_lists() == plain.to_lists()
    np.testing.assert_allclose(own.expected, info.expected, atol=1e-12)


@given(probabilities(most_classes=4), st.data())
@fewer(12)
def test_any_table_is_searched_completely(proba, draw):
    K = proba.shape[1]
    size = (2**K - 1) * K
    values = draw.draw(st.lists(st.integers(-8, 8), min_size=size, max_size=size))
    table = np.array(values).reshape(-1, K) / 8
    found, first = check(proba, SetRewards(table, range(K)), "exact")
    assert found == first


@given(
    probabilities(),
    st.sampled_from(UTILITIES),
    st.integers(0, 4).map(lambda i: i / 8),
    st.sampled_from([0.5, 1.0, 2.0]),
)
@fewer(8)
def test_the_best_set_of_ordered_classes_is_the_best_run(proba, utility, penalty, power):
    K = proba.shape[1]
    rewards = SetRewards.ordered(range(K), utility, penalty=penalty, power=power)
    found, _ = check(proba, rewards, "contiguous")
    for row in found:
        assert row == list(range(row[0], row[-1] + 1))
    _, info = optimal_sets(proba, rewards=rewards, return_info=True)
    np.testing.assert_allclose(info.expected, runs_only(proba, rewards), atol=1e-9)


@given(probabilities(n_classes=2), st.sampled_from(UTILITIES))
def test_two_ordered_classes_are_ordinary_ones(proba, utility):
    ordered = optimal_sets(proba, rewards=SetRewards.ordered([0, 1], utility))
    assert ordered.to_lists() == optimal_sets(proba, utility).to_lists()


TREES = [[[0, 1], [2, 3]], [[0, [1, 2]], 3], {"x": [0, 1, 2], "y": {"z": [3]}}, [4, 4, 4, 4, -1]]


@pytest.mark.parametrize("tree", TREES, ids=str)
@given(probabilities(n_classes=4), st.sampled_from(UTILITIES), st.sampled_from(
    ["leaves", "depth", "information"]))  # fmt: skip
@fewer(8)
def test_the_best_set_of_a_hierarchy_is_a_node(tree, proba, utility, by):
    hierarchy = ClassHierarchy(tree)
    found, _ = check(proba, hierarchy.rewards(utility, by), "nodes")
    nodes = {tuple(row) for row in hierarchy.sets(hierarchy.nodes).to_lists()}
    assert {tuple(row) for row in found} <= nodes


@given(probabilities(), st.sampled_from(UTILITIES))
def test_a_flat_hierarchy_offers_one_class_or_all(proba, utility):
    K = proba.shape[1]
    flat = ClassHierarchy([str(c) for c in range(K)])
    sets = optimal_sets(proba, rewards=flat.rewards(utility), classes=flat.classes)
    assert set(sets.sizes.tolist()) <= {1, K}


@given(probabilities(n_classes=4))
@fewer(12)
def test_a_miss_may_be_worth_something(proba):
    utility = Tabulated([1, 0.8, 0.6, 0.5], miss=0.25)
    check(proba, SetRewards.by_class(utility, [1, 2, 3, 0.5], range(4)), "sorted")
    check(proba, ClassHierarchy(TREES[0]).rewards(utility), "nodes")


def test_many_classes_are_greedy_with_a_certified_gap():
    K = 18
    rewards = SetRewards(
        lambda labels, true: (true in labels) / len(labels) ** 0.5, range(K), limits=(0, 1)
    )
    proba = np.random.default_rng(0).dirichlet(np.ones(K), size=2)
    sets, info = optimal_sets(proba, rewards=rewards, return_info=True)
    plain = optimal_sets(proba, Tabulated([k**-0.5 for k in range(1, K + 1)]), return_info=True)[1]
    assert info.search == "greedy"
    np.testing.assert_allclose(rewards.expected(sets, proba), info.expected)
    assert (plain.expected - info.expected <= info.gap + 1e-12).all()


def test_a_greedy_search_can_be_asked_for():
    proba, rewards = [[0.5, 0.4, 0.1]], SetRewards(extended_reward_matrix(3, "u80"), range(3))
    for search in ("greedy", "exact"):
        sets, info = optimal_sets(proba, rewards=rewards, search=search, return_info=True)
        assert info.search == search
        assert sets.to_lists() == [[0, 1]]


@pytest.mark.parametrize("K", [3, 7])
def test_ties_go_to_the_smaller_set_in_any_unit_of_the_rewards(K):
    """All sets of equally probable classes earn the same, but for rounding."""
    proba = np.full((1, K), 1 / K)
    for unit in np.geomspace(1, 1e9, 30):
        utilities = {c: Tabulated([1 / k for k in range(1, K + 1)]) for c in range(K)}
        utilities[0] = "linear"
        rewards = SetRewards.by_class(utilities, [unit] * K)
        assert optimal_sets(proba, rewards=rewards).sizes.tolist() == [1]


def test_many_ordered_classes_and_a_large_hierarchy_are_exact():
    rng = np.random.default_rng(1)
    proba = rng.dirichlet(np.ones(60) / 5, size=20)
    rewards = SetRewards.ordered(range(60), "u65", penalty=0.02)
    sets, info = optimal_sets(proba, rewards=rewards, return_info=True)
    runs = np.array([np.isin(np.arange(60), range(low, high))
                     for low in range(60) for high in range(low + 1, 61)])  # fmt: skip
    slow = (proba @ rewards.rows_of(runs).T).max(axis=1)
    np.testing.assert_allclose(info.expected, slow)
    np.testing.assert_allclose(rewards.expected(sets, proba), slow)
    tree = ClassHierarchy([f"{i // 12}/{i // 4}.{i // 4 % 3}/leaf {i}" for i in range(60)])
    own = tree.rewards("u80")
    _, info = optimal_sets(proba, rewards=own, classes=tree.classes, return_info=True)
    slow = (proba @ own.rows_of(tree.sets(tree.nodes).to_indicator()).T).max(axis=1)
    np.testing.assert_allclose(info.expected, slow)


def test_columns_are_matched_by_name():
    rewards = SetRewards.by_class("u65", {"well": 1, "ill": 5})
    with pytest.raises(ValueError, match="sorted"):
        optimal_sets([[0.1, 0.9]], rewards=rewards)
    sets = optimal_sets([[0.1, 0.9]], rewards=rewards, classes=["ill", "well"])
    assert sets.to_lists() == [["ill", "well"]]
    assert sets.classes.tolist() == ["ill", "well"]
    turned = optimal_sets([[0.9, 0.1]], rewards=rewards, classes=["well", "ill"])
    assert set(turned.to_lists()[0]) == {"ill", "well"}


def test_wrong_arguments_are_explained():
    rewards = SetRewards(extended_reward_matrix(2, "u65"), [0, 1])
    with pytest.raises(ValueError, match="pass costs= or rewards=, not both"):
        optimal_sets([[0.5, 0.5]], rewards=rewards, costs=[[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="3 columns but there are rewards for 2 classes"):
        optimal_sets([[0.5, 0.25, 0.25]], rewards=rewards)
    with pytest.raises(ValueError, match="rewards must be SetRewards, got an object of type list"):
        optimal_sets([[0.5, 0.5]], rewards=[[1, 0], [0, 1]])
