"""The cost of sets as the strength s grows, with tests over the folds.

Yang, Destercke & Masson (2017), Section VII-C, read minima off curves.  Here every statement about
a curve is tested: differences between two strengths by the corrected t test over the folds, with
the best s chosen on the other folds, so that the choice does not flatter it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from wager._typing import Floats
from wager.compare import corrected_t

__all__ = ["ALL_STRENGTHS", "LAST", "STRENGTHS", "TUNED", "Curves", "Gap", "R", "gap_of"]

LAST = 10.0  # the largest s of Figure 3
STRENGTHS = [float(f"{s:.3g}") for s in np.geomspace(0.001, LAST, 25)]  # the range of Figure 3
# twice as fine where the minima are, and ten times as far, to see what lies beyond s = 10
ALL_STRENGTHS = sorted({*STRENGTHS, *(float(f"{s:.3g}") for s in np.geomspace(0.1, 100, 37))})
R = (0.0, 0.1, 0.5, 0.9, 1.0)
TUNED = R[1:-1]  # with r = 0 the smallest s is best, with r = 1 the largest
LEVEL = 0.05


class Gap(NamedTuple):
    """A mean difference over the folds, its 95% interval and its p value."""

    mean: float
    low: float
    high: float
    p: float

    def __str__(self) -> str:
        return f"{self.mean:+.4f} ({self.low:+.4f} to {self.high:+.4f})"


def gap_of(differences: Floats) -> Gap:
    """The corrected t test of differences by fold; ten folds train on nine times the test rows."""
    mean = float(differences.mean())
    if np.ptp(differences) < 1e-12:
        return Gap(mean, mean, mean, 1.0 if abs(mean) < 1e-12 else 0.0)
    test = corrected_t(differences, n_train=9, n_test=1)
    return Gap(mean, *test.interval, test.p)


@dataclass(frozen=True)
class Curves:
    """The average cost on one data set.

    Attributes
    ----------
    strengths : array of shape (n_strengths,)
    costs : dict of str to array of shape (n_r, n_strengths)
        Over all rows, by mode.
    splits : dict of str to array of shape (n_r, n_strengths, n_splits)
        In each fold of each run, by mode.
    """

    strengths: Floats
    costs: dict[str, Floats]
    splits: dict[str, Floats]

    def printed(self) -> Curves:
        """The part up to the largest s of Figure 3."""
        kept = self.strengths <= LAST
        return Curves(
            self.strengths[kept],
            {mode: costs[:, kept] for mode, costs in self.costs.items()},
            {mode: splits[:, kept] for mode, splits in self.splits.items()},
        )

    def best(self, mode: str, r: float) -> float:
        """The s with the smallest cost."""
        return float(self.strengths[self.costs[mode][R.index(r)].argmin()])

    def fall_and_rise(self, mode: str, r: float) -> tuple[Gap, Gap]:
        """How much the cost falls to its minimum, and rises after it.

        In each fold, the minimum is at the s that is best on the other folds.
        """
        splits = self.splits[mode][R.index(r)]
        total = splits.sum(axis=1, keepdims=True)
        chosen = (total - splits).argmin(axis=0)  # on the other folds, one s per fold
        least = splits[chosen, np.arange(splits.shape[1])]
        return gap_of(splits[0] - least), gap_of(splits[-1] - least)

    def plausible(self, mode: str, r: float) -> tuple[float, float]:
        """The smallest and largest s whose cost is not significantly above the smallest cost."""
        splits = self.splits[mode][R.index(r)]
        best = self.costs[mode][R.index(r)].argmin()
        kept = [gap_of(each - splits[best]).low <= 1e-12 for each in splits]
        found = self.strengths[kept]
        return float(found[0]), float(found[-1])

    def steps(self, mode: str, r: float) -> list[Gap]:
        """The difference of each two neighbours on the curve."""
        splits = self.splits[mode][R.index(r)]
        return [gap_of(b - a) for a, b in pairwise(splits)]

    def change_around(self, r: float, s: float, factor: float) -> Gap:
        """How much the price of mistakes, averse minus cautious, grows around s.

        If it grows with s, the mistake-averse minimum is to the left of the cautious one.
        """
        cautious, averse = (self.splits[mode][R.index(r)] for mode in self.splits)
        low, high = (
            np.abs(np.log(self.strengths / (s * f))).argmin() for f in (1 / factor, factor)
        )
        return gap_of((averse - cautious)[high] - (averse - cautious)[low])
