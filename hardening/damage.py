"""Damage stores: flip bits, overwrite parts, cut them off.  Nothing may be silently different.

Every damaged store must be refused in a sentence or give the same answers, a repair must keep every
result that is intact, and after a run the repaired store must equal the one before the damage.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from hardening.compare import contents
from wager.experiments import Plan, Store, run
from wager.experiments.plan import versions
from wager.experiments.run._fit_unit import do_task
from wager.experiments.store import open_to_write

PLAN: dict[str, Any] = {
    "datasets": ["iris", "wine"],
    "learners": {"nbc": "naive-bayes", "all": "vacuous"},
    "scheme": {"n_folds": 5, "repeats": 3},
    "prepare": {"discretize": "mdl"},
}


def campaign(number: int, end: float) -> str:
    """Damage ``number`` copies of a store, or until ``end``; returns what was found."""
    chance = random.Random(1)
    found: Counter[str] = Counter()
    kept = planned = 0
    with TemporaryDirectory() as folder:
        whole, copy = Path(folder, "whole"), Path(folder, "copy")
        run(Plan(**PLAN), whole)
        expected, undisturbed = answers(whole), contents(whole)
        content = (whole / "results.sqlite").read_bytes()
        while sum(found.values()) < number and monotonic() < end:
            shutil.rmtree(copy, ignore_errors=True)
            copy.mkdir()
            (copy / "results.sqlite").write_bytes(_damaged(content, chance))
            try:
                same = answers(copy) == expected
                found["unchanged" if same else "SILENTLY DIFFERENT"] += 1
            except ValueError as problem:
                named = "--repair" in str(problem)
                found["refused, naming --repair" if named else f"UNCLEAR: {problem}"] += 1
            done = Store(copy).repair()
            assert done.missing is None or done.kept + done.missing >= 60, done
            kept, planned = kept + done.kept, planned + 60
            if sum(found.values()) % 50 == 0:
                print(f"damage: {dict(found)}", flush=True)
            _complete(copy)
            assert contents(copy) == undisturbed, "the stores differ"
    assert not any(name.isupper() or name.startswith("UNCLEAR") for name in found), found
    parts = ", ".join(f"{n} {name}" for name, n in sorted(found.items()))
    return (
        f"{sum(found.values())} damaged stores: {parts}; repairs kept {kept} of {planned} results, "
        "and after a run every store was as before"
    )


def _complete(folder: Path) -> None:
    """Do what is missing, as a run does, but in this process."""
    plan = Plan(**PLAN)
    units = plan.units()
    with open_to_write(folder) as writer:
        writer.begin(plan.model_dump_json(), units)
        known = writer.known(units, plan.keep, True, versions()).ok
        todo = {unit.key: unit for unit in units if unit.key not in known}
        for task in plan.tasks(todo.values()):
            for result in do_task(task):
                writer.add(todo[result.key], result, plan.keep, versions())


def answers(folder: Path) -> list[str]:
    """What a user reads from a store."""
    store = Store(folder)
    numbers = [repr(store.scores(name).values.tolist()) for name in ("u65", "log_loss")]
    pair = repr(store.paired("wine", "nbc", "all").difference("u80").mean)
    return [*numbers, pair, repr((store.counts(), store.plan, store.learners, store.failures()))]


def _damaged(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    kind = chance.choice(("bit", "bit", "bytes", "page", "cut"))
    place = chance.randrange(len(changed))
    if kind == "bit":
        changed[place] ^= 1 << chance.randrange(8)
    elif kind == "bytes":
        changed[place : place + 16] = chance.randbytes(len(changed[place : place + 16]))
    elif kind == "page":
        start = place // 4096 * 4096
        changed[start : start + 4096] = bytes(4096)
    else:
        del changed[place:]
    return bytes(changed)
