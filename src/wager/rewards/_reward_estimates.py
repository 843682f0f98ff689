"""Means of a reward with their uncertainty, from its sums: of each true class, and of all rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._typing import Floats
from wager.rewards._mean_estimate import MeanEstimate
from wager.rewards._reward_sums import RewardSums
from wager.rewards.information import ProbabilityReward

_EVERY = slice(None)


def reward_estimates(
    reward: ProbabilityReward,
    sums: RewardSums,
    prior: Floats,
    base: float,
    chosen: slice = _EVERY,
) -> list[MeanEstimate]:
    """The mean of each true class, and of all rows last; of the loss if the reward is one.

    Parameters
    ----------
    reward : ProbabilityReward
        The reward, or the loss that it is the negative of.
    sums : RewardSums
        Its sums over rows.
    prior : ndarray
        The prior that it is relative to.
    base : float
        The base of its logarithms.
    chosen : slice
        Which of the means; by default all.
    """
    low, high = reward.limits(prior, base)
    low, high = np.append(low, low.min()), np.append(high, high.max())
    mean, error, n, skewness = sums.by_class_and_overall
    mean, low, high, skewness = signed_means(reward, mean, low, high, skewness)
    columns = (part[chosen].tolist() for part in (mean, error, n, low, high, skewness))
    clustered = sums.clusters is not None
    return [
        MeanEstimate(
            value, se, units, least, most, reward.is_proportion, skewness=skew, clustered=clustered
        )
        for value, se, units, least, most, skew in zip(*columns, strict=True)
    ]


def signed_means(
    reward: ProbabilityReward, mean: Floats, low: Any, high: Any, skewness: Floats
) -> Any:
    """Means, their range and their skewness; a loss is the negative of what is added up."""
    if reward.sign > 0:
        return mean, low, high, skewness
    return 0.0 - mean, -high, -low, -skewness  # a loss of 0 is not -0
