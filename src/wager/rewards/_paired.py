"""The paired tally: how two classifiers did on the same rows.

Two tallies show what each classifier earns.  How precisely their difference is known depends on
how their rewards vary together, row by row.  The joint counts of (size, hit) of both contain this
information, and like tallies they add up over parts of the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any, NamedTuple, Self

import numpy as np

from wager._typing import Array, ArrayLike, Bools, Ints
from wager.predictions import PredictionSets, align
from wager.rewards._count import CheckedRows, cell_of, chunks, read_rows, whole_numbers
from wager.rewards._estimate import Estimate
from wager.rewards._tally import SummableTally, Tally, utility_of
from wager.rewards._utility_names import UtilityLike, get_utility


class Difference(NamedTuple):
    """Mean and population variance of the row differences in utility, first minus second."""

    mean: float
    variance: float
    n: float

    @property
    def standard_error(self) -> float:
        """Standard error of the mean, from the sample variance."""
        return sqrt(self.variance / (self.n - 1)) if self.n > 1 else nan

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Student's t confidence interval of the mean difference."""
        return Estimate(self.mean, self.standard_error, self.n).interval(level)


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
    weight_squares : float, optional
        Sum of the squared weights of the rows; by default every row has weight 1.

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
    outcomes: Ints
    counts: Array
    weight_squares: float

    def __init__(
        self,
        n_classes: int,
        outcomes: ArrayLike,
        counts: ArrayLike,
        weight_squares: float | None = None,
    ) -> None:
        joint = np.array(outcomes, dtype=np.int64).reshape(-1, 4)
        number = np.array(counts)
        number = number.astype(np.float64 if number.dtype.kind == "f" else np.int64, copy=False)
        if number.shape != (len(joint),) or not (np.isfinite(number) & (number >= 0)).all():
            raise ValueError(
                "a paired tally needs one count, finite and not negative, for each of its "
                f"{len(joint)} outcomes, got {number.tolist()}"
            )
        sizes, hits = joint[:, [0, 2]], joint[:, [1, 3]]
        if ((sizes < 0) | (sizes > n_classes) | ~np.isin(hits, (0, 1))).any():
            raise ValueError(
                f"an outcome is size, hit, size, hit with sizes 0..{n_classes} and hits 0 or 1"
            )
        for name, array in (("outcomes", joint), ("counts", number)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        squares = float(number.sum()) if weight_squares is None else weight_squares
        object.__setattr__(self, "n_classes", n_classes)
        object.__setattr__(self, "weight_squares", squares)

    @classmethod
    def of(
        cls,
        y_true: ArrayLike,
        pred_a: Any,
        pred_b: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> PairedTally:
        """Count two classifiers' predictions by size and hit, jointly, in one pass."""
        rows_a, rows_b = read_pair(y_true, pred_a, pred_b, classes, sample_weight)
        n_classes = len(rows_a.sets.classes)
        parts = []
        for (_, a), (_, b) in zip(chunks(rows_a), chunks(rows_b), strict=True):
            _, size_a, hit_a, weight = a
            _, size_b, hit_b, _ = b
            numbers = _number((size_a, hit_a, size_b, hit_b), n_classes)
            ones = np.ones(len(numbers), dtype=np.int64)
            parts.append(_grouped(numbers, ones if weight is None else weight))
        numbers, counts = _merged(parts)
        return cls(n_classes, _outcomes(numbers, n_classes), counts, rows_a.weight_squares)

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
        numbers = _number((size_a, hit_a, size_b, hit_b), n_classes)
        numbers, counts = _grouped(numbers, np.ones(len(numbers), dtype=np.int64))
        return cls(n_classes, _outcomes(numbers, n_classes), counts)

    @classmethod
    def empty(cls, n_classes: int) -> PairedTally:
        """The paired tally of no rows."""
        return cls(n_classes, np.zeros((0, 4), dtype=np.int64), np.zeros(0, dtype=np.int64))

    def __add__(self, other: PairedTally) -> PairedTally:
        if not isinstance(other, PairedTally):
            return NotImplemented
        if self.n_classes != other.n_classes:
            raise ValueError(
                f"cannot add counts over {self.n_classes} classes to counts over "
                f"{other.n_classes}: both parts must list the same classes"
            )
        parts = [(_number(t.outcomes.T, t.n_classes), t.counts) for t in (self, other)]
        numbers, counts = _merged(parts)
        squares = self.weight_squares + other.weight_squares
        return PairedTally(self.n_classes, _outcomes(numbers, self.n_classes), counts, squares)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairedTally):
            return NotImplemented
        mine, theirs = (
            _grouped(_number(t.outcomes.T, t.n_classes), t.counts) for t in (self, other)
        )
        same = all(np.array_equal(x, y) for x, y in zip(mine, theirs, strict=True))
        return self.n_classes == other.n_classes and same

    def __repr__(self) -> str:
        return f"PairedTally({self.n:.10g} rows, a={self.a!r}, b={self.b!r})"

    @property
    def n(self) -> float:
        """The number of rows, or their total weight."""
        return self.counts.sum().item()

    @property
    def effective_n(self) -> float:
        """The equivalent number of equally weighted rows."""
        return self.n if whole_numbers(self.counts) else self.n**2 / self.weight_squares

    @property
    def a(self) -> Tally:
        """The tally of the first classifier."""
        return self._marginal(0)

    @property
    def b(self) -> Tally:
        """The tally of the second classifier."""
        return self._marginal(2)

    def _marginal(self, column: int) -> Tally:
        table = np.zeros((self.n_classes + 1, 2), dtype=self.counts.dtype)
        np.add.at(table, (self.outcomes[:, column], self.outcomes[:, column + 1]), self.counts)
        return Tally(table, self.weight_squares)

    def swap(self) -> PairedTally:
        """The same rows with the two classifiers exchanged."""
        outcomes = self.outcomes[:, [2, 3, 0, 1]]
        return PairedTally(self.n_classes, outcomes, self.counts, self.weight_squares)

    def where(self, rows: Bools) -> PairedTally:
        """The paired tally of some joint outcomes: ``paired.where(paired.outcomes[:, 0] > 1)``."""
        n = self.n
        counts = self.counts[rows]
        squares = self.weight_squares * float(counts.sum()) / n if n else 0.0
        return PairedTally(self.n_classes, self.outcomes[rows], counts, squares)

    def difference(self, utility: UtilityLike) -> Difference:
        """Mean, population variance and number of the row differences u(a) - u(b).

        Returns
        -------
        Difference
            ``(mean, variance, n)``, with `standard_error` and `interval`.
        """
        if self.n == 0:
            raise ValueError("there are no rows to compare the classifiers on: pass at least one")
        u = get_utility(utility)
        size_a, hit_a, size_b, hit_b = self.outcomes.T
        gap = utility_of(u, size_a, hit_a) - utility_of(u, size_b, hit_b)
        share = self.counts / self.n
        mean = float(share @ gap)
        return Difference(mean, float(share @ (gap - mean) ** 2), self.effective_n)

    def to_dict(self) -> dict[str, Any]:
        """The paired tally as plain data."""
        return {
            "n_classes": self.n_classes,
            "outcomes": self.outcomes.tolist(),
            "counts": self.counts.tolist(),
            "weight_squares": self.weight_squares,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The paired tally that `to_dict` wrote."""
        counts = np.asarray(data["counts"]) if data["counts"] else np.zeros(0, dtype=np.int64)
        return cls(data["n_classes"], data["outcomes"], counts, data.get("weight_squares"))


def read_pair(
    y_true: ArrayLike,
    pred_a: Any,
    pred_b: Any,
    classes: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> tuple[CheckedRows, CheckedRows]:
    """The rows of two classifiers over the same classes; the first ones have the weights."""
    shared = shared_classes(y_true, pred_a, pred_b, classes)
    return read_rows(y_true, pred_a, shared, sample_weight), read_rows(y_true, pred_b, shared)


def shared_classes(
    y_true: ArrayLike, pred_a: Any, pred_b: Any, classes: ArrayLike | None
) -> ArrayLike | None:
    """The classes of both predictions: as declared, or those of the prediction that knows them."""
    if classes is not None:
        return classes
    for prediction in (pred_a, pred_b):
        if isinstance(prediction, PredictionSets):
            return prediction.classes
    ranks = [np.ndim(p) if isinstance(p, np.ndarray) else 1 for p in (pred_a, pred_b)]
    if max(ranks) == 1:
        return None
    _, sets = align(y_true, pred_a if ranks[0] > 1 else pred_b)
    return sets.classes


def _number(outcome: Iterable[Array], n_classes: int) -> Ints:
    """Encode each joint outcome (size, hit, size, hit) as one number."""
    size_a, hit_a, size_b, hit_b = outcome
    return cell_of(size_a, hit_a).astype(np.intp) * (2 * n_classes + 2) + cell_of(size_b, hit_b)


def _outcomes(numbers: Ints, n_classes: int) -> Ints:
    first, second = np.divmod(numbers, 2 * n_classes + 2)
    return np.stack([first // 2, first % 2, second // 2, second % 2], axis=1)


def _grouped(numbers: Ints, counts: Array) -> tuple[Ints, Array]:
    """Distinct numbers, ascending, with the sum of the counts of each."""
    if len(numbers) and numbers.max() < 4 * len(numbers):  # counting beats sorting
        present = np.flatnonzero(np.bincount(numbers))
        return present, np.bincount(numbers, weights=counts)[present].astype(counts.dtype)
    distinct, place = np.unique(numbers, return_inverse=True)
    sums = np.bincount(place, weights=counts, minlength=len(distinct))
    return distinct, sums.astype(counts.dtype)


def _merged(parts: list[tuple[Ints, Array]]) -> tuple[Ints, Array]:
    if not parts:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    numbers, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
    return _grouped(numbers, counts)
