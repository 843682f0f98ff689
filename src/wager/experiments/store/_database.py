"""The database of a store: one SQLite file, one transaction a unit.

``units`` holds outcomes by key, whatever plan asked for them.  ``planned`` lists the keys of the
plan that ran last, under the names that it gives them; the view ``results`` joins the two for
anyone who reads the file with other tools.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

from wager.experiments.plan._keys import canonical
from wager.experiments.run._outcome import Outcome
from wager.experiments.store._lock import StoreError, sole_writer

if TYPE_CHECKING:
    from wager.experiments.plan._units import Keep, Unit

__all__ = ["Writer", "open_to_read", "open_to_write"]

FORMAT = 1
SCHEMA = """
CREATE TABLE IF NOT EXISTS versions (id INTEGER PRIMARY KEY, what TEXT UNIQUE NOT NULL);
CREATE TABLE IF NOT EXISTS units (
    key TEXT PRIMARY KEY, what TEXT NOT NULL,
    n_train INTEGER, n_test INTEGER, n_features INTEGER,
    tally TEXT, rows BLOB, probabilities BLOB, kl_divergence REAL, true_tally TEXT,
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
COLUMNS = [field.name for field in fields(Outcome) if field.name != "predictions"]


class Writer:
    """The one process that writes to a store, while `open_to_write` lasts."""

    def __init__(self, connection: sqlite3.Connection, folder: Path):
        self._connection = connection
        self._folder = folder
        self._versions: dict[str, int] = {}

    def begin(self, plan: str, units: Iterable[Unit]) -> None:
        """Note the plan, and which units it asks for under which names."""
        rows = [
            (position, u.key, u.source.name, u.split.size, u.split.repeat, u.split.fold, u.label)
            for position, u in enumerate(units)
        ]
        with self._transaction() as database:
            database.execute("DELETE FROM planned")
            database.executemany("INSERT INTO planned VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            database.execute("INSERT OR REPLACE INTO about VALUES ('plan', ?)", (plan,))

    def known(self, keep: Keep, retry: bool) -> set[str]:
        """The units that need not run again."""
        rows = self._connection.execute("SELECT key, error IS NULL, kept FROM units")
        wanted = set(_kept(keep))
        return {key for key, well, kept in rows if (wanted <= set(kept) if well else not retry)}

    def reasons(self) -> dict[str, str]:
        """Why units failed, by key."""
        return dict(self._connection.execute("SELECT key, error FROM units WHERE error NOT NULL"))

    def add(self, unit: Unit, outcome: Outcome, keep: Keep, versions: str) -> None:
        """Store an outcome, in one transaction; its rows first, in a file of their own."""
        try:
            self._write_predictions(unit, outcome)
        except OSError as problem:
            raise StoreError.about(self._folder, problem) from None
        number = self._number_of(versions)
        values = [getattr(outcome, name) for name in COLUMNS]
        entry = [canonical(unit.what), _kept(keep), number, time(), *values]
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

    def _write_predictions(self, unit: Unit, outcome: Outcome) -> None:
        rows = outcome.predictions
        if rows is None:
            return
        from wager.predictions import write_predictions

        (self._folder / "predictions").mkdir(exist_ok=True)
        said: dict[str, dict[str, Any]] = {"sets": {"sets": rows.sets, "form": "list"}}
        if rows.proba is not None:
            said["probabilities"] = {"proba": rows.proba}
        for kind, predictions in said.items():
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
    """Lock a store, make it if need be, and write to it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise StoreError(
            f"cannot write to {folder}: a file is in the way; name another folder"
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
    # a transaction then survives the death of the process, and of the machine all but the last
    connection.execute("PRAGMA synchronous = NORMAL")
    with connection:
        connection.executescript(SCHEMA)
        connection.execute(f"PRAGMA user_version = {FORMAT}")


@contextmanager
def open_to_read(folder: Path) -> Iterator[sqlite3.Connection]:
    """Read a store, also while another process writes to it: all queries see the same state."""
    file = folder / "results.sqlite"
    if not file.is_file():
        raise ValueError(f"there are no results in {folder}: run a plan with this folder first")
    connection = None
    # a store in a folder that cannot be written to is read as it is, without its log
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        try:
            connection = sqlite3.connect(f"{file.resolve().as_uri()}?{mode}", uri=True, timeout=60)
            connection.execute("BEGIN")  # what is written from now on is not seen
            connection.execute("SELECT key FROM units LIMIT 1")
            break
        except sqlite3.Error as problem:
            if connection is not None:
                connection.close()
            trouble = problem
    else:
        raise ValueError(f"cannot read the results in {folder}: {trouble}")
    try:
        yield connection
    finally:
        connection.close()


def _kept(keep: Keep) -> str:
    """What was kept, a letter each."""
    return "p" * keep.probabilities + "r" * keep.predictions


def predictions_file(folder: Path, key: str, kind: str) -> Path:
    """Where every row's prediction of a unit is kept: its ``sets`` or its ``probabilities``."""
    return folder / "predictions" / f"{key}.{kind}.parquet"


def about(connection: sqlite3.Connection, name: str) -> Any:
    """A note about the store, such as its last plan."""
    row = connection.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
    return None if row is None else json.loads(row[0])
