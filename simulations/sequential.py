"""Sequential comparison: errors under continuous peeking, and how many rows a decision takes.

Every stream is looked at after each of its rows.  Type I error is how often a difference is ever
found where there is none; coverage is how often the confidence sequence contains the mean at all
times; a stopping time is the first row after which 0 is excluded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wager.compare._betting import CAPITALS, FRACTIONS
from wager.compare._mixture_martingale import MixtureMartingale

REPLICATIONS = 1000
SEED = 2024
ALPHA = 0.05
ROWS = 10_000
_BLOCK = 100  # rows at once, times the fractions, times the replications

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.integer]


@dataclass(frozen=True)
class Law:
    """The values that a difference takes, and their probabilities."""

    values: tuple[float, ...]
    chances: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The expected difference."""
        return float(np.dot(self.values, self.chances))

    def draw(self, rng: np.random.Generator, rows: int, streams: int) -> Floats:
        """Differences, one column per stream."""
        return rng.choice(self.values, p=self.chances, size=(rows, streams))


# no difference in the mean
NULL = {
    "1 row in 5 differs": Law((-1, 0, 1), (0.1, 0.8, 0.1)),
    "3% of rows differ": Law((-1, 0, 1), (0.015, 0.97, 0.015)),
    "0.2% of rows differ": Law((-1, 0, 1), (0.001, 0.998, 0.001)),
    "skewed: +1 rare, -0.05 common": Law((-0.05, 0, 1), (0.4, 0.58, 0.02)),
    "sets against single classes (u65)": Law((-0.35, 0, 0.65), (0.13, 0.8, 0.07)),
    "every row differs": Law((-1, 1), (0.5, 0.5)),
}
# the mixture's median stopping times are about 155, 731, 1784 and 2875 rows
POWER = {
    "+1 in 13% of rows": Law((0, 1), (0.87, 0.13)),
    "+1 in 10%, -1 in 5%": Law((-1, 0, 1), (0.05, 0.85, 0.1)),
    "-0.35 in 12%, +0.65 in 4% (u65)": Law((-0.35, 0, 0.65), (0.12, 0.84, 0.04)),
    "+1 in 1.5%, -1 in 0.5%": Law((-1, 0, 1), (0.005, 0.98, 0.015)),
}


def table(replications: int = REPLICATIONS, seed: int = SEED) -> list[dict[str, object]]:
    """Type I errors, coverage and median stopping times."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, object]] = []

    def add(what: str, law: str, value: float, bound: str) -> None:
        rows.append(
            {"what": what, "law": law, "n": ROWS, "value": round(value, 4),
             "replications": replications, "bound": bound}
        )  # fmt: skip

    for name, law in NULL.items():
        d = law.draw(rng, ROWS, replications)
        found = betting_stops(d) <= ROWS
        add("type I error, betting", name, float(found.mean()), "<= 0.05")
        found = first_rows(mixture_decisions(d)) <= ROWS
        add("type I error, mixture", name, float(found.mean()), "<= 0.05")
    for name, law in POWER.items():
        d = law.draw(rng, ROWS, replications)
        missed = betting_stops(d, law.mean) <= ROWS
        add("coverage at all rows, betting", name, float(1 - missed.mean()), ">= 0.95")
        betting = float(np.median(betting_stops(d)))
        reference = float(np.median(first_rows(hedged_decisions(d))))
        mixture = float(np.median(first_rows(mixture_decisions(d))))
        add("median stopping time, betting", name, betting, f"<= {1.15 * reference:.0f}")
        add("median stopping time, hedged capital", name, reference, "")
        add("median stopping time, mixture", name, mixture, "")
    return rows


def betting_stops(d: Floats, mean: float = 0.0) -> Ints:
    """The first row after which bets refute this mean, on one side or the other."""
    goal = np.log(2 / ALPHA)
    stops = np.full(d.shape[1], len(d) + 1)
    capital = np.zeros((2, len(FRACTIONS), d.shape[1]))
    live = np.arange(d.shape[1])
    for start in range(0, len(d), _BLOCK):
        rows = d[start : start + _BLOCK, live]
        hit = np.zeros(rows.shape, dtype=bool)
        for side, gain in enumerate(((rows + 1) / (mean + 1), (1 - rows) / (1 - mean))):
            stakes = FRACTIONS[:, None, None]
            courses = np.cumsum(np.log(1 - stakes + stakes * gain), axis=1)
            courses += capital[side][:, None]
            near = _total(courses.max(axis=1)) >= goal  # whether any row can reach it
            if near.any():
                hit[:, near] |= _total(courses[:, :, near]) >= goal
            capital[side] = courses[:, -1]
        ended = hit.any(axis=0)
        stops[live[ended]] = start + 1 + hit[:, ended].argmax(axis=0)
        live, capital = live[~ended], capital[:, :, ~ended]
        if len(live) == 0:
            break
    return stops


def hedged_decisions(d: Floats, cap: float = 0.5) -> Bools:
    """Whether the hedged capital process with predictable plug-in bets refutes 0 after each row.

    Waudby-Smith & Ramdas (2024, Theorem 3); their bets in [0, 1], where 0 is at 1/2.
    """
    x, t = (d + 1) / 2, np.arange(1, len(d) + 1)[:, None]
    mean = (0.5 + np.cumsum(x, axis=0)) / (t + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2, axis=0)) / (t + 1)
    before = np.vstack([np.full((1, d.shape[1]), 0.25), variance[:-1]])
    bet = np.minimum(np.sqrt(2 * np.log(2 / ALPHA) / (before * t * np.log(1 + t))), 2 * cap)
    up = np.cumsum(np.log1p(bet * (x - 0.5)), axis=0)
    down = np.cumsum(np.log1p(-bet * (x - 0.5)), axis=0)
    return np.maximum(up, down) >= np.log(2 / ALPHA)


def mixture_decisions(d: Floats) -> Bools:
    """Whether the gamma-exponential mixture excludes 0 after each row."""
    totals = np.cumsum(d, axis=0)
    before = np.vstack([np.zeros((1, d.shape[1])), totals[:-1]])
    before /= np.maximum(np.arange(len(d)), 1)[:, None]
    variations = np.cumsum((d - before) ** 2, axis=0)
    grid = np.geomspace(1e-4, variations.max() + 1, 3000)
    boundary = MixtureMartingale.tuned(scale=2.0, alpha=ALPHA / 2).boundary(grid)
    return np.abs(totals) > np.interp(variations, grid, boundary)


def first_rows(decisions: Bools) -> Ints:
    """The first row with a decision, for each stream; one more than the rows if there is none."""
    return np.where(decisions.any(axis=0), decisions.argmax(axis=0) + 1, len(decisions) + 1)


def _total(log_capitals: Floats) -> Floats:
    """The logarithm of what all bettors own."""
    weights = CAPITALS.reshape((-1,) + (1,) * (log_capitals.ndim - 1))
    most = log_capitals.max(axis=0)
    return np.asarray(most + np.log((weights * np.exp(log_capitals - most)).sum(axis=0)))


if __name__ == "__main__":
    for row in table():
        print(*row.values(), sep="\t")
