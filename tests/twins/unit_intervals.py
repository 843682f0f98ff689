"""Intervals of weighted rows and of clusters of rows, from what each unit adds to a mean.

The distribution under a mean m0 and both statistics are those of plain rows (`intervals`).  Units
of different size change the variance under m0, and Student's t with one degree of freedom less than
their equivalent number replaces the normal distribution:

- weighted rows: the variance of a cell is multiplied by its mean squared weight over its mean
  weight, to which four rows of average weight are added;
- clusters: the variance of the cells is multiplied by how much more the totals of the clusters vary
  around m0 than independent rows would, with n / (n - 1) for n equivalent clusters.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from tests.twins.beta import student_quantile, student_tails
from tests.twins.exact import (
    END,
    Pair,
    as_fractions,
    bisect,
    decimal,
    ln,
    root,
    sets,
    simplex,
    weights as any_weights,
)
from tests.twins.intervals import LEVELS, UNSEEN, end_from_error, wilson
from tests.twins.probability_measures import rewards
from tests.twins.set_measures import FEWEST_UNITS, quadratic, values
from wager import PairedTally, evaluate_probabilities, evaluate_sets

F = Fraction
STEADY = 4  # rows of average weight
FIRST, LAST = -60, 20  # of log(s): all probability at the end of the range, and the sample's
SCAN = [Decimal(i) / 2 for i in range(2 * FIRST, 2 * LAST + 1)]
UNIT = Fraction(1, 2**53)  # of rounding
# The statistic is known to this precision, relative to its size, and its logarithm is solved to
# 1e-12.  Where it hardly changes with the mean, an end may move by as much as this allows.
STATISTIC = Decimal("1e-11")


class Rows(NamedTuple):
    """The rows to which a score applies; plain ones have neither weights nor groups."""

    scores: Sequence[Any]
    cells: Sequence[Hashable]
    weights: Sequence[Fraction]
    groups: Sequence[int] | None
    weighted: bool = False

    @property
    def units(self) -> Fraction:
        """The equivalent number of equally large units."""
        size: dict[int, Fraction] = {}
        for i, w in enumerate(self.weights):
            unit = i if self.groups is None else self.groups[i]
            size[unit] = size.get(unit, F(0)) + w
        return sum(self.weights) ** 2 / sum(s**2 for s in size.values())


class Tilted:
    """Cells of weighted rows or of clusters, as distances from one end of the range."""

    def __init__(self, rows: Rows, low: Any, high: Any, *, from_above: bool):
        span = decimal(high) - decimal(low)
        place: dict[Hashable, int] = {}
        self.x: list[Decimal] = []
        totals: list[Fraction] = []
        squares: list[Fraction] = []
        clusters: dict[int, dict[int, Fraction]] = {}
        for i, (score, cell, w) in enumerate(
            zip(rows.scores, rows.cells, rows.weights, strict=True)
        ):
            if cell not in place:
                place[cell] = len(place)
                away = decimal(high) - decimal(score) if from_above else decimal(score - low)
                self.x.append(away / span)
                totals.append(F(0))
                squares.append(F(0))
            j = place[cell]
            totals[j] += w
            squares[j] += w * w
            own = clusters.setdefault(i if rows.groups is None else rows.groups[i], {})
            own[j] = own.get(j, F(0)) + w
        n, units = sum(totals), rows.units
        average = n / units  # the mean squared total of a unit over the mean weight of a row
        self.n, self.average = decimal(n), decimal(average)
        unseen = decimal(average) * UNSEEN
        self.share = [decimal(t) / (self.n + unseen) for t in totals] + [unseen / (self.n + unseen)]
        self.x.append(Decimal(0))
        self.totals = [decimal(t) for t in totals]
        self.mean = sum(x * t for x, t in zip(self.x, self.totals, strict=False)) / self.n
        self.ratio = [Decimal(1)] * len(self.x)
        self.clusters: list[dict[int, Decimal]] = []
        if rows.groups is not None:
            self.clusters = [{j: decimal(t) for j, t in own.items()} for own in clusters.values()]
            self.several = decimal(units / (units - 1)) if units > 1 else Decimal("inf")
        elif rows.weighted:
            self.ratio = [
                decimal((s + STEADY * average**2) / (t + STEADY * average))
                for s, t in zip(squares, totals, strict=True)
            ]
            self.ratio.append(self.average)

    def under(self, log_s: Decimal) -> tuple[Decimal, Decimal]:
        """The mean m0 of the distribution, and how far it is from the data."""
        s = log_s.exp()
        weight = [a / (b + s) for a, b in zip(self.share, self.x, strict=True)]
        total = sum(weight)
        p = [v / total for v in weight]
        m0 = sum(a * b for a, b in zip(p, self.x, strict=True))
        away = [b - m0 for b in self.x]
        spread = [a * d * d for a, d in zip(p, away, strict=True)]
        if self.clusters:
            apart = sum(t * d * d for t, d in zip(self.totals, away, strict=False))
            together = sum(sum(t * away[j] for j, t in own.items()) ** 2 for own in self.clusters)
            effect = self.several * together / apart if apart else self.average
            variance = sum(spread[:-1]) * effect + spread[-1] * self.average
        else:
            variance = sum(a * b for a, b in zip(spread, self.ratio, strict=True))
        if not variance:
            return m0, Decimal("inf")
        score = self.n * (self.mean - m0) ** 2 / variance
        terms = (b * ln(a / b) for a, b in zip(p, self.share, strict=True) if b)
        return m0, min(score, -2 * self.n * sum(terms) * sum(spread) / variance)

    def last(self, limit: Decimal) -> Decimal:
        """The smallest mean that is not rejected, from a scan of all means."""
        before = SCAN[0]
        for step in SCAN:
            if self.under(step)[1] <= limit:
                at = bisect(lambda t: limit - self.under(t)[1], before, step, 16)
                return self.under(at if step > before else before)[0]
            before = step
        return self.under(before)[0]


def limit_of(rows: Rows, level: float) -> Decimal | None:
    """The statistic beyond which a mean is rejected; None if none ever is."""
    if rows.groups is None and not rows.weighted:
        return Decimal(NormalDist().inv_cdf((1 + level) / 2)) ** 2
    if rows.units <= FEWEST_UNITS:
        return None
    return Decimal(student_quantile((1 - level) / 2, rows.units - 1)) ** 2


def end_of_units(rows: Rows, low: Any, high: Any, level: float, *, from_above: bool) -> Decimal:
    """The end of the interval: the last mean that is not rejected."""
    return ends_near(rows, low, high, level, from_above=from_above)(Decimal(0))


def ends_near(
    rows: Rows, low: Any, high: Any, level: float, *, from_above: bool
) -> Callable[[Decimal], Decimal]:
    """The end of the interval if the limit is changed by a small part of itself."""
    sample, limit = Tilted(rows, low, high, from_above=from_above), limit_of(rows, level)

    def end(change: Decimal) -> Decimal:
        distance = Decimal(0)
        if limit is not None and sample.mean > 0:
            distance = sample.last(limit * (1 + change)) * (decimal(high) - decimal(low))
        return decimal(high) - distance if from_above else decimal(low) + distance

    return end


def ends(
    name: str, said: tuple[float, float], rows: Rows, low: Any, high: Any, level: float
) -> Iterator[Pair]:
    """Pairs of both ends."""
    span = decimal(high) - decimal(low)
    for found, from_above in zip(said, (False, True), strict=True):
        end = ends_near(rows, low, high, level, from_above=from_above)
        exact, most = end(Decimal(0)), END
        if abs(Decimal(found) - exact) > Decimal(END) * span:
            moved = abs(end(STATISTIC) - end(-STATISTIC)) / span
            most = max(END, float(moved))
        yield Pair(name, found, exact, span, most)


# -- cases -----------------------------------------------------------------------------------------


def units_of(rng: random.Random, n: int) -> tuple[dict[str, Any], list[Fraction], Any, bool]:
    """Weights, clusters or both: as options, as fractions, the clusters, and whether weighted."""
    options: dict[str, Any] = {}
    kind = rng.randrange(3)
    given = any_weights(rng, n)
    if kind == 0 and given is None:
        given = [float(rng.randrange(1, 5)) for _ in range(n)]
    if kind == 1:
        given = None
    if given is not None:
        options["sample_weight"] = given
    groups = None
    if kind:
        n_groups = rng.choice([2, 5, 12])
        groups = [rng.randrange(n_groups) for _ in range(n)]
        options["groups"] = groups
    return options, as_fractions(given, n), groups, given is not None


def means(rng: random.Random) -> Iterator[Pair]:
    """Both ends of intervals of means of sets, also of means over some of the rows."""
    n, k, level = rng.choice([2, 8, 30]), rng.randrange(2, 5), rng.choice(LEVELS)
    y = [rng.randrange(k) for _ in range(n)]
    matrix = sets(rng, n, k)
    options, w, groups, weighted = units_of(rng, n)
    cells = [(sum(row), row[t]) for t, row in zip(y, matrix, strict=True)]
    exact = values(cells, k)
    found = evaluate_sets(y, np.array(matrix), ("u65", "f1"), classes=range(k), **options)
    largest = min(max(size for size, _ in cells) + 1, k)
    whole = rng.choice(["coverage", "discounted_accuracy", "u65", "f1"])
    for name, high in ((whole, 1), ("single_accuracy", 1), ("mean_set_size", largest)):
        if name not in found.estimates:
            continue
        kept = [i for i in range(n) if exact[name][i] is not None]
        if not kept:
            continue
        rows = Rows(
            [exact[name][i] for i in kept],
            [cells[i] for i in kept],
            [w[i] for i in kept],
            None if groups is None else [groups[i] for i in kept],
            weighted,
        )
        said = found.estimates[name].interval(level)
        kind = "weighted rows" if groups is None else "clusters"
        yield from ends(f"interval of {name}, {kind}", said, rows, 0, high, level)


def differences(rng: random.Random) -> Iterator[Pair]:
    """Intervals and p-values of paired differences."""
    n, k, level = rng.choice([3, 10, 30]), rng.randrange(2, 5), rng.choice(LEVELS)
    y = [rng.randrange(k) for _ in range(n)]
    both = [sets(rng, n, k), sets(rng, n, k)]
    options, w, groups, weighted = units_of(rng, n)
    q = rng.choice([F(1, 2), F(65, 100), F(3, 4)])
    cells = [[(sum(row), row[t]) for t, row in zip(y, m, strict=True)] for m in both]
    worth = [[quadratic(q, F(int(h), max(size, 1))) for size, h in part] for part in cells]
    gaps = [a - b for a, b in zip(*worth, strict=True)]
    rows = Rows(gaps, list(zip(*cells, strict=True)), w, groups, weighted)
    paired = PairedTally.of(y, *(np.array(m) for m in both), classes=range(k), **options)
    found = paired.difference(float(q))
    kind = "weighted rows" if groups is None else "clusters"
    said = found.interval(level)
    yield from ends(f"interval of a paired difference, {kind}", said, rows, -1, 1, level)
    mean = sum(a * b for a, b in zip(gaps, w, strict=True)) / sum(w)
    if abs(mean) > F(1, 10**6):
        p = Decimal(1)
        if rows.units > 1:
            sample = Tilted(rows, -1, 1, from_above=mean < 0)
            at = bisect(lambda t: sample.under(t)[0] - Decimal("0.5"), FIRST, LAST, 20)
            statistic = sample.under(at)[1]
            if groups is not None:  # a mean is inside the interval if a farther one is
                statistic = min([statistic, *(sample.under(t)[1] for t in SCAN if t < at)])
            p = student_tails(statistic, rows.units - 1)
        yield Pair(f"p-value of a paired difference, {kind}", found.p, p, 1, END)


def probabilities(rng: random.Random) -> Iterator[Pair]:
    """Means of scores of clustered rows, their errors, numbers and skewness, and intervals."""
    n, k, level = rng.choice([6, 25]), rng.randrange(2, 5), rng.choice(LEVELS)
    y = [rng.randrange(k) for _ in range(n)]
    proba = [simplex(rng, k, 10, positive=True) for _ in range(n)]
    prior = [1 / 2, 1 / 2] if k == 2 else simplex(rng, k, 12, positive=True)
    given = [float(rng.randrange(1, 5)) for _ in range(n)] if rng.random() < 0.4 else None
    groups = [rng.randrange(rng.choice([3, 8])) for _ in range(n)]
    w = as_fractions(given, n)
    options = {"classes": range(k), "sample_weight": given, "groups": groups}
    found = evaluate_probabilities(y, np.array(proba), prior, **options).estimates
    p, q = [[F(x) for x in row] for row in proba], [F(x) for x in prior]
    rows = [rewards(row, t, q) for row, t in zip(p, y, strict=True)]
    for name in ("log_loss", "brier", "information_reward", "accuracy"):
        column = [decimal(row[name]) for row in rows]
        weight, total = [Decimal(0)] * 8, [Decimal(0)] * 8
        for x, v, g in zip(column, w, groups, strict=True):
            weight[g] += decimal(v)
            total[g] += decimal(v) * x
        whole = sum(weight)
        mean = sum(total) / whole
        away = [t - mean * v for t, v in zip(total, weight, strict=True)]
        spread, third = sum(x**2 for x in away), sum(x**3 for x in away)
        units = sum(v > 0 for v in weight)
        squares, cubes = (
            sum((abs(t) + abs(mean) * v) ** e for t, v in zip(total, weight, strict=True))
            for e in (2, 3)
        )
        # of sums of n terms that are subtracted from each other, relative to what is left
        lost = decimal(UNIT) * (n + 8)
        if units < 2 or spread <= lost * 10**6 * squares:
            continue
        estimate = found[name]
        error = root(spread * units / (units - 1)) / whole
        of_spread = lost * squares / spread
        exact_n = whole**2 / sum(v**2 for v in weight)
        yield Pair(f"units of {name}, clusters", estimate.n, exact_n)
        yield Pair(
            f"standard error of {name}, clusters",
            estimate.standard_error,
            error,
            0,
            float(of_spread + lost),
        )
        skewness = third / spread.sqrt() ** 3
        slip = lost * cubes / spread.sqrt() ** 3 + 2 * of_spread * abs(skewness)
        size = max(abs(skewness), 1)
        yield Pair(
            f"skewness of {name}, clusters", estimate.skewness, skewness, size, float(slip / size)
        )
        t = student_quantile((1 - level) / 2, exact_n - 1)
        said = estimate.interval(level)
        if name == "accuracy":
            equal = mean * (1 - mean) / error**2 + 1  # so many plain rows have this error
            if abs(equal - exact_n) <= exact_n / 10**6:  # as if each cluster were a row
                t = NormalDist().inv_cdf((1 + level) / 2)
            exact = wilson(mean, equal, t)
            for end, at in zip(said, exact, strict=True):
                yield Pair("interval of accuracy, clusters", end, min(max(at, 0), 1), 1, END)
            continue
        for end, sign in zip(said, (-1, 1), strict=True):
            at = end_from_error(estimate, sign * t)
            yield Pair(f"interval of {name}, clusters", end, at, abs(at) + 1, END)


TOPICS = {
    "intervals of weighted and clustered sets": means,
    "differences of weighted and clustered rows": differences,
    "intervals of clustered probabilities": probabilities,
}
