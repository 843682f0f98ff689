"""Kill runs at random moments: the main process, a worker, or everything at once.

After each kill the plan is run again; the last run is left alone.  The store must then equal that
of a run that nothing disturbed.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from hardening.compare import contents
from wager.experiments import Store, run

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
RUN = "import sys; from wager.experiments import run; run(sys.argv[1], sys.argv[2], n_jobs=2)"
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
            victim = chance.choice(VICTIMS)
            goal = min(_stored(out) + chance.randrange(1, 2 * UNITS_PER_KILL), 30 * repeats - 1)
            done[victim] += _kill(plan, out, victim, goal, chance)
        last = run(plan, out, n_jobs=2)
        run(plan, Path(folder, "undisturbed"), n_jobs=2)
        assert last.ok, last.text()
        assert contents(out) == contents(Path(folder, "undisturbed")), "the stores differ"
    return (
        f"{sum(done.values())} kills ({', '.join(f'{n} of {name}' for name, n in done.items())}), "
        f"{30 * repeats} units, the store equals that of an undisturbed run"
    )


def _kill(plan: Path, out: Path, victim: str, goal: int, chance: random.Random) -> int:
    """Start a run and kill something when so many units are stored; returns the number of kills."""
    process = subprocess.Popen([sys.executable, "-c", RUN, str(plan), str(out)])
    while _stored(out) < goal and process.poll() is None:
        time.sleep(0.05)
    time.sleep(chance.random() / 20)
    workers = [child for child in _children(process.pid) if process.poll() is None]
    if process.poll() is not None or (victim != "main" and not workers):
        process.wait()
        return 0
    if victim != "main":
        for worker in workers[: 1 if victim == "worker" else None]:
            os.kill(worker, signal.SIGKILL)
    if victim == "worker":  # the run goes on, with a new worker
        while _stored(out) < goal + 1 and process.poll() is None:
            time.sleep(0.05)
    process.kill()
    process.wait()
    while any(Path(f"/proc/{worker}").exists() for worker in workers):  # they end by themselves
        time.sleep(0.05)
    return 1


def _stored(out: Path) -> int:
    try:
        return len(Store(out).done())
    except ValueError:
        return 0


def _children(process: int) -> list[int]:
    found = []
    for tasks in Path(f"/proc/{process}/task").glob("*/children"):
        found += [int(child) for child in tasks.read_text().split()]
    return found
