"""Naive Bayes with one prior, from counts: the log probabilities of classes and values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wager._tables import Counts
from wager._typing import Floats, Ints
from wager.learners._base import normalise_logs
from wager.learners.naive._log_tables import add_up, pad, padded_starts

__all__ = ["PointModel"]


@dataclass(frozen=True)
class PointModel:
    """P(class) and P(value | class) of nominal features, made when they are first needed.

    Parameters
    ----------
    counts : Counts
        Of the training rows.
    prior : {"laplace", "perks", "bdeu"}
        "laplace" adds one to every count; the others spread ``s`` rows evenly.
    s : float
        The weight of the "perks" prior, in rows.

    Examples
    --------
    >>> counts = Counts.of(np.array([[0], [0], [1]]), np.array([0, 0, 1]), np.array([2]), 2)
    >>> PointModel(counts, "laplace", 1.0).proba(np.array([[0], [-1]])).round(3).tolist()
    [[0.771, 0.229], [0.6, 0.4]]
    """

    counts: Counts
    prior: str
    s: float

    @property
    def _added(self) -> tuple[float, Floats]:
        """What the prior adds to the count of each class, and to that of each feature's values."""
        counts = self.counts
        if self.prior == "laplace":
            return 1.0, np.ones(len(counts.n_values))
        return self.s / counts.n_classes, self.s / (counts.n_classes * counts.n_values)

    @cached_property
    def class_logs(self) -> Floats:
        """The logarithm of P(c), shape (K,)."""
        rows = self.counts.classes + self._added[0]
        return np.log(rows / rows.sum())

    @cached_property
    def value_logs(self) -> Floats:
        """The logarithm of P(a | c), shape (sum v_j, K)."""
        for_value, each = self._added[1], self.counts.feature_of_value
        return np.log((self.counts.values + for_value[each, None]) / self._total[each])

    @property
    def _total(self) -> Floats:
        n_values = self.counts.n_values
        return self.counts.observed + (self._added[1] * n_values)[:, None]

    @cached_property
    def _table(self) -> Floats:
        """The logarithms with lines for missing and unseen values, as ``_log_tables`` describes."""
        unseen = np.log(self._added[1][:, None] / self._total)
        return pad(self.value_logs, unseen, self.counts.n_values)

    @cached_property
    def _starts(self) -> Ints:
        return padded_starts(self.counts.n_values)

    def joint_logs(self, codes: Ints) -> Floats:
        """The logarithm of P(c) prod_j P(x_j | c), shape (n, K)."""
        return add_up(codes, self._table, self._starts, self.class_logs)

    def proba(self, codes: Ints) -> Floats:
        """The class probabilities of rows, shape (n, K)."""
        return normalise_logs(self.joint_logs(codes))
