"""Totals of cells, and the second moments of what independent units add to them.

A score is a function of the cell that a prediction falls into, so its mean needs only the totals of
the cells.  How precisely the mean is known depends on what independent units add to the cells: a
unit is a row, a weighted row, or a cluster of dependent rows.  Let c be the cell totals of one
unit.  The sum of c c' over the units is the diagonal of the counts for plain rows, the diagonal of
the sums of squared weights for weighted rows, and a full matrix for clusters.  The standard error
of every mean, overall or over some of the cells, follows from it, and like the totals it adds up
over parts of the data in which no unit is divided.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from wager._tables import RowUnits, require_kind
from wager._typing import Array, Bools, Floats, Ints
from wager.rewards._group_sums import equivalent_units
from wager.rewards._summable import difference, plain_labels, plain_numbers

MOST_ROWS = 2.0**63  # counts are 64-bit integers
_MOST_WEIGHT = 1e200  # 2**63 rows of the largest weight have less
_EXACT = 2.0**53  # below it, whole numbers are exact as floats


@dataclass(frozen=True, eq=False)
class ClusterTotals:
    """The cell totals of every cluster, so that parts of one cluster can be added.

    Parameters
    ----------
    labels : array of shape (G,)
        The clusters, ascending.
    totals : array of shape (G, J)
        What each cluster adds to each cell.
    """

    labels: Array
    totals: Floats

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ClusterTotals:
        """The clusters that `CellSums.moments_to_dict` wrote."""
        labels = plain_labels(data["labels"])
        totals = plain_numbers(data["totals"], "the totals of clusters").astype(np.float64)
        if totals.ndim != 2 or len(totals) != len(labels):
            raise ValueError(
                f"the totals of clusters must have one row for each of the {len(labels)} clusters, "
                f"got the shape {totals.shape}"
            )
        return cls(labels, totals)


@dataclass(frozen=True, eq=False)
class CellSums:
    """Totals of the cells that occur, and the second moments of the units' totals.

    Parameters
    ----------
    numbers : array of shape (J,)
        The numbers of the cells, ascending.
    totals : array of shape (J,)
        Counts as integers, or total weights as floats.
    squares : None, or array of shape (J,) or (J, J)
        The sum over the units of the squared totals by cell (rows of different weights), or of
        the products of the totals of two cells (clusters).  None for plain rows, where it equals
        `totals`; NaN for a known distribution, which has no sampling error.
    clusters : ClusterTotals, optional
        The totals of each cluster, if they are kept.

    Examples
    --------
    >>> sums = CellSums.of(np.array([0, 2, 2]), RowUnits.of(3, sample_weight=[1.0, 2.0, 3.0]))
    >>> sums.numbers.tolist(), sums.totals.tolist(), sums.squares.tolist()
    ([0, 2], [1.0, 5.0], [1.0, 13.0])
    >>> (sums + sums).totals.tolist()
    [2.0, 10.0]
    """

    numbers: Ints
    totals: Array
    squares: Floats | None = None
    clusters: ClusterTotals | None = None

    def __post_init__(self) -> None:
        require_kind(self.clusters, "clusters", ClusterTotals, type(None))
        n = len(self.totals)
        if self.squares is not None and np.shape(self.squares) not in ((n,), (n, n)):
            raise ValueError(
                f"squares must have one number for each of the {n} cells that occur, or for each "
                f"two of them, got the shape {np.shape(self.squares)}"
            )
        for part in (self.numbers, self.totals, self.squares):
            if part is not None:
                part.setflags(write=False)  # tallies give them away: writing would change scores
        if not n:
            return
        if self.totals.dtype.kind == "f" and self.totals.max() > _MOST_WEIGHT:
            raise ValueError(f"the weights of a cell add up to more than {_MOST_WEIGHT:g}")
        if self.totals.dtype.kind != "i":
            return
        # sums of two counts below 2**63 wrap round to negative numbers; a sum in floats shows those
        # of more, but loses small counts beside a large one
        wrapped = self.totals.min() < 0 or self.totals.sum() < 0
        if wrapped or self.totals.sum(dtype=np.float64) >= MOST_ROWS:
            raise ValueError("the counts add up to 2**63 rows or more, which is too many")

    @classmethod
    def of(cls, cell: Ints, units: RowUnits, *, keep_clusters: bool = False) -> CellSums:
        """Count rows by the number of their cell."""
        numbers, place = distinct_numbers(cell)
        totals = _totals(place, units.totals, len(numbers))
        if units.clusters is not None:
            clusters = _by_cluster(place, units, len(numbers), keep_clusters)
            kept = ClusterTotals(*clusters[1:]) if keep_clusters else None
            return cls(numbers, totals, clusters[0], kept).occurring()
        if keep_clusters:
            raise ValueError("keep_clusters needs clusters: pass groups=")
        squares = None if units.weights is None else _totals(place, units.squares, len(numbers))
        return cls(numbers, totals, squares).occurring()

    @classmethod
    def from_dict(cls, numbers: Ints, totals: Array, data: Mapping[str, Any]) -> CellSums:
        """The sums with the second moments that `moments_to_dict` wrote."""
        squares = data.get("squares")
        clusters = data.get("clusters")
        kept = None if clusters is None else ClusterTotals.from_dict(clusters)
        known = None if squares is None else plain_numbers(squares, "squares").astype(np.float64)
        if kept is not None and kept.totals.shape[1] != len(totals):
            raise ValueError(
                f"the totals of clusters must have one column for each of the {len(totals)} cells, "
                f"got {kept.totals.shape[1]}"
            )
        if known is not None and known.shape not in {totals.shape, totals.shape * 2}:
            raise ValueError(
                f"squares must have one number per cell, or per pair of cells, for {len(totals)} "
                f"cells, got the shape {known.shape}"
            )
        return cls(numbers, totals, known, kept)

    def moments_to_dict(self) -> dict[str, Any]:
        """The second moments as plain data; nothing for plain rows."""
        data: dict[str, Any] = {}
        if self.squares is not None and not np.isnan(self.squares).any():
            data["squares"] = self.squares.tolist()
        if self.clusters is not None:
            labels, totals = self.clusters.labels.tolist(), self.clusters.totals.tolist()
            data["clusters"] = {"labels": labels, "totals": totals}
        return data

    # -- size ----------------------------------------------------------------------------------

    @property
    def n(self) -> float:
        """The number of rows, or their total weight."""
        return self.totals.sum().item()

    @property
    def is_law(self) -> bool:
        """Whether this is a known distribution instead of a sample."""
        return self.squares is not None and bool(np.isnan(self.squares).any())

    @property
    def n_units(self) -> float:
        """The equivalent number of equally large independent units; NaN for a known distribution.

        It is (sum of the units' totals)² / (sum of their squares): the number of rows if they have
        equal weights, the number of clusters if they are equally large.
        """
        if self.squares is None:
            return float(self.n)
        return nan if self.is_law else float(equivalent_units(self.n, self.squares.sum()))

    # -- what a mean and its standard error need; `GroupSums` has the same for many groups ---------

    def total(self, values: Floats) -> Any:
        """The total of a score of the cells."""
        return self.totals @ values

    def each(self, number: Any) -> Any:
        """A number of all rows, for each of the cells."""
        return number

    def square(self, deviation: Floats) -> Any:
        """The sum over the units of their squared total deviation, for arrays (..., J)."""
        squares = self.totals if self.squares is None else self.squares
        with np.errstate(over="ignore", invalid="ignore"):  # of scores above 1e150: no finite error
            if squares.ndim == 1:
                return deviation**2 @ squares
            return ((deviation @ squares) * deviation).sum(axis=-1)

    # -- parts and sums ------------------------------------------------------------------------

    def where(self, kept: Bools | Ints | slice) -> CellSums:
        """The sums over some of the cells."""
        squares = self.squares
        if squares is not None:
            squares = squares[kept] if squares.ndim == 1 else squares[kept][:, kept]
        clusters = self.clusters
        if clusters is not None:
            clusters = ClusterTotals(clusters.labels, clusters.totals[:, kept])
        return CellSums(self.numbers[kept], self.totals[kept], squares, clusters)

    def occurring(self) -> CellSums:
        """The sums without cells of total 0, such as those of rows of weight 0."""
        present = self.totals > 0
        return self if present.all() else self.where(present)

    def renumbered(self, numbers: Ints) -> CellSums:
        """The sums over larger cells: the cells that get the same number are joined."""
        distinct, place = np.unique(numbers, return_inverse=True)
        n_cells = len(distinct)
        totals = _totals(place, self.totals, n_cells)
        squares, clusters = self.squares, self.clusters
        if squares is not None and squares.ndim == 1:
            squares = _totals(place, squares, n_cells)
        elif squares is not None:
            squares = _joined(_joined(squares, place, n_cells).T, place, n_cells)
        if clusters is not None:
            clusters = ClusterTotals(clusters.labels, _joined(clusters.totals, place, n_cells))
        return CellSums(distinct, totals, squares, clusters)

    def __add__(self, other: CellSums) -> CellSums:
        numbers = np.union1d(self.numbers, other.numbers)
        here, there = (np.searchsorted(numbers, part.numbers) for part in (self, other))
        dtype = np.result_type(self.totals, other.totals)
        totals = np.zeros(len(numbers), dtype=dtype)
        totals[here] += self.totals
        totals[there] += other.totals
        if (self.clusters is None) != (other.clusters is None):
            if not (self.n and other.n):
                return self if self.n else other
            raise ValueError(
                "cannot add counts that keep their clusters to counts that do not: count both "
                "parts with keep_clusters=True, or neither"
            )
        if self.clusters is not None:
            return _added_clusters((self, other), (here, there), numbers, totals)
        if self.squares is None and other.squares is None:
            return CellSums(numbers, totals)
        return CellSums(numbers, totals, _added_squares((self, other), (here, there), len(numbers)))

    def __sub__(self, other: CellSums) -> CellSums:
        """The sums without a part that was added: exact for counts, up to rounding for weights."""
        if self.is_law or other.is_law:
            raise ValueError("a known distribution has no rows that could be subtracted")
        if (self.clusters is None) != (other.clusters is None) and other.n:
            raise ValueError(
                "cannot subtract counts that keep their clusters from counts that do not, or the "
                "reverse: count both with keep_clusters=True, or neither"
            )
        numbers = np.union1d(self.numbers, other.numbers)
        here, there = (np.searchsorted(numbers, part.numbers) for part in (self, other))
        whole, part = (np.zeros(len(numbers), dtype=one.totals.dtype) for one in (self, other))
        whole[here], part[there] = self.totals, other.totals
        totals = difference(whole, part)
        if self.clusters is not None and other.clusters is not None:
            kept = _subtracted_clusters(self.clusters, other.clusters, here, there, len(numbers))
            squares = kept.totals.T @ kept.totals
            return CellSums(numbers, totals, squares, kept).occurring()
        if self.squares is None and other.squares is None:
            return CellSums(numbers, totals).occurring()
        full = any(one.squares is not None and one.squares.ndim == 2 for one in (self, other))
        before = _placed_squares(self, here, len(numbers), full)
        squares = before - _placed_squares(other, there, len(numbers), full)
        if not full:
            squares = difference(before, before - squares, "squared weights")
        return CellSums(numbers, totals, squares).occurring()

    def same_as(self, other: CellSums) -> bool:
        """Whether both have the same cells and totals, and the same second moments.

        The second moments are compared if the units are of the same kind: rows that are counted
        with and without their clusters have the same totals, and count as equal.
        """
        if not self.same_totals(other) or self.is_law != other.is_law:
            return False
        first, second = self.occurring(), other.occurring()
        ours, theirs = (
            part.totals if part.squares is None else part.squares for part in (first, second)
        )
        return ours.ndim != theirs.ndim or np.array_equal(ours, theirs, equal_nan=True)

    def same_totals(self, other: CellSums) -> bool:
        """Whether both have the same cells and totals."""
        first, second = self.occurring(), other.occurring()
        return np.array_equal(first.numbers, second.numbers) and np.array_equal(
            first.totals, second.totals
        )


def distinct_numbers(cell: Ints) -> tuple[Ints, Ints]:
    """The distinct numbers, ascending, and the position of each row's number among them."""
    if len(cell) and cell.min() >= 0 and cell.max() < 4 * len(cell):  # counting beats sorting
        present = np.flatnonzero(np.bincount(cell))
        place = np.empty(int(present[-1]) + 1, dtype=np.intp)
        place[present] = np.arange(len(present))
        return present, place[cell]
    numbers, place = np.unique(cell, return_inverse=True)
    return numbers, place


def _totals(place: Ints, each: Array | None, n_cells: int) -> Array:
    """The sum of what each row adds to its cell, in its type: NumPy adds up weights as floats."""
    if each is not None and each.dtype.kind == "i" and each.sum(dtype=np.float64) >= _EXACT:
        exact = np.zeros(n_cells, dtype=each.dtype)
        np.add.at(exact, place, each)  # slower, but without floats
        return exact
    totals = np.bincount(place, weights=each, minlength=n_cells)
    return totals if each is None else totals.astype(each.dtype, copy=False)


def _joined(matrix: Floats, place: Ints, n_cells: int) -> Floats:
    """The sums of the columns that have the same place."""
    joined = np.zeros((n_cells, len(matrix)))
    np.add.at(joined, place, matrix.T)
    return joined.T


def _by_cluster(
    place: Ints, units: RowUnits, n_cells: int, keep: bool
) -> tuple[Floats, Array, Floats]:
    """The second moments of the clusters' cell totals; labels and totals of the clusters."""
    from scipy.sparse import coo_array

    assert units.clusters is not None
    assert units.labels is not None
    each = units.totals
    ones = np.ones(len(place)) if each is None else each.astype(np.float64)
    shape = (len(units.labels), n_cells)
    totals = coo_array((ones, (units.clusters, place)), shape=shape).tocsr()
    squares = (totals.T @ totals).toarray()
    return squares, units.labels, totals.toarray() if keep else np.zeros((0, n_cells))


def _added_squares(parts: tuple[CellSums, CellSums], places: Any, n_cells: int) -> Floats:
    """The second moments of two samples: diagonal unless one of them has clusters."""
    full = any(part.squares is not None and part.squares.ndim == 2 for part in parts)
    first, second = (
        _placed_squares(part, place, n_cells, full)
        for part, place in zip(parts, places, strict=True)
    )
    return first + second


def _placed_squares(part: CellSums, place: Ints, n_cells: int, full: bool) -> Floats:
    """The second moments of a part at the places of its cells, as a diagonal or a full matrix."""
    squares = np.zeros((n_cells, n_cells) if full else n_cells)
    own = part.totals.astype(np.float64) if part.squares is None else part.squares
    if own.ndim == 2:
        squares[np.ix_(place, place)] = own
    else:
        squares[(place, place) if full else place] = own
    return squares


def _subtracted_clusters(
    whole: ClusterTotals, part: ClusterTotals, here: Ints, there: Ints, n_cells: int
) -> ClusterTotals:
    """The totals of clusters without those of a part; clusters without rows are left out."""
    labels = np.union1d(whole.labels, part.labels)
    tables = []
    for clusters, place in ((whole, here), (part, there)):
        table = np.zeros((len(labels), n_cells))
        table[np.ix_(np.searchsorted(labels, clusters.labels), place)] = clusters.totals
        tables.append(table)
    left = difference(tables[0], tables[1], "rows of a cluster")
    kept = left.any(axis=1)
    return ClusterTotals(labels[kept], left[kept])


def _added_clusters(
    parts: tuple[CellSums, CellSums], places: Any, numbers: Ints, totals: Array
) -> CellSums:
    """The sums of parts that may share clusters: their totals are added cluster by cluster."""
    first, second = (part.clusters for part in parts)
    assert first is not None
    assert second is not None
    labels = np.union1d(first.labels, second.labels)
    joint = np.zeros((len(labels), len(numbers)))
    for clusters, place in zip((first, second), places, strict=True):
        joint[np.ix_(np.searchsorted(labels, clusters.labels), place)] += clusters.totals
    return CellSums(numbers, totals, joint.T @ joint, ClusterTotals(labels, joint))
