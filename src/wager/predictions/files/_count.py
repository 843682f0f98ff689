"""Count how often each (true class, set size, hit) occurs in a file, in one pass.

What a set-valued prediction earns depends on its size and on whether it contains the true class, so
DuckDB reduces the file to these counts in one pass, without loading it.  There are two ways:

- sets that SQL can take apart (bit masks, 0/1 columns) become (class, size, hit) inside the
  database;
- labels and sets written as text are grouped by their text, and each distinct pair of true class
  and prediction is taken apart once, in Python.

Each form of predictions chooses one of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, NoReturn

import numpy as np

from wager._typing import Array
from wager.predictions._strings import separator_in
from wager.predictions.files._classes import class_array, class_texts, refuse_mixed_kinds
from wager.predictions.files._columns import FileColumn
from wager.predictions.files._count_task import CountQuery, CountTask
from wager.predictions.files._counts import FileCounts
from wager.predictions.files._faults import no_rows, refuse_unknown
from wager.predictions.files._source import FileSession

__all__ = [
    "PackedCell",
    "WrittenCell",
    "count_packed",
    "count_written",
    "make_class_table",
]

_MAY_SEPARATE = re.compile(r"[;,/+&\s]")


class PackedCell(NamedTuple):
    """A set as SQL can take it apart.

    Attributes
    ----------
    cell : str
        The set as one value; the other expressions call it ``predicted``.
    size : str
        Its size; NULL if the set is wrong.
    hit : str
        Whether it contains the class with number ``code``, as 0 or 1.
    highest : str
        The largest mask of a group of rows, which must have no bit beyond the classes.
    code_type : str
        The SQL type of ``code``.
    """

    cell: str
    size: str
    hit: str
    highest: str = "0"
    code_type: str = "BIGINT"

    @classmethod
    def of_mask(cls, mask: str) -> PackedCell:
        """A set as an integer with one bit per class, of at most 64."""
        return cls(
            mask, "bit_count(predicted)", "(predicted >> code) & 1", "max(predicted)", "UTINYINT"
        )


class WrittenCell(NamedTuple):
    """A label or a set as it is written: the column, its SQL, and how to take it apart."""

    column: FileColumn
    cell: str
    labels_of: Callable[[Any], Collection[str]]


def make_class_table(
    con: Any, classes: Array, label: str = "VARCHAR", code: str = "BIGINT"
) -> None:
    """Create the temporary table ``classes`` that maps labels to codes.

    Parameters
    ----------
    con : DuckDB connection
        Where to create it.
    classes : ndarray
        The classes.
    label, code : str
        The SQL types of its two columns.
    """
    texts = class_texts(classes)
    con.execute(
        f"CREATE TEMP TABLE classes AS SELECT TRY_CAST(label AS {label}) AS label, "
        f"CAST(code AS {code}) AS code FROM (SELECT unnest(CAST(? AS VARCHAR[])) AS label, "
        "unnest(range(?)) AS code)",
        [texts, len(texts)],
    )


def count_packed(
    task: CountTask, classes: Array, packed: PackedCell, refuse: Callable[[], NoReturn]
) -> FileCounts:
    """Count sets that SQL can take apart.

    Parameters
    ----------
    task : CountTask
        What to count.
    classes : ndarray
        The classes.
    packed : PackedCell
        The set in SQL.
    refuse : callable
        Raises the error for the first wrong row; called if there is one.
    """
    session, truth = task.session, task.layout.truth
    # Joining on the column's own integer type is faster than joining on text.
    label, key = (truth.cell, truth.type) if truth.fits_bigint else (truth.label_sql(), "VARCHAR")
    make_class_table(session.con, classes, key, packed.code_type)
    query = CountQuery(
        {"y": label, "predicted": packed.cell},
        {"code": "code", "size": packed.size, "hit": packed.hit},
        "LEFT JOIN classes ON y = label",
        packed.highest,
    )
    entries = [row for part in task.entries(query) for row in part]
    if not entries:
        raise no_rows(session.source.path)
    for _, code, size, _, highest, *sums in entries:
        if code is None or size is None or highest >> len(classes) or sums[-1]:
            refuse()
    counts = _gather(task, classes, [(*row[:4], *row[5:]) for row in entries])
    return replace(counts, clusters=task.clusters(query.keys))


def count_written(
    task: CountTask,
    declared: Array | None,
    written: WrittenCell,
    refuse: Callable[[], NoReturn],
) -> FileCounts:
    """Count labels, or sets written as text or as lists.

    Parameters
    ----------
    task : CountTask
        What to count.
    declared : ndarray or None
        The classes; if None, all labels that occur.
    written : WrittenCell
        The label or set in SQL.
    refuse : callable
        Raises the error for the first row that cannot be read; called if there is one.
    """
    truth = task.layout.truth
    query = CountQuery(
        {"y": truth.label_sql(), "predicted": written.cell}, {"y": "y", "predicted": "predicted"}
    )
    sums: dict[tuple[Any, ...], list[Any]] = {}
    truths: dict[str, Any] = {}  # each label, and a cell that contains it
    predicted: dict[str, Any] = {}
    clustered = task.layout.cluster is not None
    places: dict[tuple[Any, ...], int] = {}  # of the keys among the sums
    place: list[int] = []  # of every pair that is read
    faulty = False
    for part in task.entries(query):
        for group, y, cell, _, *n in part:
            if y is None or cell is None or n[-1]:
                faulty = True
                continue
            labels = written.labels_of(cell)
            truths[y] = y
            for label in labels:
                predicted.setdefault(label, tuple(cell) if isinstance(cell, list) else cell)
            key = (group, y, len(labels), y in labels)
            have = sums.get(key)
            sums[key] = n if have is None else [a + b for a, b in zip(have, n, strict=True)]
            if clustered:
                place.append(places.setdefault(key, len(places)))
    if faulty:
        refuse()
    if not sums:
        raise no_rows(task.session.source.path)
    classes = _settle_classes(task, declared, written, truths, predicted)
    codes = {text: code for code, text in enumerate(class_texts(classes))}
    entries = [(g, codes[y], size, hit, *n) for (g, y, size, hit), n in sums.items()]
    counts, clusters = _gather(task, classes, entries), task.clusters(query.keys)
    if clusters is None:
        return counts
    return replace(counts, clusters=clusters.renumbered(np.array(place)))


def _settle_classes(
    task: CountTask,
    declared: Array | None,
    written: WrittenCell,
    truths: Mapping[str, Any],
    predicted: Mapping[str, Any],
) -> Array:
    """The declared classes, or else all labels that occur; labels outside them are refused."""
    session, truth = task.session, task.layout.truth
    if declared is None:
        _refuse_separators(session, written, truths, predicted)
    refuse_mixed_kinds(session.source.path, written.column.name, truths, predicted)
    if declared is None:
        return class_array({*truths, *predicted}, truth)
    known = set(class_texts(declared))
    for column, sql, labels in (
        (truth, truth.label_sql(), truths),
        (written.column, written.cell, predicted),
    ):
        unknown = {cell: label for label, cell in labels.items() if label not in known}
        if unknown:
            refuse_unknown(session, column, sql, unknown, declared)
    return declared


def _refuse_separators(
    session: FileSession,
    written: WrittenCell,
    truths: Mapping[str, Any],
    predicted: Mapping[str, Any],
) -> None:
    """Refuse sets like ``a;b``, which are read as one label, if a and b are labels."""
    simple = {*truths, *(x for x in predicted if not _MAY_SEPARATE.search(x))}
    joined = {cell: x for x, cell in predicted.items() if separator_in(x, simple)}
    if joined:
        classes = np.array(sorted(simple))
        refuse_unknown(session, written.column, written.cell, joined, classes)


def _gather(task: CountTask, classes: Array, entries: list[tuple[Any, ...]]) -> FileCounts:
    """Entries (group, code, size, hit, sums) as arrays."""
    truth, size, hit, rows = np.array([row[1:5] for row in entries], dtype=np.int64).T
    group = np.array([row[0] for row in entries], dtype=object)
    if task.layout.weight is None:
        ones = rows.astype(np.float64)
        return FileCounts(classes, group, truth, size, hit, rows, ones, ones, weighted=False)
    weight, squares = np.array([row[5:7] for row in entries], dtype=np.float64).T
    return FileCounts(classes, group, truth, size, hit, rows, weight, squares, weighted=True)
