"""The columns of a prediction file that are not predictions: true class, weight, group and id.

Any other column that belongs to no form of predictions is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wager.predictions.files._columns import Check, FileColumn
from wager.predictions.files._source import FileSource

__all__ = ["Layout", "find_layout"]


@dataclass(frozen=True)
class Layout:
    """The columns beside the predictions; None where the file has no such column."""

    truth: FileColumn
    weight: FileColumn | None = None
    group: FileColumn | None = None
    id: FileColumn | None = None

    def checks(self) -> Iterator[Check]:
        """What must hold in every row of these columns."""
        yield self.truth.label_check()
        if self.weight is not None:
            wanted = "a weight must be a finite number that is not negative"
            yield Check(self.weight, self.weight.weight_sql(), wanted)

    def row_cells(self) -> dict[str, str]:
        """SQL for each row of the columns beside ``y_true``; a wrong weight is -1."""
        cells = {}
        if self.weight is not None:
            cells["w"] = f"coalesce({self.weight.weight_sql()}, -1)"
        if self.group is not None:
            cells["g"] = self.group.text_sql()
        if self.id is not None:
            cells["id"] = self.id.text_sql()
        return cells

    def count_cells(self, by_group: bool) -> dict[str, str]:
        """SQL for the columns by which rows are grouped or weighted; a wrong weight is NULL."""
        cells = {}
        if by_group and self.group is not None:
            cells["g"] = self.group.text_sql()
        if self.weight is not None:
            cells["w"] = self.weight.weight_sql()
        return cells


def find_layout(source: FileSource, by: str | None = None) -> Layout:
    """Find the columns by their names.

    Parameters
    ----------
    source : FileSource
        The file.
    by : str, optional
        The column with the group of each row; by default ``group``, if there is one.
    """
    truth = source.find("y_true")
    if truth is None:
        raise ValueError(
            f"{source.path}: there is no column y_true among {source.some_names}: rename the "
            "column of true classes to y_true"
        )
    group = source.find("group" if by is None else by)
    if by is not None and group is None:
        raise ValueError(f"{source.path}: there is no column {by} among {source.some_names}")
    return Layout(truth, source.find("weight"), group, source.find("id"))
