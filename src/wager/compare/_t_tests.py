"""t-tests of two classifiers on paired scores: paired, corrected resampled, and 5x2cv."""

from __future__ import annotations

import numpy as np

from wager._tables import is_one_of, real_number, real_numbers
from wager._typing import ArrayLike, Floats
from wager._visible import brief
from wager.compare._outcome import (
    NO_INTERVAL,
    Names,
    Outcome,
    check_alpha,
    differences,
    require_pairs,
    require_squares,
    score_unit,
    subtract,
    two_sided,
)


def paired_t(
    a: ArrayLike, b: ArrayLike | None = None, *, alpha: float = 0.05, names: Names = ("A", "B")
) -> Outcome:
    """Student's paired t-test of two lists of scores.

    For the folds of one data set its variance estimate is too small, because training sets overlap;
    use `corrected_t` for them.

    The mean difference divided by its standard error, which follows Student's t distribution with n
    - 1 degrees of freedom.

    Use it for scores of independent samples, such as one score per data set.

    References
    ----------
    Student (1908). The probable error of a mean. Biometrika 6.

    Examples
    --------
    >>> paired_t([0.8, 0.9, 0.7], [0.7, 0.85, 0.68]).verdict
    'no significant difference between A and B (p = 0.1358)'
    """
    check_alpha(alpha)
    d, unit = differences(a, b, "the paired t-test"), score_unit(a, b)
    require_pairs(len(d), 2, "the paired t-test")
    return _t_outcome("paired t-test", d, unit, 1 / len(d), alpha, names)


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

    Use it for the folds of a cross-validation of one data set, repeated or not: the plain t-test
    finds far too many differences there.

    Parameters
    ----------
    a, b : array-like
        Scores of both on each split, or the differences alone.  Two Series with the same names in
        another order are paired by name.
    n_train, n_test : float
        Rows in the training and the test part of a split.

    References
    ----------
    Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52.

    Examples
    --------
    >>> d = [0.02, 0.01, 0.03, 0.02, 0.01]
    >>> round(paired_t(d).p, 4), round(corrected_t(d, n_train=80, n_test=20).p, 4)
    (0.0086, 0.0327)
    """
    check_alpha(alpha)
    test = "the corrected resampled t-test"
    if not (real_number(n_train, "n_train") > 0 and real_number(n_test, "n_test") > 0):
        raise ValueError(f"{test} needs positive n_train and n_test, got {n_train} and {n_test}")
    d = differences(a, b, test)
    require_pairs(len(d), 2, test)
    factor = 1 / len(d) + n_test / n_train
    return _t_outcome("corrected resampled t-test", d, score_unit(a, b), factor, alpha, names)


def _t_outcome(
    test: str, d: Floats, unit: float, factor: float, alpha: float, names: Names
) -> Outcome:
    from scipy.stats import t as student

    scaled = d / unit  # squares of tiny scores would vanish
    df, error = len(d) - 1, np.sqrt(factor * scaled.var(ddof=1)) * unit
    mean, variance = float(d.mean()), float(d.var(ddof=1))
    if np.ptp(d) <= 1e-14 * max(unit, np.abs(d).max()):
        # no variation: equal scores are a tie, a constant difference is certain
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


def five_by_two_cv(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    statistic: str = "t",
    alpha: float = 0.05,
    names: Names = ("A", "B"),
) -> Outcome:
    """Dietterich's 5x2cv t-test (1998), and Alpaydin's combined F-test (1999).

    Hope & Korb (2004) compare learners on real data with this test.

    Five repetitions of two-fold cross-validation; the variance comes from the two folds of each
    repetition.

    Use it for two learners on one data set, if the plan is 5x2.

    Parameters
    ----------
    a, b : array-like of shape (5, 2)
        Scores in the two folds of five repetitions, or the differences alone.
    statistic : {"t", "F"}, default="t"
        The test that the verdict uses; both are in ``details``.  The effect of the t-test is the
        difference in the first fold, that of the F-test the mean difference.

    References
    ----------
    Dietterich, T. G. (1998). Approximate statistical tests for comparing supervised classification
    learning algorithms. Neural Computation 10.

    Alpaydin, E. (1999). Combined 5 x 2 cv F test for comparing supervised classification learning
    algorithms. Neural Computation 11.

    Examples
    --------
    >>> d = [[.02, .03], [.01, .02], [-.02, .02], [.03, .01], [.02, -.01]]
    >>> outcome = five_by_two_cv(d)
    >>> round(outcome.statistic, 3), outcome.details["df"]
    (1.136, 5)
    """
    from scipy.stats import f as fisher, t as student

    check_alpha(alpha)
    if not is_one_of(statistic, ("t", "F")):
        raise ValueError(f"statistic must be 't' or 'F', got {brief(statistic)}")
    scores = real_numbers(a, "a")
    with np.errstate(over="ignore", invalid="ignore"):  # infinite differences are refused below
        others = np.zeros(scores.shape) if b is None else real_numbers(b, "b")
        if scores.shape != others.shape:
            raise ValueError(
                f"a has the shape {scores.shape}, b {others.shape}: pass both as 5 by 2 tables"
            )
        d = subtract(scores, others)
    if d.shape != (5, 2) or not np.isfinite(d).all():
        raise ValueError(
            f"the 5x2cv test needs five repetitions of two folds, got shape {d.shape}: "
            "pass finite scores as a 5 by 2 table"
        )
    require_squares(d, "scores")
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
    """A quotient that is infinite, or 0 for 0/0, if the denominator is 0."""
    if denominator > 0:
        return float(numerator / denominator)
    return 0.0 if numerator == 0 else float(np.copysign(np.inf, numerator))
