"""What a probability earns as a bet: rewards in bits, relative to what was known before.

A report p' is paid by how much better it is than a prior p.  Good's (1952) fee knows only two
equally likely classes; Kononenko & Bratko (1991) and Hope & Korb (2002) bring in the prior but do
not pay honesty best; the Bayesian information reward of Hope & Korb (2004), `information_reward`,
does both, and is 0 for a report that repeats the prior.

A report that gave the truth no chance at all earns minus infinity, and so does the mean over rows
that hold one; ``clip=`` is the explicit choice of those who want a finite number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from wager._tables import row_blocks
from wager._typing import ArrayLike, Floats, Ints
from wager.predictions import (
    align_probabilities,
    check_probabilities,
    check_weights,
    encode_labels,
)
from wager.rewards._priors import check_prior


@dataclass(frozen=True)
class ProbabilityReward:
    """A reward of one row: what it is called, its formula, and whether it is counted in bits.

    The formula takes probabilities (rows by classes), codes of the true classes and the prior, and
    gives one number a row, in nats where it is counted in bits.
    """

    name: str
    title: str
    formula: Callable[[Floats, Ints, Floats], Floats]
    in_bits: bool = True

    def rows(
        self, proba: Floats, truth: Ints, prior: Floats, base: float, clip: float | None
    ) -> Floats:
        """The reward of every row, in logarithms to ``base``."""
        rewards = np.empty(len(proba))
        with np.errstate(divide="ignore"):  # the logarithm of 0 is meant: minus infinity
            for block in row_blocks(*proba.shape):
                p = proba[block] if clip is None else np.clip(proba[block], clip, 1 - clip)
                rewards[block] = self.formula(p, truth[block], prior)
        return rewards / np.log(base) if self.in_bits and base != math.e else rewards


def _good(p: Floats, truth: Ints, prior: Floats) -> Floats:
    named = p.argmax(axis=1)
    confidence = pick(p, named)
    return np.log(2.0) + np.log(np.where(named == truth, confidence, 1 - confidence))


def _kononenko_bratko(p: Floats, truth: Ints, prior: Floats) -> Floats:
    said, before = pick(p, truth), prior[truth]
    gain, loss = np.log(said) - np.log(before), np.log1p(-before) - np.log1p(-said)
    return np.where(said >= before, gain, loss)


def _information_2002(p: Floats, truth: Ints, prior: Floats) -> Floats:
    others = p.copy()
    others[np.arange(len(p)), truth] = 0
    spent = np.log(pick(p, truth)) / np.log(prior)[truth]
    spent += np.log1p(-others) @ (1 / np.log1p(-prior))
    return 1 - spent / p.shape[1]


def _information(p: Floats, truth: Ints, prior: Floats) -> Floats:
    n_rows, n_classes = p.shape
    starts = np.arange(0, n_rows * n_classes, n_classes)
    others = np.subtract(1, p, order="C").ravel()
    others[starts + truth] = 1
    # One logarithm serves all wrong classes: their product cannot underflow, since at most one
    # of them can be close to 0 when the p' sum to 1.
    missed = np.log(pick(p, truth)) + np.log(np.multiply.reduceat(others, starts))
    return _bounds(prior)[truth] + missed / n_classes


def pick(p: Floats, column: Ints) -> Floats:
    """One number of each row."""
    return p[np.arange(len(p)), column]


def _bounds(prior: Floats) -> Floats:
    against = np.log1p(-prior)
    return -(np.log(prior) + (against.sum() - against)) / len(prior)


GOOD = ProbabilityReward("good_reward", "Good", _good)
KONONENKO_BRATKO = ProbabilityReward("kononenko_bratko", "Kononenko-Bratko", _kononenko_bratko)
INFORMATION_2002 = ProbabilityReward(
    "information_reward_2002", "information reward 2002", _information_2002, in_bits=False
)
INFORMATION = ProbabilityReward("information_reward", "information reward 2004", _information)


def good_reward(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    base: float = 2.0,
    clip: float | None = None,
    per_row: bool = False,
) -> float | Floats:
    """Pay Good's fair fee for the class that was named with the largest probability.

    ``1 + log2 p'`` if that class is true, ``1 + log2(1 - p')`` if not (Good, 1952; Hope & Korb,
    2004, Eqs 2a and 2b): a certain hit earns one bit, a report of one half nothing.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels.
    proba : array-like of shape (n_rows, n_classes)
        Reported probabilities p'; of equally probable classes the first is the one named.
    sample_weight : array-like of shape (n_rows,), optional
        Weights of the rows.
    classes : array-like of shape (n_classes,), optional
        The classes of the columns.
    base : float, default=2
        Base of the logarithms: 2 for bits, ``math.e`` for nats.
    clip : float, optional
        Move probabilities into [clip, 1 - clip] first; by default a certain error earns minus
        infinity.
    per_row : bool, default=False
        Return the reward of every row instead of their mean.

    Returns
    -------
    float, or ndarray of shape (n_rows,)

    Examples
    --------
    >>> good_reward([0, 1], [[0.5, 0.5], [0.0, 1.0]])
    0.5
    """
    return _reward(GOOD, y_true, proba, None, sample_weight, classes, base, clip, per_row)


def kononenko_bratko(
    y_true: ArrayLike,
    proba: ArrayLike,
    prior: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    base: float = 2.0,
    clip: float | None = None,
    per_row: bool = False,
) -> float | Floats:
    """Pay what the report said about the true class beyond its prior.

    ``log p' - log p`` where p' >= p, ``-log(1 - p') + log(1 - p)`` below it, p' and p being those
    of the true class (Kononenko & Bratko, 1991; Hope & Korb, 2004, Eqs 3a and 3b).  It stays
    finite for certain errors, which is what Hope & Korb hold against it.

    Parameters
    ----------
    y_true, proba, sample_weight, classes, base, clip, per_row
        As in `good_reward`.
    prior : array-like of shape (n_classes,), optional
        Prior probabilities, all strictly between 0 and 1, from *training* data (see
        `prior_from_labels`) or from elsewhere; uniform by default, never taken from ``y_true``.

    Returns
    -------
    float, or ndarray of shape (n_rows,)

    Examples
    --------
    >>> kononenko_bratko([0, 1], [[1.0, 0.0], [1.0, 0.0]], per_row=True)
    array([ 1., -1.])
    """
    return _reward(
        KONONENKO_BRATKO, y_true, proba, prior, sample_weight, classes, base, clip, per_row
    )


def information_reward_2002(
    y_true: ArrayLike,
    proba: ArrayLike,
    prior: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    clip: float | None = None,
    per_row: bool = False,
) -> float | Floats:
    """Pay the Bayesian information reward as first published, which does not pay honesty best.

    The mean over classes of ``1 - log p' / log p`` for the true class and
    ``1 - log(1 - p') / log(1 - p)`` for the others (Hope & Korb, 2004, Eq. 4).  It is a ratio of
    logarithms, so it has no base.  Its best report is not the true frequency unless the prior is
    one half (their Theorem 1; see `optimal_report_2002`): use `information_reward` instead.

    Parameters
    ----------
    y_true, proba, sample_weight, classes, clip, per_row
        As in `good_reward`.
    prior : array-like of shape (n_classes,), optional
        As in `kononenko_bratko`.

    Returns
    -------
    float, or ndarray of shape (n_rows,)

    Examples
    --------
    >>> information_reward_2002([0], [[0.25, 0.75]], prior=[0.5, 0.5])
    -1.0
    """
    return _reward(
        INFORMATION_2002, y_true, proba, prior, sample_weight, classes, math.e, clip, per_row
    )


def information_reward(
    y_true: ArrayLike,
    proba: ArrayLike,
    prior: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    base: float = 2.0,
    clip: float | None = None,
    per_row: bool = False,
) -> float | Floats:
    """Pay the Bayesian information reward IR_B: what the whole report adds to the prior.

    The mean over classes of ``log(p' / p)`` for the true class and ``log((1 - p') / (1 - p))`` for
    the others (Hope & Korb, 2004, Eq. 10).  It is 0 for a report that repeats the prior, largest
    in expectation for the true frequencies, at most `information_reward_bound`, and minus infinity
    for a report that ruled the truth out.

    Parameters
    ----------
    y_true, proba, sample_weight, classes, base, clip, per_row
        As in `good_reward`.
    prior : array-like of shape (n_classes,), optional
        As in `kononenko_bratko`.

    Returns
    -------
    float, or ndarray of shape (n_rows,)

    Examples
    --------
    >>> information_reward(["a", "b"], [[0.5, 0.5], [0.0, 1.0]])
    0.5
    >>> information_reward([0], [[0.0, 1.0]])
    -inf
    """
    return _reward(INFORMATION, y_true, proba, prior, sample_weight, classes, base, clip, per_row)


def information_reward_bound(
    prior: ArrayLike,
    true_class: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    base: float = 2.0,
) -> float | Floats:
    """The most that IR_B can pay when a given class is true: what a certain hit earns.

    ``(-log p_t - sum over i != t of log(1 - p_i)) / K`` for the true class t.

    Parameters
    ----------
    prior : array-like of shape (n_classes,)
        Prior probabilities, all strictly between 0 and 1.
    true_class : label or array-like of labels
        The true class; a code 0..K-1 unless ``classes`` names the labels.
    classes : array-like of shape (n_classes,), optional
        The classes of the prior.
    base : float, default=2
        Base of the logarithms.

    Returns
    -------
    float, or ndarray of the shape of ``true_class``

    Examples
    --------
    >>> information_reward_bound([0.5, 0.5], 0)
    1.0
    """
    bounds = _bounds(check_prior(prior, np.size(prior))) / np.log(check_base(base))
    codes, _ = encode_labels(
        np.ravel(np.asarray(true_class)), classes, name="true_class", n_classes=len(bounds)
    )
    return float(bounds[codes[0]]) if np.ndim(true_class) == 0 else bounds[codes]


def optimal_report_2002(frequency: ArrayLike, prior: ArrayLike) -> float | Floats:
    """The report that earns most under the reward of 2002 when one class of two has a frequency.

    ``f log(1 - p) / (f log(1 - p) + (1 - f) log p)`` (Hope & Korb, 2004, Eq. 9): the true
    frequency only where the prior is one half.  Under `information_reward` honesty is best.

    Parameters
    ----------
    frequency : float or array-like
        Frequency f of the class, in [0, 1].
    prior : float or array-like
        Its prior probability p, strictly between 0 and 1.

    Examples
    --------
    >>> optimal_report_2002(0.3, 0.5)
    0.3
    >>> round(optimal_report_2002(0.1, 0.1), 5)
    0.00506
    """
    f, p = np.asarray(frequency, dtype=np.float64), np.asarray(prior, dtype=np.float64)
    if not ((f >= 0) & (f <= 1)).all():
        raise ValueError(f"frequency must lie in [0, 1], got {frequency!r}")
    if not ((p > 0) & (p < 1)).all():
        raise ValueError(f"prior must lie strictly between 0 and 1, got {prior!r}")
    hit, miss = f * np.log1p(-p), (1 - f) * np.log(p)
    report = hit / (hit + miss)
    return float(report) if report.ndim == 0 else report


def kl_divergence(
    true_proba: ArrayLike,
    proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    base: float = 2.0,
    per_row: bool = False,
) -> float | Floats:
    """How far reported probabilities are from known true ones: Kullback-Leibler divergence.

    ``sum p log(p / q)`` with p the truth and q the report (Hope & Korb, 2004, Eq. 1); 0 log 0 is
    0, and a report of 0 for something possible is infinitely far off.

    Parameters
    ----------
    true_proba, proba : array-like of shape (n_rows, n_classes) or (n_classes,)
        The true and the reported probabilities; one distribution serves for every row of the
        other.
    sample_weight : array-like of shape (n_rows,), optional
        Weights of the rows.
    base : float, default=2
        Base of the logarithms.
    per_row : bool, default=False
        Return the divergence of every row instead of their mean.

    Examples
    --------
    >>> kl_divergence([0, 1], [0.5, 0.5])
    1.0
    """
    p = check_probabilities(np.atleast_2d(np.asarray(true_proba)), name="true_proba")
    q = check_probabilities(np.atleast_2d(np.asarray(proba)), name="proba")
    if p.shape[1] != q.shape[1] or (len(p) != len(q) and 1 not in (len(p), len(q))):
        raise ValueError(
            f"true_proba and proba must have the same rows and classes, got the shapes {p.shape} "
            f"and {q.shape}"
        )
    from scipy.special import rel_entr

    divergence = rel_entr(p, q).sum(axis=1) / np.log(check_base(base))
    weights = check_weights(sample_weight, len(divergence))
    return divergence if per_row else weighted_mean(divergence, weights)


def _reward(
    reward: ProbabilityReward,
    y_true: ArrayLike,
    proba: ArrayLike,
    prior: ArrayLike | None,
    sample_weight: ArrayLike | None,
    classes: ArrayLike | None,
    base: float,
    clip: float | None,
    per_row: bool,
) -> float | Floats:
    truth, table, _ = align_probabilities(y_true, proba, classes)
    weights = check_weights(sample_weight, len(table))
    before = check_prior(prior, table.shape[1])
    rewards = reward.rows(table, truth, before, check_base(base), check_clip(clip))
    return rewards if per_row else weighted_mean(rewards, weights)


def weighted_mean(values: Floats, weights: Floats | None) -> float:
    """The mean; a row without weight does not count, even where its value is infinite."""
    if weights is None:
        return float(values.mean())
    counted = weights > 0
    return float(np.average(values[counted], weights=weights[counted]))


def check_base(base: float) -> float:
    """A base of logarithms: a number above 1."""
    if not (np.isfinite(base) and base > 1):
        raise ValueError(
            f"base must be a number above 1, got {base!r}: 2 for bits, math.e for nats"
        )
    return float(base)


def check_clip(clip: float | None) -> float | None:
    """None, or a number in (0, 0.5)."""
    if clip is not None and not 0 < clip < 0.5:
        raise ValueError(
            f"clip must lie strictly between 0 and 0.5, got {clip!r}: None to keep all"
        )
    return clip
