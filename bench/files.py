"""Scoring a long prediction file: CPU time against DuckDB's own bare group-by, and peak memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import Row

N_ROWS, N_CLASSES = 20_000_000, 10
MEMORY_MB = 500

MAKE = """
import duckdb
con = duckdb.connect()
con.execute("SET enable_progress_bar = false")
con.execute(
    "COPY (SELECT CAST(floor(random() * {classes}) AS TINYINT) AS y_true, "
    "CAST(floor(random() * {masks}) AS UBIGINT) AS mask FROM range({rows})) TO '{path}'"
)
print([])
"""
OURS = """
from wager import scan_predictions
from wager.rewards import SetEvaluation  # what `wager score` imports, too
job = lambda: scan_predictions({path!r}, range({classes})).count()
"""
BARE = """
import duckdb
query = (
    "SELECT y_true, bit_count(mask), (mask >> y_true::UTINYINT) & 1, count(*) "
    "FROM '{path}' GROUP BY ALL"
)
con = duckdb.connect()
con.execute("SET enable_progress_bar = false")
job = lambda: con.execute(query).fetchall()
"""
TIME = """
import json, resource, time
best = float("inf")
for _ in range({repeat}):
    start = time.process_time()
    job()
    best = min(best, time.process_time() - start)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([best, peak]))
"""


def run(code: str, **values: object) -> list[float]:
    """Run code in a separate process; gives the least CPU seconds and the peak memory in MB."""
    fields = {"classes": N_CLASSES, "masks": 2**N_CLASSES, "rows": N_ROWS, "repeat": 3} | values
    done = subprocess.run(
        [sys.executable, "-c", code.format(**fields)], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def rows() -> Iterator[Row]:
    with TemporaryDirectory(prefix="wager-bench-") as folder:
        for ending in ("parquet", "csv"):
            path = str(Path(folder) / f"masks.{ending}")
            run(MAKE, path=path)
            ours, peak = run(OURS + TIME, path=path)
            bare, bare_peak = run(BARE + TIME, path=path)
            what = f"count {N_ROWS // 10**6} million masks, {ending}"
            yield Row(what, ours, bare, "DuckDB's bare group-by", at_most=2)
            yield Row(
                f"{what}: peak memory (read ms as MB)",
                peak / 1e3,
                MEMORY_MB / 1e3,
                "0.5 GB",
                at_most=1,
            )
            yield Row(
                f"{what}: peak memory (read ms as MB)",
                peak / 1e3,
                bare_peak / 1e3,
                "DuckDB's bare group-by",
            )
