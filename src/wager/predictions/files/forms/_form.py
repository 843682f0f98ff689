"""What every form of predictions can do, and what forms with similar columns have in common.

A *form* is one way to state predictions in a file.  Its class has everything about it in one place:
how its columns are recognized, the SQL that reads them, the checks on their cells, how they become
arrays or counts, and how predictions are written in this form.  An object of the class is the form
found in one file, with the columns of that file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, NoReturn, TypeAlias

import numpy as np

from wager._typing import Array, ArrayLike
from wager._visible import in_one_line
from wager.predictions.files._classes import class_array, class_texts
from wager.predictions.files._columns import Check, FileColumn
from wager.predictions.files._count_task import CountTask
from wager.predictions.files._counts import FileCounts
from wager.predictions.files._faults import refuse_missing, refuse_rows, refuse_unknown_truth
from wager.predictions.files._layout import Layout
from wager.predictions.files._missing import RequiredColumn
from wager.predictions.files._outcomes import SetOutcome
from wager.predictions.files._output import Columns
from wager.predictions.files._source import FileSession, FileSource

__all__ = ["ClassColumns", "Form", "Kind", "OneColumn", "Rows", "texts"]

Kind: TypeAlias = Literal["sets", "proba", "intervals", "memberships"]


class Rows(NamedTuple):
    """Rows of a file as DuckDB returns them.

    Attributes
    ----------
    columns : mapping of str to ndarray
        The cells that `Form.cells` and `Form.label_cells` select, and the numbers ``n`` of the
        rows in the file.
    classes : ndarray of shape (K,)
        The classes.
    refuse : callable
        Raises the error for the first wrong row; called if a cell is wrong.
    """

    columns: Mapping[str, Array]
    classes: Array
    refuse: Callable[[], NoReturn]

    def number_of(self, row: int) -> int:
        """The number of one of these rows in the file, from 1, for error messages."""
        return int(self.columns["n"][row])


class Form(ABC):
    """Predictions in one form, found in the columns of a file."""

    name: ClassVar[str]  # as in form= and --form
    heading: ClassVar[str]  # the name of its column, or how the names of its columns begin
    usage: ClassVar[str]  # its columns, for help
    kind: ClassVar[Kind]  # the attribute of `Predictions` that it provides
    argument: ClassVar[str]  # the argument of `write_predictions` that it writes
    is_set_valued: ClassVar[bool] = False  # whether predictions may have several classes

    path: Path

    # The columns

    @classmethod
    @abstractmethod
    def is_stated(cls, source: FileSource) -> bool:
        """Whether a file states predictions in this form."""

    @classmethod
    @abstractmethod
    def find(cls, source: FileSource) -> Form:
        """The form with the columns of a file that states it."""

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """The number of columns that are read."""

    def rows_at_once(self, numbers: int, n_classes: int) -> int:
        """How many rows are read together, so that there are about so many numbers."""
        return max(1, numbers // self.n_columns)

    def known_classes(self, declared: Array | None, truth: FileColumn) -> Array | None:
        """The classes before a row is read; None if only the rows show them.

        Parameters
        ----------
        declared : ndarray or None
            The classes that the user declares.
        truth : FileColumn
            The column of the true classes.
        """
        return declared

    def find_classes(self, task: CountTask) -> Array | None:
        """The classes that the rows show, from a pass over them; None if `count` finds them.

        Parameters
        ----------
        task : CountTask
            The file.
        """
        return None

    @abstractmethod
    def required(self) -> Iterator[RequiredColumn]:
        """The columns in which every row needs a value."""

    # From rows to arrays

    def label_cells(self) -> dict[str, str]:
        """SQL for cells that contain one label; they are read as codes, -1 for unknown labels."""
        return {}

    def missing_code(self, name: str, label: str) -> str:
        """The code, in SQL, of a label that may be missing; NULL, as by default, for others.

        Parameters
        ----------
        name : str
            The name of the cell, as in `label_cells`, or ``truth``.
        label : str
            The label in SQL.
        """
        return "NULL"

    def cells(self, classes: Array) -> dict[str, str]:
        """SQL for the other cells, by the names under which `assemble` finds them."""
        return {}

    @abstractmethod
    def checks(self, classes: Array | None) -> Iterator[Check]:
        """What must hold in every row of the columns."""

    @abstractmethod
    def assemble(self, rows: Rows) -> Any:
        """The predictions of some rows: the attribute `kind` of `Predictions`."""

    def refuse(self, session: FileSession, layout: Layout, classes: Array | None) -> NoReturn:
        """Raise for the missing values or the first wrong row of a file that has some."""
        refuse_missing(session, [*layout.required(), *self.required()])
        if classes is not None:
            refuse_unknown_truth(session, layout.truth, classes)
        refuse_rows(session, [*layout.checks(), *self.checks(classes)])

    # From rows to counts

    def count(self, task: CountTask, classes: Array | None) -> FileCounts:
        """Count the rows inside the database, for forms that state labels or sets.

        Parameters
        ----------
        task : CountTask
            What to count.
        classes : ndarray or None
            The classes; None if only the rows show them.
        """
        raise ValueError(f"{self.path}: the predictions are not sets, so they cannot be counted")

    def outcome(self, task: CountTask, classes: Array) -> SetOutcome:
        """Size and hit of every row in SQL, for forms that state labels or sets.

        Parameters
        ----------
        task : CountTask
            The file; the columns of its session have a prefix.
        classes : ndarray
            The classes.
        """
        raise ValueError(f"{self.path}: the predictions are not sets, so they cannot be counted")

    # Writing

    @classmethod
    @abstractmethod
    def write(cls, predictions: Any, classes: ArrayLike | None, truth: Array) -> Columns:
        """The columns that state predictions in this form.

        Parameters
        ----------
        predictions : object
            What `write_predictions` was given.
        classes : array-like or None
            The declared classes.
        truth : ndarray
            The true labels.
        """


@dataclass(frozen=True)
class OneColumn(Form):
    """A form whose predictions are in one column, with a fixed name."""

    path: Path
    column: FileColumn

    @classmethod
    def is_stated(cls, source: FileSource) -> bool:
        return source.find(cls.heading) is not None

    @classmethod
    def find(cls, source: FileSource) -> Form:
        column = source.find(cls.heading)
        assert column is not None
        return cls(source.path, column)

    @property
    def n_columns(self) -> int:
        return 1

    def required(self) -> Iterator[RequiredColumn]:
        yield RequiredColumn(self.column, self.column.missing_sql(), is_label=True)


@dataclass(frozen=True)
class ClassColumns(Form):
    """A form with one column per class, named by a prefix and the class."""

    path: Path
    columns: Mapping[str, FileColumn]  # by class

    @classmethod
    def is_stated(cls, source: FileSource) -> bool:
        return bool(source.class_columns(cls.heading))

    @classmethod
    def find(cls, source: FileSource) -> Form:
        return cls(source.path, source.known_class_columns(cls.heading))

    @property
    def n_columns(self) -> int:
        return len(self.columns)

    def required(self) -> Iterator[RequiredColumn]:
        for column in self.columns.values():
            yield RequiredColumn(column, column.missing_sql())

    def known_classes(self, declared: Array | None, truth: FileColumn) -> Array | None:
        if declared is None:
            return class_array(self.columns, truth)
        known = set(class_texts(declared))
        for label, column in self.columns.items():
            if label not in known:
                raise ValueError(
                    f"{self.path}: the column {column.shown} is for a class that is not declared: "
                    f"add {in_one_line(label)} to classes= (--classes), or remove the column"
                )
        return declared

    @staticmethod
    def side_by_side(rows: Rows, columns: Mapping[str, FileColumn]) -> Array:
        """A matrix with one column per class, in their order; 0 if a class has no column."""
        found = {label: rows.columns[column.key] for label, column in columns.items()}
        zeros = np.zeros_like(next(iter(found.values())))
        # each column in one piece, as they come and as they are used
        return np.stack([found.get(text, zeros) for text in class_texts(rows.classes)]).T

    @staticmethod
    def class_columns(prefix: str, values: Array, names: list[str]) -> Columns:
        """The columns of a matrix under the names of their classes, to be written."""
        if values.shape[1] != len(names):
            raise ValueError(
                f"there are {values.shape[1]} columns but {len(names)} classes: give one column "
                "per class"
            )
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(
                f"{prefix}{names[column]} is {values[row, column]} in row {row}: values in a file "
                "must be finite"
            )
        return {f"{prefix}{name}": values[:, i] for i, name in enumerate(names)}


def texts(column: Array) -> Array:
    """Text with None where it is missing, which DuckDB marks by a mask or by None."""
    values = np.ma.getdata(column).astype(object)
    values[np.ma.getmaskarray(column)] = None
    return values
