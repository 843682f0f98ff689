"""Sending rows down a tree: the leaf of a row, or a mean over leaves where values are missing."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from wager._jit import as_lists, entry, floats, integers, widened
from wager._typing import Floats, Ints
from wager.learners.trees._nodes import NEAR, TreeNodes, TreeRows, branch_of, depth_of

STEP = 1e-7  # seconds of NumPy for a row that moves down by one node
LIST_STEP = 2e-6  # and of plain Python


class Branches(NamedTuple):
    """What kernels see of a tree."""

    feature: Any
    threshold: Any
    first: Any
    n_children: Any
    weight: Any
    bag: Any
    empty: Any

    @classmethod
    def of(cls, nodes: TreeNodes) -> Branches:
        return cls(
            nodes.feature,
            nodes.threshold,
            nodes.first,
            nodes.n_children,
            nodes.weight,
            nodes.bag,
            nodes.empty,
        )


def leaves_of(nodes: TreeNodes, rows: TreeRows) -> Ints:
    """The leaf of each row.

    It is -1 where a value on the path is missing, and the number of nodes, one past the last, where
    the value has no branch.
    """
    leaves = np.empty(len(rows.codes), np.int64)
    work = STEP * len(leaves) * np.log2(len(nodes.feature) + 1)
    go_down(Branches.of(nodes), rows.flat(), len(nodes.feature), False, leaves, work=work)
    return leaves


def mixtures_of(nodes: TreeNodes, rows: TreeRows, chosen: Ints, of_leaf: Floats) -> Floats:
    """For each chosen row the mean over its leaves, weighted by the training rows that went there.

    ``of_leaf`` has one line per node, and one more for a value that has no branch.
    """
    mixed = np.zeros((len(chosen), of_leaf.shape[1]))
    if len(chosen):
        branches = Branches.of(nodes)
        mix_leaves(
            branches, rows.flat(), chosen, of_leaf.ravel(), mixed.ravel(),
            work=LIST_STEP * (len(chosen) * mixed.shape[1] * 4 + len(nodes.feature)),
        )  # fmt: skip
    return mixed


def c45_proba(nodes: TreeNodes, rows: TreeRows, node_proba: Floats) -> Floats:
    """Class probabilities of rows by C4.5, given those of every node as a leaf.

    A value that no training row had at a node is predicted by the node itself.
    """
    stops = np.empty(len(rows.codes), np.int64)
    branches, table = Branches.of(nodes), rows.flat()
    work = STEP * len(stops) * np.log2(len(nodes.feature) + 1)
    go_down(branches, table, len(nodes.feature), True, stops, work=work)
    proba = node_proba[stops]
    several = np.flatnonzero(stops < 0)
    if len(several):
        mixed = np.zeros((len(several), node_proba.shape[1]))
        mix_branches(
            branches, table, several, node_proba.ravel(), depth_of(nodes), mixed.ravel(),
            work=LIST_STEP * (len(several) * mixed.shape[1] * 4 + len(nodes.feature)),
        )  # fmt: skip
        proba[several] = mixed
    return proba


def _go_down_by_levels(
    branches: Branches, rows: Any, n_nodes: int, stay: bool, leaves: Ints
) -> None:
    """The same as the kernel below, one level of the tree after the other."""
    leaves[:] = 0
    moving = np.flatnonzero(np.full(len(leaves), branches.n_children[0] > 0))
    while len(moving):
        at = leaves[moving]
        feature = branches.feature[at]
        slot, nominal = rows.slot[feature], rows.n_values[feature] > 0
        b = np.empty(len(moving), np.int64)
        b[nominal] = rows.codes[moving[nominal] * rows.n_nominal + slot[nominal]]
        values = rows.numbers[slot[~nominal] * rows.n_rows + moving[~nominal]]
        with np.errstate(invalid="ignore"):
            right = ~(values - branches.threshold[at[~nominal]] < NEAR)
        b[~nominal] = np.where(np.isnan(values), -1, right)
        known = (b >= 0) & (b < branches.n_children[at])
        to = branches.first[at] + np.where(known, b, 0)
        if stay:
            known &= ~branches.empty[to]
        stopped = np.where(b < 0, -1, at if stay else n_nodes)
        leaves[moving] = np.where(known, to, stopped)
        moving = moving[known & (branches.n_children[to] > 0)]


@entry(plain=_go_down_by_levels, label="predictions of trees")
def go_down(branches, rows, n_nodes, stay, leaves):
    """Fill in the leaf of each row, or -1 where a value on the path is missing.

    Where a value has no branch, or an empty one, a row stays at the node if ``stay`` is true;
    otherwise it gets the number of nodes where the value has no branch, and empty branches count.
    """
    feature, threshold, first = branches.feature, branches.threshold, branches.first
    n_children, empty = branches.n_children, branches.empty
    for row in range(len(leaves)):
        node = 0
        while n_children[node] > 0:
            b = branch_of(rows, feature[node], threshold[node], row)
            if b < 0:
                node = -1
                break
            if b >= n_children[node]:
                node = node if stay else n_nodes
                break
            if stay and empty[first[node] + b]:
                break
            node = first[node] + b
        leaves[row] = node


def _mix_leaves_in_lists(
    branches: Branches, rows: Any, chosen: Ints, of_leaf: Floats, mixed: Floats
) -> None:
    lists = as_lists((branches, rows, chosen, of_leaf, mixed))
    mix_leaves_by_loop(*lists)
    mixed[:] = lists[-1]


def mix_leaves_by_loop(branches, rows, chosen, of_leaf, mixed):
    """Add up what the leaves of each chosen row predict; see ``mixtures_of``."""
    feature, threshold, first = branches.feature, branches.threshold, branches.first
    n_children, bag = branches.n_children, branches.bag
    n_nodes, n_columns = len(feature), len(mixed) // len(chosen)
    waiting, shares = integers(64), floats(64)
    for i in range(len(chosen)):
        row = chosen[i]
        waiting[0], shares[0] = 0, 1.0
        n_waiting = 1
        while n_waiting > 0:
            n_waiting -= 1
            node, share = waiting[n_waiting], shares[n_waiting]
            b = 0
            while node < n_nodes and n_children[node] > 0:
                b = branch_of(rows, feature[node], threshold[node], row)
                if b < 0:
                    break
                node = first[node] + b if b < n_children[node] else n_nodes
            if node == n_nodes or n_children[node] == 0:
                for column in range(n_columns):
                    mixed[i * n_columns + column] += share * of_leaf[node * n_columns + column]
                continue
            waiting = widened(waiting, n_waiting + n_children[node])
            shares = widened(shares, n_waiting + n_children[node])
            total = 0.0
            for child in range(first[node], first[node] + n_children[node]):
                total += bag[child]
            for child in range(first[node], first[node] + n_children[node]):
                if bag[child] > 0.0:
                    waiting[n_waiting] = child
                    shares[n_waiting] = share * (bag[child] / total)
                    n_waiting += 1


mix_leaves = entry(mix_leaves_by_loop, plain=_mix_leaves_in_lists, label="predictions of trees")


def _mix_branches_in_lists(
    branches: Branches, rows: Any, chosen: Ints, node_proba: Floats, depth: int, mixed: Floats
) -> None:
    lists = as_lists((branches, rows, chosen, node_proba, depth, mixed))
    mix_branches_by_loop(*lists)
    mixed[:] = lists[-1]


def mix_branches_by_loop(branches, rows, chosen, node_proba, depth, mixed):
    """Add up what C4.5 predicts for the chosen rows.

    The mean over the branches is computed bottom up, a sum within a sum, because the order of
    summation decides between classes that tie.
    """
    feature, threshold, first = branches.feature, branches.threshold, branches.first
    n_children, bag, weights = branches.n_children, branches.bag, branches.weight
    empty = branches.empty
    n_classes = len(mixed) // len(chosen)
    path, done = integers(depth + 1), integers(depth + 1)  # nodes to average, finished branches
    share, sums = floats(depth + 1), floats((depth + 1) * n_classes)
    for i in range(len(chosen)):
        row = chosen[i]
        node, weight, n_mixed = 0, 1.0, 0
        while True:
            b = 0
            while n_children[node] > 0:
                b = branch_of(rows, feature[node], threshold[node], row)
                if b < 0 or b >= n_children[node] or empty[first[node] + b]:
                    break
                node = first[node] + b
            if n_children[node] > 0 and b < 0:
                path[n_mixed], done[n_mixed], share[n_mixed] = node, 0, weight
                for c in range(n_mixed * n_classes, (n_mixed + 1) * n_classes):
                    sums[c] = 0.0
                n_mixed += 1
            else:
                for c in range(n_classes):
                    part = weight * node_proba[node * n_classes + c]
                    if n_mixed > 0:
                        sums[(n_mixed - 1) * n_classes + c] += part
                    else:
                        mixed[i * n_classes + c] += part
            while n_mixed > 0:
                top = n_mixed - 1
                node = path[top]
                while done[top] < n_children[node] and empty[first[node] + done[top]]:
                    done[top] += 1
                if done[top] < n_children[node]:
                    child = first[node] + done[top]
                    weight = share[top] * (bag[child] / weights[node])
                    done[top] += 1
                    node = child
                    break
                n_mixed -= 1
                for c in range(n_classes):
                    if n_mixed > 0:
                        sums[(n_mixed - 1) * n_classes + c] += sums[top * n_classes + c]
                    else:
                        mixed[i * n_classes + c] += sums[top * n_classes + c]
            if n_mixed == 0:
                break


mix_branches = entry(
    mix_branches_by_loop, plain=_mix_branches_in_lists, label="predictions of trees"
)
