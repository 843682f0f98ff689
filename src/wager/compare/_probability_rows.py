"""Rewards of rows of probability files, and their sums for every file and every two of them.

The differences of a score follow from the rewards of each row, so that the probabilities themselves
need not be kept until the rows of several files are matched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from wager._tables import RowUnits, encode_labels
from wager._typing import Array, Floats, Ints
from wager.compare._paired_probabilities import reward_gaps
from wager.predictions import Predictions, TopKProbabilities
from wager.rewards import ProbabilityReward, ProbabilityRows, RewardSums


@dataclass(frozen=True)
class RewardSettings:
    """Which rewards are computed, and how.

    Parameters
    ----------
    rewards : tuple of ProbabilityReward
        The scores, as rewards: losses with a negative sign.
    classes : ndarray
        The classes.
    prior : ndarray
        The prior of information rewards.
    base : float
        The base of their logarithms.
    clip : float, optional
        Clip probabilities to [clip, 1 - clip] before taking logarithms.
    """

    rewards: tuple[ProbabilityReward, ...]
    classes: Array
    prior: Floats
    base: float
    clip: float | None

    def values(self, truth: Ints, proba: Floats | TopKProbabilities) -> Floats:
        """The rewards of rows: shape (n_rows, n_rewards)."""
        rows = ProbabilityRows(truth, proba, self.classes, RowUnits(), declared=True)
        found = [reward.values(rows, self.prior, self.base, self.clip) for reward in self.rewards]
        return np.stack(found, axis=1)


@dataclass(frozen=True, eq=False)
class RowRewards:
    """True class and rewards of rows, and other columns."""

    truth: Ints
    rewards: Floats
    weight: Floats | None
    count: Ints | None
    cluster: Array | None
    id: Array | None
    row: Ints  # numbers of the rows in the file, from 1

    @classmethod
    def of(cls, rows: Predictions, settings: RewardSettings) -> RowRewards:
        """The rewards of some rows of a file."""
        assert rows.proba is not None
        assert rows.row is not None
        rewards = settings.values(rows.codes, rows.proba)
        return cls(rows.codes, rewards, rows.weight, rows.count, rows.cluster, rows.id, rows.row)

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def numbers(self) -> dict[str, Array]:
        """What is stored of each row while rows are matched, by column."""
        return {f"r{s}": column for s, column in enumerate(self.rewards.T)}


Places = tuple[int, ...]  # a file, or two of them
Sums = dict[Places, list[RewardSums]]


def add_up(rewards: Sequence[Floats], truth: Ints, units: RowUnits, n_classes: int) -> Sums:
    """The sums of the rewards of every file, and of the differences of every two.

    Parameters
    ----------
    rewards : sequence of matrices of shape (n_rows, n_rewards)
        One per file, for the same rows.
    truth : array of int
        The true classes.
    units : RowUnits
        What the rows count for.
    n_classes : int
        The number of classes.
    """
    sums: Sums = {}
    for places in (*((i,) for i in range(len(rewards))), *combinations(range(len(rewards)), 2)):
        first, *second = (rewards[i] for i in places)
        values = reward_gaps(first, second[0]) if second else first
        sums[places] = [RewardSums.of(column, truth, units, n_classes) for column in values.T]
    return sums


def added(first: Sums | None, second: Sums) -> Sums:
    """The sums of two parts; no cluster is divided between them."""
    if first is None:
        return second
    return {
        places: [a + b for a, b in zip(first[places], second[places], strict=True)]
        for places in second
    }


def units_of(weight: Array | None, count: Array | None, cluster: Array | None) -> RowUnits:
    """What some rows of a file count for."""
    if cluster is None:
        return RowUnits(weight, count)
    codes, labels = encode_labels(cluster, name="cluster")
    return RowUnits(weight, count, codes, labels)
