"""Match the rows of prediction files: joint counts of every two of them.

Rows are matched by their ``id`` if every file has one, otherwise by their order.  Labels and sets
are counted where they lie, in one query over all files.  Predictions from which sets must be made
first, and sets that must be distinguished by their members, are read in chunks into a table that
the query reads instead.  Memory does not grow with the files in either case.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from itertools import count as numbers_from_0
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from wager._dask import DaskEngine
from wager._tables import (
    BLANKS,
    SHOWN_INPUT,
    STANDARD_INPUT,
    counted,
    format_labels,
    is_one_of,
    repeated,
)
from wager._typing import Array, ArrayLike, Bools
from wager._visible import brief, shortened
from wager.compare._file_rows import (
    RowOutcomes,
    SetBook,
    outcomes_of,
    paired_costs,
    paired_tallies,
    sizes_and_hits,
)
from wager.compare._joint_counts import JointCounts, count_jointly, store_outcomes
from wager.compare._joint_query import JointQuery
from wager.compare._matched_rows import (
    MatchedRows,
    left_out_of_all,
    match_on_cluster,
    without_missing,
)
from wager.compare._paired_costs import PairedCosts
from wager.predictions import (
    OutcomeRows,
    PredictionFile,
    RowOddities,
    classes_of_parts,
    joint_classes,
    make_class_table,
    scan_sets,
)
from wager.rewards import PairedTally

FilePath: TypeAlias = str | PathLike[str] | PredictionFile
_ROWS = 1 << 16  # rows of each file in memory at a time
_MOST_SMALL = 64  # classes whose numbers are small integers, by which masks are shifted
Progress = Callable[[float], None]


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
    engine: DaskEngine | None = None,
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
    engine : DaskEngine, optional
        Counts the rows on a cluster.
    """
    labels = file_names(paths, names)
    opened = open_together(
        paths, classes, labels, form=form, cluster=cluster, columns=columns, na=na, engine=engine
    )
    files = opened.files
    settled = files[0].classes
    assert settled is not None
    if engine is None:
        rows, left_out = match_rows(files, rule, by_set, progress), opened.left_out
    else:
        count = partial(match_rows, rule=rule, by_set=by_set)
        rows = match_on_cluster(engine, files, count, drop=na == "drop", progress=progress)
        left_out = rows.left_out(labels, opened.by_id)
    if not any(counted.n for counted in rows.pairs.values()):
        raise no_rows_count(files)
    named: dict[tuple[str, str], Any] = {
        (labels[i], labels[j]): counted for (i, j), counted in rows.pairs.items()
    }
    odd = (f"{x}: {y}" for x, one in zip(labels, rows.odd, strict=True) for y in one.sentences)
    return Matched(
        labels,
        {pair: sizes_and_hits(counted) for pair, counted in named.items()} if by_set else named,
        settled,
        opened.by_id,
        any(file.layout.cluster is not None for file in files),
        named if by_set else {},
        rows.n_rows,
        (*left_out, *odd),
    )


def match_rows(
    files: Sequence[PredictionFile], rule: str, by_set: bool, progress: Progress | None = None
) -> MatchedRows:
    """Count the same rows of files over the same classes jointly."""
    classes = files[0].classes
    assert classes is not None
    book = SetBook(classes) if by_set else None
    seen = [_Seen(rule, book) for _ in files]
    with files[0].source.database.cursor() as con:
        counted = _count(con, files, seen, progress)
    odd = tuple(one.oddities(classes, counted, i) for i, one in enumerate(seen))
    if book is None:
        return MatchedRows(paired_tallies(counted.sums, len(classes)), counted.n_rows, odd)
    return MatchedRows(paired_costs(counted.sums, book), counted.n_rows, odd)


def _count(
    con: Any, files: Sequence[PredictionFile], seen: Sequence[_Seen], progress: Progress | None
) -> JointCounts:
    """The joint counts of all files, by one query."""
    classes = files[0].classes
    assert classes is not None
    code_type = "UTINYINT" if len(classes) <= _MOST_SMALL else "INTEGER"
    n_passes = 1 + sum(one.reads_first(file) for file, one in zip(files, seen, strict=True))
    next_part = one_after_another(lambda work, report: work(report), n_passes, progress)
    rows = []
    for i, (file, one) in enumerate(zip(files, seen, strict=True)):
        work = partial(one.rows_of, con, f"f{i}_", file)
        rows.append(next_part(work) if one.reads_first(file) else work(None))
    query = JointQuery(rows, all(file.layout.id is not None for file in files), code_type)
    make_class_table(con, classes, "BIGINT" if query.has_numbers else "VARCHAR", code_type)
    return next_part(partial(count_jointly, con, files, query))


class Together(NamedTuple):
    """Files of the same rows over the same classes, and sentences about rows that are left out."""

    files: list[PredictionFile]
    left_out: list[str]
    by_id: bool


def one_after_another(
    do: Callable[[Any, Progress | None], Any], n_parts: int, progress: Progress | None
) -> Callable[[Any], Any]:
    """A function that does the next part of some work, and reports the progress of all parts.

    Parameters
    ----------
    do : callable
        Does a part, given the part, such as a file, and `progress`.
    n_parts : int
        The number of parts.
    progress : callable or None
        Called with the fraction of all parts that is done.
    """
    places = numbers_from_0()

    def do_next(part: Any) -> Any:
        place = next(places)
        if progress is None:
            return do(part, None)
        return do(part, lambda share: progress((place + share) / n_parts))

    return do_next


def open_together(
    paths: Sequence[FilePath],
    classes: ArrayLike | None,
    names: Sequence[str],
    *,
    form: str | None = None,
    cluster: str | None = None,
    columns: Mapping[str, str] | None = None,
    na: str = "error",
    engine: DaskEngine | None = None,
) -> Together:
    """Open files of the same rows, over the classes that occur in any of them.

    Parameters
    ----------
    paths, classes, form, cluster, columns, na
        As in `match_files`.
    names : sequence of str
        The names of the files.
    engine : DaskEngine, optional
        Finds the classes on a cluster; the files are then opened with all their rows.
    """
    called = {**(columns or {}), **({} if cluster is None else {"cluster": cluster})}
    files: list[PredictionFile] = []
    for path in paths:
        beside = files[0] if files else None
        files.append(scan_sets(path, classes, form=form, columns=called, beside=beside))
    _refuse_absent(files, called)
    by_id = all(file.layout.id is not None for file in files)
    if by_id:
        files = [file.with_ids() for file in files]
    if not is_one_of(na, ("error", "drop")):
        raise ValueError(f"na must be 'error' or 'drop', got {brief(na)}")
    left_out: list[str] = []
    if na == "drop" and engine is None:
        files, n = without_missing(files)
        said = ((name, file.omissions) for name, file in zip(names, files, strict=True))
        left_out = [f"{name}: {words}" for name, of_file in said for words in of_file]
        left_out += left_out_of_all(n, by_id)
    settle = PredictionFile.settled_classes
    if engine is not None:
        settle = partial(classes_of_parts, engine, drop=na == "drop")
    return Together(_over_the_same_classes(files, classes, settle), left_out, by_id)


def _refuse_absent(files: Sequence[PredictionFile], called: Mapping[str, str]) -> None:
    """Raise if none of the files has a column that the user names."""
    names = {name for file in files for name in file.source.names}
    for role, given in called.items():
        name = given.strip(BLANKS)
        is_prefix = role.endswith((":", "_"))  # a class or a number follows
        if not any(n.startswith(name) if is_prefix else n == name for n in names):
            source = files[0].source
            close = get_close_matches(name, source.shown_names, n=1, cutoff=0.8)
            hint = f": did you mean {close[0]}?" if close else ""
            raise ValueError(
                f"{files[0].path}: there is no column {shortened(name)} among "
                f"{source.some_names}, nor in the other files{hint}"
            )


def no_rows_count(files: Sequence[PredictionFile]) -> ValueError:
    """The error for files in which the weight, or the count, of every row is 0."""
    columns = ("weight", "count")
    one = next(f for f in files if any(getattr(f.layout, name) for name in columns))
    return one.layout.no_rows_count(one.path)


def file_names(paths: Sequence[FilePath], names: Sequence[str] | None = None) -> tuple[str, ...]:
    """Names of the files: as given, else the file names, or the paths if names are not unique."""
    if len(paths) < 2:
        alone = ": wager score is for a single file" if len(paths) == 1 else ""
        raise ValueError(f"a comparison needs at least 2 prediction files, got {len(paths)}{alone}")
    if names is None:
        places = [path.path if isinstance(path, PredictionFile) else Path(path) for path in paths]
        if places.count(STANDARD_INPUT) > 1:
            raise ValueError("standard input (-) can be read only once: name it once")
        stems = [_stem(path) for path in places]
        names = stems if len(set(stems)) == len(stems) else [str(path) for path in places]
        if twice := repeated(names):
            raise ValueError(
                f"{shortened(twice[0])} is given more than once: compare files with the "
                "predictions of one classifier each"
            )
    return given_names(names, len(paths))


def given_names(names: Sequence[str], n_files: int) -> tuple[str, ...]:
    """The names for files: one for each of them, and all different."""
    if len(names) != n_files:
        raise ValueError(
            f"{len(names)} name{' was' if len(names) == 1 else 's were'} given for "
            f"{counted(n_files, 'file')}: give one name per file"
        )
    if twice := repeated(names):
        raise ValueError(f"duplicate name {twice[0]!r}: give each file a different name")
    return tuple(names)


def _stem(path: Path) -> str:
    is_input = path in (STANDARD_INPUT, SHOWN_INPUT)
    return "stdin" if is_input else path.name.split(".")[0]


def _over_the_same_classes(
    files: list[PredictionFile],
    classes: ArrayLike | None,
    settle: Callable[[PredictionFile], Array],
) -> list[PredictionFile]:
    """The files with all classes that occur in any of them, or the declared ones."""
    if classes is not None:
        return files
    known = [settle(file) for file in files]
    if not all(labels.dtype.kind in "iu" for labels in known):
        known = [labels.astype(str) for labels in known]
    for file, labels in zip(files[1:], known[1:], strict=True):
        if not np.isin(labels, known[0]).any():
            raise ValueError(
                f"{files[0].path} has the classes {format_labels(known[0])} but {file.path} has "
                f"{format_labels(labels)}: use the same labels, or list all with classes= "
                "(--classes)"
            )
    together = joint_classes(known)
    return [file.with_classes(together) for file in files]


class _Seen:
    """How the rows of a file are read, and what is odd about them."""

    def __init__(self, rule: str, book: SetBook | None) -> None:
        self._rule = rule
        self._book = book
        self._odd: RowOddities | None = None  # of rows that are read in chunks
        self._predicted: Bools | None = None

    def reads_first(self, file: PredictionFile) -> bool:
        """Whether the rows must be read before the query, which takes masks apart itself."""
        return self._book is not None or file.form not in ("mask", "in")

    def rows_of(
        self, con: Any, prefix: str, file: PredictionFile, progress: Progress | None
    ) -> OutcomeRows:
        """The rows of a file for the query."""
        if file.holds_sets and self._book is None:
            rows = file.outcome_rows(con, prefix, progress)
            self._predicted = rows.outcome.predicted
            return rows
        self._odd = RowOddities()
        with closing(self._outcomes(file, progress)) as parts:  # deletes temporary files at once
            return store_outcomes(con, prefix, file, parts)

    def _outcomes(
        self, file: PredictionFile, progress: Progress | None
    ) -> Generator[RowOutcomes, None, None]:
        assert self._odd is not None
        with closing(file.chunks(_ROWS, progress)) as chunks:
            for chunk in chunks:
                self._odd.add(chunk)
                yield outcomes_of(chunk, self._rule, self._book)

    def oddities(self, classes: Array, counted: JointCounts, place: int) -> RowOddities:
        """What is odd about the file in this place."""
        if self._odd is not None:
            return self._odd
        predicted = self._predicted
        if predicted is None and len(classes) <= _MOST_SMALL:
            mask = counted.masks[place]
            predicted = np.array([mask >> i & 1 for i in range(len(classes))], dtype=bool)
        return RowOddities.of(classes, counted.truth, predicted, counted.cells[place] // 2)
