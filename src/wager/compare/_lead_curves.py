"""The lead of one classifier over another along a family of decision makers.

A lead curve gives, for any value of the family's parameter, by how much the first classifier is
better than the second, and the standard error of that difference.  It is computed from joint
counts: of sizes and hits for a family of utilities, of sets and true classes for a family of costs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from wager._typing import Floats
from wager.compare._cost_families import extended_at, over_costs
from wager.compare._paired_costs import PairedCosts
from wager.compare._utility_families import Family
from wager.costs import CostMatrix
from wager.rewards import PairedTally, Tally


class LeadCurve(NamedTuple):
    """The lead of the first classifier along a parameter with its standard error; the rows."""

    at: Callable[[Floats], tuple[Floats, Floats]]
    n: float


def utility_lead(a: PairedTally | Tally, b: Tally | None, family: Family) -> LeadCurve:
    """The lead in expected utility, on the same rows or on different ones."""
    if isinstance(a, PairedTally):
        a.a.require_rows()
        size_a, hit_a, size_b, hit_b = a.outcomes.T
        first, second = np.where(hit_a, size_a, 0), np.where(hit_b, size_b, 0)
        share, n, K = a.counts / a.n, a.effective_n, a.n_classes

        def paired(points: Floats) -> tuple[Floats, Floats]:
            worth = _worth(family, points, K)
            return _mean_and_error(worth[:, first] - worth[:, second], share, n)

        return LeadCurve(paired, n)
    assert b is not None
    tallies = (a, b)

    def unpaired(points: Floats) -> tuple[Floats, Floats]:
        lead, square = np.zeros(len(points)), np.zeros(len(points))
        for sign, tally in zip((1, -1), tallies, strict=True):
            size, hit, count = tally.cells
            worth = _worth(family, points, tally.n_classes)[:, np.where(hit, size, 0)]
            mean, error = _mean_and_error(worth, count / tally.n, tally.effective_n)
            lead += sign * mean
            square += error**2
        return lead, np.sqrt(square)

    return LeadCurve(unpaired, min(a.effective_n, b.effective_n))


def cost_lead(
    paired: PairedCosts, family: str, costs: CostMatrix, options: Mapping[str, Any]
) -> LeadCurve:
    """The lead in average cost: how much more the second costs than the first."""
    options = dict(options)
    empty_cost = options.pop("empty_cost", None)
    sets_a, truth = over_costs(costs, paired.sets_a, paired.truth)
    sets_b, _ = over_costs(costs, paired.sets_b, paired.truth)
    share = paired.counts / paired.n
    n = paired.effective_n

    def lead(points: Floats) -> tuple[Floats, Floats]:
        extended = [extended_at(costs, family, value, options) for value in points]
        gaps = [e.at(sets_b, truth, empty_cost) - e.at(sets_a, truth, empty_cost) for e in extended]
        return _mean_and_error(np.array(gaps), share, n)

    return LeadCurve(lead, n)


def _worth(family: Family, points: Floats, n_classes: int) -> Floats:
    """The utility of a miss and of hits with 1..K classes (columns) at each parameter (rows)."""
    sizes = np.arange(n_classes + 1)
    return np.stack([family.utility(float(value)).of_size(sizes) for value in points])


def _mean_and_error(values: Floats, share: Floats, n: float) -> tuple[Floats, Floats]:
    mean = values @ share
    spread = np.maximum((values - mean[:, None]) ** 2 @ share, 0)
    return mean, np.zeros_like(mean) if np.isnan(n) else np.sqrt(spread / max(n - 1, 1))
