"""Entropies over nonparametric predictive inference: the next row given the rows seen so far.

*Multinomial* (NPI-M, Coolen & Augustin, 2005 and 2009).  The n rows of a node are lines on a wheel
that divide it into n equal slices.  Each class has one segment of the wheel, with its own lines in
it; the order of the classes is unknown.  A slice between two lines of class c belongs to c, the
other slices may be shared by the classes on both sides and by classes without rows between them.
So class c has a probability from max(0, n(c)-1)/n to min(n, n(c)+1)/n.  The *approximate* model
(A-NPI-M, Abellán, Baker & Coolen, 2011) is the set of all distributions within these intervals.  It
contains distributions that no order of the classes gives; the *exact* model leaves them out.

The largest entropy of the approximate model: classes with fewer than j rows get their upper bound,
those with more than j+1 their lower bound, and those with j or j+1 rows share the rest equally,
where j is the smallest number with fewer classes of j+2 or more rows than of at most j.

In the exact model the classes that share must be neighbours.  Let S classes be at their upper bound
and C at their lower bound.  Around the wheel such classes take turns between groups that share, so
there are at least abs(C - S) groups if this is more than one, each with a whole number of slices.
Entropy is largest if the shares of the groups are as equal as whole numbers allow: their slices and
sizes are neighbours in the tree of fractions (Stern & Brocot), see ``split_evenly``.
R's imptree, after Abellán, Baker & Coolen (2011), forms other groups: for some counts no wheel has
them, and for others they are less even.

*Ordinal* (Coolen, Coolen-Schrijner, Coolen-Maturi & Ali, 2013).  Classes in a known order are
segments of the real line, on which n rows leave n+1 equal intervals.  So the probability of the
first k classes is between N(k)/(n+1) and (N(k)+1)/(n+1), where N(k) is their number of rows: a
p-box.  Entropy is largest where the cumulative probabilities are a string pulled tight.

All counts must be whole numbers.  Entropies are in bits.
"""

from __future__ import annotations

from math import inf, log

import numpy as np

from wager._jit import floats, kernel
from wager._typing import ArrayLike, Floats
from wager.learners.trees._upper_entropy import LN2, STROBL, q_log2_q, term

IDM, NPI, NPI_APPROX, NPI_ORDINAL = 0, 1, 2, 3
MODELS = {"idm": IDM, "npi": NPI, "npi-approx": NPI_APPROX, "npi-ordinal": NPI_ORDINAL}


def most_even_counts(counts: ArrayLike, model: str) -> Floats:
    """The distribution of largest entropy, as numbers of slices or of intervals.

    Parameters
    ----------
    counts : array-like of int, shape (n_classes,)
        The number of rows of each class, at least one in all.
    model : {"npi", "npi-approx", "npi-ordinal"}
        The set of distributions.

    Returns
    -------
    ndarray of shape (n_classes,)
        Their sum is the number of rows, or one more for ordinal classes.

    Examples
    --------
    >>> most_even_counts([5, 1, 0], "npi").tolist()
    [4.0, 1.0, 1.0]
    >>> most_even_counts([1, 1, 1, 3, 3], "npi-approx").round(3).tolist()
    [1.667, 1.667, 1.667, 2.0, 2.0]
    >>> most_even_counts([1, 1, 1, 3, 3], "npi").tolist()  # two groups share five slices
    [1.5, 1.5, 2.0, 2.0, 2.0]
    >>> most_even_counts([4, 0, 1], "npi-ordinal").tolist()
    [4.0, 1.0, 1.0]
    """
    n = [int(count) for count in np.asarray(counts)]
    filled = [0.0] * len(n)
    if model == "npi-ordinal":
        pull_tight(n, 0, len(n), filled)
        return np.array(filled)
    level, mass, n_sharing, n_groups = sharing(n, 0, len(n))
    if model == "npi-approx":
        n_groups = 1
    shares = [0.0] * n_sharing
    fill_shares(mass, n_sharing, n_groups, shares)
    left = iter(shares)
    return np.array(
        [c + 1 if c < level else level + next(left) if c <= level + 1 else c - 1 for c in n],
        dtype=float,
    )


@kernel
def sharing(counts, start, n_classes):
    """Which classes share, and what.

    Returns
    -------
    The number of rows j such that classes with j or j+1 rows share; how many slices they share
    besides j each; how many they are; the least number of groups in the exact model.
    """
    level = 0
    while True:
        below, at, above, far, following = 0, 0, 0, 0, inf
        for i in range(start, start + n_classes):
            n = counts[i]
            if n < level:
                below += 1
            elif n == level:
                at += 1
            elif n == level + 1:
                above += 1
            else:
                far += 1
            # the numbers of classes change where the level reaches a count, or one less
            if n - 1 > level:
                following = min(following, n - 1)
            elif n > level:
                following = min(following, n)
        if far < below + at or following == inf:
            return level, above + far - below, at + above, abs(far - below)
        level = int(following)


@kernel
def split_evenly(mass, size, n_groups):
    """Divide ``size`` classes and ``mass`` slices into groups whose shares are most equal.

    Starts from ``size - mass`` groups of one class without a slice and ``mass`` groups of one class
    with one slice, and joins a group of each kind until there are ``n_groups`` of them.  So the
    shares of the two kinds stay neighbouring fractions around ``mass / size``.

    Returns
    -------
    For each of three kinds of groups: their number, the slices and the classes of one group.
    """
    n_low, low, low_size = size - mass, 0, 1
    n_high, high, high_size = mass, 1, 1
    while n_low > 0 and n_high > 0 and max(n_low, n_high) >= n_groups:
        if n_low >= n_high:
            n_low -= n_high
            high += low
            high_size += low_size
        else:
            n_high -= n_low
            low += high
            low_size += high_size
    if n_low == 0 or n_high == 0:  # all groups have the same share, in whatever number
        return 1, mass, size, 0, 0, 1, 0, 0, 1
    joined = n_low + n_high - n_groups
    return (
        joined, low + high, low_size + high_size,
        n_low - joined, low, low_size,
        n_high - joined, high, high_size,
    )  # fmt: skip


@kernel
def fill_shares(mass, size, n_groups, shares):
    """Fill in the share of each of the ``size`` classes that share."""
    if n_groups <= 1 or mass == 0:
        for i in range(size):
            shares[i] = mass / size
        return
    n1, e1, s1, n2, e2, s2, _, e3, s3 = split_evenly(mass, size, n_groups)
    for i in range(size):
        if i < n1 * s1:
            shares[i] = e1 / s1
        elif i < n1 * s1 + n2 * s2:
            shares[i] = e2 / s2
        else:
            shares[i] = e3 / s3


@kernel
def upper_entropy_of_slices(counts, start, n_classes, exact, logs):
    """The largest entropy of the multinomial models, and the number of rows."""
    total = 0
    for i in range(start, start + n_classes):
        total += counts[i]
    if total <= 0:
        return log(n_classes) / LN2, 0.0
    level, mass, size, n_groups = sharing(counts, start, n_classes)
    inside = 0.0
    for i in range(start, start + n_classes):
        if counts[i] < level:
            inside += term(counts[i] + 1, logs)
        elif counts[i] > level + 1:
            inside += term(counts[i] - 1, logs)
    if exact and n_groups > 1 and mass > 0:
        n1, e1, s1, n2, e2, s2, n3, e3, s3 = split_evenly(mass, size, n_groups)
        inside += n1 * s1 * q_log2_q(level + e1 / s1)
        inside += n2 * s2 * q_log2_q(level + e2 / s2)
        inside += n3 * s3 * q_log2_q(level + e3 / s3)
    else:
        inside += size * q_log2_q(level + mass / size)
    return -inside / total + log(total) / LN2, float(total)


@kernel
def lower_entropy_of_slices(counts, start, n_classes, logs):
    """The smallest entropy of both multinomial models: the largest classes get most.

    Half of the classes with rows, the largest ones, get their upper bound, and the others their
    lower bound; if their number is odd, the one in the middle gets its own rows.
    """
    total, n_seen = 0, 0
    for i in range(start, start + n_classes):
        total += counts[i]
        n_seen += counts[i] > 0
    if total <= 0:
        return 0.0
    inside = 0.0
    for i in range(start, start + n_classes):
        if counts[i] <= 0:
            continue
        rank = 0
        for k in range(start, start + n_classes):
            rank += counts[k] > counts[i] or (counts[k] == counts[i] and k < i)
        inside += term(counts[i] - 1 + max(0, min(2, n_seen - 2 * rank)), logs)
    return -inside / total + log(total) / LN2


@kernel
def pull_tight(counts, start, n_classes, filled):
    """Fill in the most even numbers of intervals for ordered classes.

    Their partial sums N are a string from 0 to n+1 through a gap from N(k) to N(k)+1 at each k.
    From a point that it touches, the string runs straight as far as all gaps allow, to the gap that
    turns it.
    """
    k, height = 0, 0.0
    while k < n_classes:
        low, high = -inf, inf
        low_at, high_at, low_height, high_height = k, k, 0.0, 0.0
        turn, turn_height = n_classes, 0.0
        below = 0.0
        for i in range(n_classes):
            below += counts[start + i]
            if i < k:
                continue
            bottom, top = below, below + 1
            if i == n_classes - 1:
                bottom = top  # the string ends here
            steep, flat = (bottom - height) / (i + 1 - k), (top - height) / (i + 1 - k)
            if steep > high:
                turn, turn_height = high_at, high_height
                break
            if flat < low:
                turn, turn_height = low_at, low_height
                break
            if steep >= low:
                low, low_at, low_height = steep, i + 1, bottom
            if flat <= high:
                high, high_at, high_height = flat, i + 1, top
            turn_height = top
        slope = (turn_height - height) / (turn - k)
        for i in range(k, turn):
            filled[i] = slope
        k, height = turn, turn_height


@kernel
def upper_entropy_in_order(counts, start, n_classes):
    """The largest entropy of ordered classes, and the number of rows."""
    total = 0.0
    for i in range(start, start + n_classes):
        total += counts[i]
    filled = floats(n_classes)
    pull_tight(counts, start, n_classes, filled)
    inside = 0.0
    for i in range(n_classes):
        inside += q_log2_q(filled[i])
    return -inside / (total + 1) + log(total + 1) / LN2, total


@kernel
def lower_entropy_in_order(counts, start, n_classes, logs):
    """The smallest entropy of ordered classes: each partial sum is at one end of its gap.

    ``low`` and ``high`` are the largest sums of q log2 q with the partial sum at its lower and at
    its upper end.
    """
    total = 0
    low, high = 0.0, -inf
    for i in range(start, start + n_classes):
        n = counts[i]
        total += n
        stay = term(n, logs)
        fall = term(n - 1, logs) if n > 0 else 0.0
        low, high = (
            max(low + stay, high + fall) if n > 0 else low + stay,
            max(low + term(n + 1, logs), high + stay),
        )
    return -high / (total + 1) + log(total + 1) / LN2


@kernel
def largest_of_npi(counts, start, n_classes, rule):
    """The largest entropy of the counts from ``start`` on by the rule's model, and their sum."""
    if rule.model == NPI_ORDINAL:
        return upper_entropy_in_order(counts, start, n_classes)
    return upper_entropy_of_slices(counts, start, n_classes, rule.model == NPI, rule.logs)


@kernel
def smallest_of_npi(counts, start, n_classes, rule):
    """The smallest entropy of the counts from ``start`` on by the rule's model."""
    if rule.model == NPI_ORDINAL:
        return lower_entropy_in_order(counts, start, n_classes, rule.logs)
    return lower_entropy_of_slices(counts, start, n_classes, rule.logs)


@kernel
def corrected_by_size(n, n_classes, rule):
    """Strobl's correction of an entropy, (K-1)/(2n), or none."""
    if rule.correction != STROBL:
        return 0.0
    return (n_classes - 1) / (2 * n) if n > 0.0 else inf
