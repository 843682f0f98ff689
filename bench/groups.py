"""Scores of a million groups of a file: CPU time against DuckDB's bare group-by, peak memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import Row, process, python

N_ROWS, N_GROUPS, N_CLASSES = 20_000_000, 1_000_000, 10
MEMORY_MB = 2000
SHARE = 10  # intervals are measured for one of so many groups

MAKE = """
import duckdb
con = duckdb.connect()
con.execute("SET enable_progress_bar = false")
con.execute(
    "COPY (SELECT CAST(floor(random() * {classes}) AS TINYINT) AS y_true, "
    "CAST(floor(random() * {masks}) AS UBIGINT) AS mask, "
    "CAST(floor(random() * {groups}) AS INTEGER) AS user FROM range({rows})) TO '{path}'"
)
"""
BARE = """
import duckdb
con = duckdb.connect()
con.execute("SET enable_progress_bar = false")
con.execute(
    "SELECT user, bit_count(mask), (mask >> y_true::UTINYINT) & 1, count(*) "
    "FROM '{path}' GROUP BY ALL"
).fetchnumpy()
"""


def make(path: str, n_rows: int, n_groups: int) -> None:
    """Write a file of masks of random classes and groups."""
    python(
        MAKE.format(path=path, rows=n_rows, groups=n_groups, classes=N_CLASSES, masks=2**N_CLASSES)
    )


def score(path: str, *options: str) -> tuple[str, ...]:
    """The command that scores each group of a file."""
    main = "import sys; from wager.cli import main; sys.argv[0] = 'wager'; main()"
    classes = ",".join(map(str, range(N_CLASSES)))
    command = ("score", path, "--by", "user", "--classes", classes, *options)
    return sys.executable, "-c", main, *command


def rows() -> Iterator[Row]:
    with TemporaryDirectory(prefix="wager-bench-") as folder:
        path, out = (str(Path(folder) / name) for name in ("groups.parquet", "scores.csv"))
        make(path, N_ROWS, N_GROUPS)
        what = f"score {N_GROUPS // 10**6} million groups of {N_ROWS // 10**6} million rows"
        bare = python(BARE.format(path=path), repeat=2)
        floor = "DuckDB's bare group-by"
        ours = process(*score(path, "-f", "csv", "-o", out))
        # the group-by takes 4 to 6 s of CPU, so 10 times that is less than a minute
        yield Row(f"{what} to CSV", ours.seconds, bare.seconds, floor, at_most=10)
        memory = f"{MEMORY_MB / 1000:g} GB"
        peak = ours.megabytes
        yield Row(f"{what} to CSV: peak memory", peak, MEMORY_MB, memory, 1, unit="MB")
        top = process(*score(path, "--sort", "u65", "--top", "10"))
        yield Row(f"{what}, print the worst 10", top.seconds, bare.seconds, floor, at_most=6)
        make(path, N_ROWS // SHARE, N_GROUPS // SHARE)
        bare = python(BARE.format(path=path), repeat=2)
        ours = process(*score(path, "-f", "csv", "-o", out, "--level", "0.95"))
        what = f"the same with intervals, {N_GROUPS // SHARE:,} groups"
        yield Row(what, ours.seconds, bare.seconds, floor)
