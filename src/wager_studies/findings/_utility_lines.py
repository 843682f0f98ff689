"""What classifiers earn on many data sets under all quadratic utilities.

The quadratic utilities of Zaffalon, Corani & Mauá (2012) are linear in ``q = u(0.5)``, so two of
them, u50 and u80, give what a classifier earns on a data set for every q.  Each data set has the
same weight, and the intervals below describe the variation between data sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from wager._typing import ArrayLike, Floats
from wager.compare import (
    BreakEven,
    CurveFacts,
    CurveName,
    RiskProfile,
    break_even_sentence,
    fieller_set,
)

__all__ = ["HIGH", "LOW", "UtilityLines", "without_rounding"]

LOW, HIGH = 0.5, 1.0


@dataclass(frozen=True, eq=False)
class UtilityLines:
    """Expected utility as ``intercept + slope * u(0.5)``, by data set (row) and classifier.

    Examples
    --------
    >>> lines = UtilityLines.of(["sure", "vacuous"], [[0.7, 0.5], [0.6, 0.5]],
    ...                         [[0.7, 0.8], [0.6, 0.8]])
    >>> lines.at(0.65).round(3).tolist()
    [[0.7, 0.65], [0.6, 0.65]]
    >>> round(lines.break_even("vacuous", "sure").value, 3)
    0.65
    """

    names: tuple[str, ...]
    lines: Floats  # (data sets, classifiers, 2)

    @classmethod
    def of(cls, names: Sequence[str], u50: ArrayLike, u80: ArrayLike) -> Self:
        """Fit the lines to what classifiers earn under u50 and u80."""
        low, high = np.asarray(u50, dtype=float), np.asarray(u80, dtype=float)
        slope = (high - low) / 0.3
        return cls(tuple(names), np.stack([low - 0.5 * slope, slope], axis=-1))

    def at(self, q: float) -> Floats:
        """The expected utility of each classifier on each data set for ``u(0.5) = q``."""
        return self.lines @ np.array([1.0, q])

    def gain(self, a: str, b: str, q: float) -> float:
        """How much more the first earns than the second on average for ``u(0.5) = q``."""
        values = self.at(q)
        return float((values[:, self._index(a)] - values[:, self._index(b)]).mean())

    def profile(self, less: str | None = None, n_points: int = 51) -> RiskProfile:
        """The mean over the data sets with its standard error, optionally as a gain over one."""
        grid = np.linspace(LOW, HIGH, n_points)
        lines = self.lines if less is None else self.lines - self.lines[:, [self._index(less)]]
        values = lines @ np.stack([np.ones(n_points), grid])
        n = len(values)
        spread = values.std(axis=0, ddof=1) if n > 1 else np.full(values.shape[1:], np.nan)
        return RiskProfile(
            "quadratic", "u(0.5)", grid, self.names, values.mean(axis=0), spread / np.sqrt(n)
        )

    def break_even(self, a: str, b: str, confidence: float = 0.95) -> BreakEven:
        """Where two earn the same on average, with Fieller's interval over the data sets."""
        gaps = self.lines[:, self._index(a)] - self.lines[:, self._index(b)]
        n, mean = len(gaps), gaps.mean(axis=0)
        covariance = np.cov(gaps, rowvar=False) / n if n > 1 else np.zeros((2, 2))
        interval = fieller_set(mean, covariance, n, confidence, (LOW, HIGH))
        crossing = -mean[0] / mean[1] if abs(mean[1]) > 1e-12 else np.nan
        value = float(crossing) if LOW <= crossing <= HIGH else None

        first, last = (
            0
            if interval is not None and interval[0] <= end <= interval[1]
            else int(np.sign(mean[0] + mean[1] * end))
            for end in (LOW, HIGH)
        )
        middle = int(np.sign(mean[0] + mean[1] * (LOW + HIGH) / 2))
        facts = CurveFacts([] if value is None else [value], interval, first, last, middle)
        curve = CurveName("u(0.5)", (LOW, HIGH), (a, b), "earn", confidence)
        return BreakEven(value, interval, break_even_sentence(facts, curve))

    def best(self) -> list[tuple[float, float, str]]:
        """The ranges of u(0.5), each with the classifier that earns most on average in it."""
        profile = self.profile(n_points=501)
        ahead = profile.best()
        turns = [0, *(i for i in range(1, len(ahead)) if ahead[i] != ahead[i - 1]), len(ahead)]
        ends = [float(profile.grid[min(i, len(ahead) - 1)]) for i in turns]
        return [
            (ends[k], ends[k + 1], ahead[start]) for k, start in enumerate(turns[:-1])
        ]  # fmt: skip

    def _index(self, name: str) -> int:
        return self.names.index(name)


def without_rounding(gaps: Floats) -> Floats:
    """The differences, with rounding errors replaced by 0."""
    return np.where(np.abs(gaps) < 1e-12, 0.0, gaps)
