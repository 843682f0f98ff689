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
from wager._typing import Array, Floats, Ints
from wager.compare._unpaired import Means
from wager.costs import CostMatrix, CostTally, ExtendedCosts, cost_ranges, costs_over
from wager.predictions import PredictionSets, as_sets, concatenate_sets

COST_FAMILIES = {"p-discounted": "r", "ha": "delta"}  # the extension rule, and its parameter


def cost_grid(family: str, costs: CostMatrix) -> Floats:
    """The usual range: r from 0 to 1; delta up to half the smallest cost of a mistake."""
    if family == "p-discounted":
        return np.linspace(0.0, 1.0, 51)
    mistakes = costs.costs[~np.eye(len(costs.classes), dtype=bool)]
    return np.linspace(0.0, float(mistakes.min()) / 2, 51)


def single_costs(costs: Any, classes: Array) -> CostMatrix:
    """The costs of single classes that a family extends; an array is for the given classes."""
    named = costs_over(costs, classes)
    if isinstance(named, CostMatrix):
        return named
    return CostMatrix(named.determinate.costs, named.classes, named.unit)


def extended_at(
    costs: CostMatrix, family: str, value: float, options: Mapping[str, Any]
) -> ExtendedCosts:
    """The costs of sets at one value of the family's parameter."""
    return costs.extend(family, **{COST_FAMILIES[family]: float(value)}, **options)


def over_costs(
    costs: CostMatrix | ExtendedCosts, sets: PredictionSets, truth: Ints
) -> tuple[PredictionSets, Ints]:
    """Sets and true classes in the order of the classes of the costs."""
    order, _ = encode_labels(sets.classes, costs.classes, name="the classes of the tally")
    return as_sets(sets, costs.classes), order[truth]


def cost_curves(
    tallies: Sequence[CostTally],
    family: str,
    points: Floats,
    costs: CostMatrix,
    options: Mapping[str, Any],
) -> list[Means]:
    """The average costs of each classifier at all values of the parameter."""
    options = dict(options)
    empty_cost = options.pop("empty_cost", None)
    # one list of all pairs of set and true class, so that the rule is applied once per parameter
    pairs = [over_costs(costs, tally.sets, tally.truth) for tally in tallies]
    sets = concatenate_sets(s for s, _ in pairs)
    truth = np.concatenate([t for _, t in pairs])
    extended = [extended_at(costs, family, value, options) for value in points]
    cost = np.array([e.at(sets, truth, empty_cost) for e in extended])
    ranges = [cost_ranges(e, empty_cost) for e in extended]
    low, high = np.array([[r[:, 0].min(), r[:, 1].max()] for r in ranges]).T
    ends = np.cumsum([len(tally.counts) for tally in tallies])[:-1]
    return [
        Means(own, tally.sums, low, high)
        for own, tally in zip(np.split(cost, ends, axis=1), tallies, strict=True)
    ]
