"""Count the rows of each group of a file inside the database, for files with very many groups.

The file has been counted as a whole before, so its rows are known to be right.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._typing import Array, Ints
from wager.predictions.files._count import code_sql, make_class_table
from wager.predictions.files._count_task import CountQuery, CountTask
from wager.predictions.files._group_counts import GroupCounts
from wager.predictions.files._outcomes import SetOutcome

__all__ = ["count_groups"]

_BITS = 64  # a mask can be shifted by the code of one of so many classes


def count_groups(task: CountTask, classes: Array, outcome: SetOutcome) -> GroupCounts:
    """Count the rows of each group by size and hit.

    Parameters
    ----------
    task : CountTask
        The file, by group; the columns of its session have a prefix.
    classes : ndarray
        The classes.
    outcome : SetOutcome
        Size and hit of each row.
    """
    truth, group = task.layout.truth, task.layout.group
    assert group is not None
    label, key = (truth.cell, truth.type) if truth.fits_bigint else (truth.label_sql(), "VARCHAR")
    kind = "UTINYINT" if len(classes) <= _BITS else "INTEGER"
    make_class_table(task.session.con, classes, key, kind)
    code = "code" if truth.fits_bigint else code_sql("y", "code", kind)
    query = CountQuery(
        {"y": label, "g": group.group_sql(), **outcome.cells},
        {"outcome": f"CAST({outcome.sql} AS INTEGER)"},
        "LEFT JOIN classes ON y = label",
        joined={"code": code},
        after=f"AS r {outcome.join}",
    )
    task.group_into("by_cell", query)
    con = task.session.con
    for name, numbered in (("g", "groups"), *([("cl", "units")] * task.is_clustered)):
        con.execute(
            f"CREATE OR REPLACE TEMP TABLE {numbered} AS SELECT {name}, CAST(row_number() OVER "
            f"(ORDER BY {name} NULLS LAST) - 1 AS INTEGER) AS number FROM (SELECT DISTINCT {name} "
            "FROM by_cell)"
        )
    names = con.execute("SELECT g FROM groups ORDER BY number").fetchnumpy()["g"]
    found = _fetch(task)
    number, unit = np.asarray(found["number"]), found.get("unit")
    cluster = None
    if unit is not None and task.is_part:  # another part may have rows of the same cluster
        labels = con.execute("SELECT cl FROM units ORDER BY number").fetchnumpy()["cl"]
        cluster = np.ma.getdata(labels)[np.asarray(unit)]
    return GroupCounts(
        classes,
        _names(names),
        number,
        np.asarray(found["outcome"]),
        np.asarray(found["rows"]),
        np.asarray(found["weight"]) if "weight" in found else None,
        np.asarray(found["squares"]) if "squares" in found else None,
        None if unit is None else _numbered(number, np.asarray(unit)),
        cluster,
    ).occurring()


def _fetch(task: CountTask) -> Any:
    """The columns of the entries, sorted by group, cluster and outcome."""
    order = ["number", *(["unit"] if task.is_clustered else []), "outcome"]
    columns = ["outcome", "CAST(rows AS BIGINT) AS rows"]
    columns += ["weight", "squares"] if task.layout.weight is not None else []
    unit = "units.number AS unit, " if task.is_clustered else ""
    join = "JOIN groups ON by_cell.g IS NOT DISTINCT FROM groups.g"
    join += " JOIN units ON by_cell.cl = units.cl" if task.is_clustered else ""
    return task.session.con.execute(
        f"SELECT groups.number AS number, {unit}{', '.join(columns)} FROM by_cell {join} ORDER BY "
        f"{', '.join(order)}"
    ).fetchnumpy()


def _names(column: Array) -> Array:
    """The names of groups: whole numbers or text, with None for the missing group."""
    values, missing = np.ma.getdata(column), np.ma.getmaskarray(column)
    if values.dtype.kind in "iu" and not missing.any():
        return values
    names = values.astype(object)
    names[missing] = None
    return names


def _numbered(group: Ints, unit: Ints) -> Ints:
    """Numbers for the pairs of group and cluster of sorted entries."""
    first = (np.diff(group, prepend=-1) != 0) | (np.diff(unit, prepend=-1) != 0)
    return np.cumsum(first) - 1
