"""The database of a store: one SQLite file, and one transaction per unit.

The table ``units`` has the results by key, from all plans that were run with the store.  The table
``planned`` lists the keys of the plan that was run last, with the names that it uses.  The view
``results`` joins the two, also for those who read the file with other tools.

Every record has a checksum that is compared when it is read.  Stores of earlier versions have none
and are read as they are.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from math import isnan
from pathlib import Path
from time import time
from typing import Any, NamedTuple

from wager._visible import brief
from wager.experiments.plan import Keep, Unit, canonical, key_of
from wager.experiments.store._checksums import checksum_of, inflate
from wager.experiments.store._lock import StoreError, sole_writer
from wager.experiments.store._unit_result import UnitResult
from wager.predictions import write_predictions
from wager.rewards import Tally

__all__ = [
    "ABOUT",
    "DATABASE",
    "PLANNED",
    "UNITS",
    "DamagedStoreError",
    "KnownUnits",
    "StoredRows",
    "Writer",
    "about",
    "insert",
    "is_intact",
    "known_units",
    "later_format",
    "names_in_plan",
    "new_database",
    "open_to_read",
    "open_to_write",
    "predictions_file",
    "read_results",
    "rows_by_split",
    "values_by_split",
    "versions_by_number",
]

DATABASE = "results.sqlite"
FORMAT = 2  # of the database: 1 has no checksums; a store with another number is refused
SCHEMA = """
CREATE TABLE IF NOT EXISTS versions (id INTEGER PRIMARY KEY, what TEXT UNIQUE NOT NULL);
CREATE TABLE IF NOT EXISTS units (
    key TEXT PRIMARY KEY, what TEXT NOT NULL,
    n_train INTEGER, n_test INTEGER, n_features INTEGER,
    tally TEXT, rows BLOB, row_numbers BLOB, cost_tally BLOB,
    probabilities BLOB, kl_divergence REAL, true_tally TEXT,
    prepare_seconds REAL, fit_seconds REAL, predict_seconds REAL,
    random_state INTEGER, chosen TEXT, error TEXT, trace TEXT,
    kept TEXT NOT NULL, versions INTEGER NOT NULL REFERENCES versions, finished REAL NOT NULL,
    checksum TEXT
);
CREATE TABLE IF NOT EXISTS planned (
    position INTEGER PRIMARY KEY, key TEXT NOT NULL, dataset TEXT NOT NULL, size INTEGER,
    repeat INTEGER NOT NULL, fold INTEGER NOT NULL, learner TEXT NOT NULL, plan_checksum TEXT
);
CREATE INDEX IF NOT EXISTS planned_names ON planned (dataset, learner, size);
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL, checksum TEXT);
CREATE VIEW IF NOT EXISTS results AS
    SELECT position, dataset, size, repeat, fold, learner, units.*
    FROM planned LEFT JOIN units USING (key) ORDER BY position;
"""
ADDED = {  # columns that stores of earlier versions lack
    "units": {"row_numbers": "BLOB", "cost_tally": "BLOB", "checksum": "TEXT"},
    "planned": {"plan_checksum": "TEXT"},
    "about": {"checksum": "TEXT"},
}
# what a checksum covers
RESULT = [each.name for each in fields(UnitResult) if each.name != "predictions"]
UNITS = ["what", "kept", "versions", "finished", *RESULT]
PLANNED = ["position", "key", "dataset", "size", "repeat", "fold", "learner"]
ABOUT = ["name", "value"]
EMPTY = b"B" + zlib.compress(b"")


OTHER_TROUBLE = {  # error codes of SQLite that do not mean damage
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
}


class DamagedStoreError(ValueError):
    """A store was damaged after it was written."""

    def __init__(self, folder: Path, problem: object):
        super().__init__(f"cannot read the results in {folder}: {_damage(folder, problem)}")


def _damage(folder: Path, problem: object) -> str:
    if later := later_format(folder / DATABASE):
        return f"{later}, which this one cannot read: use that version"
    return (
        f"the database is damaged ({problem}); 'wager results {folder} --repair' keeps every "
        "intact result"
    )


def later_format(file: Path) -> str | None:
    """Which later version of wager a database says it is from; None if it is from none."""
    head = b""
    with suppress(OSError), file.open("rb") as opened:
        head = opened.read(64)
    number = int.from_bytes(head[60:], "big")  # where SQLite has user_version
    if not head.startswith(b"SQLite format 3\0") or number <= FORMAT:
        return None
    return f"it was written by another version of wager (format {number}, here {FORMAT})"


class Writer:
    """Writes results to a store; `open_to_write` makes it."""

    def __init__(self, connection: sqlite3.Connection, folder: Path):
        self._connection = connection
        self._folder = folder
        self._file = _file_at(folder / DATABASE)
        self._versions: dict[str, int] = {}

    def begin(self, plan: str, units: Iterable[Unit], costs: str | None = None) -> None:
        """Record the plan, its costs if it has any, and its units with their names."""
        rows = [
            (position, u.key, u.source.name, u.split.size, u.split.repeat, u.split.fold, u.label)
            for position, u in enumerate(units)
        ]
        records = [(*row, checksum_of(PLANNED, row)) for row in rows]
        texts = {"plan": plan} if costs is None else {"plan": plan, "costs": costs}
        with self._transaction() as database:
            database.execute("DELETE FROM planned")
            database.executemany(insert("planned", [*PLANNED, "plan_checksum"]), records)
            database.execute("DELETE FROM about")
            for about in texts.items():
                database.execute(
                    insert("about", [*ABOUT, "checksum"]), (*about, checksum_of(ABOUT, about))
                )

    def known(self, units: Iterable[Unit], keep: Keep, retry: bool, versions: str) -> KnownUnits:
        """The units that need not be run again."""
        return known_units(self._connection, self._folder, units, keep, retry, versions)

    def reasons(self) -> dict[str, str]:
        """The errors of the units that failed, by key."""
        return dict(self._connection.execute("SELECT key, error FROM units WHERE error NOT NULL"))

    def add(self, unit: Unit, result: UnitResult, keep: Keep, versions: str) -> None:
        """Store a result: first the files of predictions, then all else in one transaction."""
        # SQLite would go on writing to a file that has no name any more
        if _file_at(self._folder / DATABASE) != self._file:
            raise StoreError(
                f"cannot write to {self._folder}: the folder, or {DATABASE} in it, was moved or "
                "removed during the run; if it was moved, move it back, and run again to continue"
            )
        try:
            self._write_predictions(unit, result)
        except OSError as problem:
            raise StoreError.about(self._folder, problem) from None
        number = self._number_of(versions)
        kept = _kept(replace(keep, costs=True))  # counts by set are kept of every unit
        values = [_storable(getattr(result, name)) for name in RESULT]
        entry = [canonical(unit.what), kept, number, time(), *values]
        record = [*entry, checksum_of(UNITS, entry)]
        with self._transaction() as database:
            database.execute(insert("units", [*UNITS, "checksum"]), record)

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
            raise _write_error(self._folder, problem) from None


def _file_at(path: Path) -> tuple[int, int] | None:
    """Which file is at a path; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def insert(table: str, names: Sequence[str]) -> str:
    marks = ", ".join("?" * len(names))
    return f"INSERT OR REPLACE INTO {table} ({', '.join(names)}) VALUES ({marks})"


def _storable(value: Any) -> Any:
    """The value as it is read back: SQLite has no NaN and stores NULL instead."""
    return None if isinstance(value, float) and isnan(value) else value


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
        with sole_writer(folder), closing(new_database(folder / DATABASE, folder)) as connection:
            yield Writer(connection, folder)
    except sqlite3.Error as problem:
        raise _write_error(folder, problem) from None


def _write_error(folder: Path, problem: sqlite3.Error) -> StoreError:
    if _is_damage(problem):
        return StoreError(f"cannot write to {folder}: {_damage(folder, problem)}")
    return StoreError.about(folder, problem)


def _is_damage(problem: sqlite3.Error) -> bool:
    """Whether an error says that the file is damaged, rather than busy, full or read-only."""
    code = getattr(problem, "sqlite_errorcode", None)
    if code is None:  # raised by the module sqlite3, or here
        return not isinstance(problem, sqlite3.OperationalError) or "decode" in str(problem)
    return code & 0xFF not in OTHER_TROUBLE


def new_database(file: Path, folder: Path) -> sqlite3.Connection:
    """A connection to a file that has all tables and columns; what it has already is kept."""
    connection = sqlite3.connect(file, timeout=60)
    try:
        with _messages_are_text():
            _prepare(connection, folder)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _messages_are_text() -> Iterator[None]:
    """The first query reads the names of all tables; Python cannot show one that is not UTF-8."""
    try:
        yield
    except UnicodeDecodeError:
        raise sqlite3.DatabaseError("a name in its structure is not UTF-8") from None


def _prepare(connection: sqlite3.Connection, folder: Path) -> None:
    (format_found,) = connection.execute("PRAGMA user_version").fetchone()
    if format_found not in range(FORMAT + 1):
        raise StoreError(
            f"{folder} was written by another version of wager (format {format_found}, here "
            f"{FORMAT}): choose another folder"
        )
    (state,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if state != "ok":
        raise sqlite3.DatabaseError(_first_line(state))
    connection.execute("PRAGMA journal_mode = WAL")
    # transactions then survive if the process dies; if the machine fails, the last may be lost
    connection.execute("PRAGMA synchronous = NORMAL")
    with connection:
        connection.executescript(SCHEMA)
        for table, columns in ADDED.items():
            for name in columns.keys() - _columns(connection, table):
                connection.execute(f"ALTER TABLE {table} ADD COLUMN {name} {columns[name]}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")


_SOUND: dict[Path, tuple[Any, ...]] = {}  # files whose structure was checked, as they were then


@contextmanager
def open_to_read(folder: Path) -> Iterator[sqlite3.Connection]:
    """Read a store, even while another process writes to it; all queries see the same state.

    Errors of the database become a `ValueError` that says what to do.
    """
    file = folder / DATABASE
    if not file.is_file():
        raise ValueError(f"there are no results in {folder}: run a plan with this folder first")
    try:
        with closing(_connect(file)) as connection:
            _require_sound(connection, file)
            yield connection
    except sqlite3.Error as problem:
        if _is_damage(problem):
            raise DamagedStoreError(folder, problem) from None
        raise ValueError(f"cannot read the results in {folder}: {problem}") from None


def _connect(file: Path) -> sqlite3.Connection:
    """A connection that sees one state of a file."""
    place = file.resolve().as_uri()
    try:
        return _at_one_moment(f"{place}?mode=ro")
    except sqlite3.OperationalError as problem:
        if problem.sqlite_errorcode & 0xFF not in (
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_READONLY,
        ):
            raise
        # where the folder cannot be written to, the file can be read if its log is empty
        log = file.with_name(f"{file.name}-wal")
        if log.is_file() and log.stat().st_size:
            raise ValueError(
                f"cannot read the results in {file.parent}: the last of them are still in "
                f"{log.name}, and this folder is read-only; copy the folder to a place that can be "
                "written to and read it there"
            ) from None
        return _at_one_moment(f"{place}?mode=ro&immutable=1")


def _at_one_moment(place: str) -> sqlite3.Connection:
    connection = sqlite3.connect(place, uri=True, timeout=60)
    try:
        with _messages_are_text():
            connection.execute("BEGIN")  # later changes are not seen
            connection.execute("SELECT key FROM units LIMIT 1")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _require_sound(connection: sqlite3.Connection, file: Path) -> None:
    """Check the structure of the database, once for each state of the file."""
    state = tuple(_state_of(each) for each in (file, file.with_name(f"{file.name}-wal")))
    if _SOUND.get(file) == state:
        return
    (answer,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if answer != "ok":
        raise sqlite3.DatabaseError(_first_line(answer))
    _SOUND[file] = state


def _state_of(file: Path) -> tuple[int, ...]:
    """What changes with the content of a file; the same if there is none or it is empty.

    Every reader of a finished store makes an empty log, and the last one removes it again.
    """
    try:
        found = file.stat()
    except OSError:
        return ()
    if found.st_size == 0:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _first_line(text: str) -> str:
    return " ".join(text.split())[:200]


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    """The columns of a table; stores of earlier versions have fewer."""
    return {name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")}


def _kept(keep: Keep) -> str:
    """One letter for each thing that is kept."""
    return "p" * keep.probabilities + "r" * keep.predictions + "c" * keep.costs


@dataclass(frozen=True)
class KnownUnits:
    """The units that need not be run again, and why others must be although they are stored."""

    ok: dict[str, bool] = field(default_factory=dict)  # by key: whether the unit succeeded
    again: Counter[str] = field(default_factory=Counter)  # how many units for which reason


def known_units(
    connection: sqlite3.Connection,
    folder: Path,
    units: Iterable[Unit],
    keep: Keep,
    retry: bool,
    versions: str,
) -> KnownUnits:
    """The units that are stored, intact, with all that is to be kept, and by the same versions."""
    wanted, now = set(_kept(keep)), json.loads(versions)
    computed_by = versions_by_number(connection)
    planned = {unit.key: unit for unit in units}
    with_code = {canonical(unit.what): unit for unit in planned.values() if unit.code}
    found = KnownUnits()
    other_code: dict[str, Unit] = {}
    for record in unit_records(connection):
        unit = planned.get(record["key"])
        if unit is None:
            if record["what"] in with_code:
                other_code[record["what"]] = with_code[record["what"]]
            continue
        other_code.pop(record["what"], None)
        with_code.pop(record["what"], None)
        ok = record["error"] is None
        then = computed_by.get(record["versions"], {})
        changed = [name for name in unit.packages if then.get(name) != now.get(name)]
        if not is_intact(record):
            found.again["their records were damaged"] += 1
        elif changed:
            found.again[_other_versions(changed, then, now)] += 1
        elif not (wanted <= set(record["kept"]) if ok else not retry):
            continue
        elif ok and keep.predictions and not predictions_file(folder, unit.key, "sets").is_file():
            found.again["their files of predictions are missing"] += 1
        else:
            found.ok[unit.key] = ok
    for unit in other_code.values():
        found.again[f"the code of {' and '.join(unit.code)} is new or has changed"] += 1
    return found


def _other_versions(changed: Sequence[str], then: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Why units are not reused that other versions of these packages computed, or unknown ones."""
    if not then.keys() >= set(changed):  # a repair did not find them
        return "the versions that computed them are not known"
    return " and ".join(f"{name} is now {now.get(name)}" for name in changed)


def unit_records(connection: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    """All records of units by column; one that an earlier version did not store is None."""
    have, names = _columns(connection, "units"), [*UNITS, "checksum"]
    selected = ", ".join(name if name in have else "NULL" for name in names)
    for row in connection.execute(f"SELECT {selected} FROM units"):
        yield dict(zip(names, row, strict=True))


def is_intact(record: Mapping[str, Any]) -> bool:
    """Whether a record is as it was written; without a checksum, whether its values can be read."""
    if record["checksum"] is not None:
        return bool(record["checksum"] == checksum_of(UNITS, (record[name] for name in UNITS)))
    return _can_be_read(record)


def _can_be_read(record: Mapping[str, Any]) -> bool:
    try:
        for name in ("what", "tally", "true_tally", "chosen"):
            json.loads(record[name] or "{}")
        if record["tally"] is not None:
            Tally.from_json(record["tally"])
        for name in ("rows", "row_numbers"):
            inflate((record[name] or EMPTY)[1:])
        for name in ("probabilities", "cost_tally"):
            inflate(record[name] or EMPTY[1:])
        return key_of(json.loads(record["what"])) == record["key"]  # as earlier versions made keys
    except (ValueError, TypeError, KeyError):
        return False


def versions_by_number(connection: sqlite3.Connection) -> dict[int, dict[str, str]]:
    """The versions of packages that units were computed with."""
    found = connection.execute("SELECT id, what FROM versions").fetchall()
    try:
        return {number: json.loads(what) for number, what in found}
    except (ValueError, RecursionError):
        raise sqlite3.DatabaseError("the versions of packages cannot be read") from None


def predictions_file(folder: Path, key: str, kind: str) -> Path:
    """The file of a unit's predictions of one kind: ``sets`` or ``probabilities``."""
    return folder / "predictions" / f"{key}.{kind}.parquet"


def about(connection: sqlite3.Connection, name: str) -> Any:
    """A property of the store, such as the plan that was run last."""
    row = connection.execute("SELECT * FROM about WHERE name = ?", (name,)).fetchone()
    if row is None:
        return None
    if row[2:] not in ((), (None,), (checksum_of(ABOUT, row[:2]),)):
        raise sqlite3.DatabaseError(f"the {name} has another checksum than when it was written")
    try:
        return json.loads(row[1])
    except (ValueError, TypeError, RecursionError):
        raise sqlite3.DatabaseError(f"the {name} cannot be read") from None


def names_in_plan(database: sqlite3.Connection, column: str) -> tuple[str, ...]:
    """The data sets or the learners of the plan, in its order."""
    found = database.execute(f"SELECT {column} FROM planned GROUP BY 1 ORDER BY min(position)")
    return tuple(name for (name,) in found)


def read_results(
    database: sqlite3.Connection,
    columns: Sequence[str],
    condition: str = "TRUE",
    given: Sequence[Any] = (),
    *,
    failed: bool = False,
) -> list[tuple[Any, ...]]:
    """Columns of the units of the plan that are done, or failed, in its order.

    Parameters
    ----------
    columns : sequence of str
        Columns of the plan and of the results; one that an earlier version did not store is None.
    condition, given
        A condition on the columns of the plan in SQL, with its values.

    Raises
    ------
    sqlite3.DatabaseError
        If a record is not as it was written.
    """
    have = _columns(database, "units") | _columns(database, "planned")
    names = list(dict.fromkeys([*columns, *PLANNED, "plan_checksum", *UNITS, "checksum"]))
    selected = ", ".join(name if name in have else f"NULL AS {name}" for name in names)
    rows = database.execute(
        f"SELECT {selected} FROM planned LEFT JOIN units USING (key) WHERE {condition} "
        "ORDER BY position",
        given,
    )
    state = "error" if failed else "tally"
    found = []
    for row in rows:
        record = dict(zip(names, row, strict=True))
        is_stored = record["finished"] is not None
        if not _is_planned(record) or (is_stored and not is_intact(record)):
            raise sqlite3.DatabaseError(
                "the result of {learner} on {dataset}, repeat {repeat}, fold {fold} is not as it "
                "was written".format(**record)
            )
        if record[state] is not None:
            found.append(tuple(record[name] for name in columns))
    return found


def _is_planned(record: Mapping[str, Any]) -> bool:
    """Whether the names of a unit are as they were written."""
    expected = record["plan_checksum"]
    return expected is None or expected == checksum_of(PLANNED, (record[n] for n in PLANNED))


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
    found = _by_split(database, StoredRows._fields, dataset, learner, size)
    return {split: StoredRows(*values) for split, values in found.items()}


def values_by_split(
    database: sqlite3.Connection, column: str, dataset: str, learner: str, size: int | None
) -> dict[tuple[int, int], Any]:
    """A column of the finished splits of one learner on one data set, by repeat and fold."""
    found = _by_split(database, [column], dataset, learner, size)
    return {split: value for split, (value,) in found.items()}


def _by_split(
    database: sqlite3.Connection,
    columns: Sequence[str],
    dataset: str,
    learner: str,
    size: int | None,
) -> dict[tuple[int, int], tuple[Any, ...]]:
    found = read_results(
        database,
        ["repeat", "fold", *columns],
        "dataset = ? AND learner = ? AND size IS ?",
        (dataset, learner, size),
    )
    if not found:
        at = "" if size is None else f" with size {size}"
        learners, datasets = (names_in_plan(database, name) for name in ("learner", "dataset"))
        raise ValueError(
            f"there is no result of {brief(learner)} on {dataset!r}{at}: the plan has the learners "
            f"{', '.join(learners)} and {len(datasets)} data sets"
        )
    return {(repeat, fold): tuple(values) for repeat, fold, *values in found}
