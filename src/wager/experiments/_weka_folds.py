"""The folds of Weka's cross-validation, with the same rows in the same order.

Weka shuffles the rows with Java's 48-bit generator, groups them by class, deals them out to the
folds, and cuts.  It shuffles the training rows of each fold again with the same generator, which
only changes their order.  With these folds, results that were computed with Weka can be reproduced
to the last digit.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wager._jit import entry
from wager._tables import encode_labels, is_missing, read_labels, require_whole
from wager._typing import Array, ArrayLike, Ints

__all__ = ["fold_of_row", "weka_folds"]

MULTIPLIER = 0x5DEECE66D
MASK = (1 << 48) - 1


def weka_folds(
    y: ArrayLike, runs: int = 1, seed: int = 1, *, n_folds: int = 10
) -> Iterator[tuple[Ints, Ints]]:
    """Training and test rows of repeated stratified cross-validation, as Weka makes them.

    Parameters
    ----------
    y : array-like of shape (n,)
        The class labels.  A row whose label is missing (None or NaN) is in no fold.
    runs : int, default=1
        The number of repeats; run r uses the seed ``seed + r``.
    seed : int, default=1
    n_folds : int, default=10
        The number of folds; there are fewer if there are fewer rows.

    Yields
    ------
    train, test : ndarray of int
        Row indices, in Weka's order; ``runs * n_folds`` pairs.

    Examples
    --------
    >>> splits = list(weka_folds([0, 0, 1, 1, 1, 0], n_folds=3))
    >>> [sorted(test.tolist()) for _, test in splits]
    [[1, 4], [2, 5], [0, 3]]
    """
    labels = np.asarray(read_labels(y))
    if labels.ndim != 1:
        raise ValueError(f"y must have one label per row, got the shape {labels.shape}")
    rows = np.flatnonzero([not is_missing(label) for label in labels.tolist()])
    if not len(rows):
        raise ValueError("all labels in y are missing: there are no rows to split")
    runs, n_folds = require_whole(runs, "runs", 1), require_whole(n_folds, "n_folds", 2)
    seed = require_whole(seed, "seed", -(2**63))
    known = labels[rows]
    if labels.dtype.kind == "O":  # labels of several kinds
        classes = encode_labels(known, name="y")[0]
    else:
        classes = np.unique(known, return_inverse=True)[1]
    for run in range(runs):
        for train, test in _one_run(classes, seed + run, min(n_folds, len(rows))):
            yield rows[train], rows[test]


def fold_of_row(y: ArrayLike, seed: int = 1, *, n_folds: int = 10) -> Ints:
    """The index of the fold that tests each row in one run; -1 if the label is missing.

    Examples
    --------
    >>> fold_of_row([0, 0, 1, 1, 1, 0], n_folds=3).tolist()
    [2, 0, 1, 2, 0, 1]
    """
    labels = np.asarray(read_labels(y))
    fold = np.full(len(labels), -1)
    for number, (_, test) in enumerate(weka_folds(labels, 1, seed, n_folds=n_folds)):
        fold[test] = number
    return fold


def _one_run(classes: Ints, seed: int, n_folds: int) -> Iterator[tuple[Ints, Ints]]:
    n = len(classes)
    state = (seed ^ MULTIPLIER) & MASK
    order = np.arange(n)
    state = _shuffle(order, state)
    _group_by_class(order, classes)
    order = np.concatenate([order[start::n_folds] for start in range(n_folds)])
    begin = 0
    for fold in range(n_folds):
        end = begin + n // n_folds + (fold < n % n_folds)
        train = np.concatenate([order[:begin], order[end:]])
        state = _shuffle(train, state)
        yield train, order[begin:end].copy()
        begin = end


def _shuffle(order: Array, state: int) -> int:
    """Shuffle in place, from the last position to the first; return the generator's state."""
    return int(_shuffle_rows(order, np.uint64(state), work=5e-7 * len(order)))


def _shuffle_list(rows: Array, start: int) -> int:
    """The same shuffle with Python's integers: Java's ``Random.nextInt(j + 1)`` for each j."""
    order, state = rows.tolist(), int(start)
    for j in range(len(order) - 1, 0, -1):
        below = j + 1
        while True:
            state = (state * MULTIPLIER + 11) & MASK
            bits = state >> 17
            if below & (below - 1) == 0:
                k = (below * bits) >> 31
                break
            k = bits % below
            if bits - k + below - 1 < 1 << 31:
                break
        order[j], order[k] = order[k], order[j]
    rows[:] = order
    return state


@entry(plain=_shuffle_list, label="folds")
def _shuffle_rows(order, state):
    multiplier = np.uint64(0x5DEECE66D)
    mask = np.uint64((1 << 48) - 1)
    for j in range(len(order) - 1, 0, -1):
        below = np.uint64(j + 1)
        while True:
            state = (state * multiplier + np.uint64(11)) & mask
            bits = state >> np.uint64(17)
            if below & (below - np.uint64(1)) == 0:
                k = (below * bits) >> np.uint64(31)
                break
            k = bits % below
            if bits - k + below - np.uint64(1) < np.uint64(1 << 31):
                break
        kept = order[j]
        order[j] = order[np.int64(k)]
        order[np.int64(k)] = kept
    return state


def _group_by_class(order: Array, classes: Ints) -> None:
    """Group rows by class, with the swaps that Weka makes, in the order in which classes occur."""
    _group_rows(order, classes, work=5e-7 * len(order))


def _group_list(rows: Array, classes: Ints) -> None:
    order = rows.tolist()
    group_by_loop(order, classes.tolist())
    rows[:] = order


def group_by_loop(order, classes):
    """Swap rows of the class of the row before to the front, again and again."""
    i = 1
    while i < len(order):
        c = classes[order[i - 1]]
        for j in range(i, len(order)):
            if classes[order[j]] == c:
                kept = order[i]
                order[i] = order[j]
                order[j] = kept
                i += 1
        i += 1


_group_rows = entry(group_by_loop, plain=_group_list, label="folds")
