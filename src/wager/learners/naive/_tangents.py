"""Compiled loops: whether one class is more probable than another for every prior of the set.

The logarithm f(x) of the ratio of the two classes' probabilities is convex in x, the part of the
prior's weight that goes to the second class (the formula is in ``_ratio``).  So f lies above its
tangents: two of them either prove that f stays positive, which is dominance, or lead to a point
closer to the minimum.  Nearly all pairs of classes are settled by f and its slope at both ends of
the range and in the middle; these come from tables by value and class.

Importing this module loads Numba, so it is imported only where a loop is needed.
"""

from __future__ import annotations

from math import inf, log

import numpy as np

from wager._jit import kernel
from wager.learners._base import TIE
from wager.learners.naive._probe_tables import RowCounts

NARROW = 1e-9  # share of s below which an interval around the minimum is not searched further
NEAR = 1e-3  # share of the interval; a tangent point closer to an end than this gains too little
SMALL, LARGE = 1e-200, 1e200  # a product outside this range is turned into a logarithm

REFUTED, PROVED, OPEN = 0, 1, 2  # what the tables say about dominance


@kernel
def ratio_at(x, s, floor, row, c1, c2):
    """The logarithm of the ratio P(c1|row)/P(c2|row) at one prior of the set, and its slope."""
    n_class, y = row.n_class, s - x
    value = log((n_class[c1] + y) / (n_class[c2] + x)) if n_class[c2] + x > 0 else inf
    slope = -1 / (n_class[c1] + y)
    slope -= 1 / (n_class[c2] + x) if n_class[c2] + x > 0 else inf
    product = 1.0
    for j in range(len(row.observed)):
        if not row.observed[j]:
            continue
        total = row.n_known[j, c1] + y
        product *= (row.n_value[j, c1] + floor) / total
        slope += 1 / total
        # a feature that was never known with the second class gives log(x / x) = 0
        if row.n_known[j, c2] > 0:
            total, n = row.n_known[j, c2] + x, row.n_value[j, c2] + x
            if n <= 0.0:
                return inf, -inf
            product *= total / n
            slope += 1 / total - 1 / n
        # one logarithm at the end is much cheaper than one per feature
        if product < SMALL or product > LARGE:
            value += log(product)
            product = 1.0
    return value + log(product), slope


@kernel
def stays_positive(left, right, s, floor, row, c1, c2):
    """Whether f is positive between two points with their values and slopes (x, f, f').

    The slope is negative at the left point and positive at the right one, so that the minimum lies
    between them.
    """
    a, fa, ga = left
    b, fb, gb = right
    for turn in range(200):
        if ga == -inf or fa == inf:
            x, bound = a, fb - gb * (b - a)
        elif gb <= ga:
            x, bound = a, min(fa, fb)
        else:
            # where the two tangents meet is the lowest point that f can reach
            x = min(max((fa - fb - ga * a + gb * b) / (gb - ga), a), b)
            bound = fa + ga * (x - a)
        if bound > TIE:
            return True
        if b - a <= NARROW * s:
            break
        # halving every third time keeps the interval shrinking where tangents stay close to an end
        if turn % 3 == 2 or x - a < NEAR * (b - a) or b - x < NEAR * (b - a):
            x = (a + b) / 2
        value, slope = ratio_at(x, s, floor, row, c1, c2)
        if not value > TIE:
            return False
        if slope < 0:
            a, fa, ga = x, value, slope
        else:
            b, fb, gb = x, value, slope
    return min(fa, fb) > TIE


@kernel
def add_parts(codes, tables, sums):
    """Sum the parts of the class and of every known feature value of a row."""
    wide = len(sums)
    for q in range(wide):
        sums[q] = tables.first[q]
    for j in range(len(codes)):
        if codes[j] >= 0:
            line = tables.counts.starts[j] + codes[j]
            for q in range(wide):
                sums[q] += tables.lines[line, q]


@kernel
def verdict_of_probes(sums, n_classes, c1, c2):
    """Whether the values and slopes at the three probes prove or refute dominance."""
    at_first, at_second, probe = c1, 2 * n_classes + c2, 4 * n_classes
    if sums[at_first] == -inf:
        return REFUTED  # a zero count of the first class: the ratio can vanish
    # the middle first, as it refutes most often
    for p in (1, 0, 2):
        if not sums[p * probe + at_first] + sums[p * probe + at_second] > TIE:
            return REFUTED
    slope_low = sums[n_classes + at_second] - sums[n_classes + at_first]
    slope_high = sums[2 * probe + n_classes + at_second] - sums[2 * probe + n_classes + at_first]
    if slope_low >= 0 or slope_high <= 0:
        return PROVED  # the minimum is at an end of the range
    return OPEN


@kernel
def point_of_probe(sums, probes, p, c1, c2):
    """x, f and its slope at a probe."""
    n_classes = len(sums) // 12
    at_first = 4 * n_classes * p + c1
    at_second = 4 * n_classes * p + 2 * n_classes + c2
    value = sums[at_first] + sums[at_second]
    return probes[p], value, sums[n_classes + at_second] - sums[n_classes + at_first]


@kernel
def search_between_probes(sums, tables, row, c1, c2):
    """Whether f stays positive, where the probes leave it open."""
    middle = point_of_probe(sums, tables.probes, 1, c1, c2)
    if middle[2] > 0:
        left, right = point_of_probe(sums, tables.probes, 0, c1, c2), middle
    else:
        left, right = middle, point_of_probe(sums, tables.probes, 2, c1, c2)
    return stays_positive(left, right, tables.s, tables.floor, row, c1, c2)


@kernel
def fill_counts(codes, tables, row):
    """Look up the counts of a row's values."""
    for j in range(len(codes)):
        row.observed[j] = codes[j] >= 0
        if codes[j] >= 0:
            line = tables.counts.starts[j] + codes[j]
            for c in range(row.n_value.shape[1]):
                row.n_value[j, c] = tables.counts.values[line, c]


@kernel
def mark_undominated(codes, tables, kept):
    """Fill ``kept`` with the classes of each row that no other class dominates."""
    n_classes = len(tables.counts.classes)
    sums = np.empty(len(tables.first))
    shape = (codes.shape[1], n_classes)
    observed = np.empty(codes.shape[1], np.bool_)
    row = RowCounts(np.empty(shape), tables.counts.known, tables.counts.classes, observed)
    for i in range(len(codes)):
        add_parts(codes[i], tables, sums)
        counted = False  # the counts are needed only where the probes leave a pair open
        for c2 in range(n_classes):
            dominated = False
            for c1 in range(n_classes):
                if c1 == c2:
                    continue
                verdict = verdict_of_probes(sums, n_classes, c1, c2)
                if verdict == OPEN:
                    if not counted:
                        fill_counts(codes[i], tables, row)
                        counted = True
                    dominated = search_between_probes(sums, tables, row, c1, c2)
                else:
                    dominated = verdict == PROVED
                if dominated:
                    break
            kept[i, c2] = not dominated
