"""Up to which strength the prediction of a naive credal classifier stays a single class.

The winner is the class that the model names in the limit of no prior.  It stays alone as long as it
dominates every other class, so the answer is the least, over the other classes, of the strengths at
which dominance ends (``_row_counts`` explains why these are well defined).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wager._tables import ROUNDING, Counts, row_blocks
from wager._typing import Bools, Floats, Ints
from wager.credal import decide
from wager.learners._base import TIE
from wager.learners._single_up_to import STRONGEST, first_root, largest_root, single_class
from wager.learners.naive._cost_dominance import CostDominance, LocalCostDominance
from wager.learners.naive._intervals import LocalModel, posterior_intervals
from wager.learners.naive._ratio import Dominance
from wager.learners.naive._row_counts import PairCountsOfRows, RowCountsByClass
from wager.learners.naive._variants import Conservative, Contaminated
from wager.predictions import TOLERANCE, ProbabilityIntervals

__all__ = ["IntervalStrengths", "dominance_strengths", "global_strengths"]

Solve = Callable[[PairCountsOfRows], Floats]
_NEAR_WITH_COSTS = 1e-9  # relative: closer to a tie the search over priors takes very long
_WIDTH = 4  # numbers per feature and pair of classes that are in memory at a time


def dominance_strengths(model: Any, codes: Ints) -> Floats:
    """The largest strength at which one class dominates all others, for each row.

    ``model`` is the dominance model of the classifier at a very small strength.
    """
    found = np.zeros(len(codes))
    K, m = len(model.counts.classes), codes.shape[1]
    for block in row_blocks(len(codes), _WIDTH * K * max(m, 1)):
        part = codes[block]
        alone, winner = single_class(model.undominated(part))
        rows = np.flatnonzero(alone)
        found[block][rows] = _of_winners(model, part[rows], winner[rows])
    return found


def _of_winners(model: Any, codes: Ints, winner: Ints) -> Floats:
    counts: Counts = model.counts
    match model:
        case CostDominance() | LocalCostDominance():
            return _by_pairs(winner, len(counts.classes), _with_costs(model, codes))
        case Conservative():
            return _by_pairs(winner, len(counts.classes), _over_completions(model, codes))
        case LocalModel():
            return _local(model, codes, winner)
        case Contaminated():
            return _flat(RowCountsByClass.of(counts, codes), winner, _contaminated(model))
        case Dominance() if model.floor > 0:
            return _flat(RowCountsByClass.of(counts, codes), winner, _floored(model.floor))
        case _:
            return global_strengths(RowCountsByClass.of(counts, codes), winner)


def global_strengths(counts: RowCountsByClass, winner: Ints) -> Floats:
    """The strengths at which the winner of each row stops to dominate, in the global model."""

    def margin(pairs: PairCountsOfRows, s: Floats) -> Floats:
        return pairs.log_infimum(s) - TIE

    def solve(pairs: PairCountsOfRows) -> Floats:
        return largest_root(lambda rows, s: margin(pairs.take(rows), s), len(pairs.class1))

    return _flat(counts, winner, solve, margin)


def _floored(floor: float) -> Solve:
    def solve(pairs: PairCountsOfRows) -> Floats:
        return first_root(
            lambda rows, s: pairs.take(rows).log_infimum(s, floor) - TIE,
            lambda rows, s: pairs.take(rows).steepest_fall(s),
            len(pairs.class1),
        )

    return solve


def _contaminated(model: Contaminated) -> Solve:
    n_values, K = model.counts.n_values, model.counts.n_classes
    epsilon = np.broadcast_to(model.epsilon, n_values.shape).astype(float)
    share = float(epsilon.mean()) if epsilon.size else float(np.mean(model.epsilon))

    def solve(pairs: PairCountsOfRows) -> Floats:
        def margin(rows: Ints, s: Floats) -> Floats:
            least = pairs.take(rows).contaminated_infimum(s, epsilon, n_values, K, share)
            return least - TIE

        return first_root(
            margin, lambda rows, s: pairs.take(rows).steepest_fall(s), len(pairs.class1)
        )

    return solve


def _flat(
    counts: RowCountsByClass,
    winner: Ints,
    solve: Solve,
    margin: Callable[[PairCountsOfRows, Floats], Floats] | None = None,
) -> Floats:
    """The least over the other classes, with all pairs of a row and a class solved together.

    With a ``margin`` that falls with s, the class that comes closest at s = 1 is solved first, and
    others only where their margin is not positive at its strength.
    """
    n, K = counts.n_class.shape
    rows, other = np.nonzero(np.arange(K) != winner[:, None])
    pairs = counts.pair(rows, winner[rows], other)
    if margin is None or K < 3 or not n:
        return solve(pairs).reshape(n, K - 1).min(axis=1, initial=np.inf)
    closest = margin(pairs, np.ones(len(rows))).reshape(n, K - 1).argmin(axis=1)
    first = np.arange(n) * (K - 1) + closest
    found = solve(pairs.take(first))
    with np.errstate(invalid="ignore"):
        closer = margin(pairs, np.minimum(found, STRONGEST)[rows]) <= 0
    closer[first] = False
    closer &= found[rows] > 0
    rest = np.flatnonzero(closer)
    np.minimum.at(found, rows[rest], solve(pairs.take(rest)))
    return found


Pair = tuple[int, int]


def _by_pairs(winner: Ints, n_classes: int, solve: Callable[[Ints, Pair], Floats]) -> Floats:
    """The least over the other classes, with the rows of each pair of classes solved together."""
    found = np.full(len(winner), np.inf)
    for first in np.unique(winner):
        rows = np.flatnonzero(winner == first)
        for second in range(n_classes):
            if second != first:
                found[rows] = np.minimum(found[rows], solve(rows, (int(first), second)))
    return found


def _with_costs(
    model: CostDominance | LocalCostDominance, codes: Ints
) -> Callable[[Ints, Pair], Floats]:
    def solve(rows: Ints, pair: Pair) -> Floats:
        d = model.differences(*pair)

        def margin(chosen: Ints, s: Floats) -> Floats:
            return np.where(model.dominates(codes[rows[chosen]], d, s), 1.0, -1.0)

        return largest_root(margin, len(rows), near=_NEAR_WITH_COSTS)

    return solve


def _over_completions(model: Conservative, codes: Ints) -> Callable[[Ints, Pair], Floats]:
    n = RowCountsByClass.of(model.counts, codes).n_value

    def solve(rows: Ints, pair: Pair) -> Floats:
        def margin(chosen: Ints, s: Floats) -> Floats:
            part = rows[chosen]
            return model.least_at(codes[part], n[part], pair, s) - TIE

        return largest_root(margin, len(rows))

    return solve


def _local(model: LocalModel, codes: Ints, winner: Ints) -> Floats:
    counts = RowCountsByClass.of(model.counts, codes)
    share = np.broadcast_to(model.epsilon, model.counts.n_values.shape).astype(float)

    def margin(rows: Ints, s: Floats) -> Floats:
        part = counts.take(rows)
        low, high = part.likelihoods(s, share, model.counts.n_values)
        with np.errstate(divide="ignore"):
            first = np.log(part.n_class) + low
            second = np.log(part.n_class + s[:, None]) + high
        return _lead(first, second, winner[rows]) - TIE

    return largest_root(margin, len(codes))


def _lead(first: Floats, second: Floats, winner: Ints) -> Floats:
    """How far the first value of the winner is above the largest second value of the others."""
    rows = np.arange(len(winner))
    others = second.copy()
    others[rows, winner] = -np.inf
    largest = others.max(axis=1, initial=-np.inf)
    with np.errstate(invalid="ignore"):  # there may be no other class
        return np.where(np.isneginf(largest), np.inf, first[rows, winner] - largest)


class IntervalStrengths:
    """Strengths up to which posterior intervals decide, for rows that are given as codes.

    Parameters
    ----------
    model : LocalModel
        The model behind the intervals.
    codes : ndarray of shape (n, m)
        The rows.
    classes : ndarray
        The labels, which costs are matched with.
    """

    def __init__(self, model: LocalModel, codes: Ints, classes: Any):
        self.counts = RowCountsByClass.of(model.counts, codes)
        self.share = np.broadcast_to(model.epsilon, model.counts.n_values.shape).astype(float)
        self.n_values = model.counts.n_values
        self.classes = classes

    def intervals(self, rows: Ints, s: Floats) -> ProbabilityIntervals:
        """The intervals of some rows, each with its strength."""
        part = self.counts.take(rows)
        low, high = part.likelihoods(s, self.share, self.n_values)
        bounds = posterior_intervals(low, high, part.n_class, s[:, None])
        return ProbabilityIntervals(*bounds, self.classes).tighten()

    def maximal(self, costs: Any) -> Floats:
        """The strengths up to which one class is maximal."""
        n = len(self.counts.n_class)

        def sets(rows: Ints, s: Floats) -> Bools:
            return decide(self.intervals(rows, s), "maximality", costs).to_indicator()

        _, winner = single_class(sets(np.arange(n), np.full(n, 1e-9)))

        def margin(rows: Ints, s: Floats) -> Floats:
            if costs is None:
                bounds = self.intervals(rows, s)
                return _lead(bounds.lower, bounds.upper, winner[rows]) - TOLERANCE
            return np.where(sets(rows, s).sum(axis=1) == 1, 1.0, -1.0)

        return largest_root(margin, n)

    def accepted(self, threshold: float, kept: Ints | None = None) -> Floats:
        """The strengths up to which the largest lower probability exceeds a threshold.

        With ``kept``, one class for each row, the lower probability of this class must exceed it.
        """

        def margin(rows: Ints, s: Floats) -> Floats:
            lower = self.intervals(rows, s).lower
            chosen = lower.max(axis=1) if kept is None else lower[np.arange(len(rows)), kept[rows]]
            return chosen - (threshold + ROUNDING)

        return largest_root(margin, len(self.counts.n_class))
