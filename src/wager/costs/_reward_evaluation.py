"""The average reward of predictions: overall, by true class and by group, and its difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from wager._tables import RowUnits, encode_labels, require_kind
from wager._typing import Array, ArrayLike, Floats, Ints
from wager.costs._checks import check_lengths, encode_truth
from wager.costs._evaluation import Averages, ClassMeans, CostCells, means_by_part, whole_range
from wager.costs._set_rewards import SetRewards, require_rewards
from wager.predictions import PredictionSets, as_sets, sets_over
from wager.rewards import (
    CellSums,
    Difference,
    Estimate,
    as_measure,
    difference_of,
    estimate_mean,
)

__all__ = [
    "RewardEvaluation",
    "average_reward",
    "cell_rewards",
    "difference_of_cells",
    "evaluate_cells",
    "evaluate_rewards",
    "reward_difference",
]


@dataclass(frozen=True, repr=False)
class RewardEvaluation(Averages):
    """Average rewards with their standard errors.

    Parameters
    ----------
    overall : Estimate
        ``overall.value``, ``.standard_error``, ``.n`` and ``.interval()``.
    by_class : mapping of label to Estimate
        By true class; NaN for a class that never occurs.  Intervals know the range of the
        rewards of the class; `overall` and `by_group` know that over all classes, also if all rows
        have the same one.
    by_group : mapping of label to Estimate
        By part of the rows, if ``by`` was given.
    unit : str, optional
        What the rewards are counted in.
    rule : str
        The rewards in words.
    """

    overall: Estimate
    by_class: Mapping[Any, Estimate]
    by_group: Mapping[Any, Estimate] = field(default_factory=dict)
    unit: str | None = None
    rule: str = ""

    _mean_of: ClassVar[str] = "average reward"
    _verb: ClassVar[str] = "earns"


@as_measure(
    meaning="The mean reward of set-valued predictions, if rewards depend on the true class.",
    formula="mean of r(set, true class)",
    use="For classes that do not count the same: weights or utilities by class, ordered classes, "
    "hierarchies, or a table of your own. For mistakes with a price, use average_cost.",
    source="Zaffalon, Corani & Mauá (2012), Section 3",
    range="that of the rewards; larger is better",
    aliases=("reward_of_sets", "evaluate_rewards", "reward_difference"),
)
def average_reward(
    y_true: ArrayLike,
    y_pred: Any,
    rewards: SetRewards,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """The mean reward of the predictions, if rewards depend on the true class.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true classes.
    y_pred : anything `wager.predictions.as_sets` takes
        The predicted classes or sets.
    rewards : SetRewards
        The rewards of sets.
    sample_weight : array-like of shape (n,), optional
        A weight for each row.
    classes : array-like of shape (K,), optional
        The classes of the columns of ``y_pred``; others are matched by name.

    Examples
    --------
    >>> rewards = SetRewards.by_class("u65", {"ill": 5, "well": 1})
    >>> average_reward(["ill", "well"], [["ill", "well"], ["well"]], rewards)
    2.125
    """
    codes, sets = _read(y_true, y_pred, rewards, classes)
    values = rewards.at(sets, codes)
    units = RowUnits.of(len(codes), sample_weight)
    return float(np.average(values, weights=units.weights))


def evaluate_rewards(
    y_true: ArrayLike,
    y_pred: Any,
    rewards: SetRewards,
    *,
    by: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> RewardEvaluation:
    """The average reward overall, by true class and by part, with standard errors.

    Parameters
    ----------
    by : array-like of shape (n,), optional
        A label for each row; the average within each part of the rows is computed as well.
    sample_weight : array-like of shape (n,), optional
        An importance weight for each row; standard errors are robust to them.
    counts : array-like of shape (n,), optional
        How many rows each row stands for.
    groups : array-like of shape (n,), optional
        The cluster of each row, for rows that depend on each other, such as a patient's visits.
    y_true, y_pred, rewards, classes
        As in `average_reward`.

    Examples
    --------
    >>> rewards = SetRewards.by_class("u65", {"ill": 5, "well": 1})
    >>> truth = ["ill", "well", "well", "ill"]
    >>> evaluate_rewards(truth, ["ill", "ill|well", "well", "well"], rewards)
    average reward  n    mean  std. error  95% from      to
    -------------------------------------------------------
    all             4  1.6625      1.1316    0.4326  3.7694
    ill             2  2.5000      2.5000    0.1904  4.8096
    well            2  0.8250      0.1750    0.2825  0.9867
    """
    codes, sets = _read(y_true, y_pred, rewards, classes)
    units = RowUnits.of(len(codes), sample_weight, counts, groups)
    values = rewards.at(sets, codes)
    cells, by_part = means_by_part(values, codes, by, units, rewards.ranges)
    return _summary(cells, rewards, by_part)


def evaluate_cells(
    sets: PredictionSets, truth: Ints, sums: CellSums, rewards: SetRewards
) -> RewardEvaluation:
    """As `evaluate_rewards`, from counts by set and true class, which add up over parts."""
    if sums.n == 0:
        raise ValueError("there is no prediction to score: count at least one row")
    values, codes = cell_rewards(sets, truth, rewards)
    return _summary(CostCells(values, codes, np.zeros_like(codes), sums), rewards, {})


def reward_difference(
    y_true: ArrayLike,
    pred_a: Any,
    pred_b: Any,
    rewards: SetRewards,
    *,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> Difference:
    """How much more the first classifier earns than the second on the same rows.

    Parameters
    ----------
    y_true, rewards, sample_weight, counts, groups, classes
        As in `evaluate_rewards`.
    pred_a, pred_b : anything `wager.predictions.as_sets` takes
        The predictions of both classifiers.

    Returns
    -------
    Difference
        ``(mean, variance, n)``, with ``standard_error``, ``p`` and ``interval``; positive if the
        first classifier earns more.

    Examples
    --------
    >>> rewards = SetRewards.by_class("u65", {"ill": 5, "well": 1})
    >>> truth, cautious = ["ill", "well", "well"], ["ill|well", "well", "ill|well"]
    >>> reward_difference(truth, cautious, ["well", "well", "well"], rewards).mean
    0.9666666666666667
    """
    codes, sets_a = _read(y_true, pred_a, rewards, classes, "pred_a")
    _, sets_b = _read(y_true, pred_b, rewards, classes, "pred_b")
    units = RowUnits.of(len(codes), sample_weight, counts, groups)
    first, second = (rewards.at(sets, codes) for sets in (sets_a, sets_b))
    cells = CostCells.of_rows(first - second, codes, np.zeros_like(codes), units)
    size = float(np.abs([first, second]).max(initial=0.0))
    return _difference(cells.values, cells.sums, rewards, size)


def difference_of_cells(
    sets_a: PredictionSets, sets_b: PredictionSets, truth: Ints, sums: CellSums, rewards: SetRewards
) -> Difference:
    """As `reward_difference`, from joint counts of both sets and the true class."""
    first, second = (cell_rewards(sets, truth, rewards)[0] for sets in (sets_a, sets_b))
    size = float(np.abs([first, second]).max(initial=0.0))
    return _difference(first - second, sums, rewards, size)


def cell_rewards(sets: PredictionSets, truth: Ints, rewards: SetRewards) -> tuple[Floats, Ints]:
    """The rewards of counted cells, and their true classes in the order of the rewards."""
    over, codes = _over_rewards(rewards, sets.classes, truth, sets)
    return rewards.at(over, codes), codes


def _difference(gaps: Floats, sums: CellSums, rewards: SetRewards, size: float) -> Difference:
    largest = float((rewards.ranges[:, 1] - rewards.ranges[:, 0]).max())
    estimate = estimate_mean(gaps, sums, -largest, largest)
    spread = float(sums.totals @ (gaps - estimate.value) ** 2) / float(sums.n)
    return difference_of(estimate, spread, sums.n_units, size)


def _over_rewards(
    rewards: SetRewards, classes: Array, truth: Ints, sets: PredictionSets
) -> tuple[PredictionSets, Ints]:
    """Counted sets and true classes in the order of the rewards."""
    require_kind(rewards, "rewards", SetRewards)
    order, _ = encode_labels(classes, rewards.classes, name="the classes of the tally")
    return as_sets(sets, rewards.classes), order[truth]


def _summary(
    cells: CostCells, rewards: SetRewards, by_part: Mapping[Any, Estimate]
) -> RewardEvaluation:
    by_class = ClassMeans(cells, rewards.classes, rewards.ranges)
    overall = cells.mean(*whole_range(rewards.ranges))
    return RewardEvaluation(overall, by_class, by_part, rewards.unit, rewards.rule.name)


def _read(
    y_true: ArrayLike,
    y_pred: Any,
    rewards: SetRewards,
    classes: ArrayLike | None,
    what: str = "y_pred",
) -> tuple[Ints, PredictionSets]:
    """True classes and predictions over the classes of the rewards."""
    require_rewards(rewards)
    codes = encode_truth(y_true, rewards.classes)
    sets = sets_over(y_pred, rewards.classes, "the rewards", classes, what)
    check_lengths(len(sets), len(codes))
    return codes, sets
