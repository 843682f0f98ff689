"""Ways of writing one value per row, and tables with one named column per class.

A form says nothing about the data: an index, a type of column, a library, or memory that is laid
out in another way.  The labels of `LABELS` are of the kinds that libraries read in different ways.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from wager._typing import Array

# Three labels, in sorted order.
LABELS: dict[str, tuple[Any, ...]] = {
    "text": ("birch", "maple", "walnut"),
    "codes": (0, 1, 2),
    "numbers from 1": (1, 2, 3),
    "numbers with gaps": (3, 7, 12),
    "negative numbers": (-1, 0, 1),
    "large numbers": (2**53, 2**53 + 1, 2**53 + 2),
    "floats": (1.0, 2.0, 3.0),
    "halves": (0.5, 1.5, 2.5),
    "digits as text": ("1", "2", "3"),
    "digits of many lengths": ("10", "2", "300"),
    "blanks": (" a", "a", "a "),
    "empty text": ("", "a", "b"),
    "words for missing": ("NA", "None", "nan"),
}

Columns = dict[Any, Array]


@dataclass(frozen=True)
class Form:
    """How vectors, tables with named columns, and lists of labels are written."""

    vector: Callable[[list[Any]], Any]
    table: Callable[[Columns], Any]
    lists: Callable[[list[list[Any]]], Any] | None = None  # sets as lists of labels
    text_names: bool = False  # the library has columns with names of text only


def _series(index: Callable[[int], Any], dtype: Any = None) -> Form:
    def vector(values: list[Any]) -> Any:
        return pd.Series(values, index=index(len(values)), dtype=dtype)

    def table(columns: Columns) -> Any:
        frame = pd.DataFrame(columns, index=index(_height(columns)))
        return frame if dtype is None else frame.astype(dtype)

    return Form(vector, table)


def _height(columns: Columns) -> int:
    return len(next(iter(columns.values())))


def _shuffled(n: int) -> list[int]:
    return np.random.default_rng(5).permutation(n).tolist()


INDEXES: dict[str, Callable[[int], Any]] = {
    "shifted": lambda n: range(5, n + 5),
    "shuffled": _shuffled,
    "backwards": lambda n: range(n - 1, -1, -1),
    "named": lambda n: pd.Index(_shuffled(n), name="id"),
    "duplicated": lambda n: [i // 2 for i in range(n)],
    "of texts": lambda n: [f"r{i}" for i in _shuffled(n)],
    "of dates": lambda n: pd.date_range("2024-01-01", periods=n)[_shuffled(n)],
    "of two levels": lambda n: pd.MultiIndex.from_tuples([(i % 2, -i) for i in range(n)]),
}


def _converted(convert: Callable[[Any], Any]) -> Form:
    """Forms of pandas, column by column."""
    return Form(
        lambda values: convert(pd.Series(values, index=INDEXES["shuffled"](len(values)))),
        lambda columns: pd.DataFrame({k: convert(pd.Series(v)) for k, v in columns.items()}),
        lambda lists: pd.Series(lists),
    )


def _category(column: Any, *, ordered: bool, more: Sequence[Any] = ()) -> Any:
    levels = [*more, *sorted(set(column), reverse=True)]
    return column.astype(pd.CategoricalDtype(levels, ordered=ordered))


def _array(change: Callable[[Array], Any]) -> Form:
    """Forms of NumPy; tables are frames of pandas, whose columns NumPy holds."""
    return Form(
        lambda values: change(np.array(values)),
        lambda columns: pd.DataFrame(
            change(np.column_stack(list(columns.values()))), columns=list(columns)
        ),
    )


def _strided(values: Array) -> Array:
    return np.repeat(values, 2, axis=0)[::2]


def _read_only(values: Array) -> Array:
    values.flags.writeable = False
    return values


def _small(values: Array) -> Array:
    """The smallest unsigned integers that have these values, where they are small integers."""
    whole = values.dtype.kind in "biu" and values.min() >= 0 and values.max() < 256
    return values.astype(np.uint8) if whole else values


def _fixed(values: Array) -> Array:
    return values.astype(np.dtypes.StringDType()) if values.dtype.kind == "U" else values


def _items(make: Callable[[Any], Any]) -> Form:
    """Lists of values of another type; tables are polars frames of lists."""
    return Form(
        lambda values: [make(v) for v in values],
        lambda columns: pd.DataFrame({k: list(v) for k, v in columns.items()}, dtype=object),
        lambda lists: [[make(v) for v in row] for row in lists],
    )


def _polars(change: Callable[[Any], Any], frame: Callable[[Any], Any] = lambda f: f) -> Form:
    return Form(
        lambda values: change(pl.Series(values)),
        lambda columns: frame(pl.DataFrame({k: change(pl.Series(v)) for k, v in columns.items()})),
        lambda lists: pl.Series(lists),
        text_names=True,
    )


def _enum(column: Any) -> Any:
    is_text = column.dtype == pl.String
    return column.cast(pl.Enum(column.unique().sort(descending=True))) if is_text else column


def _polars_type(wanted: Any) -> Callable[[Any], Any]:
    def change(column: Any) -> Any:
        return column.cast(wanted) if (column.dtype == pl.String) else column

    return change


def _polars_decimal(column: Any) -> Any:
    if column.dtype.is_integer():
        return column.cast(pl.Decimal(22, 2))
    return column


def _polars_small(column: Any) -> Any:
    return column.shrink_dtype() if column.dtype.is_integer() else column


def _pieces(column: Any) -> Any:
    """A column of polars in two chunks."""
    return pl.concat([column[:3], column[3:]], rechunk=False)


def _arrow(change: Callable[[Any], Any], table: Callable[[Any], Any] = lambda t: t) -> Form:
    return Form(
        lambda values: change(pa.array(values)),
        lambda columns: table(pa.table({k: change(pa.array(v)) for k, v in columns.items()})),
        lambda lists: pa.array(lists),
        text_names=True,
    )


def _of_type(column: Any, text: Any, whole: Any = None) -> Any:
    if pa.types.is_string(column.type):
        return column.cast(text)
    return column.cast(whole) if whole and pa.types.is_integer(column.type) else column


def _batches(column: Any) -> Any:
    return pa.chunked_array([column[:3], column[3:3], column[3:]])


FORMS: dict[str, Form] = {
    **{f"a pandas index {name}": _series(index) for name, index in INDEXES.items()},
    "pandas objects": _series(INDEXES["shuffled"], object),
    "pandas nullable": _converted(lambda c: c.convert_dtypes()),
    "pandas of Arrow": _converted(lambda c: c.convert_dtypes(dtype_backend="pyarrow")),
    "pandas categories": _converted(lambda c: _category(c, ordered=False)),
    "pandas ordered categories": _converted(lambda c: _category(c, ordered=True)),
    "an Index": Form(pd.Index, lambda columns: pd.DataFrame(columns)),
    "an extension array": Form(
        lambda values: pd.array(values),
        lambda columns: pd.DataFrame({k: pd.array(v) for k, v in columns.items()}),
    ),
    "columns as they are": _series(range),
    "columns of objects": Form(
        lambda values: pd.Series(values, dtype=object),
        lambda columns: pd.DataFrame(
            np.column_stack(list(columns.values())), columns=pd.Index(list(columns), dtype=object)
        ),
    ),
    "columns of categories": Form(
        lambda values: pd.Categorical(values),
        lambda columns: pd.DataFrame(
            np.column_stack(list(columns.values())), columns=pd.CategoricalIndex(list(columns))
        ),
    ),
    "named columns": Form(
        lambda values: pd.Series(values, name="0"),
        lambda columns: pd.DataFrame(columns).rename_axis(columns="class", index="row"),
    ),
    "objects": _array(lambda v: v.astype(object)),
    "big-endian": _array(lambda v: v.astype(v.dtype.newbyteorder(">"))),
    "read-only": _array(_read_only),
    "strided": _array(_strided),
    "small unsigned": _array(_small),
    "Fortran order": _array(np.asfortranarray),
    "text of NumPy 2": _array(_fixed),
    "masked arrays": _array(np.ma.array),
    "tuples": Form(tuple, lambda columns: pd.DataFrame(columns), lambda s: tuple(map(tuple, s))),
    "scalars of NumPy": _items(lambda v: np.array(v)[()]),
    "arrays without dimensions": _items(np.array),
    "scalars of Arrow": _items(pa.scalar),
    "polars categories": _polars(_polars_type(pl.Categorical)),
    "polars Enum": _polars(_enum),
    "polars decimals": _polars(_polars_decimal),
    "polars small": _polars(_polars_small),
    "polars in chunks": _polars(_pieces),
    "lazy polars": _polars(lambda c: c, lambda f: f.lazy()),
    "Arrow in chunks": _arrow(_batches),
    "Arrow dictionary": _arrow(lambda c: c.dictionary_encode()),
    "Arrow large text": _arrow(lambda c: _of_type(c, pa.large_string())),
    "Arrow views": _arrow(lambda c: _of_type(c, pa.string_view())),
    "Arrow decimals": _arrow(lambda c: _of_type(c, pa.string(), pa.decimal128(22, 2))),
    "Arrow batch": _arrow(lambda c: c, lambda t: t.to_batches()[0]),
    "decimals": Form(
        lambda values: [Decimal(v) if type(v) is int else v for v in values],
        lambda columns: pd.DataFrame(columns),
    ),
}

# Tables that keep their columns in the order of the classes: pandas 3 may then only number them.
IN_ORDER = {"columns as they are", "columns of objects", "columns of categories", "named columns"}

# What a form may be refused with, and why.
_LABELS = r"must contain strings or numbers, got |pass strings or numbers"
REFUSED: dict[str, str] = {
    # labels and names are text or numbers; Decimal, which is neither in NumPy, is no label
    **dict.fromkeys(
        ("polars decimals", "Arrow decimals", "decimals"), rf"{_LABELS}|Unknown label type"
    ),
    # scalars of Arrow are read in lists, not in lists of lists
    "scalars of Arrow": "inhomogeneous shape",
    # arrays without dimensions are labels only in a list that NumPy makes an array of numbers
    "arrays without dimensions": rf"{_LABELS}|inhomogeneous shape|unsized object",
}
