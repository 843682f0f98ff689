"""C4.5's splitter: the largest gain ratio among the features of at least average gain.

Gains are in bits per row.  An entropy is a sum of n log2 n over counts n.  Most counts are whole
numbers, whose n log2 n are looked up in a table.
"""

from __future__ import annotations

from functools import lru_cache
from math import log
from typing import Any, NamedTuple

import numpy as np

from wager._jit import as_lists, entry, inlined_kernel, kernel
from wager._typing import Floats
from wager.learners.trees._grow import (
    GAP,
    UNLIMITED,
    Training,
    add_to_cells,
    clear_cells,
    grow_tree,
)
from wager.learners.trees._nodes import (
    BAG,
    COUNTS,
    FIRST,
    N_CHILDREN,
    NEAR,
    WEIGHT,
    Segment,
    TreeNodes,
    majority,
    weigh_branches,
)

LOG2 = log(2.0)
SLACK = 1e-3  # a gain this little below the average still counts as average
STEP = 2e-6  # seconds of plain Python per row of a node and feature


class GainRatioRule(NamedTuple):
    """Options of C4.5's splitter."""

    min_rows: float
    many: float  # nominal features with so many values do not enter the average gain
    logs: Any  # n log2 n of 0, 1, ..., n_rows
    max_depth: int
    step: float  # seconds of plain Python per row of a node


def grow_c45_tree(training: Training, min_rows: float) -> TreeNodes:
    """The unpruned tree."""
    n_rows = len(training.y)
    step = STEP * len(training.rows.n_values)
    rule = GainRatioRule(float(min_rows), 0.3 * n_rows, logs_up_to(n_rows), UNLIMITED, step)
    work = step * n_rows * np.log2(n_rows + 1)
    table, n_nodes = grow_by_gain_ratio(training, rule, work=work)
    return TreeNodes.of_table(table.reshape(-1, COUNTS + training.n_classes)[:n_nodes])


def logs_up_to(n: int) -> Floats:
    """A table of n log2 n for 0, 1, ..., up to at least n."""
    return _logs(max(10, n.bit_length()))


@lru_cache(maxsize=1)  # the folds of a cross-validation have nearly the same size
def _logs(bits: int) -> Floats:
    return np.array([0.0] + [i * log(i) / LOG2 for i in range(1, (1 << bits) + 1)])


def _grow_from_lists(training: Training, rule: GainRatioRule) -> tuple[Any, int]:
    nodes, n_nodes = grow_tree(
        as_lists(training), as_lists(rule), 0, is_finished, choose_split, weigh_children
    )
    return np.array(nodes), n_nodes


@entry(plain=_grow_from_lists, label="C4.5 trees")
def grow_by_gain_ratio(training, rule):
    """Grow a tree; returns the table of nodes and how many of its lines are in use."""
    return grow_tree(training, rule, 0, is_finished, choose_split, weigh_children)


@kernel
def is_finished(nodes, at, n_classes, rule):
    """Whether a node has too few rows for two branches, or rows of one class only."""
    weight = nodes[at + WEIGHT]
    if 2 * rule.min_rows - weight > NEAR:
        return True
    return abs(weight - nodes[at + COUNTS + majority(nodes, at + COUNTS, n_classes)]) < NEAR


@kernel
def n_log2_n(n):
    """The value n log2 n of a weight; a weight below ``NEAR`` counts as zero."""
    return 0.0 if n < NEAR else n * log(n) / LOG2


@kernel
def term(n, whole, logs):
    """The value n log2 n of a weight, which never exceeds the number of rows."""
    count = int(n)
    if whole or count == n:
        return logs[count]
    return n_log2_n(n)


@inlined_kernel
def gain_ratio(gain, sizes, n_branches, weight, whole, logs):
    """Gain over the entropy of the split itself, with rows of unknown branch as one more branch."""
    known = 0.0
    info = 0.0
    for b in range(n_branches):
        known += sizes[b]
        info -= term(sizes[b], whole, logs)
    if known <= NEAR:
        return 0.0
    info -= term(weight - known, whole, logs)
    info += term(weight, whole, logs)
    return 0.0 if abs(info) < NEAR else gain / (info / weight)


@kernel
def nominal_gain(cells, start, sizes, n_branches, n_classes, weight, whole, min_rows, logs):
    """Gain of one branch per value; -1 unless two branches have ``min_rows``.

    ``cells`` has the weights by (value, class) from ``start`` on; ``sizes`` is filled with the
    weight of each branch.
    """
    n_large = 0
    known = 0.0
    for b in range(n_branches):
        size = 0.0
        for c in range(start + b * n_classes, start + (b + 1) * n_classes):
            size += cells[c]
        sizes[b] = size
        known += size
        if min_rows - size < NEAR:
            n_large += 1
    if n_large < 2:
        return -1.0
    before = term(known, whole, logs)
    after = 0.0
    for b in range(n_branches):
        after += term(sizes[b], whole, logs)
    for c in range(n_classes):
        of_class = 0.0
        for at in range(start + c, start + n_branches * n_classes, n_classes):
            of_class += cells[at]
            after -= term(cells[at], whole, logs)
        before -= term(of_class, whole, logs)
    bits = (1.0 - (weight - known) / weight) * (before - after)
    return 0.0 if abs(bits) < NEAR else bits / known


class Column(NamedTuple):
    """The rows of a node with a known value of one numeric feature, in the order of the values."""

    order: Any  # from ``begin`` on
    begin: int
    n: int
    values: Any  # that of a row at ``first`` plus its number
    first: int


@kernel
def best_cut(column, y, weights, whole, known, least, near, logs, scratch):
    """Where a sorted column is best cut.

    Parameters
    ----------
    column : Column
    y, weights : by number of the row
    whole : whether the rows of the column all weigh one
    known : their total weight; ``scratch.counts`` has their weight by class
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
    # a slice, since Numba would check each sum of indices for being negative
    order = column.order[column.begin : column.begin + column.n]
    values, first = column.values, column.first
    counts, left, inside = scratch.counts, scratch.left, scratch.inside
    n_classes = len(counts)
    total = 0.0
    for c in range(n_classes):
        left[c] = 0.0
        inside[c] = term(counts[c], whole, logs)  # n log n of a class, summed over both sides
        total += inside[c]
    before = term(known, whole, logs) - total
    best, best_cut, best_left, n_cuts = 0.0, 0, 0.0, 0
    n_left = 0.0
    settled = 0  # number of rows on the left whose move is included in ``inside``
    value = values[first + order[0]]
    for i in range(1, column.n):
        row = order[i - 1]
        w = 1.0 if whole else weights[row]
        left[y[row]] += w
        n_left += w
        last, value = value, values[first + order[i]]
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


@kernel
def numeric_gain(training, here, slot, min_rows, logs, scratch):
    """The best cut of a numeric column: its gain less the cost of naming it, -1 if there is none.

    ``scratch.sizes`` is filled with the weight on either side.  Returns the gain, and the number of
    known rows on the left.
    """
    y, weights, whole, nodes, at = training.y, here.weight_of, here.whole, here.nodes, here.at
    order, values, counts, sizes = here.lines, training.rows.numbers, scratch.counts, scratch.sizes
    begin, first = slot * here.capacity + here.low, slot * training.rows.n_rows
    weight, n_classes = nodes[at + WEIGHT], len(counts)
    n = here.n
    while n > 0 and values[first + order[begin + n - 1]] != values[first + order[begin + n - 1]]:
        n -= 1  # missing values come last
    if n < 2 or not values[first + order[begin]] + GAP < values[first + order[begin + n - 1]]:
        return -1.0, 0
    known = weight
    for c in range(n_classes):
        counts[c] = nodes[at + COUNTS + c]
    for i in range(begin + n, begin + here.n):
        counts[y[order[i]]] -= weights[order[i]]
        known -= weights[order[i]]
    least = 0.1 * known / n_classes  # Quinlan: a tenth of an even share, at most 25 rows
    if least - min_rows < NEAR:
        least = min_rows
    elif least - 25.0 > NEAR:
        least = 25.0
    if 2 * least - n > NEAR:
        return -1.0, 0
    near = NEAR * weight  # gains per row are tied when they differ by less than NEAR
    column = Column(order, begin, n, values, first)
    bits, cut, left, n_cuts = best_cut(column, y, weights, whole, known, least, near, logs, scratch)
    sizes[0], sizes[1] = left, known - left
    if cut == 0:
        return -1.0, 0
    gain = bits / weight  # bits / known, times the share of known rows
    gain -= log(n_cuts) / LOG2 / weight  # a message would have to name the cut
    if gain < NEAR:
        return -1.0, 0
    return gain, cut


@kernel
def choose_split(training, here, scratch, rule):
    """The feature of largest gain ratio among those of at least average gain, and its cut.

    Nominal features with very many values do not enter the average, unless all are like that.  The
    feature is -1 where nothing can be split.
    """
    n_values, slots, n_classes = training.rows.n_values, training.rows.slot, training.n_classes
    cells, starts, sizes = scratch.cells, scratch.starts, scratch.sizes
    gains, ratios, cuts = scratch.gains, scratch.ratios, scratch.cuts
    weight, whole, min_rows, logs = (
        here.nodes[here.at + WEIGHT],
        here.whole,
        rule.min_rows,
        rule.logs,
    )
    n_features = len(n_values)
    add_to_cells(training, here, cells)
    for a in range(n_features):
        gains[a], ratios[a], cuts[a] = -1.0, 0.0, 0
        n_branches = 2
        if n_values[a] == 0:
            gains[a], cuts[a] = numeric_gain(training, here, slots[a], min_rows, logs, scratch)
        elif n_values[a] > 1 and not scratch.used[a]:  # a used one has a single value here
            n_branches = n_values[a]
            gains[a] = nominal_gain(
                cells, starts[a], sizes, n_branches, n_classes, weight, whole, min_rows, logs
            )
        if gains[a] >= 0.0:
            ratios[a] = gain_ratio(gains[a], sizes, n_branches, weight, whole, logs)
    clear_cells(training, here, cells)

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
    return best, cuts[best] if best >= 0 else 0  # without features there are no cuts


@kernel
def weigh_children(training, here, branch_of_row, lengths):
    """Share the rows of a node among its children, and sum in the order of Weka's J48.

    Fills ``branch_of_row``, the node's counts and the children's, and ``lengths``, the number of
    rows that each child gets.
    """
    y, rows, weights, low = training.y, here.lines, here.weights, here.low
    nodes, at, file, width = here.nodes, here.at, here.file, COUNTS + training.n_classes
    first, n_children = int(nodes[at + FIRST]) * width, int(nodes[at + N_CHILDREN])
    segment = Segment(rows, file, weights, low, here.n)
    total = weigh_branches(training, nodes, at, segment, nodes, nodes, at + COUNTS, branch_of_row)
    nodes[at + WEIGHT] = total
    for i in range(here.n):
        row, w = rows[file + i], weights[low + i]
        b = branch_of_row[row]
        if b >= 0:
            nodes[first + b * width + COUNTS + y[row]] += w
            nodes[first + b * width + WEIGHT] += w
            lengths[b] += 1
            continue
        for child in range(n_children):
            below = first + child * width
            share = nodes[below + BAG] / total
            if share > NEAR:
                nodes[below + COUNTS + y[row]] += share * w
                nodes[below + WEIGHT] += share * w
                lengths[child] += 1
