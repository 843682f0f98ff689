"""Growing a tree from training rows with any splitter.

A splitter consists of three compiled functions and a NamedTuple of options, its rule:

- ``is_finished(counts, weight, rule)``: whether a node stays a leaf without a look at its rows;
- ``choose_split(training, here, scratch, rule)``: the feature to split a node on, -1 if none is
  good enough, and the number of rows left of the cut if the feature is numeric;
- ``weigh_children(training, nodes, node, here, branch_of_row)``: the class counts of the children
  and how many rows each of them gets.

``grow_tree`` takes the three functions as arguments.  Numba compiles a separate version for each
splitter, so the calls cost nothing at run time.  A splitter's module calls ``grow_tree`` with its
own functions in one compiled function, because Numba can keep that one on disk; a compiled function
that Python calls with functions as arguments would be compiled again in every process.

Every numeric column is sorted once.  The sorted orders are then partitioned down the tree, so that
each node finds its rows in the order of each column without sorting again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from wager._jit import inlined_kernel, inner_kernel
from wager._tables import value_offsets
from wager._typing import Bools, Floats, Ints
from wager.learners.trees._nodes import NEAR, TreeRows, new_nodes, widen, widen_nodes

UNLIMITED = 2**31 - 1  # depth
GAP = 1e-5  # two numbers closer than this are never separated


class Training(NamedTuple):
    """The training rows with everything that is computed once for all nodes and all trees."""

    rows: TreeRows
    y: Ints
    weights: Any  # how often each row counts; rows of weight 0 are left out
    keys: Ints  # (n_rows, n_nominal): position of each value in ``Scratch.cells``
    orders: Ints  # (n_numeric, n_rows): all rows by the numbers of each column, missing ones last
    n_classes: int
    gaps: bool  # whether any value is missing

    @classmethod
    def of(cls, rows: TreeRows, y: Ints, n_classes: int) -> Training:
        """Training rows that all count once."""
        gaps = rows.has_gaps()
        # where values are missing, weights become fractions; their sums depend on the order, so
        # equal numbers must keep the order of the file
        orders = np.argsort(rows.numbers, axis=1, stable=gaps).astype(np.int32)
        keys = _keys_of(rows.codes, rows.n_values[rows.n_values > 0], n_classes)
        return cls(rows, y, np.ones(len(y)), keys, orders, n_classes, gaps)


def _keys_of(codes: Ints, n_values: Ints, n_classes: int) -> Ints:
    """Where each value begins in a flat table by (value, class); missing values at its end."""
    starts = (value_offsets(n_values) * n_classes).astype(np.int32)
    keys = codes * np.int32(n_classes)
    keys += starts
    if codes.min(initial=0) < 0:
        keys[codes < 0] = n_values.sum() * n_classes
    return keys


class RowStack(NamedTuple):
    """The rows of all nodes that wait to be split, one segment per node.

    ``rows`` has one line per numeric column, in the order of its values, and a last line in the
    order of the file; ``weights`` belongs to the last line.
    """

    rows: Ints  # (n_numeric + 1, size)
    weights: Any  # (1, size)


class NodeRows(NamedTuple):
    """The training rows of one node, as a splitter sees them."""

    lines: Ints  # ``RowStack.rows``, where this node has the columns from ``low`` on
    low: int
    rows: Ints  # the node's segment of the last line: its rows in the order of the file
    weights: Any  # their weights
    weight_of: Any  # the same weights, by number of the row
    whole: bool  # whether they all weigh one
    counts: Floats  # their weight by class
    weight: float  # and in total


class SortedColumn(NamedTuple):
    """The rows of a node with a known value of one numeric feature, in the order of the values."""

    order: Ints
    values: Floats  # by number of the row, like the following two
    y: Ints
    weights: Any


class Scratch(NamedTuple):
    """Work space of splitters, allocated once per tree."""

    cells: Any  # weights by (value, class) of all nominal columns; the last line is for gaps
    starts: Ints  # where the values of each feature begin in ``cells``
    used: Bools  # features that the path to the current node splits on
    features: Ints  # all features; a splitter that draws some moves them to the front
    state: Ints  # of the random generator: its present number, and the seed of the tree


@inlined_kernel
def new_scratch(training, seed):
    """Work space for one tree."""
    n_values = training.rows.n_values
    n_features = len(n_values)
    starts, features = np.zeros(n_features, np.int64), np.zeros(n_features, np.int64)
    n_lines = 0
    for a in range(n_features):
        features[a] = a
        starts[a] = n_lines * training.n_classes
        n_lines += n_values[a]
    cells = np.zeros((n_lines + 1) * training.n_classes, training.weights.dtype)
    state = np.array([seed, seed], np.int64)
    return Scratch(cells, starts, np.zeros(n_features, np.bool_), features, state)


@inlined_kernel
def add_to_cells(keys, y, here, cells):
    """Add the weights of a node's rows by (value, class), for every nominal column."""
    rows, weights = here.rows, here.weights
    for i in range(len(rows)):
        row, w = rows[i], weights[i]
        c = y[row]
        for j in range(keys.shape[1]):
            cells[keys[row, j] + c] += w


@inlined_kernel
def clear_cells(keys, y, here, cells):
    """Undo ``add_to_cells``; a node with few rows touches only the cells of these rows."""
    rows = here.rows
    if len(rows) * keys.shape[1] > len(cells):
        for i in range(len(cells)):
            cells[i] = 0
        return
    for i in range(len(rows)):
        row = rows[i]
        c = y[row]
        for j in range(keys.shape[1]):
            cells[keys[row, j] + c] = 0


@inlined_kernel
def stack_of_root(training, nodes):
    """The stack with the rows of the root, which is counted in ``nodes``."""
    orders, weights, y = training.orders, training.weights, training.y
    n_numeric = orders.shape[0]
    n = 0
    for row in range(len(y)):
        n += weights[row] > 0
    lines = np.empty((n_numeric + 1, n), np.int32)
    stacked = np.empty((1, n), weights.dtype)
    for line in range(n_numeric + 1):
        at = 0
        for i in range(len(y)):
            row = orders[line, i] if line < n_numeric else i
            if weights[row] > 0:
                lines[line, at] = row
                if line == n_numeric:
                    stacked[0, at] = weights[row]
                    nodes.counts[0, y[row]] += weights[row]
                    nodes.weight[0] += weights[row]
                at += 1
    nodes.bag[0] = nodes.weight[0]
    return RowStack(lines, stacked)


@inlined_kernel
def mark_used(nodes, parent, node, used):
    """Mark the features that the path to a node splits on; return the node's depth."""
    used[:] = False
    depth = 0
    above = parent[0, node]
    while above >= 0:
        used[nodes.feature[above]] = True
        depth += 1
        above = parent[0, above]
    return depth


@inlined_kernel
def rows_of_node(training, nodes, node, stack, low, n, weight_of):
    """What a splitter sees of a node; updates ``weight_of``."""
    rows = stack.rows[stack.rows.shape[0] - 1, low : low + n]
    weights = stack.weights[0, low : low + n]
    n_fractions = 0
    if training.gaps:  # otherwise the weights are those of the root all the way down
        for i in range(n):
            weight_of[rows[i]] = weights[i]
            n_fractions += weights[i] != 1.0
    return NodeRows(
        stack.rows, low, rows, weights, weight_of, n_fractions == 0, nodes.counts[node],
        nodes.weight[node],
    )  # fmt: skip


@inner_kernel
def observed_below(values, order, limit):
    """The largest training value that is not above ``limit``."""
    low, high = 0, len(order)
    while low < high:
        middle = (low + high) // 2
        if values[order[middle]] - limit < NEAR:  # False for a missing value
            low = middle + 1
        else:
            high = middle
    return values[order[low - 1]]


@inlined_kernel
def threshold_of(training, here, feature, cut):
    """The threshold of a numeric split: like C4.5, a value that occurs in the training rows."""
    table = training.rows
    slot = table.slot[feature]
    values = table.numbers[slot]
    below = values[here.lines[slot, here.low + cut - 1]]
    above = values[here.lines[slot, here.low + cut]]
    return observed_below(values, training.orders[slot], below + (above - below) / 2)


@inner_kernel
def partition_rows(stack, low, n, filled, branch_of_row, starts, shares):
    """Replace a segment of the stack by those of the children, each line in its own order.

    ``starts`` says where each child begins in the segment, -1 for a child whose rows are not needed
    any more; ``shares`` is the part of a row with a missing value that each child gets.
    """
    lines, weights = stack.rows, stack.weights
    n_children = len(starts)
    moved = np.empty(filled - low, lines.dtype)
    moved_weights = np.empty(filled - low)
    place = np.empty(n_children, np.int64)
    for line in range(lines.shape[0]):
        in_file_order = line == lines.shape[0] - 1
        for child in range(n_children):
            place[child] = starts[child]
        for i in range(low, low + n):
            row = lines[line, i]
            b = branch_of_row[row]
            if b >= 0:
                at = place[b]
                if at >= 0:
                    moved[at] = row
                    place[b] += 1
                    if in_file_order:
                        moved_weights[at] = weights[0, i]
                continue
            for child in range(n_children):
                at = place[child]
                if shares[child] > NEAR and at >= 0:
                    moved[at] = row
                    place[child] += 1
                    if in_file_order:
                        moved_weights[at] = shares[child] * weights[0, i]
        for i in range(filled - low):
            lines[line, low + i] = moved[i]
    for i in range(filled - low):
        weights[0, low + i] = moved_weights[i]


@inlined_kernel
def grow_tree(training, rule, seed, is_finished, choose_split, weigh_children):
    """Grow a tree with a splitter, see the top of this module.

    ``rule`` has at least ``max_depth``; ``seed`` starts the random generator of the splitter.
    Returns the nodes and how many of the entries are in use.
    """
    nodes = new_nodes(64 + len(training.y) // 64, training.n_classes)
    scratch = new_scratch(training, seed)
    stack = stack_of_root(training, nodes)
    weight_of = training.weights.copy()
    branch_of_row = np.zeros(len(training.y), np.int32)
    parent = np.zeros((1, len(nodes.feature)), np.int64)
    parent[0, 0] = -1
    waiting = np.zeros((3, 64), np.int64)  # node, start and length of its segment
    waiting[2, 0] = stack.rows.shape[1]
    n_nodes, n_waiting = 1, 1
    if is_finished(nodes.counts[0], nodes.weight[0], rule):
        n_waiting = 0
    while n_waiting > 0:
        n_waiting -= 1
        node, low, n = waiting[0, n_waiting], waiting[1, n_waiting], waiting[2, n_waiting]
        if mark_used(nodes, parent, node, scratch.used) >= rule.max_depth:
            continue
        here = rows_of_node(training, nodes, node, stack, low, n, weight_of)
        feature, cut = choose_split(training, here, scratch, rule)
        if feature < 0:
            continue

        n_children, first = training.rows.n_values[feature], n_nodes
        nodes.feature[node] = feature
        if n_children == 0:
            n_children = 2
            nodes.threshold[node] = threshold_of(training, here, feature, cut)
        nodes.first[node], nodes.n_children[node] = first, n_children
        n_nodes += n_children
        if n_nodes > len(nodes.feature):
            nodes = widen_nodes(nodes, n_nodes)
            parent = widen(parent, n_nodes)
        lengths = weigh_children(training, nodes, node, here, branch_of_row)

        # the segments of the children replace the parent's, which lies on top of the stack
        starts = np.full(n_children, -1)
        filled = low
        waiting = widen(waiting, n_waiting + n_children)
        for child in range(n_children):
            at = first + child
            parent[0, at] = node
            nodes.empty[at] = nodes.weight[at] < NEAR
            if not is_finished(nodes.counts[at], nodes.weight[at], rule):
                waiting[0, n_waiting] = at
                waiting[1, n_waiting] = filled
                waiting[2, n_waiting] = lengths[child]
                n_waiting += 1
                starts[child] = filled - low
                filled += lengths[child]
        stack = RowStack(widen(stack.rows, filled), widen(stack.weights, filled))
        shares = np.empty(n_children)
        for child in range(n_children):
            shares[child] = nodes.bag[first + child] / nodes.weight[node]
        partition_rows(stack, low, n, filled, branch_of_row, starts, shares)
    return nodes, n_nodes
