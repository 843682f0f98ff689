"""Up to which strength the leaves of credal trees rule classes out; the trees themselves stay.

A leaf with counts n(c) rules c out while another count is at least n(c) + s.  A row with missing
values may belong to several leaves with shares w, and its lower probabilities are the sum of
w n(c) / (n + s).  These fall with s, and each upper probability is the lower one plus what the
lower ones leave of 1, so intervals widen, and a class that is kept stays kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wager._typing import Floats, Ints
from wager.learners._base import TIE
from wager.learners._single_up_to import largest_root, single_class
from wager.learners.naive import largest_other
from wager.predictions import TOLERANCE

if TYPE_CHECKING:  # these modules load Numba
    from wager.learners.trees._nodes import TreeNodes, TreeRows

__all__ = ["RowLeaves", "mean_strengths", "ruled_out_up_to", "second_smallest", "vote_strengths"]

_COLUMNS = 256  # leaves whose shares are computed at a time


@dataclass(frozen=True, eq=False)
class RowLeaves:
    """The leaf of each row, or its leaves with their shares.

    Attributes
    ----------
    counts : ndarray of shape (n, K)
        The class counts of each row's leaf.
    mixed : dict
        For a row with several leaves, their shares (L,) and their counts (L, K).
    """

    counts: Floats
    mixed: dict[int, tuple[Floats, Floats]]

    @classmethod
    def of(cls, nodes: TreeNodes, rows: TreeRows) -> RowLeaves:
        from wager.learners.trees._predict import leaves_of

        counts = np.vstack([nodes.counts, np.zeros(nodes.counts.shape[1])])  # no branch: no rows
        leaves = leaves_of(nodes, rows)
        several = np.flatnonzero(leaves < 0)
        return cls(counts[leaves], _mixed(nodes, rows, several, counts))

    def lower(self, chosen: Ints, s: Floats) -> Floats:
        """The lower probabilities of some rows, each with its strength, (q, K)."""
        part = self.counts[chosen]
        bounds = part / (part.sum(axis=1) + s)[:, None]
        for at, row in enumerate(chosen.tolist()):
            if row in self.mixed:
                shares, counts = self.mixed[row]
                bounds[at] = (shares / (counts.sum(axis=1) + s[at])) @ counts
        return bounds


def _mixed(
    nodes: TreeNodes, rows: TreeRows, several: Ints, counts: Floats
) -> dict[int, tuple[Floats, Floats]]:
    from wager.learners.trees._predict import mixtures_of

    ends = np.append(np.flatnonzero(nodes.n_children == 0), len(counts) - 1)
    parts = []
    for start in range(0, len(ends), _COLUMNS):
        columns = ends[start : start + _COLUMNS]
        of_leaf = np.zeros((len(counts), len(columns)))
        of_leaf[columns, np.arange(len(columns))] = 1.0
        parts.append(mixtures_of(nodes, rows, several, of_leaf))
    shares = np.hstack(parts)
    return {
        int(row): (share[share > 0], counts[ends[share > 0]])
        for row, share in zip(several, shares, strict=True)
    }


def ruled_out_up_to(leaves: RowLeaves, dominance: str) -> Floats:
    """The largest s at which each class is ruled out by each row's leaf, (n, K); 0 if never."""
    counts = leaves.counts
    gaps = largest_other(counts, -np.inf) - counts
    found = np.where(gaps > TIE * (1 + counts.sum(axis=1, keepdims=True)), gaps, 0.0)
    n, K = counts.shape
    row, label = (part.ravel() for part in np.indices((n, K)))
    asked = np.flatnonzero(np.isin(row, list(leaves.mixed)))
    row, label = row[asked], label[asked]

    def margin(chosen: Ints, s: Floats) -> Floats:
        lower = leaves.lower(row[chosen], s)
        at, c = np.arange(len(chosen)), label[chosen]
        rival = largest_other(lower, -np.inf)[at, c]
        own, rest = lower[at, c], 1 - lower.sum(axis=1)
        if dominance == "strict":
            return rival - (own + rest) - TIE
        return np.minimum(rival - (own + rest) + TIE, rival - own - TIE)

    found[row, label] = largest_root(margin, len(row))
    return found


def second_smallest(values: Floats) -> Floats:
    """The second smallest value of each row: one class is left up to there; infinite if alone.

    Examples
    --------
    >>> second_smallest(np.array([[3.0, 0.0, 2.0]])).tolist()
    [2.0]
    """
    if values.shape[1] < 2:
        return np.full(len(values), np.inf)
    return np.partition(values, 1, axis=1)[:, 1]


def vote_strengths(ruled_out: Floats) -> Floats:
    """The first s at which one class is no longer the only one with the fewest votes against it.

    ``ruled_out`` has the largest s at which each tree rules out each class, (trees, n, K); votes
    change only at these values.  Votes against a class fall with s, but those of two classes may
    cross several times.

    Examples
    --------
    >>> votes = np.array([[[0.0, 2.0]], [[0.0, 1.0]], [[3.0, 0.0]]])
    >>> vote_strengths(votes).tolist()  # 1 : 2 votes up to 1, then 1 : 1
    [1.0]
    """
    n_trees, n = ruled_out.shape[:2]
    found = np.zeros(n)
    votes = (ruled_out > 0).sum(axis=0)
    alone, winner = single_class(votes == votes.min(axis=1, keepdims=True))
    for i in np.flatnonzero(alone):
        events = np.unique(ruled_out[:, i])
        events = events[events > 0]
        # the number of trees that still rule out each class just beyond each event
        sorted_ends = np.sort(ruled_out[:, i], axis=0).T
        left = n_trees - np.stack([np.searchsorted(c, events, "right") for c in sorted_ends])
        others = np.delete(left, winner[i], axis=0).min(axis=0, initial=n_trees + 1)
        ends = left[winner[i]] >= others
        found[i] = events[ends.argmax()] if ends.any() else np.inf
    return found


def mean_strengths(trees: list[RowLeaves]) -> Floats:
    """The largest s at which one class dominates under the mean intervals of the trees."""
    n = len(trees[0].counts)
    whole = np.arange(n)

    def lower(rows: Ints, s: Floats) -> Floats:
        total = trees[0].lower(rows, s)
        for tree in trees[1:]:
            total += tree.lower(rows, s)
        return total / len(trees)

    winner = lower(whole, np.full(n, 1e-9)).argmax(axis=1)

    def margin(rows: Ints, s: Floats) -> Floats:
        bounds = lower(rows, s)
        rival = largest_other(bounds, -np.inf)[np.arange(len(rows)), winner[rows]]
        own, rest = bounds[np.arange(len(rows)), winner[rows]], 1 - bounds.sum(axis=1)
        return np.where(np.isneginf(rival), np.inf, own - (rival + rest) - TOLERANCE)

    return largest_root(margin, n)
