"""Why nested dichotomies keep the classes that they keep: where two of them part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from wager._tables import Table
from wager.learners._explain import SHOWN, SetExplanation, shown_label, shown_number

__all__ = ["Dichotomy", "DichotomyExplanation"]

_SAME = 1e-9  # probabilities and costs this close are not said to differ


@dataclass(frozen=True)
class Dichotomy:
    """One two-class problem of a row: whether its class is in one group or in another.

    Attributes
    ----------
    left, right : tuple
        The classes on either side.
    lower, upper : float
        Bounds of the probability of the left side, given that the class is on one of them.
    trees : int
        How many trees have this dichotomy; 1 without a forest.
    if_left, if_right : tuple
        The classes that would remain if it were decided for a side, with all others unchanged.
    """

    left: tuple[Any, ...]
    right: tuple[Any, ...]
    lower: float
    upper: float
    trees: int
    if_left: tuple[Any, ...]
    if_right: tuple[Any, ...]

    def parts(self, first: Any, second: Any) -> bool:
        """Whether two classes are on different sides."""
        return (first in self.left and second in self.right) or (
            first in self.right and second in self.left
        )


@dataclass(frozen=True, repr=False)
class DichotomyExplanation(SetExplanation):
    """Why a row has its predicted set, by the dichotomies that separate the classes.

    ``pair`` has the class of the set that seems best, and the class (of the set, if it has several)
    that it is closest to not dominating.  ``s`` and ``robustness`` are NaN if the classifier at the
    splits has a strength of its own.

    Attributes
    ----------
    margin : float
        By how much the probability of the first class of the pair exceeds that of the second at
        least, or with costs by how much less it costs: the lower expectation of the difference, on
        average over the trees of a forest.
    dominating, trees : int
        In how many trees the first class dominates the second, and the number of trees.
    dichotomies : tuple of Dichotomy
        From the root on, or in the order of the classes; of a forest, those that separate the pair,
        the most frequent ones first.
    with_costs : bool
        Whether classes are compared by costs instead of probabilities.
    votes : bool
        Whether the trees of a forest vote.
    in_a_cycle : bool
        Whether all classes remain since the votes rule out every class.
    """

    margin: float
    dominating: int
    trees: int
    dichotomies: tuple[Dichotomy, ...]
    with_costs: bool
    votes: bool
    in_a_cycle: bool

    @property
    def decisive(self) -> Dichotomy:
        """The dichotomy where the classes of the pair part; of several the most undecided one.

        In a forest the most frequent one of them.
        """
        known = [one for one in self.dichotomies if one.parts(*self.pair)]
        return max(known, key=lambda one: (one.trees, min(one.upper, 1 - one.lower)))

    def is_undecided(self, dichotomy: Dichotomy) -> bool:
        """Whether both sides of a dichotomy have classes that remain."""
        kept = set(self.kept)
        return not (kept.isdisjoint(dichotomy.left) or kept.isdisjoint(dichotomy.right))

    def _sentences(self) -> list[str]:
        said = super()._sentences()
        if not self.pair or not isnan(self.robustness):
            return said
        if len(self.kept) > 1:
            said[0] = f"The classes {_listed(self.kept, len(self.kept))} remain."
        return said[:-1]  # nothing is known about other strengths

    def _why_alone(self) -> list[str]:
        first, second = map(shown_label, self.pair)
        said = f"The prediction is {first} alone. It dominates the closest rival {second}"
        said += f"{self._compared()}"
        if self.votes and 2 * self.dominating <= self.trees:  # votes need not be transitive
            said += f"; another class rules {second} out"
        return [f"{said}.", *self._where()]

    def _why_several(self) -> list[str]:
        first, second = map(shown_label, self.pair)
        does = "dominates" if self.votes else "does not dominate"
        said = [f"{first} {does} {second}{self._compared()}."]
        if self.in_a_cycle:
            said.append("The votes form a cycle: each class is ruled out by another, so all stay.")
        return [*said, *self._where()]

    def _compared(self) -> str:
        """How the first class of the pair compares with the second."""
        if self.votes:
            enough = "more" if 2 * self.dominating > self.trees else "not more"
            return f" in {self.dominating} of {self.trees} trees, {enough} than half"
        amount = shown_number(abs(self.margin))
        what, good, bad = (
            ("expected cost", "lower", "higher")
            if self.with_costs
            else ("probability", "higher", "lower")
        )
        if len(self.kept) == 1:
            said = f"its {what} is {good} by at least {amount}"
        elif abs(self.margin) <= _SAME:
            said = f"its {what} may be the same"
        else:
            said = f"its {what} may be {bad}, by up to {amount}"
        return f": on average over {self.trees} trees, {said}" if self.trees > 1 else f": {said}"

    def _where(self) -> list[str]:
        """Where the pair parts, and what a decision there would change."""
        one = self.decisive
        ours, theirs = one.left, one.right
        low, high, so, other = one.lower, one.upper, one.if_left, one.if_right
        if self.pair[0] in theirs:
            ours, theirs, low, high, so, other = theirs, ours, 1 - high, 1 - low, other, so
        often = f", in {one.trees} of {self.trees} trees" if self.trees > 1 else ""
        side = "it" if len(ours) == 1 else "the first side"
        said = [
            f"They part at the dichotomy {_either(ours)} against {_either(theirs)}{often}: "
            f"{side} has a probability between {shown_number(low)} and {shown_number(high)} there."
        ]
        if so == other:
            said.append(f"Decided for either side, it would leave {_left(so)}.")
        else:
            said.append(
                f"Decided for {_either(ours)}, it would leave {_left(so)}; decided for "
                f"{_either(theirs)}, {_left(other)}."
            )
        if self.trees == 1:
            said += self._also_undecided(one)
        return said

    def _also_undecided(self, decisive: Dichotomy) -> list[str]:
        """The other dichotomies with classes that remain on both sides."""
        known = [one for one in self.dichotomies if self.is_undecided(one) and one is not decisive]
        if not known:
            return []
        shown = known if len(known) <= SHOWN else known[: SHOWN - 1]
        parts = [
            f"{_either(one.left)} ({shown_number(one.lower)} to {shown_number(one.upper)}) against "
            f"{_either(one.right)}"
            for one in shown
        ]
        rest = f"; and {len(known) - len(shown)} more" if len(shown) < len(known) else ""
        return [f"Also undecided: {'; '.join(parts)}{rest}."]

    def _table(self) -> Table:
        forest = self.trees > 1
        header = ["dichotomy", "against", "lower", "upper"]
        header += [*(["trees"] if forest else []), "if so", "if not"]
        rows = [
            [
                _listed(one.left),
                _listed(one.right),
                f"{one.lower:.3f}",
                f"{one.upper:.3f}",
                *([str(one.trees)] if forest else []),
                _listed(one.if_left),
                _listed(one.if_right),
            ]
            for one in self.dichotomies
        ]
        return Table(header, rows, "<<>>" + ">" * forest + "<<")


def _listed(labels: Sequence[Any], most: int = SHOWN, between: str = ", ") -> str:
    """Classes in words, the first ones of many."""
    shown = labels if len(labels) <= most + 1 else labels[:most]
    names = [shown_label(label) for label in shown]
    if len(shown) < len(labels):
        names.append(f"{len(labels) - len(shown)} more")
    return between.join(names)


def _either(labels: Sequence[Any]) -> str:
    """The classes of one side in words.

    Examples
    --------
    >>> _either(("a", "b")), _either(range(9))
    ("'a' or 'b'", '0 or 1 or 2 or 3 or 5 more')
    """
    return _listed(labels, between=" or ")


def _left(labels: Sequence[Any]) -> str:
    return f"{_listed(labels)} alone" if len(labels) == 1 else f"the classes {_listed(labels)}"
