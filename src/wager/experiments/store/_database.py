"""The database of a store: one SQLite file, and one transaction per unit.

The table ``units`` has the results by key, from all plans that were run with the store.  The table
``planned`` lists the keys of the plan that was run last, with the names that it uses.  The view
``results`` joins the two, also for those who read the file with other tools.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from time import time
from typing import Any, NamedTuple

from wager.experiments.plan import Keep, Unit, canonical
from wager.experiments.store._lock import StoreError, sole_writer
from wager.experiments.store._unit_result import UnitResult
from wager.predictions import write_predictions

__all__ = [
    "StoredRows",
    "Writer",
    "about",
    "has_column",
    "known_units",
    "names_in_plan",
    "open_to_read",
    "open_to_write",
    "predictions_file",
    "rows_by_split",
    "values_by_split",
]

FORMAT = 1  # of the database; a store with another number is refused
SCHEMA = """
CREATE TABLE IF NOT EXISTS versions (id INTEGER PRIMARY KEY, what TEXT UNIQUE NOT NULL);
CREATE TABLE IF NOT EXISTS units (
    key TEXT PRIMARY KEY, what TEXT NOT NULL,
    n_train INTEGER, n_test INTEGER, n_features INTEGER,
    tally TEXT, rows BLOB, row_numbers BLOB, cost_tally BLOB,
    probabilities BLOB, kl_divergence REAL, true_tally TEXT,
    prepare_seconds REAL, fit_seconds REAL, predict_seconds REAL,
    random_state INTEGER, chosen TEXT, error TEXT, trace TEXT,
    kept TEXT NOT NULL, versions INTEGER NOT NULL REFERENCES versions, finished REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS planned (
    position INTEGER PRIMARY KEY, key TEXT NOT NULL, dataset TEXT NOT NULL, size INTEGER,
    repeat INTEGER NOT NULL, fold INTEGER NOT NULL, learner TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS planned_names ON planned (dataset, learner, size);
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE VIEW IF NOT EXISTS results AS
    SELECT position, dataset, size, repeat, fold, learner, units.*
    FROM planned LEFT JOIN units USING (key) ORDER BY position;
"""
COLUMNS = [field.name for field in fields(UnitResult) if field.name != "predictions"]


class Writer:
    """Writes results to a store; `open_to_write` makes it."""

    def __init__(self, connection: sqlite3.Connection, folder: Path):
        self._connection = connection
        self._folder = folder
        self._versions: dict[str, int] = {}

    def begin(self, plan: str, units: Iterable[Unit], costs: str | None = None) -> None:
        """Record the plan, its costs if it has any, and its units with their names."""
        rows = [
            (position, u.key, u.source.name, u.split.size, u.split.repeat, u.split.fold, u.label)
            for position, u in enumerate(units)
        ]
        with self._transaction() as database:
            database.execute("DELETE FROM planned")
            database.executemany("INSERT INTO planned VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            database.execute("INSERT OR REPLACE INTO about VALUES ('plan', ?)", (plan,))
            database.execute("DELETE FROM about WHERE name = 'costs'")
            if costs is not None:
                database.execute("INSERT INTO about VALUES ('costs', ?)", (costs,))

    def known(self, keep: Keep, retry: bool) -> dict[str, bool]:
        """The keys of the units that need not be run again, and whether each succeeded."""
        return known_units(self._connection, keep, retry)

    def reasons(self) -> dict[str, str]:
        """The errors of the units that failed, by key."""
        return dict(self._connection.execute("SELECT key, error FROM units WHERE error NOT NULL"))

    def add(self, unit: Unit, result: UnitResult, keep: Keep, versions: str) -> None:
        """Store a result: first the files of predictions, then all else in one transaction."""
        try:
            self._write_predictions(unit, result)
        except OSError as problem:
            raise StoreError.about(self._folder, problem) from None
        number = self._number_of(versions)
        values = [getattr(result, name) for name in COLUMNS]
        kept = _kept(replace(keep, costs=True))  # counts by set are kept of every unit
        entry = [canonical(unit.what), kept, number, time(), *values]
        names = ", ".join(["what", "kept", "versions", "finished", *COLUMNS])
        marks = ", ".join("?" * len(entry))
        with self._transaction() as database:
            database.execute(f"INSERT OR REPLACE INTO units ({names}) VALUES ({marks})", entry)

    def _number_of(self, versions: str) -> int:
        if versions not in self._versions:
            with self._transaction() as database:
                database.execute("INSERT OR IGNORE INTO versions (what) VALUES (?)", (versions,))
            found = self._connection.execute("SELECT id FROM versions WHERE what = ?", (versions,))
            self._versions[versions] = found.fetchone()[0]
        return self._versions[versions]

    def _write_predictions(self, unit: Unit, result: UnitResult) -> None:
        rows = result.predictions
        if rows is None:
            return
        (self._folder / "predictions").mkdir(exist_ok=True)
        files: dict[str, dict[str, Any]] = {"sets": {"sets": rows.sets, "form": "list"}}
        if rows.proba is not None:
            files["probabilities"] = {"proba": rows.proba}
        for kind, predictions in files.items():
            file = predictions_file(self._folder, unit.key, kind)
            write_predictions(file, rows.y_true, classes=rows.classes, id=rows.rows, **predictions)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._connection:
                yield self._connection
        except sqlite3.Error as problem:
            raise StoreError.about(self._folder, problem) from None


@contextmanager
def open_to_write(folder: Path) -> Iterator[Writer]:
    """Create a store if there is none, lock it, and write to it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise StoreError(
            f"cannot write to {folder}: there is a file of that name; choose another folder"
        ) from None
    except OSError as problem:
        raise StoreError.about(folder, problem) from None
    try:
        with sole_writer(folder):
            connection = sqlite3.connect(folder / "results.sqlite", timeout=60)
            try:
                _prepare(connection, folder)
                yield Writer(connection, folder)
            finally:
                connection.close()
    except sqlite3.Error as problem:
        raise StoreError.about(folder, problem) from None


def _prepare(connection: sqlite3.Connection, folder: Path) -> None:
    (format_found,) = connection.execute("PRAGMA user_version").fetchone()
    if format_found not in (0, FORMAT):
        raise StoreError(
            f"{folder} was written by another version of wager (format {format_found}, here "
            f"{FORMAT}): choose another folder"
        )
    connection.execute("PRAGMA journal_mode = WAL")
    # transactions then survive if the process dies; if the machine fails, the last may be lost
    connection.execute("PRAGMA synchronous = NORMAL")
    with connection:
        connection.executescript(SCHEMA)
        for name in ("row_numbers", "cost_tally"):
            if not has_column(connection, name):
                connection.execute(f"ALTER TABLE units ADD COLUMN {name} BLOB")
        connection.execute(f"PRAGMA user_version = {FORMAT}")


@contextmanager
def open_to_read(folder: Path) -> Iterator[sqlite3.Connection]:
    """Read a store, even while another process writes to it; all queries see the same state."""
    file = folder / "results.sqlite"
    if not file.is_file():
        raise ValueError(f"there are no results in {folder}: run a plan with this folder first")
    connection = None
    # where the folder cannot be written to, the file is read without its write-ahead log
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        try:
            connection = sqlite3.connect(f"{file.resolve().as_uri()}?{mode}", uri=True, timeout=60)
            connection.execute("BEGIN")  # later changes are not seen
            connection.execute("SELECT key FROM units LIMIT 1")
            break
        except sqlite3.Error as problem:
            if connection is not None:
                connection.close()
            reason = problem
    else:
        raise ValueError(f"cannot read the results in {folder}: {reason}")
    try:
        yield connection
    finally:
        connection.close()


def has_column(connection: sqlite3.Connection, column: str) -> bool:
    """Whether the store has a column for units; that of version 0.1.0 has fewer."""
    columns = connection.execute("PRAGMA table_info(units)").fetchall()
    return column in [name for _, name, *_ in columns]


def _kept(keep: Keep) -> str:
    """One letter for each thing that is kept."""
    return "p" * keep.probabilities + "r" * keep.predictions + "c" * keep.costs


def known_units(connection: sqlite3.Connection, keep: Keep, retry: bool) -> dict[str, bool]:
    """The keys of the units that need not be run again, and whether each succeeded."""
    rows = connection.execute("SELECT key, error IS NULL, kept FROM units")
    wanted = set(_kept(keep))
    return {key: bool(ok) for key, ok, kept in rows if (wanted <= set(kept) if ok else not retry)}


def predictions_file(folder: Path, key: str, kind: str) -> Path:
    """The file of a unit's predictions of one kind: ``sets`` or ``probabilities``."""
    return folder / "predictions" / f"{key}.{kind}.parquet"


def about(connection: sqlite3.Connection, name: str) -> Any:
    """A property of the store, such as the plan that was run last."""
    row = connection.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
    return None if row is None else json.loads(row[0])


def names_in_plan(database: sqlite3.Connection, column: str) -> tuple[str, ...]:
    """The data sets or the learners of the plan, in its order."""
    found = database.execute(f"SELECT {column} FROM planned GROUP BY 1 ORDER BY min(position)")
    return tuple(name for (name,) in found)


class StoredRows(NamedTuple):
    """The test rows of one unit, packed as in `UnitResult`, and how they were drawn."""

    rows: bytes
    row_numbers: bytes | None
    n_train: int
    n_test: int
    tally: str
    what: str


def rows_by_split(
    database: sqlite3.Connection, dataset: str, learner: str, size: int | None
) -> dict[tuple[int, int], StoredRows]:
    """The test rows of the finished splits of one learner on one data set, by repeat and fold."""
    names = ["rows", "NULL", "n_train", "n_test", "tally", "what"]
    if has_column(database, "row_numbers"):
        names[1] = "row_numbers"
    found = _by_split(database, ", ".join(names), dataset, learner, size)
    return {split: StoredRows(*values) for split, values in found.items()}


def values_by_split(
    database: sqlite3.Connection, column: str, dataset: str, learner: str, size: int | None
) -> dict[tuple[int, int], Any]:
    """A column of the finished splits of one learner on one data set, by repeat and fold."""
    found = _by_split(database, column, dataset, learner, size)
    return {split: value for split, (value,) in found.items()}


def _by_split(
    database: sqlite3.Connection, columns: str, dataset: str, learner: str, size: int | None
) -> dict[tuple[int, int], tuple[Any, ...]]:
    found = database.execute(
        f"SELECT repeat, fold, {columns} FROM results "
        "WHERE tally NOT NULL AND dataset = ? AND learner = ? AND size IS ?",
        (dataset, learner, size),
    ).fetchall()
    if not found:
        at = "" if size is None else f" with size {size}"
        learners, datasets = (names_in_plan(database, name) for name in ("learner", "dataset"))
        raise ValueError(
            f"there is no result of {learner!r} on {dataset!r}{at}: the plan has the learners "
            f"{', '.join(learners)} and {len(datasets)} data sets"
        )
    return {(repeat, fold): tuple(values) for repeat, fold, *values in found}
