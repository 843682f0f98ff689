"""Loops: whether one class is more probable than another for every prior of the set.

The logarithm f(x) of the ratio of the two classes' probabilities is convex in x, the part of the
prior's weight that goes to the second class (the formula is in ``_ratio``).  So f lies above its
tangents: two of them either prove that f stays positive, which is dominance, or lead to a point
closer to the minimum.  Nearly all pairs of classes are settled by f and its slope at both ends of
the range and in the middle; these come from tables by value and class.
"""

from __future__ import annotations

from math import inf

import numpy as np

from wager._jit import as_lists, divided, entry, flags, floats, kernel, logarithm, spend
from wager._tables import row_blocks
from wager._typing import Bools, Floats, Ints
from wager.learners._base import TIE
from wager.learners.naive._probe_tables import ProbeTables, RowCounts

__all__ = ["ratio_at", "stays_positive", "undominated_classes"]

NARROW = 1e-9  # share of s below which an interval around the minimum is not searched further
NEAR = 1e-3  # share of the interval; a tangent point closer to an end than this gains too little
SMALL, LARGE = 1e-200, 1e200  # a product outside this range is turned into a logarithm

REFUTED, PROVED, OPEN = 0, 1, 2  # what the tables say about dominance

STEP, STEP_OF_PAIR = 2e-8, 1e-7  # seconds of NumPy for a value and class, and for a pair of classes
STEP_OF_SEARCH = 1e-5  # seconds of plain Python for a feature of an open pair


def undominated_classes(codes: Ints, tables: ProbeTables) -> Bools:
    """The classes of each row that no other class dominates, shape (n, K)."""
    n_classes = len(tables.classes)
    kept = np.empty((len(codes), n_classes), dtype=np.bool_)
    work = STEP * codes.size * n_classes + STEP_OF_PAIR * kept.size * n_classes
    mark_undominated(codes, tables, kept, work=work)
    return kept


@kernel
def ratio_at(x, s, floor, row, c1, c2):
    """The logarithm of the ratio P(c1|row)/P(c2|row) at one prior of the set, and its slope."""
    n_class, n_known, n_value, observed = row.n_class, row.n_known, row.n_value, row.observed
    n_classes, y = len(n_class), s - x
    of_first, of_second = n_class[c1] + y, n_class[c2] + x
    value, slope = inf, -divided(1.0, of_first)
    if of_second > 0:
        value = logarithm(of_first / of_second)
        slope -= 1 / of_second
    else:
        slope -= inf
    product = 1.0
    for j in range(len(observed)):
        if not observed[j]:
            continue
        first, second = j * n_classes + c1, j * n_classes + c2
        total = n_known[first] + y
        product *= divided(n_value[first] + floor, total)
        slope += divided(1.0, total)
        # a feature that was never known with the second class gives log(x / x) = 0
        if n_known[second] > 0:
            total, n = n_known[second] + x, n_value[second] + x
            if n <= 0.0:
                return inf, -inf
            product *= total / n
            slope += 1 / total - 1 / n
        # one logarithm at the end is much cheaper than one per feature
        if product < SMALL or product > LARGE:
            value += logarithm(product)
            product = 1.0
    return value + logarithm(product), slope


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
            line = tables.starts[j] + codes[j]
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
    n_classes = len(tables.classes)
    for j in range(len(codes)):
        row.observed[j] = codes[j] >= 0
        if codes[j] >= 0:
            line = (tables.starts[j] + codes[j]) * n_classes
            for c in range(n_classes):
                row.n_value[j * n_classes + c] = tables.values[line + c]


def mark_by_loop(codes, tables, kept):
    """Fill ``kept`` with the classes of each row that no other class dominates."""
    n_features, n_classes = codes.shape[1], len(tables.classes)
    sums = floats(len(tables.first))
    row = RowCounts(floats(n_features * n_classes), tables.known, tables.classes, flags(n_features))
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


def mark_by_arrays(codes: Ints, tables: ProbeTables, kept: Bools) -> None:
    """The same as ``mark_by_loop``, with the probes of many pairs of classes at once."""
    n_classes = len(tables.classes)
    listed = as_lists(tables._replace(lines=np.empty(0)))  # only counts are needed below
    for block in row_blocks(len(codes), 12 * n_classes + n_classes**2):
        sums = _sums_of_parts(codes[block], tables)
        for seconds in row_blocks(n_classes, n_classes * len(sums)):
            dominated = _dominated(sums, codes[block], listed, np.arange(n_classes)[seconds])
            kept[block, seconds] = ~dominated


def _dominated(sums: Floats, codes: Ints, listed: ProbeTables, seconds: Ints) -> Bools:
    """Which of some classes are dominated by any class, for each row."""
    n_features, n_classes = codes.shape[1], len(listed.classes)
    verdicts = _verdicts_of_probes(sums, n_classes, seconds)
    dominated = (verdicts == PROVED).any(axis=1)
    unsettled = (verdicts == OPEN).any(axis=1) & ~dominated
    for i in np.flatnonzero(unsettled.any(axis=1)):
        of_row, codes_of_row = sums[i].tolist(), codes[i].tolist()
        row = RowCounts(
            [0.0] * (n_features * n_classes), listed.known, listed.classes, [False] * n_features
        )
        fill_counts(codes_of_row, listed, row)
        for place in np.flatnonzero(unsettled[i]):
            c2 = int(seconds[place])
            for c1 in np.flatnonzero(verdicts[i, :, place] == OPEN):
                spend(STEP_OF_SEARCH * n_features)
                if search_between_probes(of_row, listed, row, int(c1), c2):
                    dominated[i, place] = True
                    break
    return dominated


def _sums_of_parts(codes: Ints, tables: ProbeTables) -> Floats:
    """The sums of ``add_parts`` for several rows."""
    sums = np.tile(tables.first, (len(codes), 1))
    for j in range(codes.shape[1]):
        sums += tables.lines[tables.starts[j] + codes[:, j]]  # the line of a missing value is 0
    return sums


def _verdicts_of_probes(sums: Floats, n_classes: int, seconds: Ints) -> Ints:
    """The results of ``verdict_of_probes`` for all first and some second classes, (n, c1, c2).

    A class is refuted by itself.
    """
    parts = sums.reshape(len(sums), 3, 4, n_classes)
    value_first, slope_first, value_second, slope_second = (parts[:, :, k] for k in range(4))
    with np.errstate(invalid="ignore"):
        values = value_first[:, :, :, None] + value_second[:, :, None, seconds]
        slopes = slope_second[:, :, None, seconds] - slope_first[:, :, :, None]
    refuted = ~(values > TIE).all(axis=1) | (value_first[:, 0] == -inf)[:, :, None]
    refuted |= np.arange(n_classes)[:, None] == seconds
    proved = (slopes[:, 0] >= 0) | (slopes[:, 2] <= 0)
    return np.where(refuted, REFUTED, np.where(proved, PROVED, OPEN))


mark_undominated = entry(mark_by_loop, plain=mark_by_arrays, label="the naive credal classifier")
