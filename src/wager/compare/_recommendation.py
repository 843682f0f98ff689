"""The recommendation of a comparison as one sentence: it claims only what the tests support."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import NamedTuple

from wager._tables import ROUNDING, fields_html, fields_text
from wager.compare._break_even import BreakEven
from wager.compare._classifier_names import listed, listed_in_part
from wager.compare._decimals import decimals
from wager.compare._outcome import Outcome
from wager.compare._quadratic_line import HIGH, LOW, quadratic_line
from wager.rewards import Tally


class Range(NamedTuple):
    """The classifier with the largest expected utility for u(0.5) from low to high."""

    name: str
    low: float
    high: float

    def __repr__(self) -> str:
        return fields_text(self)

    def _repr_html_(self) -> str:
        return fields_html(self)


class Tested(NamedTuple):
    """An adjusted test of two classifiers; a positive effect favours the first."""

    p: float
    effect: float


@dataclass(frozen=True)
class PairwiseResults:
    """The results that a recommendation needs.

    Parameters
    ----------
    tallies : mapping of name to Tally
        The tally of each classifier.
    utilities : sequence of str
        The names of the utilities of the comparison.
    difference : callable
        The adjusted test of two classifiers under a utility, or by costs, given the three names;
        a positive effect favours the first.
    break_even, dominance : callable
        The results for two classifiers, given their names, at the same level.
    alpha : float
        The level of the report.
    costs : str, optional
        The name of the comparison by costs, if there is one.
    is_draw : callable
        Whether two classifiers earn, or cost, the same in every row, given their names and the
        criterion.
    """

    tallies: Mapping[str, Tally]
    utilities: Sequence[str]
    difference: Callable[[str, str, str], Outcome | Tested]
    break_even: Callable[[str, str], BreakEven]
    dominance: Callable[[str, str], Outcome]
    alpha: float
    costs: str | None = None
    is_draw: Callable[[str, str, str], bool] = lambda a, b, criterion: False

    @property
    def criteria(self) -> Sequence[str]:
        """By what the classifiers are compared: the utilities, and the costs."""
        return (*self.utilities, *([] if self.costs is None else [self.costs]))

    @property
    def names(self) -> Sequence[str]:
        """The names of the classifiers."""
        return tuple(self.tallies)

    def others(self, name: str) -> list[str]:
        """The other classifiers."""
        return [other for other in self.names if other != name]

    def in_order(self, a: str, b: str) -> tuple[str, str]:
        """The two in the order of the names, so that each pair is tested only once."""
        return (a, b) if self.names.index(a) < self.names.index(b) else (b, a)

    def beats(self, a: str, b: str) -> bool:
        """Whether a is significantly better than b under every utility and by the costs."""
        return all(self.better_by(criterion, a, b) for criterion in self.criteria)

    def better_by(self, criterion: str, a: str, b: str) -> bool:
        """Whether a is significantly better than b under one utility, or by the costs."""
        first, second = self.in_order(a, b)
        sign = 1 if a == first else -1
        found = self.difference(first, second, criterion)
        return bool(found.p < self.alpha and sign * found.effect > 0)

    def better_at(self, a: str, b: str, low: float, high: float) -> bool:
        """Whether a is significantly better than b for every u(0.5) from low to high."""
        first, second = self.in_order(a, b)
        wanted = 1 if a == first else -1
        decided = self.break_even(first, second).decided
        return any(start <= low and high <= end and side == wanted for start, end, side in decided)


def best_ranges(tallies: Mapping[str, Tally]) -> list[Range]:
    """The best classifier for each u(0.5): the upper envelope of the classifiers' lines.

    Examples
    --------
    >>> sure = Tally.of([0, 1, 1, 0], [0, 1, 1, 1], classes=[0, 1])
    >>> vacuous = Tally.of([0, 1, 1, 0], [[0, 1]] * 4, classes=[0, 1])
    >>> best_ranges({"sure": sure, "vacuous": vacuous})
    [Range(name='sure', low=0.5, high=0.75), Range(name='vacuous', low=0.75, high=1)]
    """
    lines = {name: quadratic_line(tally) for name, tally in tallies.items()}

    def worth(name: str, q: float) -> float:
        intercept, slope = lines[name]
        return intercept + slope * q

    def steepest(names: Sequence[str]) -> str:
        """The line that rises most; the first of those that rise alike."""
        most = max(lines[name][1] for name in names)
        return next(name for name in names if lines[name][1] >= most - ROUNDING)

    # in a tie at the start the steepest line is ahead immediately afterwards
    top = max(worth(name, LOW) for name in lines)
    level = [name for name in lines if worth(name, LOW) >= top - ROUNDING]
    best, start, found = steepest(level), LOW, []
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
        best, start = steepest(passing), end


def recommended(found: PairwiseResults) -> str | None:
    """The classifier that is significantly better than every other by every criterion."""
    for name in found.names:
        if all(found.beats(name, other) for other in found.others(name)):
            return name
    return None


def recommend(found: PairwiseResults) -> str:
    """The classifier to take: for everyone averse or neutral to risk, by u(0.5), or by costs."""
    best = recommended(found)
    if best is not None:
        return _take(found, best)
    if found.costs is None:
        return _by_utility(found)
    by_costs = _by_costs(found)
    return f"{_by_utility(found)}; by cost, {by_costs}" if found.utilities else by_costs


def verdict_by(criterion: str, found: PairwiseResults) -> str:
    """The classifier to take by one criterion, a utility or the costs, in a short sentence."""
    start, beats = f"under {criterion}", "scores higher"
    if criterion == found.costs:
        start, beats = "by cost", "costs less"
    best = _best_by(criterion, found)
    if best is not None:
        return f"{start}, take {best}: it {beats} than {listed_in_part(found.others(best))}"
    left = _unbeaten_by(criterion, found)
    if _differ(found, left, [criterion]):
        least = "costs least" if criterion == found.costs else "is best"
        return f"{start}, the data do not show which of {listed_in_part(left)} {least}"
    return f"{start}, the data do not distinguish {left[0]} from {listed_in_part(left[1:])}"


def _best_by(criterion: str, found: PairwiseResults) -> str | None:
    """The classifier that is significantly better than every other one by a criterion."""
    for name in found.names:
        if all(found.better_by(criterion, name, other) for other in found.others(name)):
            return name
    return None


def _unbeaten_by(criterion: str, found: PairwiseResults) -> Sequence[str]:
    """The classifiers that no other one beats by a criterion; all of them if that leaves one."""
    left = [
        name
        for name in found.names
        if not any(found.better_by(criterion, other, name) for other in found.others(name))
    ]
    return left if len(left) > 1 else found.names


def _by_costs(found: PairwiseResults) -> str:
    """The classifier that costs significantly less than every other one, if there is one."""
    assert found.costs is not None
    best = _best_by(found.costs, found)
    if best is not None:
        return f"take {best}: it costs less than {listed(found.others(best))}"
    left = _unbeaten_by(found.costs, found)
    if _are_draws(found, left, found.costs):
        return _take_any(left, "cost")
    if _differ(found, left, [found.costs]):
        return f"the data do not show which of {listed(left)} costs least: collect more rows"
    return f"the data do not distinguish {_apart(left)}: collect more rows"


def _are_draws(found: PairwiseResults, names: Sequence[str], criterion: str) -> bool:
    """Whether these classifiers earn, or cost, the same in every row."""
    return all(found.is_draw(*found.in_order(names[0], name), criterion) for name in names[1:])


def _take_any(names: Sequence[str], verb: str) -> str:
    """The advice about classifiers between which more rows decide nothing."""
    return f"{listed(names)} {verb} the same in every row: take {_any_of(names)}"


def _any_of(names: Sequence[str]) -> str:
    return "either" if len(names) == 2 else "any"


def _by_utility(found: PairwiseResults) -> str:
    """The classifier to take for each u(0.5), as far as the data support it."""
    supported = supported_ranges(found)
    if not supported:
        left = _best_of(found)
        if _are_draws(found, left, found.utilities[0]):
            return _take_any(left, "earn")
        if _are_decided(found, left) or _differ(found, left, found.utilities):
            which = f"which of {listed(left)} is best"
            return f"for no u(0.5) do the data show {which}: collect more rows"
        either = _any_of(left)
        return f"the data do not distinguish {_apart(left)}: collect more rows, or take {either}"
    pieces = []
    for name, low, high in supported:
        digits = decimals((LOW, low), (low, high), (high, HIGH))  # an end is not shown as 0.5 or 1
        start, end = f"{low:.{digits}f}", f"{high:.{digits}f}"
        if low <= LOW and high >= HIGH:
            where = "every u(0.5) from 0.5 to 1"
        elif low <= LOW:
            where = f"u(0.5) below {end}"
        elif high >= HIGH:
            where = f"u(0.5) above {start}"
        else:
            where = f"u(0.5) from {start} to {end}"
        pieces.append(f"{name} for {where}")
    sentence = f"take {', '.join(pieces)}"
    gap = sum(high - low for _, low, high in supported) < HIGH - LOW - 1e-6
    return (
        f"{sentence}; otherwise the data do not distinguish the best of them" if gap else sentence
    )


def _take(found: PairwiseResults, best: str) -> str:
    others = found.others(best)
    if not found.utilities:
        return f"take {best}: it costs less than {listed(others)}"
    too = "" if found.costs is None else ", and costs less"
    verdicts = [found.dominance(best, other) for other in others]
    if all(v.details["winner"] == "a" and v.p < found.alpha for v in verdicts):
        everyone = f"everyone averse or neutral to risk prefers it to {listed(others)}"
        return f"take {best}: {everyone}{too and ', and it costs less'}"
    under = f"under {listed(found.utilities)}"
    return f"take {best}: it scores higher than {listed(others)} {under}{too}"


def _best_of(found: PairwiseResults, low: float = LOW, high: float = HIGH) -> Sequence[str]:
    """The classifiers that no other one beats for every u(0.5) from low to high."""
    left = [
        name
        for name in found.names
        if not any(found.better_at(other, name, low, high) for other in found.others(name))
    ]
    return left if len(left) > 1 else found.names


def _are_decided(
    found: PairwiseResults, names: Sequence[str], low: float = LOW, high: float = HIGH
) -> bool:
    """Whether two of these classifiers differ significantly for some u(0.5) from low to high."""
    return any(
        start <= high and low <= end
        for a, b in combinations(names, 2)
        for start, end, _ in found.break_even(a, b).decided
    )


def _differ(found: PairwiseResults, names: Sequence[str], criteria: Sequence[str]) -> bool:
    """Whether two of these classifiers differ significantly by one of these criteria."""
    return any(
        found.difference(a, b, criterion).p < found.alpha
        for a, b in combinations(names, 2)
        for criterion in criteria
    )


def _apart(names: Sequence[str]) -> str:
    """The classifiers that are not distinguished: the first one from the others."""
    return f"{names[0]} from {listed(names[1:])}"


def supported_ranges(found: PairwiseResults) -> list[Range]:
    """Where one classifier is significantly better than all others, by u(0.5).

    The ends of the parts in which a pair is decided divide the range into pieces within which no
    verdict changes.
    """
    edges = {LOW, HIGH}
    for i, a in enumerate(found.names):
        for b in found.names[i + 1 :]:
            edges |= {end for part in found.break_even(a, b).decided for end in part[:2]}
    ranges: list[Range] = []
    for low, high in pairwise(sorted(edges)):
        middle = (low + high) / 2
        for name in found.names:
            if all(found.better_at(name, o, middle, middle) for o in found.others(name)):
                if ranges and ranges[-1].name == name and ranges[-1].high == low:
                    ranges[-1] = Range(name, ranges[-1].low, high)
                else:
                    ranges.append(Range(name, low, high))
    return ranges


def recommend_for(found: PairwiseResults, interval: tuple[float, float], utility: str) -> str:
    """The classifier to take for a user whose u(0.5) is known up to an interval.

    Parameters
    ----------
    found : PairwiseResults
        The comparison.
    interval : pair of float
        The interval of u(0.5) that the user's answers support.
    utility : str
        The name of the user's utility.
    """
    low, high = (min(max(end, LOW), HIGH) for end in interval)
    shown = "-".join(f"{end:.{decimals(interval)}f}" for end in interval)
    who = f"for the user of {utility} (u(0.5) {shown})"
    for name in found.names:
        if all(found.better_at(name, other, low, high) for other in found.others(name)):
            return f"{who}: take {name}"
    left = _best_of(found, low, high)
    if _are_decided(found, left, low, high) or _differ(found, left, [utility]):
        return f"{who}: the data do not show which of {listed(left)} is best"
    return f"{who}: the data do not distinguish {_apart(left)}"
