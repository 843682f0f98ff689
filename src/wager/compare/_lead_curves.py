"""The lead of one classifier over another along a family of decision makers.

A lead curve gives, for any value of the family's parameter, by how much the first classifier is
better than the second, and the p-value of the hypothesis that both are equally good there.  It is
computed from joint counts: of sizes and hits for a family of utilities, of sets and true classes
for a family of costs; or from two tallies that were counted on different rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from wager._tables import ROUNDING, require_kind
from wager._typing import Floats
from wager.compare._cost_families import extended_at, over_costs
from wager.compare._paired_costs import PairedCosts
from wager.compare._simultaneous import curve_length
from wager.compare._unpaired import Means, difference_interval
from wager.compare._utility_families import Family
from wager.costs import CostMatrix, cost_ranges
from wager.rewards import CellSums, PairedTally, Tally, mean_p_values

_NO_VARIATION = 1e-26  # a relative variance that is a rounding error
_SAME = 1e-9  # two known means that differ by less are the same at a crossing


class TestedCurve(ABC):
    """A mean along a parameter, with a test of the hypothesis that it is 0 at some value."""

    @abstractmethod
    def lead(self, points: Floats) -> Floats:
        """The mean at some values of the parameter; exactly 0 if it is 0 except for rounding."""

    @abstractmethod
    def excess(self, points: Floats, level: float) -> Floats:
        """By how much a two-sided test of level 1 - `level` rejects equality; else not positive.

        The excess is a continuous function of the point, for finding where it is 0.
        """


class LeadCurve(TestedCurve):
    """The lead of the first classifier along a family of decision makers."""

    @abstractmethod
    def length(self, points: Floats) -> float:
        """The length of the curve of standardised leads, for simultaneous statements."""

    @abstractmethod
    def is_zero(self, points: Floats) -> bool:
        """Whether every row is a draw, at all of these values."""


# points to differences of cells, their range, and the size of what is subtracted
Gaps = Callable[[Floats], tuple[Floats, Floats, Floats]]


@dataclass(frozen=True, eq=False)
class PairedLead(LeadCurve):
    """The lead on the same rows.

    Parameters
    ----------
    gaps : callable
        The difference of each joint outcome at some points, (m, J), and at each point, (m,), the
        largest possible difference and the largest number of which a difference is taken.
    sums : CellSums
        The totals of the J outcomes.
    """

    gaps: Gaps
    sums: CellSums

    def lead(self, points: Floats) -> Floats:
        """The mean difference at each point."""
        gaps, _, size = self.gaps(points)
        return without_rounding(gaps @ (self.sums.totals / self.sums.n), size)

    def excess(self, points: Floats, level: float) -> Floats:
        """By the test of `PairedTally.difference` at each point."""
        gaps, largest, _ = self.gaps(points)
        return excess_of(mean_p_values(gaps, self.sums, -largest, largest), level)

    def length(self, points: Floats) -> float:
        """From the standardised leads at neighbouring points."""
        gaps, *_ = self.gaps(points)
        deviation = _Deviations.of(gaps, self.sums)
        return curve_length(_chords([deviation]))

    def is_zero(self, points: Floats) -> bool:
        """Whether no joint outcome has a difference."""
        gaps, _, size = self.gaps(points)
        return bool((np.abs(gaps) <= ROUNDING * np.maximum(size, 1e-300)[:, None]).all())


@dataclass(frozen=True, eq=False)
class UnpairedLead(LeadCurve):
    """The lead of a classifier over another one that was scored on different rows.

    Parameters
    ----------
    worth : callable
        The utilities of a miss and of hits with 1, ..., K classes at some points, (m, K + 1).
    tallies : pair of Tally
        The tallies of both.
    """

    worth: Callable[[Floats, int], Floats]
    tallies: tuple[Tally, Tally]

    def _means(self, points: Floats) -> tuple[Means, Means]:
        first, second = (Means.of(self.worth(points, t.n_classes), t) for t in self.tallies)
        return first, second

    def lead(self, points: Floats) -> Floats:
        """The difference of the two means at each point."""
        first, second = self._means(points)
        return without_rounding(first.mean - second.mean, 1.0)

    def excess(self, points: Floats, level: float) -> Floats:
        """By the interval of the difference of two means."""
        low, high = difference_interval(*self._means(points), level)
        beyond = np.where(self.lead(points) > 0, low, -high)
        return np.where(np.abs(self.lead(points)) <= _SAME, -_SAME, beyond)

    def length(self, points: Floats) -> float:
        """From the standardised leads at neighbouring points."""
        both = [_Deviations.of(m.values, m.sums) for m in self._means(points) if not m.sums.is_law]
        return curve_length(_chords(both)) if both else 0.0

    def is_zero(self, points: Floats) -> bool:
        """Whether both earn the same at all points; never known from samples."""
        known = all(tally.sums.is_law for tally in self.tallies)
        return known and bool((np.abs(self.lead(points)) <= ROUNDING).all())


def without_rounding(lead: Floats, size: Floats | float) -> Floats:
    """The leads, 0 where they are rounding errors beside the size of what is subtracted."""
    return np.where(np.abs(lead) <= ROUNDING * size, 0.0, lead)


def excess_of(p: Floats, level: float) -> Floats:
    """By how much tests of level 1 - `level` reject, on the scale of log p."""
    return np.log(1 - level) - np.log(np.maximum(p, 1e-300))


class _Deviations(NamedTuple):
    """Deviations of cells from means, per row, with what decides whether they vary at all."""

    values: Floats  # (m, J)
    sums: CellSums
    largest: Floats  # (m,) the variance of the largest value, if all units had it

    @classmethod
    def of(cls, values: Floats, sums: CellSums) -> _Deviations:
        """The deviations of the means of values of cells, one mean per row."""
        n = float(sums.n)
        centred = values - (values @ (sums.totals / sums.n))[:, None]
        whole = float(sums.square(np.ones((1, len(sums.totals))))[0])
        return cls(centred / n, sums, np.abs(values).max(axis=1) ** 2 * whole / n**2)


def _chords(parts: Sequence[_Deviations]) -> Floats:
    """The distances of neighbouring points on the sphere of standardised means."""
    own = sum(part.sums.square(part.values) for part in parts)
    largest = sum(part.largest for part in parts)
    varies = own > _NO_VARIATION * largest  # rows that do not vary do not turn the curve
    spread = np.sqrt(np.where(varies, own, 1.0))[:, None]
    square = np.zeros(len(spread) - 1)
    for part in parts:
        unit = part.values / spread
        square += part.sums.square(unit[1:] - unit[:-1])
    return np.sqrt(np.where(varies[1:] & varies[:-1], np.maximum(square, 0.0), 0.0))


def utility_lead(a: PairedTally | Tally, b: Tally | None, family: Family) -> LeadCurve:
    """The lead in expected utility, on the same rows or on different ones."""
    if isinstance(a, PairedTally):
        a.a.require_rows()

        def gaps(points: Floats) -> tuple[Floats, Floats, Floats]:
            found, largest = a.gaps(_worth(family, points, a.n_classes))
            return found, largest, largest

        return PairedLead(gaps, a.sums)
    require_kind(a, "a", Tally)
    require_kind(b, "b", Tally)
    assert b is not None
    a.require_rows()
    b.require_rows()
    return UnpairedLead(lambda points, K: _worth(family, points, K), (a, b))


def cost_lead(
    paired: PairedCosts, family: str, costs: CostMatrix, options: Mapping[str, Any]
) -> LeadCurve:
    """The lead in average cost: how much more the second costs than the first."""
    options = dict(options)
    empty_cost = options.pop("empty_cost", None)
    paired.require_priced(empty_cost)
    sets_a, truth = over_costs(costs, paired.sets_a, paired.truth)
    sets_b, _ = over_costs(costs, paired.sets_b, paired.truth)

    def gaps(points: Floats) -> tuple[Floats, Floats, Floats]:
        rows, largest, size = [], [], []
        for value in points:
            extended = extended_at(costs, family, value, options)
            a, b = (extended.at(sets, truth, empty_cost) for sets in (sets_a, sets_b))
            rows.append(b - a)
            ranges = cost_ranges(extended, empty_cost)
            largest.append(float((ranges[:, 1] - ranges[:, 0]).max()))
            size.append(float(np.abs([a, b]).max(initial=0.0)))
        return np.array(rows), np.array(largest), np.array(size)

    return PairedLead(gaps, paired.sums)


def _worth(family: Family, points: Floats, n_classes: int) -> Floats:
    """The utility of a miss and of hits with 1..K classes (columns) at each parameter (rows)."""
    if family.is_linear:
        (low, high), (at_low, at_high) = family.ends, _worth_at_ends(family, n_classes)
        return at_low + np.outer((points - low) / (high - low), at_high - at_low)
    sizes = np.arange(n_classes + 1)
    return np.stack([family.utility(float(value)).of_size(sizes) for value in points])


@lru_cache(maxsize=64)
def _worth_at_ends(family: Family, n_classes: int) -> tuple[Floats, Floats]:
    """The utilities at both ends of the range, between which those of a linear family lie."""
    sizes = np.arange(n_classes + 1)
    low, high = (family.utility(end).of_size(sizes) for end in family.ends)
    return low, high
