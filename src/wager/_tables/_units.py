"""What each row counts for: its weight, how many rows it stands for, and its cluster.

Rows are independent unless they belong to the same cluster, such as the visits of one patient.
``sample_weight`` holds importance weights: a row of weight 2 counts twice in every mean, but it is
one observation.  ``counts`` holds frequencies: a row of count 2 is two observations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wager._tables._labels import encode_labels
from wager._tables._rows import check_weights
from wager._tables._values import real_numbers, unmasked
from wager._typing import Array, ArrayLike, Floats, Ints

_MOST = 2.0**53  # larger counts are not exact in floating point


class RowUnits(NamedTuple):
    """What each row counts for; a part that is None is the same for all rows.

    Parameters
    ----------
    weights : array of float, or None
        Importance weights.
    counts : array of int, or None
        How many rows each row stands for.
    clusters : array of int, or None
        The cluster of each row, as a code 0..G-1.
    labels : array of shape (G,), or None
        The names of the clusters.

    Examples
    --------
    >>> units = RowUnits.of(3, sample_weight=[1.0, 0.5, 2.0], counts=[1, 1, 3])
    >>> units.totals.tolist(), units.squares.tolist()
    ([1.0, 0.5, 6.0], [1.0, 0.25, 12.0])
    """

    weights: Floats | None = None
    counts: Ints | None = None
    clusters: Ints | None = None
    labels: Array | None = None

    @classmethod
    def of(
        cls,
        n_rows: int,
        sample_weight: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> RowUnits:
        """Check weights, counts and clusters of `n_rows` rows."""
        weights = check_weights(sample_weight, n_rows)
        repeats = check_counts(counts, n_rows)
        if groups is None:
            return cls(weights, repeats)
        codes, labels = encode_labels(groups, name="groups")
        if len(codes) != n_rows:
            raise ValueError(
                f"groups must name the cluster of each of the {n_rows} rows, got {len(codes)} names"
            )
        return cls(weights, repeats, codes, labels)

    @property
    def is_plain(self) -> bool:
        """Whether every row is one independent observation of weight 1."""
        return self.weights is None and self.counts is None and self.clusters is None

    def observations(self, n_rows: int) -> int:
        """The number of rows of positive weight, each as often as it counts."""
        return int(self.observed(n_rows).sum())

    def observed(self, n_rows: int) -> Ints:
        """How often each row counts as an observation: never if its weight is 0."""
        repeats = np.ones(n_rows, dtype=np.int64) if self.counts is None else self.counts
        return repeats if self.weights is None else np.where(self.weights > 0, repeats, 0)

    def take(self, rows: Ints | slice) -> RowUnits:
        """The units of some rows, given by their positions or as a slice."""
        weights = None if self.weights is None else self.weights[rows]
        counts = None if self.counts is None else self.counts[rows]
        clusters = None if self.clusters is None else self.clusters[rows]
        return RowUnits(weights, counts, clusters, self.labels)

    @property
    def totals(self) -> Array | None:
        """What each row adds to a total: its count times its weight; None if that is 1."""
        if self.weights is None or self.counts is None:
            return self.counts if self.weights is None else self.weights
        return self.weights * self.counts

    @property
    def squares(self) -> Floats | None:
        """The sum of squared weights of the observations that a row stands for; None if it is 1."""
        if self.weights is None:
            return None if self.counts is None else self.counts.astype(np.float64)
        squares = self.weights**2
        return squares if self.counts is None else squares * self.counts


def check_counts(counts: ArrayLike | None, n_rows: int) -> Ints | None:
    """The counts as integers: one per row, whole, not negative, not all 0; None stays None.

    Examples
    --------
    >>> check_counts([1.0, 0.0, 2.0], 3).tolist()
    [1, 0, 2]
    >>> check_counts([1, 0.5], 2)
    Traceback (most recent call last):
    ...
    ValueError: counts must be whole numbers from 0 up, got 0.5 in row 1: pass weights as
    sample_weight=
    """
    if counts is None:
        return None
    given = np.asarray(unmasked(counts))
    numbers = real_numbers(given, "counts")
    if given.shape != (n_rows,):
        raise ValueError(
            f"counts must have one count for each of the {n_rows} rows, got the shape {given.shape}"
        )
    bad = ~(np.isfinite(numbers) & (numbers >= 0) & (np.floor(numbers) == numbers))
    if not bad.any() and numbers.sum() >= _MOST:
        raise ValueError(
            f"counts add up to {numbers.sum():.3g}, but at most {_MOST:.3g} rows can be counted"
        )
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(
            f"counts must be whole numbers from 0 up, got {numbers[row]:g} in row {row}: pass "
            "weights as sample_weight="
        )
    if n_rows and not numbers.any():
        raise ValueError("counts is 0 in every row: at least one row must count")
    return given.astype(np.int64)
