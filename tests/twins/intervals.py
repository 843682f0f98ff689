"""Intervals of means, of paired differences and of break-even points, from their definitions."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from tests.twins.beta import student_quantile
from tests.twins.exact import END, Pair, bisect, decimal, ln, root, sets, simplex
from tests.twins.set_measures import quadratic, values
from wager import PairedTally, break_even, evaluate_probabilities, evaluate_sets

F = Fraction
UNSEEN = Decimal("1e-7")  # rows at the end of the range, of which none was observed
LEVELS = (0.9, 0.95, 0.99)


# -- means with a known range ----------------------------------------------------------------------


class Tilted(NamedTuple):
    """Scores in units of their range, and how often each occurred."""

    x: list[Decimal]
    counts: list[int]

    @property
    def n(self) -> int:
        """The number of rows."""
        return sum(self.counts)

    @property
    def mean(self) -> Decimal:
        """The observed mean."""
        return sum(x * c for x, c in zip(self.x, self.counts, strict=True)) / self.n

    def under(self, log_s: Decimal) -> tuple[Decimal, Decimal]:
        """The mean m0 of the distribution n_j / (x_j + s), and how far it is from the data.

        The smaller one of the score statistic and of the likelihood ratio.
        """
        s, n = log_s.exp(), self.n
        share = [Decimal(c) / (n + UNSEEN) for c in self.counts] + [UNSEEN / (n + UNSEEN)]
        x = [*self.x, Decimal(0)]
        weight = [a / (b + s) for a, b in zip(share, x, strict=True)]
        p = [v / sum(weight) for v in weight]
        m0 = sum(a * b for a, b in zip(p, x, strict=True))
        variance = sum(a * (b - m0) ** 2 for a, b in zip(p, x, strict=True))
        score = n * (self.mean - m0) ** 2 / variance
        ratio = -2 * n * sum(b * ln(a / b) for a, b in zip(p, share, strict=True))
        return m0, min(score, ratio)


def tilted(scores: list[Any], low: Any, high: Any, *, from_above: bool) -> Tilted:
    """The scores as distances from one end of their range."""
    ends = decimal(low), decimal(high)
    found: dict[Decimal, int] = {}
    for score in scores:
        x = (ends[1] - decimal(score) if from_above else decimal(score) - ends[0]) / (
            ends[1] - ends[0]
        )
        found[x] = found.get(x, 0) + 1
    return Tilted(list(found), list(found.values()))


def end_of(scores: list[Any], low: Any, high: Any, level: float, *, from_above: bool) -> Decimal:
    """The end of the interval: the last mean that is not rejected."""
    sample = tilted(scores, low, high, from_above=from_above)
    distance = Decimal(0)
    if sample.mean > 0:
        limit = Decimal(NormalDist().inv_cdf((1 + level) / 2)) ** 2
        log_s = bisect(lambda t: limit - sample.under(t)[1], -60, 20)
        distance = sample.under(log_s)[0] * (decimal(high) - decimal(low))
    return decimal(high) - distance if from_above else decimal(low) + distance


def statistic_at(scores: list[Any], low: Any, high: Any, at: Any) -> Decimal:
    """How far a mean is from the data, which is 0 if it is the observed one."""
    mean = sum(decimal(x) for x in scores) / len(scores)
    sample = tilted(scores, low, high, from_above=mean < decimal(at))
    goal = abs(decimal(at) - decimal(high if mean < decimal(at) else low)) / (
        decimal(high) - decimal(low)
    )
    log_s = bisect(lambda t: sample.under(t)[0] - goal, -60, 20)
    return sample.under(log_s)[1]


def bounded_means(rng: random.Random) -> Iterator[Pair]:
    """Both ends of intervals of means of sets."""
    n, k = rng.choice([1, 3, 10, 60]), rng.randrange(2, 5)
    y = [rng.randrange(k) for _ in range(n)]
    matrix = sets(rng, n, k)
    level = rng.choice(LEVELS)
    rows = [(sum(row), row[t]) for t, row in zip(y, matrix, strict=True)]
    exact = values(rows, k)
    found = evaluate_sets(y, np.array(matrix), ("u65", "f1"), classes=range(k)).estimates
    for name in ("coverage", "discounted_accuracy", "u65", "f1"):
        if name not in found:
            continue
        ends = found[name].interval(level)
        for said, from_above in zip(ends, (False, True), strict=True):
            end = end_of(exact[name], 0, 1, level, from_above=from_above)
            yield Pair(f"interval of {name}", said, end, 1, END)


def joint_case(rng: random.Random) -> tuple[Any, ...]:
    """The tally of two classifiers on the same rows, and the rewards of both."""
    n, k = rng.choice([2, 6, 20, 60]), rng.randrange(2, 5)
    y = [rng.randrange(k) for _ in range(n)]
    both = [sets(rng, n, k), sets(rng, n, k)]
    if rng.random() < 0.7:  # a cautious one that is often right, and one that names one class
        for t, first, second in zip(y, *both, strict=True):
            hit = rng.random() < 0.95
            other = (t + 1) % k
            first[:] = [i in (t, other) if hit else i == other for i in range(k)]
            guess = t if rng.random() < 0.65 else other
            second[:] = [i == guess for i in range(k)]
    paired = PairedTally.of(y, *(np.array(m) for m in both), classes=range(k))
    rewards = [
        [F(int(row[t]), sum(row)) if any(row) else F(0) for t, row in zip(y, matrix, strict=True)]
        for matrix in both
    ]
    return paired, rewards, n


def differences(rng: random.Random) -> Iterator[Pair]:
    """Mean, variance, standard error, interval and p-value of paired differences."""
    paired, rewards, n = joint_case(rng)
    level, q = rng.choice(LEVELS), rng.choice([F(1, 2), F(65, 100), F(3, 4)])
    gaps = [quadratic(q, a) - quadratic(q, b) for a, b in zip(*rewards, strict=True)]
    found = paired.difference(float(q))
    mean = sum(gaps) / n
    yield Pair("paired difference", found.mean, mean, 1)
    square = sum((gap - mean) ** 2 for gap in gaps)
    yield Pair("variance of a paired difference", found.variance, square / n, F(1, 100))
    yield Pair(
        "standard error of a paired difference",
        found.standard_error,
        root(square / (n - 1) / n),
        F(1, 1000),
        1e-9,
    )
    for said, from_above in zip(found.interval(level), (False, True), strict=True):
        end = end_of(gaps, -1, 1, level, from_above=from_above)
        yield Pair("interval of a paired difference", said, end, 1, END)
    if abs(mean) > F(1, 10**6):
        statistic = float(statistic_at(gaps, -1, 1, 0))
        yield Pair(
            "p-value of a paired difference", found.p, math.erfc(math.sqrt(statistic / 2)), 1, END
        )


def break_even_points(rng: random.Random) -> Iterator[Pair]:
    """The u(0.5) at which both earn the same, and where the data distinguish them."""
    paired, rewards, n = joint_case(rng)
    alpha = rng.choice([0.1, 0.05])

    def gaps(q: Any) -> list[Any]:
        return [quadratic(q, a) - quadratic(q, b) for a, b in zip(*rewards, strict=True)]

    at_ends = [gaps(F(1, 2)), gaps(F(1))]
    low, high = (sum(part) / n for part in at_ends)
    found = break_even(paired, confidence=1 - alpha)
    small = F(1, 10**6)
    if abs(low) > small and abs(high) > small:
        if low * high > 0:
            yield Pair("break-even", math.nan if found.value is None else found.value, None)
        else:
            exact = F(1, 2) + F(1, 2) * low / (low - high)
            yield Pair("break-even", found.value, exact, 0, END)
    if found.interval is None or found.is_draw:
        return
    limit = critical(at_ends, alpha)
    for end in found.interval:
        if 0.5 < end < 1 and limit is not None:
            # at the end the test just rejects; nearby the statistic may change quickly
            near = [statistic_at(gaps(F(end) + F(i, 10**9)), -1, 1, 0) for i in (-1, 0, 1)]
            most = max(END * limit, float(max(near) - min(near)))
            yield Pair("interval of a break-even", near[1], limit, limit, most / limit)


def critical(at_ends: list[list[Any]], alpha: float) -> float | None:
    """The critical value for all attitudes together, by Naiman's (1986) bound, squared."""
    units = []
    for part in at_ends:
        mean = sum(part) / len(part)
        away = [decimal(x - mean) for x in part]
        length = root(sum(x * x for x in away))
        if length == 0:
            return None
        units.append([x / length for x in away])
    chord = root(sum((a - b) ** 2 for a, b in zip(*units, strict=True)))
    angle = 2 * math.asin(min(float(chord) / 2, 1.0))
    low, high = 0.0, 40.0
    for _ in range(200):
        c = (low + high) / 2
        tail = math.erfc(c / math.sqrt(2)) + angle / math.pi * math.exp(-c * c / 2)
        low, high = (c, high) if tail > alpha else (low, c)
    return low * low


# -- means with a standard error -------------------------------------------------------------------


def end_from_error(estimate: Any, critical: float) -> Decimal:
    """Student's end, extended by Hall's (1992) and by rows at the end of the range."""
    value, error, n = (decimal(x) for x in (estimate.value, estimate.standard_error, estimate.n))
    a, t = decimal(estimate.skewness), decimal(critical)
    bound = decimal(estimate.largest if critical > 0 else estimate.lowest)
    farther = max if critical > 0 else min
    hall = -t
    if abs(a) >= Decimal("1e-9"):
        cube = 1 + a * (-t - a / 6)
        third = Decimal(0) if cube == 0 else (abs(cube).ln() / 3).exp().copy_sign(cube)
        hall = 3 / a * (third - 1)
    end = farther(value + t * error, value - error * hall)
    if bound.is_finite():
        reach = abs(bound - value)
        inside = reach**2 - 4 * n * error**2
        z = 2 * n * error / (reach + inside.sqrt()) if inside > 0 else None
        if z is not None and z < abs(t):
            share = 1 - ((z**2 - t**2) / (2 * n)).exp()
            shifted = value + z.copy_sign(t) * error
            end = farther(end, shifted + share * (bound - shifted))
    lowest, largest = decimal(estimate.lowest), decimal(estimate.largest)
    return min(max(end, min(lowest, value)), max(largest, value))


def wilson(p: Decimal, n: Decimal, critical: float) -> tuple[Decimal, Decimal]:
    """Wilson's interval of a proportion of equal rows."""
    z = Decimal(critical)
    centre = p + z * z / (2 * n)
    reach = z * (p * (1 - p) / n + z * z / (4 * n * n)).sqrt()
    return (centre - reach) / (1 + z * z / n), (centre + reach) / (1 + z * z / n)


def estimated_means(rng: random.Random) -> Iterator[Pair]:
    """Both ends of intervals of scores of probabilities."""
    n, k, level = rng.choice([3, 8, 25]), rng.randrange(2, 5), rng.choice(LEVELS)
    y = [rng.randrange(k) for _ in range(n)]
    proba = np.array([simplex(rng, k, 10, positive=True) for _ in range(n)])
    weight = [float(rng.randrange(1, 5)) for _ in range(n)] if rng.random() < 0.3 else None
    found = evaluate_probabilities(y, proba, classes=range(k), sample_weight=weight).estimates
    for name in ("log_loss", "brier", "information_reward"):
        estimate = found[name]
        if not estimate.standard_error > 1e-6:
            continue
        t = student_quantile((1 - level) / 2, estimate.n - 1)
        for said, sign in zip(estimate.interval(level), (-1, 1), strict=True):
            end = end_from_error(estimate, sign * t)
            yield Pair(f"interval of {name}", said, end, abs(end) + 1, END)
    if weight is None:
        accuracy = found["accuracy"]
        exact = wilson(decimal(accuracy.value), Decimal(n), NormalDist().inv_cdf((1 + level) / 2))
        for said, end in zip(accuracy.interval(level), exact, strict=True):
            yield Pair("interval of accuracy", said, end, 1, END)


TOPICS = {
    "intervals of sets": bounded_means,
    "paired differences": differences,
    "break-even points": break_even_points,
    "intervals of probabilities": estimated_means,
}
