"""Kill runs at random moments: the main process, a worker, or everything at once.

After each kill the plan is run again; the last run is left alone.  The store must then equal that
of a run that nothing disturbed.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.experiments.filled import n_stored

from hardening.compare import contents
from hardening.processes import (
    children,
    has_ended,
    kill,
    require_end,
    start,
    use_workers,
    wait_for,
)
from wager.experiments import run

PLAN = """
datasets = ["iris"]
predictions = true
[scheme]
repeats = {repeats}
[prepare]
discretize = "mdl"
[learners]
nbc = "naive-bayes"
ncc = "naive-credal"
guess = "random-class"
"""
UNITS_PER_KILL = 4
VICTIMS = ("main", "worker", "all")


def campaign(number: int, end: float) -> str:
    """Kill ``number`` times, or until ``end``; returns what was done."""
    chance = random.Random(1)
    done: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        plan = Path(folder, "plan.toml")
        repeats = max(number * UNITS_PER_KILL // 30, 4)
        plan.write_text(PLAN.format(repeats=repeats), encoding="utf-8")
        out = Path(folder, "out")
        while sum(done.values()) < number and time.monotonic() < end:
            use_workers(sum(done.values()))
            victim = chance.choice(VICTIMS)
            goal = min(n_stored(out) + chance.randrange(2 * UNITS_PER_KILL), 30 * repeats - 2)
            done[victim] += _kill(plan, out, victim, goal, chance)
        use_workers(0)
        last = run(plan, out, n_jobs=2)
        run(plan, Path(folder, "undisturbed"), n_jobs=2)
        assert last.ok, last.text()
        assert contents(out) == contents(Path(folder, "undisturbed")), "the stores differ"
    kinds = ", ".join(f"{n} of {name}" for name, n in sorted(done.items()))
    return (
        f"{sum(done.values())} kills ({kinds}), {30 * repeats} units, {last.done} of them left for "
        "the last run; the store equals that of an undisturbed run"
    )


def _kill(plan: Path, out: Path, victim: str, goal: int, chance: random.Random) -> int:
    """Start a run and kill something when so many units are stored; returns the number of kills."""
    process = start(_run, plan, out, chance.choice((1, 2)))
    wait_for(out, goal, process)
    time.sleep(chance.random() / 20)
    workers = [] if has_ended(process) else children(process)
    if not has_ended(process) and victim != "main" and workers:
        for worker in workers[: 1 if victim == "worker" else None]:
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
        if victim == "worker":  # the run goes on, with a new worker
            wait_for(out, goal + 1, process)
    was_running = not has_ended(process)
    kill(process)
    require_end(workers)
    return int(was_running and (victim == "main" or bool(workers)))


def _run(plan: Path, out: Path, n_jobs: int) -> str:
    return run(plan, out, n_jobs=n_jobs).text()
