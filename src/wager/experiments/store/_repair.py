"""Write a damaged store anew, with every result that is intact.

The damaged files are copied first and are never changed.  The new database is written beside the
old one and takes its place when it is complete, so a repair can be stopped at any time.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wager._tables import View, Viewed
from wager.experiments.store._checksums import checksum_of
from wager.experiments.store._database import (
    ABOUT,
    DATABASE,
    PLANNED,
    UNITS,
    insert,
    is_intact,
    later_format,
    new_database,
)
from wager.experiments.store._lock import StoreError, sole_writer
from wager.experiments.store._pages import records_in

__all__ = ["Repair", "repair"]

# the columns of units in the order of the file: as a new store has them, and as one that version
# 0.1.0 created, to which later versions added columns
ORDERS = [
    "key what n_train n_test n_features tally rows row_numbers cost_tally probabilities "
    "kl_divergence true_tally prepare_seconds fit_seconds predict_seconds random_state chosen "
    "error trace kept versions finished checksum",
    "key what n_train n_test n_features tally rows probabilities kl_divergence true_tally "
    "prepare_seconds fit_seconds predict_seconds random_state chosen error trace kept versions "
    "finished row_numbers cost_tally checksum",
]


@dataclass(frozen=True, repr=False)
class Repair(Viewed):
    """What a repair kept.

    Attributes
    ----------
    kept : int
        The intact results, of all plans that were run with the store.
    missing : int or None
        The units of the plan whose results were not found: run the plan again to compute them.
        None if the plan itself could not be read.
    backup : Path
        The copy of the damaged database.
    unversioned : int
        The kept results of which the versions that computed them were lost: they can be read, and
        a run computes them again.
    """

    kept: int
    missing: int | None
    backup: Path
    unversioned: int = 0

    def _view(self) -> View:
        return View(verdict=[self.text()])

    def text(self) -> str:
        """The repair in one sentence."""
        kept = f"{self.kept} intact result{'' if self.kept == 1 else 's'} kept"
        if self.missing is None:
            rest = "the plan could not be read: run it again to show them"
        elif self.missing:
            rest = f"{self.missing} of the plan missing: run it again to compute them"
        else:
            rest = "none of the plan missing"
        if self.unversioned:
            kept += f" ({self.unversioned} without the versions that computed them: a run does "
            kept += "these again)"
        return f"{kept}, {rest}; the file as it was is {self.backup.name}"


def repair(folder: Path) -> Repair:
    """Write the database of a store anew, from every record that is intact.

    Raises
    ------
    ValueError
        If the folder has no database.
    OSError
        If the folder cannot be written to, or a run is writing to it.
    """
    file = folder / DATABASE
    if not file.is_file():
        raise ValueError(f"there are no results in {folder}: there is nothing to repair")
    with sole_writer(folder):
        try:
            units, versions = _records(file)
            if not units and (later := later_format(file)):
                raise ValueError(f"cannot repair {folder}: {later}: use that version")
            return _rewrite(folder, file, units, versions)
        except (OSError, sqlite3.Error) as problem:
            raise StoreError.about(folder, problem) from None


def _rewrite(
    folder: Path, file: Path, units: dict[str, dict[str, Any]], versions: dict[int, str]
) -> Repair:
    lost = [unit for unit in units.values() if unit["versions"] not in versions]
    for unit in lost:
        versions[unit["versions"]] = json.dumps({"lost": str(unit["versions"])})
    draft, backup = folder / f"{DATABASE}.repaired", _free_name(file)
    try:
        _copy(file, backup)
        names, texts = _plan(backup)
        _write(draft, folder, units, versions, names, texts)
        shutil.copymode(file, draft)
    except BaseException:  # the disk may be full: nothing has changed, so nothing stays behind
        _remove(draft)
        _remove(backup)
        raise
    for ending in ("-wal", "-shm"):  # the new file must not meet the log of the old one
        with suppress(FileNotFoundError):
            file.with_name(file.name + ending).unlink()
    draft.replace(file)
    found = {row[PLANNED.index("key")] for row in names}
    has_plan = any(name == "plan" for name, *_ in texts) and bool(names)
    missing = len(found - units.keys()) if has_plan else None
    return Repair(len(units), missing, backup, len(lost))


def _write(
    draft: Path,
    folder: Path,
    units: dict[str, dict[str, Any]],
    versions: dict[int, str],
    names: list[tuple[Any, ...]],
    texts: list[tuple[Any, ...]],
) -> None:
    """Write the new database."""
    _remove(draft)
    with closing(new_database(draft, folder)) as database:
        with database:
            for number, what in versions.items():
                database.execute(insert("versions", ["id", "what"]), (number, what))
            for unit in units.values():
                database.execute(insert("units", list(unit)), list(unit.values()))
            for row in names:
                database.execute(insert("planned", [*PLANNED, "plan_checksum"]), row)
            for row in texts:
                database.execute(insert("about", [*ABOUT, "checksum"]), row)
        database.execute("PRAGMA journal_mode = DELETE")  # all is in one file
    _synchronize(draft)


def _free_name(file: Path) -> Path:
    """A name for the copy of a damaged database that no earlier copy has."""
    number = 1
    while (backup := file.with_name(f"{file.name}.damaged-{number}")).exists():
        number += 1
    return backup


def _copy(file: Path, backup: Path) -> None:
    """Copy the database with its log."""
    for ending in ("", "-wal"):
        source = file.with_name(file.name + ending)
        if source.is_file():
            copy = backup.with_name(backup.name + ending)
            shutil.copy2(source, copy)
            _synchronize(copy)


def _records(file: Path) -> tuple[dict[str, dict[str, Any]], dict[int, str]]:
    """The intact records of units, the latest of each key, and the versions of packages."""
    units: dict[str, dict[str, Any]] = {}
    versions: dict[int, str] = {}
    for row, values in records_in(file):
        for record in _as_units(values):
            known = units.get(record["key"])
            if known is None or known["finished"] <= record["finished"]:
                units[record["key"]] = record
            break
        else:
            is_number = row < 2**63  # a damaged one may not be
            if len(values) == 2 and values[0] is None and is_number and _are_versions(values[1]):
                versions[row] = values[1]  # the number of the row is its id
    return units, versions


def _as_units(values: list[Any]) -> Iterator[dict[str, Any]]:
    """The values as an intact record of a unit, if they are one."""
    for order in ORDERS:
        names = order.split()
        record = dict.fromkeys(["checksum", *UNITS]) | dict(zip(names, values, strict=False))
        if len(names) - 3 <= len(values) <= len(names) and _is_unit(record):
            yield record


def _is_unit(record: dict[str, Any]) -> bool:
    whole = isinstance(record["key"], str) and isinstance(record["finished"], float)
    return whole and isinstance(record["versions"], int) and is_intact(record)


def _are_versions(text: Any) -> bool:
    try:
        return "wager" in dict(json.loads(text))
    except (ValueError, TypeError, RecursionError):
        return False


def _plan(file: Path) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """The intact records of the plan that was run last, and of its texts, if SQLite finds them."""
    names: list[tuple[Any, ...]] = []
    texts: list[tuple[Any, ...]] = []
    n_read = 0
    place = f"{file.resolve().as_uri()}?mode=ro"
    with suppress(sqlite3.Error), closing(sqlite3.connect(place, uri=True)) as database:
        database.execute("PRAGMA writable_schema = ON")  # read also a file that was cut off
        for found, table, covered in ((names, "planned", PLANNED), (texts, "about", ABOUT)):
            with suppress(sqlite3.Error):
                for row in database.execute(f"SELECT * FROM {table}"):
                    n_read += table == "planned"
                    values, expected = row[: len(covered)], (*row[len(covered) :], None)[0]
                    # a record without a checksum, as of earlier versions, must at least be whole
                    empty = [n for n, v in zip(covered, values, strict=False) if v is None]
                    if set(empty) <= {"size"} and expected in (None, checksum_of(covered, values)):
                        found.append((*values, expected))
    if len(names) < n_read:  # a part of the plan would hide how much is missing
        names = []
    with suppress(FileNotFoundError):
        file.with_name(f"{file.name}-shm").unlink()  # SQLite made it to read the log
    return names, texts


def _synchronize(file: Path) -> None:
    with file.open("rb") as opened:
        os.fsync(opened.fileno())


def _remove(file: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError):
            file.with_name(file.name + ending).unlink()
