"""C4.5's splitter: the largest gain ratio among the features of at least average gain.

Gains are in bits per row.  An entropy is a sum of n log2 n over counts n.  Most counts are whole
numbers, whose n log2 n are looked up in a table.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from wager._jit import inlined_kernel, inner_kernel, kernel
from wager._typing import Floats
from wager.learners.trees._grow import (
    GAP,
    UNLIMITED,
    SortedColumn,
    Training,
    add_to_cells,
    clear_cells,
    grow_tree,
)
from wager.learners.trees._nodes import NEAR, TreeNodes, majority, weigh_branches

LOG2 = log(2.0)
SLACK = 1e-3  # a gain this little below the average still counts as average


class GainRatioRule(NamedTuple):
    """Options of C4.5's splitter."""

    min_rows: float
    many: float  # nominal features with so many values do not enter the average gain
    logs: Floats  # n log2 n of 0, 1, ..., n_rows
    max_depth: int


def grow_c45_tree(training: Training, min_rows: float) -> TreeNodes:
    """The unpruned tree."""
    n_rows = len(training.y)
    rule = GainRatioRule(float(min_rows), 0.3 * n_rows, logs_up_to(n_rows), UNLIMITED)
    nodes, n_nodes = grow_by_gain_ratio(training, rule)
    return TreeNodes._make(part[:n_nodes] for part in nodes)


@kernel
def grow_by_gain_ratio(training, rule):
    return grow_tree(training, rule, 0, is_finished, choose_split, weigh_children)


@inner_kernel
def is_finished(counts, weight, rule):
    """Whether a node has too few rows for two branches, or rows of one class only."""
    return 2 * rule.min_rows - weight > NEAR or abs(weight - counts[majority(counts)]) < NEAR


@inner_kernel
def n_log2_n(n):
    """The value n log2 n of a weight; a weight below ``NEAR`` counts as zero."""
    return 0.0 if n < NEAR else n * log(n) / LOG2


@kernel
def logs_up_to(n):
    """A table of n log2 n for 0, 1, ..., n."""
    logs = np.zeros(n + 1)
    for i in range(1, n + 1):
        logs[i] = n_log2_n(float(i))
    return logs


@inner_kernel
def term(n, whole, logs):
    """The value n log2 n of a weight, which never exceeds the number of rows."""
    count = np.int64(n)
    if whole or count == n:
        return logs[count]
    return n_log2_n(n)


@inlined_kernel
def gain_ratio(gain, sizes, weight, whole, logs):
    """Gain over the entropy of the split itself, with rows of unknown branch as one more branch."""
    known = 0.0
    info = 0.0
    for b in range(len(sizes)):
        known += sizes[b]
        info -= term(sizes[b], whole, logs)
    if known <= NEAR:
        return 0.0
    info -= term(weight - known, whole, logs)
    info += term(weight, whole, logs)
    return 0.0 if abs(info) < NEAR else gain / (info / weight)


@inner_kernel
def nominal_gain(cells, sizes, n_classes, weight, whole, rule):
    """Gain of one branch per value; -1 unless two branches have ``min_rows``.

    ``cells`` are the weights by (value, class); ``sizes`` is filled with the weight of each branch.
    """
    logs = rule.logs
    n_large = 0
    known = 0.0
    for b in range(len(sizes)):
        sizes[b] = 0.0
        for c in range(n_classes):
            sizes[b] += cells[b * n_classes + c]
        known += sizes[b]
        if rule.min_rows - sizes[b] < NEAR:
            n_large += 1
    if n_large < 2:
        return -1.0
    before = term(known, whole, logs)
    after = 0.0
    for b in range(len(sizes)):
        after += term(sizes[b], whole, logs)
    for c in range(n_classes):
        of_class = 0.0
        for b in range(len(sizes)):
            of_class += cells[b * n_classes + c]
            after -= term(cells[b * n_classes + c], whole, logs)
        before -= term(of_class, whole, logs)
    bits = (1.0 - (weight - known) / weight) * (before - after)
    return 0.0 if abs(bits) < NEAR else bits / known


@inner_kernel
def best_cut(column, whole, counts, known, least, near, logs):
    """Where a sorted column is best cut.

    Parameters
    ----------
    column : SortedColumn
    whole : whether its rows all weigh one
    counts, known : their weight by class, and in total
    least : the smallest weight on either side of a cut
    near : cuts whose gains differ by less are tied, and the first one wins
    logs : table of n log2 n

    Returns
    -------
    gain : float
        In bits times rows.
    cut, left : int, float
        Number and weight of the rows on the left; 0 if no cut gains anything.
    n_cuts : int
        Number of possible cuts.

    """
    order, values, y, weights = column.order, column.values, column.y, column.weights
    n_classes = len(counts)
    left = np.zeros(n_classes)
    inside = np.empty(n_classes)  # n log n of a class, summed over both sides
    total = 0.0
    for c in range(n_classes):
        inside[c] = term(counts[c], whole, logs)
        total += inside[c]
    before = term(known, whole, logs) - total
    best, best_cut, best_left, n_cuts = 0.0, 0, 0.0, 0
    n_left = 0.0
    settled = 0  # number of rows on the left whose move is included in ``inside``
    value = values[order[0]]
    for i in range(1, len(order)):
        row = order[i - 1]
        w = 1.0 if whole else weights[row]
        left[y[row]] += w
        n_left += w
        last, value = value, values[order[i]]
        if not last + GAP < value or least - n_left >= NEAR:
            continue
        if least - (known - n_left) >= NEAR:
            break
        # Rows of one value move to the left together.  Where they are few, only the terms of their
        # classes change; the order of these updates decides between cuts that tie but for rounding.
        if i - settled < n_classes:
            for k in range(settled, i):
                c = y[order[k]]
                total -= inside[c]
                inside[c] = term(left[c], whole, logs) + term(counts[c] - left[c], whole, logs)
                total += inside[c]
        else:
            total = 0.0
            for c in range(n_classes):
                inside[c] = term(left[c], whole, logs) + term(counts[c] - left[c], whole, logs)
                total += inside[c]
        settled = i
        n_cuts += 1
        sides = term(n_left, whole, logs) + term(known - n_left, whole, logs)
        bits = before - (sides - total)
        if bits - best > near:
            best, best_cut, best_left = bits, i, n_left
    return best, best_cut, best_left, n_cuts


@inner_kernel
def numeric_gain(column, counts, weight, whole, sizes, rule):
    """The best cut of a numeric column: its gain less the cost of naming it, -1 if there is none.

    ``counts`` and ``weight`` are those of all rows, also of those with a missing value, which come
    last in the column.  ``sizes`` is filled with the weight on either side.  Returns the gain, and
    the number of known rows on the left.
    """
    order, values, y, weights = column.order, column.values, column.y, column.weights
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
    least = 0.1 * known / len(counts)  # Quinlan: a tenth of an even share, at most 25 rows
    if least - rule.min_rows < NEAR:
        least = rule.min_rows
    elif least - 25.0 > NEAR:
        least = 25.0
    if 2 * least - n > NEAR:
        return -1.0, 0
    near = NEAR * weight  # gains per row are tied when they differ by less than NEAR
    column = SortedColumn(order[:n], values, y, weights)
    bits, cut, sizes[0], n_cuts = best_cut(column, whole, counts, known, least, near, rule.logs)
    sizes[1] = known - sizes[0]
    if cut == 0:
        return -1.0, 0
    gain = bits / weight  # bits / known, times the share of known rows
    gain -= log(n_cuts) / LOG2 / weight  # a message would have to name the cut
    if gain < NEAR:
        return -1.0, 0
    return gain, cut


@inner_kernel
def choose_split(training, here, scratch, rule):
    """The feature of largest gain ratio among those of at least average gain, and its cut.

    Nominal features with very many values do not enter the average, unless all are like that.  The
    feature is -1 where nothing can be split.
    """
    table, lines, low, n = training.rows, here.lines, here.low, len(here.rows)
    n_values, slots, numbers, y = table.n_values, table.slot, table.numbers, training.y
    cells, starts, counts, weight = scratch.cells, scratch.starts, here.counts, here.weight
    n_features, n_classes = len(n_values), len(counts)
    gains, ratios = np.full(n_features, -1.0), np.zeros(n_features)
    cuts = np.zeros(n_features, np.int64)
    sizes = np.empty(max(2, len(cells)))
    add_to_cells(training.keys, y, here, cells)
    for a in range(n_features):
        n_branches = 2
        if n_values[a] == 0:
            slot = slots[a]
            column = SortedColumn(lines[slot, low : low + n], numbers[slot], y, here.weight_of)
            gains[a], cuts[a] = numeric_gain(column, counts, weight, here.whole, sizes, rule)
        elif n_values[a] > 1 and not scratch.used[a]:  # a used one has a single value here
            n_branches = n_values[a]
            of_feature = cells[starts[a] : starts[a] + n_branches * n_classes]
            gains[a] = nominal_gain(
                of_feature, sizes[:n_branches], n_classes, weight, here.whole, rule
            )
        if gains[a] >= 0.0:
            ratios[a] = gain_ratio(gains[a], sizes[:n_branches], weight, here.whole, rule.logs)
    clear_cells(training.keys, y, here, cells)

    all_many = True
    for a in range(n_features):
        all_many = all_many and n_values[a] > 0 and rule.many - n_values[a] <= NEAR
    total, n_averaged = 0.0, 0
    for a in range(n_features):
        few = n_values[a] == 0 or rule.many - n_values[a] > NEAR
        if gains[a] >= 0.0 and (few or all_many):
            total += gains[a]
            n_averaged += 1
    best, best_ratio = -1, 0.0
    if n_averaged > 0:
        for a in range(n_features):
            if gains[a] >= max(0.0, total / n_averaged - SLACK) and ratios[a] - best_ratio > NEAR:
                best, best_ratio = a, ratios[a]
    return best, cuts[best]


@inner_kernel
def weigh_children(training, nodes, node, here, branch_of_row):
    """Share the rows of a node among its children, and sum in the order of Weka's J48.

    Fills ``branch_of_row``, the node's counts and the children's; returns the number of rows that
    each child gets.
    """
    y, rows, weights = training.y, here.rows, here.weights
    first, n_children = nodes.first[node], nodes.n_children[node]
    bags = nodes.bag[first : first + n_children]
    branch, total = weigh_branches(
        training, nodes.feature[node], nodes.threshold[node], rows, weights, bags,
        nodes.counts[node],
    )  # fmt: skip
    nodes.weight[node] = total
    counts, weight = nodes.counts, nodes.weight
    lengths = np.zeros(n_children, np.int64)
    for i in range(len(rows)):
        row, b, w = rows[i], branch[i], weights[i]
        branch_of_row[row] = b
        if b >= 0:
            counts[first + b, y[row]] += w
            weight[first + b] += w
            lengths[b] += 1
            continue
        for child in range(n_children):
            share = bags[child] / total
            if share > NEAR:
                counts[first + child, y[row]] += share * w
                weight[first + child] += share * w
                lengths[child] += 1
    return lengths
