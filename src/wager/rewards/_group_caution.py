"""Fairness of caution: which groups of rows are answered with larger sets, and how much larger.

A classifier may cover two groups equally often and still serve one of them worse: by naming two
classes where the other group gets one.  Groups are compared by size, determinacy, coverage and
utility; all intervals and all differences of groups hold together with the stated probability.

The interval of a difference combines the intervals of the two means (Newcombe's hybrid method,
1998; Zou & Donner, 2008), so it respects the ends of the range, and groups whose rows all agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import ComparedFields, Table, View, Viewed, ViewedFields, counted, is_one_of
from wager._typing import Array, ArrayLike, Floats
from wager._visible import brief
from wager.rewards._group_evaluation import GroupEvaluation, evaluate_by
from wager.rewards._level import check_level
from wager.rewards._utility_names import UtilityLike, get_utility

_MOST_GROUPS = 1000
_SHOWN = 12


@dataclass(frozen=True, repr=False)
class GroupGap(ViewedFields):
    """The difference of two groups by one measure.

    Parameters
    ----------
    measure : str
        The name of the measure.
    most, least : str
        The group with the larger and the one with the smaller value.
    gap : float
        Their difference.
    low, high : float
        The ends of its simultaneous interval.
    n_significant : int
        The number of pairs of groups whose intervals exclude 0.
    """

    measure: str
    most: str
    least: str
    gap: float
    low: float
    high: float
    n_significant: int

    @property
    def is_significant(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0


@dataclass(frozen=True, eq=False, repr=False)
class GroupCaution(ComparedFields, Viewed):
    """How cautious a classifier is in each group, with simultaneous intervals.

    Parameters
    ----------
    evaluation : GroupEvaluation
        Every measure of every group.
    measures : tuple of str
        The measures that are compared.
    ends : dict of str to (array, array)
        The lower and upper ends of the simultaneous intervals, by measure.
    gaps : tuple of GroupGap
        For each measure the two groups that differ most clearly: those with the largest lower end
        of the interval of their difference, or the largest difference if no interval excludes 0.
    level : float
        The probability with which all intervals of means, and all of differences, are right.
    """

    evaluation: GroupEvaluation
    measures: tuple[str, ...]
    ends: dict[str, tuple[Floats, Floats]]
    gaps: tuple[GroupGap, ...]
    level: float

    @property
    def names(self) -> Array:
        """The groups."""
        return self.evaluation.names

    def __getitem__(self, measure: str) -> GroupGap:
        """The clearest difference by a measure."""
        for gap in self.gaps:
            if is_one_of(measure, (gap.measure,)):
                return gap
        raise KeyError(f"{brief(measure)} was not compared: choose from {', '.join(self.measures)}")

    def verdict(self) -> str:
        """The result as a sentence."""
        gap = self["mean_set_size"]
        if gap.is_significant:
            return (
                f"group {gap.most} gets larger sets than group {gap.least}, by {gap.gap:.3f} "
                f"classes on average ({gap.low:.3f} to {gap.high:.3f})"
            )
        others = [g for g in self.gaps if g.is_significant]
        if others:
            found = "; ".join(
                f"{g.measure.replace('_', ' ')} of {g.most} exceeds that of {g.least} by "
                f"{g.gap:.3f}"
                for g in others
            )
            return f"no significant difference in set size; {found}"
        return "no significant difference between groups"

    def to_frame(self) -> Any:
        """A pandas frame with one row per group."""
        import pandas as pd

        columns: dict[str, Array] = {"rows": self.evaluation.rows}
        for name in self.measures:
            columns[name] = self.evaluation.values[name]
            columns[f"{name}_lower"], columns[f"{name}_upper"] = self.ends[name]
        return pd.DataFrame(columns, index=pd.Index(self.names, name="group"))

    def _view(self) -> View:
        shown = range(min(len(self.names), _SHOWN))
        titles = [name.replace("_", " ") for name in self.measures]
        rows = [
            [
                str(self.names[i]),
                int(self.evaluation.rows[i]),
                *(self._cell(name, i) for name in self.measures),
            ]
            for i in shown
        ]
        groups = Table(["group", "rows", *titles], rows)
        gaps = Table(
            ["difference in", "most", "least", "gap", "from", "to"],
            [
                [t, g.most, g.least, g.gap, g.low, g.high]
                for t, g in zip(titles, self.gaps, strict=True)
            ],
            "<<<>>>",
        )
        left = len(self.names) - len(rows)
        notes = [f"{left:,} more groups: see to_frame()"] if left else []
        notes.append(f"intervals of means, and those of differences, together have the level "
                     f"{self.level:g}")  # fmt: skip
        title = f"caution in {len(self.names):,} groups"
        return View(title, [groups, gaps], notes, [self.verdict()])

    def _cell(self, name: str, i: int) -> str:
        low, high = self.ends[name]
        return f"{self.evaluation.values[name][i]:.3f} ({low[i]:.3f}, {high[i]:.3f})"


def caution_by_group(
    by: ArrayLike,
    y_true: ArrayLike,
    y_pred: Any,
    utility: UtilityLike = "u65",
    *,
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> GroupCaution:
    """Which groups are answered with larger sets: size, determinacy, coverage and utility.

    Parameters
    ----------
    by : array-like of shape (n_rows,)
        The group of each row, such as a hospital or an age group; at least two groups.
    y_true, y_pred, sample_weight, counts, groups, classes
        As in `evaluate_by`.  Clusters (``groups=``) that have rows in several of the groups are
        taken as independent there: with clusters whose rows are alike, intervals of differences
        are then too wide.
    utility : str, float, Utility, callable or path, default="u65"
        What the answers are worth.
    level : float, default=0.95
        The probability with which all intervals of means are right, and all of differences of
        two groups: Bonferroni's adjustment for the number of groups, or of pairs of groups, and of
        measures.

    Returns
    -------
    GroupCaution

    Examples
    --------
    >>> by = ["x"] * 40 + ["y"] * 40
    >>> y_pred = [["a"]] * 40 + [["a", "b"]] * 25 + [["a"]] * 15
    >>> found = caution_by_group(by, ["a"] * 80, y_pred)
    >>> found.verdict()
    'group y gets larger sets than group x, by 0.625 classes on average (0.368 to 0.843)'
    >>> found["coverage"].is_significant
    False
    """
    chosen = get_utility(utility)
    evaluation = evaluate_by(
        by,
        y_true,
        y_pred,
        chosen,
        sample_weight=sample_weight,
        counts=counts,
        groups=groups,
        classes=classes,
    )
    n_groups = len(evaluation)
    if not 2 <= n_groups <= _MOST_GROUPS:
        raise ValueError(
            f"by names {counted(n_groups, 'group')} of rows: pass between 2 and {_MOST_GROUPS} "
            "groups"
        )
    check_level(level)
    measures = ("mean_set_size", "determinacy", "coverage", chosen.name)
    alone = 1 - (1 - level) / (len(measures) * n_groups)
    in_pairs = 1 - (1 - level) / (len(measures) * n_groups * (n_groups - 1) / 2)
    ends = {name: evaluation.intervals(name, alone) for name in measures}
    gaps = tuple(_clearest(name, evaluation, in_pairs) for name in measures)
    return GroupCaution(evaluation, measures, ends, gaps, float(level))


def _clearest(name: str, evaluation: GroupEvaluation, level: float) -> GroupGap:
    """The pair of groups that differs most clearly."""
    mean, (low, high) = evaluation.values[name], evaluation.intervals(name, level)
    gap = mean[:, None] - mean
    least = gap - np.hypot((mean - low)[:, None], high - mean)
    most = gap + np.hypot((high - mean)[:, None], mean - low)
    clear = least > 0
    chosen = np.where(clear, least, -np.inf) if clear.any() else gap
    if np.isnan(chosen).any():
        chosen = np.where(np.isnan(chosen), -np.inf, chosen)
    i, j = (int(k) for k in np.unravel_index(chosen.argmax(), chosen.shape))
    if i == j:  # all values are equal
        i, j = 0, 1
    names = evaluation.names
    return GroupGap(
        name,
        str(names[i]),
        str(names[j]),
        float(gap[i, j]),
        float(least[i, j]),
        float(most[i, j]),
        int(clear.sum()),
    )
