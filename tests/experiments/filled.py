"""Fill a store in this process, without workers, and read all that stores must agree on."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from wager.experiments import Plan, Store
from wager.experiments.plan import versions
from wager.experiments.run._fit_unit import do_task
from wager.experiments.store._database import open_to_write

HERE = Path(__file__).parent  # the folder of the faulty learners
TIMED = (
    *("prepare_seconds", "fit_seconds", "predict_seconds", "finished"),
    *("versions", "trace", "checksum"),
)


def n_stored(folder: Path) -> int:
    """The number of stored units; cheap enough to ask again and again while a run writes."""
    file = folder / "results.sqlite"
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as database,
    ):
        return int(database.execute("SELECT count(*) FROM units").fetchone()[0])
    return 0


def fill(plan: Plan, folder: Path, tasks: int | None = None) -> Store:
    """Do all units of a plan one after the other, or only its first tasks."""
    units = plan.units()
    by_key = {unit.key: unit for unit in units}
    with open_to_write(folder) as writer, plan.modules():
        writer.begin(plan.model_dump_json(), units)
        for task in plan.tasks(units)[:tasks]:
            for result in do_task(task):
                writer.add(by_key[result.key], result, plan.keep, versions())
    return Store(folder)


def tables(folder: Path) -> dict[str, list[tuple]]:
    """The content of a store, without times and tracebacks."""
    with sqlite3.connect(folder / "results.sqlite") as database:
        named = [row[1] for row in database.execute("PRAGMA table_info(units)")]
        columns = ", ".join(name for name in named if name not in TIMED)
        found = {
            "units": database.execute(f"SELECT {columns} FROM units ORDER BY key").fetchall(),
            "planned": database.execute("SELECT * FROM planned ORDER BY position").fetchall(),
        }
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
    return found
