"""Start a run repeatedly and kill it, at ten moments between its start and its end.

Called with the file of the plan and the folder for results.  Each run is a separate process, forked
after everything is imported, so that the test does not spend its time on imports.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from tests.experiments.filled import n_stored
from tests.experiments.forked import FORKING
from wager.experiments import Plan, run
from wager.experiments.run import _process

TIMES = 10


def main(plan_file: str, folder: str) -> None:
    _process.subprocess = FORKING
    plan = Plan.load(plan_file)
    total = len(plan.units())
    chance = random.Random(1)
    moments = sorted(chance.randrange(total - 20) for _ in range(TIMES - 1))
    kill_after(plan, folder, 0, chance.random())  # before anything is done
    for moment in moments:
        kill_after(plan, folder, moment, chance.random() / 50)
    print("killed", TIMES, "times")


def kill_after(plan: Plan, folder: str, units: int, seconds: float) -> None:
    """Kill a run so many seconds after so many units were done."""
    process = os.fork()
    if process == 0:
        run(plan, folder, n_jobs=1)
        os._exit(0)
    while units and n_stored(Path(folder)) <= units:
        time.sleep(0.02)
    time.sleep(seconds)
    os.kill(process, signal.SIGKILL)
    assert os.waitpid(process, 0)[1] == signal.SIGKILL


if __name__ == "__main__":
    main(*sys.argv[1:])
