"""Counts of the predicted sets by true class, from which any average cost can be computed.

The cost of a prediction depends only on the set and on the true class.  So the pairs that occur,
with their counts, replace the rows: counts of two parts add up, and the average under every
extension of every cost matrix over the same classes needs no further look at the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from wager._tables import (
    Table,
    View,
    counted,
    encode_labels,
    in_braces,
)
from wager._typing import Array, ArrayLike, Floats, Ints
from wager.costs._average import extended_for
from wager.costs._checks import refuse_empty
from wager.costs._error_costs import ErrorCosts, error_costs
from wager.costs._evaluation import CostCells, CostEvaluation, cost_ranges, summarize
from wager.costs._extended_costs import ExtendedCosts
from wager.costs._named_costs import named_costs
from wager.costs._pairs import distinct_pairs
from wager.costs._reward_evaluation import RewardEvaluation, evaluate_cells
from wager.costs._set_rewards import SetRewards
from wager.costs.extensions import ExtensionRule
from wager.predictions import PredictionSets, as_sets, concatenate_sets, size_and_hit
from wager.rewards import (
    CellSums,
    ClassTally,
    Combine,
    Estimate,
    SummableTally,
    Tally,
    UtilityLike,
    by_partition,
    check_same_classes,
    plain_data,
    plain_integers,
    plain_labels,
    plain_numbers,
    plain_sets,
    read_rows,
)

__all__ = ["CostTally"]

_SHOWN = 20  # pairs in the printed table, the most frequent ones


@dataclass(frozen=True, eq=False, repr=False)
class CostTally(SummableTally):
    """Number of predictions by set and true class, for the pairs that occur.

    Parameters
    ----------
    sets : PredictionSets
        The set of each pair.
    truth : int array of shape (m,)
        The true class of each pair, as a code of ``sets.classes``.
    sums : CellSums
        The totals of the pairs, which are numbered 0, 1, ..., and the second moments of what
        independent units add to them.

    Examples
    --------
    >>> from wager.costs import CostMatrix
    >>> costs = CostMatrix.zero_one(["a", "b", "c"]).extend("utility", utility="u65")
    >>> part = CostTally.of(["a", "c"], [["a", "b"], ["c"]], classes=["a", "b", "c"])
    >>> rest = CostTally.of(["b", "b"], [["a", "b"], ["c"]], classes=["a", "b", "c"])
    >>> (part + rest).average(costs)
    0.425
    >>> (part + rest) - rest == part
    True
    >>> part
    2 predictions over 3 classes
    predicted  true class  rows
    ---------------------------
    {a, b}     a              1
    {c}        c              1
    """

    sets: PredictionSets
    truth: Ints
    sums: CellSums

    @classmethod
    @by_partition
    def of(
        cls,
        y_true: ArrayLike,
        y_pred: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        counts: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        keep_clusters: bool = False,
    ) -> CostTally:
        """Count predictions by set and true class, in one pass.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            The true classes.
        y_pred : anything `wager.predictions.as_sets` takes
            The predicted sets.
        classes : array-like of shape (K,), optional
            The classes, in the order of the columns of ``y_pred``.
        sample_weight : array-like of shape (n,), optional
            An importance weight for each row.
        counts : array-like of shape (n,), optional
            How many rows each row stands for.
        groups : array-like of shape (n,), optional
            The cluster of each row.
        keep_clusters : bool, default=False
            Keep the totals of each cluster, so that parts that divide clusters can be added.
        """
        rows = read_rows(y_true, y_pred, classes, sample_weight, counts, groups)
        sets, codes, place = distinct_pairs(rows.sets, rows.codes)
        sums = CellSums.of(place, rows.units, keep_clusters=keep_clusters)
        return cls._occurring(sets, codes, sums)

    @classmethod
    def _occurring(cls, sets: PredictionSets, codes: Ints, sums: CellSums) -> Self:
        """The tally of the pairs that the sums contain, numbered 0, 1, ..."""
        kept = sums.numbers
        numbered = CellSums(np.arange(len(kept)), sums.totals, sums.squares, sums.clusters)
        return cls(PredictionSets(sets.rows.take(kept), sets.classes), codes[kept], numbered)

    @classmethod
    def of_cells(cls, sets: PredictionSets, truth: Ints, sums: CellSums) -> Self:
        """The tally of cells of rows; those with the same set and true class are joined."""
        distinct, codes, place = distinct_pairs(sets, truth)
        return cls._occurring(distinct, codes, sums.renumbered(place))

    @property
    def classes(self) -> Array:
        """The classes, in the order of their codes."""
        return self.sets.classes

    @property
    def counts(self) -> Array:
        """The number of rows with each pair, or their total weight."""
        return self.sums.totals

    @property
    def n(self) -> float:
        """The number of predictions, or their total weight."""
        return self.sums.n

    def average(
        self,
        costs: Any,
        *,
        empty_cost: float | None = None,
        rule: str | ExtensionRule | None = None,
        **options: Any,
    ) -> float:
        """The average cost of the predictions; options as in `average_cost`."""
        values, _, _ = self._values(costs, empty_cost, rule, options)
        return float(np.average(values, weights=self.counts))

    def evaluate(
        self,
        costs: Any,
        *,
        empty_cost: float | None = None,
        rule: str | ExtensionRule | None = None,
        **options: Any,
    ) -> CostEvaluation:
        """The average cost overall and by true class, with standard errors.

        Parameters
        ----------
        costs : ExtendedCosts, CostMatrix or array of shape (K, K)
            The costs of predictions, over the classes of the tally.
        empty_cost, rule, **options
            As in `average_cost`.
        """
        values, truth, extended = self._values(costs, empty_cost, rule, options)
        cells = CostCells(values, truth, np.zeros_like(truth), self.sums)
        return summarize(
            cells,
            extended.classes,
            cost_ranges(extended, empty_cost),
            errors=self.errors(costs, empty_cost=empty_cost, rule=rule, **options),
            unit=extended.unit,
            rule=extended.rule.name,
        )

    def evaluate_rewards(self, rewards: SetRewards) -> RewardEvaluation:
        """The average reward overall and by true class, with standard errors.

        Parameters
        ----------
        rewards : SetRewards
            The rewards of sets, over the classes of the tally.

        Examples
        --------
        >>> from wager.costs import SetRewards
        >>> tally = CostTally.of(["ill", "well"], [["ill", "well"], ["well"]])
        >>> tally.evaluate_rewards(SetRewards.by_class("u65", {"ill": 5, "well": 1})).mean
        2.125
        """
        return evaluate_cells(self.sets, self.truth, self.sums, rewards)

    def errors(
        self,
        costs: Any,
        *,
        empty_cost: float | None = None,
        rule: str | ExtensionRule | None = None,
        **options: Any,
    ) -> ErrorCosts:
        """The cost of each kind of error: true class and predicted set, by total cost.

        Parameters
        ----------
        costs, empty_cost, rule, **options
            As in `evaluate`.

        Examples
        --------
        >>> from wager.costs import CostMatrix
        >>> costs = CostMatrix([[0, 50], [8, 0]], ["ill", "well"], unit="EUR").extend()
        >>> truth, sets = ["ill", "ill", "well", "well"], ["ill|well", "well", "ill", "well"]
        >>> CostTally.of(truth, sets).errors(costs)
        true class  predicted    cases  cost per case  total cost (EUR)  share
        ----------------------------------------------------------------------
        well        {ill}            1          50.00             50.00  83.3%
        ill         {well}           1           8.00              8.00  13.3%
        ill         {ill, well}      1           2.00              2.00   3.3%
        """
        values, _, extended = self._values(costs, empty_cost, rule, options)
        return error_costs(self.sets, self.truth, values, self.counts, extended.unit)

    def _values(
        self,
        costs: Any,
        empty_cost: float | None,
        rule: str | ExtensionRule | None,
        options: Mapping[str, Any],
    ) -> tuple[Floats, Ints, ExtendedCosts]:
        """The cost of each pair, its true class in the order of the costs, and the costs."""
        if self.n == 0:
            raise ValueError("there is no prediction to score: count at least one row")
        refuse_empty(self.sets.sizes == 0, empty_cost, self.counts)
        extended = extended_for(named_costs(costs), self.sets, rule, options, self.counts)
        sets = as_sets(self.sets, extended.classes)
        order, _ = encode_labels(self.classes, extended.classes, name="the classes of the tally")
        truth = order[self.truth]
        return extended.at(sets, truth, empty_cost), truth, extended

    def _check_alike(self, other: Self, verb: str) -> None:
        check_same_classes(self.classes, other.classes, verb)

    def _combined(self, other: Self, by: Combine) -> Self:
        sets, codes, ours, theirs = self._over_all_pairs(other)
        return self._occurring(sets, codes, by(ours, theirs))

    def _over_all_pairs(self, other: CostTally) -> tuple[PredictionSets, Ints, CellSums, CellSums]:
        """The pairs that occur in either tally, and the sums of both over them."""
        sets, codes, place = distinct_pairs(
            concatenate_sets([self.sets, other.sets]), np.concatenate([self.truth, other.truth])
        )
        first, second = place[: len(self.truth)], place[len(self.truth) :]
        return sets, codes, self.sums.renumbered(first), other.sums.renumbered(second)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CostTally):
            return NotImplemented
        return (
            self.sets == other.sets
            and np.array_equal(self.truth, other.truth)
            and self.sums.same_as(other.sums)
        )

    def _view(self) -> View:
        order = np.argsort(-self.counts, kind="stable")[:_SHOWN]
        lines = [
            [in_braces(self.sets[row]), self.classes[self.truth[row]], count]
            for row, count in zip(order.tolist(), self.counts[order].tolist(), strict=True)
        ]
        more = len(self.counts) - len(lines)
        return View(
            f"{counted(self.n, 'prediction', '.10g')} over {counted(len(self.classes), 'class')}",
            [Table(["predicted", "true class", "rows"], lines, "<<>")],
            [f"... and {more} other pairs"] if more else [],
        )

    @property
    def by_class(self) -> ClassTally:
        """The counts by true class, set size and hit, which all other scores of sets need."""
        size, hit = size_and_hit(self.truth, self.sets)
        width = 2 * len(self.classes) + 2
        cell = self.truth * width + 2 * size.astype(np.intp) + hit
        return ClassTally.of_sums(self.sums.renumbered(cell), self.classes)

    @property
    def tally(self) -> Tally:
        """The counts by set size and hit."""
        return self.by_class.total

    def score(self, score: Any) -> Estimate:
        """One score of the sets, as `Tally.score`; for costs see `average` and `evaluate`."""
        return self.tally.score(score)

    def scores(
        self, utilities: Iterable[UtilityLike] | UtilityLike = ("u50", "u65", "u80")
    ) -> dict[str, Estimate]:
        """Every score of the sets by its name, as `Tally.scores`."""
        return self.tally.scores(utilities)

    def to_dict(self) -> dict[str, Any]:
        """The tally as plain data; sets and true classes as positions in the list of classes."""
        return {
            "classes": self.classes.tolist(),
            "sets": self.sets.positions(),
            "truth": self.truth.tolist(),
            "counts": self.counts.tolist(),
            **self.sums.moments_to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The tally that `to_dict` returned, or version 0.1.0 with one sum of squares."""
        keys = ["classes", "sets", "truth", "counts"]
        with plain_data(cls, data, keys, ["squares", "clusters", "weight_squares"]):
            classes = plain_labels(data["classes"])
            sets = plain_sets(data["sets"], "sets", classes)
            truth = plain_integers(data["truth"], "truth", len(classes)).astype(np.intp)
            counts = plain_numbers(data["counts"], "counts", truth.shape)
            if len(sets) != len(truth):
                raise ValueError(
                    f"there are {len(sets)} sets but {len(truth)} true classes: give one for each "
                    "set"
                )
            old = data.get("weight_squares")
            weighted = old is not None and counts.dtype.kind == "f"
            own = {"squares": (counts * (old / counts.sum())).tolist()} if weighted else data
            sums = CellSums.from_dict(np.arange(len(counts)), counts, own)
            return cls.of_cells(sets, truth, sums)
