"""Run the bench: ``python -m bench [NAME ...]``, or ``make bench`` for all of it.

Every ``bench/<name>.py`` has a function ``rows``, or ``curves`` for growth with size, and runs in a
separate process.  The results are printed as one table and kept in
``docs/results/performance/bench.json`` with the facts of the machine; ``docs/performance.md`` shows
them.  The exit status is 1 if a module fails, or a row misses its target without a note that
explains it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from time import perf_counter

from bench.machine import facts
from bench.measure import Curve, as_result
from bench.page import curve_line, fill, row_line

HERE = Path(__file__).parent
SHARED = {"__init__", "__main__", "measure", "machine", "page", "weka"}
NAMES = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in SHARED)
OUT = HERE.parent / "docs" / "results" / "performance" / "bench.json"
PAGE = HERE.parent / "docs" / "performance.md"


def measure(name: str) -> None:
    """Run one module in this process and print each result as a line of JSON."""
    os.environ["WAGER_COMPILE"] = "always"  # but for first calls, which say so
    module = import_module(f"bench.{name}")
    for kind in ("rows", "curves"):
        for result in getattr(module, kind, list)():
            print(json.dumps({"kind": kind, "module": name} | asdict(result)), flush=True)


def collect(name: str) -> tuple[list[dict], bool]:
    """The results of a module from a separate process, printed as they come."""
    print(f"-- {name}", flush=True)
    start, found = perf_counter(), []
    command = [sys.executable, "-m", "bench", "--here", name]
    with subprocess.Popen(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True) as job:
        for line in job.stdout or ():
            if not line.startswith('{"kind"'):
                continue
            found.append(json.loads(line))
            print(_shown(found[-1]), flush=True)
    failed = job.returncode != 0
    print(f"   {'FAILED' if failed else 'done'} after {perf_counter() - start:.0f} s", flush=True)
    return found, failed


def _shown(record: dict) -> str:
    result = as_result(record)
    return curve_line(result) if isinstance(result, Curve) else row_line(result)


def unexplained(record: dict) -> bool:
    """Whether a result misses its target and says nothing about it."""
    result = as_result(record)
    return result.met is False and not result.note


def main() -> int:
    """Run the chosen modules, and store and show what they gave."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--store", action="store_true", help="keep results of chosen modules, too")
    given = parser.parse_args()
    unknown = set(given.names) - set(NAMES)
    if unknown:
        parser.error(f"unknown name {sorted(unknown)[0]!r}: choose from {', '.join(NAMES)}")
    if given.here:
        for name in given.names:
            measure(name)
        return 0
    machine, records, failures = facts(), [], 0
    for name in given.names or NAMES:
        found, failed = collect(name)
        records += found
        failures += failed
    misses = [record for record in records if unexplained(record)]
    print(f"{len(records)} results; {len(misses)} miss their target without an explanation")
    for record in misses:
        print("  " + _shown(record))
    if not given.names or given.store:
        store(machine, records, OUT)
        fill(PAGE, OUT)
    return 1 if failures or misses else 0


def store(machine: dict, records: list[dict], path: Path) -> None:
    """Write the results atomically; those of modules that did not run now are kept."""
    path.parent.mkdir(parents=True, exist_ok=True)
    ran = {record["module"] for record in records}
    before = json.loads(path.read_text(encoding="utf-8"))["results"] if path.exists() else []
    kept = [record for record in before if record["module"] not in ran]
    results = sorted(kept + records, key=lambda record: record["module"])
    part = path.with_suffix(".part")
    text = json.dumps({"machine": machine, "results": results}, indent=1)
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(path)


if __name__ == "__main__":
    sys.exit(main())
