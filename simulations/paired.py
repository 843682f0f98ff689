"""Paired differences and break-even points: coverage of their intervals.

A cautious classifier returns both of two classes on a share of the rows, where the plain one is
right with some probability; elsewhere the two differ on a few rows in either direction.  The true
break-even point is then the plain one's accuracy on the cautious one's pairs.  A break-even
interval is the set of u(0.5) that the test does not reject, so it contains the true one exactly if
the test does not reject there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from wager._tables import RowUnits
from wager.compare import break_even, mcnemar
from wager.rewards import CellSums, PairedTally

REPLICATIONS = 2000
SEED = 20261117
# joint outcomes: size and hit of the cautious one, size and hit of the plain one
OUTCOMES = np.array(
    [[2, 1, 1, 1], [2, 1, 1, 0], [1, 1, 1, 0], [1, 0, 1, 1], [1, 1, 1, 1], [1, 0, 1, 0]]
)


class Law(NamedTuple):
    """Share of pairs, the plain one's accuracy on them, and the share of other differing rows."""

    pairs: float
    accuracy: float
    differing: float

    @property
    def chances(self) -> Any:
        """The probabilities of the joint outcomes."""
        rest = 1 - self.pairs - self.differing
        return np.array(
            [
                self.pairs * self.accuracy,
                self.pairs * (1 - self.accuracy),
                self.differing / 2,
                self.differing / 2,
                0.85 * rest,
                0.15 * rest,
            ]
        )

    def difference(self, u: float) -> float:
        """The true difference in expected utility with u(0.5) = u."""
        return self.pairs * (u - self.accuracy)


LAWS = {
    "30% pairs": Law(0.3, 0.65, 0.05),
    "30% pairs, plain one right in 80%": Law(0.3, 0.8, 0.0),
    "10% pairs": Law(0.1, 0.65, 0.02),
    "3% pairs": Law(0.03, 0.65, 0.02),
    "3% pairs, else identical": Law(0.03, 0.65, 0.0),
    "3% pairs, plain one guesses": Law(0.03, 0.55, 0.0),
}


def covered(counts: Any, law: Law) -> dict[str, bool]:
    """Whether the intervals of one sample contain the true values."""
    seen = counts > 0
    paired = PairedTally(2, OUTCOMES[seen], counts[seen])
    found = {}
    for name, u in (("u50", 0.5), ("u65", 0.65), ("u80", 0.8)):
        low, high = paired.difference(name).interval()
        found[f"difference under {name}"] = low - 1e-12 <= law.difference(u) <= high + 1e-12
    interval = break_even(paired).interval
    found["break-even point"] = interval is not None and (
        interval[0] - 1e-9 <= law.accuracy <= interval[1] + 1e-9
    )
    return found


def samples(law: Law, n: int, times: int, rng: np.random.Generator) -> dict[str, float]:
    """The coverage over samples of n rows; equal tables are computed once."""
    drawn = rng.multinomial(n, law.chances, size=times)
    # the two outcomes without a difference have the same effect
    drawn[:, 4] += drawn[:, 5]
    drawn[:, 5] = 0
    tables, repeats = np.unique(drawn, axis=0, return_counts=True)
    total: dict[str, float] = {}
    for counts, times_seen in zip(tables, repeats, strict=True):
        for name, inside in covered(counts, law).items():
            total[name] = total.get(name, 0.0) + inside * times_seen / times
    return total


def weighted(law: Law, times: int, rng: np.random.Generator) -> float:
    """The coverage of the difference under u65 with 300 rows of weight 1, 2, 5 or 10."""
    hits = 0
    for _ in range(times):
        cell = rng.choice(6, 300, p=law.chances)
        weight = rng.choice([1, 2, 5, 10], 300)
        sums = CellSums.of(cell, RowUnits.of(300, sample_weight=weight))
        squares = sums.squares
        low, high = (
            PairedTally(2, OUTCOMES[sums.numbers], sums.totals, squares)
            .difference("u65")
            .interval()
        )
        hits += low <= law.difference(0.65) <= high
    return hits / times


def mcnemars(n: int, differing: float, times: int, rng: np.random.Generator) -> float:
    """The coverage of McNemar's interval; one direction is three times as frequent."""
    p = np.array([0.75 * differing, 0.25 * differing, 1 - differing])
    tables, repeats = np.unique(rng.multinomial(n, p, size=times), axis=0, return_counts=True)
    hits = 0
    for (only_a, only_b, same), count in zip(tables, repeats, strict=True):
        a = [True] * only_a + [False] * only_b + [True] * same
        b = [False] * only_a + [True] * only_b + [True] * same
        low, high = mcnemar(a, b).interval
        hits += count * (low - 1e-12 <= 0.5 * differing <= high + 1e-12)
    return hits / times


def table(replications: int, seed: int) -> list[dict[str, object]]:
    """Coverage of paired differences, break-even points and McNemar's interval."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, object]] = []

    def add(what: str, law: str, n: int, value: float, times: int) -> None:
        rows.append(
            {
                "what": f"coverage of 95% interval: {what}",
                "law": law,
                "n": n,
                "value": value,
                "replications": times,
                "bound": ">= 0.92",
            }
        )

    for name, law in LAWS.items():
        for n in (50, 200, 1000):
            times = replications if n < 1000 else max(2, replications // 4)
            for what, value in samples(law, n, times, rng).items():
                add(what, name, n, value, times)
        few = max(2, replications // 4)
        add("difference under u65, weights 1, 2, 5, 10", name, 300, weighted(law, few, rng), few)
    for n, differing in ((50, 0.04), (50, 0.2), (200, 0.04), (1000, 0.04)):
        value = mcnemars(n, differing, replications, rng)
        add("McNemar's", f"{100 * differing:g}% of rows differ", n, value, replications)
    return rows
