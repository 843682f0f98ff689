"""Wilcoxon's signed-rank test of two classifiers over many data sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._tables import ROUNDING, is_one_of
from wager._typing import ArrayLike, Floats
from wager._visible import brief
from wager.compare._outcome import (
    NO_INTERVAL,
    Names,
    Outcome,
    check_alpha,
    differences,
    levels,
    require_pairs,
    score_unit,
    two_sided,
)

# with more non-zero differences the normal approximation is as good as the exact distribution
_EXACT_UP_TO = 50
_TEST = "Wilcoxon signed-rank test"


def wilcoxon(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    zeros: str = "drop",
    method: str = "auto",
    alpha: float = 0.05,
    names: Names = ("A", "B"),
) -> Outcome:
    """Wilcoxon's signed-rank test, which Demšar (2006) recommends for two over many data sets.

    Zaffalon, Corani & Mauá (2012, Section 9.1.3) use it over 55 data sets.  Ties of absolute
    differences get average ranks; the exact distribution is over all sign patterns of those ranks.

    Use it for two learners with one score per data set.

    Parameters
    ----------
    a, b : array-like
        Scores of both on each data set, or the differences alone.  Two Series with the same names
        in another order are paired by name.
    zeros : {"drop", "split"}, default="drop"
        Zero differences are left out, or ranked and split evenly between the two sides.
    method : {"auto", "exact", "normal"}, default="auto"
        Exact up to 50 non-zero differences if zeros are dropped; normal otherwise.

    References
    ----------
    Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1.

    Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of
    Machine Learning Research 7.

    Examples
    --------
    >>> wilcoxon([0.84, 0.76, 0.83, 0.86, 0.80, 0.87], [0.88, 0.76, 0.86, 0.89, 0.85, 0.89]).p
    0.0625
    """
    check_alpha(alpha)
    _check_options(zeros, method)
    d, unit = differences(a, b, "the signed-rank test"), score_unit(a, b)
    require_pairs(len(d), 1, "the signed-rank test")
    d = np.where(np.abs(d) <= ROUNDING * unit, 0.0, d) / unit
    nonzero = d[d != 0]
    details: dict[str, Any] = {"n_nonzero": len(nonzero)}
    if len(nonzero) == 0:
        details |= {"w_plus": 0.0, "w_minus": 0.0, "z": 0.0, "p_normal": 1.0}
        verdict = two_sided(1.0, 0.0, names, alpha)
        return Outcome(_TEST, 0.0, 1.0, 0.0, NO_INTERVAL, verdict, details)
    ranks, w_plus, w_minus = _signed_ranks(d if zeros == "split" else nonzero)
    z = _z(ranks, min(w_plus, w_minus))
    p_normal = _normal_p(z)
    exact = method == "exact" or (
        method == "auto" and zeros == "drop" and len(nonzero) <= _EXACT_UP_TO
    )
    p_exact = _exact_p(ranks, min(w_plus, w_minus)) if exact else float("nan")
    p = p_exact if exact else p_normal
    details |= {"w_plus": w_plus, "w_minus": w_minus}
    details |= {"z": z, "p_normal": p_normal, "p_exact": p_exact}
    verdict = two_sided(p, w_plus - w_minus, names, alpha)
    return Outcome(
        _TEST, min(w_plus, w_minus), p, _hodges_lehmann(d) * unit, NO_INTERVAL, verdict, details
    )


def _check_options(zeros: str, method: str) -> None:
    if not is_one_of(zeros, ("drop", "split")):
        raise ValueError(f"zeros must be 'drop' or 'split', got {brief(zeros)}")
    if not is_one_of(method, ("auto", "exact", "normal")):
        raise ValueError(f"method must be 'auto', 'exact' or 'normal', got {brief(method)}")
    if method == "exact" and zeros == "split":
        raise ValueError("split zeros have no exact distribution: use method='normal'")


def _normal_p(z: float) -> float:
    from scipy.stats import norm

    return float(min(1.0, 2 * norm.cdf(z)))


def _hodges_lehmann(d: Floats) -> float:
    """The median of all pairwise means: the shift that Wilcoxon's test estimates."""
    if len(d) > 2000:  # the pairs of 2000 quantiles estimate the median well enough
        d = np.sort(d)[np.linspace(0, len(d) - 1, 2000).round().astype(int)]
    i, j = np.triu_indices(len(d))
    return float(np.median((d[i] + d[j]) / 2))


def _signed_ranks(d: Floats) -> tuple[Floats, float, float]:
    from scipy.stats import rankdata

    ranks = rankdata(levels(np.abs(d)))  # 0.87 - 0.86 ties with 0.77 - 0.76
    half = float(ranks[d == 0].sum()) / 2
    return ranks, float(ranks[d > 0].sum()) + half, float(ranks[d < 0].sum()) + half


def _z(ranks: Floats, statistic: float) -> float:
    """The standardised statistic, with the variance corrected for ties, including split zeros."""
    n = len(ranks)
    _, ties = np.unique(ranks, return_counts=True)
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((ties**3 - ties).sum()) / 48
    return float((statistic - n * (n + 1) / 4) / np.sqrt(variance))


def _exact_p(ranks: Floats, statistic: float) -> float:
    """Two-sided p over all 2^n sign patterns, by convolution over the ranks."""
    steps = np.rint(2 * ranks).astype(int)  # average ranks are halves of whole numbers
    chance = np.zeros(steps.sum() + 1)
    chance[0] = 1.0
    for step in steps:
        chance[step:] += chance[:-step].copy()
        chance /= 2
    return float(min(1.0, 2 * chance[: round(2 * statistic) + 1].sum()))
