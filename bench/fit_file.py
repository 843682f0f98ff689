"""Training on a Parquet file on disk: CPU time against DuckDB's bare counting, and peak memory.

The file has 20 attributes of 4 values and 4 classes.  Bare counting of single values is one query
that groups by class and value for each attribute (GROUPING SETS); DuckDB cannot count the 190 pairs
in one query of bounded memory, so their floor is 190 queries of one pair each.  Run by itself with
a number of rows, for instance ``python -m bench.fit_file 50000000``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.files import TIME, run
from bench.measure import Row

N_ROWS, SAMPLE = 5_000_000, 1_000_000
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


def rows(n_rows: int = N_ROWS) -> Iterator[Row]:
    with TemporaryDirectory(prefix="wager-bench-") as folder:
        path = str(Path(folder) / "train.parquet")
        fields = {"path": path, "columns": COLUMNS, "rows": n_rows, "sample": SAMPLE}
        run(MAKE, **fields)
        for learner, bare, most in (("NaiveCredal", BARE, 2.0), ("AODE", BARE_PAIRS, 1.0)):
            repeat = 3 if learner == "NaiveCredal" else 1
            run(CHECK, learner=learner, **fields)  # equal to the counts in memory
            ours, peak = run(OURS + TIME, learner=learner, repeat=repeat, **fields)
            floor, _ = run(bare + TIME, repeat=repeat, **fields)
            what = f"{learner}.fit_file, {n_rows / 1e6:g} million x 20"
            yield Row(what, ours, floor, "DuckDB's bare counting", at_most=most)
            yield Row(f"{what}: peak memory", peak, MEMORY_MB, "1 GB", at_most=1, unit="MB")


if __name__ == "__main__":
    for row in rows(int(sys.argv[1]) if len(sys.argv) > 1 else N_ROWS):
        print(f"{row.what}: {row.ours:.3g} {row.unit}, {row.ratio:.2f} of {row.other_name}")
