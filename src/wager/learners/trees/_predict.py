"""Class probabilities from a C4.5 tree; a row goes down every branch where its value is missing."""

from __future__ import annotations

import numpy as np

from wager._jit import kernel
from wager.learners.trees._nodes import branch_of


@kernel
def tree_depth(nodes):
    """Length of the longest path from the root."""
    deepest = 0
    depth = np.zeros(len(nodes.feature), np.int64)
    for node in range(len(nodes.feature)):
        for son in range(nodes.first[node], nodes.first[node] + nodes.n_sons[node]):
            depth[son] = depth[node] + 1
            deepest = max(deepest, depth[son])
    return deepest


@kernel
def tree_proba(nodes, table, n_rows, own_proba):
    """Class probabilities of the rows of ``table``, given those of every node as a leaf.

    Where a value is missing, the mean over the branches, each weighed by its training rows, is
    formed from below, sum within sum: the order decides between classes that tie.
    """
    n_classes = own_proba.shape[1]
    proba = np.zeros((n_rows, n_classes))
    deepest = tree_depth(nodes) + 1
    mixed = np.empty(deepest, np.int64)  # nodes whose branches are being blended
    done = np.empty(deepest, np.int64)
    share = np.empty(deepest)
    sums = np.empty((deepest, n_classes))
    for row in range(n_rows):
        node, weight, n_mixed = 0, 1.0, 0
        while True:
            b = 0
            while nodes.n_sons[node] > 0:
                b = branch_of(table, nodes.feature[node], nodes.threshold[node], row)
                if b < 0 or b >= nodes.n_sons[node] or nodes.empty[nodes.first[node] + b]:
                    break  # a value that no training row showed here: the node itself answers
                node = nodes.first[node] + b
            if nodes.n_sons[node] > 0 and b < 0:
                mixed[n_mixed] = node
                done[n_mixed] = 0
                share[n_mixed] = weight
                sums[n_mixed] = 0.0
                n_mixed += 1
            else:
                to = sums[n_mixed - 1] if n_mixed > 0 else proba[row]
                for c in range(n_classes):
                    to[c] += weight * own_proba[node, c]
            while n_mixed > 0:
                top = n_mixed - 1
                node = mixed[top]
                while done[top] < nodes.n_sons[node] and nodes.empty[nodes.first[node] + done[top]]:
                    done[top] += 1
                if done[top] < nodes.n_sons[node]:
                    son = nodes.first[node] + done[top]
                    weight = share[top] * (nodes.bag[son] / nodes.weight[node])
                    done[top] += 1
                    node = son
                    break
                n_mixed -= 1
                to = sums[n_mixed - 1] if n_mixed > 0 else proba[row]
                for c in range(n_classes):
                    to[c] += sums[top, c]
            if n_mixed == 0:
                break
    return proba
