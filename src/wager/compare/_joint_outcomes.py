"""The outcomes of several classifiers on the same rows, all of them together.

Joint counts of every two classifiers are enough for all results.  For many classifiers and not so
many rows, a table of the distinct rows with the outcome of every classifier is smaller, and the
joint counts of any two follow from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import RowUnits
from wager._typing import Array, ArrayLike, Floats, Ints
from wager.predictions import size_and_hit
from wager.rewards import CheckedRows, cell_of, read_rows, shared_classes

MOST_ENTRIES = 1 << 21  # rows times classifiers: larger tables are not worth keeping
_MUTABLE = list | set | np.ndarray  # what a set of labels may be


@dataclass(frozen=True, eq=False)
class JointOutcomes:
    """The distinct rows of outcomes, and what their rows count for.

    Parameters
    ----------
    numbers : array of shape (n_classifiers, m)
        The outcome of each classifier: twice the size of its set, plus one for a hit; or the
        number of another kind of outcome.
    totals : array of shape (m,)
        Counts as integers, or total weights as floats.
    squares : array of shape (m,), optional
        The sums of squared weights, for rows of different weights.
    clusters : array of shape (m,), optional
        The cluster of each row as a code, ascending; clusters share no rows.

    Examples
    --------
    >>> found = JointOutcomes.of([np.array([3, 3, 5]), np.array([2, 2, 3])], RowUnits())
    >>> found.numbers.tolist(), found.totals.tolist()
    ([[3, 5], [2, 3]], [2, 1])
    """

    numbers: Ints
    totals: Array
    squares: Floats | None = None
    clusters: Ints | None = None

    @classmethod
    def of(cls, outcomes: Sequence[Ints], units: RowUnits) -> JointOutcomes:
        """Join the rows on which all classifiers have the same outcomes."""
        place = np.zeros(len(outcomes[0]), dtype=np.int64)
        if units.clusters is not None:
            place = units.clusters.astype(np.int64)
        for cell in outcomes:  # the place orders rows by cluster, then by the outcomes so far
            width = int(cell.max(initial=0)) + 1
            _, place = np.unique(place * width + cell, return_inverse=True)
        n_rows = int(place.max(initial=-1)) + 1
        first = np.zeros(n_rows, dtype=np.intp)
        first[place[::-1]] = np.arange(len(place))[::-1]
        clusters = None if units.clusters is None else units.clusters[first]
        weighted = units.weights is not None and clusters is None
        found = cls(
            np.stack([cell[first] for cell in outcomes]),
            _sums(place, units.totals, n_rows),
            _sums(place, units.squares, n_rows) if weighted else None,
            clusters,
        )
        return found.where(found.totals > 0)

    def where(self, kept: Array) -> JointOutcomes:
        """Some of the rows."""
        if kept.all():
            return self
        squares = None if self.squares is None else self.squares[kept]
        clusters = None if self.clusters is None else self.clusters[kept]
        return JointOutcomes(self.numbers[:, kept], self.totals[kept], squares, clusters)


def _sums(place: Ints, each: Array | None, n_rows: int) -> Array:
    sums = np.bincount(place, weights=each, minlength=n_rows)
    return sums if each is None else sums.astype(each.dtype, copy=False)


@dataclass(frozen=True, eq=False, repr=False)
class ComparedRows:
    """The rows of a comparison, for results that joint counts of sizes and hits do not show.

    Parameters
    ----------
    y_true, predictions, classes, sample_weight, counts, groups
        As in `head_to_head`.
    """

    y_true: ArrayLike
    predictions: Mapping[str, Any]
    classes: ArrayLike | None = None
    sample_weight: ArrayLike | None = None
    counts: ArrayLike | None = None
    groups: ArrayLike | None = None

    def kept(self) -> ComparedRows:
        """Copies: the rows are read again for pages, and the caller may have changed them then."""
        predictions = {name: _copied(each) for name, each in self.predictions.items()}
        columns = (self.classes, self.sample_weight, self.counts, self.groups)
        return ComparedRows(_copied(self.y_true), predictions, *map(_copied, columns))

    @property
    def names(self) -> tuple[str, ...]:
        """The classifiers."""
        return tuple(self.predictions)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(np.shape(self.y_true)[0])

    def read(self, name: str) -> CheckedRows:
        """The predictions of a classifier over the classes of all of them."""
        shared = shared_classes(self.y_true, self.predictions.values(), self.classes)
        units = (self.sample_weight, self.counts, self.groups)
        return read_rows(self.y_true, self.predictions[name], shared, *units)

    def outcomes(self) -> JointOutcomes | None:
        """The outcomes of all classifiers together; None if there are too many."""
        if self.n_rows * len(self.predictions) > MOST_ENTRIES:
            return None
        cells = []
        for name in self.predictions:
            rows = self.read(name)
            size, hit = size_and_hit(rows.codes, rows.sets)
            cells.append(cell_of(size.astype(np.int64), hit))
        return JointOutcomes.of(cells, rows.units)


def _copied(values: Any) -> Any:
    """A copy of an array, a frame or a list, with its lists of labels; other values as they are."""
    if isinstance(values, list):
        if not any(issubclass(t, _MUTABLE) for t in set(map(type, values))):
            return list(values)
        return [row.copy() if isinstance(row, _MUTABLE) else row for row in values]
    own = getattr(values, "copy", None)
    return own() if callable(own) else values
