"""Scores of classifiers over data sets as a checked table, and their ranks (1 is best)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wager._tables import column_names, in_memory, real_numbers
from wager._typing import ArrayLike, Floats
from wager.compare._classifier_names import by_name, distinct_names, listed
from wager.compare._outcome import levels, score_unit


def read_table(scores: Any, names: Sequence[str] | None, test: str) -> tuple[Floats, list[str]]:
    """Scores by data set (rows) and classifier (columns), with the classifiers' names.

    Names in another order than those of a frame's columns choose the columns by name.
    """
    scores = in_memory(scores)
    columns = column_names(scores)
    names = columns if names is None else list(names)
    values = real_numbers(scores, "scores")
    if values.ndim != 2:
        raise ValueError(
            f"{test} needs a table with one row per data set and one column per classifier, "
            f"got shape {values.shape}"
        )
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        raise ValueError(
            f"the score in row {row}, column {column} is missing: leave out that data set first"
        )
    if len(values) < 2:
        raise ValueError(
            f"{test} needs at least 2 data sets, got {len(values)}: for one data set compare "
            "the folds with corrected_t"
        )
    named = list(by_name(range(values.shape[1]))) if names is None else list(names)
    if len(named) != values.shape[1]:
        raise ValueError(
            f"{len(named)} name{' was' if len(named) == 1 else 's were'} given for "
            f"{values.shape[1]} columns: give one per column"
        )
    distinct_names(named)
    if columns is not None and named != columns and sorted(map(str, named)) == sorted(columns):
        values = values[:, [columns.index(str(name)) for name in named]]
    return values, named


def best_ranked(names: Sequence[str], mean_ranks: Floats) -> str:
    """Which classifiers have the best mean rank, as a part of a sentence.

    Examples
    --------
    >>> best_ranked(["a", "b", "c"], np.array([1.5, 1.5, 3.0]))
    'a and b rank best'
    """
    best = best_names(names, mean_ranks)
    return f"{listed(best)} {'ranks' if len(best) == 1 else 'rank'} best"


def best_names(names: Sequence[str], mean_ranks: Floats) -> list[str]:
    """The classifiers with the best mean rank."""
    least = mean_ranks.min()  # means of halves of whole numbers are equal to the last bit
    return [name for name, rank in zip(names, mean_ranks, strict=True) if rank == least]


def ranks(scores: ArrayLike, *, higher_is_better: bool = True) -> Floats:
    """Rank of each classifier on each data set: 1 is best, ties share the average rank.

    Scores that differ only by rounding errors are tied.

    Examples
    --------
    >>> ranks([[0.9, 0.8, 0.9]]).tolist()
    [[1.5, 3.0, 1.5]]
    """
    from scipy.stats import rankdata

    values = np.array(real_numbers(scores, "scores"))
    values = values / [[score_unit(row, row)] for row in values] if values.size else values
    return rankdata(levels(-values if higher_is_better else values), axis=1)
