"""The worst slice by all pairs of ends, and the error of conditional coverage by its definition.

The division of the rows is that of scikit-learn, with the same seed; directions are given, or drawn
with the same seed.  Whether a row is in a slice is decided in fractions.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GroupKFold, GroupShuffleSplit, KFold, train_test_split
from sklearn.tree import DecisionTreeClassifier

from tests.twins.exact import END, ROOT, Pair, decimal, root
from tests.twins.set_measures import error_of_mean
from tests.twins.unit_intervals import LEVELS, Rows, end_of_units
from wager import metrics
from wager.rewards import worst_slice

F = Fraction
# Projections v'x of different rows that are closer than this, relative to their terms, may change
# places by rounding, of which 8 terms and the length of v have fewer than 100 times 2 ** -53.
DISTINCT = F(1, 10**13)


class Case(NamedTuple):
    """Rows with features, and whether each is covered."""

    X: list[list[float]]
    hit: list[bool]
    groups: list[int] | None
    seed: int

    @property
    def y(self) -> list[int]:
        """The true classes."""
        return [0] * len(self.hit)

    @property
    def answers(self) -> np.ndarray:
        """A set of one class, which is the true one if the row is covered."""
        return np.array([[h, not h] for h in self.hit])

    def rows(self, chosen: list[int], scores: list[Any]) -> Rows:
        """Some rows with their scores, as they enter an interval."""
        groups = None if self.groups is None else [self.groups[i] for i in chosen]
        return Rows(scores, scores, [F(1)] * len(chosen), groups)

    def error(self, chosen: list[int], scores: list[Any]) -> Any:
        """The standard error of the mean of some rows."""
        groups = chosen if self.groups is None else [self.groups[i] for i in chosen]
        return error_of_mean(scores, [F(1)] * len(chosen), groups)


def case(rng: random.Random) -> Case:
    """Features of which many rows are equal, or all are different."""
    n, d = rng.choice([8, 20, 45]), rng.randrange(1, 9)
    kind = rng.randrange(3)
    if kind == 0:
        X = [[float(rng.randrange(-3, 4)) for _ in range(d)] for _ in range(n)]
    else:
        X = [[rng.gauss(0, 1) for _ in range(d)] for _ in range(n)]
        if kind == 1:
            X = [X[rng.randrange(5)] for _ in range(n)]
    chance = rng.choice([0.5, 0.8, 0.95])
    hit = [rng.random() < chance for _ in range(n)]
    groups = [rng.randrange(6) for _ in range(n)] if rng.random() < 0.3 else None
    if groups is not None:
        groups[:6] = range(6)
    return Case(X, hit, groups, rng.randrange(1000))


# -- the worst slice -------------------------------------------------------------------------------


def divided(rows: Case, test_size: float) -> tuple[list[int], list[int]]:
    """The rows of the search and the others."""
    places = np.arange(len(rows.hit))
    if rows.groups is None:
        parts = train_test_split(places, test_size=test_size, random_state=rows.seed)
    else:
        splitter = GroupShuffleSplit(1, test_size=test_size, random_state=rows.seed)
        parts = next(splitter.split(places, groups=rows.groups))
    return parts[0].tolist(), parts[1].tolist()


def along(x: list[Fraction], v: list[Fraction]) -> Fraction:
    """v'x."""
    return sum((a * b for a, b in zip(x, v, strict=True)), F(0))


def undecided(X: list[list[Fraction]], v: list[Fraction]) -> bool:
    """Whether rounding could change the order of rows that differ where v is not 0."""
    size = max(along([abs(a) for a in x], [abs(b) for b in v]) for x in X)
    ranked = sorted((along(x, v), [a for a, b in zip(x, v, strict=True) if b]) for x in X)
    return any(
        after[0] - before[0] <= DISTINCT * size and after[1] != before[1]
        for before, after in pairwise(ranked)
    )


class Slice(NamedTuple):
    """A direction of any length, the ends, and the share of hits in the rows of the search."""

    v: list[Fraction]
    low: Fraction
    high: Fraction
    share: Fraction


def worst(
    X: list[list[Fraction]], hit: list[bool], least: int, directions: list[list[Fraction]]
) -> Slice:
    """The first of the slices with the smallest share, in the order of directions and ends."""
    all_of_first = [along(x, directions[0]) for x in X]
    best = Slice(directions[0], min(all_of_first), max(all_of_first), F(1))
    for v in directions:
        z = [along(x, v) for x in X]
        ends = sorted(set(z))
        for i, low in enumerate(ends):
            for high in ends[i:]:
                inside = [h for a, h in zip(z, hit, strict=True) if low <= a <= high]
                if len(inside) >= least and F(sum(inside), len(inside)) < best.share:
                    best = Slice(v, low, high, F(sum(inside), len(inside)))
    return best


class Searched(NamedTuple):
    """What wager found, and what the twin found."""

    said: Any
    exact: Slice
    inside: list[int]
    others: list[int]
    length: Decimal


def searched(rng: random.Random, rows: Case) -> tuple[Searched | None, dict[str, Any]]:
    """The worst slice, and the options with which it was looked for."""
    d = len(rows.X[0])
    share, test_size = rng.choice(["0.1", "0.25", "0.5"]), rng.choice([0.5, 0.75])
    given: Any = rng.randrange(1, 5)
    if rng.random() < 0.4:
        given = [[float(rng.randrange(-9, 10)) for _ in range(d)] for _ in range(3)]
        given.append([float(i == 0) for i in range(d)])
        given = [v for v in given if any(v)]
        drawn = given
    else:
        drawn = np.random.default_rng(rows.seed).normal(size=(d, given)).T.tolist()
    options = {
        "share": float(share),
        "n_directions": given,
        "test_size": test_size,
        "random_state": rows.seed,
        "classes": [0, 1],
    }
    directions = [[F(a) for a in v] for v in drawn]
    X = [[F(a) for a in x] for x in rows.X]
    search, others = divided(rows, test_size)
    least = max(math.ceil(F(share) * len(search)), 1)
    if any(undecided(X, v) for v in directions):
        return None, options
    exact = worst([X[i] for i in search], [rows.hit[i] for i in search], least, directions)
    inside = [i for i in others if exact.low <= along(X[i], exact.v) <= exact.high]
    said = worst_slice(rows.y, rows.answers, rows.X, groups=rows.groups, **options)
    length = root(sum(a * a for a in exact.v))
    return Searched(said, exact, inside, others, length), options


def slices(rng: random.Random) -> Iterator[Pair]:
    """The worst slice: where it is, its coverage and that of all rows, with standard errors."""
    rows = case(rng)
    found, options = searched(rng, rows)
    if found is None:
        return
    said, exact = found.said, found.exact
    yield Pair("coverage of a slice in the search", said.found, exact.share)
    yield Pair("share of a slice", said.share, F(len(found.inside), len(found.others)))
    for a, b in zip(said.direction.tolist(), exact.v, strict=True):
        yield Pair("direction of a slice", a, decimal(b) / found.length, 1)
    size = max(sum(abs(a) for a in x) for x in rows.X)
    for a, b in ((said.low, exact.low), (said.high, exact.high)):
        yield Pair("end of a slice", a, decimal(b) / found.length, size)
    for name, estimate, chosen in (
        ("worst_slice_coverage", said.coverage, found.inside),
        ("coverage beside a slice", said.overall, found.others),
    ):
        scores = [F(int(rows.hit[i])) for i in chosen]
        mean = sum(scores) / len(scores) if scores else None
        yield Pair(name, estimate.value, mean)
        error = rows.error(chosen, scores)
        yield Pair(f"standard error of {name}", estimate.standard_error, error, 1, ROOT)
    if rows.groups is None:
        value = metrics.worst_slice_coverage(rows.y, rows.answers, rows.X, **options)
        hits = [F(int(rows.hit[i])) for i in found.inside]
        yield Pair("worst_slice_coverage", value, sum(hits) / len(hits) if hits else None)


# -- the error of conditional coverage -------------------------------------------------------------


class SharesOfHits(ClassifierMixin, BaseEstimator):
    """The probability of a hit is (hits + 1) / (rows + 2) of rows with an equal first feature."""

    def fit(self, X: Any, y: Any) -> SharesOfHits:
        """Keep the rows."""
        self.classes_ = np.array([False, True])
        self.rows_ = list(zip(X[:, 0].tolist(), y.tolist(), strict=True))
        return self

    def predict_proba(self, X: Any) -> Any:
        """Both probabilities of each row."""
        p = [float(share_of_hits(self.rows_, x)) for x in X[:, 0].tolist()]
        return np.array([[1 - x, x] for x in p])


def share_of_hits(rows: list[tuple[float, bool]], x: float) -> Fraction:
    """The same as a fraction."""
    same = [hit for at, hit in rows if at == x]
    return F(sum(same) + 1, len(same) + 2)


def sides(rows: Case, model: Any, cv: int, target: Fraction) -> list[int]:
    """On which side of the target the probability of a hit is, by classifiers of other parts."""
    X, hit = np.array(rows.X), np.array(rows.hit)
    splitter = (KFold if rows.groups is None else GroupKFold)(
        cv, shuffle=True, random_state=rows.seed
    )
    found = [0] * len(hit)
    for train, test in splitter.split(X, groups=rows.groups):
        share = F(int(hit[train].sum()), len(train))
        fitted = None
        if 0 < share < 1 and model is not None:
            fitted = model.fit(X[train], hit[train])
        known = list(zip(X[train, 0].tolist(), hit[train].tolist(), strict=True))
        for i in test.tolist():
            p = share
            if fitted is not None:
                p = F(float(fitted.predict_proba(X[i : i + 1])[0, 1])).limit_denominator(10**6)
            elif 0 < share < 1:
                p = share_of_hits(known, float(X[i, 0]))
            found[i] = (p > target) - (p < target)
    return found


def conditional(rng: random.Random) -> tuple[Case, Any, list[Fraction], Fraction]:
    """Rows, the estimate of wager, and the score of each row with its largest size."""
    rows = case(rng)
    alpha, cv = rng.choice(["0.05", "0.1", "0.25", "0.5"]), rng.choice([2, 3, 5])
    tree = rng.random() < 0.3
    model = DecisionTreeClassifier(max_depth=2, random_state=0) if tree else SharesOfHits()
    said = metrics.conditional_coverage_error(
        rows.y,
        rows.answers,
        np.array(rows.X),
        float(alpha),
        estimator=model,
        cv=cv,
        random_state=rows.seed,
        groups=rows.groups,
        classes=[0, 1],
        return_estimate=True,
    )
    target = 1 - F(alpha)
    side = sides(rows, model if tree else None, cv, target)
    scores = [s * (F(int(h)) - target) for s, h in zip(side, rows.hit, strict=True)]
    return rows, said, scores, max(target, 1 - target)


def conditional_errors(rng: random.Random) -> Iterator[Pair]:
    """The error of conditional coverage with its standard error, for classifiers that are known."""
    rows, said, scores, _ = conditional(rng)
    yield Pair("conditional_coverage_error", said.value, sum(scores) / len(scores), 1)
    error = rows.error(list(range(len(scores))), scores)
    name = "standard error of conditional_coverage_error"
    yield Pair(name, said.standard_error, error, 1, ROOT)


# -- intervals -------------------------------------------------------------------------------------


def slice_intervals(rng: random.Random) -> Iterator[Pair]:
    """Both ends of intervals of the coverage of the worst slice, and of conditional errors."""
    level = rng.choice(LEVELS)
    rows = case(rng)
    found, _ = searched(rng, rows)
    if found is not None and found.inside:
        hits = [F(int(rows.hit[i])) for i in found.inside]
        ends = found.said.interval(level)
        for said, from_above in zip(ends, (False, True), strict=True):
            end = end_of_units(rows.rows(found.inside, hits), 0, 1, level, from_above=from_above)
            yield Pair("interval of worst_slice_coverage", said, end, 1, END)
    rows, estimate, scores, most = conditional(rng)
    for said, from_above in zip(estimate.interval(level), (False, True), strict=True):
        whole = rows.rows(list(range(len(scores))), scores)
        end = end_of_units(whole, -most, most, level, from_above=from_above)
        name = "interval of conditional_coverage_error"
        yield Pair(name, said, end, 2 * most, END)


TOPICS = {"worst slices": slices, "conditional coverage": conditional_errors}
INTERVALS = {"intervals of slices": slice_intervals}
