"""Trees that raise accuracy: the searches of Keogh & Pazzani (1999).

Both start from naive Bayes and add one arc at a time while the leave-one-out accuracy on the
training rows rises.  ``hill_climbing_tree`` tries every arc; ``super_parent_tree`` first finds the
feature that is the best parent of all orphans at once, then that parent's best child.

The leave-one-out estimate of a row subtracts the row's own counts.  With m-estimates (one row
spread evenly over the values), P(x_j | c, x_p) = (n(c, x_p, x_j) + 1/v_j) / (n_j(c, x_p) + 1).
"""

from __future__ import annotations

import numpy as np

from wager._jit import compiled
from wager._tables import PairCounts
from wager._typing import Floats, Ints


def super_parent_tree(codes: Ints, y: Ints, counts: PairCounts) -> Ints:
    """The parents that the SuperParent search finds; -1 for a feature without one."""
    search = LeaveOneOut(codes, y, counts)
    m = codes.shape[1]
    for _ in range(m - 1):
        orphans = np.flatnonzero(search.parents < 0)
        every = [search.accuracy(p, search.possible(p, orphans)) for p in range(m)]
        parent = int(np.argmax(every))
        children = search.possible(parent, orphans)
        if not len(children):
            break
        accuracies = [search.accuracy(parent, [o]) for o in children]
        best = int(np.argmax(accuracies))
        if accuracies[best] <= search.current:
            break
        search.add(parent, int(children[best]))
    return search.parents


def hill_climbing_tree(codes: Ints, y: Ints, counts: PairCounts) -> Ints:
    """The parents that hill climbing over single arcs finds; -1 for a feature without one."""
    search = LeaveOneOut(codes, y, counts)
    m = codes.shape[1]
    for _ in range(m - 1):
        orphans = np.flatnonzero(search.parents < 0)
        arcs = [(p, int(o)) for p in range(m) for o in search.possible(p, orphans)]
        if not arcs:
            break
        accuracies = [search.accuracy(p, [o]) for p, o in arcs]
        best = int(np.argmax(accuracies))
        if accuracies[best] <= search.current:
            break
        search.add(*arcs[best])
    return search.parents


class LeaveOneOut:
    """The training rows' scores without their own counts, and what an arc would change."""

    def __init__(self, codes: Ints, y: Ints, counts: PairCounts):
        self._columns = np.ascontiguousarray(codes.T)
        self._y, self._counts = y, counts
        self._logs = {
            int(v): np.log(np.arange(len(y) + 1) + 1.0 / v) for v in {1, *counts.single.n_values}
        }
        self.parents = np.full(codes.shape[1], -1)
        classes = np.tile(counts.single.classes, (len(y), 1))
        classes[np.arange(len(y)), y] -= 1
        self._scores = np.log(classes + 1.0 / classes.shape[1])  # N is the same for all classes
        everywhere = np.zeros(len(y), dtype=codes.dtype)
        self._alone = []
        for j in range(codes.shape[1]):
            term = np.zeros(self._scores.shape)
            self._add_term(term, counts.single.of_feature(j)[None], everywhere, j)
            self._alone.append(term)
            self._scores += term
        self.current = self._hits(self._scores)

    def possible(self, parent: int, orphans: Ints) -> Ints:
        """The orphans that may become children of ``parent`` without closing a circle."""
        root = parent
        while self.parents[root] >= 0:
            root = int(self.parents[root])
        return orphans[orphans != root]

    def accuracy(self, parent: int, children: Ints | list[int]) -> int:
        """Rows predicted rightly if ``parent`` had these children besides the present arcs."""
        return self._hits(self._with_arcs(parent, children))

    def add(self, parent: int, child: int) -> None:
        """Make the arc part of the tree."""
        self._scores = self._with_arcs(parent, [child])
        self.parents[child] = parent
        self.current = self._hits(self._scores)

    def _with_arcs(self, parent: int, children: Ints | list[int]) -> Floats:
        scores = self._scores.copy()
        for child in children:
            pairs = self._counts.of_features(parent, int(child))
            self._add_term(scores, pairs, self._columns[parent], int(child), self._alone[child])
        return scores

    def _add_term(
        self, scores: Floats, pairs: Ints, above: Ints, child: int, instead: Floats | None = None
    ) -> None:
        """Add log P(x_child | c, x_above) where both are known, in the place of ``instead``."""
        arguments = (
            np.ascontiguousarray(pairs),
            pairs.sum(axis=1),
            above,
            self._columns[child],
            self._y,
            self._logs[pairs.shape[1]],
            self._logs[1],
            np.zeros((0, 0)) if instead is None else instead,
            scores,
        )
        (compiled(_add_term_loop, work=10 * scores.size) or _add_term_by_gathering)(*arguments)

    def _hits(self, scores: Floats) -> int:
        return int((scores.argmax(axis=1) == self._y).sum())


def _add_term_loop(pairs, totals, above, below, y, log_count, log_total, instead, scores):
    for i in range(len(y)):
        a = above[i]
        b = below[i]
        if a < 0 or b < 0:
            continue
        for c in range(pairs.shape[2]):
            own = 1 if c == y[i] else 0
            term = log_count[pairs[a, b, c] - own] - log_total[totals[a, c] - own]
            if instead.shape[0] > 0:
                term -= instead[i, c]
            scores[i, c] += term


def _add_term_by_gathering(
    pairs: Ints,
    totals: Ints,
    above: Ints,
    below: Ints,
    y: Ints,
    log_count: Floats,
    log_total: Floats,
    instead: Floats,
    scores: Floats,
) -> None:
    known = np.flatnonzero((above >= 0) & (below >= 0))
    own = y[known, None] == np.arange(pairs.shape[2])
    a, b = above[known], below[known]
    term = log_count[pairs[a, b] - own] - log_total[totals[a] - own]
    scores[known] += term - instead[known] if len(instead) else term
