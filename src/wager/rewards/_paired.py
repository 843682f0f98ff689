"""The paired tally: how two classifiers did on the same rows.

Two tallies show what each classifier earns.  How precisely their difference is known depends on
how their rewards vary together, row by row.  The joint counts of (size, hit) of both contain this
information, and like tallies they add up over parts of the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import index
from typing import Any, Self

import numpy as np

from wager._tables import (
    ROUNDING,
    ComparedFields,
    RowUnits,
    Table,
    View,
    ViewedFields,
    counted,
    not_complex,
    real_numbers,
    require_sorted,
)
from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager.predictions import align, as_sets, class_source
from wager.rewards._cell_sums import CellSums, ClusterTotals
from wager.rewards._count import CheckedRows, cell_numbers, cell_of, chunks, read_rows
from wager.rewards._estimate import Estimate, estimate_mean
from wager.rewards._partitions import by_partition
from wager.rewards._summable import (
    Combine,
    SummableTally,
    check_same_number,
    plain_data,
    plain_integers,
    plain_numbers,
)
from wager.rewards._tally import (
    Tally,
    checked_counts,
    checked_moments,
    whole_classes,
    worth_by_size,
)
from wager.rewards._utility_names import UtilityLike, get_utility


@dataclass(frozen=True, eq=False, repr=False)
class Difference(ComparedFields, ViewedFields):
    """Mean and population variance of the row differences in utility, first minus second.

    It unpacks as ``mean, variance, n``.

    Attributes
    ----------
    mean : float
        Mean of the differences.
    variance : float
        Their population variance.
    n : float
        The number of rows, or their total weight.
    estimate : Estimate
        The mean with its standard error and interval.
    """

    mean: float
    variance: float
    n: float
    estimate: Estimate = field(repr=False, compare=False)

    def __iter__(self) -> Iterator[float]:
        return iter((self.mean, self.variance, self.n))

    @property
    def standard_error(self) -> float:
        """Standard error of the mean difference."""
        return self.estimate.standard_error

    @property
    def p(self) -> float:
        """Two-sided p-value of the hypothesis that the mean difference is 0."""
        return self.estimate.p_value(0.0)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence interval of the mean difference, within its possible range."""
        return self.estimate.interval(level)


def difference_of(estimate: Estimate, variance: float, n: float, size: float) -> Difference:
    """A difference whose mean is 0 if it is a rounding error beside the size of what is subtracted.

    Two classifiers that earn the same on different rows differ by the rounding of weights.
    """
    mean = 0.0 if abs(estimate.value) <= ROUNDING * size else estimate.value
    return Difference(mean, variance, n, estimate)


@dataclass(frozen=True, eq=False, repr=False, init=False)
class PairedTally(SummableTally):
    """Joint counts of (size, hit) of two classifiers on the same rows.

    Parameters
    ----------
    n_classes : int
        The number of classes K.
    outcomes : array of shape (m, 4)
        The joint outcomes that occurred: size and hit of the first, size and hit of the second.
    counts : array of shape (m,)
        How often each occurred, or its total weight.
    squares : array, optional
        The second moments of what independent units add to the outcomes, as in `CellSums`; by
        default every row is one unit of weight 1.
    clusters : ClusterTotals, optional
        The totals of each cluster, for parts that divide clusters.

    Examples
    --------
    >>> y = [0, 1, 1]
    >>> a = np.array([[1, 1], [0, 1], [1, 1]], dtype=bool)
    >>> b = np.array([[1, 0], [1, 0], [0, 1]], dtype=bool)
    >>> paired = PairedTally.of(y, a, b)
    >>> round(paired.difference("u65").mean, 4)
    0.1
    >>> paired.a == Tally.of(y, a)
    True
    """

    n_classes: int
    sums: CellSums

    def __init__(
        self,
        n_classes: int,
        outcomes: ArrayLike,
        counts: ArrayLike,
        squares: ArrayLike | None = None,
        clusters: ClusterTotals | None = None,
    ) -> None:
        n_classes = whole_classes(n_classes)
        joint = _checked_outcomes(outcomes, n_classes)
        number = checked_counts(np.array(not_complex(counts, "counts")))
        if number.shape != (len(joint),):
            raise ValueError(
                f"a paired tally needs one count for each of its {len(joint)} outcomes, got counts "
                f"of the shape {number.shape}"
            )
        cells = _number(joint.T, n_classes)
        moments = None if squares is None else checked_moments(squares)
        sums = CellSums(cells, number, moments, clusters)
        if (np.diff(cells) <= 0).any():
            sums = sums.renumbered(cells)
        sums = sums.occurring()
        object.__setattr__(self, "n_classes", n_classes)
        object.__setattr__(self, "sums", sums)

    @classmethod
    def of_sums(cls, n_classes: int, sums: CellSums) -> Self:
        """The paired tally of cells numbered as `joint_number` does."""
        paired = cls.__new__(cls)
        object.__setattr__(paired, "n_classes", n_classes)
        object.__setattr__(paired, "sums", sums)
        return paired

    @classmethod
    @by_partition
    def of(
        cls,
        y_true: ArrayLike,
        pred_a: Any,
        pred_b: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        counts: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        keep_clusters: bool = False,
    ) -> PairedTally:
        """Count two classifiers' predictions by size and hit, jointly, in one pass.

        Parameters
        ----------
        y_true, classes, sample_weight, counts, groups, keep_clusters
            As in `Tally.of`.
        pred_a, pred_b : anything `wager.as_sets` takes
            The predictions of both classifiers for the same rows.
        """
        rows_a, rows_b = read_pair(y_true, pred_a, pred_b, classes, sample_weight, counts, groups)
        n_classes = len(rows_a.sets.classes)
        if not rows_a.units.is_plain or keep_clusters:
            numbers = joint_number(cell_numbers(rows_a), cell_numbers(rows_b), n_classes)
            return cls.of_sums(
                n_classes, CellSums.of(numbers, rows_a.units, keep_clusters=keep_clusters)
            )
        parts = []
        for (_, a), (_, b) in zip(chunks(rows_a), chunks(rows_b), strict=True):
            number = joint_number(cell_of(*a[1:]), cell_of(*b[1:]), n_classes)
            parts.append(CellSums.of(number, RowUnits()))
        return cls.of_sums(n_classes, sum(parts[1:], parts[0]) if parts else _NOTHING)

    @classmethod
    def of_outcomes(
        cls, n_classes: int, size_a: Ints, hit_a: Bools, size_b: Ints, hit_b: Bools
    ) -> PairedTally:
        """Count rows of which the sizes of both predictions and their hits are known.

        Examples
        --------
        >>> hit, miss = np.array([True]), np.array([False])
        >>> PairedTally.of_outcomes(3, np.array([2]), hit, np.array([1]), miss).outcomes.tolist()
        [[2, 1, 1, 0]]
        """
        number = _number((size_a, hit_a, size_b, hit_b), n_classes)
        return cls.of_sums(n_classes, CellSums.of(number, RowUnits()))

    @classmethod
    def empty(cls, n_classes: int) -> PairedTally:
        """The paired tally of no rows."""
        return cls.of_sums(whole_classes(n_classes), _NOTHING)

    def _check_alike(self, other: Self, verb: str) -> None:
        check_same_number(self.n_classes, other.n_classes, verb)

    def _combined(self, other: Self, by: Combine) -> Self:
        return self.of_sums(self.n_classes, by(self.sums, other.sums))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairedTally):
            return NotImplemented
        return self.n_classes == other.n_classes and self.sums.same_as(other.sums)

    def _view(self) -> View:
        first, second = ({row[0]: row[1:] for row in t.rows()} for t in (self.a, self.b))
        sizes = sorted({*first, *second})
        lines = [[k, *first.get(k, (0, 0)), *second.get(k, (0, 0))] for k in sizes]
        headers = ["size", "a misses", "a hits", "b misses", "b hits"]
        many = counted(self.n_classes, "class")
        title = f"{counted(self.n, 'row', '.10g')} over {many}, predicted by a and b"
        return View(title, [Table(headers, lines)])

    @cached_property
    def outcomes(self) -> Ints:
        """The joint outcomes that occurred, (m, 4): size, hit, size, hit."""
        first, second = np.divmod(self.sums.numbers, 2 * self.n_classes + 2)
        return np.stack([first // 2, first % 2, second // 2, second % 2], axis=1)

    @property
    def counts(self) -> Array:
        """How often each outcome occurred, or its total weight."""
        return self.sums.totals

    @property
    def n(self) -> float:
        """The number of rows, or their total weight."""
        return self.sums.n

    @property
    def effective_n(self) -> float:
        """The equivalent number of equally large independent units."""
        return self.sums.n_units

    @property
    def a(self) -> Tally:
        """The tally of the first classifier."""
        return self._marginal(self.sums.numbers // (2 * self.n_classes + 2))

    @property
    def b(self) -> Tally:
        """The tally of the second classifier."""
        return self._marginal(self.sums.numbers % (2 * self.n_classes + 2))

    def _marginal(self, cell: Ints) -> Tally:
        return Tally.of_sums(self.n_classes, self.sums.renumbered(cell))

    def swap(self) -> PairedTally:
        """The same rows with the two classifiers exchanged."""
        first, second = np.divmod(self.sums.numbers, 2 * self.n_classes + 2)
        swapped = joint_number(second, first, self.n_classes)
        return PairedTally.of_sums(self.n_classes, self.sums.renumbered(swapped))

    def where(self, rows: Bools) -> PairedTally:
        """The paired tally of some joint outcomes: ``paired.where(paired.outcomes[:, 0] > 1)``."""
        return PairedTally.of_sums(self.n_classes, self.sums.where(rows))

    def gaps(self, worth: Floats) -> tuple[Floats, Floats]:
        """The differences of all outcomes under several utilities, and their largest value.

        Parameters
        ----------
        worth : array of shape (m, K + 1)
            Under each utility, what a miss and hits with 1, ..., K classes are worth.

        Returns
        -------
        gaps : array of shape (m, number of outcomes)
            The utility of the first prediction minus that of the second.
        largest : array of shape (m,)
            The largest possible difference; the smallest one is its negative.
        """
        size_a, hit_a, size_b, hit_b = self.outcomes.T
        gaps = worth[:, size_a * hit_a] - worth[:, size_b * hit_b]
        return gaps, np.nanmax(worth, axis=1) - np.nanmin(worth, axis=1)

    def difference(self, utility: UtilityLike) -> Difference:
        """Mean, population variance and number of the row differences u(a) - u(b).

        Returns
        -------
        Difference
            ``(mean, variance, n)``, with `standard_error` and `interval`.
        """
        if self.n == 0:
            raise ValueError("there are no rows to compare the classifiers on: pass at least one")
        sizes = self.outcomes[:, [0, 2]] * self.outcomes[:, [1, 3]]
        u = get_utility(utility)
        worth = worth_by_size(u, self.n_classes, int(sizes.max()))
        gaps, largest = self.gaps(worth[None])
        estimate = estimate_mean(gaps[0], self.sums, -float(largest[0]), float(largest[0]))
        shares = self.a.hit_shares - self.b.hit_shares
        estimate = u.with_own_error(estimate, shares, is_difference=True)
        spread = float(self.counts @ (gaps[0] - estimate.value) ** 2) / float(self.n)
        return difference_of(estimate, spread, self.effective_n, float(largest[0]))

    def to_dict(self) -> dict[str, Any]:
        """The paired tally as plain data."""
        return {
            "n_classes": self.n_classes,
            "outcomes": self.outcomes.tolist(),
            "counts": self.counts.tolist(),
            **self.sums.moments_to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The paired tally that `to_dict` wrote, or version 0.1.0 with one sum of squares."""
        keys = ["n_classes", "outcomes", "counts"]
        with plain_data(cls, data, keys, ["squares", "clusters", "weight_squares"]):
            n_classes = index(plain_integers(data["n_classes"], "n_classes"))
            outcomes = plain_integers(data["outcomes"], "outcomes")
            counts, old = plain_numbers(data["counts"], "counts"), data.get("weight_squares")
            moments = dict(data)
            if old is not None and counts.dtype.kind == "f":
                moments["squares"] = (counts * (old / counts.sum())).tolist()
            sums = CellSums.from_dict(np.arange(len(counts)), counts, moments)
            return cls(n_classes, outcomes, counts, sums.squares, sums.clusters)


_NOTHING = CellSums(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def read_pair(
    y_true: ArrayLike,
    pred_a: Any,
    pred_b: Any,
    classes: ArrayLike | None,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> tuple[CheckedRows, CheckedRows]:
    """The rows of two classifiers over the same classes; the first ones have the units."""
    if classes is None:  # labels are read once, and then moved to the classes of both
        pred_a, pred_b = (
            as_sets(one) if class_source(one)[0] == "labels" else one for one in (pred_a, pred_b)
        )
    shared = shared_classes(y_true, (pred_a, pred_b), classes)
    first = read_rows(y_true, pred_a, shared, sample_weight, counts, groups)
    return first, read_rows(y_true, pred_b, shared)


def shared_classes(
    y_true: ArrayLike, predictions: Iterable[Any], classes: ArrayLike | None = None
) -> ArrayLike | None:
    """The classes of several predictions for the same rows.

    They are as declared; or those of the prediction that declares most; or, for matrices without
    names, those of the truth; or all labels that occur in the truth and in any of the predictions.
    """
    if classes is not None:
        return classes
    known = list(predictions)
    sources = [class_source(prediction) for prediction in known]
    declared = [names for _, names in sources if names is not None]
    without_names = [
        p for p, (source, _) in zip(known, sources, strict=True) if source == "columns"
    ]
    if declared:
        most = max(declared, key=len)
        if without_names:
            require_sorted(most, "a matrix of predictions", "other predictions")
        return most
    if without_names:
        return align(y_true, without_names[0])[1].classes
    found = [align(y_true, prediction)[1].classes for prediction in known]
    if all(np.array_equal(found[0], other) for other in found[1:]):
        return found[0] if len(found[0]) else None
    return np.unique(np.concatenate(found))


def _checked_outcomes(outcomes: ArrayLike, n_classes: int) -> Ints:
    """Joint outcomes as integers, one per row: size and hit of the first, and of the second."""
    joint = real_numbers(outcomes, "outcomes")
    if joint.size % 4:
        raise ValueError(
            f"an outcome is size, hit, size, hit: outcomes have the shape (m, 4), got {joint.shape}"
        )
    joint = joint.reshape(-1, 4)
    if not (joint == np.floor(joint)).all():
        raise ValueError("outcomes must be whole numbers: sizes and hits")
    sizes, hits = joint[:, [0, 2]], joint[:, [1, 3]]
    if ((sizes < 0) | (sizes > n_classes) | ~np.isin(hits, (0, 1))).any():
        raise ValueError(
            f"an outcome is size, hit, size, hit with sizes 0..{n_classes} and hits 0 or 1"
        )
    return joint.astype(np.int64)


def joint_number(first: Ints, second: Ints, n_classes: int) -> Ints:
    """Encode the cells of two predictions as one number."""
    return first.astype(np.intp) * (2 * n_classes + 2) + second


def _number(outcome: Iterable[Array], n_classes: int) -> Ints:
    """Encode each joint outcome (size, hit, size, hit) as one number."""
    size_a, hit_a, size_b, hit_b = outcome
    return joint_number(cell_of(size_a, hit_a), cell_of(size_b, hit_b), n_classes)
