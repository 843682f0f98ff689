"""Measures of sets: means over rows of functions of size, hit and true class."""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from tests.twins.exact import (
    ROOT,
    Pair,
    as_fractions,
    average,
    decimal,
    ln,
    root,
    sets,
    weights,
)
from wager import evaluate_sets, metrics
from wager.rewards import Tally, mip

F = Fraction
# With fewer equivalent units one weight exceeds all others together more than a hundredfold: the
# standard error is a difference of nearly equal numbers, and the interval the whole range.
FEWEST_UNITS = 1.01


def quadratic(u_half: Fraction, x: Fraction) -> Fraction:
    """u(0) = 0, u(1/2) = u_half, u(1) = 1 (Zaffalon, Corani & Mauá, 2012, Section 9)."""
    return (4 * u_half - 1) * x + (2 - 4 * u_half) * x * x


def f_beta(beta: int, size: int) -> Fraction:
    """The F measure of a set of this size that contains the one true class."""
    return F(1 + beta**2, size + beta**2)


def values(rows: list[tuple[int, bool]], n_classes: int) -> dict[str, list[Any]]:
    """Each measure row by row; None where it does not apply."""
    reward = [F(int(hit), size) if size else F(0) for size, hit in rows]
    several = [size > 1 for size, _ in rows]
    log_k = ln(n_classes)

    def of(keep: list[bool], what: list[Any]) -> list[Any]:
        return [x if kept else None for x, kept in zip(what, keep, strict=True)]

    hit = [F(int(h)) for _, h in rows]
    size = [F(k) for k, _ in rows]
    single = [k == 1 for k, _ in rows]
    gain = [ln(F(n_classes, k)) if h else None for k, h in rows]
    return {
        "discounted_accuracy": reward,
        "coverage": hit,
        "determinacy": [F(int(s)) for s in single],
        "single_accuracy": of(single, hit),
        "set_accuracy": of(several, hit),
        "mean_set_size": size,
        "indeterminate_set_size": of(several, size),
        "empty_rate": [F(int(k == 0)) for k, _ in rows],
        "singleton_hit_ratio": [F(int(k == 1 and h)) for k, h in rows],
        "u50": reward,
        "u65": [quadratic(F(65, 100), x) for x in reward],
        "u80": [quadratic(F(80, 100), x) for x in reward],
        "f1": [f_beta(1, k) if h else F(0) for k, h in rows],
        "f2": [f_beta(2, k) if h else F(0) for k, h in rows],
        "mic": [-log_k / (n_classes - 1) if g is None else g for g in gain],
        "mip": [-log_k / 2 if g is None else g for g in gain],
    }


def mean_of(column: list[Any], w: list[Fraction]) -> Any:
    """The mean over the rows to which a measure applies."""
    kept = [(x, v) for x, v in zip(column, w, strict=True) if x is not None]
    return average([x for x, _ in kept], [v for _, v in kept])


def error_of_mean(
    column: list[Any], w: list[Fraction], groups: list[int], *, equivalent: bool = True
) -> Any:
    """The standard error: totals of independent units, n / (n - 1) for the estimated mean.

    For sets, n is the equivalent number of equally large units; for scores of probabilities it is
    the number of units.
    """
    kept = [
        (decimal(x), decimal(v), g)
        for x, v, g in zip(column, w, groups, strict=True)
        if x is not None
    ]
    if not kept:
        return None
    total = sum(v for _, v, _ in kept)
    mean = sum(x * v for x, v, _ in kept) / total
    deviation: dict[int, Decimal] = {}
    size: dict[int, Decimal] = {}
    for x, v, g in kept:
        deviation[g] = deviation.get(g, Decimal(0)) + v * (x - mean)
        size[g] = size.get(g, Decimal(0)) + v
    units = total**2 / sum(s**2 for s in size.values())
    if units <= 1:
        return None
    units = units if equivalent else Decimal(len(size))
    return (sum(d**2 for d in deviation.values()) * units / (units - 1)).sqrt() / total


def case(rng: random.Random) -> tuple[Any, ...]:
    """True classes, sets, sizes and hits, weights as they are and as fractions."""
    n, k = rng.choice([1, 2, 5, 12, 40]), rng.randrange(2, 6)
    y = [rng.randrange(k) for _ in range(n)]
    matrix = sets(rng, n, k)
    given = weights(rng, n)
    rows = [(sum(row), row[t]) for t, row in zip(y, matrix, strict=True)]
    return y, matrix, rows, given, as_fractions(given, n), k


def means(rng: random.Random) -> Iterator[Pair]:
    """Means, variance, certainty equivalents, and standard errors of rows and of clusters."""
    y, matrix, rows, given, w, k = case(rng)
    options: dict[str, Any] = {"classes": range(k), "sample_weight": given}
    groups = list(range(len(y)))
    if rng.random() < 0.3:
        groups = [rng.randrange(4) for _ in y]
        options["groups"] = groups
    found = evaluate_sets(y, np.array(matrix), ("u50", "u65", "u80", "f1", "f2"), **options)
    exact = values(rows, k)
    for name, column in exact.items():
        if name not in found.estimates:
            continue
        mean = mean_of(column, w)
        # gains and losses of information may cancel
        yield Pair(name, found.estimates[name].value, mean, 1 if name == "mic" else 0)
        error = error_of_mean(column, w, groups)
        if error is not None and found.estimates[name].n > FEWEST_UNITS:
            scale = max(abs(decimal(x)) for x in column if x is not None)
            said = found.estimates[name].standard_error
            yield Pair(f"standard error of {name}", said, error, scale * Decimal("1e-3"), ROOT)
    reward = exact["discounted_accuracy"]
    mean = mean_of(reward, w)
    variance = mean_of([(x - mean) ** 2 for x in reward], w)
    yield Pair("reward_variance", found["reward_variance"], variance, F(1, 1000))
    yield Pair("k_random_variance", found["k_random_variance"], mean * (1 - mean), F(1, 1000))
    yield Pair("rows", found.tally.n, sum(w))


def functions(rng: random.Random) -> Iterator[Pair]:
    """The functions of `wager.metrics`, which read the same predictions."""
    y, matrix, rows, given, w, k = case(rng)
    table = np.array(matrix)
    options: dict[str, Any] = {"classes": range(k), "sample_weight": given}
    exact = values(rows, k)
    for name in (
        "coverage",
        "discounted_accuracy",
        "single_accuracy",
        "set_accuracy",
        "singleton_hit_ratio",
    ):
        said = getattr(metrics, name)(y, table, **options)
        yield Pair(name, said, mean_of(exact[name], w))
    for name in ("determinacy", "mean_set_size", "indeterminate_set_size", "empty_rate"):
        yield Pair(name, getattr(metrics, name)(table, **options), mean_of(exact[name], w))
    for name, of_utility in (("u65", "u65"), ("u80", 0.8), ("f2", "f2")):
        mean = mean_of(exact[name], w)
        said = metrics.utility_discounted_accuracy(y, table, of_utility, **options)
        yield Pair("utility_discounted_accuracy", said, mean)
        if 0 < abs(mean - 1) < F(1, 10**9):  # whether it is u(1) is a rounding error
            continue
        said = metrics.certainty_equivalent(y, table, of_utility, **options)
        yield Pair("certainty_equivalent", said, inverse(name, mean), F(1, 1000))
    size, hit = np.array([k for k, _ in rows]), np.array([h for _, h in rows])
    scores = mip(k, a=-0.5).function(size, hit)
    for said, one in zip(scores.tolist(), exact["mip"], strict=True):
        yield Pair("mip", said, one, 1)
    tally = Tally.of(y, table, range(k), given)
    yield Pair("mic", tally.score("mic").value, mean_of(exact["mic"], w), 1)


def inverse(name: str, value: Any) -> Any:
    """The least reward with this utility; 1 if it is that of 1, as docs/readings.md says."""
    v = decimal(value)
    if v == 1:
        return 1
    if name.startswith("f"):
        beta = Decimal(int(name[1:])) ** 2
        return v / (1 + beta * (1 - v))  # v = (1 + beta) x / (1 + beta x)
    q = Decimal("0.65") if name == "u65" else Decimal("0.8")
    a, b = 4 * q - 1, 2 - 4 * q
    return 2 * v / (a + (a * a + 4 * b * v).sqrt())


def strata(rng: random.Random) -> Iterator[Pair]:
    """Coverage by class and by size, gaps, violations, the confusion table, and HSIC."""
    y, matrix, rows, given, w, k = case(rng)
    table = np.array(matrix)
    options: dict[str, Any] = {"classes": range(k), "sample_weight": given}
    alpha = rng.randrange(1, 32) / 32
    goal = 1 - F(alpha)
    hit = [F(int(h)) for _, h in rows]

    def by(keys: list[int], wanted: Any) -> list[Any]:
        chosen = [[i for i, key in enumerate(keys) if key == one] for one in wanted]
        return [average([hit[i] for i in part], [w[i] for i in part]) for part in chosen]

    by_class = by(y, range(k))
    sizes = [size for size, _ in rows]
    by_size = by(sizes, range(k + 1))
    for said, one in zip(metrics.class_coverage(y, table, **options), by_class, strict=True):
        yield Pair("class_coverage", said, one)
    found = metrics.size_stratified_coverage(y, table, **options)
    for said, one in zip(found, by_size, strict=True):
        yield Pair("size_stratified_coverage", said, one)
    known = [c for c in by_class if c is not None]
    there = [c for c in by_size if c is not None]
    gaps = [abs(c - goal) for c in known]
    yield Pair(
        "coverage_gap",
        metrics.coverage_gap(y, table, alpha, **options),
        sum(gaps) / len(gaps),
        F(1, 100),
    )
    total = [sum(v for v, t in zip(w, y, strict=True) if t == c) for c in range(k)]
    weighted = average([abs(c - goal) for c in known], [t for t in total if t])
    said = metrics.coverage_gap(y, table, alpha, weighted=True, **options)
    yield Pair("coverage_gap", said, weighted, F(1, 100))
    worst = max(abs(c - goal) for c in there)
    said = metrics.size_stratified_violation(y, table, alpha, **options)
    yield Pair("size_stratified_violation", said, worst, F(1, 100))
    yield Pair("worst_size_coverage", metrics.worst_size_coverage(y, table, **options), min(there))
    if all(abs(c - goal) > F(1, 10**9) for c in known):  # else rounding decides
        below = F(sum(c < goal for c in known), len(known))
        yield Pair("violated_classes", metrics.violated_classes(y, table, alpha, **options), below)
    scores = [[rng.randrange(2**30) for _ in range(k)] for _ in y]
    rank = [1 + sum(s > row[t] for s in row) for t, row in zip(y, scores, strict=True)]
    difficulty = by([0 if r == 1 else 1 if r <= 3 else 2 for r in rank], range(3))
    worst = max(abs(c - goal) for c in difficulty if c is not None)
    said = metrics.difficulty_violation(y, table, np.array(scores, dtype=float), alpha, **options)
    yield Pair("difficulty_violation", said, worst, F(1, 100))
    precise = [rng.randrange(k) for _ in y]
    unsure = [i for i, (size, _) in enumerate(rows) if size > 1]
    right = average([F(int(precise[i] == y[i])) for i in unsure], [w[i] for i in unsure])
    said = metrics.area_of_ignorance(y, table, precise, **options)
    yield Pair("area_of_ignorance", said, right)
    yield from confusion(y, matrix, rows, w, k, options)
    if given is None and len(y) > 1:
        yield Pair(
            "size_coverage_hsic",
            metrics.size_coverage_hsic(y, table, classes=range(k)),
            hsic(rows),
            Decimal("0.1"),
            1e-7,
        )


def confusion(y: Any, matrix: Any, rows: Any, w: Any, k: int, options: Any) -> Iterator[Pair]:
    """Weights by true class: single predictions by class, then larger sets by size."""
    said = metrics.set_confusion(y, np.array(matrix), **options)
    total = sum(w)
    for c in range(k):
        for d in range(k):
            exact = sum(
                v
                for v, t, row in zip(w, y, matrix, strict=True)
                if t == c and sum(row) == 1 and row[d]
            )
            yield Pair("set_confusion", said.table[c, d], exact, total)


def hsic(rows: list[tuple[int, bool]]) -> Decimal:
    """Root of trace(K H L H) / (n - 1)^2 over all pairs of rows, with kernels exp(-d^2)."""
    n = len(rows)

    def centred(x: list[int]) -> list[list[Decimal]]:
        kernel = [[(-(Decimal(a - b) ** 2)).exp() for b in x] for a in x]
        mean = [sum(row) / n for row in kernel]
        whole = sum(mean) / n
        return [[kernel[i][j] - mean[i] - mean[j] + whole for j in range(n)] for i in range(n)]

    first, second = centred([k for k, _ in rows]), centred([int(h) for _, h in rows])
    trace = sum(first[i][j] * second[i][j] for i in range(n) for j in range(n))
    return root(max(trace, Decimal(0))) / (n - 1)


TOPICS = {"means of sets": means, "functions of sets": functions, "strata of sets": strata}
