"""The arrays that all tree code shares: rows as codes and numbers, and a tree as flat arrays.

The compiled functions of this package are plain functions over these arrays.  Numba compiles them
at their first call; without Numba they run as ordinary Python, slowly and with the same result.
None of them is recursive, because Numba cannot cache recursive functions on disk.

Two numbers within ``NEAR`` of each other count as equal, as in Weka's J48: with rows of fractional
weight, sums that should be equal differ in their last digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from wager._jit import inner_kernel, kernel
from wager._tables import Schema, numeric_column
from wager._typing import Bools, Floats, Ints

NEAR = 1e-6


class TreeRows(NamedTuple):
    """Rows to learn from or to classify: nominal columns as codes, numeric columns as numbers.

    A code of -1 and a NaN are missing values.
    """

    codes: Ints  # (n_rows, n_nominal)
    numbers: Floats  # (n_numeric, n_rows)
    n_values: Ints  # number of values of each feature, 0 if it is numeric
    slot: Ints  # position of each feature among the features of its kind

    @classmethod
    def of(cls, schema: Schema, table: Any, *, known: bool = False) -> TreeRows:
        """The rows of a checked table; ``known=True`` if the schema was learnt from it."""
        nominal = schema.nominal
        slot = np.where(nominal, np.cumsum(nominal), np.cumsum(~nominal)) - 1
        numeric = [numeric_column(table, int(j)) for j in np.flatnonzero(~nominal)]
        return cls(
            schema.codes(table, known=known),
            np.array(numeric).reshape(len(numeric), table.shape[0]),
            schema.n_values.astype(np.int64),
            slot.astype(np.int64),
        )

    def has_gaps(self) -> bool:
        """Whether any value is missing."""
        return bool(self.codes.min(initial=0) < 0 or np.isnan(self.numbers).any())


class TreeNodes(NamedTuple):
    """A tree with one entry per node; the children of a node are adjacent, from ``first`` on.

    Children come after their parent, so a loop over the nodes visits parents first, and a backward
    loop visits them last.
    """

    feature: Ints  # -1 in a leaf
    threshold: Floats
    first: Ints
    n_children: Ints  # 0 in a leaf
    counts: Floats  # (n_nodes, n_classes): weight of the training rows by class
    weight: Floats  # their sum, stored because the order of summation decides ties of classes
    bag: Floats  # weight that the parent's split sends to this node
    empty: Bools  # a leaf without any training row


def children_of(nodes: TreeNodes, parents: Ints) -> Ints:
    """The children of some nodes, one family after the other."""
    n_children = nodes.n_children[parents]
    within = np.arange(n_children.sum()) - np.repeat(np.cumsum(n_children) - n_children, n_children)
    return np.repeat(nodes.first[parents], n_children) + within


def levels_of(nodes: TreeNodes) -> Iterator[Ints]:
    """The nodes at depth 0, 1, ...: only those that can be reached from the root."""
    level: Ints = np.zeros(1, np.int64)
    while len(level):
        yield level
        level = children_of(nodes, level)


def depth_of(nodes: TreeNodes) -> int:
    """Length of the longest path from the root to a leaf."""
    return sum(1 for _ in levels_of(nodes)) - 1


def compact(nodes: TreeNodes) -> TreeNodes:
    """The nodes that can be reached from the root, level by level."""
    order = np.concatenate(list(levels_of(nodes)))
    place = np.zeros(len(nodes.feature), np.int64)
    place[order] = np.arange(len(order))
    inner = nodes.n_children[order] > 0
    chosen = TreeNodes._make(part[order] for part in nodes)
    return chosen._replace(first=np.where(inner, place[np.where(inner, chosen.first, 0)], 0))


@kernel
def new_nodes(n_nodes, n_classes):
    """Arrays for so many nodes, all of them leaves without rows."""
    return TreeNodes(
        np.full(n_nodes, -1),
        np.full(n_nodes, np.nan),
        np.zeros(n_nodes, np.int64),
        np.zeros(n_nodes, np.int64),
        np.zeros((n_nodes, n_classes)),
        np.zeros(n_nodes),
        np.zeros(n_nodes),
        np.zeros(n_nodes, np.bool_),
    )


@inner_kernel
def widen_nodes(nodes, n_nodes):
    """The same tree in arrays for at least ``n_nodes``."""
    filled = len(nodes.feature)
    wider = new_nodes(max(n_nodes, 2 * filled), nodes.counts.shape[1])
    for node in range(filled):  # a loop compiles faster than eight assignments of slices
        wider.feature[node] = nodes.feature[node]
        wider.threshold[node] = nodes.threshold[node]
        wider.first[node] = nodes.first[node]
        wider.n_children[node] = nodes.n_children[node]
        wider.weight[node] = nodes.weight[node]
        wider.bag[node] = nodes.bag[node]
        wider.empty[node] = nodes.empty[node]
        for c in range(nodes.counts.shape[1]):
            wider.counts[node, c] = nodes.counts[node, c]
    return wider


@inner_kernel
def widen(lines, size):
    """The same lines of a matrix with space for at least ``size`` entries each."""
    if size <= lines.shape[1]:
        return lines
    wider = np.empty((lines.shape[0], max(size, 2 * lines.shape[1])), lines.dtype)
    for line in range(lines.shape[0]):
        for i in range(lines.shape[1]):
            wider[line, i] = lines[line, i]
    return wider


@inner_kernel
def branch_of(rows, feature, threshold, row):
    """The branch that a row takes, -1 where its value is missing."""
    slot = rows.slot[feature]
    if rows.n_values[feature] > 0:
        return rows.codes[row, slot]
    value = rows.numbers[slot, row]
    if np.isnan(value):
        return -1
    return 0 if value - threshold < NEAR else 1


@kernel
def majority(counts):
    """The class of largest weight, the first of those that are near it."""
    best, most = 0, 0.0
    for c in range(len(counts)):
        if counts[c] - most > NEAR:
            best, most = c, counts[c]
    return best


@inner_kernel
def weigh_branches(training, feature, threshold, rows, weights, bags, counts):
    """The branch of each row; ``bags`` and ``counts`` get the weights of branches and of classes.

    Rows with a known value count in their own branch; each of the others adds to every branch in
    proportion to the weight of the known rows there.  Known rows are summed before the others,
    because that order decides between classes that tie but for the last digit.  Returns the
    branches, -1 for a missing value, and the total weight.
    """
    table, y = training.rows, training.y
    branch = np.empty(len(rows), np.int32)
    counts[:] = 0.0
    bags[:] = 0.0
    total = 0.0
    n_missing = 0
    for i in range(len(rows)):
        b = branch_of(table, feature, threshold, rows[i])
        branch[i] = b
        if b < 0:
            n_missing += 1
        else:
            bags[b] += weights[i]
            counts[y[rows[i]]] += weights[i]
            total += weights[i]
    if n_missing == 0:
        return branch, total
    shares = np.empty(len(bags))
    for b in range(len(bags)):
        shares[b] = bags[b] / total if total >= NEAR else 1.0 / len(bags)
    for i in range(len(rows)):
        if branch[i] < 0:
            counts[y[rows[i]]] += weights[i]
            total += weights[i]
            for b in range(len(bags)):
                bags[b] += shares[b] * weights[i]
    return branch, total
