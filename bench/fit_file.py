"""Training on a Parquet file on disk: CPU time against DuckDB's bare counting, and peak memory.

The file has 20 attributes of 4 values and 4 classes.  Bare counting of single values is one query
that groups by class and value for each attribute (GROUPING SETS); DuckDB cannot count the 190 pairs
in one query of bounded memory, so their floor is 190 queries of one pair each.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.files import TIME, run
from bench.measure import Row

SAMPLE = 1_000_000  # rows whose counts are compared with those in memory
MEMORY_MB = 1000
COLUMNS = [f"x{i}" for i in range(20)]

MAKE = """
import duckdb
con = duckdb.connect()
con.execute("SET enable_progress_bar = false")
columns = ", ".join(
    f"CAST((c + floor(random() * {{3 + j % 3}})) % 4 AS TINYINT) AS x{{j}}" if j % 2
    else f"CAST(floor(random() * 4) AS TINYINT) AS x{{j}}" for j in range(20)
)
con.execute(
    f"COPY (SELECT {{columns}}, c AS y FROM (SELECT CAST(floor(random() * 4) AS TINYINT) AS c "
    "FROM range({rows}))) TO '{path}' (FORMAT parquet)"
)
con.execute("COPY (FROM '{path}' LIMIT {sample}) TO '{path}.sample.parquet' (FORMAT parquet)")
print([])
"""
OURS = """
from wager.learners import {learner}
job = lambda: {learner}().fit_file({path!r})
"""
BARE = """
import duckdb
con = duckdb.connect()
con.execute("SET enable_progress_bar = false")
columns = {columns}
sets = ", ".join(f"(y, {{x}})" for x in columns)
groups = f"y, {{', '.join(columns)}}"
query = f"SELECT {{groups}}, count(*) FROM '{path}' GROUP BY GROUPING SETS ({{sets}})"
job = lambda: con.execute(query).fetchall()
"""
BARE_PAIRS = """
import duckdb
from itertools import combinations
con = duckdb.connect()
con.execute("SET enable_progress_bar = false")
def job():
    for a, b in combinations({columns}, 2):
        con.execute(f"SELECT y, {{a}}, {{b}}, count(*) FROM '{path}' GROUP BY ALL").fetchall()
"""
CHECK = """
from wager.learners import {learner}
from wager.prepare import load_dataset
path = "{path}.sample.parquet"
data = load_dataset(path, target="y")
in_memory = {learner}().fit(data.frame, data.target)
assert {learner}().fit_file(path).counts_ == in_memory.counts_
print([])
"""


def rows() -> Iterator[Row]:
    with TemporaryDirectory(prefix="wager-bench-") as folder:
        path = str(Path(folder) / "train.parquet")
        yield from training("NaiveCredal", 50_000_000, BARE, 2.0, path)
        yield from training("AODE", 5_000_000, BARE_PAIRS, 1.0, path)


def training(learner: str, n_rows: int, bare: str, at_most: float, path: str) -> Iterator[Row]:
    fields = {"path": path, "columns": COLUMNS, "rows": n_rows, "sample": SAMPLE}
    run(MAKE, **fields)
    run(CHECK, learner=learner, **fields)  # equal to the counts in memory
    ours, peak = run(OURS + TIME, learner=learner, repeat=1, **fields)
    floor, _ = run(bare + TIME, repeat=1, **fields)
    what = f"{learner}.fit_file, {n_rows // 10**6} million x 20"
    yield Row(what, ours, floor, "DuckDB's bare counting", at_most=at_most)
    yield Row(f"{what}: peak memory", peak, MEMORY_MB, "1 GB", at_most=1, unit="MB")
