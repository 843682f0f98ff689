"""Worst slices: how often the interval of a slice contains its coverage, although it was searched.

Every row is covered with a probability that depends on two features.  The true coverage of a slice
is that of very many other rows in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from wager.rewards import worst_slice

REPLICATIONS = 300
SEED = 2021
_MANY = 10_000  # rows for the true coverage of a slice

Floats = npt.NDArray[np.float64]

# the chance of being covered, given two standard normal features
LAWS: dict[str, Callable[[Floats], Floats]] = {
    "the same coverage everywhere": lambda X: np.full(len(X), 0.9),
    "a corner is covered less often": lambda X: np.where(X.sum(axis=1) > 1.5, 0.6, 0.95),
    "coverage falls with a feature": lambda X: np.clip(0.9 - 0.05 * X[:, 0], 0, 1),
}


def table(replications: int = REPLICATIONS, seed: int = SEED) -> list[dict[str, Any]]:
    """Coverage of the interval, and how much too small the share of hits in the search is."""
    rng = np.random.default_rng(seed)
    many = rng.normal(size=(_MANY, 2))
    rows: list[dict[str, Any]] = []
    for name, chance in LAWS.items():
        for n in (200, 600):
            right, gaps = 0, []
            for k in range(replications):
                X = rng.normal(size=(n, 2))
                hit = rng.random(n) < chance(X)
                labels = np.where(hit, 0, 1)
                found = worst_slice(np.zeros(n), labels, X, n_directions=30, random_state=k)
                inside = found.contains(many)
                truth = float(chance(many[inside]).mean()) if inside.any() else np.nan
                low, high = found.interval()
                right += not (low > truth or high < truth)  # a slice without rows has no interval
                gaps.append(found.found - truth)
            row = {"setting": name, "n": n, "replications": replications}
            rows.append(
                {"what": "interval of the worst slice", **row,
                 "value": round(right / replications, 4), "bound": ">= 0.92"}
            )  # fmt: skip
            rows.append(
                {"what": "its coverage where it was found, minus the truth", **row,
                 "value": round(float(np.nanmean(gaps)), 4), "bound": ""}
            )  # fmt: skip
    return rows


if __name__ == "__main__":
    for row in table():
        print(*row.values(), sep="\t")
