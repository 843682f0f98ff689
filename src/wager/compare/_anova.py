"""Two-factor repeated-measures analysis of variance, the design of Hope & Korb (2004, Section 5.1).

Every subject (a generated model, say) is measured under each combination of two factors (learner
and sample size): scores have shape (subjects, levels of A, levels of B).  Each effect is tested
against its own interaction with the subjects, without sphericity correction; the corrections of
Greenhouse & Geisser and of Huynh & Feldt are given as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from wager._tables import (
    ROUNDING,
    Table,
    View,
    Viewed,
    ViewedFields,
    is_one_of,
    real_number,
    real_numbers,
)
from wager._typing import ArrayLike, Floats
from wager._visible import brief
from wager.compare._outcome import Outcome, check_alpha, check_names
from wager.compare._t_tests import paired_t, ratio


@dataclass(frozen=True, repr=False)
class Effect(ViewedFields):
    """One effect of the analysis: its F-test, and p-values corrected for sphericity.

    Attributes
    ----------
    name : str
        The factor, or the interaction.
    F, df_num, df_den, p : float
        The F statistic, its degrees of freedom and the p-value.
    epsilon_gg, p_gg : float
        Greenhouse and Geisser's correction for sphericity, and the p-value with it.
    epsilon_hf, p_hf : float
        Huynh and Feldt's correction, and the p-value with it.
    partial_eta_squared : float
        The size of the effect.
    """

    name: str
    F: float
    df_num: int
    df_den: int
    p: float
    epsilon_gg: float
    p_gg: float
    epsilon_hf: float
    p_hf: float
    partial_eta_squared: float


@dataclass(frozen=True, repr=False)
class Anova(Viewed):
    """The effects of a two-factor repeated-measures analysis of variance.

    Attributes
    ----------
    effects : tuple of Effect
        The effects; ``anova[name]`` gives one by its name.
    n_subjects : int
        The number of subjects, such as data sets.
    """

    effects: tuple[Effect, ...]
    n_subjects: int

    def __getitem__(self, name: str) -> Effect:
        for effect in self.effects:
            if is_one_of(name, (effect.name,)):
                return effect
        raise KeyError(
            f"there is no effect {brief(name)}: choose from "
            f"{', '.join(e.name for e in self.effects)}"
        )

    def verdict(self, alpha: float = 0.05) -> str:
        """Which effects are significant, as a sentence."""
        level = real_number(alpha, "alpha")
        found = [f"{e.name} (p = {e.p:.4g})" for e in self.effects if e.p < level]
        return f"significant at {level:g}: {', '.join(found) if found else 'none of the effects'}"

    def _view(self) -> View:
        rows = [
            (e.name, e.F, e.df_num, e.df_den, e.p, e.p_gg, e.p_hf, e.partial_eta_squared)
            for e in self.effects
        ]
        head = ["effect", "F", "df", "df error", "p", "p (GG)", "p (HF)", "partial eta²"]
        return View(tables=[Table(head, rows)], verdict=[self.verdict()])


def repeated_measures_anova(scores: ArrayLike, *, factors: tuple[str, str] = ("A", "B")) -> Anova:
    """Analyse scores of shape (subjects, levels of A, levels of B).

    Each effect is compared with its interaction with the subjects, by an F-test.

    Use it for scores with two factors, such as learners and numbers of training rows, on the same
    subjects.

    References
    ----------
    Hope & Korb (2004), Section 5.1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=(10, 3, 2)) + np.array([0.0, 0.0, 3.0])[:, None]
    >>> anova = repeated_measures_anova(scores, factors=("learner", "size"))
    >>> anova["learner"].p < 0.001, anova["learner"].df_num, anova["learner"].df_den
    (True, 2, 18)
    """
    y = real_numbers(scores, "scores")
    if y.ndim != 3 or min(y.shape) < 2:
        raise ValueError(
            "a two-factor design needs an array (subjects, levels of A, levels of B) with at least "
            f"2 of each, got shape {y.shape}"
        )
    if not np.isfinite(y).all():
        raise ValueError("some scores are missing: leave out subjects with missing scores first")
    factors = check_names(factors, "factors")
    n, a, b = y.shape
    a_contrasts, b_contrasts = _contrasts(a), _contrasts(b)
    mean_a, mean_b = np.full((1, a), 1 / np.sqrt(a)), np.full((1, b), 1 / np.sqrt(b))
    parts = (
        (factors[0], np.kron(a_contrasts, mean_b)),
        (factors[1], np.kron(mean_a, b_contrasts)),
        (f"{factors[0]}:{factors[1]}", np.kron(a_contrasts, b_contrasts)),
    )
    flat, rounding = y.reshape(n, a * b), ROUNDING * float(np.abs(y).max())
    contrasts = ((name, flat @ contrast.T) for name, contrast in parts)
    # of equal scores, rounding errors would be compared with rounding errors
    return Anova(
        tuple(_effect(name, np.where(np.abs(z) <= rounding, 0.0, z)) for name, z in contrasts), n
    )


def _contrasts(levels: int) -> Floats:
    """Orthonormal contrasts (Helmert) of a factor, one per row."""
    from scipy.linalg import helmert

    return np.asarray(helmert(levels))


def _effect(name: str, z: Floats) -> Effect:
    """The F-test that all contrasts of an effect are zero, from the subjects' contrast values."""
    from scipy.stats import f

    n, q = z.shape
    mean = z.mean(axis=0)
    effect = n * float(mean @ mean)
    error = float(((z - mean) ** 2).sum())
    df_num, df_den = q, q * (n - 1)
    F = ratio(effect / df_num, error / df_den)
    gg, hf = _epsilons(z)
    p, p_gg, p_hf = (float(f.sf(F, df_num * e, df_den * e)) for e in (1.0, gg, hf))
    eta = effect / (effect + error) if effect + error > 0 else 0.0
    return Effect(name, F, df_num, df_den, p, gg, p_gg, hf, p_hf, eta)


def _epsilons(z: Floats) -> tuple[float, float]:
    """Greenhouse & Geisser's and Huynh & Feldt's estimates of sphericity."""
    n, q = z.shape
    covariance = np.atleast_2d(np.cov(z, rowvar=False))
    square = float((covariance**2).sum())
    gg = float(np.trace(covariance)) ** 2 / (q * square) if square > 0 else 1.0
    divisor = q * (n - 1 - q * gg)
    if n == 2:  # 0/0; whenever gg is at its least, 1/q, so is the other one, for any n
        return gg, gg
    hf = (n * q * gg - 2) / divisor if divisor > 0 else 1.0
    return gg, float(min(max(hf, gg), 1.0))


def bonferroni_intervals(
    scores: ArrayLike, *, names: Sequence[str] | None = None, alpha: float = 0.05
) -> dict[tuple[str, str], Outcome]:
    """Paired differences of all columns with simultaneous intervals by Bonferroni.

    Hope & Korb (2004) show such intervals for the learners after the analysis of variance.

    Parameters
    ----------
    scores : array-like of shape (subjects, levels)
        Scores, averaged over the other factor.

    Examples
    --------
    >>> pairs = bonferroni_intervals([[1, 2, 5], [2, 3, 7], [1, 3, 6]], names=["a", "b", "c"])
    >>> sorted(pairs)
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    check_alpha(alpha)
    y = real_numbers(scores, "scores")
    if y.ndim != 2 or y.shape[1] < 2:
        raise ValueError(f"intervals need a table (subjects, levels), got shape {y.shape}")
    named = [f"level {j + 1}" for j in range(y.shape[1])] if names is None else list(names)
    pairs = list(combinations(range(y.shape[1]), 2))
    return {
        (named[i], named[j]): paired_t(
            y[:, i], y[:, j], alpha=alpha / len(pairs), names=(named[i], named[j])
        )
        for i, j in pairs
    }
