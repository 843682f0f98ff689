"""Measures of coverage in strata: how often their intervals contain the true value.

A row has a class, a set size and a rank of its true class, and is covered with a probability that
depends on one of them.  The true value of a measure is that of the strata that occur in the sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wager import metrics

REPLICATIONS = 400
SEED = 2021
ALPHA = 0.1
ROWS = (100, 500, 2000)
LEVEL = 0.95
_CLASSES = 8
_RANKS = ((1, 1), (2, 3), (4, 6), (7, 8))

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]


class Law(NamedTuple):
    """The probabilities of the strata, and how often each of them is covered."""

    shares: tuple[float, ...]
    coverage: tuple[float, ...]
    weighted: bool = False

    def draw(self, rng: np.random.Generator, n: int) -> tuple[Ints, npt.NDArray[np.bool_], Any]:
        """The stratum of each row, whether it is covered, and its weight."""
        stratum = rng.choice(len(self.shares), n, p=self.shares)
        hit = rng.random(n) < np.array(self.coverage)[stratum]
        weight = rng.choice([1.0, 2.0, 5.0], n) if self.weighted else None
        return stratum, hit, weight


# four strata: ranks, sizes 1 to 4, or the first four of eight classes
LAWS = {
    "the promised coverage everywhere": Law((0.4, 0.3, 0.2, 0.1), (0.9,) * 4),
    "one stratum is bad": Law((0.4, 0.3, 0.2, 0.1), (0.92, 0.92, 0.92, 0.6)),
    "two are equally bad, on both sides": Law((0.4, 0.3, 0.2, 0.1), (0.98, 0.82, 0.98, 0.82)),
    "coverage falls, the last stratum is rare": Law((0.6, 0.25, 0.13, 0.02), (0.97, 0.9, 0.8, 0.5)),
    "nearly always covered": Law((0.5, 0.3, 0.1, 0.1), (0.99, 0.99, 0.98, 0.99)),
    "two strata, alike": Law((0.7, 0.3), (0.9, 0.9)),
    "two strata, different": Law((0.7, 0.3), (0.95, 0.8)),
    "one stratum is bad, weights 1, 2, 5": Law((0.4, 0.3, 0.2, 0.1), (0.92, 0.92, 0.92, 0.6), True),
}


def table(replications: int = REPLICATIONS, seed: int = SEED) -> list[dict[str, Any]]:
    """How often the interval of each measure contains the true value."""
    rng = np.random.default_rng(seed)
    # three standard errors of a rate of 0.95 below it, as there are many rows
    bound = f">= {LEVEL - 3 * sqrt(LEVEL * (1 - LEVEL) / REPLICATIONS):.3f}"
    rows: list[dict[str, Any]] = []
    for setting, law in LAWS.items():
        for n in ROWS:
            right: dict[str, list[bool]] = {}
            for _ in range(replications):
                for name, found, truth in _measures(law, *law.draw(rng, n)):
                    low, high = found.interval(LEVEL)
                    right.setdefault(name, []).append(low - 1e-9 <= truth <= high + 1e-9)
            for name, each in right.items():
                rows.append({"what": f"interval of {name}", "setting": setting, "n": n,
                             "value": round(float(np.mean(each)), 4),
                             "replications": replications, "bound": bound})  # fmt: skip
    return rows


def _measures(
    law: Law, stratum: Ints, hit: npt.NDArray[np.bool_], weight: Any
) -> Iterator[tuple[str, Any, float]]:
    """Every measure of a sample with its true value."""
    occurs = np.unique(stratum)
    c, share = np.array(law.coverage)[occurs], np.array(law.shares)[occurs]
    share /= share.sum()
    gap = np.abs(c - (1 - ALPHA))
    known: dict[str, Any] = {
        "classes": range(_CLASSES), "sample_weight": weight, "return_estimate": True
    }  # fmt: skip
    by_class = stratum, np.where(hit, stratum, stratum + 1)[:, None] == np.arange(_CLASSES)
    found = metrics.coverage_gap(*by_class, ALPHA, **known)
    yield "coverage_gap", found, float(gap.mean())
    found = metrics.coverage_gap(*by_class, ALPHA, weighted=True, **known)
    yield "coverage_gap, weighted", found, float(gap @ share)
    found = metrics.violated_classes(*by_class, ALPHA, **known)
    yield "violated_classes", found, float((c < 1 - ALPHA).mean())
    # sets of 1 to 4 classes, from the true class on or without it
    y = np.zeros(len(hit), dtype=np.intp)
    column = np.arange(_CLASSES)
    first = np.where(hit, 0, 1)[:, None]
    sets = (column >= first) & (column <= stratum[:, None] + first)
    found = metrics.size_stratified_violation(y, sets, ALPHA, **known)
    yield "size_stratified_violation", found, float(gap.max())
    found = metrics.worst_size_coverage(y, sets, **known)
    yield "worst_size_coverage", found, float(c.min())
    found = metrics.size_coverage_hsic(y, sets, **known)
    yield "size_coverage_hsic", found, _criterion(share, c, occurs)
    # scores that give the true class the smallest rank of its stratum
    rank = np.array([low for low, _ in _RANKS])[stratum]
    scores = np.where(column == 0, 0.0, np.where(column < rank[:, None], 1.0, -1.0))
    found = metrics.difficulty_violation(y, sets, scores, ALPHA, strata=_RANKS, **known)
    yield "difficulty_violation", found, float(gap.max())


def _criterion(share: Floats, coverage: Floats, size: Ints) -> float:
    """The root of the criterion of a known distribution, from its definition."""
    joint = np.stack([share * (1 - coverage), share * coverage])
    free = joint - np.outer(joint.sum(axis=1), joint.sum(axis=0))
    kernel = np.exp(-(np.subtract.outer(size * 1.0, size * 1.0) ** 2))
    of_hits = np.exp(-(np.subtract.outer([0.0, 1.0], [0.0, 1.0]) ** 2))
    return sqrt(max(float(np.trace(free @ kernel @ free.T @ of_hits)), 0.0))


if __name__ == "__main__":
    for row in table():
        print(*row.values(), sep="\t")
