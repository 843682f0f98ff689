"""Count how often each (true class, set size, hit) occurs in a file, in one pass.

What a set-valued prediction earns depends on its size and on whether it contains the true class, so
DuckDB reduces the file to these counts in one pass, without loading it.  There are two ways:

- sets that SQL can take apart (bit masks, 0/1 columns) become (class, size, hit) inside the
  database;
- labels and sets written as text are grouped by their text, and each distinct pair of true class
  and prediction is taken apart once, in Python; if there are very many of them, see
  `_count_members`.

Each form of predictions chooses one of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, NamedTuple, NoReturn

import numpy as np

from wager._tables import BLANKS
from wager._typing import Array, Bools
from wager.predictions._strings import separator_in
from wager.predictions.files._classes import class_array, class_texts, refuse_mixed_kinds
from wager.predictions.files._columns import FileColumn, trimmed_sql
from wager.predictions.files._count_members import (
    ListedCell,
    MemberCounts,
    count_members,
    find_members,
)
from wager.predictions.files._count_task import CountQuery, CountTask
from wager.predictions.files._counts import FileCounts
from wager.predictions.files._faults import (
    no_rows,
    refuse_incomplete,
    refuse_unknown,
    refuse_unknown_truth,
)
from wager.predictions.files._source import FileSession

__all__ = [
    "PackedCell",
    "WrittenCell",
    "code_sql",
    "count_packed",
    "count_written",
    "find_classes",
    "joined_labels",
    "make_class_table",
    "text_code_sql",
]

_MAY_SEPARATE = re.compile(r"[|;,/+&\s]")


class PackedCell(NamedTuple):
    """A set as SQL can take it apart.

    Attributes
    ----------
    cell : str
        The set as one value; the other expressions call it ``{predicted}``, to be formatted.
    size : str
        Its size; NULL if the set is wrong.
    hit : str
        Whether it contains the class with number ``{code}``, as 0 or 1.
    union : str
        The classes in the sets of a group of rows, as one mask; 0 if they are not known.
    code_type : str
        The SQL type of ``code``.
    """

    cell: str
    size: str
    hit: str
    union: str = "0"
    code_type: str = "BIGINT"

    @classmethod
    def of_mask(cls, mask: str) -> PackedCell:
        """A set as an integer with one bit per class, of at most 64."""
        return cls(
            mask,
            "bit_count({predicted})",
            "({predicted} >> {code}) & 1",
            "bit_or({predicted})",
            "UTINYINT",
        )

    def named(self, predicted: str, code: str) -> PackedCell:
        """The same with the names of the set and of the true class in its expressions."""
        size, hit, union = (
            sql.format(predicted=predicted, code=code) for sql in (self.size, self.hit, self.union)
        )
        return self._replace(size=size, hit=hit, union=union)


class WrittenCell(NamedTuple):
    """A label or a set as it is written: the column, its SQL, and how to take it apart.

    Attributes
    ----------
    column : FileColumn
        The column.
    cell : str
        The cell in SQL.
    labels_of : callable
        The labels of a cell, in Python.
    listed : ListedCell
        The labels of a cell, in SQL.
    """

    column: FileColumn
    cell: str
    labels_of: Callable[[Any], Collection[str]]
    listed: ListedCell


def make_class_table(
    con: Any, classes: Array, label: str = "VARCHAR", code: str = "BIGINT"
) -> None:
    """Create the temporary table ``classes`` that maps labels to codes; see `code_sql`.

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
    con.execute("SET VARIABLE class_labels = CAST(? AS VARCHAR[])", [texts])


def code_sql(label: str, code: str, kind: str = "BIGINT") -> str:
    """The code of a label that is joined to the table ``classes``.

    Blanks are removed only from labels that are not found as they are, which takes no time in a
    file without such blanks.

    Parameters
    ----------
    label, code : str
        The label, and the code that the join gives, in SQL.
    kind : str
        The type of the code.
    """
    return f"coalesce({code}, {text_code_sql(label, kind)})"


def text_code_sql(label: str, kind: str = "BIGINT") -> str:
    """The code of a label without the blanks around it, found among all labels one by one."""
    trimmed = f"list_position(getvariable('class_labels'), {trimmed_sql(label)})"
    return f"CAST({trimmed} - 1 AS {kind})"


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
    code = "code" if truth.fits_bigint else code_sql("y", "code", packed.code_type)
    packed = packed.named("predicted", "code")
    query = CountQuery(
        {"y": label, "predicted": packed.cell},
        {"code": "code", "size": packed.size, "hit": packed.hit},
        "LEFT JOIN classes ON y = label",
        packed.union,
        {"code": code},
    )
    entries = [row for part in task.entries(query) for row in part]
    if not entries:
        raise no_rows(session.source.path)
    union = 0
    for _, number, size, _, named, *sums in entries:
        if number is None or size is None or named >> len(classes) or sums[-1]:
            refuse()
        union |= named
    counts = _gather(task, classes, [(*row[:4], *row[5:]) for row in entries])
    predicted = None if packed.union == "0" else _bits(union, len(classes))
    return replace(counts, clusters=task.clusters(query.keys), predicted=predicted)


def _bits(mask: int, n_classes: int) -> Bools:
    return np.array([mask >> i & 1 for i in range(n_classes)], dtype=bool)


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
    clustered = task.layout.cluster is not None
    many = None if clustered else count_members(task, written.listed, truth)
    counts = None if many is None else _of_members(task, declared, written, many)
    if counts is not None:
        return counts
    query = CountQuery(
        {"y": truth.label_sql(), "predicted": written.cell}, {"y": "y", "predicted": "predicted"}
    )
    sums: dict[tuple[Any, ...], list[Any]] = {}
    truths: set[str] = set()
    predicted: set[str] = set()
    places: dict[tuple[Any, ...], int] = {}  # of the keys among the sums
    place: list[int] = []  # of every pair that is read
    missing = {"", *truth.missing}
    faulty, incomplete = False, {}  # sets that contain a missing label, and the label
    for part in task.entries(query):
        for group, spelled, cell, _, *n in part:
            if spelled is None or cell is None or n[-1]:
                faulty = True
                continue
            y, labels = spelled.strip(BLANKS), written.labels_of(cell)
            if y in missing or (labels and isinstance(cell, str) and cell.strip(BLANKS) in missing):
                faulty = True
                continue
            if not missing.isdisjoint(labels):
                of_row = cell if isinstance(cell, str) else tuple(cell)
                incomplete[of_row] = min(missing.intersection(labels))
                continue
            truths.add(y)
            predicted.update(labels)
            key = (group, y, len(labels), y in labels)
            have = sums.get(key)
            sums[key] = n if have is None else [a + b for a, b in zip(have, n, strict=True)]
            if clustered:
                place.append(places.setdefault(key, len(places)))
    if faulty:
        refuse()
    if incomplete:
        refuse_incomplete(task.session, written.column, written.cell, incomplete)
    if not sums:
        raise no_rows(task.session.source.path)
    classes = _settle_classes(task, declared, written, truths, predicted)
    codes = {text: code for code, text in enumerate(class_texts(classes))}
    entries = [(g, codes[y], size, hit, *n) for (g, y, size, hit), n in sums.items()]
    counts, clusters = _gather(task, classes, entries), task.clusters(query.keys)
    named = np.array([text in predicted for text in class_texts(classes)], dtype=bool)
    counts = replace(counts, predicted=named)
    if clusters is None:
        return counts
    return replace(counts, clusters=clusters.renumbered(np.array(place)))


def find_classes(task: CountTask, written: WrittenCell) -> Array | None:
    """The classes of a file with very many labels or sets; None as in `find_members`."""
    truth = task.layout.truth
    members = find_members(task, written.listed, truth)
    if members is None:
        return None
    rows = f"(SELECT {truth.label_sql()} AS y FROM {task.session.table})"
    found = [y for (y,) in task.session.ask(f"SELECT DISTINCT y FROM {rows}").fetchall()]
    truths = {"" if y is None else y.strip(BLANKS) for y in found}
    if not truths.isdisjoint({"", *truth.missing}):
        return None
    return _classes_of_labels(task, written, truths, members.labels)


def _classes_of_labels(
    task: CountTask, written: WrittenCell, truths: Collection[str], predicted: Collection[str]
) -> Array | None:
    """The classes that labels name; None if predicted labels are several ones in fact."""
    if not task.is_part:
        if joined_labels(truths, predicted):
            return None
        refuse_mixed_kinds(task.session.source.path, written.column.shown, truths, predicted)
    return class_array({*truths, *predicted}, task.layout.truth)


def _of_members(
    task: CountTask, declared: Array | None, written: WrittenCell, many: MemberCounts
) -> FileCounts | None:
    """Counts from those of the database; None if a label is unknown, to be found row by row."""
    truths, predicted = set(many.truth), many.labels
    classes = declared
    if classes is None:
        classes = _classes_of_labels(task, written, truths, predicted)
    elif not task.is_part:
        refuse_mixed_kinds(task.session.source.path, written.column.shown, truths, predicted)
    if classes is None:
        return None
    code = {text: place for place, text in enumerate(class_texts(classes))}
    if not code.keys() >= truths | predicted:
        return None
    group = np.ma.getdata(many.columns["g"]).astype(object)
    group[np.ma.getmaskarray(many.columns["g"])] = None
    truth = np.fromiter(map(code.__getitem__, many.truth), np.int64, len(many.truth))
    size, hit, rows = (many.columns[name].astype(np.int64) for name in ("size", "hit", "rows"))
    named = np.zeros(len(classes), dtype=bool)
    named[[code[label] for label in predicted]] = True
    weighted = task.layout.weight is not None
    ones = rows.astype(np.float64)
    weight, squares = (
        many.columns[name].astype(np.float64) if weighted else ones
        for name in ("weight", "squares")
    )
    keys = (classes, group, truth, size, hit, rows)
    return FileCounts(*keys, weight, squares, weighted, predicted=named)


def _settle_classes(
    task: CountTask,
    declared: Array | None,
    written: WrittenCell,
    truths: Collection[str],
    predicted: Collection[str],
) -> Array:
    """The declared classes, or else all labels that occur; labels outside them are refused."""
    session, truth = task.session, task.layout.truth
    if declared is None and not task.is_part:
        _refuse_separators(session, written, truths, predicted)
    if not task.is_part:
        refuse_mixed_kinds(session.source.path, written.column.shown, truths, predicted)
    if declared is None:
        return class_array({*truths, *predicted}, truth)
    known = set(class_texts(declared))
    if not known.issuperset(truths):
        refuse_unknown_truth(session, truth, declared)
    if not known.issuperset(predicted):
        _refuse_members(session, written, {*predicted} - known, declared)
    return declared


def _refuse_separators(
    session: FileSession,
    written: WrittenCell,
    truths: Collection[str],
    predicted: Collection[str],
) -> None:
    """Refuse sets like ``a;b``, which are read as one label, if a and b are labels."""
    joined = joined_labels(truths, predicted)
    if joined:
        classes = np.array(sorted({*truths, *predicted} - joined))
        _refuse_members(session, written, joined, classes)


def _refuse_members(
    session: FileSession, written: WrittenCell, unknown: set[str], classes: Array
) -> NoReturn:
    """Raise for the first row with one of the labels, however the rows were counted."""
    query = f"SELECT DISTINCT cell FROM (SELECT {written.cell} AS cell FROM {session.table})"
    cells = {}
    for (cell,) in session.ask(query).fetchall():
        wrong = unknown.intersection(() if cell is None else written.labels_of(cell))
        if wrong:
            cells[tuple(cell) if isinstance(cell, list) else cell] = min(wrong)
    refuse_unknown(session, written.column, written.cell, cells, classes)


def joined_labels(truths: Collection[str], predicted: Collection[str]) -> set[str]:
    """The predicted labels that are several labels, joined by a separator that is not read as one.

    Examples
    --------
    >>> joined_labels(["a", "b"], ["a", "a;b"])
    {'a;b'}
    """
    if not _MAY_SEPARATE.search("".join(predicted)):
        return set()
    several = {x for x in predicted if _MAY_SEPARATE.search(x)}
    simple = {*truths, *predicted} - (several - set(truths))
    return {x for x in several if separator_in(x, simple)}


def _gather(task: CountTask, classes: Array, entries: list[tuple[Any, ...]]) -> FileCounts:
    """Entries (group, code, size, hit, sums) as arrays."""
    truth, size, hit, rows = np.array([row[1:5] for row in entries], dtype=np.int64).T
    group = np.array([row[0] for row in entries], dtype=object)
    if task.layout.weight is None:
        ones = rows.astype(np.float64)
        return FileCounts(classes, group, truth, size, hit, rows, ones, ones, weighted=False)
    weight, squares = np.array([row[5:7] for row in entries], dtype=np.float64).T
    return FileCounts(classes, group, truth, size, hit, rows, weight, squares, weighted=True)
