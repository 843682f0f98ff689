"""A data set as a value: named columns, numbers or declared levels, and the class of every row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wager._typing import Array, Bools, Floats, Ints

__all__ = ["Dataset"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table for classification that remembers what was declared.

    Attributes
    ----------
    name : str
    columns : tuple of str
        The features, in the order of the file.
    values : tuple of ndarray
        One array a feature: doubles with NaN for missing, or codes with -1 for missing.
    levels : tuple
        The declared values of each nominal feature, in their order; None for a numeric one.
    target_codes : ndarray of int
        The class of each row as a position in ``classes``; -1 where it is missing.
    classes : ndarray
        The declared classes in their order, also those that never occur.

    Examples
    --------
    >>> data = Dataset.from_columns("toy", {"x": [1.5, 2.0], "c": ["p", "q"]}, target="c")
    >>> data
    Dataset('toy', 2 rows, 1 numeric and 0 nominal features, 2 classes)
    >>> data.matrix.tolist(), data.y.tolist()
    ([[1.5], [2.0]], ['p', 'q'])
    """

    name: str
    columns: tuple[str, ...]
    values: tuple[Array, ...]
    levels: tuple[tuple[Any, ...] | None, ...]
    target_codes: Ints
    classes: Array
    target_name: str = "class"

    @classmethod
    def from_columns(
        cls, name: str, columns: Mapping[str, Sequence[Any] | Array], target: str
    ) -> Dataset:
        """A data set from plain columns: numbers are numeric, everything else is nominal.

        A masked entry, None or NaN is missing; the levels are the sorted distinct values.
        """
        if target not in columns:
            raise ValueError(
                f"{name} has no column {target!r} for the target: choose one of "
                f"{', '.join(map(str, columns))}"
            )
        read = {str(key): _read_column(column) for key, column in columns.items() if key != target}
        codes, classes = _encode(_objects(columns[target]))
        return cls(
            name,
            tuple(read),
            tuple(column for column, _ in read.values()),
            tuple(levels for _, levels in read.values()),
            codes,
            np.array(classes),
            target,
        )

    def __repr__(self) -> str:
        numeric = sum(levels is None for levels in self.levels)
        nominal = len(self.levels) - numeric
        return (
            f"Dataset({self.name!r}, {len(self)} rows, {numeric} numeric and {nominal} nominal "
            f"features, {len(self.classes)} classes)"
        )

    def __len__(self) -> int:
        return len(self.target_codes)

    @cached_property
    def frame(self) -> Any:
        """The features as a pandas frame; nominal ones are categories with every declared level."""
        pandas = _pandas()
        made = {}
        for column, values, levels in zip(self.columns, self.values, self.levels, strict=True):
            made[column] = (
                values if levels is None else pandas.Categorical.from_codes(values, list(levels))
            )
        return pandas.DataFrame(made)

    @cached_property
    def target(self) -> Any:
        """The classes as a pandas Series of categories, every declared one among them."""
        pandas = _pandas()
        truth = pandas.Categorical.from_codes(self.target_codes, self.classes)
        return pandas.Series(truth, name=self.target_name)

    @cached_property
    def matrix(self) -> Floats:
        """The features as doubles, nominal ones as codes; missing is NaN."""
        table = np.empty((len(self), len(self.columns)))
        for j, (values, levels) in enumerate(zip(self.values, self.levels, strict=True)):
            table[:, j] = values if levels is None else np.where(values < 0, np.nan, values)
        return table

    @cached_property
    def y(self) -> Array:
        """The class labels, one a row; the rows must all have one."""
        if (self.target_codes < 0).any():
            row = int((self.target_codes < 0).argmax())
            raise ValueError(
                f"{self.name} has no class in row {row}: take with_class() for the rows that do"
            )
        return self.classes[self.target_codes]

    @property
    def nominal(self) -> Bools:
        """Which features are nominal."""
        return np.array([levels is not None for levels in self.levels], dtype=bool)

    @property
    def n_values(self) -> Ints:
        """The number of declared values of each feature; 0 for a numeric one."""
        return np.array([0 if levels is None else len(levels) for levels in self.levels], dtype=int)

    def rows(self, chosen: Ints | Bools) -> Dataset:
        """The data set of these rows, with everything that was declared."""
        return Dataset(
            self.name,
            self.columns,
            tuple(values[chosen] for values in self.values),
            self.levels,
            self.target_codes[chosen],
            self.classes,
            self.target_name,
        )

    def with_class(self) -> Dataset:
        """The data set without the rows whose class is missing."""
        return self if (self.target_codes >= 0).all() else self.rows(self.target_codes >= 0)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise ImportError(
            "a data set as a frame needs pandas: install wager[frames], or take the plain "
            "numbers in .matrix with .nominal and .n_values"
        ) from None
    return pandas


def _read_column(column: Any) -> tuple[Array, tuple[Any, ...] | None]:
    categories = getattr(getattr(column, "cat", None), "categories", None)
    if categories is not None:
        return column.cat.codes.to_numpy().astype(np.int32), tuple(categories)
    given = np.ma.asarray(column)
    if given.dtype.kind in "iuf":
        return np.ma.filled(given.astype(np.float64), np.nan), None
    codes, levels = _encode(_objects(column))
    return codes, tuple(levels)


def _objects(column: Any) -> Array:
    if getattr(getattr(column, "cat", None), "categories", None) is not None:
        return column
    given = np.ma.asarray(column)
    objects = given.data.astype(object)
    objects[np.ma.getmaskarray(given)] = None
    return objects


def _encode(column: Any) -> tuple[Ints, list[Any]]:
    """Codes and levels of a column of labels; missing is -1."""
    categories = getattr(getattr(column, "cat", None), "categories", None)
    if categories is not None:
        return column.cat.codes.to_numpy().astype(np.int32), list(categories)
    known = {value for value in column if value is not None and value == value}
    levels = sorted(known)
    code = {level: i for i, level in enumerate(levels)}
    return np.array([code.get(value, -1) for value in column], dtype=np.int32), levels
