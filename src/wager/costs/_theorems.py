"""What can be said of the properties for any number of classes, without looking at every set.

For some rules a property follows from the formula, and for others a few sets are decisive: if any
set breaks the property, one of them does.  All verdicts here are about the absence of a witness
among all pairs, the full set and the decisive sets; a witness needs no theorem.
"""

from __future__ import annotations

import numpy as np

from wager._typing import Bools, Floats, Ints
from wager.costs._extended import ExtendedCosts
from wager.costs._rules import AbellanMasegosa, ClassSelective, Mean, Table

__all__ = ["decisive_sets", "interchangeable", "without_witness"]


def interchangeable(extended: ExtendedCosts) -> bool:
    """Whether renaming the classes changes nothing, so that one set of each size speaks for all."""
    costs = extended.determinate.costs
    right = np.eye(len(costs), dtype=bool)
    same = np.ptp(costs[right]) == 0 and np.ptp(costs[~right]) == 0
    return bool(same) and not isinstance(extended.rule, Table)


def without_witness(extended: ExtendedCosts) -> dict[int, bool]:
    """The properties that are settled when no witness is found, and how."""
    rule = extended.rule
    if isinstance(rule, Mean):
        return _of_means(rule, extended.determinate.costs)
    if isinstance(rule, ClassSelective):
        # Costs are delta (k - 1), plus eta(y) for a miss.  Of the margins that make a set
        # possible, 1 / sum(1 / eta) - delta, the pairs have the largest; what rewards caution is
        # delta < eta(y) / k, which the full set decides for Property 3 and, for Property 2, the
        # sets of the classes with the least eta.
        return {1: False, 9: False} | dict.fromkeys((2, 3, 4, 5, 6, 7, 8, 10), True)
    if isinstance(rule, AbellanMasegosa):
        # A hit costs log k, a miss as much as the dearest member, at least log K.  Property 3 is
        # hardest for a class with the cheapest company; it implies Property 2.
        return {9: False} | dict.fromkeys((3, 4, 5, 6, 7, 8, 10), True)
    return {}


def decisive_sets(extended: ExtendedCosts) -> Bools:
    """Sets beyond the pairs and the full one that `without_witness` relies on."""
    n_classes = extended.n_classes
    if isinstance(extended.rule, ClassSelective):
        eta = extended.determinate.costs.max(axis=0)
        return _growing(np.argsort(eta, kind="stable")[None])
    if isinstance(extended.rule, AbellanMasegosa):
        company = extended.singles.T.copy()  # by truth: what each class costs there
        np.fill_diagonal(company, -np.inf)  # the truth itself comes first
        return _growing(np.argsort(company, axis=1, kind="stable"))
    return np.zeros((0, n_classes), dtype=bool)


def _of_means(rule: Mean, costs: Floats) -> dict[int, bool]:
    """A generalized mean is symmetric, lies between the extremes, and grows with its exponent.

    It grows strictly unless all values are equal.  So a set that breaks Property 2 or 3 has members
    of equal costs where it counts, and each pair of them breaks it too: the pairs decide.
    """
    settled = {4: True, 10: True}
    if rule.inside == rule.outside:
        settled[5] = True
    if rule.outside >= 1:
        settled[6] = True
    if rule.outside <= 1:
        settled[7] = True
    if rule.inside < 1:
        settled |= {2: True, 3: True}
    if rule.inside >= 1 and rule.outside >= 1:
        settled[1] = False  # no set costs less than its mean anywhere: Proposition 1
    if rule.inside <= 0 and not np.diagonal(costs).any():
        settled |= {8: True, 9: False}  # with a zero among its members every hit is free
    return settled


def _growing(orders: Ints) -> Bools:
    """The first two, three, ... classes of each order, as sets."""
    n_orders, n_classes = orders.shape
    rank = np.empty_like(orders)
    np.put_along_axis(rank, orders, np.arange(n_classes)[None], axis=1)
    sizes = np.arange(2, n_classes)
    return (rank[:, None, :] < sizes[:, None]).reshape(n_orders * len(sizes), n_classes)
