"""The unit in which utilities and costs are measured changes no decision."""

from __future__ import annotations

import numpy as np
import pytest

from wager.costs import ClassHierarchy, CostMatrix, SetRewards
from wager.credal import class_selective_rejection, optimal_sets
from wager.predictions import TopKProbabilities
from wager.rewards import get_utility

RNG = np.random.default_rng(0)
PROBA = RNG.dirichlet(np.ones(4), 20)
LISTED = TopKProbabilities.from_proba(PROBA, 2)
COSTS = RNG.random((4, 4)) * (1 - np.eye(4))
WEIGHTS = RNG.random(4) + 0.1
U65 = get_utility("u65")


def costs(unit):
    return CostMatrix(unit * COSTS, range(4)).extend("p-discounted", r=0.5)


def tree(unit):
    return ClassHierarchy([[0, 1], [2, 3]]).rewards(lambda x: unit * U65(x))


def table(unit):
    return SetRewards(lambda members, y: unit * (0.5 + (y in members) / len(members)), range(4))


WAYS = {
    "utility": lambda unit: optimal_sets(PROBA, lambda x: unit * U65(x)),
    "utility, listed": lambda unit: optimal_sets(LISTED, lambda x: unit * U65(x)),
    "costs": lambda unit: optimal_sets(PROBA, costs=costs(unit)),
    "costs, greedy": lambda unit: optimal_sets(PROBA, costs=costs(unit), search="greedy"),
    "by class": lambda unit: optimal_sets(
        PROBA, rewards=SetRewards.by_class(dict(enumerate(["u65", "u80"] * 2)), unit * WEIGHTS)
    ),
    "by width": lambda unit: optimal_sets(
        PROBA, rewards=SetRewards.ordered(range(4), lambda x: unit * U65(x), penalty=0.2 * unit)
    ),
    "by table": lambda unit: optimal_sets(PROBA, rewards=table(unit)),
    "by table, greedy": lambda unit: optimal_sets(PROBA, rewards=table(unit), search="greedy"),
    "by node": lambda unit: optimal_sets(PROBA, rewards=tree(unit)),
    "rejection": lambda unit: class_selective_rejection(PROBA, 0.1 * unit, unit * WEIGHTS),
    "rejection, listed": lambda unit: class_selective_rejection(LISTED, 0.1 * unit, unit * WEIGHTS),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("unit", [1e-13, 1e9])
def test_the_unit_decides_nothing(way, unit):
    assert WAYS[way](unit).to_lists() == WAYS[way](1.0).to_lists()
