"""Tallies over the splits of one data set, with standard errors for its rows.

Splits of one data set share its rows.  In 10 repeats of 10 folds every row is tested 10 times, and
its 10 outcomes are nearly the same one.  So a row of the data set is the unit here, and its outcome
is the average over the splits that test it.

Rows share more than that: they are predicted by classifiers whose training sets overlap, so the
outcomes of different rows are correlated.  Which learner is better on such data, as opposed to
which of these fitted classifiers, is therefore less certain than the variance between rows says,
and no unbiased estimate of the variance exists (Bengio & Grandvalet, 2004).  Nadeau & Bengio (2003)
multiply the variance of the scores of J splits by 1/J + n_test/n_train instead of 1/J.  In the same
spirit the variance of a mean is here

    s²/n + t²/m,

where s² is the variance between the n averaged rows, t² that of single outcomes, and m the number
of rows that at least one training set contains: the rows that the learners happened to be trained
on matter as much as m test rows do.  With one split the two formulas agree.

In simulations of two equally good learners (naive Bayes, nearest neighbour, the best single
feature; 60 and 150 rows; 1 to 10 repeats of 2 or 10 folds, 1 to 20 samples of a fifth or two thirds
of the rows) the right variance is 1.0 to 2.5 times s²/n, and 0.2 to 0.9 times this formula.  The
simulation ``cross_validation`` counts the errors of the tests of level 0.05: at most 0.05.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from wager._tables import (
    RowUnits,
    View,
)
from wager._typing import Ints
from wager.rewards import CellSums, PairedTally, Tally

__all__ = ["ResampledPairedTally", "ResampledTally", "Resampling", "SplitRows"]


@dataclass(frozen=True, eq=False)
class SplitRows:
    """The test rows of a split, in the order of their outcomes.

    Parameters
    ----------
    repeat : int
        The repeat of the split.
    n_train, n_test : int
        The numbers of training and of test rows.
    rows : array of shape (n_test,), or None
        The row numbers of the test rows in the data set; None if they are not known.
    """

    repeat: int
    n_train: int
    n_test: int
    rows: Ints | None = None


@dataclass(frozen=True, eq=False)
class Resampling:
    """Which rows the splits of a data set test, and what its standard errors assume.

    Parameters
    ----------
    n_rows : float
        The number of rows of the data set that are tested.
    n_tests : int
        The number of test rows of all splits together.
    n_trained : float
        The number of rows that at least one training set contains.
    rows : array of shape (n_tests,), or None
        The row of each outcome, as a code 0..n_rows-1; None if rows are tested once, or if it is
        not known.
    design : str
        The splits in words.

    Examples
    --------
    >>> rows = np.array([0, 2, 1, 3]), np.array([1, 2, 0, 3])
    >>> splits = [SplitRows(r, 2, 2, part) for r in (0, 1) for part in np.split(rows[r], 2)]
    >>> twice = Resampling.of(splits)
    >>> twice.n_rows, twice.n_tests, twice.n_trained
    (4, 8, 4)
    >>> sums = twice.sums(np.array([1, 1, 0, 1, 1, 1, 1, 0]))
    >>> sums.totals.tolist(), sums.squares.tolist()     # 3 rows: always 1, 1 row: half and half
    ([1.0, 3.0], [[1.5, 0.5], [0.5, 5.5]])
    """

    n_rows: float
    n_tests: int
    n_trained: float
    rows: Ints | None
    design: str

    @classmethod
    def of(cls, splits: Sequence[SplitRows], *, drawn: bool = False) -> Self:
        """Match the test rows of splits.

        Parameters
        ----------
        splits : sequence of SplitRows
            The splits of one data set.
        drawn : bool, default=False
            Whether each repeat draws new rows from a model, for training and for testing.
        """
        n_tests = sum(split.n_test for split in splits)
        if not 0 < n_tests < 2**63:
            raise ValueError(f"the splits test {n_tests} rows: at least one row must be tested")
        if drawn:
            design = f"{n_tests} rows drawn from the model, in {_number(len(splits), 'test set')}"
            return cls(n_tests, n_tests, sum(split.n_train for split in splits), None, design)
        known = [split.rows for split in splits if split.rows is not None]
        if len(known) < len(splits):
            return cls._of_unknown_rows(splits, n_tests)
        labels, rows, times = np.unique(
            np.concatenate(known), return_inverse=True, return_counts=True
        )
        always_tested = int((times == len(splits)).sum())
        return cls(
            len(labels),
            n_tests,
            splits[0].n_train + splits[0].n_test - always_tested,
            None if len(labels) == n_tests else rows,
            _design(splits, len(labels)),
        )

    @classmethod
    def _of_unknown_rows(cls, splits: Sequence[SplitRows], n_tests: int) -> Self:
        """The smallest numbers of rows that the splits can have, so that intervals are wide."""
        n_repeats = len({split.repeat for split in splits})
        in_folds = n_repeats < len(splits)  # then every row is in the training set of some fold
        n_trained = splits[0].n_train + in_folds * splits[0].n_test
        n_rows = n_tests / n_repeats  # a repeat tests a row at most once
        words = _design(splits, n_rows)
        if n_repeats > 1:
            words += " (which rows is not stored, so all repeats are taken to agree on each row)"
        return cls(n_rows, n_tests, n_trained, None, words)

    @property
    def assumption(self) -> str:
        """What standard errors and intervals assume, in words."""
        return (
            f"{self.design}; standard errors are enlarged for random and overlapping training sets "
            "(in the spirit of Nadeau & Bengio, 2003)"
        )

    def sums(self, cell: Ints) -> CellSums:
        """Count outcomes by cell, each row with a total of 1 on average.

        Parameters
        ----------
        cell : array of shape (n_tests,)
            The cell of each outcome, split by split.
        """
        if self.rows is None:
            counted = CellSums.of(cell, RowUnits())
        else:
            labels = np.arange(int(self.n_rows))
            counted = CellSums.of(cell, RowUnits(clusters=self.rows, labels=labels))
        share = self.n_rows / self.n_tests
        totals = counted.totals if share == 1 else counted.totals * self.n_rows / self.n_tests
        training = totals * (self.n_rows / self.n_trained)
        if counted.squares is None:  # all repeats agree on a row, or there is only one
            return CellSums(counted.numbers, totals, totals + training)
        return CellSums(counted.numbers, totals, counted.squares * share**2 + np.diag(training))


def _design(splits: Sequence[SplitRows], n_rows: float) -> str:
    """The splits in words: how many rows they test, and how often."""
    n_repeats = len({split.repeat for split in splits})
    n_folds, unequal = divmod(len(splits), n_repeats)
    if unequal or n_folds == 1:
        times = _number(len(splits), "split")
    elif n_repeats == 1:
        times = _number(n_folds, "fold")
    else:
        times = f"{_number(n_repeats, 'repeat')} of {_number(n_folds, 'fold')}"
    how = "tested once in" if n_repeats == 1 else "averaged over"
    return f"{n_rows:.6g} rows of the data set, {how} {times}"


def _number(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


class _OverSplits:
    """What tallies over all splits have in common: their number of rows, and what they assume."""

    assumption: str = ""  # not in JSON

    @property
    def n(self) -> float:
        """The number of rows of the data set that are tested."""
        total: float = super().n  # type: ignore[misc]
        return round(total, 6)  # averages over repeats add up to it up to rounding

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally | PairedTally):
            return NotImplemented
        mine: Any = self
        # the second moments depend on the splits
        return mine.n_classes == other.n_classes and mine.sums.same_totals(other.sums)

    __hash__ = None  # type: ignore[assignment]

    def _view(self) -> View:
        view: View = super()._view()  # type: ignore[misc]
        return replace(view, notes=[*view.notes, *filter(None, [self.assumption])])


@dataclass(frozen=True, eq=False, repr=False, init=False)
class ResampledTally(_OverSplits, Tally):
    """The tally of a learner on the rows of a data set, over all splits.

    Attributes
    ----------
    assumption : str
        What its standard errors and intervals assume, in words.

    Examples
    --------
    >>> once = Resampling.of([SplitRows(0, 2, 2, np.array([0, 1]))])
    >>> ResampledTally.over(once, 3, np.array([3, 2]))
    2 predictions over 3 classes
    size  misses  hits
    ------------------
    1          1     1
    <BLANKLINE>
    2 rows of the data set, tested once in 1 split; standard errors are enlarged for random and
    overlapping training sets (in the spirit of Nadeau & Bengio, 2003)
    """

    assumption: str = ""

    @classmethod
    def over(cls, resampling: Resampling, n_classes: int, cell: Ints) -> Self:
        """Count outcomes, given as twice the size of the set, plus one for a hit."""
        tally = cls.of_sums(n_classes, resampling.sums(cell))
        assert isinstance(tally, cls)
        object.__setattr__(tally, "assumption", resampling.assumption)
        return tally


@dataclass(frozen=True, eq=False, repr=False, init=False)
class ResampledPairedTally(_OverSplits, PairedTally):
    """The paired tally of two learners on the rows of a data set, over all splits.

    Attributes
    ----------
    assumption : str
        What its standard errors, intervals and tests assume, in words.
    """

    assumption: str = ""

    @classmethod
    def over(cls, resampling: Resampling, n_classes: int, cell: Ints) -> Self:
        """Count joint outcomes, numbered by `joint_number`."""
        paired = cls.of_sums(n_classes, resampling.sums(cell))
        object.__setattr__(paired, "assumption", resampling.assumption)
        return paired
