"""Measures of partition spaces (Sondhauss & Weihs, 2001), and the areas of selective prediction."""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from tests.twins.exact import Pair, as_fractions, average, decimal, ln, root, simplex, weights
from wager import evaluate_selective, metrics, standardize

F = Fraction


def distance(a: list[Fraction], b: list[Fraction]) -> Decimal:
    """The Euclidean distance of two points."""
    return root(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)))


def corner(i: int, k: int) -> list[Fraction]:
    """The corner of a class."""
    return [F(int(i == j)) for j in range(k)]


def closeness(distances: list[Decimal], w: list[Fraction], k: int) -> Decimal:
    """1 - mean distance / sqrt((G - 1) / G)."""
    return 1 - average(distances, w) / root(F(k - 1, k))


def measures(rng: random.Random) -> Iterator[Pair]:
    """All measures of memberships; after Beta scaling those of the scaled memberships."""
    n, k = rng.choice([4, 10, 30]), rng.randrange(2, 5)
    given = weights(rng, n)
    w = as_fractions(given, n)
    y = [*range(k), *(rng.randrange(k) for _ in range(n - k))] if n >= k else []
    points = [simplex(rng, k, 10, positive=True) for _ in range(n)]
    true = [simplex(rng, k) for _ in range(n)]
    exact = [[F(x) for x in row] for row in points]
    options: dict[str, Any] = {"sample_weight": given}
    assigned = [row.index(max(row)) for row in exact]
    to_true = [distance(row, corner(t, k)) for row, t in zip(exact, y, strict=True)]
    to_assigned = [distance(row, corner(a, k)) for row, a in zip(exact, assigned, strict=True)]
    known = {"classes": range(k), **options}
    said = metrics.partition_accuracy(y, points, scale=False, **known)
    yield Pair("partition_accuracy", said, closeness(to_true, w, k), 1)
    said = metrics.separation(y, points, scale=False, **known)
    yield Pair("separation", said, closeness(to_assigned, w, k), 1)
    right = average([F(int(a == t)) for a, t in zip(assigned, y, strict=True)], w)
    yield Pair("correctness_rate", metrics.correctness_rate(y, points, **known), right)
    truth = [[F(x) for x in row] for row in true]
    gaps = [distance(a, b) for a, b in zip(truth, exact, strict=True)]
    yield Pair("precision", metrics.precision(true, points, **options), closeness(gaps, w, k), 1)
    best = [distance(row, corner(row.index(max(row)), k)) for row in truth]
    yield Pair("separability", metrics.separability(true, **options), closeness(best, w, k), 1)
    regions: dict[int, list[int]] = {}
    for i, a in enumerate(assigned):
        regions.setdefault(a, []).append(i)
    away, share = [], []
    for part in regions.values():
        total = sum(w[i] for i in part)
        mean = [sum(w[i] * truth[i][c] for i in part) / total for c in range(k)]
        away.append(distance(mean, [F(1, k)] * k))
        share.append(total)
    exact_value = average(away, share) / root(F(k - 1, k))
    yield Pair(
        "non_resemblance", metrics.non_resemblance(true, points, **options), exact_value, F(1, 100)
    )
    part = standardize(y, np.array(points), classes=range(k))
    scaled = [[F(x) for x in row] for row in part.scaled.tolist()]
    ones = [F(1)] * n
    own = average([row[a] for row, a in zip(scaled, assigned, strict=True)], ones)
    yield Pair("confidence", part.confidence, own)
    to_true = [distance(row, corner(t, k)) for row, t in zip(scaled, y, strict=True)]
    yield Pair("partition_accuracy", part.accuracy, closeness(to_true, ones, k), 1)


# -- selective prediction --------------------------------------------------------------------------


def areas(groups: list[tuple[Fraction, Fraction]]) -> tuple[Decimal, Fraction]:
    """The areas below selective and generalized risk of ties: weight and mean loss of each.

    Within a tie the generalized risk grows linearly, and the selective risk is it over coverage.
    """
    total = sum(w for w, _ in groups)
    below, risk, aurc, augrc = F(0), F(0), Decimal(0), F(0)
    for w, loss in groups:
        share = w / total
        after = below + share
        constant = risk - loss * below
        if below:
            aurc += decimal(constant) * ln(after / below)
        aurc += decimal(loss * share)
        augrc += share * (2 * risk + loss * share) / 2
        below, risk = after, risk + loss * share
    return aurc, augrc


def tied(keys: list[Any], loss: list[Fraction], w: list[Fraction]) -> list[tuple[Any, Any]]:
    """Weight and mean loss of rows with the same key, the largest key first."""
    found = []
    for key in sorted(set(keys), reverse=True):
        part = [i for i, one in enumerate(keys) if one == key]
        total = sum(w[i] for i in part)
        found.append((total, sum(w[i] * loss[i] for i in part) / total))
    return found


def selective(rng: random.Random) -> Iterator[Pair]:
    """Risk, AURC, excess AURC and AUGRC, and points of the curve."""
    n = rng.choice([1, 3, 10, 40])
    score = [float(rng.randrange(rng.choice([3, 1000]))) for _ in range(n)]
    loss = [rng.randrange(0, 33) / 32 for _ in range(n)]
    given = weights(rng, n)
    w, exact = as_fractions(given, n), [F(x) for x in loss]
    found = evaluate_selective(
        [0] * n, [0] * n, score, loss=loss, sample_weight=given, classes=[0, 1]
    )
    groups = tied(score, exact, w)
    aurc, augrc = areas(groups)
    best, _ = areas(tied([-x for x in exact], exact, w))
    yield Pair("risk", found["risk"], average(exact, w), F(1, 1000))
    yield Pair("AURC", found["aurc"], aurc, F(1, 10))
    yield Pair("excess AURC", found["e_aurc"], aurc - best, F(1, 10))
    yield Pair("AUGRC", found["augrc"], augrc, F(1, 10))
    total, done, lost = sum(w), F(0), F(0)
    for weight, mean in groups:
        done, lost = done + weight, lost + weight * mean
        share = done / total
        if share > F(1, 1000):
            said = found.risk_at_coverage(min(float(share), 1.0)).value
            yield Pair("risk at coverage", said, lost / done, F(1, 10), 1e-10)


TOPICS = {"partitions": measures, "selective prediction": selective}
