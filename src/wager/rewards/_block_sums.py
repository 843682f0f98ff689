"""Sums over a block of rows of weight 1, by true class and by bin of probability.

Each function has a compiled loop for long files and a NumPy version that adds the same numbers in
the same order, so that both give the same bits.
"""

from __future__ import annotations

import numpy as np

from wager._jit import compiled
from wager._typing import Floats, Ints

_LOSS = 1 / 64  # of what Numba saves, per number: it takes 0.2 s to load

N_SUMS = 5  # of a bin: 1, p, p squared, the event, and p times the event
_CLOSE = 1e-9  # the part of a bin that is too close to its edge to be sure without comparing


def moments_by_class(
    values: Floats, truth: Ints, n_classes: int, total: float
) -> tuple[Floats, Ints]:
    """The sums of 1, x, x^2 and x^3 over the finite values of each class, and how many are not.

    Parameters
    ----------
    values : array of shape (n,)
        The numbers x.
    truth : array of int, shape (n,)
        The class of each.
    n_classes : int
        The number of classes.
    total : float
        How many numbers there are in all blocks, from which it follows whether to compile.

    Examples
    --------
    >>> moments_by_class(np.array([1.0, 2.0, -np.inf]), np.array([0, 1, 1]), 2, 6)
    (array([[1., 1.],
           [1., 2.],
           [1., 4.],
           [1., 8.]]), array([0, 1]))
    """
    sums, infinite = np.zeros((n_classes, 4)), np.zeros(n_classes, dtype=np.int64)
    loop = compiled(_moments_loop, work=_LOSS * total)
    if loop is not None:
        loop(values, truth, sums, infinite)
        return sums.T, infinite
    finite = np.isfinite(values)
    if not finite.all():
        infinite += np.bincount(truth[~finite], minlength=n_classes)
        values, truth = values[finite], truth[finite]
    term = np.ones(len(values))
    for power in range(4):
        sums[:, power] = np.bincount(truth, term, n_classes)
        term = term * values
    return sums.T, infinite


def _moments_loop(values: Floats, truth: Ints, sums: Floats, infinite: Ints) -> None:
    for i in range(len(values)):
        x, k = values[i], truth[i]
        if np.isfinite(x):
            square = x * x
            sums[k, 0] += 1.0
            sums[k, 1] += x
            sums[k, 2] += square
            sums[k, 3] += square * x
        else:
            infinite[k] += 1


def bin_sums(p: Floats, owner: Ints, n_bins: int, total: float) -> Floats:
    """The sums of each bin for one or several events: shape (n_events, n_bins, 5).

    Parameters
    ----------
    p : array of shape (n_events, n)
        The probability of each event in each row.
    owner : array of int, shape (n,)
        The event that happened in each row; any other number if none did.
    n_bins : int
        The number of bins.
    total : float
        As in `moments_by_class`.

    Examples
    --------
    >>> bin_sums(np.array([[0.25, 0.75, 1.0]]), np.array([0, 1, 0]), 2, 3)[0].tolist()
    [[1.0, 0.25, 0.0625, 1.0, 0.25], [2.0, 1.75, 1.5625, 1.0, 1.0]]
    """
    n_events = len(p)
    loop = compiled(_bins_loop, work=_LOSS * total)
    if loop is not None:
        sums = np.zeros((n_events, n_bins, N_SUMS))
        loop(p, owner, np.concatenate([[-np.inf], inner_edges(n_bins), [np.inf]]), sums)
        return sums
    size = n_events * n_bins
    place = bin_of(p, n_bins) + n_bins * np.arange(n_events)[:, None]
    flat, values = place.ravel(), p.ravel()
    columns = [np.bincount(flat, minlength=size), *_weighted(flat, (values, values * values), size)]
    rows = np.flatnonzero((owner >= 0) & (owner < n_events))
    cells = owner[rows] * p.shape[1] + rows
    happened, values = flat[cells], values[cells]
    columns += [np.bincount(happened, minlength=size), *_weighted(happened, (values,), size)]
    return np.array(columns, dtype=np.float64).T.reshape(n_events, n_bins, N_SUMS).copy()


def _weighted(place: Ints, terms: tuple[Floats, ...], size: int) -> list[Floats]:
    return [np.bincount(place, term, size).astype(np.float64, copy=False) for term in terms]


def _bins_loop(p: Floats, owner: Ints, edges: Floats, sums: Floats) -> None:
    n_events, n_bins = len(p), len(edges) - 1
    for k in range(n_events):
        row, bins = p[k], sums[k]
        for i in range(len(row)):
            x = row[i]
            b = min(int(x * n_bins), n_bins - 1)  # or a neighbour, as the edges decide
            if x <= edges[b]:
                b -= 1
            elif x > edges[b + 1]:
                b += 1
            bins[b, 0] += 1.0
            bins[b, 1] += x
            bins[b, 2] += x * x
    for i in range(len(owner)):  # apart, since the event of a row is one of several
        k = owner[i]
        if 0 <= k < n_events:
            x = p[k, i]
            b = min(int(x * n_bins), n_bins - 1)
            if x <= edges[b]:
                b -= 1
            elif x > edges[b + 1]:
                b += 1
            sums[k, b, 3] += 1.0
            sums[k, b, 4] += x


def inner_edges(n_bins: int) -> Floats:
    """The ends of the bins between 0 and 1."""
    return np.linspace(0, 1, n_bins + 1)[1:-1]


def bin_of(p: Floats, n_bins: int) -> Ints:
    """The bin of each probability; only those close to an edge are compared with the edges."""
    scaled = p * n_bins
    above = np.ceil(scaled)
    gap = above - scaled
    place = above.astype(np.intp)
    place -= 1
    error = max(_CLOSE, 1e-15 * n_bins)
    close = np.flatnonzero((gap < error) | (gap > 1 - error))
    if len(close):
        place.ravel()[close] = np.searchsorted(inner_edges(n_bins), p.ravel()[close])
    return place
