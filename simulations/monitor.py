"""Monitoring: alerts without drift, and how many rows an alert takes after a drift.

Every stream is looked at after each of its rows.  Type I error is how often an alert is ever raised
although nothing changes; a delay is the number of rows from the change to the alert.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from wager.compare._betting import CAPITALS, Bets
from wager.compare._drift import _STEP, _kept, _part
from wager.compare._monitor import Monitor
from wager.rewards import CellSums, Tally

REPLICATIONS = 1000
SEED = 2025
ALPHA = 0.05
ROWS = 10_000
REFERENCE = 1000  # rows
AFTER = 4000  # rows after a change
CHANGES = (0, 1000, 10_000)  # rows before a change

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]

# values of a row, and their probabilities; the target is their mean
NULL = {
    "coverage 0.9": ((0.0, 1.0), (0.1, 0.9)),
    "coverage 0.99": ((0.0, 1.0), (0.01, 0.99)),
    "coverage 0.5": ((0.0, 1.0), (0.5, 0.5)),
    "u65 of sets": ((0.0, 0.65, 1.0), (0.1, 0.3, 0.6)),
}
DRIFT = {"0.9 to 0.8": (0.9, 0.8), "0.9 to 0.85": (0.9, 0.85), "0.95 to 0.85": (0.95, 0.85)}


def table(replications: int = REPLICATIONS, seed: int = SEED) -> list[dict[str, Any]]:
    """Type I errors and median delays."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []

    def add(what: str, setting: str, n: int, value: float, bound: str = "") -> None:
        rows.append(
            {"what": what, "setting": setting, "n": n, "value": round(value, 4),
             "replications": replications, "bound": bound}
        )  # fmt: skip

    for name, (values, chances) in NULL.items():
        target, worth = float(np.dot(values, chances)), np.array(values)
        stops = alert_rows(rng, worth, [(ROWS, chances)], np.full(replications, target), ALPHA)
        add("type I error, known target", name, ROWS, float((stops <= ROWS).mean()), "<= 0.05")
    hits = rng.binomial(REFERENCE, 0.9, replications)
    tests = {k: Monitor.start(reference=_tally(k)).tests[0] for k in set(hits.tolist())}
    targets = np.array([tests[k].target for k in hits.tolist()])
    alpha = next(iter(tests.values())).alpha
    stops = alert_rows(rng, np.array([0.0, 1.0]), [(ROWS, (0.1, 0.9))], targets, alpha)
    add("type I error, reference of 1000 rows", "coverage 0.9", ROWS, float((stops <= ROWS).mean()),
        "<= 0.025")  # fmt: skip
    for name, (before, after) in DRIFT.items():
        for change in CHANGES:
            law = [(change, (1 - before, before)), (AFTER, (1 - after, after))]
            target = np.full(replications, before)
            stops = alert_rows(rng, np.array([0.0, 1.0]), law, target, ALPHA)
            delays = stops[stops > change] - change
            add("median delay of an alert", f"coverage {name} after row {change}", change,
                float(np.median(delays)))  # fmt: skip
    return rows


def _tally(hits: int) -> Tally:
    """A reference of single classes with so many hits."""
    return Tally.of_sums(2, CellSums(np.array([2, 3]), np.array([REFERENCE - hits, hits])))


def alert_rows(
    rng: np.random.Generator,
    values: Floats,
    law: list[tuple[int, tuple[float, ...]]],
    targets: Floats,
    alpha: float,
) -> Ints:
    """The row at which each stream raises an alert; one more than the rows if it does not.

    The test is that of `DriftTest`, for many streams at once.
    """
    total = sum(n for n, _ in law)
    stops, live = np.full(len(targets), total + 1), np.arange(len(targets))
    distinct, which = np.unique(targets, return_inverse=True)
    factors = np.array([Bets(0.0, 1.0, up=False).factors(values, m).T for m in distinct])
    capital, kept, n = np.zeros((len(targets), len(CAPITALS))), 1.0, 0
    for length, chances in law:
        steps = np.cumsum(chances)[:-1]
        for _ in range(length):
            if n % _STEP == 0:
                capital += _part(n // _STEP) * CAPITALS
                kept = _kept(n // _STEP)
            drawn = np.searchsorted(steps, rng.random(len(live)), side="right")
            capital *= factors[which, drawn]
            n += 1
            hit = capital.sum(axis=1) + kept >= 1 / alpha
            if hit.any():
                stops[live[hit]] = n
                capital, live, which = capital[~hit], live[~hit], which[~hit]
        if len(live) == 0:
            break
    return stops


if __name__ == "__main__":
    for row in table():
        print(*row.values(), sep="\t")
