"""Encode labels as codes that keep declared levels: pandas categories, or distinct labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wager._tables import (
    MISSING_CODE,
    column_kind,
    column_levels,
    encode_column,
    frame_like,
    is_frame,
    is_one_of,
    matrix_like,
    numeric_column,
    read_table,
)
from wager._typing import Array, Ints
from wager._visible import brief
from wager.prepare._transformer import TableTransformer

__all__ = ["NominalEncoder"]


class NominalEncoder(TableTransformer):
    """Encode the levels of every column as 0, 1, ..., and a missing value as -1.

    The levels of a pandas category are its categories, even if they do not occur; the levels of
    any other column are its sorted distinct values.  A value that was not seen in ``fit`` gets the
    code after the last level: learners treat it as a value with count zero.

    Parameters
    ----------
    unseen : {"value", "missing", "error"}, default="value"
        The code of a value that was not seen in ``fit``: the one after the last level, -1, or an
        error.

    Attributes
    ----------
    categories_ : list of ndarray
        The levels of each column.
    n_values_ : ndarray
        The number of levels of each column, for a learner's ``n_values=``.

    Examples
    --------
    >>> X = np.array([["low", "x"], ["high", None]], dtype=object)
    >>> encoder = NominalEncoder().fit(X)
    >>> encoder.transform(X).tolist(), encoder.n_values_.tolist()
    ([[1, 0], [0, -1]], [2, 1])
    >>> encoder.inverse_transform([[1, 0]]).tolist()
    [['low', 'x']]
    """

    def __init__(self, unseen: str = "value"):
        self.unseen = unseen

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the levels.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
        y : ignored
        """
        if not is_one_of(self.unseen, ("value", "missing", "error")):
            raise ValueError(
                f"unseen must be 'value', 'missing' or 'error', got {brief(self.unseen)}"
            )
        table = read_table(self, X, reset=True)
        self.categories_ = [_levels(table, j) for j in range(table.shape[1])]
        self.n_values_ = np.array([max(len(at), 1) for at in self.categories_], dtype=np.int64)
        return self

    def transform(self, X: Any) -> Any:
        """The code of each label.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)

        Returns
        -------
        frame, array or sparse matrix of 32-bit integers
        """
        table = self._read_new(X)
        codes = np.empty(table.shape, dtype=np.int32)
        for j, at in enumerate(self.categories_):
            codes[:, j] = _codes(table, j, at, int(self.n_values_[j]))
        new = codes >= self.n_values_
        if self.unseen == "missing":
            codes[new] = MISSING_CODE
        elif self.unseen == "error" and new.any():
            row, j = np.argwhere(new)[0]
            raise ValueError(
                f"column {j} contains a value in row {row} that was not seen in fit: correct it, "
                "or use unseen='value' or unseen='missing'"
            )
        if is_frame(table):
            return frame_like(X, list(codes.T), table.columns, table.index)
        return matrix_like(X, codes)

    def inverse_transform(self, X: Any) -> Array:
        """The labels of the codes, as an array of objects; None for -1 and for unseen values.

        Parameters
        ----------
        X : array-like of int, shape (n, m)
        """
        check_is_fitted(self)
        codes = np.asarray(X)
        if codes.dtype.kind not in "iu" or codes.ndim != 2:
            raise ValueError(
                f"X must be a table of whole numbers, the codes of the values, got {codes.dtype} "
                f"of shape {codes.shape}"
            )
        if codes.shape[1] != len(self.categories_):
            raise ValueError(
                f"X must have {len(self.categories_)} columns, one per feature, got "
                f"{codes.shape[1]}"
            )
        labels = np.full(codes.shape, None, dtype=object)
        for j, at in enumerate(self.categories_):
            known = (codes[:, j] >= 0) & (codes[:, j] < len(at))
            labels[known, j] = at[codes[known, j]]
        return labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _levels(table: Any, j: int) -> Array:
    learnt = column_levels(table, j)
    if learnt is not None:
        return learnt
    values = _numbers(table, j)
    return np.unique(values[~np.isnan(values)])


def _numbers(table: Any, j: int) -> Array:
    """A column of numbers that are labels; -1 among integers is missing."""
    values = numeric_column(table, j)
    if column_kind(table, j) == "integer":
        values = np.where(values == MISSING_CODE, np.nan, values)
    return values


def _codes(table: Any, j: int, at: Array, unseen: int) -> Ints:
    if column_kind(table, j) not in ("float", "integer") or at.dtype.kind not in "iuf":
        return encode_column(table, j, at, unseen)
    values = _numbers(table, j)
    place = np.minimum(np.searchsorted(at, values), max(len(at) - 1, 0))
    found = at[place] == values if len(at) else np.zeros(len(values), dtype=bool)
    return np.where(np.isnan(values), MISSING_CODE, np.where(found, place, unseen))
