"""Probabilities: coverage of intervals, type I errors of tests, and bias of calibration errors.

Forecasters report the true probabilities of three classes, or distorted ones.  ``spread`` rows
have Dirichlet(1, 1, 1) probabilities, ``sharp`` rows have probabilities close to 0 and 1, and
``overconfident`` forecasters report p^1.5 of spread rows, divided by its sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from wager._tables import RowUnits
from wager.compare import MeanDifference
from wager.rewards import (
    MeanEstimate,
    ProbabilityRows,
    ProbabilityTally,
    ReliabilityBins,
    RewardSums,
    calibration_test,
    probability_rewards,
)

REPLICATIONS = 2000
SEED = 20260114
N_CLASSES = 3
PRIOR = np.full(N_CLASSES, 1 / N_CLASSES)
CLASSES = np.arange(N_CLASSES)
LEAST = 1e-3  # every class is possible, so that all expected scores are finite
CLUSTERS, CLUSTER_SIZE = 30, 10
OVERCONFIDENT, UNDERCONFIDENT = 2.0, 0.3014  # powers of equal expected log loss, spread rows
LAWS = {"spread": (1.0, 1.0), "sharp": (0.15, 1.0), "overconfident": (1.0, 1.5)}
SETTINGS = {
    "30 rows": (30, "rows"),
    "50 rows": (50, "rows"),
    "100 rows": (100, "rows"),
    "200 rows": (200, "rows"),
    "285 rows": (285, "rows"),
    "1,000 rows": (1000, "rows"),
    "300 rows, weights 19:1": (300, "weights"),
    "30 clusters of 10": (CLUSTERS * CLUSTER_SIZE, "clusters"),
}
OTHERS = ("300 rows, weights 19:1", "30 clusters of 10")
Row = dict[str, object]


def table(replications: int = REPLICATIONS, seed: int = SEED) -> list[Row]:
    """All rows of the table."""
    rng = np.random.default_rng(seed)
    return [
        *_coverage(replications, rng),
        *_paired(2 * replications, rng),
        *_calibration(replications, rng),
    ]


def _draw(n: int, law: str, kind: str, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """True classes, true probabilities and reported probabilities."""
    alpha, power = LAWS[law]
    q = LEAST + (1 - N_CLASSES * LEAST) * rng.dirichlet(np.full(N_CLASSES, alpha), n)
    lots = rng.random(n)
    if kind == "clusters":  # a cluster shares its probabilities, and half of its rows their luck
        first = np.arange(n) // CLUSTER_SIZE * CLUSTER_SIZE
        q = q[first]
        lots = np.where(rng.random(n) < 0.5, lots[first], lots)
    truth = (q.cumsum(axis=1) < lots[:, None]).sum(axis=1).clip(max=N_CLASSES - 1)
    reported = q**power
    return truth, q, reported / reported.sum(axis=1, keepdims=True)


def _units(n: int, kind: str, rng: np.random.Generator) -> RowUnits:
    weights = rng.choice([1.0, 19.0], n) if kind == "weights" else None
    groups = np.arange(n) // CLUSTER_SIZE if kind == "clusters" else None
    return RowUnits.of(n, weights, None, groups)


def _values(truth: Any, proba: Any) -> dict[str, Any]:
    rows = ProbabilityRows(truth, proba, CLASSES, RowUnits())
    return {one.name: one.values(rows, PRIOR, 2.0, None) for one in probability_rewards()}


def _row(what: str, law: str, setting: str, value: float, replications: int, bound: str) -> Row:
    n, kind = SETTINGS[setting]
    return {
        "what": what,
        "law": law if kind == "rows" else f"{law}, {setting.removeprefix('300 rows, ')}",
        "n": n,
        "value": round(float(value), 4),
        "replications": replications,
        "bound": bound,
    }


def _moments(values: Any, n: int, kind: str, seed: int) -> Iterator[tuple[float, ...]]:
    """Mean, standard error, effective number of units and skewness of each replication.

    A replication takes the place of a true class, so that many are summed at once.
    """
    rng = np.random.default_rng(seed)  # the same weights for every score
    block = n * (20 if kind == "clusters" else 500)
    for start in range(0, len(values), block):
        part = values[start : start + block]
        place = np.arange(len(part)) // n
        units = _units(len(part), kind, rng)
        sums = RewardSums.of(part, place, units, int(place[-1]) + 1)
        found = (column[:-1].tolist() for column in sums.by_class_and_overall)
        yield from zip(*found, strict=True)


def _coverage(replications: int, rng: np.random.Generator) -> Iterator[Row]:
    for law in LAWS:
        _, q, p = _draw(200_000, law, "rows", rng)
        by_class = [_values(np.full(len(p), code), p) for code in CLASSES]
        for setting in ("30 rows", "100 rows", "1,000 rows", *OTHERS):
            n, kind = SETTINGS[setting]
            truth, _, p = _draw(n * replications, law, kind, rng)
            values, seed = _values(truth, p), int(rng.integers(2**31))
            for reward in probability_rewards():
                name, hits = reward.name, 0
                expected = sum(q[:, code] @ by_class[code][name] for code in CLASSES) / len(q)
                limits = reward.limits(PRIOR, 2.0)
                low, high = float(limits[0].min()), float(limits[1].max())
                for mean, error, units, skewness in _moments(values[name], n, kind, seed):
                    estimate = MeanEstimate(
                        mean, error, units, low, high, reward.is_proportion, skewness=skewness
                    )
                    first, last = estimate.interval()
                    hits += first <= expected <= last
                what = f"coverage of the 95% interval: {name}"
                bound = ">= 0.90" if n == 30 else ">= 0.92"
                yield _row(what, law, setting, hits / replications, replications, bound)


def _noisy(q: Any, noise: float, rng: np.random.Generator) -> Any:
    """Reports of a forecaster who sees the true probabilities with an error."""
    p = q * np.exp(noise * rng.standard_normal(q.shape))
    return p / p.sum(axis=1, keepdims=True)


def _tempered(q: Any, power: float) -> Any:
    p = q**power
    return p / p.sum(axis=1, keepdims=True)


def _pairs(n: int, law: str, kind: str, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """True classes, and the reports of two forecasters of equal expected log loss.

    They are exchangeable, except for ``skewed``: one of them is overconfident, the other one is
    not confident enough, so that only the log loss is the same on average.
    """
    noise = {"spread": 0.5, "sharp": 1.0, "heavy tails": 3.0}
    if law in noise:
        truth, q, _ = _draw(n, "sharp" if law == "sharp" else "spread", kind, rng)
        return truth, _noisy(q, noise[law], rng), _noisy(q, noise[law], rng)
    truth, q, _ = _draw(n, "spread", kind, rng)
    return truth, _tempered(q, OVERCONFIDENT), _tempered(q, UNDERCONFIDENT)


def _paired(replications: int, rng: np.random.Generator) -> Iterator[Row]:
    settings = ("50 rows", "200 rows", "1,000 rows", *OTHERS)
    for law in ("spread", "sharp", "heavy tails", "skewed"):
        for setting in settings:
            n, kind = SETTINGS[setting]
            truth, *reports = _pairs(n * replications, law, kind, rng)
            first, second = (_values(truth, p) for p in reports)
            seed = int(rng.integers(2**31))
            for reward in probability_rewards():
                name, rejected = reward.name, 0
                if law == "skewed" and name != "log_loss":
                    continue
                gap = first[name] - second[name]
                for mean, error, units, skewness in _moments(gap, n, kind, seed):
                    found = MeanDifference(
                        mean, error, units, extremes=reward.is_proportion, skewness=skewness
                    )
                    rejected += found.p < 0.05
                what = f"type I error of the paired test: {name}"
                yield _row(what, law, setting, rejected / replications, replications, "<= 0.06")


def _calibration(replications: int, rng: np.random.Generator) -> Iterator[Row]:
    settings = ("100 rows", "285 rows", "1,000 rows", *OTHERS)
    some = max(3 * replications // 4, 1)  # these replications take longer
    for law in ("spread", "sharp"):
        for setting in settings:
            n, kind = SETTINGS[setting]
            found = np.array([_calibrated(n, law, kind, rng) for _ in range(some)])
            plain, expected, square, root, top, classes = found.T
            for what, values, bound in (
                ("mean top-label calibration error, calibrated", plain, ""),
                ("mean of the error if calibrated", expected, "near the line above"),
                ("mean debiased squared error, calibrated", square, "near 0"),
                ("mean debiased error, calibrated", root, "near 0"),
                ("type I error of the calibration test: top label", top < 0.05, "<= 0.06"),
                ("type I error of the calibration test: classes", classes < 0.05, "<= 0.06"),
            ):
                yield _row(what, law, setting, float(values.mean()), some, bound)


def _calibrated(n: int, law: str, kind: str, rng: np.random.Generator) -> list[float]:
    """Plain, expected and debiased errors, and p-values, of one calibrated sample."""
    truth, _, p = _draw(n, law, kind, rng)
    units = _units(n, kind, rng)
    tally = ProbabilityTally.of(
        truth, p, classes=CLASSES, sample_weight=units.weights, groups=units.clusters
    )
    bins: ReliabilityBins = tally.top_label
    square = float(bins.squared_error_debiased[0])
    seed = int(rng.integers(2**31))
    return [
        float(bins.calibration_error[0]),
        float(bins.error_if_calibrated[0]),
        square,
        float(np.sign(square) * np.sqrt(abs(square))),
        calibration_test(bins, 199, seed).p,
        calibration_test(tally.by_class, 199, seed).p,
    ]


if __name__ == "__main__":
    for row in table():
        print(*row.values(), sep="\t")
