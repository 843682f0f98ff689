"""Complete a cost matrix from a few answers, without breaking the properties that are wanted.

The answers are linear in the unknown costs, and so are Properties 3 to 8 and 10; Property 2 is a
choice among linear constraints, one a truth, and every choice is tried; Properties 1 and 9 ask for
an example and are checked in the result.  Within those constraints the costs nearest to the
p-discounted ones, in the sense of least squares, are taken: there is one such point.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._typing import Floats
from wager.costs._answers import Answer, Answers, as_answers
from wager.costs._audit import ENUMERATED, SETTINGS, audit
from wager.costs._constraints import ALWAYS, LINEAR, Block, Constraint, Source, blocks
from wager.costs._extended import ExtendedCosts
from wager.costs._extension import extend
from wager.costs._matrix import CostMatrix
from wager.costs._nearest import nearest
from wager.costs._properties import PROPERTIES
from wager.costs._subsets import show_set

__all__ = ["Conflict", "ContradictoryAnswersError", "complete"]


@dataclass(frozen=True)
class Conflict:
    """Answers and properties that cannot all be satisfied, none of which can be left out."""

    answers: tuple[Answer, ...]
    properties: tuple[int, ...]
    text: str

    def __str__(self) -> str:
        return self.text


class ContradictoryAnswersError(ValueError):
    """No costs satisfy the answers and the properties; ``conflicts`` says which of them clash."""

    def __init__(self, message: str, conflicts: Sequence[Conflict] = ()):
        super().__init__(message)
        self.conflicts = tuple(conflicts)


def complete(
    costs: CostMatrix,
    answers: Answers,
    properties: str | Collection[int] = (2, 3, 4, 5),
    *,
    r: float = 0.5,
    mode: str = "cautious",
) -> ExtendedCosts:
    """Complete a cost matrix from a few answers about sets.

    Parameters
    ----------
    costs : CostMatrix
        The costs of single classes, at most eleven of them.
    answers : list of SetCost, CostRatio and ExpectedCost, or mapping
        What is known about costs of sets; a mapping ``{("h", "n"): {"n": 0.75}}`` gives values.
    properties : collection of int, ``"filtering"`` or ``"choice"``; default (2, 3, 4, 5)
        The properties that the result must have; a setting stands for what Table VIII calls
        necessary or desirable there.  Properties 2 to 8 and 10 are imposed, 1 and 9 are checked in
        the result.
    r, mode
        The p-discounted costs to stay nearest to, in the sense of least squares.

    Returns
    -------
    ExtendedCosts

    Raises
    ------
    ContradictoryAnswersError
        A ``ValueError`` that says which answers contradict which property, or each other.

    Examples
    --------
    The expert of Example 7: three times as costly when it is n, 0.5 when both are equally likely.

    >>> from wager.costs import CostRatio, ExpectedCost
    >>> costs = CostMatrix([[0, 2], [4, 0]], ["h", "n"])
    >>> both = ("h", "n")
    >>> expert = [CostRatio(both, "n", "h", 3), ExpectedCost(both, {"h": 0.5, "n": 0.5}, 0.5)]
    >>> complete(costs, expert).matrix()[-1].round(6).tolist()  # Table VII
    [0.25, 0.75]
    """
    if len(costs) > ENUMERATED:
        raise ValueError(
            f"costs of sets are completed for at most {ENUMERATED} classes, got {len(costs)}: "
            "extend with a table of the sets you know, costs.extend({...})"
        )
    wanted = wanted_properties(properties)
    listed = as_answers(answers)
    near = extend(costs, "p-discounted", r=r, mode=mode)
    table: dict[Any, Floats] = {}
    conflicts: list[Conflict] = []
    for block in blocks(near, listed, [number for number in LINEAR if number in wanted]):
        found = _solve(block)
        if found is None:
            conflicts += _explain(block, listed, costs)
        elif not np.array_equal(found, block.target):
            named = (tuple(costs.classes[inside].tolist()) for inside in block.members)
            table |= zip(named, np.where(found > 1e-12, found, 0.0), strict=True)
    if conflicts:
        told = "; ".join(str(conflict) for conflict in conflicts)
        raise ContradictoryAnswersError(f"no costs of sets fit what is asked: {told}", conflicts)
    result = extend(costs, table, r=r, mode=mode) if table else near
    _require_examples(result, wanted)
    return result


def wanted_properties(properties: str | Collection[int]) -> tuple[int, ...]:
    """The numbers of the properties, from a setting or from numbers."""
    if isinstance(properties, str):
        if properties not in SETTINGS:
            raise ValueError(
                f"properties must be numbers from 1 to 10, or one of {', '.join(SETTINGS)}, got "
                f"{properties!r}"
            )
        return tuple(p.number for p in PROPERTIES if getattr(p, properties) in "ND")
    unknown = [number for number in properties if number not in range(1, 11)]
    if unknown:
        raise ValueError(f"the properties are numbered 1 to 10, got {unknown[0]!r}")
    return tuple(sorted(set(properties)))


def _solve(block: Block, sources: Collection[Source] | None = None) -> Floats | None:
    """The nearest costs under the constraints of these sources (all of them); None if none fit."""
    asked = {ALWAYS, *(block.sources if sources is None else sources)}
    used = [constraint for constraint in block.constraints if constraint.source in asked]
    choices = block.choices if ("property", 2) in asked else []
    return _with_choices(block.target, used, choices)


def _with_choices(
    target: Floats, used: list[Constraint], choices: Sequence[Sequence[Constraint]]
) -> Floats | None:
    """Try every way to satisfy a choice that the plain solution leaves open; keep the nearest."""
    found = _nearest_costs(target, used)
    if found is None:
        return None
    still_open = [options for options in choices if not any(_holds(c, found) for c in options)]
    if not still_open:
        return found
    tried = (_with_choices(target, [*used, option], choices) for option in still_open[0])
    fitting = [solution for solution in tried if solution is not None]
    return min(fitting, key=lambda x: float(((x - target) ** 2).sum()), default=None)


def _holds(constraint: Constraint, costs: Floats) -> bool:
    total = sum(factor * costs[number, y] for number, y, factor in constraint.terms)
    return bool(total <= constraint.value + 1e-12)


def _nearest_costs(target: Floats, constraints: Sequence[Constraint]) -> Floats | None:
    matrix = np.zeros((len(constraints), *target.shape))
    for row, constraint in zip(matrix, constraints, strict=True):
        for number, y, factor in constraint.terms:
            row[number, y] += factor
    relation = np.array([constraint.relation for constraint in constraints])
    sign = np.where(relation == ">=", -1.0, 1.0)
    rows = sign[:, None] * matrix.reshape(len(constraints), target.size)
    values = sign * np.array([constraint.value for constraint in constraints])
    same = relation == "="
    found = nearest(target.ravel(), (rows[~same], values[~same]), (rows[same], values[same]))
    return None if found is None else found.reshape(target.shape)


def _explain(block: Block, answers: Sequence[Answer], costs: CostMatrix) -> list[Conflict]:
    """Which answers contradict each other, or which property, each conflict as small as can be."""
    said = [source for source in block.sources if source[0] == "answer"]
    properties = [source for source in block.sources if source[0] == "property"]
    if _solve(block, said) is None:
        clashes = [_smallest(block, said)]
    else:
        each = ([*said, source] for source in properties)
        clashes = [_smallest(block, pair) for pair in each if _solve(block, pair) is None]
    if not clashes:  # only several properties together exclude the answers
        clashes = [_smallest(block, [*said, *properties])]
    return [_conflict(clash, block, answers, costs) for clash in clashes]


def _smallest(block: Block, sources: Sequence[Source]) -> list[Source]:
    """A minimal part of the sources that cannot be satisfied: drop one after the other."""
    kept = list(sources)
    for source in sources:
        fewer = [other for other in kept if other != source]
        if _solve(block, fewer) is None:
            kept = fewer
    return kept


def _conflict(
    clash: Sequence[Source], block: Block, answers: Sequence[Answer], costs: CostMatrix
) -> Conflict:
    said = tuple(answers[place] for kind, place in clash if kind == "answer")
    numbers = tuple(number for kind, number in clash if kind == "property")
    told = " and ".join(f"'{answer}'" for answer in said)
    if not said:
        told = f"the costs of the classes in {show_set(block.members[0], costs.classes)}"
    against = " and ".join(f"property {n} ({PROPERTIES[n - 1].asks})" for n in numbers)
    if numbers:
        text = f"{told} contradict{'s' if len(said) == 1 else ''} {against}"
    else:
        text = f"{told} {'cannot be' if len(said) == 1 else 'exclude each other'}"
    return Conflict(said, numbers, text)


def _require_examples(result: ExtendedCosts, wanted: Collection[int]) -> None:
    """Properties 1 and 9 are not constraints: see that the result shows them."""
    asked = [number for number in (1, 9) if number in wanted]
    holds = audit(result).holds if asked else {}
    for number in asked:
        if not holds[number]:
            text = f"the nearest costs lack property {number} ({PROPERTIES[number - 1].asks})"
            raise ContradictoryAnswersError(
                f"{text}: it cannot be imposed, so give an answer that shows it",
                [Conflict((), (number,), text)],
            )
