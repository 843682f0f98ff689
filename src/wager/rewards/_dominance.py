"""Stochastic dominance between the rewards of two classifiers.

If the rewards of one classifier dominate those of another in the first order, every user who
prefers more to less prefers it; in the second order, every risk-averse user does.  Second-order
dominance, and not smaller variance, decides which classifier is better under every concave
utility; variance decides only for quadratic utilities.  Counts are compared as exact fractions.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, pairwise

import numpy as np

from wager._tables import ROUNDING, require_kind
from wager.rewards._tally import Tally


def first_order_dominates(a: Tally, b: Tally) -> bool:
    """Whether a reaches every reward at least as often as b does (weak dominance).

    Examples
    --------
    >>> right, pair = Tally.of([0], [[True, False]]), Tally.of([0], [[True, True]])
    >>> first_order_dominates(right, pair), first_order_dominates(pair, right)
    (True, False)
    """
    _, gaps, slack = _distribution_gaps(a, b)
    return all(gap <= slack for gap in gaps)


def second_order_dominates(a: Tally, b: Tally) -> bool:
    """Whether every risk-averse or risk-neutral user finds a at least as good as b.

    The area under the distribution function of a's rewards is never larger than that of b's.

    Examples
    --------
    >>> sure = Tally.of([0, 1], [[True, True], [True, True]])
    >>> guess = Tally.of([0, 1], [[True, False], [True, False]])
    >>> second_order_dominates(sure, guess), first_order_dominates(sure, guess)
    (True, False)
    """
    rewards, gaps, slack = _distribution_gaps(a, b)
    strips = ((x1 - x0) * gap for (x0, x1), gap in zip(pairwise(rewards), gaps, strict=False))
    return all(area <= slack for area in accumulate(strips))


def same_law(a: Tally, b: Tally) -> bool:
    """Whether the rewards of both have the same distribution."""
    _, gaps, slack = _distribution_gaps(a, b)
    return all(abs(gap) <= slack for gap in gaps)


def _distribution_gaps(a: Tally, b: Tally) -> tuple[list[Fraction], list[Fraction], Fraction]:
    """The rewards, ascending, F_a - F_b at each of them, and the tolerance for gaps."""
    require_kind(a, "a", Tally)
    require_kind(b, "b", Tally)
    a.require_rows()
    b.require_rows()
    exact = a.table.dtype.kind != "f" and b.table.dtype.kind != "f"
    # misses earn 0; among hits, the largest sets earn least
    sizes = sorted(set(np.flatnonzero(a.table[:, 1])) | set(np.flatnonzero(b.table[:, 1])))[::-1]
    rewards = [Fraction(0), *(Fraction(1, int(k)) for k in sizes)]
    below = [_distribution(tally, [int(k) for k in sizes]) for tally in (a, b)]
    gaps = [x - y for x, y in zip(*below, strict=True)]
    return rewards, gaps, Fraction(0) if exact else Fraction(ROUNDING)


def _distribution(tally: Tally, sizes: list[int]) -> list[Fraction]:
    """The distribution function of the reward at 0 and at 1/size, sizes descending."""
    misses, hits = tally.table[:, 0].sum(), tally.table[:, 1]
    counts = [misses.item(), *(hits[k].item() if k < len(hits) else 0 for k in sizes)]
    total = Fraction(tally.n)
    return [part / total for part in accumulate(map(Fraction, counts))]
