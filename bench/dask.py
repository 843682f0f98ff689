"""Counting a file on a Dask cluster: two workers of one thread against one, and what merging costs.

Workers run at the same time, so these are wall times, the best of several runs in turn; the CPU
time of the workers is beside them, because it does not depend on what else the machine does.  The
last rows are what docs/performance.md extrapolates from.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import reduce
from operator import add
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from bench.files import BARE, MAKE, N_CLASSES, TIME, run
from bench.measure import Row, cpu_seconds
from bench.page import COUNT_ROW, MERGE, PART_ROWS, SCHEDULE

N_ROWS, N_PARTS = 100_000_000, 256
RUNS = 5


class Spent(NamedTuple):
    """The wall time of a job, the CPU time of its workers, and its scores."""

    wall: float
    cpu: float
    scores: list[tuple[str, str]]


def rows() -> Iterator[Row]:
    from wager._dask import dask_engine

    with TemporaryDirectory(prefix="wager-bench-") as folder, ExitStack() as stack:
        path = str(Path(folder) / "masks.parquet")
        run(MAKE, path=path, rows=N_ROWS)
        engines = {n: stack.enter_context(dask_engine(n)) for n in (1, 2)}
        for engine in engines.values():
            warm(engine)
        runs = {n: [score(engines[n], path) for _ in range(1)] for n in engines}
        for _ in range(RUNS - 1):
            for n, engine in engines.items():
                runs[n].append(score(engine, path))
        wall = {n: min(one.wall for one in found) for n, found in runs.items()}
        cpu = {n: min(one.cpu for one in found) for n, found in runs.items()}
        what = f"count {N_ROWS // 10**6} million masks on two workers of one thread"
        note = "wall time: other programs use the two cores of the machine as well"
        yield Row(f"{what}: wall time", wall[2], wall[1], "one such worker", 1 / 1.6, note=note)
        yield Row(f"{what}: CPU time", cpu[2], cpu[1], "one such worker", at_most=1.15)
        killed = score(engines[2], path, kill=True)
        for one in (killed, *runs[1], *runs[2]):
            assert one.scores == runs[1][0].scores  # to the last bit
        yield Row(f"{what}, one killed halfway: wall time", killed.wall, wall[2], "none killed")
        yield from costs(path, cpu[1] / N_ROWS, engines[2])


def warm(engine: Any) -> None:
    """Let the workers import what they need."""
    engine.total(import_all, list(range(8)))


def import_all(number: int) -> int:
    import duckdb

    import wager.report

    return number * bool(duckdb and wager.report)


def score(engine: Any, path: str, *, kill: bool = False) -> Spent:
    """Count a file; if wanted, one worker is killed when half of the parts are counted."""
    from wager import scan_predictions
    from wager.report import score_file
    from wager.rewards import get_utility

    def halfway(share: float) -> None:
        if share >= 0.5 and victims:
            os.kill(victims.pop(), signal.SIGKILL)

    victims = [next(iter(_processes(engine)))] if kill else []
    before, start = _cpu(engine), time.perf_counter()
    file = scan_predictions(path, range(N_CLASSES))
    found = score_file(file, "f", [get_utility("u65")], engine=engine, progress=halfway)
    wall = time.perf_counter() - start
    cpu = 0.0 if kill else _cpu(engine) - before
    bits = [(s.measure, float(s.value).hex() + float(s.standard_error).hex()) for s in found.scores]
    return Spent(wall, cpu, bits)


def _processes(engine: Any) -> list[int]:
    return list(engine.client.run(os.getpid).values())


def _cpu(engine: Any) -> float:
    """The CPU time of all workers so far."""
    return sum(engine.client.run(time.process_time).values())


def costs(path: str, per_row: float, engine: Any) -> Iterator[Row]:
    """What a row, a merge and a part cost."""
    bare, _ = run("import os\n" + BARE + "con.execute('SET threads = 1')\n" + TIME, path=path)
    yield Row(
        COUNT_ROW,
        per_row,
        bare / N_ROWS,
        "DuckDB's bare group-by with one thread",
        at_most=2,
    )
    tallies = [part_tally(i) for i in range(8)]
    merge = cpu_seconds(lambda: reduce(add, tallies)) / (len(tallies) - 1)
    part = per_row * PART_ROWS
    yield Row(MERGE, merge, part, "counting a part", at_most=0.01)
    start = time.perf_counter()
    engine.total(part_tally, list(range(N_PARTS)))
    each = (time.perf_counter() - start) / N_PARTS
    yield Row(SCHEDULE, each, part, "counting a part", at_most=0.1)


def part_tally(seed: int) -> Any:
    """Counts of a part of a file of masks."""
    import numpy as np

    from wager.predictions import FileCounts, PartCounts

    rng = np.random.default_rng(seed)
    size, hit = np.divmod(np.arange(2 * (N_CLASSES + 1)), 2)
    cells = len(size)
    truth = np.repeat(np.arange(N_CLASSES), cells)
    size, hit = np.tile(size, N_CLASSES), np.tile(hit, N_CLASSES)
    n = rng.integers(1, 10**5, len(truth))
    weights = n.astype(np.float64)
    group = np.full(len(truth), None)
    counts = FileCounts(
        np.arange(N_CLASSES), group, truth, size, hit, n, weights, weights, weighted=False
    )
    return PartCounts(counts)
