"""Costs and rewards of sets: extensions of cost matrices, hierarchies, ordered classes."""

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
    sets,
    weights,
)
from tests.twins.set_measures import FEWEST_UNITS, error_of_mean, quadratic
from wager import ClassHierarchy, CostMatrix, SetRewards, evaluate_sets, metrics
from wager.costs import evaluate_hierarchy, evaluate_ordered, generalized_mean

F = Fraction


def mean_with_exponent(values: list[Fraction], p: Any) -> Decimal:
    """The generalized mean (Yang, Destercke & Masson, 2017, Equations 12 and 13)."""
    numbers = [decimal(v) for v in values]
    if p == float("inf") or p == float("-inf"):
        return max(numbers) if p > 0 else min(numbers)
    if p <= 0 and 0 in numbers:
        return Decimal(0)
    n, exponent = len(numbers), decimal(F(p))
    if p == 0:
        return (sum(v.ln() for v in numbers) / n).exp()
    powers = [(exponent * v.ln()).exp() if v else Decimal(0) for v in numbers]
    total = sum(powers) / n
    return (total.ln() / exponent).exp() if total else Decimal(0)


def cost(
    matrix: list[list[Fraction]], members: list[int], truth: int, rule: tuple[Any, ...]
) -> Any:
    """The cost of a set, by one of the extensions of Yang, Destercke & Masson (2017)."""
    own = [matrix[m][truth] for m in members]
    hit, k = truth in members, len(matrix)
    name, value = rule
    if name == "discounted":
        return sum(own) / len(own)
    if name in ("cautious", "mistake-averse"):
        r = F(value)
        return mean_with_exponent(own, 1 - r if hit or name == "cautious" else 1 + r)
    if name == "abellan-masegosa":
        return ln(len(members)) if hit else ln(k) * (decimal(max(own)) / (k - 1) + 1)
    assert name == "ha"
    return (0 if hit else max(own)) + F(value) * (len(members) - 1)


def average_cost(rng: random.Random) -> Iterator[Pair]:
    """Average costs with their standard errors, under every extension."""
    n, k = rng.choice([1, 2, 8, 30]), rng.randrange(2, 6)
    y = [rng.randrange(k) for _ in range(n)]
    matrix = sets(rng, n, k, empty=False)
    given = weights(rng, n)
    w = as_fractions(given, n)
    r = rng.randrange(9) / 8
    delta = rng.randrange(1, 16) / 32
    rules: dict[tuple[Any, ...], dict[str, Any]] = {
        ("discounted", 0): {"rule": "discounted"},
        ("cautious", r): {"rule": "p-discounted", "r": r},
        ("mistake-averse", r): {"rule": "p-discounted", "r": r, "mode": "mistake-averse"},
        ("abellan-masegosa", 0): {"rule": "abellan-masegosa"},
        ("ha", delta): {"rule": "ha", "delta": delta},
    }
    for rule, options in rules.items():
        if rule[0] == "ha":
            eta = [rng.randrange(1, 64) / 8 for _ in range(k)]
            costs = [[0.0 if i == j else eta[j] for j in range(k)] for i in range(k)]
        else:
            costs = [[0.0 if i == j else rng.randrange(65) / 8 for j in range(k)] for i in range(k)]
        exact = [[F(c) for c in row] for row in costs]
        column = [
            cost(exact, [m for m in range(k) if row[m]], t, rule)
            for t, row in zip(y, matrix, strict=True)
        ]
        priced = CostMatrix(costs, range(k))
        said = metrics.average_cost(
            y, np.array(matrix), priced, sample_weight=given, classes=range(k), **options
        )
        yield Pair(f"average_cost, {rule[0]}", said, average(column, w), F(1, 100))
        name = options.pop("rule")
        found = evaluate_sets(
            y,
            np.array(matrix),
            classes=range(k),
            sample_weight=given,
            costs=priced.extend(name, **options),
        ).estimates["average_cost"]
        error = error_of_mean(column, w, list(range(n)))
        if error is not None and found.n > FEWEST_UNITS:
            size = max(decimal(c) for c in column) * Decimal("1e-3")
            yield Pair("standard error of average_cost", found.standard_error, error, size, ROOT)
    values = [rng.randrange(0, 65) / 8 for _ in range(k)]
    p = rng.choice([0, 1, -1, 2, 0.5, -0.25, 7.5, -30, 60, float("inf"), float("-inf")])
    exact_mean = mean_with_exponent([F(v) for v in values], p)
    yield Pair("generalized mean", generalized_mean(values, p), exact_mean, F(1, 1000), 1e-11)


# -- rewards, ordered classes ----------------------------------------------------------------------


def ordered_row(members: list[int], truth: int, k: int) -> tuple[Any, Any, int, int]:
    """Width, contiguity, distance to the nearest member, distance from the interval."""
    if not members:
        return None, None, k - 1, k - 1
    low, high = min(members), max(members)
    nearest = min(abs(m - truth) for m in members)
    return (
        high - low,
        int(len(members) == high - low + 1),
        nearest,
        max(low - truth, truth - high, 0),
    )


def ordered(rng: random.Random) -> Iterator[Pair]:
    """Measures of ordered classes, and average rewards."""
    n, k = rng.choice([1, 3, 10, 30]), rng.randrange(2, 7)
    y = [rng.randrange(k) for _ in range(n)]
    matrix, given, alpha = sets(rng, n, k), weights(rng, n), rng.randrange(1, 16) / 16
    w = as_fractions(given, n)
    lists = [[m for m in range(k) if row[m]] for row in matrix]
    rows = [ordered_row(members, t, k) for t, members in zip(y, lists, strict=True)]
    score = [(r[0] or 0) + 2 / F(alpha) * r[3] for r in rows]
    columns = {
        "contiguity_rate": [r[1] for r in rows],
        "mean_width": [r[0] for r in rows],
        "mean_distance_to_set": [r[2] for r in rows],
        "ordinal_interval_score": score,
    }
    found = evaluate_ordered(
        y, np.array(matrix), alpha=alpha, classes=range(k), sample_weight=given
    )
    for name, column in columns.items():
        kept = [(x, v) for x, v in zip(column, w, strict=True) if x is not None]
        yield Pair(name, found[name], average([x for x, _ in kept], [v for _, v in kept]))
    for t, row in zip(y, matrix, strict=True):
        if not any(row):
            row[t] = True
    lists = [[m for m in range(k) if row[m]] for row in matrix]
    penalty, power = rng.randrange(5), rng.choice([1, 2])
    rewards = SetRewards.ordered(range(k), "u65", penalty=penalty, power=power)
    earned = []
    for t, members in zip(y, lists, strict=True):
        width, _, distance, _ = ordered_row(members, t, k)
        inside = quadratic(F(65, 100), F(1, width + 1))
        lost = -F(penalty) * F(distance) ** power
        earned.append(inside if t in members else lost)
    said = metrics.average_reward(
        y, np.array(matrix), rewards, classes=range(k), sample_weight=given
    )
    yield Pair("average_reward", said, average(earned, w), F(1, 100))


# -- hierarchies -----------------------------------------------------------------------------------


def random_tree(rng: random.Random, classes: list[str]) -> Any:
    """Nested lists of classes; no list has a single item."""
    if len(classes) == 1:
        return classes[0]
    if len(classes) <= 2 or rng.random() < 0.25:
        return list(classes)
    cut = rng.randrange(1, len(classes))
    return [random_tree(rng, classes[:cut]), random_tree(rng, classes[cut:])]


def nodes_of(tree: Any, depth: int = 0) -> list[tuple[int, frozenset[str]]]:
    """All nodes as depth and set of classes,, parents first."""
    if isinstance(tree, str):
        return [(depth, frozenset([tree]))]
    below = [node for part in tree for node in nodes_of(part, depth + 1)]
    return [(depth, frozenset().union(*(classes for _, classes in below))), *below]


def hierarchy(rng: random.Random) -> Iterator[Pair]:
    """Measures of sets in a tree of classes."""
    n, k = rng.choice([1, 4, 20]), rng.randrange(3, 8)
    names = [f"c{i}" for i in range(k)]
    shape = [names[:2], random_tree(rng, names[2:])]
    nodes = nodes_of(shape)
    tree = ClassHierarchy(shape)
    y = [rng.randrange(k) for _ in range(n)]
    matrix, given = sets(rng, n, k, empty=rng.random() < 0.5), weights(rng, n)
    w = as_fractions(given, n)
    truth = [names[t] for t in y]
    lists = [[names[m] for m in range(k) if row[m]] for row in matrix]
    around: list[Any] = [
        max((node for node in nodes if set(members) <= node[1]), key=lambda node: node[0])
        if members
        else None
        for members in lists
    ]
    height = max(depth for depth, _ in nodes)
    columns: dict[str, list[Any]] = {
        "node_error": [
            F(int(a is None or t not in a[1])) for a, t in zip(around, truth, strict=True)
        ],
        "mean_node_depth": [None if a is None else F(a[0]) for a in around],
        "sets_that_are_nodes": [
            None if a is None else F(int(len(m) == len(a[1])))
            for a, m in zip(around, lists, strict=True)
        ],
        "hierarchical_utility": [
            quadratic(F(65, 100), F(1, len(a[1]))) if a and t in m else F(0)
            for a, t, m in zip(around, truth, lists, strict=True)
        ],
    }
    for depth in range(1, height + 1):
        column = []
        for a, t in zip(around, truth, strict=True):
            path = sorted((node for node in nodes if t in node[1]), key=lambda node: node[0])
            wanted = path[min(depth, len(path) - 1)]
            column.append(F(int(a is not None and a[1] <= wanted[1] and a[0] >= wanted[0])))
        columns[f"correct_at_depth:{depth}"] = column
    found = evaluate_hierarchy(truth, lists, tree, "u65", sample_weight=given)
    for name, column in columns.items():
        kept = [(x, v) for x, v in zip(column, w, strict=True) if x is not None]
        exact = average([x for x, _ in kept], [v for _, v in kept])
        yield Pair(name.split(":")[0], found[name], exact)


TOPICS = {"costs": average_cost, "ordered classes": ordered, "hierarchies": hierarchy}
