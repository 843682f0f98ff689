"""Queries of the database that several methods of `Store` share."""

from __future__ import annotations

import sqlite3
from typing import Any

__all__ = ["names_in_plan", "values_by_split"]


def names_in_plan(database: sqlite3.Connection, column: str) -> tuple[str, ...]:
    """The data sets or the learners of the plan, in its order."""
    found = database.execute(f"SELECT {column} FROM planned GROUP BY 1 ORDER BY min(position)")
    return tuple(name for (name,) in found)


def values_by_split(
    database: sqlite3.Connection,
    column: str,
    dataset: str,
    learner: str,
    size: int | None,
    limit: int = -1,
) -> dict[tuple[int, int], Any]:
    """A column of the finished splits of one learner on one data set, by repeat and fold.

    A ``limit`` gives only the first splits.
    """
    found = database.execute(
        f"SELECT repeat, fold, {column} FROM results "
        "WHERE tally NOT NULL AND dataset = ? AND learner = ? AND size IS ? LIMIT ?",
        (dataset, learner, size, limit),
    ).fetchall()
    if not found:
        at = "" if size is None else f" with size {size}"
        learners, datasets = (names_in_plan(database, name) for name in ("learner", "dataset"))
        raise ValueError(
            f"there is no result of {learner!r} on {dataset!r}{at}: the plan has the learners "
            f"{', '.join(learners)} and {len(datasets)} data sets"
        )
    return {(repeat, fold): value for repeat, fold, value in found}
