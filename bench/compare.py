"""Verdicts from tallies, and the sequential comparison against comparecast."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import lgamma, log

import numpy as np
from scipy.special import gammainc

from bench.measure import Row, race
from wager.compare import SequentialState, break_even, dominance, head_to_head, risk_profile
from wager.compare._mixture_martingale import MixtureMartingale
from wager.costs import CostMatrix, CostTally
from wager.rewards import PairedTally

N_CLASSIFIERS, N_CLASSES = 20, 10
N_RESAMPLES = 2000
CHUNK = 65_536


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, N_CLASSES, 100_000)
    sets = {f"c{i}": some_sets(rng, y) for i in range(N_CLASSIFIERS)}
    found = head_to_head(y, {name: sets[name] for name in sets}, classes=range(N_CLASSES))
    pairs, tallies = found.pairs, found.tallies

    tables = [tally.table.ravel() for tally in tallies.values()]
    drawn = partial(resample_all, tables, rng)
    draws = f"{N_RESAMPLES:,} resamples of each tally"
    for family in ("quadratic", "exponential", "fbeta"):
        what = f"risk profile, {family}, 20 classifiers"
        yield race(what, lambda f=family: risk_profile(tallies, f), drawn, draws, 1.0)
    costs = CostMatrix.ordinal(range(N_CLASSES))
    counted = [CostTally.of(y, part, classes=range(N_CLASSES)) for part in sets.values()]
    numbers = [cells.sums.totals for cells in counted]
    yield race(
        "risk profile over r of costs, 20 classifiers",
        lambda: risk_profile(counted, "p-discounted", costs=costs),
        partial(resample_all, numbers, rng),
        f"{N_RESAMPLES:,} resamples of each cost tally",
        1.0,
    )
    one = pairs["c0", "c1"]
    resample, name = (lambda: resampled(one, rng)), f"{N_RESAMPLES:,} resamples of the joint counts"
    yield race("interval of a paired difference", lambda: interval(one), resample, name, 1.0)
    yield race("break-even point with its interval", lambda: break_even(one), resample, name, 1.0)
    yield race("dominance with its test", lambda: dominance(one), resample, name, 1.0)
    yield from sequential_rows(rng)


def interval(paired: PairedTally) -> object:
    return paired.difference("u65").interval()


def resampled(paired: PairedTally, rng: np.random.Generator) -> object:
    """What a bootstrap of the rows costs at least: drawing the joint counts again."""
    return resampled_counts(paired.counts, rng)


def resampled_counts(counts: np.ndarray, rng: np.random.Generator) -> object:
    n = counts.sum()
    return rng.multinomial(int(n), counts / n, size=N_RESAMPLES)


def resample_all(tables: list[np.ndarray], rng: np.random.Generator) -> object:
    return [resampled_counts(table, rng) for table in tables]


def sequential_rows(rng: np.random.Generator) -> Iterator[Row]:
    million = rng.choice([-0.65, 0.0, 0.35], size=1_000_000, p=[0.1, 0.6, 0.3])

    def in_chunks(method: str) -> object:
        state = SequentialState(method=method)
        for start in range(0, len(million), CHUNK):
            state = state.update(million[start : start + CHUNK])
        return state.interval

    def bare() -> object:
        """The running mean, and the running sum of squared deviations from the mean before."""
        means = np.cumsum(million) / np.arange(1, len(million) + 1)
        return np.cumsum((million[1:] - means[:-1]) ** 2)

    for method, most in (("mixture", 2.0), ("betting", None)):
        what = f"sequential update, {method}, 1,000,000 rows in chunks"
        yield race(what, lambda m=method: in_chunks(m), bare, "running mean and variation", most, 3)
    some = million[:20_000]
    name, peer = peer_on(some)

    def every_bound() -> object:
        _, totals, variations = SequentialState(method="mixture").process.follow(some)
        mixture = MixtureMartingale.tuned(scale=2.0, alpha=0.025)
        return totals, mixture.boundary(variations)

    yield race("a confidence sequence at each of 20,000 rows", every_bound, peer, name, 0.1, 2)

    def state_alone() -> object:
        return SequentialState(method="mixture").update(some).interval

    yield race("the same, its end alone", state_alone, peer, name, 0.1, 2)


def peer_on(differences: np.ndarray) -> tuple[str, Callable[[], object]]:
    """Choe & Ramdas's package if it is installed, otherwise the same sequence row by row."""
    try:
        from comparecast.confseq import confseq_eb
    except ImportError:
        return "row by row in Python", lambda: row_by_row(differences)
    return "comparecast", lambda: confseq_eb(differences, 0.05, -1, 1, v_opt=100.0)


def row_by_row(differences: np.ndarray) -> float:
    """The gamma-exponential boundary after each row, by bisection on one number at a time."""
    mixture = MixtureMartingale.tuned(scale=2.0, alpha=0.025)
    total = variation = 0.0
    radius = 0.0
    for i, d in enumerate(differences.tolist()):
        variation += (d - (total / i if i else 0.0)) ** 2
        total += d
        low, high = 0.0, 100.0 + 10 * variation**0.5
        for _ in range(60):
            middle = (low + high) / 2
            if _log_mixture(mixture, middle, variation) < log(40):
                low = middle
            else:
                high = middle
        radius = high / (i + 1)
    return radius


def _log_mixture(mixture: MixtureMartingale, s: float, v: float) -> float:
    c2, a = mixture.scale**2, mixture.rho / mixture.scale**2
    b, x = (v + mixture.rho) / c2, (mixture.scale * s + v + mixture.rho) / c2
    start = a * log(a) - lgamma(a) - log(gammainc(a, a))
    return start + lgamma(b) + log(gammainc(b, x)) - b * log(x) + (mixture.scale * s + v) / c2


def some_sets(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
    """Sets of one to four neighbouring classes, mostly around the true class."""
    n = len(y)
    said = np.where(rng.random(n) < rng.uniform(0.6, 0.9), y, rng.integers(0, N_CLASSES, n))
    sets = np.zeros((n, N_CLASSES), dtype=bool)
    sets[np.arange(n), said] = True
    for step in (1, 2, 3):
        more = rng.random(n) < 0.3**step
        sets[np.flatnonzero(more), (said[more] + step) % N_CLASSES] = True
    return sets
