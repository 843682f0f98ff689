"""A measure of a partition with its standard error and confidence interval."""

from __future__ import annotations

from dataclasses import dataclass

from wager._tables import ComparedFields, ViewedFields, real_number
from wager._visible import brief


@dataclass(frozen=True, eq=False, repr=False)
class PartitionEstimate(ComparedFields, ViewedFields):
    """A measure of a partition, with the uncertainty that a finite test set leaves.

    The quantity estimated is the measure of the partition of the whole population, with the scaling
    fitted on the population too; for new objects (`MeasuredPartition`), with the scaling that was
    learnt.  Rows are treated as independent.

    Parameters
    ----------
    value : float
        The measure of the test set.
    standard_error : float
        Its standard error, NaN for fewer than two rows.
    n : int
        The number of rows with a positive weight.
    effective_n : float
        The number of independent rows whose share of errors would be known equally well.
    bias : float
        How much too large the value is expected to be, because the scaling was fitted on the same
        rows; the interval reaches further down by as much.
    least : float
        The smallest possible value; the largest is 1.

    Examples
    --------
    >>> estimate = PartitionEstimate(0.9, 0.03, n=100, effective_n=100.0, bias=0.0, least=0.0)
    >>> [round(end, 3) for end in estimate.interval()]
    [0.824, 0.951]
    """

    value: float
    standard_error: float
    n: int
    effective_n: float
    bias: float
    least: float

    def __float__(self) -> float:
        return self.value

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence interval for the measure of the population, within the possible range.

        The exact binomial interval of Clopper & Pearson for ``effective_n`` rows, as Korn &
        Graubard (1998) use it for complex samples, on the scale from the smallest possible value to
        1.  Its width is positive even if no row is assigned to a wrong class.

        Parameters
        ----------
        level : float, default=0.95
            The confidence level, between 0 and 1.
        """
        if not 0 < real_number(level, "level") < 1:
            raise ValueError(f"level must be between 0 and 1, got {brief(level)}")
        if self.n < 2:
            return self.least, 1.0
        from scipy.special import betaincinv

        span, tail = 1 - self.least, (1 - level) / 2
        fewest, most = (
            self.effective_n * min(max((1 - self.value + bias) / span, 0.0), 1.0)
            for bias in (min(self.bias, 0.0), max(self.bias, 0.0))
        )
        low = betaincinv(fewest, self.effective_n - fewest + 1, tail) if fewest > 0 else 0.0
        rest = self.effective_n - most
        high = betaincinv(most + 1, rest, 1 - tail) if rest > 0 else 1.0
        return float(1 - span * high), float(1 - span * low)
