"""Scores by data set and learner with standard deviations, and who beats the baseline where.

The deviation is that of the scores of the splits of a data set: it shows how much a score varies
from split to split.  It is not a standard error, because the splits share their rows.  Whether a
learner differs from the baseline on a data set is therefore tested by the corrected resampled
t-test of Nadeau & Bengio (2003).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import (
    Table,
    View,
    Viewed,
    format_number,
    supported_digits,
)
from wager._typing import Floats, Ints
from wager._visible import brief
from wager.experiments.store._scores import ScoreTable

__all__ = ["PivotTable", "SplitScore", "pivot_table"]

MARKS = {1: "v", 0: "", -1: "*"}  # significantly better, no significant difference, worse


@dataclass(frozen=True)
class SplitScore:
    """The score of a learner on one split, and the sizes of its two parts.

    `n_train` is infinite where every split has new rows, so that training sets do not overlap.
    """

    value: float
    n_train: float
    n_test: float


@dataclass(frozen=True, eq=False, repr=False)
class PivotTable(Viewed):
    """Means, standard deviations and comparisons with a baseline.

    Attributes
    ----------
    scores : ScoreTable
        The scores by data set (rows) and learner (columns).
    deviations : array of the shape of the scores
        The standard deviation of the scores of the splits; NaN if there is only one, or one is
        infinite.
    p : array of the same shape
        The p-value of the corrected t-test against the baseline; NaN where there is no test, as
        with infinite scores.
    outcomes : array of the same shape
        1 where the learner is significantly better than the baseline, -1 where it is worse, 0
        elsewhere.
    n_splits : tuple of (int, int)
        The smallest and the largest number of splits of a data set.
    baseline : str
        The learner that the others are compared with.
    alpha : float
        The level of each test; it is not adjusted for the number of data sets.
    """

    scores: ScoreTable
    deviations: Floats
    p: Floats
    outcomes: Ints
    n_splits: tuple[int, int]
    baseline: str
    alpha: float

    def wins_ties_losses(self, learner: str) -> tuple[int, int, int]:
        """On how many data sets a learner is better than, not distinguished from, and worse."""
        column = self.scores.columns.index(learner)
        tested = self.outcomes[:, column][~np.isnan(self.p[:, column])]
        return int((tested > 0).sum()), int((tested == 0).sum()), int((tested < 0).sum())

    def to_frame(self) -> Any:
        """A pandas frame with one row per data set and learner."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "dataset": row,
                    "learner": learner,
                    "mean": self.scores.values[i, j],
                    "standard_deviation": self.deviations[i, j],
                    "p": self.p[i, j],
                    "outcome": int(self.outcomes[i, j]),
                }
                for i, row in enumerate(self.scores.rows)
                for j, learner in enumerate(self.scores.columns)
            ]
        )

    def cells(self, digits: int | None = None) -> list[list[str]]:
        """Mean ± standard deviation of every data set and learner, as text."""
        shown = self.digits if digits is None else digits
        return [
            [
                format_number(mean, shown)
                if np.isnan(deviation)
                else f"{mean:.{shown}f} ± {deviation:.{shown}f}"
                for mean, deviation in zip(means, deviations, strict=True)
            ]
            for means, deviations in zip(self.scores.values, self.deviations, strict=True)
        ]

    @property
    def digits(self) -> int:
        """The decimals that show a typical deviation with two digits, at most 4."""
        known = self.deviations[self.deviations > 1e-12]
        return min(4, supported_digits(2 * float(np.median(known)))) if len(known) else 4

    def legend(self, better: str = "v", worse: str = "*") -> str:
        """What the numbers are, and the marks of learners that are better and worse."""
        few, many = self.n_splits
        splits = f"{few} to {many} splits" if few < many else f"{many} split{'s' * (many != 1)}"
        return (
            f"mean ± standard deviation over {splits}; {better} significantly better, {worse} "
            f"significantly worse than {self.baseline} (corrected t-test of Nadeau & Bengio at "
            f"level {self.alpha:g} on each data set)"
        )

    def _view(self) -> View:
        rows = [
            [name, *(f"{cell} {MARKS[int(mark)]}" for cell, mark in zip(cells, marks, strict=True))]
            for name, cells, marks in zip(
                self.scores.rows, self.cells(), self.outcomes, strict=True
            )
        ]
        headers = [self.scores.measure, *self.scores.columns]
        return View(tables=[Table(headers, rows)], notes=[self.legend()])


def pivot_table(
    scores: ScoreTable,
    splits: Mapping[tuple[str, str], Mapping[tuple[int, int], SplitScore]],
    baseline: str | None = None,
    alpha: float = 0.05,
) -> PivotTable:
    """The table of scores with the spread of its splits, compared with a baseline.

    Parameters
    ----------
    scores : ScoreTable
        The scores to show.
    splits : mapping of (row, column) to scores by (repeat, fold)
        The score of every split.
    baseline : str, optional
        The learner that the others are compared with; by default the first one.
    alpha : float, default=0.05
        The level of each test.

    Examples
    --------
    >>> table = ScoreTable("u65", ("iris",), ("nbc", "ncc"), np.array([[0.8, 0.9]]))
    >>> nbc = {(0, fold): SplitScore(0.8 + fold / 100, 90, 10) for fold in (-1, 0, 1)}
    >>> ncc = {(0, fold): SplitScore(0.9 - fold / 100, 90, 10) for fold in (-1, 0, 1)}
    >>> pivot_table(table, {("iris", "nbc"): nbc, ("iris", "ncc"): ncc}).outcomes.tolist()
    [[0, 1]]
    """
    if not scores.columns:
        raise ValueError("there are no results to compare: run the plan first")
    base = scores.columns[0] if baseline is None else baseline
    if base not in scores.columns:
        known = ", ".join(map(repr, scores.columns))
        raise ValueError(
            f"the run has no learner {brief(base)} to compare with: choose from {known}"
        )
    shape = scores.values.shape
    deviations, p = np.full(shape, np.nan), np.full(shape, np.nan)
    outcomes = np.zeros(shape, dtype=np.int64)
    counts = []
    for i, row in enumerate(scores.rows):
        for j, learner in enumerate(scores.columns):
            own = splits.get((row, learner), {})
            values = [s.value for s in own.values() if not np.isnan(s.value)]
            if len(values) > 1 and np.isfinite(values).all():
                deviations[i, j] = np.std(values, ddof=1)
            if values:
                counts.append(len(values))
            if learner != base:
                p[i, j], better = _test(own, splits.get((row, base), {}), alpha)
                outcomes[i, j] = better if scores.greater_is_better else -better
    few, many = (min(counts), max(counts)) if counts else (0, 0)
    return PivotTable(scores, deviations, p, outcomes, (few, many), base, alpha)


def _test(
    own: Mapping[tuple[int, int], SplitScore],
    base: Mapping[tuple[int, int], SplitScore],
    alpha: float,
) -> tuple[float, int]:
    """The p-value on the splits that both have, and the sign of a significant difference."""
    from wager.compare import corrected_t, paired_t

    pairs = [(own[split], base[split]) for split in own if split in base]
    kept = [(a, b) for a, b in pairs if not np.isnan([a.value, b.value]).any()]
    if len(kept) < 2 or np.isinf([(a.value, b.value) for a, b in kept]).any():
        return float("nan"), 0
    differences = [a.value - b.value for a, b in kept]
    found = (
        corrected_t(
            differences,
            n_train=_mean([a.n_train for a, _ in kept]),
            n_test=_mean([a.n_test for a, _ in kept]),
            alpha=alpha,
        )
        if np.isfinite(kept[0][0].n_train)
        else paired_t(differences, alpha=alpha)
    )
    return found.p, int(np.sign(found.effect)) if found.p < alpha else 0


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))
