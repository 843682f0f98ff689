"""Kill the scheduler or a worker of a Dask cluster during runs; loopback only.

When a worker is lost, the run goes on with the other one.  When the scheduler is lost, the run must
end with a sentence; it is continued with another cluster.  The store must then equal that of a run
that nothing disturbed.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.experiments.filled import n_stored

from hardening.compare import contents
from hardening.kills import PLAN
from hardening.processes import MOST_SECONDS, has_ended, kill, start, use_workers, wait_for
from wager.experiments import run

HERE = "127.0.0.1"
N_WORKERS = 2


def campaign(number: int, end: float) -> str:
    """Kill ``number`` times, or until ``end``; returns what was done."""
    chance = random.Random(3)
    done: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        plan, out = Path(folder, "plan.toml"), Path(folder, "out")
        repeats = max(number // 2, 2)
        plan.write_text(PLAN.format(repeats=repeats), encoding="utf-8")
        use_workers(1)
        while sum(done.values()) < number and time.monotonic() < end:
            victim = chance.choice(("scheduler", "worker"))
            done[victim] += _lose(victim, plan, out, chance)
            print(f"cluster: {victim} lost", flush=True)
        last = run(plan, out)
        run(plan, Path(folder, "undisturbed"))
        assert last.ok, last.text()
        assert contents(out) == contents(Path(folder, "undisturbed")), "the stores differ"
    kinds = ", ".join(f"{n} of a {name}" for name, n in sorted(done.items()))
    return f"{kinds}; {30 * repeats} units, the store equals that of an undisturbed run"


def _lose(victim: str, plan: Path, out: Path, chance: random.Random) -> int:
    """Run on a new cluster and kill a part of it; returns 1 if that was during the run."""
    place, answer = out.with_name("address"), out.with_name("answer")
    place.unlink(missing_ok=True)
    address, scheduler, workers = start_cluster(place)
    process = start(_run, plan, out, address, answer=answer)
    running = wait_for(out, n_stored(out) + chance.randrange(1, 12), process)
    if victim == "scheduler":
        kill(scheduler)
        _require_end(process)
        said = answer.read_text(encoding="utf-8")
        assert not running or "the connection to the Dask scheduler was lost" in said, said
    else:
        kill(workers.pop())
        wait_for(out, n_stored(out) + 4, process)
        kill(process)
        kill(scheduler)
    for worker in workers:
        kill(worker)
    return int(running)


def _require_end(process: int) -> None:
    end = time.monotonic() + MOST_SECONDS
    while not has_ended(process):
        if time.monotonic() > end:
            kill(process)
            raise AssertionError("a run does not end although its scheduler is gone")
        time.sleep(0.05)


def _run(plan: Path, out: Path, address: str) -> Any:
    end = time.monotonic() + MOST_SECONDS
    while time.monotonic() < end:  # until the workers have started
        try:
            return run(plan, out, engine="dask", address=address).text()
        except ValueError as problem:
            if "has no workers" not in str(problem):
                raise
            time.sleep(0.2)
    return "no workers"


def start_cluster(place: Path) -> tuple[str, int, list[int]]:
    """Start a scheduler and workers; returns its address and their processes."""
    import distributed  # noqa: F401 - it sets the level of its logs when it is imported

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    scheduler = start(serve, place)
    while not place.exists():
        time.sleep(0.02)
    address = place.read_text(encoding="ascii")
    return address, scheduler, [start(work, address) for _ in range(N_WORKERS)]


def serve(place: Path) -> None:
    """Be a scheduler until the process is killed; a file gets its address."""
    from distributed import Scheduler

    async def until_lost() -> None:
        async with Scheduler(
            host=HERE, port=0, dashboard=False, dashboard_address=f"{HERE}:0"
        ) as scheduler:
            draft = place.with_suffix(".draft")
            draft.write_text(scheduler.address, encoding="ascii")
            draft.rename(place)
            await scheduler.finished()

    asyncio.run(until_lost())


def work(address: str) -> None:
    """Be a worker of the scheduler at an address until the process is killed."""
    from distributed import Worker

    async def until_lost() -> None:
        async with Worker(address, nthreads=1, host=HERE, dashboard=False) as worker:
            await worker.finished()

    asyncio.run(until_lost())
