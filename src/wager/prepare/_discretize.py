"""Discretizers: transformers that cut numeric columns into intervals and keep the others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from os import PathLike
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from wager._dask import engine_of
from wager._tables import (
    MISSING_CODE,
    Schema,
    categorical_column,
    codes_of_numbers,
    frame_like,
    is_frame,
    is_one_of,
    matrix_like,
    nominal_columns,
    nominal_names,
    numeric_column,
    raw_column,
    read_class_labels,
    read_table,
    require_kind,
)
from wager._typing import Array, Bools, Floats, Ints
from wager._visible import brief
from wager.prepare._counts_of_files import levels_array, read_values
from wager.prepare._disk_rows import Progress
from wager.prepare._mdl import MDLRule, mdl_cuts, mdl_cuts_of_counts
from wager.prepare._transformer import TableTransformer
from wager.prepare._value_counts import ColumnCounts, ValueCounts

__all__ = ["EqualFrequencyDiscretizer", "MDLDiscretizer"]

_MOST_BINS = 1 << 16


def _can_continue(discretizer: _Discretizer) -> bool:
    """Whether further rows can be added: not after ``fit``."""
    if hasattr(discretizer, "cuts_") and not hasattr(discretizer, "counts_"):
        raise AttributeError(
            "fit does not keep the counts that further rows would need: use partial_fit from the "
            "first rows on"
        )
    return True


class _Discretizer(TableTransformer):
    """Cut the numeric columns; the code of x is the number of cuts below it (x <= cut is left)."""

    categorical_features: Any
    single_bin: str

    cuts_: list[Floats | None]
    schema_: Schema

    def _learn(self, X: Any, y: Any) -> Self:
        self._check_arguments()
        self.__dict__.pop("cuts_", None)  # if this fails, they are not those of the new columns
        table = read_table(self, X, reset=True)
        nominal = nominal_columns(table, self.categorical_features, integers="numeric")
        labels, known = self._classes(y, table.shape[0])
        cuts = [
            None if nominal[j] else self._cuts(numeric_column(table, j), labels, len(known))
            for j in range(table.shape[1])
        ]
        if hasattr(self, "counts_"):
            del self.counts_
        return self._take_cuts(Schema.of(table, nominal), cuts, np.zeros(len(cuts), dtype=bool))

    @available_if(_can_continue)
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn from further rows, besides those learnt so far.

        After any number of calls the cuts are those that ``fit`` finds in all rows together.  The
        counts by value are kept, so memory grows with the number of distinct values.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
            The same columns in every call.
        y : array-like of shape (n,)
            The class labels, if they are used.
        """
        self._check_arguments()
        first = not hasattr(self, "counts_")
        table = read_table(self, X, reset=first)
        nominal = nominal_columns(table, self.categorical_features, integers="numeric")
        labels, known = self._classes(y, table.shape[0])
        schema = Schema.of(table, nominal)
        columns = []
        for j in range(table.shape[1]):
            if nominal[j]:
                at = schema.levels[j]
                values = range(schema.n_values[j]) if at is None else at.tolist()
                columns.append(
                    ColumnCounts(np.zeros((len(values), len(known)), int), tuple(values))
                )
            else:
                columns.append(
                    ColumnCounts.of_numbers(numeric_column(table, j), labels, len(known))
                )
        names = getattr(self, "feature_names_in_", range(table.shape[1]))
        rows = np.bincount(labels, minlength=len(known))
        counts = ValueCounts(tuple(map(str, names)), tuple(known.tolist()), rows, tuple(columns))
        return self._take_counts(counts if first else self.counts_ + counts, nominal)

    def fit_counts(self, counts: ValueCounts) -> Self:
        """Find the cuts from counts by value and class: those of ``fit`` on the counted rows.

        Parameters
        ----------
        counts : ValueCounts
            Such as the sum of the ``counts_`` of several discretizers.
        """
        self._check_arguments()
        require_kind(counts, "counts", ValueCounts)
        nominal = nominal_names(counts.names, ~counts.nominal, self.categorical_features)
        wrong = ~nominal & counts.nominal
        if wrong.any():
            raise ValueError(
                f"column {counts.names[int(wrong.argmax())]!r} has labels and cannot be cut: name "
                "it in categorical_features="
            )
        self.n_features_in_ = len(counts.names)
        self.feature_names_in_ = np.array(counts.names, dtype=object)
        return self._take_counts(counts, nominal)

    def _take_counts(self, counts: ValueCounts, nominal: Bools) -> Self:
        levels: list[Array | None] = [None] * len(nominal)
        n_values = np.zeros(len(nominal), dtype=np.int64)
        cuts: list[Floats | None] = [None] * len(nominal)
        for j, column in enumerate(counts.columns):
            if nominal[j]:
                n_values[j], levels[j] = _levels(counts.names[j], column)
            else:
                cuts[j] = self._cuts_of_counts(column)
        self.counts_ = counts
        binned = [column.bins is not None for column in counts.columns]
        return self._take_cuts(Schema(nominal, tuple(levels), n_values), cuts, binned)

    def fit_file(
        self,
        path: str | PathLike[str],
        target: str = "y",
        *,
        columns: Sequence[str] | None = None,
        progress: Progress | None = None,
        client: Any = None,
    ) -> Self:
        """Find the cuts from a CSV or Parquet file of any length, which is counted on disk.

        The cuts are those of ``fit`` on the rows that `load_dataset` reads, to the last bit.  A
        column with more than 100,000 distinct numbers is counted by at most 65,536 fine bins
        instead, and cuts can only lie between them: ``binned_`` says which columns these are.

        Parameters
        ----------
        path : path
            The file; CSV may be compressed.
        target : str, default="y"
            The column of the class, which is not cut; rows without a class are left out.
        columns : sequence of str, optional
            The features; by default all other columns.
        progress : callable, optional
            Called from time to time with the fraction of the work that is done.
        client : distributed.Client, optional
            Counts a Parquet file on the workers of its Dask cluster, which must all find it under
            this path; the cuts are the same.  A CSV file is counted on this machine.
        """
        self._check_arguments()
        counts = read_values(
            path, target, columns=columns, progress=progress, engine=engine_of(client)
        )
        return self.fit_counts(counts)

    def _take_cuts(self, schema: Schema, cuts: list[Floats | None], binned: Any) -> Self:
        self.schema_ = schema
        # a cut at -0.0 is the same as one at 0.0, and is called so whichever of them came first
        self.cuts_ = [None if column is None else column + 0.0 for column in cuts]
        self.binned_ = np.array(binned, dtype=bool)
        self.n_values_ = np.array(
            [
                v if column is None else len(column) + 1
                for v, column in zip(schema.n_values, cuts, strict=True)
            ],
            dtype=np.int64,
        )
        return self

    def _check_arguments(self) -> None:
        if not is_one_of(self.single_bin, ("keep", "drop")):
            raise ValueError(f"single_bin must be 'keep' or 'drop', got {brief(self.single_bin)}")

    def _classes(self, y: Any, rows: int) -> tuple[Ints, Array]:
        return np.zeros(rows, dtype=np.intp), np.zeros(1)

    def _cuts(self, values: Floats, y: Ints, n_classes: int) -> Floats:
        raise NotImplementedError

    def _cuts_of_counts(self, column: ColumnCounts) -> Floats:
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
        check_is_fitted(self, "cuts_")
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
    binned_ : ndarray of bool
        Which columns were counted by fine bins, since they have too many distinct numbers.
    counts_ : ValueCounts
        After ``partial_fit``, ``fit_counts`` and ``fit_file``: the counts by value and class.

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
        return self._learn(X, y)

    def _check_arguments(self) -> None:
        super()._check_arguments()
        if not is_one_of(self.encoding, ("rows", "distinct")):
            raise ValueError(f"encoding must be 'rows' or 'distinct', got {brief(self.encoding)}")
        if not is_one_of(self.criterion, ("fayyad-irani", "kononenko")):
            raise ValueError(
                f"criterion must be 'fayyad-irani' or 'kononenko', got {brief(self.criterion)}"
            )

    def _classes(self, y: Any, rows: int) -> tuple[Ints, Array]:
        return read_class_labels(self, y, rows)

    def _cuts(self, values: Floats, y: Ints, n_classes: int) -> Floats:
        return mdl_cuts(values, y, n_classes, self._rule)

    def _cuts_of_counts(self, column: ColumnCounts) -> Floats:
        return mdl_cuts_of_counts(column.low, column.high, column.table, self._rule)

    @property
    def _rule(self) -> MDLRule:
        return MDLRule(self.encoding == "distinct", self.criterion == "kononenko")

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
        The largest number of intervals per column, at most 65,536.
    single_bin, categorical_features
        As for ``MDLDiscretizer``.

    Attributes
    ----------
    cuts_ : list
        The cuts of each column, ascending; None for a column that is not cut.
    n_values_ : ndarray
        The number of values of each column after the transformation.
    binned_ : ndarray of bool
        Which columns were counted by fine bins, since they have too many distinct numbers.
    counts_ : ValueCounts
        After ``partial_fit``, ``fit_counts`` and ``fit_file``: the counts by value and class.

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
        return self._learn(X, y)

    def _check_arguments(self) -> None:
        super()._check_arguments()
        if not (isinstance(self.n_bins, int | np.integer) and self.n_bins >= 1):
            raise ValueError(f"n_bins must be an integer of at least 1, got {brief(self.n_bins)}")
        if self.n_bins > _MOST_BINS:
            raise ValueError(
                f"n_bins must be at most {_MOST_BINS:,}, got {brief(self.n_bins)}: more intervals "
                "than rows are of no use"
            )

    def _cuts(self, values: Floats, y: Ints, n_classes: int) -> Floats:
        known = values[~np.isnan(values)]
        if not len(known):
            return np.empty(0)
        return np.unique(np.quantile(known, self._shares))

    def _cuts_of_counts(self, column: ColumnCounts) -> Floats:
        rows = column.table.sum(axis=1)
        used = rows > 0
        if not used.any():
            return np.empty(0)
        return np.unique(_quantiles(column.low[used], column.high[used], rows[used], self._shares))

    @property
    def _shares(self) -> Floats:
        return np.arange(1, self.n_bins) / self.n_bins


def _quantiles(low: Floats, high: Floats, rows: Ints, shares: Floats) -> Floats:
    """``np.quantile`` of numbers of which each occurs in so many rows, to the last bit.

    A quantile within a bin is the upper end of the bin.
    """
    last = np.cumsum(rows)
    place = (last[-1] - 1) * shares
    before = np.floor(place).astype(np.int64)
    line, following = (np.searchsorted(last, at, side="right") for at in (before, before + 1))
    following = np.minimum(following, len(low) - 1)
    a, b = high[line], np.where(line == following, high[line], low[following])
    weight = place - before
    return np.where(weight >= 0.5, b - (b - a) * (1 - weight), a + (b - a) * weight)


def _levels(name: str, column: ColumnCounts) -> tuple[int, Array | None]:
    """The number of values of a nominal column, and its labels; None if they are codes."""
    if column.labels is not None:
        are_codes = all(type(label) is int for label in column.labels)
        levels = None if are_codes and column.labels else levels_array(column.labels)
        return max(len(column.labels), 1), levels
    return int(codes_of_numbers(column.low, f"column {name!r}").max(initial=0)) + 1, None


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
