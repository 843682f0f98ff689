"""Published numbers compared with ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._typing import ArrayLike, Floats

__all__ = ["Comparison", "rank_correlation"]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Published numbers and ours, cell by cell.

    Cells that were not published, or that we have not computed, are NaN and are ignored.

    Parameters
    ----------
    what : str
        What is compared, for example "Table 12, NCC".
    published, ours : array-like
    tolerance : float
        The largest difference at which two cells count as equal.

    Examples
    --------
    >>> both = Comparison("Table 4", [0.75, 0.77, 0.81], [0.75, 0.78, 0.84], tolerance=0.011)
    >>> both.n, both.agree, round(both.median_difference, 3), both.rank_correlation
    (3, 2, 0.01, 1.0)
    """

    what: str
    published: Any
    ours: Any
    tolerance: float = 0.015

    @property
    def cells(self) -> tuple[Floats, Floats]:
        """The cells that both have: the published values, and ours."""
        printed, found = (np.asarray(x, dtype=float).ravel() for x in (self.published, self.ours))
        both = np.isfinite(printed) & np.isfinite(found)
        return printed[both], found[both]

    @property
    def n(self) -> int:
        """The number of cells that both have."""
        return len(self.cells[0])

    @property
    def differences(self) -> Floats:
        """The absolute differences of these cells."""
        printed, found = self.cells
        return np.abs(found - printed)

    @property
    def agree(self) -> int:
        """The number of cells that differ by at most the tolerance."""
        return int((self.differences <= self.tolerance + 1e-9).sum())

    @property
    def median_difference(self) -> float:
        """The median absolute difference."""
        return float(np.median(self.differences)) if self.n else float("nan")

    @property
    def largest_difference(self) -> float:
        """The largest absolute difference."""
        return float(self.differences.max()) if self.n else float("nan")

    @property
    def rank_correlation(self) -> float:
        """Spearman's rank correlation of the two columns; NaN if one of them is constant."""
        return rank_correlation(*self.cells)


def rank_correlation(a: ArrayLike, b: ArrayLike) -> float:
    """Spearman's rank correlation; NaN with fewer than three pairs or if one side is constant.

    Examples
    --------
    >>> rank_correlation([1, 2, 3, 4], [10, 20, 40, 30])
    0.8
    """
    from scipy.stats import rankdata

    first, second = rankdata(np.asarray(a)), rankdata(np.asarray(b))
    if len(first) < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    return round(float(np.corrcoef(first, second)[0, 1]), 12)
