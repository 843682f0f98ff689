"""Base classes of the learners: they read rows and labels, and predict the most probable class.

A learner stores its arguments, reads the training table with ``_read_training``, learns from codes
and implements ``predict_proba``.  The classes are the declared ones (``classes=``, or the
categories of a pandas column), or else those that occur.  A declared class without any training row
stays a class, unless ``empty_classes="drop"``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from wager._doc_links import DocumentedEstimator
from wager._tables import (
    Schema,
    along_rows,
    is_frame,
    is_one_of,
    read_class_labels,
    read_table,
    real_number,
)
from wager._typing import Array, Bools, Floats, Ints
from wager._visible import brief

__all__ = [
    "LEAST_STRENGTH",
    "TIE",
    "CategoricalClassifier",
    "TableClassifier",
    "check_option",
    "check_single",
    "check_strength",
    "feature_names",
    "first_largest",
    "normalise_logs",
    "one_row",
    "table_blocks",
]

TIE = 1e-9  # two values that differ by less are tied, and a tie is not dominance
BLOCK_SIZE = 1 << 20  # numbers in a block of rows to predict, within the following bounds
LEAST_ROWS, MOST_ROWS = 1 << 13, 1 << 16
MOST_STRENGTH = 1e100  # rows that a prior may stand for: sums of squares stay finite
LEAST_STRENGTH = 1e-9  # replaces s = 0 where a proper prior is needed


class TableClassifier(DocumentedEstimator, ClassifierMixin, BaseEstimator):
    """Base class of classifiers of table rows that have ``predict_proba``."""

    classes: Any = None
    n_values: Any = None
    empty_classes: str = "keep"

    classes_: Array
    schema_: Schema
    n_values_: Ints
    predict_proba: Callable[[Any], Floats]  # RandomClass has no probabilities

    def predict(self, X: Any) -> Array:
        """The most probable class of each row; the first one if several are equally probable.

        Probabilities that differ only by rounding are equal.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)

        Returns
        -------
        ndarray of shape (n,)
        """
        proba = self.predict_proba(X)
        return self.classes_[first_largest(proba)]

    def _read_labels(self, y: Any, rows: int) -> Ints:
        """The classes of the training rows as codes; sets ``classes_``."""
        check_option("empty_classes", self.empty_classes, ("keep", "drop"))
        codes, known = read_class_labels(self, y, rows, self.classes)
        if self.empty_classes == "drop":
            used, codes = np.unique(codes, return_inverse=True)
            known = known[used]
        self.classes_ = known
        return codes

    def _read_training(self, X: Any, y: Any, nominal: Any = None) -> tuple[Any, Ints]:
        """The checked table and the class codes; sets ``classes_``, ``schema_`` and ``n_values_``.

        ``nominal`` is a function that returns the mask of the table's nominal columns; by default
        all columns are nominal.
        """
        table = read_table(self, X, reset=True)
        codes = self._read_labels(y, table.shape[0])
        mask: Bools | None = None if nominal is None else nominal(table)
        self.schema_ = Schema.of(table, mask, self.n_values)
        self.n_values_ = self.schema_.n_values
        return table, codes

    def _read_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return read_table(self, X, reset=False)

    def _table_blocks(self, X: Any) -> tuple[int, Iterator[tuple[slice, Any]]]:
        """The number of rows to predict, and the checked rows block by block.

        Whatever is computed of the rows is then bounded by the block, not by their number.
        """
        table = self._read_rows(X)
        return table.shape[0], table_blocks(table, len(self.classes_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags


def table_blocks(table: Any, n_classes: int) -> Iterator[tuple[slice, Any]]:
    """The rows of a checked table, in blocks of equal size: a few rows alone are slow."""
    n, m = table.shape
    most = min(MOST_ROWS, max(LEAST_ROWS, BLOCK_SIZE // max(1, m, n_classes)))
    step = max(1, -(-n // max(1, -(-n // most))))
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        yield rows, table.iloc[rows] if is_frame(table) else table[rows]


class CategoricalClassifier(TableClassifier, ABC):
    """Base class for nominal features only: strings, categories, or codes 0, 1, ..."""

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
        self._learn(table, labels)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class given the row.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)

        Returns
        -------
        ndarray of shape (n, K), columns in the order of ``classes_``
        """
        n, blocks = self._code_blocks(X)
        proba = np.empty((n, len(self.classes_)))
        for rows, codes in blocks:
            proba[rows] = self._proba(codes)
        return proba

    def predict(self, X: Any) -> Array:
        """The most probable class of each row; the first one if several are equally probable.

        Probabilities that differ only by rounding are equal.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)

        Returns
        -------
        ndarray of shape (n,)
        """
        n, blocks = self._code_blocks(X)
        predicted = np.empty(n, dtype=self.classes_.dtype)
        for rows, codes in blocks:
            predicted[rows] = self.classes_[first_largest(self._proba(codes))]
        return predicted

    @abstractmethod
    def _learn(self, table: Any, y: Ints) -> None:
        """Learn from the checked table, whose values ``schema_`` knows, and the class codes."""

    @abstractmethod
    def _proba(self, codes: Ints) -> Floats:
        """The class probabilities of rows that are given as codes."""

    def _code_blocks(self, X: Any) -> tuple[int, Iterator[tuple[slice, Ints]]]:
        """The number of rows to predict, and their codes block by block."""
        n, blocks = self._table_blocks(X)
        return n, ((rows, self._codes(part, rows.start)) for rows, part in blocks)

    def _codes(self, table: Any, first_row: int) -> Ints:
        """Rows to predict as codes: -1 if missing, v for a value that training did not see.

        ``first_row`` is the number of the first of these rows, for messages.
        """
        return self.schema_.codes(table, first_row=first_row)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def check_option(name: str, value: Any, known: Sequence[str | None]) -> None:
    """Refuse the value of an argument that is not one of the known ones.

    Examples
    --------
    >>> check_option("prior", "flat", ("laplace", "perks"))
    Traceback (most recent call last):
    ValueError: prior must be 'laplace' or 'perks', got 'flat'
    """
    if not is_one_of(value, known):
        *others, last = map(repr, known)
        raise ValueError(f"{name} must be {', '.join(others)} or {last}, got {brief(value)}")


def check_strength(s: Any) -> None:
    """Refuse a strength of the imprecise Dirichlet model that is not a number of rows."""
    if isinstance(s, str) or not real_number(s, "s") >= 0:
        raise ValueError(f"s must be a number of rows, 0 or more, got {brief(s)}")
    if float(s) > MOST_STRENGTH:
        raise ValueError(f"s must be at most {MOST_STRENGTH:g} rows, got {brief(s)}")


def feature_names(learner: Any) -> list[str]:
    """The names of the features, x0, x1, ... if the training table had none."""
    given = getattr(learner, "feature_names_in_", None)
    return (
        [f"x{j}" for j in range(learner.n_features_in_)] if given is None else list(map(str, given))
    )


def one_row(learner: CategoricalClassifier, x: Any) -> Ints:
    """The codes of a table that must have one row, (1, m)."""
    n, blocks = learner._code_blocks(x)
    check_single(n)
    return next(codes for _, codes in blocks)


def check_single(n: int) -> None:
    """Refuse a table that does not have one row."""
    if n != 1:
        raise ValueError(f"x must be a table with one row, got {n} rows: pass X[i:i + 1]")


def first_largest(scores: Floats) -> Ints:
    """The position of the largest score of each row, of a scale of about 1: the first if tied.

    Examples
    --------
    >>> first_largest(np.array([[0.1, 0.45, 0.45 + 1e-15], [0.2, 0.1, 0.7]])).tolist()
    [1, 2]
    """
    return (scores >= along_rows(np.maximum, scores) - TIE).argmax(axis=1)


def normalise_logs(logs: Floats) -> Floats:
    """Probabilities from their logarithms, known up to a constant per row; works in place.

    Examples
    --------
    >>> normalise_logs(np.log([[1.0, 3.0], [2.0, 2.0]])).round(12)
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    logs -= along_rows(np.maximum, logs)
    np.exp(logs, out=logs)
    logs /= along_rows(np.add, logs)
    return logs
