"""Scores of each group of a prediction file, such as each user of a service, as plain columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import Table, View, Viewed, counted, require_kind
from wager._typing import Array, Floats, Ints
from wager._visible import brief
from wager.compare import levels
from wager.predictions import GroupCounts, PredictionFile, groups_of_parts
from wager.report._costs import COST
from wager.report._group_rows import (
    CostsOfGroups,
    cost_groups,
    reward_groups,
    set_groups,
    sorted_groups,
)
from wager.report._row_tallies import ALL, group_name
from wager.report._score import Score, score_file
from wager.rewards import BY_CLASS, MEASURES, GroupEvaluation, GroupReward, Utility

Ends = tuple[Floats, Floats]
ONE_BY_ONE = 100  # more groups of rows with probabilities have only measures that are means
_SIZES = ("rows", "total_weight")
_PART = 20_000  # groups whose intervals are computed at a time

_SHOWN = 10  # groups in the printed form


@dataclass(frozen=True, eq=False, repr=False)
class GroupScores(Viewed):
    """Every measure of each group of a file.

    Parameters
    ----------
    file : str
        The name of the file.
    by : str
        The column that names the groups.
    names : array of shape (G,)
        The groups, by name; None for rows without one.
    values : dict of str to array of shape (G,)
        The number of rows, the total weight if rows have weights, and every measure, by name.
    errors : dict of str to array of shape (G,)
        The standard errors of the measures that have some.
    families : dict of str to str
        What each measure is a measure of: sets, probabilities, memberships or costs.
    ends : callable
        Gives the intervals of some groups, by measure, from their positions and a level.
    """

    file: str
    by: str
    names: Array
    values: Mapping[str, Array]
    errors: Mapping[str, Floats]
    families: Mapping[str, str]
    ends: Callable[[Ints, float], Mapping[str, Ends]]

    def _view(self) -> View:
        measures = self.main_measures()
        shown = [
            [str(name), *(self.values[m][i].item() for m in measures)]
            for i, name in enumerate(self.names[:_SHOWN])
        ]
        more = len(self) - len(shown)
        return View(
            f"{self.file}: {counted(len(self), 'group', ',')} by {self.by}",
            [Table([self.by, *(m.replace("_", " ") for m in measures)], shown)],
            [f"{more:,} more groups"] if more else [],
        )

    def __len__(self) -> int:
        return len(self.names)

    def order(self, sort: str) -> Ints:
        """The positions of the groups, sorted by a measure.

        Parameters
        ----------
        sort : str
            A measure: the worst groups come first; ``rows``: the largest; ``group``: by name.  A
            minus sign before it reverses the order.  Undefined values come last.
        """
        require_kind(sort, "sort", str)
        reverse = sort.startswith("-")
        name = _measure_name(sort)
        if name in ("group", self.by):
            order = np.arange(len(self))
            return order[::-1] if reverse else order
        if name not in self.values:
            raise ValueError(
                f"there is no measure {brief(name)} to sort by: choose from group, "
                f"{', '.join(self.values)}"
            )
        measure = MEASURES.get(name)
        better = True if measure is None else measure.greater_is_better
        sign = 1.0 if better and name not in _SIZES else -1.0
        key = np.asarray(self.values[name], dtype=np.float64) * (-sign if reverse else sign)
        size = np.abs(key[np.isfinite(key)]).max(initial=0.0)
        # groups that differ only by rounding stay in the order of their names; NaN is last
        return np.argsort(levels(key / (size or 1.0)), kind="stable")

    def main_measures(self, sort: str | None = None) -> list[str]:
        """The main measures, for a table with few columns, and the one that it is sorted by."""
        wanted = "" if sort is None else _measure_name(sort)
        return [m for m in self.values if m == wanted or self._is_main(m)]

    def _is_main(self, name: str) -> bool:
        if name in _SIZES:
            return True
        if self.families[name] != "sets":
            return name in self.errors
        is_utility = name not in MEASURES and not name.startswith("certainty_equivalent")
        return is_utility or name in BY_CLASS

    def intervals(self, groups: Ints, level: float | None) -> Mapping[str, Ends]:
        """The intervals of some groups, by measure; none without a level."""
        return {} if level is None else self.ends(groups, level)

    def parts(self, groups: Ints, level: float | None) -> Iterator[tuple[Ints, Mapping[str, Ends]]]:
        """Some groups at a time, with their intervals."""
        for start in range(0, len(groups), _PART):
            part = groups[start : start + _PART]
            yield part, self.intervals(part, level)


def _measure_name(sort: str) -> str:
    require_kind(sort, "sort", str)
    return sort.removeprefix("-").strip().replace(" ", "_")


def score_groups(
    file: PredictionFile, name: str, utilities: Sequence[Utility], **options: Any
) -> GroupScores:
    """Score each group of a file whose rows are right, which `score_file` finds out.

    Parameters
    ----------
    file : PredictionFile
        A file opened by ``scan_predictions`` with a column of groups.
    name : str
        The name of the file in the scores.
    utilities : sequence of Utility
        The utilities of sets.
    **options
        As in `score_file`.  With `engine`, rows whose sets must be read one by one (probabilities
        and intervals of more than 100 groups, and costs) are read on this machine.
    """
    require_kind(file, "file", PredictionFile)
    if file.layout.group is None:
        raise ValueError(f"{file.path}: there is no column group: choose a column with --by")
    by, costs, engine = file.layout.group.name, options.get("costs"), options.get("engine")
    if file.kind == "memberships" or (not file.holds_sets and file.n_groups <= ONE_BY_ONE):
        found = score_file(file, name, utilities, by_group=True, **options)
        return _of_scores(name, by, [s for s in found.scores if s.group != ALL])
    rule, progress = options.get("rule", "maximality"), options.get("progress")
    drop = engine is not None and options.get("na") == "drop"
    here = file  # the rows that are read on this machine
    if drop and (costs is not None or not file.holds_sets):
        here = file.without_missing()
    rewards: dict[str, GroupReward] = {}
    if file.holds_sets and engine is not None:
        counts = groups_of_parts(engine, file, drop=drop, progress=progress)
    elif file.holds_sets:
        counts = file.count_groups(file.settled_classes(), progress)
    else:
        counts, rewards = _read_rows(here, rule, options.get("prior"), progress)
    evaluation = GroupEvaluation.of_counts(counts, utilities)
    columns = _Columns()
    columns.add_sizes(evaluation.sizes)
    columns.add_rewards(rewards)
    columns.add_sets(evaluation)
    if costs is not None:
        given = {"rule": rule, "empty_cost": options.get("empty_cost"), "progress": progress}
        columns.add_costs(cost_groups(here, costs, **given))
    return columns.scores(name, by, evaluation.names)


def _read_rows(
    file: PredictionFile, rule: str, prior: Any, progress: Any
) -> tuple[GroupCounts, dict[str, GroupReward]]:
    """The sets that follow from the predictions of each group, and the rewards of probabilities."""
    counts: list[GroupCounts] = []
    rewards: dict[str, list[GroupReward]] = {}
    for part in sorted_groups(file, progress):
        counts.append(set_groups(part, rule))
        if file.kind == "proba":
            for name, found in reward_groups(part, prior).items():
                rewards.setdefault(name, []).append(found)
    joined = {name: GroupReward.concatenated(parts) for name, parts in rewards.items()}
    return GroupCounts.concatenated(counts), joined


class _Columns:
    """The columns of the measures of groups, family by family."""

    def __init__(self) -> None:
        self.values: dict[str, Array] = {}
        self.errors: dict[str, Floats] = {}
        self.families: dict[str, str] = {}
        self.ends: list[Callable[[Ints, float], Mapping[str, Ends]]] = []

    def add_sizes(self, sizes: Mapping[str, Array]) -> None:
        self.values.update(sizes)
        self.families.update(dict.fromkeys(sizes, "sets"))

    def add_sets(self, evaluation: GroupEvaluation) -> None:
        self.values.update(evaluation.values)
        self.errors.update(evaluation.standard_errors)
        self.families.update(dict.fromkeys(evaluation.values, "sets"))
        self.ends.append(lambda groups, level: evaluation.take(groups).all_intervals(level))

    def add_rewards(self, rewards: Mapping[str, GroupReward]) -> None:
        for name, found in rewards.items():
            self.values[name], self.errors[name] = found.value, found.standard_error
            self.families[name] = "probabilities"
            if found.infinite.any():
                self.values[f"{name}: infinite rows"] = found.infinite
                self.families[f"{name}: infinite rows"] = "probabilities"
        self.ends.append(
            lambda groups, level: {m: r.intervals(groups, level) for m, r in rewards.items()}
        )

    def add_costs(self, found: CostsOfGroups) -> None:
        self.values[COST], self.errors[COST] = found.mean_and_error()
        self.families[COST] = "costs"
        self.ends.append(lambda groups, level: {COST: found.intervals(groups, level)})

    def scores(self, file: str, by: str, names: Array) -> GroupScores:
        """The scores of the groups of a file."""

        def ends(groups: Ints, level: float) -> dict[str, Ends]:
            return {m: both for some in self.ends for m, both in some(groups, level).items()}

        return GroupScores(file, by, names, self.values, self.errors, self.families, ends)


def _of_scores(file: str, by: str, scores: Sequence[Score]) -> GroupScores:
    """The scores of groups that were scored one by one."""
    names = list(dict.fromkeys(s.group for s in scores))
    measures = sorted(dict.fromkeys(s.measure for s in scores), key=lambda m: m not in _SIZES)
    found = {(s.group, s.measure): s for s in scores}

    def column(measure: str, of: Callable[[Score], float]) -> Floats:
        cells = (found.get((group, measure)) for group in names)
        return np.array([np.nan if s is None else of(s) for s in cells], dtype=np.float64)

    def ends(groups: Ints, level: float) -> dict[str, Ends]:
        shown = [names[group] for group in groups]
        by_measure = {}
        for measure in errors:
            pairs = [
                (s and s.interval(level)) or (np.nan, np.nan)
                for s in (found.get((group, measure)) for group in shown)
            ]
            by_measure[measure] = tuple(np.array(pairs, dtype=np.float64).T)
        return by_measure

    estimated = {s.measure for s in scores if s.estimate is not None}
    values: dict[str, Array] = {m: column(m, lambda s: s.value) for m in measures}
    if "rows" in values:
        values["rows"] = values["rows"].astype(np.int64)
    errors = {m: column(m, lambda s: s.standard_error) for m in measures if m in estimated}
    families = {s.measure: s.family for s in reversed(scores)}
    shown = np.array([None if name == group_name(None) else name for name in names], dtype=object)
    return GroupScores(file, by, shown, values, errors, families, ends)
