"""The confidence set of the best strength: how often it contains it, on several kinds of data.

A kind of data is a law of rows and a rule that makes a set from a row at every strength.  The true
value of a strength is that of very many rows, given the probabilities of the classes; of the naive
credal classifier, which learns from each sample, it is the mean over all samples.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wager.learners import NaiveCredal, TunedCaution
from wager.learners.wrappers._caution_curve import CautionCurve
from wager.learners.wrappers._choose_strength import FoldSums, Rule, judged

REPLICATIONS = 300
SEED = 2020
LEVEL = 0.95
BOUND = ">= 0.92"
SIZES = (30, 100, 400)
STRENGTHS = np.array([0.1, 0.3, 1.0, 2.0, 4.0, 7.0, 12.0, 20.0])
_MANY = 50_000  # rows for the true values

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


class Law(NamedTuple):
    """Probabilities that a model states, true ones, a rule for sets and the value of a set."""

    stated: Callable[[np.random.Generator, int], Floats]  # (n, K)
    true: Callable[[Floats], Floats]  # the true probabilities, given the stated ones
    sets: Callable[[Floats, float], Bools]  # at one strength
    strengths: Floats
    worth: Callable[[Bools], Floats]  # (n, K) of sets: their value if each class is the true one
    bounds: tuple[float, float] = (0.0, 1.0)
    greater_is_better: bool = True

    def curve(self, rng: np.random.Generator, n: int) -> CautionCurve:
        """The curve of a sample."""
        stated = self.stated(rng, n)
        true = self.true(stated)
        y = (true.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(max=true.shape[1] - 1)
        sets = [self.sets(stated, s) for s in self.strengths]
        values = np.array([self.worth(one)[np.arange(n), y] for one in sets])
        sums = FoldSums.of(values, np.array([one.sum(axis=1) for one in sets]))
        rule = Rule(self.greater_is_better, False, self.strengths, None)
        return CautionCurve("s", "u", **judged(rule, [sums], [np.arange(n)], self.bounds))

    def best(self, rng: np.random.Generator) -> float:
        """The strength that is best for very many rows."""
        stated = self.stated(rng, _MANY)
        true = self.true(stated)
        mean = [
            (self.worth(self.sets(stated, s)) * true).sum(axis=1).mean() for s in self.strengths
        ]
        value = np.array(mean)
        return float(self.strengths[value.argmax() if self.greater_is_better else value.argmin()])


def tempered(power: float) -> Callable[[Floats], Floats]:
    """True probabilities that are less certain than the stated ones if the power is below 1."""

    def true(stated: Floats) -> Floats:
        raised = stated**power
        return raised / raised.sum(axis=1, keepdims=True)

    return true


def dirichlet(*alpha: float) -> Callable[[np.random.Generator, int], Floats]:
    """Stated probabilities from a Dirichlet distribution."""
    return lambda rng, n: np.maximum(rng.dirichlet(alpha, n), 1e-12)


def near_the_best(stated: Floats, strength: float) -> Bools:
    """The classes that are nearly as probable as the most probable one."""
    return stated >= (1 - strength) * stated.max(axis=1, keepdims=True)


def most_probable(stated: Floats, strength: float) -> Bools:
    """The most probable classes whose probabilities add up to the strength, at least one."""
    order = np.argsort(-stated, axis=1)
    before = np.cumsum(np.take_along_axis(stated, order, axis=1), axis=1)
    before = np.hstack([np.zeros((len(stated), 1)), before[:, :-1]])
    sets = np.zeros(stated.shape, dtype=bool)
    np.put_along_axis(sets, order, before < strength, axis=1)
    return sets


def with_rare_class(stated: Floats, strength: float) -> Bools:
    """The most probable of the other classes, and the last one if it is probable enough."""
    sets = np.zeros(stated.shape, dtype=bool)
    sets[np.arange(len(stated)), stated[:, :-1].argmax(axis=1)] = True
    sets[:, -1] = stated[:, -1] >= 1 - strength
    return sets


def utility(two: float) -> Callable[[Bools], Floats]:
    """The quadratic utility with this value of a hit by two classes."""

    def worth(sets: Bools) -> Floats:
        d = 1 / np.maximum(sets.sum(axis=1, keepdims=True), 1)
        return np.where(sets, (4 * two - 1) * d + (2 - 4 * two) * d**2, 0.0)

    return worth


def cost_of_missing(price: float) -> Callable[[Bools], Floats]:
    """1 for a wrong class, a price for a missed last class, 0.2 for every class too much."""

    def worth(sets: Bools) -> Floats:
        cost = np.where(sets, 0.0, 1.0) + 0.2 * (sets.sum(axis=1, keepdims=True) - 1)
        cost[:, -1] += (price - 1) * ~sets[:, -1]
        return cost

    return worth


RATIOS = np.linspace(0, 0.98, 15)
SUMS = np.array([0.01, *np.linspace(0.3, 0.99, 14)])
RARE = 1 - np.geomspace(0.5, 0.002, 12)
LAWS = {
    "three classes, u65": Law(
        dirichlet(1, 1, 1), tempered(1.0), near_the_best, RATIOS, utility(0.65)
    ),
    "three classes, overconfident, u80": Law(
        dirichlet(0.3, 0.3, 0.3), tempered(0.3), near_the_best, RATIOS, utility(0.8)
    ),
    "nearly certain, u65": Law(
        dirichlet(6, 0.1, 0.1), tempered(0.5), near_the_best, RATIOS, utility(0.65)
    ),
    "ten classes, u80": Law(
        dirichlet(*[0.3] * 10), tempered(0.7), most_probable, SUMS, utility(0.8)
    ),
    "a class of 10% whose miss costs 10": Law(
        dirichlet(2, 1, 0.33), tempered(1.0), with_rare_class, RARE, cost_of_missing(10),
        (0, 10.2), False,
    ),
    "a class of 2% whose miss costs 50": Law(
        dirichlet(2, 1, 0.06), tempered(1.0), with_rare_class, RARE, cost_of_missing(50),
        (0, 50.2), False,
    ),
}  # fmt: skip


def table(replications: int = REPLICATIONS, seed: int = SEED) -> list[dict[str, Any]]:
    """How often the set contains the best strength, and its share of all strengths."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []

    def add(setting: str, n: int, found: list[Floats], best: float, strengths: Floats) -> None:
        row = {"setting": setting, "n": n, "replications": len(found)}
        contained = np.mean([best in kept for kept in found])
        share = np.mean([len(kept) / len(strengths) for kept in found])
        for what, value, bound in (
            ("contains the best strength", contained, BOUND),
            ("share of strengths that it contains", share, ""),
        ):
            rows.append({"what": what, **row, "value": round(float(value), 4), "bound": bound})

    for name, law in LAWS.items():
        best = law.best(rng)
        for n in SIZES:
            found = [law.curve(rng, n).plausible(LEVEL) for _ in range(replications)]
            add(name, n, found, best, law.strengths)
    for n in SIZES:
        found = [equally_good(rng, n).plausible(LEVEL) for _ in range(replications)]
        add("ten equally good strengths", n, found, 0.0, np.arange(10.0))
    for n in (60, 200):
        curves = [naive_credal(rng, n) for _ in range(max(2, replications // 4))]
        best = STRENGTHS[np.mean([curve.value for curve in curves], axis=0).argmax()]
        add(
            "naive credal classifier, u80", n, [c.plausible(LEVEL) for c in curves], best, STRENGTHS
        )
    return rows


def equally_good(rng: np.random.Generator, n: int) -> CautionCurve:
    """Strengths that are worth the same: each replaces other right and wrong classes by pairs."""
    right = rng.random(n) < 0.65  # a single class is worth as much as a pair
    pair = rng.random((10, n)) < 0.3
    values = np.where(pair, 0.65, right.astype(float))
    sums = FoldSums.of(values, 1 + pair)
    rule = Rule(True, False, np.arange(10.0), None)
    return CautionCurve("s", "u", **judged(rule, [sums], [np.arange(n)], (0.0, 1.0)))


def naive_credal(rng: np.random.Generator, n: int) -> CautionCurve:
    """The curve of a classifier that is cross-validated on the sample."""
    y = rng.choice(3, n, p=(0.5, 0.3, 0.2))
    shift = rng.random((n, 6)) < 0.5
    X = np.where(shift, rng.integers(0, 4, (n, 6)), (y[:, None] + np.arange(6)) % 4)
    return TunedCaution(NaiveCredal(), "u80", strengths=STRENGTHS, refit=False).fit(X, y).curve_


if __name__ == "__main__":
    for row in table():
        print(*row.values(), sep="\t")
