"""Measures of probabilities: rewards for information, losses, calibration, conformal p-values."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from tests.twins.exact import (
    FROM_SUMS,
    Pair,
    as_fractions,
    average,
    decimal,
    ln,
    log2,
    root,
    simplex,
    weights,
)
from tests.twins.set_measures import FEWEST_UNITS, error_of_mean
from wager import evaluate_probabilities, metrics
from wager.rewards import pvalue_efficiency

F = Fraction


def rest(row: list[Fraction], i: int) -> Fraction:
    """1 minus a probability as it is given: 0 if it is 1, however small the others are."""
    return 1 - row[i]


def rewards(row: list[Fraction], truth: int, prior: list[Fraction]) -> dict[str, Any]:
    """The rewards of one report (Hope & Korb, 2004) in bits, and its losses."""
    k, p, q = len(row), row[truth], prior[truth]
    named = row.index(max(row))
    new, old = Decimal(0), Decimal(0)
    for i in range(k):
        said, before = (row[i], prior[i]) if i == truth else (rest(row, i), rest(prior, i))
        new += log2(said) - log2(before)
        old += 1 - ln(said) / ln(before)
    gain = log2(p) - log2(q)
    loss = -(log2(rest(row, truth)) - log2(rest(prior, truth)))
    return {
        "information_reward": new / k,
        "information_reward_2002": old / k,
        "kononenko_bratko": gain if p >= q else loss,
        "good_reward": 1 + log2(p if named == truth else rest(row, named)),
        "log_loss": -ln(p),
        "brier": sum((x - int(i == truth)) ** 2 for i, x in enumerate(row)),
        "accuracy": F(int(named == truth)),
    }


def report(rng: random.Random, k: int) -> list[float]:
    """Probabilities that are positive; some of them as small as 1e-300."""
    row = simplex(rng, k, rng.choice([10, 20, 40]), positive=True)
    if rng.random() < 0.2:
        row = [math.ldexp(rng.randrange(1, 9), -rng.choice([60, 300, 999])) for _ in range(k)]
        row[rng.randrange(k)] = 1.0  # the sum is 1 within rounding
    return row


def case(rng: random.Random, most: int = 25) -> tuple[Any, ...]:
    """True classes, reports, prior, weights."""
    n, k = rng.choice([1, 2, 6, most]), rng.randrange(2, 6)
    y = [rng.randrange(k) for _ in range(n)]
    proba = [report(rng, k) for _ in range(n)]
    return y, proba, simplex(rng, k, 12, positive=True), weights(rng, n), k


def information(rng: random.Random) -> Iterator[Pair]:
    """Rewards and losses of reports, with their standard errors."""
    y, proba, prior, given, k = case(rng)
    w, q = as_fractions(given, len(y)), [F(x) for x in prior]
    rows = [rewards([F(x) for x in row], t, q) for t, row in zip(y, proba, strict=True)]
    options: dict[str, Any] = {"classes": range(k), "sample_weight": given}
    found = evaluate_probabilities(y, np.array(proba), prior, **options)
    for name in rows[0]:
        column = [row[name] for row in rows]
        # a mean of positive and negative rewards is as exact as the largest of them
        # and a Brier score as the terms of which it is the difference, which are at most 1
        scale = 1 if name == "brier" else average([abs(x) for x in column], w)
        yield Pair(name, found.estimates[name].value, average(column, w), scale)
        error = None
        if all(decimal(x).is_finite() for x in column):
            error = error_of_mean(column, w, list(range(len(y))), equivalent=False)
        if error is not None and found.estimates[name].n > FEWEST_UNITS:
            size = max(abs(decimal(x)) for x in column)
            said = found.estimates[name].standard_error
            yield Pair(f"standard error of {name}", said, error, size, FROM_SUMS)
        if name not in ("accuracy", "log_loss", "brier"):
            own = {} if name == "good_reward" else {"prior": prior}
            said = getattr(metrics, name)(y, np.array(proba), **own, **options)
            yield Pair(name, said, average(column, w), scale)
    t = y[0]
    bound = -log2(q[t]) - sum(log2(rest(q, i)) for i in range(k) if i != t)
    said = metrics.information_reward_bound(prior, t, classes=range(k))
    yield Pair("information_reward_bound", said, bound / k)
    f, p = rng.randrange(1, 2**10) / 2**10, rng.randrange(1, 2**10) / 2**10
    one, other = decimal(F(f)) * ln(1 - F(p)), decimal(1 - F(f)) * ln(F(p))
    yield Pair("optimal_report_2002", metrics.optimal_report_2002(f, p), one / (one + other))
    true = [simplex(rng, k) for _ in y]
    divergence = [
        sum(decimal(F(a)) * (log2(F(a)) - log2(F(b))) for a, b in zip(row, said, strict=True) if a)
        for row, said in zip(true, proba, strict=True)
    ]
    said = metrics.kl_divergence(np.array(true), np.array(proba), sample_weight=given)
    yield Pair("kl_divergence", said, average(divergence, w), 1)


# -- calibration -----------------------------------------------------------------------------------


def gaps(p: list[Fraction], event: list[bool], w: list[Fraction], n_bins: int) -> Any:
    """The calibration error, its debiased square, and what calibrated probabilities have."""
    bins: dict[int, list[int]] = {}
    for i, x in enumerate(p):
        bins.setdefault(max(math.ceil(x * n_bins), 1), []).append(i)
    total = sum(w)
    plain = sum(abs(sum(w[i] * (p[i] - event[i]) for i in part)) for part in bins.values()) / total
    square, used, expected = F(0), F(0), F(0)
    for part in bins.values():
        pairs = [(i, j) for i in part for j in part if i != j]
        weight = sum(w[i] for i in part)
        if pairs:
            gap = sum(w[i] * w[j] * (p[i] - event[i]) * (p[j] - event[j]) for i, j in pairs)
            square += weight * gap / sum(w[i] * w[j] for i, j in pairs)
            used += weight
        mean, n = sum(w[i] * p[i] for i in part) / weight, len(part)
        chances = [math.comb(n, x) * mean**x * (1 - mean) ** (n - x) for x in range(n + 1)]
        expected += weight * sum(c * abs(F(x, n) - mean) for x, c in enumerate(chances))
    return plain, square / used if used else None, expected / total


def signed_root(x: Any) -> Any:
    """The root of the size, with the sign."""
    return None if x is None else root(abs(x)) * (1 if x >= 0 else -1)


def calibration(rng: random.Random) -> Iterator[Pair]:
    """Calibration errors of the predicted class and of all classes."""
    n, k, n_bins = rng.choice([2, 5, 14]), rng.randrange(2, 5), rng.choice([1, 2, 5, 8, 15])
    y = [rng.randrange(k) for _ in range(n)]
    proba = [simplex(rng, k, 10) for _ in range(n)]
    given = [float(rng.randrange(1, 5)) for _ in y] if rng.random() < 0.4 else None
    w = as_fractions(given, n)
    exact = [[F(x) for x in row] for row in proba]
    options: dict[str, Any] = {"n_bins": n_bins, "classes": range(k), "sample_weight": given}
    named = [row.index(max(row)) for row in exact]
    top = gaps(
        [max(row) for row in exact], [a == b for a, b in zip(named, y, strict=True)], w, n_bins
    )
    each = [gaps([row[c] for row in exact], [t == c for t in y], w, n_bins) for c in range(k)]
    by_class = [
        average([one[i] for one in each], [F(1)] * k)
        if all(one[i] is not None for one in each)
        else None
        for i in range(3)
    ]
    for of, parts in (("top_label", top), ("classwise", by_class)):
        name = f"{of}_calibration_error"
        yield Pair(name, getattr(metrics, name)(y, proba, **options), parts[0], F(1, 100))
        said = getattr(metrics, f"{name}_debiased")(y, proba, **options)
        square = None if math.isnan(said) else said * abs(said)
        if (parts[1] is None) != (square is None):
            yield Pair(f"{name}_debiased", said, signed_root(parts[1]))
        elif square is not None:  # a square near 0 has a root without digits
            yield Pair(f"{name}_debiased", square, parts[1], F(1, 100))
        if given is None:
            said = getattr(metrics, f"{name}_if_calibrated")(y, proba, **options)
            yield Pair(f"{name}_if_calibrated", said, parts[2], F(1, 1000), 1e-10)


# -- conformal p-values ----------------------------------------------------------------------------

CRITERIA = {
    "S": "sum", "N": "set_size", "U": "unconfidence", "F": "fuzziness", "M": "multiple",
    "E": "excess", "OU": "observed_unconfidence",
    "OF": "observed_fuzziness", "OM": "observed_multiple",
    "OE": "observed_excess",
}  # fmt: skip


def criteria(row: list[Fraction], truth: int, alpha: Fraction) -> dict[str, Fraction]:
    """The ten criteria of one row (Vovk et al., 2016, Table 1)."""
    false = [p for i, p in enumerate(row) if i != truth]
    kept = {i for i, p in enumerate(row) if p > alpha}
    ranked = sorted(row)
    return {
        "S": sum(row), "N": F(len(kept)), "U": ranked[-2], "F": sum(ranked[:-1]),
        "M": F(int(len(kept) > 1)), "E": F(max(len(kept) - 1, 0)), "OU": max(false),
        "OF": sum(false), "OM": F(int(bool(kept - {truth}))), "OE": F(len(kept - {truth})),
    }  # fmt: skip


def p_values(rng: random.Random) -> Iterator[Pair]:
    """The ten criteria of efficiency with their standard errors."""
    n, k = rng.choice([1, 3, 10, 30]), rng.randrange(2, 6)
    y = [rng.randrange(k) for _ in range(n)]
    table = [[rng.randrange(65) / 64 for _ in range(k)] for _ in range(n)]
    alpha, given = rng.randrange(1, 16) / 16, weights(rng, n)
    w = as_fractions(given, n)
    rows = [criteria([F(p) for p in row], t, F(alpha)) for t, row in zip(y, table, strict=True)]
    found = pvalue_efficiency(y, np.array(table), alpha, classes=range(k), sample_weight=given)
    for letter, name in CRITERIA.items():
        column = [row[letter] for row in rows]
        yield Pair(f"p_value_{name}", found.estimates[letter].value, average(column, w))
        error = error_of_mean(column, w, list(range(n)), equivalent=False)
        if error is not None and found.estimates[letter].n > FEWEST_UNITS:
            said = found.estimates[letter].standard_error
            yield Pair(f"standard error of p_value_{name}", said, error, max(column), FROM_SUMS)


TOPICS = {"information": information, "calibration": calibration, "p-values": p_values}
