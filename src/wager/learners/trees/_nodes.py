"""The arrays that all tree code shares: rows as codes and numbers, and a tree as flat arrays.

The kernels of this package see rows and trees as arrays of one dimension, see ``wager._jit``.
While a tree grows, all numbers of a node stand side by side in one table, so that adding nodes and
passing the tree from kernel to kernel stays simple; a finished tree has one array per quantity.

None of the kernels is recursive, because Numba cannot keep recursive functions on disk.

Two numbers within ``NEAR`` of each other count as equal, as in Weka's J48: with rows of fractional
weight, sums that should be equal differ in their last digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import nan
from typing import Any, NamedTuple

import numpy as np

from wager._jit import floats, kernel
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

    def gaps(self) -> Bools:
        """Which features of each row are missing, (n_rows, n_features)."""
        found = np.empty((len(self.codes), len(self.n_values)), dtype=bool)
        found[:, self.n_values > 0] = self.codes < 0
        found[:, self.n_values == 0] = np.isnan(self.numbers).T
        return found

    def flat(self) -> FlatRows:
        """The same rows for kernels."""
        n_rows, n_nominal = self.codes.shape
        return FlatRows(
            self.codes.ravel(), self.numbers.ravel(), self.n_values, self.slot, n_rows, n_nominal
        )


class FlatRows(NamedTuple):
    """Rows as kernels see them."""

    codes: Any  # of row i and nominal column j at i * n_nominal + j
    numbers: Any  # of numeric column j and row i at j * n_rows + i
    n_values: Any
    slot: Any
    n_rows: int
    n_nominal: int


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

    @classmethod
    def of_table(cls, table: Floats) -> TreeNodes:
        """The tree in a table that was grown, one line per node."""
        return cls(
            table[:, FEATURE].astype(np.int64),
            table[:, THRESHOLD].copy(),
            table[:, FIRST].astype(np.int64),
            table[:, N_CHILDREN].astype(np.int64),
            table[:, COUNTS:].copy(),
            table[:, WEIGHT].copy(),
            table[:, BAG].copy(),
            table[:, EMPTY] > 0,
        )

    def check_saved(self) -> None:
        """Refuse arrays of a file that are not a tree: loops down a tree would not end."""
        n_nodes = len(self.feature)
        if not n_nodes or any(len(part) != n_nodes for part in self):
            raise ValueError("a tree has arrays of different lengths")
        n_children, inner = self.n_children, self.n_children > 0
        is_later = self.first > np.arange(n_nodes)
        is_there = (n_children <= n_nodes) & (self.first <= n_nodes - n_children)
        if n_children.min() < 0 or not (is_later & is_there)[inner].all():
            raise ValueError("the nodes of a tree are not in order")

    def to_table(self) -> Floats:
        """The tree as a table, one line per node; the parents of the nodes are left out."""
        n_nodes, n_classes = self.counts.shape
        table = np.zeros((n_nodes, COUNTS + n_classes))
        table[:, FEATURE] = self.feature
        table[:, THRESHOLD] = self.threshold
        table[:, FIRST] = self.first
        table[:, N_CHILDREN] = self.n_children
        table[:, COUNTS:] = self.counts
        table[:, WEIGHT] = self.weight
        table[:, BAG] = self.bag
        table[:, EMPTY] = self.empty
        return table


# the columns of the table of a tree that grows; from COUNTS on there is one per class
FEATURE, THRESHOLD, FIRST, N_CHILDREN, WEIGHT, BAG, EMPTY, PARENT, COUNTS = range(9)


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
def make_leaf(nodes, at):
    """Make the node at this position of the table a leaf; its counts and weights stay."""
    nodes[at + FEATURE] = -1.0
    nodes[at + THRESHOLD] = nan
    nodes[at + N_CHILDREN] = 0.0


@kernel
def branch_of(rows, feature, threshold, row):
    """The branch that a row takes, -1 where its value is missing."""
    slot = rows.slot[feature]
    if rows.n_values[feature] > 0:
        return int(rows.codes[row * rows.n_nominal + slot])
    value = rows.numbers[slot * rows.n_rows + row]
    if value != value:  # missing
        return -1
    return 0 if value - threshold < NEAR else 1


@kernel
def majority(counts, start, n_classes):
    """The class of largest weight, the first of those that are near it."""
    best, most = 0, 0.0
    for c in range(n_classes):
        if counts[start + c] - most > NEAR:
            best, most = c, counts[start + c]
    return best


class Segment(NamedTuple):
    """The rows of a node within longer arrays, in the order of the file."""

    rows: Any  # from ``begin`` on
    begin: int
    weights: Any  # from ``low`` on
    low: int
    n: int


@kernel
def weigh_branches(training, nodes, at, segment, counted, counts, counts_at, branch):
    """Fill in ``branch``, by number of the row, -1 for a missing value, and weigh the branches.

    Rows with a known value count in their own branch; each of the others adds to every branch in
    proportion to the weight of the known rows there.  Known rows are summed before the others,
    because that order decides between classes that tie but for the last digit.

    ``at`` is the position of the node in ``nodes``, whose children get their weights in
    ``counted``, the same tree or another one of the same shape; the weights of the classes are
    written to ``counts`` from ``counts_at`` on.  Returns the total weight.
    """
    table, y, n_classes = training.rows, training.y, training.n_classes
    rows, begin, weights, low = segment.rows, segment.begin, segment.weights, segment.low
    feature, threshold = int(nodes[at + FEATURE]), nodes[at + THRESHOLD]
    width, n_branches = COUNTS + n_classes, int(nodes[at + N_CHILDREN])
    bag = int(nodes[at + FIRST]) * width + BAG
    for c in range(n_classes):
        counts[counts_at + c] = 0.0
    for b in range(n_branches):
        counted[bag + b * width] = 0.0
    total = 0.0
    n_missing = 0
    for i in range(segment.n):
        row, w = rows[begin + i], weights[low + i]
        b = branch_of(table, feature, threshold, row)
        branch[row] = b
        if b < 0:
            n_missing += 1
        else:
            counted[bag + b * width] += w
            counts[counts_at + y[row]] += w
            total += w
    if n_missing == 0:
        return total
    shares = floats(n_branches)
    for b in range(n_branches):
        shares[b] = counted[bag + b * width] / total if total >= NEAR else 1.0 / n_branches
    for i in range(segment.n):
        row, w = rows[begin + i], weights[low + i]
        if branch[row] < 0:
            counts[counts_at + y[row]] += w
            total += w
            for b in range(n_branches):
                counted[bag + b * width] += shares[b] * w
    return total
