"""What labels and written sets have in common: one column that the database groups as text.

Each distinct cell is taken apart once, in Python.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

from wager._typing import Array
from wager.predictions.files._count import WrittenCell, count_written, find_classes
from wager.predictions.files._count_members import ListedCell
from wager.predictions.files._count_task import CountTask
from wager.predictions.files._counts import FileCounts
from wager.predictions.files._layout import Layout
from wager.predictions.files._outcomes import SetOutcome, written_outcome
from wager.predictions.files._source import FileSession
from wager.predictions.files.forms._form import Kind, OneColumn

__all__ = ["WrittenForm"]


@dataclass(frozen=True)
class WrittenForm(OneColumn):
    """Predictions in one column that contains the labels themselves."""

    kind: ClassVar[Kind] = "sets"

    @abstractmethod
    def cell_sql(self) -> str:
        """The cell in SQL; NULL if it is wrong."""

    @staticmethod
    @abstractmethod
    def labels_of(cell: Any) -> Collection[str]:
        """The distinct labels in a cell."""

    @abstractmethod
    def listed_cell(self) -> ListedCell:
        """The distinct labels in a cell, in SQL."""

    def count(self, task: CountTask, classes: Array | None) -> FileCounts:
        """Count the rows; without classes, they are the labels that occur."""
        return count_written(
            task,
            classes,
            self._written(),
            lambda: super(WrittenForm, self).refuse(task.session, task.layout, None),
        )

    def find_classes(self, task: CountTask) -> Array | None:
        """The classes, if there are very many kinds of cells."""
        return find_classes(task, self._written())

    def outcome(self, task: CountTask, classes: Array) -> SetOutcome:
        """The outcome of each row, from a pass over the distinct predictions."""
        return written_outcome(task, classes, self._written())

    def _written(self) -> WrittenCell:
        return WrittenCell(self.column, self.cell_sql(), self.labels_of, self.listed_cell())

    def refuse(self, session: FileSession, layout: Layout, classes: Array | None) -> NoReturn:
        """Raise for the first wrong row."""
        self.count(CountTask(session, layout), classes)  # knows every label, and raises first
        super().refuse(session, layout, classes)
