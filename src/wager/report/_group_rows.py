"""Scores of very many groups whose rows must be read: probabilities, intervals, and costs.

The rows come sorted by group, some whole groups at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wager._tables import RowUnits, encode_labels
from wager._typing import Array, Floats, Ints
from wager.compare import sets_of
from wager.costs import (
    CostMatrix,
    ExtendedCosts,
    cost_ranges,
    costs_for_classes,
    distinct_pairs,
)
from wager.predictions import GroupCounts, PredictionFile, Predictions, as_sets
from wager.rewards import (
    CheckedRows,
    GroupReward,
    GroupSums,
    ProbabilityRows,
    count_members,
    group_intervals,
    group_rewards,
    mean_and_error,
)

__all__ = [
    "CostsOfGroups",
    "GroupRows",
    "cost_groups",
    "reward_groups",
    "set_groups",
    "sorted_groups",
]


class GroupRows(NamedTuple):
    """The rows of some groups, without those that count for nothing.

    Attributes
    ----------
    chunk : Predictions
        The rows of the file, also those that count for nothing.
    kept : array of int
        The rows that count, by their positions in the chunk.
    names : array
        The groups.
    member : array of int
        The group of each row that counts, as a position in `names`.
    units : RowUnits
        What each of these rows counts for.
    """

    chunk: Predictions
    kept: Ints
    names: Array
    member: Ints
    units: RowUnits


def sorted_groups(file: PredictionFile, progress: Any = None) -> Iterator[GroupRows]:
    """The rows of a file, some whole groups at a time."""
    for chunk in file.chunks(progress=progress, whole_groups=True):
        totals = np.ones(len(chunk)) if chunk.totals is None else chunk.totals
        kept = np.flatnonzero(totals)
        if not len(kept):
            continue
        assert chunk.group is not None
        group = chunk.group[kept]
        first = np.append(True, group[1:] != group[:-1])
        weight, count = (_some(column, kept) for column in (chunk.weight, chunk.count))
        clusters = labels = None
        if chunk.cluster is not None:
            clusters, labels = encode_labels(chunk.cluster[kept], name="cluster")
        units = RowUnits(weight, count, clusters, labels)
        yield GroupRows(chunk, kept, group[first], np.cumsum(first) - 1, units)


def _some(column: Array | None, rows: Ints) -> Array | None:
    return None if column is None else column[rows]


def set_groups(part: GroupRows, rule: str) -> GroupCounts:
    """The sets of some groups, counted: those of the file, or those that follow from it."""
    sets = sets_of(part.chunk, rule)[part.kept]
    rows = CheckedRows(part.chunk.codes[part.kept], sets, part.units)
    return count_members(part.member, part.names, rows)


def reward_groups(part: GroupRows, prior: Any) -> dict[str, GroupReward]:
    """The rewards of the probabilities of some groups."""
    chunk = part.chunk
    assert chunk.proba is not None
    rows = ProbabilityRows(
        chunk.codes[part.kept], chunk.proba[part.kept], chunk.classes, part.units
    )
    before = rows.prior(prior)
    return group_rewards(rows, part.member, len(part.names), before)


@dataclass(frozen=True, eq=False)
class CostsOfGroups:
    """The costs of the predictions of each group.

    Parameters
    ----------
    values : array of shape (E,)
        The costs of the distinct pairs of true class and prediction in each group.
    sums : GroupSums
        Their totals.
    low, high : float
        The smallest and the largest possible cost.
    """

    values: Floats
    sums: GroupSums
    low: float
    high: float

    def mean_and_error(self) -> tuple[Floats, Floats]:
        """The average cost of each group, and its standard error."""
        return mean_and_error(self.values, self.sums)

    def intervals(self, groups: Ints, level: float) -> tuple[Floats, Floats]:
        """The intervals of the average costs of some groups."""
        sums, place = self.sums.take(groups)
        low, high = (np.full(len(groups), end) for end in (self.low, self.high))
        return group_intervals(self.values[place], sums, low, high, level)


def cost_groups(
    file: PredictionFile,
    costs: CostMatrix | ExtendedCosts,
    *,
    rule: str = "maximality",
    empty_cost: float | None = None,
    progress: Any = None,
) -> CostsOfGroups:
    """The costs of the predictions in each group of a file; arguments of `price_file`."""
    named = costs_for_classes(costs, file.settled_classes().tolist(), str(file.path))
    extended = named if isinstance(named, ExtendedCosts) else named.extend()
    ranges = cost_ranges(extended, empty_cost)
    values: list[Floats] = []
    sums: list[GroupSums] = []
    for part in sorted_groups(file, progress):
        said = sets_of(part.chunk, rule)[part.kept]
        sets, truth, pair = distinct_pairs(said, part.chunk.codes[part.kept])
        order, _ = encode_labels(part.chunk.classes, extended.classes, name="classes")
        of_pair = extended.at(as_sets(sets, extended.classes), order[truth], empty_cost)
        found, place = GroupSums.of_rows(part.member, len(part.names), pair, part.units)
        values.append(of_pair[place])
        sums.append(found)
    low, high = float(ranges[:, 0].min()), float(ranges[:, 1].max())
    return CostsOfGroups(np.concatenate(values), GroupSums.concatenated(sums), low, high)
