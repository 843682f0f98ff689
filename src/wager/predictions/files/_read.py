"""Open a prediction file: count it, read it whole, or read it some rows at a time.

CSV, Parquet, Arrow and JSON Lines files hold one row a test instance: ``y_true``, and one of
``y_pred``, ``set``, ``mask``, ``in:<class>``, ``p:<class>``, ``lower:<class>`` with
``upper:<class>``, or ``m:<class>``; ``weight``, ``group`` and ``id`` may stand beside them.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

import numpy as np

from wager._typing import Array, ArrayLike
from wager.predictions.files._arrays import Predictions, assemble
from wager.predictions.files._classes import declared_classes
from wager.predictions.files._columns import (
    flag_sql,
    label_sql,
    mask_sql,
    members_sql,
    number_sql,
    text_sql,
    weight_sql,
)
from wager.predictions.files._count import Progress, count_file, make_class_table, run_watched
from wager.predictions.files._entries import FileCounts
from wager.predictions.files._faults import no_rows, refuse_file
from wager.predictions.files._layout import SET_FORMS, Layout, find_layout, stated_forms
from wager.predictions.files._source import Source, ask, connect, open_source, quoted

__all__ = ["PredictionFile", "read_predictions", "scan_predictions"]

_CHUNK = 1 << 20  # numbers in a chunk


def read_predictions(
    path: str | PathLike[str], classes: ArrayLike | None = None, *, form: str | None = None
) -> Predictions:
    r"""Read a whole prediction file into memory.

    Parameters
    ----------
    path : path
        A file that ends in .csv, .csv.gz, .parquet, .jsonl, .arrow or .feather.
    classes : array-like of shape (K,), optional
        The classes, also those that never occur; a mask needs them, in the order of its bits.
    form : {"label", "set", "mask", "in", "p", "interval", "m"}, optional
        Which predictions to read from a file that states them in several forms.

    Returns
    -------
    Predictions

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "sets.csv"
    ...     _ = file.write_text("y_true,set\ncat,cat|dog\ndog,dog\n")
    ...     read_predictions(file).sets.to_lists()
    [['cat', 'dog'], ['dog']]
    """
    return scan_predictions(path, classes, form=form).read()


def scan_predictions(
    path: str | PathLike[str],
    classes: ArrayLike | None = None,
    *,
    form: str | None = None,
    by: str | None = None,
) -> PredictionFile:
    """Open a prediction file without reading its rows.

    Parameters
    ----------
    path, classes, form
        As for `read_predictions`.
    by : str, optional
        The column that says to which group a row belongs; by default ``group``, if there is one.

    Returns
    -------
    PredictionFile
    """
    source = open_source(path)
    layout = find_layout(source, form, by)
    return PredictionFile(source, layout, declared_classes(source, layout, classes))


@dataclass(frozen=True)
class PredictionFile:
    """A prediction file whose columns are known and whose rows are still on disk.

    Parameters
    ----------
    source : Source
        How DuckDB reads it.
    layout : Layout
        What its columns say.
    classes : ndarray or None
        The classes, unless only the rows tell.
    """

    source: Source
    layout: Layout
    classes: Array | None

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self.source.path

    @property
    def form(self) -> str:
        """How predictions are stated."""
        return self.layout.form

    @property
    def holds_sets(self) -> bool:
        """Whether predictions are labels or sets, which `count` can count."""
        return self.form in SET_FORMS

    def count(self, by_group: bool = False, progress: Progress | None = None) -> FileCounts:
        """Count labels or sets by true class, size and hit, in one pass and little memory.

        Parameters
        ----------
        by_group : bool
            Whether to keep the groups of the file apart.
        progress : callable, optional
            Is told the share of the file that has been read, now and then.
        """
        if not self.holds_sets:
            raise ValueError(f"{self.path}: the predictions are no sets, so there is none to count")
        return count_file(self.source, self.layout, self.classes, by_group, progress)

    def read(self) -> Predictions:
        """Every row at once."""
        classes = self._settled_classes()
        with connect(self.source, frugal=False) as con:
            make_class_table(con, classes)
            query = _rows_sql(self.source, self.layout, classes)
            columns = ask(con, self.source, query).fetchnumpy()
            if (np.diff(columns["n"]) < 0).any():  # a join may mix up the rows
                order = np.argsort(columns["n"])
                columns = {name: column[order] for name, column in columns.items()}
            return self._assemble(con, columns, classes, 0)

    def chunks(
        self, rows: int | None = None, progress: Progress | None = None
    ) -> Generator[Predictions, None, None]:
        """The rows in order, some at a time, in flat memory.

        Parameters
        ----------
        rows : int, optional
            Rows in a chunk; by default as many as make about a million numbers.
        progress : callable, optional
            Is told the share of the work that is done, now and then.

        Notes
        -----
        One pass turns the file into numbers, in a scratch file from which any range of rows is
        quickly had; it goes when the chunks are used up.
        """
        classes = self._settled_classes()
        width = len(self.layout.columns) + len(self.layout.uppers)
        step = rows or max(1, _CHUNK // width)
        with TemporaryDirectory(prefix="wager-") as folder, connect(self.source) as con:
            make_class_table(con, classes)
            scratch = str(Path(folder) / "rows.parquet")
            query = _rows_sql(self.source, self.layout, classes)
            copy = f"COPY ({query}) TO {quoted(scratch)} (FORMAT parquet)"
            run_watched(con, self.source, copy, progress and (lambda share: progress(share / 2)))
            total = con.execute("SELECT count(*) FROM read_parquet(?)", [scratch]).fetchall()[0][0]
            part = "SELECT * FROM read_parquet(?) WHERE n > ? AND n <= ? ORDER BY n"
            for start in range(0, max(total, 1), step):
                columns = con.execute(part, [scratch, start, start + step]).fetchnumpy()
                yield self._assemble(con, columns, classes, start)
                if progress:
                    progress(0.5 + 0.5 * min(1.0, (start + step) / max(total, 1)))

    def _settled_classes(self) -> Array:
        """The classes; where only the rows tell, from a first pass over them."""
        return self.count().classes if self.classes is None else self.classes

    def _assemble(self, con: Any, columns: Any, classes: Array, start: int) -> Predictions:
        source, layout = self.source, self.layout
        if not len(columns["truth"]):
            raise no_rows(source)

        def refuse() -> NoReturn:
            if layout.form in ("label", "set"):  # counting knows every label, and complains first
                count_file(source, layout, classes)
            refuse_file(con, source, layout, classes)

        return assemble(columns, source, layout, classes, start, refuse)


def _rows_sql(source: Source, layout: Layout, classes: Array) -> str:
    """Every row as numbers: its number, the code of its class, its predictions, what is beside."""
    cells = _said(source, layout, classes)
    if layout.weight is not None:
        cells["w"] = f"coalesce({weight_sql(source, layout.weight)}, -1)"
    if layout.group is not None:
        cells["g"] = text_sql(source, layout.group)
    if layout.id is not None:
        cells["id"] = text_sql(source, layout.id)
    inner = ", ".join(f"{sql} AS {name}" for name, sql in cells.items())
    rows = (
        f"SELECT row_number() OVER () AS n, {label_sql(source, layout.truth)} AS y, {inner} "
        f"FROM {source.table}"
    )
    if layout.form != "label":
        return (
            f"SELECT rows.* EXCLUDE (y), {_code('t')} AS truth FROM ({rows}) AS rows "
            "LEFT JOIN classes AS t ON y = t.label"
        )
    return (
        f"SELECT rows.* EXCLUDE (y, said), {_code('t')} AS truth, {_code('s')} AS said FROM "
        f"({rows}) AS rows LEFT JOIN classes AS t ON y = t.label "
        "LEFT JOIN classes AS s ON rows.said = s.label"
    )


def _code(table: str) -> str:
    return f"coalesce(CAST({table}.code AS BIGINT), -1)"


def _said(source: Source, layout: Layout, classes: Array) -> dict[str, str]:
    """The predictions of a row in SQL, under the names that `assemble` knows."""
    place = layout.columns[0]
    if layout.form == "label":
        return {"said": label_sql(source, place)}
    if layout.form == "set":
        return {"said": members_sql(source, place)}
    if layout.form == "mask":
        mask = mask_sql(source, place)
        right = f"coalesce(({mask}) <= {2 ** len(classes) - 1}, false)"
        return {"said": f"coalesce({mask}, 0)", "right": right}
    if layout.form == "in":
        flags = {f"x{i}": flag_sql(source, i) for i in layout.columns}
        return {name: f"CAST(coalesce({sql}, 2) AS UTINYINT)" for name, sql in flags.items()}
    numbers = {f"x{i}": number_sql(source, i) for i in (*layout.columns, *layout.uppers)}
    return {name: f"coalesce({sql}, CAST('nan' AS DOUBLE))" for name, sql in numbers.items()}


def file_forms(path: str | PathLike[str]) -> list[str | None]:
    """The forms in which a file states predictions; ``[None]`` if none, which `scan` then refuses.

    A file may hold sets and probabilities of the same classifier side by side.
    """
    return [*stated_forms(open_source(path))] or [None]
