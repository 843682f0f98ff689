"""Rewards of reported probabilities for each of very many groups of rows.

The sums of `RewardSums` are by true class; with the group of a row in place of its class they are
by group, and the same formulas give means and standard errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from wager._tables import RowUnits, first_of_each
from wager._typing import Floats, Ints
from wager.rewards._mean_estimate_intervals import mean_estimate_intervals
from wager.rewards._probability_rows import ProbabilityRows
from wager.rewards._probability_tally import probability_rewards
from wager.rewards._reward_estimates import signed_means
from wager.rewards._reward_sums import ClusterMoments, RewardSums, count_rows, unit_products
from wager.rewards.information import ProbabilityReward


class GroupReward(NamedTuple):
    """The mean of one reward, or loss, in each group.

    Attributes
    ----------
    reward : ProbabilityReward
        The reward.
    limits : tuple of float
        Its smallest and its largest possible value.
    value, standard_error, n, skewness : array of shape (G,)
        As in `MeanEstimate`.
    infinite : array of int, shape (G,)
        The number of rows that earn minus infinity.
    clustered : bool
        Whether the units are clusters of rows.
    """

    reward: ProbabilityReward
    limits: tuple[float, float]
    value: Floats
    standard_error: Floats
    n: Floats
    skewness: Floats
    infinite: Ints
    clustered: bool

    def intervals(self, groups: Ints, level: float) -> tuple[Floats, Floats]:
        """The ends of the confidence intervals of some groups."""
        return mean_estimate_intervals(
            self.value[groups],
            self.standard_error[groups],
            self.n[groups],
            self.skewness[groups],
            self.limits,
            level,
            is_proportion=self.reward.is_proportion,
            clustered=self.clustered,
        )

    @classmethod
    def concatenated(cls, parts: Sequence[GroupReward]) -> GroupReward:
        """The means of the groups of several parts, one after another."""
        names = ("value", "standard_error", "n", "skewness", "infinite")
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in names
        }
        return parts[0]._replace(**columns)


def group_rewards(
    rows: ProbabilityRows, member: Ints, n_groups: int, prior: Floats, base: float = 2.0
) -> dict[str, GroupReward]:
    """Every reward of probabilities that is a mean over rows, for each group.

    Parameters
    ----------
    rows : ProbabilityRows
        The rows, sorted by group, and by cluster within a group.
    member : array of int
        The group of each row, as a number from 0.
    n_groups : int
        The number of groups.
    prior : array of shape (K,)
        The prior that the rewards are relative to.
    base : float, default=2
        Base of the logarithms.
    """
    found = {}
    for reward in probability_rewards():
        values = reward.values(rows, prior, base, None)
        sums = _sums(values, member, n_groups, rows.units)
        mean, error, n, skewness = (column[:-1] for column in sums.by_class_and_overall)
        low, high = reward.limits(prior, base)
        mean, low, high, skewness = signed_means(reward, mean, low.min(), high.max(), skewness)
        limits = float(low), float(high)
        clustered = rows.units.clusters is not None
        found[reward.name] = GroupReward(
            reward, limits, mean, error, n, skewness, sums.infinite, clustered
        )
    return found


def _sums(values: Floats, member: Ints, n_groups: int, units: RowUnits) -> RewardSums:
    """The sums by group; a cluster within a group is one unit."""
    if units.clusters is None:
        return RewardSums.of(values, member, units, n_groups)
    rows, infinite = count_rows(values, member, units, n_groups)
    first = first_of_each(member, units.clusters)
    owner, unit = member[first], np.cumsum(first) - 1
    finite = np.isfinite(values)
    each = (np.ones(len(values)) if units.totals is None else units.totals)[finite]
    weight, total = (
        np.bincount(unit[finite], term, len(owner)).astype(np.float64)
        for term in (each, each * values[finite])
    )
    terms = [weight, total, *unit_products(weight, total)]
    sums = np.array([np.bincount(owner, term, n_groups) for term in terms])
    counted = np.bincount(owner[weight > 0], minlength=n_groups)
    moments = ClusterMoments(np.append(counted, counted.sum()), sums[2:].sum(axis=1))
    return RewardSums(rows, infinite, sums, moments)
