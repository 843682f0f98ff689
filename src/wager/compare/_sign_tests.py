"""Tests that count wins: the sign test over data sets, and McNemar's test over rows."""

from __future__ import annotations

import numpy as np

from wager._tables import column_array, format_label, rows_of
from wager._typing import ArrayLike, Bools
from wager.compare._outcome import (
    NO_INTERVAL,
    Names,
    Outcome,
    check_alpha,
    differences,
    require_pairs,
    two_sided,
)
from wager.rewards import CellSums, mean_interval


def sign_test(
    a: ArrayLike, b: ArrayLike | None = None, *, alpha: float = 0.05, names: Names = ("A", "B")
) -> Outcome:
    """The sign test: which one wins more often, regardless of the margins; ties are left out.

    The number of wins among the pairs that differ, against a binomial distribution with probability
    one half.

    Use it for two learners over several data sets if the sizes of differences are not comparable.

    References
    ----------
    Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of
    Machine Learning Research 7.

    Examples
    --------
    >>> sign_test([3, 2, 4, 5, 6, 7], [1, 1, 1, 1, 1, 1]).p
    0.03125
    """
    from scipy.stats import binomtest

    check_alpha(alpha)
    d = differences(a, b, "the sign test")
    require_pairs(len(d), 1, "the sign test")
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    decided = wins + losses
    p = float(binomtest(wins, decided).pvalue) if decided else 1.0
    effect = (wins - losses) / len(d)
    return Outcome(
        "sign test",
        float(wins),
        p,
        effect,
        NO_INTERVAL,
        two_sided(p, effect, names, alpha, "wins more often, and so scores"),
        {"wins": wins, "losses": losses, "ties": len(d) - decided},
    )


def mcnemar(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    alpha: float = 0.05,
    names: Names = ("A", "B"),
) -> Outcome:
    """McNemar's test on the rows of one test set, exact.

    Among the rows on which exactly one of two classifiers is right, each of them would be right on
    half by chance.

    Use it for two classifiers that predict single classes, on one test set.

    Parameters
    ----------
    correct_a, correct_b : array-like of bool
        Whether each classifier is right on each row; 1 and 0 are True and False.  Two Series with
        the same names in another order are paired by name.

    Notes
    -----
    The interval of the difference in accuracy is that of `PairedTally.difference`: it joins
    Tango's (1998) score interval and the likelihood interval.  The exact test is cautious: with few
    different rows it may find no significant difference where the interval excludes 0.

    References
    ----------
    McNemar, Q. (1947). Note on the sampling error of the difference between correlated proportions
    or percentages. Psychometrika 12.

    Tango, T. (1998). Equivalence test and confidence interval for the difference in proportions for
    the paired-sample design. Statistics in Medicine 17.

    Examples
    --------
    >>> a = [True] * 9 + [False] * 3
    >>> b = [False] * 8 + [True] * 4
    >>> outcome = mcnemar(a, b)
    >>> outcome.details["only_a"], outcome.details["only_b"], round(outcome.p, 4)
    (8, 3, 0.2266)
    """
    from scipy.stats import binomtest, chi2

    check_alpha(alpha)
    a, b = _right(correct_a, "correct_a"), _right(rows_of(correct_a, correct_b), "correct_b")
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(
            f"McNemar's test compares rows but the two have shapes {a.shape} and {b.shape}: "
            "give True or False for the same rows, in the same order"
        )
    require_pairs(len(a), 1, "McNemar's test")
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    decided = only_a + only_b
    p = float(binomtest(only_a, decided).pvalue) if decided else 1.0
    corrected = max(abs(only_a - only_b) - 1, 0) ** 2 / decided if decided else 0.0
    effect = (only_a - only_b) / len(a)
    cells = np.array([only_a, only_b, len(a) - decided])
    gap, seen = np.array([[1.0, -1.0, 0.0]]), cells > 0
    sums = CellSums(np.flatnonzero(seen), cells[seen])
    low, high = mean_interval(gap[:, seen], sums, np.array([-1.0]), np.array([1.0]), 1 - alpha)
    return Outcome(
        "McNemar's test",
        float(min(only_a, only_b)),
        p,
        effect,
        (low.item(), high.item()),
        two_sided(p, effect, names, alpha, "is right more often, and so scores"),
        {
            "only_a": only_a,
            "only_b": only_b,
            "chi2_corrected": corrected,
            "p_chi2": float(chi2.sf(corrected, 1)) if decided else 1.0,
        },
    )


def _right(values: ArrayLike, name: str) -> Bools:
    """Whether each row is right, from True and False or 1 and 0."""
    given = column_array(values)
    if given.dtype == bool:
        return given
    is_right, is_wrong = given == 1, given == 0
    if np.shape(is_right) != given.shape or np.shape(is_wrong) != given.shape:
        raise ValueError(f"{name} must be True or False for each row, got {given.dtype} values")
    other = np.flatnonzero(~(is_right | is_wrong))
    if len(other):
        raise ValueError(
            f"{name}[{other[0]}] is {format_label(given.ravel()[other[0]])}: give True or False "
            "for each row, and leave out rows without a prediction"
        )
    return is_right.astype(bool)
