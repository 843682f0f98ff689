"""Distances between rows of nominal values: how many differ, or how differently they predict.

The overlap distance counts the features in which two rows differ.  The modified value difference
metric (Stanfill & Waltz, 1986; Cost & Salzberg, 1993) asks how much each difference matters:

    d(x, z) = sum_j sum_c |P(c | x_j) - P(c | z_j)|

with relative frequencies of the classes c among the training rows that have the value.  It is
counted in whole billionths, so equal distances stay equal whatever the order of the features.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wager._typing import Bools, Floats, Ints

__all__ = ["Overlap", "ValueDifferences"]

UNIT = 1e-9  # of the modified value difference metric


@dataclass(frozen=True, eq=False)
class Overlap:
    """The number of features in which rows differ; a value missing on either side differs.

    Examples
    --------
    >>> rows = Overlap(np.array([[0, 1], [0, 0]]))  # two features, two training rows
    >>> rows.between(np.array([0, 1]), np.array([True, True])).tolist()
    [1, 2]
    """

    columns: Ints  # (m, n): the codes of the training rows; no code of a test row means missing

    def between(self, codes: Ints, known: Bools) -> Ints:
        """The distance of one row to every training row."""
        differs = (self.columns[known] != codes[known, None]).sum(axis=0)
        return (differs + int(len(known) - known.sum())).astype(np.int64)

    def radius(self, distance: Ints) -> Floats:
        """The Euclidean length of a distance, which weights are linear in."""
        return np.sqrt(distance.astype(np.float64))


@dataclass(frozen=True, eq=False)
class ValueDifferences:
    """The modified value difference metric of training rows, in units of ``UNIT``.

    A value that is missing on either side, or that no training row has, is as far as two different
    values of the feature are on average.

    Examples
    --------
    >>> codes, y = np.array([[0], [0], [1], [1]]), np.array([0, 0, 0, 1])
    >>> metric = ValueDifferences.of(codes, y, np.array([2]), 2)
    >>> distance = metric.between(np.array([0]), np.array([True]))
    >>> metric.radius(distance).tolist()  # P(0 | value) is 1 and 1/2
    [0.0, 0.0, 1.0, 1.0]
    """

    columns: Ints  # (m, n): the codes of the training rows, the number of values if missing
    shares: tuple[Floats, ...]  # for each feature (values, classes): P(c | value), NaN if unseen
    usual: Ints  # for each feature, the mean distance of two different values

    @classmethod
    def of(cls, codes: Ints, y: Ints, n_values: Ints, n_classes: int) -> ValueDifferences:
        """Count the classes by value; -1 is missing."""
        columns = np.where(codes < 0, n_values, codes).T.astype(np.int64)
        shares, usual = [], []
        for column, size in zip(columns, n_values.tolist(), strict=True):
            counts = np.bincount(column * n_classes + y, minlength=(size + 1) * n_classes)
            counts = counts.reshape(-1, n_classes)[:size].astype(float)
            total = counts.sum(axis=1, keepdims=True)
            share = np.divide(counts, total, out=np.full(counts.shape, np.nan), where=total > 0)
            shares.append(share)
            usual.append(np.rint(_mean_difference(share[total[:, 0] > 0]) / UNIT))
        return cls(np.ascontiguousarray(columns), tuple(shares), np.array(usual, dtype=np.int64))

    def between(self, codes: Ints, known: Bools) -> Ints:
        """The distance of one row to every training row."""
        distance = np.zeros(self.columns.shape[1], dtype=np.int64)
        for j, share in enumerate(self.shares):
            if known[j] and codes[j] < len(share):
                far = np.abs(share - share[codes[j]]).sum(axis=1) / UNIT
                to_value = np.where(np.isnan(far), self.usual[j], np.rint(far)).astype(np.int64)
                distance += np.append(to_value, self.usual[j])[self.columns[j]]
            else:
                distance += self.usual[j]
        return distance

    def radius(self, distance: Ints) -> Floats:
        """A distance in its natural unit."""
        return distance * np.float64(UNIT)


def _mean_difference(share: Floats) -> float:
    """The mean distance of two different lines, without a loop over all pairs."""
    n = len(share)
    if n < 2:
        return 0.0
    # of sorted numbers, the i-th is the larger one in i pairs and the smaller one in n - 1 - i
    sign = 2.0 * np.arange(n) - (n - 1)
    return float((sign[:, None] * np.sort(share, axis=0)).sum() / (n * (n - 1) / 2))
