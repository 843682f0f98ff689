"""The independent units of a partition, rows or clusters of rows, and what they add to variances.

A row of count k stands for k independent objects.  Rows of one cluster depend on each other, so
that what they add is summed before it is squared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wager._typing import Array, Floats, Ints
from wager.partitions._rows import PartitionRows

LEAST_ROWS = 100  # of every region, however many there are


@dataclass(frozen=True)
class IndependentUnits:
    """How many independent units there are, and how unequal they are.

    Parameters
    ----------
    n : int
        The number of objects, or of clusters, of positive weight.
    total : float
        The sum of their weights.
    squares : float
        The sum of their squared weights.
    """

    n: int
    total: float
    squares: float

    @classmethod
    def of(cls, rows: PartitionRows) -> IndependentUnits:
        """The units of all rows."""
        n, total, squares = 0, 0.0, 0.0
        for block in rows.cluster_blocks():
            weights, units = block.weights, block.units
            total += float(weights.sum())
            if units.clusters is not None:
                size = np.bincount(_renumbered(units.clusters), weights)
                n, squares = n + int((size > 0).sum()), squares + float((size**2).sum())
                continue
            objects = np.ones(len(block)) if units.counts is None else units.counts
            n += int(objects[weights > 0].sum())
            squares += float(weights.sum() if units.squares is None else units.squares.sum())
        return cls(n, total, squares)

    @property
    def share(self) -> float:
        """The weight of one unit in n."""
        return self.squares / self.total**2


def products_of_units(
    block: PartitionRows, influence: Floats, labels: Floats, pseudo: float
) -> Floats:
    """Sums of the squared influences of units, and of their influence times their weight.

    Parameters
    ----------
    block : PartitionRows
        Rows; no cluster is divided between blocks.
    influence : ndarray of shape (n_measures, n_rows, n_classes)
        The influence of every row, for each class that could be its true class.
    labels : ndarray of shape (n_rows, n_classes)
        The probability of each of these classes.
    pseudo : float
        The probability with which all rows of a unit may have any one class.
    """
    if block.units.clusters is None:
        each = np.ones(len(block)) if block.units.squares is None else block.units.squares
        return np.stack(
            [
                np.einsum("kic,kic,ic,i->k", influence, influence, labels, each),
                np.einsum("kic,ic,i->k", influence, labels, each),
            ]
        )
    n_classes, clusters = block.n_classes, _renumbered(block.units.clusters)
    size = np.bincount(clusters, block.weights)
    seen = np.arange(len(block)), block.truth
    cases = [(influence[:, seen[0], seen[1]], 1 - pseudo)]
    if pseudo:
        cases += [(influence[:, :, c], pseudo / n_classes) for c in range(n_classes)]
    found = np.zeros((2, len(influence)))
    for values, probability in cases:
        for k, of_rows in enumerate(values):
            added = np.bincount(clusters, block.weights * of_rows)
            found[:, k] += probability * added @ np.stack([added, size], axis=1)
    return found


def own_influence(part: PartitionRows, on: Floats, labels: Floats) -> Floats:
    """How the unit of each row moves a parameter of its region, times the region's weight.

    Parameters
    ----------
    part : PartitionRows
        Some rows, in memory.
    on : ndarray of shape (n_rows, 1) or (n_rows, n_classes)
        The influence of a row on the parameter, for each class that could be its true class.
    labels : ndarray of shape (n_rows, n_classes)
        The probability of each of these classes.
    """
    weights, clusters = part.units.weights, part.units.clusters
    if clusters is None:
        return on if weights is None else weights[:, None] * on
    weight = np.ones(len(part)) if weights is None else weights  # of one of the row's objects
    expected = (on * labels).sum(axis=1)
    pair = np.unique(np.stack([clusters, part.region]), axis=1, return_inverse=True)[1].ravel()
    others = np.bincount(pair, part.weights * expected)[pair] - weight * expected
    return weight[:, None] * on + others[:, None]


def some_of_every_region(rows: PartitionRows, n_regions: int, wanted: int) -> PartitionRows:
    """All rows, or if there are many about an equal number from every large region.

    Which rows are chosen looks random but is always the same; rows of one cluster are chosen
    together.
    """
    if len(rows) <= wanted:
        return rows.take(slice(0, len(rows)))
    most = max(wanted // n_regions, LEAST_ROWS)
    kept: PartitionRows | None = None
    keys, start = np.zeros(0, dtype=np.uint64), 0
    for block in rows.blocks():
        clusters = block.units.clusters
        number = np.arange(start, start + len(block)) if clusters is None else clusters
        start += len(block)
        keys = np.concatenate([keys, _scrambled(number)])
        kept = block if kept is None else _joined(kept, block)
        chosen = _first_of_every_region(kept.region, keys, most)
        kept, keys = kept.take(chosen), keys[chosen]
    assert kept is not None
    return kept


def _renumbered(clusters: Ints) -> Ints:
    """The clusters that occur, numbered from 0."""
    return np.unique(clusters, return_inverse=True)[1].ravel()


def _first_of_every_region(region: Ints, keys: Array, most: int) -> Ints:
    """The rows with the smallest keys of every region, in their order."""
    by_region = np.lexsort((keys, region))
    counts = np.bincount(region)
    rank = np.arange(len(region)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.sort(by_region[rank < most])


def _joined(first: PartitionRows, second: PartitionRows) -> PartitionRows:
    def both(a: Array | None, b: Array | None) -> Array | None:
        return None if a is None or b is None else np.concatenate([a, b])

    units = first.units._replace(
        weights=both(first.units.weights, second.units.weights),
        counts=both(first.units.counts, second.units.counts),
        clusters=both(first.units.clusters, second.units.clusters),
    )
    return PartitionRows(
        both(first.points, second.points),
        both(first.truth, second.truth),
        both(first.order, second.order),
        both(first.region, second.region),
        units,
    )


def _scrambled(numbers: Ints) -> Array:
    """Numbers that look random, always the same for the same number (splitmix64)."""
    x = numbers.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
