"""The ten properties of costs of sets, one function each.

Yang, Destercke & Masson (2017, Section IV), with their misprints corrected: Property 2 requires a
cost below the mean of the members for some true class, Properties 2 and 3 are about sets of two or
more classes, and Property 9 is about true classes inside the set.  A function checks all sets it is
given and returns a witness: a counterexample to a property of every set, or an example for a
property of some set (1 and 9).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from wager._tables import ViewedFields
from wager._typing import Array, Bools, Floats, Ints
from wager.costs._cost_unit import short_amount
from wager.costs._possible_sets import find_possible_set
from wager.costs._subsets import show_set
from wager.costs.extensions import EveryTruth

__all__ = ["PROPERTIES", "Evidence", "Property", "Witness"]


@dataclass(frozen=True, repr=False)
class Witness(ViewedFields):
    """The set, the true class and the numbers that prove a verdict.

    Parameters
    ----------
    set : tuple of labels
        The set of classes.
    truths : tuple of labels
        The true classes concerned: none, one or two.
    costs : tuple of float
        The costs of the set for these true classes.
    limits : tuple of float
        What those costs were compared with: the mean, smallest or largest cost of the members.
    probability : tuple of float, optional
        The class probabilities under which the set costs less than each member (Property 1).
    margin : float, optional
        By how much it costs less.
    text : str
        All of this as a sentence.
    """

    set: tuple[Any, ...]
    truths: tuple[Any, ...] = ()
    costs: tuple[float, ...] = ()
    limits: tuple[float, ...] = ()
    probability: tuple[float, ...] | None = None
    margin: float | None = None
    text: str = ""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False)
class Evidence:
    """The sets to check, their costs, and the costs of their members.

    Parameters
    ----------
    classes : array of shape (K,)
    singles : array of shape (K, K)
        The costs of single classes in the extended matrix.
    members : bool array of shape (m, K)
        The sets, each of two or more classes.
    rows : array of shape (m, K)
        Their costs by true class.
    tolerance : float
        Differences up to this count as 0.
    """

    classes: Array
    singles: Floats
    members: Bools
    rows: Floats
    tolerance: float

    @cached_property
    def _cells(self) -> EveryTruth:
        return EveryTruth(self.singles, self.members)

    @cached_property
    def mean(self) -> Floats:
        """The mean cost of each set's members, by true class."""
        return self._cells.mean(1.0)

    @cached_property
    def least(self) -> Floats:
        """The smallest cost of a member, by true class."""
        return self._cells.mean(-np.inf)

    @cached_property
    def largest(self) -> Floats:
        """The largest cost of a member, by true class."""
        return self._cells.mean(np.inf)

    def show(self, place: int) -> str:
        """The set, as {h, b}."""
        return show_set(self.members[place], self.classes)

    def labels(self, place: int) -> tuple[Any, ...]:
        """The labels of the set."""
        return tuple(self.classes[self.members[place]].tolist())

    def witness(self, violated: Bools, limits: Floats, relation: str) -> Witness | None:
        """The first cell that violates a bound, or None if no cell does."""
        if not violated.any():
            return None
        place, true = (int(i) for i in np.argwhere(violated)[0])
        cost, limit = float(self.rows[place, true]), float(limits[place, true])
        truth = self.classes[true].item()
        shown, bound = short_amount(cost), short_amount(limit)
        text = f"{self.show(place)} costs {shown} when {truth} is true, {relation} {bound}"
        return Witness(self.labels(place), (truth,), (cost,), (limit,), text=text)

    def pairs_of_truths(self) -> Iterator[tuple[int, int, Bools]]:
        """Two true classes, and whether each set's members cost the same for both, in any order."""
        ordered = _sorted_costs(self.singles, self.members)
        for y, z in combinations(range(len(self.classes)), 2):
            gap = np.zeros(len(self.members))
            for places, costs in ordered:
                gap[places] = np.abs(costs[:, :, y] - costs[:, :, z]).max(axis=1)
            yield y, z, gap <= self.tolerance

    def two_truths(self, place: int, y: int, z: int, remark: str) -> Witness:
        """A witness about the costs of one set for two true classes."""
        costs = float(self.rows[place, y]), float(self.rows[place, z])
        truths = self.classes[y].item(), self.classes[z].item()
        text = (
            f"{self.show(place)} costs {short_amount(costs[0])} when {truths[0]} is true and "
            f"{short_amount(costs[1])} when {truths[1]} is true{remark}"
        )
        return Witness(self.labels(place), truths, costs, text=text)


@dataclass(frozen=True)
class Property:
    """A property of costs of sets: what it requires, how to find a witness, which settings need it.

    In ``requires``, "its mean" is the mean cost of the classes of the set.  ``filtering`` and
    ``choice`` are the entries of Table VIII: N necessary, D desirable, A the analyst's choice,
    U undesirable.
    """

    number: int
    name: str
    requires: str
    find: Callable[[Evidence], Witness | None]
    filtering: str
    choice: str

    @property
    def wants_example(self) -> bool:
        """Whether a witness proves the property (1 and 9) rather than refutes it."""
        return self.number in (1, 9)


def _possible(e: Evidence) -> Witness | None:
    found = find_possible_set(e.singles, e.members, e.rows, e.mean, e.tolerance)
    if found is None:
        return None
    proba = tuple(float(p) for p in found.proba)
    at = ", ".join(
        f"p({label}) = {p:.4g}" for label, p in zip(e.classes, proba, strict=True) if p > 0
    )
    less = short_amount(found.margin)
    text = f"{e.show(found.place)} costs {less} less than each of its classes at {at}"
    labels = e.labels(found.place)
    return Witness(labels, probability=proba, margin=found.margin, text=text)


def _permissive(e: Evidence) -> Witness | None:
    never_less = (e.rows >= e.mean - e.tolerance).all(axis=1)
    if not never_less.any():
        return None
    place = int(never_less.argmax())
    text = f"{e.show(place)} costs at least the mean cost of its classes for every true class"
    return Witness(
        e.labels(place), costs=_floats(e.rows[place]), limits=_floats(e.mean[place]), text=text
    )


def _rewards_caution(e: Evidence) -> Witness | None:
    violated = e.members & (e.rows >= e.mean - e.tolerance)
    return e.witness(violated, e.mean, "not less than the mean cost of its classes,")


def _not_dominant(e: Evidence) -> Witness | None:
    violated = e.rows < e.least - e.tolerance
    return e.witness(violated, e.least, "less than its cheapest class,")


def _permutation_invariant(e: Evidence) -> Witness | None:
    for y, z, same in e.pairs_of_truths():
        violated = same & (np.abs(e.rows[:, y] - e.rows[:, z]) > e.tolerance)
        if violated.any():
            return e.two_truths(int(violated.argmax()), y, z, ", though its classes cost the same")
    return None


def _mistake_averse(e: Evidence) -> Witness | None:
    violated = ~e.members & (e.rows < e.mean - e.tolerance)
    return e.witness(violated, e.mean, "less than the mean cost of its classes,")


def _cautiousness_seeking(e: Evidence) -> Witness | None:
    violated = ~e.members & (e.rows > e.mean + e.tolerance)
    return e.witness(violated, e.mean, "more than the mean cost of its classes,")


def _insensitive(e: Evidence) -> Witness | None:
    inside = np.where(e.members, e.rows, np.nan)
    low, high = np.nanargmin(inside, axis=1), np.nanargmax(inside, axis=1)
    every = np.arange(len(inside))
    violated = inside[every, high] - inside[every, low] > e.tolerance
    if not violated.any():
        return None
    place = int(violated.argmax())
    y, z = sorted((int(low[place]), int(high[place])))
    return e.two_truths(place, y, z, "")


def _sensitive(e: Evidence) -> Witness | None:
    for y, z, same in e.pairs_of_truths():
        both = e.members[:, y] & e.members[:, z]
        differs = both & ~same & (np.abs(e.rows[:, y] - e.rows[:, z]) > e.tolerance)
        if differs.any():
            return e.two_truths(int(differs.argmax()), y, z, "")
    return None


def _upper_bounded(e: Evidence) -> Witness | None:
    violated = e.rows > e.largest + e.tolerance
    return e.witness(violated, e.largest, "more than its most expensive class,")


PROPERTIES: tuple[Property, ...] = (
    Property(1, "possible", "some set is the best prediction for some probability",
             _possible, "N", "N"),
    Property(2, "permissive", "every set costs less than its mean for some true class",
             _permissive, "D", "D"),
    Property(3, "rewards caution", "a set with the true class costs less than its mean",
             _rewards_caution, "N", "N"),
    Property(4, "not dominant", "no set costs less than its cheapest class",
             _not_dominant, "N", "N"),
    Property(5, "permutation invariant", "a set costs the same wherever its classes cost the same",
             _permutation_invariant, "D", "D"),
    Property(6, "mistake averse", "a set without the true class costs at least its mean",
             _mistake_averse, "N", "A"),
    Property(7, "cautiousness seeking", "a set without the true class costs at most its mean",
             _cautiousness_seeking, "U", "A"),
    Property(8, "insensitive", "a set costs the same whichever of its classes is true",
             _insensitive, "D", "U"),
    Property(9, "sensitive", "the cost of some set depends on which of its classes is true",
             _sensitive, "U", "D"),
    Property(10, "upper bounded", "no set costs more than its most expensive class",
             _upper_bounded, "A", "N"),
)  # fmt: skip


def _sorted_costs(singles: Floats, members: Bools) -> list[tuple[Ints, Floats]]:
    """The members' costs for each true class in ascending order, (sets, k, K), by set size k."""
    sizes = members.sum(axis=1)
    by_size: list[tuple[Ints, Floats]] = []
    for size in np.unique(sizes):
        places = np.flatnonzero(sizes == size)
        chosen = np.nonzero(members[places])[1].reshape(len(places), size)
        by_size.append((places, np.sort(singles[chosen], axis=1)))
    return by_size


def _floats(values: Floats) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
