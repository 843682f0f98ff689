"""The set of classes to predict, given one probability per class.

How the best set is found depends on the utility or the costs.  A utility of size and hit needs the
most probable classes; Ha's costs have a closed form; discounted costs always prefer a single class;
other costs need a search.  `optimal_sets` chooses the method and reports which one it used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args, overload

import numpy as np

from wager._tables import (
    Table,
    View,
    Viewed,
    check_classes,
    counted,
    is_one_of,
    order_of,
    require_sorted,
)
from wager._typing import ArrayLike, Bools, Floats, Ints
from wager._visible import brief
from wager.costs import (
    AbellanMasegosa,
    ClassSelective,
    ClassUtilities,
    CostMatrix,
    ExtendedCosts,
    NodeRewards,
    OrderedRewards,
    PDiscounted,
    SetRewards,
    UtilityDiscounted,
    costs_over,
    named_costs,
    require_rewards,
)
from wager.credal._class_costs import named_by_costs
from wager.credal._cost_bounds import least_possible
from wager.credal._optimal_by_rewards import best_by_size, best_nodes, best_runs
from wager.credal._optimal_by_size import best_heads, gain_of_size
from wager.credal._optimal_top_k import best_listed_heads
from wager.credal._rejection import class_selective_rejection, expected_rejection_cost
from wager.credal._set_search import (
    cheapest_grown,
    cheapest_of,
    cheapest_of_all,
    costs_of,
    runs,
)
from wager.predictions import (
    PredictionSets,
    TopKProbabilities,
    as_top_k,
    check_probabilities,
    columns_by_name,
)
from wager.rewards import Utility, UtilityLike, get_utility

__all__ = ["OptimalInfo", "Search", "optimal_sets"]

Search: TypeAlias = Literal["auto", "exact", "contiguous", "greedy"]
MOST_CLASSES = 16  # by default at most 2^16 sets are compared; "exact" allows 20 classes


@dataclass(frozen=True, eq=False, repr=False)
class OptimalInfo(Viewed):
    """How the optimal sets were found, and how far from optimal they can be.

    Parameters
    ----------
    expected : ndarray of shape (n_rows,)
        The expected utility of each set, or its expected cost.
    search : str
        How they were found: ``"sorted"`` (sort and scan), ``"closed form"``, ``"single class"``,
        ``"exact"`` (all sets compared), ``"nodes"`` (of a hierarchy), ``"contiguous"`` or
        ``"greedy"``.
    gap : ndarray of shape (n_rows,)
        The most by which another set could be better: 0 where the set is known to be optimal.
    """

    expected: Floats
    search: str
    gap: Floats

    def _view(self) -> View:
        how = "known to be optimal" if self.is_exact else f"off by at most {self.gap.max():.4g}"
        words = f"{len(self.gap):,} sets found by the search {self.search!r}, {how}"
        rows = [["mean expected value", self.expected.mean()], ["largest gap", self.gap.max()]]
        return View(verdict=[words], tables=[Table((), rows)] if len(self.gap) else [])

    @property
    def is_exact(self) -> bool:
        """Whether every set is known to be optimal."""
        return bool((self.gap == 0).all())


@overload
def optimal_sets(
    proba: ArrayLike,
    utility: UtilityLike = ...,
    costs: Any = ...,
    classes: ArrayLike | None = ...,
    return_info: Literal[False] = ...,
    *,
    search: Search = ...,
    rewards: SetRewards | None = ...,
) -> PredictionSets: ...
@overload
def optimal_sets(
    proba: ArrayLike,
    utility: UtilityLike = ...,
    costs: Any = ...,
    classes: ArrayLike | None = ...,
    *,
    return_info: Literal[True],
    search: Search = ...,
    rewards: SetRewards | None = ...,
) -> tuple[PredictionSets, OptimalInfo]: ...
def optimal_sets(
    proba: ArrayLike,
    utility: UtilityLike = "f1",
    costs: Any = None,
    classes: ArrayLike | None = None,
    return_info: bool = False,
    *,
    search: Search = "auto",
    rewards: SetRewards | None = None,
) -> PredictionSets | tuple[PredictionSets, OptimalInfo]:
    """Predict the set with the greatest expected utility, or the least expected cost.

    Parameters
    ----------
    proba : array-like of shape (n_rows, n_classes), TopKProbabilities or sparse matrix
        Probabilities that a sparse matrix does not store are 0.  From listed probabilities the
        sets are exact as well, also if they contain classes that are not listed, which are all
        equally probable: then the first of these are taken.
    utility : str, float, callable or Utility, default="f1"
        The value of a hit by set size, as `get_utility` takes it; ignored if costs are given.
    costs : ExtendedCosts, CostMatrix or array-like of shape (n_classes, n_classes), optional
        Costs of sets; a matrix of costs of single classes is extended by the p-discounted rule.
    classes : array-like of shape (n_classes,), optional
        The classes of the columns.  By default those of a data frame; columns without names stand
        for the sorted classes, so costs that list their classes in another order need this.
    return_info : bool, default=False
        Return an `OptimalInfo` as well.
    search : {"auto", "exact", "contiguous", "greedy"}
        ``"contiguous"`` finds the best run of neighbouring classes, for ordered classes.  The
        others matter only for costs that need a search: ``"exact"`` compares all sets, up to 20
        classes; ``"greedy"`` starts from every single class and adds the best class as long as
        the cost decreases; ``"auto"`` is exact up to 16 classes and greedy beyond.
    rewards : SetRewards, optional
        Rewards of sets that depend on the true class, instead of a utility.  Utilities and weights
        by class, rewards of ordered classes and of hierarchies are exact for any number of
        classes; other rewards are searched as costs are.

    Returns
    -------
    sets : PredictionSets
        Ties go to the smaller set, then to the lower classes.
    info : OptimalInfo
        If ``return_info``: the expected values, the method, and the certified gap.

    Notes
    -----
    For a utility the best set consists of the most probable classes (del Coz & Bahamonde, 2009).
    Costs that are the means of the members' costs never prefer a set of several classes (Yang,
    Destercke & Masson, 2017, Prop. 1).

    For rewards ``w(c) u_c(1/k)`` of a hit if c is true, with ``m(c)`` for a miss, the expected
    reward of a set S of k classes is a constant plus the sum over S of ``g(c, k) = p(c) (w(c)
    u_c(1/k) - m(c))``.  The terms of a given size k do not depend on the rest of the set, so the
    best set of that size has the k largest ``g(c, k)``; the best of the K sizes is the best set.
    With one utility for all classes the order of the g is that of ``p(c) w(c)`` for every k, so one
    sort is enough.  Without weights these are the most probable classes.

    Examples
    --------
    >>> proba = [[0.4, 0.35, 0.25], [0.8, 0.1, 0.1]]
    >>> optimal_sets(proba, utility="u65").to_lists()
    [[0, 1], [0]]
    >>> from wager.costs import CostMatrix
    >>> costs = CostMatrix([[0, 1, 2], [1, 0, 2], [4, 4, 0]], ["h", "b", "n"])
    >>> proba = [[0.3, 0.3, 0.4]]
    >>> sets, info = optimal_sets(proba, costs=costs, classes=["h", "b", "n"], return_info=True)
    >>> sets.to_lists(), info.search
    ([['h', 'b']], 'exact')
    >>> from wager.costs import SetRewards
    >>> rewards = SetRewards.by_class("u65", {"ill": 5, "well": 1})
    >>> optimal_sets([[0.1, 0.9], [0.4, 0.6]], rewards=rewards).to_lists()
    [['ill', 'well'], ['ill']]
    """
    if not is_one_of(search, get_args(Search)):
        raise ValueError(
            f"search must be one of {', '.join(get_args(Search))}, got {brief(search)}"
        )
    if rewards is not None and costs is not None:
        raise ValueError("pass costs= or rewards=, not both")
    listed = as_top_k(proba, classes)
    if listed is not None:
        found = None if rewards is not None else _of_listed(listed, utility, costs, search)
        if found is not None:
            return found if return_info else found[0]
        # the sets have to be searched for, which needs all probabilities
        proba, classes = listed, (None if listed.source == "columns" else listed.classes)
    proba, classes = columns_by_name(proba, classes)
    table = check_probabilities(proba)
    if rewards is not None:
        sets, info = _of_rewards(table, rewards, classes, search)
    elif costs is None:
        known = np.arange(table.shape[1]) if classes is None else classes
        sets, info = _of_utility(table, get_utility(utility), known, search)
    else:
        if classes is None:
            classes = named_by_costs(costs, table.shape[1], "proba")
        extended = _extended(costs, classes, table.shape[1])
        known = extended.classes if classes is None else check_classes(classes)
        place = order_of(extended.classes, known)
        sets, info = _of_costs(table[:, np.argsort(place)], extended, search)
        sets = _moved(sets, place, known)
    if classes is None and rewards is None:  # column numbers, which the true labels may name later
        sets = PredictionSets(sets.rows, sets.classes, "columns")
    return (sets, info) if return_info else sets


def _of_listed(
    proba: TopKProbabilities, utility: UtilityLike, costs: Any, search: Search
) -> tuple[PredictionSets, OptimalInfo] | None:
    """The best sets of listed probabilities; None if they have to be searched for."""
    if search == "contiguous":
        return None
    if costs is None:
        worth = get_utility(utility).of_size(np.arange(len(proba.classes) + 1))
        sets, value = best_listed_heads(proba, gain_of_size(worth))
        return sets, _exact(worth[0] + value, "sorted")
    known = getattr(named_costs(costs), "classes", None)
    if known is not None and proba.source != "declared":
        if proba.source == "columns":
            named_by_costs(costs, len(proba.classes), "proba")  # which must be sorted
        proba = proba.with_classes(known)
    extended = _extended(costs, proba.classes, len(proba.classes))
    over = proba.with_classes(extended.classes)
    if isinstance(extended.rule, ClassSelective):
        eta, delta = extended.determinate.table.highest, extended.rule.delta
        sets = class_selective_rejection(over, delta, eta)
        info = _exact(expected_rejection_cost(over, sets, delta, eta), "closed form")
    elif isinstance(extended.rule, UtilityDiscounted):
        worth = extended.rule.utility.of_size(np.arange(len(over.classes) + 1))
        sets, value = best_listed_heads(over, gain_of_size(worth))
        info = _exact(1 - (worth[0] + value), "sorted")
    else:
        return None
    sets = sets.with_classes(proba.classes)
    return PredictionSets(sets.rows, sets.classes, proba.source), info


def _of_utility(
    proba: Floats, utility: Utility, classes: ArrayLike, search: Search
) -> tuple[PredictionSets, OptimalInfo]:
    worth = utility.of_size(np.arange(proba.shape[1] + 1))
    if search == "contiguous":
        sets, cost = _cheapest_run(
            proba, lambda s: -np.where(s, worth[s.sum(axis=1)][:, None], worth[0])
        )
        found = PredictionSets.from_indicator(sets, classes)
        best = best_heads(proba, worth)[1]
        return found, OptimalInfo(-cost, "contiguous", _gap(best, -cost))
    words, expected = best_heads(proba, worth)
    return PredictionSets.from_masks(words, classes), _exact(expected, "sorted")


def _of_rewards(
    proba: Floats, rewards: SetRewards, classes: ArrayLike | None, search: Search
) -> tuple[PredictionSets, OptimalInfo]:
    require_rewards(rewards)
    n_classes = proba.shape[1]
    if rewards.n_classes != n_classes:
        raise ValueError(
            f"proba has {counted(n_classes, 'column')} but there are rewards for "
            f"{counted(rewards.n_classes, 'class')}: give one column per class"
        )
    if classes is None:
        require_sorted(rewards.classes, "proba", "the rewards")
    known = rewards.classes if classes is None else check_classes(classes)
    place = order_of(rewards.classes, known, "the rewards", "proba")
    over = proba[:, np.argsort(place)]
    members, value, how = _best_by_rewards(over, rewards, search)
    gap = np.zeros(len(value))
    if how in ("greedy", "contiguous") and not isinstance(rewards.rule, OrderedRewards):
        gap = _gap(over @ rewards.ranges[:, 1], value)
    sets = PredictionSets.from_indicator(members, rewards.classes)
    return _moved(sets, place, known), OptimalInfo(value, how, gap)


def _best_by_rewards(
    proba: Floats, rewards: SetRewards, search: Search
) -> tuple[Bools, Floats, str]:
    """The best sets, their expected rewards, and how they were found."""
    rule = rewards.rule
    if isinstance(rule, OrderedRewards):
        return *best_runs(proba, rule), "contiguous"
    if search != "contiguous" and isinstance(rule, ClassUtilities):
        return *best_by_size(proba, rule), "sorted"
    if search != "contiguous" and isinstance(rule, NodeRewards):
        return *best_nodes(proba, rule), "nodes"

    def losses(members: Bools) -> Floats:
        return -rewards.rows_of(members)

    if search == "contiguous":
        members, cost = _cheapest_run(proba, losses)
        return members, -cost, search
    if search == "greedy" or (search == "auto" and proba.shape[1] > MOST_CLASSES):
        members, cost = cheapest_grown(proba, losses)
        return members, -cost, "greedy"
    members, cost = cheapest_of_all(proba, losses)
    return members, -cost, "exact"


def _moved(sets: PredictionSets, place: Ints, known: ArrayLike) -> PredictionSets:
    """The sets with the classes in the order of the columns of the probabilities."""
    if (place == np.arange(len(place))).all():
        return sets
    return PredictionSets.from_indicator(sets.to_indicator()[:, place], known)


def _of_costs(
    proba: Floats, extended: ExtendedCosts, search: Search
) -> tuple[PredictionSets, OptimalInfo]:
    rule, classes = extended.rule, extended.classes
    rows = costs_of(extended)
    if search == "contiguous":
        sets, cost = _cheapest_run(proba, rows)
        found = PredictionSets.from_indicator(sets, classes)
        return found, OptimalInfo(cost, search, _gap(cost, least_possible(proba, extended)))
    if isinstance(rule, ClassSelective):
        eta = extended.determinate.costs.max(axis=0)
        found = class_selective_rejection(proba, rule.delta, eta, classes)
        return found, _exact(extended.expected(found, proba), "closed form")
    if isinstance(rule, PDiscounted) and min(rule.inside, rule.outside) >= 1:
        sets, cost = cheapest_of(proba, rows, iter([np.eye(len(classes), dtype=bool)]))
        return PredictionSets.from_indicator(sets, classes), _exact(cost, "single class")
    if _depends_on_size_only(extended):
        heads = rows(np.tri(len(classes), dtype=bool))
        words, gain = best_heads(proba, -np.append(heads[0, -1], heads[:, 0]))
        return PredictionSets.from_masks(words, classes), _exact(-gain, "sorted")
    if search == "greedy" or (search == "auto" and len(classes) > MOST_CLASSES):
        sets, cost = cheapest_grown(proba, rows)
        found = PredictionSets.from_indicator(sets, classes)
        return found, OptimalInfo(cost, "greedy", _gap(cost, least_possible(proba, extended)))
    sets, cost = cheapest_of_all(proba, rows)
    return PredictionSets.from_indicator(sets, classes), _exact(cost, "exact")


def _cheapest_run(proba: Floats, rows: Any) -> tuple[Bools, Floats]:
    return cheapest_of(proba, rows, iter([runs(proba.shape[1])]))


def _exact(expected: Floats, search: str) -> OptimalInfo:
    return OptimalInfo(expected, search, np.zeros(len(expected)))


def _gap(better: Floats, worse: Floats) -> Floats:
    return np.maximum(better - worse, 0.0)


def _depends_on_size_only(extended: ExtendedCosts) -> bool:
    """Whether a set's cost depends only on its size and on whether it hits."""
    zero_one = 1.0 - np.eye(extended.n_classes)
    symmetric = isinstance(extended.rule, PDiscounted | UtilityDiscounted | AbellanMasegosa)
    return symmetric and bool((extended.determinate.costs == zero_one).all())


def _extended(costs: Any, classes: ArrayLike | None, n_classes: int) -> ExtendedCosts:
    """The costs of sets over the columns of the probabilities."""
    costs = costs_over(costs, classes)
    if len(costs.classes) != n_classes:
        raise ValueError(
            f"proba has {counted(n_classes, 'column')} but there are costs for "
            f"{counted(len(costs.classes), 'class')}: give one column per class"
        )
    return costs.extend() if isinstance(costs, CostMatrix) else costs
