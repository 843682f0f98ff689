"""Growing a C4.5 tree: which column to split on, where, and which rows go down which branch.

Every numeric column is sorted once.  The sorted orders are then parted down the tree, so that a
node finds its rows in the order of each column without sorting again.  The rows of the nodes that
still wait lie on one stack, a segment each: one line a numeric column, one line in file order.
"""

from __future__ import annotations

import numpy as np

from wager._jit import kernel
from wager.learners.trees._c45_gain import choose_split, logs_up_to, tally_values, value_keys
from wager.learners.trees._nodes import NEAR, Nodes, count_classes, majority, weigh_branches


@kernel
def is_finished(counts, weight, min_rows):
    """Whether a node stays a leaf: too few rows, or all of one class."""
    return 2 * min_rows - weight > NEAR or abs(weight - counts[majority(counts)]) < NEAR


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
        n_parts = 0
        for i in range(n):
            weight_of[rows[i]] = weights[i]
            n_parts += weights[i] != 1.0

        used[:] = False  # a nominal column that was split on above holds one value here
        above = father[0, node]
        while above >= 0:
            used[nodes.feature[above]] = True
            above = father[0, above]
        tally_values(keys, rows, weights, y, by_value)
        best, cut = choose_split(
            table, stack, low, n, y, weight_of, n_parts == 0, nodes.counts[node],
            nodes.weight[node], min_rows, used, by_value, 0.3 * n_rows, logs,
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
