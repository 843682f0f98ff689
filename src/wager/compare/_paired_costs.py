"""Joint counts of the predicted sets of two classifiers and the true class.

They are to costs what a `PairedTally` is to utilities: all that a break-even point along a family
of costs needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._typing import Array, ArrayLike, Ints
from wager.predictions import PredictionSets
from wager.rewards import CellSums, read_pair


@dataclass(frozen=True, eq=False)
class PairedCosts:
    """Joint counts of the sets of two classifiers and the true class, on the same rows.

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
    sums: CellSums

    @classmethod
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
    ) -> PairedCosts:
        """Count the rows by both predicted sets and the true class."""
        rows, other = read_pair(y_true, pred_a, pred_b, classes, sample_weight, counts, groups)
        codes = rows.codes.astype(np.uint64)[:, None]
        joint = np.hstack([rows.sets.words, other.sets.words, codes])
        distinct, place = np.unique(joint, axis=0, return_inverse=True)
        sums = CellSums.of(place.ravel(), rows.units)
        distinct = distinct[sums.numbers]
        width = rows.sets.words.shape[1]
        names = rows.sets.classes
        return cls(
            PredictionSets(distinct[:, :width], names),
            PredictionSets(distinct[:, width:-1], names),
            distinct[:, -1].astype(np.intp),
            sums,
        )

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
