"""The splitter of credal trees: imprecise information gain and related criteria.

The gain of a feature is what its branches, weighted by their rows, take from the largest entropy of
the node (Abellán & Moral, 2003).  Exact ties between features are frequent; rounding, which depends
on the order of classes and values, must not decide them.  So gains that differ by less than
``TIED`` are equal, and the first feature wins, or the first cut of a numeric one.

Weights are whole numbers unless values are missing.  Then a row goes down several branches with a
part of its weight, and counts are fractions.
"""

from __future__ import annotations

from math import inf, log
from typing import Any, NamedTuple

import numpy as np

from wager._jit import as_lists, divided, entry, inlined_kernel, kernel, rebound
from wager.learners.trees._best_cuts import best_cuts
from wager.learners.trees._grow import GAP, Training, add_to_cells, clear_cells, grow_tree
from wager.learners.trees._nodes import (
    BAG,
    COUNTS,
    FEATURE,
    FIRST,
    N_CHILDREN,
    NEAR,
    THRESHOLD,
    WEIGHT,
    TreeNodes,
    branch_of,
)
from wager.learners.trees._npi_entropy import (
    IDM,
    corrected_by_size,
    largest_of_npi,
    smallest_of_npi,
)
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
FEW_ROWS = 10  # below this NumPy is slower than a loop
STEP = 3e-6  # seconds of plain Python per row of a node and feature to try


class SplitRule(NamedTuple):
    """Options of the splitter: the parameters of ``CredalTree`` as numbers, and a table."""

    model: int  # the set of distributions of a node
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
    logs: Any  # q log2 q of whole numbers up to the number of rows
    step: float  # seconds of plain Python per row of a node


class KnownRows(NamedTuple):
    """The rows of a node that have a known value of a feature."""

    counts: Any  # weight by class
    n: float  # total weight
    upper: float  # largest entropy
    lower: float  # smallest entropy


def grow_credal_tree(
    training: Training, rule: SplitRule, seed: int = 1, n_trees: int = 1
) -> TreeNodes:
    """The unpruned tree; ``seed`` matters only if a rule tries some features, drawn at random.

    ``n_trees`` is how many trees of this kind there are to grow, which decides whether compiling
    pays.
    """
    kind = np.float64 if training.gaps else np.int32
    weighted = training._replace(weights=training.weights.astype(kind))
    work = n_trees * rule.step * len(training.y) * np.log2(len(training.y) + 1) / 2
    grow = grow_by_information_gain if rule.model == IDM else grow_by_npi
    table, n_nodes = grow(weighted, rule, seed, work=work)
    return TreeNodes.of_table(table.reshape(-1, COUNTS + training.n_classes)[:n_nodes])


def _grow_from_lists(training: Training, rule: SplitRule, seed: int) -> tuple[Any, int]:
    nodes, n_nodes = grow_tree(
        as_lists(training), as_lists(rule), seed, is_finished, choose_split, weigh_children
    )
    return np.array(nodes, dtype=float), n_nodes


@entry(plain=_grow_from_lists, label="credal trees")
def grow_by_information_gain(training, rule, seed):
    """Grow a tree; returns the table of nodes and how many of its lines are in use."""
    return grow_tree(training, rule, seed, is_finished, choose_split, weigh_children)


@kernel
def is_finished(nodes, at, n_classes, rule):
    """Whether a node has too few rows for two branches, or rows of one class only."""
    weight = nodes[at + WEIGHT]
    if weight < 2 * rule.min_rows:
        return True
    for c in range(at + COUNTS, at + COUNTS + n_classes):
        if nodes[c] > 0.0:
            return weight - nodes[c] < NEAR
    return True


@inlined_kernel
def largest_entropy(counts, start, n_classes, rule):
    """The largest entropy of the counts from ``start`` on, and their sum."""
    return upper_entropy(counts, start, n_classes, rule.s, rule.logs)


@inlined_kernel
def smallest_entropy(counts, start, n_classes, rule):
    """The smallest entropy of the counts from ``start`` on."""
    return lower_entropy(counts, start, n_classes, rule.s, rule.logs)


@inlined_kernel
def correction_for(n, n_classes, rule):
    """The correction of an entropy for the size of a sample."""
    return correction_term(n, n_classes, rule.s, rule.correction)


@kernel
def summary_of(counts, rule):
    """The size and the entropies of rows with these class counts."""
    n_classes = len(counts)
    upper, n = largest_entropy(counts, 0, n_classes, rule)
    correction = correction_for(n, n_classes, rule)
    lower = smallest_entropy(counts, 0, n_classes, rule)
    return KnownRows(counts, n, upper + correction, lower + correction)


@kernel
def range_score(known, upper, lower, rule):
    """How much a split narrows the range of entropies: minus imptree's T, so larger is better."""
    if upper >= known.upper - rule.tied:
        return -inf
    n_classes = len(known.counts)
    most = log(n_classes) / LN2 + correction_for(known.n, n_classes, rule)
    t = divided(rule.gamma * (most - known.upper), most - upper)
    t -= divided((1 - rule.gamma) * (known.lower - lower), upper + abs(lower - known.lower))
    return 3.0 - t if upper < known.lower else -t


@kernel
def nominal_gain(cells, start, n_values, known, rule):
    """Gain of one branch per value, and the entropy of the branches' sizes.

    ``cells`` has the weights by (value, class) from ``start`` on.  The gain is minus infinity for a
    split that is not allowed.
    """
    n, n_classes = known.n, len(known.counts)
    gain, info = known.upper, 0.0
    upper, lower = 0.0, 0.0
    n_filled = 0
    for b in range(n_values):
        at = start + b * n_classes
        inside, n_b = largest_entropy(cells, at, n_classes, rule)
        correction = correction_for(n_b, n_classes, rule)
        inside += correction
        if n_b > 0.0 and n_b >= rule.min_rows:
            n_filled += 1
        elif rule.complete:
            return -inf, 0.0
        if n_b <= 0.0:
            continue
        gain -= (n_b / n) * inside
        if rule.criterion == IIGR:
            info -= (n_b / n) * (log(n_b / n) / LN2)
        elif rule.criterion == RANGE:
            upper += (n_b / n) * inside
            least = smallest_entropy(cells, at, n_classes, rule) + correction
            lower += (n_b / n) * least
    if n_filled < 2:
        return -inf, 0.0
    if rule.criterion == RANGE:
        gain = range_score(known, upper, lower, rule)
    return gain, info


def cut_by_loop(training, here, slot, n_known, known, rule, scratch):
    """The best cut of a sorted column: its gain, the entropy of its sizes, rows on the left.

    The first ``n_known`` rows of the column have a known value, ``known`` is about these.
    """
    order, begin = here.lines, slot * here.capacity + here.low
    values, first = training.rows.numbers, slot * training.rows.n_rows
    y, weights, left, right = training.y, here.weight_of, scratch.left, scratch.right
    n, n_classes = known.n, len(known.counts)
    for c in range(n_classes):
        left[c] = 0
        right[c] = known.counts[c]
    best, info, cut = -inf, 0.0, 0
    n_left = 0.0
    for i in range(1, n_known):
        row = order[begin + i - 1]
        c, w = y[row], weights[row]
        left[c] += w
        right[c] -= w
        n_left += w
        n_right = n - n_left
        if not values[first + row] + GAP < values[first + order[begin + i]]:
            continue
        if n_left < rule.min_rows or n_right < rule.min_rows or n_right <= 0.0:
            continue
        upper_left, sum_left = largest_entropy(left, 0, n_classes, rule)
        upper_right, sum_right = largest_entropy(right, 0, n_classes, rule)
        upper_left += correction_for(sum_left, n_classes, rule)
        upper_right += correction_for(sum_right, n_classes, rule)
        p, q = n_left / n, n_right / n
        gain = known.upper - p * upper_left - q * upper_right
        if rule.criterion == RANGE:
            lower_left = smallest_entropy(left, 0, n_classes, rule)
            lower_right = smallest_entropy(right, 0, n_classes, rule)
            lower_left += correction_for(n_left, n_classes, rule)
            lower_right += correction_for(n_right, n_classes, rule)
            upper, lower = p * upper_left + q * upper_right, p * lower_left + q * lower_right
            gain = range_score(known, upper, lower, rule)
        if gain > best + rule.tied:
            best, cut = gain, i
            info = -p * (log(p) / LN2) - q * (log(q) / LN2)
    return best, info, cut


def cut_of_column(training, here, slot, n_known, known, rule, scratch):
    """The same as ``cut_by_loop``; in a larger node, the columns to try are cut all at once."""
    if here.n < FEW_ROWS or training.gaps or rule.criterion == RANGE:
        return cut_by_loop(training, here, slot, n_known, known, rule, scratch)
    if slot not in here.notes:
        table = training.rows
        tried = [table.slot[a] for a in scratch.features[: rule.n_tried] if table.n_values[a] == 0]
        slots = [slot] if slot not in tried else tried
        cuts = best_cuts(training, here, slots, known, rule)
        here.notes.update(zip(slots, cuts, strict=True))
    return here.notes[slot]


numeric_gain = kernel(cut_by_loop, plain=cut_of_column)


@kernel
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
    top = -inf
    for v in range(n_seen):
        if gains[features[v]] > top + rule.tied:
            best, top = features[v], gains[features[v]]
    accepted = top > -rule.t_base if rule.criterion == RANGE else top >= LEAST
    return best if accepted else -1


@inlined_kernel
def seed_node(here, features, state):
    """Start the random features of a node from its rows alone.

    The nodes of a tree are visited in the order of the values, on which the draws must not depend.
    """
    for a in range(len(features)):
        features[a] = a
    key = state[1]
    for i in range(here.file, here.file + here.n):
        key += (here.lines[i] * 48271 + 11) * 69621 % 2147483647
    state[0] = key % 2147483646 + 1


@inlined_kernel
def draw_feature(features, n_seen, state):
    """Move a random feature that was not tried yet to position ``n_seen``."""
    state[0] = (state[0] * 48271) % 2147483647  # Lehmer's generator
    at = n_seen + state[0] % (len(features) - n_seen)
    features[n_seen], features[at] = features[at], features[n_seen]


@kernel
def count_known(training, here, slot, counts):
    """How many rows of a column have a known value; ``counts`` gets their class counts."""
    order, begin = here.lines, slot * here.capacity + here.low
    values, first = training.rows.numbers, slot * training.rows.n_rows
    for c in range(len(counts)):
        counts[c] = 0
    n = 0
    while n < here.n:
        row = order[begin + n]
        if values[first + row] != values[first + row]:  # missing values come last
            break
        counts[training.y[row]] += here.weight_of[row]
        n += 1
    return n


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


@kernel
def choose_split(training, here, scratch, rule):
    """The best feature of a node, -1 if it stays a leaf, and the cut of a numeric one.

    If only some features are tried, further ones are drawn as long as none of them gains anything.
    """
    # arrays are taken out of their tuples here, because doing so in a loop costs time
    table, keys, y, gaps = training.rows, training.keys, training.y, training.gaps
    n_values, slots, n_nominal = table.n_values, table.slot, table.n_nominal
    lines, low, file, weights = here.lines, here.low, here.file, here.weights
    cells, starts, features, counts = (
        scratch.cells,
        scratch.starts,
        scratch.features,
        scratch.counts,
    )
    gains, infos, cuts = scratch.gains, scratch.ratios, scratch.cuts
    n_features, n_classes = len(features), training.n_classes
    for a in range(n_features):
        gains[a], infos[a], cuts[a] = -inf, 0.0, 0
    for c in range(n_classes):
        counts[c] = here.nodes[here.at + COUNTS + c]
    known = summary_of(counts, rule)
    all_at_once = rule.n_tried >= n_features
    if all_at_once:  # one pass over the rows is faster than one per feature
        add_to_cells(training, here, cells)
    else:
        seed_node(here, features, scratch.state)
        for i in range(rule.n_tried):
            draw_feature(features, i, scratch.state)
    n_seen, found = 0, False
    while n_seen < n_features and (n_seen < rule.n_tried or not found):
        if n_seen >= rule.n_tried:
            draw_feature(features, n_seen, scratch.state)
        a = features[n_seen]
        n_seen += 1
        slot, start, size = slots[a], starts[a], n_values[a] * n_classes
        if n_values[a] == 0:
            n_known = here.n
            if gaps:
                n_known = count_known(training, here, slot, counts)
                known = summary_of(counts, rule)
            gain, info, cuts[a] = numeric_gain(training, here, slot, n_known, known, rule, scratch)
        elif n_values[a] == 1 or scratch.used[a]:
            continue
        else:
            if not all_at_once:
                for i in range(here.n):
                    row = lines[file + i]
                    cells[keys[row * n_nominal + slot] + y[row]] += weights[low + i]
            if gaps:
                for c in range(n_classes):
                    counts[c] = 0
                for i in range(size):
                    counts[i % n_classes] += cells[start + i]
                known = summary_of(counts, rule)
            gain, info = nominal_gain(cells, start, n_values[a], known, rule)
            if not all_at_once:
                for i in range(start, start + size):
                    cells[i] = 0
        if gaps and known.n > 0.0:
            gain, info = shrink(gain, info, known.n / here.nodes[here.at + WEIGHT], rule)
        gains[a], infos[a] = gain, info
        found = found or gain >= LEAST
    if all_at_once:
        clear_cells(training, here, cells)
    best = best_feature(gains, infos, features, n_seen, rule)
    return best, cuts[best] if best >= 0 else 0  # without features there are no cuts


@kernel
def weigh_children(training, here, branch_of_row, lengths):
    """Share the rows of a node among its children: known values first, then the others.

    Fills ``branch_of_row``, the children's counts, and ``lengths``, the number of rows that each
    child gets.
    """
    table, y, rows, weights, low = training.rows, training.y, here.lines, here.weights, here.low
    nodes, at, file, width = here.nodes, here.at, here.file, COUNTS + training.n_classes
    feature, threshold, weight = int(nodes[at + FEATURE]), nodes[at + THRESHOLD], nodes[at + WEIGHT]
    first, n_children = int(nodes[at + FIRST]) * width, int(nodes[at + N_CHILDREN])
    for i in range(here.n):
        row, w = rows[file + i], weights[low + i]
        b = branch_of(table, feature, threshold, row)
        branch_of_row[row] = b
        if b >= 0:
            lengths[b] += 1
            nodes[first + b * width + BAG] += w
            nodes[first + b * width + COUNTS + y[row]] += w
    known = 0.0
    for child in range(first, first + n_children * width, width):
        nodes[child + WEIGHT] = nodes[child + BAG]
        known += nodes[child + BAG]
    if not training.gaps:
        return
    for child in range(first, first + n_children * width, width):
        nodes[child + BAG] *= weight / known
    for i in range(here.n):
        row, w = rows[file + i], weights[low + i]
        if branch_of_row[row] >= 0:
            continue
        for child in range(n_children):
            below = first + child * width
            share = nodes[below + BAG] / weight
            if share > NEAR:
                lengths[child] += 1
                nodes[below + COUNTS + y[row]] += share * w
                nodes[below + WEIGHT] += share * w


# with nonparametric predictive inference the same splitter has other entropies
choose_npi_split = rebound(
    choose_split,
    largest_entropy=largest_of_npi,
    smallest_entropy=smallest_of_npi,
    correction_for=corrected_by_size,
)


def _grow_npi_from_lists(training: Training, rule: SplitRule, seed: int) -> tuple[Any, int]:
    nodes, n_nodes = grow_tree(
        as_lists(training), as_lists(rule), seed, is_finished, choose_npi_split, weigh_children
    )
    return np.array(nodes, dtype=float), n_nodes


@entry(plain=_grow_npi_from_lists, label="credal trees by predictive inference")
def grow_by_npi(training, rule, seed):
    """The same as ``grow_by_information_gain`` for nonparametric predictive inference."""
    return grow_tree(training, rule, seed, is_finished, choose_npi_split, weigh_children)
