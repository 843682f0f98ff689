"""Pruning a C4.5 tree: collapse what does not help, then replace and raise by pessimistic error.

A leaf with ``n`` rows and ``e`` errors is charged the upper confidence limit of its error rate
(Quinlan, 1993, ch. 4).  A subtree gives way to a leaf, or to its largest branch, wherever that does
not cost more than a tenth of an error.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from wager._jit import kernel
from wager._typing import Ints
from wager.learners.trees._c45_grow import widen
from wager.learners.trees._nodes import (
    NEAR,
    Nodes,
    Table,
    branch_of,
    count_classes,
    majority,
    room,
    weigh_branches,
)

WORSE = 0.1  # errors by which the simpler tree may be worse
COLLAPSE = 1e-3


@kernel
def added_errors(n, e, confidence, z):
    """How many errors more than ``e`` of ``n`` to expect; ``z`` is the normal quantile."""
    one = max(e, 1.0)
    if one + 0.5 >= n:
        added = max(n - one, 0.0)
    else:
        f = (one + 0.5) / n
        root = sqrt(f / n - f * f / n + z * z / (4 * n * n))
        added = n * (f + z * z / (2 * n) + z * root) / (1 + z * z / n) - one
    if e >= 1.0:
        return added
    none = n * (1.0 - confidence ** (1.0 / n))
    return none + e * (added - none)


@kernel
def estimate(counts, weight, confidence, z):
    """Pessimistic number of errors of a leaf."""
    if weight < NEAR:
        return 0.0
    e = weight - counts[majority(counts)]
    return e + added_errors(weight, e, confidence, z)


@kernel
def make_leaf(nodes, node):
    nodes.feature[node] = -1
    nodes.threshold[node] = np.nan
    nodes.n_sons[node] = 0


@kernel
def collapse(nodes):
    """Make a leaf of every node whose leaves err no less on the training rows than it does."""
    n_nodes = len(nodes.feature)
    own = np.empty(n_nodes)
    below = np.zeros(n_nodes)
    for node in range(n_nodes - 1, -1, -1):
        own[node] = nodes.weight[node] - nodes.counts[node, majority(nodes.counts[node])]
        if nodes.n_sons[node] == 0:
            below[node] = own[node]
        for son in range(nodes.first[node], nodes.first[node] + nodes.n_sons[node]):
            below[node] += below[son]
    for node in range(n_nodes):
        if nodes.n_sons[node] > 0 and below[node] >= own[node] - COLLAPSE:
            make_leaf(nodes, node)


@kernel
def deal(rows, weights, low, n, branch, bags, total, into, ends):
    """Copy the rows of a segment to its sons' segments, one after the other from ``into`` on.

    ``rows`` and ``weights`` are lines that grow where they must; they are given back, and ``ends``
    is filled with where each son begins, and where the last ends.
    """
    n_sons = len(bags)
    ends[:] = 0
    for i in range(n):
        if branch[i] >= 0:
            ends[branch[i] + 1] += 1
            continue
        for son in range(n_sons):
            if bags[son] / total > NEAR:
                ends[son + 1] += 1
    ends[0] = into
    for son in range(n_sons):
        ends[son + 1] += ends[son]
    rows = widen(rows, ends[n_sons])
    weights = widen(weights, ends[n_sons])
    place = ends[:n_sons].copy()
    for i in range(n):
        row, w = rows[0, low + i], weights[0, low + i]
        if branch[i] >= 0:
            at = place[branch[i]]
            rows[0, at] = row
            weights[0, at] = w
            place[branch[i]] += 1
            continue
        for son in range(n_sons):
            share = bags[son] / total
            if share > NEAR:
                rows[0, place[son]] = row
                weights[0, place[son]] = share * w
                place[son] += 1
    return rows, weights


@kernel
def send_down(nodes, top, table, y, top_rows, top_weights, confidence, z, counted):
    """Send rows down a subtree and give its pessimistic errors on them.

    The branches are weighed anew with these rows.  What they come to is written into ``counted``:
    the tree itself, or another room of the same size.
    """
    n = len(top_rows)
    rows = np.empty((1, 2 * n + 1), top_rows.dtype)
    weights = np.empty((1, 2 * n + 1))
    for i in range(n):
        rows[0, i] = top_rows[i]
        weights[0, i] = top_weights[i]
    waiting = np.zeros((3, 64), np.int64)  # node, start, length
    waiting[0, 0] = top
    waiting[2, 0] = n
    n_waiting = 1
    errors = 0.0
    while n_waiting > 0:
        n_waiting -= 1
        node, low, n = waiting[0, n_waiting], waiting[1, n_waiting], waiting[2, n_waiting]
        here, w = rows[0, low : low + n], weights[0, low : low + n]
        counts = counted.counts[node]
        n_sons = nodes.n_sons[node]
        if n_sons == 0:
            total = count_classes(here, w, y, counts)
            errors += estimate(counts, total, confidence, z)
        else:
            first = nodes.first[node]
            bags = counted.bag[first : first + n_sons]
            branch = np.empty(n, np.int32)
            total = weigh_branches(
                table, y, nodes.feature[node], nodes.threshold[node], here, w, branch, bags, counts
            )
            ends = np.empty(n_sons + 1, np.int64)
            rows, weights = deal(rows, weights, low, n, branch, bags, total, low + n, ends)
            waiting = widen(waiting, n_waiting + n_sons)
            for son in range(n_sons):
                waiting[0, n_waiting] = first + son
                waiting[1, n_waiting] = ends[son]
                waiting[2, n_waiting] = ends[son + 1] - ends[son]
                n_waiting += 1
        counted.weight[node] = total
        if total >= NEAR:
            counted.empty[node] = False
    return errors


@kernel
def take_in(nodes, father, top, table, y, rows, confidence, z, by_leaf):
    """Pessimistic errors of one son if it had to classify all rows of its father.

    For rows of weight one without missing values: the son's own are counted in its leaves already,
    and only the others are sent down.  ``by_leaf`` is zero, a line of classes a node, and left so.
    """
    feature, threshold = nodes.feature[father], nodes.threshold[father]
    for i in range(len(rows)):
        node = nodes.first[father] + branch_of(table, feature, threshold, rows[i])
        if node == top:
            continue
        node = top
        while nodes.n_sons[node] > 0:
            node = nodes.first[node] + branch_of(
                table, nodes.feature[node], nodes.threshold[node], rows[i]
            )
        by_leaf[node, y[rows[i]]] += 1.0
    errors = 0.0
    waiting = np.empty((1, 64), np.int64)
    waiting[0, 0] = top
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        node = waiting[0, n_waiting]
        if nodes.n_sons[node] == 0:
            total = 0.0
            for c in range(by_leaf.shape[1]):
                by_leaf[node, c] += nodes.counts[node, c]
                total += by_leaf[node, c]
            errors += estimate(by_leaf[node], total, confidence, z)
            by_leaf[node] = 0.0
            continue
        waiting = widen(waiting, n_waiting + nodes.n_sons[node])
        for son in range(nodes.first[node], nodes.first[node] + nodes.n_sons[node]):
            waiting[0, n_waiting] = son
            n_waiting += 1
    return errors


def prune(nodes: Nodes, table: Table, y: Ints, confidence: float, z: float, complete: bool) -> None:
    """Prune the tree in place; ``complete`` says that no value is missing."""
    n_nodes, n_classes = nodes.counts.shape
    prune_from_below(
        nodes, table, y, confidence, z, complete, room(1 if complete else n_nodes, n_classes)
    )


@kernel
def prune_from_below(nodes, table, y, confidence, z, complete, trial):
    """Prune the tree from below, in place.

    A stack holds the nodes under way with their rows.  A node is met twice: on the way down, when
    its rows are dealt to its sons, and again when all of them are done.  Unless the rows are
    ``complete``, ``trial`` is a room of the same size to try things out in.
    """
    by_leaf = np.zeros(nodes.counts.shape) if complete else np.zeros((0, 0))
    n = len(y)
    rows = np.empty((1, 2 * n + 1), np.int32)
    weights = np.ones((1, 2 * n + 1))
    for i in range(n):
        rows[0, i] = i
    waiting = np.zeros((4, 64), np.int64)  # node, start, length, sons are done
    waiting[2, 0] = n
    n_waiting = 1
    errors = np.zeros(len(nodes.feature))  # pessimistic, of the pruned subtree
    while n_waiting > 0:
        n_waiting -= 1
        node, low, n = waiting[0, n_waiting], waiting[1, n_waiting], waiting[2, n_waiting]
        as_leaf = estimate(nodes.counts[node], nodes.weight[node], confidence, z)
        first, n_sons = nodes.first[node], nodes.n_sons[node]
        if n_sons == 0:
            errors[node] = as_leaf
            continue
        here, w = rows[0, low : low + n], weights[0, low : low + n]
        bags = nodes.bag[first : first + n_sons]
        if waiting[3, n_waiting] == 0:
            counts = np.empty(nodes.counts.shape[1])
            branch = np.empty(n, np.int32)
            total = weigh_branches(
                table, y, nodes.feature[node], nodes.threshold[node], here, w, branch, bags, counts
            )
            ends = np.empty(n_sons + 1, np.int64)
            rows, weights = deal(rows, weights, low, n, branch, bags, total, low + n, ends)
            waiting = widen(waiting, n_waiting + 1 + n_sons)
            waiting[3, n_waiting] = 1
            n_waiting += 1
            for son in range(n_sons):
                waiting[0, n_waiting] = first + son
                waiting[1, n_waiting] = ends[son]
                waiting[2, n_waiting] = ends[son + 1] - ends[son]
                waiting[3, n_waiting] = 0
                n_waiting += 1
            continue

        as_tree = 0.0
        largest, most = first, 0.0
        for son in range(first, first + n_sons):
            as_tree += errors[son]
            if most - nodes.bag[son] < NEAR:
                largest, most = son, nodes.bag[son]
        if complete:
            as_branch = take_in(nodes, node, largest, table, y, here, confidence, z, by_leaf)
        else:
            as_branch = send_down(nodes, largest, table, y, here, w, confidence, z, trial)
        if as_leaf - (as_tree + WORSE) < NEAR and as_leaf - (as_branch + WORSE) < NEAR:
            make_leaf(nodes, node)
            errors[node] = as_leaf
        elif as_branch - (as_tree + WORSE) < NEAR:
            nodes.feature[node] = nodes.feature[largest]
            nodes.threshold[node] = nodes.threshold[largest]
            nodes.first[node] = nodes.first[largest]
            nodes.n_sons[node] = nodes.n_sons[largest]
            nodes.empty[node] = nodes.empty[largest]
            send_down(nodes, node, table, y, here, w, confidence, z, nodes)
            waiting[3, n_waiting] = 0  # prune what was raised again
            n_waiting += 1
        else:
            errors[node] = as_tree
