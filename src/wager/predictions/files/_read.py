"""Open a prediction file: count it, read it whole, or read some rows at a time.

CSV, Parquet, Arrow and JSON Lines files have one row per test instance: ``y_true``, and predictions
in one of the forms in `forms`; ``weight``, ``count``, ``cluster``, ``group`` and ``id`` are
optional.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

import numpy as np

from wager._tables import (
    LEAST_WEIGHT,
    View,
    Viewed,
    check_classes,
    is_one_of,
    refuse_many_rows,
    require_whole,
)
from wager._typing import Array, ArrayLike
from wager._visible import brief
from wager.predictions.files._classes import class_texts
from wager.predictions.files._column_names import ColumnNames
from wager.predictions.files._count import make_class_table, text_code_sql
from wager.predictions.files._count_groups import count_groups
from wager.predictions.files._count_task import CountTask
from wager.predictions.files._counts import FileCounts
from wager.predictions.files._database import is_before_2, quoted
from wager.predictions.files._faults import no_rows, refuse_missing, small_weights
from wager.predictions.files._group_counts import GroupCounts
from wager.predictions.files._layout import Layout, find_layout
from wager.predictions.files._missing import (
    MissingRows,
    RequiredColumn,
    count_missing,
    missing_sql,
)
from wager.predictions.files._outcomes import OutcomeRows
from wager.predictions.files._predictions import Predictions
from wager.predictions.files._source import (
    FileSession,
    FileSource,
    KeptRows,
    Progress,
    has_pyarrow,
    open_source,
)
from wager.predictions.files._warnings import RowOddities
from wager.predictions.files.forms import Form, Kind, Rows, stated_forms, texts

__all__ = [
    "PredictionFile",
    "preferred_form",
    "read_predictions",
    "refuse_without",
    "scan_all_predictions",
    "scan_predictions",
    "scan_sets",
]

_COLUMNS_OF = {"proba": "p:", "intervals": "lower: and upper:", "memberships": "m:"}
_CHUNK = 1 << 19  # numbers in a chunk: larger arrays are slow to allocate
_LARGEST_CHUNK = 1 << 24  # rows: memory for a chunk may be taken before it is read
_GROUPS_MEGABYTES = 600  # DuckDB's memory for a million groups, which are sorted in it
_TEXTS = ("cl", "g", "id")  # columns that are read as text


def read_predictions(
    path: str | PathLike[str],
    classes: ArrayLike | None = None,
    *,
    form: str | None = None,
    columns: Mapping[str, str] | None = None,
    na: str = "error",
) -> Predictions:
    r"""Read a whole prediction file into memory.

    Parameters
    ----------
    path : path
        A file that ends in .csv, .jsonl, .parquet, .arrow or .feather; text files may be compressed
        (.csv.gz, .csv.zst, .csv.bz2, .csv.xz).  ``-`` is standard input.
    classes : array-like of shape (K,), optional
        The classes, including those that never occur; required for a mask, in the order of its
        bits.
    form : {"label", "set", "mask", "in", "p", "top-k", "interval", "m"}, optional
        Which predictions to read from a file that states them in several forms.
    columns : mapping of str to str, optional
        What the file calls its columns, by their usual names: ``{"y_true": "truth", "set":
        "prediction_set", "p:": "prob_"}``.  Keys are ``y_true``, ``y_pred``, ``set``, ``mask``,
        ``id``, ``weight``, ``count``, ``cluster`` and ``group``, and the prefixes ``in:``, ``p:``,
        ``lower:``, ``upper:``, ``m:``, ``class_`` and ``p_``.
    na : {"error", "drop"}, default="error"
        What to do about rows in which a value is missing: an empty cell, NULL, or one of the words
        ``NA``, ``NaN``, ``nan``, ``<NA>``, ``NaT``, ``null``, ``NULL`` and ``None`` that is not
        among `classes`.  An empty cell of the column ``set`` is the empty set.

    Returns
    -------
    Predictions

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "sets.csv"
    ...     _ = file.write_text("y_true,set\ncat,cat | dog\ndog,dog\nNA,cat\n")
    ...     found = read_predictions(file, na="drop")
    >>> found.sets.to_lists(), found.warnings
    ([['cat', 'dog'], ['dog']], ('1 of 3 rows is left out because it has no y_true',))
    """
    return scan_predictions(path, classes, form=form, columns=columns, na=na).read()


def scan_predictions(
    path: str | PathLike[str],
    classes: ArrayLike | None = None,
    *,
    form: str | None = None,
    by: str | None = None,
    cluster: str | None = None,
    columns: Mapping[str, str] | None = None,
    na: str = "error",
) -> PredictionFile:
    """Open a prediction file without reading its rows.

    Parameters
    ----------
    path, classes, form, columns, na
        As for `read_predictions`.
    by : str, optional
        The column with the group of each row; by default ``group``, if there is one.
    cluster : str, optional
        The column with the cluster of each row: rows of the same cluster, such as the visits of
        one patient, may depend on each other.  By default ``cluster``, if there is one.

    Returns
    -------
    PredictionFile
    """
    source = _open(path, classes, columns, by, cluster)
    layout, stated = find_layout(source), stated_forms(source, form)
    if len(stated) > 1:
        raise ValueError(
            f"{source.path}: predictions are stated in {len(stated)} forms "
            f"({', '.join(found.heading for found in stated)}): choose one with form= (--form "
            f"{' or '.join(found.name for found in stated)})"
        )
    return _scan(source, layout, stated[0], classes, na)


def scan_all_predictions(
    path: str | PathLike[str],
    classes: ArrayLike | None = None,
    *,
    form: str | None = None,
    by: str | None = None,
    cluster: str | None = None,
    columns: Mapping[str, str] | None = None,
    na: str = "error",
    beside: PredictionFile | None = None,
) -> list[PredictionFile]:
    """Open a file that may state predictions in several forms, without reading its rows.

    The file is opened once; the results share it.

    Parameters
    ----------
    path, classes, form, by, cluster, columns, na
        As for `scan_predictions`.
    beside : PredictionFile, optional
        Another open file, whose connection to DuckDB is used for this one as well.

    Returns
    -------
    list of PredictionFile
        One for each form that the file states; at least one.
    """
    classes = None if classes is None else check_classes(classes)  # once for all forms
    source = _open(path, classes, columns, by, cluster, beside=beside)
    layout = find_layout(source)
    return [_scan(source, layout, found, classes, na) for found in stated_forms(source, form)]


def scan_sets(
    path: str | PathLike[str] | PredictionFile,
    classes: ArrayLike | None = None,
    *,
    form: str | None = None,
    columns: Mapping[str, str] | None = None,
    beside: PredictionFile | None = None,
) -> PredictionFile:
    """Open one of several prediction files, and choose its sets if it has several forms.

    Without sets, the first form of the file is chosen. A form whose column is named in ``columns``
    comes before others.

    Parameters
    ----------
    path, classes, form
        As for `scan_predictions`; an open file is returned as it is.
    columns : mapping of str to str, optional
        What the file calls its columns, if it has them; otherwise they have their usual names.
    beside : PredictionFile, optional
        As for `scan_all_predictions`.

    Returns
    -------
    PredictionFile
    """
    if isinstance(path, PredictionFile):
        return path
    source = _open(path, classes, columns, lenient=True, beside=beside)
    layout, stated = find_layout(source), stated_forms(source, form)
    return _scan(source, layout, preferred_form(source, stated), classes)


def preferred_form(source: FileSource, stated: Sequence[type[Form]]) -> type[Form]:
    """The form by which a file is compared: one whose column the user names, then sets."""
    named = [
        form
        for form in stated
        if (name := source.called.names.get(form.heading)) is not None
        and any(
            column == name or (form.heading.endswith(":") and column.startswith(name))
            for column in source.names
        )
    ]
    return next((form for form in named or stated if form.is_set_valued), (named or stated)[0])


def refuse_without(files: Sequence[PredictionFile], kind: Kind, **options: object) -> None:
    """Raise if an option that is for one kind of predictions is given, but no file has any.

    Parameters
    ----------
    files : sequence of PredictionFile
        The files; not empty.
    kind : {"proba", "intervals", "memberships"}
        The kind of predictions.
    **options
        The options: None if they were not given.
    """
    if any(file.kind == kind for file in files):
        return
    for name, value in options.items():
        if value is not None:
            raise ValueError(
                f"--{name} is for {_COLUMNS_OF[kind]} columns, but the predictions of "
                f"{files[0].path} are in other columns: leave it out"
            )


def _open(
    path: str | PathLike[str],
    classes: ArrayLike | None,
    columns: Mapping[str, str] | None,
    by: str | None = None,
    cluster: str | None = None,
    *,
    lenient: bool = False,
    beside: PredictionFile | None = None,
) -> FileSource:
    given = {"group": by, "cluster": cluster}
    names = {**(columns or {}), **{role: name for role, name in given.items() if name is not None}}
    declared = [] if classes is None else class_texts(check_classes(classes))
    other = None if beside is None else beside.source
    return open_source(path, ColumnNames.of(names, lenient=lenient), declared, other)


def _scan(
    source: FileSource,
    layout: Layout,
    form: type[Form],
    classes: ArrayLike | None,
    na: str = "error",
) -> PredictionFile:
    file = PredictionFile(source, layout, form.find(source), None).with_classes(classes)
    if not is_one_of(na, ("error", "drop")):
        raise ValueError(f"na must be 'error' or 'drop', got {brief(na)}")
    return file.without_missing() if na == "drop" else file


@dataclass(frozen=True, eq=False, repr=False)
class PredictionFile(Viewed):
    """An open prediction file whose rows are still on disk.

    All queries use the database of its source, which is closed when no `PredictionFile` uses it any
    longer.

    Parameters
    ----------
    source : FileSource
        The open file.
    layout : Layout
        The columns beside the predictions.
    stated : Form
        The predictions: their form and their columns.
    classes : ndarray or None
        The classes; None if only the rows show them.
    kept : KeptRows, optional
        The rows that are read; by default all.
    missing : MissingRows, optional
        The rows that are left out because they lack a value.
    is_part : bool, default=False
        Whether these are some rows of a file, which need not show all its classes.
    """

    source: FileSource
    layout: Layout
    stated: Form
    classes: Array | None
    kept: KeptRows | None = None
    missing: MissingRows | None = None
    is_part: bool = False

    def __repr__(self) -> str:
        known = "" if self.classes is None else f", {len(self.classes)} classes"
        return f"PredictionFile({str(self.path)!r}, form {self.form!r}{known})"

    def _view(self) -> View:
        return View(verdict=[repr(self)])

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self.source.path

    @property
    def form(self) -> str:
        """The name of the form in which predictions are stated."""
        return self.stated.name

    @property
    def kind(self) -> Kind:
        """The attribute of `Predictions` that contains the predictions."""
        return self.stated.kind

    @property
    def holds_sets(self) -> bool:
        """Whether predictions are labels or sets, which `count` can count."""
        return self.kind == "sets"

    def with_classes(self, classes: ArrayLike | None) -> PredictionFile:
        """The same open file with other declared classes; None if the file shows them."""
        declared = None if classes is None else check_classes(classes)
        return replace(self, classes=self.stated.known_classes(declared, self.layout.truth))

    @property
    def omissions(self) -> tuple[str, ...]:
        """A sentence about the rows that are left out, if there are any."""
        return () if self.missing is None else (self.missing.left_out(),)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about the file, in sentences; found by a pass over its rows.

        Rows that are left out, classes that are predicted and never true, a truth of one class
        only, and sets that always name all classes.
        """
        if self.holds_sets:
            return self.omissions + self.count().warnings
        odd = RowOddities()
        for part in self.chunks():
            odd.add(part)
        return self.omissions + odd.sentences

    @property
    def has_no_rows(self) -> bool:
        """Whether this is a part of a file in which every row lacks a value and is left out."""
        return self.is_part and self.missing is not None and self.missing.n == self.missing.n_rows

    def with_ids(self) -> PredictionFile:
        """The same open file, in which every row needs an id."""
        return replace(self, layout=replace(self.layout, needs_id=True))

    def without_missing(self) -> PredictionFile:
        """The same open file without the rows that lack a value; see `omissions`."""
        required = self._required()
        with self.source.session() as session:
            found = count_missing(session, required)
        if not found.n:
            return replace(self, missing=found) if self.is_part else self
        if found.n == found.n_rows and not self.is_part:
            raise ValueError(f"{self.path}: no row is left: {found.left_out()}")
        return replace(self.without_keys(self.missing_keys()), missing=found)

    def missing_keys(self, by_id: bool = False) -> Array:
        """The numbers, or the ids, of the rows that lack a value; a missing id is left out."""
        lacks = missing_sql(self._required())
        with self.source.session() as session:
            # as a condition of the rows, DuckDB would plan hundreds of columns for minutes
            query = f"SELECT list({self._key(by_id)}) FILTER ({lacks} = 1) FROM {session.numbered}"
            found = session.ask(query).fetchall()[0][0]
        return np.array([key for key in found or () if key is not None])

    def without_keys(self, keys: Array, by_id: bool = False) -> PredictionFile:
        """The same open file without the rows that have these numbers, or ids, or no id."""
        return replace(self, kept=KeptRows(self._key(by_id), keys, by_id))

    def _key(self, by_id: bool) -> str:
        if not by_id or self.layout.id is None:
            return f"{self.source.prefix}n"
        return self.layout.id.name_sql()

    def _required(self) -> list[RequiredColumn]:
        return [*self.layout.required(), *self.stated.required()]

    def count(self, by_group: bool = False, progress: Progress | None = None) -> FileCounts:
        """Count labels or sets by true class, size and hit, in one pass and little memory.

        Parameters
        ----------
        by_group : bool
            Whether to count each group of the file separately.
        progress : callable, optional
            Called from time to time with the fraction of the file that has been read.
        """
        with self.source.session(self.kept) as session:
            task = CountTask(session, self.layout, by_group, progress, self.is_part)
            counts = self.stated.count(task, self.classes)
        self._check_total(counts.total_weight, counts.n_rows)
        if not counts.weight.any() and not self.is_part:
            raise self.layout.no_rows_count(self.path)
        return counts

    def outcome_rows(self, con: Any, prefix: str, progress: Progress | None = None) -> OutcomeRows:
        """Size and hit of every row, for a query of a connection over several files.

        Parameters
        ----------
        con : DuckDB connection
            Where temporary tables are created.
        prefix : str
            How the names of the columns shall begin.
        progress : callable, optional
            Called with the fraction of the first pass that is done; masks need none.
        """
        self.refuse_small_weights()
        file = self._prefixed(prefix)
        session = FileSession(file.source, con, file.kept)
        task = CountTask(session, file.layout, progress=progress)
        outcome = file.stated.outcome(task, self.settled_classes())
        return OutcomeRows.of(session, file.layout, outcome)

    def _prefixed(self, prefix: str) -> PredictionFile:
        """The same open file, in which all names of columns in SQL begin with a prefix."""
        source = self.source.with_prefix(prefix)
        layout, stated = self.layout.with_prefix(prefix), type(self.stated).find(source)
        file = replace(self, source=source, layout=layout, stated=stated, kept=None)
        if self.kept is None:
            return file
        return file.without_keys(self.kept.left_out, self.kept.by_id)

    @cached_property
    def n_groups(self) -> int:
        """The number of groups; rows without a group are one of them."""
        if self.layout.group is None:
            return 1
        with self.source.session(self.kept, megabytes=_GROUPS_MEGABYTES) as session:
            names = f"SELECT DISTINCT {self.layout.group.group_sql()} FROM {session.table}"
            n: int = session.ask(f"SELECT count(*) FROM ({names})").fetchall()[0][0]
        return n

    def count_groups(
        self,
        classes: ArrayLike | None = None,
        progress: Progress | None = None,
    ) -> GroupCounts:
        """Count labels or sets by group, size and hit, also of very many groups.

        Parameters
        ----------
        classes : array-like of shape (K,), optional
            The classes that `count` found, which checks the rows; without them it is called first.
        progress : callable, optional
            Called from time to time with the fraction of the file that has been read.
        """
        if self.layout.group is None:
            raise ValueError(f"{self.path}: there is no column group: choose a column with by=")
        known = self.count().classes if classes is None else check_classes(classes)
        file = self._prefixed("x")
        with file.source.session(file.kept, megabytes=_GROUPS_MEGABYTES) as session:
            task = CountTask(session, file.layout, True, progress, self.is_part)
            outcome = file.stated.outcome(task._replace(progress=None), known)
            counts = count_groups(task, known, outcome)
        if counts.weight is not None:
            self._check_total(float(counts.weight.sum()), int(counts.rows.sum()))
        return counts

    def refuse_small_weights(self) -> None:
        """Raise if all weights are so small that their squares lose digits."""
        if self._small_weights is not None:
            raise self._small_weights

    @cached_property
    def _small_weights(self) -> ValueError | None:
        """The error for weights that are all too small; a part alone does not show it."""
        if self.layout.weight is None or self.is_part:
            return None
        with self.source.session(self.kept) as session:
            return small_weights(session, self.layout.weight)

    def _check_total(self, weight: float | None, n_rows: int) -> None:
        """Refuse small weights; a large total shows without another pass that there are others."""
        if weight is not None and weight <= 2 * LEAST_WEIGHT * n_rows:
            self.refuse_small_weights()

    def check_rows(self) -> None:
        """Raise the error for the first wrong row, if there is one."""
        self.refuse_small_weights()
        if self.holds_sets:
            self.count()
        with self.source.session(self.kept) as session:
            refuse_missing(session, self._required())

    def read(self) -> Predictions:
        """All rows at once."""
        self._refuse_many_rows()
        classes = self.settled_classes()
        with self.source.session(self.kept, limited=False) as session:
            make_class_table(session.con, classes)
            columns = session.ask(self._rows_sql(session, classes)).fetchnumpy()
            if (np.diff(columns["n"]) < 0).any():  # a join may change the order of the rows
                order = np.argsort(columns["n"])
                columns = {name: column[order] for name, column in columns.items()}
            found = self._assemble(columns, classes)
        odd = RowOddities()
        odd.add(found)
        return replace(found, warnings=self.omissions + odd.sentences)

    def _refuse_many_rows(self) -> None:
        """Refuse to read rows that a small file has by the billion."""
        if self.source.is_plain_text:
            return
        with self.source.session(self.kept) as session:
            n_rows = session.ask(f"SELECT count(*) FROM {session.table}").fetchall()[0][0]
        refuse_many_rows(
            n_rows,
            len(self.source.columns),
            self.source.file,
            "count them without reading them (wager score, Tally.of_file), or read fewer",
        )

    def chunks(
        self,
        rows: int | None = None,
        progress: Progress | None = None,
        *,
        whole_clusters: bool = False,
        whole_groups: bool = False,
    ) -> Generator[Predictions, None, None]:
        """The rows in order, some at a time; memory does not grow with the file.

        Parameters
        ----------
        rows : int, optional
            Rows per chunk, at most 16 million; by default about a million numbers.
        progress : callable, optional
            Called from time to time with the fraction of the work that is done.
        whole_clusters : bool, default=False
            Sort the rows by their cluster, and divide no cluster between chunks, so that tallies
            of the chunks add up.  A file without clusters is read in its order.
        whole_groups : bool, default=False
            Sort the rows by their group, and by cluster within a group, and divide no group
            between chunks.  Memory then grows with the largest group.

        Notes
        -----
        Rows in the order of the file come straight from DuckDB, from version 2.0 on and if pyarrow
        is installed.  Otherwise one pass converts the file to numbers in a temporary Parquet file,
        from which any range of rows can be read quickly; the file is deleted after the last chunk.
        """
        classes = self.settled_classes()
        step = self.stated.rows_at_once(_CHUNK, len(classes))
        if rows is not None:
            step = min(require_whole(rows, "rows") or step, _LARGEST_CHUNK)
        keep = "g" if whole_groups and self.layout.group is not None else ""
        if not keep and whole_clusters and self.layout.cluster is not None:
            keep = "cl"
        with self.source.session(self.kept) as session:
            make_class_table(session.con, classes)
            if self._order(keep) is not None or is_before_2() or not has_pyarrow():
                yield from self._sorted_chunks(session, classes, step, keep, progress)
                return
            parts = session.stream(self._rows_sql(session, classes), step, progress)
            is_empty = True
            for columns in parts:
                is_empty = False
                yield self._assemble(columns, classes)
            if is_empty:
                raise no_rows(self.path)

    def _sorted_chunks(
        self,
        session: FileSession,
        classes: Array,
        step: int,
        keep: str,
        progress: Progress | None,
    ) -> Generator[Predictions, None, None]:
        """The rows by way of a temporary file; equal cells of `keep` stay in one chunk."""
        with TemporaryDirectory(prefix="wager-") as folder:
            scratch = str(Path(folder) / "rows.parquet")
            order = self._order(keep)
            query = self._rows_sql(session, classes, order)
            copy = f"COPY ({query}) TO {quoted(scratch)} (FORMAT parquet)"
            session.ask_with_progress(copy, progress and (lambda done: progress(done / 2)))
            place = "n" if order is None else "place"
            part = (
                f"SELECT * FROM read_parquet(?) WHERE {place} > ? AND {place} <= ? ORDER BY {place}"
            )
            start = self.source.skipped if order is None else 0
            ends = [start + end for end in _ends(session.con, scratch, step, keep)]
            for end in ends:
                columns = session.con.execute(part, [scratch, start, end]).fetchnumpy()
                yield self._assemble(columns, classes)
                start = end
                if progress:
                    progress(0.5 + 0.5 * end / max(ends[-1], 1))

    def _order(self, keep: str) -> str | None:
        """How rows are sorted if those of a group or a cluster are kept together, in SQL."""
        if not keep:
            return None if self.kept is None else "n"
        cluster = [] if self.layout.cluster is None else ["cl"]
        if keep == "cl" or self.layout.group is None:
            return ", ".join([*cluster, "n"])
        group = "CAST(g AS BIGINT)" if self.layout.group.fits_bigint else "g"
        return ", ".join([f"{group} NULLS LAST", *cluster, "n"])

    def settled_classes(self) -> Array:
        """The classes; if only the rows show them, from a first pass over the rows."""
        if self.classes is not None:
            return self.classes
        # without clusters, whose totals take longer than the labels
        layout = replace(self.layout, cluster=None)
        with self.source.session(self.kept) as session:
            found = self.stated.find_classes(CountTask(session, layout, is_part=self.is_part))
        return replace(self, layout=layout).count().classes if found is None else found

    def _rows_sql(self, session: FileSession, classes: Array, order: str | None = None) -> str:
        """Every row as numbers: its number, the codes of its labels, and its other cells.

        Rows that are sorted by `order` get their ``place`` in this order as well.
        """
        labels = {"truth": self.layout.truth.label_sql(), **self.stated.label_cells()}
        cells = {**labels, **self.stated.cells(classes), **self.layout.row_cells()}
        columns = ", ".join(f"{sql} AS {name}" for name, sql in cells.items())
        codes = ", ".join(
            f"coalesce(of_{x}.code, {self.stated.missing_code(x, f'rows.{x}')}, "
            f"{text_code_sql(f'rows.{x}')}, -1) AS {x}"
            for x in labels
        )
        joins = " ".join(f"LEFT JOIN classes AS of_{x} ON rows.{x} = of_{x}.label" for x in labels)
        query = (
            f"SELECT rows.* EXCLUDE ({', '.join(labels)}), {codes} FROM (SELECT n, {columns} FROM "
            f"{session.numbered}) AS rows {joins}"
        )
        if order is None:
            return query
        return (
            f"SELECT *, row_number() OVER (ORDER BY {order}) AS place FROM ({query}) ORDER BY place"
        )

    def _assemble(self, columns: Mapping[str, Any], classes: Array) -> Predictions:
        """Rows as arrays."""

        def refuse() -> NoReturn:
            with self.source.session(self.kept) as session:  # rows may still come from another
                self.stated.refuse(session, self.layout, classes)
            raise AssertionError("no row is wrong")

        codes = np.asarray(columns["truth"])
        if not len(codes):
            raise no_rows(self.path)
        weight, count = (np.asarray(columns[key]) if key in columns else None for key in "wk")
        beside = {key: texts(columns[key]) if key in columns else None for key in _TEXTS}
        numbers = (codes, weight, count)
        if any((column < 0).any() for column in numbers if column is not None):
            refuse()
        if None in _listed(beside["cl"]) or (
            self.layout.needs_id and None in _listed(beside["id"])
        ):
            refuse()
        if weight is not None and weight.max() < LEAST_WEIGHT:
            self.refuse_small_weights()
        predictions = self.stated.assemble(Rows(columns, classes, refuse))
        return Predictions(
            classes,
            codes,
            self.form,
            **{self.kind: predictions},
            weight=weight,
            count=count,
            cluster=beside["cl"],
            group=beside["g"],
            id=beside["id"],
            row=np.asarray(columns["n"]),
        )


def _listed(names: Array | None) -> list[str | None]:
    return [] if names is None else names.tolist()


def _ends(con: Any, scratch: str, step: int, keep: str) -> list[int]:
    """The places at which chunks of about `step` rows end; `keep` is a column to keep together."""
    if keep:
        last = f"SELECT max(place) AS place FROM read_parquet(?) GROUP BY {keep}"
        ends = f"SELECT max(place) FROM ({last}) GROUP BY (place - 1) // {step} ORDER BY 1"
        return [end for (end,) in con.execute(ends, [scratch]).fetchall()] or [0]
    total = con.execute("SELECT count(*) FROM read_parquet(?)", [scratch]).fetchall()[0][0]
    return [*range(step, total, step), total]
