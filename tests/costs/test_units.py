"""The unit in which costs are measured changes the numbers alone."""

from __future__ import annotations

import numpy as np
import pytest

from wager.costs import CostMatrix, CostRatio, ExpectedCost, complete, decision_intervals

COSTS = np.random.default_rng(22).random((3, 3)) * (1 - np.eye(3))


def completed(unit):
    answers = [CostRatio((0, 1), 0, 1, 2.0), ExpectedCost((1, 2), {1: 0.5, 2: 0.5}, 0.2 * unit)]
    return complete(CostMatrix(unit * COSTS, range(3)), answers).matrix() / unit


def borders(unit):
    costs = CostMatrix([[0, 2 * unit], [4 * unit, 0]], ["h", "n"]).extend("p-discounted", r=0.5)
    return [(part.start, part.stop, part.set) for part in decision_intervals(costs)]


@pytest.mark.parametrize("unit", [1e-13, 1e-6, 1e9])
def test_costs_are_completed_in_any_unit(unit):
    np.testing.assert_allclose(completed(unit), completed(1.0), atol=1e-9)


@pytest.mark.parametrize("unit", [1e-13, 1e9])
def test_the_unit_moves_no_border_between_decisions(unit):
    for ours, theirs in zip(borders(unit), borders(1.0), strict=True):
        assert ours[:2] == pytest.approx(theirs[:2])
        assert ours[2] == theirs[2]


@pytest.mark.parametrize("cost", [0.1 + 0.2, 0.3])
def test_a_set_that_costs_as_much_as_a_class_except_for_rounding_is_not_chosen(cost):
    costs = CostMatrix([[0, cost], [1, 0]], ["h", "n"])
    extended = costs.extend({("h", "n"): [0, 0.3]})
    assert {part.set for part in decision_intervals(extended)} == {("h",), ("n",)}
