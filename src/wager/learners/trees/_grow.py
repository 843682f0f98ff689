"""Growing a tree from training rows with any splitter.

A splitter consists of three kernels and a NamedTuple of options, its rule:

- ``is_finished(nodes, at, n_classes, rule)``: whether a node stays a leaf without a look at its
  rows;
- ``choose_split(training, here, scratch, rule)``: the feature to split a node on, -1 if none is
  good enough, and the number of rows left of the cut if the feature is numeric;
- ``weigh_children(training, here, branch_of_row, lengths)``: fills in the branch of each row, the
  class counts of the children and how many rows each of them gets.

``grow_tree`` takes the three functions as arguments.  Numba compiles a separate version for each
splitter, so the calls cost nothing at run time.

Every numeric column is sorted once.  The sorted orders are then partitioned down the tree, so that
each node finds its rows in the order of each column without sorting again.
"""

from __future__ import annotations

from math import nan
from typing import Any, NamedTuple

import numpy as np

from wager._jit import (
    flags,
    floats,
    inlined_kernel,
    integers,
    kernel,
    like,
    notes,
    small_integers,
    spend,
    widened,
)
from wager._tables import value_offsets
from wager._typing import Ints
from wager.learners.trees._nodes import (
    BAG,
    COUNTS,
    EMPTY,
    FEATURE,
    FIRST,
    N_CHILDREN,
    NEAR,
    PARENT,
    THRESHOLD,
    WEIGHT,
    FlatRows,
    TreeRows,
)

UNLIMITED = 2**31 - 1  # depth
GAP = 1e-5  # two numbers closer than this are never separated


class Training(NamedTuple):
    """The training rows with everything that is computed once for all nodes and all trees."""

    rows: FlatRows
    y: Any
    weights: Any  # how often each row counts; rows of weight 0 are left out
    keys: Any  # like ``rows.codes``: the position of each value in ``Scratch.cells``
    orders: Any  # like ``rows.numbers``: all rows by the numbers of each column, missing ones last
    n_classes: int
    n_numeric: int
    gaps: bool  # whether any value is missing

    @classmethod
    def of(cls, rows: TreeRows, y: Ints, n_classes: int) -> Training:
        """Training rows that all count once."""
        gaps = rows.has_gaps()
        # where values are missing, weights become fractions; their sums depend on the order, so
        # equal numbers must keep the order of the file
        orders = np.argsort(rows.numbers, axis=1, stable=gaps).astype(np.int32)
        keys = _keys_of(rows.codes, rows.n_values[rows.n_values > 0], n_classes)
        return cls(
            rows.flat(),
            y,
            np.ones(len(y)),
            keys.ravel(),
            orders.ravel(),
            n_classes,
            len(orders),
            gaps,
        )


def _keys_of(codes: Ints, n_values: Ints, n_classes: int) -> Ints:
    """Where each value begins in a flat table by (value, class); missing values at its end."""
    starts = (value_offsets(n_values) * n_classes).astype(np.int32)
    keys = codes * np.int32(n_classes)
    keys += starts
    if codes.min(initial=0) < 0:
        keys[codes < 0] = n_values.sum() * n_classes
    return keys


class NodeRows(NamedTuple):
    """The training rows of one node, as a splitter sees them.

    ``lines`` has the rows of all nodes that wait to be split: one line per numeric column, in the
    order of its values, and a last line in the order of the file.  Those of this node are the ``n``
    from ``low`` on in each line.
    """

    lines: Any
    capacity: int  # length of a line
    low: int
    n: int
    file: int  # where its rows begin in the order of the file
    weights: Any  # of the rows in the order of the file, from ``low`` on
    weight_of: Any  # the same weights, by number of the row
    whole: bool  # whether they all weigh one
    nodes: Any
    at: int  # where the node begins in ``nodes``
    notes: Any


class Scratch(NamedTuple):
    """Work space of splitters, allocated once per tree."""

    cells: Any  # weights by (value, class) of all nominal columns; the last line is for gaps
    starts: Any  # where the values of each feature begin in ``cells``
    used: Any  # features that the path to the current node splits on
    features: Any  # all features; a splitter that draws some moves them to the front
    state: Any  # of the random generator: its present number, and the seed of the tree
    gains: Any  # by feature, like the next two
    ratios: Any
    cuts: Any
    sizes: Any  # of the branches of a split, with space for the largest number of branches
    counts: Any  # by class, like the next three
    left: Any
    right: Any
    inside: Any


@inlined_kernel
def new_scratch(training, seed):
    """Work space for one tree."""
    n_values, n_classes = training.rows.n_values, training.n_classes
    n_features = len(n_values)
    starts, features, state = integers(n_features), integers(n_features), integers(2)
    n_lines = 0
    most = 2
    for a in range(n_features):
        features[a] = a
        starts[a] = n_lines * n_classes
        n_lines += n_values[a]
        most = max(most, n_values[a])
    state[0], state[1] = seed, seed
    return Scratch(
        like(training.weights, (n_lines + 1) * n_classes),
        starts,
        flags(n_features),
        features,
        state,
        floats(n_features),
        floats(n_features),
        integers(n_features),
        floats(most),
        like(training.weights, n_classes),
        like(training.weights, n_classes),
        like(training.weights, n_classes),
        floats(n_classes),
    )


@inlined_kernel
def add_to_cells(training, here, cells):
    """Add the weights of a node's rows by (value, class), for every nominal column."""
    keys, y, n_nominal = training.keys, training.y, training.rows.n_nominal
    lines, file, weights, low = here.lines, here.file, here.weights, here.low
    for i in range(here.n):
        row, w = lines[file + i], weights[low + i]
        c, first = y[row], row * n_nominal
        for j in range(first, first + n_nominal):
            cells[keys[j] + c] += w


@inlined_kernel
def clear_cells(training, here, cells):
    """Undo ``add_to_cells``; a node with few rows touches only the cells of these rows."""
    keys, y, n_nominal = training.keys, training.y, training.rows.n_nominal
    lines, file = here.lines, here.file
    if here.n * n_nominal > len(cells):
        for i in range(len(cells)):
            cells[i] = 0
        return
    for i in range(here.n):
        row = lines[file + i]
        c, first = y[row], row * n_nominal
        for j in range(first, first + n_nominal):
            cells[keys[j] + c] = 0


@inlined_kernel
def count_root(training, lines, stacked, nodes, n):
    """Put all rows of positive weight on the stack, ``n`` in each line, and count the root."""
    orders, weights, y, n_numeric = (
        training.orders,
        training.weights,
        training.y,
        training.n_numeric,
    )
    for line in range(n_numeric + 1):
        at = line * n
        for i in range(len(y)):
            row = orders[line * len(y) + i] if line < n_numeric else i
            if weights[row] > 0:
                lines[at] = row
                at += 1
    at = 0
    for row in range(len(y)):
        if weights[row] > 0:
            stacked[at] = weights[row]
            nodes[COUNTS + y[row]] += weights[row]
            nodes[WEIGHT] += weights[row]
            at += 1
    nodes[BAG] = nodes[WEIGHT]


@inlined_kernel
def mark_used(nodes, width, node, used):
    """Mark the features that the path to a node splits on; return the node's depth."""
    for a in range(len(used)):
        used[a] = False
    depth = 0
    above = int(nodes[node * width + PARENT])
    while above >= 0:
        used[int(nodes[above * width + FEATURE])] = True
        depth += 1
        above = int(nodes[above * width + PARENT])
    return depth


@kernel
def observed_below(values, first, order, n, limit):
    """The largest of the ``n`` training values from ``first`` on that is not above ``limit``."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if values[first + order[first + middle]] - limit < NEAR:  # False for a missing value
            low = middle + 1
        else:
            high = middle
    return values[first + order[first + low - 1]]


@inlined_kernel
def threshold_of(training, here, feature, cut):
    """The threshold of a numeric split: like C4.5, a value that occurs in the training rows."""
    table = training.rows
    slot = table.slot[feature]
    first = slot * table.n_rows
    place = slot * here.capacity + here.low + cut
    below = table.numbers[first + here.lines[place - 1]]
    above = table.numbers[first + here.lines[place]]
    limit = below + (above - below) / 2
    return observed_below(table.numbers, first, training.orders, table.n_rows, limit)


@kernel
def widened_lines(lines, n_lines, capacity, wider):
    """The same lines with space for ``wider`` rows each."""
    moved = small_integers(n_lines * wider)
    for line in range(n_lines):
        for i in range(capacity):
            moved[line * wider + i] = lines[line * capacity + i]
    return moved


def _partition_lists(
    lines, capacity, n_lines, weights, low, n, filled, branch_of_row, starts, shares
):
    """The same as the kernel below."""
    kept = [child for child, start in enumerate(starts) if start >= 0]
    shared = [child for child in kept if shares[child] > NEAR]
    for line in range(n_lines):
        begin = line * capacity + low
        rows = lines[begin : begin + n]
        branches = [branch_of_row[row] for row in rows]
        lines[begin : begin + filled - low] = [
            row
            for child in kept
            for row, b in zip(rows, branches, strict=True)
            if b == child or (b < 0 and child in shared)
        ]
    weighted = list(zip(branches, weights[low : low + n], strict=True))
    weights[low:filled] = [
        weight if b == child else shares[child] * weight
        for child in kept
        for b, weight in weighted
        if b == child or (b < 0 and child in shared)
    ]


@kernel(plain=_partition_lists)
def partition_rows(
    lines, capacity, n_lines, weights, low, n, filled, branch_of_row, starts, shares
):
    """Replace a segment of the stack by those of the children, each line in its own order.

    ``starts`` says where each child begins in the segment, -1 for a child whose rows are not needed
    any more; ``shares`` is the part of a row with a missing value that each child gets.
    """
    n_children = len(starts)
    moved = small_integers(filled - low)
    moved_weights = like(weights, filled - low)
    place = integers(n_children)
    for line in range(n_lines):
        begin = line * capacity + low
        for child in range(n_children):
            place[child] = starts[child]
        for i in range(n):
            row = lines[begin + i]
            b = branch_of_row[row]
            if b >= 0:
                at = place[b]
                if at >= 0:
                    moved[at] = row
                    place[b] = at + 1
                    if line == n_lines - 1:
                        moved_weights[at] = weights[low + i]
                continue
            for child in range(n_children):
                at = place[child]
                if shares[child] > NEAR and at >= 0:
                    moved[at] = row
                    place[child] = at + 1
                    if line == n_lines - 1:
                        moved_weights[at] = shares[child] * weights[low + i]
        for i in range(filled - low):
            lines[begin + i] = moved[i]
    for i in range(filled - low):
        weights[low + i] = moved_weights[i]


@inlined_kernel
def grow_tree(training, rule, seed, is_finished, choose_split, weigh_children):
    """Grow a tree with a splitter, see the top of this module.

    ``rule`` has at least ``max_depth`` and ``step``, the seconds that plain Python needs per row of
    a node; ``seed`` starts the random generator of the splitter.  Returns the table of nodes and
    how many of its lines are in use.
    """
    n_values, n_classes, n_lines = (
        training.rows.n_values,
        training.n_classes,
        training.n_numeric + 1,
    )
    n_rows = len(training.y)
    width = COUNTS + n_classes
    nodes = floats((64 + n_rows // 64) * width)
    nodes[FEATURE], nodes[THRESHOLD], nodes[PARENT] = -1.0, nan, -1.0
    scratch = new_scratch(training, seed)
    capacity = 0
    for row in range(n_rows):
        capacity += training.weights[row] > 0
    lines, stacked = small_integers(n_lines * capacity), like(training.weights, capacity)
    count_root(training, lines, stacked, nodes, capacity)
    weight_of = like(training.weights, n_rows)
    for row in range(n_rows):
        weight_of[row] = training.weights[row]
    branch_of_row = small_integers(n_rows)
    waiting = integers(3 * 64)  # node, start and length of its segment
    waiting[2] = capacity
    n_nodes, n_waiting = 1, 1
    if is_finished(nodes, 0, n_classes, rule):
        n_waiting = 0
    while n_waiting > 0:
        n_waiting -= 1
        node, low, n = (
            waiting[3 * n_waiting],
            waiting[3 * n_waiting + 1],
            waiting[3 * n_waiting + 2],
        )
        if mark_used(nodes, width, node, scratch.used) >= rule.max_depth:
            continue
        spend(rule.step * n)
        at = node * width
        file = (n_lines - 1) * capacity + low
        n_fractions = 0
        if training.gaps:  # otherwise the weights are those of the root all the way down
            for i in range(n):
                weight_of[lines[file + i]] = stacked[low + i]
                n_fractions += stacked[low + i] != 1.0
        whole = n_fractions == 0
        nodes = widened(nodes, (n_nodes + len(scratch.sizes)) * width)  # space for the children
        here = NodeRows(
            lines, capacity, low, n, file, stacked, weight_of, whole, nodes, at, notes()
        )
        feature, cut = choose_split(training, here, scratch, rule)
        if feature < 0:
            continue

        n_children, first = n_values[feature], n_nodes
        nodes[at + FEATURE] = feature
        if n_children == 0:
            n_children = 2
            nodes[at + THRESHOLD] = threshold_of(training, here, feature, cut)
        nodes[at + FIRST], nodes[at + N_CHILDREN] = first, n_children
        n_nodes += n_children
        for child in range(first * width, n_nodes * width, width):
            nodes[child + FEATURE], nodes[child + THRESHOLD] = -1.0, nan
            nodes[child + PARENT] = node
        lengths = integers(n_children)
        weigh_children(training, here, branch_of_row, lengths)

        # the segments of the children replace the parent's, which lies on top of the stack
        starts, shares = integers(n_children), floats(n_children)
        filled = low
        waiting = widened(waiting, 3 * (n_waiting + n_children))
        for child in range(n_children):
            below = (first + child) * width
            nodes[below + EMPTY] = nodes[below + WEIGHT] < NEAR
            shares[child] = nodes[below + BAG] / nodes[at + WEIGHT]
            if is_finished(nodes, below, n_classes, rule):
                starts[child] = -1
                continue
            waiting[3 * n_waiting] = first + child
            waiting[3 * n_waiting + 1] = filled
            waiting[3 * n_waiting + 2] = lengths[child]
            n_waiting += 1
            starts[child] = filled - low
            filled += lengths[child]
        if filled > capacity:
            wider = max(filled, 2 * capacity)
            lines = widened_lines(lines, n_lines, capacity, wider)
            stacked = widened(stacked, wider)
            capacity = wider
        partition_rows(
            lines, capacity, n_lines, stacked, low, n, filled, branch_of_row, starts, shares
        )
    return nodes, n_nodes
