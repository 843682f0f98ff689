"""Separate tallies: one for each true class, or one for each group of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from wager._tables import encode_labels
from wager._typing import Array, ArrayLike, Floats
from wager.rewards._count import count_by_group, read_rows, square_sums
from wager.rewards._tally import SummableTally, Tally


@dataclass(frozen=True, eq=False, init=False)
class ClassTally(SummableTally):
    """One tally for each true class.

    Parameters
    ----------
    table : array of shape (K, K + 1, 2)
        Counts by true class, set size and miss or hit.
    classes : array of shape (K,)
        The true classes.
    weight_squares : array of shape (K,), optional
        Sum of the squared weights of the rows of each class; by default every row has weight 1.

    Examples
    --------
    >>> tally = ClassTally.of(["a", "b", "b"], ["a", "a", "b"])
    >>> tally.coverage.tolist()
    [1.0, 0.5]
    >>> tally["b"].n, tally.total == Tally.of(["a", "b", "b"], ["a", "a", "b"])
    (2, True)
    """

    table: Array
    classes: Array
    weight_squares: Floats

    def __init__(
        self, table: ArrayLike, classes: ArrayLike, weight_squares: ArrayLike | None = None
    ) -> None:
        counts, labels = np.array(table), np.asarray(classes)
        if counts.shape != (len(labels), len(labels) + 1, 2):
            raise ValueError(
                f"a tally by class over {len(labels)} classes has the shape "
                f"({len(labels)}, {len(labels) + 1}, 2), got {counts.shape}"
            )
        squares = counts.sum(axis=(1, 2)) if weight_squares is None else weight_squares
        object.__setattr__(self, "table", counts)
        object.__setattr__(self, "classes", labels)
        object.__setattr__(self, "weight_squares", np.asarray(squares, dtype=np.float64))

    @classmethod
    def of(
        cls,
        y_true: ArrayLike,
        y_pred: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> ClassTally:
        """Count predictions by true class, size and hit, in one pass."""
        rows = read_rows(y_true, y_pred, classes, sample_weight)
        by_class = rows.codes, len(rows.sets.classes), rows
        return cls(count_by_group(*by_class), rows.sets.classes, square_sums(*by_class))

    def __add__(self, other: ClassTally) -> ClassTally:
        if not isinstance(other, ClassTally):
            return NotImplemented
        if not np.array_equal(self.classes, other.classes):
            raise ValueError(
                f"cannot add counts over the classes {self.classes.tolist()} to counts over "
                f"{other.classes.tolist()}: both parts must list the same classes"
            )
        squares = self.weight_squares + other.weight_squares
        return ClassTally(self.table + other.table, self.classes, squares)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassTally):
            return NotImplemented
        return np.array_equal(self.classes, other.classes) and np.array_equal(
            self.table, other.table
        )

    def __getitem__(self, label: Any) -> Tally:
        """The tally of the rows whose true class is `label`."""
        (code,), _ = encode_labels([label], self.classes, name="the class")
        return Tally(self.table[code], float(self.weight_squares[code]))

    def tallies(self) -> dict[Any, Tally]:
        """The tally of each class, by its label."""
        return {label: self[label] for label in self.classes.tolist()}

    @property
    def total(self) -> Tally:
        """The tally of all rows."""
        return Tally(self.table.sum(axis=0), float(self.weight_squares.sum()))

    @property
    def coverage(self) -> Floats:
        """How often the sets contain the true class, by class; NaN for a class without rows."""
        return share_of_hits(self.table.sum(axis=1))

    def to_dict(self) -> dict[str, Any]:
        """The tally as plain data."""
        return {
            "classes": self.classes.tolist(),
            "table": self.table.tolist(),
            "weight_squares": self.weight_squares.tolist(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The tally that `to_dict` wrote."""
        return cls(data["table"], data["classes"], data.get("weight_squares"))


def share_of_hits(table: Array) -> Floats:
    """Share of hits, from a table with the columns miss and hit; NaN for rows without counts."""
    total = table.sum(axis=-1)
    return np.divide(table[..., 1], total, out=np.full(total.shape, np.nan), where=total > 0)


def tally_by(
    groups: ArrayLike,
    y_true: ArrayLike,
    y_pred: Any,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> dict[Any, Tally]:
    """One tally for each group of rows, by the label of the group.

    Examples
    --------
    >>> by = tally_by(["x", "y", "x"], [0, 1, 1], [0, 0, 1])
    >>> {group: tally.expected_utility("u50") for group, tally in by.items()}
    {'x': 1.0, 'y': 0.0}
    """
    member, labels = encode_labels(groups, name="groups")
    rows = read_rows(y_true, y_pred, classes, sample_weight)
    if len(member) != len(rows.codes):
        raise ValueError(f"groups has {len(member)} rows but y_true has {len(rows.codes)}")
    tables = count_by_group(member, len(labels), rows)
    squares = square_sums(member, len(labels), rows)
    return {
        label: Tally(table, float(square))
        for label, table, square in zip(labels.tolist(), tables, squares, strict=True)
    }
