"""Scores of each group of a prediction file, such as each user of a service, as plain columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._typing import Array, Floats, Ints
from wager.predictions import PredictionFile
from wager.report._score import ALL, Score, score_file
from wager.rewards import BY_CLASS, MEASURES, GroupEvaluation, Utility

Ends = tuple[Floats, Floats]
_SIZES = ("rows", "total_weight")
_PART = 20_000  # groups whose intervals are computed at a time


@dataclass(frozen=True, eq=False)
class GroupScores:
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
        reverse = sort.startswith("-")
        name = _measure_name(sort)
        if name in ("group", self.by):
            order = np.arange(len(self))
            return order[::-1] if reverse else order
        if name not in self.values:
            raise ValueError(
                f"there is no measure {name!r} to sort by: choose from group, "
                f"{', '.join(self.values)}"
            )
        measure = MEASURES.get(name)
        better = True if measure is None else measure.greater_is_better
        sign = 1.0 if better and name not in _SIZES else -1.0
        key = np.asarray(self.values[name], dtype=np.float64) * (-sign if reverse else sign)
        return np.argsort(key, kind="stable")  # NaN is last

    def main_measures(self, sort: str | None = None) -> list[str]:
        """The measures for a table that has room for few, and the one that it is sorted by."""
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
        As in `score_file`.
    """
    if file.layout.group is None:
        raise ValueError(f"{file.path}: there is no column group: choose a column with --by")
    by = file.layout.group.name
    if not file.holds_sets or options.get("costs") is not None:
        found = score_file(file, name, utilities, by_group=True, **options)
        return _of_scores(name, by, [s for s in found.scores if s.group != ALL])
    counts = file.count_groups(file.settled_classes(), progress=options.get("progress"))
    evaluation = GroupEvaluation.of_counts(counts, utilities)
    return GroupScores(
        name,
        by,
        evaluation.names,
        {**evaluation.sizes, **evaluation.values},
        evaluation.standard_errors,
        dict.fromkeys([*evaluation.sizes, *evaluation.values], "sets"),
        lambda groups, level: evaluation.take(groups).all_intervals(level),
    )


def _of_scores(file: str, by: str, scores: Sequence[Score]) -> GroupScores:
    """The scores of groups that were scored one by one."""
    names = list(dict.fromkeys(s.group for s in scores))
    measures = list(dict.fromkeys(s.measure for s in scores))
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
    values = {m: column(m, lambda s: s.value) for m in measures}
    errors = {m: column(m, lambda s: s.standard_error) for m in measures if m in estimated}
    families = {s.measure: s.family for s in reversed(scores)}
    return GroupScores(file, by, np.array(names, dtype=object), values, errors, families, ends)
