"""Every measure of set-valued predictions for each of very many groups of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wager._tables import Table, View, Viewed, positions
from wager._typing import Array, ArrayLike, Floats, Ints
from wager._visible import brief
from wager.predictions import GroupCounts
from wager.rewards._count import read_rows
from wager.rewards._estimate import mean_and_error, transformed, where_defined
from wager.rewards._group_intervals import group_intervals
from wager.rewards._group_tally import GROUPS_SHOWN, GroupTally, group_counts, more_groups
from wager.rewards._measure import Measure
from wager.rewards._scores import SetScore
from wager.rewards._tally_scores import (
    certainty_name,
    distinct_utilities,
    mean_measures,
    other_measures,
)
from wager.rewards._utility import Utility
from wager.rewards._utility_names import UtilityLike

Ends = tuple[Floats, Floats]


@dataclass(frozen=True, eq=False, repr=False)
class GroupEvaluation(Viewed):
    """What set-valued predictions are worth in each group, by every measure.

    Attributes
    ----------
    tally : GroupTally
        The tallies of the groups.
    utilities : tuple of Utility
        The utilities of the evaluation.
    rows : array of int, shape (G,)
        The number of rows of each group, or the sum of their counts.
    total_weight : array of float, shape (G,), or None
        The total weight of each group; None if rows have no weights.

    Examples
    --------
    >>> found = evaluate_by(["x", "y", "x", "y"], ["a", "b", "b", "a"], ["a", "a", "b", "a"])
    >>> found.names.tolist(), found.values["u65"].tolist()
    (['x', 'y'], [1.0, 0.5])
    >>> found.standard_errors["coverage"].tolist()
    [0.0, 0.5]
    """

    tally: GroupTally
    utilities: tuple[Utility, ...]
    rows: Ints
    total_weight: Floats | None = None

    @classmethod
    def of_counts(
        cls, counts: GroupCounts, utilities: Iterable[UtilityLike] | UtilityLike
    ) -> GroupEvaluation:
        """The evaluation of the groups of a file, which ``count_groups`` counted."""
        chosen = distinct_utilities(utilities)
        return cls(GroupTally.of_counts(counts), chosen, counts.n_rows, counts.total_weight)

    def __len__(self) -> int:
        return len(self.tally)

    def _view(self) -> View:
        shown = slice(GROUPS_SHOWN)
        columns = {"rows": self.rows, **self.values}
        names = ["rows", *(u.name for u in self.utilities), "coverage", "mean_set_size"]
        rows = [
            [str(group), *(columns[name][i].item() for name in names)]
            for i, group in enumerate(self.names[shown])
        ]
        headers = ["group", *(name.replace("_", " ") for name in names)]
        title = f"{len(self):,} groups, {len(self.values)} measures"
        return View(title, [Table(headers, rows)], more_groups(len(self), "to_frame()"))

    @property
    def names(self) -> Array:
        """The groups, in the order of all other arrays."""
        return self.tally.names

    @property
    def sizes(self) -> dict[str, Array]:
        """The number of rows of each group, and the total weight if rows have weights, by name."""
        weight = self.total_weight
        return {"rows": self.rows} | ({} if weight is None else {"total_weight": weight})

    @property
    def values(self) -> Mapping[str, Floats]:
        """Every measure by name: an array with one value per group; NaN where it is undefined."""
        return self._measured[0]

    @property
    def standard_errors(self) -> Mapping[str, Floats]:
        """The standard errors of the measures that are means, by name."""
        return self._measured[1]

    def intervals(self, name: str, level: float = 0.95) -> tuple[Floats, Floats]:
        """The ends of the confidence interval of a measure in each group.

        Parameters
        ----------
        name : str
            A measure that has standard errors.
        level : float, default=0.95
            The confidence level.
        """
        if name not in self.standard_errors:
            known = ", ".join(self.standard_errors)
            raise ValueError(f"there is no interval of {brief(name)}: choose from {known}")
        for utility in self.utilities:
            if name == certainty_name(utility):
                return _inverse(utility, self.intervals(utility.name, level))
        score, size = self._scores[name], self.tally.largest_sizes
        ranges = {s: score.range_beyond(s, self.tally.n_classes) for s in np.unique(size).tolist()}
        low, high = np.array([ranges[s] for s in size.tolist()], dtype=np.float64).reshape(-1, 2).T
        return group_intervals(self.tally.values(score), self.tally.sums, low, high, level)

    def take(self, groups: ArrayLike) -> GroupEvaluation:
        """The evaluation of some groups, given by their positions."""
        chosen = np.atleast_1d(positions(groups, len(self.rows), "groups"))
        weight = None if self.total_weight is None else self.total_weight[chosen]
        return GroupEvaluation(self.tally.take(chosen), self.utilities, self.rows[chosen], weight)

    def to_frame(self, level: float | None = None) -> Any:
        """A pandas frame with one row per group.

        Parameters
        ----------
        level : float, optional
            If given, the frame has the ends of intervals of this level as well.
        """
        import pandas as pd

        columns = dict(self.columns(level))
        return pd.DataFrame(columns, index=pd.Index(self.names, name="group"))

    def columns(self, level: float | None = None) -> Iterator[tuple[str, Array]]:
        """Titles and columns of a table with one row per group."""
        yield from self.sizes.items()
        ends = {} if level is None else self.all_intervals(level)
        for name, values in self.values.items():
            yield name, values
            if name in self.standard_errors:
                yield f"{name}_standard_error", self.standard_errors[name]
            if name in ends:
                yield f"{name}_lower", ends[name][0]
                yield f"{name}_upper", ends[name][1]

    def all_intervals(self, level: float) -> dict[str, Ends]:
        """The intervals of all means, each computed once."""
        found = {name: self.intervals(name, level) for name in self._scores}
        for utility in self.utilities:
            found[certainty_name(utility)] = _inverse(utility, found[utility.name])
        return found

    @cached_property
    def _scores(self) -> dict[str, SetScore]:
        return mean_measures(self.utilities)

    @cached_property
    def _measured(self) -> tuple[dict[str, Floats], dict[str, Floats]]:
        values: dict[str, Floats] = {}
        errors: dict[str, Floats] = {}
        for place, part in self.tally.parts():
            for name, (mean, error) in self._of_part(part).items():
                values.setdefault(name, np.empty(len(self)))[place] = mean
                if error is not None:
                    errors.setdefault(name, np.empty(len(self)))[place] = error
        return values, errors

    def _of_part(self, part: GroupTally) -> dict[str, tuple[Floats, Floats | None]]:
        """Values and standard errors of some groups, by measure."""
        found: dict[str, tuple[Floats, Floats | None]] = {}
        for name, score in self._scores.items():
            found[name] = mean_and_error(*where_defined(part.values(score), part.sums))
        for utility in self.utilities:
            found[certainty_name(utility)] = transformed(*found[utility.name], utility.inverse)
        for name, measure in other_measures().items():
            found[name] = _by_group(measure, part), None
        return found


def _inverse(utility: Utility, ends: Ends) -> Ends:
    """The ends of the interval of a certainty equivalent, from those of the utility's mean."""
    return utility.inverse(ends[0]), utility.inverse(ends[1])


def _by_group(measure: Measure, part: GroupTally) -> Floats:
    """A measure that is not a mean, of each group."""
    if measure.takes_groups:
        return np.asarray(measure(part), dtype=np.float64)
    return np.array([measure(tally) for tally in part.tallies()], dtype=np.float64)


def evaluate_by(
    by: ArrayLike,
    y_true: ArrayLike,
    y_pred: Any,
    utilities: Iterable[UtilityLike] | UtilityLike = ("u50", "u65", "u80"),
    *,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> GroupEvaluation:
    """Every measure of set-valued predictions for each group of rows, with standard errors.

    The values are those of `evaluate_sets` on the rows of each group, and a million groups take
    seconds.

    Parameters
    ----------
    by : array-like of shape (n,)
        The group of each row, such as a user or a hospital.
    y_true, y_pred, utilities, sample_weight, counts, groups, classes
        As in `evaluate_sets`.  ``groups`` are clusters of dependent rows; a cluster may have rows
        in several of the groups that are evaluated.

    Returns
    -------
    GroupEvaluation
        ``values[name]`` and ``standard_errors[name]`` are arrays with one element per group,
        ``to_frame()`` is a pandas frame with one row per group.

    Examples
    --------
    >>> found = evaluate_by([7, 8, 7], ["a", "b", "b"], [["a"], ["a", "b"], ["a"]], "u65")
    >>> found.names.tolist(), found.values["u65"].tolist()
    ([7, 8], [0.5, 0.65])
    """
    found = group_counts(by, read_rows(y_true, y_pred, classes, sample_weight, counts, groups))
    return GroupEvaluation.of_counts(found, utilities)
