"""Gibbs sampler for the hierarchical model of Corani, Benavoli, Demšar, Mangili & Zaffalon (2017).

Differences of data set i over its n_i folds are normal with mean mu_i, standard deviation sigma_i
and correlation rho.  Then the fold mean is normal around mu_i with variance
sigma_i^2 (rho + (1-rho)/n_i), and the sum of squares within is sigma_i^2 (1-rho) times chi-square:
two numbers per data set suffice.  The means are mu_i ~ Student t(mu_0, sigma_0, nu), written as
normals with Gamma weights, so that every conditional distribution except those of nu and its
hyper-parameters is a standard one.  The priors are those of the paper and of its authors' program,
on differences scaled by their mean standard deviation: mu_0 uniform up to 1 beyond the largest
mean, sigma_0 and sigma_i uniform up to 1000 times the observed spread, nu - 1 ~ Gamma(alpha, beta)
with alpha uniform on (0.5, 5) and beta uniform on (0.05, 0.15).  With nu above 1 a few data sets
without any difference cannot collapse the distribution into a spike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from wager._tables import ROUNDING
from wager._typing import Floats, Ints

_ALPHA, _BETA = (0.5, 5.0), (0.05, 0.15)
_MOST = 1000.0  # the uniform priors of the spreads end at this multiple of the observed spread
_NO_SPREAD = 1e-14  # part of the largest difference: a spread up to this is a rounding error
_LARGEST = 1e12  # units that the rope counts as at most, so that no product overflows


@dataclass(frozen=True)
class Chain:
    """Draws of the centre, spread and degrees of freedom, and of the mean of every data set."""

    centre: Floats
    spread: Floats
    nu: Floats
    means: Floats

    def areas(self, rope: float) -> Floats:
        """Probabilities that the next data set's mean is above, in or below the rope, per draw."""
        from scipy.stats import t as student

        with np.errstate(over="ignore"):  # a rope that is infinitely wide in units of the spread
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
    """Draw from the posterior, after a burn-in of a quarter as many draws."""
    folds = _FoldSummaries.of(data, rho, rope)
    state = _ChainState.start(folds)
    centre, spread, freedom = (np.empty(n_samples) for _ in range(3))
    means = np.empty((n_samples, len(data)))
    for step in range(-(n_samples // 4), n_samples):
        state = _gibbs_step(state, folds, rng)
        if step >= 0:
            centre[step], spread[step] = state.centre, state.spread
            freedom[step], means[step] = state.nu, state.mu
    unit = folds.unit
    return Chain(centre * unit, spread * unit, freedom, means * unit)


class _FoldSummaries(NamedTuple):
    """The data in units of their mean standard deviation, and the bounds of the uniform priors."""

    n: Ints  # folds of each data set
    mean: Floats  # mean difference of each data set
    within: Floats  # sum of squares within each data set
    share: Floats  # variance of a fold mean, in units of sigma_i^2
    rho: float
    unit: float
    most_sigma: float
    most_spread: float
    bound: float  # of the centre

    @classmethod
    def of(cls, data: Sequence[Floats], rho: float, rope: float) -> _FoldSummaries:
        """Summarise the folds of each data set by two numbers.

        A data set with the same difference in all folds would fix its mean exactly.  Instead it
        gets the standard deviation of differences spread evenly over the rope, as in the authors'
        program, and at least a thousandth of the usual one.  If no data set has any spread, the
        largest difference takes the place of the usual one, or 1 if there is no difference.
        """
        n = np.array([len(d) for d in data])
        spreads = np.array([d.std(ddof=1) for d in data])
        largest = max(float(np.abs(d).max()) for d in data)
        unit = float(spreads.mean())
        if unit <= _NO_SPREAD * largest:
            unit = largest or 1.0
        mean = np.array([d.mean() for d in data]) / unit
        constant = min(max(rope / unit / np.sqrt(3), 1e-3), _LARGEST)
        within = (n - 1) * np.where(spreads > ROUNDING * unit, spreads / unit, constant) ** 2
        return cls(
            n,
            mean,
            within,
            share=rho + (1 - rho) / n,
            rho=rho,
            unit=unit,
            most_sigma=_MOST * max(float(np.sqrt(within / (n - 1)).mean()), 1e-12),
            most_spread=_MOST * max(float(mean.std(ddof=1)), 1e-6),
            bound=float(np.abs(mean).max() + 1 / unit),
        )


class _ChainState(NamedTuple):
    """The current draw: the data sets' means, their centre and spread, nu and its parameters."""

    mu: Floats
    centre: float
    spread: float
    nu: float
    alpha: float
    beta: float

    @classmethod
    def start(cls, folds: _FoldSummaries) -> _ChainState:
        """The observed means, and values in the middle of the priors."""
        mean = folds.mean
        return cls(
            mean.copy(), float(mean.mean()), max(float(mean.std(ddof=1)), 1e-3), 10.0, 2.0, 0.1
        )


def _gibbs_step(state: _ChainState, folds: _FoldSummaries, rng: np.random.Generator) -> _ChainState:
    """One round of draws of all unknowns, each given all others."""
    mean, share = folds.mean, folds.share
    mu, mu_0, spread_0, nu = state.mu, state.centre, state.spread, state.nu
    bounds = (-folds.bound, folds.bound)
    rate = folds.within / (2 * (1 - folds.rho)) + (mean - mu) ** 2 / (2 * share)
    variance = _inverse_gamma((folds.n - 1) / 2, rate, folds.most_sigma**2, rng)
    weight = rng.gamma((nu + 1) / 2, 1 / (nu / 2 + (mu - mu_0) ** 2 / (2 * spread_0**2)), len(mu))
    precision = 1 / (variance * share) + weight / spread_0**2
    pulled = mean / (variance * share) + mu_0 * weight / spread_0**2
    mu = rng.normal(pulled / precision, 1 / np.sqrt(precision))
    mu_0 = _bounded_normal(
        float((weight @ mu) / weight.sum()), spread_0 / float(np.sqrt(weight.sum())), bounds, rng
    )
    rate_0 = np.array([max(float(weight @ (mu - mu_0) ** 2) / 2, 1e-12)])
    shape_0 = np.array([(len(mu) - 1) / 2])
    spread_0 = float(np.sqrt(_inverse_gamma(shape_0, rate_0, folds.most_spread**2, rng)[0]))
    # the same two again with the standardised means fixed instead of the means (Yu & Meng, 2011):
    # if the data sets hardly differ, the steps above alone would move very slowly
    z, known = (mu - mu_0) / spread_0, 1 / (variance * share)
    # means that all equal their centre leave the spread anywhere below its bound
    squares = max(float(known @ z**2), (1e6 * folds.most_spread) ** -2)
    spread_0 = _bounded_normal(
        float(known @ (z * (mean - mu_0))) / squares, squares**-0.5, (1e-9, folds.most_spread), rng
    )
    mu_0 = _bounded_normal(
        float(known @ (mean - spread_0 * z) / known.sum()), float(known.sum()) ** -0.5, bounds, rng
    )
    nu = _slice(nu, _log_nu(z, state.alpha, state.beta), (1.0, 500.0), rng)
    alpha = _slice(state.alpha, _log_alpha(nu - 1, state.beta), _ALPHA, rng)
    beta = _slice(state.beta, _log_beta(nu - 1, alpha), _BETA, rng)
    return _ChainState(mu_0 + spread_0 * z, mu_0, spread_0, nu, alpha, beta)


def _inverse_gamma(shape: Floats, rate: Floats, most: float, rng: np.random.Generator) -> Floats:
    """Inverse-Gamma draws below ``most``, by inverting the truncated Gamma of the reciprocal."""
    from scipy.special import gammaincc, gammainccinv

    upper = gammaincc(shape, rate / most)  # P(reciprocal > 1/most)
    reciprocal = gammainccinv(shape, rng.uniform(size=shape.shape) * upper)
    # far in the tail, all that is left of the distribution is its end
    return np.where(np.isfinite(reciprocal), rate / reciprocal, most)


def _bounded_normal(
    mean: float, sd: float, bounds: tuple[float, float], rng: np.random.Generator
) -> float:
    """A normal draw between bounds, by inverting its distribution function."""
    from scipy.special import ndtr, ndtri

    low, high = ((bound - mean) / sd for bound in bounds)
    if low > 0:  # mirrored, because the distribution function keeps its digits in the lower tail
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
    """One step of slice sampling on a bounded interval, by shrinkage (Neal, 2003)."""
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
