"""What every learner shares: reading rows and labels, and naming the most probable class.

A learner stores its arguments, reads the training table with ``_read_training``, learns from codes
and answers with ``predict_proba``.  The classes are the declared ones (``classes=``, or the
categories of a pandas column) or those that occur; a declared class without a row is a real class,
unless ``empty_classes="drop"``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from wager._tables import Schema, read_class_labels, read_table
from wager._typing import Array, Bools, Floats, Ints

__all__ = ["CategoricalClassifier", "TableClassifier", "normalise_logs"]


class TableClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of table rows, by ``predict_proba``; a base for the learners of this room."""

    classes: Any = None
    n_values: Any = None
    empty_classes: str = "keep"

    classes_: Array
    schema_: Schema
    predict_proba: Callable[[Any], Floats]  # learners that guess have none

    def predict(self, X: Any) -> Array:
        """The most probable class of each row; the first of several equally probable ones.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)

        Returns
        -------
        ndarray of shape (n,)
        """
        proba = self.predict_proba(X)
        return self.classes_[proba.argmax(axis=1)]

    def _read_labels(self, y: Any, rows: int) -> Ints:
        """The classes of the training rows as codes; sets ``classes_``."""
        if self.empty_classes not in ("keep", "drop"):
            raise ValueError(f"empty_classes must be 'keep' or 'drop', got {self.empty_classes!r}")
        codes, known = read_class_labels(self, y, rows, self.classes)
        if self.empty_classes == "drop":
            used, codes = np.unique(codes, return_inverse=True)
            known = known[used]
        self.classes_ = known
        return codes

    def _read_training(self, X: Any, y: Any, nominal: Any = None) -> tuple[Any, Ints]:
        """The checked table and the class codes; sets ``classes_``, ``schema_`` and ``n_values_``.

        ``nominal`` is a function from the table to the mask of nominal columns; by default all are.
        """
        table = read_table(self, X, reset=True)
        codes = self._read_labels(y, table.shape[0])
        mask: Bools | None = None if nominal is None else nominal(table)
        self.schema_ = Schema.of(table, mask, self.n_values)
        self.n_values_ = self.schema_.n_values
        return table, codes

    def _declare_codes(self, n_values: Ints) -> None:
        """Stand as if fitted on codes with so many values: for models that are made of counts."""
        m = len(n_values)
        self.schema_ = Schema(np.ones(m, dtype=bool), (None,) * m, n_values)
        self.n_values_ = n_values
        self.n_features_in_ = m

    def _read_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return read_table(self, X, reset=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags


class CategoricalClassifier(TableClassifier):
    """A classifier whose features are all nominal: strings, categories, or codes 0, 1, ..."""

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from labelled rows.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
            Nominal features: categories, strings, or codes 0, 1, ...; missing is None, NaN, NA, or
            -1 among integers.
        y : array-like of shape (n,)
            The class labels.
        """
        table, labels = self._read_training(X, y)
        self._learn(self.schema_.codes(table, known=True), labels)
        return self

    def _learn(self, codes: Ints, y: Ints) -> None:
        raise NotImplementedError

    def _codes(self, X: Any) -> Ints:
        """The rows to predict as codes: -1 missing, v for a value that training did not see."""
        table = self._read_rows(X)
        return self.schema_.codes(table)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def normalise_logs(logs: Floats) -> Floats:
    """Probabilities from their logarithms up to a constant a row; works in place.

    Examples
    --------
    >>> normalise_logs(np.log([[1.0, 3.0], [2.0, 2.0]])).round(12)
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    logs -= logs.max(axis=1, keepdims=True)
    np.exp(logs, out=logs)
    logs /= logs.sum(axis=1, keepdims=True)
    return logs
