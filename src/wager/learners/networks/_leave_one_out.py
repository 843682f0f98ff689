"""Trees of dependence for TAN, found by leave-one-out accuracy: Keogh & Pazzani (1999).

Both searches start from naive Bayes and add one arc at a time while the leave-one-out accuracy on
the training rows rises.  ``hill_climbing_tree`` tries every arc; ``super_parent_tree`` first finds
the feature that is the best parent of all orphans (features without a parent) at once, then the
best child of that parent.  Where classes are tied, the first one counts as the prediction.

The leave-one-out estimate for a row subtracts the row from the counts.  With m-estimates (one row
spread evenly over the values), P(x_j | c, x_p) = (n(c, x_p, x_j) + 1/v_j) / (n_j(c, x_p) + 1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wager._jit import entry
from wager._tables import PairCounts
from wager._typing import Floats, Ints
from wager.learners._base import first_largest

__all__ = ["LeaveOneOut", "hill_climbing_tree", "super_parent_tree"]


def super_parent_tree(codes: Ints, y: Ints, counts: PairCounts) -> Ints:
    """The parents found by the SuperParent search; -1 for a feature without one."""
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
    """The parents found by hill climbing over single arcs; -1 for a feature without one."""
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
    """Class scores of the training rows from the counts of all other rows, as arcs are added."""

    def __init__(self, codes: Ints, y: Ints, counts: PairCounts):
        self._columns = np.ascontiguousarray(codes.T)
        self._y, self._counts = y, counts
        self._logs = {
            int(v): np.log(np.arange(len(y) + 1) + 1.0 / v) for v in {1, *counts.single.n_values}
        }
        self.parents = np.full(codes.shape[1], -1)
        classes = np.tile(counts.single.classes, (len(y), 1))
        classes[np.arange(len(y)), y] -= 1
        # the number of rows in the denominator is the same for all classes and can be left out
        self._scores = np.log(classes + 1.0 / classes.shape[1])
        everywhere = np.zeros(len(y), dtype=codes.dtype)
        self._alone = []
        for j in range(codes.shape[1]):
            term = np.zeros(self._scores.shape)
            self._add_term(term, counts.single.of_feature(j)[None], everywhere, j)
            self._alone.append(term)
            self._scores += term
        self.current = self._hits(self._scores)

    def possible(self, parent: int, orphans: Ints) -> Ints:
        """The orphans that may become children of ``parent`` without closing a cycle."""
        root = parent
        while self.parents[root] >= 0:
            root = int(self.parents[root])
        return orphans[orphans != root]

    def accuracy(self, parent: int, children: Ints | list[int]) -> int:
        """The number of rows predicted correctly if these arcs were added to the present ones."""
        return self._hits(self._with_arcs(parent, children))

    def add(self, parent: int, child: int) -> None:
        """Add an arc to the tree."""
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
        """Add log P(x_child | c, x_above) where both are known, and subtract ``instead``."""
        term = _Term(
            np.ascontiguousarray(pairs),
            pairs.sum(axis=1),
            above,
            self._columns[child],
            self._logs[pairs.shape[1]],
            self._logs[1],
        )
        replaced = np.zeros((0, 0)) if instead is None else instead
        _add_logs(term, self._y, replaced, scores, work=3e-8 * scores.size)

    def _hits(self, scores: Floats) -> int:
        return int((first_largest(scores) == self._y).sum())


class _Term(NamedTuple):
    """The counts of a child and its parent, their values in the rows, and tables of logarithms."""

    pairs: Ints  # (values of the parent, values of the child, K)
    totals: Ints  # (values of the parent, K)
    above: Ints  # (n,), the parent's value in each row
    below: Ints  # (n,), the child's value in each row
    log_count: Floats  # log(count + 1/v) by count
    log_total: Floats  # log(count + 1) by count


def _add_term_by_gathering(term: _Term, y: Ints, instead: Floats, scores: Floats) -> None:
    known = np.flatnonzero((term.above >= 0) & (term.below >= 0))
    own = y[known, None] == np.arange(term.pairs.shape[2])
    a, b = term.above[known], term.below[known]
    value = term.log_count[term.pairs[a, b] - own] - term.log_total[term.totals[a] - own]
    scores[known] += value - instead[known] if len(instead) else value


@entry(plain=_add_term_by_gathering, label="scores of networks")
def _add_logs(term, y, instead, scores):
    for i in range(len(y)):
        a = term.above[i]
        b = term.below[i]
        if a < 0 or b < 0:
            continue
        for c in range(term.pairs.shape[2]):
            own = 1 if c == y[i] else 0
            value = term.log_count[term.pairs[a, b, c] - own]
            value -= term.log_total[term.totals[a, c] - own]
            if instead.shape[0] > 0:
                value -= instead[i, c]
            scores[i, c] += value
