"""What a set earns for each true class: by utilities of the classes, from a table, by a function.

A rule of rewards is an extension rule (see `wager.costs.extensions`) that fills cells (set, true
class) with rewards instead of costs.  So rewards are computed by the same code as costs: cell by
cell, for any number of classes where the rule allows it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wager._tables import (
    encode_labels,
    in_braces,
    named_values,
    not_complex,
    real_number,
    unmasked,
)
from wager._typing import Array, Bools, Floats, Ints
from wager._visible import brief, in_one_line
from wager.costs._checks import MOST_COST, are_costs
from wager.costs._cost_tables import CostTable
from wager.costs._subsets import members_of, show_set, subset_masks
from wager.costs.extensions import Cells, EveryTruth, ExtensionRule
from wager.predictions import PredictionSets
from wager.rewards import Utility

__all__ = [
    "ClassUtilities",
    "Regrets",
    "RewardFunction",
    "RewardRule",
    "RewardTable",
    "finite",
    "table_of_rewards",
]

_MOST_CLASSES = 16  # of a table of all sets, which then has 65,535 rows


class RewardRule(ExtensionRule):
    """The reward of a set for a true class: `fill` gives rewards, of which larger ones are better.

    Rules that look at the members of a set, not only at its size and hit, set `needs_members`.
    """

    needs_members = True

    @abstractmethod
    def reward_ranges(self, n_classes: int) -> Floats:
        """The smallest and the largest reward for each true class, of shape (K, 2)."""

    @abstractmethod
    def empty_rewards(self, n_classes: int) -> Floats:
        """The reward of the empty set for each true class; NaN if it has none."""

    def ranges(self, table: CostTable) -> Floats:
        """As `reward_ranges`."""
        return self.reward_ranges(table.n_classes)


@dataclass(frozen=True)
class ClassUtilities(RewardRule):
    """``w(c) u_c(1/k)`` for a hit with k classes if c is true, and ``w(c) u_c(0)`` for a miss.

    Parameters
    ----------
    utilities : tuple of Utility
        The utility of each true class; a single one is that of all classes.
    weights : tuple of float
        The weight of each class; none for the same weight 1.
    """

    utilities: tuple[Utility, ...]
    weights: tuple[float, ...]

    needs_members = False

    @property
    def name(self) -> str:
        """The utilities, and whether classes have weights."""
        names = list(dict.fromkeys(u.name for u in self.utilities))
        shown = names[0] if len(names) == 1 else f"{len(names)} utilities by class"
        return shown if len(set(self.weights)) < 2 else f"{shown}, weighted by class"

    @property
    def is_common(self) -> bool:
        """Whether all classes have the same utility, so that only weights differ."""
        return all(u == self.utilities[0] for u in self.utilities)

    @cached_property
    def weight(self) -> Floats:
        """The weights as an array."""
        return np.array(self.weights)

    def fill(self, cells: Cells) -> Floats:
        """The weighted utility of size and hit."""
        won = np.where(cells.hit, cells.sizes, 0)
        truth = cells.truth
        if truth is None:
            truth = np.broadcast_to(np.arange(cells.n_classes), won.shape)
        return self._worth(won, truth) * self.weight[truth]

    def _worth(self, won: Ints, truth: Ints) -> Floats:
        if self.is_common:
            return _of_size(self.utilities[0], won)
        worth = np.empty(won.shape)
        for utility in dict.fromkeys(self.utilities):
            here = np.array([u == utility for u in self.utilities])[truth]
            worth[here] = _of_size(utility, won[here])
        return worth

    def by_size(self, n_classes: int) -> Floats:
        """Rewards of hits with 1, ..., K classes (rows) for each true class (columns).

        A size that a table of utilities does not reach is worth minus infinity.
        """
        worth = {u: _up_to(u, n_classes)[1:] for u in dict.fromkeys(self.utilities)}
        columns = np.stack([worth[u] for u in self._each(n_classes)], axis=1)
        known = np.isfinite(columns)
        return np.where(known, np.where(known, columns, 0.0) * self.weight, -np.inf)

    def empty_rewards(self, n_classes: int) -> Floats:
        """An empty set misses every class."""
        return self.weight * np.array([float(u.of_size(0)) for u in self._each(n_classes)])

    def reward_ranges(self, n_classes: int) -> Floats:
        """From the values of a miss and of hits with every size."""
        ends = {}
        for utility in dict.fromkeys(self.utilities):
            worth = _up_to(utility, n_classes)
            worth = worth[np.isfinite(worth)]
            ends[utility] = (worth.min(), worth.max())
        pairs = np.array([ends[u] for u in self._each(n_classes)])
        return pairs * self.weight[:, None]

    def _each(self, n_classes: int) -> tuple[Utility, ...]:
        return self.utilities if len(self.utilities) > 1 else self.utilities * n_classes


def _of_size(utility: Utility, size: Ints) -> Floats:
    """The values of hits by set size; NaN beyond the end of a table, for sets that do not occur."""
    beyond = size > utility.largest_size
    if not beyond.any():
        return utility.of_size(size)
    return np.where(beyond, np.nan, utility.of_size(np.where(beyond, 0, size)))


def _up_to(utility: Utility, n_classes: int) -> Floats:
    """The utilities of a miss and of hits with 1, ..., K classes; minus infinity beyond a table."""
    worth = np.full(n_classes + 1, -np.inf)
    known = int(min(n_classes, utility.largest_size))
    worth[: known + 1] = utility.of_size(np.arange(known + 1))
    return worth


@dataclass(frozen=True, eq=False)
class RewardTable(RewardRule):
    """Rewards from a table with one row for every set, and one column for each true class.

    Parameters
    ----------
    rows : array of shape (2^K, K)
        The rewards by bit mask of the set; the first row is that of the empty set.
    """

    rows: Floats

    @property
    def name(self) -> str:
        """What the table is."""
        return f"a table of {len(self.rows) - 1} sets"

    def fill(self, cells: Cells) -> Floats:
        """Look the cells up."""
        masks = cells.members @ (1 << np.arange(cells.n_classes))
        return self.rows[masks] if cells.truth is None else self.rows[masks, cells.truth]

    def empty_rewards(self, n_classes: int) -> Floats:
        """The first row."""
        return self.rows[0]

    def reward_ranges(self, n_classes: int) -> Floats:
        """The extremes of the columns."""
        return np.stack([np.nanmin(self.rows, axis=0), np.nanmax(self.rows, axis=0)], axis=1)


@dataclass(frozen=True, eq=False)
class RewardFunction(RewardRule):
    """Rewards by a function of the set and the true class, for many classes.

    Parameters
    ----------
    function : callable
        Called with a tuple of labels, in the order of the classes, and a label.
    classes : array of shape (K,)
        The classes.
    limits : tuple of float
        The smallest and the largest value of the function.
    empty : float, optional
        The reward of the empty set, for which the function is not called.
    """

    function: Callable[[tuple[Any, ...], Any], float]
    classes: Array
    limits: tuple[float, float]
    empty: float | None = None

    @property
    def name(self) -> str:
        """The name of the function."""
        return getattr(self.function, "__name__", type(self.function).__name__)

    def fill(self, cells: Cells) -> Floats:
        """Call the function once for each distinct cell."""
        shape = cells.hit.shape
        members, truth = cells.members, cells.truth
        if truth is None:
            truth = np.tile(np.arange(cells.n_classes), len(members))
            members = np.repeat(members, cells.n_classes, axis=0)
        both = np.column_stack([members, truth])
        distinct, place = np.unique(both, axis=0, return_inverse=True)
        labels = self.classes.tolist()
        values = [
            self._value(tuple(labels[i] for i in np.flatnonzero(row[:-1])), labels[row[-1]])
            for row in distinct
        ]
        return np.array(values)[place.ravel()].reshape(shape)

    def _value(self, labels: tuple[Any, ...], true: Any) -> float:
        return checked_reward(self.function(labels, true), labels, true, self.limits)

    def empty_rewards(self, n_classes: int) -> Floats:
        """The same for every class."""
        return np.full(n_classes, np.nan if self.empty is None else self.empty)

    def reward_ranges(self, n_classes: int) -> Floats:
        """The limits that the user gave."""
        return np.tile(self.limits, (n_classes, 1))


@dataclass(frozen=True, eq=False)
class Regrets(ExtensionRule):
    """Costs from rewards: the best reward for the true class minus that of the set."""

    rewards: RewardRule
    best: Floats

    knows_ranges = True

    @property
    def name(self) -> str:
        """The rewards that are missed."""
        return f"regret of {self.rewards.name}"

    @property
    def needs_members(self) -> bool:  # type: ignore[override]
        """As the rule of the rewards."""
        return self.rewards.needs_members

    def fill(self, cells: Cells) -> Floats:
        """What is missed, which is never negative."""
        best = self.best if cells.truth is None else self.best[cells.truth]
        return np.maximum(best - self.rewards.fill(cells), 0.0)

    def ranges(self, table: CostTable) -> Floats:
        """From 0 to the distance of the best and the worst reward."""
        ranges = self.rewards.reward_ranges(table.n_classes)
        return np.stack([np.zeros(len(ranges)), self.best - ranges[:, 0]], axis=1)


def checked_reward(
    value: Any, labels: tuple[Any, ...], true: Any, limits: tuple[float, float] | None = None
) -> float:
    """The reward of a cell, if it is a finite number within the limits."""
    shown, true = in_braces(labels), in_one_line(str(true))
    try:
        reward = float(value)
    except (TypeError, ValueError):
        reward = np.nan
    if not np.isfinite(reward):
        raise ValueError(
            f"the reward of {shown} must be a finite number when {true} is true, got {brief(value)}"
        )
    if limits is not None and not limits[0] <= reward <= limits[1]:
        raise ValueError(
            f"the reward of {shown} is {reward:g} when {true} is true, outside limits="
            f"({limits[0]:g}, {limits[1]:g}): give wider limits"
        )
    return reward


def table_of_rewards(
    rewards: Any, classes: Array, otherwise: Utility | None, empty: float | None
) -> RewardTable:
    """The table of a matrix over all sets, of a mapping of sets, or of a function."""
    n_classes = len(classes)
    if n_classes > _MOST_CLASSES:
        raise ValueError(
            f"a table of rewards has 2**{n_classes} - 1 sets for {n_classes} classes, too many to "
            f"list (at most {_MOST_CLASSES} classes): give a function with limits=, or utilities "
            "by class with SetRewards.by_class"
        )
    masks = subset_masks(n_classes)
    rows = np.full((1 << n_classes, n_classes), np.nan)
    rows[0] = np.nan if empty is None else finite(empty, "empty")
    members = PredictionSets.from_masks(masks, classes).to_indicator()
    if otherwise is not None:
        rule = ClassUtilities((otherwise,), (1.0,) * n_classes)
        rows[masks.astype(np.intp)] = rule.fill(EveryTruth(np.zeros((n_classes,) * 2), members))
        if empty is None:
            rows[0] = float(otherwise.of_size(0))
    if isinstance(rewards, Mapping):
        _fill_from_mapping(rows, rewards, classes)
    elif callable(rewards):
        labels = classes.tolist()
        for mask, kept in zip(masks.tolist(), members, strict=True):
            names = tuple(label for label, keep in zip(labels, kept, strict=True) if keep)
            rows[mask] = [checked_reward(rewards(names, true), names, true) for true in labels]
    else:
        rows[masks.astype(np.intp)] = _checked_matrix(rewards, (len(masks), n_classes))
    missing = np.isnan(rows[1:])
    if missing.any():
        mask, true = np.argwhere(missing)[0] + [1, 0]
        kept = (mask >> np.arange(n_classes) & 1).astype(bool)
        raise ValueError(
            f"the table has no reward of {show_set(kept, classes)} when "
            f"{in_one_line(str(classes[true]))} is true: "
            "add it, or pass otherwise= with a utility for the cells that are left out"
        )
    return RewardTable(rows)


def _fill_from_mapping(rows: Floats, rewards: Mapping[Any, Any], classes: Array) -> None:
    powers = 1 << np.arange(len(classes))
    listed: set[int] = set()
    for labels, row in rewards.items():
        members: Bools = members_of(labels, classes)
        shown = show_set(members, classes)
        mask = int(members @ powers)
        if mask in listed:
            raise ValueError(f"the table lists {shown} more than once: give each set once")
        listed.add(mask)
        names = tuple(classes[members].tolist())
        named = named_values(row, f"the row of {shown}")
        if named is not None:
            codes, _ = encode_labels(list(named), classes, name=f"the rewards of {shown}")
            given = list(named.values())
        else:
            codes, given = np.arange(len(classes)), list(np.atleast_1d(np.asarray(unmasked(row))))
            if len(given) == 1:  # the same for every true class among the members
                codes, given = np.flatnonzero(members), given * int(members.sum())
            elif len(given) != len(classes):
                raise ValueError(
                    f"{shown} needs one reward for each of the {len(classes)} classes, got "
                    f"{len(given)}: give a mapping from labels to rewards to leave some out"
                )
        for code, value in zip(codes.tolist(), given, strict=True):
            rows[mask, code] = checked_reward(value, names, classes[code])


def _checked_matrix(rewards: Any, shape: tuple[int, int]) -> Floats:
    try:
        matrix = np.array(not_complex(rewards, "rewards"), dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        matrix = np.zeros(0)
    if matrix.shape != shape:
        raise ValueError(
            f"rewards must be a matrix with one row for each of the {shape[0]} sets (single "
            "classes first, as in extended_reward_matrix) and one column for each of the "
            f"{shape[1]} classes, got shape {np.shape(rewards)}"
        )
    bad = ~are_costs(np.abs(matrix))
    if bad.any():
        row, column = np.argwhere(bad)[0]
        value = matrix[row, column]
        wanted = f"at most {MOST_COST:g} in size" if np.isfinite(value) else "finite"
        raise ValueError(f"rewards must be {wanted}, got {value} in row {row}, column {column}")
    return matrix


def finite(value: Any, name: str) -> float:
    """The reward, if it is finite."""
    reward = real_number(value, name)
    if not np.isfinite(reward):
        raise ValueError(f"{name} must be a finite reward, got {brief(value)}")
    return reward
