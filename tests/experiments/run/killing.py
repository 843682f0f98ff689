"""Start a run repeatedly and kill it, at some moments between its start and its end.

Each run is a copy of this process, so that the test does not spend its time on imports.
"""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

from tests.experiments.filled import n_stored
from wager.experiments import Plan, run


def kill_repeatedly(plan_file: Path, folder: Path, times: int) -> str:
    """Start a run so many times, and kill it each time; returns what was done."""
    plan = Plan.load(plan_file)
    total = len(plan.units())
    chance = random.Random(1)
    moments = sorted(chance.randrange(total - 20) for _ in range(times - 1))
    kill_after(plan, folder, 0, chance.random() / 20)  # before anything is done
    for moment in moments:
        kill_after(plan, folder, moment, chance.random() / 50)
    return f"killed {times} times"


def kill_after(plan: Plan, folder: Path, units: int, seconds: float) -> None:
    """Kill a run so many seconds after so many units were done."""
    process = os.fork()
    if process == 0:
        run(plan, folder, n_jobs=1)
        os._exit(0)
    while units and n_stored(folder) <= units:
        time.sleep(0.02)
    time.sleep(seconds)
    os.kill(process, signal.SIGKILL)
    assert os.waitpid(process, 0)[1] == signal.SIGKILL
