"""A table of one measure, by data set and learner, with ranks and wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import (
    Table,
    View,
    Viewed,
)
from wager._typing import Array, Floats, Ints

__all__ = ["ScoreTable"]


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable(Viewed):
    """Scores by data set (rows) and learner (columns); NaN where a score is missing.

    The tests of ``wager.compare`` take it directly: ``friedman(table.complete())``.

    Attributes
    ----------
    measure : str
        The measure.
    rows, columns : tuple of str
        The data sets and the learners.
    values : array of shape (n_rows, n_columns)
        The scores.
    greater_is_better : bool
        Whether larger scores are better.

    Examples
    --------
    >>> table = ScoreTable("u65", ("iris", "wine"), ("nbc", "ncc"), np.array([[0.9, 0.95], [1, 1]]))
    >>> table
    u65   nbc     ncc
    --------------------
    iris  0.9000  0.9500
    wine  1.0000  1.0000
    >>> table.mean_ranks.tolist(), table.wins.tolist()
    ([1.75, 1.25], [1, 2])
    """

    measure: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Floats
    greater_is_better: bool = True

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype, copy=copy)

    def _view(self) -> View:
        body = [[name, *values] for name, values in zip(self.rows, self.values, strict=True)]
        return View(tables=[Table([self.measure, *self.columns], body)])

    def column(self, learner: str) -> Floats:
        """The scores of one learner, one per data set."""
        return self.values[:, self.columns.index(learner)]

    def of(self, learners: Sequence[str]) -> ScoreTable:
        """The table of some of the learners, in this order."""
        places = [self.columns.index(name) for name in learners]
        values = self.values[:, places]
        return ScoreTable(self.measure, self.rows, tuple(learners), values, self.greater_is_better)

    def complete(self) -> ScoreTable:
        """The table of the data sets on which every learner has a score."""
        kept = np.flatnonzero(np.isfinite(self.values).all(axis=1))
        rows, values = tuple(self.rows[row] for row in kept), self.values[kept]
        return ScoreTable(self.measure, rows, self.columns, values, self.greater_is_better)

    @property
    def medians(self) -> Floats:
        """Median score of each learner over the data sets on which all have a score."""
        return self._over_complete(lambda values: np.median(values, axis=0))

    @property
    def means(self) -> Floats:
        """Mean score of each learner over the data sets on which all have a score."""
        return self._over_complete(lambda values: values.mean(axis=0))

    @property
    def mean_ranks(self) -> Floats:
        """Mean rank of each learner (1 is best) over the data sets on which all have a score."""
        return self._over_complete(lambda values: self._ranks(values).mean(axis=0))

    @property
    def wins(self) -> Ints:
        """For each learner, the number of those data sets on which no other learner is better."""
        values = self.complete().values
        if not len(values):
            return np.zeros(len(self.columns), dtype=np.intp)
        ranks = self._ranks(values)  # ties share a rank, also if they differ by rounding
        return (ranks == ranks.min(axis=1, keepdims=True)).sum(axis=0)

    def to_frame(self) -> Any:
        """The table as a pandas DataFrame with the data sets as index."""
        import pandas as pd

        return pd.DataFrame(self.values, index=list(self.rows), columns=list(self.columns))

    def _over_complete(self, reduce: Any) -> Floats:
        values = self.complete().values
        return reduce(values) if len(values) else np.full(len(self.columns), np.nan)

    def _ranks(self, values: Floats) -> Floats:
        from wager.compare import ranks

        return ranks(values, higher_is_better=self.greater_is_better)
