"""Scoring and comparing long prediction files: CPU time against DuckDB's own bare passes, and
peak memory.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import Row

N_ROWS, N_CLASSES = 20_000_000, 10
MANY_ROWS = 100_000_000
MEMORY_MB, LARGE_MEMORY_MB = 500, 1000

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
COMPARE = """
from wager.compare import compare_files
job = lambda: compare_files([{path!r}, {other!r}], classes=range({classes}))
"""
BARE_JOIN = """
import duckdb
query = (
    "SELECT a.y_true, bit_count(a.mask), (a.mask >> a.y_true::UTINYINT) & 1, bit_count(b.mask), "
    "(b.mask >> b.y_true::UTINYINT) & 1, count(*) FROM '{path}' a POSITIONAL JOIN '{other}' b "
    "GROUP BY ALL"
)
con = duckdb.connect()
con.execute("SET enable_progress_bar = false")
job = lambda: con.execute(query).fetchall()
"""
MAKE_OTHER = """
import duckdb
con = duckdb.connect()
con.execute("SET enable_progress_bar = false")
con.execute(
    "COPY (SELECT y_true, CAST(floor(random() * {masks}) AS UBIGINT) AS mask FROM '{path}') "
    "TO '{other}'"
)
print([])
"""
MAKE_PROBA = """
import duckdb
con = duckdb.connect()
con.execute("SET enable_progress_bar = false")
drawn = ", ".join(f"-ln(random() + 1e-12) AS e{{i}}" for i in range(5))
shares = ", ".join(
    f'e{{i}} / (e0 + e1 + e2 + e3 + e4) AS "p:{{c}}"' for i, c in enumerate("abcde")
)
con.execute(
    "COPY (SELECT chr(97 + CAST(floor(random() * 5) AS INTEGER)) AS y_true, "
    f"{{shares}} FROM (SELECT {{drawn}} FROM range({rows}))) TO '{path}'"
)
print([])
"""
SCORE_PROBA = """
from wager import scan_predictions
from wager.report import score_file
from wager.rewards import get_utility
utilities = [get_utility("u65")]
job = lambda: score_file(scan_predictions({path!r}), "p", utilities)
"""
BARE_LOGS = """
import duckdb
logs = ", ".join(
    f'sum(ln(CASE WHEN y_true = \\'{{c}}\\' THEN "p:{{c}}" ELSE 1 - "p:{{c}}" END))'
    for c in "abcde"
)
con = duckdb.connect()
con.execute("SET enable_progress_bar = false")
job = lambda: con.execute(f"SELECT y_true, {{logs}} FROM '{path}' GROUP BY y_true").fetchall()
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
            yield from counting(path, f"count {N_ROWS // 10**6} million masks, {ending}", 2.0)
        yield from comparing(str(Path(folder) / "masks.parquet"), str(Path(folder) / "b.parquet"))
        yield from probabilities(str(Path(folder) / "proba.parquet"))
        path = str(Path(folder) / "many.parquet")
        run(MAKE, path=path, rows=MANY_ROWS)
        yield from counting(path, "count 100 million masks, parquet", 1.67, LARGE_MEMORY_MB)


def counting(path: str, what: str, at_most: float, limit: float = MEMORY_MB) -> Iterator[Row]:
    ours, peak = run(OURS + TIME, path=path)
    bare, bare_peak = run(BARE + TIME, path=path)
    yield Row(what, ours, bare, "DuckDB's bare group-by", at_most=at_most)
    yield memory(what, peak, limit)
    yield Row(f"{what}: peak memory", peak, bare_peak, "DuckDB's bare group-by", unit="MB")


def comparing(path: str, other: str) -> Iterator[Row]:
    run(MAKE_OTHER, path=path, other=other)
    ours, peak = run(COMPARE + TIME, path=path, other=other)
    bare, _ = run(BARE_JOIN + TIME, path=path, other=other)
    what = f"compare two files of {N_ROWS // 10**6} million masks"
    yield Row(what, ours, bare, "DuckDB's bare positional join and group-by", at_most=3)
    yield memory(what, peak, LARGE_MEMORY_MB)


def probabilities(path: str) -> Iterator[Row]:
    run(MAKE_PROBA, path=path, rows=5_000_000)
    # in turn and often, since a ratio of two short passes depends on what else the machine does
    runs = [(run(SCORE_PROBA + TIME, path=path), run(BARE_LOGS + TIME, path=path)) for _ in "abc"]
    ours, peak = min(mine[0] for mine, _ in runs), max(mine[1] for mine, _ in runs)
    bare = min(other[0] for _, other in runs)
    what = "score 5 million rows of 5 probabilities"
    note = (
        "a fifth of the time goes into reading the columns as arrays, a quarter into four "
        "logarithms per row, the rest into three moments of seven rewards and 90 calibration bins"
    )
    floor = "one DuckDB pass that sums the logarithms by class"
    yield Row(what, ours, bare, floor, at_most=2.5, note=note)
    yield memory(what, peak, LARGE_MEMORY_MB)


def memory(what: str, peak: float, limit: float) -> Row:
    return Row(f"{what}: peak memory", peak, limit, f"a limit of {limit:g} MB", 1.0, unit="MB")
