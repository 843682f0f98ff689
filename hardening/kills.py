"""Kill runs at random moments: the main process, a worker, or everything at once.

After each kill the plan is run again; the last run of each store is left alone.  The store must
then equal that of a run that nothing disturbed.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from hardening.compare import contents
from hardening.processes import (
    children,
    finish,
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
N_UNITS, REPEATS = 60, 2
KILLS_PER_STORE = 10
VICTIMS = ("main", "worker", "all")


def campaign(number: int, end: float) -> str:
    """Kill ``number`` times, ten times per store, or until ``end``; returns what was done."""
    chance = random.Random(1)
    done: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        home = Path(folder)
        plan, out = home / "plan.toml", home / "out"
        plan.write_text(PLAN.format(repeats=REPEATS), encoding="utf-8")
        use_workers(0)
        run(plan, home / "undisturbed")
        expected = contents(home / "undisturbed")
        while sum(done.values()) < number and time.monotonic() < end:
            shutil.rmtree(out, ignore_errors=True)
            for place in range(KILLS_PER_STORE):
                use_workers(sum(done.values()))
                victim = chance.choice(VICTIMS)
                goal = place * N_UNITS // KILLS_PER_STORE + chance.randrange(6)
                done[victim] += _kill(plan, out, victim, goal, chance)
            said = finish(_run, plan, out, 1, answer=home / "answer")
            assert ", 0 failed" in said, said
            assert contents(out) == expected, "the stores differ"
            print(f"kills: {_said(done)}", flush=True)
    return _said(done)


def _said(done: Counter[str]) -> str:
    kinds = ", ".join(f"{n} of {name}" for name, n in sorted(done.items()))
    return (
        f"{sum(done.values())} kills ({kinds}), about {KILLS_PER_STORE} for each store of "
        f"{N_UNITS} units; all stores equal that of an undisturbed run"
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
