"""Sending rows down a tree: the leaf of a row, or a mean over leaves where values are missing."""

from __future__ import annotations

import numpy as np

from wager._jit import kernel
from wager.learners.trees._nodes import branch_of, widen


@kernel
def leaves_of(nodes, table):
    """The leaf of each row.

    It is -1 where a value on the path is missing, and the number of nodes, one past the last, where
    the value has no branch.
    """
    leaves = np.empty(len(table.codes), np.int64)
    for row in range(len(leaves)):
        node = 0
        while nodes.n_children[node] > 0:
            b = branch_of(table, nodes.feature[node], nodes.threshold[node], row)
            if b < 0:
                node = -1
                break
            if b >= nodes.n_children[node]:
                node = len(nodes.feature)
                break
            node = nodes.first[node] + b
        leaves[row] = node
    return leaves


@kernel
def mixtures_of(nodes, table, rows, of_leaf):
    """For each row the mean over its leaves, weighted by the training rows that went there.

    ``of_leaf`` has one line per node, and one more for a value that has no branch.
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
            while node < len(nodes.feature) and nodes.n_children[node] > 0:
                b = branch_of(table, nodes.feature[node], nodes.threshold[node], rows[i])
                if b < 0:
                    break
                node = nodes.first[node] + b if b < nodes.n_children[node] else len(nodes.feature)
            if node == len(nodes.feature) or nodes.n_children[node] == 0:
                for column in range(of_leaf.shape[1]):
                    mixed[i, column] += share * of_leaf[node, column]
                continue
            first, n_children = nodes.first[node], nodes.n_children[node]
            waiting = widen(waiting, n_waiting + n_children)
            shares = widen(shares, n_waiting + n_children)
            total = nodes.bag[first : first + n_children].sum()
            for child in range(first, first + n_children):
                if nodes.bag[child] > 0.0:
                    waiting[0, n_waiting] = child
                    shares[0, n_waiting] = share * (nodes.bag[child] / total)
                    n_waiting += 1
    return mixed


@kernel
def c45_proba(nodes, table, node_proba, depth):
    """Class probabilities of rows by C4.5, given those of every node as a leaf.

    A value that no training row had at a node is predicted by the node itself.  Where a value is
    missing, the mean over the branches is computed bottom up, a sum within a sum, because the order
    of summation decides between classes that tie.
    """
    n_classes = node_proba.shape[1]
    proba = np.zeros((len(table.codes), n_classes))
    mixed = np.empty(depth + 1, np.int64)  # nodes on the path whose branches are being averaged
    done = np.empty(depth + 1, np.int64)  # number of their branches that are finished
    share = np.empty(depth + 1)
    sums = np.empty((depth + 1, n_classes))
    for row in range(len(proba)):
        node, weight, n_mixed = 0, 1.0, 0
        while True:
            b = 0
            while nodes.n_children[node] > 0:
                b = branch_of(table, nodes.feature[node], nodes.threshold[node], row)
                if b < 0 or b >= nodes.n_children[node] or nodes.empty[nodes.first[node] + b]:
                    break
                node = nodes.first[node] + b
            if nodes.n_children[node] > 0 and b < 0:
                mixed[n_mixed] = node
                done[n_mixed] = 0
                share[n_mixed] = weight
                sums[n_mixed] = 0.0
                n_mixed += 1
            else:
                to = sums[n_mixed - 1] if n_mixed > 0 else proba[row]
                for c in range(n_classes):
                    to[c] += weight * node_proba[node, c]
            while n_mixed > 0:
                top = n_mixed - 1
                node = mixed[top]
                n_children = nodes.n_children[node]
                while done[top] < n_children and nodes.empty[nodes.first[node] + done[top]]:
                    done[top] += 1
                if done[top] < n_children:
                    child = nodes.first[node] + done[top]
                    weight = share[top] * (nodes.bag[child] / nodes.weight[node])
                    done[top] += 1
                    node = child
                    break
                n_mixed -= 1
                to = sums[n_mixed - 1] if n_mixed > 0 else proba[row]
                for c in range(n_classes):
                    to[c] += sums[top, c]
            if n_mixed == 0:
                break
    return proba
