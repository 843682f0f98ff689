"""What two stores must agree on."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

TIMED = {"prepare_seconds", "fit_seconds", "predict_seconds", "finished", "versions", "checksum"}


def contents(folder: Path) -> dict[str, Any]:
    """The units and the plan of a store without times, and the files of predictions."""
    with closing(sqlite3.connect(folder / "results.sqlite")) as database:
        named = [row[1] for row in database.execute("PRAGMA table_info(units)")]
        columns = ", ".join(name for name in named if name not in TIMED)
        return {
            "units": database.execute(f"SELECT {columns} FROM units ORDER BY key").fetchall(),
            "planned": database.execute("SELECT * FROM planned ORDER BY position").fetchall(),
            "files": {
                file.name: file.read_bytes()
                for file in sorted((folder / "predictions").glob("*.parquet"))
            },
        }
