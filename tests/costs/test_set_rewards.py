"""Rewards that depend on the true class: tables, functions and utilities by class."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.fewer import fewer
from tests.replications import replications
from tests.rewards.strategies import labelled_sets
from wager import ClassHierarchy, head_to_head
from wager.compare import PairedCosts
from wager.costs import (
    CostTally,
    SetRewards,
    average_cost,
    average_reward,
    evaluate_rewards,
    reward_difference,
)
from wager.rewards import PairedTally, Tabulated, Tally, extended_reward_matrix, get_utility

UTILITIES = ("u50", "u65", "u80", "f1", "log")
ILLNESSES = ["flu", "cold", "asthma"]


def slow_reward(utility, weight, members, truth):
    """One cell of utilities by class, from the definition."""
    u = get_utility(utility[truth])
    return weight[truth] * float(u(1 / sum(members)) if members[truth] else u(0.0))


# -- the same numbers in every form --


@given(labelled_sets(), st.sampled_from(UTILITIES))
@fewer(12)
def test_equal_weights_give_the_plain_utility(data, utility):
    y, sets = data
    K = sets.shape[1]
    rewards = SetRewards.by_class(utility, classes=range(K))
    plain = Tally.of(y, sets, range(K)).estimate(utility)
    found = evaluate_rewards(y, sets, rewards, classes=range(K))
    assert found.mean == pytest.approx(plain.value, abs=1e-12)
    assert found.standard_error == pytest.approx(plain.standard_error, nan_ok=True, abs=1e-12)
    assert found.overall.interval() == pytest.approx(plain.interval(), abs=1e-9)


@given(labelled_sets(), st.data())
@fewer(12)
def test_utilities_by_class_follow_their_definition(data, draw):
    y, sets = data
    K = sets.shape[1]
    weight = draw.draw(st.lists(st.integers(0, 5), min_size=K, max_size=K).filter(any))
    utility = draw.draw(st.lists(st.sampled_from(UTILITIES), min_size=K, max_size=K))
    rewards = SetRewards.by_class(dict(enumerate(utility)), weight)
    slow = [slow_reward(utility, weight, row, truth) if row.any()
            else weight[truth] * float(get_utility(utility[truth])(0.0))
            for row, truth in zip(sets, y, strict=True)]  # fmt: skip
    np.testing.assert_allclose(rewards.of(sets, y, classes=range(K)), slow, atol=1e-12)
    low, high = rewards.ranges[y].T
    assert (low - 1e-12 <= slow).all()
    assert (slow <= high + 1e-12).all()


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_a_table_a_function_and_a_utility_agree(n_classes):
    utility = get_utility("u65")
    matrix = extended_reward_matrix(n_classes, "u65")

    def by_hand(labels, true):
        return float(utility(1 / len(labels))) if true in labels else 0.0

    forms = [
        SetRewards(matrix, range(n_classes)),
        SetRewards(by_hand, range(n_classes)),
        SetRewards(by_hand, range(n_classes), limits=(0, 1)),
        SetRewards({}, range(n_classes), otherwise="u65"),
        SetRewards.by_class("u65", classes=range(n_classes)),
    ]
    for rewards in forms:
        np.testing.assert_allclose(rewards.matrix(), matrix, atol=1e-12)


def test_many_classes_need_no_table():
    K, n = 300, 50
    rng = np.random.default_rng(0)
    sets, y = rng.random((n, K)) < 0.02, rng.integers(K, size=n)
    weight = rng.random(K)
    utility = get_utility("u65")
    slow = [
        weight[c] * float(utility(1 / row.sum()) if row[c] else 0)
        for row, c in zip(sets, y, strict=True)
    ]
    by_class = SetRewards.by_class("u65", weight, range(K))
    function = SetRewards(
        lambda labels, c: weight[c] * float(utility(1 / len(labels)) if c in labels else 0),
        range(K),
        limits=(0, 1),
    )
    np.testing.assert_allclose(by_class.of(sets, y), slow)
    some = sets.any(axis=1)
    np.testing.assert_allclose(function.of(sets[some], y[some]), np.array(slow)[some])


def test_the_published_numbers_of_a_small_table():
    """Computed by hand: weights 5 and 1, u65 of two classes is 0.65."""
    rewards = SetRewards.by_class("u65", {"ill": 5, "well": 1})
    assert rewards.matrix().tolist() == [[5, 0], [0, 1], [3.25, 0.65]]
    truth, sets = ["ill", "well", "well", "ill"], ["ill", "ill|well", "well", "well"]
    found = evaluate_rewards(truth, sets, rewards)
    values = np.array([5, 0.65, 1, 0])
    assert found.mean == pytest.approx(values.mean())
    assert found.standard_error == pytest.approx(values.std(ddof=1) / 2)
    assert found.by_class["ill"].value == 2.5
    assert found.by_class["well"].value == pytest.approx(0.825)
    assert average_reward(truth, sets, rewards, sample_weight=[1, 0, 0, 1]) == 2.5
    assert found.sentence().startswith("A prediction earns 1.66 on average (95% interval 0.43 to ")


def test_groups_are_parts_of_the_rows():
    rewards = SetRewards.by_class("u65", {"ill": 5, "well": 1})
    truth, sets = ["ill", "well", "well", "ill"], ["ill", "ill|well", "well", "well"]
    found = evaluate_rewards(truth, sets, rewards, by=["x", "y", "y", "x"])
    assert {name: part.value for name, part in found.by_group.items()} == {"x": 2.5, "y": 0.825}


# -- comparison --


@given(labelled_sets(min_rows=2), st.data())
@fewer(12)
def test_weights_by_class_are_weights_of_rows(data, draw):
    y, sets = data
    K = sets.shape[1]
    weight = np.array(draw.draw(st.lists(st.integers(1, 5), min_size=K, max_size=K)), dtype=float)
    rewards = SetRewards.by_class("u65", weight, range(K))
    plain = np.eye(K, dtype=bool)[(y + 1) % K]
    found = reward_difference(y, sets, plain, rewards, classes=range(K))
    weighted = PairedTally.of(y, sets, plain, range(K), weight[y]).difference("u65")
    assert found.mean * len(y) == pytest.approx(weighted.mean * weight[y].sum(), abs=1e-9)


@given(labelled_sets(min_rows=2))
@fewer(8)
def test_differences_of_rows_of_counts_and_of_costs_agree(data):
    y, sets = data
    K = sets.shape[1]
    sets[~sets.any(axis=1), 0] = True
    plain = np.eye(K, dtype=bool)[y]
    rewards = SetRewards.by_class("u80", np.arange(1, K + 1), range(K))
    of_rows = reward_difference(y, sets, plain, rewards, classes=range(K))
    joint = PairedCosts.of(y, sets, plain, range(K))
    of_counts, of_costs = joint.difference(rewards), joint.difference(rewards.as_costs())
    assert of_counts.mean == pytest.approx(of_rows.mean, abs=1e-12)
    assert of_counts.interval() == pytest.approx(of_rows.interval(), abs=1e-9)
    assert of_costs.mean == pytest.approx(-of_rows.mean, abs=1e-12)
    tally = CostTally.of(y, sets, range(K))
    own = evaluate_rewards(y, sets, rewards, classes=range(K))
    assert tally.evaluate_rewards(rewards).mean == pytest.approx(own.mean)


def test_regrets_and_rewards_add_up_to_the_best_reward():
    rewards = SetRewards.by_class("u65", {"a": 3, "b": 1, "c": 2})
    truth, sets = ["a", "b", "c", "c"], ["a|b", "b", "a", "a|b|c"]
    best = np.mean([3, 1, 2, 2])
    costs = rewards.as_costs()
    assert average_cost(truth, sets, costs) + average_reward(truth, sets, rewards) == best
    met = head_to_head(truth * 20, {"sets": sets * 20, "a": ["a"] * 80}, costs=costs)
    gap = reward_difference(truth * 20, sets * 20, ["a"] * 80, rewards).mean
    assert met.cost_difference("sets", "a").effect == pytest.approx(-gap)


def test_intervals_cover_the_mean_reward():
    """The 95% interval of 60 rows covers in 95% less 3.6 errors of the simulation to 98.5%."""
    rng, runs = np.random.default_rng(5), replications(2000)
    rewards = SetRewards.by_class({0: "u80", 1: "u50"}, [4, 1])
    members = np.array([[1, 0], [0, 1], [1, 1]], dtype=bool)
    law = rng.dirichlet(np.ones(6)).reshape(3, 2)  # of set and true class
    mean = float((law * rewards.rows_of(members)).sum())
    covered = 0
    for cell in rng.choice(6, size=(runs, 60), p=law.ravel()):
        found = evaluate_rewards(cell % 2, members[cell // 2], rewards, classes=[0, 1])
        low, high = found.overall.interval()
        covered += low <= mean <= high
    assert 0.95 - 3.6 * np.sqrt(0.95 * 0.05 / runs) <= covered / runs <= 0.985


# -- what is refused --


def test_a_missing_cell_is_named():
    with pytest.raises(ValueError, match=r"no reward of \{flu\} when flu is true: add it, or pass"):
        SetRewards({("flu", "cold"): 0.9}, ILLNESSES)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SetRewards([[1, 0]], ["a", "b"]), r"one row for each of the 3 sets .* \(1, 2\)"),
        (lambda: SetRewards([[1, 0], [0, 1], [np.nan, 1]], "ab"), "duplicate|one label|finite"),
        (lambda: SetRewards(lambda s, t: None, ["a", "b"]), r"reward of \{a\} must be a finite"),
        (lambda: SetRewards(lambda s, t: 2, range(20)), r"too many to list"),
        (lambda: SetRewards({}, ["a", "b"], limits=(0, 1)), "limits= are those of a function"),
        (lambda: SetRewards(lambda s, t: 1, ["a", "b"], limits=(1, 0)), "two finite ascending"),
        (lambda: SetRewards({("a", "b"): [1, 2, 3]}, ["a", "b"]), "one reward for each of the 2"),
        (
            lambda: SetRewards({("a", "b"): 0.9, ("b", "a"): 0.1}, ["a", "b"], otherwise="u65"),
            r"the table lists \{a, b\} more than once",
        ),
        (lambda: SetRewards.by_class("u65"), "the classes are not known: pass classes="),
        (lambda: SetRewards.by_class("u65", [1], ["a", "b"]), "one number for each of the 2"),
        (lambda: SetRewards.by_class("u65", [1, -1], ["a", "b"]), "not negative, got -1 for the"),
        (lambda: SetRewards.by_class("u65", [0, 0], ["a", "b"]), "all weights are 0"),
        (lambda: SetRewards.by_class({"a": "u65"}, classes=["a", "b"]), "no entry for the class b"),
        (lambda: SetRewards.by_class("u65", classes=["a"]), "need at least two classes"),
    ],
)
def test_wrong_rewards_are_explained(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_a_function_outside_its_limits_is_an_error():
    rewards = SetRewards(lambda labels, true: 2.0, range(20), limits=(0, 1))
    with pytest.raises(ValueError, match=r"the reward of \{3\} is 2 when 3 is true, outside lim"):
        rewards.reward(3, 3)


def test_an_empty_set_needs_a_reward():
    rewards = SetRewards(extended_reward_matrix(2, "u65"), ["a", "b"])
    with pytest.raises(ValueError, match="row 1 predicts the empty set, which has no reward"):
        rewards.of([["a"], []], ["a", "a"])
    given_one = SetRewards(extended_reward_matrix(2, "u65"), ["a", "b"], empty=-1)
    assert given_one.of([["a"], []], ["a", "a"]).tolist() == [1, -1]
    assert given_one.ranges.tolist() == [[-1, 1], [-1, 1]]


def test_rewards_are_not_costs():
    rewards = SetRewards.by_class("u65", classes=["a", "b"])
    with pytest.raises(ValueError, match=r"these are rewards.*pass rewards\.as_costs\(\)"):
        average_cost(["a"], ["a"], rewards)
    with pytest.raises(ValueError, match="rewards must be SetRewards, got an object of type list"):
        average_reward(["a"], ["a"], [[1, 0], [0, 1]])


def test_sets_beyond_a_table_of_utilities_are_an_error():
    rewards = SetRewards.by_class(Tabulated([1, 0.5]), classes=["a", "b", "c"])
    assert rewards.reward(["a", "b"], "a") == 0.5
    with pytest.raises(ValueError, match=r"\{a, b, c\} has 3 classes, more than the utility"):
        rewards.reward(["a", "b", "c"], "a")


def test_matrices_without_names_need_sorted_classes():
    rewards = SetRewards.by_class("u65", classes=["low", "high"])
    with pytest.raises(ValueError, match="sorted"):
        rewards.of([[True, False]], ["low"])
    assert rewards.of([[True, False]], ["low"], classes=["low", "high"]).tolist() == [1]


# -- cells, rows and tables --


def every_kind_of_rewards(n_classes):
    rng = np.random.default_rng(0)
    classes = range(n_classes)
    table = SetRewards(rng.random((2**n_classes - 1, n_classes)), classes)
    tree = ClassHierarchy([list(classes[:3]), list(classes[3:])])
    return {
        "table": table,
        "tree": tree.rewards("u65"),
        "by class": SetRewards.by_class(dict(enumerate(["f1", *["u80"] * 6])), rng.random(7)),
        "ordered": SetRewards.ordered(classes, penalty=0.3, power=2),
    }


@pytest.mark.parametrize("kind", ["table", "tree", "by class", "ordered"])
def test_few_predictions_earn_what_the_table_of_all_sets_says(kind):
    """With 7 classes, few rows are computed cell by cell, without the table of all 127 sets."""
    rewards = every_kind_of_rewards(7)[kind]
    costs = rewards.as_costs()
    rows = {labels: row for labels, *row in zip(rewards.subsets(), rewards.matrix(), strict=True)}
    rng = np.random.default_rng(1)
    y, sets = rng.integers(7, size=9), rng.random((9, 7)) < 0.4
    sets[:, 0] |= ~sets.any(axis=1)
    lists = [tuple(np.flatnonzero(row).tolist()) for row in sets]
    earned = [rows[labels][0][truth] for labels, truth in zip(lists, y, strict=True)]
    np.testing.assert_allclose(rewards.of(lists, y), earned, atol=1e-12)
    missed = rewards.matrix().max(axis=0)[y] - earned
    np.testing.assert_allclose(costs.of(lists, y), missed, atol=1e-12)
    worst = np.ptp(rewards.matrix(), axis=0)
    np.testing.assert_allclose(costs.ranges, np.stack([0 * worst, worst], axis=1), atol=1e-12)


def test_expected_rewards_match_columns_by_name():
    rewards = SetRewards.by_class("u50", {"ill": 4, "well": 1})
    # {ill} at p(ill) = 0.3 earns 1.2; {well} 0.7; columns are given in the order well, ill
    sets = [[False, True], [True, False]]
    found = rewards.expected(sets, [[0.7, 0.3], [0.7, 0.3]], classes=["well", "ill"])
    assert found == pytest.approx([1.2, 0.7])


def test_a_reward_that_is_the_same_for_every_set_has_equal_limits():
    rewards = SetRewards(lambda labels, true: 2.0, ["a", "b"], limits=(2, 2))
    found = evaluate_rewards(["a", "b", "a"], ["a", "a|b", "b"], rewards)
    assert found.mean == 2
    assert found.overall.interval() == (2, 2)


def test_a_table_with_one_reward_that_is_not_finite_names_its_place():
    table = [[1, 0], [0, 1], [0.5, np.nan]]
    with pytest.raises(ValueError, match="rewards must be finite, got nan in row 2, column 1"):
        SetRewards(table, ["a", "b"])


def test_printed_rewards_name_their_unit():
    rewards = SetRewards.by_class("u65", {"ill": 5, "well": 1}, unit="EUR")
    assert repr(rewards).startswith("u65, weighted by class, in EUR\n")
    assert repr(SetRewards.by_class("u65", {"ill": 5, "well": 1})).startswith(
        "u65, weighted by class\n"
    )


def test_intervals_of_parts_are_those_of_the_parts_alone():
    rewards = SetRewards.by_class("u65", {"ill": 5, "well": 1})
    truth, sets = ["ill", "well", "well", "ill", "ill"], ["ill", "ill|well", "well", "well", "ill"]
    whole = evaluate_rewards(truth, sets, rewards, by=list("xyxyx"))
    for name in "xy":
        rows = [row for row, part in enumerate("xyxyx") if part == name]
        alone = evaluate_rewards([truth[r] for r in rows], [sets[r] for r in rows], rewards)
        assert whole.by_group[name].interval() == pytest.approx(alone.overall.interval())
