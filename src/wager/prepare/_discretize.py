"""Discretizers: transformers that cut numeric columns into intervals and keep the others."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Self

import numpy as np

from wager._tables import (
    MISSING_CODE,
    Schema,
    categorical_column,
    frame_like,
    is_frame,
    matrix_like,
    nominal_columns,
    numeric_column,
    raw_column,
    read_class_labels,
    read_table,
)
from wager._typing import Array, Bools, Floats, Ints
from wager.prepare._mdl import MDLRule, mdl_cuts
from wager.prepare._transformer import TableTransformer

__all__ = ["EqualFrequencyDiscretizer", "MDLDiscretizer"]


class _Discretizer(TableTransformer):
    """Cut the numeric columns; the code of x is the number of cuts below it (x <= cut is left)."""

    categorical_features: Any
    single_bin: str

    cuts_: list[Floats | None]
    schema_: Schema

    def _learn(self, X: Any, y: Any) -> Self:
        if self.single_bin not in ("keep", "drop"):
            raise ValueError(f"single_bin must be 'keep' or 'drop', got {self.single_bin!r}")
        table = read_table(self, X, reset=True)
        nominal = nominal_columns(table, self.categorical_features, integers="numeric")
        self.schema_ = Schema.of(table, nominal)
        labels, n_classes = self._classes(y, table.shape[0])
        self.cuts_ = [
            None if nominal[j] else self._cuts(numeric_column(table, j), labels, n_classes)
            for j in range(table.shape[1])
        ]
        self.n_values_ = np.array(
            [
                v if cuts is None else len(cuts) + 1
                for v, cuts in zip(self.schema_.n_values, self.cuts_, strict=True)
            ],
            dtype=np.int64,
        )
        return self

    def _classes(self, y: Any, rows: int) -> tuple[Ints, int]:
        return np.zeros(rows, dtype=np.intp), 1

    def _cuts(self, values: Floats, y: Ints, n_classes: int) -> Floats:
        raise NotImplementedError

    @property
    def _kept(self) -> Bools:
        """Which columns are in the output: all, or those with at least two intervals."""
        single = np.array([cuts is not None and not len(cuts) for cuts in self.cuts_], dtype=bool)
        return ~single if self.single_bin == "drop" else np.ones(len(single), dtype=bool)

    def transform(self, X: Any) -> Any:
        """Replace every number by its interval; missing stays missing.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)

        Returns
        -------
        frame, array or sparse matrix
            In a frame, numeric columns become categories, one per interval, and nominal columns
            are kept.  An array becomes codes, with -1 for missing.
        """
        table = self._read_new(X)
        kept = np.flatnonzero(self._kept)
        if is_frame(table):
            columns = [self._as_category(table, int(j)) for j in kept]
            return frame_like(X, columns, table.columns[kept], table.index)
        codes = np.empty((table.shape[0], len(self.cuts_)), dtype=np.int32)
        codes[:, self.schema_.nominal] = self.schema_.codes(table)
        for j, cuts in enumerate(self.cuts_):
            if cuts is not None:
                codes[:, j] = interval_of(numeric_column(table, j), cuts)
        return matrix_like(X, codes[:, kept])

    def _as_category(self, table: Any, j: int) -> Any:
        cuts = self.cuts_[j]
        if cuts is None:
            return raw_column(table, j)
        return categorical_column(interval_of(numeric_column(table, j), cuts), interval_names(cuts))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns that ``transform`` returns."""
        return super().get_feature_names_out(input_features)[self._kept]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


class MDLDiscretizer(_Discretizer):
    """Cut numbers where the classes change, by the minimum description length principle.

    Parameters
    ----------
    encoding : {"rows", "distinct"}, default="rows"
        The number of candidate positions in the cost of a cut: the rows minus one (Weka's default),
        or the places where the value changes (Weka's ``-E``).
    criterion : {"fayyad-irani", "kononenko"}, default="fayyad-irani"
        The rule that accepts a cut.
    single_bin : {"keep", "drop"}, default="keep"
        Whether a column without any cut is kept, as a column with one value.
    categorical_features : "auto", "all", "none", mask, indices or names, default="auto"
        Columns that are not cut; "auto": those of category, string, object or boolean type.

    Attributes
    ----------
    cuts_ : list
        The cuts of each column, ascending; None for a column that is not cut.
    n_values_ : ndarray
        The number of values of each column after the transformation.

    References
    ----------
    Fayyad & Irani (1993); Kononenko (1995).

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [np.nan]])
    >>> cutter = MDLDiscretizer().fit(X, ["a", "a", "a", "b", "b", "b", "b"])
    >>> cutter.cuts_[0].tolist(), cutter.transform(X)[:, 0].tolist()
    ([6.5], [0, 0, 0, 1, 1, 1, -1])
    """

    def __init__(
        self,
        encoding: str = "rows",
        *,
        criterion: str = "fayyad-irani",
        single_bin: str = "keep",
        categorical_features: Any = "auto",
    ):
        self.encoding = encoding
        self.criterion = criterion
        self.single_bin = single_bin
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: Any) -> Self:
        """Find the cuts of every numeric column.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
        y : array-like of shape (n,)
            The class labels.
        """
        if self.encoding not in ("rows", "distinct"):
            raise ValueError(f"encoding must be 'rows' or 'distinct', got {self.encoding!r}")
        if self.criterion not in ("fayyad-irani", "kononenko"):
            raise ValueError(
                f"criterion must be 'fayyad-irani' or 'kononenko', got {self.criterion!r}"
            )
        return self._learn(X, y)

    def _classes(self, y: Any, rows: int) -> tuple[Ints, int]:
        codes, known = read_class_labels(self, y, rows)
        return codes, len(known)

    def _cuts(self, values: Floats, y: Ints, n_classes: int) -> Floats:
        rule = MDLRule(self.encoding == "distinct", self.criterion == "kononenko")
        return mdl_cuts(values, y, n_classes, rule)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class EqualFrequencyDiscretizer(_Discretizer):
    """Cut numbers into intervals of about equally many rows.

    The cuts are the distinct empirical quantiles ``q / n_bins``, by linear interpolation; many
    equal values give fewer intervals than ``n_bins``.

    Parameters
    ----------
    n_bins : int, default=5
        The largest number of intervals per column.
    single_bin, categorical_features
        As for ``MDLDiscretizer``.

    Attributes
    ----------
    cuts_ : list
        The cuts of each column, ascending; None for a column that is not cut.
    n_values_ : ndarray
        The number of values of each column after the transformation.

    Examples
    --------
    >>> EqualFrequencyDiscretizer(2).fit([[1.0], [2.0], [3.0], [9.0]]).cuts_[0].tolist()
    [2.5]
    """

    def __init__(
        self, n_bins: int = 5, *, single_bin: str = "keep", categorical_features: Any = "auto"
    ):
        self.n_bins = n_bins
        self.single_bin = single_bin
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the quantiles of every numeric column; the classes are not used.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
        y : ignored
        """
        if not (isinstance(self.n_bins, int | np.integer) and self.n_bins >= 1):
            raise ValueError(f"n_bins must be an integer of at least 1, got {self.n_bins!r}")
        return self._learn(X, y)

    def _cuts(self, values: Floats, y: Ints, n_classes: int) -> Floats:
        known = values[~np.isnan(values)]
        if not len(known):
            return np.empty(0)
        return np.unique(np.quantile(known, np.arange(1, self.n_bins) / self.n_bins))


def interval_of(values: Floats, cuts: Floats) -> Ints:
    """The number of cuts below each value; -1 where it is missing.

    Examples
    --------
    >>> interval_of(np.array([1.0, 2.0, 3.0, np.nan]), np.array([2.0])).tolist()
    [0, 0, 1, -1]
    """
    codes = np.searchsorted(cuts, values, side="left").astype(np.int32)
    codes[np.isnan(values)] = MISSING_CODE
    return codes


def interval_names(cuts: Floats) -> Array:
    """The names of the intervals, open on the left and closed on the right.

    Examples
    --------
    >>> interval_names(np.array([2.5, 4.0])).tolist()
    ['(-inf, 2.5]', '(2.5, 4.0]', '(4.0, inf)']
    """
    if not len(cuts):
        return np.array(["all"])
    ends = ["-inf", *(repr(float(cut)) for cut in cuts)]
    names = [f"({a}, {b}]" for a, b in pairwise(ends)]
    return np.array([*names, f"({ends[-1]}, inf)"])
