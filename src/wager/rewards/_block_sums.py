"""What is computed of a block of rows: parts of rewards, and sums of rows of weight 1.

Each loop is compiled for long files, and has a form in NumPy that adds the same numbers in the same
order, so that both give the same bits.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from wager._jit import entry
from wager._typing import Array, Bools, Floats, Ints

N_SUMS = 5  # of a bin: 1, p, p squared, the event, and p times the event
_CLOSE = 1e-9  # the part of a bin that is too close to its edge to be sure without comparing


class BlockParts(NamedTuple):
    """What several rewards need of each row of a block.

    Attributes
    ----------
    true_p : array of shape (n,)
        The probability of the true class.
    others : array of shape (n,)
        The product over the wrong classes of 1 - p.
    largest : array of shape (n,)
        The largest probability.
    is_right : array of bool, shape (n,)
        Whether its class, the first of equal ones, is the true one.
    """

    true_p: Floats
    others: Floats
    largest: Floats
    is_right: Bools


def block_parts(columns: Floats, truth: Ints) -> BlockParts:
    """The parts of the rewards of each row, from probabilities of shape (n_classes, n).

    Examples
    --------
    >>> found = block_parts(np.array([[0.5, 0.25], [0.5, 0.75]]), np.array([1, 1]))
    >>> found.true_p.tolist(), found.others.tolist(), found.is_right.tolist()
    ([0.5, 0.75], [0.5, 0.75], [False, True])
    """
    n_rows = columns.shape[1]
    true_p, others, largest = np.empty((3, n_rows))
    named = np.zeros(n_rows, dtype=np.int64)
    _fill_parts(columns, truth, true_p, others, largest, named, work=4e-9 * columns.size)
    return BlockParts(true_p, others, largest, named == truth)


def _parts_by_numpy(
    columns: Floats, truth: Ints, true_p: Floats, others: Floats, largest: Floats, named: Ints
) -> None:
    n_rows = columns.shape[1]
    place = truth * n_rows + np.arange(n_rows)
    columns.ravel().take(place, out=true_p)
    columns.max(axis=0, out=largest)
    wrong = 1 - columns
    wrong.ravel()[place] = 1
    np.multiply.reduce(wrong, axis=0, out=others)
    is_largest = np.equal(columns, largest)
    named[:] = is_largest.argmax(axis=0)


@entry(plain=_parts_by_numpy, label="the loops over probabilities")
def _fill_parts(columns, truth, true_p, others, largest, named):
    for k in range(len(columns)):  # without branches, which would be taken at random
        column = columns[k]
        for i in range(len(column)):
            x, is_true = column[i], truth[i] == k
            before = largest[i] if k else -1.0
            product = others[i] if k else 1.0
            true_p[i] = x if is_true else true_p[i]
            others[i] = product * (1.0 if is_true else 1.0 - x)
            named[i] = k if x > before else named[i]
            largest[i] = x if x > before else before


def moments_by_class(values: Floats, truth: Ints, n_classes: int) -> tuple[Floats, Ints]:
    """The sums of 1, x, x^2 and x^3 over the finite values of each class, and how many are not.

    Parameters
    ----------
    values : array of shape (n,)
        The numbers x.
    truth : array of int, shape (n,)
        The class of each.
    n_classes : int
        The number of classes.

    Examples
    --------
    >>> moments_by_class(np.array([1.0, 2.0, -np.inf]), np.array([0, 1, 1]), 2)
    (array([[1., 1.],
           [1., 2.],
           [1., 4.],
           [1., 8.]]), array([0, 1]))
    """
    sums, infinite = np.zeros((n_classes, 4)), np.zeros(n_classes, dtype=np.int64)
    _add_moments(values, truth, sums, infinite, work=8e-9 * len(values))
    return sums.T, infinite


def _moments_by_numpy(values: Floats, truth: Ints, sums: Floats, infinite: Ints) -> None:
    n_classes, finite = len(sums), np.isfinite(values)
    if not finite.all():
        infinite += np.bincount(truth[~finite], minlength=n_classes)
        values, truth = values[finite], truth[finite]
    term = np.ones(len(values))
    for power in range(4):
        sums[:, power] = np.bincount(truth, term, n_classes)
        term = term * values


@entry(plain=_moments_by_numpy, label="the loops over probabilities")
def _add_moments(values, truth, sums, infinite):
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


def bin_sums(p: Floats, owner: Ints, n_bins: int) -> Floats:
    """The sums of each bin for one or several events: shape (n_events, n_bins, 5).

    Parameters
    ----------
    p : array of shape (n_events, n)
        The probability of each event in each row.
    owner : array of int, shape (n,)
        The event that happened in each row; any other number if none did.
    n_bins : int
        The number of bins.

    Examples
    --------
    >>> bin_sums(np.array([[0.25, 0.75, 1.0]]), np.array([0, 1, 0]), 2)[0].tolist()
    [[1.0, 0.25, 0.0625, 1.0, 0.25], [2.0, 1.75, 1.5625, 1.0, 1.0]]
    """
    sums = np.zeros((len(p), n_bins, N_SUMS))
    _add_to_bins(p, owner, _edges(n_bins), sums, work=2e-8 * p.size)
    return sums


def _bins_by_numpy(p: Floats, owner: Ints, edges: Floats, sums: Floats) -> None:
    n_events, n_bins = sums.shape[:2]
    size = n_events * n_bins
    place = bin_of(p, n_bins) + n_bins * np.arange(n_events)[:, None]
    flat, values = place.ravel(), p.ravel()
    columns: list[Array] = [np.bincount(flat, minlength=size)]
    columns += [np.bincount(flat, term, size) for term in (values, values * values)]
    rows = np.flatnonzero((owner >= 0) & (owner < n_events))
    cells = owner[rows] * p.shape[1] + rows
    happened, values = flat[cells], values[cells]
    columns += [np.bincount(happened, minlength=size), np.bincount(happened, values, size)]
    for i, column in enumerate(columns):
        sums[..., i] = column.reshape(n_events, n_bins)


@entry(plain=_bins_by_numpy, label="the loops over probabilities")
def _add_to_bins(p, owner, edges, sums):
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


@cache
def _edges(n_bins: int) -> Floats:
    """The ends of the bins; the first and the last one have everything beyond as well."""
    return np.concatenate([[-np.inf], np.linspace(0, 1, n_bins + 1)[1:-1], [np.inf]])


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
        place.ravel()[close] = np.searchsorted(_edges(n_bins)[1:-1], p.ravel()[close])
    return place
