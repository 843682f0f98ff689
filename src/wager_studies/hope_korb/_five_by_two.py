"""Five runs of two folds, and the significant differences of Hope & Korb (2004) in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from wager._typing import Floats
from wager.compare import five_by_two_cv

if TYPE_CHECKING:
    from wager.experiments import Store

__all__ = ["Pair", "Runs", "Wins", "in_layout"]

Pair = tuple[str, str]  # winner, loser
Wins = dict[str, set[Pair]]  # the significant pairs by data set
ALPHA = 0.05
SAME = 1e-12  # smaller standard errors are rounding errors


@dataclass(frozen=True, eq=False)
class Runs:
    """A measure on both folds of five runs, of every learner on the finished data sets.

    Attributes
    ----------
    names, learners : tuple of str
    values : ndarray of shape (n_datasets, 5, 2, n_learners)
    """

    names: tuple[str, ...]
    learners: tuple[str, ...]
    values: Floats

    @classmethod
    def of(
        cls, store: Store, measures: tuple[str, ...], learners: tuple[str, ...] | None = None
    ) -> dict[str, Self]:
        """Each measure of some learners (all by default), from a store that may be incomplete."""
        columns = store.columns(measures)
        names = store.datasets
        learners = store.learners if learners is None else learners
        chosen = [i for i, name in enumerate(columns["learner"]) if name in learners]
        place = (
            [names.index(columns["dataset"][i]) for i in chosen],
            [columns["repeat"][i] for i in chosen],
            [columns["fold"][i] for i in chosen],
            [learners.index(columns["learner"][i]) for i in chosen],
        )
        found = {}
        for measure in measures:
            values = np.full((len(names), 5, 2, len(learners)), np.nan)
            values[place] = [columns[measure][i] for i in chosen]
            whole = np.isfinite(values).all(axis=(1, 2, 3))
            kept = tuple(name for name, ok in zip(names, whole, strict=True) if ok)
            found[measure] = cls(kept, learners, values[whole])
        return found

    @cached_property
    def means(self) -> Floats:
        """The mean over the ten folds, by data set and learner."""
        return self.values.mean(axis=(1, 2))

    @cached_property
    def errors(self) -> Floats:
        """The standard errors of the means over the five runs, by data set and learner.

        They show how much the scores depend on the splits of the same data.  NaN where all runs
        are equal, as they are for a learner that always predicts the largest class.
        """
        return _over_runs(self.values)

    def errors_of_leads(self, learner: str) -> Floats:
        """The standard errors of the differences from one learner, by data set and learner."""
        own = self.values[..., self.learners.index(learner)]
        return _over_runs(self.values - own[..., None])

    def scores(self, learner: str) -> Floats:
        """The means of one learner by data set."""
        return self.means[:, self.learners.index(learner)]

    def p(self, name: str, a: str, b: str, statistic: str = "t") -> float:
        """The p value of two learners on a data set, by the 5x2cv t-test (or F-test)."""
        table = self.values[self.names.index(name)]
        first, second = (table[..., self.learners.index(learner)] for learner in (a, b))
        return float(five_by_two_cv(first, second, statistic=statistic).p)

    def beats(self, statistic: str = "t") -> Wins:
        """The significant pairs by data set, by the 5x2cv t-test (or F-test)."""
        return {
            name: {pair for pair in self._pairs(table, statistic) if pair is not None}
            for name, table in zip(self.names, self.values, strict=True)
        }

    def ahead(self, a: str, b: str) -> int:
        """On how many data sets the first has the larger mean."""
        return sum(self.is_ahead(name, (a, b)) for name in self.names)

    def is_ahead(self, name: str, pair: Pair) -> bool:
        """Whether the first of a pair has the larger mean on a data set."""
        first, second = (self.means[self.names.index(name), self.learners.index(x)] for x in pair)
        return bool(first > second)

    def repeatable(self) -> float:
        """The share of significant pairs that remain significant with another fold first.

        The t-test uses the difference in the first fold, and any of the ten could be the first.
        """
        kept = total = 0
        for table in self.values:
            first = self._pairs(table)
            for turned in _turns(table):
                for pair, again in zip(first, self._pairs(turned), strict=True):
                    total += pair is not None
                    kept += pair is not None and pair == again
        return kept / total if total else float("nan")

    def _pairs(self, table: Floats, statistic: str = "t") -> list[Pair | None]:
        """For each pair of learners, winner and loser, or None if not significant."""
        found: list[Pair | None] = []
        for a, b in combinations(range(len(self.learners)), 2):
            test = five_by_two_cv(table[..., a], table[..., b], statistic=statistic)
            pair = (self.learners[a], self.learners[b])
            verdict = pair if test.effect > 0 else pair[::-1]
            found.append(verdict if test.p < ALPHA else None)
        return found


def _over_runs(values: Floats) -> Floats:
    """The standard errors over the runs of means over the two folds; NaN instead of 0."""
    errors = values.mean(axis=2).std(axis=1, ddof=1) / np.sqrt(5)
    return np.where(errors > SAME, errors, np.nan)


def _turns(table: Floats) -> Iterator[Floats]:
    """The runs with each of the other nine folds as the first."""
    for run in range(5):
        for fold in range(2):
            if run or fold:
                yield np.roll(table, -run, axis=0)[:, :: 1 - 2 * fold]


def in_layout(beats: Wins, printed: Wins, learners: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """Rows as in the paper's Tables 1 and 2: under each winner the losers.

    A star marks the pairs that the paper prints as well.
    """
    return [
        (
            name,
            *(
                ", ".join(
                    loser + "*" * ((winner, loser) in printed.get(name, set()))
                    for loser in learners
                    if (winner, loser) in pairs
                )
                for winner in learners
            ),
        )
        for name, pairs in sorted(beats.items())
    ]
