"""Published numbers compared with ours."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from wager._typing import ArrayLike, Bools, Floats

__all__ = ["Comparison", "rank_correlation"]

ROUNDING = 1e-9  # two decimals of a sum of doubles may differ by this much


@dataclass(frozen=True, eq=False)
class Comparison:
    """Published numbers and ours, cell by cell.

    Published numbers are compared as they are printed.  Cells that were not published, or that we
    have not computed, are NaN and are ignored.  A cell that is not as printed has a mark, such as
    "truncated", "repaired" or "corrected", and is counted apart.

    Parameters
    ----------
    what : str
        What is compared, for example "Table 12, NCC".
    published, ours : array-like
    unit : float
        One unit of the last printed digit; cells agree if they differ by at most half of it.
    wider : float, optional
        A larger difference, for a second count beside the first one.
    standard_errors : array-like, optional
        The standard errors of our numbers over our own repetitions.
    marks : array-like of str, optional
        The mark of each cell; "" if the cell is as printed.

    Examples
    --------
    >>> both = Comparison(
    ...     "Table 4", [0.75, 0.77, 0.81], [0.752, 0.76, 0.79], unit=0.01, wider=0.015,
    ...     standard_errors=[0.01, 0.01, 0.01], marks=["", "", "repaired"],
    ... )
    >>> both.n, both.agree, both.agree_wider, both.n_marked, both.agree_marked
    (2, 1, 2, 1, 0)
    >>> both.standardized.round(1).tolist()
    [0.2, -1.0]
    """

    what: str
    published: Any
    ours: Any
    _: KW_ONLY
    unit: float
    wider: float | None = None
    standard_errors: Any = None
    marks: Any = None

    @property
    def _marked(self) -> Bools:
        """Whether each cell has a mark."""
        size = np.size(self.published)
        if self.marks is None:
            return np.zeros(size, dtype=bool)
        return np.asarray(np.asarray(self.marks, dtype=object).ravel() != "", dtype=bool)

    def _differences(self, chosen: Bools) -> Floats:
        """Ours minus published, in the chosen cells that both have."""
        printed, found = (np.asarray(x, dtype=float).ravel() for x in (self.published, self.ours))
        both = np.isfinite(printed) & np.isfinite(found)
        return (found - printed)[both & chosen]

    @property
    def differences(self) -> Floats:
        """Ours minus published, in the cells as printed."""
        return self._differences(~self._marked)

    @property
    def n(self) -> int:
        """The number of cells as printed that both have."""
        return len(self.differences)

    @property
    def agree(self) -> int:
        """How many of them differ by at most half a unit of the last printed digit."""
        return _within(self.differences, self.unit / 2)

    @property
    def agree_wider(self) -> int | None:
        """How many of them differ by at most ``wider``."""
        return None if self.wider is None else _within(self.differences, self.wider)

    @property
    def n_marked(self) -> int:
        """The number of cells that are not as printed."""
        return len(self._differences(self._marked))

    @property
    def agree_marked(self) -> int:
        """How many of these differ by at most half a unit of the last printed digit."""
        return _within(self._differences(self._marked), self.unit / 2)

    @property
    def mean_difference(self) -> float:
        """The mean of ours minus published, which shows misses in one direction."""
        return float(self.differences.mean()) if self.n else float("nan")

    @property
    def median_difference(self) -> float:
        """The median absolute difference."""
        return float(np.median(np.abs(self.differences))) if self.n else float("nan")

    @property
    def largest_difference(self) -> float:
        """The largest absolute difference."""
        return float(np.abs(self.differences).max()) if self.n else float("nan")

    @property
    def standardized(self) -> Floats:
        """The differences of the cells as printed, in standard errors of our repetitions.

        The rounding of the printed number adds the variance of a uniform number, unit² / 12.  Cells
        without a standard error are left out.
        """
        if self.standard_errors is None:
            return np.empty(0)
        printed, found, se = (
            np.asarray(x, dtype=float).ravel()
            for x in (self.published, self.ours, self.standard_errors)
        )
        known = np.isfinite(printed) & np.isfinite(found) & np.isfinite(se) & ~self._marked
        spread = np.sqrt(se[known] ** 2 + self.unit**2 / 12)
        return np.asarray((found - printed)[known] / spread)

    @property
    def mean_standardized(self) -> float:
        """The mean of the standardized differences, with its sign; NaN without standard errors."""
        z = self.standardized
        return float(z.mean()) if len(z) else float("nan")

    @property
    def largest_standardized(self) -> float:
        """The standardized difference of largest size, with its sign."""
        z = self.standardized
        return float(z[np.abs(z).argmax()]) if len(z) else float("nan")

    @property
    def rank_correlation(self) -> float:
        """Spearman's rank correlation of the cells as printed; NaN if one side is constant."""
        printed, found = (np.asarray(x, dtype=float).ravel() for x in (self.published, self.ours))
        both = np.isfinite(printed) & np.isfinite(found) & ~self._marked
        return rank_correlation(printed[both], found[both])


def _within(differences: Floats, width: float) -> int:
    return int((np.abs(differences) <= width + ROUNDING).sum())


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
