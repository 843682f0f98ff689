"""Parts of a prediction file, which the workers of a cluster read and count.

A part is a recipe: where the file is, which of its rows to read, and what was said about its
columns and classes.  Any machine that finds the file under the same path can open it.  A Parquet
file is divided between its row groups, into parts that depend on the file alone; a file in another
format is one part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn, TypeVar

import numpy as np

from wager._dask import DaskEngine
from wager._tables import MISSING_WORDS, SHOWN_INPUT
from wager._typing import Array
from wager.predictions.files._classes import class_texts, joint_classes, refuse_mixed_kinds
from wager.predictions.files._column_names import ColumnNames
from wager.predictions.files._count import joined_labels
from wager.predictions.files._counts import FileCounts
from wager.predictions.files._faults import MissingValuesError
from wager.predictions.files._layout import find_layout
from wager.predictions.files._missing import MissingRows, count_missing
from wager.predictions.files._read import PredictionFile
from wager.predictions.files._source import FileSource, Progress, open_source
from wager.predictions.files.forms import FORMS

__all__ = [
    "FilePart",
    "PartCounts",
    "aligned_parts",
    "classes_of_parts",
    "file_parts",
    "refuse_labels",
    "total_of_parts",
]

_ROWS = 8_000_000  # in a part, about
_PARTS = 1024  # at most, so that a scheduler has little to do
_NUMBER = "file_row_number"  # what DuckDB calls the number of a row in a Parquet file
Total = TypeVar("Total")


@dataclass(frozen=True, eq=False)
class FilePart:
    """Some rows of a prediction file.

    Parameters
    ----------
    place : Path
        Where every machine finds the file.
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
    rows : (int, int), optional
        The first row, from 0, and the one after the last; by default all.
    """

    place: Path
    shown: Path
    called: ColumnNames
    form: str
    classes: Array | None
    declared: tuple[str, ...] = ()
    drop: bool = False
    needs_id: bool = False
    rows: tuple[int, int] | None = None

    def open(self, beside: PredictionFile | None = None) -> PredictionFile:
        """The rows as a prediction file, which DuckDB reads with one thread."""
        if not self.place.exists():
            raise ValueError(
                f"{self.place}: there is no such file on a Dask worker: all workers must find it "
                "under this path"
            )
        other = None if beside is None else beside.source
        source = open_source(self.place, self.called, self.declared, other)
        with source.database.cursor() as con:
            con.execute("SET threads = 1")
        source = replace(source, path=self.shown)
        if self.rows is not None:
            source = _between(source, *self.rows)
        layout = replace(find_layout(source), needs_id=self.needs_id)
        stated = FORMS[self.form].find(source)
        is_part = self.rows is not None
        return PredictionFile(source, layout, stated, self.classes, is_part=is_part)

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
    source = file.source
    if source.path == SHOWN_INPUT:
        raise ValueError(
            "standard input can be read on one machine only: save it to a file that all Dask "
            "workers find, or leave out --engine dask"
        )
    if source.file.more or not Path(source.file.path).is_file():
        raise ValueError(
            f"{source.path}: patterns, folders and remote files are read on one machine only: name "
            "one file that all Dask workers find, or leave out --engine dask"
        )
    whole = FilePart(
        Path(source.file.path).absolute(),
        source.path,
        source.called,
        file.form,
        file.classes if classes is None else classes,
        tuple(word for word in MISSING_WORDS if word not in source.columns[0].missing),
        drop,
        file.layout.needs_id,
    )
    return [replace(whole, rows=rows) for rows in _ranges(source)]


def aligned_parts(
    files: Sequence[PredictionFile], *, drop: bool = False
) -> list[tuple[FilePart, ...]]:
    """Parts of files on the same rows: part by part, the same rows of all files.

    Files that are not all Parquet, or not equally long, are one part.
    """
    every = [file_parts(file, drop=drop) for file in files]
    groups = [_row_groups(file.source) for file in files]
    if len({None if sizes is None else int(sizes.sum()) for sizes in groups} - {None}) == 1 and all(
        sizes is not None for sizes in groups
    ):
        ranges = [part.rows for part in every[0]]
    else:
        ranges = [None]
    return [tuple(replace(parts[0], rows=rows) for parts in every) for rows in ranges]


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


def _labels_of_part(parts: tuple[FilePart, ...]) -> PartCounts:
    (part,) = parts
    file = part.open_kept()
    if file.has_no_rows:
        return PartCounts(None)
    plain = replace(file.layout, weight=None, count=None, cluster=None)
    return PartCounts(replace(file, layout=plain).count())


def _row_groups(source: FileSource) -> Array | None:
    """The numbers of rows of the row groups of a Parquet file; None if it cannot be divided."""
    if source.columns[0].format != "parquet" or _NUMBER in map(str.lower, source.names):
        return None
    with source.database.cursor() as con:
        found = con.execute(
            "SELECT any_value(row_group_num_rows) AS n FROM parquet_metadata(?) GROUP BY "
            "row_group_id ORDER BY row_group_id",
            list(source.values),
        ).fetchnumpy()
    return np.asarray(found["n"])


def _ranges(source: FileSource) -> list[tuple[int, int] | None]:
    """Ranges of rows of whole row groups, about equally long."""
    sizes = _row_groups(source)
    if sizes is None or not sizes.sum():
        return [None]
    ends = np.cumsum(sizes)
    n_rows = int(ends[-1])
    n_parts = min(max(n_rows // _ROWS, 1), _PARTS)
    wanted = np.arange(1, n_parts + 1) * n_rows / n_parts
    cuts = np.unique(ends[np.searchsorted(ends, wanted - 0.5)])
    return list(zip([0, *cuts[:-1].tolist()], cuts.tolist(), strict=True))


def _between(source: FileSource, first: int, end: int) -> FileSource:
    """The rows of a Parquet file from one number, counted from 0, to before another."""
    rows = (
        f"(SELECT * EXCLUDE ({_NUMBER}) FROM read_parquet(?, hive_partitioning = false, "
        f"{_NUMBER} = true) WHERE {_NUMBER} >= {first} AND {_NUMBER} < {end})"
    )
    return replace(source, rows=rows, skipped=first)


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
