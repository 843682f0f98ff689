"""Compiled loops of the lazy naive credal classifier: neighbours by distance, then dominance.

Distances are small whole numbers and a neighbourhood consists of whole levels of equal distance, so
the training rows need no sorting: counting them by distance shows where each level ends, and only
the levels that are used are listed.  The counts grow with the neighbourhood; among the feature
values only those of the row to classify matter.

Importing this module loads Numba, so it is imported only where a loop is needed.
"""

from __future__ import annotations

import numpy as np

from wager._jit import kernel
from wager.learners._base import TIE
from wager.learners.naive._probe_tables import RowCounts
from wager.learners.naive._tangents import ratio_at, stays_positive

TILE = 4096  # training rows whose distances are counted while they stay in the fast cache


@kernel
def count_differences(columns, row, observed, distance):
    """In how many features each training row differs; a value missing on either side differs."""
    m, n = columns.shape
    gaps = 0
    for j in range(m):
        gaps += not observed[j]
    for begin in range(0, n, TILE):
        end = min(begin + TILE, n)
        tile = distance[begin:end]
        for i in range(end - begin):
            tile[i] = gaps
        for j in range(m):
            if observed[j]:
                column, value = columns[j, begin:end], row[j]
                for i in range(end - begin):
                    tile[i] += column[i] != value


@kernel
def count_levels(distance, ends):
    """Fill ``ends`` with the number of rows at each distance or less."""
    ends[:] = 0
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


@kernel
def list_levels(distance, ends, after, upto, order):
    """List the rows at distances above ``after`` up to ``upto``, by distance."""
    place = np.empty(len(ends), np.int64)
    for d in range(len(ends)):
        place[d] = ends[d - 1] if d > 0 else 0
    for i in range(len(distance)):
        d = distance[i]
        if after < d <= upto:
            order[place[d]] = i
            place[d] += 1


@kernel
def add_rows(training, codes, chosen, counts):
    """Count training rows: by class, and by class where each feature is known or equals ``codes``.

    The arrays are taken out of their tuples first, since the inner loop is short.
    """
    rows, y, missing = training.rows, training.y, training.missing
    n_value, n_known, n_class = counts.n_value, counts.n_known, counts.n_class
    for i in chosen:
        c = y[i]
        n_class[c] += 1
        for j in range(len(codes)):
            value = rows[i, j]
            if value != missing:
                n_known[j, c] += 1
                if value == codes[j]:
                    n_value[j, c] += 1


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
    possible = True
    for j in range(len(row.observed)):
        possible = possible and (not row.observed[j] or row.n_value[j, c] > 0)
    return possible


@kernel
def keep_undominated(s, row, kept):
    """Fill ``kept`` with the undominated classes and return their number.

    All classes without a row in the neighbourhood are alike, so only one of them is compared.
    """
    n_class = row.n_class
    n_classes = len(n_class)
    any_observed = row.observed.any()
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
        add_rows(training, codes, order[start:stop], counts)
        found = keep_undominated(growth.s, counts, kept)
        tries += 1
        if found == 1 or tries >= growth.max_tries or stop >= limit:
            return stop
        start = stop
        stop = with_ties(stop + growth.step, ends, limit) if stop + growth.step < n else limit


@kernel
def classify(training, test, known, growth, distance, found):
    """Classify each row by the smallest neighbourhood that leaves one class.

    Parameters
    ----------
    training : TrainingRows
    test, known : codes to classify, and whether each is known
    growth : Growth
    distance : scratch space, one number per training row
    found : Neighbourhoods, with zeros for counts; filled
    """
    order = np.empty(len(distance), np.int64)
    ends = np.empty(test.shape[1] + 1, np.int64)
    for t in range(len(test)):
        count_differences(training.columns, test[t], known[t], distance)
        count_levels(distance, ends)
        counts = RowCounts(found.n_value[t], found.n_known[t], found.n_class[t], known[t])
        found.sizes[t] = grow(
            training, test[t], counts, growth, distance, ends, order, found.kept[t]
        )
