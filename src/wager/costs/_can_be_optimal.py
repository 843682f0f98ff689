"""Whether a set can be the best prediction: the probability that proves it, or a proof against it.

Yang, Destercke & Masson (2017, Def. 4): a set is possible if under some probability p its expected
cost is strictly below that of each of its classes.  The largest advantage, max over p of min over
rivals r of ``E_p[c_r - c_set]``, is the value of a game between p and a mixture of rivals.  If it
is positive, the optimal p is a witness.  Otherwise the optimal mixture is a certificate: it costs
at most as much as the set for every true class, so under every p some rival is at least as good.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from wager._tables import View, Viewed, in_braces, is_one_of
from wager._typing import Array, Bools, Floats
from wager._visible import brief
from wager.costs._cost_unit import short_amount
from wager.costs._possible_sets import most_favourable
from wager.costs._subsets import subset_masks
from wager.predictions import PredictionSets
from wager.rewards import GameValue

__all__ = ["Optimality", "Rivals", "optimality_of"]

Rivals: TypeAlias = Literal["members", "classes", "sets"]
_TOLERANCE = 1e-9  # of the largest cost: a smaller advantage is rounding
_MOST_CLASSES = 16  # 65,535 rivals, of which the program needs a few


@dataclass(frozen=True, eq=False, repr=False)
class Optimality(Viewed):
    """Whether a set can be the best prediction, with the proof; its truth value is the answer.

    Attributes
    ----------
    set : tuple of labels
        The set in question, in the order of the classes.
    against : str
        What it was compared with: its ``"members"``, all ``"classes"`` or all other ``"sets"``.
    margin : float
        The largest amount by which it can cost less than all of them; not positive if it cannot.
    witness : ndarray of shape (K,), or None
        If the answer is yes: the probability of each class, in the order of the costs' classes,
        under which the set costs less than each rival, by ``margin`` or more.
    certificate : dict, or None
        If the answer is no: rivals, as tuples of labels, and their weights.  The weighted mean of
        their costs does not exceed the cost of the set for any true class.
    """

    set: tuple[Any, ...]
    against: Rivals
    margin: float
    witness: Floats | None
    certificate: dict[tuple[Any, ...], float] | None
    classes: Array

    def __bool__(self) -> bool:
        return self.witness is not None

    def _view(self) -> View:
        return View(verdict=[self.sentence()])

    def sentence(self) -> str:
        """The answer with its proof, in words."""
        name = in_braces(self.set)
        if self.witness is not None:
            at = ", ".join(
                f"p({label}) = {p:.4g}"
                for label, p in zip(self.classes, self.witness, strict=True)
                if p > 0
            )
            other = "other" if len(self.set) == 1 else "single"
            rivals = {"members": "each of its classes", "classes": f"every {other} class",
                      "sets": "every other set"}[self.against]  # fmt: skip
            less = short_amount(self.margin)
            return f"{name} can be optimal: it costs {less} less than {rivals} at {at}"
        assert self.certificate is not None
        mixture = " + ".join(
            f"{weight:.4g} {in_braces(labels)}" for labels, weight in self.certificate.items()
        )
        return f"{name} cannot be optimal: {mixture} costs at most as much for every true class"


def optimality_of(members: Bools, extended: Any, against: Rivals = "members") -> Optimality:
    """Whether a set, given by its indicator, can be the best prediction under some probability."""
    if not is_one_of(against, get_args(Rivals)):
        raise ValueError(f"against must be 'members', 'classes' or 'sets', got {brief(against)}")
    if against == "members" and members.sum() == 1:
        against = "classes"  # a single class has no other members
    own = extended.costs_of_members(members[None])[0]
    if against == "sets":
        rivals, costs, game = _against_all_sets(members, own, extended)
    else:
        rivals = _single_rivals(members, against)
        costs = extended.costs_of_members(rivals)
        game = most_favourable(costs, own)
    tolerance = _TOLERANCE * max(float(own.max()), float(costs.max()))
    margin = -game.value
    possible = margin > tolerance
    weights = {
        tuple(extended.classes[rival].tolist()): float(weight)
        for rival, weight in zip(rivals, game.bet, strict=True)
        if weight > 0
    }
    return Optimality(
        set=tuple(extended.classes[members].tolist()),
        against=against,
        margin=margin if possible else min(margin, 0.0),
        witness=game.distribution if possible else None,
        certificate=None if possible else weights,
        classes=extended.classes,
    )


def _single_rivals(members: Bools, against: Rivals) -> Bools:
    """The single classes that the set is compared with, one indicator per row."""
    each = np.eye(len(members), dtype=bool)
    if against == "members":
        return each[members]
    return each[(each != members).any(axis=1)]


def _against_all_sets(
    members: Bools, own: Floats, extended: Any
) -> tuple[Bools, Floats, GameValue]:
    """The game against all other sets, with rivals added until no other set does better.

    Returns the rivals that were needed, their costs and the solution.
    """
    n_classes = len(members)
    if n_classes > _MOST_CLASSES:
        raise ValueError(
            f"{n_classes} classes have 2**{n_classes} - 1 sets, too many to compare with (at most "
            f"{_MOST_CLASSES} classes): pass against='classes' or against='members'"
        )
    sets = PredictionSets.from_masks(subset_masks(n_classes), extended.classes).to_indicator()
    sets = sets[(sets != members).any(axis=1)]
    costs = extended.costs_of_members(sets)
    slack = _TOLERANCE / 10 * max(float(own.max()), float(costs.max()))
    active = np.arange(min(n_classes, len(sets)))  # the single classes come first
    while True:
        game = most_favourable(costs[active], own)
        expected = costs @ game.distribution
        best = int(expected.argmin())
        if expected[best] >= expected[active].min() - slack:
            return sets[active], costs[active], game
        active = np.append(active, best)
