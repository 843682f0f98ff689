"""Gibbs sampler for the hierarchical model of Corani, Benavoli, Demšar, Mangili & Zaffalon (2017).

Differences of data set i over its n_i folds are normal with mean mu_i, standard deviation sigma_i
and correlation rho.  Then the fold mean is normal around mu_i with variance
sigma_i^2 (rho + (1-rho)/n_i), and the squares within are sigma_i^2 (1-rho) times chi-square: two
numbers a data set suffice.  The means are mu_i ~ Student t(mu_0, sigma_0, nu), written as normals
with Gamma weights, so that every conditional but those of nu and its hyper-parameters is a standard
law.  Priors as in the paper and in its authors' program, on differences scaled by their mean
standard deviation: mu_0 uniform up to 1 beyond the largest mean, sigma_0 and sigma_i uniform up to
1000 times the observed spread, nu - 1 ~ Gamma(alpha, beta) with alpha uniform on (0.5, 5) and beta
uniform on (0.05, 0.15).  With nu above 1 a few data sets without any difference cannot draw the
law into a spike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from wager._typing import Floats

_ALPHA, _BETA = (0.5, 5.0), (0.05, 0.15)
_MOST = 1000.0  # the uniform priors of the spreads end at this many times the observed one


@dataclass(frozen=True)
class Chain:
    """Draws of the centre, spread and degrees of freedom, and of every data set's mean."""

    centre: Floats
    spread: Floats
    nu: Floats
    means: Floats

    def areas(self, rope: float) -> Floats:
        """Chances that the next data set's mean is above, in or below the rope, for each draw."""
        from scipy.stats import t as student

        above = student.sf(rope, self.nu, self.centre, self.spread)
        below = student.cdf(-rope, self.nu, self.centre, self.spread)
        return np.stack([above, 1 - above - below, below], axis=1)


def sample_hierarchical(
    data: Sequence[Floats],
    rho: float,
    n_samples: int,
    rng: np.random.Generator,
    rope: float = 0.0,
) -> Chain:
    """Draw from the posterior; a quarter as many draws again are spent on reaching it.

    A data set whose folds are all alike would pin its mean: it gets the spread of differences
    anywhere in the rope, as in the authors' program, and at least a thousandth of the usual one.
    """
    n = np.array([len(d) for d in data])
    spreads = np.array([d.std(ddof=1) for d in data])
    unit = float(spreads.mean()) or 1.0
    mean = np.array([d.mean() for d in data]) / unit
    alike = max(rope / unit / np.sqrt(3), 1e-3)
    within = (n - 1) * np.where(spreads > 1e-12 * unit, spreads / unit, alike) ** 2
    share = rho + (1 - rho) / n  # variance of a fold mean, in units of sigma_i^2
    most_sigma = _MOST * max(float(np.sqrt(within / (n - 1)).mean()), 1e-12)
    most_spread = _MOST * max(float(mean.std(ddof=1)), 1e-6)
    bound = float(np.abs(mean).max() + 1 / unit)

    mu, mu_0 = mean.copy(), float(mean.mean())
    spread_0 = max(float(mean.std(ddof=1)), 1e-3)
    nu, alpha, beta = 10.0, 2.0, 0.1
    burn = n_samples // 4
    centre, spread, freedom = (np.empty(n_samples) for _ in range(3))
    means = np.empty((n_samples, len(data)))
    for step in range(-burn, n_samples):
        rate = within / (2 * (1 - rho)) + (mean - mu) ** 2 / (2 * share)
        variance = _inverse_gamma((n - 1) / 2, rate, most_sigma**2, rng)
        weight = rng.gamma(
            (nu + 1) / 2, 1 / (nu / 2 + (mu - mu_0) ** 2 / (2 * spread_0**2)), len(data)
        )
        precision = 1 / (variance * share) + weight / spread_0**2
        pulled = mean / (variance * share) + mu_0 * weight / spread_0**2
        mu = rng.normal(pulled / precision, 1 / np.sqrt(precision))
        mu_0 = _bounded_normal(
            float((weight @ mu) / weight.sum()),
            spread_0 / float(np.sqrt(weight.sum())),
            (-bound, bound),
            rng,
        )
        rate_0 = np.array([max(float(weight @ (mu - mu_0) ** 2) / 2, 1e-12)])
        shape_0 = np.array([(len(data) - 1) / 2])
        spread_0 = float(np.sqrt(_inverse_gamma(shape_0, rate_0, most_spread**2, rng)[0]))
        # the same two again with the standardised means held instead of the means (Yu & Meng,
        # 2011): where data sets hardly differ, the steps above alone would creep
        z, known = (mu - mu_0) / spread_0, 1 / (variance * share)
        squares = float(known @ z**2)
        spread_0 = _bounded_normal(
            float(known @ (z * (mean - mu_0))) / squares, squares**-0.5, (1e-9, most_spread), rng
        )
        mu_0 = _bounded_normal(
            float(known @ (mean - spread_0 * z) / known.sum()),
            float(known.sum()) ** -0.5,
            (-bound, bound),
            rng,
        )
        mu = mu_0 + spread_0 * z
        nu = _slice(nu, _log_nu(z, alpha, beta), (1.0, 500.0), rng)
        alpha = _slice(alpha, _log_alpha(nu - 1, beta), _ALPHA, rng)
        beta = _slice(beta, _log_beta(nu - 1, alpha), _BETA, rng)
        if step >= 0:
            centre[step], spread[step], freedom[step], means[step] = mu_0, spread_0, nu, mu
    return Chain(centre * unit, spread * unit, freedom, means * unit)


def _inverse_gamma(shape: Floats, rate: Floats, most: float, rng: np.random.Generator) -> Floats:
    """Inverse-Gamma draws below ``most``, by inverting the truncated Gamma of the reciprocal."""
    from scipy.special import gammaincc, gammainccinv

    upper = gammaincc(shape, rate / most)  # P(reciprocal > 1/most)
    return rate / gammainccinv(shape, rng.uniform(size=shape.shape) * upper)


def _bounded_normal(
    mean: float, sd: float, bounds: tuple[float, float], rng: np.random.Generator
) -> float:
    """A normal draw between bounds, by inverting its distribution function."""
    from scipy.special import ndtr, ndtri

    low, high = ((bound - mean) / sd for bound in bounds)
    if low > 0:  # in the lower tail the function keeps its digits
        return -_bounded_normal(-mean, sd, (-bounds[1], -bounds[0]), rng)
    draw = mean + sd * float(ndtri(rng.uniform(ndtr(low), ndtr(high))))
    return min(max(draw, bounds[0]), bounds[1])


def _log_nu(z: Floats, alpha: float, beta: float) -> Callable[[float], float]:
    """Log density of nu given the standardised means, the Gamma weights integrated out."""
    from math import lgamma, log

    def value(nu: float) -> float:
        student = len(z) * (lgamma((nu + 1) / 2) - lgamma(nu / 2) - 0.5 * log(nu))
        return (
            student
            - (nu + 1) / 2 * float(np.log1p(z**2 / nu).sum())
            + ((alpha - 1) * log(max(nu - 1, 1e-300)) - beta * (nu - 1))
        )

    return value


def _log_alpha(excess: float, beta: float) -> Callable[[float], float]:
    from math import lgamma, log

    return lambda alpha: alpha * log(beta * max(excess, 1e-300)) - lgamma(alpha)


def _log_beta(excess: float, alpha: float) -> Callable[[float], float]:
    from math import log

    return lambda beta: alpha * log(beta) - beta * excess


def _slice(
    x: float,
    log_density: Callable[[float], float],
    bounds: tuple[float, float],
    rng: np.random.Generator,
) -> float:
    """One step of slice sampling on a bounded interval, shrinking from the whole (Neal, 2003)."""
    height = log_density(x) - rng.exponential()
    low, high = bounds
    while True:
        new = float(rng.uniform(low, high))
        if log_density(new) >= height:
            return new
        if new < x:
            low = new
        else:
            high = new
