"""Friedman's test of several classifiers over data sets, with Iman & Davenport's F."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wager._tables import ROUNDING
from wager._typing import Floats
from wager.compare._outcome import NO_INTERVAL, Outcome, check_alpha
from wager.compare._rank_table import best_ranked, ranks, read_table


def friedman(
    scores: Any,
    *,
    names: Sequence[str] | None = None,
    higher_is_better: bool = True,
    alpha: float = 0.05,
) -> Outcome:
    """Friedman's test that all classifiers are equally good, and Iman & Davenport's F-test.

    Each classifier gets its mean rank over the data sets; the test asks whether mean ranks could
    differ so much by chance.

    Use it over several data sets with three or more classifiers, before `nemenyi` or `holm`.

    Parameters
    ----------
    scores : array-like or DataFrame of shape (n_datasets, n_classifiers)
        At least two data sets and three classifiers.
    names : sequence of str, optional
        The classifiers; a frame's columns by default, which the same names in another order choose.

    Returns
    -------
    Outcome
        The chi-square corrected for ties; ``details`` contains mean ranks, the uncorrected
        chi-square, and Iman & Davenport's F (from the uncorrected one).

    References
    ----------
    Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of
    Machine Learning Research 7.

    Iman, R. L. & Davenport, J. M. (1980). Approximations of the critical region of the Friedman
    statistic. Communications in Statistics A9.

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
    plain, corrected = _chi_squares(ranked)
    p = float(chi2.sf(corrected, k - 1))
    divisor = N * (k - 1) - plain
    F = (N - 1) * plain / divisor if divisor > ROUNDING else float("inf")
    verdict = (
        f"the {k} classifiers differ over the {N} data sets (p = {p:.4g}); "
        f"{best_ranked(named, mean)}"
        if p < alpha
        else f"no significant difference among the {k} classifiers over {N} data sets (p = {p:.4g})"
    )
    details = {
        "names": named,
        "mean_ranks": mean.tolist(),
        "n_datasets": N,
        "df": k - 1,
        "chi2_uncorrected": plain,
        "p_uncorrected": float(chi2.sf(plain, k - 1)),
        "iman_davenport_F": F,
        "iman_davenport_p": float(f.sf(F, k - 1, (k - 1) * (N - 1))),
    }
    effect = float(mean.max() - mean.min())
    return Outcome("Friedman test", corrected, p, effect, NO_INTERVAL, verdict, details)


def _chi_squares(ranked: Floats) -> tuple[float, float]:
    """Friedman's chi-square, uncorrected and corrected for ties (0 if all scores are tied)."""
    N, k = ranked.shape
    mean = ranked.mean(axis=0)
    plain = 12 * N / (k * (k + 1)) * float(((mean - (k + 1) / 2) ** 2).sum())
    ties = sum(
        float((c**3 - c).sum()) for c in (np.unique(r, return_counts=True)[1] for r in ranked)
    )
    correction = 1 - ties / (N * k * (k**2 - 1))
    return plain, plain / correction if correction > 0 else 0.0
