"""Disturb runs in other ways than by killing them; afterwards the plan is run again.

The disk is full, the folder is read-only, the clock jumps, a second run wants the same store, and
the plan, its data file or the version of the library changes.  The store must then equal that of a
run that nothing disturbed.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hardening.compare import contents
from hardening.processes import children, finish, kill, require_end, start, use_workers, wait_for
from wager.experiments import Plan, Store, run
from wager.experiments.store import _database
from wager.prepare import load_dataset

NOBODY = 65534
LEARNERS = {"nbc": "naive-bayes", "ncc": "naive-credal", "guess": "random-class"}
N_UNITS = 60
YEAR = 365 * 86_400


def campaign(number: int, end: float) -> str:
    """Disturb a run ``number`` times in each way, or until ``end``; returns what was done."""
    chance = random.Random(2)
    done: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        home = Path(folder)
        home.chmod(0o755)
        _write_data(home)
        use_workers(0)
        run(_plan(home), home / "undisturbed")
        expected = contents(home / "undisturbed")
        for turn in range(number):
            for name, disturb in FAULTS.items():
                if time.monotonic() > end:
                    break
                use_workers(1 + turn)
                out = home / f"{turn}-{disturb.__name__}"
                disturb(home, out, chance)
                said = finish(run_again, home, out, answer=home / "answer")
                assert said == "ok", (name, said)
                assert contents(out) == expected, f"the stores differ: {name}"
                done[name] += 1
                shutil.rmtree(out)
                print(f"faults: {name}", flush=True)
    return ", ".join(f"{n} times {name}" for name, n in done.items()) + (
        f"; after each, {N_UNITS} units as in an undisturbed run"
    )


def run_again(home: Path, out: Path) -> str:
    """Run the plan to its end."""
    summary = run(_plan(home), out, retry=True)
    return "ok" if summary.ok else summary.text()


def _plan(home: Path, **other: Any) -> Plan:
    given: dict[str, Any] = {
        "datasets": [{"source": "data.arff", "target": "species"}],
        "learners": LEARNERS,
        "scheme": {"repeats": 2},
        "prepare": {"discretize": "mdl"},
        "predictions": True,
    }
    return Plan(**given | other, folder=home)


def _write_data(home: Path, shift: int = 0) -> None:
    data = load_dataset("iris")
    rows = zip(*data.values, data.target_codes, strict=True)
    lines = [",".join(map(str, row)) for row in rows]
    columns = [f"@attribute x{j} numeric" for j in range(len(data.columns))]
    head = ["@relation iris", *columns, "@attribute species {0,1,2}", "@data"]
    text = "\n".join([*head, *lines[shift:], *lines[:shift]])
    # DuckDB, which reads CSV, cannot be used in copies of a process
    (home / "data.arff").write_text(text + "\n", encoding="utf-8")


def _start(home: Path, out: Path, chance: random.Random, **other: Any) -> int:
    """Start a run, and wait until some units are stored."""
    process = start(lambda: run(_plan(home, **other), out))
    wait_for(out, chance.randrange(1, 20), process)
    return process


def _stop(process: int) -> None:
    workers = children(process)
    kill(process)
    require_end(workers)


def disk_full(home: Path, out: Path, chance: random.Random) -> None:
    """No file can grow beyond a random size."""
    size = chance.randrange(20_000, 250_000)

    def limited() -> object:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return run(_plan(home), out).text()

    said = finish(limited, answer=home / "answer")
    assert said.startswith("StoreError: cannot write to"), said
    assert "results stored before are safe; run again to continue" in said, said


def read_only(home: Path, out: Path, chance: random.Random) -> None:
    """A run that was killed is continued by somebody who may only read."""
    _stop(_start(home, out, chance))
    files = [out, *out.rglob("*")]
    modes = {file: file.stat().st_mode for file in files}
    for file in files:
        file.chmod(0o555 if file.is_dir() else 0o444)

    def unable() -> object:
        if os.getuid() == 0:
            os.setuid(NOBODY)
        return run(_plan(home), out).text()

    said = finish(unable, answer=home / "answer")
    for file, mode in modes.items():
        file.chmod(mode)
    assert "cannot write to" in said, said


def clock_jumps(home: Path, out: Path, chance: random.Random) -> None:
    """The clock of the machine jumps by up to 50 years between any two results."""
    real = time.time

    def jumping() -> object:
        _database.time = time.time = lambda: real() + chance.uniform(-50, 50) * YEAR
        return run(_plan(home), out).text()

    process = start(jumping)
    wait_for(out, chance.randrange(1, 40), process)
    _stop(process)


def two_runs(home: Path, out: Path, chance: random.Random) -> None:
    """A second run on the same store is refused and harms nothing."""
    process = _start(home, out, chance)
    said = finish(lambda: run(_plan(home), out).text(), answer=home / "answer")
    ended = "0 done" in said  # if the first one was quick
    assert ended or said.startswith(f"StoreError: another run (process {process}) is"), said
    _stop(process)


def changed_plan(home: Path, out: Path, chance: random.Random) -> None:
    """The store has results of a plan with other learners, names, order and folds."""
    names = chance.sample(sorted(LEARNERS), 2)
    other = {
        "learners": {f"my-{name}": LEARNERS[name] for name in names},
        "scheme": {"repeats": chance.choice((1, 2, 3)), "n_folds": chance.choice((5, 10))},
    }
    _stop(_start(home, out, chance, **other))


def changed_data(home: Path, out: Path, chance: random.Random) -> None:
    """The data file is rewritten during the run, which goes on, and is put back afterwards."""
    process = _start(home, out, chance)
    _write_data(home, shift=chance.randrange(1, 150))
    os.waitpid(process, 0)
    _write_data(home)


def changed_version(home: Path, out: Path, chance: random.Random) -> None:
    """The results in the store are those of another version of wager, and different."""
    _stop(_start(home, out, chance))
    with closing(sqlite3.connect(out / "results.sqlite")) as database, database:
        ((number, what),) = database.execute("SELECT id, what FROM versions").fetchall()
        older = json.dumps(json.loads(what) | {"wager": "0.0.9"})
        database.execute("UPDATE versions SET what = ? WHERE id = ?", (older, number))
    plan = _plan(home)
    assert not Store(out).known(plan, plan.units()).ok


FAULTS: dict[str, Callable[[Path, Path, random.Random], None]] = {
    "disk full": disk_full,
    "read-only": read_only,
    "clock jumps": clock_jumps,
    "two runs": two_runs,
    "changed plan": changed_plan,
    "changed data": changed_data,
    "changed version": changed_version,
}
