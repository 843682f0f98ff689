"""Growing a credal tree: which feature lowers the largest entropy most, and which rows go where.

Rows and nodes are held as for C4.5: the rows of the nodes that still wait lie on one stack, a
segment each, one line a numeric column in the order of its values and one line in file order.
Weights are whole numbers unless values are missing; then a row goes down several branches with a
part of its weight, and counts are fractions.
"""

from __future__ import annotations

from math import log

import numpy as np

from wager._jit import kernel
from wager.learners.trees._c45_grow import observed_below, part_rows, widen, widen_nodes
from wager.learners.trees._credal_gain import (
    LEAST,
    RANGE,
    choose,
    entropy_of,
    least_entropy_of,
    nominal_gain,
    numeric_gain,
)
from wager.learners.trees._entropy import LN2
from wager.learners.trees._nodes import NEAR, branch_of


@kernel
def tally_all(keys, rows, weights, y, cells):
    """Add the weights by (value, class) of every nominal column."""
    n_nominal = keys.shape[1]
    for i in range(len(rows)):
        row, w = rows[i], weights[i]
        c = y[row]
        for j in range(n_nominal):
            cells[keys[row, j] + c] += w


@kernel
def clear_all(keys, rows, y, cells):
    """Undo ``tally_all``, by the rows where they are few."""
    n_nominal = keys.shape[1]
    if len(rows) * n_nominal > len(cells):
        cells[:] = 0
        return
    for i in range(len(rows)):
        row = rows[i]
        c = y[row]
        for j in range(n_nominal):
            cells[keys[row, j] + c] = 0


@kernel
def draw(state):
    """The next state of Lehmer's generator, a number from 1 to 2^31 - 2."""
    return (state * 48271) % 2147483647


@kernel
def choose_split(
    table, keys, starts, stack, low, n, y, weights, weight_of, counts, weight, gaps, used,
    cells, order, state, rule, logs,
):  # fmt: skip
    """The best feature of a node, -1 if it stays a leaf; the cut of a numeric one; the generator.

    ``counts`` and ``weight`` are those of the node.  Where there are gaps, a feature is judged by
    the rows that show it, and its gain shrinks by their share.
    """
    n_features, n_classes = len(table.n_values), len(counts)
    gains, infos = np.full(n_features, -np.inf), np.zeros(n_features)
    cuts = np.zeros(n_features, np.int64)
    rows = stack[stack.shape[0] - 1, low : low + n]
    known = np.empty(n_classes, cells.dtype)
    for c in range(n_classes):
        known[c] = counts[c]
    n_known = weight
    own, _ = entropy_of(known, 0, n_classes, rule, logs)
    own_low = least_entropy_of(known, 0, n_classes, weight, rule, logs)
    all_at_once = rule.n_tried >= n_features
    if all_at_once:
        tally_all(keys, rows, weights, y, cells)
    n_seen, found = 0, False
    while n_seen < n_features and (n_seen < rule.n_tried or not found):
        if not all_at_once:
            state = draw(state)
            at = n_seen + state % (n_features - n_seen)
            order[n_seen], order[at] = order[at], order[n_seen]
        a = order[n_seen]
        n_seen += 1
        numeric = table.n_values[a] == 0
        if not numeric and (used[a] or table.n_values[a] < 2):
            continue
        start, end = starts[a], starts[a] + table.n_values[a] * n_classes
        slot = table.slot[a]
        if not numeric and not all_at_once:
            for i in range(n):
                cells[keys[rows[i], slot] + y[rows[i]]] += weights[i]
        n_sorted = n
        if gaps:
            known[:] = 0
            n_known = 0.0
            if numeric:
                n_sorted = 0
                for i in range(low, low + n):
                    row = stack[slot, i]
                    if not np.isnan(table.numbers[slot, row]):
                        known[y[row]] += weight_of[row]
                        n_sorted += 1
            else:
                for i in range(start, end):
                    known[(i - start) % n_classes] += cells[i]
            own, n_known = entropy_of(known, 0, n_classes, rule, logs)
            own_low = least_entropy_of(known, 0, n_classes, n_known, rule, logs)
        if n_known <= 0.0:
            continue
        if numeric:
            gains[a], infos[a], cuts[a] = numeric_gain(
                table.numbers[slot], stack[slot, low : low + n_sorted], y, weight_of, known,
                own, own_low, n_known, rule, logs,
            )  # fmt: skip
        else:
            gains[a], infos[a] = nominal_gain(
                cells, start, table.n_values[a], n_classes, own, own_low, n_known, rule, logs
            )
            if not all_at_once:
                cells[start:end] = 0
                cells[len(cells) - n_classes :] = 0
        if gaps:
            share = n_known / weight
            if rule.criterion != RANGE:
                gains[a] *= share
            if share < 1.0 - NEAR:  # rows of unknown branch are one more branch
                infos[a] = infos[a] * share - share * (log(share) / LN2)
                infos[a] -= (1 - share) * (log(1 - share) / LN2)
        found = found or gains[a] >= LEAST
    if all_at_once:
        clear_all(keys, rows, y, cells)
    best = choose(gains, infos, order, n_seen, rule)
    return best, cuts[best], state


@kernel
def is_finished(counts, weight, min_rows):
    """Whether a node stays a leaf in any case: all of one class, or too few rows for two sons."""
    if weight < 2 * min_rows:
        return True
    for c in range(len(counts)):
        if counts[c] > 0.0:
            return weight - counts[c] < NEAR
    return True


@kernel
def mark_used(nodes, father, node, used):
    """Which features were asked above a node; give its depth."""
    used[:] = False
    depth = 0
    above = father[0, node]
    while above >= 0:
        used[nodes.feature[above]] = True
        depth += 1
        above = father[0, above]
    return depth


@kernel
def grow(table, keys, orders, y, first_weights, gaps, rule, state, logs, nodes):
    """Grow a tree; ``nodes`` is a room for at least one node.

    Parameters
    ----------
    table : Table
    keys : array (n_rows, n_nominal)
        Place of each value in a flat table by (value, class); missing ones have its last line.
    orders : array (n_numeric, n_rows)
        All rows by the numbers of each column, missing ones last.
    y : array of class codes
    first_weights : array of whole numbers, or of floats where there are gaps
        How often each row counts; rows of weight 0 are left out.
    gaps : bool
        Whether values are missing.
    rule : Rule
    state : int
        Of the generator that draws features.
    logs : array
        The terms of the entropy for whole numbers up to the sum of the weights.
    nodes : Nodes

    Returns
    -------
    nodes : Nodes, in a wider room if need be
    n_nodes : int
    """
    n_classes, n_features = nodes.counts.shape[1], len(table.n_values)
    n_numeric = orders.shape[0]
    starts = np.zeros(n_features, np.int64)
    n_lines = 0
    for a in range(n_features):
        starts[a] = n_lines * n_classes
        n_lines += table.n_values[a]
    cells = np.zeros((n_lines + 1) * n_classes, first_weights.dtype)
    features = np.arange(n_features)
    used = np.zeros(n_features, np.bool_)
    weight_of = first_weights.copy()
    branch_of_row = np.zeros(len(y), np.int32)

    n = 0
    for i in range(len(y)):
        n += first_weights[i] > 0
    stack = np.empty((n_numeric + 1, n), np.int32)
    stacked = np.empty((1, n), first_weights.dtype)
    for line in range(n_numeric + 1):
        at = 0
        for i in range(len(y)):
            row = orders[line, i] if line < n_numeric else i
            if first_weights[row] > 0:
                stack[line, at] = row
                if line == n_numeric:
                    stacked[0, at] = first_weights[row]
                    nodes.counts[0, y[row]] += first_weights[row]
                    nodes.weight[0] += first_weights[row]
                at += 1
    nodes.bag[0] = nodes.weight[0]
    father = np.full((1, len(nodes.feature)), -1)
    waiting = np.zeros((3, 64), np.int64)  # node, start, length
    waiting[2, 0] = n
    n_nodes, n_waiting = 1, 1
    if is_finished(nodes.counts[0], nodes.weight[0], rule.min_rows):
        n_waiting = 0
    while n_waiting > 0:
        n_waiting -= 1
        node, low, n = waiting[0, n_waiting], waiting[1, n_waiting], waiting[2, n_waiting]
        if mark_used(nodes, father, node, used) >= rule.max_depth:
            continue
        rows, weights = stack[n_numeric, low : low + n], stacked[0, low : low + n]
        if gaps:
            for i in range(n):
                weight_of[rows[i]] = weights[i]
        best, cut, state = choose_split(
            table, keys, starts, stack, low, n, y, weights, weight_of, nodes.counts[node],
            nodes.weight[node], gaps, used, cells, features, state, rule, logs,
        )  # fmt: skip
        if best < 0:
            continue

        threshold, n_sons = np.nan, table.n_values[best]
        if n_sons == 0:
            n_sons, slot = 2, table.slot[best]
            values = table.numbers[slot]
            below, beyond = values[stack[slot, low + cut - 1]], values[stack[slot, low + cut]]
            threshold = observed_below(values, orders[slot], below + (beyond - below) / 2)
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
        lengths = np.zeros(n_sons, np.int64)
        for i in range(n):
            row = rows[i]
            b = branch_of(table, best, threshold, row)
            branch_of_row[row] = b
            if b >= 0:
                lengths[b] += 1
                bags[b] += weights[i]
                nodes.counts[first + b, y[row]] += weights[i]
        known = bags.sum()
        for son in range(n_sons):
            nodes.weight[first + son] = bags[son]
        if gaps:
            for son in range(n_sons):
                bags[son] *= nodes.weight[node] / known
            for i in range(n):
                row = rows[i]
                if branch_of_row[row] >= 0:
                    continue
                for son in range(n_sons):
                    share = bags[son] / nodes.weight[node]
                    if share > NEAR:
                        lengths[son] += 1
                        nodes.counts[first + son, y[row]] += share * weights[i]
                        nodes.weight[first + son] += share * weights[i]
        begins = np.full(n_sons, -1)
        filled = low
        for son in range(n_sons):
            at = first + son
            father[0, at] = node
            nodes.empty[at] = nodes.weight[at] < NEAR
            if not is_finished(nodes.counts[at], nodes.weight[at], rule.min_rows):
                waiting = widen(waiting, n_waiting + 1)
                waiting[0, n_waiting] = at
                waiting[1, n_waiting] = filled
                waiting[2, n_waiting] = lengths[son]
                n_waiting += 1
                begins[son] = filled - low
                filled += lengths[son]
        stack = widen(stack, filled)
        stacked = widen(stacked, filled)
        part_rows(
            stack, stacked[0], low, n, filled, branch_of_row, begins, bags, nodes.weight[node]
        )
    return nodes, n_nodes
