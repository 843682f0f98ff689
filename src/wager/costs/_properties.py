"""The ten properties of costs of indeterminacy, one function each.

Yang, Destercke & Masson (2017, Section IV), with their misprints corrected: Property 2 asks that
some truth costs less than the mean of the members, Properties 2 and 3 speak of sets of two or more
classes, and Property 9 of truths within the set.  A function looks at all sets it is given and
returns a witness: a counterexample of a property that claims something of every set, or an example
of one that claims something of some set (1 and 9).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from wager._typing import Array, Bools, Floats, Ints
from wager.costs._cells import EveryTruth
from wager.costs._possible import find_possible_set
from wager.costs._subsets import show_set

__all__ = ["PROPERTIES", "Evidence", "Property", "Witness"]


@dataclass(frozen=True)
class Witness:
    """The set, the truth and the numbers that prove a verdict.

    Parameters
    ----------
    set : tuple of labels
        The set of classes.
    truths : tuple of labels
        The truths concerned: none, one or two.
    costs : tuple of float
        What the set costs at these truths.
    limits : tuple of float
        What those costs were compared with: the mean, least or largest cost of the members.
    probability : tuple of float, optional
        The class probabilities under which the set is cheaper than each member (Property 1).
    margin : float, optional
        By how much it is cheaper.
    text : str
        All of that in words.
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
    """The sets to look at, their costs, and what their members cost.

    Parameters
    ----------
    classes : array of shape (K,)
    singles : array of shape (K, K)
        The costs of single classes in the extended matrix.
    members : bool array of shape (m, K)
        The sets, each of two or more classes.
    rows : array of shape (m, K)
        What they cost by true class.
    tolerance : float
        Differences up to this are none.
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
        """The mean cost of each set's members, by truth."""
        return self._cells.mean(1.0)

    @cached_property
    def least(self) -> Floats:
        """The cost of the cheapest member, by truth."""
        return self._cells.mean(-np.inf)

    @cached_property
    def largest(self) -> Floats:
        """The cost of the dearest member, by truth."""
        return self._cells.mean(np.inf)

    def show(self, place: int) -> str:
        """The set, as {h, b}."""
        return show_set(self.members[place], self.classes)

    def labels(self, place: int) -> tuple[Any, ...]:
        """The labels of the set."""
        return tuple(self.classes[self.members[place]].tolist())

    def witness(self, broken: Bools, limits: Floats, is_not: str) -> Witness | None:
        """The first cell that breaks a bound, in words; None where none does."""
        if not broken.any():
            return None
        place, true = (int(i) for i in np.argwhere(broken)[0])
        cost, limit = float(self.rows[place, true]), float(limits[place, true])
        truth = self.classes[true].item()
        text = f"{self.show(place)} costs {cost:.4g} when it is {truth}, {is_not} {limit:.4g}"
        return Witness(self.labels(place), (truth,), (cost,), (limit,), text=text)

    def pairs_of_truths(self) -> Iterator[tuple[int, int, Bools]]:
        """Two truths, and whether each set's members cost the same at both, up to their order."""
        ordered = _sorted_costs(self.singles, self.members)
        for y, z in combinations(range(len(self.classes)), 2):
            gap = np.zeros(len(self.members))
            for places, costs in ordered:
                gap[places] = np.abs(costs[:, :, y] - costs[:, :, z]).max(axis=1)
            yield y, z, gap <= self.tolerance

    def two_truths(self, place: int, y: int, z: int, remark: str) -> Witness:
        """A witness about the costs of one set at two truths."""
        costs = float(self.rows[place, y]), float(self.rows[place, z])
        truths = self.classes[y].item(), self.classes[z].item()
        text = (
            f"{self.show(place)} costs {costs[0]:.4g} when it is {truths[0]} and {costs[1]:.4g} "
            f"when it is {truths[1]}{remark}"
        )
        return Witness(self.labels(place), truths, costs, text=text)


@dataclass(frozen=True)
class Property:
    """A property of costs of sets: what it asks, how to look for a witness, who wants it.

    ``filtering`` and ``choice`` are the entries of Table VIII: N necessary, D desirable,
    A the analyst's choice, U undesirable.
    """

    number: int
    name: str
    asks: str
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
    text = f"{e.show(found.place)} is {found.margin:.4g} cheaper than each of its classes at {at}"
    labels = e.labels(found.place)
    return Witness(labels, probability=proba, margin=found.margin, text=text)


def _permissive(e: Evidence) -> Witness | None:
    never_less = (e.rows >= e.mean - e.tolerance).all(axis=1)
    if not never_less.any():
        return None
    place = int(never_less.argmax())
    text = f"{e.show(place)} costs at least the mean of its classes whatever is true"
    return Witness(
        e.labels(place), costs=_floats(e.rows[place]), limits=_floats(e.mean[place]), text=text
    )


def _rewards_caution(e: Evidence) -> Witness | None:
    broken = e.members & (e.rows >= e.mean - e.tolerance)
    return e.witness(broken, e.mean, "not less than the mean of its classes,")


def _not_dominant(e: Evidence) -> Witness | None:
    broken = e.rows < e.least - e.tolerance
    return e.witness(broken, e.least, "less than the cheapest of its classes,")


def _permutation_invariant(e: Evidence) -> Witness | None:
    for y, z, same in e.pairs_of_truths():
        broken = same & (np.abs(e.rows[:, y] - e.rows[:, z]) > e.tolerance)
        if broken.any():
            return e.two_truths(int(broken.argmax()), y, z, ", though its classes cost the same")
    return None


def _mistake_averse(e: Evidence) -> Witness | None:
    broken = ~e.members & (e.rows < e.mean - e.tolerance)
    return e.witness(broken, e.mean, "less than the mean of its classes,")


def _cautiousness_seeking(e: Evidence) -> Witness | None:
    broken = ~e.members & (e.rows > e.mean + e.tolerance)
    return e.witness(broken, e.mean, "more than the mean of its classes,")


def _insensitive(e: Evidence) -> Witness | None:
    inside = np.where(e.members, e.rows, np.nan)
    low, high = np.nanargmin(inside, axis=1), np.nanargmax(inside, axis=1)
    every = np.arange(len(inside))
    broken = inside[every, high] - inside[every, low] > e.tolerance
    if not broken.any():
        return None
    place = int(broken.argmax())
    y, z = sorted((int(low[place]), int(high[place])))
    return e.two_truths(place, y, z, "")


def _sensitive(e: Evidence) -> Witness | None:
    for y, z, same in e.pairs_of_truths():
        both = e.members[:, y] & e.members[:, z]
        shown = both & ~same & (np.abs(e.rows[:, y] - e.rows[:, z]) > e.tolerance)
        if shown.any():
            return e.two_truths(int(shown.argmax()), y, z, "")
    return None


def _upper_bounded(e: Evidence) -> Witness | None:
    broken = e.rows > e.largest + e.tolerance
    return e.witness(broken, e.largest, "more than the dearest of its classes,")


PROPERTIES: tuple[Property, ...] = (
    Property(1, "possible", "some set is the best prediction for some probability",
             _possible, "N", "N"),
    Property(2, "permissive", "every set costs less than its mean at some truth",
             _permissive, "D", "D"),
    Property(3, "rewards caution", "a set that holds the truth costs less than its mean",
             _rewards_caution, "N", "N"),
    Property(4, "not dominant", "no set costs less than its cheapest class",
             _not_dominant, "N", "N"),
    Property(5, "permutation invariant", "equal costs of the classes give equal costs of the set",
             _permutation_invariant, "D", "D"),
    Property(6, "mistake averse", "a set that misses the truth costs at least its mean",
             _mistake_averse, "N", "A"),
    Property(7, "cautiousness seeking", "a set that misses the truth costs at most its mean",
             _cautiousness_seeking, "U", "A"),
    Property(8, "insensitive", "a set that holds the truth costs the same whichever it is",
             _insensitive, "D", "U"),
    Property(9, "sensitive", "some set that holds the truth costs differently by truth",
             _sensitive, "U", "D"),
    Property(10, "upper bounded", "no set costs more than its dearest class",
             _upper_bounded, "A", "N"),
)  # fmt: skip


def _sorted_costs(singles: Floats, members: Bools) -> list[tuple[Ints, Floats]]:
    """The members' costs at each truth in ascending order, (sets, k, K), by set size k."""
    sizes = members.sum(axis=1)
    by_size: list[tuple[Ints, Floats]] = []
    for size in np.unique(sizes):
        places = np.flatnonzero(sizes == size)
        chosen = np.nonzero(members[places])[1].reshape(len(places), size)
        by_size.append((places, np.sort(singles[chosen], axis=1)))
    return by_size


def _floats(values: Floats) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
