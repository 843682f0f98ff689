"""Whether a row has a value that never occurred with some class of the training set."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from wager._typing import Array, Bools

__all__ = ["ZeroCounts"]


class ZeroCounts(ClassifierMixin, BaseEstimator):
    """Return all classes where a value of the row has a zero count for some class, else one class.

    It predicts nothing: one minus its determinacy is the share of test rows with a zero count.

    Examples
    --------
    >>> model = ZeroCounts().fit([[0], [0], [1]], ["a", "b", "b"])
    >>> model.predict_set([[0], [1], [2]]).tolist()
    [[True, False], [True, True], [True, True]]
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Remember which values occurred with which classes."""
        table = np.asarray(X)
        self.classes_, classes = np.unique(np.asarray(y), return_inverse=True)
        self.seen_: list[tuple[Array, Bools]] = []
        for j in range(table.shape[1]):
            values, codes = np.unique(table[:, j], return_inverse=True)
            seen = np.zeros((len(values), len(self.classes_)), dtype=bool)
            seen[codes, classes] = True
            self.seen_.append((values, np.asarray(seen.all(axis=1), dtype=bool)))
        return self

    def predict_set(self, X: Any) -> Bools:
        """All classes, or the first one, of each row; negative codes are missing values."""
        table = np.asarray(X)
        zero = np.zeros(len(table), dtype=bool)
        for j, (values, with_all) in enumerate(self.seen_):
            at = np.minimum(np.searchsorted(values, table[:, j]), len(values) - 1)
            known = values[at] == table[:, j]
            zero |= ~(known & with_all[at]) & ~(table[:, j] < 0)
        kept = np.tile(zero[:, None], (1, len(self.classes_)))
        kept[:, 0] = True
        return kept

    def predict(self, X: Any) -> Array:
        """The first class, which says nothing."""
        return np.full(len(np.asarray(X)), self.classes_[0])
