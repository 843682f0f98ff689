"""Nominal columns as codes 0..v-1 that keep declared levels and missing values.

The possible values of a column, its *levels*, are declared by the categories of a pandas column or
by ``n_values=``; otherwise they are the values of the training rows.  A declared level counts even
if no row has it.  In codes, -1 is missing, and v (one past the last) is a value that was neither
declared nor seen in training: its counts are zero.

=======================  =======================================================================
input                    levels
=======================  =======================================================================
pandas category          the categories, in their order
strings, objects, bools  the distinct values, sorted; None, NaN and NA are missing
integer arrays           codes already, 0..largest; -1 is missing
float arrays             integers, codes already; NaN is missing
=======================  =======================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables._columns import (
    MISSING_CODE,
    column_kind,
    column_name,
    is_matrix_of_numbers,
    label_column,
    numeric_column,
    raw_column,
)
from wager._tables._frames import is_frame
from wager._tables._rows import row_blocks
from wager._tables._values import is_missing, is_number
from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager._visible import brief

__all__ = [
    "MISSING_CODE",
    "Schema",
    "codes_of_numbers",
    "column_levels",
    "encode_column",
    "nominal_columns",
    "nominal_names",
    "sorted_levels",
]

CODES_AT_ONCE = 1 << 20
MOST_VALUES = 1_000_000  # a larger code is a number, not a category


@dataclass(frozen=True, eq=False)
class Schema:
    """Which columns are nominal, and the levels of each of them.

    Examples
    --------
    >>> schema = Schema.of(np.array([["a"], ["b"], [None]], dtype=object))
    >>> schema.n_values.tolist(), schema.levels[0].tolist()
    ([2], ['a', 'b'])
    >>> schema.codes(np.array([["b"], ["c"], [None]], dtype=object))[:, 0].tolist()
    [1, 2, -1]
    """

    nominal: Bools  # (m,)
    levels: tuple[Array | None, ...]  # labels per column; None where it holds codes or numbers
    n_values: Ints  # (m,), the number of levels; 0 for a numeric column

    @classmethod
    def of(
        cls, table: Any, nominal: Bools | None = None, n_values: ArrayLike | None = None
    ) -> Schema:
        """Learn the levels of a table that ``read_table`` has checked.

        All columns are nominal, unless the mask ``nominal`` is given.
        """
        m = table.shape[1]
        chosen = np.ones(m, dtype=bool) if nominal is None else nominal
        declared = _check_n_values(n_values, m)
        levels: list[Array | None] = [None] * m
        found = np.zeros(m, dtype=np.int64)
        if is_matrix_of_numbers(table):
            found[chosen] = _numbers_of_codes(table, chosen)
        else:
            for j in np.flatnonzero(chosen).tolist():
                levels[j] = at = column_levels(table, j)
                found[j] = _number_of_codes(table, j) if at is None else len(at)
        found = np.where(chosen, np.maximum(found, 1), 0)  # an all-missing column has one level
        sizes = _number_of_levels(found, declared, chosen, lambda j: column_name(table, j))
        return cls(chosen, tuple(levels), sizes)

    @classmethod
    def of_codes(cls, n_values: Ints) -> Schema:
        """The schema of nominal columns that hold codes already."""
        m = len(n_values)
        return cls(np.ones(m, dtype=bool), (None,) * m, n_values)

    def with_n_values(
        self, n_values: ArrayLike | None, names: Sequence[str] | None = None
    ) -> Schema:
        """The same columns with the declared numbers of values, if they are given."""
        declared = _check_n_values(n_values, len(self.nominal))
        if declared is None:
            return self
        shown = range(len(declared)) if names is None else names
        sizes = _number_of_levels(
            self.n_values, declared, self.nominal, lambda j: f"column {shown[j]!r}"
        )
        return Schema(self.nominal, self.levels, sizes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schema):
            return NotImplemented
        return (
            self.nominal.tolist() == other.nominal.tolist()
            and self.n_values.tolist() == other.n_values.tolist()
            and all(map(_same_levels, self.levels, other.levels))
        )

    @property
    def all_nominal(self) -> bool:
        """Whether there is no numeric column."""
        return bool(self.nominal.all())

    def codes(self, table: Any, *, known: bool = False, first_row: int = 0) -> Ints:
        """The nominal columns as codes, shape (n, number of nominal columns), 32-bit.

        ``known=True`` means that these are rows the schema was learnt from.  ``first_row`` is the
        number of the first row of a part of a table, for error messages.
        """
        columns = np.flatnonzero(self.nominal)
        sizes = self.n_values[columns]
        if is_matrix_of_numbers(table):
            codes = _matrix_codes(table, self.nominal, first_row)
            return codes if known else np.minimum(codes, sizes.astype(np.int32), out=codes)
        by_column = np.empty((len(columns), table.shape[0]), dtype=np.int32)
        for place, j in enumerate(columns):
            at = self.levels[j]
            if at is None:
                column = _column_codes(table, int(j), first_row)
            else:
                column = encode_column(table, int(j), at, int(sizes[place]))
            np.minimum(column, np.int32(sizes[place]), out=by_column[place])
        return np.ascontiguousarray(by_column.T)

    def numbers(self, table: Any, first_row: int = 0) -> Floats:
        """The numeric columns as doubles, shape (n, number of numeric columns); missing is NaN.

        ``first_row`` is the number of the first row, as for ``codes``.
        """
        columns = np.flatnonzero(~self.nominal)
        if not len(columns):
            return np.empty((table.shape[0], 0))
        return np.column_stack([numeric_column(table, int(j), first_row) for j in columns])


def _same_levels(first: Array | None, second: Array | None) -> bool:
    if first is None or second is None:
        return first is second
    return first is second or first.tolist() == second.tolist()


def _check_n_values(n_values: ArrayLike | None, m: int) -> Ints | None:
    if n_values is None:
        return None
    declared = np.asarray(n_values)
    if declared.dtype.kind not in "iu" or declared.shape not in ((), (m,)):
        raise ValueError(
            f"n_values must be one integer, or one integer per column ({m}), got {brief(n_values)}"
        )
    if declared.size and declared.max() > MOST_VALUES:
        raise ValueError(f"n_values must be at most {MOST_VALUES:,}, got {declared.max():,}")
    return np.broadcast_to(declared, (m,)).astype(np.int64)


def _number_of_levels(
    found: Ints, declared: Ints | None, nominal: Bools, name: Callable[[int], str]
) -> Ints:
    """The number of levels of each column: the declared one, which must not be too small."""
    if declared is None:
        return found
    short = nominal & (declared < found)
    if short.any():
        j = int(short.argmax())
        raise ValueError(
            f"n_values declares {declared[j]} values for {name(j)}, which has "
            f"{found[j]}: declare at least as many"
        )
    return np.where(nominal, declared, 0)


def _largest_codes(codes: Ints) -> Ints:
    """The largest code of each column, -1 if there is none."""
    n, m = codes.shape
    if not m:
        return np.zeros(0, dtype=codes.dtype)
    together = max(1, 512 // m)  # several short rows form a long one, whose maximum vectorises
    whole = n - n % together
    wide = codes[:whole].reshape(n // together, together * m).max(axis=0, initial=-1)
    return np.maximum(wide.reshape(together, m).max(axis=0), codes[whole:].max(axis=0, initial=-1))


def _numbers_of_codes(table: Array, chosen: Bools) -> Ints:
    """One more than the largest code of each chosen column, in blocks of rows."""
    largest = np.full(int(chosen.sum()), -1, dtype=np.int64)
    for rows in row_blocks(len(table), table.shape[1], CODES_AT_ONCE):
        codes = _matrix_codes(table[rows], chosen, rows.start)
        np.maximum(largest, _largest_codes(codes), out=largest)
    return largest + 1


def _number_of_codes(table: Any, j: int) -> int:
    return int(_column_codes(table, j).max(initial=-1)) + 1


def _column_codes(table: Any, j: int, first_row: int = 0) -> Ints:
    """A column of numbers as codes."""
    name, where = [column_name(table, j)], _from_row(first_row)
    if column_kind(table, j) == "integer":
        values = raw_column(table, j).to_numpy(dtype=np.float64, na_value=MISSING_CODE)
        return _as_codes(values[:, None], MISSING_CODE, name, where)[:, 0]
    return _as_codes(numeric_column(table, j, first_row)[:, None], 0, name, where)[:, 0]


def codes_of_numbers(values: Floats, name: str) -> Ints:
    """Distinct numbers of a column, none of them missing, as codes.

    Examples
    --------
    >>> codes_of_numbers(np.array([0.0, 2.0]), "column 'x'").tolist()
    [0, 2]
    """
    return _as_codes(values[:, None], 0, [name], lambda row: "")[:, 0]


def _matrix_codes(table: Array, chosen: Bools, first_row: int = 0) -> Ints:
    """The chosen columns of a matrix of numbers as codes."""
    part = table if chosen.all() else table[:, chosen]
    least = 0 if table.dtype.kind == "f" else MISSING_CODE
    names = [f"column {j}" for j in np.flatnonzero(chosen)]
    return _as_codes(part, least, names, _from_row(first_row))


def _from_row(first_row: int) -> Callable[[int], str]:
    return lambda row: f" in row {first_row + row}"


def _as_codes(values: Array, least: int, names: Sequence[str], where: Callable[[int], str]) -> Ints:
    """Numbers as codes: integers from ``least`` on; NaN is missing, and so is -1 if allowed.

    ``where`` says where a value is, for error messages.
    """
    if not values.size:
        return np.zeros(values.shape, dtype=np.int32)
    if values.dtype == np.float16:  # which cannot be compared with large integers
        values = values.astype(np.float32)
    if values.dtype.kind == "f":  # a NaN is missing
        smallest, largest = np.fmin.reduce(values, axis=None), np.fmax.reduce(values, axis=None)
    else:
        smallest, largest = values.min(), values.max()
    if smallest < least:
        row, j = np.argwhere(values < least)[0]
        _refuse_negative(values[row, j], where(int(row)), names[j])
    if largest >= MOST_VALUES:
        row, j = np.argwhere(values >= MOST_VALUES)[0]
        _refuse_large(values[row, j], where(int(row)), names[j])
    if values.dtype.kind != "f":
        return values.astype(np.int32, order="C")
    unknown = np.isnan(values)
    codes = np.where(unknown, MISSING_CODE, values).astype(np.int32, order="C")
    fraction = (codes != values) & ~unknown
    if fraction.any():
        row, j = np.argwhere(fraction)[0]
        raise ValueError(
            f"{names[j]} must contain categories (codes 0, 1, ...; strings; a pandas category), "
            f"got {values[row, j]:g}{where(int(row))}: discretize numbers first, for instance "
            "with MDLDiscretizer"
        )
    return codes


def _refuse_negative(value: Any, where: str, name: str) -> None:
    # scikit-learn's checks require the first four words
    raise ValueError(
        f"Negative values in data: {name} contains {value:g}{where}, but codes count from 0 "
        "(missing is NaN, or -1 among integers)"
    )


def _refuse_large(value: Any, where: str, name: str) -> None:
    raise ValueError(
        f"{name} contains {value:g}{where}, which is too large for a code: pass "
        "labels as strings or as a pandas category, or discretize numbers first"
    )


def column_levels(table: Any, j: int) -> Array | None:
    """The levels that a column declares or holds; None for numbers, which are codes already."""
    kind = column_kind(table, j)
    if kind in ("float", "integer"):
        return None
    if kind == "boolean":
        return np.array([False, True])
    if kind == "category":
        return np.asarray(raw_column(table, j).cat.categories)
    return sorted_levels({value for value in label_column(table, j) if value is not None})


def sorted_levels(values: Iterable[Any]) -> Array:
    """The distinct ones of these labels in the order in which a column's levels are numbered.

    Examples
    --------
    >>> sorted_levels(["b", 2, "a", 1, "b"]).tolist()
    [1, 2, 'a', 'b']
    """
    distinct = sorted(set(values), key=_order)
    return np.fromiter(distinct, dtype=object, count=len(distinct))


def _order(value: Any) -> tuple[str, Any]:
    """Numbers before everything else, then by type, so that any mixture can be sorted."""
    if is_number(value) or isinstance(value, bool | np.bool_):
        return ("", value)
    if isinstance(value, str):
        return ("str", str(value))
    return (type(value).__name__, str(value))


def encode_column(table: Any, j: int, at: Array, unseen: int) -> Ints:
    """The codes of a column of labels among the levels ``at``; ``unseen`` for any other."""
    if column_kind(table, j) == "category":
        categorical = raw_column(table, j).cat
        codes = categorical.codes.to_numpy().astype(np.int32)
        categories = np.asarray(categorical.categories)
        if len(categories) == len(at) and (categories == at).all():
            return codes
        _refuse_other_kind(table, j, at, categories[np.unique(codes[codes >= 0])])
        code_of = {value: code for code, value in enumerate(at)}
        recode = [code_of.get(value, unseen) for value in categories]
        return np.array([*recode, MISSING_CODE], dtype=np.int32)[codes]  # -1 takes the last
    code_of = {value: code for code, value in enumerate(at)}
    code_of[None] = MISSING_CODE
    labels = label_column(table, j)
    _refuse_other_kind(table, j, at, labels)
    return np.array([code_of.get(value, unseen) for value in labels], dtype=np.int32)


def _refuse_other_kind(table: Any, j: int, at: Array, labels: Array) -> None:
    """Refuse text where all levels are numbers or booleans, and these where all are text.

    Such labels would all be unseen values: ``True`` is not the text "True" of a CSV file.
    """
    known = [label for label in labels if label is not None]
    kinds, other = ({isinstance(value, str) for value in values} for values in (at, known))
    if len(kinds) == len(other) == 1 and kinds != other:
        raise ValueError(
            f"{column_name(table, j)} was fitted on labels such as {brief(at[0])} but contains "
            f"{brief(known[0])}: pass the labels, in the same kind of table"
        )


def nominal_columns(
    table: Any, categorical_features: Any = "auto", *, integers: str = "nominal"
) -> Bools:
    """Which columns are nominal, as the user says or as their types say.

    Parameters
    ----------
    table : frame or array
        As ``read_table`` returns it.
    categorical_features : "auto", "all", "none", mask, or indices or names of columns
        With "auto", the columns of a frame are nominal if their type is category, string, object
        or boolean, and its numbers are numeric.  An array of integers, booleans or strings is
        nominal (such as the output of a discretizer), an array of floats is numeric, and an array
        of objects is numeric in the columns that hold only numbers.
    integers : {"nominal", "numeric"}
        How "auto" treats an array of integers.

    Examples
    --------
    >>> nominal_columns(np.array([[1, 2]])).tolist()
    [True, True]
    >>> nominal_columns(np.array([[1.0, "x"]], dtype=object)).tolist()
    [False, True]
    """
    m = table.shape[1]
    if isinstance(categorical_features, str):
        return _by_keyword(table, categorical_features, integers)
    given = np.asarray(categorical_features)
    if given.dtype.kind == "b":
        if given.shape != (m,):
            raise ValueError(
                f"categorical_features as a mask must have one entry per column ({m}), got the "
                f"shape {given.shape}"
            )
        return given
    if given.dtype.kind in "UTO" and given.size:
        return _by_name(table, given)
    if given.size and given.dtype.kind not in "iu":
        raise ValueError(
            f"categorical_features must be column numbers, names or a mask, got "
            f"{brief(given.tolist())}"
        )
    if given.size and (given.min() < 0 or given.max() >= m):
        raise ValueError(
            f"categorical_features must be column numbers from 0 to {m - 1}, got "
            f"{brief(given.tolist())}"
        )
    mask = np.zeros(m, dtype=bool)
    mask[given.astype(int)] = True
    return mask


def nominal_names(names: Sequence[str], numeric: Bools, categorical_features: Any) -> Bools:
    """Which columns are nominal, of a table whose columns of numbers are known.

    Parameters
    ----------
    names : sequence of str
        The columns.
    numeric : ndarray of bool
        Which of them have numbers.
    categorical_features
        As for `nominal_columns`.

    Examples
    --------
    >>> nominal_names(["a", "b"], np.array([True, False]), "auto").tolist()
    [False, True]
    >>> nominal_names(["a", "b"], np.array([True, False]), ["a"]).tolist()
    [True, False]
    """
    chosen = categorical_features
    if not isinstance(chosen, str) and np.asarray(chosen).dtype.kind in "UTO":
        unknown = [name for name in chosen if name not in names]
        if unknown:
            raise ValueError(
                f"categorical_features names {str(unknown[0])!r}, which is not a column"
            )
        chosen = [list(names).index(name) for name in chosen]
    kinds = np.array([[0.0 if number else "label" for number in numeric]], dtype=object)
    return nominal_columns(kinds, chosen)


def _by_keyword(table: Any, keyword: str, integers: str) -> Bools:
    m = table.shape[1]
    if keyword in ("all", "none"):
        return np.full(m, keyword == "all")
    if keyword != "auto":
        raise ValueError(
            "categorical_features must be 'auto', 'all', 'none', a mask, indices or names, got "
            f"{brief(keyword)}"
        )
    if m and is_matrix_of_numbers(table):  # all columns have the same type
        return np.full(m, _looks_nominal(table, 0, integers))
    return np.array([_looks_nominal(table, j, integers) for j in range(m)], dtype=bool)


def _by_name(table: Any, names: Array) -> Bools:
    known = [str(name) for name in table.columns] if is_frame(table) else []
    mask = np.zeros(table.shape[1], dtype=bool)
    for name in names:
        if str(name) not in known:
            raise ValueError(
                f"categorical_features names {brief(str(name))}, which is not a column"
            )
        mask[known.index(str(name))] = True
    return mask


def _looks_nominal(table: Any, j: int, integers: str) -> bool:
    kind = column_kind(table, j)
    if kind in ("category", "boolean"):
        return True
    if kind == "object":
        if is_frame(table):
            return True
        return not all(is_missing(v) or is_number(v) for v in raw_column(table, j))
    return kind == "integer" and integers == "nominal" and not is_frame(table)
