"""Wins, ties and losses over data sets, as in Table 11 of Zaffalon, Corani & Mauá (2012)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import (
    Table,
    View,
    Viewed,
    ViewedFields,
    format_labels,
    is_one_of,
    real_number,
    real_numbers,
    require_kind,
    rows_of,
)
from wager._typing import ArrayLike
from wager._visible import brief, in_one_line
from wager.compare._outcome import Outcome, check_names, differences
from wager.compare._t_tests import paired_t


@dataclass(frozen=True, repr=False)
class Record(ViewedFields):
    """Wins, ties and losses of the first classifier against the second."""

    wins: int
    ties: int
    losses: int

    def __str__(self) -> str:
        return f"{self.wins}/{self.ties}/{self.losses}"


def wins_ties_losses(
    a: ArrayLike, b: ArrayLike, *, p: ArrayLike | None = None, alpha: float = 0.05
) -> Record:
    """Count data sets won, tied and lost, as in Table 11 of Zaffalon, Corani & Mauá (2012).

    Parameters
    ----------
    a, b : array-like
        Mean score of both on each data set; Series with the same names in another order are
        matched by name, as those of p are.
    p : array-like, optional
        p-value of the difference on each data set; if it is not below ``alpha``, the data set is
        a tie.  Without p-values only equal scores are ties.

    Examples
    --------
    >>> str(wins_ties_losses([0.9, 0.8, 0.7], [0.8, 0.8, 0.75], p=[0.01, 1, 0.2]))
    '1/2/0'
    """
    difference = differences(a, b, "a record of wins")
    decided = difference != 0
    if p is not None:
        p = real_numbers(rows_of(a, p), "p")
        if p.shape != difference.shape:
            raise ValueError(
                f"p has shape {p.shape} for {len(difference)} data sets: give one p-value per data "
                "set"
            )
        decided &= p < real_number(alpha, "alpha")
    wins, losses = int((decided & (difference > 0)).sum()), int((decided & (difference < 0)).sum())
    return Record(wins, len(difference) - wins - losses, losses)


@dataclass(frozen=True, repr=False)
class WinsTable(Viewed):
    """Records of one classifier against another, by utility.

    Attributes
    ----------
    records : dict of str to Record
        The record by utility; ``table[name]`` gives one of them.
    names : tuple of str
        The two classifiers.
    """

    records: Mapping[str, Record]
    names: tuple[str, str]

    def __getitem__(self, utility: str) -> Record:
        if not is_one_of(utility, self.records):
            known = format_labels(list(self.records))
            raise KeyError(f"unknown utility {brief(utility)}: choose one of {known}")
        return self.records[utility]

    def _view(self) -> View:
        rows = [(name, r.wins, r.ties, r.losses) for name, r in self.records.items()]
        heads = ["utility", f"{self.names[0]} wins", "ties", f"{self.names[1]} wins"]
        return View(tables=[Table(heads, rows)])


def wins_table(
    scores: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    names: tuple[str, str] = ("A", "B"),
    test: Callable[[Any, Any], Outcome] = paired_t,
    alpha: float = 0.05,
) -> WinsTable:
    """Count wins under several utilities, with a test over the folds of each data set.

    On each data set a t-test over its folds, or another test, decides between win, tie and loss.

    Use it for a table of who beats whom, as in the papers on credal classifiers.

    Parameters
    ----------
    scores : mapping of utility to (scores of the first, scores of the second)
        Both of shape (n_datasets, n_folds).
    names : pair of str
        The two classifiers.
    test : callable, default=paired_t
        Takes the folds of both on one data set and returns an `Outcome`.  The paper uses the paired
        t-test; ``functools.partial(corrected_t, n_train=9, n_test=1)`` accounts for overlapping
        training sets.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), Section 9.2.

    Examples
    --------
    >>> first, second = [[0.9, 0.8, 0.9], [0.5, 0.6, 0.7]], [[0.7, 0.6, 0.7], [0.6, 0.5, 0.8]]
    >>> wins_table({"u65": (first, second)}, names=("NCC", "NDC"))
    utility  NCC wins  ties  NDC wins
    ---------------------------------
    u65             1     1         0
    """
    if not isinstance(scores, Mapping):
        raise TypeError(
            "wins_table needs a mapping of measure to the fold scores of two classifiers, got a "
            f"{type(scores).__name__}: count wins over one score per data set with wins_ties_losses"
        )
    names = check_names(names)
    records = {}
    for utility, both in scores.items():
        if not isinstance(both, list | tuple | np.ndarray) or len(both) != 2:
            got = len(both) if hasattr(both, "__len__") else brief(both)
            raise ValueError(
                f"{in_one_line(str(utility))}: give the scores of two classifiers, got {got}"
            )
        first, second = (real_numbers(one, f"the scores of {utility}") for one in both)
        if first.ndim != 2 or first.shape != second.shape:
            raise ValueError(
                f"{utility}: pass two tables with one row per data set and one column per fold, "
                "got shapes "
                f"{first.shape} and {second.shape}"
            )
        outcomes = [test(x, y) for x, y in zip(first, second, strict=True)]
        for outcome in outcomes:
            require_kind(outcome, "what test returns", Outcome)
        records[utility] = wins_ties_losses(
            first.mean(axis=1), second.mean(axis=1), p=[o.p for o in outcomes], alpha=alpha
        )
    return WinsTable(records, names)
