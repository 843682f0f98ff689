"""Pruning as C4.5 does: collapse splits that do not help, then prune by pessimistic error.

A leaf with ``n`` rows and ``e`` errors is charged the upper confidence limit of its error rate
(Quinlan, 1993, ch. 4).  A subtree is replaced by a leaf, or by its largest branch, wherever that
does not cost more than a tenth of an error.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from wager._jit import (
    as_lists,
    entry,
    floats,
    inlined_kernel,
    integers,
    kernel,
    small_integers,
    spend,
    widened,
)
from wager._typing import Floats
from wager.learners.trees._grow import Training
from wager.learners.trees._nodes import (
    BAG,
    COUNTS,
    EMPTY,
    FEATURE,
    FIRST,
    N_CHILDREN,
    NEAR,
    THRESHOLD,
    WEIGHT,
    Segment,
    TreeNodes,
    branch_of,
    compact,
    majority,
    make_leaf,
    weigh_branches,
)

WORSE = 0.1  # errors by which the simpler tree may be worse
COLLAPSE = 1e-3  # training errors by which a split must be better
STEP = 2e-6  # seconds of plain Python for a row that moves down by one node


class ErrorLimit(NamedTuple):
    """The upper confidence limit of an error rate."""

    confidence: float
    z: float  # quantile of the normal distribution at 1 - confidence


def collapse_and_prune(nodes: TreeNodes, training: Training, limit: ErrorLimit | None) -> TreeNodes:
    """The tree after collapsing and, unless ``limit`` is None, pruning."""
    table = nodes.to_table()
    n_nodes, width = table.shape
    flat = table.ravel()
    collapse(flat, n_nodes, training.n_classes, work=STEP * n_nodes)
    if limit is not None:
        work = 2 * STEP * len(training.y) * np.log2(n_nodes + 1)
        prune(flat, n_nodes, training, limit, work=work)
    return compact(TreeNodes.of_table(flat.reshape(n_nodes, width)))


@kernel
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


@kernel
def estimated_errors(counts, start, n_classes, weight, limit):
    """Pessimistic number of errors of a leaf with the class counts from ``start`` on."""
    if weight < NEAR:
        return 0.0
    e = weight - counts[start + majority(counts, start, n_classes)]
    return e + added_errors(weight, e, limit)


def _collapse_lists(nodes: Floats, n_nodes: int, n_classes: int) -> None:
    lists = as_lists(nodes)
    collapse_by_loop(lists, n_nodes, n_classes)
    nodes[:] = lists


def collapse_by_loop(nodes, n_nodes, n_classes):
    """Make a leaf of every node that does not have more training errors than its leaves."""
    width = COUNTS + n_classes
    own, below = floats(n_nodes), floats(n_nodes)
    for node in range(n_nodes - 1, -1, -1):
        at = node * width
        own[node] = (
            nodes[at + WEIGHT] - nodes[at + COUNTS + majority(nodes, at + COUNTS, n_classes)]
        )
        n_children = int(nodes[at + N_CHILDREN])
        if n_children == 0:
            below[node] = own[node]
        first = int(nodes[at + FIRST])
        for child in range(first, first + n_children):
            below[node] += below[child]
    for node in range(n_nodes):
        at = node * width
        if nodes[at + N_CHILDREN] > 0 and below[node] >= own[node] - COLLAPSE:
            make_leaf(nodes, at)


collapse = entry(collapse_by_loop, plain=_collapse_lists, label="C4.5 trees")


@kernel
def deal_rows(training, nodes, at, low, n, rows, weights, counted, counts, counts_at, branch, ends):
    """Copy the rows of a node to segments for its children, which follow right behind its own.

    ``rows`` and ``weights`` have the rows of the node from ``low`` on; the branches and classes are
    weighed as in ``weigh_branches``.  ``ends`` gets the start of each child's segment, and the end
    of the last.  Returns rows and weights, enlarged if necessary, and the total weight.
    """
    spend(STEP * n)
    segment = Segment(rows, low, weights, low, n)
    total = weigh_branches(training, nodes, at, segment, counted, counts, counts_at, branch)
    width, n_children = COUNTS + training.n_classes, int(nodes[at + N_CHILDREN])
    bag = int(nodes[at + FIRST]) * width + BAG
    for child in range(n_children + 1):
        ends[child] = 0
    for i in range(low, low + n):
        b = branch[rows[i]]
        if b >= 0:
            ends[b + 1] += 1
            continue
        for child in range(n_children):
            if counted[bag + child * width] / total > NEAR:
                ends[child + 1] += 1
    ends[0] = low + n
    for child in range(n_children):
        ends[child + 1] += ends[child]
    rows, weights = widened(rows, ends[n_children]), widened(weights, ends[n_children])
    place = integers(n_children)
    for child in range(n_children):
        place[child] = ends[child]
    for i in range(low, low + n):
        row, w = rows[i], weights[i]
        b = branch[row]
        if b >= 0:
            rows[place[b]] = row
            weights[place[b]] = w
            place[b] += 1
            continue
        for child in range(n_children):
            share = counted[bag + child * width] / total
            if share > NEAR:
                rows[place[child]] = row
                weights[place[child]] = share * w
                place[child] += 1
    return rows, weights, total


@kernel
def send_down(training, nodes, top, segment, limit, counted, branch):
    """Send rows down a subtree and return its pessimistic errors on them.

    The branches are weighed anew with these rows.  The new counts and weights are written into
    ``counted``: the tree itself, or other nodes of the same number.
    """
    n, n_classes, y = segment.n, training.n_classes, training.y
    width = COUNTS + n_classes
    rows, weights = small_integers(2 * n + 1), floats(2 * n + 1)
    for i in range(n):
        rows[i] = segment.rows[segment.begin + i]
        weights[i] = segment.weights[segment.low + i]
    waiting = integers(3 * 64)  # node, start and length of its segment
    waiting[0], waiting[2] = top, n
    n_waiting = 1
    ends = integers(64)
    errors = 0.0
    while n_waiting > 0:
        n_waiting -= 1
        node, low, n = (
            waiting[3 * n_waiting],
            waiting[3 * n_waiting + 1],
            waiting[3 * n_waiting + 2],
        )
        at = node * width
        first, n_children = int(nodes[at + FIRST]), int(nodes[at + N_CHILDREN])
        total = 0.0
        if n_children == 0:
            for c in range(at + COUNTS, at + width):
                counted[c] = 0.0
            for i in range(low, low + n):
                counted[at + COUNTS + y[rows[i]]] += weights[i]
                total += weights[i]
            errors += estimated_errors(counted, at + COUNTS, n_classes, total, limit)
        else:
            ends = widened(ends, n_children + 1)
            rows, weights, total = deal_rows(
                training, nodes, at, low, n, rows, weights, counted, counted, at + COUNTS, branch,
                ends,
            )  # fmt: skip
            waiting = widened(waiting, 3 * (n_waiting + n_children))
            for child in range(n_children):
                waiting[3 * n_waiting] = first + child
                waiting[3 * n_waiting + 1] = ends[child]
                waiting[3 * n_waiting + 2] = ends[child + 1] - ends[child]
                n_waiting += 1
        counted[at + WEIGHT] = total
        if total >= NEAR:
            counted[at + EMPTY] = 0.0
    return errors


@kernel
def errors_if_raised(training, nodes, at, child, segment, limit, by_leaf):
    """Pessimistic errors of one child if it had to classify all rows of its parent.

    A faster ``send_down`` for rows of weight one without missing values: the rows of the child are
    counted in its leaves already, and only the others are sent down.  ``by_leaf`` has the shape of
    ``nodes``; its counts are zero before and after.
    """
    spend(4 * STEP * segment.n)
    table, y, n_classes = training.rows, training.y, training.n_classes
    width = COUNTS + n_classes
    feature, threshold = int(nodes[at + FEATURE]), nodes[at + THRESHOLD]
    own = child - int(nodes[at + FIRST])
    for i in range(segment.begin, segment.begin + segment.n):
        row = segment.rows[i]
        if branch_of(table, feature, threshold, row) == own:
            continue
        below = child * width
        while nodes[below + N_CHILDREN] > 0:
            b = branch_of(table, int(nodes[below + FEATURE]), nodes[below + THRESHOLD], row)
            below = (int(nodes[below + FIRST]) + b) * width
        by_leaf[below + COUNTS + y[row]] += 1.0
    errors = 0.0
    waiting = integers(64)
    waiting[0] = child
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        below = waiting[n_waiting] * width
        n_children = int(nodes[below + N_CHILDREN])
        if n_children == 0:
            total = 0.0
            for c in range(below + COUNTS, below + width):
                by_leaf[c] += nodes[c]
                total += by_leaf[c]
            errors += estimated_errors(by_leaf, below + COUNTS, n_classes, total, limit)
            for c in range(below + COUNTS, below + width):
                by_leaf[c] = 0.0
            continue
        waiting = widened(waiting, n_waiting + n_children)
        first = int(nodes[below + FIRST])
        for grandchild in range(first, first + n_children):
            waiting[n_waiting] = grandchild
            n_waiting += 1
    return errors


@inlined_kernel
def raise_child(nodes, at, child):
    """Put the split of a child in the place of its parent's."""
    nodes[at + FEATURE] = nodes[child + FEATURE]
    nodes[at + THRESHOLD] = nodes[child + THRESHOLD]
    nodes[at + FIRST] = nodes[child + FIRST]
    nodes[at + N_CHILDREN] = nodes[child + N_CHILDREN]
    nodes[at + EMPTY] = nodes[child + EMPTY]


def _prune_lists(nodes: Floats, n_nodes: int, training: Training, limit: ErrorLimit) -> None:
    lists = as_lists(nodes)
    prune_by_loop(lists, n_nodes, as_lists(training), limit)
    nodes[:] = lists


def prune_by_loop(nodes, n_nodes, training, limit):
    """Prune the tree bottom up, in place.

    A stack has the nodes on the current path with their rows.  A node is visited twice: first its
    rows are dealt to its children, and when all of them are pruned, its own turn comes.
    """
    n, n_classes = len(training.y), training.n_classes
    width = COUNTS + n_classes
    trial = floats(n_nodes * width)  # to count in without changing the tree
    errors = floats(n_nodes)  # pessimistic, of the pruned subtrees
    counts, branch, ends = floats(n_classes), small_integers(n), integers(64)
    rows, weights = small_integers(2 * n + 1), floats(2 * n + 1)
    for i in range(n):
        rows[i], weights[i] = i, 1.0
    waiting = integers(4 * 64)  # node, start and length of its segment, whether it is dealt
    waiting[2] = n
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        top = 4 * n_waiting
        node, low, n = waiting[top], waiting[top + 1], waiting[top + 2]
        at = node * width
        as_leaf = estimated_errors(nodes, at + COUNTS, n_classes, nodes[at + WEIGHT], limit)
        first, n_children = int(nodes[at + FIRST]), int(nodes[at + N_CHILDREN])
        if n_children == 0:
            errors[node] = as_leaf
            continue
        if waiting[top + 3] == 0:
            ends = widened(ends, n_children + 1)
            rows, weights, _ = deal_rows(
                training, nodes, at, low, n, rows, weights, nodes, counts, 0, branch, ends
            )
            waiting = widened(waiting, 4 * (n_waiting + 1 + n_children))
            waiting[top + 3] = 1
            n_waiting += 1
            for child in range(n_children):
                top = 4 * n_waiting
                waiting[top], waiting[top + 1] = first + child, ends[child]
                waiting[top + 2], waiting[top + 3] = ends[child + 1] - ends[child], 0
                n_waiting += 1
            continue

        as_tree = 0.0
        largest, most = first, 0.0
        for child in range(first, first + n_children):
            as_tree += errors[child]
            if most - nodes[child * width + BAG] < NEAR:
                largest, most = child, nodes[child * width + BAG]
        segment = Segment(rows, low, weights, low, n)
        if training.gaps:
            as_branch = send_down(training, nodes, largest, segment, limit, trial, branch)
        else:
            as_branch = errors_if_raised(training, nodes, at, largest, segment, limit, trial)
        if as_leaf - (as_tree + WORSE) < NEAR and as_leaf - (as_branch + WORSE) < NEAR:
            make_leaf(nodes, at)
            errors[node] = as_leaf
        elif as_branch - (as_tree + WORSE) < NEAR:
            raise_child(nodes, at, largest * width)
            send_down(training, nodes, node, segment, limit, nodes, branch)
            waiting[top + 3] = 0  # prune the raised subtree again
            n_waiting += 1
        else:
            errors[node] = as_tree


prune = entry(prune_by_loop, plain=_prune_lists, label="C4.5 trees")
