"""One adjustment for all statements about two classifiers: p-values, stars, intervals, advice.

A comparison makes a statement for every risk attitude q = u(0.5) of a range, for each further
utility, and for each pair of classifiers.  Under the hypothesis that a pair earns the same for
everyone, the largest standardised difference over the range exceeds c with probability at most

    2 (1 - Phi(c)) + L / pi * exp(-c^2 / 2)

where L is the length of the curve that the standardised differences describe on the unit sphere
(Naiman, 1986; for a straight line of differences, L is the angle between its two ends).  Each
further utility adds 2 (1 - Phi(c)), and k pairs multiply the whole by k (Bonferroni).  So one
critical value c serves all of them, and the statements cannot contradict each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, pi, sqrt
from statistics import NormalDist

import numpy as np

from wager._tables import ViewedFields
from wager._typing import Floats

_NORMAL = NormalDist()


@dataclass(frozen=True, repr=False)
class Adjustment(ViewedFields):
    """How p-values of single statements become p-values of a report.

    Parameters
    ----------
    length : float, default=0
        The length of the curve of standardised differences, in radians.
    n_single : int, default=1
        Single statements beside the curve; a curve contains one of them.
    n_pairs : int, default=1
        Pairs of classifiers in the report.

    Examples
    --------
    >>> Adjustment().p(0.03)
    0.03
    >>> Adjustment(n_pairs=3).p(0.03)
    0.09
    >>> Adjustment(length=1.0).p(0.03) > 0.03, round(1 - Adjustment(length=1.0).level(0.05), 4)
    (True, 0.0246)
    """

    length: float = 0.0
    n_single: int = 1
    n_pairs: int = 1

    def p(self, p: float) -> float:
        """The adjusted p-value."""
        if p != p:
            return p
        curve = 0.0
        if self.length > 0:
            z = z_value(p)
            curve = self.length / pi * exp(-z * z / 2)
        return min(1.0, self.n_pairs * (self.n_single * p + curve))

    def level(self, alpha: float) -> float:
        """The level of a single interval, so that all statements together have level 1 - alpha."""
        if self.length == 0:
            return 1 - alpha / (self.n_pairs * self.n_single)
        low, high = 0.0, 40.0
        z = z_value(alpha / (self.n_pairs * (self.n_single + 1)))
        for _ in range(60):  # Newton's method within a bracket: the adjusted p-value falls with z
            tail, bell = 2 * _NORMAL.cdf(-z), exp(-z * z / 2)
            curve = self.length / pi * bell
            excess = self.n_pairs * (self.n_single * tail + curve) - alpha
            if abs(excess) < 1e-14:
                break
            low, high = (z, high) if excess > 0 else (low, z)
            slope = -self.n_pairs * (self.n_single * bell * sqrt(2 / pi) + z * curve)
            z -= excess / slope
            z = z if low < z < high else (low + high) / 2
        return 1 - 2 * _NORMAL.cdf(-z)


def z_value(p: float) -> float:
    """The standard normal quantile that a two-sided p-value belongs to.

    Examples
    --------
    >>> round(z_value(0.05), 2)
    1.96
    """
    return -_NORMAL.inv_cdf(max(p, 1e-300) / 2) if p == p else p


def curve_length(chords: Floats) -> float:
    """The length of a curve on the unit sphere, from the distances of neighbouring points.

    Distances are precise for small angles, of which correlations lose half the digits.

    Examples
    --------
    >>> round(curve_length(np.array([0.0, 1.0])), 4)
    1.0472
    """
    return float(2 * np.arcsin(np.clip(chords / 2, 0.0, 1.0)).sum())
