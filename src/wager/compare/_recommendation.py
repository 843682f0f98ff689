"""The recommendation of a comparison as one sentence: one classifier for everyone, or by u(0.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from wager.compare._break_even import BreakEven
from wager.compare._classifier_names import listed
from wager.compare._dominance import objective_winner
from wager.compare._outcome import Outcome
from wager.compare._quadratic_line import HIGH, LOW, quadratic_line
from wager.costs import ROUNDING
from wager.rewards import Tally, same_law


class Range(NamedTuple):
    """The classifier with the largest expected utility for u(0.5) from low to high."""

    name: str
    low: float
    high: float


@dataclass(frozen=True)
class PairwiseResults:
    """The results that a recommendation needs.

    Parameters
    ----------
    tallies : mapping of name to Tally
        The tally of each classifier.
    break_even, dominance : callable
        The results for two classifiers, given their names.
    alpha : float
        Level of a single dominance test.
    """

    tallies: Mapping[str, Tally]
    break_even: Callable[[str, str], BreakEven]
    dominance: Callable[[str, str], Outcome]
    alpha: float

    @property
    def names(self) -> Sequence[str]:
        """The names of the classifiers."""
        return tuple(self.tallies)

    def undecided(self, a: str, b: str) -> bool:
        """Whether the data distinguish the two for no u(0.5)."""
        interval = self.break_even(a, b).interval
        return interval is not None and interval[0] <= LOW and interval[1] >= HIGH


def best_ranges(tallies: Mapping[str, Tally]) -> list[Range]:
    """The best classifier for each u(0.5): the upper envelope of the classifiers' lines.

    Examples
    --------
    >>> sure = Tally.of([0, 1, 1, 0], [0, 1, 1, 1], classes=[0, 1])
    >>> vacuous = Tally.of([0, 1, 1, 0], [[0, 1]] * 4, classes=[0, 1])
    >>> best_ranges({"sure": sure, "vacuous": vacuous})
    [Range(name='sure', low=0.5, high=0.75), Range(name='vacuous', low=0.75, high=1.0)]
    """
    lines = {name: quadratic_line(tally) for name, tally in tallies.items()}

    def worth(name: str, q: float) -> float:
        intercept, slope = lines[name]
        return intercept + slope * q

    # in a tie at the start the steepest line is ahead immediately afterwards
    top = max(worth(name, LOW) for name in lines)
    level = [name for name in lines if worth(name, LOW) >= top - ROUNDING]
    best, start, found = max(level, key=lambda name: lines[name][1]), LOW, []
    while True:
        rivals = {
            name: (worth(best, start) - worth(name, start)) / (slope - lines[best][1]) + start
            for name, (_, slope) in lines.items()
            if slope > lines[best][1] + ROUNDING
        }
        end = min([HIGH, *rivals.values()])
        if end > start + ROUNDING:
            found.append(Range(best, start, end))
        if end >= HIGH - ROUNDING:
            return found
        passing = [name for name, q in rivals.items() if q <= end + ROUNDING]
        best, start = max(passing, key=lambda name: lines[name][1]), end


def recommend(found: PairwiseResults) -> str:
    """The classifier to take: for everyone averse or neutral to risk, or by u(0.5)."""
    first, *others = found.tallies.values()
    if all(same_law(first, other) for other in others):
        return f"take any: {listed(found.names)} earn the same for everyone"
    dominant = _for_everyone(found)
    if dominant is not None:
        return dominant
    ranges = best_ranges(found.tallies)
    if len(ranges) == 1:
        return _for_every_u(found, ranges[0].name)
    return _by_u(found, ranges)


def _for_everyone(found: PairwiseResults) -> str | None:
    """The sentence for a classifier that dominates all others, if there is one."""
    for name in found.names:
        others = [other for other in found.names if other != name]
        verdicts = [objective_winner(found.tallies[name], found.tallies[o]) for o in others]
        if "a" in verdicts and set(verdicts) <= {"a", "equal"}:
            beaten = [o for o, v in zip(others, verdicts, strict=True) if v == "a"]
            significant = all(found.dominance(name, o).p < found.alpha for o in beaten)
            words = (
                f"take {name}: everyone averse or neutral to risk prefers it to {listed(beaten)}"
            )
            return words if significant else f"{words} in this sample, but not significantly"
    return None


def _for_every_u(found: PairwiseResults, best: str) -> str:
    """One classifier is best for every u(0.5), but not for every risk-averse person."""
    others = [name for name in found.names if name != best]
    unclear = [name for name in others if found.undecided(best, name)]
    words = f"take {best}: best for every u(0.5) from 0.5 to 1"
    if unclear:
        words += f" in this sample, but the data do not distinguish it from {listed(unclear)}"
    return words


def _by_u(found: PairwiseResults, ranges: Sequence[Range]) -> str:
    """Different classifiers are best for different u(0.5)."""
    *_, last = ranges
    pieces = []
    for before, here in pairwise(ranges):
        interval = found.break_even(here.name, before.name).interval
        within = "" if interval is None else f" ({interval[0]:.2f}-{interval[1]:.2f})"
        pieces.append((before.name, f"{before.high:.2f}{within}"))
    if len(pieces) == 1:
        below, where = pieces[0]
        if found.undecided(last.name, below):
            return (
                f"the data do not decide between {last.name} and {below}: in this sample "
                f"{last.name} is better if u(0.5) is above {ranges[0].high:.2f}, {below} below"
            )
        return f"take {last.name} if u(0.5) is above {where}, {below} below"
    listing = ", ".join(f"{name} up to {where}" for name, where in pieces)
    return f"take the classifier for your u(0.5): {listing}, {last.name} above"
