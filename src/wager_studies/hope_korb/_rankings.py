"""How metrics rank learners on each problem, computed from stored predictions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from wager._typing import Floats
from wager.experiments import (
    TRUTHS as QUALITIES,
    MetaMetric,
    Plan,
    RankingTask,
    random_costs,
    read_metrics,
)
from wager_studies._stored_predictions import stored_probabilities

if TYPE_CHECKING:
    from wager.experiments import Store

__all__ = ["BLOCKS", "COSTS", "METRICS", "TRUTHS", "rankings_of"]

OURS = {
    "accuracy": "accuracy",
    "Good": "good_reward",
    "KB": "kononenko_bratko",
    "IR 2002": "information_reward_2002",
    "IR_B": "information_reward",
    "log loss": "log_loss",
    "Brier": "brier",
    "Ac": "partition_accuracy",
    "AUC": "auc",
}
METRICS = tuple(OURS)
TRUTHS = tuple(QUALITIES)
TEST = (25, 50, 100, 250, 1000, 10_000)
BLOCKS = 5  # test sets of each size, taken from the same rows
COSTS = 20  # random cost matrices


def rankings_of(store: Store) -> MetaMetric:
    """Score every learner on every test set and compare the order with the truth."""
    half = store.plan["scheme"]["test_rows"] // 2
    sizes = tuple(size for size in TEST if size <= half)
    task = RankingTask(read_metrics(OURS), QUALITIES, sizes, BLOCKS)
    found = list(_problems(store, task, half))
    tables = np.array([table for _, table in found])
    share, lost = tables.reshape(-1, 2, len(TRUTHS), len(sizes), len(METRICS)).swapaxes(0, 1)
    return MetaMetric(METRICS, TRUTHS, sizes, tuple(name for name, _ in found), share, lost)


def _problems(
    store: Store, task: RankingTask, half: int
) -> Iterator[tuple[tuple[str, int], Floats]]:
    """Name, shares and losses of each problem that is finished for all learners."""
    from wager.experiments import unit_data

    done = store.done()
    n_learners = len(store.learners)
    units = Plan(**store.plan).units()
    for (name, split), group in groupby(units, key=lambda unit: (unit.source.name, unit.split)):
        learners = [unit for unit in group if unit.key in done]
        if len(learners) < n_learners:
            continue
        fold = unit_data(learners[0])
        files = [
            store.predictions(name, unit.label, kind="probabilities", size=split.size)[0]
            for unit in learners
        ]
        predicted = [part.proba for part in stored_probabilities(files)]
        costs = random_costs(len(fold.classes), COSTS)
        yield (name, split.size), task.compare(predicted, fold, costs, half)
