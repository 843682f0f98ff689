"""The set of classes with the least expected cost, for costs that see more than size and hit.

Every set has an expected cost, so up to some number of classes all of them are compared: a matrix
product of probabilities and set costs, a block at a time.  Beyond that, two families are searched:
the runs of neighbouring classes, where classes are ordered, and the sets that grow from a single
class by adding the best class while that pays.  Neither need hold the best set of all; the
`least_possible` cost says how far from it they can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from wager._typing import Bools, Floats, Ints
from wager.costs import ExtendedCosts
from wager.costs._rules import Table
from wager.costs._subsets import subset_masks
from wager.predictions import PredictionSets

__all__ = [
    "cheapest_grown",
    "cheapest_of",
    "cheapest_of_all",
    "costs_of",
    "least_possible",
    "runs",
]

SLACK = 1e-12  # expected costs closer than this share of the largest cost are tied
_CHUNK = 1 << 20  # numbers worked on at a time

Costs = Callable[[Bools], Floats]  # the costs by true class of some sets, all (m, K)


def costs_of(extended: ExtendedCosts) -> Costs:
    """The function from sets to their rows of costs."""
    return lambda sets: extended.costs_of_masks(PredictionSets.from_indicator(sets).words)


def cheapest_of_all(proba: Floats, costs: Costs) -> tuple[Bools, Floats]:
    """The cheapest of all sets; ties go to the smaller set, then to the lower classes."""
    n_classes = proba.shape[1]
    masks = subset_masks(n_classes)
    step = max(1, _CHUNK // (8 * n_classes))
    names = np.arange(n_classes)
    parts = (
        PredictionSets.from_masks(masks[start : start + step], names).to_indicator()
        for start in range(0, len(masks), step)
    )
    return cheapest_of(proba, costs, parts)


def cheapest_of(proba: Floats, costs: Costs, parts: Iterator[Bools]) -> tuple[Bools, Floats]:
    """The cheapest of some sets, which come in parts; the first of equals."""
    best = np.full(len(proba), np.inf)
    chosen = np.zeros(proba.shape, dtype=bool)
    for sets in parts:
        rows = costs(sets)
        slack = SLACK * max(1.0, float(rows.max()))
        step = max(1, _CHUNK // len(sets))
        for start in range(0, len(proba), step):
            block = slice(start, start + step)
            expected = proba[block] @ rows.T
            least = expected.min(axis=1)
            better = np.flatnonzero(least < best[block] - slack)
            first = (expected[better] <= least[better, None] + slack).argmax(axis=1)
            best[start + better] = expected[better, first]
            chosen[start + better] = sets[first]
    return chosen, best


def runs(n_classes: int) -> Bools:
    """All runs of neighbouring classes, the short ones first.

    Examples
    --------
    >>> runs(2).astype(int).tolist()
    [[1, 0], [0, 1], [1, 1]]
    """
    place = np.arange(n_classes)
    rows = [
        (place >= start) & (place < start + size)
        for size in range(1, n_classes + 1)
        for start in range(n_classes - size + 1)
    ]
    return np.array(rows)


def cheapest_grown(proba: Floats, costs: Costs) -> tuple[Bools, Floats]:
    """The cheapest of the sets that grow, class by class, from each single class while it pays."""
    n, n_classes = proba.shape
    chosen = np.empty((n, n_classes), dtype=bool)
    best = np.empty(n)
    step = max(1, _CHUNK // n_classes**3)
    for start in range(0, n, step):
        block = proba[start : start + step]
        grown, value = _grow(block, costs)
        first = _first_least(value, grown.sum(axis=2))
        rows = np.arange(len(block))
        chosen[start : start + step] = grown[rows, first]
        best[start : start + step] = value[rows, first]
    return chosen, best


def _grow(proba: Floats, costs: Costs) -> tuple[Bools, Floats]:
    """A set (n, K, K) and its expected cost (n, K) from each single class."""
    n, n_classes = proba.shape
    single = np.eye(n_classes, dtype=bool)
    sets = np.broadcast_to(single, (n, n_classes, n_classes)).copy()
    value = proba @ costs(single).T
    row, seed = (index.ravel() for index in np.indices((n, n_classes)))
    while len(row):
        trial = sets[row, seed][:, None, :] | single
        rows = costs(trial.reshape(-1, n_classes)).reshape(trial.shape)
        slack = SLACK * max(1.0, float(rows.max()))
        expected = np.einsum("mck,mk->mc", rows, proba[row])
        added = (expected <= expected.min(axis=1, keepdims=True) + slack).argmax(axis=1)
        least = expected[np.arange(len(row)), added]
        pays = least < value[row, seed] - slack
        row, seed, added = row[pays], seed[pays], added[pays]
        sets[row, seed, added] = True
        value[row, seed] = least[pays]
    return sets, value


def _first_least(value: Floats, size: Ints) -> Ints:
    """Of the least values of each row, the place of one with the smallest set."""
    slack = SLACK * max(1.0, float(value.max()))
    tied = value <= value.min(axis=1, keepdims=True) + slack
    return np.where(tied, size, size.max() + 1).argmin(axis=1)


def least_possible(proba: Floats, extended: ExtendedCosts) -> Floats:
    """A cost that no set can fall below, for each row.

    The rules make a set dearer when a member is replaced by a dearer one.  So among the sets of k
    classes none costs less at y than y with its k - 1 cheapest companions, if it holds y, and than
    the k cheapest of the others, if it does not.  Let the k classes for which holding saves most
    be held: that is a bound for size k, and the least over k for all.  The sets of a user's own
    table are looked at one by one, as no rule binds them.
    """
    rule = extended.rule
    if isinstance(rule, Table):
        _, listed = cheapest_of(proba, costs_of(extended), iter([rule.sets.to_indicator()]))
        plain = ExtendedCosts(extended.determinate, rule.otherwise)
        return np.minimum(listed, least_possible(proba, plain))
    n_classes = proba.shape[1]
    held, missed = _cheapest_cells(extended)
    bound = proba @ held[-1]  # all classes
    for k in range(1, n_classes):
        saved = np.sort(proba * (missed[k - 1] - held[k - 1]), axis=1)[:, -k:].sum(axis=1)
        np.minimum(bound, proba @ missed[k - 1] - saved, out=bound)
    return bound


def _cheapest_cells(extended: ExtendedCosts) -> tuple[Floats, Floats]:
    """By set size and truth, the least cost of a set that holds the truth, and that misses it."""
    costs = costs_of(extended)
    n_classes = extended.n_classes
    truth = np.arange(n_classes)
    dear = extended.determinate.costs.T.copy()  # (truth, predicted)
    held = np.empty((n_classes, n_classes))
    missed = np.full((n_classes, n_classes), np.inf)
    np.fill_diagonal(dear, np.inf)
    rank = np.argsort(np.argsort(dear, axis=1), axis=1)  # the truth itself ranks last
    for k in range(1, n_classes + 1):
        with_truth = (rank < k - 1) | np.eye(n_classes, dtype=bool)
        held[k - 1] = costs(with_truth)[truth, truth]
        if k < n_classes:
            missed[k - 1] = costs(rank < k)[truth, truth]
    return held, missed
