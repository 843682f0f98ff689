"""The gamma-exponential mixture of Howard, Ramdas, McAuliffe & Sekhon (2021, Proposition 9).

For a sum S of differences with variation V the mixture m(S, V) is a non-negative supermartingale
that starts at 1, an e-process, if the mean is at most 0.  The largest s with m(s, v) <= 1/alpha is
a boundary that S ever crosses with probability at most alpha.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log

import numpy as np

from wager._typing import ArrayLike, Floats

_KNOTS = 256  # boundaries found by bisection, between which others are interpolated
_NEWTON_STEPS = 2  # from four correct digits to all of them
_LEAST_SHARE = 1e-280  # of a gamma distribution; smaller ones lose digits or are 0
_LEVELS = 50  # of a continued fraction: all digits, as the test of it shows


@dataclass(frozen=True)
class MixtureMartingale:
    """One-sided mixture for differences of the given scale, at level alpha.

    Attributes
    ----------
    rho : float
        The location of the mixture: the boundary is tightest at a variation of this order.
    scale : float
        Twice the largest possible size of a difference.
    alpha : float
        The level of the boundary.
    """

    rho: float
    scale: float
    alpha: float

    @classmethod
    def tuned(cls, scale: float, alpha: float, variation: float = 100.0) -> MixtureMartingale:
        """The mixture whose boundary is tightest near this variation (in units of the scale)."""
        odds = 2 * log(1 / (2 * alpha)) if alpha < 0.5 else 0.1
        rho = variation * (scale / 2) ** 2 / (odds + log(1 + odds))
        return cls(rho, scale, alpha)

    def log_value(self, total: ArrayLike, variation: ArrayLike) -> Floats:
        """The logarithm of m(s, v)."""
        from scipy.special import gammainc, gammaln

        c = self.scale
        s, v = np.asarray(total, dtype=float), np.asarray(variation, dtype=float)
        b = (v + self.rho) / c**2
        x = s / c + b
        share = gammainc(b, np.maximum(x, 0))
        usual = share > _LEAST_SHARE
        if usual.all():
            far = np.array(0.0)
        else:
            far = _log_far_below(b, np.where(usual, 0, x)) - self.rho / c**2
        share, above = np.where(usual, share, 1), np.where(usual, x, 1)
        rest = gammaln(b) + np.log(share) - b * np.log(above) + (c * s + v) / c**2
        return self._constant + np.where(usual, rest, far)

    @property
    def _constant(self) -> float:
        from scipy.special import gammainc

        a = self.rho / self.scale**2
        return a * log(a) - lgamma(a) - log(float(gammainc(a, a)))

    def boundary(self, variation: ArrayLike) -> Floats:
        """The largest s with m(s, v) <= 1/alpha, for all variations at once.

        Many values start from an interpolation between a few and are refined by Newton's method.
        """
        v = np.asarray(variation, dtype=float)
        if v.size <= 2 * _KNOTS:
            return self._bisected(v)
        # the boundary is smooth in v + rho: nearly straight on two logarithmic scales
        grid = np.geomspace(v.min() + self.rho, v.max() + self.rho, _KNOTS)
        known = np.log(self._bisected(grid - self.rho))
        s = np.exp(np.interp(np.log(v + self.rho), np.log(grid), known))
        for _ in range(_NEWTON_STEPS):
            s -= self._newton_step(s, v)
        return s

    def _bisected(self, v: Floats) -> Floats:
        wanted = log(1 / self.alpha)
        low = np.zeros(v.shape)
        # Bernstein's bound is tighter by at most this factor
        high = 4 * (np.sqrt(2 * (v + self.rho) * wanted) + self.scale * (wanted + 2))
        while (short := self.log_value(high, v) < wanted).any():
            high = np.where(short, 2 * high, high)
        for _ in range(60):
            middle = (low + high) / 2
            inside = self.log_value(middle, v) < wanted
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        return high

    def _newton_step(self, s: Floats, v: Floats) -> Floats:
        """(log m - log(1/alpha)) over the slope of log m in s."""
        from scipy.special import gammainc, gammaln

        c = self.scale
        b = (v + self.rho) / c**2
        x = b + s / c
        log_gamma, share, log_x = gammaln(b), gammainc(b, x), np.log(x)
        excess = self._constant + log_gamma + np.log(share) - b * log_x + (x - self.rho / c**2)
        density = np.exp((b - 1) * log_x - x - log_gamma)
        slope = (density / share - b / x + 1) / c
        return (excess - log(1 / self.alpha)) / slope


def _log_far_below(b: Floats, x: Floats) -> Floats:
    """The logarithm of exp(x) times the integral of u^(b-1) exp(-x u) from 0 to 1, for x below b.

    A continued fraction of the incomplete gamma function, which is not defined for negative x.
    """
    rest = np.zeros(np.shape(x))
    for k in range(_LEVELS, 0, -1):
        rest = k * x / (b + k - x + rest)
    return -np.log(b - x + rest)
