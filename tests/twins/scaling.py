"""Beta scaling of memberships (Sondhauss & Weihs, 2001, Section 4), and the measures after it.

Moments and rates of the regions are fractions, Beta distributions and their inverses have 50
digits.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from tests.twins.beta import ONE, ZERO, beta_quantile, beta_tails
from tests.twins.exact import END, Pair, as_fractions, average, decimal, root, simplex, weights
from tests.twins.set_measures import FEWEST_UNITS
from wager import standardize

F = Fraction
LEAST_VARIANCE = F(1, 10**4)
# A scaled membership x' has F'(x') = F(x).  In the tails a relative error e of the parameters moves
# it by at most e / 2, in the middle by e times the root of the ratio of both certainties, of which
# one is below 2500 and the other at least 1.  With sums of 30 terms, n / (n - 1) below 101 and the
# subtraction of 1 in c = mean (1 - mean) / variance - 1, e is below 50 * 101 * 2 ** -53 (1 + 1/c).
SCALED = 50 * 50 * 101 * 2.0**-53  # times 1 + 1/c
NEAR = F(1, 10**9)  # rounding decides the case of a region that is closer to its limit

Numbers = list[Fraction]


class Step(NamedTuple):
    """The scaling of one class of the order of a region."""

    mean: Fraction
    variance: Fraction | None
    concentration: Fraction | None
    trials: Fraction
    rate: Fraction | None
    is_shrunken: bool = False

    @property
    def has_spread(self) -> bool:
        """Whether a Beta distribution is fitted."""
        if self.variance is None or self.concentration is None:
            return False
        return self.variance >= LEAST_VARIANCE and self.concentration > 0

    @property
    def is_unclear(self) -> bool:
        """Whether rounding could decide about the case."""
        if self.variance is None or self.concentration is None:
            return False
        away = abs(self.variance / LEAST_VARIANCE - 1), abs(self.concentration)
        return min(away) < NEAR

    def shrunken(self) -> Step:
        """The same with the posterior mean of the rate under Jeffreys' prior."""
        hits = self.trials * (self.rate or 0)
        return self._replace(rate=(hits + F(1, 2)) / (self.trials + 1), is_shrunken=True)

    def apply(self, x: Fraction) -> tuple[Decimal, Decimal]:
        """The scaled value, and 1 minus it."""
        p = self.rate
        if not self.trials or p is None:
            return decimal(x), decimal(1 - x)
        if p in (0, 1):
            return decimal(p), decimal(1 - p)
        if not self.has_spread:
            low, high = (min(x, p), max(x, p)) if self.is_shrunken else (F(0), F(1))
            moved = min(max(x - self.mean + p, low), high)
            return decimal(moved), decimal(1 - moved)
        c = self.concentration
        assert c is not None
        certainty = min(self.trials, c)
        before = decimal(c * self.mean), decimal(c * (1 - self.mean))
        after = decimal(certainty * p), decimal(certainty * (1 - p))
        x_scaled, rest = beta_quantile(*after, *beta_tails(*before, decimal(x), decimal(1 - x)))
        return x_scaled, rest


def kish(w: Numbers) -> Fraction:
    """The number of equal objects that say as much as weighted ones."""
    return sum(w) ** 2 / sum(x * x for x in w) if w else F(0)


def order_of(row: Numbers, depth: int) -> tuple[int, ...]:
    """The classes of the largest memberships, the first one of equal ones first."""
    return tuple(sorted(range(len(row)), key=lambda c: -row[c])[:depth])


def shares(row: Numbers, order: tuple[int, ...]) -> Numbers:
    """What each class of the order takes of what the classes before it leave."""
    found, left = [], set(range(len(row)))
    for c in order:
        rest = sum(row[i] for i in left) if len(left) < len(row) else F(1)
        found.append(row[c] / rest if rest else F(1, len(left)))
        left.remove(c)
    return found


def fitted(
    points: list[Numbers], y: list[int], w: Numbers, depth: int
) -> dict[tuple[int, ...], list[Step]]:
    """The steps of every region."""
    members: dict[tuple[int, ...], list[int]] = {}
    for i, row in enumerate(points):
        members.setdefault(order_of(row, depth), []).append(i)
    found: dict[tuple[int, ...], list[Step]] = {}
    for order, rows in members.items():
        n, total = kish([w[i] for i in rows]), sum(w[i] for i in rows)
        for j, c in enumerate(order):
            x = {i: shares(points[i], order)[j] for i in rows}
            mean = sum(w[i] * x[i] for i in rows) / total
            variance = concentration = None
            if n > 1:
                square = sum(w[i] * (x[i] - mean) ** 2 for i in rows)
                variance = square / (total - total / n)
                concentration = mean * (1 - mean) / variance - 1 if variance else None
            tried = [i for i in rows if y[i] not in order[:j]]
            trials = sum(w[i] for i in tried)
            rate = sum(w[i] for i in tried if y[i] == c) / trials if trials else None
            step = Step(mean, variance, concentration, kish([w[i] for i in tried]), rate)
            found.setdefault(order, []).append(step)
    return found


def scaled(row: Numbers, order: tuple[int, ...], steps: list[Step]) -> list[Decimal]:
    """The scaled memberships of one object."""
    result, remaining = [ZERO] * len(row), ONE
    for c, x, step in zip(order, shares(row, order), steps, strict=True):
        value, rest = step.apply(x)
        result[c], remaining = remaining * value, remaining * rest
    others = [c for c in range(len(row)) if c not in order]
    rest = sum(row[c] for c in others)
    for c in others:
        result[c] = remaining * decimal(row[c] / rest if rest else F(1, len(others)))
    return result


def closeness(rows: list[list[Decimal]], corners: list[int], w: Numbers) -> Decimal:
    """1 - mean distance to the corners / sqrt((G - 1) / G)."""
    k = len(rows[0])
    away = [
        root(sum((x - int(i == c)) ** 2 for i, x in enumerate(row)))
        for row, c in zip(rows, corners, strict=True)
    ]
    return 1 - average(away, w) / root(F(k - 1, k))


def memberships(rng: random.Random, n: int, k: int) -> list[list[float]]:
    """Memberships that are spread, nearly constant, or also 0 and 1."""
    kind = rng.randrange(4)
    if kind == 0:  # certain ones among others
        table = [simplex(rng, k, 4) for _ in range(n)]
        return [[float(i == 0) for i in range(k)] if rng.random() < 0.2 else row for row in table]
    if kind == 1:  # close to each other
        bits = rng.choice([12, 30])
        centre = simplex(rng, k, 6, positive=True)
        table = []
        for _ in range(n):
            moved = rng.randrange(-3, 4) * 2.0**-bits
            table.append([centre[0] + moved, centre[1] - moved, *centre[2:]])
        return table
    return [simplex(rng, k, 10, positive=kind == 2) for _ in range(n)]


def measured(rng: random.Random) -> Iterator[Pair]:
    """Scaled memberships of the fit and of new objects, the measures, and intervals."""
    n, k = rng.choice([4, 12, 30]), rng.randrange(2, 5)
    depth = rng.randrange(1, k)
    given = weights(rng, n)
    w = as_fractions(given, n)
    table = memberships(rng, n, k)
    points = [[F(x) for x in row] for row in table]
    assigned = [order_of(row, 1)[0] for row in points]
    right = rng.choice([0.2, 0.7])
    y = [a if rng.random() < right else rng.randrange(k) for a in assigned]
    steps = fitted(points, y, w, depth)
    every = [step for part in steps.values() for step in part]
    if any(step.is_unclear for step in every):
        return
    orders = [order_of(row, depth) for row in points]
    sizes = [kish([w[i] for i in range(n) if orders[i] == order]) for order in steps]
    if any(1 < size <= FEWEST_UNITS for size in sizes):
        return
    part = standardize(y, np.array(table), classes=range(k), depth=depth, sample_weight=given)
    exact = [scaled(row, order, steps[order]) for row in points for order in [order_of(row, depth)]]
    spread = [step.concentration for step in every if step.has_spread and step.concentration]
    most = SCALED * float(1 + 1 / min(spread)) if spread else SCALED
    for said, row in zip(part.scaled.tolist(), exact, strict=True):
        for a, b in zip(said, row, strict=True):
            yield Pair(f"scaled membership, depth {depth}", a, b, 1, most)
    own_values = [row[a] for row, a in zip(exact, assigned, strict=True)]
    for name, value in (
        ("accuracy", closeness(exact, y, w)),
        ("separation", closeness(exact, assigned, w)),
        ("confidence", average(own_values, w)),
    ):
        yield Pair(f"{name} after scaling", getattr(part, name), value, 1, 2 * k * most)
    for c in range(k):
        mine = [i for i in range(n) if y[i] == c]
        value = average([own_values[i] for i in mine], [w[i] for i in mine])
        said = part.measures.confidence_by_class[c]
        yield Pair("confidence by class after scaling", said, value, 1, most)
    new = memberships(rng, 4, k)
    for rate in ("observed", "jeffreys"):
        found = part.transform(np.array(new), rate=rate)
        for said, values in zip(found.tolist(), new, strict=True):
            row = [F(x) for x in values]
            order = order_of(row, depth)
            learnt = steps.get(order)
            if learnt is not None and rate == "jeffreys":
                learnt = [step.shrunken() for step in learnt]
            now = [decimal(x) for x in row] if learnt is None else scaled(row, order, learnt)
            for a, b in zip(said, now, strict=True):
                yield Pair(f"scaled membership of new objects, {rate} rates", a, b, 1, most)
    yield from clopper_pearson(rng, part)


def clopper_pearson(rng: random.Random, part: Any) -> Iterator[Pair]:
    """The interval of a measure from its effective number of rows and its bias."""
    name, level = rng.choice(["accuracy", "separation", "correctness", "confidence"]), 0.95
    estimate = part.estimates[name]
    if not estimate.effective_n < 1e6 or estimate.n < 2:
        return
    span, n = decimal(1) - decimal(estimate.least), decimal(estimate.effective_n)
    tail = (1 - decimal(level)) / 2
    wrong = 1 - decimal(estimate.value)
    fewest, largest = (
        n * min(max((wrong + decimal(bias)) / span, ZERO), ONE)
        for bias in (min(estimate.bias, 0.0), max(estimate.bias, 0.0))
    )
    low = beta_quantile(fewest, n - fewest + 1, tail, 1 - tail)[0] if fewest > 0 else ZERO
    high = beta_quantile(largest + 1, n - largest, 1 - tail, tail)[0] if n > largest else ONE
    for said, end in zip(estimate.interval(level), (1 - span * high, 1 - span * low), strict=True):
        yield Pair(f"interval of {name} after scaling", said, end, span, END)


TOPICS = {"Beta scaling": measured}
