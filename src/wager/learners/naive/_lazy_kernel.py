"""The loop of the lazy naive credal classifier: neighbours by distance, then credal dominance.

Distances are small whole numbers and neighbourhoods whole levels of equal distance, so training
rows need no sorting: counting them by distance tells where each level ends, and only the levels
that are used are listed.  Counts grow with the neighbourhood; of the values only those of the row
to classify matter.
"""

from __future__ import annotations

from math import inf, log

import numpy as np

from wager._jit import kernel
from wager.learners.naive._ratio import TIE

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
def level_at(ends, place):
    """The distance of the row at this place, in the order of distances."""
    d = 0
    while ends[d] <= place:
        d += 1
    return d


@kernel
def with_ties(stop, ends, limit):
    """``stop`` moved over all rows at the distance of the last one, as far as ``limit``."""
    return max(stop, min(ends[level_at(ends, stop - 1)], limit))


@kernel
def list_levels(distance, ends, after, upto, order):
    """List the rows at distances above ``after`` and not above ``upto``, by distance."""
    place = np.empty(len(ends), np.int64)
    for d in range(len(ends)):
        place[d] = ends[d - 1] if d > 0 else 0
    for i in range(len(distance)):
        d = distance[i]
        if after < d <= upto:
            order[place[d]] = i
            place[d] += 1


@kernel
def add_rows(rows, y, row, missing, chosen, n_value, n_known, n_class):
    """Count training rows: by class, and by class where each feature is known, or as in ``row``."""
    for i in chosen:
        c = y[i]
        n_class[c] += 1
        for j in range(len(row)):
            value = rows[i, j]
            if value != missing:
                n_known[j, c] += 1
                if value == row[j]:
                    n_value[j, c] += 1


@kernel
def ratio_at(x, s, n_value, n_known, n_class, observed, c1, c2):
    """Log of the ratio P(c1|x)/P(c2|x) at one prior of the set, and its slope."""
    y = s - x
    value = log((n_class[c1] + y) / (n_class[c2] + x)) if n_class[c2] + x > 0 else inf
    slope = -1 / (n_class[c1] + y)
    slope -= 1 / (n_class[c2] + x) if n_class[c2] + x > 0 else inf
    product = 1.0
    for j in range(len(observed)):
        if not observed[j]:
            continue
        total = n_known[j, c1] + y
        product *= n_value[j, c1] / total
        slope += 1 / total
        if n_known[j, c2] > 0:
            total, n = n_known[j, c2] + x, n_value[j, c2] + x
            if n <= 0.0:
                return inf, -inf
            product *= total / n
            slope += 1 / total - 1 / n
        if product < 1e-200 or product > 1e200:
            value += log(product)
            product = 1.0
    return value + log(product), slope


@kernel
def dominates(s, n_value, n_known, n_class, observed, c1, c2):
    """Whether c1 is more probable than c2 for every prior: the least log ratio is positive.

    The log ratio is convex, so it lies above its tangents; they either prove dominance or lead to a
    point nearer to the least value.  ``c1`` has no zero count among the row's values.
    """
    b, a = s, 0.0
    fb, gb = ratio_at(b, s, n_value, n_known, n_class, observed, c1, c2)
    if not fb > TIE:
        return False
    if gb <= 0.0:
        return True
    fa, ga = ratio_at(a, s, n_value, n_known, n_class, observed, c1, c2)
    if not fa > TIE:
        return False
    if ga >= 0.0:
        return True
    for turn in range(200):
        if ga == -inf:
            x, bound = a, fb - gb * (b - a)
        elif gb <= ga:
            x, bound = a, min(fa, fb)
        else:
            x = min(max((fa - fb - ga * a + gb * b) / (gb - ga), a), b)
            bound = fa + ga * (x - a)
        if bound > TIE:
            return True
        if b - a <= 1e-9 * s:
            break
        if turn % 3 == 2 or x - a < 1e-3 * (b - a) or b - x < 1e-3 * (b - a):
            x = (a + b) / 2
        value, slope = ratio_at(x, s, n_value, n_known, n_class, observed, c1, c2)
        if not value > TIE:
            return False
        if slope < 0:
            a, fa, ga = x, value, slope
        else:
            b, fb, gb = x, value, slope
    return min(fa, fb) > TIE


@kernel
def decide(s, n_value, n_known, n_class, observed, any_observed, kept):
    """Fill ``kept`` with the undominated classes; give their number.

    Classes without a row in the neighbourhood are alike, so one of them speaks for all.
    """
    n_classes = len(n_class)
    for c in range(n_classes):
        kept[c] = True
    for c1 in range(n_classes):
        if n_class[c1] == 0 or not kept[c1]:
            continue  # whatever a dominated class dominates, its own dominator does
        possible = True
        for j in range(len(observed)):
            possible = possible and (not observed[j] or n_value[j, c1] > 0)
        if not possible:
            continue
        without_row = -1  # a class without rows that was compared already
        for c2 in range(n_classes):
            if c1 == c2 or not kept[c2]:
                continue
            if n_class[c2] == 0 and without_row >= 0:
                kept[c2] = kept[without_row]
                continue
            if any_observed:
                kept[c2] = not dominates(s, n_value, n_known, n_class, observed, c1, c2)
            else:
                kept[c2] = n_class[c1] <= (n_class[c2] + s) * (1 + TIE)
            if n_class[c2] == 0:
                without_row = c2
    n_kept = 0
    for c in range(n_classes):
        n_kept += kept[c]
    return n_kept


@kernel
def classify(
    rows, columns, y, test, known, missing, s, k, step, max_tries, leave_last,
    distance, kept, sizes, n_value, n_known, n_class,
):  # fmt: skip
    """Classify each row by the smallest neighbourhood that settles on one class.

    Parameters
    ----------
    rows, columns : training codes by row and by column
    y : class codes
    test, known : codes to classify, and whether each is there
    missing : the code of a missing training value
    s, k, step, max_tries : as for the classifier
    leave_last : whether the last row is left out, as the published program does
    distance : room for one number a training row
    kept, sizes : filled with the sets and the sizes of the neighbourhoods
    n_value, n_known, n_class : zeros, filled with the counts of the neighbourhoods
    """
    n = len(rows)
    limit = n - 1 if leave_last else n
    order = np.empty(n, np.int64)
    ends = np.empty(test.shape[1] + 1, np.int64)
    for t in range(len(test)):
        row, observed = test[t], known[t]
        any_observed = False
        for j in range(len(observed)):
            any_observed = any_observed or observed[j]
        count_differences(columns, row, observed, distance)
        ends[:] = 0
        for i in range(n):
            ends[distance[i]] += 1
        for d in range(1, len(ends)):
            ends[d] += ends[d - 1]

        stop = with_ties(min(k, n), ends, limit)
        if stop < n and ends[0] >= stop:
            stop = with_ties(stop + 1, ends, limit)
        start, listed = 0, -1
        tries = 0
        while True:
            level = level_at(ends, stop - 1)
            if level > listed:
                upto = level_at(ends, min(n, 4 * stop) - 1) if tries > 0 else level
                list_levels(distance, ends, listed, upto, order)
                listed = upto
            add_rows(rows, y, row, missing, order[start:stop], n_value[t], n_known[t], n_class[t])
            found = decide(s, n_value[t], n_known[t], n_class[t], observed, any_observed, kept[t])
            tries += 1
            if found == 1 or tries >= max_tries or stop >= limit:
                break
            start = stop
            stop = with_ties(stop + step, ends, limit) if stop + step < n else limit
        sizes[t] = stop
