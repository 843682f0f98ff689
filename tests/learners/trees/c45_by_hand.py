"""C4.5 written the slow and obvious way, to test the compiled tree.

Rows are Python lists of (values, class, weight); a node is a dictionary.  Nothing is presorted,
shared or updated in place, so every step can be read beside the description of the algorithm.
"""

from __future__ import annotations

import math

from scipy.special import ndtri

NEAR = 1e-6  # two numbers this close count as equal


def grow_by_hand(rows, n_classes, n_values, *, min_rows=2, confidence=0.25, prune=True):
    """The tree of ``rows``: (values, class) pairs; ``n_values[a]`` is 0 for a numeric column.

    A value is None where it is missing, a code for a nominal column, a number otherwise.
    """
    rows = [(values, c, 1.0) for values, c in rows]
    maker = _Maker(rows, n_classes, n_values, min_rows, confidence)
    tree = maker.grow(rows)
    maker.collapse(tree)
    if prune:
        maker.prune(tree)
    return tree


def proba_by_hand(tree, values, smoothing=None):
    """Class probabilities of one row, blended over the branches where a value is missing."""
    if tree["children"] is None:
        return _shares(tree["table"], smoothing)
    branch = _branch(tree, values)
    if branch is not None:
        child = tree["children"][branch]
        return (
            _shares(tree["table"], smoothing)
            if child["empty"]
            else proba_by_hand(child, values, smoothing)
        )
    total = sum(tree["bags"])
    blended = [0.0] * len(tree["table"])
    for child, bag in zip(tree["children"], tree["bags"], strict=True):
        if not child["empty"]:
            for c, p in enumerate(proba_by_hand(child, values, smoothing)):
                blended[c] += bag / total * p
    return blended


def count_by_hand(tree):
    """Nodes and leaves."""
    if tree["children"] is None:
        return 1, 1
    inside = [count_by_hand(child) for child in tree["children"]]
    return 1 + sum(n for n, _ in inside), sum(leaves for _, leaves in inside)


def _shares(table, smoothing):
    total = sum(table)
    if smoothing == "laplace":
        return [(n + 1) / (total + len(table)) for n in table]
    return [n / total if total >= NEAR else 0.0 for n in table]


def _branch(node, values):
    value = values[node["feature"]]
    if value is None or node["threshold"] is None:
        return value
    return 0 if value - node["threshold"] < NEAR else 1


def _xlog2x(x):
    return 0.0 if x < NEAR else x * math.log2(x)


def _table(rows, n_classes):
    table = [0.0] * n_classes
    for _, c, weight in rows:
        table[c] += weight
    return table


def _errors(table):
    return sum(table) - max(table)


class _Maker:
    def __init__(self, rows, n_classes, n_values, min_rows, confidence):
        self.rows, self.n_classes, self.n_values = rows, n_classes, n_values
        self.min_rows, self.confidence = min_rows, confidence

    # growing ------------------------------------------------------------------------------

    def grow(self, rows):
        table = _table(rows, self.n_classes)
        node = {"rows": rows, "table": table, "children": None, "empty": sum(table) < NEAR}
        split = self.choose(rows, table)
        if split is not None:
            node["feature"], node["threshold"], node["n_children"] = split
            node["bags"] = self.bags(node, rows)
            node["children"] = [self.grow(part) for part in self.share_out(node, rows)]
        return node

    def choose(self, rows, table):
        weight = sum(table)
        if 2 * self.min_rows - weight > NEAR or weight - max(table) < NEAR:
            return None
        few = 0.3 * len(self.rows)
        all_many = all(v and few - v <= NEAR for v in self.n_values)
        usable, gains = [], []
        for a, v in enumerate(self.n_values):
            split = self.nominal(rows, a, weight) if v else self.numeric(rows, a, weight)
            if split is None:
                continue
            usable.append((a, *split))
            if not v or all_many or few - v > NEAR:
                gains.append(split[0])
        if not gains:
            return None
        average = sum(gains) / len(gains)
        best, best_ratio = None, 0.0
        for a, gain, ratio, threshold in usable:
            if gain >= average - 1e-3 and ratio - best_ratio > NEAR:
                best, best_ratio = (a, threshold, self.n_values[a] or 2), ratio
        return best

    def nominal(self, rows, a, weight):
        bags = [[r for r in rows if r[0][a] == value] for value in range(self.n_values[a])]
        tables = [_table(bag, self.n_classes) for bag in bags]
        if sum(self.min_rows - sum(t) < NEAR for t in tables) < 2:
            return None
        gain = self.gain(tables, weight)
        return gain, self.ratio(gain, tables, weight), None

    def numeric(self, rows, a, weight):
        known = sorted((r for r in rows if r[0][a] is not None), key=lambda r: r[0][a])
        least = 0.1 * sum(r[2] for r in known) / self.n_classes
        if least - self.min_rows < NEAR:
            least = self.min_rows
        elif least - 25 > NEAR:
            least = 25
        if 2 * least - len(known) > NEAR:
            return None
        best, best_cut, n_cuts = 0.0, None, 0
        for cut in range(1, len(known)):
            if not known[cut - 1][0][a] + 1e-5 < known[cut][0][a]:
                continue
            tables = [_table(side, self.n_classes) for side in (known[:cut], known[cut:])]
            if all(least - sum(t) < NEAR for t in tables):
                n_cuts += 1
                gain = self.gain(tables, weight)
                if gain - best > NEAR:
                    best, best_cut = gain, cut
        if best_cut is None:
            return None
        best -= math.log2(n_cuts) / weight
        if best < NEAR:
            return None
        tables = [_table(side, self.n_classes) for side in (known[:best_cut], known[best_cut:])]
        middle = (known[best_cut - 1][0][a] + known[best_cut][0][a]) / 2
        seen = [r[0][a] for r in self.rows if r[0][a] is not None]
        threshold = max(value for value in seen if value - middle < NEAR)
        return best, self.ratio(best, tables, weight), threshold

    def gain(self, tables, weight):
        whole = [sum(column) for column in zip(*tables, strict=True)]
        known = sum(whole)
        before = _xlog2x(known) - sum(map(_xlog2x, whole))
        after = sum(_xlog2x(sum(t)) - sum(map(_xlog2x, t)) for t in tables)
        bits = known / weight * (before - after)
        return 0.0 if abs(bits) < NEAR else bits / known

    def ratio(self, gain, tables, weight):
        sizes = [sum(t) for t in tables]
        info = _xlog2x(weight) - sum(map(_xlog2x, sizes)) - _xlog2x(weight - sum(sizes))
        return 0.0 if abs(info) < NEAR else gain / (info / weight)

    # rows with a missing value go down every branch ------------------------------------------

    def bags(self, node, rows):
        known = [0.0] * node["n_children"]
        for values, _, weight in rows:
            branch = _branch(node, values)
            if branch is not None:
                known[branch] += weight
        total = sum(known)
        missing = sum(w for values, _, w in rows if _branch(node, values) is None)
        if total < NEAR:
            return [missing / len(known)] * len(known)
        return [bag + missing * bag / total for bag in known]

    def share_out(self, node, rows):
        parts = [[] for _ in range(node["n_children"])]
        total = sum(node["bags"])
        for values, c, weight in rows:
            branch = _branch(node, values)
            if branch is not None:
                parts[branch].append((values, c, weight))
                continue
            for part, bag in zip(parts, node["bags"], strict=True):
                if bag / total > NEAR:
                    part.append((values, c, weight * bag / total))
        return parts

    # pruning ------------------------------------------------------------------------------------

    def training_errors(self, node):
        if node["children"] is None:
            return _errors(node["table"])
        return sum(self.training_errors(child) for child in node["children"])

    def collapse(self, node):
        if node["children"] is None:
            return
        if self.training_errors(node) >= _errors(node["table"]) - 1e-3:
            node["children"] = None
            return
        for child in node["children"]:
            self.collapse(child)

    def prune(self, node):
        if node["children"] is None:
            return
        for child in node["children"]:
            self.prune(child)
        largest = max(range(node["n_children"]), key=lambda b: (round(node["bags"][b], 6), b))
        branch = node["children"][largest]
        as_leaf = self.estimate(node["table"])
        as_tree = self.tree_estimate(node)
        as_branch = self.branch_estimate(branch, node["rows"])
        if as_leaf - as_tree - 0.1 < NEAR and as_leaf - as_branch - 0.1 < NEAR:
            node["children"] = None
        elif as_branch - as_tree - 0.1 < NEAR:
            rows = node["rows"]
            node.update(branch)
            self.recount(node, rows)
            self.prune(node)

    def recount(self, node, rows):
        node["rows"], node["table"] = rows, _table(rows, self.n_classes)
        if sum(node["table"]) >= NEAR:
            node["empty"] = False
        if node["children"] is not None:
            node["bags"] = self.bags(node, rows)
            for child, part in zip(node["children"], self.share_out(node, rows), strict=True):
                self.recount(child, part)

    def tree_estimate(self, node):
        if node["children"] is None:
            return self.estimate(node["table"])
        return sum(self.tree_estimate(child) for child in node["children"])

    def branch_estimate(self, node, rows):
        if node["children"] is None:
            return self.estimate(_table(rows, self.n_classes))
        trial = {**node, "bags": self.bags(node, rows)}
        parts = self.share_out(trial, rows)
        pairs = zip(node["children"], parts, strict=True)
        return sum(self.branch_estimate(child, part) for child, part in pairs)

    def estimate(self, table):
        n, e = sum(table), _errors(table)
        return 0.0 if n < NEAR else e + self.added_errors(n, e)

    def added_errors(self, n, e):
        if e < 1:
            none = n * (1 - self.confidence ** (1 / n))
            return none if e == 0 else none + e * (self.added_errors(n, 1.0) - none)
        if e + 0.5 >= n:
            return max(n - e, 0.0)
        z, f = ndtri(1 - self.confidence), (e + 0.5) / n
        root = math.sqrt(f / n - f * f / n + z * z / (4 * n * n))
        return n * (f + z * z / (2 * n) + z * root) / (1 + z * z / n) - e
