"""Numeric features of naive Bayes: a normal distribution per class, on rounded values.

John & Langley (1995), with values rounded to the precision of the data, the form in which Hope &
Korb (2004) used it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from wager._typing import Array, Floats, Ints

__all__ = ["Gaussians", "NumericRows"]

LEAST_DENSITY = 1e-75  # a numeric value is taken to be at least this probable
LEAST_DEVIATION = float(np.finfo(np.float64).tiny)  # where values differ by less than 1e-307


@dataclass(frozen=True)
class Gaussians:
    """A normal distribution for each numeric feature and class, on rounded values.

    A feature's precision p is the mean gap between neighbouring distinct values (0.01 if there is
    only one value); values are rounded to multiples of p.  The probability of a value is that of
    the interval of width p around it, and at least 1e-75.
    """

    precision: Floats  # (m,)
    mean: Floats  # (m, K)
    deviation: Floats  # (m, K)

    @classmethod
    def of(cls, numbers: Floats, y: Ints, n_classes: int) -> Gaussians:
        """Estimate means and standard deviations from the rows where each feature is known."""
        m = numbers.shape[1]
        precision, mean, deviation = np.empty(m), np.zeros((m, n_classes)), np.empty((m, n_classes))
        for j in range(m):
            known = ~np.isnan(numbers[:, j])
            values, labels = numbers[known, j], y[known]
            with np.errstate(over="ignore", invalid="ignore"):
                gaps = np.diff(np.unique(values))
                # summed from left to right, like the class sums below: the last bit of the
                # precision decides how a value halfway between two multiples is rounded
                precision[j] = np.cumsum(gaps)[-1] / len(gaps) if len(gaps) else 0.01
                rounded = np.rint(values / precision[j]) * precision[j]
                rows = np.bincount(labels, minlength=n_classes)
                sums = np.bincount(labels, weights=rounded, minlength=n_classes)
                squares = np.bincount(labels, weights=rounded**2, minlength=n_classes)
            if not np.isfinite(squares).all():
                raise ValueError(
                    f"the numeric feature {j} has the values {values.min():g} to "
                    f"{values.max():g}, whose spread cannot be computed: rescale it"
                )
            some = rows > 0
            mean[j, some] = sums[some] / rows[some]
            spread = np.sqrt(np.abs(squares - mean[j] * sums) / np.maximum(rows, 1))
            least = max(precision[j] / 6, LEAST_DEVIATION)
            deviation[j] = np.where(spread > 1e-10, np.maximum(spread, least), least)
        return cls(precision, mean, deviation)

    @classmethod
    def none(cls, n_classes: int) -> Gaussians:
        """No numeric features."""
        return cls(np.empty(0), np.empty((0, n_classes)), np.empty((0, n_classes)))

    def add_logs(self, numbers: Floats, logs: Floats) -> Floats:
        """Add log P(x_j | c) of every known value to the rows of ``logs``, in place."""
        for j, p in enumerate(self.precision):
            known = ~np.isnan(numbers[:, j])
            with np.errstate(over="ignore"):  # an infinite distance has the least density
                x = np.rint(numbers[known, j, None] / p) * p
                above = ndtr((x - self.mean[j] + p / 2) / self.deviation[j])
                below = ndtr((x - self.mean[j] - p / 2) / self.deviation[j])
            logs[known] += np.log(np.maximum(above - below, LEAST_DENSITY))
        return logs


@dataclass(frozen=True)
class NumericRows:
    """The numeric features of some training rows, kept until the distributions are needed."""

    numbers: Floats  # (n, m)
    y: Ints  # (n,), codes of the classes
    classes: Array  # the classes that the codes mean

    @staticmethod
    def gaussians(parts: Sequence[NumericRows], classes: Array) -> Gaussians:
        """The normal distributions of all rows together."""
        place = {label: code for code, label in enumerate(classes.tolist())}
        # a class without rows may have been dropped
        codes = [
            np.array([place.get(label, -1) for label in part.classes.tolist()])[part.y]
            for part in parts
        ]
        numbers = np.concatenate([part.numbers for part in parts])
        return Gaussians.of(numbers, np.concatenate(codes), len(classes))
