"""Parts of a prediction file, which the workers of a cluster read and count.

A part is a recipe: where the file is, which of its rows to read, and what was said about its
columns and classes.  Any machine that finds the file under the same path can open it.  Parquet is
divided between row groups, also that of several files, into parts that depend on the files alone.
Of several files in another format each is a part; a single one is not divided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn, TypeVar

import numpy as np

from wager._dask import DaskEngine
from wager._tables import MISSING_WORDS, SHOWN_INPUT, duckdb_path, row_ranges
from wager._typing import Array
from wager.predictions.files._classes import class_texts, joint_classes, refuse_mixed_kinds
from wager.predictions.files._column_names import ColumnNames
from wager.predictions.files._count import joined_labels
from wager.predictions.files._counts import FileCounts
from wager.predictions.files._faults import MissingValuesError
from wager.predictions.files._group_counts import GroupCounts
from wager.predictions.files._layout import find_layout
from wager.predictions.files._missing import MissingRows, count_missing
from wager.predictions.files._places import Places, is_remote
from wager.predictions.files._read import PredictionFile
from wager.predictions.files._source import FileSource, Progress, open_source
from wager.predictions.files.forms import FORMS

__all__ = [
    "FilePart",
    "PartCounts",
    "aligned_parts",
    "classes_of_parts",
    "file_parts",
    "groups_of_parts",
    "refuse_labels",
    "total_of_parts",
]

_NUMBERS = 16_000_000  # in a part, about: one per row and column of predictions
_ROWS = 8_000_000  # in a part, at most, unless there were too many parts
_PARTS = 1024  # at most, so that a scheduler has little to do
_NUMBER = "file_row_number"  # what DuckDB calls the number of a row in a Parquet file
Range = tuple[int, int]  # the first row, from 0, and the one after the last
Total = TypeVar("Total")


@dataclass(frozen=True, eq=False)
class FilePart:
    """Some rows of a prediction file.

    Parameters
    ----------
    place : Path
        The file, the pattern or the folder, where every machine finds it.
    files : tuple of Path
        The files in which the rows are.
    shown : Path
        What messages call it.
    called : ColumnNames
        What it calls its columns.
    form : str
        The form of its predictions.
    classes : ndarray or None
        The classes; None if only the rows show them.
    declared : tuple of str
        The labels that do not mean that a value is missing.
    drop : bool
        Whether rows that lack a value are left out.
    needs_id : bool
        Whether every row needs an id.
    rows : tuple of (int, int), optional
        The rows of each of the files; by default all.
    skipped : int
        The number of rows before the first one.
    is_part : bool
        Whether there are other rows.
    """

    place: Path
    files: tuple[Path, ...]
    shown: Path
    called: ColumnNames
    form: str
    classes: Array | None
    declared: tuple[str, ...] = ()
    drop: bool = False
    needs_id: bool = False
    rows: tuple[Range, ...] | None = None
    skipped: int = 0
    is_part: bool = False

    def open(self, beside: PredictionFile | None = None) -> PredictionFile:
        """The rows as a prediction file, which DuckDB reads with one thread."""
        for path in self.files:
            if not path.exists():
                raise ValueError(
                    f"{path}: there is no such file on a Dask worker: all workers must find it "
                    "under this path"
                )
        other = None if beside is None else beside.source
        places = Places(self.place, list(self.files))
        source = open_source(places, self.called, self.declared, other)
        with source.database.cursor() as con:
            con.execute("SET threads = 1")
        source = replace(source, path=self.shown)
        if self.rows is not None:
            source = replace(_between(source, self.rows), skipped=self.skipped)
        layout = replace(find_layout(source), needs_id=self.needs_id)
        stated = FORMS[self.form].find(source)
        return PredictionFile(source, layout, stated, self.classes, is_part=self.is_part)

    def open_kept(self, beside: PredictionFile | None = None) -> PredictionFile:
        """The rows without those that lack a value, if these are left out."""
        file = self.open(beside)
        return file.without_missing() if self.drop else file


def file_parts(
    file: PredictionFile, *, drop: bool = False, classes: Array | None = None
) -> list[FilePart]:
    """The parts of an open file, in the order of its rows.

    Parameters
    ----------
    file : PredictionFile
        The file.
    drop : bool, default=False
        Whether rows that lack a value are left out.
    classes : ndarray, optional
        The classes, if the file was opened without them.
    """
    whole = _whole(file, drop, classes)
    groups = _row_groups(file.source, whole.files)
    if groups is not None:
        ranges = _ranges(groups, file.stated.n_columns)
        return [_part(whole, groups, between) for between in ranges]
    if len(whole.files) == 1:
        return [whole]
    # the number of a row is not known without reading the files before, so its file is named
    return [
        replace(whole, place=path, files=(path,), shown=shown, is_part=True)
        for path, shown in zip(whole.files, _own_names(file.source), strict=True)
    ]


def _whole(file: PredictionFile, drop: bool, classes: Array | None = None) -> FilePart:
    """All rows of a file that workers can read."""
    source = file.source
    if source.path == SHOWN_INPUT:
        raise ValueError(
            "standard input can be read on one machine only: save it to a file that all Dask "
            "workers find, or leave out --engine dask"
        )
    files = _own_names(source)
    if is_remote(source.path):
        raise ValueError(
            f"{source.path}: remote files are read on one machine only: copy them to a place that "
            "all Dask workers find, or leave out --engine dask"
        )
    file.refuse_small_weights()  # which may be all weights of a part, but not of the file
    return FilePart(
        Path(source.path).absolute(),
        tuple(path.absolute() for path in files),
        source.path,
        source.called,
        file.form,
        file.classes if classes is None else classes,
        tuple(word for word in MISSING_WORDS if word not in source.columns[0].missing),
        drop,
        file.layout.needs_id,
    )


def _own_names(source: FileSource) -> list[Path]:
    """The files that a path names, as the user calls them."""
    first, more = source.file, source.file.more
    return [first.own or first.path, *(other.own or other.path for other in more)]


def _part(whole: FilePart, groups: Sequence[Array], between: Range) -> FilePart:
    """The rows of all files from one number, counted from 0, to before another."""
    start, end = between
    files, rows, before = [], [], 0
    for path, sizes in zip(whole.files, groups, strict=True):
        after = before + int(sizes.sum())
        if before < end and after > start:
            files.append(path)
            rows.append((max(start - before, 0), min(end, after) - before))
        before = after
    return replace(whole, files=tuple(files), rows=tuple(rows), skipped=start, is_part=True)


def aligned_parts(
    files: Sequence[PredictionFile], *, drop: bool = False
) -> list[tuple[FilePart, ...]]:
    """Parts of files on the same rows: part by part, the same rows of all files.

    Files that are not all Parquet, or not equally long, are one part.
    """
    wholes = [_whole(file, drop) for file in files]
    groups = [
        _row_groups(file.source, whole.files) for file, whole in zip(files, wholes, strict=True)
    ]
    known = [one for one in groups if one is not None]
    if len(known) < len(files) or len({int(sum(map(np.sum, one))) for one in known}) > 1:
        return [tuple(wholes)]
    ranges = _ranges(known[0], max(file.stated.n_columns for file in files))
    return [
        tuple(_part(whole, one, between) for whole, one in zip(wholes, known, strict=True))
        for between in ranges
    ]


def classes_of_parts(engine: DaskEngine, file: PredictionFile, *, drop: bool = False) -> Array:
    """The classes of a file; if only its rows show them, from a pass over its parts."""
    if file.classes is not None:
        return file.classes
    if not file.holds_sets:
        return file.settled_classes()
    parts = [(part,) for part in file_parts(file, drop=drop)]
    found = total_of_parts(engine, _labels_of_part, parts).counts
    if found is None:
        return file.settled_classes()  # which says what is wrong
    refuse_labels(file, found, lambda classes: file.with_classes(classes).count())
    return found.classes


@dataclass(frozen=True)
class PartCounts:
    """Counts of a part, over the classes that its rows show; None if it has no rows."""

    counts: FileCounts | None

    def __add__(self, other: PartCounts) -> PartCounts:
        first, second = self.counts, other.counts
        if first is None or second is None:
            return other if first is None else self
        if not np.array_equal(first.classes, second.classes):
            classes = joint_classes([first.classes, second.classes])
            first, second = first.over(classes), second.over(classes)
        return PartCounts(first + second)


def groups_of_parts(
    engine: DaskEngine,
    file: PredictionFile,
    *,
    drop: bool = False,
    progress: Progress | None = None,
) -> GroupCounts:
    """The counts of the groups of a file whose rows are right; see `count_groups`."""
    classes = classes_of_parts(engine, file, drop=drop)
    parts = [(part,) for part in file_parts(file, drop=drop, classes=classes)]
    found = total_of_parts(engine, _groups_of_part, parts, progress).counts
    assert found is not None
    return found


@dataclass(frozen=True)
class PartGroups:
    """Counts of the groups of a part; None if it has no rows."""

    counts: GroupCounts | None

    def __add__(self, other: PartGroups) -> PartGroups:
        if self.counts is None or other.counts is None:
            return other if self.counts is None else self
        return PartGroups(self.counts + other.counts)


def _groups_of_part(parts: tuple[FilePart, ...]) -> PartGroups:
    (part,) = parts
    file = part.open_kept()
    if file.has_no_rows:
        return PartGroups(None)
    found = file.count_groups(file.classes)
    return PartGroups(found if len(found) else None)


def _labels_of_part(parts: tuple[FilePart, ...]) -> PartCounts:
    (part,) = parts
    file = part.open_kept()
    if file.has_no_rows:
        return PartCounts(None)
    plain = replace(file.layout, weight=None, count=None, cluster=None)
    return PartCounts(replace(file, layout=plain).count())


def _row_groups(source: FileSource, files: Sequence[Path]) -> list[Array] | None:
    """The numbers of rows of the row groups of Parquet files; None if they cannot be divided."""
    if source.columns[0].format != "parquet" or _NUMBER in map(str.lower, source.names):
        return None
    with source.database.cursor() as con:
        found = con.execute(
            "SELECT file_name, any_value(row_group_num_rows) AS n FROM parquet_metadata(?) GROUP "
            "BY file_name, row_group_id ORDER BY file_name, row_group_id",
            [[duckdb_path(path) for path in files]],
        ).fetchnumpy()
    names, sizes = (np.asarray(found[name]) for name in ("file_name", "n"))
    if not len(sizes):
        return None
    return [sizes[names == str(path)] for path in files]


def _ranges(groups: Sequence[Array], n_columns: int) -> list[Range]:
    """Ranges of rows of whole row groups, about equally long."""
    wanted = min(_NUMBERS // max(n_columns, 1), _ROWS)
    return row_ranges(np.concatenate(groups), wanted, _PARTS)


def _between(source: FileSource, rows: Sequence[Range]) -> FileSource:
    """Some rows of each of the Parquet files of a source."""
    (paths,) = source.values
    option = "hive_partitioning = "
    table = source.rows.replace(option, f"{_NUMBER} = true, {option}", 1)
    pieces = [
        f"SELECT * EXCLUDE ({_NUMBER}) FROM {table} "
        f"WHERE {_NUMBER} >= {first} AND {_NUMBER} < {end}"
        for first, end in rows
    ]
    values = tuple([paths] if isinstance(paths, str) else paths)
    return replace(source, rows=f"({' UNION ALL '.join(pieces)})", values=values)


def total_of_parts(
    engine: DaskEngine,
    count: Callable[[tuple[FilePart, ...]], Total],
    parts: Sequence[tuple[FilePart, ...]],
    progress: Progress | None = None,
) -> Total:
    """What `count` returns for the parts of one or several files, added up on a cluster.

    Parameters
    ----------
    engine : DaskEngine
        The cluster.
    count : callable
        Counts the same rows of all files; see `DaskEngine.total`.
    parts : sequence of tuples
        Part by part, the same rows of all files.
    progress : callable, optional
        Called with the share of the parts that is counted.

    Raises
    ------
    MissingValuesError
        If rows lack a value: how many of all rows, as on one machine.
    """
    try:
        return engine.total(count, parts, progress)
    except MissingValuesError:
        _refuse_missing(engine, parts)


def _refuse_missing(engine: DaskEngine, parts: Sequence[tuple[FilePart, ...]]) -> NoReturn:
    for of_file in zip(*parts, strict=True):
        found: MissingRows = engine.total(missing_of_part, of_file)
        if found.n:
            words = of_file[0].open().layout.truth.missing
            raise MissingValuesError(f"{of_file[0].shown}: {found.sentence(words)}")
    raise AssertionError("a worker found rows that lack a value")


def missing_of_part(part: FilePart) -> MissingRows:
    """The rows of a part that lack a value."""
    file = part.open()
    with file.source.session() as session:
        return count_missing(session, [*file.layout.required(), *file.stated.required()])


def refuse_labels(
    file: PredictionFile, counts: FileCounts, recount: Callable[[Array], object]
) -> None:
    """Raise for labels that only all parts together show to be wrong.

    Parameters
    ----------
    file : PredictionFile
        The file, whose rows show its classes.
    counts : FileCounts
        The counts of all parts.
    recount : callable
        Counts the parts again with declared classes, and so finds the row of another label.
    """
    texts = np.array(class_texts(counts.classes))
    truths = texts[np.unique(counts.truth)].tolist()
    predicted = texts[counts.predicted].tolist()
    joined = joined_labels(truths, predicted)
    if joined:
        recount(counts.classes[~np.isin(texts, list(joined))])
    refuse_mixed_kinds(file.path, file.stated.heading, truths, predicted)
