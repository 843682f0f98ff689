"""Post-hoc tests by mean ranks after Friedman's test (Demšar, 2006).

Rank 1 is best.  Nemenyi's test compares all pairs of classifiers, Bonferroni-Dunn's and Holm's
tests compare each one with a control.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import ComparedFields, Table, View, Viewed, real_numbers, require_whole
from wager._typing import ArrayLike, Bools, Floats
from wager._visible import brief
from wager.compare._outcome import check_alpha
from wager.compare._rank_table import ranks, read_table


def nemenyi_distance(n_classifiers: int, n_datasets: int, alpha: float = 0.05) -> float:
    """Nemenyi's critical difference of mean ranks.

    q is the quantile of the studentized range with infinite degrees of freedom, divided by sqrt(2).

    Examples
    --------
    >>> round(nemenyi_distance(4, 55), 3)  # Zaffalon, Corani & Mauá (2012), Figure 6
    0.632
    """
    return nemenyi_q(n_classifiers, alpha) * _rank_error(n_classifiers, n_datasets)


def nemenyi_q(n_classifiers: int, alpha: float = 0.05) -> float:
    """The critical value q of Nemenyi's test."""
    from scipy.stats import studentized_range

    check_alpha(alpha)
    return float(studentized_range.ppf(1 - alpha, n_classifiers, np.inf) / np.sqrt(2))


@dataclass(frozen=True, eq=False, repr=False)
class RankComparison(ComparedFields, Viewed):
    """Mean ranks, and the pairs of classifiers that a post-hoc test distinguishes.

    Attributes
    ----------
    test : str
        The post-hoc test.
    names, mean_ranks : tuple of str, array
        The classifiers and their mean ranks (1 is best).
    p : array of shape (k, k)
        Adjusted p-value of each pair that the test compares, NaN elsewhere.
    significant : bool array of shape (k, k)
        Whether the pair differs significantly at level ``alpha``.
    critical_difference : float
        Mean ranks further apart than this differ; NaN for Holm's step-down test, which has no
        single critical difference.
    alpha : float
        The level of the test.
    n_datasets : int
        The number of data sets.
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
        """(better, worse) for every pair with a significant difference."""
        i, j = np.nonzero(self.significant)
        better = self.mean_ranks[i] < self.mean_ranks[j]
        return [(self.names[a], self.names[b]) for a, b in zip(i[better], j[better], strict=True)]

    @property
    def verdict(self) -> str:
        """The result as a sentence."""
        pairs = self.pairs()
        if not pairs:
            return f"{self.test} finds no significant difference at level {self.alpha:g}"
        wins = ", ".join(f"{better} beats {worse}" for better, worse in pairs)
        return f"{self.test} at level {self.alpha:g}: {wins}"

    def _view(self) -> View:
        order = np.argsort(self.mean_ranks)
        rows = [(self.names[i], self.mean_ranks[i]) for i in order]
        table = Table(["classifier", "mean rank"], rows, digits=3)
        return View(tables=[table], verdict=[self.verdict])


def nemenyi(
    scores: Any,
    *,
    names: Sequence[str] | None = None,
    higher_is_better: bool = True,
    alpha: float = 0.05,
) -> RankComparison:
    """Nemenyi's test of all pairs of classifiers, after Friedman's test.

    Two mean ranks over the data sets differ if they are further apart than the critical difference,
    which allows for all pairs.

    Use it over several data sets if all learners are compared with each other; `wager results
    --plot` draws its diagram.

    References
    ----------
    Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of
    Machine Learning Research 7.

    Examples
    --------
    >>> scores = [[.9, .8, .5], [.8, .7, .6], [.9, .7, .5], [.7, .6, .5], [.9, .8, .4]]
    >>> nemenyi(scores, names=["a", "b", "c"]).pairs()
    [('a', 'c')]
    """
    values, named = read_table(scores, names, "Nemenyi's test")
    N, k = values.shape
    if k < 3:
        raise ValueError(
            f"Nemenyi's test needs at least 3 classifiers, got {k} ({', '.join(named)}): "
            "compare two with the signed-rank test"
        )
    mean = ranks(values, higher_is_better=higher_is_better).mean(axis=0)
    return nemenyi_of_ranks(mean, N, named, alpha)


def nemenyi_of_ranks(
    mean_ranks: Floats, n_datasets: int, names: Sequence[str], alpha: float = 0.05
) -> RankComparison:
    """Nemenyi's test of classifiers of which only the mean ranks over data sets are known."""
    from scipy.stats import studentized_range

    k = len(mean_ranks)
    p = np.asarray(studentized_range.sf(np.abs(_z(mean_ranks, n_datasets)) * np.sqrt(2), k, np.inf))
    np.fill_diagonal(p, np.nan)
    distance = nemenyi_distance(k, n_datasets, alpha)
    apart = np.abs(mean_ranks[:, None] - mean_ranks) > distance
    return RankComparison(
        "Nemenyi's test", tuple(names), mean_ranks, p, apart, distance, alpha, n_datasets
    )


def _z(mean: Floats, n_datasets: int) -> Floats:
    return (mean[:, None] - mean) / _rank_error(len(mean), n_datasets)


def _rank_error(n_classifiers: int, n_datasets: int) -> float:
    """The standard error of a difference of mean ranks if all classifiers are equal."""
    k = n_classifiers
    return float(np.sqrt(k * (k + 1) / (6 * n_datasets)))


def bonferroni_dunn(
    scores: Any,
    control: str | int = 0,
    *,
    names: Sequence[str] | None = None,
    higher_is_better: bool = True,
    alpha: float = 0.05,
) -> RankComparison:
    """The Bonferroni-Dunn test of every classifier against a control.

    Two mean ranks over the data sets differ if they are further apart than the critical difference,
    which allows for the number of comparisons with the control.

    Use it over several data sets, to compare a new learner with all others; `holm` finds more.

    References
    ----------
    Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of
    Machine Learning Research 7.

    Examples
    --------
    >>> scores = [[.9, .8, .5], [.8, .7, .6], [.9, .7, .5], [.7, .6, .5], [.9, .8, .4]]
    >>> bonferroni_dunn(scores, "a", names=["a", "b", "c"]).pairs()
    [('a', 'c')]
    """
    from scipy.stats import norm

    found = _ControlRanks.of(scores, control, names, higher_is_better, alpha)
    k = len(found.names)
    adjusted = np.minimum(found.p * (k - 1), 1)
    q = float(norm.ppf(1 - alpha / (2 * (k - 1))))
    distance = q * _rank_error(k, found.n_datasets)
    return found.compared("Bonferroni-Dunn's test", adjusted, distance, alpha)


def holm(
    scores: Any,
    control: str | int = 0,
    *,
    names: Sequence[str] | None = None,
    higher_is_better: bool = True,
    alpha: float = 0.05,
) -> RankComparison:
    """Holm's step-down test of every classifier against a control.

    The p-values of the differences of mean ranks are compared with alpha divided by the number of
    hypotheses that are left, from the smallest one on.

    Use it over several data sets, to compare a new learner with all others.

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal
    of Statistics 6.

    Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of
    Machine Learning Research 7.

    Examples
    --------
    >>> scores = [[.9, .8, .5], [.8, .7, .6], [.9, .7, .5], [.7, .6, .5], [.9, .8, .4]]
    >>> holm(scores, "a", names=["a", "b", "c"]).pairs()
    [('a', 'c')]
    """
    found = _ControlRanks.of(scores, control, names, higher_is_better, alpha)
    return found.compared("Holm's test", holm_adjust(found.p), float("nan"), alpha)


def holm_adjust(p: ArrayLike) -> Floats:
    """Holm's (1979) adjusted p-values; NaN entries are left out and stay NaN.

    Examples
    --------
    >>> holm_adjust([0.01, 0.04, 0.03]).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    p = real_numbers(p, "p")
    adjusted = np.full(p.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known])]
    stepped = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1)
    return adjusted


@dataclass(frozen=True)
class _ControlRanks:
    """Mean ranks, and the unadjusted p-value of each classifier against the control."""

    names: tuple[str, ...]
    mean_ranks: Floats
    control: int
    p: Floats  # NaN for the control itself
    n_datasets: int

    @classmethod
    def of(
        cls,
        scores: Any,
        control: str | int,
        names: Sequence[str] | None,
        higher_is_better: bool,
        alpha: float,
    ) -> _ControlRanks:
        from scipy.stats import norm

        check_alpha(alpha)
        values, named = read_table(scores, names, "a test against a control")
        if len(named) < 2:
            raise ValueError("a test against a control needs at least 2 classifiers, got 1")
        place = _find_control(control, named)
        mean = ranks(values, higher_is_better=higher_is_better).mean(axis=0)
        p = 2 * norm.sf(np.abs(_z(mean, len(values))[place]))
        p[place] = np.nan
        return cls(tuple(named), mean, place, p, len(values))

    def compared(
        self, test: str, adjusted: Floats, critical_difference: float, alpha: float
    ) -> RankComparison:
        """The comparison with the control, given the adjusted p-values."""
        k = len(self.names)
        p = np.full((k, k), np.nan)
        p[self.control], p[:, self.control] = adjusted, adjusted
        significant = np.nan_to_num(p, nan=1.0) < alpha
        return RankComparison(
            test,
            self.names,
            self.mean_ranks,
            p,
            significant,
            critical_difference,
            alpha,
            self.n_datasets,
        )


def _find_control(control: str | int, names: Sequence[str]) -> int:
    if isinstance(control, str):
        if control not in names:
            raise ValueError(f"unknown classifier {brief(control)}: choose from {', '.join(names)}")
        return list(names).index(control)
    place = require_whole(control, "control")
    if place >= len(names):
        raise ValueError(f"control must be 0 to {len(names) - 1} or a name, got {brief(control)}")
    return place
