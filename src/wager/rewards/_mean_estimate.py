"""The mean of a score of probabilities with its uncertainty, from its standard error alone.

The interval is Student's, with the effective number of independent units, extended by that of
Hall's (1992) transformation for skewed scores: the mean of a loss that is usually small and rarely
large is more often underestimated than overestimated.  Student's rejects too often for skewed
scores, Hall's for few rows with long tails, so a mean is rejected only if both reject it.

Where the range of the score is known, the interval stays inside it, and rows that agree do not
make it vanish: the mean may be larger than the sample suggests because of a few rows at the end of
the range that happen not to be in the sample.  If their share is e, the sample misses them with
probability (1 - e)^n, which costs -2n log(1 - e) of the squared critical value; the rest is left
for the usual deviation from the mean.  The end of the interval is the farthest mean that can be
reached in this way.  Where the spread is not unusually small for so many rows, a share does not
help.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cbrt, copysign, expm1, inf, isfinite, isinf, isnan, log1p, nan, sqrt
from statistics import NormalDist

from wager._tables import ComparedFields, ViewedFields
from wager.rewards._level import check_level

NO_SKEWNESS = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class MeanEstimate(ComparedFields, ViewedFields):
    """A mean over rows with its standard error and confidence interval.

    Parameters
    ----------
    value, standard_error : float
        The mean and its standard error; NaN if it is not defined.
    n : float
        The effective number of independent units: rows, or clusters of rows.
    lowest, largest : float
        The range of the score, if it is known.
    is_proportion : bool, default=False
        Whether the score of every row is 0 or 1.
    extremes : bool, default=True
        Whether rows at the ends of the range are plausible although the sample has none; False for
        differences of similar predictions, unless all rows agree.
    skewness : float, default=0
        Skewness of the mean.
    clustered : bool, default=False
        Whether the units are clusters of rows: the rows of a single cluster say nothing about
        others.

    Examples
    --------
    >>> estimate = MeanEstimate(0.5, 0.1, n=30)
    >>> tuple(round(end, 3) for end in estimate.interval())
    (0.295, 0.705)
    >>> equal_rows = MeanEstimate(0.02, 0.0, n=30, lowest=0.0, largest=2.0)
    >>> tuple(round(end, 3) for end in equal_rows.interval())
    (0.019, 0.153)
    """

    value: float
    standard_error: float
    n: float
    lowest: float = field(default=-inf, repr=False)
    largest: float = field(default=inf, repr=False)
    is_proportion: bool = field(default=False, repr=False)
    extremes: bool = field(default=True, repr=False)
    skewness: float = field(default=0.0, repr=False)
    clustered: bool = field(default=False, repr=False)

    def __float__(self) -> float:
        return self.value

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence interval; NaN if the mean is infinite or has no standard error.

        A single cluster leaves the whole range of the score, if it is known.
        Rows that all have the same value say nothing about the spread of a score without a known
        range: then the ends are NaN as well.
        """
        check_level(level)
        if self.clustered and isfinite(self.value) and isnan(self.standard_error):
            known = isfinite(self.lowest) and isfinite(self.largest)
            return (self.lowest, self.largest) if known else (nan, nan)
        if self.is_proportion and isfinite(self.value) and self.n > 0:
            return self._wilson(level)
        if not self._has_spread:
            return nan, nan
        from scipy.special import stdtrit

        critical = float(stdtrit(self.n - 1, (1 + level) / 2))
        ends = self._end(self.lowest, -critical), self._end(self.largest, critical)
        return ends[0] + 0.0, ends[1] + 0.0  # 0 instead of -0, the bound of a negated score

    def p_value(self, mean: float = 0.0) -> float:
        """Two-sided p-value of the hypothesis that the mean of all rows is `mean`.

        It is below 1 - level if the interval of that level excludes `mean`, and above if not.
        """
        if not isfinite(self.value) or isnan(self.standard_error) or not self.n > 1:
            return nan
        if self.value == mean:
            return 1.0
        if not self._has_spread:  # equal rows on one side: chance decides about each side
            return min(1.0, 2.0 ** (1 - self.n))
        from scipy.special import stdtr

        return float(2 * stdtr(self.n - 1, -self._distance(mean)))

    @property
    def _has_spread(self) -> bool:
        """Whether there is something to base an interval on."""
        known = isfinite(self.lowest) and isfinite(self.largest)
        return isfinite(self.value) and self.n > 1 and (self.standard_error > 0 or known)

    def _end(self, bound: float, critical: float) -> float:
        value, error = self.value, self.standard_error
        if not isfinite(critical):
            return bound
        farther = max if critical > 0 else min
        end = farther(value + critical * error, value - error * self._hall_inverse(-critical))
        deviation = self._deviation(bound)
        if deviation < abs(critical):
            share = -expm1((deviation**2 - critical**2) / (2 * self.n))
            shifted = value + copysign(deviation, critical) * error
            other = shifted + share * (bound - shifted)
            end = farther(end, other)
        # a mean at the end of its range may lie outside of it by a rounding error
        return min(max(end, min(self.lowest, value)), max(self.largest, value))

    def _distance(self, mean: float) -> float:
        """How far `mean` is from the data, in units of the critical value."""
        if not self.lowest <= mean <= self.largest:
            return inf
        bound = self.lowest if mean < self.value else self.largest
        gap, error = abs(mean - self.value), self.standard_error
        t = (self.value - mean) / error if error > 0 else inf
        plain = min(abs(t), abs(self._hall(t))) if error > 0 else inf
        deviation = self._deviation(bound)
        if gap <= deviation * error or isinf(deviation):
            return plain
        share = (gap - deviation * error) / (abs(bound - self.value) - deviation * error)
        missed = -2 * self.n * log1p(-share) if share < 1 else inf
        return min(plain, sqrt(deviation**2 + missed))

    def _deviation(self, bound: float) -> float:
        """The part z of the critical value that is left for the usual deviation.

        The share of rows at the bound makes up for the rest.  The farthest mean is reached where
        z^2 - z (bound - value) / error + n = 0; infinite if a share does not help.
        """
        reach, error = abs(bound - self.value), self.standard_error
        inside = reach**2 - 4 * self.n * error**2
        if not isfinite(reach) or inside <= 0 or (error > 0 and not self.extremes):
            return inf
        return 2 * self.n * error / (reach + sqrt(inside))

    def _hall(self, t: float) -> float:
        """Hall's transformation of Student's t, which removes its skewness."""
        a = self.skewness
        return t + a * t * t / 3 + a * a * t**3 / 27 + a / 6

    def _hall_inverse(self, x: float) -> float:
        a = self.skewness
        return x if abs(a) < NO_SKEWNESS else 3 / a * (cbrt(1 + a * (x - a / 6)) - 1)

    def _wilson(self, level: float) -> tuple[float, float]:
        p, n, tail = self.value, self.n, (1 + level) / 2
        critical = NormalDist().inv_cdf(tail)
        if self.standard_error > 0 and 0 < p < 1:
            # so many plain rows would have this standard error
            rows = p * (1 - p) / self.standard_error**2 + 1
            if abs(rows - n) > 1e-6 * n:  # weights or clusters: the error itself is uncertain
                from scipy.special import stdtrit

                n, critical = rows, float(stdtrit(n - 1, tail))
        if not isfinite(critical) or n * n == 0:
            return 0.0, 1.0
        square = critical * critical
        centre = p + square / (2 * n)
        reach = critical * sqrt(max(p * (1 - p), 0.0) / n + square / (4 * n * n))
        # at 0 and 1 the ends are exactly 0 and 1; rounding errors would change that
        low = (centre - reach) / (1 + square / n) if p > 0 else 0.0
        high = (centre + reach) / (1 + square / n) if p < 1 else 1.0
        return max(low, 0.0), min(high, 1.0)
