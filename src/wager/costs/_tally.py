"""Counts of the predicted sets by true class, from which any average cost can be computed.

The cost of a prediction depends only on the set and on the true class.  So the pairs that occur,
with their counts, replace the rows: counts of two parts add up, and the average under every
extension of every cost matrix over the same classes needs no further look at the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from wager._tables import encode_labels, format_labels
from wager._typing import Array, ArrayLike, Floats, Ints, Words
from wager.costs._average import CostEvaluation, extended_for, summarize
from wager.costs._extended_costs import over_classes
from wager.costs.extensions import ExtensionRule
from wager.predictions import PredictionSets
from wager.rewards import SummableTally, read_rows

__all__ = ["CostTally"]

_MOST_CELLS = 1 << 20  # up to this size a table of all (set, true class) cells is counted directly


@dataclass(frozen=True, eq=False)
class CostTally(SummableTally):
    """Number of predictions by set and true class, for the pairs that occur.

    Parameters
    ----------
    sets : PredictionSets
        The set of each pair.
    truth : int array of shape (m,)
        The true class of each pair, as a code of ``sets.classes``.
    counts : array of shape (m,)
        The number of rows with the pair, or their total weight.
    weight_squares : float
        The sum of the squared weights of the rows, which standard errors need.

    Examples
    --------
    >>> from wager.costs import CostMatrix
    >>> costs = CostMatrix.zero_one(["a", "b", "c"]).extend("utility", utility="u65")
    >>> part = CostTally.of(["a", "c"], [["a", "b"], ["c"]], classes=["a", "b", "c"])
    >>> rest = CostTally.of(["b", "b"], [["a", "b"], ["c"]], classes=["a", "b", "c"])
    >>> (part + rest).average(costs)
    0.425
    """

    sets: PredictionSets
    truth: Ints
    counts: Array
    weight_squares: float

    @classmethod
    def of(
        cls,
        y_true: ArrayLike,
        y_pred: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
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
            A weight for each row; whole numbers mean repeated rows.
        """
        codes, sets, weights, squares = read_rows(y_true, y_pred, classes, sample_weight)
        return cls._collect(sets.words, codes, weights, sets.classes, squares)

    @classmethod
    def _collect(
        cls, words: Words, codes: Ints, weights: Array | None, classes: Array, squares: float
    ) -> Self:
        """Count each distinct pair once, ordered by set, then by true class."""
        n_cells = len(classes) << len(classes) if len(classes) <= 20 else np.inf
        count = _count_all if n_cells <= min(_MOST_CELLS, 8 * len(codes)) else _count_sorted
        distinct, truth, counts = count(words, codes, weights, len(classes))
        if weights is not None:
            counts = counts.astype(weights.dtype, copy=False)  # NumPy sums weights as floats
        return cls(PredictionSets(distinct, classes), truth, counts, squares)

    @property
    def classes(self) -> Array:
        """The classes, in the order of their codes."""
        return self.sets.classes

    @property
    def n(self) -> float:
        """The number of predictions, or their total weight."""
        return self.counts.sum().item()

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
        values, truth, classes = self._values(costs, empty_cost, rule, options)
        return summarize(values, self.counts, truth, classes, self.weight_squares)

    def _values(
        self,
        costs: Any,
        empty_cost: float | None,
        rule: str | ExtensionRule | None,
        options: Mapping[str, Any],
    ) -> tuple[Floats, Ints, Array]:
        """The cost of each pair, its true class and the classes, in the order of the costs."""
        if self.n == 0:
            raise ValueError("there is no prediction to score: count at least one row")
        extended = extended_for(costs, self.sets, rule, options)
        sets = over_classes(self.sets, extended.classes)
        order, _ = encode_labels(self.classes, extended.classes, name="the classes of the tally")
        truth = order[self.truth]
        return extended.at(sets, truth, empty_cost), truth, extended.classes

    def __add__(self, other: CostTally) -> CostTally:
        if not isinstance(other, CostTally):
            return NotImplemented
        if not np.array_equal(self.classes, other.classes):
            raise ValueError(
                f"cannot add counts over the classes {format_labels(self.classes)} to counts over "
                f"{format_labels(other.classes)}: both parts must list the same classes"
            )
        return self._collect(
            np.concatenate([self.sets.words, other.sets.words]),
            np.concatenate([self.truth, other.truth]),
            np.concatenate([self.counts, other.counts]),
            self.classes,
            self.weight_squares + other.weight_squares,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CostTally):
            return NotImplemented
        return (
            np.array_equal(self.classes, other.classes)
            and np.array_equal(self.sets.words, other.sets.words)
            and np.array_equal(self.truth, other.truth)
            and np.array_equal(self.counts, other.counts)
        )

    def to_dict(self) -> dict[str, Any]:
        """The tally as plain data; sets and true classes as positions in the list of classes."""
        return {
            "classes": self.classes.tolist(),
            "sets": [np.flatnonzero(row).tolist() for row in self.sets.to_indicator()],
            "truth": self.truth.tolist(),
            "counts": self.counts.tolist(),
            "weight_squares": self.weight_squares,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The tally that `to_dict` returned."""
        classes = np.asarray(data["classes"])
        members = np.zeros((len(data["sets"]), len(classes)), dtype=bool)
        for row, positions in enumerate(data["sets"]):
            members[row, positions] = True
        words = PredictionSets.from_indicator(members, classes).words
        truth = np.asarray(data["truth"], dtype=np.intp)
        counts = np.asarray(data["counts"])
        return cls._collect(words, truth, counts, classes, float(data["weight_squares"]))


def _count_all(
    words: Words, codes: Ints, weights: Array | None, n_classes: int
) -> tuple[Words, Ints, Array]:
    """Count every cell of the table of all sets; keep the cells that occur."""
    cell = words[:, 0].astype(np.intp) * n_classes + codes
    counts = np.bincount(cell, weights=weights)
    kept = np.flatnonzero(counts)
    masks, truth = np.divmod(kept, n_classes)
    return masks.astype(np.uint64)[:, None], truth, counts[kept]


def _count_sorted(
    words: Words, codes: Ints, weights: Array | None, n_classes: int
) -> tuple[Words, Ints, Array]:
    """Sort the rows by set and true class; a run of equal rows is a cell."""
    order = np.lexsort((codes, *words.T))
    words, codes = words[order], codes[order]
    first = np.ones(len(codes), dtype=bool)
    first[1:] = (words[1:] != words[:-1]).any(axis=1) | (codes[1:] != codes[:-1])
    each = np.ones(len(codes), dtype=np.int64) if weights is None else weights[order]
    counts = np.add.reduceat(each, np.flatnonzero(first))
    return words[first], codes[first], counts
