"""Families of costs of sets along one parameter, and the average costs along them.

Yang, Destercke & Masson (2017) extend a cost matrix to sets with one parameter: the reward r for
caution of p-discounted costs, or the cost delta of every class beyond the first in Ha's rule.  Only
the pairs of set and true class that occur need a cost at each value of the parameter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wager._tables import encode_labels
from wager._typing import Floats, Ints
from wager.costs import CostMatrix, CostTally, ExtendedCosts
from wager.predictions import PredictionSets, as_sets
from wager.rewards import standard_error

COST_FAMILIES = {"p-discounted": "r", "ha": "delta"}  # the extension rule, and its parameter


def cost_grid(family: str, costs: CostMatrix) -> Floats:
    """The usual range: r from 0 to 1; delta up to half the smallest cost of a mistake."""
    if family == "p-discounted":
        return np.linspace(0.0, 1.0, 51)
    mistakes = costs.costs[~np.eye(len(costs.classes), dtype=bool)]
    return np.linspace(0.0, float(mistakes.min()) / 2, 51)


def extended_at(
    costs: CostMatrix, family: str, value: float, options: Mapping[str, Any]
) -> ExtendedCosts:
    """The costs of sets at one value of the family's parameter."""
    return costs.extend(family, **{COST_FAMILIES[family]: float(value)}, **options)


def over_costs(costs: CostMatrix, sets: PredictionSets, truth: Ints) -> tuple[PredictionSets, Ints]:
    """Sets and true classes in the order of the classes of the costs."""
    order, _ = encode_labels(sets.classes, costs.classes, name="the classes of the tally")
    return as_sets(sets, costs.classes), order[truth]


def cost_curves(
    tallies: Sequence[CostTally],
    family: str,
    points: Floats,
    costs: CostMatrix,
    options: Mapping[str, Any],
) -> tuple[Floats, Floats]:
    """Average cost of each classifier at each parameter, and its standard error."""
    options = dict(options)
    empty_cost = options.pop("empty_cost", None)
    # one list of all pairs of set and true class, so that the rule is applied once per parameter
    pairs = [over_costs(costs, tally.sets, tally.truth) for tally in tallies]
    sets = PredictionSets(np.concatenate([s.words for s, _ in pairs]), costs.classes)
    truth = np.concatenate([t for _, t in pairs])
    share = np.concatenate([tally.counts / tally.n for tally in tallies])
    starts = np.cumsum([0, *(len(tally.counts) for tally in tallies)])[:-1]
    mean, error = np.empty((2, len(tallies), len(points)))
    for j, value in enumerate(points):
        cost = extended_at(costs, family, value, options).at(sets, truth, empty_cost)
        mean[:, j] = np.add.reduceat(share * cost, starts)
        for i, own in enumerate(np.split(cost, starts[1:])):
            error[i, j] = standard_error(own - mean[i, j], tallies[i].sums)
    return mean, error
