"""Decisions with credal sets and optimal sets, compared with linear programs and plain NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.optimize import linprog

from bench.measure import Row, cpu_seconds, race
from wager.costs import CostMatrix
from wager.credal import decide, optimal_sets
from wager.predictions import ProbabilityIntervals
from wager.rewards import get_utility

LOOP = "a loop over linprog"


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    ten, five = some_intervals(rng, 100_000, 10), some_intervals(rng, 10_000, 5)
    costs, few_costs = some_costs(rng, 10), some_costs(rng, 5)
    zero_one = 1 - np.eye(10)

    def maximality(matrix=None) -> Callable[[], object]:
        return lambda: decide(ten, "maximality", matrix)

    def admissible() -> object:
        return decide(five, "e-admissibility", few_costs)

    yield from aimed("maximality, 0/1 costs, 100,000 x 10", maximality(), 100_000 / 1e6)
    loop = looped(ten, 4, lambda row: plain_maximal(ten, row, zero_one))
    yield Row("maximality, 0/1 costs, 100,000 x 10", cpu_seconds(maximality()), loop, LOOP)

    yield from aimed("maximality, general costs, 100,000 x 10", maximality(costs), 100_000 / 1e5)
    loop = looped(ten, 4, lambda row: plain_maximal(ten, row, costs))
    yield Row("maximality, general costs, 100,000 x 10", cpu_seconds(maximality(costs)), loop, LOOP)

    yield from aimed("E-admissibility, general costs, 10,000 x 5", admissible, 20.0)
    loop = looped(five, 60, lambda row: plain_admissible(five, row, few_costs))
    yield Row("E-admissibility, general costs, 10,000 x 5", cpu_seconds(admissible, 2), loop, LOOP)

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


def aimed(what: str, ours: Callable[[], object], seconds: float) -> Iterator[Row]:
    yield Row(what, cpu_seconds(ours, 3), seconds, f"the aim, {seconds:g} s", at_most=1.0)


def looped(credal: ProbabilityIntervals, sample: int, one: Callable[[int], object]) -> float:
    """The time of a loop over all rows, estimated from a sample of them."""
    spent = cpu_seconds(lambda: [one(row) for row in range(sample)], repeat=1)
    return spent * len(credal) / sample


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
