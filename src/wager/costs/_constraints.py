"""Answers and properties as linear constraints on the costs of sets.

The unknowns are the costs of the sets of two or more classes by true class.  Properties constrain
the costs of one set at a time, so sets are independent of each other unless an answer links them:
the whole falls into blocks, most of them a single set.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from wager._typing import Bools, Floats
from wager.costs._answers import Answer
from wager.costs._audit import every_set
from wager.costs._cells import EveryTruth
from wager.costs._extended import ExtendedCosts

__all__ = ["LINEAR", "Block", "Constraint", "Source", "blocks"]

LINEAR = (2, 3, 4, 5, 6, 7, 8, 10)  # the properties that can be imposed; 1 and 9 want an example
MARGIN = 1e-6  # "less than" becomes "less by this much of the largest cost"

Source: TypeAlias = tuple[str, int]  # ("answer", place in the list) or ("property", number)
ALWAYS: Source = ("property", 0)  # costs are not negative


@dataclass(frozen=True)
class Constraint:
    """A linear constraint on costs, and who asked for it.

    ``terms`` are (set, truth, factor), the set by its number in the block.
    """

    terms: tuple[tuple[int, int, float], ...]
    relation: str
    value: float
    source: Source


@dataclass(frozen=True, eq=False)
class Block:
    """Sets whose costs are found together, because answers link them.

    Parameters
    ----------
    members : bool array of shape (s, K)
        The sets.
    target : array of shape (s, K)
        The costs to stay near.
    constraints : sequence of Constraint
        All of these must hold.
    choices : sequence of sequences of Constraint
        Of each, one must hold: Property 2 asks that some truth costs less than the mean.
    """

    members: Bools
    target: Floats
    constraints: Sequence[Constraint]
    choices: Sequence[Sequence[Constraint]]

    @property
    def sources(self) -> list[Source]:
        """Who asked for anything here: answers first, then properties."""
        asked = {c.source for c in self.constraints} | {("property", 2) for _ in self.choices[:1]}
        return sorted(asked - {ALWAYS})


def blocks(
    near: ExtendedCosts, answers: Sequence[Answer], imposed: Collection[int]
) -> Iterator[Block]:
    """One block for each group of sets that answers link, and one for each other set."""
    members = every_set(near.n_classes)
    target = near.costs_of_members(members)
    said = [_statement(near, members, answer, place) for place, answer in enumerate(answers)]
    home = np.arange(len(members))
    for statement in said:
        linked = [number for number, _, _ in statement.terms]
        for number in linked[1:]:
            home[home == home[number]] = home[linked[0]]
    for first in np.unique(home):
        sets = np.flatnonzero(home == first)
        local = {int(number): i for i, number in enumerate(sets)}
        own = [
            replace(s, terms=tuple((local[number], y, factor) for number, y, factor in s.terms))
            for s in said
            if s.terms and s.terms[0][0] in local
        ]
        yield _block(near.singles, members[sets], target[sets], own, imposed)
    for statement in said:
        if not statement.terms:  # about single classes alone: true or false, nothing to find
            yield Block(members[:0], target[:0], [statement], [])


def _statement(near: ExtendedCosts, members: Bools, answer: Answer, place: int) -> Constraint:
    """An answer over the sets of all classes; the known costs of single classes go to the right."""
    value, terms = answer.value, []
    for term in answer.terms(near.classes):
        if term.members.sum() == 1:
            value -= term.factor * float(near.singles[term.members.argmax(), term.truth])
        else:
            number = int((members == term.members).all(axis=1).argmax())
            terms.append((number, term.truth, term.factor))
    return Constraint(tuple(terms), answer.relation, value, ("answer", place))


def _block(
    singles: Floats,
    members: Bools,
    target: Floats,
    said: Sequence[Constraint],
    imposed: Collection[int],
) -> Block:
    cells = EveryTruth(singles, members)
    mean, least, largest = cells.mean(1.0), cells.mean(-np.inf), cells.mean(np.inf)
    less = mean - MARGIN * max(1.0, float(singles.max()))
    outside, everywhere = ~members, np.ones_like(members)
    bounds = [(0, everywhere, ">=", np.zeros_like(mean))]
    bounds += [
        bound
        for bound in (
            (3, members, "<=", less),
            (4, everywhere, ">=", least),
            (6, outside, ">=", mean),
            (7, outside, "<=", mean),
            (10, everywhere, "<=", largest),
        )
        if bound[0] in imposed
    ]
    constraints = [
        Constraint(((int(s), int(y), 1.0),), relation, float(limits[s, y]), ("property", number))
        for number, where, relation, limits in bounds
        for s, y in np.argwhere(where)
    ]
    for s, inside in enumerate(members):
        pairs = [(8, y, z) for y, z in pairwise(np.flatnonzero(inside).tolist())]
        pairs += [(5, y, z) for y, z in _same_columns(singles[inside])]
        constraints += [
            Constraint(((s, y, 1.0), (s, z, -1.0)), "=", 0.0, ("property", number))
            for number, y, z in pairs
            if number in imposed
        ]
    choices = []
    if 2 in imposed and 3 not in imposed:  # Property 3 asks for more
        choices = [
            [
                Constraint(((s, y, 1.0),), "<=", limit, ("property", 2))
                for y, limit in enumerate(row)
            ]
            for s, row in enumerate(less.tolist())
        ]
    return Block(members, target, [*said, *constraints], choices)


def _same_columns(members: Floats) -> Iterator[tuple[int, int]]:
    """Truths at which the members cost the same up to order, each with the first such truth."""
    ordered = np.sort(members, axis=0)
    for z in range(1, ordered.shape[1]):
        same = np.abs(ordered[:, :z] - ordered[:, [z]]).max(axis=0) <= 1e-9
        if same.any():
            yield int(same.argmax()), z
