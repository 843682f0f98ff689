"""What a split of C4.5 is worth: gain, gain ratio, and the best cut of a numeric column.

Gains are in bits a row.  A sum of n log2 n over counts n is all that an entropy takes, and most
counts are whole numbers, whose n log2 n stand in a table.
"""

from __future__ import annotations

from math import log

import numpy as np

from wager._jit import kernel
from wager.learners.trees._nodes import NEAR

LOG2 = log(2.0)
GAP = 1e-5  # two values closer than this are never parted
SLACK = 1e-3  # a split whose gain is this little below the average still counts


@kernel
def by_logarithm(x):
    """X log2 x, a number below ``NEAR`` counting as zero."""
    return 0.0 if x < NEAR else x * log(x) / LOG2


@kernel
def logs_up_to(n):
    """X log2 x of 0, 1, ..., n: most weights are whole numbers and need no logarithm."""
    logs = np.zeros(n + 1)
    for i in range(1, n + 1):
        logs[i] = by_logarithm(float(i))
    return logs


@kernel
def xlog2x(x, whole, logs):
    """X log2 x of a weight, which never exceeds the number of rows."""
    count = np.int64(x)
    if whole or count == x:
        return logs[count]
    return by_logarithm(x)


@kernel
def gain_ratio(gain, sizes, weight, whole, logs):
    """Gain over the information of the split itself, rows of unknown branch as one more branch."""
    known = 0.0
    info = 0.0
    for b in range(len(sizes)):
        known += sizes[b]
        info -= xlog2x(sizes[b], whole, logs)
    if known <= NEAR:
        return 0.0
    info -= xlog2x(weight - known, whole, logs)
    info += xlog2x(weight, whole, logs)
    return 0.0 if abs(info) < NEAR else gain / (info / weight)


@kernel
def nominal_gain(by_value, sizes, n_classes, weight, whole, min_rows, logs):
    """Gain of one branch a value; -1 unless two branches hold ``min_rows``."""
    n_values = len(sizes)
    big = 0
    known = 0.0
    for b in range(n_values):
        sizes[b] = 0.0
        for c in range(n_classes):
            sizes[b] += by_value[b * n_classes + c]
        known += sizes[b]
        if min_rows - sizes[b] < NEAR:
            big += 1
    if big < 2:
        return -1.0
    before = xlog2x(known, whole, logs)
    after = 0.0
    for b in range(n_values):
        after += xlog2x(sizes[b], whole, logs)
    for c in range(n_classes):
        of_class = 0.0
        for b in range(n_values):
            of_class += by_value[b * n_classes + c]
            after -= xlog2x(by_value[b * n_classes + c], whole, logs)
        before -= xlog2x(of_class, whole, logs)
    told = (1.0 - (weight - known) / weight) * (before - after)
    return 0.0 if abs(told) < NEAR else told / known


@kernel
def best_cut(values, order, y, weights, whole, counts, known, least, near, logs):
    """Where a sorted column is best cut.

    ``counts`` are the classes of all rows of ``order``, ``known`` their sum.  Returns the gain in
    bits times rows, the number and the weight of the rows on the left (0: no cut gains anything),
    and how many cuts were possible.  Rows of one value move to the left together; the sum of
    n log n over the classes of both sides then follows for the classes that moved.
    """
    n, n_classes = len(order), len(counts)
    left = np.zeros(n_classes)
    inside = np.empty(n_classes)  # n log n of a class on both sides
    total = 0.0
    for c in range(n_classes):
        inside[c] = xlog2x(counts[c], whole, logs)
        total += inside[c]
    before = xlog2x(known, whole, logs) - total
    best, best_cut, best_left, n_cuts = 0.0, 0, 0.0, 0
    n_left = 0.0
    settled = 0  # rows whose move is in the sum
    value = values[order[0]]
    for i in range(1, n):
        row = order[i - 1]
        w = 1.0 if whole else weights[row]
        left[y[row]] += w
        n_left += w
        last, value = value, values[order[i]]
        if not last + GAP < value or least - n_left >= NEAR:
            continue
        if least - (known - n_left) >= NEAR:
            break
        if i - settled < n_classes:
            for k in range(settled, i):
                c = y[order[k]]
                total -= inside[c]
                inside[c] = xlog2x(left[c], whole, logs) + xlog2x(counts[c] - left[c], whole, logs)
                total += inside[c]
        else:
            total = 0.0
            for c in range(n_classes):
                inside[c] = xlog2x(left[c], whole, logs) + xlog2x(counts[c] - left[c], whole, logs)
                total += inside[c]
        settled = i
        n_cuts += 1
        sides = xlog2x(n_left, whole, logs) + xlog2x(known - n_left, whole, logs)
        told = before - (sides - total)
        if told - best > near:
            best, best_cut, best_left = told, i, n_left
    return best, best_cut, best_left, n_cuts


@kernel
def numeric_gain(values, order, y, weights, whole, counts, weight, min_rows, logs, sizes):
    """The best cut of a numeric column: its gain less the cost of naming it, -1 if there is none.

    Parameters
    ----------
    values, y, weights : arrays over all training rows
    order : the rows of the node, by value, missing ones last
    whole : whether they all weigh one
    counts, weight : classes of the node's rows, missing ones included
    sizes : filled with the weight on either side of the cut

    Returns
    -------
    gain : float
    cut : int
        Number of known rows on the left.
    """
    n = len(order)
    while n > 0 and np.isnan(values[order[n - 1]]):
        n -= 1
    if n < 2 or not values[order[0]] + GAP < values[order[n - 1]]:
        return -1.0, 0
    known = weight
    if n < len(order):
        counts = counts.copy()
        for i in range(n, len(order)):
            counts[y[order[i]]] -= weights[order[i]]
            known -= weights[order[i]]
    least = 0.1 * known / len(counts)
    if least - min_rows < NEAR:
        least = min_rows
    elif least - 25.0 > NEAR:
        least = 25.0
    if 2 * least - n > NEAR:
        return -1.0, 0
    near = NEAR * weight  # gains are compared by the row
    told, cut, sizes[0], n_cuts = best_cut(
        values, order[:n], y, weights, whole, counts, known, least, near, logs
    )
    sizes[1] = known - sizes[0]
    if cut == 0:
        return -1.0, 0
    gain = told / weight  # told / known, times the share of known rows
    gain -= log(n_cuts) / LOG2 / weight  # the message must name the cut
    if gain < NEAR:
        return -1.0, 0
    return gain, cut


@kernel
def value_keys(table, n_classes):
    """For every row and nominal column the place of its value in a flat table by (value, class).

    The last line of that table takes the missing values.
    """
    n_rows, n_nominal = table.codes.shape
    keys = np.empty((n_rows, n_nominal), np.int32)
    start = 0
    for a in range(len(table.n_values)):
        if table.n_values[a] > 0:
            start += table.n_values[a]
    nowhere = start * n_classes
    start = 0
    for a in range(len(table.n_values)):
        if table.n_values[a] > 0:
            j = table.slot[a]
            for row in range(n_rows):
                code = table.codes[row, j]
                keys[row, j] = (start + code) * n_classes if code >= 0 else nowhere
            start += table.n_values[a]
    return keys


@kernel
def tally_values(keys, rows, weights, y, by_value):
    """Weight by (value, class) of every nominal column, in place."""
    by_value[:] = 0.0
    n_nominal = keys.shape[1]
    for i in range(len(rows)):
        row, w = rows[i], weights[i]
        c = y[row]
        for j in range(n_nominal):
            by_value[keys[row, j] + c] += w


@kernel
def choose_split(
    table, stack, low, n, y, weight_of, whole, counts, weight, min_rows, used, by_value, few, logs
):  # fmt: skip
    """The column of largest gain ratio among those of at least average gain, and its cut.

    Nominal columns of ``few`` or more values stay out of the average, unless all are so.  The
    column is -1 where nothing can be split.
    """
    n_features = len(table.n_values)
    n_classes = len(counts)
    gains = np.full(n_features, -1.0)
    ratios = np.zeros(n_features)
    cuts = np.zeros(n_features, np.int64)
    sizes = np.empty(max(2, len(by_value)))
    usual = np.empty(n_features, np.bool_)  # enters the average
    n_usual = 0
    for a in range(n_features):
        usual[a] = table.n_values[a] == 0 or few - table.n_values[a] > NEAR
        n_usual += usual[a]
    if n_usual == 0:
        usual[:] = True
    start = 0
    for a in range(n_features):
        if table.n_values[a] == 0:
            j = table.slot[a]
            gains[a], cuts[a] = numeric_gain(
                table.numbers[j], stack[j, low : low + n], y, weight_of, whole, counts, weight,
                min_rows, logs, sizes,
            )  # fmt: skip
            if gains[a] >= 0.0:
                ratios[a] = gain_ratio(gains[a], sizes[:2], weight, whole, logs)
            continue
        end = start + table.n_values[a] * n_classes
        if table.n_values[a] > 1 and not used[a]:
            here = sizes[: table.n_values[a]]
            gains[a] = nominal_gain(
                by_value[start:end], here, n_classes, weight, whole, min_rows, logs
            )
            if gains[a] >= 0.0:
                ratios[a] = gain_ratio(gains[a], here, weight, whole, logs)
        start = end
    total, n_usual = 0.0, 0
    for a in range(n_features):
        if gains[a] >= 0.0 and usual[a]:
            total += gains[a]
            n_usual += 1
    best, best_ratio = -1, 0.0
    if n_usual > 0:
        for a in range(n_features):
            if gains[a] >= max(0.0, total / n_usual - SLACK) and ratios[a] - best_ratio > NEAR:
                best, best_ratio = a, ratios[a]
    return best, cuts[best]
