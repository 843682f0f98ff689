"""Intervals of numbers, as NumPy and as SQL: those between cuts, and many fine bins.

A column with too many distinct numbers is counted by fine bins.  A sample of the rows gives 256
intervals with about equally many rows, and each of these is divided into 256 bins of equal width.
Every bin remembers the least and the largest number in it, so a cut between two bins lies exactly
where it would lie if all numbers had been counted.  Cuts *within* a bin are not considered: the
nearest one that is considered is less than one bin of rows away, about 1 in 65,536 where the
numbers spread evenly within an interval, and in the worst case about 1 in 256.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wager._typing import Floats, Ints

__all__ = ["FineBins", "interval_sql"]

INTERVALS = 256  # of about equally many rows
PARTS = 256  # of equal width, of each interval
_LARGEST = 1e300  # a scale that is not infinite


@dataclass(frozen=True, eq=False)
class FineBins:
    """At most 65,536 bins of numbers, in ascending order.

    Attributes
    ----------
    edges : ndarray
        The ends of the intervals, ascending.  Numbers outside belong to the first or last bin.

    Examples
    --------
    >>> FineBins(np.array([0.0, 1.0, 10.0])).number(np.array([-5.0, 0.5, 1.0, 99.0])).tolist()
    [0, 128, 256, 511]
    """

    edges: Floats

    @classmethod
    def of_sample(cls, sample: Floats) -> FineBins:
        """The bins for a column of which some numbers are known."""
        return cls(np.unique(np.quantile(sample, np.linspace(0, 1, INTERVALS + 1))))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FineBins) and np.array_equal(self.edges, other.edges)

    __hash__ = None  # type: ignore[assignment]

    @property
    def _scales(self) -> Floats:
        with np.errstate(divide="ignore", over="ignore"):
            return np.minimum(PARTS / np.diff(self.edges), _LARGEST)

    def number(self, values: Floats) -> Ints:
        """The bin of each number."""
        interval = np.searchsorted(self.edges[1:-1], values, side="right")
        part = np.floor((values - self.edges[interval]) * self._scales[interval])
        return interval * PARTS + np.clip(part, 0, PARTS - 1).astype(np.int64)

    def sql(self, value: str) -> str:
        """The bin of a number, in SQL."""
        parts = [
            f"{i * PARTS} + CAST(greatest(least(floor(({value} - {_literal(edge)}) * "
            f"{_literal(scale)}), {PARTS - 1}), 0) AS INTEGER)"
            for i, (edge, scale) in enumerate(zip(self.edges[:-1], self._scales, strict=True))
        ]
        return _choose(value, self.edges[1:-1], parts, "<")


def interval_sql(value: str, cuts: Floats) -> str:
    """The number of cuts below a number, in SQL.

    Examples
    --------
    >>> interval_sql("x", np.array([2.5]))
    'CASE WHEN x <= 2.5::DOUBLE THEN 0 ELSE 1 END'
    """
    return _choose(value, cuts, [str(code) for code in range(len(cuts) + 1)], "<=")


def _choose(value: str, cuts: Floats, choices: list[str], below: str) -> str:
    """The choice of the interval in which a number lies, by bisection."""
    if not len(cuts):
        return choices[0]
    middle = len(cuts) // 2
    left = _choose(value, cuts[:middle], choices[: middle + 1], below)
    right = _choose(value, cuts[middle + 1 :], choices[middle + 1 :], below)
    return f"CASE WHEN {value} {below} {_literal(cuts[middle])} THEN {left} ELSE {right} END"


def _literal(number: float) -> str:
    """A number in SQL, to the last bit."""
    return f"{float(number)!r}::DOUBLE"
