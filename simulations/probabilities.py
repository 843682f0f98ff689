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
        *_paired(replications, rng),
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


def _coverage(replications: int, rng: np.random.Generator) -> Iterator[Row]:
    for law in LAWS:
        _, q, p = _draw(200_000, law, "rows", rng)
        by_class = [_values(np.full(len(p), code), p) for code in CLASSES]
        truth_of = {
            name: float(sum(q[:, code] @ by_class[code][name] for code in CLASSES) / len(q))
            for name in by_class[0]
        }
        for setting in ("30 rows", "100 rows", "1,000 rows", *OTHERS):
            n, kind = SETTINGS[setting]
            truth, _, p = _draw(n * replications, law, kind, rng)
            values = _values(truth, p)
            hits = dict.fromkeys(values, 0)
            for k in range(replications):
                units, part = _units(n, kind, rng), slice(k * n, (k + 1) * n)
                for reward in probability_rewards():
                    sums = RewardSums.of(values[reward.name][part], truth[part], units, N_CLASSES)
                    low, high = reward.limits(PRIOR, 2.0)
                    estimate = MeanEstimate(
                        sums.mean, sums.standard_error, sums.n, low.min(), high.max(),
                        reward.is_proportion, skewness=sums.skewness,
                    )  # fmt: skip
                    low, high = estimate.interval()
                    hits[reward.name] += low <= truth_of[reward.name] <= high
            bound = ">= 0.90" if n == 30 else ">= 0.92"
            for name, count in hits.items():
                what = f"coverage of the 95% interval: {name}"
                yield _row(what, law, setting, count / replications, replications, bound)


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
            tested = [r for r in probability_rewards() if law != "skewed" or r.name == "log_loss"]
            rejected = dict.fromkeys((reward.name for reward in tested), 0)
            for k in range(replications):
                units, part = _units(n, kind, rng), slice(k * n, (k + 1) * n)
                for reward in tested:
                    gap = first[reward.name][part] - second[reward.name][part]
                    sums = RewardSums.of(gap, truth[part], units, N_CLASSES)
                    found = MeanDifference(
                        sums.mean, sums.standard_error, sums.n,
                        extremes=reward.is_proportion, skewness=sums.skewness,
                    )  # fmt: skip
                    rejected[reward.name] += found.p < 0.05
            for name, count in rejected.items():
                what = f"type I error of the paired test: {name}"
                yield _row(what, law, setting, count / replications, replications, "<= 0.06")


def _calibration(replications: int, rng: np.random.Generator) -> Iterator[Row]:
    settings = ("100 rows", "285 rows", "1,000 rows", *OTHERS)
    some = max(replications // 2, 1)  # these replications take longer
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
        calibration_test(bins, 499, seed).p,
        calibration_test(tally.by_class, 499, seed).p,
    ]


if __name__ == "__main__":
    for row in table():
        print(*row.values(), sep="\t")
