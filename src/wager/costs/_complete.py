"""Complete a cost matrix from a few answers, so that the wanted properties hold.

The answers are linear in the unknown costs, and so are Properties 3 to 8 and 10; Property 2 is a
choice among linear constraints, one per true class, and every choice is tried; Properties 1 and 9
require an example and are checked in the result.  Among the costs that satisfy all constraints,
those nearest to the p-discounted costs in the sense of least squares are taken; they are unique.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import ROUNDING, ViewedFields
from wager._typing import Floats
from wager._visible import brief
from wager.costs._answers import Answer, Answers, as_answers
from wager.costs._audit import ENUMERATED, SETTINGS, audit
from wager.costs._constraints import ALWAYS, LINEAR, Block, Constraint, Origin, blocks
from wager.costs._extend import extend
from wager.costs._extended_costs import ExtendedCosts
from wager.costs._matrix import CostMatrix
from wager.costs._nearest_point import nearest
from wager.costs._properties import PROPERTIES
from wager.costs._subsets import show_set
from wager.costs._tolerance import unit_of

__all__ = ["Conflict", "ContradictoryAnswersError", "complete"]


@dataclass(frozen=True, repr=False)
class Conflict(ViewedFields):
    """A smallest group of answers and properties that cannot all be satisfied.

    Attributes
    ----------
    answers : tuple of Answer
        The answers of the group.
    properties : tuple of int
        The numbers of its properties.
    text : str
        The conflict as a sentence.
    """

    answers: tuple[Answer, ...]
    properties: tuple[int, ...]
    text: str

    def __str__(self) -> str:
        return self.text


class ContradictoryAnswersError(ValueError):
    """No costs satisfy the answers and the properties; ``conflicts`` lists which ones conflict."""

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
        What is known about costs of sets; a mapping ``{("h", "n"): {"n": 0.75}}`` lists values.
    properties : collection of int, ``"filtering"`` or ``"choice"``; default (2, 3, 4, 5)
        The properties that the result must have; a setting means those that Table VIII calls
        necessary or desirable for it.  Properties 2 to 8 and 10 are imposed, 1 and 9 are checked
        in the result.
    r, mode
        The p-discounted costs from which the squared distance is minimised.

    Returns
    -------
    ExtendedCosts

    Raises
    ------
    ContradictoryAnswersError
        A ``ValueError`` that says which answers contradict which property, or each other.

    Examples
    --------
    The expert of Example 7: three times as costly when n is true, 0.5 if both are equally likely.

    >>> from wager.costs import CostRatio, ExpectedCost
    >>> costs = CostMatrix([[0, 2], [4, 0]], ["h", "n"])
    >>> both = ("h", "n")
    >>> expert = [CostRatio(both, "n", "h", 3), ExpectedCost(both, {"h": 0.5, "n": 0.5}, 0.5)]
    >>> complete(costs, expert).matrix()[-1].round(6).tolist()  # Table VII
    [0.25, 0.75]
    """
    if len(costs) > ENUMERATED:
        raise ValueError(
            f"costs of sets can be completed for at most {ENUMERATED} classes, got {len(costs)}: "
            "extend them with a table of the sets you know, costs.extend({...})"
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
            positive = np.where(found > ROUNDING * unit_of(found), found, 0.0)
            table |= zip(named, positive, strict=True)
    if conflicts:
        text = "; ".join(str(conflict) for conflict in conflicts)
        raise ContradictoryAnswersError(
            f"no costs of sets satisfy all answers and properties: {text}", conflicts
        )
    result = extend(costs, table, r=r, mode=mode) if table else near
    _require_examples(result, wanted)
    return result


def wanted_properties(properties: str | Collection[int]) -> tuple[int, ...]:
    """The numbers of the properties, from a setting or from numbers."""
    if isinstance(properties, str):
        if properties not in SETTINGS:
            raise ValueError(
                f"properties must be numbers from 1 to 10, or one of {', '.join(SETTINGS)}, got "
                f"{brief(properties)}"
            )
        return tuple(p.number for p in PROPERTIES if getattr(p, properties) in "ND")
    unknown = [number for number in properties if number not in range(1, 11)]
    if unknown:
        raise ValueError(f"the properties are numbered 1 to 10, got {brief(unknown[0])}")
    return tuple(sorted(set(properties)))


def _solve(block: Block, origins: Collection[Origin] | None = None) -> Floats | None:
    """The nearest costs under the constraints of these origins (default: all), or None."""
    wanted = {ALWAYS, *(block.origins if origins is None else origins)}
    used = [constraint for constraint in block.constraints if constraint.origin in wanted]
    choices = block.choices if ("property", 2) in wanted else []
    return _with_choices(block.target, used, choices)


def _with_choices(
    target: Floats, used: list[Constraint], choices: Sequence[Sequence[Constraint]]
) -> Floats | None:
    """Try every option of each choice that the solution so far violates; keep the nearest."""
    found = _nearest_costs(target, used)
    if found is None:
        return None
    unsatisfied = [options for options in choices if not any(_holds(c, found) for c in options)]
    if not unsatisfied:
        return found
    tried = (_with_choices(target, [*used, option], choices) for option in unsatisfied[0])
    fitting = [solution for solution in tried if solution is not None]
    return min(fitting, key=lambda x: float(((x - target) ** 2).sum()), default=None)


def _holds(constraint: Constraint, costs: Floats) -> bool:
    total = sum(factor * costs[number, y] for number, y, factor in constraint.terms)
    return bool(total <= constraint.value + ROUNDING * unit_of(costs))


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
    unit = unit_of(np.append(target, values))  # tolerances are for costs of about 1
    values /= unit
    found = nearest(target.ravel() / unit, (rows[~same], values[~same]), (rows[same], values[same]))
    return None if found is None else unit * found.reshape(target.shape)


def _explain(block: Block, answers: Sequence[Answer], costs: CostMatrix) -> list[Conflict]:
    """Which answers contradict each other or a property, each conflict as small as possible."""
    given = [origin for origin in block.origins if origin[0] == "answer"]
    properties = [origin for origin in block.origins if origin[0] == "property"]
    if _solve(block, given) is None:
        clashes = [_smallest(block, given)]
    else:
        each = ([*given, origin] for origin in properties)
        clashes = [_smallest(block, pair) for pair in each if _solve(block, pair) is None]
    if not clashes:  # the answers contradict only several properties together
        clashes = [_smallest(block, [*given, *properties])]
    return [_conflict(clash, block, answers, costs) for clash in clashes]


def _smallest(block: Block, origins: Sequence[Origin]) -> list[Origin]:
    """A minimal part of the origins that cannot be satisfied: drop one after another."""
    kept = list(origins)
    for origin in origins:
        fewer = [other for other in kept if other != origin]
        if _solve(block, fewer) is None:
            kept = fewer
    return kept


def _conflict(
    clash: Sequence[Origin], block: Block, answers: Sequence[Answer], costs: CostMatrix
) -> Conflict:
    given = tuple(answers[place] for kind, place in clash if kind == "answer")
    numbers = tuple(number for kind, number in clash if kind == "property")
    subject = " and ".join(f"'{answer}'" for answer in given)
    if not given:
        subject = f"the costs of the classes in {show_set(block.members[0], costs.classes)}"
    against = " and ".join(f"property {n} ({PROPERTIES[n - 1].requires})" for n in numbers)
    if numbers:
        text = f"{subject} contradict{'s' if len(given) == 1 else ''} {against}"
    else:
        text = f"{subject} {'is impossible' if len(given) == 1 else 'contradict each other'}"
    return Conflict(given, numbers, text)


def _require_examples(result: ExtendedCosts, wanted: Collection[int]) -> None:
    """Properties 1 and 9 are not constraints: check that the result has them."""
    required = [number for number in (1, 9) if number in wanted]
    holds = audit(result).holds if required else {}
    for number in required:
        if not holds[number]:
            text = f"the nearest costs lack property {number} ({PROPERTIES[number - 1].requires})"
            raise ContradictoryAnswersError(
                f"{text}: this property cannot be imposed, so give an answer that implies it",
                [Conflict((), (number,), text)],
            )
