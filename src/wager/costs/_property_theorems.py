"""Properties that are decided for any number of classes without checking every set.

For some extension rules a property follows from the formula; for others a few sets are decisive: if
any set violates the property, one of them does.  The verdicts here apply if no witness is found
among all pairs, the full set and the decisive sets; a witness needs no theorem.
"""

from __future__ import annotations

import numpy as np

from wager._typing import Bools, Floats, Ints
from wager.costs._extended_costs import ExtendedCosts
from wager.costs.extensions import AbellanMasegosa, ClassSelective, PDiscounted, TabulatedCosts

__all__ = ["decisive_sets", "interchangeable", "without_witness"]


def interchangeable(extended: ExtendedCosts) -> bool:
    """Whether renaming the classes changes nothing, so that one set of each size is enough."""
    costs = extended.determinate.costs
    right = np.eye(len(costs), dtype=bool)
    same = np.ptp(costs[right]) == 0 and np.ptp(costs[~right]) == 0
    return bool(same) and not isinstance(extended.rule, TabulatedCosts)


def without_witness(extended: ExtendedCosts) -> dict[int, bool]:
    """The properties that are decided if no witness is found, and whether they hold."""
    rule = extended.rule
    if isinstance(rule, PDiscounted):
        return _of_means(rule, extended.determinate.costs)
    if isinstance(rule, ClassSelective):
        # Costs are delta (k - 1), plus eta(y) for a miss.  The margin that makes a set possible,
        # 1 / sum(1 / eta) - delta, is largest for pairs.  Caution is rewarded if
        # delta < eta(y) / k: the full set decides this for Property 3, and the sets of the classes
        # with the smallest eta decide it for Property 2.
        return {1: False, 9: False} | dict.fromkeys((2, 3, 4, 5, 6, 7, 8, 10), True)
    if isinstance(rule, AbellanMasegosa):
        # A hit costs log k, a miss depends on the largest member cost and is at least log K.
        # Property 3 fails first for a class together with the classes of smallest cost; it
        # implies Property 2.
        return {9: False} | dict.fromkeys((3, 4, 5, 6, 7, 8, 10), True)
    return {}


def decisive_sets(extended: ExtendedCosts) -> Bools:
    """The sets, besides the pairs and the full set, that `without_witness` relies on."""
    n_classes = extended.n_classes
    if isinstance(extended.rule, ClassSelective):
        eta = extended.determinate.costs.max(axis=0)
        return _growing(np.argsort(eta, kind="stable")[None])
    if isinstance(extended.rule, AbellanMasegosa):
        by_truth = extended.singles.T.copy()  # by true class: the cost of each class
        np.fill_diagonal(by_truth, -np.inf)  # the true class itself comes first
        return _growing(np.argsort(by_truth, axis=1, kind="stable"))
    return np.zeros((0, n_classes), dtype=bool)


def _of_means(rule: PDiscounted, costs: Floats) -> dict[int, bool]:
    """A generalized mean is symmetric, lies between the extremes, and grows with its exponent.

    It grows strictly unless all values are equal.  So a set that violates Property 2 or 3 has
    members of equal costs for the true classes in question, and one that violates Property 6 or 7
    has two members of different costs.  Each pair of the former, and the pair of the latter,
    violates it too: the pairs decide.
    """
    settled = dict.fromkeys((4, 6, 7, 10), True)
    if rule.inside == rule.outside:
        settled[5] = True
    if rule.inside < 1:
        settled |= {2: True, 3: True}
    if rule.inside >= 1 and rule.outside >= 1:
        settled[1] = False  # no set ever costs less than the mean: Proposition 1
    if rule.inside <= 0 and not np.diagonal(costs).any():
        settled |= {8: True, 9: False}  # the true class costs 0, so every hit is free
    return settled


def _growing(orders: Ints) -> Bools:
    """The first two, three, ... classes of each order, as sets."""
    n_orders, n_classes = orders.shape
    rank = np.empty_like(orders)
    np.put_along_axis(rank, orders, np.arange(n_classes)[None], axis=1)
    sizes = np.arange(2, n_classes)
    return (rank[:, None, :] < sizes[:, None]).reshape(n_orders * len(sizes), n_classes)
