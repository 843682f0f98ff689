"""Probabilities of a few classes in each row out of many; the other classes share the rest evenly.

A classifier over 100,000 classes usually reports the probabilities of the best few.  The others
have what is left of 1, in equal parts, so all probabilities of a row follow from a short list.
Every measure can be computed from the list; the matrix with one column per class is never made
unless someone asks for it.  A sparse matrix of SciPy is the same with nothing left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wager._tables import (
    DistinctLabels,
    View,
    Viewed,
    check_classes,
    chosen_rows,
    counted,
    distinct_labels,
    encode_labels,
    flatten_lists,
    format_label,
    format_labels,
    in_memory,
    is_frame,
    is_sparse,
    not_complex,
    there_are,
    union_labels,
    unmasked,
)
from wager._typing import Array, ArrayLike, Floats, Ints
from wager._visible import brief, reason
from wager.predictions._probabilities import (
    SUM_TOLERANCE,
    check_probabilities,
    columns_by_name,
    first_largest,
    sum_tolerance,
    wrong_sum,
)
from wager.predictions._reading import ClassSource, check_same_kind
from wager.predictions._set_rows import fits_memory

__all__ = ["TopKBlock", "TopKProbabilities", "align_top_k", "as_top_k", "most_probable"]

_NUMBERS = 1 << 17  # probabilities in a block, at most
_ROWS = 1 << 14  # rows of a block, at most
_FEW = 16  # columns that are compared two by two


@dataclass(frozen=True, eq=False)
class TopKBlock:
    """Some rows of `TopKProbabilities` as matrices with one column per listed class.

    Parameters
    ----------
    rows : slice
        The rows.
    codes : ndarray of int32, shape (n, k)
        The listed classes; -1 where a row lists fewer than others.
    proba : ndarray of shape (n, k)
        Their probabilities; 0 where no class is listed.
    share : ndarray of shape (n,)
        The probability of each class that is not listed; 0 if there is none.
    n_listed : ndarray of int, shape (n,)
        The number of listed classes.
    n_classes : int
        The number of classes.
    """

    rows: slice
    codes: Ints
    proba: Floats
    share: Floats
    n_listed: Ints
    n_classes: int

    def __len__(self) -> int:
        return len(self.codes)

    def first_unlisted(self) -> Ints:
        """The lowest class of each row that is not listed; K if there is none."""
        ordered = np.sort(np.where(self.codes < 0, self.n_classes, self.codes), axis=1)
        in_place = ordered == np.arange(ordered.shape[1])
        return np.logical_and.accumulate(in_place, axis=1).sum(axis=1)

    def descending(self) -> tuple[Ints, Floats]:
        """The listed classes and probabilities, the most probable first, then by class.

        Places without a class come last, with probability -1.
        """
        codes, proba = self.codes, self.proba
        if codes.min(initial=0) < 0:
            proba = np.where(codes < 0, -1.0, proba)
        if (proba[:, 1:] < proba[:, :-1]).all():
            return codes, proba
        order = np.lexsort((codes, -proba), axis=1)
        return np.take_along_axis(codes, order, axis=1), np.take_along_axis(proba, order, axis=1)

    def of(self, codes: Ints) -> Floats:
        """The probability of one class in each row."""
        same = self.codes == codes[:, None]
        listed = np.einsum("ij,ij->i", same, self.proba)
        return np.where(same.any(axis=1), listed, self.share)

    def largest(self) -> Floats:
        """The largest probability of each row."""
        return np.maximum(self.proba.max(axis=1), self.share)

    def named(self) -> Ints:
        """The class of the largest probability, the first of equal ones."""
        top = self.proba.max(axis=1)
        is_top = (self.proba == top[:, None]) & (self.codes >= 0)
        best = np.where(is_top, self.codes, self.n_classes).min(axis=1).astype(np.intp)
        rivals = np.flatnonzero((self.share >= top) & (self.n_listed < self.n_classes))
        if len(rivals):
            others = self.take(rivals).first_unlisted()
            tied = self.share[rivals] == top[rivals]
            best[rivals] = np.where(tied, np.minimum(best[rivals], others), others)
        return best

    def take(self, rows: Array) -> TopKBlock:
        """Some of the rows, as a block."""
        return TopKBlock(
            slice(0, 0),
            self.codes[rows],
            self.proba[rows],
            self.share[rows],
            self.n_listed[rows],
            self.n_classes,
        )

    def dense(self) -> Floats:
        """The matrix of all probabilities, (n, K)."""
        matrix = np.repeat(self.share[:, None], self.n_classes, axis=1)
        row, column = np.nonzero(self.codes >= 0)
        matrix[row, self.codes[row, column]] = self.proba[row, column]
        return matrix


@dataclass(frozen=True, eq=False, init=False, repr=False)
class TopKProbabilities(Viewed):
    """Probabilities of a few classes in each row; the classes not listed share the rest evenly.

    Accepted in place of a matrix of probabilities by `optimal_sets`, `reject`,
    `class_selective_rejection`, `evaluate_probabilities`, `ProbabilityTally` and
    `compare_probabilities`, and by `write_predictions`.

    Parameters
    ----------
    labels : array-like of shape (n_rows, k), or lists of labels
        The listed classes of each row, in any order.
    proba : array-like of shape (n_rows, k), or lists of numbers
        Their probabilities, whose sum may be less than 1.  Where a matrix has NaN, no class is
        listed.
    classes : array-like of shape (n_classes,), optional
        All classes.  By default the labels that occur, and those of the true classes.

    Notes
    -----
    A row whose probabilities sum to 1, except for rounding, leaves nothing for the others.  Sums
    may exceed 1 as in a matrix of probabilities: by 1e-6 for double precision.

    Examples
    --------
    >>> proba = TopKProbabilities([["a", "c"], ["b", "a"]], [[0.5, 0.2], [0.9, 0.1]], list("abcde"))
    >>> proba
    2 rows of the probabilities of up to 2 of 5 classes: 'a', 'b', 'c', 'd', 'e'
    >>> np.asarray(proba).round(3).tolist()
    [[0.5, 0.1, 0.2, 0.1, 0.1], [0.1, 0.9, 0.0, 0.0, 0.0]]
    """

    codes: Ints  # the listed classes of all rows end to end
    values: Floats  # their probabilities
    ends: Ints  # the start and end of each row
    left: Floats  # what the other classes of each row share
    classes: Array
    source: ClassSource

    def __init__(self, labels: Any, proba: Any, classes: ArrayLike | None = None):
        given, numbers, lengths = _listed(labels, proba)
        ends = np.zeros(len(lengths) + 1, dtype=np.intp)
        np.cumsum(lengths, out=ends[1:])
        place = _RowOf(ends)
        found = distinct_labels(given, "labels", place)
        known = found.labels if classes is None else check_classes(classes)
        codes = found.codes if classes is None else found.among(known)
        self._set(
            codes.astype(np.int32),
            np.minimum(numbers.astype(np.float64, copy=False), 1.0),
            ends,
            known,
            "labels" if classes is None else "declared",
        )
        _check_distinct(self.codes, ends, known)
        sums, tolerance = _check_numbers(numbers, ends), sum_tolerance(numbers)
        self._leave(sums, tolerance, np.finfo(_real(numbers).dtype).eps)

    def _set(
        self, codes: Ints, values: Floats, ends: Ints, classes: Array, source: ClassSource
    ) -> TopKProbabilities:
        for name, value in (("codes", codes), ("values", values), ("ends", ends)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "source", source)
        return self

    def _leave(self, sums: Floats, tolerance: float, epsilon: float) -> None:
        """Check the sums of the rows, and set what they leave for the classes not listed."""
        if len(sums) == 0:
            raise ValueError("proba has no row: there is nothing to score")
        if sums.max() > 1 + tolerance:
            row = int((sums > 1 + tolerance).argmax())
            raise ValueError(
                f"the probabilities of row {row} sum to {sums[row]:.10g}: they must not exceed 1"
            )
        lengths = np.diff(self.ends)
        left = np.maximum(1 - sums, 0.0)
        left[left <= 4 * epsilon * np.maximum(lengths, 1)] = 0.0  # the rounding error of a sum
        complete = lengths == len(self.classes)
        if self.source != "labels" and (complete & (left > tolerance)).any():
            row = int((complete & (left > tolerance)).argmax())
            raise ValueError(
                f"row {row} lists every class but the probabilities sum to "
                f"{sums[row]:.10g}: divide them by their sum"
            )
        object.__setattr__(self, "left", left)

    @classmethod
    def of_codes(
        cls, codes: Ints, values: Floats, ends: Ints, left: Floats, classes: Array
    ) -> TopKProbabilities:
        """From checked numbers: the listed classes of all rows end to end, as codes."""
        made = object.__new__(cls)._set(codes, values, ends, classes, "declared")
        object.__setattr__(made, "left", left)
        return made

    @classmethod
    def from_sparse(cls, matrix: Any, classes: ArrayLike | None = None) -> TopKProbabilities:
        """From a sparse matrix of SciPy, in which every probability that is not stored is 0.

        Parameters
        ----------
        matrix : sparse matrix of shape (n_rows, n_classes)
            Each row must sum to 1.
        classes : array-like of shape (n_classes,), optional
            The classes of the columns.

        Examples
        --------
        >>> from scipy.sparse import csr_array
        >>> TopKProbabilities.from_sparse(csr_array([[0.5, 0.0, 0.5]])).shares.tolist()
        [0.0]
        """
        if not hasattr(matrix, "tocsr"):
            raise TypeError(f"matrix must be a sparse matrix, got a {type(matrix).__name__}")
        if len(matrix.shape) != 2 or 0 in matrix.shape:
            raise ValueError(
                "proba must have one row per instance and one column per class, got a sparse "
                f"matrix of shape {matrix.shape}"
            )
        rows = matrix.tocsr()
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        n_classes = rows.shape[1]
        known = np.arange(n_classes) if classes is None else check_classes(classes)
        if len(known) != n_classes:
            raise ValueError(
                f"proba has {counted(n_classes, 'column')} but {there_are(len(known), 'class')}: "
                "pass one column per class, in the order of classes="
            )
        ends = rows.indptr.astype(np.intp)
        made = object.__new__(cls)._set(
            rows.indices.astype(np.int32, copy=False),
            np.minimum(rows.data.astype(np.float64), 1.0),
            ends,
            known,
            "columns" if classes is None else "declared",
        )
        sums, tolerance = _check_numbers(rows.data, ends), sum_tolerance(rows.data)
        row = wrong_sum(sums, tolerance)
        if row is not None:
            raise ValueError(
                f"every row of proba must sum to 1, but row {row} sums to {sums[row]:.10g}, and "
                "what a sparse matrix does not store is 0: divide each row by its sum, or use "
                "TopKProbabilities, whose other classes share the rest"
            )
        object.__setattr__(made, "left", np.zeros(len(sums)))
        return made

    @classmethod
    def from_proba(
        cls, proba: ArrayLike, k: int, classes: ArrayLike | None = None
    ) -> TopKProbabilities:
        """The k largest probabilities of each row of a matrix, the largest first.

        What the others have is then shared evenly, so this is another report than the matrix,
        except if there are no others.

        Parameters
        ----------
        proba : array-like of shape (n_rows, n_classes)
            Probabilities.
        k : int
            The number of classes to list.
        classes : array-like of shape (n_classes,), optional
            The classes of the columns; by default those of a data frame, or 0..K-1.

        Examples
        --------
        >>> top = TopKProbabilities.from_proba([[0.1, 0.2, 0.7]], k=1)
        >>> np.asarray(top).round(2).tolist()
        [[0.15, 0.15, 0.7]]
        """
        matrix, names = columns_by_name(proba, classes)
        table = check_probabilities(matrix)
        n_classes = table.shape[1]
        if not isinstance(k, int | np.integer) or not 1 <= k <= n_classes:
            raise ValueError(f"k must be a whole number from 1 to {n_classes}, got {brief(k)}")
        known = np.arange(n_classes) if names is None else check_classes(names)
        if len(known) != n_classes:
            raise ValueError(
                f"proba has {counted(n_classes, 'column')} but classes has "
                f"{counted(len(known), 'label')}: give one label per column"
            )
        order = np.argsort(-table, axis=1, kind="stable")[:, :k]
        values = np.take_along_axis(table, order, axis=1)
        top = cls(known[order], values, known)
        if names is None:
            object.__setattr__(top, "source", "columns")
        return top

    # What the rows say

    def __len__(self) -> int:
        return len(self.left)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and of classes."""
        return len(self), len(self.classes)

    @property
    def n_listed(self) -> Ints:
        """The number of classes that each row lists."""
        return np.diff(self.ends)

    @cached_property
    def shares(self) -> Floats:
        """The probability of each class that a row does not list; 0 if it lists all classes."""
        others = len(self.classes) - self.n_listed
        return np.divide(self.left, others, out=np.zeros(len(self)), where=others > 0)

    def blocks(self) -> Iterator[TopKBlock]:
        """All rows in blocks that fit the cache of a processor."""
        lengths, start = self.n_listed, 0
        while start < len(self):
            ahead = lengths[start : start + _ROWS]
            width = max(int(ahead.max()), 1)
            stop = start + min(max(1, _NUMBERS // width), len(ahead))
            yield self.block(slice(start, stop))
            start = stop

    def block(self, rows: slice) -> TopKBlock:
        """Neighbouring rows as matrices."""
        start, stop = rows.start, rows.stop
        ends = self.ends[start : stop + 1]
        lengths = np.diff(ends)
        listed = slice(int(ends[0]), int(ends[-1]))
        width = max(int(lengths.max(initial=0)), 1)
        if (lengths == width).all():
            codes = self.codes[listed].reshape(-1, width)
            proba = self.values[listed].reshape(-1, width)
        else:
            inside = np.arange(width) < lengths[:, None]
            codes = np.full(inside.shape, -1, dtype=np.int32)
            proba = np.zeros(inside.shape)
            codes[inside], proba[inside] = self.codes[listed], self.values[listed]
        return TopKBlock(rows, codes, proba, self.shares[start:stop], lengths, len(self.classes))

    def most_probable(self) -> Ints:
        """The class of the largest probability of each row, the first of equal ones, as a code."""
        named = np.empty(len(self), dtype=np.intp)
        for block in self.blocks():
            named[block.rows] = block.named()
        return named

    def __getitem__(self, rows: Any) -> TopKProbabilities:
        """The rows of a slice, a mask or an array of rows."""
        chosen = np.arange(len(self))[chosen_rows(rows, len(self))]
        if chosen.ndim != 1:
            raise ValueError("choose rows by a slice, a mask or an array of row numbers")
        lengths = self.n_listed[chosen]
        ends = np.zeros(len(chosen) + 1, dtype=np.intp)
        np.cumsum(lengths, out=ends[1:])
        place = np.repeat(self.ends[chosen] - ends[:-1], lengths) + np.arange(ends[-1])
        return self._with(self.codes[place], self.values[place], ends, self.left[chosen])

    def _with(self, codes: Ints, values: Floats, ends: Ints, left: Floats) -> TopKProbabilities:
        made = self.of_codes(codes, values, ends, left, self.classes)
        object.__setattr__(made, "source", self.source)
        return made

    def with_classes(self, classes: ArrayLike) -> TopKProbabilities:
        """The same lists over other classes: renamed columns, reordered or additional classes.

        The classes not listed share the rest, so that their number matters.
        """
        known = check_classes(classes)
        if self.source == "columns":
            if len(known) != len(self.classes):
                raise ValueError(
                    f"proba has {counted(len(self.classes), 'column')} but "
                    f"{there_are(len(known), 'class')}: pass one column per class, in the order of "
                    "classes="
                )
            return self.of_codes(self.codes, self.values, self.ends, self.left, known)
        codes = self.codes
        if not np.array_equal(known, self.classes):
            every = np.arange(len(self.classes))
            own = DistinctLabels(every, self.classes, "proba", self._place)
            codes = own.among(known).astype(np.int32)[codes]
        found = self.of_codes(codes, self.values, self.ends, self.left, known)
        complete = (found.n_listed == len(known)) & (found.left > SUM_TOLERANCE)
        if complete.any():
            row = int(complete.argmax())
            raise ValueError(
                f"row {row} lists every class but the probabilities sum to "
                f"{1 - found.left[row]:.10g}: divide them by their sum, or list the other classes "
                "in classes="
            )
        return found

    def _place(self, code: int) -> str:
        """Where a class is listed, for error messages."""
        at = np.flatnonzero(self.codes == code)
        return _RowOf(self.ends)(int(at[0])) if len(at) else "its own classes"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("the matrix of all probabilities is always a copy: omit copy=False")
        if not fits_memory(8 * len(self) * len(self.classes)):
            raise ValueError(
                f"a matrix of {len(self):,} rows and {len(self.classes):,} classes would take "
                f"{8 * len(self) * len(self.classes) / 1e9:,.0f} GB: take some rows at a time"
            )
        matrix = np.empty(self.shape)
        for block in self.blocks():
            matrix[block.rows] = block.dense()
        return matrix.astype(dtype or np.float64, copy=False)

    def __repr__(self) -> str:
        rows = "1 row" if len(self) == 1 else f"{len(self)} rows"
        k = int(self.n_listed.max(initial=0))
        return (
            f"{rows} of the probabilities of up to {k} of {len(self.classes)} classes: "
            f"{format_labels(self.classes)}"
        )

    def _view(self) -> View:
        return View(verdict=[repr(self)])


def as_top_k(proba: Any, classes: ArrayLike | None = None) -> TopKProbabilities | None:
    """Listed probabilities, from themselves or a sparse matrix; None for anything else.

    Parameters
    ----------
    proba : object
        What a user gave as probabilities.
    classes : array-like, optional
        The classes, to which the result is brought.
    """
    if isinstance(proba, TopKProbabilities):
        return proba if classes is None else proba.with_classes(classes)
    return TopKProbabilities.from_sparse(proba, classes) if is_sparse(proba) else None


def align_top_k(
    y_true: ArrayLike, proba: TopKProbabilities, classes: ArrayLike | None
) -> tuple[Ints, TopKProbabilities]:
    """Codes of the true labels, and the probabilities over the same classes."""
    if classes is not None:
        proba = proba.with_classes(classes)
    if proba.source == "labels":
        found = distinct_labels(y_true, "y_true")
        check_same_kind(found, proba.classes)
        every = union_labels(found.labels, proba.classes)
        codes, proba = found.among(every), proba.with_classes(every)
    else:
        known = None if proba.source == "columns" else proba.classes
        codes, names = encode_labels(y_true, known, n_classes=len(proba.classes))
        proba = proba if known is not None else proba.with_classes(names)
    if len(codes) != len(proba):
        raise ValueError(
            f"y_true has {counted(len(codes), 'label')} but proba has "
            f"{counted(len(proba), 'row')}: give one label per row"
        )
    return codes, proba


def most_probable(values: Floats | TopKProbabilities) -> Ints:
    """The column of the largest number of each row, the first of equal ones.

    Examples
    --------
    >>> most_probable(np.array([[0.1, 0.9], [0.5, 0.5]])).tolist()
    [1, 0]
    """
    if isinstance(values, TopKProbabilities):
        return values.most_probable()
    return first_largest(values)


# -- checks ---------------------------------------------------------------------------------------


class _RowOf:
    """The row of the i-th listed class, for error messages."""

    def __init__(self, ends: Ints) -> None:
        self._ends = ends

    def __call__(self, i: int) -> str:
        return f"row {np.searchsorted(self._ends, i, side='right') - 1}"


def _listed(labels: Any, proba: Any) -> tuple[Any, Array, Ints]:
    """Labels and numbers of all rows end to end, and how many each row has."""
    labels, proba = (_matrix(in_memory(given)) for given in (labels, proba))
    if isinstance(labels, np.ndarray) and isinstance(proba, np.ndarray):
        if labels.shape != proba.shape or labels.ndim != 2:
            raise ValueError(
                f"labels have the shape {labels.shape} but proba has {proba.shape}: give one "
                "probability for each label, in one row per instance"
            )
        empty = np.isnan(numbers := _real(proba))
        if not empty.any():
            each = np.full(len(labels), labels.shape[1], dtype=np.intp)
            return labels.ravel(), numbers.ravel(), each
        return labels[~empty], numbers[~empty], (~empty).sum(axis=1)
    given, lengths = flatten_lists(labels)
    numbers, others = flatten_lists(proba)
    if len(lengths) != len(others):
        raise ValueError(
            f"labels have {counted(len(lengths), 'row')} but proba has {len(others)}: give both "
            "for the same rows"
        )
    if not np.array_equal(lengths, others):
        row = int((lengths != others).argmax())
        raise ValueError(
            f"row {row} has {counted(lengths[row], 'label')} but {others[row]} probabilities: give "
            "one probability for each label"
        )
    if isinstance(proba, np.ndarray):  # lists would forget its precision
        numbers = proba.ravel()
    return given, _real(numbers), lengths


def _matrix(given: Any) -> Any:
    """A rectangular argument as a matrix; lists of different lengths as they are."""
    if isinstance(given, np.ndarray):
        return np.asarray(unmasked(given))
    if is_frame(given):
        return np.asarray(given)
    if isinstance(given, (list, tuple)) and given and isinstance(given[0], np.ndarray):
        given = [list(row) for row in given]
    return given


def _real(numbers: Any) -> Array:
    try:
        found = np.asarray(not_complex(np.asarray(unmasked(numbers)), "proba"))
        return found if found.dtype.kind == "f" else found.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as problem:
        raise ValueError(f"proba must contain numbers: {reason(problem)}") from None


def _check_numbers(numbers: Array, ends: Ints) -> Floats:
    """The sum of each row, if its numbers are probabilities."""
    values = numbers.astype(np.float64, copy=False)
    if len(values) and not (values.min() >= 0 and values.max() < np.inf):
        at = int((~(np.isfinite(values) & (values >= 0))).argmax())
        raise ValueError(
            "proba must contain finite values that are not negative, got "
            f"{values[at]:g} in {_RowOf(ends)(at)}"
        )
    return sum_rows(values, ends)


def sum_rows(values: Floats, ends: Ints) -> Floats:
    """The sum of the numbers of each row, which lie end to end."""
    sums = np.zeros(len(ends) - 1)
    some = ends[1:] > ends[:-1]
    if some.any():
        sums[some] = np.add.reduceat(values, ends[:-1][some])
    return sums


def _check_distinct(codes: Ints, ends: Ints, classes: Array) -> None:
    """Raise if a row lists a class twice."""
    twice = find_twice(codes, ends)
    if twice is not None:
        row, code = twice
        raise ValueError(
            f"row {row} lists {format_label(classes[code])} twice: list each class once"
        )


def find_twice(codes: Ints, ends: Ints) -> tuple[int, int] | None:
    """The first row that lists a class twice, and the class; None if there is none."""
    lengths = np.diff(ends)
    width = int(lengths.max(initial=0))
    if width < 2:
        return None
    if width <= _FEW and (lengths == width).all():
        columns = codes.reshape(-1, width).T
        again = np.zeros(len(lengths), dtype=np.bool_)
        for j in range(1, width):
            for i in range(j):
                again |= columns[i] == columns[j]
    else:
        again = np.zeros(len(lengths), dtype=np.bool_)
        row = np.repeat(np.arange(len(lengths)), lengths)
        order = np.lexsort((codes, row))
        same = (np.diff(row[order]) == 0) & (np.diff(codes[order]) == 0)
        again[row[order[1:][same]]] = True
    if not again.any():
        return None
    first = int(again.argmax())
    listed = codes[ends[first] : ends[first + 1]].tolist()
    return first, next(code for i, code in enumerate(listed) if code in listed[:i])
