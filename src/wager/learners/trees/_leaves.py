"""Reading a credal tree: the leaf of a row, or the mixture of leaves where values are missing."""

from __future__ import annotations

import numpy as np

from wager._jit import kernel
from wager.learners.trees._c45_grow import widen
from wager.learners.trees._nodes import branch_of


@kernel
def leaves_of(nodes, table, n_rows):
    """The leaf of each row.

    It is -1 where a value on the way is missing, and the number of nodes, one past the last, where
    the value has no branch: nothing is known there.
    """
    leaves = np.empty(n_rows, np.int64)
    for row in range(n_rows):
        node = 0
        while nodes.n_sons[node] > 0:
            b = branch_of(table, nodes.feature[node], nodes.threshold[node], row)
            if b < 0:
                node = -1
                break
            if b >= nodes.n_sons[node]:
                node = len(nodes.feature)
                break
            node = nodes.first[node] + b
        leaves[row] = node
    return leaves


@kernel
def mixtures_of(nodes, table, rows, of_leaf):
    """For each row the mean over its leaves, each weighed by the training rows that went there.

    ``of_leaf`` has a line a node, and one more for a value that has no branch.
    """
    mixed = np.zeros((len(rows), of_leaf.shape[1]))
    waiting = np.empty((1, 64), np.int64)
    shares = np.empty((1, 64))
    for i in range(len(rows)):
        waiting[0, 0] = 0
        shares[0, 0] = 1.0
        n_waiting = 1
        while n_waiting > 0:
            n_waiting -= 1
            node, share = waiting[0, n_waiting], shares[0, n_waiting]
            b = 0
            while node < len(nodes.feature) and nodes.n_sons[node] > 0:
                b = branch_of(table, nodes.feature[node], nodes.threshold[node], rows[i])
                if b < 0:
                    break
                node = nodes.first[node] + b if b < nodes.n_sons[node] else len(nodes.feature)
            if node == len(nodes.feature) or nodes.n_sons[node] == 0:
                for column in range(of_leaf.shape[1]):
                    mixed[i, column] += share * of_leaf[node, column]
                continue
            first, n_sons = nodes.first[node], nodes.n_sons[node]
            waiting = widen(waiting, n_waiting + n_sons)
            shares = widen(shares, n_waiting + n_sons)
            total = nodes.bag[first : first + n_sons].sum()
            for son in range(first, first + n_sons):
                if nodes.bag[son] > 0.0:
                    waiting[0, n_waiting] = son
                    shares[0, n_waiting] = share * (nodes.bag[son] / total)
                    n_waiting += 1
    return mixed
