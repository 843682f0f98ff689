"""What a split of a credal tree is worth: imprecise information gain and its relatives.

The gain of a feature is what its branches take from the largest entropy of the node, each branch
weighed by its rows (Abellán & Moral, 2003).  Rounding decides exact ties, so the gain starts from
the entropy of the node and loses the branches one by one, in the order of the values.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from wager._jit import kernel
from wager.learners.trees._c45_gain import GAP
from wager.learners.trees._entropy import LN2, added, lower_entropy, upper_entropy

IIG, IIGR, RANGE = 0, 1, 2
CRITERIA = {"iig": IIG, "iigr": IIGR, "range": RANGE}
LEAST = 1e-6  # a smaller gain is none


class Rule(NamedTuple):
    """How a tree is grown; the parameters of ``CredalTree`` as the loops want them."""

    s: float
    criterion: int
    complete: bool  # every branch of a split must hold rows
    min_rows: float
    max_depth: int
    correction: int
    gamma: float  # of the range criterion
    t_base: float
    n_tried: int  # features that are looked at in a node, drawn at random if not all


@kernel
def entropy_of(counts, start, n_classes, rule, logs):
    """The corrected largest entropy of some counts, and their sum."""
    high, n = upper_entropy(counts, start, n_classes, rule.s, logs)
    if rule.correction != 0:
        high += added(n, n_classes, rule.s, rule.correction)
    return high, n


@kernel
def least_entropy_of(counts, start, n_classes, n, rule, logs):
    return lower_entropy(counts, start, n_classes, rule.s, logs) + added(
        n, n_classes, rule.s, rule.correction
    )


@kernel
def range_score(own, own_low, high, low, n, n_classes, rule):
    """How much a split narrows the entropies; the larger the better (minus imptree's T)."""
    if high >= own:
        return -np.inf
    most = log(n_classes) / LN2 + added(n, n_classes, rule.s, rule.correction)
    t = rule.gamma * (most - own) / (most - high)
    t -= (1 - rule.gamma) * (own_low - low) / (high + abs(low - own_low))
    return 3.0 - t if high < own_low else -t


@kernel
def nominal_gain(cells, start, n_values, n_classes, own, own_low, n, rule, logs):
    """Gain of one branch a value, and the entropy of the branches' sizes.

    The gain is minus infinity for a split that is not allowed.
    """
    gain, info = own, 0.0
    high, low = 0.0, 0.0
    filled = 0
    for a in range(n_values):
        at = start + a * n_classes
        inside, n_a = entropy_of(cells, at, n_classes, rule, logs)
        if n_a > 0.0 and n_a >= rule.min_rows:
            filled += 1
        elif rule.complete:
            return -np.inf, 0.0
        if n_a <= 0.0:
            continue
        gain -= (n_a / n) * inside
        if rule.criterion == IIGR:
            info -= (n_a / n) * (log(n_a / n) / LN2)
        elif rule.criterion == RANGE:
            high += (n_a / n) * inside
            low += (n_a / n) * least_entropy_of(cells, at, n_classes, n_a, rule, logs)
    if filled < 2:
        return -np.inf, 0.0
    if rule.criterion == RANGE:
        gain = range_score(own, own_low, high, low, n, n_classes, rule)
    return gain, info


@kernel
def numeric_gain(values, order, y, weight_of, known, own, own_low, n, rule, logs):
    """The best cut of a sorted column: its gain, the entropy of its sizes, rows on the left."""
    n_classes = len(known)
    right = known.copy()
    left = np.zeros(n_classes, known.dtype)
    best, info, cut = -np.inf, 0.0, 0
    n_left = 0.0
    for i in range(1, len(order)):
        w = weight_of[order[i - 1]]
        c = y[order[i - 1]]
        left[c] += w
        right[c] -= w
        n_left += w
        n_right = n - n_left
        if not values[order[i - 1]] + GAP < values[order[i]]:
            continue
        if n_left < rule.min_rows or n_right < rule.min_rows or n_right <= 0.0:
            continue
        inside_left, _ = entropy_of(left, 0, n_classes, rule, logs)
        inside_right, _ = entropy_of(right, 0, n_classes, rule, logs)
        p, q = n_left / n, n_right / n
        gain = own - p * inside_left - q * inside_right
        if rule.criterion == RANGE:
            low = p * least_entropy_of(left, 0, n_classes, n_left, rule, logs)
            low += q * least_entropy_of(right, 0, n_classes, n_right, rule, logs)
            high = p * inside_left + q * inside_right
            gain = range_score(own, own_low, high, low, n, n_classes, rule)
        if gain > best:
            best, cut = gain, i
            info = -p * (log(p) / LN2) - q * (log(q) / LN2)
    return best, info, cut


@kernel
def choose(gains, infos, order, n_seen, rule):
    """The feature to split on among those seen, -1 if none gains enough."""
    best = -1
    if rule.criterion == IIGR:
        total, n_gaining = 0.0, 0
        for v in range(n_seen):
            if gains[order[v]] >= LEAST:
                total += gains[order[v]]
                n_gaining += 1
        top = 0.0
        for v in range(n_seen):
            a = order[v]
            enough = gains[a] >= LEAST and gains[a] >= total / n_gaining - 1e-9
            # ratios that differ by rounding alone are a tie, which the first feature wins
            if enough and infos[a] > 0.0 and gains[a] / infos[a] > top + 1e-9:
                best, top = a, gains[a] / infos[a]
        return best
    top = -np.inf
    for v in range(n_seen):
        if gains[order[v]] > top:
            best, top = order[v], gains[order[v]]
    least = -rule.t_base if rule.criterion == RANGE else LEAST
    accepted = top > least if rule.criterion == RANGE else top >= least
    return best if accepted else -1
