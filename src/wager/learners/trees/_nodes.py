"""What the loops of C4.5 share: the training table, the tree as flat arrays, and near-equality.

The loops are plain functions that Numba compiles when they are first called; without Numba they run
as they stand, slowly and with the same result.  None calls itself: compiled code that does cannot
be kept on disk.  Two numbers within ``NEAR`` of each other count as equal throughout, as in Weka's
J48: with rows of fractional weight, sums that should agree differ in their last digits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from wager._jit import kernel
from wager._tables import Schema, numeric_column
from wager._typing import Bools, Floats, Ints

NEAR = 1e-6


class Table(NamedTuple):
    """Rows to learn from or to classify: nominal columns as codes, numeric ones as numbers.

    ``slot[a]`` is the place of feature ``a`` among its own kind; ``n_values[a]`` is 0 where it is
    numeric.  A code of -1 and a NaN are missing.
    """

    codes: Ints  # (n_rows, n_nominal)
    numbers: Floats  # (n_numeric, n_rows)
    n_values: Ints
    slot: Ints

    @classmethod
    def of(cls, schema: Schema, table: Any, *, known: bool = False) -> Table:
        """The rows of a checked table; ``known`` says that the schema was learnt from them."""
        nominal = schema.nominal
        slot = np.where(nominal, np.cumsum(nominal), np.cumsum(~nominal)) - 1
        numeric = [numeric_column(table, int(j)) for j in np.flatnonzero(~nominal)]
        return cls(
            schema.codes(table, known=known),
            np.array(numeric).reshape(len(numeric), table.shape[0]),
            schema.n_values.astype(np.int64),
            slot.astype(np.int64),
        )


class Nodes(NamedTuple):
    """A tree, one entry a node; the sons of a node lie side by side from ``first`` on.

    Sons come after their father, so a loop over the nodes meets fathers first, and backwards last.
    """

    feature: Ints  # -1 in a leaf
    threshold: Floats
    first: Ints
    n_sons: Ints  # 0 in a leaf
    counts: Floats  # (n_nodes, n_classes): weight of the training rows by class
    weight: Floats  # their sum, kept apart: the order of summation decides tied classes
    bag: Floats  # weight that the father's split gives to this node
    empty: Bools  # a leaf that no training row reaches


def room(n_nodes: int, n_classes: int) -> Nodes:
    """Arrays for so many nodes, all of them leaves without rows."""
    return Nodes(
        np.full(n_nodes, -1),
        np.full(n_nodes, np.nan),
        np.zeros(n_nodes, np.int64),
        np.zeros(n_nodes, np.int64),
        np.zeros((n_nodes, n_classes)),
        np.zeros(n_nodes),
        np.zeros(n_nodes),
        np.zeros(n_nodes, np.bool_),
    )


def compact(nodes: Nodes) -> Nodes:
    """The nodes that can be reached from the root, level by level."""
    front = np.zeros(1, np.int64)
    kept = [front]
    while len(front):
        n_sons = nodes.n_sons[front]
        within = np.arange(n_sons.sum()) - np.repeat(np.cumsum(n_sons) - n_sons, n_sons)
        front = np.repeat(nodes.first[front], n_sons) + within
        kept.append(front)
    order = np.concatenate(kept)
    place = np.zeros(len(nodes.feature), np.int64)
    place[order] = np.arange(len(order))
    inner = nodes.n_sons[order] > 0
    chosen = Nodes._make(part[order] for part in nodes)
    return chosen._replace(first=np.where(inner, place[np.where(inner, chosen.first, 0)], 0))


@kernel
def branch_of(table, feature, threshold, row):
    """The branch that a row takes, -1 where its value is missing."""
    slot = table.slot[feature]
    if table.n_values[feature] > 0:
        return table.codes[row, slot]
    value = table.numbers[slot, row]
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


@kernel
def count_classes(rows, weights, y, counts):
    """Weight of the rows by class, in place; give the total."""
    counts[:] = 0.0
    total = 0.0
    for i in range(len(rows)):
        counts[y[rows[i]]] += weights[i]
        total += weights[i]
    return total


@kernel
def weigh_branches(table, y, feature, threshold, rows, weights, branch, bags, counts):
    """Find the branch of every row; weigh the branches and the classes; give the total.

    Rows with a known value count in their own branch; each of the others adds to every branch in
    proportion to what the known ones weigh there.  The sums run over the rows one by one, known
    rows first, because that order decides between classes that tie but for the last digit.
    """
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
        return total
    shares = np.empty(len(bags))
    for b in range(len(bags)):
        shares[b] = bags[b] / total if total >= NEAR else 1.0 / len(bags)
    for i in range(len(rows)):
        if branch[i] < 0:
            counts[y[rows[i]]] += weights[i]
            total += weights[i]
            for b in range(len(bags)):
                bags[b] += shares[b] * weights[i]
    return total
