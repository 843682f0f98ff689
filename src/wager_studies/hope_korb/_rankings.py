"""How metrics rank learners on each problem, computed from stored predictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Self

import numpy as np

from wager._typing import Floats
from wager.experiments import Plan
from wager_studies.hope_korb._metric_agreement import (
    METRICS,
    TRUTHS,
    agreement,
    random_costs,
    scores_of_blocks,
    true_values,
)

if TYPE_CHECKING:
    from wager.experiments import Store

__all__ = ["BLOCKS", "COSTS", "Rankings", "mean_of_known", "standard_error"]

TEST = (25, 50, 100, 250, 1000, 10_000)
BLOCKS = 5  # test sets of each size, taken from the same rows
COSTS = 20  # random cost matrices


@dataclass(frozen=True, eq=False)
class Rankings:
    """How often metrics rank learners in the same order as the truth, by problem.

    Attributes
    ----------
    sizes : tuple of int
        The sizes of the test sets.
    problems : list of (model, training rows)
        The first axis of the next two arrays.
    share, lost : ndarray of shape (problems, truths, sizes, metrics)
        As returned by `agreement`.
    """

    sizes: tuple[int, ...]
    problems: list[tuple[str, int]]
    share: Floats
    lost: Floats

    @classmethod
    def of(cls, store: Store) -> Self:
        """Score every learner on every test set and compare the order with the truth."""
        half = store.plan["scheme"]["test_rows"] // 2
        sizes = tuple(size for size in TEST if size <= half)
        found = list(_problems(store, sizes, half))
        share, lost = (
            np.array([table[k] for _, table in found]).reshape(
                -1, len(TRUTHS), len(sizes), len(METRICS)
            )
            for k in (0, 1)
        )
        return cls(sizes, [problem for problem, _ in found], share, lost)

    @property
    def models(self) -> list[str]:
        """The models, which are independent of one another."""
        return list(dict.fromkeys(model for model, _ in self.problems))

    @property
    def n_informative(self) -> int:
        """The number of models whose learners are not all equal by any of the truths."""
        if not self.problems:
            return 0
        return int((~np.isnan(self.by_model(self.share))).all(axis=(1, 2, 3)).sum())

    def by_model(self, values: Floats) -> Floats:
        """Means over the problems with the same model, ignoring NaN."""
        rows = np.array([model for model, _ in self.problems])
        means = [mean_of_known(values[rows == model]) for model in self.models]
        return np.array(means)

    def shares_of(self, truth: str, metric: str) -> Floats:
        """The shares of a metric: one row per model, one column per test size."""
        return self.by_model(self.share)[:, TRUTHS.index(truth), :, METRICS.index(metric)]


def mean_of_known(values: Floats) -> Floats:
    """Means over the first axis, ignoring NaN; NaN only where all values are NaN."""
    known = ~np.isnan(values)
    number = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def standard_error(values: Floats) -> Floats:
    """The standard error of the mean over the models, ignoring NaN."""
    number = (~np.isnan(values)).sum(axis=0)
    spread = mean_of_known((values - mean_of_known(values)) ** 2)
    return np.sqrt(spread / np.maximum(number - 1, 1))


def _problems(
    store: Store, sizes: Sequence[int], half: int
) -> Iterator[tuple[tuple[str, int], tuple[Floats, Floats]]]:
    """Name, shares and losses of each problem that is finished for all learners."""
    from wager.experiments import unit_data
    from wager.predictions import read_predictions
    from wager.rewards import prior_from_labels

    done = store.done()
    n_learners = len(store.learners)
    units = Plan(**store.plan).units()
    for (name, split), group in groupby(units, key=lambda unit: (unit.source.name, unit.split)):
        learners = [unit for unit in group if unit.key in done]
        if len(learners) < n_learners:
            continue
        fold = unit_data(learners[0])
        prior = prior_from_labels(fold.y_train, classes=fold.classes)
        costs = random_costs(len(fold.classes), COSTS)
        scores, truths = [], []
        for unit in learners:
            (file,) = store.predictions(name, unit.label, kind="probabilities", size=split.size)
            proba = np.asarray(read_predictions(file).proba)
            assert fold.truth is not None
            scores.append(scores_of_blocks(fold.y_test[:half], proba[:half], prior, sizes, BLOCKS))
            truths.append(true_values(fold.truth[half:], proba[half:], costs))
        tables = [
            [
                agreement(np.array(same), np.array(truths)[:, t])
                for same in zip(*scores, strict=True)
            ]
            for t in range(len(TRUTHS))
        ]
        yield (name, split.size), tuple(np.array(tables).transpose(2, 0, 1, 3))
