"""Joint counts of the predicted sets of two classifiers and the true class.

They are to costs what a `PairedTally` is to utilities: what both classifiers cost under any costs,
the paired difference with its interval and test, and the break-even point along a family of costs.
Like tallies they add up over parts of the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from wager._tables import Table, View, counted, in_braces
from wager._typing import Array, ArrayLike, Ints
from wager.compare._cost_families import over_costs
from wager.compare._paired_amounts import PairedAmounts
from wager.costs import (
    CostMatrix,
    CostTally,
    ExtendedCosts,
    SetRewards,
    cost_ranges,
    costs_over,
    difference_of_cells,
    distinct_pairs,
    refuse_empty,
)
from wager.predictions import PredictionSets, concatenate_sets
from wager.rewards import (
    CellSums,
    Combine,
    Difference,
    SummableTally,
    by_partition,
    check_same_classes,
    distinct_numbers,
    plain_data,
    plain_integers,
    plain_labels,
    plain_numbers,
    plain_sets,
    read_pair,
)

_SHOWN = 20  # joint outcomes in a notebook


@dataclass(frozen=True, eq=False, repr=False)
class PairedCosts(SummableTally):
    """Joint counts of the sets of two classifiers and the true class, on the same rows.

    Parameters
    ----------
    sets_a, sets_b : PredictionSets
        The predicted sets of each joint outcome.
    truth : int array of shape (m,)
        Its true class, as a code of ``sets_a.classes``.
    sums : CellSums
        The totals of the outcomes, which are numbered 0, 1, ..., and the second moments of what
        independent units add to them.

    Examples
    --------
    >>> y = ["a", "b", "b"]
    >>> paired = PairedCosts.of(y, [["a", "b"], ["b"], ["b"]], ["a", "a", "b"])
    >>> len(paired.counts), paired.n
    (3, 3)
    >>> costs = CostMatrix([[0, 6], [2, 0]], ["a", "b"])
    >>> paired.difference(costs).mean  # (0.5 - 0 + 0 - 6 + 0 - 0) / 3
    -1.8333333333333333
    """

    sets_a: PredictionSets
    sets_b: PredictionSets
    truth: Ints
    sums: CellSums

    @classmethod
    @by_partition
    def of(
        cls,
        y_true: ArrayLike,
        pred_a: Any,
        pred_b: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        counts: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        keep_clusters: bool = False,
    ) -> PairedCosts:
        """Count the rows by both predicted sets and the true class.

        Parameters
        ----------
        y_true, classes, sample_weight, counts, groups, keep_clusters
            As in `CostTally.of`.
        pred_a, pred_b : anything `wager.as_sets` takes
            The predictions of both classifiers for the same rows.
        """
        rows, other = read_pair(y_true, pred_a, pred_b, classes, sample_weight, counts, groups)
        both, place = _distinct(rows.sets, other.sets, rows.codes)
        return cls._numbered(both, CellSums.of(place, rows.units, keep_clusters=keep_clusters))

    @classmethod
    def of_cells(
        cls, sets_a: PredictionSets, sets_b: PredictionSets, truth: Ints, sums: CellSums
    ) -> Self:
        """The joint counts of cells of rows; those with the same sets and truth are joined."""
        both, place = _distinct(sets_a, sets_b, truth)
        return cls._numbered(both, sums.renumbered(place))

    @classmethod
    def _numbered(cls, both: _Outcomes, sums: CellSums) -> Self:
        """The outcomes that the sums contain, numbered 0, 1, ..."""
        kept = sums.numbers
        numbered = CellSums(np.arange(len(kept)), sums.totals, sums.squares, sums.clusters)
        sets_a, sets_b, truth = both
        return cls(sets_a[kept], sets_b[kept], truth[kept], numbered)

    @property
    def classes(self) -> Array:
        """The classes, in the order of their codes."""
        return self.sets_a.classes

    @property
    def counts(self) -> Array:
        """The number of rows of each joint outcome, or their total weight."""
        return self.sums.totals

    @property
    def n(self) -> float:
        """The number of rows, or their total weight."""
        return self.sums.n

    @property
    def effective_n(self) -> float:
        """The equivalent number of equally large independent units."""
        return self.sums.n_units

    @property
    def a(self) -> CostTally:
        """The counts of the first classifier."""
        return CostTally.of_cells(self.sets_a, self.truth, self.sums)

    @property
    def b(self) -> CostTally:
        """The counts of the second classifier."""
        return CostTally.of_cells(self.sets_b, self.truth, self.sums)

    def swap(self) -> PairedCosts:
        """The same rows with the two classifiers exchanged."""
        return self.of_cells(self.sets_b, self.sets_a, self.truth, self.sums)

    def amounts(
        self, costs: CostMatrix | ExtendedCosts | ArrayLike, *, empty_cost: float | None = None
    ) -> PairedAmounts:
        """What both classifiers cost in each joint outcome.

        Parameters
        ----------
        costs : CostMatrix, ExtendedCosts or array of shape (K, K)
            The costs, matched by the names of the classes; an array is for the classes of the
            counts, in order.  Costs of single classes are extended to sets by ``costs.extend()``,
            the p-discounted rule with r = 0.5.
        empty_cost : float, optional
            The cost of an empty set; without it an empty set is an error.
        """
        if self.n == 0:
            raise ValueError("there are no rows to compare the classifiers on: pass at least one")
        self.require_priced(empty_cost)
        named = costs_over(costs, self.classes)
        extended = named.extend() if isinstance(named, CostMatrix) else named
        sets_a, truth = over_costs(extended, self.sets_a, self.truth)
        sets_b, _ = over_costs(extended, self.sets_b, self.truth)
        ranges = cost_ranges(extended, empty_cost)
        return PairedAmounts(
            extended.at(sets_a, truth, empty_cost),
            extended.at(sets_b, truth, empty_cost),
            self.sums,
            float(ranges[:, 0].min()),
            float(ranges[:, 1].max()),
            float((ranges[:, 1] - ranges[:, 0]).max()),
            extended.unit,
        )

    def require_priced(self, empty_cost: float | None) -> None:
        """Raise a ValueError if there are empty sets and no cost for them."""
        empty = (self.sets_a.sizes == 0) | (self.sets_b.sizes == 0)
        refuse_empty(empty, empty_cost, self.counts)

    def difference(
        self,
        costs: CostMatrix | ExtendedCosts | SetRewards | ArrayLike,
        *,
        empty_cost: float | None = None,
    ) -> Difference:
        """The average cost of the first classifier minus that of the second, row by row.

        Parameters
        ----------
        costs, empty_cost
            As in `amounts`.  With `SetRewards` the difference is that of the average rewards,
            positive if the first classifier earns more.

        Returns
        -------
        Difference
            ``(mean, variance, n)``, with ``standard_error``, ``p`` and ``interval``; negative if
            the first classifier saves money.
        """
        if isinstance(costs, SetRewards):
            if self.n == 0:
                raise ValueError(
                    "there are no rows to compare the classifiers on: pass at least one"
                )
            return difference_of_cells(self.sets_a, self.sets_b, self.truth, self.sums, costs)
        return self.amounts(costs, empty_cost=empty_cost).difference

    def _check_alike(self, other: Self, verb: str) -> None:
        check_same_classes(self.classes, other.classes, verb)

    def _combined(self, other: Self, by: Combine) -> Self:
        both, ours, theirs = self._over_all_outcomes(other)
        return self._numbered(both, by(ours, theirs))

    def _over_all_outcomes(self, other: PairedCosts) -> tuple[_Outcomes, CellSums, CellSums]:
        """The outcomes that occur in either, and the sums of both over them."""
        both, place = _distinct(
            concatenate_sets([self.sets_a, other.sets_a]),
            concatenate_sets([self.sets_b, other.sets_b]),
            np.concatenate([self.truth, other.truth]),
        )
        first, second = np.split(place, [len(self.truth)])
        return both, self.sums.renumbered(first), other.sums.renumbered(second)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairedCosts):
            return NotImplemented
        return (
            np.array_equal(self.classes, other.classes)
            and self.sets_a == other.sets_a
            and self.sets_b == other.sets_b
            and np.array_equal(self.truth, other.truth)
            and self.sums.same_as(other.sums)
        )

    def __repr__(self) -> str:
        return (
            f"PairedCosts({self.n:.10g} rows, {len(self.counts)} joint outcomes, "
            f"{len(self.classes)} classes)"
        )

    def _view(self) -> View:
        order = np.argsort(-self.counts, kind="stable")[:_SHOWN]
        rows = [
            [
                *(in_braces(sets[j]) for sets in (self.sets_a, self.sets_b)),
                self.classes[self.truth[j]],
                n,
            ]
            for j, n in zip(order.tolist(), self.counts[order].tolist(), strict=True)
        ]
        more = len(self.counts) - len(rows)
        return View(
            f"{counted(self.n, 'row', '.10g')} over {counted(len(self.classes), 'class')}, "
            "predicted by a and b",
            [Table(["a", "b", "true class", "rows"], rows, "<<<>")],
            [f"... and {more} other outcomes"] if more else [],
        )

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain data; sets and true classes as positions in the list of classes."""
        return {
            "classes": self.classes.tolist(),
            "sets_a": self.sets_a.positions(),
            "sets_b": self.sets_b.positions(),
            "truth": self.truth.tolist(),
            "counts": self.counts.tolist(),
            **self.sums.moments_to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The counts that `to_dict` wrote."""
        keys = ["classes", "sets_a", "sets_b", "truth", "counts"]
        with plain_data(cls, data, keys, ["squares", "clusters"]):
            classes = plain_labels(data["classes"])
            sets_a, sets_b = (plain_sets(data[k], k, classes) for k in ("sets_a", "sets_b"))
            truth = plain_integers(data["truth"], "truth", len(classes)).astype(np.intp)
            counts = plain_numbers(data["counts"], "counts", truth.shape)
            if not len(sets_a) == len(sets_b) == len(truth):
                raise ValueError(
                    f"sets_a, sets_b and truth must have the same length, got {len(sets_a)}, "
                    f"{len(sets_b)} and {len(truth)}"
                )
            sums = CellSums.from_dict(np.arange(len(counts)), counts, data)
            return cls.of_cells(sets_a, sets_b, truth, sums)


_Outcomes = tuple[PredictionSets, PredictionSets, Ints]  # sets of both, and the true class


def _distinct(
    sets_a: PredictionSets, sets_b: PredictionSets, truth: Ints
) -> tuple[_Outcomes, Ints]:
    """The distinct joint outcomes, and the place of each row among them."""
    distinct_a, codes, place_a = distinct_pairs(sets_a, truth)
    distinct_b, _, place_b = distinct_pairs(sets_b, truth)
    numbers, place = distinct_numbers(place_a * len(distinct_b) + place_b)
    first, second = np.divmod(numbers, max(len(distinct_b), 1))
    return (distinct_a[first], distinct_b[second], codes[first]), place
