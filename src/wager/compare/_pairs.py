"""Tests of two classifiers over paired scores: folds, repeated splits, data sets, or rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._typing import ArrayLike, Floats
from wager.compare._outcome import (
    NO_INTERVAL,
    Outcome,
    check_alpha,
    differences,
    require_pairs,
    two_sided,
)

Names = tuple[str, str]


def paired_t(
    a: ArrayLike, b: ArrayLike | None = None, *, alpha: float = 0.05, names: Names = ("A", "B")
) -> Outcome:
    """Student's paired t-test of two lists of scores.

    Over the folds of one data set its variance is too small, because training sets overlap; use
    `corrected_t` there.

    Examples
    --------
    >>> paired_t([0.8, 0.9, 0.7], [0.7, 0.85, 0.68]).verdict
    'no significant difference between A and B (p = 0.1358)'
    """
    check_alpha(alpha)
    d = differences(a, b, "the paired t-test")
    require_pairs(len(d), 2, "the paired t-test")
    return _t_outcome("paired t-test", d, 1 / len(d), alpha, names)


def corrected_t(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    n_train: float,
    n_test: float,
    alpha: float = 0.05,
    names: Names = ("A", "B"),
) -> Outcome:
    """The corrected resampled t-test of Nadeau & Bengio (2003), for overlapping training sets.

    The variance of the mean over J splits is the sample variance times ``1/J + n_test/n_train``
    instead of ``1/J``.

    Parameters
    ----------
    a, b : array-like
        Scores of both on each split, or the differences alone.
    n_train, n_test : float
        Rows in the training and the test part of a split.

    Examples
    --------
    >>> d = [0.02, 0.01, 0.03, 0.02, 0.01]
    >>> round(paired_t(d).p, 4), round(corrected_t(d, n_train=80, n_test=20).p, 4)
    (0.0086, 0.0327)
    """
    check_alpha(alpha)
    test = "the corrected resampled t-test"
    if not (n_train > 0 and n_test > 0):
        raise ValueError(f"{test} needs positive n_train and n_test, got {n_train} and {n_test}")
    d = differences(a, b, test)
    require_pairs(len(d), 2, test)
    return _t_outcome("corrected resampled t-test", d, 1 / len(d) + n_test / n_train, alpha, names)


def _t_outcome(test: str, d: Floats, factor: float, alpha: float, names: Names) -> Outcome:
    from scipy.stats import t as student

    mean, variance, df = float(d.mean()), float(d.var(ddof=1)), len(d) - 1
    error = np.sqrt(factor * variance)
    if _constant(d):
        # no spread: equal scores are a tie, a constant difference is beyond any doubt
        t, p = (0.0, 1.0) if mean == 0 else (float(np.copysign(np.inf, mean)), 0.0)
        margin = 0.0
    else:
        t = mean / error
        p = float(2 * student.sf(abs(t), df))
        margin = float(student.ppf(1 - alpha / 2, df) * error)
    return Outcome(
        test,
        float(t),
        p,
        mean,
        (mean - margin, mean + margin),
        two_sided(p, mean, names, alpha),
        {"df": df, "mean": mean, "variance": variance, "n": len(d)},
    )


def _constant(d: Floats) -> bool:
    return bool(np.ptp(d) <= 1e-14 * max(1.0, np.abs(d).max()))


def five_by_two_cv(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    statistic: str = "t",
    alpha: float = 0.05,
    names: Names = ("A", "B"),
) -> Outcome:
    """Dietterich's 5x2cv t-test (1998), with Alpaydin's combined F beside it (1999).

    Hope & Korb (2004) compare learners on real data by this test.

    Parameters
    ----------
    a, b : array-like of shape (5, 2)
        Scores in the two folds of five repetitions, or the differences alone.
    statistic : {"t", "F"}, default="t"
        Which of the two tests the verdict follows; both are in ``details``.  The t-test is about
        the difference in the first fold, which is its effect; that of the F-test is the mean.

    Examples
    --------
    >>> d = [[.02, .03], [.01, .02], [-.02, .02], [.03, .01], [.02, -.01]]
    >>> outcome = five_by_two_cv(d)
    >>> round(outcome.statistic, 3), outcome.details["df"]
    (1.136, 5)
    """
    from scipy.stats import f as fisher
    from scipy.stats import t as student

    check_alpha(alpha)
    if statistic not in ("t", "F"):
        raise ValueError(f"statistic must be 't' or 'F', got {statistic!r}")
    d = np.asarray(a, dtype=float) - (0.0 if b is None else np.asarray(b, dtype=float))
    if d.shape != (5, 2) or not np.isfinite(d).all():
        raise ValueError(
            f"the 5x2cv test takes five repetitions of two folds, got shape {d.shape}: "
            "pass finite scores as a 5 by 2 table"
        )
    variances = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    pooled, first, mean = float(variances.mean()), float(d[0, 0]), float(d.mean())
    t = ratio(first, np.sqrt(pooled))
    f = ratio(float((d**2).sum()), 2 * float(variances.sum()))
    p_t = float(2 * student.sf(abs(t), 5))
    p_f = float(fisher.sf(f, 10, 5))
    margin = float(student.ppf(1 - alpha / 2, 5) * np.sqrt(pooled))
    value, p, effect = (t, p_t, first) if statistic == "t" else (f, p_f, mean)
    return Outcome(
        f"5x2cv {statistic}-test",
        value,
        p,
        effect,
        (first - margin, first + margin) if statistic == "t" else NO_INTERVAL,
        two_sided(p, effect, names, alpha),
        {
            "mean": mean,
            "variances": variances.tolist(),
            "t": t,
            "df": 5,
            "p_t": p_t,
            "F": f,
            "df_F": (10, 5),
            "p_F": p_f,
        },
    )


def ratio(numerator: float, denominator: float) -> float:
    """A quotient that is infinite, or 0 for 0/0, where nothing varies."""
    if denominator > 0:
        return float(numerator / denominator)
    return 0.0 if numerator == 0 else float(np.copysign(np.inf, numerator))


def sign_test(
    a: ArrayLike, b: ArrayLike | None = None, *, alpha: float = 0.05, names: Names = ("A", "B")
) -> Outcome:
    """The sign test: who wins more often, whatever the margins; ties are left out.

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

    Parameters
    ----------
    correct_a, correct_b : array-like of bool
        Whether each classifier was right on each row.

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
    a, b = np.asarray(correct_a, dtype=bool), np.asarray(correct_b, dtype=bool)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(
            f"McNemar's test compares rows but the two have shapes {a.shape} and {b.shape}: "
            "give right or wrong for the same rows, in the same order"
        )
    require_pairs(len(a), 1, "McNemar's test")
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    decided = only_a + only_b
    p = float(binomtest(only_a, decided).pvalue) if decided else 1.0
    corrected = max(abs(only_a - only_b) - 1, 0) ** 2 / decided if decided else 0.0
    effect = (only_a - only_b) / len(a)
    spread = np.sqrt(max(decided / len(a) - effect**2, 0) / len(a))
    from scipy.stats import norm

    margin = float(norm.ppf(1 - alpha / 2) * spread)
    return Outcome(
        "McNemar's test",
        float(min(only_a, only_b)),
        p,
        effect,
        (effect - margin, effect + margin),
        two_sided(p, effect, names, alpha, "is right more often, and so scores"),
        {
            "only_a": only_a,
            "only_b": only_b,
            "chi2_corrected": corrected,
            "p_chi2": float(chi2.sf(corrected, 1)) if decided else 1.0,
        },
    )


# From this number of non-zero differences on the normal approximation is as good as the exact law.
_EXACT_UP_TO = 50


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
    differences get average ranks; the exact law runs over all sign patterns of those ranks.

    Parameters
    ----------
    a, b : array-like
        Scores of both on each data set, or the differences alone.
    zeros : {"drop", "split"}, default="drop"
        Zero differences are left out, or ranked and split evenly between the two sides.
    method : {"auto", "exact", "normal"}, default="auto"
        Exact up to 50 non-zero differences when zeros are dropped; normal otherwise.

    Examples
    --------
    >>> wilcoxon([0.84, 0.76, 0.83, 0.86, 0.80, 0.87], [0.88, 0.76, 0.86, 0.89, 0.85, 0.89]).p
    0.0625
    """
    check_alpha(alpha)
    if zeros not in ("drop", "split"):
        raise ValueError(f"zeros must be 'drop' or 'split', got {zeros!r}")
    if method not in ("auto", "exact", "normal"):
        raise ValueError(f"method must be 'auto', 'exact' or 'normal', got {method!r}")
    if method == "exact" and zeros == "split":
        raise ValueError("split zeros have no exact law: use method='normal'")
    d = differences(a, b, "the signed-rank test")
    require_pairs(len(d), 1, "the signed-rank test")
    d = np.where(np.abs(d) <= 1e-12, 0.0, d).round(12)  # 0.87 - 0.86 ties with 0.77 - 0.76
    effect = _hodges_lehmann(d)
    nonzero = d[d != 0]
    ranked = d if zeros == "split" else nonzero
    details: dict[str, Any] = {"n_nonzero": len(nonzero)}
    if len(nonzero) == 0:
        return Outcome(
            "Wilcoxon signed-rank test", 0.0, 1.0, 0.0, NO_INTERVAL,
            two_sided(1.0, 0.0, names, alpha),
            {**details, "w_plus": 0.0, "w_minus": 0.0, "z": 0.0, "p_normal": 1.0},
        )  # fmt: skip
    ranks, w_plus, w_minus = _signed_ranks(ranked)
    z = _z(ranks, min(w_plus, w_minus))
    from scipy.stats import norm

    p_normal = float(min(1.0, 2 * norm.cdf(z)))
    exact = method == "exact" or (
        method == "auto" and zeros == "drop" and len(nonzero) <= _EXACT_UP_TO
    )
    p_exact = _exact_p(ranks, min(w_plus, w_minus)) if exact else float("nan")
    p = p_exact if exact else p_normal
    return Outcome(
        "Wilcoxon signed-rank test",
        min(w_plus, w_minus),
        p,
        effect,
        NO_INTERVAL,
        two_sided(p, w_plus - w_minus, names, alpha),
        {
            **details,
            "w_plus": w_plus,
            "w_minus": w_minus,
            "z": z,
            "p_normal": p_normal,
            "p_exact": p_exact,
        },
    )


def _hodges_lehmann(d: Floats) -> float:
    """The median of all pairwise means: the shift that Wilcoxon's test is about."""
    if len(d) > 2000:  # the pairs of a sample tell the median well enough
        d = np.sort(d)[np.linspace(0, len(d) - 1, 2000).round().astype(int)]
    i, j = np.triu_indices(len(d))
    return float(np.median((d[i] + d[j]) / 2))


def _signed_ranks(d: Floats) -> tuple[Floats, float, float]:
    from scipy.stats import rankdata

    ranks = rankdata(np.abs(d))
    half = float(ranks[d == 0].sum()) / 2
    return ranks, float(ranks[d > 0].sum()) + half, float(ranks[d < 0].sum()) + half


def _z(ranks: Floats, statistic: float) -> float:
    """The standardised statistic, with the variance corrected for ties (split zeros among them)."""
    n = len(ranks)
    _, ties = np.unique(ranks, return_counts=True)
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((ties**3 - ties).sum()) / 48
    return float((statistic - n * (n + 1) / 4) / np.sqrt(variance)) if variance > 0 else 0.0


def _exact_p(ranks: Floats, statistic: float) -> float:
    """Two-sided p over all 2^n sign patterns, by adding one rank after another."""
    steps = np.rint(2 * ranks).astype(int)  # average ranks are halves of whole numbers
    law = np.zeros(steps.sum() + 1)
    law[0] = 1.0
    for step in steps:
        law[step:] += law[:-step].copy()
        law /= 2
    return float(min(1.0, 2 * law[: round(2 * statistic) + 1].sum()))
