"""A store filled in this process, without workers, and what all stores must agree on."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from wager.experiments import Plan, Store
from wager.experiments.plan._units import Keep, tasks_of
from wager.experiments.run._fit_unit import do_task
from wager.experiments.store._database import open_to_write

HERE = Path(__file__).parent  # where the faulty learners lie
TIMED = ("prepare_seconds", "fit_seconds", "predict_seconds", "finished", "versions", "trace")


def fill(plan: Plan, folder: Path, tasks: int | None = None) -> Store:
    """Do every unit of a plan, one after the other, or those of its first tasks."""
    units = plan.units()
    by_key = {unit.key: unit for unit in units}
    keep = Keep(plan.probabilities, plan.predictions)
    with open_to_write(folder) as writer, plan.modules():
        writer.begin(plan.model_dump_json(), units)
        for task in tasks_of(plan, units)[:tasks]:
            for outcome in do_task(task):
                writer.add(by_key[outcome.key], outcome, keep, '{"wager": "here"}')
    return Store(folder)


def tables(folder: Path) -> dict[str, list[tuple]]:
    """All that a store holds, but for times and tracebacks."""
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
