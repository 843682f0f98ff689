"""What two classifiers cost on the same rows: both averages, and their paired difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wager._tables import ROUNDING, RowUnits, Table, View, Viewed
from wager._typing import Floats
from wager.rewards import CellSums, Difference, Estimate, difference_of, estimate_mean


@dataclass(frozen=True, eq=False, repr=False)
class PairedAmounts(Viewed):
    """The costs of two classifiers on the same rows, in cells of rows with the same costs.

    Parameters
    ----------
    cost_a, cost_b : array of shape (J,)
        The cost of each classifier in each cell.
    sums : CellSums
        The totals of the J cells.
    low, high : float
        The smallest and the largest possible cost.
    largest : float
        The largest possible difference of two predictions of the same row.
    unit : str, optional
        What the costs are counted in.

    Examples
    --------
    >>> amounts = PairedAmounts.of_rows([0, 2, 2, 0], [1, 2, 5, 1], RowUnits(), 0, 5, 5)
    >>> amounts.a.value, amounts.b.value, amounts.difference.mean
    (1.0, 2.25, -1.25)
    """

    cost_a: Floats
    cost_b: Floats
    sums: CellSums
    low: float
    high: float
    largest: float
    unit: str | None = None

    @classmethod
    def of_rows(
        cls,
        cost_a: Floats,
        cost_b: Floats,
        units: RowUnits,
        low: float,
        high: float,
        largest: float,
        unit: str | None = None,
    ) -> PairedAmounts:
        """Join the rows on which both classifiers have the same costs."""
        both = np.stack([cost_a, cost_b], axis=1).astype(np.float64)
        distinct, place = np.unique(both, axis=0, return_inverse=True)
        sums = CellSums.of(place.ravel(), units)
        kept = distinct[sums.numbers]
        return cls(kept[:, 0], kept[:, 1], sums, low, high, largest, unit)

    def _view(self) -> View:
        gap = self.difference
        rows = [
            [name, found.value, found.standard_error, *found.interval()]
            for name, found in (("a", self.a), ("b", self.b), ("a - b", gap.estimate))
        ]
        unit = "" if self.unit is None else f" ({self.unit})"
        headers = [f"average cost{unit}", "mean", "std. error", "95% from", "to"]
        return View(f"{self.n:.10g} rows, priced for a and b", [Table(headers, rows, alike=True)])

    @property
    def n(self) -> float:
        """The number of rows, or their total weight."""
        return self.sums.n

    @property
    def effective_n(self) -> float:
        """The equivalent number of equally large independent units."""
        return self.sums.n_units

    @property
    def a(self) -> Estimate:
        """The average cost of the first classifier."""
        return estimate_mean(self.cost_a, self.sums, self.low, self.high)

    @property
    def b(self) -> Estimate:
        """The average cost of the second classifier."""
        return estimate_mean(self.cost_b, self.sums, self.low, self.high)

    @property
    def difference(self) -> Difference:
        """The average cost of the first minus that of the second: negative if the first saves."""
        gaps = self.cost_a - self.cost_b
        estimate = estimate_mean(gaps, self.sums, -self.largest, self.largest)
        with np.errstate(over="ignore", invalid="ignore"):  # of costs whose squares are too large
            spread = float(self.sums.totals @ (gaps - estimate.value) ** 2) / float(self.sums.n)
        return difference_of(estimate, spread, self.sums.n_units, self._size)

    @property
    def _size(self) -> float:
        """The largest cost that occurs, beside which a difference may be a rounding error."""
        return float(np.abs([self.cost_a, self.cost_b]).max(initial=0.0))

    @property
    def is_draw(self) -> bool:
        """Whether both cost the same in every row."""
        gaps = np.abs(self.cost_a - self.cost_b)
        return bool((gaps <= ROUNDING * max(self._size, 1e-300)).all())

    def swap(self) -> PairedAmounts:
        """The same rows with the two classifiers exchanged."""
        return PairedAmounts(
            self.cost_b, self.cost_a, self.sums, self.low, self.high, self.largest, self.unit
        )
