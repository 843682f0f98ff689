"""The splitter of credal trees: imprecise information gain and related criteria.

The gain of a feature is what its branches, weighted by their rows, take from the largest entropy of
the node (Abellán & Moral, 2003).  Exact ties between features are frequent; rounding, which depends
on the order of classes and values, must not decide them.  So gains that differ by less than
``TIED`` are equal, and the first feature wins, or the first cut of a numeric one.

Weights are whole numbers unless values are missing.  Then a row goes down several branches with a
part of its weight, and counts are fractions.
"""

from __future__ import annotations

from math import log
from typing import Any, NamedTuple

import numpy as np

from wager._jit import inlined_kernel, inner_kernel, kernel
from wager._typing import Floats
from wager.learners.trees._grow import (
    GAP,
    SortedColumn,
    Training,
    add_to_cells,
    clear_cells,
    grow_tree,
)
from wager.learners.trees._nodes import NEAR, TreeNodes, branch_of
from wager.learners.trees._upper_entropy import (
    LN2,
    correction_term,
    lower_entropy,
    upper_entropy,
)

IIG, IIGR, RANGE = 0, 1, 2
CRITERIA = {"iig": IIG, "iigr": IIGR, "range": RANGE}
LEAST = 1e-6  # a smaller gain counts as none
TIED = 1e-9  # gains and gain ratios that differ by less differ by rounding alone


class SplitRule(NamedTuple):
    """Options of the splitter: the parameters of ``CredalTree`` as numbers, and a table."""

    s: float
    criterion: int
    complete: bool  # every branch of a split must have rows
    min_rows: float
    max_depth: int
    correction: int
    gamma: float  # of the range criterion, like the next one
    t_base: float
    n_tried: int  # number of features to try in a node, drawn at random unless it is all of them
    tied: float  # gains that differ by no more are equal, and the first one wins
    logs: Floats  # q log2 q of whole numbers up to the number of rows


class KnownRows(NamedTuple):
    """The rows of a node that have a known value of a feature."""

    counts: Any  # weight by class
    n: float  # total weight
    upper: float  # largest entropy
    lower: float  # smallest entropy


def grow_credal_tree(training: Training, rule: SplitRule, seed: int = 1) -> TreeNodes:
    """The unpruned tree; ``seed`` matters only if a rule tries some features, drawn at random."""
    kind = np.float64 if training.gaps else np.int32
    weighted = training._replace(weights=training.weights.astype(kind))
    nodes, n_nodes = grow_by_information_gain(weighted, rule, seed)
    return TreeNodes._make(part[:n_nodes].copy() for part in nodes)


@kernel
def grow_by_information_gain(training, rule, seed):
    return grow_tree(training, rule, seed, is_finished, choose_split, weigh_children)


@inner_kernel
def is_finished(counts, weight, rule):
    """Whether a node has too few rows for two branches, or rows of one class only."""
    if weight < 2 * rule.min_rows:
        return True
    for c in range(len(counts)):
        if counts[c] > 0.0:
            return weight - counts[c] < NEAR
    return True


@inner_kernel
def summary_of(counts, rule):
    """The size and the entropies of rows with these class counts."""
    n_classes = len(counts)
    upper, n = upper_entropy(counts, 0, n_classes, rule.s, rule.logs)
    correction = correction_term(n, n_classes, rule.s, rule.correction)
    lower = lower_entropy(counts, 0, n_classes, rule.s, rule.logs)
    return KnownRows(counts, n, upper + correction, lower + correction)


@inner_kernel
def range_score(known, upper, lower, rule):
    """How much a split narrows the range of entropies: minus imptree's T, so larger is better."""
    if upper >= known.upper - rule.tied:
        return -np.inf
    n_classes = len(known.counts)
    most = log(n_classes) / LN2 + correction_term(known.n, n_classes, rule.s, rule.correction)
    t = rule.gamma * (most - known.upper) / (most - upper)
    t -= (1 - rule.gamma) * (known.lower - lower) / (upper + abs(lower - known.lower))
    return 3.0 - t if upper < known.lower else -t


@inner_kernel
def nominal_gain(cells, start, n_values, known, rule):
    """Gain of one branch per value, and the entropy of the branches' sizes.

    ``cells`` has the weights by (value, class) from ``start`` on.  The gain is minus infinity for a
    split that is not allowed.
    """
    n, n_classes, s, logs = known.n, len(known.counts), rule.s, rule.logs
    gain, info = known.upper, 0.0
    upper, lower = 0.0, 0.0
    n_filled = 0
    for b in range(n_values):
        at = start + b * n_classes
        inside, n_b = upper_entropy(cells, at, n_classes, s, logs)
        correction = correction_term(n_b, n_classes, s, rule.correction)
        inside += correction
        if n_b > 0.0 and n_b >= rule.min_rows:
            n_filled += 1
        elif rule.complete:
            return -np.inf, 0.0
        if n_b <= 0.0:
            continue
        gain -= (n_b / n) * inside
        if rule.criterion == IIGR:
            info -= (n_b / n) * (log(n_b / n) / LN2)
        elif rule.criterion == RANGE:
            upper += (n_b / n) * inside
            least = lower_entropy(cells, at, n_classes, s, logs) + correction
            lower += (n_b / n) * least
    if n_filled < 2:
        return -np.inf, 0.0
    if rule.criterion == RANGE:
        gain = range_score(known, upper, lower, rule)
    return gain, info


@inner_kernel
def numeric_gain(column, known, rule):
    """The best cut of a sorted column: its gain, the entropy of its sizes, rows on the left."""
    order, values, y, weights = column.order, column.values, column.y, column.weights
    n, n_classes, s, logs = known.n, len(known.counts), rule.s, rule.logs
    right = known.counts.copy()
    left = np.zeros(n_classes, right.dtype)
    best, info, cut = -np.inf, 0.0, 0
    n_left = 0.0
    for i in range(1, len(order)):
        w = weights[order[i - 1]]
        c = y[order[i - 1]]
        left[c] += w
        right[c] -= w
        n_left += w
        n_right = n - n_left
        if not values[order[i - 1]] + GAP < values[order[i]]:
            continue
        if n_left < rule.min_rows or n_right < rule.min_rows or n_right <= 0.0:
            continue
        upper_left, sum_left = upper_entropy(left, 0, n_classes, s, logs)
        upper_right, sum_right = upper_entropy(right, 0, n_classes, s, logs)
        upper_left += correction_term(sum_left, n_classes, s, rule.correction)
        upper_right += correction_term(sum_right, n_classes, s, rule.correction)
        p, q = n_left / n, n_right / n
        gain = known.upper - p * upper_left - q * upper_right
        if rule.criterion == RANGE:
            lower_left = lower_entropy(left, 0, n_classes, s, logs)
            lower_right = lower_entropy(right, 0, n_classes, s, logs)
            lower_left += correction_term(n_left, n_classes, s, rule.correction)
            lower_right += correction_term(n_right, n_classes, s, rule.correction)
            upper, lower = p * upper_left + q * upper_right, p * lower_left + q * lower_right
            gain = range_score(known, upper, lower, rule)
        if gain > best + rule.tied:
            best, cut = gain, i
            info = -p * (log(p) / LN2) - q * (log(q) / LN2)
    return best, info, cut


@inner_kernel
def best_feature(gains, infos, features, n_seen, rule):
    """The feature to split on among the first ``n_seen``, -1 if none gains enough."""
    best = -1
    if rule.criterion == IIGR:
        total, n_gaining = 0.0, 0
        for v in range(n_seen):
            if gains[features[v]] >= LEAST:
                total += gains[features[v]]
                n_gaining += 1
        top = 0.0
        for v in range(n_seen):
            a = features[v]
            enough = gains[a] >= LEAST and gains[a] >= total / n_gaining - TIED
            # of tied ratios the first feature wins
            if enough and infos[a] > 0.0 and gains[a] / infos[a] > top + TIED:
                best, top = a, gains[a] / infos[a]
        return best
    top = -np.inf
    for v in range(n_seen):
        if gains[features[v]] > top + rule.tied:
            best, top = features[v], gains[features[v]]
    accepted = top > -rule.t_base if rule.criterion == RANGE else top >= LEAST
    return best if accepted else -1


@inlined_kernel
def seed_node(rows, features, state):
    """Start the random features of a node from its rows alone.

    The nodes of a tree are visited in the order of the values, on which the draws must not depend.
    """
    for a in range(len(features)):
        features[a] = a
    key = state[1]
    for i in range(len(rows)):
        key += (rows[i] * 48271 + 11) * 69621 % 2147483647
    state[0] = key % 2147483646 + 1


@inlined_kernel
def draw_feature(features, n_seen, state):
    """Move a random feature that was not tried yet to position ``n_seen``."""
    state[0] = (state[0] * 48271) % 2147483647  # Lehmer's generator
    at = n_seen + state[0] % (len(features) - n_seen)
    features[n_seen], features[at] = features[at], features[n_seen]


@inner_kernel
def known_values(column, counts):
    """The part of a sorted column before its missing values; ``counts`` gets its class counts."""
    order, values, y, weights = column.order, column.values, column.y, column.weights
    counts[:] = 0
    n = 0
    while n < len(order) and not np.isnan(values[order[n]]):
        counts[y[order[n]]] += weights[order[n]]
        n += 1
    return SortedColumn(order[:n], values, y, weights)


@inlined_kernel
def shrink(gain, info, share, rule):
    """Gain and entropy of the sizes of a feature that only a share of the rows has.

    A feature is judged by the rows with a known value, and its gain shrinks by their share.
    """
    if rule.criterion != RANGE:
        gain *= share
    if share < 1.0 - NEAR:  # rows of unknown branch are one more branch
        info = info * share - share * (log(share) / LN2)
        info -= (1 - share) * (log(1 - share) / LN2)
    return gain, info


@inner_kernel
def choose_split(training, here, scratch, rule):
    """The best feature of a node, -1 if it stays a leaf, and the cut of a numeric one.

    If only some features are tried, further ones are drawn as long as none of them gains anything.
    """
    # arrays are taken out of their tuples here, because doing so in a loop costs time
    table, keys, y, gaps = training.rows, training.keys, training.y, training.gaps
    n_values, slots, numbers = table.n_values, table.slot, table.numbers
    lines, low, rows, weights = here.lines, here.low, here.rows, here.weights
    cells, starts, features = scratch.cells, scratch.starts, scratch.features
    n_features, n_classes = len(features), training.n_classes
    gains, infos = np.full(n_features, -np.inf), np.zeros(n_features)
    cuts = np.zeros(n_features, np.int64)
    counts = np.empty(n_classes, cells.dtype)
    for c in range(n_classes):
        counts[c] = here.counts[c]
    known = summary_of(counts, rule)
    all_at_once = rule.n_tried >= n_features
    if all_at_once:  # one pass over the rows is faster than one per feature
        add_to_cells(keys, y, here, cells)
    else:
        seed_node(rows, features, scratch.state)
    n_seen, found = 0, False
    while n_seen < n_features and (n_seen < rule.n_tried or not found):
        if not all_at_once:
            draw_feature(features, n_seen, scratch.state)
        a = features[n_seen]
        n_seen += 1
        slot, start, size = slots[a], starts[a], n_values[a] * n_classes
        if n_values[a] == 0:
            column = SortedColumn(
                lines[slot, low : low + len(rows)], numbers[slot], y, here.weight_of
            )
            if gaps:
                column = known_values(column, counts)
                known = summary_of(counts, rule)
            gain, info, cuts[a] = numeric_gain(column, known, rule)
        elif n_values[a] == 1 or scratch.used[a]:
            continue
        else:
            if not all_at_once:
                for i in range(len(rows)):
                    cells[keys[rows[i], slot] + y[rows[i]]] += weights[i]
            if gaps:
                counts[:] = 0
                for i in range(size):
                    counts[i % n_classes] += cells[start + i]
                known = summary_of(counts, rule)
            gain, info = nominal_gain(cells, start, n_values[a], known, rule)
            if not all_at_once:
                cells[start : start + size] = 0
        if gaps and known.n > 0.0:
            gain, info = shrink(gain, info, known.n / here.weight, rule)
        gains[a], infos[a] = gain, info
        found = found or gain >= LEAST
    if all_at_once:
        clear_cells(keys, y, here, cells)
    best = best_feature(gains, infos, features, n_seen, rule)
    return best, cuts[best]


@inner_kernel
def weigh_children(training, nodes, node, here, branch_of_row):
    """Share the rows of a node among its children: known values first, then the others.

    Fills ``branch_of_row`` and the children's counts; returns the number of rows that each gets.
    """
    table, y, rows, weights = training.rows, training.y, here.rows, here.weights
    feature, threshold = nodes.feature[node], nodes.threshold[node]
    first, n_children = nodes.first[node], nodes.n_children[node]
    bags, counts = nodes.bag[first : first + n_children], nodes.counts
    lengths = np.zeros(n_children, np.int64)
    for i in range(len(rows)):
        row = rows[i]
        b = branch_of(table, feature, threshold, row)
        branch_of_row[row] = b
        if b >= 0:
            lengths[b] += 1
            bags[b] += weights[i]
            counts[first + b, y[row]] += weights[i]
    known = 0.0
    for child in range(n_children):
        nodes.weight[first + child] = bags[child]
        known += bags[child]
    if not training.gaps:
        return lengths
    for child in range(n_children):
        bags[child] *= nodes.weight[node] / known
    for i in range(len(rows)):
        row = rows[i]
        if branch_of_row[row] >= 0:
            continue
        for child in range(n_children):
            share = bags[child] / nodes.weight[node]
            if share > NEAR:
                lengths[child] += 1
                counts[first + child, y[row]] += share * weights[i]
                nodes.weight[first + child] += share * weights[i]
    return lengths
