"""Growing a C4.5 tree: which column to split on, where, and which rows go down which branch.

Every numeric column is sorted once.  The sorted orders are then parted down the tree, so that a
node finds its rows in the order of each column without sorting again.  The rows of the nodes that
still wait lie on one stack, a segment each: one line a numeric column, one line in file order.
"""

from __future__ import annotations

from math import log

import numpy as np

from wager._jit import kernel
from wager.learners._c45_nodes import (
    NEAR,
    Nodes,
    count_classes,
    majority,
    weigh_branches,
)

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
def xlog2x(x, logs):
    """X log2 x of a weight, which never exceeds the number of rows."""
    whole = np.int64(x)
    if whole == x:
        return logs[whole]
    return by_logarithm(x)


@kernel
def is_finished(counts, weight, min_rows):
    """Whether a node stays a leaf: too few rows, or all of one class."""
    return 2 * min_rows - weight > NEAR or abs(weight - counts[majority(counts)]) < NEAR


@kernel
def gain_ratio(gain, sizes, weight, logs):
    """Gain over the information of the split itself, rows of unknown branch as one more branch."""
    known = 0.0
    info = 0.0
    for b in range(len(sizes)):
        known += sizes[b]
        info -= xlog2x(sizes[b], logs)
    if known <= NEAR:
        return 0.0
    info -= xlog2x(weight - known, logs)
    info += xlog2x(weight, logs)
    return 0.0 if abs(info) < NEAR else gain / (info / weight)


@kernel
def nominal_gain(by_value, sizes, n_classes, weight, min_rows, logs):
    """Gain of one branch a value; -1 unless two branches hold ``min_rows``."""
    n_values = len(sizes)
    big = 0
    known = 0.0
    after = 0.0
    for b in range(n_values):
        sizes[b] = 0.0
        for c in range(n_classes):
            sizes[b] += by_value[b * n_classes + c]
        known += sizes[b]
        if min_rows - sizes[b] < NEAR:
            big += 1
    if big < 2:
        return -1.0
    before = xlog2x(known, logs)
    for b in range(n_values):
        after += xlog2x(sizes[b], logs)
    for c in range(n_classes):
        of_class = 0.0
        for b in range(n_values):
            of_class += by_value[b * n_classes + c]
            after -= xlog2x(by_value[b * n_classes + c], logs)
        before -= xlog2x(of_class, logs)
    told = (1.0 - (weight - known) / weight) * (before - after)
    return 0.0 if abs(told) < NEAR else told / known


@kernel
def best_whole_cut(values, order, y, right, least, near, logs):
    """Where a sorted column is best cut, for rows of weight one.

    Returns the gain in bits times rows, the number of rows on the left (0: no cut gains anything)
    and the number of cuts that were possible.  ``right`` comes in as the classes of all rows.
    The sum of n log n over the classes of both sides is kept up to date row by row; it may drift
    in its last digits, far below ``NEAR`` a row.
    """
    n = len(order)
    left = np.zeros(len(right), np.int64)
    inside = 0.0  # sum of n log n over the classes of either side
    for c in range(len(right)):
        inside += logs[right[c]]
    before = logs[n] - inside
    best, best_cut, n_cuts = 0.0, 0, 0
    value = values[order[0]]
    for i in range(1, n):
        c = y[order[i - 1]]
        here, there = left[c], right[c]
        inside += (logs[here + 1] - logs[here]) - (logs[there] - logs[there - 1])
        left[c] = here + 1
        right[c] = there - 1
        last, value = value, values[order[i]]
        if last + GAP < value and least - i < NEAR and least - (n - i) < NEAR:
            n_cuts += 1
            told = before - (logs[i] + logs[n - i] - inside)
            if told - best > near:
                best, best_cut = told, i
    return best, best_cut, n_cuts


@kernel
def best_weighted_cut(values, order, y, weights, right, known, least, near, logs):
    """The same for rows of any weight."""
    n = len(order)
    left = np.zeros(len(right))
    left_logs = np.zeros(len(right))
    right_logs = np.zeros(len(right))
    inside = 0.0
    for c in range(len(right)):
        right_logs[c] = xlog2x(right[c], logs)
        inside += right_logs[c]
    before = xlog2x(known, logs) - inside
    n_left, n_right = 0.0, known
    best, best_cut, n_cuts = 0.0, 0, 0
    value = values[order[0]]
    for i in range(1, n):
        c, w = y[order[i - 1]], weights[order[i - 1]]
        left[c] += w
        right[c] -= w
        inside -= left_logs[c] + right_logs[c]
        left_logs[c] = xlog2x(left[c], logs)
        right_logs[c] = xlog2x(right[c], logs)
        inside += left_logs[c] + right_logs[c]
        n_left += w
        n_right -= w
        last, value = value, values[order[i]]
        if last + GAP < value and least - n_left < NEAR and least - n_right < NEAR:
            n_cuts += 1
            told = before - (xlog2x(n_left, logs) + xlog2x(n_right, logs) - inside)
            if told - best > near:
                best, best_cut = told, i
    return best, best_cut, n_cuts


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
    n_classes = len(counts)
    n = len(order)
    right = counts.copy()
    known = weight
    while n > 0 and np.isnan(values[order[n - 1]]):
        n -= 1
        right[y[order[n]]] -= weights[order[n]]
        known -= weights[order[n]]
    if n < 2 or not values[order[0]] + GAP < values[order[n - 1]]:
        return -1.0, 0
    least = 0.1 * known / n_classes
    if least - min_rows < NEAR:
        least = min_rows
    elif least - 25.0 > NEAR:
        least = 25.0
    if 2 * least - n > NEAR:
        return -1.0, 0
    near = NEAR * weight  # gains are compared by the row
    if whole:
        whole_right = np.empty(n_classes, np.int64)
        for c in range(n_classes):
            whole_right[c] = int(right[c])
        told, cut, n_cuts = best_whole_cut(values, order[:n], y, whole_right, least, near, logs)
        sizes[0] = cut
    else:
        told, cut, n_cuts = best_weighted_cut(
            values, order[:n], y, weights, right, known, least, near, logs
        )
        sizes[0] = 0.0
        for i in range(cut):
            sizes[0] += weights[order[i]]
    sizes[1] = known - sizes[0]
    if cut == 0:
        return -1.0, 0
    gain = told / weight  # told / known, times the share of known rows
    gain -= log(n_cuts) / LOG2 / weight  # the message must name the cut
    if gain < NEAR:
        return -1.0, 0
    return gain, cut


@kernel
def observed_below(values, sorted_rows, limit):
    """The largest training value that is not above ``limit``."""
    low, high = 0, len(sorted_rows)
    while low < high:
        middle = (low + high) // 2
        if values[sorted_rows[middle]] - limit < NEAR:  # False for a missing value
            low = middle + 1
        else:
            high = middle
    return values[sorted_rows[low - 1]]


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
                ratios[a] = gain_ratio(gains[a], sizes[:2], weight, logs)
            continue
        end = start + table.n_values[a] * n_classes
        if table.n_values[a] > 1 and not used[a]:
            here = sizes[: table.n_values[a]]
            gains[a] = nominal_gain(by_value[start:end], here, n_classes, weight, min_rows, logs)
            if gains[a] >= 0.0:
                ratios[a] = gain_ratio(gains[a], here, weight, logs)
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


@kernel
def widen_nodes(nodes, n_nodes):
    """The same tree with room for at least ``n_nodes``."""
    held = len(nodes.feature)
    size = max(n_nodes, 2 * held)
    wider = Nodes(
        np.full(size, -1),
        np.full(size, np.nan),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros((size, nodes.counts.shape[1])),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size, np.bool_),
    )
    for node in range(held):
        wider.feature[node] = nodes.feature[node]
        wider.threshold[node] = nodes.threshold[node]
        wider.first[node] = nodes.first[node]
        wider.n_sons[node] = nodes.n_sons[node]
        wider.weight[node] = nodes.weight[node]
        wider.bag[node] = nodes.bag[node]
        wider.empty[node] = nodes.empty[node]
        for c in range(nodes.counts.shape[1]):
            wider.counts[node, c] = nodes.counts[node, c]
    return wider


@kernel
def widen(lines, size):
    """The same lines with room for at least ``size`` entries each."""
    if size <= lines.shape[1]:
        return lines
    wider = np.empty((lines.shape[0], max(size, 2 * lines.shape[1])), lines.dtype)
    for line in range(lines.shape[0]):
        for i in range(lines.shape[1]):
            wider[line, i] = lines[line, i]
    return wider


@kernel
def part_rows(stack, weights, low, n, filled, branch_of_row, starts, bags, total):
    """Replace a segment of the stack by those of the sons, every line in its own order.

    ``starts`` is -1 for a son whose rows are not needed any more.
    """
    n_sons = len(starts)
    parted = np.empty(filled - low, stack.dtype)
    parted_weights = np.empty(filled - low)
    place = np.empty(n_sons, np.int64)
    for line in range(stack.shape[0]):
        in_file_order = line == stack.shape[0] - 1
        for son in range(n_sons):
            place[son] = starts[son]
        for i in range(low, low + n):
            row = stack[line, i]
            b = branch_of_row[row]
            if b >= 0:
                at = place[b]
                if at >= 0:
                    parted[at] = row
                    place[b] += 1
                    if in_file_order:
                        parted_weights[at] = weights[i]
                continue
            for son in range(n_sons):
                share = bags[son] / total
                at = place[son]
                if share > NEAR and at >= 0:
                    parted[at] = row
                    place[son] += 1
                    if in_file_order:
                        parted_weights[at] = share * weights[i]
        for i in range(filled - low):
            stack[line, low + i] = parted[i]
    for i in range(filled - low):
        weights[low + i] = parted_weights[i]


@kernel
def grow_tree(table, orders, y, min_rows, nodes):
    """Grow the whole tree; ``nodes`` is a room for at least one node.

    ``orders[j]`` lists all rows by the numbers of numeric column ``j``, missing ones last.
    Returns the nodes, in a wider room if need be, and how many there are.
    """
    n_rows = len(y)
    n_features = len(table.n_values)
    n_numeric = orders.shape[0]
    logs = logs_up_to(n_rows)
    n_lines = 1
    for a in range(n_features):
        n_lines += table.n_values[a]
    keys = value_keys(table, nodes.counts.shape[1])
    by_value = np.zeros(n_lines * nodes.counts.shape[1])
    used = np.zeros(n_features, np.bool_)
    weight_of = np.ones(n_rows)
    branch = np.zeros(n_rows, np.int32)
    branch_of_row = np.zeros(n_rows, np.int32)

    stack = np.empty((n_numeric + 1, n_rows), np.int32)
    for i in range(n_rows):
        stack[n_numeric, i] = i
        for j in range(n_numeric):
            stack[j, i] = orders[j, i]
    stacked = np.ones((1, n_rows))  # weights, beside the last line
    waiting = np.zeros((3, 64), np.int64)  # node, start, length
    waiting[2, 0] = n_rows
    father = np.full((1, len(nodes.feature)), -1)
    n_nodes = 1
    nodes.weight[0] = count_classes(stack[n_numeric], stacked[0], y, nodes.counts[0])
    nodes.bag[0] = nodes.weight[0]
    n_waiting = 0 if is_finished(nodes.counts[0], nodes.weight[0], min_rows) else 1
    while n_waiting > 0:
        n_waiting -= 1
        node, low, n = waiting[0, n_waiting], waiting[1, n_waiting], waiting[2, n_waiting]
        rows, weights = stack[n_numeric, low : low + n], stacked[0, low : low + n]
        whole = True
        for i in range(n):
            weight_of[rows[i]] = weights[i]
            whole = whole and weights[i] == 1.0

        used[:] = False  # a nominal column that was split on above holds one value here
        above = father[0, node]
        while above >= 0:
            used[nodes.feature[above]] = True
            above = father[0, above]
        tally_values(keys, rows, weights, y, by_value)
        best, cut = choose_split(
            table, stack, low, n, y, weight_of, whole, nodes.counts[node], nodes.weight[node],
            min_rows, used, by_value, 0.3 * n_rows, logs,
        )  # fmt: skip
        if best < 0:
            continue

        threshold = np.nan
        n_sons = table.n_values[best]
        if n_sons == 0:
            n_sons = 2
            j = table.slot[best]
            values = table.numbers[j]
            below, beyond = values[stack[j, low + cut - 1]], values[stack[j, low + cut]]
            threshold = observed_below(values, orders[j], below + (beyond - below) / 2)
        first = n_nodes
        n_nodes += n_sons
        if n_nodes > len(nodes.feature):
            nodes = widen_nodes(nodes, n_nodes)
            father = widen(father, n_nodes)
        nodes.feature[node] = best
        nodes.threshold[node] = threshold
        nodes.first[node] = first
        nodes.n_sons[node] = n_sons
        bags = nodes.bag[first : first + n_sons]
        total = weigh_branches(
            table, y, best, threshold, rows, weights, branch, bags, nodes.counts[node]
        )
        nodes.weight[node] = total

        lengths = np.zeros(n_sons, np.int64)
        for i in range(n):
            row, b, w = rows[i], branch[i], weights[i]
            branch_of_row[row] = b
            if b >= 0:
                nodes.counts[first + b, y[row]] += w
                nodes.weight[first + b] += w
                lengths[b] += 1
                continue
            for son in range(n_sons):
                share = bags[son] / total
                if share > NEAR:
                    nodes.counts[first + son, y[row]] += share * w
                    nodes.weight[first + son] += share * w
                    lengths[son] += 1
        starts = np.full(n_sons, -1)
        filled = low
        for son in range(n_sons):
            at = first + son
            father[0, at] = node
            nodes.empty[at] = abs(nodes.weight[at]) < NEAR
            if not is_finished(nodes.counts[at], nodes.weight[at], min_rows):
                waiting = widen(waiting, n_waiting + 1)
                waiting[0, n_waiting] = at
                waiting[1, n_waiting] = filled
                waiting[2, n_waiting] = lengths[son]
                n_waiting += 1
                starts[son] = filled - low
                filled += lengths[son]
        stack = widen(stack, filled)
        stacked = widen(stacked, filled)
        part_rows(stack, stacked[0], low, n, filled, branch_of_row, starts, bags, total)
    return nodes, n_nodes
