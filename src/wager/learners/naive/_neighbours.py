"""Loops of the lazy naive credal classifier: neighbours by distance, then dominance.

Distances are small whole numbers and a neighbourhood consists of whole levels of equal distance, so
the training rows need no sorting: counting them by distance shows where each level ends, and only
the levels that are used are listed.  The counts grow with the neighbourhood; among the feature
values only those of the row to classify matter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._jit import as_lists, entry, integers, kernel, spend
from wager._typing import Bools, Ints
from wager.learners._base import TIE
from wager.learners.naive._probe_tables import RowCounts
from wager.learners.naive._tangents import ratio_at, stays_positive

__all__ = ["classify"]

TILE = 4096  # training rows whose distances are counted while they stay in the fast cache
STEP_OF_DISTANCE = 1e-8  # seconds of NumPy for a training row and feature
STEP_OF_COUNT = 4e-7  # seconds of plain Python for a neighbour and feature
STEP_OF_RATIO = 1e-6  # and for a pair of classes and feature


@kernel
def count_differences(columns, n, row, observed, distance):
    """In how many features each training row differs; a value missing on either side differs."""
    gaps = 0
    for j in range(len(row)):
        gaps += not observed[j]
    for begin in range(0, n, TILE):
        end = min(begin + TILE, n)
        tile = distance[begin:end]
        for i in range(end - begin):
            tile[i] = gaps
        for j in range(len(row)):
            if observed[j]:
                column, value = columns[j * n + begin : j * n + end], row[j]
                for i in range(end - begin):
                    tile[i] += column[i] != value


@kernel
def count_levels(distance, ends):
    """Fill ``ends`` with the number of rows at each distance or less."""
    for d in range(len(ends)):
        ends[d] = 0
    for i in range(len(distance)):
        ends[distance[i]] += 1
    for d in range(1, len(ends)):
        ends[d] += ends[d - 1]


@kernel
def level_at(ends, place):
    """The distance of the row at this place, in the order of distances."""
    d = 0
    while ends[d] <= place:
        d += 1
    return d


@kernel
def with_ties(stop, ends, limit):
    """``stop`` moved past all rows that are as far as the last one, at most to ``limit``."""
    return max(stop, min(ends[level_at(ends, stop - 1)], limit))


def _all_listed(distance, ends, after, upto, order):
    """Nothing: in plain Python the rows are sorted beforehand."""


@kernel(plain=_all_listed)
def list_levels(distance, ends, after, upto, order):
    """List the rows at distances above ``after`` up to ``upto``, by distance."""
    place = integers(len(ends))
    for d in range(1, len(ends)):
        place[d] = ends[d - 1]
    for i in range(len(distance)):
        d = distance[i]
        if after < d <= upto:
            order[place[d]] = i
            place[d] += 1


@kernel
def add_rows(training, codes, order, start, stop, counts):
    """Count training rows: by class, and by class where each feature is known or equals ``codes``.

    The arrays are taken out of their tuples first, since the inner loop is short.
    """
    rows, y, missing = training.rows, training.y, training.missing
    n_value, n_known, n_class = counts.n_value, counts.n_known, counts.n_class
    n_features, n_classes = len(codes), len(n_class)
    spend(STEP_OF_COUNT * (stop - start) * n_features)
    for place in range(start, stop):
        i = order[place]
        c = y[i]
        n_class[c] += 1
        for j in range(n_features):
            value = rows[i * n_features + j]
            if value != missing:
                n_known[j * n_classes + c] += 1
                if value == codes[j]:
                    n_value[j * n_classes + c] += 1


@kernel
def dominates(s, row, c1, c2):
    """Whether c1 is more probable than c2 for every prior: the least log ratio is positive.

    No value of the row may have a zero count with ``c1``.
    """
    fb, gb = ratio_at(s, s, 0.0, row, c1, c2)
    if not fb > TIE:
        return False
    if gb <= 0.0:
        return True
    fa, ga = ratio_at(0.0, s, 0.0, row, c1, c2)
    if not fa > TIE:
        return False
    if ga >= 0.0:
        return True
    return stays_positive((0.0, fa, ga), (s, fb, gb), s, 0.0, row, c1, c2)


@kernel
def is_possible(row, c):
    """Whether every known value of the row occurs with the class, so that it can dominate."""
    n_classes = len(row.n_class)
    for j in range(len(row.observed)):
        if row.observed[j] and row.n_value[j * n_classes + c] == 0:
            return False
    return True


@kernel
def keep_undominated(s, row, kept):
    """Fill ``kept`` with the undominated classes and return their number.

    All classes without a row in the neighbourhood are alike, so only one of them is compared.
    """
    n_class = row.n_class
    n_classes = len(n_class)
    spend(STEP_OF_RATIO * n_classes * (n_classes - 1) * len(row.observed))
    any_observed = False
    for j in range(len(row.observed)):
        any_observed = any_observed or row.observed[j]
    for c in range(n_classes):
        kept[c] = True
    for c1 in range(n_classes):
        # a class that dominates a dominated one also dominates all that this one dominates
        if n_class[c1] == 0 or not kept[c1] or not is_possible(row, c1):
            continue
        without_row = -1  # a class without rows that was compared already
        for c2 in range(n_classes):
            if c1 == c2 or not kept[c2]:
                continue
            if n_class[c2] == 0 and without_row >= 0:
                kept[c2] = kept[without_row]
                continue
            if any_observed:
                kept[c2] = not dominates(s, row, c1, c2)
            else:
                kept[c2] = n_class[c1] <= (n_class[c2] + s) * (1 + TIE)
            if n_class[c2] == 0:
                without_row = c2
    n_kept = 0
    for c in range(n_classes):
        n_kept += kept[c]
    return n_kept


@kernel
def grow(training, codes, counts, growth, distance, ends, order, kept):
    """Enlarge the neighbourhood of a row until one class is left; return its size.

    Fills ``counts`` and ``kept``; ``order`` is scratch space.
    """
    n, limit = len(distance), growth.limit
    stop = with_ties(min(growth.k, n), ends, limit)
    if stop < n and ends[0] >= stop:  # only identical rows: go one level further
        stop = with_ties(stop + 1, ends, limit)
    start, listed, tries = 0, -1, 0
    while True:
        level = level_at(ends, stop - 1)
        if level > listed:
            # once a row needs a second try, it often needs more: list levels ahead
            upto = level_at(ends, min(n, 4 * stop) - 1) if tries > 0 else level
            list_levels(distance, ends, listed, upto, order)
            listed = upto
        add_rows(training, codes, order, start, stop, counts)
        found = keep_undominated(growth.s, counts, kept)
        tries += 1
        if found == 1 or tries >= growth.max_tries or stop >= limit:
            return stop
        start = stop
        stop = with_ties(stop + growth.step, ends, limit) if stop + growth.step < n else limit


def classify_by_loop(training, test, known, growth, distance, found):
    """Classify each row by the smallest neighbourhood that leaves one class.

    Parameters
    ----------
    training : TrainingRows
    test, known : codes to classify, and whether each is known
    growth : Growth
    distance : scratch space, one number per training row
    found : Neighbourhoods, with zeros for counts; filled

    All arrays have one dimension.
    """
    n, n_test = len(distance), len(found.sizes)
    m, n_classes = len(test) // n_test, len(found.kept) // n_test
    order, ends = integers(n), integers(m + 1)
    for t in range(n_test):
        codes, observed = test[t * m : (t + 1) * m], known[t * m : (t + 1) * m]
        count_differences(training.columns, n, codes, observed, distance)
        count_levels(distance, ends)
        first, last = t * m * n_classes, (t + 1) * m * n_classes
        kept = found.kept[t * n_classes : (t + 1) * n_classes]
        n_class = found.n_class[t * n_classes : (t + 1) * n_classes]
        counts = RowCounts(found.n_value[first:last], found.n_known[first:last], n_class, observed)
        found.sizes[t] = grow(training, codes, counts, growth, distance, ends, order, kept)


def classify_in_lists(
    training: Any, test: Ints, known: Bools, growth: Any, distance: Ints, found: Any
) -> None:
    """The same as ``classify_by_loop``, with distances by NumPy and counts in lists."""
    n, n_test = len(distance), len(found.sizes)
    m, n_classes = len(test) // n_test, len(found.kept) // n_test
    columns, listed = training.columns.reshape(m, n), as_lists(training)
    results = []
    for codes, observed in zip(test.reshape(n_test, m), known.reshape(n_test, m), strict=True):
        spend(STEP_OF_DISTANCE * n * m)
        differs = (columns[observed] != codes[observed, None]).sum(axis=0) + m - observed.sum()
        order = np.argsort(differs, kind="stable").tolist()
        ends = np.cumsum(np.bincount(differs, minlength=m + 1)).tolist()
        counts = RowCounts(
            [0] * (m * n_classes), [0] * (m * n_classes), [0] * n_classes, observed.tolist()
        )
        kept = [True] * n_classes
        size = grow(listed, codes.tolist(), counts, growth, order, ends, order, kept)
        results.append((kept, size, counts.n_value, counts.n_known, counts.n_class))
    for array, lists in zip(found, zip(*results, strict=True), strict=True):
        array[:] = np.array(lists).ravel()


classify = entry(
    classify_by_loop, plain=classify_in_lists, label="the lazy naive credal classifier"
)
