"""Tests of several classifiers over data sets, by ranks (Demšar, 2006).

Rank 1 is best.  Friedman asks whether the classifiers differ at all; Nemenyi compares all pairs,
Bonferroni-Dunn and Holm compare each with a control.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import format_table as format_table
from wager._typing import ArrayLike, Bools, Floats
from wager.compare._names import by_name
from wager.compare._outcome import NO_INTERVAL, Outcome, check_alpha


def read_table(scores: Any, names: Sequence[str] | None, test: str) -> tuple[Floats, list[str]]:
    """Scores by data set (rows) and classifier (columns), with the classifiers' names."""
    if names is None and hasattr(scores, "columns"):
        names = [str(name) for name in scores.columns]
    values = np.asarray(scores, dtype=float)
    if values.ndim != 2:
        raise ValueError(
            f"{test} takes a table with a row a data set and a column a classifier, "
            f"got shape {values.shape}"
        )
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        raise ValueError(
            f"row {row}, column {column} holds no score: leave that data set out first"
        )
    if len(values) < 2:
        raise ValueError(
            f"{test} needs at least 2 data sets, got {len(values)}: on one data set compare the "
            "folds, with corrected_t"
        )
    named = list(by_name(range(values.shape[1]))) if names is None else list(names)
    if len(named) != values.shape[1]:
        raise ValueError(f"{len(named)} names were given for {values.shape[1]} columns")
    return values, named


def ranks(scores: ArrayLike, *, higher_is_better: bool = True) -> Floats:
    """Rank of each classifier on each data set: 1 is best, ties share the average rank.

    Examples
    --------
    >>> ranks([[0.9, 0.8, 0.9]]).tolist()
    [[1.5, 3.0, 1.5]]
    """
    from scipy.stats import rankdata

    values = np.asarray(scores, dtype=float)
    return rankdata(-values if higher_is_better else values, axis=1)


def friedman(
    scores: Any,
    *,
    names: Sequence[str] | None = None,
    higher_is_better: bool = True,
    alpha: float = 0.05,
) -> Outcome:
    """Friedman's test that all classifiers are equally good, with Iman & Davenport's F beside it.

    Parameters
    ----------
    scores : array-like or DataFrame of shape (n_datasets, n_classifiers)
        At least two data sets and three classifiers.
    names : sequence of str, optional
        The classifiers; a frame's columns by default.

    Returns
    -------
    Outcome
        The chi-square corrected for ties; ``details`` has mean ranks, the uncorrected chi-square,
        and Iman & Davenport's F (from the uncorrected one).

    Examples
    --------
    >>> outcome = friedman([[3, 2, 1], [3, 1, 2], [3, 2, 1], [3, 2, 1]], names=["a", "b", "c"])
    >>> outcome.details["mean_ranks"], round(outcome.statistic, 3)
    ([1.0, 2.25, 2.75], 6.5)
    """
    from scipy.stats import chi2, f

    check_alpha(alpha)
    values, named = read_table(scores, names, "Friedman's test")
    N, k = values.shape
    if k < 3:
        raise ValueError(
            f"Friedman's test needs at least 3 classifiers, got {k} ({', '.join(named)}): "
            "compare two with the signed-rank test"
        )
    ranked = ranks(values, higher_is_better=higher_is_better)
    mean = ranked.mean(axis=0)
    plain = 12 * N / (k * (k + 1)) * float(((mean - (k + 1) / 2) ** 2).sum())
    ties = sum(
        float((c**3 - c).sum()) for c in (np.unique(r, return_counts=True)[1] for r in ranked)
    )
    correction = 1 - ties / (N * k * (k**2 - 1))
    corrected = plain / correction if correction > 0 else 0.0  # all tied: nothing to tell apart
    p = float(chi2.sf(corrected, k - 1))
    room = N * (k - 1) - plain
    F = (N - 1) * plain / room if room > 1e-12 else float("inf")
    best = named[int(mean.argmin())]
    verdict = (
        f"the {k} classifiers differ over the {N} data sets (p = {p:.4g}); {best} ranks best"
        if p < alpha
        else f"no significant difference among the {k} classifiers over {N} data sets (p = {p:.4g})"
    )
    return Outcome(
        "Friedman test",
        corrected,
        p,
        float(mean.max() - mean.min()),
        NO_INTERVAL,
        verdict,
        {
            "names": named,
            "mean_ranks": mean.tolist(),
            "n_datasets": N,
            "df": k - 1,
            "chi2_uncorrected": plain,
            "p_uncorrected": float(chi2.sf(plain, k - 1)),
            "iman_davenport_F": F,
            "iman_davenport_p": float(f.sf(F, k - 1, (k - 1) * (N - 1))),
        },
    )


def nemenyi_distance(n_classifiers: int, n_datasets: int, alpha: float = 0.05) -> float:
    """Nemenyi's critical difference of mean ranks.

    q is the studentized range at infinite degrees of freedom over sqrt(2).

    Examples
    --------
    >>> round(nemenyi_distance(4, 55), 3)  # Zaffalon, Corani & Mauá (2012), Figure 6
    0.632
    """
    k = n_classifiers
    return nemenyi_q(k, alpha) * float(np.sqrt(k * (k + 1) / (6 * n_datasets)))


def nemenyi_q(n_classifiers: int, alpha: float = 0.05) -> float:
    """The critical value q of Nemenyi's test."""
    from scipy.stats import studentized_range

    check_alpha(alpha)
    return float(studentized_range.ppf(1 - alpha, n_classifiers, np.inf) / np.sqrt(2))


@dataclass(frozen=True)
class RankComparison:
    """Mean ranks and which pairs of classifiers a post-hoc test tells apart.

    Attributes
    ----------
    test : str
        The post-hoc test.
    names, mean_ranks : tuple of str, array
        The classifiers and their mean ranks (1 is best).
    p : array of shape (k, k)
        Adjusted p-value of each pair that the test compares, NaN elsewhere.
    significant : bool array of shape (k, k)
        Whether the pair is told apart at level ``alpha``.
    critical_difference : float
        Mean ranks further apart than this differ; NaN for Holm, whose step-down has no one value.
    """

    test: str
    names: tuple[str, ...]
    mean_ranks: Floats
    p: Floats
    significant: Bools
    critical_difference: float
    alpha: float
    n_datasets: int

    def pairs(self) -> list[tuple[str, str]]:
        """(better, worse) of every pair that is told apart."""
        i, j = np.nonzero(self.significant)
        better = self.mean_ranks[i] < self.mean_ranks[j]
        return [(self.names[a], self.names[b]) for a, b in zip(i[better], j[better], strict=True)]

    @property
    def verdict(self) -> str:
        """The result in words."""
        pairs = self.pairs()
        if not pairs:
            return f"{self.test} finds no significant difference at level {self.alpha:g}"
        said = ", ".join(f"{better} beats {worse}" for better, worse in pairs)
        return f"{self.test} at level {self.alpha:g}: {said}"

    def __repr__(self) -> str:
        order = np.argsort(self.mean_ranks)
        rows = [(self.names[i], self.mean_ranks[i]) for i in order]
        return f"{format_table(rows, ['classifier', 'mean rank'], digits=3)}\n{self.verdict}"


def nemenyi(
    scores: Any,
    *,
    names: Sequence[str] | None = None,
    higher_is_better: bool = True,
    alpha: float = 0.05,
) -> RankComparison:
    """Nemenyi's test of all pairs of classifiers after Friedman's.

    Examples
    --------
    >>> scores = [[.9, .8, .5], [.8, .7, .6], [.9, .7, .5], [.7, .6, .5], [.9, .8, .4]]
    >>> nemenyi(scores, names=["a", "b", "c"]).pairs()
    [('a', 'c')]
    """
    from scipy.stats import studentized_range

    values, named = read_table(scores, names, "Nemenyi's test")
    N, k = values.shape
    if k < 3:
        raise ValueError(
            f"Nemenyi's test needs at least 3 classifiers, got {k} ({', '.join(named)}): "
            "compare two with the signed-rank test"
        )
    mean = ranks(values, higher_is_better=higher_is_better).mean(axis=0)
    z = _z(mean, N)
    p = np.asarray(studentized_range.sf(np.abs(z) * np.sqrt(2), k, np.inf))
    np.fill_diagonal(p, np.nan)
    distance = nemenyi_distance(k, N, alpha)
    apart = np.abs(mean[:, None] - mean) > distance
    return RankComparison("Nemenyi's test", tuple(named), mean, p, apart, distance, alpha, N)


def _z(mean: Floats, n_datasets: int) -> Floats:
    k = len(mean)
    return (mean[:, None] - mean) / np.sqrt(k * (k + 1) / (6 * n_datasets))


def bonferroni_dunn(
    scores: Any,
    control: str | int = 0,
    *,
    names: Sequence[str] | None = None,
    higher_is_better: bool = True,
    alpha: float = 0.05,
) -> RankComparison:
    """The Bonferroni-Dunn test of every classifier against a control.

    Examples
    --------
    >>> scores = [[.9, .8, .5], [.8, .7, .6], [.9, .7, .5], [.7, .6, .5], [.9, .8, .4]]
    >>> bonferroni_dunn(scores, "a", names=["a", "b", "c"]).pairs()
    [('a', 'c')]
    """
    from scipy.stats import norm

    raw, mean, named, place, N = _against(scores, control, names, higher_is_better, alpha)
    k = len(named)
    adjusted = np.minimum(raw * (k - 1), 1)
    q = float(norm.ppf(1 - alpha / (2 * (k - 1))))
    distance = q * float(np.sqrt(k * (k + 1) / (6 * N)))
    return _with_control("Bonferroni-Dunn's test", named, mean, place, adjusted, distance, alpha, N)


def holm(
    scores: Any,
    control: str | int = 0,
    *,
    names: Sequence[str] | None = None,
    higher_is_better: bool = True,
    alpha: float = 0.05,
) -> RankComparison:
    """Holm's step-down test of every classifier against a control.

    Examples
    --------
    >>> scores = [[.9, .8, .5], [.8, .7, .6], [.9, .7, .5], [.7, .6, .5], [.9, .8, .4]]
    >>> holm(scores, "a", names=["a", "b", "c"]).pairs()
    [('a', 'c')]
    """
    raw, mean, named, place, N = _against(scores, control, names, higher_is_better, alpha)
    return _with_control(
        "Holm's test", named, mean, place, holm_adjust(raw), float("nan"), alpha, N
    )


def holm_adjust(p: ArrayLike) -> Floats:
    """Holm's (1979) adjusted p-values; NaN entries are left out and stay NaN.

    Examples
    --------
    >>> holm_adjust([0.01, 0.04, 0.03]).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p, dtype=float)
    adjusted = np.full(p.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known])]
    stepped = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1)
    return adjusted


def _against(
    scores: Any,
    control: str | int,
    names: Sequence[str] | None,
    higher_is_better: bool,
    alpha: float,
) -> tuple[Floats, Floats, list[str], int, int]:
    """Raw p-values against the control (NaN for itself), mean ranks, names, place, data sets."""
    from scipy.stats import norm

    check_alpha(alpha)
    values, named = read_table(scores, names, "a test against a control")
    if len(named) < 2:
        raise ValueError("a test against a control needs at least 2 classifiers, got 1")
    if isinstance(control, str):
        if control not in named:
            raise ValueError(f"no classifier {control!r}: choose from {', '.join(named)}")
        place = named.index(control)
    else:
        place = control
        if not 0 <= place < len(named):
            raise ValueError(f"control must be 0 to {len(named) - 1} or a name, got {control!r}")
    mean = ranks(values, higher_is_better=higher_is_better).mean(axis=0)
    p = 2 * norm.sf(np.abs(_z(mean, len(values))[place]))
    p[place] = np.nan
    return p, mean, named, place, len(values)


def _with_control(
    test: str,
    named: list[str],
    mean: Floats,
    place: int,
    adjusted: Floats,
    distance: float,
    alpha: float,
    n_datasets: int,
) -> RankComparison:
    p = np.full((len(named), len(named)), np.nan)
    p[place], p[:, place] = adjusted, adjusted
    significant = np.nan_to_num(p, nan=1.0) < alpha
    return RankComparison(test, tuple(named), mean, p, significant, distance, alpha, n_datasets)
