"""Cross-validation: errors of the tests of two learners that are equally good in expectation.

Both learners are the same, but each sees its own half of the features, and the halves have the same
distribution.  So neither is better, and every difference found is an error.  The data set is small
and drawn anew in each replication; it is split as in a plan, and the outcomes of its rows are
counted as `wager.experiments.Store` does.  "all outcomes as rows" is how version 0.1.0 counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from wager._tables import RowUnits
from wager.compare import break_even
from wager.experiments.store import ResampledPairedTally, Resampling, SplitRows
from wager.rewards import CellSums, PairedTally, joint_number

REPLICATIONS = 500
SEED = 2003
ALPHA = 0.05
ROWS = 100
SHIFT = 0.6  # between the class means of a feature
RATIO = 0.5  # a set has the classes that are at least this probable, relative to the best one

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]
Learner = Callable[[Floats, Ints, Ints], Floats]


# -- learners: scores of both classes, for every row by training on the other folds ----------------


def naive_bayes(X: Floats, y: Ints, fold: Ints) -> Floats:
    """Gaussian naive Bayes."""
    others = (fold != np.arange(fold.max() + 1)[:, None]).astype(float)
    scores = []
    for c in (0, 1):
        weight = others * (y == c)
        count = weight.sum(axis=1, keepdims=True)
        mean = weight @ X / count
        variance = weight @ X**2 / count - mean**2 + 1e-3
        mean, variance = mean[fold], variance[fold]
        scores.append(-0.5 * ((X - mean) ** 2 / variance + np.log(variance)).sum(axis=1))
    return np.stack(scores, axis=1)


def nearest_neighbour(X: Floats, y: Ints, fold: Ints) -> Floats:
    """The class of the nearest row."""
    square = (X**2).sum(axis=1)
    distance = square[:, None] + square - 2 * X @ X.T
    distance[fold[:, None] == fold] = np.inf
    return np.where(y[distance.argmin(axis=1)][:, None] == [0, 1], 0.0, -np.inf)


def best_feature(X: Floats, y: Ints, fold: Ints) -> Floats:
    """The nearer class mean of the feature whose class means differ most: an unstable choice."""
    folds = np.arange(fold.max() + 1)
    others = (fold != folds[:, None]).astype(float)
    means = [(w := others * (y == c)) @ X / w.sum(axis=1, keepdims=True) for c in (0, 1)]
    best = np.abs(means[1] - means[0]).argmax(axis=1)
    x = X[np.arange(len(X)), best[fold]]
    near = np.stack([np.abs(x - mean[folds, best][fold]) for mean in means], axis=1)
    return np.where(near == near.min(axis=1, keepdims=True), 0.0, -np.inf)


class Setting(NamedTuple):
    """A learner, whether it returns sets, and its features."""

    learner: Learner
    with_sets: bool
    n_features: int
    correlated: bool


LEARNERS = {  # those without correlation are the hardest of the settings that were tried
    "naive Bayes": Setting(naive_bayes, False, 5, True),
    "naive Bayes with sets": Setting(naive_bayes, True, 5, True),
    "nearest neighbour": Setting(nearest_neighbour, False, 3, False),
    "best feature": Setting(best_feature, False, 5, False),
}


# -- designs ---------------------------------------------------------------------------------------


class Design(NamedTuple):
    """Repeats of a cross-validation, or of a holdout of a share of the rows."""

    repeats: int
    folds: int = 1
    test_share: float = 0.0

    def draw(self, y: Ints, rng: np.random.Generator) -> Iterator[Ints]:
        """The fold of each row, for each repeat; in a holdout only fold 0 is tested."""
        n = len(y)
        for _ in range(self.repeats):
            order = rng.permutation(n)
            order = order[np.argsort(y[order], kind="stable")]  # by class: folds are stratified
            fold = np.empty(n, dtype=np.intp)
            if self.test_share:
                start = np.concatenate([np.arange(np.sum(y == c)) for c in (0, 1)])
                fold[order] = start >= round(n * self.test_share / 2)
            else:
                fold[order] = np.arange(n) % self.folds
            yield fold


DESIGNS = {
    "10 x 10 folds": Design(10, 10),
    "1 x 10 folds": Design(1, 10),
    "5 x 2 folds": Design(5, 2),
    "10 x 2 folds": Design(10, 2),
    "1 holdout": Design(1, test_share=0.34),
    "10 holdouts": Design(10, test_share=0.34),
}


# -- replications ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """The outcomes of both learners on all splits, and the rows that they are outcomes of."""

    cell: Ints
    resampling: Resampling

    @property
    def by_row(self) -> PairedTally:
        """As the store counts."""
        return ResampledPairedTally.over(self.resampling, 2, self.cell)

    @property
    def all_outcomes(self) -> PairedTally:
        """Every outcome as an independent row, as version 0.1.0 counted."""
        return PairedTally.of_sums(2, CellSums.of(self.cell, RowUnits()))


def replicate(learner: str, design: Design, n: int, rng: np.random.Generator) -> Result:
    """Draw a data set, split it, and count what the two learners predict."""
    learn, with_sets, n_features, correlated = LEARNERS[learner]
    y = rng.permutation(np.arange(n) % 2)
    X = rng.normal(size=(n, 2, n_features)) + SHIFT * (y - 0.5)[:, None, None]
    X += correlated * rng.normal(size=(n, 2, 1))  # shared by the features of a learner
    cells, splits = [], []
    for repeat, fold in enumerate(design.draw(y, rng)):
        sides = [_cells(learn(X[:, side], y, fold), y, with_sets) for side in (0, 1)]
        cell = joint_number(*sides, 2)
        for tested in range(design.folds):
            rows = np.flatnonzero(fold == tested)
            cells.append(cell[rows])
            splits.append(SplitRows(repeat, n - len(rows), len(rows), rows))
    return Result(np.concatenate(cells), Resampling.of(splits))


def _cells(scores: Floats, y: Ints, with_sets: bool) -> Ints:
    """Twice the size of the predicted set, plus one for a hit."""
    best = scores.max(axis=1, keepdims=True)
    sets = scores >= best + np.log(RATIO) if with_sets else scores == best
    hit = sets[np.arange(len(y)), y]
    cell: Ints = 2 * sets.sum(axis=1) + hit
    return cell


# -- the table -------------------------------------------------------------------------------------


def table(replications: int = REPLICATIONS, seed: int = SEED) -> list[dict[str, object]]:
    """Type I errors of tests and break-even intervals, and coverage of a learner's own score."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, object]] = []
    for learner, of in LEARNERS.items():
        for name, design in DESIGNS.items():
            found = [replicate(learner, design, ROWS, rng) for _ in range(replications)]
            setting = f"{learner}, {name}"

            def add(what: str, value: float, bound: str, setting: str = setting) -> None:
                row = {"what": what, "setting": setting, "n": ROWS, "value": round(value, 4)}
                rows.append(row | {"replications": replications, "bound": bound})

            paired = [result.by_row for result in found]
            add("type I error, u65", type_one_error(paired), "<= 0.08")
            if of.with_sets:
                add("type I error, u50", type_one_error(paired, "u50"), "<= 0.08")
                add("type I error, break-even", decided(paired), "<= 0.08")
            if design.folds == 10:
                add("coverage, u65 of one learner", coverage(paired), ">= 0.92")
                plain = [result.all_outcomes for result in found]
                add("type I error, u65, all outcomes as rows", type_one_error(plain), "")
    return rows


def type_one_error(paired: list[PairedTally], utility: str = "u65") -> float:
    """How often the difference in utility is significant."""
    return float(np.mean([pair.difference(utility).p < ALPHA for pair in paired]))


def decided(paired: list[PairedTally]) -> float:
    """How often one learner is found to be better for some u(0.5)."""
    everything = (0.5, 1.0)
    return float(np.mean([break_even(pair).interval != everything for pair in paired]))


def coverage(paired: list[PairedTally]) -> float:
    """How often the interval of the first learner contains its mean over the replications."""
    estimates = [pair.a.estimate("u65") for pair in paired]
    mean = float(np.mean([estimate.value for estimate in estimates]))
    ends = np.array([estimate.interval(1 - ALPHA) for estimate in estimates])
    return float(np.mean((ends[:, 0] <= mean) & (mean <= ends[:, 1])))
