"""What two stores must agree on."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

TIMED = {"prepare_seconds", "fit_seconds", "predict_seconds", "finished", "versions", "checksum"}


def contents(folder: Path) -> dict[str, Any]:
    """The plan of a store, the results of its units without times, and its prediction files."""
    with closing(sqlite3.connect(folder / "results.sqlite")) as database:
        named = [row[1] for row in database.execute("PRAGMA table_info(units)")]
        columns = ", ".join(name for name in named if name not in TIMED)
        planned = database.execute("SELECT * FROM planned ORDER BY position").fetchall()
        units = database.execute(
            f"SELECT {columns} FROM units WHERE key IN (SELECT key FROM planned) ORDER BY key"
        ).fetchall()
    keys = {unit[named.index("key")] for unit in units}
    files = sorted((folder / "predictions").glob("*.parquet"))
    return {
        "units": units,
        "planned": planned,
        "files": {f.name: f.read_bytes() for f in files if f.name.partition(".")[0] in keys},
    }
