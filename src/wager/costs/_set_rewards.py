"""Rewards of set-valued predictions that depend on the true class, and not on size and hit alone.

They are the counterpart of `ExtendedCosts`: one number for every set and true class, of which
larger ones are better.  Size and hit decide under a utility u(1/k); here missing an ill patient may
be worse than missing a healthy one, and a set may be worth more if its members lead to the same
treatment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wager._tables import (
    View,
    Viewed,
    check_classes,
    encode_labels,
    named_values,
    real_numbers,
    require_kind,
)
from wager._typing import Array, ArrayLike, Floats, Ints
from wager._visible import brief, in_one_line
from wager.costs._checks import check_lengths, check_proba, encode_truth
from wager.costs._class_order import declared_order
from wager.costs._cost_unit import check_unit
from wager.costs._extended_costs import ExtendedCosts, view_by_set
from wager.costs._matrix import CostMatrix
from wager.costs._ordered_rewards import OrderedRewards
from wager.costs._reward_rules import (
    ClassUtilities,
    Regrets,
    RewardFunction,
    RewardRule,
    finite,
    table_of_rewards,
)
from wager.costs._subsets import members_of, show_set
from wager.predictions import PredictionSets, as_sets, sets_over
from wager.rewards import Utility, UtilityLike, get_utility

__all__ = ["SetRewards", "require_rewards"]


@dataclass(frozen=True, eq=False, repr=False, init=False)
class SetRewards(Viewed):
    """The reward of any set of classes, for every true class.

    Parameters
    ----------
    rewards : callable, mapping or array of shape (2^K - 1, K)
        A function of ``(set, true class)``, where the set is a tuple of labels; a mapping of sets
        to their rewards by true class, ``{("a", "b"): {"a": 0.8, "b": 0.6}}``, or to one number,
        the reward if any of the members is true; or a matrix with one row per set, single classes
        first, in the order of `wager.rewards.extended_reward_matrix`.
    classes : array-like of shape (K,)
        The classes.
    otherwise : utility, optional
        The rewards of the cells that a mapping leaves out: u(1/k) for a hit, u(0) for a miss.
    empty : float, optional
        The reward of the empty set.  By default that of a miss under ``otherwise``; without
        either, an empty set is an error.
    limits : pair of float, optional
        The smallest and the largest value of a function; needed for more than 16 classes, for
        which the function is called for the sets that occur.
    unit : str, optional
        What the rewards are counted in, such as ``"EUR"``.

    See Also
    --------
    SetRewards.by_class : utilities and weights by true class.
    SetRewards.ordered : rewards by width and distance, for ordered classes.
    ClassHierarchy.rewards : rewards of the nodes of a tree of classes.

    Examples
    --------
    A set of two illnesses with the same treatment is worth almost as much as the right one:

    >>> rewards = SetRewards(
    ...     {("flu", "cold"): 0.95}, ["flu", "cold", "asthma"], otherwise="u65"
    ... )
    >>> rewards.reward({"flu", "cold"}, "flu"), rewards.reward({"flu", "asthma"}, "flu")
    (0.95, 0.65)
    >>> rewards.of([["flu", "cold"], ["asthma"]], ["cold", "flu"]).tolist()
    [0.95, 0.0]
    """

    classes: Array
    rule: RewardRule
    unit: str | None

    def __init__(
        self,
        rewards: Callable[[tuple[Any, ...], Any], float] | Mapping[Any, Any] | ArrayLike,
        classes: ArrayLike,
        *,
        otherwise: UtilityLike | None = None,
        empty: float | None = None,
        limits: tuple[float, float] | None = None,
        unit: str | None = None,
    ) -> None:
        known = _several(classes)
        if limits is not None:
            if not callable(rewards):
                raise ValueError("limits= are those of a function: leave them out for a table")
            low, high = (float(end) for end in limits)
            if not -np.inf < low <= high < np.inf:
                raise ValueError(
                    f"limits must be two finite ascending numbers, got {brief(limits)}"
                )
            nothing = None if empty is None else finite(empty, "empty")
            rule: RewardRule = RewardFunction(rewards, known, (low, high), nothing)
        else:
            fallback = None if otherwise is None else get_utility(otherwise)
            rule = table_of_rewards(rewards, known, fallback, empty)
        self._set(known, rule, unit)

    def _set(self, classes: Array, rule: RewardRule, unit: str | None) -> None:
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "rule", rule)
        object.__setattr__(self, "unit", check_unit(unit))

    @classmethod
    def of_rule(cls, classes: ArrayLike, rule: RewardRule, unit: str | None = None) -> SetRewards:
        """The rewards that a rule computes."""
        made = cls.__new__(cls)
        made._set(_several(classes), rule, unit)
        return made

    @classmethod
    def by_class(
        cls,
        utility: UtilityLike | Mapping[Any, UtilityLike] = "u65",
        weights: Mapping[Any, float] | ArrayLike | None = None,
        classes: ArrayLike | None = None,
        *,
        unit: str | None = None,
    ) -> SetRewards:
        """Utilities that depend on the true class: ``w(c) u_c(1/k)`` for a hit with k classes.

        A miss is worth ``w(c) u_c(0)``.  With equal weights 1 and one utility these are the plain
        utilities of Zaffalon, Corani & Mauá (2012).

        Parameters
        ----------
        utility : utility, or mapping of class to utility
            As `wager.rewards.get_utility` takes it; a mapping names every class.
        weights : mapping of class to float, or array-like of shape (K,), optional
            How much a class counts, by default 1; classes that a mapping leaves out have weight 1.
        classes : array-like of shape (K,), optional
            The classes; needed unless a mapping names all of them.
        unit : str, optional
            What the rewards are counted in.

        Examples
        --------
        An ill patient counts five times, and "ill or well" is almost as good as "ill" there:

        >>> rewards = SetRewards.by_class(
        ...     {"ill": "u80", "well": "u50"}, weights={"ill": 5}
        ... )
        >>> rewards
        2 utilities by class, weighted by class
        predicted       ill    well
        ---------------------------
        {ill}        5.0000  0.0000
        {well}       0.0000  1.0000
        {ill, well}  4.0000  0.5000
        """
        if classes is None:
            named = utility if isinstance(utility, Mapping) else weights
            if not isinstance(named, Mapping):
                raise ValueError(
                    "the classes are not known: pass classes=, or a mapping from classes to "
                    "utilities or weights"
                )
            classes = list(named)
        known = _several(classes)
        return cls.of_rule(
            known, ClassUtilities(_utilities(utility, known), _weights(weights, known)), unit
        )

    @classmethod
    def ordered(
        cls,
        classes: ArrayLike,
        utility: UtilityLike = "u65",
        *,
        penalty: float = 0.0,
        power: float = 1.0,
        unit: str | None = None,
    ) -> SetRewards:
        """Rewards by width and distance, for ordered classes.

        A set that reaches from the l-th to the h-th class has the width w = h - l + 1, and is
        worth u(1/w) if it contains the true class.  If it does not, it is worth u(0) minus
        ``penalty * d**power``, where d is the distance of the true class from the nearest member.

        Parameters
        ----------
        classes : array-like of shape (K,)
            The classes from the lowest to the highest; or an ordered pandas Categorical.
        utility : utility, default="u65"
            The value of a hit by width, as `wager.rewards.get_utility` takes it.
        penalty : float, default=0
            What a distance of one class costs; not negative.
        power : float, default=1
            2 for squared distances.
        unit : str, optional
            What the rewards are counted in.

        Notes
        -----
        The best of all sets is a run of neighbouring classes: filling the gaps of a set changes
        neither its width nor the distance of any class outside, and turns misses inside into
        hits.  It only needs u(1/w) >= u(0) - penalty for every width.  So `wager.optimal_sets`
        compares the K (K + 1) / 2 runs, and finds the best of all sets.

        Examples
        --------
        >>> stars = SetRewards.ordered([1, 2, 3, 4, 5], "u65", penalty=0.25)
        >>> stars.reward([2, 3], 2), stars.reward([2, 3], 5)
        (0.65, -0.5)
        """
        known = _several(declared_order(classes))
        return cls.of_rule(
            known, OrderedRewards.checked(get_utility(utility), penalty, power, len(known)), unit
        )

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.classes)

    @cached_property
    def _cells(self) -> ExtendedCosts:
        """The same numbers, computed as costs are: the costs of single classes are not used."""
        return ExtendedCosts(CostMatrix.zero_one(self.classes), self.rule)

    def reward(self, labels: Any, true: Any) -> float:
        """The reward of this set when ``true`` is the true class.

        Parameters
        ----------
        labels : label, or collection of labels
            The predicted set, which must not be empty.
        true : label
            The true class.
        """
        members = PredictionSets.from_indicator(
            members_of(labels, self.classes)[None], self.classes
        )
        truth, _ = encode_labels([true], self.classes, name="true")
        return float(self.at(members, truth)[0])

    def of(self, sets: Any, y_true: ArrayLike, *, classes: ArrayLike | None = None) -> Floats:
        """The reward of each prediction.

        Parameters
        ----------
        sets : PredictionSets, or anything `as_sets` takes
            The predictions, matched by name; a matrix without names has the sorted classes as its
            columns, which must then be the order of the rewards, unless ``classes`` is given.
        y_true : array-like of shape (n,)
            The true classes.
        classes : array-like of shape (K,), optional
            The classes of the columns of ``sets``.
        """
        predicted = sets_over(sets, self.classes, "the rewards", classes, "sets")
        truth = encode_truth(y_true, self.classes)
        check_lengths(len(predicted), len(truth))
        return self.at(predicted, truth)

    def at(self, sets: PredictionSets, codes: Ints) -> Floats:
        """As `of`, for sets over the same classes in the same order, and codes of true classes."""
        require_kind(sets, "sets", PredictionSets)
        empty = sets.sizes == 0
        if not empty.any():
            return self._checked(self._cells.at(sets, codes), sets)
        nothing = self.rule.empty_rewards(self.n_classes)
        if np.isnan(nothing[codes[empty]]).any():
            raise ValueError(
                f"row {int(empty.argmax())} predicts the empty set, which has no reward: "
                "pass empty= to SetRewards"
            )
        rewards = np.empty(len(codes))
        rewards[empty] = nothing[codes[empty]]
        some = sets[~empty]
        rewards[~empty] = self._checked(self._cells.at(some, codes[~empty]), some)
        return rewards

    def _checked(self, rewards: Floats, sets: PredictionSets) -> Floats:
        """The rewards, if every set has one: a table of utilities may end before."""
        none = np.isnan(rewards)
        if none.any():
            row = int(none.argmax())
            raise ValueError(
                f"the set {show_set(sets[row : row + 1].to_indicator()[0], sets.classes)} has "
                f"{sets.sizes[row]} classes, more than the utility has values for: add the values "
                "of larger sets"
            )
        return rewards

    def rows_of(self, members: Any) -> Floats:
        """The rewards by true class of non-empty sets, given as the rows of a boolean matrix."""
        return self._cells.costs_of_members(members)

    def matrix(self) -> Floats:
        """The whole table, (2^K - 1, K): sets by size, then lexicographically (see `subsets`)."""
        return self._cells.matrix()

    def subsets(self) -> list[tuple[Any, ...]]:
        """The sets of the rows of `matrix`, as tuples of labels."""
        return self._cells.subsets()

    @cached_property
    def ranges(self) -> Floats:
        """The smallest and the largest reward for each true class, of shape (K, 2)."""
        ranges = self.rule.reward_ranges(self.n_classes)
        nothing = self.rule.empty_rewards(self.n_classes)
        low, high = np.fmin(ranges[:, 0], nothing), np.fmax(ranges[:, 1], nothing)
        return np.stack([low, high], axis=1)

    def expected(self, sets: Any, proba: ArrayLike, *, classes: ArrayLike | None = None) -> Floats:
        """The expected reward of each set under its class probabilities.

        Parameters
        ----------
        sets : PredictionSets, or anything `as_sets` takes
            One set per row of ``proba``, or a single set for all rows; none is empty.
        proba : array-like of shape (n, K), or (K,) for a single distribution
            Data frames are matched by name; the columns of arrays have the order of the rewards'
            own classes, unless ``classes`` is given.
        classes : array-like of shape (K,), optional
            The classes of the columns of ``proba`` and ``sets``.

        Examples
        --------
        >>> rewards = SetRewards.by_class("u65", {"ill": 5, "well": 1})
        >>> rewards.expected([["ill"], ["well"], ["ill", "well"]], [0.3, 0.7]).round(4).tolist()
        [1.5, 0.7, 1.43]
        """
        named = sets if classes is None else as_sets(sets, classes)
        predicted = as_sets(named, self.classes)
        chances = np.atleast_2d(check_proba(proba, self.classes, classes))
        if len(predicted) != len(chances) and 1 not in (len(predicted), len(chances)):
            check_lengths(len(predicted), len(chances), "rows of proba")
        if (predicted.sizes == 0).any():
            raise ValueError(
                f"row {int((predicted.sizes == 0).argmax())} of sets is empty: name at least one "
                "class"
            )
        rows, chances = np.broadcast_arrays(self.rows_of(predicted.to_indicator()), chances)
        return np.einsum("nk,nk->n", rows, chances)

    def as_costs(self) -> ExtendedCosts:
        """The regrets as costs: the best reward for the true class, minus that of the set.

        Minimizing the average regret is maximizing the average reward, since both add up to a
        number that no prediction changes.  So everything that takes costs takes rewards in this
        form: ``head_to_head(..., costs=rewards.as_costs())``, `CostTally`, `audit`, reports.

        Examples
        --------
        >>> SetRewards.by_class("u65", {"ill": 5, "well": 1}).as_costs()
        regret of u65, weighted by class
        predicted       ill    well
        ---------------------------
        {ill}        0.0000  1.0000
        {well}       5.0000  0.0000
        {ill, well}  1.7500  0.3500
        """
        best = self.rule.reward_ranges(self.n_classes)[:, 1]
        single = best - self.rows_of(np.eye(self.n_classes, dtype=bool))
        costs = CostMatrix(np.maximum(single, 0.0), self.classes, self.unit)
        return ExtendedCosts(costs, Regrets(self.rule, best))

    def _view(self) -> View:
        return view_by_set(self, "rewards")


def require_rewards(rewards: Any) -> None:
    """Raise if these are no rewards of sets."""
    if not isinstance(rewards, SetRewards):
        raise ValueError(
            f"rewards must be SetRewards, got an object of type {type(rewards).__name__}: make "
            "them with SetRewards(rewards, classes) or SetRewards.by_class"
        )


def _several(classes: ArrayLike) -> Array:
    known = check_classes(classes)
    if len(known) < 2:
        raise ValueError(f"rewards of sets need at least two classes, got {brief(known.tolist())}")
    return known


def _by_name(given: Mapping[Any, Any], classes: Array, name: str) -> dict[int, Any]:
    """The values of a mapping by the code of the class."""
    codes, _ = encode_labels(list(given), classes, name=name)
    return dict(zip(codes.tolist(), given.values(), strict=True))


def _utilities(utility: Any, classes: Array) -> tuple[Utility, ...]:
    named = named_values(utility, "utility")
    if named is None:
        return (get_utility(utility),)
    found = _by_name(named, classes, "utility")
    missing = [classes[code] for code in range(len(classes)) if code not in found]
    if missing:
        label = in_one_line(str(missing[0]))
        raise ValueError(f"utility has no entry for the class {label}: name every class")
    return tuple(get_utility(found[code]) for code in range(len(classes)))


def _weights(weights: Any, classes: Array) -> tuple[float, ...]:
    if weights is None:
        return (1.0,) * len(classes)
    named = named_values(weights, "weights")
    if named is not None:
        found = _by_name(named, classes, "weights")
        values = real_numbers([found.get(code, 1.0) for code in range(len(classes))], "weights")
    else:
        values = real_numbers(weights, "weights")
    if values.shape != (len(classes),):
        raise ValueError(
            f"weights must have one number for each of the {len(classes)} classes, got shape "
            f"{values.shape}"
        )
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        raise ValueError(
            f"weights must be finite and not negative, got {values[bad][0]:g} for the class "
            f"{in_one_line(str(classes[bad.argmax()]))}"
        )
    if not values.any():
        raise ValueError("all weights are 0: at least one class must count")
    return tuple(values.tolist())
