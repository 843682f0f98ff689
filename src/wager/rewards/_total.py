"""The distribution of the total reward of several bets.

Rewards are 0 and 1/k, so totals lie on a grid whose step is one over the least common multiple of
the sizes.  The distribution of the sum of m independent rewards is the m-th convolution power.  It
is computed with the characteristic function, on the part of the grid that has all but 1e-20 of the
probability.  If that part is too long, rewards are rounded to a coarser grid in a way that keeps
their mean.
"""

from __future__ import annotations

from math import ceil, floor, lcm, sqrt
from typing import NamedTuple

import numpy as np

from wager._typing import Array, Floats, Ints

MOST_POINTS = 50_000_000  # the longest exact grid
ROUNDED_POINTS = 1 << 19  # the length of a rounded one
_LOG_TAIL = 50.0  # totals outside the window have probability below 2 exp(-50)


class TotalLaw(NamedTuple):
    """Totals ``start, start + step, ...`` and their probabilities, up to rounding errors.

    `added_variance` is the variance that rounding to a coarser grid adds (0 on an exact grid).
    """

    start: float
    step: float
    chance: Floats
    added_variance: float

    @property
    def totals(self) -> Floats:
        """The totals, ascending."""
        return self.start + self.step * np.arange(len(self.chance), dtype=np.float64)


def reach_of_total(chance: Floats, rewards: Floats, m: int) -> float:
    """How far the total of m rewards in [0, 1] can be from its mean (Bernstein's inequality)."""
    mean = float(chance @ rewards)
    variance = m * float(chance @ (rewards - mean) ** 2)
    return _LOG_TAIL / 3 + sqrt(_LOG_TAIL**2 / 9 + 2 * _LOG_TAIL * variance)


def law_of_total(sizes: Ints, chance: Floats, m: int) -> TotalLaw:
    """The distribution of the total of m bets.

    Parameters
    ----------
    sizes : array of int
        Sizes of the sets that hit; 0 stands for a miss.
    chance : array of float
        Their probabilities.
    m : int
        The number of bets.
    """
    rewards = np.divide(1.0, sizes, out=np.zeros(len(sizes)), where=sizes > 0)
    span = min(float(m), 2 * reach_of_total(chance, rewards, m))
    least_step = lcm(*(int(k) for k in sizes if k > 0))
    if span * least_step < MOST_POINTS:
        places = np.array([least_step // int(k) if k else 0 for k in sizes], dtype=np.int64)
        first, law = _convolution_power(places, chance, m, ceil(span * least_step) + 1)
        return TotalLaw(first / least_step, 1 / least_step, law, 0.0)
    step = span / ROUNDED_POINTS
    below = np.floor(rewards / step)
    part = rewards / step - below
    # dividing a reward between two neighbouring points keeps its mean but adds variance
    places = np.concatenate([below, below + 1]).astype(np.int64)
    masses = np.concatenate([chance * (1 - part), chance * part])
    added = m * step**2 * float(chance @ (part * (1 - part)))
    reach = 2 * reach_of_total(chance, rewards, m) + 2 * sqrt(2 * _LOG_TAIL * added)
    first, law = _convolution_power(places, masses, m, ceil(reach / step) + 1)
    return TotalLaw(first * step, step, law, added)


def _convolution_power(places: Ints, masses: Floats, m: int, length: int) -> tuple[int, Floats]:
    """First place and probabilities of the sum of m independent places, on a window of `length`."""
    from scipy.fft import irfft, next_fast_len

    mean = float(masses @ places)
    centre = round(mean)  # small phases keep the powers accurate
    offsets = places - centre
    lowest, highest = m * int(offsets.min()), m * int(offsets.max())
    length = min(length, highest - lowest + 1)
    start = min(max(floor(m * (mean - centre)) - length // 2, lowest), highest - length + 1)
    n = next_fast_len(length, real=True)
    spectrum = np.empty(n // 2 + 1, dtype=np.complex128)
    for begin in range(0, len(spectrum), 1 << 16):
        f = np.arange(begin, min(begin + (1 << 16), len(spectrum)))
        spectrum[f] = _power_of_characteristic(f, offsets, masses, m, n) * np.exp(
            2j * np.pi / n * (f * (start % n) % n)
        )
    return m * centre + start, irfft(spectrum, n)[:length]


def _power_of_characteristic(f: Ints, offsets: Ints, masses: Floats, m: int, n: int) -> Array:
    """φ(f)^m with φ(f) = Σ mass exp(-2πi f offset / n), through log φ = log1p(φ - 1)."""
    less_one, imaginary = np.zeros(len(f)), np.zeros(len(f))
    for offset, mass in zip(offsets, masses, strict=True):
        half = np.pi / n * (f * (int(offset) % n) % n)
        sine = np.sin(half)
        less_one -= 2 * mass * sine**2
        imaginary -= 2 * mass * sine * np.cos(half)
    squared_modulus = less_one * (2 + less_one) + imaginary**2
    with np.errstate(divide="ignore"):  # a zero of the characteristic function stays a zero
        size = np.exp(m / 2 * np.log1p(np.maximum(squared_modulus, -1.0)))
    return size * np.exp(1j * m * np.arctan2(imaginary, 1 + less_one))


def binomial_law(m: int, p: float) -> tuple[int, Floats] | None:
    """The binomial distribution around its mean, and its first value; None if it is too long.

    The probabilities are computed from the ratios of neighbours, so that they are as accurate for
    a million trials as for ten.
    """
    reach = reach_of_total(np.array([1 - p, p]), np.array([0.0, 1.0]), m)
    low, high = max(0, floor(m * p - reach)), min(m, ceil(m * p + reach))
    if high - low >= MOST_POINTS:
        return None
    wins = np.arange(low + 1, high + 1, dtype=np.float64)
    logs = np.concatenate(([0.0], np.cumsum(np.log((m - wins + 1) / wins * (p / (1 - p))))))
    law = np.exp(logs - logs.max())
    return low, law / law.sum()
