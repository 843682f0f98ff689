"""Which classifier to take, in one sentence: for everyone, or for whom."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from wager.compare._break_even import HIGH, LOW, quadratic_line
from wager.compare._dominance import objective_winner
from wager.compare._names import listed
from wager.rewards import Tally, same_law

if TYPE_CHECKING:
    from wager.compare._head_to_head import HeadToHead

_SAME = 1e-12


class Range(NamedTuple):
    """The classifier that earns most for u(0.5) from low to high."""

    name: str
    low: float
    high: float


def best_ranges(tallies: Mapping[str, Tally]) -> list[Range]:
    """Who earns most along u(0.5), exactly: the upper envelope of the classifiers' lines.

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

    # of those that are level at the start, the steepest is ahead at once
    top = max(worth(name, LOW) for name in lines)
    level = [name for name in lines if worth(name, LOW) >= top - _SAME]
    best, start, found = max(level, key=lambda name: lines[name][1]), LOW, []
    while True:
        rivals = {
            name: (worth(best, start) - worth(name, start)) / (slope - lines[best][1]) + start
            for name, (_, slope) in lines.items()
            if slope > lines[best][1] + _SAME
        }
        end = min([HIGH, *rivals.values()])
        if end > start + _SAME:
            found.append(Range(best, start, end))
        if end >= HIGH - _SAME:
            return found
        passing = [name for name, q in rivals.items() if q <= end + _SAME]
        best, start = max(passing, key=lambda name: lines[name][1]), end


def recommend(found: HeadToHead) -> str:
    """The classifier to take: for everybody averse to risk, or by u(0.5)."""
    tallies = found.tallies
    first = found.names[0]
    if all(same_law(tallies[first], tallies[name]) for name in found.names[1:]):
        return f"take any: {listed(found.names)} earn the same for everyone"
    everyones = _for_everyone(found)
    if everyones is not None:
        return everyones
    ranges = found.best_ranges
    if len(ranges) == 1:
        return _throughout(found, ranges[0].name)
    *_, last = ranges
    pieces = []
    for before, here in pairwise(ranges):
        even = found.break_even(here.name, before.name)
        sure = "" if even.interval is None else f" ({even.interval[0]:.2f}-{even.interval[1]:.2f})"
        pieces.append((before.name, f"{before.high:.2f}{sure}"))
    if len(pieces) == 1:
        below, where = pieces[0]
        if _undecided(found, last.name, below):
            return (
                f"the data do not decide between {last.name} and {below}: in this sample "
                f"{last.name} is better if u(0.5) is above {ranges[0].high:.2f}, {below} below"
            )
        return f"take {last.name} if u(0.5) is above {where}, {below} below"
    said = ", ".join(f"{name} up to {where}" for name, where in pieces)
    return f"take by your u(0.5): {said}, {last.name} beyond"


def _for_everyone(found: HeadToHead) -> str | None:
    """The objective winner over all others, if there is one."""
    for name in found.names:
        others = [other for other in found.names if other != name]
        verdicts = [objective_winner(found.tallies[name], found.tallies[o]) for o in others]
        if "a" in verdicts and set(verdicts) <= {"a", "equal"}:
            beaten = [o for o, v in zip(others, verdicts, strict=True) if v == "a"]
            surely = all(found.dominance(name, o).p < 1 - found.level for o in beaten)
            who = f"{name}: everyone averse or neutral to risk prefers it to {listed(beaten)}"
            return f"take {who}" if surely else f"take {who} in this sample, though not surely"
    return None


def _throughout(found: HeadToHead, best: str) -> str:
    """One classifier is best for every u(0.5), though not for every risk-averse person."""
    others = [name for name in found.names if name != best]
    unsure = [name for name in others if _undecided(found, best, name)]
    said = f"take {best}: best for every u(0.5) from 0.5 to 1"
    if unsure:
        said += f" in this sample, though the data do not tell it from {listed(unsure)}"
    return said


def _undecided(found: HeadToHead, a: str, b: str) -> bool:
    interval = found.break_even(a, b).interval
    return interval is not None and interval[0] <= LOW and interval[1] >= HIGH
