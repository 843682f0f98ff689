"""Pruning as C4.5 does: collapse splits that do not help, then prune by pessimistic error.

A leaf with ``n`` rows and ``e`` errors is charged the upper confidence limit of its error rate
(Quinlan, 1993, ch. 4).  A subtree is replaced by a leaf, or by its largest branch, wherever that
does not cost more than a tenth of an error.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from wager._jit import inlined_kernel, inner_kernel, kernel
from wager.learners.trees._grow import RowStack, Training
from wager.learners.trees._nodes import (
    NEAR,
    TreeNodes,
    branch_of,
    compact,
    majority,
    new_nodes,
    weigh_branches,
    widen,
)

WORSE = 0.1  # errors by which the simpler tree may be worse
COLLAPSE = 1e-3  # training errors by which a split must be better


class Segment(NamedTuple):
    """Where the rows of a node are in a stack of rows."""

    node: int
    low: int
    n: int


class ErrorLimit(NamedTuple):
    """The upper confidence limit of an error rate."""

    confidence: float
    z: float  # quantile of the normal distribution at 1 - confidence


def collapse_and_prune(nodes: TreeNodes, training: Training, limit: ErrorLimit | None) -> TreeNodes:
    """The tree after collapsing and, unless ``limit`` is None, pruning.

    The arrays in ``nodes`` are overwritten.
    """
    collapse(nodes)
    if limit is not None:
        prune(nodes, training, limit)
    return compact(nodes)


@inner_kernel
def added_errors(n, e, limit):
    """How many errors more than ``e`` of ``n`` to expect."""
    z = limit.z
    one = max(e, 1.0)
    if one + 0.5 >= n:
        added = max(n - one, 0.0)
    else:
        f = (one + 0.5) / n
        root = sqrt(f / n - f * f / n + z * z / (4 * n * n))
        added = n * (f + z * z / (2 * n) + z * root) / (1 + z * z / n) - one
    if e >= 1.0:
        return added
    none = n * (1.0 - limit.confidence ** (1.0 / n))
    return none + e * (added - none)


@inner_kernel
def estimated_errors(counts, weight, limit):
    """Pessimistic number of errors of a leaf."""
    if weight < NEAR:
        return 0.0
    e = weight - counts[majority(counts)]
    return e + added_errors(weight, e, limit)


@inlined_kernel
def make_leaf(nodes, node):
    nodes.feature[node] = -1
    nodes.threshold[node] = np.nan
    nodes.n_children[node] = 0


@kernel
def collapse(nodes):
    """Make a leaf of every node that does not have more training errors than its leaves."""
    n_nodes = len(nodes.feature)
    own = np.empty(n_nodes)
    below = np.zeros(n_nodes)
    for node in range(n_nodes - 1, -1, -1):
        own[node] = nodes.weight[node] - nodes.counts[node, majority(nodes.counts[node])]
        if nodes.n_children[node] == 0:
            below[node] = own[node]
        for child in range(nodes.first[node], nodes.first[node] + nodes.n_children[node]):
            below[node] += below[child]
    for node in range(n_nodes):
        if nodes.n_children[node] > 0 and below[node] >= own[node] - COLLAPSE:
            make_leaf(nodes, node)


@inner_kernel
def deal_rows(training, nodes, segment, stack, bags, counts):
    """Copy the rows of a node to segments for its children, which follow right behind its own.

    ``bags`` and ``counts`` get the weights of branches and of classes.  Returns the stack, enlarged
    if necessary; the start of each child's segment, and the end of the last; and the total weight.
    """
    node, low, n = segment.node, segment.low, segment.n
    branch, total = weigh_branches(
        training, nodes.feature[node], nodes.threshold[node], stack.rows[0, low : low + n],
        stack.weights[0, low : low + n], bags, counts,
    )  # fmt: skip
    n_children = len(bags)
    ends = np.zeros(n_children + 1, np.int64)
    for i in range(n):
        if branch[i] >= 0:
            ends[branch[i] + 1] += 1
            continue
        for child in range(n_children):
            if bags[child] / total > NEAR:
                ends[child + 1] += 1
    ends[0] = low + n
    for child in range(n_children):
        ends[child + 1] += ends[child]
    rows, weights = widen(stack.rows, ends[n_children]), widen(stack.weights, ends[n_children])
    place = ends[:n_children].copy()
    for i in range(n):
        row, w = rows[0, low + i], weights[0, low + i]
        if branch[i] >= 0:
            at = place[branch[i]]
            rows[0, at] = row
            weights[0, at] = w
            place[branch[i]] += 1
            continue
        for child in range(n_children):
            share = bags[child] / total
            if share > NEAR:
                rows[0, place[child]] = row
                weights[0, place[child]] = share * w
                place[child] += 1
    return RowStack(rows, weights), ends, total


@inner_kernel
def send_down(training, nodes, top, rows, weights, limit, counted):
    """Send rows down a subtree and return its pessimistic errors on them.

    The branches are weighed anew with these rows.  The new counts and weights are written into
    ``counted``: the tree itself, or other nodes of the same number.
    """
    n = len(rows)
    stack = RowStack(np.empty((1, 2 * n + 1), np.int32), np.empty((1, 2 * n + 1)))
    for i in range(n):
        stack.rows[0, i] = rows[i]
        stack.weights[0, i] = weights[i]
    waiting = np.zeros((3, 64), np.int64)  # node, start and length of its segment
    waiting[0, 0] = top
    waiting[2, 0] = n
    n_waiting = 1
    errors = 0.0
    while n_waiting > 0:
        n_waiting -= 1
        node, low, n = waiting[0, n_waiting], waiting[1, n_waiting], waiting[2, n_waiting]
        counts = counted.counts[node]
        first, n_children = nodes.first[node], nodes.n_children[node]
        if n_children == 0:
            counts[:] = 0.0
            total = 0.0
            for i in range(low, low + n):
                counts[training.y[stack.rows[0, i]]] += stack.weights[0, i]
                total += stack.weights[0, i]
            errors += estimated_errors(counts, total, limit)
        else:
            bags = counted.bag[first : first + n_children]
            stack, ends, total = deal_rows(
                training, nodes, Segment(node, low, n), stack, bags, counts
            )
            waiting = widen(waiting, n_waiting + n_children)
            for child in range(n_children):
                waiting[0, n_waiting] = first + child
                waiting[1, n_waiting] = ends[child]
                waiting[2, n_waiting] = ends[child + 1] - ends[child]
                n_waiting += 1
        counted.weight[node] = total
        if total >= NEAR:
            counted.empty[node] = False
    return errors


@inner_kernel
def errors_if_raised(training, nodes, node, child, rows, limit, by_leaf):
    """Pessimistic errors of one child if it had to classify all rows of its parent.

    A faster ``send_down`` for rows of weight one without missing values: the rows of the child are
    counted in its leaves already, and only the others are sent down.  ``by_leaf`` has one line of
    classes per node; it is zero before and after.
    """
    table, y = training.rows, training.y
    feature, threshold = nodes.feature[node], nodes.threshold[node]
    for i in range(len(rows)):
        if nodes.first[node] + branch_of(table, feature, threshold, rows[i]) == child:
            continue
        at = child
        while nodes.n_children[at] > 0:
            at = nodes.first[at] + branch_of(table, nodes.feature[at], nodes.threshold[at], rows[i])
        by_leaf[at, y[rows[i]]] += 1.0
    errors = 0.0
    waiting = np.empty((1, 64), np.int64)
    waiting[0, 0] = child
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        at = waiting[0, n_waiting]
        if nodes.n_children[at] == 0:
            total = 0.0
            for c in range(by_leaf.shape[1]):
                by_leaf[at, c] += nodes.counts[at, c]
                total += by_leaf[at, c]
            errors += estimated_errors(by_leaf[at], total, limit)
            by_leaf[at] = 0.0
            continue
        waiting = widen(waiting, n_waiting + nodes.n_children[at])
        for below in range(nodes.first[at], nodes.first[at] + nodes.n_children[at]):
            waiting[0, n_waiting] = below
            n_waiting += 1
    return errors


@inlined_kernel
def raise_child(nodes, node, child):
    """Put the split of a child in the place of its parent's."""
    nodes.feature[node] = nodes.feature[child]
    nodes.threshold[node] = nodes.threshold[child]
    nodes.first[node] = nodes.first[child]
    nodes.n_children[node] = nodes.n_children[child]
    nodes.empty[node] = nodes.empty[child]


@kernel
def prune(nodes, training, limit):
    """Prune the tree bottom up, in place.

    A stack has the nodes on the current path with their rows.  A node is visited twice: first its
    rows are dealt to its children, and when all of them are pruned, its own turn comes.
    """
    n_nodes, n_classes = nodes.counts.shape
    trial = new_nodes(n_nodes, n_classes)  # to count in without changing the tree
    errors = np.zeros(n_nodes)  # pessimistic, of the pruned subtrees
    n = len(training.y)
    stack = RowStack(np.empty((1, 2 * n + 1), np.int32), np.ones((1, 2 * n + 1)))
    for i in range(n):
        stack.rows[0, i] = i
    waiting = np.zeros((4, 64), np.int64)  # node, start and length of its segment, second visit
    waiting[2, 0] = n
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        node, low, n = waiting[0, n_waiting], waiting[1, n_waiting], waiting[2, n_waiting]
        as_leaf = estimated_errors(nodes.counts[node], nodes.weight[node], limit)
        first, n_children = nodes.first[node], nodes.n_children[node]
        if n_children == 0:
            errors[node] = as_leaf
            continue
        if waiting[3, n_waiting] == 0:
            bags = nodes.bag[first : first + n_children]
            stack, ends, _ = deal_rows(
                training, nodes, Segment(node, low, n), stack, bags, np.empty(n_classes)
            )
            waiting = widen(waiting, n_waiting + 1 + n_children)
            waiting[3, n_waiting] = 1
            n_waiting += 1
            for child in range(n_children):
                waiting[0, n_waiting] = first + child
                waiting[1, n_waiting] = ends[child]
                waiting[2, n_waiting] = ends[child + 1] - ends[child]
                waiting[3, n_waiting] = 0
                n_waiting += 1
            continue

        as_tree = 0.0
        largest, most = first, 0.0
        for child in range(first, first + n_children):
            as_tree += errors[child]
            if most - nodes.bag[child] < NEAR:
                largest, most = child, nodes.bag[child]
        rows, weights = stack.rows[0, low : low + n], stack.weights[0, low : low + n]
        if training.gaps:
            as_branch = send_down(training, nodes, largest, rows, weights, limit, trial)
        else:
            as_branch = errors_if_raised(training, nodes, node, largest, rows, limit, trial.counts)
        if as_leaf - (as_tree + WORSE) < NEAR and as_leaf - (as_branch + WORSE) < NEAR:
            make_leaf(nodes, node)
            errors[node] = as_leaf
        elif as_branch - (as_tree + WORSE) < NEAR:
            raise_child(nodes, node, largest)
            send_down(training, nodes, node, rows, weights, limit, nodes)
            waiting[3, n_waiting] = 0  # prune the raised subtree again
            n_waiting += 1
        else:
            errors[node] = as_tree
