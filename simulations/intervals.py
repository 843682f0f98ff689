"""Intervals of single scores: coverage for plain, weighted and clustered rows.

Rows are drawn from laws of (predicted set, true class) over three classes: mostly single classes,
mostly pairs, nearly certain, and with empty sets.  Every score is computed with its 95% interval as
a user would.  Samples in which a conditional score is undefined are left out of its coverage.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from wager._tables import RowUnits
from wager.costs import CostMatrix, CostTally
from wager.predictions import PredictionSets
from wager.rewards import MEASURES, CellSums, Estimate, Tally, utility_score

REPLICATIONS = 1000
SEED = 20261116
CLASSES = np.array(["a", "b", "c"])
PRIOR = {"a": 0.6, "b": 0.3, "c": 0.1}
# by law: the probability of each set size, and how often such a set contains the true class
LAWS = {
    "mostly single": ({1: 0.85, 2: 0.1, 3: 0.05}, {1: 0.88, 2: 0.9, 3: 1.0}),
    "mostly pairs": ({1: 0.12, 2: 0.8, 3: 0.08}, {1: 0.8, 2: 0.93, 3: 1.0}),
    "nearly certain": ({1: 0.995, 2: 0.005}, {1: 0.99, 2: 1.0}),
    "with empty sets": ({0: 0.06, 1: 0.8, 2: 0.14}, {0: 0.0, 1: 0.85, 2: 0.95}),
}
NAMED = ("coverage", "determinacy", "single_accuracy", "set_accuracy", "mean_set_size", "mic")
COSTS = {
    "cost 0/1": CostMatrix.zero_one(CLASSES).extend("discounted"),
    "cost 1:100": CostMatrix([[0, 1, 100], [1, 0, 100], [1, 1, 0]], CLASSES).extend("p-discounted"),
}
BOUNDS = {30: ">= 0.90", 100: ">= 0.92", 1000: ">= 0.92", 300: ">= 0.92"}


@cache
def cells(law: str) -> tuple[PredictionSets, Any, Any]:
    """The sets and true classes of a law that occur, and their probabilities."""
    size_law, hit_law = LAWS[law]
    members, truths, chances = [], [], []
    for members_of, truth in product(product([False, True], repeat=3), range(3)):
        size, hit = sum(members_of), members_of[truth]
        if size not in size_law:
            continue
        same = sum(
            sum(other) == size and other[truth] == hit for other in product([False, True], repeat=3)
        )
        p = list(PRIOR.values())[truth] * size_law[size] / same
        p *= hit_law[size] if hit else 1 - hit_law[size]
        if p > 0:
            members.append(members_of)
            truths.append(truth)
            chances.append(p)
    sets = PredictionSets.from_indicator(np.array(members), CLASSES)
    return sets, np.array(truths), np.array(chances) / sum(chances)


def scores(law: str, sums: CellSums) -> Iterator[tuple[str, Estimate]]:
    """Every score of a sample, given as sums over the cells of its law."""
    sets, truth, _ = cells(law)
    members = sets.to_indicator()
    hit = members[np.arange(len(truth)), truth]
    number = 2 * sets.sizes.astype(int) + hit
    tally = Tally.of_sums(3, sums.renumbered(number[sums.numbers]))
    for utility in ("u50", "u65", "u80"):
        yield utility, utility_score(utility).estimate(tally)
    for name in NAMED:
        yield name, MEASURES[name].estimate(tally)
    used = sums.numbers
    numbered = CellSums(np.arange(len(used)), sums.totals, sums.squares)
    costly = CostTally(sets[used], truth[used], numbered)
    for name, costs in COSTS.items():
        found = costly.evaluate(costs, empty_cost=1.0)
        yield name, found.overall
        yield f"{name}, class b", found.by_class["b"]


def true_values(law: str) -> dict[str, float]:
    """The scores of the law itself."""
    _, _, chances = cells(law)
    whole = CellSums(np.arange(len(chances)), chances)
    return {name: estimate.value for name, estimate in scores(law, whole)}


def coverage(law: str, samples: Iterator[CellSums]) -> dict[str, tuple[float, int]]:
    """How often each interval contains the true value, and in how many samples it is defined."""
    truth = true_values(law)
    hits, defined = dict.fromkeys(truth, 0), dict.fromkeys(truth, 0)
    known: dict[Any, dict[str, bool | None]] = {}
    for sums in samples:
        key = (sums.numbers.tobytes(), sums.totals.tobytes()) if sums.squares is None else None
        found = known.get(key) if key else None
        if found is None:
            found = {name: _covers(e, truth[name]) for name, e in scores(law, sums)}
            if key:
                known[key] = found
        for name, covered in found.items():
            defined[name] += covered is not None
            hits[name] += bool(covered)
    return {name: (hits[name] / max(defined[name], 1), defined[name]) for name in truth}


def _covers(estimate: Estimate, truth: float) -> bool | None:
    low, high = estimate.interval()
    return None if np.isnan(estimate.value) else bool(low - 1e-12 <= truth <= high + 1e-12)


def plain(law: str, n: int, times: int, rng: np.random.Generator) -> Iterator[CellSums]:
    """Samples of n rows."""
    _, _, chances = cells(law)
    for counts in rng.multinomial(n, chances, size=times):
        numbers = np.flatnonzero(counts)
        yield CellSums(numbers, counts[numbers])


def weighted(
    law: str, weights: list[float], chances: list[float], times: int, rng: np.random.Generator
) -> Iterator[CellSums]:
    """Samples of 300 rows with random weights."""
    _, _, p = cells(law)
    for _ in range(times):
        cell = rng.choice(len(p), 300, p=p)
        weight = rng.choice(weights, 300, p=chances)
        yield CellSums.of(cell, RowUnits.of(300, sample_weight=weight))


def clustered(law: str, same: float, times: int, rng: np.random.Generator) -> Iterator[CellSums]:
    """Samples of 30 clusters of 10 rows; a row copies that of its cluster with chance `same`."""
    _, _, p = cells(law)
    cluster = np.repeat(np.arange(30), 10)
    for _ in range(times):
        first, own = rng.choice(len(p), 30, p=p), rng.choice(len(p), 300, p=p)
        cell = np.where(rng.random(300) < same, first[cluster], own)
        yield CellSums.of(cell, RowUnits.of(300, groups=cluster))


def table(replications: int, seed: int) -> list[dict[str, object]]:
    """Coverage of every score in every setting."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, object]] = []

    def add(law: str, setting: str, n: int, samples: Iterator[CellSums]) -> None:
        for score, (value, defined) in coverage(law, samples).items():
            rows.append(
                {
                    "what": "coverage of 95% interval",
                    "law": law,
                    "rows are": setting,
                    "n": n,
                    "score": score,
                    "value": value,
                    "replications": defined,
                    "bound": BOUNDS[n] if defined >= replications / 4 else "",
                }
            )

    few = max(2, replications // 2)  # weights and clusters cannot be cached: fewer samples
    for law in LAWS:
        for n in (30, 100, 1000):
            times = replications if n < 1000 else max(2, replications // 2)
            add(law, "independent", n, plain(law, n, times, rng))
        add(law, "weighted 19:1", 300, weighted(law, [19, 1], [0.05, 0.95], few, rng))
        even = weighted(law, [1, 2, 5, 10], [0.25] * 4, few, rng)
        add(law, "weighted 1, 2, 5, 10", 300, even)
        for same in (0.0, 0.5):
            label = f"30 clusters of 10, {100 * same:g}% alike"
            add(law, label, 300, clustered(law, same, few, rng))
    return rows
