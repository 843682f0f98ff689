"""How far apart two classifiers are along a family of decision makers.

A gap says, at any value of the family's parameter, by how much the first classifier is better than
the second, and the standard error of that.  It is read off joint counts: of sizes and hits where
utilities are the family, of sets and truths where it is one of costs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wager._typing import Array, ArrayLike, Floats, Ints
from wager.compare._cost_risk import extended_at, over
from wager.compare._risk import Family
from wager.costs import CostMatrix
from wager.predictions import PredictionSets
from wager.rewards import PairedTally, Tally, read_rows, shared_classes


class Gap(NamedTuple):
    """The lead of the first classifier along a parameter, its standard error, and the rows."""

    at: Callable[[Floats], tuple[Floats, Floats]]
    n: float


@dataclass(frozen=True, eq=False)
class PairedCosts:
    """Joint counts of the sets of two classifiers and the true class, on the same rows.

    They are to costs what a `PairedTally` is to utilities: all that a break-even point along a
    family of costs needs to know.

    Examples
    --------
    >>> y = ["a", "b", "b"]
    >>> paired = PairedCosts.of(y, [["a", "b"], ["b"], ["b"]], ["a", "a", "b"])
    >>> len(paired.counts), paired.n
    (3, 3)
    """

    sets_a: PredictionSets
    sets_b: PredictionSets
    truth: Ints
    counts: Array
    weight_squares: float

    @classmethod
    def of(
        cls,
        y_true: ArrayLike,
        pred_a: Any,
        pred_b: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> PairedCosts:
        """Count the rows by both predicted sets and the truth."""
        classes = shared_classes(y_true, pred_a, pred_b, classes)
        rows = read_rows(y_true, pred_a, classes, sample_weight)
        other = read_rows(y_true, pred_b, classes)
        codes = rows.codes.astype(np.uint64)[:, None]
        joint = np.hstack([rows.sets.words, other.sets.words, codes])
        distinct, place = np.unique(joint, axis=0, return_inverse=True)
        counts = np.bincount(place.ravel(), weights=rows.weights)
        if rows.weights is None or rows.weights.dtype.kind != "f":
            counts = counts.astype(np.int64)
        width = rows.sets.words.shape[1]
        names = rows.sets.classes
        return cls(
            PredictionSets(distinct[:, :width], names),
            PredictionSets(distinct[:, width:-1], names),
            distinct[:, -1].astype(np.intp),
            counts,
            rows.weight_squares,
        )

    @property
    def n(self) -> float:
        """The number of rows, or their total weight."""
        return self.counts.sum().item()


def utility_gap(a: PairedTally | Tally, b: Tally | None, family: Family) -> Gap:
    """The lead in expected utility, of both on the same rows or of two on different ones."""
    if isinstance(a, PairedTally):
        a.a.require_rows()
        size_a, hit_a, size_b, hit_b = a.outcomes.T
        first, second = np.where(hit_a, size_a, 0), np.where(hit_b, size_b, 0)
        share, n, K = a.counts / a.n, a.effective_n, a.n_classes

        def paired(points: Floats) -> tuple[Floats, Floats]:
            worth = _worth(family, points, K)
            return _mean_and_error(worth[:, first] - worth[:, second], share, n)

        return Gap(paired, n)
    assert b is not None
    tallies = (a, b)

    def apart(points: Floats) -> tuple[Floats, Floats]:
        lead, square = np.zeros(len(points)), np.zeros(len(points))
        for sign, tally in zip((1, -1), tallies, strict=True):
            size, hit, count = tally.cells
            worth = _worth(family, points, tally.n_classes)[:, np.where(hit, size, 0)]
            mean, error = _mean_and_error(worth, count / tally.n, tally.effective_n)
            lead += sign * mean
            square += error**2
        return lead, np.sqrt(square)

    return Gap(apart, min(a.effective_n, b.effective_n))


def cost_gap(
    paired: PairedCosts, family: str, costs: CostMatrix, options: Mapping[str, Any]
) -> Gap:
    """The lead in average cost: what the second costs more than the first."""
    options = dict(options)
    empty_cost = options.pop("empty_cost", None)
    sets_a, truth = over(costs, paired.sets_a, paired.truth)
    sets_b, _ = over(costs, paired.sets_b, paired.truth)
    share = paired.counts / paired.n
    whole = paired.counts.dtype.kind != "f"
    n = paired.n if whole else paired.n**2 / paired.weight_squares

    def lead(points: Floats) -> tuple[Floats, Floats]:
        extended = [extended_at(costs, family, value, options) for value in points]
        gaps = [e.at(sets_b, truth, empty_cost) - e.at(sets_a, truth, empty_cost) for e in extended]
        return _mean_and_error(np.array(gaps), share, n)

    return Gap(lead, n)


def _worth(family: Family, points: Floats, n_classes: int) -> Floats:
    """The utility of a miss and of hits by 1..K classes (columns) at each parameter (rows)."""
    sizes = np.arange(n_classes + 1)
    return np.stack([family.utility(float(value)).of_size(sizes) for value in points])


def _mean_and_error(values: Floats, share: Floats, n: float) -> tuple[Floats, Floats]:
    mean = values @ share
    spread = np.maximum((values - mean[:, None]) ** 2 @ share, 0)
    return mean, np.zeros_like(mean) if np.isnan(n) else np.sqrt(spread / max(n - 1, 1))
