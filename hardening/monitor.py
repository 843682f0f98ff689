"""Watch a very long stream, and recompute everything exactly: ``python -m hardening.monitor ROWS``.

The stream has exactly the promised coverage and utility, so that old money of the bettors keeps its
value and rounding errors add up; in its last hundredth, or 2,000 rows, the coverage falls.  At ten
checkpoints the state is compared with an independent recomputation: counts as whole numbers, what
the bettors own in decimal numbers of 40 digits, and at the end the row of each alert.  The state
goes through JSON at every checkpoint.
"""

from __future__ import annotations

import resource
import sys
import time
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

from wager.compare import DriftTest, Monitor
from wager.compare._betting import CAPITALS, FRACTIONS

BATCH = 1_000_000
BLOCK = 100  # rows between two parts of the bettors' money
SHARES = {1: 0.7, 2: 0.2, 3: 0.1}  # of set sizes
COVERAGE, DRIFTED = 0.9, 0.8
U65 = {0: Decimal(0), 1: Decimal(1), 2: Decimal("0.65"), 3: Decimal("1.6") / 3 - Decimal("0.6") / 9}
DRIFTED_ROWS = 2000  # at least
DIGITS = 40
# Roundings of a row: five in its factor and one where it is multiplied.
ROUNDINGS = 6
UNIT = 2.0**-53


@dataclass
class ExactTest:
    """What the bettors of one test own, from the definition, by counts within blocks of rows."""

    measure: str
    target: Decimal
    n_blocks: int = 0
    capital: list[Decimal] = field(default_factory=lambda: [Decimal(0)] * len(FRACTIONS))

    def __post_init__(self) -> None:
        worth = [Decimal(0), *(U65[k] for k in SHARES)]  # a miss, and hits by size
        if self.measure == "coverage":
            worth = [Decimal(min(1, code)) for code in range(1 + len(SHARES))]
        stakes = [Decimal(float(f)) for f in FRACTIONS]
        ratio = [(1 - x) / (1 - self.target) for x in worth]
        self.factors = [[1 - f + f * r for r in ratio] for f in stakes]
        self.powers = [[[x**c for c in range(BLOCK + 1)] for x in row] for row in self.factors]
        self.shares = [Decimal(float(share)) for share in CAPITALS]

    def enter(self) -> None:
        """Add the money that enters before a block."""
        j = self.n_blocks
        part = Decimal("0.5") if j == 0 else Decimal("0.5") / (j * (j + 1))
        self.capital = [
            c + part * share for c, share in zip(self.capital, self.shares, strict=True)
        ]
        self.n_blocks += 1

    def follow(self, counts: list[int]) -> None:
        """Go on by a block of rows, given how often each outcome occurred."""
        self.enter()
        for i, powers in enumerate(self.powers):
            capital = self.capital[i]
            for power, count in zip(powers, counts, strict=True):
                if count:
                    capital *= power[count]
            self.capital[i] = capital

    def alert_within(self, codes: list[int], goal: Decimal) -> int | None:
        """The first row of a block after which the evidence reaches the goal, counted from 1."""
        self.enter()
        kept = Decimal("0.5") / self.n_blocks
        for row, code in enumerate(codes, 1):
            self.capital = [c * f[code] for c, f in zip(self.capital, self.factors, strict=True)]
            if sum(self.capital) + kept >= goal:
                return row
        return None

    def error(self, test: DriftTest) -> float:
        """The largest relative error of what a bettor owns."""
        return max(
            float(abs(Decimal(found) - exact) / exact)
            for found, exact in zip(test.capital, self.capital, strict=True)
        )


def outcomes(rng: np.random.Generator, n: int, coverage: float) -> tuple[Any, Any, Any]:
    """True classes, sets as a boolean matrix, and the outcome: 0 for a miss, else the size."""
    size = np.searchsorted(np.cumsum(list(SHARES.values()))[:-1], rng.random(n), "right") + 1
    hit = rng.random(n) < coverage
    y = rng.integers(0, 4, n)
    ranks = (np.arange(4) - y[:, None] - np.where(hit, 0, 1)[:, None]) % 4
    return y, ranks < size[:, None], np.where(hit, size, 0)


def compared(monitor: Monitor, exact: list[ExactTest], counts: Any) -> float:
    """The largest relative error of the bettors' money; wrong counts are an error."""
    cells = {(k, h): n for k, *pair in monitor.total.cells for h, n in enumerate(pair) if n}
    wanted = {cell: n for cell, n in counts.items() if n}
    if cells != wanted:
        raise SystemExit(f"the counts differ: {cells} instead of {wanted}")
    found = [
        twin.error(test)
        for twin, test in zip(exact, monitor.tests, strict=True)
        if not test.is_alert
    ]
    return max(found, default=0.0)


def main(rows: int, seed: int = 0) -> str:
    """Watch so many rows, and describe what was found in one line."""
    rng = np.random.default_rng(seed)
    batch = min(BATCH, max(rows // 100 // BLOCK * BLOCK, BLOCK))
    n_batches = max(rows // batch, 2)
    calm = n_batches - max(n_batches // 100, -(-DRIFTED_ROWS // batch))
    utility = sum(share * float(U65[k]) for k, share in SHARES.items()) * COVERAGE
    monitor = Monitor.start(coverage=COVERAGE, mean_utility=utility, alpha=1e-3, window=10_000)
    started, sizes, memory, errors = time.process_time(), [], [], [0.0]
    exact = [ExactTest(test.measure, Decimal(test.target)) for test in monitor.tests]
    goals = [1 / Decimal(test.alpha) for test in monitor.tests]
    counts = {(k, h): 0 for k in SHARES for h in (0, 1)}
    alerts: dict[str, tuple[int | None, int | None]] = {}
    spent = 0.0
    for number in range(n_batches):
        y, sets, codes = outcomes(rng, batch, COVERAGE if number < calm else DRIFTED)
        before = time.process_time()
        monitor = monitor.update(y, sets, classes=range(4))
        spent += time.process_time() - before
        size = sets.sum(axis=1)
        for k in SHARES:
            for h in (0, 1):
                counts[k, h] += int(((size == k) & ((codes > 0) == h)).sum())
        blocks = codes.reshape(-1, BLOCK)
        by_block = np.stack([(blocks == c).sum(axis=1) for c in range(1 + len(SHARES))], axis=1)
        with localcontext() as context:
            context.prec = DIGITS
            for twin, test, goal in zip(exact, monitor.tests, goals, strict=True):
                if twin.measure in alerts:
                    continue
                end = len(blocks)
                if test.alert_at is not None:
                    end = (test.alert_at - 1 - number * batch) // BLOCK
                for of_block in by_block[:end].tolist():
                    twin.follow(of_block)
                if test.alert_at is not None:
                    row = twin.alert_within(blocks[end].tolist(), goal)
                    at = None if row is None else number * batch + end * BLOCK + row
                    alerts[twin.measure] = test.alert_at, at
            if (number + 1) % max(n_batches // 10, 1) == 0 or number + 1 == n_batches:
                errors.append(compared(monitor, exact, counts))
                text = monitor.to_json()
                if Monitor.from_json(text) != monitor:
                    raise SystemExit("the state changed on its way through JSON")
                monitor = Monitor.from_json(text)
                sizes.append(len(text))
                memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
                print(f"{monitor.rows:,} rows, relative error {errors[-1]:.2g}", flush=True)
    n, error = monitor.rows, max(errors)
    if error > ROUNDINGS * n * UNIT:
        raise SystemExit(f"the relative error is {error:.3g}, above {ROUNDINGS * n * UNIT:.3g}")
    if len(alerts) < len(exact) or any(a != b for a, b in alerts.values()):
        raise SystemExit(f"alerts, and the rows of the exact recomputation: {alerts}")
    found = ", ".join(f"{name} at row {at - calm * batch:,}" for name, (at, _) in alerts.items())
    total = time.process_time() - started
    return (
        f"{n:,} rows at {n / spent:,.0f} rows per CPU second ({total:.0f} s with the exact "
        f"recomputation); counts exact; largest relative error of a capital {error:.2g} (bound "
        f"{ROUNDINGS * n * UNIT:.2g}); drift found ({found} after it began), as exactly; state "
        f"{min(sizes)} to {max(sizes)} characters; memory {memory[0]:.0f} to {memory[-1]:.0f} MB"
    )


if __name__ == "__main__":
    print(main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000))
