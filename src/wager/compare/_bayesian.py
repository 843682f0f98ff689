"""Bayesian comparisons: the probability that one classifier is better, or both are equivalent.

The region of practical equivalence (rope) contains the differences that do not matter in practice.
The three tests are for one data set (correlated t), for many data sets with one score each (signed
rank), and for many data sets with all their folds (hierarchical).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from wager._tables import ROUNDING, real_number, require_whole
from wager._typing import ArrayLike, Floats
from wager._visible import brief
from wager.compare._hierarchical_sampler import sample_hierarchical
from wager.compare._outcome import (
    Names,
    Outcome,
    check_names,
    differences,
    require_pairs,
    score_unit,
)

_ROUNDING = 1e-15  # what is left of 1 after subtracting two probabilities
_SMALLEST = 2.0**-300  # differences that are all smaller are enlarged
_FEWEST = 6  # with fewer data sets no sign test can be significant at the level 0.05


def bayesian_correlated_t(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    rho: float,
    rope: float = 0.0,
    names: Names = ("A", "B"),
) -> Outcome:
    """The Bayesian correlated t-test of Corani & Benavoli (2015), for the folds of one data set.

    The posterior of the mean difference is Student's t with the variance of the corrected
    resampled t-test.

    Use it for two learners on the folds of one data set, to see how probable it is that they are
    practically equal.

    Parameters
    ----------
    a, b : array-like
        Scores of both on each fold, or the differences alone.  Two Series with the same names in
        another order are paired by name.
    rho : float
        Correlation of the folds, the fraction of rows in a test fold: 1/10 for ten folds.
    rope : float, default=0
        Differences between minus and plus this value do not matter in practice.

    References
    ----------
    Corani, G. & Benavoli, A. (2015). A Bayesian approach for comparing cross-validated algorithms
    on multiple data sets. Machine Learning 100.

    Examples
    --------
    >>> outcome = bayesian_correlated_t([0.02, 0.03, 0.01, 0.02], rho=0.1, rope=0.005)
    >>> round(outcome.details["p_a"], 3)
    0.972
    """
    from scipy.stats import t as student

    rope = _check_rope(rope)
    if np.ndim(rho) or not 0 <= rho < 1:
        raise ValueError(
            f"rho is the fraction of rows in a test fold, at least 0 and below 1, got {brief(rho)}"
        )
    d = differences(a, b, "the Bayesian correlated t-test")
    require_pairs(len(d), 2, "the Bayesian correlated t-test")
    n, mean = len(d), float(d.mean())
    unit = score_unit(a, b)  # squares of tiny scores would vanish
    scale = float(np.sqrt((1 / n + rho / (1 - rho)) * (d / unit).var(ddof=1))) * unit
    if scale < 1e-14 * unit:
        p_a, p_b = float(mean > rope), float(mean < -rope)
        interval = (mean, mean)
    else:
        posterior = student(n - 1, mean, scale)
        p_a, p_b = float(posterior.sf(rope)), float(posterior.cdf(-rope))
        low, high = posterior.interval(0.95)
        interval = (float(low), float(high))
    return _outcome("Bayesian correlated t-test", mean, interval, p_a, p_b, rope, names)


def bayesian_signed_rank(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    rope: float = 0.0,
    prior: float = 0.5,
    n_samples: int = 20_000,
    random_state: int | np.random.Generator | None = 0,
    names: Names = ("A", "B"),
) -> Outcome:
    """The Bayesian signed-rank test of Benavoli et al. (2014), for one score per data set.

    Data sets get Dirichlet weights, and a pseudo data set with difference 0 gets weight ``prior``.
    Each sample counts for the side that most of the weighted pairwise means are on.

    Use it for two learners over several data sets, to see how probable it is that they are
    practically equal.

    References
    ----------
    Benavoli, A., Mangili, F., Corani, G., Zaffalon, M. & Ruggeri, F. (2014). A Bayesian Wilcoxon
    signed-rank test based on the Dirichlet process. ICML.

    Examples
    --------
    >>> outcome = bayesian_signed_rank([0.02, 0.03, 0.01, 0.02, 0.04, -0.01], rope=0.005)
    >>> outcome.details["p_a"] > 0.9
    True
    """
    rope = _check_rope(rope)
    n_samples = require_whole(n_samples, "n_samples", 1)
    if not 0 < real_number(prior, "prior") < 1e100:
        raise ValueError(f"prior must be a positive weight below 1e100, got {brief(prior)}")
    d = differences(a, b, "the Bayesian signed-rank test")
    require_pairs(len(d), 1, "the Bayesian signed-rank test")
    rng = np.random.default_rng(random_state)
    values, unit = np.concatenate(([0.0], d)), score_unit(a, b)
    sums = (values[:, None] + values) / unit
    above, below = (_step(side - 2 * rope / unit) for side in (sums, -sums))
    concentration = np.concatenate(([float(prior)], np.ones(len(d))))
    areas = np.empty((n_samples, 3))
    for start in range(0, n_samples, 4096):  # memory does not grow with n_samples
        weights = rng.dirichlet(concentration, min(4096, n_samples - start))
        part = areas[start : start + len(weights)]
        part[:, 0] = ((weights @ above) * weights).sum(axis=1)
        part[:, 2] = ((weights @ below) * weights).sum(axis=1)
    areas[:, 1] = 1 - areas[:, 0] - areas[:, 2]
    p_a, p_b = _most_frequent(areas)
    shift = float(np.median(d))
    spread = (float("nan"), float("nan"))
    outcome = _outcome("Bayesian signed-rank test", shift, spread, p_a, p_b, rope, names)
    if len(d) >= _FEWEST:
        return outcome
    plural = "data set" if len(d) == 1 else "data sets"
    return replace(
        outcome,
        verdict=f"too few data sets for a verdict: with {len(d)} {plural} this probability is "
        f"close to 0 or 1 whatever the truth is; use at least {_FEWEST}",
    )


def _step(x: Floats) -> Floats:
    return np.heaviside(np.where(np.abs(x) < ROUNDING, 0.0, x), 0.5)


def _most_frequent(areas: Floats) -> tuple[float, float]:
    """Fraction of samples in which the first (last) of three areas is largest; ties are split."""
    largest = np.isclose(areas, areas.max(axis=1, keepdims=True), rtol=0, atol=ROUNDING)
    share = (largest / largest.sum(axis=1, keepdims=True)).mean(axis=0)
    return float(share[0]), float(share[2])


def bayesian_hierarchical(
    scores: Sequence[ArrayLike],
    *,
    rho: float,
    rope: float,
    n_samples: int = 4000,
    random_state: int | np.random.Generator | None = 0,
    names: Names = ("A", "B"),
) -> Outcome:
    """The hierarchical test of Corani, Benavoli, Demšar, Mangili & Zaffalon (2017).

    Differences on each data set are correlated over its folds; the means of the data sets come
    from one Student t distribution, whose degrees of freedom are estimated as well.  The verdict is
    about the next data set.

    Use it for two learners on the folds of several data sets, instead of one test per data set.

    Parameters
    ----------
    scores : sequence of array-like
        The fold differences (first minus second) of each data set; the number of folds may differ.
    rho : float
        Correlation of the folds: the fraction of rows in a test fold.
    rope : float
        Differences between minus and plus this value do not matter in practice.

    Returns
    -------
    Outcome
        ``details`` contains ``p_a``, ``p_rope``, ``p_b``, and ``dataset_means``: the means of the
        data sets, shrunk towards each other.

    References
    ----------
    Corani, G., Benavoli, A., Demšar, J., Mangili, F. & Zaffalon, M. (2017). Statistical comparison
    of classifiers through Bayesian hierarchical modelling. Machine Learning 106.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> folds = [rng.normal(0.03, 0.02, 10) for _ in range(8)]
    >>> outcome = bayesian_hierarchical(folds, rho=0.1, rope=0.01, n_samples=500)
    >>> outcome.details["p_a"] > 0.95
    True
    """
    rope = _check_rope(rope)
    if not 0 < real_number(rho, "rho") < 1:
        raise ValueError(
            f"rho is the fraction of rows in a test fold, between 0 and 1, got {brief(rho)}"
        )
    n_samples = require_whole(n_samples, "n_samples", 1)
    data = [differences(folds, None, "the hierarchical test") for folds in scores]
    require_pairs(len(data), 2, "the hierarchical test (over data sets)")
    for i, folds in enumerate(data):
        if len(folds) < 2:
            raise ValueError(
                f"data set {i} has {len(folds)} fold: the test needs at least 2 folds per data set"
            )
    factor = _enlargement(data)
    data, wide = [factor * d for d in data], factor * rope
    chain = sample_hierarchical(data, rho, n_samples, np.random.default_rng(random_state), wide)
    p_a, p_b = _most_frequent(chain.areas(wide))
    low, high = np.quantile(chain.centre, [0.025, 0.975]) / factor
    outcome = _outcome(
        "Bayesian hierarchical test",
        float(chain.centre.mean()) / factor,
        (float(low), float(high)),
        p_a,
        p_b,
        rope,
        names,
    )
    means = (chain.means.mean(axis=0) / factor).tolist()
    return Outcome(**{**vars(outcome), "details": {**outcome.details, "dataset_means": means}})


def _enlargement(data: Sequence[Floats]) -> float:
    """A power of 2 that makes the squares of very small differences numbers above 0; mostly 1."""
    largest = max(float(np.abs(d).max()) for d in data)
    if not 0 < largest < _SMALLEST:
        return 1.0
    return float(2.0 ** np.floor(np.log2(_SMALLEST) - np.log2(largest)))


def _check_rope(rope: float) -> float:
    width = real_number(rope, "rope")
    if not width >= 0:
        raise ValueError(f"rope is a width and must not be negative, got {brief(rope)}")
    return width


def _outcome(
    test: str,
    effect: float,
    interval: tuple[float, float],
    p_a: float,
    p_b: float,
    rope: float,
    names: Names,
) -> Outcome:
    """The outcome of a Bayesian test, from the probabilities that a, or b, is better."""
    p_rope = 1 - p_a - p_b
    if p_rope <= _ROUNDING:
        p_rope = 0.0
    a, b = check_names(names)
    claims = {f"{a} is better than {b}": p_a, f"{b} is better than {a}": p_b}
    if rope > 0 or p_a == p_b == 0:  # all probability is on no difference
        claims[f"{a} and {b} are practically equivalent"] = p_rope
    claim, best = max(claims.items(), key=lambda item: item[1])
    words = f"{claim} with probability {best:.3f}"
    verdict = words if best >= 0.95 else f"undecided: {words}, less than 0.95"
    return Outcome(
        test,
        effect,
        1 - best,
        effect,
        interval,
        verdict,
        {"p_a": p_a, "p_rope": p_rope, "p_b": p_b, "rope": rope},
    )
