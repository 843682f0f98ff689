"""The columns of a prediction file that are not predictions: what each row counts for, and ids.

``weight`` is an importance weight, ``count`` says how many observations a row stands for, and rows
with the same ``cluster`` may depend on each other; ``group`` names groups to report, and ``id``
identifies rows.  Any other column that belongs to no form of predictions is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from wager._tables import LARGEST_WEIGHT
from wager.predictions.files._columns import Check, FileColumn
from wager.predictions.files._missing import RequiredColumn
from wager.predictions.files._source import FileSource
from wager.predictions.files._suggestions import (
    advise_predictions,
    misspelt,
    suggest_column,
    suggest_truth,
)

__all__ = ["Layout", "find_layout"]


@dataclass(frozen=True)
class Layout:
    """The columns beside the predictions; None where the file has no such column."""

    truth: FileColumn
    weight: FileColumn | None = None
    count: FileColumn | None = None
    cluster: FileColumn | None = None
    group: FileColumn | None = None
    id: FileColumn | None = None
    needs_id: bool = False  # whether every row needs an id

    def with_prefix(self, prefix: str) -> Layout:
        """The same columns under other names in SQL."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        columns: dict[str, Any] = {
            name: replace(column, prefix=prefix)
            for name, column in given.items()
            if isinstance(column, FileColumn)
        }
        return replace(self, **columns)

    def required(self) -> Iterator[RequiredColumn]:
        """The columns in which every row needs a value."""
        row_id = self.id if self.needs_id else None
        for column in (self.truth, self.weight, self.count, self.cluster, row_id):
            if column is not None:
                yield RequiredColumn(column, column.missing_sql(), column is self.truth)

    def checks(self) -> Iterator[Check]:
        """What must hold in every row of these columns."""
        yield self.truth.label_check()
        if self.weight is not None:
            wanted = f"a weight must be a number from 0 to {LARGEST_WEIGHT:g}"
            yield Check(self.weight, self.weight.weight_sql(), wanted)
        if self.count is not None:
            wanted = "a count must be a whole number from 0 to 2^53; other numbers are for weight"
            yield Check(self.count, self.count.count_sql(), wanted)
        if self.cluster is not None:
            yield Check(self.cluster, self.cluster.name_sql(), "every row needs a cluster")

    def row_cells(self) -> dict[str, str]:
        """SQL for each row of the columns beside ``y_true``; a wrong weight or count is -1."""
        cells = {}
        if self.weight is not None:
            cells["w"] = f"coalesce({self.weight.weight_sql()}, -1)"
        if self.count is not None:
            cells["k"] = f"coalesce({self.count.count_sql()}, -1)"
        if self.cluster is not None:
            cells["cl"] = self.cluster.name_sql()
        if self.group is not None:
            cells["g"] = self.group.name_sql()
        if self.id is not None:
            cells["id"] = self.id.name_sql()
        return cells

    def count_cells(self, by_group: bool) -> dict[str, str]:
        """SQL for the columns by which rows are grouped or weighted; NULL where one is wrong."""
        cells = {}
        if by_group and self.group is not None:
            cells["g"] = self.group.name_sql()
        if self.weight is not None:
            cells["w"] = self.weight.weight_sql()
        if self.count is not None:
            cells["k"] = self.count.count_sql()
        if self.cluster is not None:
            cells["cl"] = self.cluster.name_sql()
        return cells

    def no_rows_count(self, path: Path) -> ValueError:
        """The error for a file in which the weight, or the count, of every row is 0."""
        if self.count is None:
            return ValueError(
                f"{path}: weight is 0 in every row: at least one row needs a positive weight"
            )
        name = "count" if self.weight is None else "weight times count"
        return ValueError(f"{path}: {name} is 0 in every row: at least one row must count")


def find_layout(source: FileSource) -> Layout:
    """Find the columns by their names."""
    truth = source.find("y_true")
    if truth is None and not any(source.names):
        raise ValueError(
            f"{source.path}: there is no column y_true, nor any other with a name: write CSV with "
            "a header, or one JSON object per line"
        )
    asked = source.called.names.get("y_true")
    if truth is None and asked is not None:  # of several files, in which some may call it y_true
        raise ValueError(
            f"{source.path}: there is no column {asked} or y_true among {source.some_names}: "
            f"{suggest_column(asked, 'y_true', source.shown_names)}"
        )
    if truth is None:
        names = source.shown_names
        problem = ValueError(
            f"{source.path}: there is no column y_true among {source.some_names}: "
            f"{suggest_truth(names)}"
        )
        notes = (misspelt(names, "y_true", "--truth"), advise_predictions(names))
        for note in notes:
            if note is not None:
                problem.add_note(note)
        raise problem
    weight, count, cluster = (source.find(role) for role in ("weight", "count", "cluster"))
    return Layout(truth, weight, count, cluster, source.find("group"), source.find("id"))
