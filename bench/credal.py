"""Decisions with credal sets and optimal sets, compared with linear programs and plain NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.optimize import linprog

from bench.measure import Curve, Row, cpu_seconds, growth, race
from wager.costs import CostMatrix
from wager.credal import DecisionRule, decide, optimal_sets
from wager.predictions import ProbabilityIntervals
from wager.rewards import get_utility

LOOP = "a loop over linprog"


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    yield from maximality(rng)
    for n_classes, n, at_most in ((5, 20_000, 1 / 1000), (10, 20_000, 1 / 500), (20, 4_000, 0.01)):
        yield from admissibility(rng, n_classes, n, at_most)
    yield from optimal(rng)


def curves() -> Iterator[Curve]:
    def job(rule: DecisionRule, n: int, k: int) -> Callable[[], object]:
        rng = np.random.default_rng(0)
        credal, costs = some_intervals(rng, n, k), some_costs(rng, k)
        return lambda: decide(credal, rule, costs)

    n = (5_000, 10_000, 20_000, 40_000)
    what = "E-admissibility, 10 classes"
    yield growth(what, "rows", lambda n: job("e-admissibility", n, 10), n, 1.0)
    classes = (5, 10, 20, 40)
    for rule, n_rows, at_most in (
        ("interval-dominance", 10_000, 2.0),  # one expectation per class
        ("maximality", 4_000, 3.0),  # one expectation per pair of classes
        ("e-admissibility", 1_000, 4.0),  # steps of K x K numbers, several for each class
    ):
        what = f"{rule}, general costs, {n_rows:,} rows"
        yield growth(what, "classes", lambda k, r=rule, n=n_rows: job(r, n, k), classes, at_most)


def maximality(rng: np.random.Generator) -> Iterator[Row]:
    ten, costs = some_intervals(rng, 100_000, 10), some_costs(rng, 10)
    yield race(
        "maximality, 0/1 costs, 100,000 x 10 (aim 1 us a row)",
        lambda: decide(ten, "maximality"),
        lambda: bare_maximal(ten.lower, ten.upper),
        "bare NumPy: tighten, compare",
        at_most=2,
    )
    ours = cpu_seconds(lambda: decide(ten, "maximality", costs), 3)
    loop = looped(ten, 4, lambda row: plain_maximal(ten, row, costs))
    yield Row("maximality, general costs, 100,000 x 10 (aim 10 us a row)", ours, loop, LOOP, 1e-4)


def admissibility(
    rng: np.random.Generator, n_classes: int, n: int, at_most: float
) -> Iterator[Row]:
    """Rows whose classes are mostly clear, mixed and mostly open."""
    p, costs = rng.dirichlet(np.ones(n_classes), n), some_costs(rng, n_classes)
    aim = {5: "", 10: " (aim 30 us a row)", 20: " (aim 500 us a row)"}[n_classes]
    for what, credal in {
        "50 counts": ProbabilityIntervals.from_idm(rng.multinomial(50, p)),
        "random widths": some_intervals(rng, n, n_classes),
        "30% contaminated": ProbabilityIntervals.from_contamination(p, 0.3),
    }.items():
        ours = cpu_seconds(lambda c=credal: decide(c, "e-admissibility", costs), 3)
        loop = looped(credal, 12, lambda row, c=credal: plain_admissible(c, row, costs))
        yield Row(f"E-admissibility, {what}, {n:,} x {n_classes}{aim}", ours, loop, LOOP, at_most)


def optimal(rng: np.random.Generator) -> Iterator[Row]:
    p = rng.dirichlet(np.full(10, 0.5), 1_000_000)
    worth = get_utility("u65").of_size(np.arange(1, 11))
    yield race(
        "optimal sets under u65, 1,000,000 x 10",
        lambda: optimal_sets(p, "u65"),
        lambda: bare_optimal_sets(p, worth),
        "bare NumPy, argsort form",
        at_most=1.0,
    )
    q = rng.dirichlet(np.ones(15), 500)
    extended = CostMatrix(some_costs(rng, 15)).extend("p-discounted")
    yield race(
        "optimal sets under p-discounted costs, 500 x 15, exact",
        lambda: optimal_sets(q, costs=extended),
        lambda: (q @ extended.matrix().T).argmin(axis=1),
        "bare product with the table, argmin",
    )


def some_intervals(rng: np.random.Generator, n: int, k: int) -> ProbabilityIntervals:
    p = rng.dirichlet(np.ones(k), n)
    width = rng.uniform(0, 0.5, (n, 1))
    return ProbabilityIntervals((1 - width) * p, (1 - width) * p + width)


def some_costs(rng: np.random.Generator, k: int):
    return rng.uniform(0.5, 5, (k, k)) * (1 - np.eye(k))


def looped(credal: ProbabilityIntervals, sample: int, one: Callable[[int], object]) -> float:
    """The time of a loop over all rows, estimated from a sample of them."""
    spent = cpu_seconds(lambda: [one(row) for row in range(sample)], repeat=1)
    return spent * len(credal) / sample


def bare_maximal(lower, upper):
    low = np.maximum(lower, 1 - (upper.sum(axis=1, keepdims=True) - upper))
    high = np.minimum(upper, 1 - (lower.sum(axis=1, keepdims=True) - lower))
    return high >= low.max(axis=1, keepdims=True) - 1e-9


def plain_maximal(credal: ProbabilityIntervals, row: int, costs) -> list[int]:
    k = len(costs)
    bounds = np.column_stack([credal.lower[row], credal.upper[row]])
    unity = np.ones((1, k))

    def beats(i: int, j: int) -> bool:
        return linprog(costs[j] - costs[i], A_eq=unity, b_eq=[1], bounds=bounds).fun > 1e-9

    return [j for j in range(k) if not any(beats(i, j) for i in range(k) if i != j)]


def plain_admissible(credal: ProbabilityIntervals, row: int, costs) -> list[int]:
    k = len(costs)
    bounds = np.column_stack([credal.lower[row], credal.upper[row]])
    unity, nothing = np.ones((1, k)), np.zeros(k)

    def optimal_somewhere(j: int) -> bool:
        found = linprog(nothing, costs[j] - costs, nothing, unity, [1], bounds)
        return found.status == 0

    return [j for j in range(k) if optimal_somewhere(j)]


def bare_optimal_sets(p, worth):
    order = np.argsort(-p, axis=1)
    head = np.take_along_axis(p, order, axis=1).cumsum(axis=1)
    size = (worth * head).argmax(axis=1)
    keep = np.zeros(p.shape, dtype=bool)
    np.put_along_axis(keep, order, np.arange(p.shape[1]) <= size[:, None], axis=1)
    return keep
