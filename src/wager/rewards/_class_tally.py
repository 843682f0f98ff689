"""Separate tallies: one for each true class, or one for each part of the rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from wager._tables import Table, View, check_classes, counted, encode_labels, unmasked
from wager._typing import Array, ArrayLike, Floats, Ints
from wager.rewards._cell_sums import CellSums, ClusterTotals
from wager.rewards._count import (
    cell_numbers,
    parts_of,
    read_rows,
    split_sums,
    sums_by_group,
    sums_of_tables,
)
from wager.rewards._estimate import Estimate
from wager.rewards._summable import (
    Combine,
    SummableTally,
    check_same_classes,
    plain_data,
    plain_integers,
    plain_labels,
    plain_numbers,
)
from wager.rewards._tally import Tally, checked_counts, checked_moments
from wager.rewards._utility_names import UtilityLike

_LARGEST_TABLE = 100  # classes up to which plain data has the whole table


@dataclass(frozen=True, eq=False, repr=False, init=False)
class ClassTally(SummableTally):
    """One tally for each true class.

    Parameters
    ----------
    table : array of shape (K, K + 1, 2)
        Counts by true class, set size and miss or hit.
    classes : array of shape (K,)
        The true classes.
    squares : array, optional
        The second moments of what independent units add to the cells that are not empty, as in
        `CellSums`; by default every row is one unit of weight 1.
    clusters : ClusterTotals, optional
        The totals of each cluster, for parts that divide clusters.

    Examples
    --------
    >>> tally = ClassTally.of(["a", "b", "b"], ["a", "a", "b"])
    >>> tally.coverage.tolist()
    [1.0, 0.5]
    >>> tally["b"].n, tally.total == Tally.of(["a", "b", "b"], ["a", "a", "b"])
    (2, True)
    >>> tally
    3 predictions over 2 classes
    true class  rows  hits  coverage  mean size
    -------------------------------------------
    a              1     1    1.0000     1.0000
    b              2     1    0.5000     1.0000
    """

    sums: CellSums
    classes: Array

    def __init__(
        self,
        table: ArrayLike,
        classes: ArrayLike,
        squares: ArrayLike | None = None,
        clusters: ClusterTotals | None = None,
    ) -> None:
        counts, labels = np.array(unmasked(table)), check_classes(classes)
        if counts.shape != (len(labels), len(labels) + 1, 2):
            raise ValueError(
                f"a tally by class over {len(labels)} classes has the shape "
                f"({len(labels)}, {len(labels) + 1}, 2), got {counts.shape}"
            )
        found = sums_of_tables(checked_counts(counts))
        moments = None if squares is None else checked_moments(squares)
        self._set(CellSums(found.numbers, found.totals, moments, clusters), labels)

    def _set(self, sums: CellSums, classes: Array) -> None:
        object.__setattr__(self, "sums", sums)
        object.__setattr__(self, "classes", classes)

    @classmethod
    def of_sums(cls, sums: CellSums, classes: Array) -> Self:
        """The tally of cells numbered by class, size and hit, in the order of `table`."""
        tally = cls.__new__(cls)
        tally._set(sums, classes)
        return tally

    @classmethod
    def of(
        cls,
        y_true: ArrayLike,
        y_pred: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        counts: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> ClassTally:
        """Count predictions by true class, size and hit, in one pass; arguments of `Tally.of`."""
        rows = read_rows(y_true, y_pred, classes, sample_weight, counts, groups)
        n_classes = len(rows.sets.classes)
        return cls.of_sums(sums_by_group(rows.codes, n_classes, rows), rows.sets.classes)

    @property
    def table(self) -> Array:
        """Counts by true class, set size and miss or hit."""
        K = len(self.classes)
        table = np.zeros(K * (2 * K + 2), dtype=self.sums.totals.dtype)
        table[self.sums.numbers] = self.sums.totals
        return table.reshape(K, K + 1, 2)

    def _check_alike(self, other: Self, verb: str) -> None:
        check_same_classes(self.classes, other.classes, verb)

    def _combined(self, other: Self, by: Combine) -> Self:
        return self.of_sums(by(self.sums, other.sums), self.classes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassTally):
            return NotImplemented
        return np.array_equal(self.classes, other.classes) and self.sums.same_as(other.sums)

    def _view(self) -> View:
        K = len(self.classes)
        code, number, hit = self._cells
        each = self.sums.totals.astype(np.float64)  # sizes times counts may exceed integers
        rows, hits, sizes = (
            np.bincount(code, weight, K) for weight in (each, each * hit, each * number)
        )
        rows, hits = (sums.astype(self.sums.totals.dtype) for sums in (rows, hits))
        size = np.divide(sizes, rows, out=np.full(K, np.nan), where=rows > 0)
        columns = (self.classes, rows, hits, self.coverage, size)
        lines = list(zip(*(column.tolist() for column in columns), strict=True))
        headers = ["true class", "rows", "hits", "coverage", "mean size"]
        return View(
            f"{counted(self.sums.n, 'prediction', '.10g')} over {counted(K, 'class')}",
            [Table(headers, lines)],
        )

    @property
    def _cells(self) -> tuple[Ints, Ints, Ints]:
        """True class, size and hit of every cell that is not empty."""
        code, cell = np.divmod(self.sums.numbers, 2 * len(self.classes) + 2)
        return code, cell // 2, cell % 2

    def __getitem__(self, label: Any) -> Tally:
        """The tally of the rows whose true class is `label`."""
        (code,), _ = encode_labels([label], self.classes, name="the class")
        return Tally.of_sums(len(self.classes), part_of(self.sums, int(code), len(self.classes)))

    def tallies(self) -> dict[Any, Tally]:
        """The tally of each class, by its label."""
        K = len(self.classes)
        parts = split_sums(self.sums, K, 2 * K + 2)
        tallies = (Tally.of_sums(K, part) for part in parts)
        return dict(zip(self.classes.tolist(), tallies, strict=True))

    @property
    def total(self) -> Tally:
        """The tally of all rows."""
        K = len(self.classes)
        return Tally.of_sums(K, self.sums.renumbered(self.sums.numbers % (2 * K + 2)))

    def score(self, score: Any) -> dict[Any, Estimate]:
        """One score of the rows of each true class, by the class; those without rows have NaN.

        Examples
        --------
        >>> tally = ClassTally.of(["a", "b", "b"], ["a", "a", "b"])
        >>> {label: part.value for label, part in tally.score("single_accuracy").items()}
        {'a': 1.0, 'b': 0.5}
        """
        self.total.score(score)  # a wrong name or no rows at all
        return {
            label: part.score(score) if part.n else Estimate(np.nan, np.nan, 0.0)
            for label, part in self.tallies().items()
        }

    def scores(
        self, utilities: Iterable[UtilityLike] | UtilityLike = ("u50", "u65", "u80")
    ) -> dict[Any, dict[str, Estimate]]:
        """Every score of the rows of each true class, by class and name; `total` has the others."""
        return {label: part.scores(utilities) for label, part in self.tallies().items() if part.n}

    @property
    def coverage(self) -> Floats:
        """How often the sets contain the true class, by class; NaN for a class without rows."""
        code, _, hit = self._cells
        table = np.zeros((len(self.classes), 2))
        np.add.at(table, (code, hit), self.sums.totals)
        return share_of_hits(table)

    def to_dict(self) -> dict[str, Any]:
        """The tally as plain data; of many classes, only the cells that are not empty."""
        data: dict[str, Any] = {"classes": self.classes.tolist()}
        if len(self.classes) <= _LARGEST_TABLE:
            data["table"] = self.table.tolist()
        else:
            data["numbers"] = self.sums.numbers.tolist()
            data["totals"] = self.sums.totals.tolist()
        return data | self.sums.moments_to_dict()

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The tally that `to_dict` wrote, or version 0.1.0 with a sum of squares per class."""
        listed = isinstance(data, Mapping) and "numbers" in data
        keys = ["classes", *(["numbers", "totals"] if listed else ["table"])]
        with plain_data(cls, data, keys, ["squares", "clusters", "weight_squares"]):
            classes = plain_labels(data["classes"])
            if listed:
                K = len(classes)
                numbers = plain_integers(data["numbers"], "numbers", K * (2 * K + 2))
                totals = plain_numbers(data["totals"], "totals", numbers.shape)
                if (np.diff(numbers) <= 0).any():
                    raise ValueError("numbers must be ascending")
                return cls.of_sums(CellSums.from_dict(numbers, totals, data), classes)
            table = plain_numbers(data["table"], "table")
            tally, old = cls(table, classes), data.get("weight_squares")
            if old is not None and table.dtype.kind == "f":
                totals = table.sum(axis=(1, 2))
                ratio = np.divide(old, totals, out=np.zeros(len(totals)), where=totals > 0)
                return cls(table, classes, (table * ratio[:, None, None])[table > 0])
            sums = CellSums.from_dict(tally.sums.numbers, tally.sums.totals, data)
            return cls.of_sums(sums, classes)


def part_of(sums: CellSums, group: int, n_classes: int) -> CellSums:
    """The sums of one group of sums by (group, size, hit), numbered by size and hit."""
    width = 2 * n_classes + 2
    part = sums.where(sums.numbers // width == group)
    return CellSums(part.numbers % width, part.totals, part.squares, part.clusters)


def share_of_hits(table: Array) -> Floats:
    """Share of hits, from a table with the columns miss and hit; NaN for rows without counts."""
    total = table.sum(axis=-1)
    return np.divide(table[..., 1], total, out=np.full(total.shape, np.nan), where=total > 0)


def tally_by(
    by: ArrayLike,
    y_true: ArrayLike,
    y_pred: Any,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> dict[Any, Tally]:
    """One tally for each part of the rows, by the label of the part.

    Parameters
    ----------
    by : array-like of shape (n,)
        The part that each row belongs to, such as a hospital.
    y_true, y_pred, classes, sample_weight, counts, groups
        As in `Tally.of`.

    Examples
    --------
    >>> parts = tally_by(["x", "y", "x"], [0, 1, 1], [0, 0, 1])
    >>> {part: tally.expected_utility("u50") for part, tally in parts.items()}
    {'x': 1.0, 'y': 0.0}
    """
    rows = read_rows(y_true, y_pred, classes, sample_weight, counts, groups)
    member, labels = parts_of(by, rows)
    K = len(rows.sets.classes)
    found = {}
    if rows.units.clusters is None:
        parts = split_sums(sums_by_group(member, len(labels), rows), len(labels), 2 * K + 2)
        tallies = (Tally.of_sums(K, part) for part in parts)
        return dict(zip(labels.tolist(), tallies, strict=True))
    cell = cell_numbers(rows)  # clusters: the products of cells are needed within each part only
    for i, label in enumerate(labels.tolist()):
        here = np.flatnonzero(member == i)
        found[label] = Tally.of_sums(K, CellSums.of(cell[here], rows.units.take(here)))
    return found
