"""Reliability bins of probabilities that are listed for a few of many classes.

A class has its listed probability in some rows and the share of the classes not listed in all
others.  So the sums of a class are those of the shares of all rows, with the rows that list the
class moved from the bin of their share to the bin of its probability.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wager._tables import RowUnits, row_blocks
from wager._typing import Array, Floats, Ints
from wager.predictions import TopKProbabilities
from wager.rewards._block_sums import bin_of
from wager.rewards._probability_rows import ProbabilityRows
from wager.rewards._reliability_bins import (
    EVENT,
    FIRST,
    GAP2,
    N_SUMS,
    P2,
    P_EVENT,
    VARIANCE,
    WEIGHT,
    WEIGHT2,
    P,
    ReliabilityBins,
    completed,
)


class _ListedRows(NamedTuple):
    """Rows of listed probabilities, in bins.

    Attributes
    ----------
    share, share_bin : ndarray of shape (n,)
        The probability of each class that is not listed, and its bin.
    row, code, p, p_bin : ndarray
        The listed classes end to end: row, class, probability and bin.
    truth, true_p, true_bin : ndarray of shape (n,)
        The true class, its probability and its bin.
    weight : ndarray of shape (n,)
        What each row adds to a total.
    """

    share: Floats
    share_bin: Ints
    row: Ints
    code: Ints
    p: Floats
    p_bin: Ints
    truth: Ints
    true_p: Floats
    true_bin: Ints
    weight: Floats

    @classmethod
    def of(cls, proba: TopKProbabilities, truth: Ints, units: RowUnits, n_bins: int) -> _ListedRows:
        """The rows of listed probabilities."""
        true_p = np.empty(len(proba))
        for block in proba.blocks():
            true_p[block.rows] = block.of(truth[block.rows])
        return cls(
            proba.shares,
            bin_of(proba.shares, n_bins),
            np.repeat(np.arange(len(proba)), proba.n_listed),
            proba.codes,
            proba.values,
            _bins(proba.values, n_bins),
            truth,
            true_p,
            bin_of(true_p, n_bins),
            np.ones(len(proba)) if units.totals is None else units.totals.astype(np.float64),
        )


def _bins(p: Floats, n_bins: int) -> Ints:
    """The bin of each probability, computed some at a time in the cache."""
    found = np.empty(len(p), dtype=np.intp)
    for part in row_blocks(len(p), 1):
        found[part] = bin_of(p[part], n_bins)
    return found


def class_bins(rows: ProbabilityRows, n_bins: int) -> ReliabilityBins:
    """The bins of each class, of listed probabilities or of a matrix."""
    if isinstance(rows.proba, TopKProbabilities):
        return _bins_by_class(rows.proba, rows.truth, rows.units, n_bins)
    return ReliabilityBins.by_class(rows, n_bins)


def _bins_by_class(
    proba: TopKProbabilities, truth: Ints, units: RowUnits, n_bins: int
) -> ReliabilityBins:
    rows, K = _ListedRows.of(proba, truth, units, n_bins), len(proba.classes)
    true_place = truth * n_bins + rows.true_bin
    code = rows.code.astype(np.intp)  # as bincount needs it, once
    entered = code * n_bins
    entered += rows.p_bin
    of_bins = np.flatnonzero(np.bincount(rows.share_bin))  # usually one

    def total(of_share: Array | None, of_p: Array | None) -> Floats:
        """The sums by class and bin of what rows add for a share, or for a probability.

        None stands for 1 in each row, which is counted without an array of ones.
        """
        sums = np.bincount(entered, of_p, K * n_bins).astype(np.float64, copy=False)
        sums = sums.reshape(K, n_bins)
        if of_share is None and len(of_bins) == 1:
            sums[:, of_bins[0]] += len(proba) - np.bincount(code, minlength=K)
            return sums
        of_share = np.ones(len(proba)) if of_share is None else of_share
        for b in of_bins:
            inside = np.where(rows.share_bin == b, of_share, 0.0) if len(of_bins) > 1 else of_share
            sums[:, b] += inside.sum() - np.bincount(code, inside[rows.row], K)
        return sums

    def of_truth(terms: Floats | None) -> Floats:
        sums = np.bincount(true_place, terms, K * n_bins).astype(np.float64, copy=False)
        return sums.reshape(K, n_bins)

    share, p, w = rows.share, rows.p, rows.weight
    is_weighted = units.weights is not None
    table = np.moveaxis(np.empty((N_SUMS if is_weighted else FIRST, K, n_bins)), 0, -1)
    if units.totals is None:
        table[..., WEIGHT], table[..., EVENT] = total(None, None), of_truth(None)
        table[..., P], table[..., P2] = total(share, p), total(share**2, p**2)
        table[..., P_EVENT] = of_truth(rows.true_p)
    else:
        each = w[rows.row]
        table[..., WEIGHT], table[..., EVENT] = total(w, each), of_truth(w)
        table[..., P] = total(w * share, each * p)
        table[..., P2] = total(w * share**2, each * p**2)
        table[..., P_EVENT] = of_truth(w * rows.true_p)
    is_empty = table[..., WEIGHT] == 0
    if is_weighted:
        assert units.squares is not None
        s = units.squares
        each = s[rows.row]
        table[..., WEIGHT2] = total(s, each)
        table[..., VARIANCE] = total(s * share * (1 - share), each * p * (1 - p))
        table[..., GAP2] = total(s * share**2, each * p**2) + of_truth(s * (1 - 2 * rows.true_p))
        counted = (w > 0).astype(np.float64)
        is_empty = total(counted, counted[rows.row]) == 0
    np.maximum(table, 0.0, out=table)
    table *= ~is_empty[..., None]  # differences of sums leave rounding errors
    return completed(table)


def cluster_moments(proba: TopKProbabilities, truth: Ints, units: RowUnits, n_bins: int) -> Floats:
    """What `ReliabilityBins.clusters` has for each class.

    The totals of a cluster are those of the shares of its rows, T, plus what differs for the class,
    D, which is 0 except in the clusters that list the class or have it as the true one.  So the sum
    over clusters of (T + D)(T + D)' is that of TT', the same for all classes, and terms of few
    clusters.
    """
    assert units.clusters is not None
    assert units.labels is not None
    rows, K, n_clusters = (
        _ListedRows.of(proba, truth, units, n_bins),
        len(proba.classes),
        len(units.labels),
    )
    cell, w = units.clusters * n_bins + rows.share_bin, rows.weight
    size = n_clusters * n_bins
    gap, weight = (
        np.bincount(cell, term, size).reshape(n_clusters, n_bins) for term in (w * rows.share, w)
    )
    each, q = w[rows.row], rows.share[rows.row]
    pair = rows.code.astype(np.int64) * n_clusters + units.clusters[rows.row]
    true_pair = truth * n_clusters + units.clusters
    keys = np.concatenate(
        [pair * n_bins + rows.share_bin[rows.row], pair * n_bins + rows.p_bin,
         true_pair * n_bins + rows.true_bin]
    )  # fmt: skip
    key, entry = np.unique(keys, return_inverse=True)
    d = np.bincount(entry, np.concatenate([-each * q, each * rows.p, -w]))
    v = np.bincount(entry, np.concatenate([-each, each, np.zeros(len(w))]))
    pair, b = np.divmod(key, n_bins)
    code, cluster = np.divmod(pair, n_clusters)
    place = code * n_bins + b
    found = np.empty((K, n_bins, n_bins + 1))
    crossed = np.empty((K, n_bins, n_bins))
    for other in range(n_bins):
        terms = np.bincount(place, d * gap[cluster, other], K * n_bins)
        crossed[:, :, other] = terms.reshape(K, n_bins)
    found[:, :, :-1] = gap.T @ gap + crossed + crossed.transpose(0, 2, 1)
    squares = np.bincount(place, v * (2 * weight[cluster, b] + v), K * n_bins)
    found[:, :, -1] = (weight * weight).sum(axis=0) + squares.reshape(K, n_bins)
    for apart in range(n_bins):  # entries of the same class and cluster follow each other
        first = np.arange(len(key) - apart)
        first = first[pair[first] == pair[first + apart]]
        if not len(first):
            break
        second = first + apart
        where = place[first] * n_bins + b[second]
        terms = np.bincount(where, d[first] * d[second], K * n_bins * n_bins)
        products = terms.reshape(K, n_bins, n_bins)
        found[:, :, :-1] += products if apart == 0 else products + products.transpose(0, 2, 1)
    return found
