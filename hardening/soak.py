"""Do many units in one run: the memory and the open files of the processes must stay flat."""

from __future__ import annotations

import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from wager.experiments import Plan, Progress, run

MOST_GROWTH = 1.05  # of memory between the first tenth of the run and its end


def campaign(number: int, end: float) -> str:
    """Do ``number`` units, or until ``end``; returns what the processes used."""
    plan = Plan(
        datasets=["iris"],
        learners={"all": "vacuous", "one": "random-class"},
        scheme={"n_folds": 10, "repeats": max(number // 20, 1)},
    )
    seen: dict[int, dict[str, tuple[int, int]]] = {}

    def look(progress: Progress) -> None:
        # after the last unit, another thread reads files of the system while it ends the worker
        if progress.tried % max(progress.total // 20, 1) == 0 and progress.tried and progress.left:
            seen[progress.tried] = {"main": _used("self"), "worker": _used(_worker())}
            print(f"soak: {_said(progress.tried, seen[progress.tried])}", flush=True)
        if time.monotonic() > end:
            raise KeyboardInterrupt

    _, files_before = _used("self")
    with TemporaryDirectory() as folder:
        try:
            run(plan, folder, progress=look)
        except KeyboardInterrupt:
            print(f"soak: stopped after {max(seen, default=0)} units", flush=True)
    files_after = _files_left(files_before)
    assert files_after <= files_before, (files_before, files_after)
    marks = sorted(seen)
    first, last = marks[len(marks) // 10], marks[-1]
    for name in ("main", "worker"):
        (memory, files), (memory_then, files_then) = seen[first][name], seen[last][name]
        assert memory_then <= MOST_GROWTH * memory, (name, seen)
        assert files_then <= files, (name, seen)
    open_files = f"{files_before} files before the run, {files_after} after it"
    return f"{_said(first, seen[first])}; {_said(last, seen[last])}; {open_files}"


def _files_left(before: int) -> int:
    """The number of open files once the threads of the run have closed theirs."""
    end = time.monotonic() + 5
    while (left := _used("self")[1]) > before and time.monotonic() < end:
        time.sleep(0.01)
    return left


def _said(units: int, used: dict[str, tuple[int, int]]) -> str:
    parts = [f"{name} {size / 1e6:.0f} MB, {files} files" for name, (size, files) in used.items()]
    return f"after {units} units {', '.join(parts)}"


def _worker() -> str:
    for tasks in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        for child in tasks.read_text().split():
            return child
    return "self"


def _used(process: str) -> tuple[int, int]:
    """The bytes in memory and the number of open files of a process."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), len(list(Path(f"/proc/{process}/fd").iterdir()))
