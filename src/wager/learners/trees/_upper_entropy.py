"""Entropy over a credal set of class distributions: the largest, the smallest, and corrections.

The imprecise Dirichlet model adds ``s`` rows to the class counts and leaves open to which classes.
Entropy is largest when the smallest counts are raised to a common level (Abellán & Moral, 2003),
and smallest when all ``s`` rows go to the largest count.  Entropies are in bits.

``log2 x`` is ``ln x / ln 2``, and the largest entropy is ``-(sum q log2 q) / Q + log2 Q``.  Sums
over the classes are rounded, so equal entropies may differ in their last digits: splits are
compared with a tolerance.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf, log, nan

import numpy as np

from wager._jit import kernel
from wager._typing import ArrayLike, Floats

LN2 = log(2.0)
NO_CORRECTION, STROBL, ABELLAN = 0, 1, 2
CORRECTIONS = {None: NO_CORRECTION, "strobl": STROBL, "abellan": ABELLAN}


def most_even(lower: ArrayLike, upper: ArrayLike) -> Floats:
    """The distribution of largest entropy between bounds that can be reached.

    Every class gets the same probability, or the one nearest to it that its bounds allow.

    Examples
    --------
    >>> most_even([0.5, 0.0, 0.0], [1.0, 0.4, 0.1]).round(12).tolist()
    [0.5, 0.4, 0.1]
    """
    low, high = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
    left, right = 0.0, 1.0
    for _ in range(100):
        level = (left + right) / 2
        if np.clip(level, low, high).sum() < 1:
            left = level
        else:
            right = level
    return np.clip(right, low, high)


def raise_smallest(counts: ArrayLike, s: float) -> Floats:
    """The counts after ``s`` rows have raised the smallest of them to a common level.

    Examples
    --------
    >>> raise_smallest([5, 1, 0], 2).tolist()
    [5.0, 1.5, 1.5]
    """
    n = np.array(counts, dtype=float)
    return np.maximum(n, level_of(n, 0, len(n), float(s))[0])


def raise_largest(counts: ArrayLike, s: float) -> Floats:
    """The counts after ``s`` rows were added to the largest, or to the first of several.

    Examples
    --------
    >>> raise_largest([1, 4, 4], 2).tolist()
    [1.0, 6.0, 4.0]
    """
    n = np.array(counts, dtype=float)
    n[n.argmax()] += s
    return n


def entropy(p: ArrayLike) -> float:
    """Shannon's entropy of a distribution, or of counts, in bits.

    Examples
    --------
    >>> entropy([2, 1, 1])
    1.5
    """
    n = np.asarray(p, dtype=float)
    n = n[n > 0]
    return float(np.log2(n.sum()) - (n * np.log2(n)).sum() / n.sum())


def correction_of(n: float, n_classes: int, s: float, correction: str | None) -> float:
    """What a correction adds to the entropy of ``n`` rows.

    Examples
    --------
    >>> correction_of(4, 2, 2.0, "strobl"), correction_of(4, 2, 2.0, "abellan")
    (0.3, 0.3333333333333333)
    """
    return float(correction_term(float(n), n_classes, float(s), CORRECTIONS[correction]))


@kernel
def level_of(counts, start, n_classes, s):
    """The level to which ``s`` rows raise the smallest of the counts, and the sum of the counts."""
    low, second, n_lowest = inf, inf, 0
    total = 0.0
    for i in range(start, start + n_classes):
        n = counts[i]
        total += n
        if n < low:
            second = low
            low = n
            n_lowest = 1
        elif n == low:
            n_lowest += 1
        elif n < second:
            second = n
    level = low + s / n_lowest
    left = s
    while level > second:  # the next larger count is reached and rises with the others
        left -= (second - low) * n_lowest
        low, second, n_lowest = second, inf, 0
        for i in range(start, start + n_classes):
            if counts[i] <= low:
                n_lowest += 1
            elif counts[i] < second:
                second = counts[i]
        level = low + left / n_lowest
    return level, total


@kernel
def q_log2_q(q):
    """The value q log2 q; C4.5 rounds differently: it divides by ln 2 after the multiplication."""
    return q * (log(q) / LN2) if q > 0.0 else 0.0


def entropy_terms(n: int) -> Floats:
    """A table of q log2 q up to at least ``n``: most counts then need no logarithm."""
    return _terms(max(10, n.bit_length()))


@lru_cache(maxsize=1)  # the folds of a cross-validation have nearly the same size
def _terms(bits: int) -> Floats:
    return np.array([0.0] + [q * (log(q) / LN2) for q in range(1, (1 << bits) + 1)])


@kernel
def term(n, logs):
    """The value q log2 q of a count, which never exceeds the number of rows."""
    whole = int(n)
    return logs[whole] if whole == n else q_log2_q(n)


@kernel
def upper_entropy(counts, start, n_classes, s, logs):
    """The largest entropy of the counts from ``start`` on, and their sum."""
    level, total = level_of(counts, start, n_classes, s)
    at_level = q_log2_q(level)
    inside, of_all = 0.0, 0.0
    for i in range(start, start + n_classes):
        n = counts[i]
        if n < level:
            inside += at_level
            of_all += level
        else:
            inside += term(n, logs)
            of_all += n
    if of_all <= 0.0:
        return 0.0, total
    return -inside / of_all + log(of_all) / LN2, total


@kernel
def lower_entropy(counts, start, n_classes, s, logs):
    """The smallest entropy: all ``s`` rows go to the first of the largest counts."""
    largest = start
    for i in range(start, start + n_classes):
        if counts[i] > counts[largest]:
            largest = i
    inside, of_all = 0.0, 0.0
    for i in range(start, start + n_classes):
        if i == largest:
            inside += q_log2_q(counts[i] + s)
            of_all += counts[i] + s
        else:
            inside += term(counts[i], logs)
            of_all += counts[i]
    if of_all <= 0.0:
        return 0.0
    return -inside / of_all + log(of_all) / LN2


@kernel
def correction_term(n, n_classes, s, correction):
    """A correction for small samples: Strobl's, or Abellán & Moral's."""
    if correction == NO_CORRECTION:
        return 0.0
    if n + s <= 0.0:
        return inf if correction == STROBL else nan
    if correction == STROBL:
        return (n_classes + 1) / (2 * n + s)
    return s * (log(n_classes) / LN2) / (n + s)
