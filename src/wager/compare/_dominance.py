"""Stochastic dominance: a winner for every risk-averse decision maker, without a fixed utility.

One classifier dominates another in the first order if it earns at least any given reward at least
as often; then everyone who prefers more reward to less prefers it.  It dominates in the second
order if its mean reward is at least as large under every cap; then everyone averse (or neutral) to
risk prefers it.  Both mean that certain means over the joint counts are not negative, one for each
level of reward, and each of them can be tested.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from wager._tables import ROUNDING, require_kind
from wager._typing import Floats
from wager._visible import brief
from wager.compare._outcome import Outcome, check_alpha, check_names, show_p
from wager.compare._propositions import proposition
from wager.compare._simultaneous import Adjustment
from wager.compare._unpaired import Means, difference_interval, difference_p_values
from wager.rewards import (
    PairedTally,
    Tally,
    first_order_dominates,
    get_utility,
    mean_p_values,
    rewards_of,
    same_law,
    second_order_dominates,
)

Verdict = Literal["a", "b", "equal", "none"]

_NEUTRAL = 0.0  # p-value of a level at which no row differs: it does not stand in the way
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
    require_kind(tally_a, "tally_a", Tally)
    require_kind(tally_b, "tally_b", Tally)
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
    alpha: float = 0.05,
    names: tuple[str, str] = ("A", "B"),
    adjustment: Adjustment | None = None,
) -> Outcome:
    """Whether everyone prefers one classifier, with a test: stochastic dominance.

    Dominance requires a lead at every level of reward: of the probability to reach it (order 1),
    or of the mean reward capped at it (order 2).  Each lead is tested two-sidedly, and dominance is
    significant if the least significant of them is; so the classifier may be chosen after looking
    at the data.

    Parameters
    ----------
    a : PairedTally, or Tally of the first classifier
        A paired tally of both on the same rows; two tallies are treated as counted on different
        rows.
    b : Tally, optional
        The second classifier, if ``a`` is a plain tally.
    order : {1, 2}, default=2
        1 for everyone who prefers more reward to less, 2 for everyone averse to risk.
    alpha : float, default=0.05
        The level of the test.
    names : pair of str
        The names of the two classifiers in the sentence.
    adjustment : Adjustment, optional
        The adjustment of the p-values, if the test is part of a larger report.

    Returns
    -------
    Outcome
        ``p`` is two-sided: the largest p-value of the leads that dominance requires; 1 if neither
        dominates.  ``statistic`` is the smallest lead, ``effect`` the difference in mean reward.
        ``details`` contains the ``winner`` (as `objective_winner` returns it), the p-values of the
        opposite hypotheses that a (that b) does dominate (``p_refuted_a``, ``p_refuted_b``,
        adjusted for the number of levels), and the number of the ``proposition`` that decides by
        theorem, if one does.

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
        raise ValueError(f"order must be 1 or 2, got {brief(order)}")
    if isinstance(a, PairedTally) == (b is not None):
        raise ValueError("pass one paired tally, or two tallies: dominance(tally_a, tally_b)")
    tally_a, tally_b = (a.a, a.b) if isinstance(a, PairedTally) else (a, b)
    require_kind(tally_a, "a", Tally, PairedTally)
    require_kind(tally_b, "b", Tally)
    require_kind(adjustment, "adjustment", Adjustment, type(None))
    assert tally_b is not None
    names = check_names(names)
    winner = _winner(tally_a, tally_b, order)
    lead, p_levels = _leads(a, tally_b, order)
    adjust = (adjustment or Adjustment()).p
    p = adjust(float(p_levels.max())) if winner in ("a", "b") else 1.0
    refuted = {
        f"p_refuted_{side}": adjust(_refuted(sign * lead, p_levels))
        for side, sign in (("a", 1), ("b", -1))
    }
    theorem = proposition(tally_a, tally_b, names=names)
    known = tally_a.sums.is_law and tally_b.sums.is_law
    verdict = _words(winner, p, refuted, order, names, alpha)
    if known:  # no sample: the verdict is a fact
        verdict = _fact(winner, order, names)
    if theorem is not None and winner != "equal":
        verdict += f"; {theorem.words}" if known else f"; in this sample, {theorem.words}"
    effect, interval = _mean_difference(a, tally_a, tally_b, alpha)
    return Outcome(
        f"{_ORDERS[order]} stochastic dominance",
        float(np.min(-lead if winner == "b" else lead)),
        p,
        effect,
        interval,
        verdict,
        {
            "winner": winner,
            "order": order,
            **refuted,
            "proposition": None if theorem is None else theorem.number,
        },
    )


# -- the leads that dominance requires to be positive ------------------------------------------


def _leads(a: PairedTally | Tally, tally_b: Tally, order: int) -> tuple[Floats, Floats]:
    """The lead of the first classifier at each level of reward, and two-sided p-values."""
    if isinstance(a, PairedTally):
        a.a.require_rows()
        size_a, hit_a, size_b, hit_b = a.outcomes.T
        reward_a, reward_b = rewards_of(size_a, hit_a), rewards_of(size_b, hit_b)
        levels = _positive(reward_a, reward_b)
        gain = (_reached(order, reward_a, levels) - _reached(order, reward_b, levels)).T
        most = _most(order, levels)
        lead = gain @ (a.counts / a.n)
        p = mean_p_values(gain, a.sums, -most, most)
        return lead, np.where((gain == 0).all(axis=1), _NEUTRAL, p)
    first, second = (
        _means(tally, order, _positive(a.reward_law()[0], tally_b.reward_law()[0]))
        for tally in (a, tally_b)
    )
    lead = first.mean - second.mean
    if first.sums.is_law and second.sums.is_law:  # known distributions differ or they do not
        return lead, np.zeros(len(lead))
    return lead, difference_p_values(first, second)


def _means(tally: Tally, order: int, levels: Floats) -> Means:
    size, hit, _ = tally.cells
    values = _reached(order, rewards_of(size, hit), levels).T
    return Means(values, tally.sums, np.zeros(len(levels)), _most(order, levels))


def _reached(order: int, reward: Floats, levels: Floats) -> Floats:
    """The contribution of a reward at each level: whether it reaches it, or the smaller one."""
    earned = reward[:, None]
    return (earned >= levels - ROUNDING).astype(float) if order == 1 else np.minimum(earned, levels)


def _most(order: int, levels: Floats) -> Floats:
    """The largest contribution at each level."""
    return np.ones(len(levels)) if order == 1 else levels


def _positive(*rewards: Floats) -> Floats:
    """The levels at which the distributions can differ; only 1 if no reward is positive."""
    found = np.unique(np.concatenate(rewards))
    return found[found > 0] if found[-1] > 0 else np.ones(1)


def _refuted(lead: Floats, p: Floats) -> float:
    """The p-value that a classifier does dominate, from the levels at which it is behind."""
    behind = (lead < -ROUNDING) & (p != _NEUTRAL)
    return min(1.0, len(p) * float(p[behind].min())) if behind.any() else 1.0


# -- effect and sentence ------------------------------------------------------------------------


def _mean_difference(
    a: PairedTally | Tally, tally_a: Tally, tally_b: Tally, alpha: float
) -> tuple[float, tuple[float, float]]:
    if isinstance(a, PairedTally):
        difference = a.difference("linear")
        return difference.mean, difference.interval(1 - alpha)
    worth = get_utility("linear").of_size(np.arange(max(tally_a.n_classes, tally_b.n_classes) + 1))
    first, second = (Means.of(worth[None], tally) for tally in (tally_a, tally_b))
    low, high = difference_interval(first, second, 1 - alpha)
    return (first.mean - second.mean).item(), (low.item(), high.item())


def _fact(winner: Verdict, order: int, names: tuple[str, str]) -> str:
    """The verdict about two known distributions."""
    if winner == "equal":
        return f"the rewards of {names[0]} and {names[1]} have the same distribution"
    if winner == "none":
        return f"opinions differ: neither {names[0]} nor {names[1]} is preferred by all"
    better, worse = names if winner == "a" else names[::-1]
    return f"{_EVERYONE[order]} prefers {better} to {worse}"


def _words(
    winner: Verdict,
    p: float,
    refuted: dict[str, float],
    order: int,
    names: tuple[str, str],
    alpha: float,
) -> str:
    if winner == "equal":
        return f"the rewards of {names[0]} and {names[1]} have the same distribution in this sample"
    if winner == "none":
        neither = f"neither {names[0]} nor {names[1]} is preferred by all"
        if max(refuted.values()) < alpha:
            return f"opinions differ significantly: {neither}"
        return f"in this sample opinions differ: {neither}"
    better, worse = names if winner == "a" else names[::-1]
    words = f"{_EVERYONE[order]} prefers {better} to {worse}"
    if p < alpha:
        return f"{words} ({show_p(p)})"
    return f"in this sample {words}, but not significantly ({show_p(p)})"
