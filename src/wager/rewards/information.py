"""Rewards of probabilities as bets: what a report earns relative to what was known before.

A report p' is paid by how much better it is than a prior p.  Good's (1952) fee knows only two
equally likely classes.  Kononenko & Bratko (1991) and Hope & Korb (2002) include the prior, but
honest reports do not earn most.  The Bayesian information reward of Hope & Korb (2004),
`information_reward`, includes the prior and pays most for honest reports; a report that repeats
the prior earns 0.

A report that gives the true class probability 0 earns minus infinity, and so does the mean over
rows that include one.  Use ``clip=`` if you want a finite number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from wager._tables import (
    along_rows,
    check_weights,
    encode_labels,
    in_order_of,
    named_values,
    real_number,
    real_numbers,
    row_blocks,
    rows_of,
    unmasked,
)
from wager._typing import ArrayLike, Floats, Ints
from wager._visible import brief
from wager.predictions import TopKProbabilities, check_probabilities, row_by_name, same_columns
from wager.rewards._listed_block import ListedBlock
from wager.rewards._measure import HOPE_KORB_2004, Kind, Measure
from wager.rewards._priors import check_prior
from wager.rewards._probability_block import ProbabilityBlock
from wager.rewards._probability_rows import ProbabilityRows
from wager.rewards._registry import as_measure, register

Block: TypeAlias = ProbabilityBlock | ListedBlock


@dataclass(frozen=True, repr=False)
class ProbabilityReward(Measure):
    """A measure of probabilities that is the mean of a reward of each row.

    Parameters
    ----------
    function : callable
        Computes one number per row from probabilities (rows by classes), the codes of the true
        classes and the prior; natural logarithms.
    takes_blocks : bool, default=False
        Whether `function` takes a `ProbabilityBlock` and the prior instead, and so shares what it
        computes with other rewards.
    in_bits : bool, default=True
        Whether the reward is a logarithm, to be divided by that of the base.
    takes_logarithms : bool, default=True
        Whether the formula takes logarithms of probabilities, which ``clip`` keeps finite.
    for_comparison : bool, default=False
        Whether it is shown for comparison with other libraries, below the rewards.
    bounds : callable, optional
        Computes the smallest and the largest reward of a row from the prior, in total or by true
        class; natural logarithms.
    is_proportion : bool, default=False
        Whether the reward of every row is 0 or 1.
    name, greater_is_better, meaning, formula, use, source, range, aliases, title
        As in `Measure`.  A loss (smaller is better) is computed and added up as the reward that
        it is the negative of.
    """

    function: Callable[..., Floats]
    greater_is_better: bool = True
    kind: Kind = field(default="probabilities", kw_only=True)
    in_bits: bool = field(default=True, kw_only=True)
    takes_logarithms: bool = field(default=True, kw_only=True)
    for_comparison: bool = field(default=False, kw_only=True)
    bounds: Callable[[Floats], tuple[ArrayLike, ArrayLike]] | None = field(
        default=None, kw_only=True
    )
    is_proportion: bool = field(default=False, kw_only=True)
    takes_blocks: bool = field(default=False, kw_only=True)

    def __call__(self, tally: Any) -> float:
        """The mean reward, or loss, from a `ProbabilityTally`."""
        return self.sign * tally.sums[self.name].mean

    @property
    def is_read_off_tallies(self) -> bool:
        """Always true: a `ProbabilityTally` contains the sums of every reward."""
        return True

    @property
    def metric(self) -> None:
        """The formula is one of rows; functions of ``(y_true, proba)`` are written separately."""
        return

    @property
    def sign(self) -> int:
        """-1 for a loss."""
        return 1 if self.greater_is_better else -1

    def rows(
        self,
        proba: Floats | TopKProbabilities,
        truth: Ints,
        prior: Floats,
        base: float,
        clip: float | None,
    ) -> Floats:
        """The reward of every row, in logarithms to ``base``."""
        rewards = np.empty(len(proba))
        if isinstance(proba, TopKProbabilities):
            for listed in ListedBlock.split(proba, truth):
                found = self._of_block(listed.clipped(clip), prior, base)
                rewards[listed.listed.rows] = found
            return rewards
        for part in row_blocks(*proba.shape):
            block = ProbabilityBlock(proba[part], truth[part])
            rewards[part] = self._of_block(block.clipped(clip), prior, base)
        return rewards

    def _of_block(self, block: Block, prior: Floats, base: float) -> Floats:
        with np.errstate(divide="ignore"):  # log 0 is minus infinity on purpose
            if self.takes_blocks:
                rewards = self.function(block, prior)
            elif isinstance(block, ListedBlock):  # the formula needs all probabilities
                rewards = np.concatenate(
                    [
                        np.asarray(self.function(proba, block.truth[rows], prior))
                        for rows, proba in block.pieces()
                    ]
                )
            else:
                rewards = np.asarray(self.function(block.proba, block.truth, prior))
        return rewards / np.log(base) if self.in_bits and base != math.e else rewards

    def values(
        self, rows: ProbabilityRows, prior: Floats, base: float, clip: float | None
    ) -> Floats:
        """The reward of every row; clipped only if the formula takes logarithms."""
        clipped_at = clip if self.takes_logarithms else None
        return self.rows(rows.proba, rows.truth, prior, base, clipped_at)

    def block_values(self, block: Block, prior: Floats, base: float, clip: float | None) -> Floats:
        """The same for a block of rows."""
        return self._of_block(block.clipped(clip if self.takes_logarithms else None), prior, base)

    def limits(self, prior: Floats, base: float) -> tuple[Floats, Floats]:
        """The smallest and the largest possible reward by true class; infinite if not known."""
        low, high = (-np.inf, np.inf) if self.bounds is None else self.bounds(prior)
        unit = np.log(base) if self.in_bits else 1.0
        shape = len(prior)
        return np.broadcast_to(low, shape) / unit, np.broadcast_to(high, shape) / unit


def _information(block: Block, prior: Floats) -> Floats:
    missed = block.log_true + block.log_others
    return np.asarray(block.of_truth(_bounds(prior)) + missed / len(prior))


def _bounds(prior: Floats) -> Floats:
    against = np.log1p(-prior)
    return -(np.log(prior) + (against.sum() - against)) / len(prior)


INFORMATION = register(
    ProbabilityReward(
        "information_reward",
        _information,
        takes_blocks=True,
        title="information reward 2004",
        meaning="The bits by which the reported probabilities improve on the prior, over all "
        "classes: IR_B.",
        formula="mean over rows of (1/K) [log(p_t/prior_t) + sum over i != t of "
        "log((1-p_i)/(1-prior_i))]",
        use="Scores probabilities against what the class frequencies alone would earn (0). "
        "Honest probabilities earn most. Minus infinity for predictions that are certain and "
        "wrong.",
        source=f"{HOPE_KORB_2004}, Section 4",
        range="minus infinity to a bound that depends on the prior",
        bounds=lambda prior: (-np.inf, _bounds(prior)),
        aliases=("ir", "ir_b", "information_reward_2004"),
    )
)


def _information_2002(block: Block, prior: Floats) -> Floats:
    spent = block.log_true / block.of_truth(np.log(prior))
    if (prior == prior[0]).all():
        spent += block.log_others / np.log1p(-prior[0])
    else:
        spent += block.weighted_log_others(1 / np.log1p(-prior))
    return 1 - spent / len(prior)


INFORMATION_2002 = register(
    ProbabilityReward(
        "information_reward_2002",
        _information_2002,
        takes_blocks=True,
        in_bits=False,
        meaning="The first form of the information reward, which the true probabilities do not "
        "maximise.",
        formula="1 - log p / log prior for the true class, likewise with 1 - p for the others; "
        "mean",
        use="Only for comparison with published numbers: use information_reward.",
        source=f"{HOPE_KORB_2004}, Section 3",
        range="minus infinity to 1",
        bounds=lambda prior: (-np.inf, 1.0),
        is_rare=True,
    )
)


def _kononenko_bratko(block: Block, prior: Floats) -> Floats:
    said = block.true_p
    gain = block.log_true - block.of_truth(np.log(prior))
    loss = block.of_truth(np.log1p(-prior)) - np.log(1 - said)
    return np.where(said >= block.of_truth(prior), gain, loss)


KONONENKO_BRATKO = register(
    ProbabilityReward(
        "kononenko_bratko",
        _kononenko_bratko,
        takes_blocks=True,
        title="Kononenko-Bratko",
        meaning="The bits by which the probability of the true class improves on its prior.",
        formula="log(p/prior) if p >= prior, else -(log(1-p) - log(1-prior)); true class only; "
        "mean",
        use="The information score of Weka (whose prior is (n+1)/(N+K)). It depends on the "
        "probability of the true class only.",
        source="Kononenko & Bratko (1991)",
        range="log(1 - prior) to -log prior",
        bounds=lambda prior: (np.log1p(-prior), -np.log(prior)),
        aliases=("kb",),
        is_rare=True,
    )
)


def _good(block: Block, prior: Floats) -> Floats:
    confidence = block.largest
    return np.log(2.0) + np.log(np.where(block.is_right, confidence, 1 - confidence))


GOOD = register(
    ProbabilityReward(
        "good_reward",
        _good,
        takes_blocks=True,
        title="Good",
        meaning="The bits won by betting on the class with the largest probability.",
        formula="1 + log2 p if that class is true, 1 + log2(1 - p) if not; mean",
        use="Rewards confident right answers. It ignores the prior, so repeating the prior can "
        "pay.",
        source="Good (1952)",
        range="minus infinity to 1",
        bounds=lambda prior: (-np.inf, np.log(2.0)),
        aliases=("good",),
        is_rare=True,
    )
)


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
    """Good's fair fee for the class with the largest probability.

    ``1 + log2 p'`` if that class is true, ``1 + log2(1 - p')`` if not (Good, 1952; Hope & Korb,
    2004, Eqs 2a and 2b): a certain hit earns one bit, a report of one half earns nothing.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels.
    proba : array-like of shape (n_rows, n_classes)
        Reported probabilities p'; of equally probable classes the first counts as predicted.
    sample_weight : array-like of shape (n_rows,), optional
        Weights of the rows.
    classes : array-like of shape (n_classes,), optional
        The classes of the columns.
    base : float, default=2
        Base of the logarithms: 2 for bits, ``math.e`` for nats.
    clip : float, optional
        Clip probabilities to [clip, 1 - clip] first; by default a certain error earns minus
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
    rows = ProbabilityRows.of(y_true, proba, classes, sample_weight)
    return _reward(GOOD, rows, None, base, clip, per_row)


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
    """How much the probability of the true class improves on its prior.

    ``log p' - log p`` if p' >= p, and ``-log(1 - p') + log(1 - p)`` otherwise, where p' and p are
    the probability and the prior of the true class (Kononenko & Bratko, 1991; Hope & Korb, 2004,
    Eqs 3a and 3b).  It stays finite for certain errors, which Hope & Korb criticise.

    Parameters
    ----------
    y_true, proba, sample_weight, classes, base, clip, per_row
        As in `good_reward`.
    prior : array-like of shape (n_classes,), optional
        Prior probabilities, all strictly between 0 and 1, from *training* data (see
        `prior_from_labels`) or another source; uniform by default, never taken from ``y_true``.

    Returns
    -------
    float, or ndarray of shape (n_rows,)

    Examples
    --------
    >>> kononenko_bratko([0, 1], [[1.0, 0.0], [1.0, 0.0]], per_row=True)
    array([ 1., -1.])
    """
    rows = ProbabilityRows.of(y_true, proba, classes, sample_weight)
    return _reward(KONONENKO_BRATKO, rows, prior, base, clip, per_row)


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
    """The Bayesian information reward as first published; honest reports do not earn most.

    The mean over classes of ``1 - log p' / log p`` for the true class and
    ``1 - log(1 - p') / log(1 - p)`` for the others (Hope & Korb, 2004, Eq. 4).  It is a ratio of
    logarithms, so it has no base.  The best report is not the true frequency unless the prior is
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
    rows = ProbabilityRows.of(y_true, proba, classes, sample_weight)
    return _reward(INFORMATION_2002, rows, prior, math.e, clip, per_row)


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
    """The Bayesian information reward IR_B: what the whole report adds to the prior.

    The mean over classes of ``log(p' / p)`` for the true class and ``log((1 - p') / (1 - p))`` for
    the others (Hope & Korb, 2004, Eq. 10).  It is 0 for a report that repeats the prior, largest
    in expectation for the true frequencies, at most `information_reward_bound`, and minus infinity
    for a report that gives the true class probability 0.

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
    rows = ProbabilityRows.of(y_true, proba, classes, sample_weight)
    return _reward(INFORMATION, rows, prior, base, clip, per_row)


@as_measure(
    kind="probabilities",
    greater_is_better=None,
    meaning="The largest possible information reward for a true class t, given the prior.",
    formula="(1/K) [-log prior_t - sum over i != t of log(1 - prior_i)]",
    use="Divide a reward by it to compare problems with different priors.",
    source=f"{HOPE_KORB_2004}, Section 4",
    range="bits",
)
def information_reward_bound(
    prior: ArrayLike,
    true_class: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    base: float = 2.0,
) -> float | Floats:
    """The largest IR_B that is possible for a true class: what a certain hit earns.

    ``(-log p_t - sum over i != t of log(1 - p_i)) / K`` for the true class t.

    Parameters
    ----------
    prior : array-like of shape (n_classes,)
        Prior probabilities, all strictly between 0 and 1.
    true_class : label or array-like of labels
        The true class; a code 0..K-1 unless ``classes`` lists the labels.
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
    named = named_values(prior, "prior")
    if named is not None:
        classes = list(named) if classes is None else classes
        prior = in_order_of(np.asarray(classes).tolist(), prior, "prior", "classes")
    bounds = _bounds(check_prior(prior, np.size(prior))) / np.log(check_base(base))
    labels = np.ravel(np.asarray(unmasked(true_class)))
    codes, _ = encode_labels(labels, classes, name="true_class", n_classes=len(bounds))
    return float(bounds[codes[0]]) if np.ndim(true_class) == 0 else bounds[codes]


@as_measure(
    kind="probabilities",
    greater_is_better=None,
    meaning="The report that earns most under the 2002 reward; it is not the true probability.",
    formula="f log(1-p) / (f log(1-p) + (1-f) log p) for a true frequency f and a prior p",
    use="Shows why the 2002 reward was replaced.",
    source=f"{HOPE_KORB_2004}, Theorem 1",
    range="0 to 1",
)
def optimal_report_2002(frequency: ArrayLike, prior: ArrayLike) -> float | Floats:
    """The report that earns most under the reward of 2002, for a class of known frequency.

    ``f log(1 - p) / (f log(1 - p) + (1 - f) log p)`` for one of two classes (Hope & Korb, 2004,
    Eq. 9).  This is the true frequency only if the prior is one half.  Under `information_reward`
    honest reports earn most.

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
    f, p = real_numbers(frequency, "frequency"), real_numbers(rows_of(frequency, prior), "prior")
    if not ((f >= 0) & (f <= 1)).all():
        raise ValueError(f"frequency must lie in [0, 1], got {brief(frequency)}")
    if not ((p > 0) & (p < 1)).all():
        raise ValueError(f"prior must lie strictly between 0 and 1, got {brief(prior)}")
    hit, miss = f * np.log1p(-p), (1 - f) * np.log(p)
    report = hit / (hit + miss)
    return float(report) if report.ndim == 0 else report


@as_measure(
    kind="probabilities",
    greater_is_better=False,
    meaning="The bits lost by reporting these probabilities instead of the true ones.",
    formula="mean over rows of sum over classes of p log(p/q)",
    use="For data with known probabilities, such as artificial data. 0 is best.",
    source=f"{HOPE_KORB_2004}, Equation 1",
    range="0 (best) to infinity",
)
def kl_divergence(
    true_proba: ArrayLike,
    proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    base: float = 2.0,
    per_row: bool = False,
) -> float | Floats:
    """How far reported probabilities are from known true ones: Kullback-Leibler divergence.

    ``sum p log(p / q)`` with true probabilities p and reported ones q (Hope & Korb, 2004, Eq. 1).
    0 log 0 is 0; the divergence is infinite if a possible class is reported with probability 0.

    Parameters
    ----------
    true_proba, proba : array-like of shape (n_rows, n_classes) or (n_classes,)
        The true and the reported probabilities; a single distribution is compared with every row
        of the other argument.  The columns of frames, and the values of a Series, are matched by
        name.
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
    true_proba, proba = row_by_name(true_proba, "true_proba"), row_by_name(proba, "proba")
    true_proba, proba, _ = same_columns(true_proba, proba, ("true_proba", "proba"))
    p = check_probabilities(np.atleast_2d(np.asarray(unmasked(true_proba))), name="true_proba")
    q = check_probabilities(np.atleast_2d(np.asarray(unmasked(proba))), name="proba")
    if p.shape[1] != q.shape[1] or (len(p) != len(q) and 1 not in (len(p), len(q))):
        raise ValueError(
            f"true_proba and proba must have the same rows and classes, got the shapes {p.shape} "
            f"and {q.shape}"
        )
    from scipy.special import rel_entr

    divergence = along_rows(np.add, rel_entr(p, q))[:, 0] / np.log(check_base(base))
    weights = check_weights(sample_weight, len(divergence))
    return divergence if per_row else weighted_mean(divergence, weights)


def _reward(
    reward: ProbabilityReward,
    rows: ProbabilityRows,
    prior: ArrayLike | None,
    base: float,
    clip: float | None,
    per_row: bool,
) -> float | Floats:
    before = rows.prior(prior)
    rewards = reward.rows(rows.proba, rows.truth, before, check_base(base), check_clip(clip))
    return rewards if per_row else weighted_mean(rewards, rows.weights)


def weighted_mean(values: Floats, weights: Floats | None) -> float:
    """The mean; rows of weight 0 do not count, even if their value is infinite."""
    if weights is None:
        return float(values.mean())
    counted = weights > 0
    return float(np.average(values[counted], weights=weights[counted]))


def check_base(base: float) -> float:
    """The base of logarithms, if it is a number above 1."""
    if not (np.isfinite(real_number(base, "base")) and base > 1):
        raise ValueError(
            f"base must be a number above 1, got {brief(base)}: use 2 for bits, math.e for nats"
        )
    return float(base)


def check_clip(clip: float | None) -> float | None:
    """The clip, if it is None or a number in (0, 0.5)."""
    if clip is not None and not 0 < real_number(clip, "clip") < 0.5:
        raise ValueError(
            f"clip must lie strictly between 0 and 0.5, got {brief(clip)}: use None for no clipping"
        )
    return clip
