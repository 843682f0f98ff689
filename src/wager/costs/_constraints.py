"""Answers and properties as linear constraints on the costs of sets.

The unknowns are the costs of the sets of two or more classes by true class.  Properties constrain
the costs of one set at a time, so sets are independent of each other unless an answer links them:
the problem splits into blocks, most of which contain a single set.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from wager._tables import ROUNDING
from wager._typing import Bools, Floats
from wager.costs._answers import Answer
from wager.costs._audit import every_set
from wager.costs._extended_costs import ExtendedCosts
from wager.costs.extensions import EveryTruth

__all__ = ["LINEAR", "Block", "Constraint", "Origin", "blocks"]

LINEAR = (2, 3, 4, 5, 6, 7, 8, 10)  # the properties that can be imposed; 1 and 9 require an example
MARGIN = 1e-6  # "less than" becomes "less by this share of the largest cost"

Origin: TypeAlias = tuple[str, int]  # ("answer", place in the list) or ("property", number)
ALWAYS: Origin = ("property", 0)  # costs are not negative


@dataclass(frozen=True)
class Constraint:
    """A linear constraint on costs, and the answer or property it comes from.

    ``terms`` are (set, true class, factor), the set by its number in the block.
    """

    terms: tuple[tuple[int, int, float], ...]
    relation: str
    value: float
    origin: Origin


@dataclass(frozen=True, eq=False)
class Block:
    """Sets whose costs are solved for together, because answers link them.

    Parameters
    ----------
    members : bool array of shape (s, K)
        The sets.
    target : array of shape (s, K)
        The costs to stay close to.
    constraints : sequence of Constraint
        All of these must hold.
    choices : sequence of sequences of Constraint
        One constraint of each must hold: Property 2 requires a cost below the mean for some
        true class.
    """

    members: Bools
    target: Floats
    constraints: Sequence[Constraint]
    choices: Sequence[Sequence[Constraint]]

    @property
    def origins(self) -> list[Origin]:
        """The answers and properties that constrain the block: answers first."""
        found = {c.origin for c in self.constraints} | {("property", 2) for _ in self.choices[:1]}
        return sorted(found - {ALWAYS})


def blocks(
    near: ExtendedCosts, answers: Sequence[Answer], imposed: Collection[int]
) -> Iterator[Block]:
    """One block for each group of sets that answers link, and one for each other set."""
    members = every_set(near.n_classes)
    target = near.costs_of_members(members)
    given = [_statement(near, members, answer, place) for place, answer in enumerate(answers)]
    block_of = np.arange(len(members))
    for statement in given:
        linked = [number for number, _, _ in statement.terms]
        for number in linked[1:]:
            block_of[block_of == block_of[number]] = block_of[linked[0]]
    for first in np.unique(block_of):
        sets = np.flatnonzero(block_of == first)
        local = {int(number): i for i, number in enumerate(sets)}
        own = [
            replace(s, terms=tuple((local[number], y, factor) for number, y, factor in s.terms))
            for s in given
            if s.terms and s.terms[0][0] in local
        ]
        yield _block(near.singles, members[sets], target[sets], own, imposed)
    for statement in given:
        if not statement.terms:  # only about single classes: true or false, no unknowns
            yield Block(members[:0], target[:0], [statement], [])


def _statement(near: ExtendedCosts, members: Bools, answer: Answer, place: int) -> Constraint:
    """An answer as a constraint; the known costs of single classes move to the right-hand side."""
    value, terms, size = answer.value, [], answer.value
    for term in answer.terms(near.classes):
        if term.members.sum() == 1:
            known = term.factor * float(near.singles[term.members.argmax(), term.truth])
            value, size = value - known, max(size, abs(known))
        else:
            number = int((members == term.members).all(axis=1).argmax())
            terms.append((number, term.truth, term.factor))
    if abs(value) <= ROUNDING * size:  # what rounding leaves of known costs that are right
        value = 0.0
    return Constraint(tuple(terms), answer.relation, value, ("answer", place))


def _block(
    singles: Floats,
    members: Bools,
    target: Floats,
    given: Sequence[Constraint],
    imposed: Collection[int],
) -> Block:
    cells = EveryTruth(singles, members)
    less = cells.mean(1.0) - MARGIN * (float(singles.max()) or 1.0)
    constraints = [
        *given,
        *_bounds(cells, less, imposed),
        *_equalities(singles, members, imposed),
    ]
    choices: list[list[Constraint]] = []
    if 2 in imposed and 3 not in imposed:  # Property 3 implies Property 2
        choices = [
            [
                Constraint(((s, y, 1.0),), "<=", limit, ("property", 2))
                for y, limit in enumerate(row)
            ]
            for s, row in enumerate(less.tolist())
        ]
    return Block(members, target, constraints, choices)


def _bounds(cells: EveryTruth, less: Floats, imposed: Collection[int]) -> list[Constraint]:
    """Properties 3, 4, 6, 7 and 10: bounds of single cells; no cost may be negative."""
    inside, outside, everywhere = cells.members, ~cells.members, np.ones_like(cells.members)
    mean, least, largest = cells.mean(1.0), cells.mean(-np.inf), cells.mean(np.inf)
    bounds = (
        (0, everywhere, ">=", np.zeros_like(mean)),
        (3, inside, "<=", less),
        (4, everywhere, ">=", least),
        (6, outside, ">=", mean),
        (7, outside, "<=", mean),
        (10, everywhere, "<=", largest),
    )
    return [
        Constraint(((int(s), int(y), 1.0),), relation, float(limits[s, y]), ("property", number))
        for number, where, relation, limits in bounds
        if number == 0 or number in imposed
        for s, y in np.argwhere(where)
    ]


def _equalities(singles: Floats, members: Bools, imposed: Collection[int]) -> list[Constraint]:
    """Properties 5 and 8: equal costs of a set for two true classes."""
    constraints = []
    for s, inside in enumerate(members):
        pairs = [(8, y, z) for y, z in pairwise(np.flatnonzero(inside).tolist())]
        pairs += [(5, y, z) for y, z in _same_columns(singles[inside])]
        constraints += [
            Constraint(((s, y, 1.0), (s, z, -1.0)), "=", 0.0, ("property", number))
            for number, y, z in pairs
            if number in imposed
        ]
    return constraints


def _same_columns(members: Floats) -> Iterator[tuple[int, int]]:
    """Pairs of true classes for which the members have the same costs, up to their order."""
    ordered = np.sort(members, axis=0)
    slack = 1e-9 * ordered.max()
    for z in range(1, ordered.shape[1]):
        same = np.abs(ordered[:, :z] - ordered[:, [z]]).max(axis=0) <= slack
        if same.any():
            yield int(same.argmax()), z
