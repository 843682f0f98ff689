"""Stochastic dominance: a winner for every risk-averse decision maker, without a fixed utility.

One classifier dominates another in the first order if it earns at least any given reward at least
as often; then everyone who prefers more reward to less prefers it.  It dominates in the second
order if its mean reward is at least as large under every cap; then everyone averse (or neutral) to
risk prefers it.  Both mean that certain sums over the joint counts are not negative, so a bootstrap
of the rows is a bootstrap of those counts.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from wager._typing import Floats
from wager.compare._outcome import Outcome, check_alpha
from wager.compare._propositions import proposition
from wager.costs import ROUNDING
from wager.rewards import (
    Estimate,
    PairedTally,
    Tally,
    first_order_dominates,
    rewards_of,
    same_law,
    second_order_dominates,
)

Verdict = Literal["a", "b", "equal", "none"]

_CELLS = 1 << 20  # resampled counts in memory at a time
_DOMINATES = {1: first_order_dominates, 2: second_order_dominates}
_ORDERS = {1: "first-order", 2: "second-order"}
_EVERYONE = {
    1: "everyone who prefers more reward to less",
    2: "everyone who is averse or neutral to risk",
}


def objective_winner(tally_a: Tally, tally_b: Tally) -> Verdict:
    """The classifier that everyone averse (or neutral) to risk prefers, if there is one.

    The criterion is second-order stochastic dominance of the rewards.  Zaffalon, Corani & Mauá
    (2012, Sec. 7) decide by equal means and the smaller variance, which is valid for quadratic
    utilities only (`least_variance_winner`).  `dominance` tests whether the result is significant.

    Returns
    -------
    {"a", "b", "equal", "none"}
        ``"equal"`` if the rewards have the same distribution, ``"none"`` if opinions differ.

    Examples
    --------
    >>> vacuous = Tally.of([0, 1], [[True, True], [True, True]])
    >>> random = Tally.of([0, 1], [[True, False], [True, False]])
    >>> objective_winner(vacuous, random)
    'a'
    """
    return _winner(tally_a, tally_b, 2)


def _winner(tally_a: Tally, tally_b: Tally, order: int) -> Verdict:
    if same_law(tally_a, tally_b):
        return "equal"
    if _DOMINATES[order](tally_a, tally_b):
        return "a"
    return "b" if _DOMINATES[order](tally_b, tally_a) else "none"


def dominance(
    a: PairedTally | Tally,
    b: Tally | None = None,
    *,
    order: int = 2,
    n_boot: int = 2000,
    random_state: int | np.random.Generator | None = 0,
    alpha: float = 0.05,
    names: tuple[str, str] = ("A", "B"),
) -> Outcome:
    """Whether everyone prefers one classifier, with a test: stochastic dominance.

    Parameters
    ----------
    a : PairedTally, or Tally of the first classifier
        With a paired tally the rows are resampled; two tallies are resampled separately, as if
        they came from different rows.
    b : Tally, optional
        The second classifier, if ``a`` is a plain tally.
    order : {1, 2}, default=2
        1 for everyone who prefers more reward to less, 2 for everyone averse to risk.
    n_boot : int, default=2000
        The number of times that the rows are resampled.

    Returns
    -------
    Outcome
        ``p`` is the fraction of resamples in which the winner does not dominate, a test of the
        hypothesis that it does not; at least the probability that all rows on which the two differ
        favour the same side, so that a few rows are never significant.  ``statistic`` is the
        smallest of the leads that dominance requires to be positive, ``effect`` the difference in
        mean reward.  ``details`` contains the ``winner`` (as `objective_winner` returns it), the
        fractions of resamples that each one wins, p-values of the opposite hypotheses that a (that
        b) does dominate (``p_refuted_a``, ``p_refuted_b``, after Barrett & Donald, 2003), and the
        number of the ``proposition`` that decides by theorem, if one does.

    Examples
    --------
    >>> y = [0] * 400
    >>> cautious = [[0]] * 200 + [[0, 1]] * 200
    >>> guessing = [0] * 280 + [1] * 120              # right in 80 of the last 200 rows
    >>> outcome = dominance(PairedTally.of(y, cautious, guessing), names=("cautious", "guessing"))
    >>> outcome.details["winner"], outcome.p < 0.05
    ('a', True)
    """
    check_alpha(alpha)
    if order not in _ORDERS:
        raise ValueError(f"order must be 1 or 2, got {order!r}")
    if n_boot < 1:
        raise ValueError(f"n_boot must be at least 1, got {n_boot!r}")
    paired = isinstance(a, PairedTally)
    if paired == (b is not None):
        raise ValueError("pass one paired tally, or two tallies: dominance(tally_a, tally_b)")
    tally_a, tally_b = (a.a, a.b) if isinstance(a, PairedTally) else (a, b)
    assert tally_b is not None
    winner = _winner(tally_a, tally_b, order)
    samples = (
        [_joint(a, order)] if isinstance(a, PairedTally) else _separate(tally_a, tally_b, order)
    )
    lead = np.sum([share @ gain for gain, share, _ in samples], axis=0)
    rng = np.random.default_rng(random_state)
    shares = _resampled(samples, lead, n_boot, rng)
    share = {"a": shares["share_a"], "b": shares["share_b"]}
    p = max(1 - share.get(winner, max(share.values())), _least_p(a, tally_a, tally_b))
    theorem = proposition(tally_a, tally_b, names=names)
    verdict = _words(winner, p, shares, order, names, alpha)
    effect, interval = _mean_difference(a, tally_a, tally_b, alpha)
    return Outcome(
        f"{_ORDERS[order]} stochastic dominance",
        float(np.min(-lead if winner == "b" else lead)),
        p,
        effect,
        interval,
        verdict if theorem is None or winner == "equal" else f"{verdict}; {theorem.words}",
        {
            "winner": winner,
            "order": order,
            **shares,
            "n_boot": n_boot,
            "proposition": None if theorem is None else theorem.number,
        },
    )


# -- the sums that dominance requires to be positive -------------------------------------------

Sample = tuple[Floats, Floats, float]  # contributions (cells, levels), shares of cells, rows


def _levels(order: int, reward: Floats, levels: Floats) -> Floats:
    """The contribution of a reward at each level: whether it reaches it, or the smaller one."""
    earned = reward[:, None]
    return (earned >= levels - ROUNDING).astype(float) if order == 1 else np.minimum(earned, levels)


def _joint(paired: PairedTally, order: int) -> Sample:
    paired.a.require_rows()
    size_a, hit_a, size_b, hit_b = paired.outcomes.T
    reward_a, reward_b = rewards_of(size_a, hit_a), rewards_of(size_b, hit_b)
    levels = _positive(reward_a, reward_b)
    gain = _levels(order, reward_a, levels) - _levels(order, reward_b, levels)
    return gain, paired.counts / paired.n, paired.effective_n


def _separate(tally_a: Tally, tally_b: Tally, order: int) -> list[Sample]:
    (reward_a, chance_a), (reward_b, chance_b) = tally_a.reward_law(), tally_b.reward_law()
    levels = _positive(reward_a, reward_b)
    return [
        (_levels(order, reward_a, levels), chance_a, tally_a.effective_n),
        (-_levels(order, reward_b, levels), chance_b, tally_b.effective_n),
    ]


def _positive(*rewards: Floats) -> Floats:
    """The levels at which the distributions can differ; only 1 if no reward is positive."""
    found = np.unique(np.concatenate(rewards))
    return found[found > 0] if found[-1] > 0 else np.ones(1)


# -- the bootstrap ------------------------------------------------------------------------------


def _resampled(
    samples: list[Sample], lead: Floats, n_boot: int, rng: np.random.Generator
) -> dict[str, float]:
    """Fractions of resamples in which a, or b, dominates; p-values that a, or b, does not."""
    step = max(1, _CELLS // max(len(share) for _, share, _ in samples))
    won = np.zeros(2)
    beyond = np.zeros(2)
    short = np.array([(-lead).max(), lead.max()])  # by how much a, or b, fails to dominate
    for start in range(0, n_boot, step):
        times = min(step, n_boot - start)
        again = np.sum([_draw(sample, times, rng) for sample in samples], axis=0)
        differs = (np.abs(again) > ROUNDING).any(axis=1)
        drift = again - lead
        for side, sign in enumerate((1, -1)):
            won[side] += (differs & (sign * again >= -ROUNDING).all(axis=1)).sum()
            beyond[side] += ((-sign * drift).max(axis=1) >= short[side] - ROUNDING).sum()
    refuted = np.where(short <= ROUNDING, 1.0, beyond / n_boot)
    return {
        "share_a": float(won[0] / n_boot),
        "share_b": float(won[1] / n_boot),
        "p_refuted_a": float(refuted[0]),
        "p_refuted_b": float(refuted[1]),
    }


def _draw(sample: Sample, times: int, rng: np.random.Generator) -> Floats:
    """Leads of resampled rows, one resample per row; a known distribution does not vary."""
    gain, share, rows = sample
    if np.isnan(rows):
        return np.broadcast_to(share @ gain, (times, gain.shape[1]))
    whole = max(round(rows), 1)
    return rng.multinomial(whole, share / share.sum(), size=times) @ gain / whole


def _least_p(a: PairedTally | Tally, tally_a: Tally, tally_b: Tally) -> float:
    """The smallest possible p: 2 to the power of minus the rows on which the two differ."""
    if not isinstance(a, PairedTally):
        rows = min(tally_a.effective_n, tally_b.effective_n)
        return 0.0 if np.isnan(rows) else float(2.0**-rows)
    size_a, hit_a, size_b, hit_b = a.outcomes.T
    differ = rewards_of(size_a, hit_a) != rewards_of(size_b, hit_b)
    return float(2.0 ** -(a.effective_n * a.counts[differ].sum() / a.n))


# -- effect and sentence ------------------------------------------------------------------------


def _mean_difference(
    a: PairedTally | Tally, tally_a: Tally, tally_b: Tally, alpha: float
) -> tuple[float, tuple[float, float]]:
    if isinstance(a, PairedTally):
        difference = a.difference("linear")
        return difference.mean, difference.interval(1 - alpha)
    first, second = tally_a.estimate("linear"), tally_b.estimate("linear")
    error = float(np.hypot(first.standard_error, second.standard_error))
    value = first.value - second.value
    return value, Estimate(value, error, min(first.n, second.n)).interval(1 - alpha)


def _words(
    winner: Verdict,
    p: float,
    shares: dict[str, float],
    order: int,
    names: tuple[str, str],
    alpha: float,
) -> str:
    if winner == "equal":
        return (
            f"the rewards of {names[0]} and {names[1]} have the same distribution: no user prefers "
            "one of them"
        )
    if winner == "none":
        neither = f"neither {names[0]} nor {names[1]} is preferred by all"
        if max(shares["p_refuted_a"], shares["p_refuted_b"]) < alpha:
            return f"opinions differ significantly: {neither}"
        return f"opinions differ: in this sample {neither}"
    better, worse = names if winner == "a" else names[::-1]
    words = f"{_EVERYONE[order]} prefers {better} to {worse}"
    won = shares["share_a"] if winner == "a" else shares["share_b"]
    share = f"in {100 * won:.1f}% of resamples"
    if p < alpha:
        return f"{words} ({share})"
    if 1 - won < alpha:
        return f"{words} in this sample, but too few rows differ for significance"
    return f"{words} in this sample, but not significantly ({share})"
