"""Counts of a file: one entry per group, true class, set size and hit that occurs.

The counts of two parts add up to the counts of the whole, so a file can be counted in pieces.  Only
combinations that occur are kept: with 2,000 classes a full table would have eight million cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from wager._tables import (
    Table,
    View,
    Viewed,
    counted,
    encode_labels,
)
from wager._typing import Array, Bools, Floats, Ints
from wager.predictions._set_rows import rows_of_codes
from wager.predictions._sets import PredictionSets, size_and_hit
from wager.predictions.files._clusters import FileClusters
from wager.predictions.files._predictions import Predictions
from wager.predictions.files._warnings import oddities

__all__ = ["FileCounts"]


@dataclass(frozen=True, eq=False, repr=False)
class FileCounts(Viewed):
    """Rows of a file by group, true class, set size and hit.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        The classes, to which `truth` is an index.
    group : ndarray of object
        The group of each entry; None in all of them if groups were not requested.
    truth, size, hit : ndarray of int
        True class, set size, and whether the set contains the true class.
    rows : ndarray of int
        The number of observations of each entry: of its rows, or the sum of their counts.  Rows
        of weight 0 are no observations.
    weight, weight_squares : ndarray of float
        The sum of their weights, and the sum of the squared weights.
    weighted : bool
        Whether the rows have weights (without weights, each observation has weight 1).
    clusters : FileClusters, optional
        What each cluster of dependent rows adds to the entries.
    predicted : ndarray of bool, shape (K,), optional
        The classes that occur in a prediction; None if they are not known.

    Examples
    --------
    >>> sets = PredictionSets.from_lists([["a"], ["a", "b"], ["a"]])
    >>> part = Predictions(sets.classes, np.array([0, 1, 0]), "set", sets)
    >>> counts = FileCounts.of(part, sets)
    >>> (counts + counts).by_size().tolist()
    [[0, 0], [0, 4], [0, 2]]
    """

    classes: Array
    group: Array
    truth: Ints
    size: Ints
    hit: Ints
    rows: Ints
    weight: Floats
    weight_squares: Floats
    weighted: bool
    clusters: FileClusters | None = None
    predicted: Bools | None = None

    def _view(self) -> View:
        table = self.by_size()
        rows = [[size, *counts] for size, counts in enumerate(table.tolist()) if any(counts)]
        title = (
            f"{counted(self.n_rows, 'row', ',')} over {counted(len(self.classes), 'class', ',')}"
        )
        return View(title, [Table(["size", "misses", "hits"], rows)], self.warnings)

    @classmethod
    def of(cls, part: Predictions, sets: PredictionSets, by_group: bool = False) -> FileCounts:
        """Count the rows of `part`, given their predictions as sets."""
        n = len(part)
        rows = np.ones(n, dtype=np.int64) if part.count is None else part.count
        each = np.ones(n) if part.weight is None else part.weight
        group = part.group if by_group and part.group is not None else np.full(n, None)
        size, hit = (column.astype(np.int64) for column in size_and_hit(part.codes, sets))
        weight, squares = rows * each, rows * each**2
        rows = np.where(each > 0, rows, 0)
        clusters = None
        if part.cluster is not None:
            codes, labels = encode_labels(part.cluster, name="cluster")
            clusters = FileClusters(labels, codes, np.arange(n), weight)
        return cls(
            part.classes,
            group,
            part.codes,
            size,
            hit,
            rows,
            weight,
            squares,
            part.weight is not None,
            clusters,
            sets.named,
        )._reduced()

    @classmethod
    def of_labels(cls, part: Predictions, labels: Ints, by_group: bool = False) -> FileCounts:
        """Count the rows of `part`, given one predicted class per row, as codes."""
        n, K = len(part), len(part.classes)
        if (by_group and part.group is not None) or part.cluster is not None:
            named = rows_of_codes(labels, np.ones_like(labels), K)
            return cls.of(part, PredictionSets(named, part.classes), by_group)
        cell = 2 * part.codes + (labels == part.codes)
        predicted = np.bincount(labels, minlength=K) > 0
        if part.count is None and part.weight is None:
            found = np.bincount(cell, minlength=2 * K)
            occurs = np.flatnonzero(found)
            sums = np.array([found] * 3, dtype=np.float64)
            return cls._of_labels(part, occurs, sums[:, occurs], predicted)
        rows = np.ones(n, dtype=np.int64) if part.count is None else part.count
        each = np.ones(n) if part.weight is None else part.weight
        terms = (np.where(each > 0, rows, 0), rows * each, rows * each**2)
        sums = np.array([np.bincount(cell, term, 2 * K) for term in terms])
        occurs = np.flatnonzero(np.bincount(cell, minlength=2 * K))
        return cls._of_labels(part, occurs, sums[:, occurs], predicted)

    @classmethod
    def _of_labels(
        cls, part: Predictions, cell: Ints, sums: Floats, predicted: Bools
    ) -> FileCounts:
        """Counts of labels by cell: the cells are twice the truth, plus one for a hit."""
        return cls(
            part.classes,
            np.full(len(cell), None),
            cell // 2,
            np.ones(len(cell), dtype=np.int64),
            cell % 2,
            sums[0].astype(np.int64),
            sums[1],
            sums[2],
            part.weight is not None,
            predicted=predicted,
        )

    @classmethod
    def total(cls, parts: Sequence[FileCounts]) -> FileCounts:
        """The counts of several parts together; clusters may be divided between the parts."""
        first = parts[0]
        if not all(np.array_equal(first.classes, part.classes) for part in parts):
            raise ValueError(
                "cannot add counts over different classes: declare the same classes for both"
            )
        every = [part._columns() for part in parts]
        columns = [np.concatenate(same) for same in zip(*every, strict=True)]
        clusters = [part.clusters for part in parts if part.clusters is not None]
        if len(clusters) not in (0, len(parts)):
            raise ValueError(
                "cannot add counts with clusters to counts without: name the cluster of every row"
            )
        starts = np.cumsum([0, *(len(part.rows) for part in parts)]).tolist()
        joined = FileClusters.concatenated(clusters, starts[:-1]) if clusters else None
        weighted = any(part.weighted for part in parts)
        return first._with(columns, weighted, joined, _named_in_any(parts))._reduced()

    def __add__(self, other: FileCounts) -> FileCounts:
        return FileCounts.total([self, other])

    def over(self, classes: Array) -> FileCounts:
        """The same counts over more classes, which may be named as text instead of numbers."""
        place = np.searchsorted(classes, self.classes.astype(classes.dtype))
        predicted = None
        if self.predicted is not None:
            predicted = np.zeros(len(classes), dtype=bool)
            predicted[place[self.predicted]] = True
        return replace(self, classes=classes, truth=place[self.truth], predicted=predicted)

    def _columns(self) -> tuple[Array, ...]:
        keys = (self.group, self.truth, self.size, self.hit)
        return (*keys, self.rows, self.weight, self.weight_squares)

    def _with(
        self,
        columns: Sequence[Array],
        weighted: bool,
        clusters: FileClusters | None,
        predicted: Bools | None = None,
    ) -> FileCounts:
        group, truth, size, hit, rows, weight, squares = columns
        keys = (self.classes, group, truth, size, hit, rows)
        return FileCounts(*keys, weight, squares, weighted, clusters, predicted)

    def _reduced(self) -> FileCounts:
        """The same counts with equal entries combined."""
        names = {name: place for place, name in enumerate(self.groups)}
        code = np.fromiter(map(names.__getitem__, self.group), np.int64, len(self.group))
        n = len(self.classes)
        cell = ((code * n + self.truth) * (n + 1) + self.size) * 2 + self.hit
        _, first, entry = np.unique(cell, return_index=True, return_inverse=True)
        keys = [column[first] for column in (self.group, self.truth, self.size, self.hit)]
        rows = np.bincount(entry, self.rows).astype(np.int64)
        weights = [np.bincount(entry, column) for column in (self.weight, self.weight_squares)]
        clusters = None if self.clusters is None else self.clusters.renumbered(entry)
        return self._with([*keys, rows, *weights], self.weighted, clusters, self.predicted)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is odd: classes that are predicted and never true, one-class truth, full sets."""
        return oddities(self.classes, self.truth, self.predicted, self.size)

    @property
    def groups(self) -> list[str | None]:
        """The groups that occur, sorted; the missing group last."""
        return sorted(set(self.group.tolist()), key=lambda name: (name is None, name or ""))

    @property
    def n_rows(self) -> int:
        """The number of observations counted: of the rows, or the sum of their counts."""
        return int(self.rows.sum())

    @property
    def total_weight(self) -> float | None:
        """The sum of the weights of the observations; None if the rows have no weights."""
        return float(self.weight.sum()) if self.weighted else None

    @property
    def n_clusters(self) -> int | None:
        """The number of clusters of dependent rows; None if rows are independent."""
        return None if self.clusters is None else self.clusters.n_clusters

    def of_group(self, name: str | None) -> FileCounts:
        """The entries of one group."""
        return self._where(np.array([group == name for group in self.group], dtype=bool))

    def of_class(self, code: int) -> FileCounts:
        """The entries of one true class."""
        return self._where(self.truth == code)

    def _where(self, chosen: Array) -> FileCounts:
        clusters = None if self.clusters is None else self.clusters.where(chosen)
        return self._with([column[chosen] for column in self._columns()], self.weighted, clusters)

    def by_size(self) -> Array:
        """Total weights by set size and hit: shape (K + 1, 2)."""
        return self._table(self.size, len(self.classes) + 1, self.weight)

    def by_class(self) -> Array:
        """Total weights by true class and hit: shape (K, 2)."""
        return self._table(self.truth, len(self.classes), self.weight)

    def squares_by_size(self) -> Array | None:
        """Sums of squared weights by set size and hit; None if the rows have no weights."""
        sizes = len(self.classes) + 1
        return self._table(self.size, sizes, self.weight_squares) if self.weighted else None

    def squares_by_class(self) -> Array | None:
        """Sums of squared weights by true class and hit; None if the rows have no weights."""
        K = len(self.classes)
        return self._table(self.truth, K, self.weight_squares) if self.weighted else None

    def _table(self, row: Ints, n_rows: int, each: Floats) -> Array:
        table = np.bincount(2 * row + self.hit, each, 2 * n_rows).reshape(n_rows, 2)
        return table if self.weighted else table.astype(np.int64)


def _named_in_any(parts: Sequence[FileCounts]) -> Bools | None:
    """The classes that are predicted in any part; None if a part does not know."""
    named = [part.predicted for part in parts if part.predicted is not None]
    return np.logical_or.reduce(named) if len(named) == len(parts) else None
