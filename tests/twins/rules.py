"""Decision rules for credal sets, optimal sets and rejection, over all vertices and all sets."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np

from tests.twins.exact import Pair, simplex, subsets
from tests.twins.set_measures import f_beta, quadratic
from wager import (
    CostMatrix,
    CredalVertices,
    ProbabilityIntervals,
    class_selective_rejection,
    decide,
    optimal_sets,
    reject,
    reject_credal,
)

F = Fraction
Point = tuple[Fraction, ...]


# -- credal sets -----------------------------------------------------------------------------------


def vertices_of(lower: Point, upper: Point) -> list[Point]:
    """The vertices of probability intervals: all classes but one are at a bound."""
    k = len(lower)
    found = set()
    for free in range(k):
        others = [i for i in range(k) if i != free]
        for ends in product((0, 1), repeat=k - 1):
            p = [F(0)] * k
            for i, end in zip(others, ends, strict=True):
                p[i] = upper[i] if end else lower[i]
            p[free] = 1 - sum(p)
            if lower[free] <= p[free] <= upper[free]:
                found.add(tuple(p))
    return sorted(found)


def solve(rows: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """The solution of linear equations by elimination; None if there is not exactly one."""
    n = len(rows)
    table = [[*row, b] for row, b in zip(rows, right, strict=True)]
    for i in range(n):
        pivot = next((r for r in range(i, n) if table[r][i]), None)
        if pivot is None:
            return None
        table[i], table[pivot] = table[pivot], table[i]
        table[i] = [x / table[i][i] for x in table[i]]
        for r in range(n):
            if r != i and table[r][i]:
                table[r] = [x - table[r][i] * y for x, y in zip(table[r], table[i], strict=True)]
    return [row[-1] for row in table]


def has_a_point(sides: list[tuple[list[Fraction], Fraction]], n: int) -> bool:
    """Whether some p with sum 1 fulfils a p <= b for all sides: whether there is a vertex."""
    for active in combinations(sides, n - 1):
        p = solve([[F(1)] * n, *(a for a, _ in active)], [F(1), *(b for _, b in active)])
        if p is not None and all(
            sum(x * y for x, y in zip(a, p, strict=True)) <= b for a, b in sides
        ):
            return True
    return False


def is_admissible(points: list[Point], costs: list[Point], j: int) -> bool:
    """Whether j has the least expected cost under a mixture of the points."""
    v = len(points)
    expected = [[sum(c * x for c, x in zip(row, p, strict=True)) for row in costs] for p in points]
    sides = [([-F(int(i == m)) for i in range(v)], F(0)) for m in range(v)]
    sides += [([e[j] - e[i] for e in expected], F(0)) for i in range(len(costs)) if i != j]
    return has_a_point(sides, v)


def is_admissible_within(lower: Point, upper: Point, costs: list[Point], j: int) -> bool:
    """The same for probability intervals, whose vertices may be many."""
    k = len(lower)
    unit = [[F(int(i == m)) for i in range(k)] for m in range(k)]
    sides = [(unit[m], upper[m]) for m in range(k)]
    sides += [([-x for x in unit[m]], -lower[m]) for m in range(k)]
    others = [i for i in range(k) if i != j]
    sides += [([a - b for a, b in zip(costs[j], costs[i], strict=True)], F(0)) for i in others]
    return has_a_point(sides, k)


def chosen(rule: str, points: list[Point], costs: list[Point], admissible: Any) -> list[bool]:
    """The classes that a rule keeps (Troffaes, 2007), given the vertices of the credal set."""
    k = len(costs)
    expected = [[sum(c * x for c, x in zip(row, p, strict=True)) for p in points] for row in costs]
    lower, upper = [min(e) for e in expected], [max(e) for e in expected]
    if rule == "gamma-maximin":
        return [u == min(upper) for u in upper]
    if rule == "gamma-maximax":
        return [low == min(lower) for low in lower]
    if rule == "interval-dominance":
        return [low <= min(upper) for low in lower]
    if rule == "maximality":
        gains = [
            [min(a - b for a, b in zip(expected[j], expected[i], strict=True)) for i in range(k)]
            for j in range(k)
        ]
        return [all(gain <= 0 for gain in gains[j]) for j in range(k)]
    return [admissible(j) for j in range(k)]


RULES = ("maximality", "e-admissibility", "interval-dominance", "gamma-maximin", "gamma-maximax")


def random_costs(rng: random.Random, k: int) -> list[Point] | None:
    """Costs with many ties; None for 0/1 costs."""
    if rng.random() < 0.4:
        return None
    return [
        tuple(F(0) if i == j else F(rng.randrange(1, 6), rng.choice([1, 2])) for j in range(k))
        for i in range(k)
    ]


def compared(name: str, kept: list[bool], wanted: list[bool]) -> Pair:
    """Two sets as a pair: the number of classes in which they differ, and 0."""
    return Pair(name, sum(a != b for a, b in zip(kept, wanted, strict=True)), 0)


def credal(rng: random.Random) -> Iterator[Pair]:
    """All decision rules, for intervals and for hulls of points."""
    k = rng.choice([2, 3, 3, 4])
    costs = random_costs(rng, k)
    plain = [tuple(F(int(i != j)) for j in range(k)) for i in range(k)] if costs is None else costs
    given = None if costs is None else [[float(c) for c in row] for row in costs]
    centre = [F(x) for x in simplex(rng, k, 4)]
    lower = tuple(max(c - F(rng.randrange(5), 16), F(0)) for c in centre)
    upper = tuple(min(c + F(rng.randrange(5), 16), F(1)) for c in centre)
    intervals = ProbabilityIntervals([[float(x) for x in lower]], [[float(x) for x in upper]])
    points = vertices_of(lower, upper)
    for rule in RULES:
        wanted = chosen(rule, points, plain, lambda j: is_admissible_within(lower, upper, plain, j))
        kept = decide(intervals, rule, given).to_indicator()[0].tolist()
        yield compared(f"{rule}, intervals", kept, wanted)
    hull = [tuple(F(x) for x in simplex(rng, k, 4)) for _ in range(rng.randrange(1, 5))]
    corners = CredalVertices([[[float(x) for x in p] for p in hull]])
    for rule in RULES:
        wanted = chosen(rule, hull, plain, lambda j: is_admissible(hull, plain, j))
        kept = decide(corners, rule, given).to_indicator()[0].tolist()
        yield compared(f"{rule}, points", kept, wanted)


# -- optimal sets ----------------------------------------------------------------------------------

UTILITIES = {
    "u50": lambda size: F(1, size),
    "u65": lambda size: quadratic(F(65, 100), F(1, size)),
    "u80": lambda size: quadratic(F(80, 100), F(1, size)),
    "f1": lambda size: f_beta(1, size),
    "f2": lambda size: f_beta(2, size),
}


def optimal(rng: random.Random) -> Iterator[Pair]:
    """The best set under a utility and under costs, among all sets."""
    k = rng.randrange(2, 6)
    p = [F(x) for x in simplex(rng, k, rng.choice([4, 10]))]
    row = [[float(x) for x in p]]

    def members(found: Any) -> tuple[int, ...]:
        return tuple(np.flatnonzero(found.to_indicator()[0]).tolist())

    for name, worth in UTILITIES.items():

        def earns(chosen: tuple[int, ...], worth: Any = worth) -> Fraction:
            return sum((p[i] for i in chosen), F(0)) * worth(len(chosen))

        best = max(earns(one) for one in subsets(k))
        yield Pair(f"optimal set, {name}", float(earns(members(optimal_sets(row, name)))), best)
    matrix = [[0.0 if i == j else rng.randrange(1, 17) / 4 for j in range(k)] for i in range(k)]

    def pays(chosen: tuple[int, ...]) -> Fraction:
        mean = [sum(F(matrix[m][t]) for m in chosen) / len(chosen) for t in range(k)]
        return sum(mean[t] * p[t] for t in range(k))

    found = optimal_sets(row, costs=CostMatrix(matrix, range(k)).extend("discounted"))
    least = min(pays(one) for one in subsets(k))
    yield Pair("optimal set, costs", float(pays(members(found))), least)


# -- rejection -------------------------------------------------------------------------------------


def rejection(rng: random.Random) -> Iterator[Pair]:
    """Chow's rule, Ha's rule, and rejection by lower probabilities."""
    k = rng.randrange(2, 6)
    p = simplex(rng, k, 5)
    threshold = rng.randrange(33) / 32
    kept = reject([p], threshold).to_indicator()[0].tolist()
    first = p.index(max(p))
    wanted = [i == first or max(p) < threshold for i in range(k)]
    yield compared("reject", kept, wanted)
    eta, delta = [rng.randrange(1, 9) / 4 for _ in range(k)], rng.randrange(17) / 32
    said = class_selective_rejection([p], delta, eta).to_indicator()[0].tolist()

    def pays(chosen: tuple[int, ...]) -> Fraction:
        missed = sum((F(p[i]) * F(eta[i]) for i in range(k) if i not in chosen), F(0))
        return missed + F(delta) * (len(chosen) - 1)

    found = tuple(i for i in range(k) if said[i])
    least = min(pays(one) for one in subsets(k))
    yield Pair("class_selective_rejection", float(pays(found)), least, F(1, 100))
    lower = [max(x - rng.randrange(5) / 32, 0.0) for x in p]
    upper = [min(x + rng.randrange(5) / 32, 1.0) for x in p]
    predicted = [rng.random() < 0.5 for _ in range(k)]
    predicted[rng.randrange(k)] = True
    intervals = ProbabilityIntervals([lower], [upper])
    kept = reject_credal(intervals, np.array([predicted]), threshold).to_indicator()[0].tolist()
    wanted = predicted if max(lower) > threshold else [True] * k
    yield compared("reject_credal", kept, wanted)
    kept = reject_credal(intervals, np.array([predicted]), threshold, group=True)
    grown = list(predicted)
    points = vertices_of(tuple(map(F, lower)), tuple(map(F, upper)))
    order = sorted(
        (i for i in range(k) if not predicted[i]), key=lambda i: (-max(v[i] for v in points), i)
    )
    while order and min(sum(x for x, c in zip(v, grown, strict=True) if c) for v in points) <= F(
        threshold
    ):
        grown[order.pop(0)] = True
    yield compared("reject_credal, group", kept.to_indicator()[0].tolist(), grown)


TOPICS = {"credal decisions": credal, "optimal sets": optimal, "rejection": rejection}
