"""Fill missing values: with the mean of a numeric column, the mode of a nominal one."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from wager._tables import (
    MISSING_CODE,
    Schema,
    frame_like,
    is_frame,
    is_missing,
    matrix_like,
    nominal_columns,
    numeric_column,
    raw_column,
    read_table,
)
from wager._typing import Array, Bools
from wager.prepare._transformer import TableTransformer

__all__ = ["ModeMeanImputer"]


class ModeMeanImputer(TableTransformer):
    """Fill gaps in a numeric column with its mean, in a nominal one with its most frequent level.

    Among equally frequent levels the first declared (or sorted) one is used.  A column without any
    known value is filled with 0 if it is numeric and with its first declared level if it is
    nominal; a nominal column without declared levels stays missing.

    Parameters
    ----------
    categorical_features : "auto", "all", "none", mask, indices or names, default="auto"
        Which columns are nominal.  "auto" decides by type: in a frame, columns of category, string,
        object or boolean type are nominal; an array of integers or strings is nominal, an array of
        floats is numeric.  In a nominal column of integers, -1 is missing.

    Attributes
    ----------
    fill_ : list
        The value that fills the gaps of each column; None if they are not filled.

    Examples
    --------
    >>> ModeMeanImputer().fit_transform([[1.0, np.nan], [np.nan, 3.0], [3.0, 3.0]]).tolist()
    [[1.0, 3.0], [2.0, 3.0], [3.0, 3.0]]
    >>> ModeMeanImputer().fit_transform(np.array([[2], [-1], [0], [2]]))[:, 0].tolist()
    [2, 2, 0, 2]
    """

    def __init__(self, *, categorical_features: Any = "auto"):
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the mean or the mode of every column.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
        y : ignored
        """
        table = read_table(self, X, reset=True)
        nominal = nominal_columns(table, self.categorical_features)
        self.schema_ = Schema.of(table, nominal)
        codes = iter(self.schema_.codes(table, known=True).T)
        self.fill_ = [
            _mode(next(codes), self.schema_.levels[j])
            if nominal[j]
            else _mean(numeric_column(table, j))
            for j in range(table.shape[1])
        ]
        return self

    def transform(self, X: Any) -> Any:
        """Fill the gaps, in a table of the same kind.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
        """
        table = self._read_new(X)
        if is_frame(table):
            columns = [
                _fill_column(raw_column(table, j), at, bool(self.schema_.nominal[j]))
                for j, at in enumerate(self.fill_)
            ]
            return frame_like(X, columns, table.columns, table.index)
        filled = table.copy()
        for j, at in enumerate(self.fill_):
            gaps = _gaps(table[:, j], bool(self.schema_.nominal[j]))
            if at is None or not gaps.any():
                continue
            try:
                filled[gaps, j] = at
            except OverflowError:
                raise ValueError(
                    f"column {j} is of type {table.dtype}, which has no {at:g}, the most frequent "
                    "code of the training rows: pass larger integers"
                ) from None
        return matrix_like(X, filled)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        chosen = self.categorical_features
        codes = isinstance(chosen, str) and chosen == "all"
        tags.input_tags.categorical = tags.input_tags.positive_only = codes
        return tags


def _mean(values: Array) -> float:
    known = values[~np.isnan(values)]
    if len(known) and np.abs(known).max() > 1e300:  # their sum may be infinite
        return float((known / len(known)).sum())
    return float(known.mean()) if len(known) else 0.0


def _mode(codes: Array, levels: Array | None) -> Any:
    if levels is not None and not len(levels):
        return None
    most = int(np.bincount(codes[codes >= 0], minlength=1).argmax())
    return most if levels is None else levels[most]


def _gaps(column: Any, nominal: bool) -> Bools:
    """Which entries of an array or a pandas column are missing; -1 is only among codes."""
    is_whole = column.dtype.kind in "iu"
    if hasattr(column, "isna"):
        gaps = column.isna().to_numpy(dtype=bool)
        codes = column.eq(MISSING_CODE).fillna(False) if nominal and is_whole else False
    else:
        codes = column == MISSING_CODE if nominal and is_whole else False
        if column.dtype.kind in "iuf":
            gaps = np.isnan(column)
        else:
            gaps = np.array([is_missing(value) for value in column], dtype=bool)
    return gaps | np.asarray(codes, dtype=bool)


def _fill_column(column: Any, at: Any, nominal: bool) -> Any:
    gaps = _gaps(column, nominal)
    if at is None or not gaps.any():
        return column
    if column.dtype == "category":
        column = column if at in column.cat.categories else column.cat.add_categories([at])
    elif column.dtype.kind != "f" and not nominal:
        column = column.astype(np.float64)  # a mean of whole numbers may be none
    elif column.dtype.kind == "f" and isinstance(at, str):  # without any value
        column = column.astype(object)
    filled = column.copy()
    filled.iloc[np.flatnonzero(gaps)] = at
    return filled
