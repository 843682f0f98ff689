"""A mean with its uncertainty: value, standard error, confidence interval."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan, sqrt
from statistics import NormalDist

import numpy as np

from wager._typing import Array


@dataclass(frozen=True)
class Estimate:
    """The mean of a score over the rows of a test set, with its uncertainty.

    Parameters
    ----------
    value : float
        The mean; NaN if the score applies to no row.
    standard_error : float
        Standard error of the mean, from the sample standard deviation; NaN for fewer than two rows.
    n : float
        The number of rows (the effective number if they are weighted).
    is_proportion : bool
        Whether every row scores 0 or 1.

    Examples
    --------
    >>> half = estimate_mean(np.array([0.0, 1.0]), np.array([50, 50]))
    >>> half.value, round(half.standard_error, 4)
    (0.5, 0.0503)
    >>> tuple(round(end, 3) for end in half.interval())
    (0.404, 0.596)
    """

    value: float
    standard_error: float
    n: float
    is_proportion: bool = False

    def __float__(self) -> float:
        return self.value

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence interval: Wilson's for a proportion, Student's t for any other mean."""
        if not 0 < level < 1:
            raise ValueError(f"the confidence level must lie strictly between 0 and 1, got {level}")
        if isnan(self.value) or isnan(self.n):
            return nan, nan
        if self.is_proportion:
            return self._wilson(NormalDist().inv_cdf((1 + level) / 2))
        if isnan(self.standard_error):
            return nan, nan
        from scipy.special import stdtrit

        reach = float(stdtrit(self.n - 1, (1 + level) / 2)) * self.standard_error
        return self.value - reach, self.value + reach

    def _wilson(self, z: float) -> tuple[float, float]:
        p, n = self.value, self.n
        centre = p + z * z / (2 * n)
        reach = z * sqrt(max(p * (1 - p), 0.0) / n + z * z / (4 * n * n))
        shrink = 1 + z * z / n
        # At 0 and 1 the ends are exactly 0 and 1; rounding errors would change that.
        low = (centre - reach) / shrink if p > 0 else 0.0
        high = (centre + reach) / shrink if p < 1 else 1.0
        return max(low, 0.0), min(high, 1.0)


def estimate_mean(
    values: Array,
    counts: Array,
    effective_n: float | None = None,
    *,
    may_be_proportion: bool = True,
) -> Estimate:
    """The mean of values with given counts; NaN values are left out.

    Parameters
    ----------
    values, counts : ndarray of the same shape
        The values, and the number (or total weight, not 0) of the rows that have each.
    effective_n : float, optional
        The equivalent number of equally weighted rows; by default the sum of `counts`.
    may_be_proportion : bool, default=True
        Whether the mean of values that are all 0 or 1 is a proportion; a mean set size is not.
    """
    defined = ~np.isnan(values)
    total, part = float(counts.sum()), float(counts[defined].sum())
    if part <= 0:
        return Estimate(nan, nan, 0.0)
    values, counts = values[defined], counts[defined]
    n = part if effective_n is None else effective_n * part / total
    mean = float(np.dot(counts, values)) / part
    variance = float(np.dot(counts, (values - mean) ** 2)) / part
    error = sqrt(variance / (n - 1)) if n > 1 else nan
    proportion = may_be_proportion and bool(((values == 0) | (values == 1)).all())
    return Estimate(mean, error, n, proportion)
