"""Match the rows of prediction files: joint counts of every two of them.

Files are read side by side, some rows at a time.  Rows are matched by their ``id`` if every file
has one, otherwise by their order.  Files in the same order, the usual case, are counted while they
are read; if the ids come in different orders, the rows are joined in a database on disk.  Memory
does not grow with the files in either case.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from itertools import count, zip_longest
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from wager._tables import SHOWN_INPUT, STANDARD_INPUT, format_labels
from wager._typing import Array, ArrayLike
from wager.compare._file_rows import (
    JointSums,
    RowOutcomes,
    SetBook,
    disagreement,
    joint_counts,
    outcomes_of,
    paired_costs,
    paired_tallies,
    sizes_and_hits,
)
from wager.compare._join_by_id import count_clustered, count_joined
from wager.compare._paired_costs import PairedCosts
from wager.predictions import PredictionFile, Predictions, RowOddities, scan_sets
from wager.rewards import PairedTally

FilePath: TypeAlias = str | PathLike[str] | PredictionFile
_ROWS = 1 << 16  # rows of each file in memory at a time
Progress = Callable[[float], None]
Reader = Generator[RowOutcomes, None, None]


@dataclass(frozen=True)
class Matched:
    """Joint counts of every two files, and how their rows were matched.

    Attributes
    ----------
    names : tuple of str
        The names of the files.
    pairs : mapping of (name, name) to PairedTally
        In the order of the names.
    classes : array
        The classes that occur in any of the files.
    by_id : bool
        Whether rows were matched by ``id`` instead of by their order.
    has_clusters : bool
        Whether rows of the same cluster may depend on each other.
    joint : mapping of (name, name) to PairedCosts
        Joint counts of the sets and the true class; empty unless they were asked for.
    n_rows : int
        The number of rows, or the sum of their counts.
    warnings : tuple of str
        What is odd about the files, and how many rows are left out.
    """

    names: tuple[str, ...]
    pairs: Mapping[tuple[str, str], PairedTally]
    classes: Array
    by_id: bool
    has_clusters: bool = False
    joint: Mapping[tuple[str, str], PairedCosts] = field(default_factory=dict)
    n_rows: int = 0
    warnings: tuple[str, ...] = ()


def match_files(
    paths: Sequence[FilePath],
    names: Sequence[str] | None = None,
    classes: ArrayLike | None = None,
    *,
    form: str | None = None,
    cluster: str | None = None,
    columns: Mapping[str, str] | None = None,
    na: str = "error",
    rule: str = "maximality",
    by_set: bool = False,
    progress: Progress | None = None,
) -> Matched:
    """Read prediction files on the same rows and count the outcomes of every two of them jointly.

    Weights, counts and clusters need be in one of the files only; files that have them must agree.

    Parameters
    ----------
    paths : sequence of path
        At least two prediction files, open or not; one may be ``-``, standard input.
    names : sequence of str, optional
        Names of the files; by default the file names without folder and extension.
    classes : array-like, optional
        The classes, including those that never occur.
    form : str, optional
        Which predictions to read if a file contains several forms.
    cluster : str, optional
        The column with the cluster of each row: rows of the same cluster, such as the visits of
        one patient, may depend on each other.  By default ``cluster``, if there is one.
    columns : mapping of str to str, optional
        What the files call their columns, as in `wager.read_predictions`; a file without such a
        column is read by the usual name.
    na : {"error", "drop"}, default="error"
        What to do about rows with missing values, as in `wager.read_predictions`.  A row that is
        left out of one file is left out of all.
    rule : str, default="maximality"
        The decision rule for probability intervals; from probabilities and memberships the class
        of the largest value is taken.
    by_set : bool, default=False
        Count the rows by predicted sets and true class as well, for costs.
    progress : callable, optional
        Called from time to time with the fraction of the work that is done.
    """
    labels = file_names(paths, names)
    opened = open_together(
        paths, classes, labels, form=form, cluster=cluster, columns=columns, na=na
    )
    files = opened.files
    clustered = any(file.layout.cluster is not None for file in files)
    settled = files[0].classes
    assert settled is not None
    by_id = all(file.layout.id is not None for file in files)
    book = SetBook(settled) if by_set else None
    seen = [_Seen() for _ in files]
    read = partial(_outcomes, rule=rule, book=book, seen=dict(zip(files, seen, strict=True)))
    try:
        with closing(side_by_side(files, by_id, read, progress)) as steps:
            sums = count_clustered(files, steps) if clustered else _count(steps)
    except AnotherOrderError:
        sums = count_joined(files, one_after_another(read, len(files), progress))
    if not any(counted.n for counted in sums.values()):
        raise no_rows_count(files)
    named = {(labels[i], labels[j]): counted for (i, j), counted in sums.items()}
    n_rows = _n_rows(files, seen)
    odd = (f"{x}: {y}" for x, one in zip(labels, seen, strict=True) for y in one.odd.sentences)
    warnings = (*opened.left_out, *odd)
    if book is None:
        tallies = paired_tallies(named, len(settled))
        return Matched(labels, tallies, settled, by_id, clustered, {}, n_rows, warnings)
    joint = paired_costs(named, book)
    tallies = {pair: sizes_and_hits(counted) for pair, counted in joint.items()}
    return Matched(labels, tallies, settled, by_id, clustered, joint, n_rows, warnings)


def _n_rows(files: Sequence[PredictionFile], seen: Sequence[_Seen]) -> int:
    """The number of rows, from the files that know what a row counts for."""
    units = [(f.layout.weight is not None) + (f.layout.count is not None) for f in files]
    return seen[int(np.argmax(units))].n_rows


class Together(NamedTuple):
    """Files of the same rows over the same classes, and sentences about rows that are left out."""

    files: list[PredictionFile]
    left_out: list[str]


def one_after_another(
    read: Callable[[PredictionFile, Progress | None], Any], n_files: int, progress: Progress | None
) -> Callable[[PredictionFile], Any]:
    """A function that opens the next file, whose progress is a part of that of all files.

    Parameters
    ----------
    read : callable
        Opens a file, given it and `progress`.
    n_files : int
        The number of files that will be opened.
    progress : callable or None
        Called with the fraction of all files that is read.
    """
    places = count()

    def read_next(file: PredictionFile) -> Any:
        place = next(places)
        if progress is None:
            return read(file, None)
        return read(file, lambda share: progress((place + share) / n_files))

    return read_next


def open_together(
    paths: Sequence[FilePath],
    classes: ArrayLike | None,
    names: Sequence[str],
    *,
    form: str | None = None,
    cluster: str | None = None,
    columns: Mapping[str, str] | None = None,
    na: str = "error",
) -> Together:
    """Open files of the same rows, over the classes that occur in any of them.

    Parameters
    ----------
    paths, classes, form, cluster, columns, na
        As in `match_files`.
    names : sequence of str
        The names of the files.
    """
    called = {**(columns or {}), **({} if cluster is None else {"cluster": cluster})}
    files = [scan_sets(path, classes, form=form, columns=called) for path in paths]
    _refuse_absent(files, called)
    by_id = all(file.layout.id is not None for file in files)
    if by_id:
        files = [file.with_ids() for file in files]
    if na not in ("error", "drop"):
        raise ValueError(f"na must be 'error' or 'drop', got {na!r}")
    left_out: list[str] = []
    if na == "drop":
        files, left_out = _without_missing(files, names, by_id)
    return Together(_over_the_same_classes(files, classes), left_out)


def _refuse_absent(files: Sequence[PredictionFile], called: Mapping[str, str]) -> None:
    """Raise if none of the files has a column that the user names."""
    for name in called.values():
        if not any(n.startswith(name) for file in files for n in file.source.names):
            raise ValueError(
                f"{files[0].path}: there is no column {name} among {files[0].source.some_names}, "
                "nor in the other files"
            )


def _without_missing(
    files: Sequence[PredictionFile], names: Sequence[str], by_id: bool
) -> tuple[list[PredictionFile], list[str]]:
    """The files without the rows that lack a value in any of them, and sentences that say so."""
    kept = [file.without_missing() for file in files]
    if not any(file.missing for file in kept):
        return kept, []
    keys = [file.missing_keys(by_id) for file in files]
    found = [key for key in keys if len(key)]
    sentences = [
        f"{name}: {said}" for name, file in zip(names, kept, strict=True) for said in file.omissions
    ]
    if not found:  # the rows that lack a value lack their id as well
        return kept, sentences
    together = np.unique(np.concatenate(found))
    n, matched = len(together), "id" if by_id else "order"
    sentences.append(
        f"{n:,} row{'s' if n > 1 else ''}, matched by {matched}, {'are' if n > 1 else 'is'} left "
        "out of all files because one of them lacks a value"
    )
    return [file.without_keys(together, by_id) for file in kept], sentences


def no_rows_count(files: Sequence[PredictionFile]) -> ValueError:
    """The error for files in which the weight, or the count, of every row is 0."""
    columns = ("weight", "count")
    one = next(f for f in files if any(getattr(f.layout, name) for name in columns))
    return one.layout.no_rows_count(one.path)


def _count(steps: Iterable[Sequence[RowOutcomes]]) -> JointSums:
    """Joint counts of every two files, whose independent rows come in the same order."""
    pairs: JointSums = {}
    for parts in steps:
        for pair, counted in joint_counts(parts).items():
            pairs[pair] = pairs[pair] + counted if pair in pairs else counted
    return pairs


def file_names(paths: Sequence[FilePath], names: Sequence[str] | None = None) -> tuple[str, ...]:
    """Names of the files: as given, else the file names, or the paths if names are not unique."""
    if len(paths) < 2:
        raise ValueError(f"a comparison needs at least 2 prediction files, got {len(paths)}")
    if names is None:
        places = [path.path if isinstance(path, PredictionFile) else Path(path) for path in paths]
        if places.count(STANDARD_INPUT) > 1:
            raise ValueError("standard input (-) can be read only once: name one file -")
        stems = [_stem(path) for path in places]
        names = stems if len(set(stems)) == len(stems) else [str(path) for path in places]
        if len(set(names)) < len(names):
            raise ValueError(f"{_twice(names)} is given more than once: compare different files")
    if len(names) != len(paths):
        raise ValueError(
            f"{len(names)} names were given for {len(paths)} files: give one name per file"
        )
    if len(set(names)) < len(names):
        raise ValueError(f"duplicate name {_twice(names)!r}: give each file a different name")
    return tuple(names)


def _stem(path: Path) -> str:
    is_input = path in (STANDARD_INPUT, SHOWN_INPUT)
    return "stdin" if is_input else path.name.split(".")[0]


def _twice(names: Sequence[str]) -> str:
    return next(name for name in names if list(names).count(name) > 1)


def _over_the_same_classes(
    files: list[PredictionFile], classes: ArrayLike | None
) -> list[PredictionFile]:
    """The files with all classes that occur in any of them, or the declared ones."""
    if classes is not None:
        return files
    known = [file.settled_classes() for file in files]
    if not all(labels.dtype.kind in "iu" for labels in known):
        known = [labels.astype(str) for labels in known]
    for file, labels in zip(files[1:], known[1:], strict=True):
        if not np.isin(labels, known[0]).any():
            raise ValueError(
                f"{files[0].path} has the classes {format_labels(known[0])} but {file.path} has "
                f"{format_labels(labels)}: use the same labels, or list all with classes= "
                "(--classes)"
            )
    together = np.unique(np.concatenate(known))
    return [file.with_classes(together) for file in files]


class AnotherOrderError(Exception):
    """The files list their ids in different orders, so they must be joined."""


class _Seen:
    """How many rows of a file were read, and what is odd about them."""

    def __init__(self) -> None:
        self.odd = RowOddities()
        self.n_rows = 0

    def add(self, part: Predictions) -> None:
        self.odd.add(part)
        counts = np.ones(len(part), dtype=np.int64) if part.count is None else part.count
        self.n_rows += int((counts if part.weight is None else counts[part.weight > 0]).sum())


def _outcomes(
    file: PredictionFile,
    progress: Progress | None = None,
    *,
    rule: str,
    book: SetBook | None,
    seen: Mapping[PredictionFile, _Seen],
) -> Reader:
    seen[file].n_rows = 0  # files in different orders are read a second time
    with closing(file.chunks(_ROWS, progress)) as chunks:  # deletes its temporary file at once
        for chunk in chunks:
            seen[file].add(chunk)
            yield outcomes_of(chunk, rule, book)


def side_by_side(
    files: Sequence[PredictionFile],
    by_id: bool,
    read: Callable[..., Any],
    progress: Progress | None,
) -> Generator[list[Any], None, None]:
    """The same rows of all files, some at a time, checked to match.

    `read` opens a file, given it and `progress`, and yields its rows in parts.
    """
    start = 0
    with ExitStack() as stack:
        # the files are read in turns, so the progress of the first one is that of all
        readers = [
            stack.enter_context(closing(read(file, progress if i == 0 else None)))
            for i, file in enumerate(files)
        ]
        for parts in zip_longest(*readers):
            if by_id and not _same_ids(parts):
                raise AnotherOrderError
            lengths = [0 if part is None else len(part) for part in parts]
            if len(set(lengths)) > 1:
                rest = [sum(map(len, reader)) for reader in readers]
                _refuse_lengths(files, [start + n + r for n, r in zip(lengths, rest, strict=True)])
            _check_alike(files, parts)
            yield list(parts)
            start += lengths[0]


def _same_ids(parts: Sequence[Any]) -> bool:
    """Whether these rows have the same ids in all files; False if a file has ended."""
    if any(part is None for part in parts):
        return False
    return all(np.array_equal(part.id, parts[0].id) for part in parts[1:])


def _refuse_lengths(files: Sequence[PredictionFile], totals: Sequence[int]) -> None:
    file, total = next((f, n) for f, n in zip(files, totals, strict=True) if n != totals[0])
    raise ValueError(
        f"{files[0].path} has {totals[0]} rows but {file.path} has {total}: compare predictions of "
        "the same rows, or add an id column to every file to match them by"
    )


def _check_alike(files: Sequence[PredictionFile], parts: Sequence[Any]) -> None:
    """Raise a ValueError if the files differ in the true class of a row, or in what it counts."""
    classes = files[0].classes
    assert classes is not None
    first = parts[0]
    for file, part in zip(files[1:], parts[1:], strict=True):
        off = np.flatnonzero(part.truth != first.truth)
        if len(off):
            truths = [classes[rows.truth[off[0]]] for rows in (first, part)]
            raise disagreement(files[0], file, "y_true", truths, _where(first, off[0]))
    for column in ("weight", "count", "cluster"):
        every = ((file, getattr(part, column)) for file, part in zip(files, parts, strict=True))
        having = [(file, values) for file, values in every if values is not None]
        for file, values in having[1:]:
            one, known = having[0]
            off = np.flatnonzero(values != known)
            if len(off):
                both = [known[off[0]], values[off[0]]]
                raise disagreement(one, file, column, both, _where(first, off[0]))


def _where(part: Any, row: int) -> str:
    here = f"row {part.row[row]}"
    return here if part.id is None else f"{here} (id {part.id[row]})"
