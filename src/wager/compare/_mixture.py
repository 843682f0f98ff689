"""The gamma-exponential mixture of Howard, Ramdas, McAuliffe & Sekhon (2021, Proposition 9).

For a sum S of differences with variation V the mixture m(S, V) is, when the mean is at most 0, a
non-negative supermartingale that starts at 1: an e-process.  The largest s with m(s, v) <= 1/alpha
is a boundary that S crosses, ever, with probability at most alpha.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log

import numpy as np

from wager._typing import ArrayLike, Floats


@dataclass(frozen=True)
class Mixture:
    """One-sided mixture for differences of the given scale, at level alpha.

    Attributes
    ----------
    rho : float
        Where the mixture puts its weight: the boundary is tightest at a variation of that order.
    scale : float
        Twice the largest possible size of a difference.
    alpha : float
        The level of the boundary.
    """

    rho: float
    scale: float
    alpha: float

    @classmethod
    def tuned(cls, scale: float, alpha: float, variation: float = 100.0) -> Mixture:
        """The mixture whose boundary is tight about the given variation (in units of the scale)."""
        odds = 2 * log(1 / (2 * alpha)) if alpha < 0.5 else 0.1
        rho = variation * (scale / 2) ** 2 / (odds + log(1 + odds))
        return cls(rho, scale, alpha)

    def log_value(self, total: ArrayLike, variation: ArrayLike) -> Floats:
        """The logarithm of m(s, v); minus infinity where all weight has gone."""
        from scipy.special import gammainc, gammaln

        c = self.scale
        s, v = np.asarray(total, dtype=float), np.asarray(variation, dtype=float)
        a = self.rho / c**2
        b = (v + self.rho) / c**2
        x = np.maximum((c * s + v + self.rho) / c**2, 0)
        constant = a * log(a) - lgamma(a) - float(np.log(gammainc(a, a)))
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = gammaln(b) + np.log(gammainc(b, x)) - b * np.log(x) + (c * s + v) / c**2
        # at x = 0, the edge of what differences can sum to, and where P underflows: no weight left
        return np.where(np.isnan(rest) | (x <= 0), -np.inf, constant + rest)

    def boundary(self, variation: ArrayLike) -> Floats:
        """The largest s with m(s, v) <= 1/alpha, by bisection on all variations at once."""
        v = np.asarray(variation, dtype=float)
        wanted = log(1 / self.alpha)
        low = np.zeros(v.shape)
        # Bernstein's bound is never tighter by more than this factor
        high = 4 * (np.sqrt(2 * (v + self.rho) * wanted) + self.scale * (wanted + 2))
        while (short := self.log_value(high, v) < wanted).any():
            high = np.where(short, 2 * high, high)
        for _ in range(60):
            middle = (low + high) / 2
            inside = self.log_value(middle, v) < wanted
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        return high
