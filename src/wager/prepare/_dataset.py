"""A data set: named columns of numbers or declared levels, and the class of every row."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wager._tables import (
    MISSING_CODE,
    View,
    Viewed,
    declared_categories,
    in_memory,
    is_missing,
    keep_values,
    nearest_name,
    positions,
    refuse_final_nul,
    refuse_repeated_names,
    require_kind,
)
from wager._typing import Array, Bools, Floats, Ints
from wager._visible import brief, in_one_line

__all__ = ["Dataset", "TargetError", "class_array", "encode_column_labels", "read_column_values"]

_SHOWN = 20  # names of columns in an error message


class TargetError(ValueError):
    """A data set does not have the column that should hold the class.

    Parameters
    ----------
    where : str
        The file or data set.
    target : str or None
        The column that was asked for; None if none was, and the source has no default.
    columns : sequence of str
        The columns that there are.
    kind : str
        What the source calls a column.
    """

    def __init__(
        self, where: str, target: str | None, columns: Sequence[str], kind: str = "column"
    ):
        self.where, self.target, self.columns = where, target, tuple(map(str, columns))
        if target is None:
            text = (
                f"{where} does not declare which column is the class: name it with target= "
                f"(--target on the command line), {self.choices}"
            )
        else:
            text = f"{where} has no target {kind} {brief(target)}: {self.choices}"
        super().__init__(text)

    @property
    def choices(self) -> str:
        """A column with a similar name, and the names of all columns."""
        listed = ", ".join(map(in_one_line, self.columns[:_SHOWN]))
        if len(self.columns) > _SHOWN:
            listed += f", ... ({len(self.columns)} in total)"
        near = None if self.target is None else nearest_name(self.target, self.columns)
        hint = "" if near is None else f"did you mean {brief(near)}? "
        return f"{hint}choose one of {listed}"


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(Viewed):
    """A table for classification that keeps the declared values and classes.

    Attributes
    ----------
    name : str
        The name of the data set.
    columns : tuple of str
        The features, in the order of the file.
    values : tuple of ndarray
        One array per feature: doubles with NaN for missing, or codes with -1 for missing.
    levels : tuple
        The declared values of each nominal feature, in their order; None for a numeric one.
    target_codes : ndarray of int
        The class of each row as an index into ``classes``; -1 if it is missing.
    classes : ndarray
        The declared classes in their order, including those that never occur.
    target_name : str
        The name of the column of classes.

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

    def __post_init__(self) -> None:
        require_kind(self.values, "values", tuple, list)
        require_kind(self.target_codes, "target_codes", np.ndarray)
        for place, column in enumerate(self.values):
            require_kind(column, f"column {place} of values", np.ndarray)
            if column.shape != self.target_codes.shape:
                raise ValueError(
                    f"column {place} of values must have one value per row, got shape "
                    f"{column.shape} for target_codes of shape {self.target_codes.shape}"
                )
        if self.target_codes.ndim != 1 or not (
            len(self.values) == len(self.levels) == len(self.columns)
        ):
            raise ValueError("a data set needs one class per row, and levels for each column")
        for name in self.columns:
            require_kind(name, "the name of a column", str)
        require_kind(self.classes, "classes", np.ndarray)
        if self.classes.dtype.kind == "f":  # pandas has no half precision
            object.__setattr__(self, "classes", self.classes.astype(np.float64))
        _check_codes("target_codes", self.target_codes, len(self.classes))
        for name, column, levels in zip(self.columns, self.values, self.levels, strict=True):
            if levels is not None:  # the code after the last level is a value that is not declared
                _check_codes(f"column {brief(name)}", column, len(levels) + 1)

    @classmethod
    def from_columns(
        cls, name: str, columns: Mapping[str, Sequence[Any] | Array], target: str
    ) -> Dataset:
        """A data set from columns: numbers are numeric, everything else is nominal.

        A masked entry, None or NaN is missing.  The levels are the categories of a pandas column,
        else the sorted distinct values.
        """
        require_kind(columns, "columns", Mapping)
        require_kind(target, "target", str)
        if target not in columns:
            raise TargetError(name, target, list(columns))
        refuse_repeated_names(list(map(str, columns)))
        read = {
            str(key): read_column_values(column, f"{name}: column {key!r}")
            for key, column in columns.items()
            if key != target
        }
        codes, classes = encode_column_labels(columns[target], f"{name}: column {target!r}")
        refuse_final_nul(classes, f"{name}: column {target!r}")
        return cls(
            name,
            tuple(read),
            tuple(column for column, _ in read.values()),
            tuple(levels for _, levels in read.values()),
            codes,
            class_array(classes),
            target,
        )

    def __repr__(self) -> str:
        numeric = sum(levels is None for levels in self.levels)
        nominal = len(self.levels) - numeric
        return (
            f"Dataset({self.name!r}, {len(self)} rows, {numeric} numeric and {nominal} nominal "
            f"features, {len(self.classes)} classes)"
        )

    def _view(self) -> View:
        return View(verdict=[repr(self)])

    def __len__(self) -> int:
        return len(self.target_codes)

    @cached_property
    def frame(self) -> Any:
        """The features as a pandas frame; nominal ones are categories with all declared levels."""
        pandas = _pandas()
        made = {}
        for column, values, levels in zip(self.columns, self.values, self.levels, strict=True):
            made[column] = (
                values if levels is None else pandas.Categorical.from_codes(values, list(levels))
            )
        return pandas.DataFrame(made)

    @cached_property
    def target(self) -> Any:
        """The classes as a pandas Series of categories, with all declared classes."""
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
        """The class label of each row; a missing class is an error."""
        if (self.target_codes < 0).any():
            row = int((self.target_codes < 0).argmax())
            raise ValueError(
                f"{self.name} has no class in row {row + 1}: use with_class() to drop such rows"
            )
        return self.classes[self.target_codes]

    @property
    def checksum(self) -> str:
        """A digest of the content, whatever file it came from: 32 hexadecimal digits.

        It covers columns, declared values and classes in their order, and every row; the name of
        the data set is left out.

        Examples
        --------
        >>> first = Dataset.from_columns("a", {"x": [1.5, 2.0], "c": ["p", "q"]}, target="c")
        >>> other = Dataset.from_columns("b", {"x": [1.5, 2.5], "c": ["p", "q"]}, target="c")
        >>> first.checksum == other.checksum, len(first.checksum)
        (False, 32)
        """
        found = hashlib.sha256()
        declared = [None if levels is None else [*map(str, levels)] for levels in self.levels]
        header = [self.columns, declared, [*map(str, self.classes)], self.target_name, len(self)]
        found.update(json.dumps(header).encode())
        for values, levels in zip(self.values, self.levels, strict=True):
            if levels is None:  # every NaN is the same missing value, and -0.0 is 0.0
                numbers = np.where(np.isnan(values), np.nan, values) + 0.0
                found.update(np.ascontiguousarray(numbers, dtype="<f8").tobytes())
            else:
                found.update(np.ascontiguousarray(values, dtype="<i8").tobytes())
        found.update(np.ascontiguousarray(self.target_codes, dtype="<i8").tobytes())
        return found.hexdigest()[:32]

    @property
    def nominal(self) -> Bools:
        """Which features are nominal."""
        return np.array([levels is not None for levels in self.levels], dtype=bool)

    @property
    def n_values(self) -> Ints:
        """The number of declared values of each feature; 0 for a numeric one."""
        return np.array([0 if levels is None else len(levels) for levels in self.levels], dtype=int)

    def rows(self, chosen: Ints | Bools) -> Dataset:
        """The data set of the chosen rows, with the same declared values and classes."""
        if np.asarray(chosen).dtype.kind != "b":
            chosen = positions(chosen, len(self), "the chosen rows")
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
            "a data set as a frame needs pandas: install wager[frames], or use the plain numbers "
            "in .matrix with .nominal and .n_values"
        ) from None
    return pandas


def class_array(classes: Sequence[Any]) -> Array:
    """Sorted classes as an array, which must not round large integers.

    Examples
    --------
    >>> class_array([1, 2**64 - 2, 2**64 - 1]).tolist()
    [1, 18446744073709551614, 18446744073709551615]
    """
    array = np.array(classes)
    if len(array) and array.dtype.kind == "f" and all(isinstance(label, int) for label in classes):
        return np.array(classes, dtype=np.uint64 if min(classes) >= 0 else object)
    return array


def read_column_values(column: Any, name: str = "a column") -> tuple[Array, tuple[Any, ...] | None]:
    """A feature as doubles, or as codes with their levels."""
    column = in_memory(column)
    if declared_categories(column) is None:
        given = _as_masked(column)
        if given.dtype.kind in "iuf":
            return np.ma.filled(given.astype(np.float64), np.nan), None
    codes, levels = encode_column_labels(column, name)
    return codes, tuple(levels)


def encode_column_labels(column: Any, name: str = "a column") -> tuple[Ints, list[Any]]:
    """Codes and levels of a column of labels; missing is -1."""
    column = in_memory(column)
    categories = declared_categories(column)
    if categories is not None:
        codes = np.asarray(getattr(column, "cat", column).codes)
        return codes.astype(np.int32), categories.tolist()
    if isinstance(column, list | tuple):
        refuse_final_nul(column, name)
    given = _as_masked(column)
    values = given.data.astype(object)
    values[np.ma.getmaskarray(given)] = None
    try:
        levels = sorted(value for value in set(values.tolist()) if not is_missing(value))
    except TypeError:  # such as lists, or text beside numbers
        raise ValueError(
            f"{name} must have labels of one kind, text or numbers: convert it to text"
        ) from None
    code_of = {level: code for code, level in enumerate(levels)}
    return np.array([code_of.get(value, MISSING_CODE) for value in values], dtype=np.int32), levels


def _as_masked(column: Any) -> Any:
    """A column as a masked array, without a loss of values."""
    return np.ma.asarray(column if isinstance(column, np.ndarray) else keep_values(column))


def _check_codes(name: str, codes: Array, most: int) -> None:
    if codes.dtype.kind not in "iu" or (codes >= most).any():
        raise ValueError(f"{name} must be codes below {most}, negative where missing")
