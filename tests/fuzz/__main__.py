"""Fuzz all readers and all public functions for some minutes: ``make fuzz MINUTES=10``.

Every fault is printed with what repeats it, and the exit status is 1 if there was one.  Half of the
time goes to damaged files, in child processes, and half to hostile calls.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from typing import Any

BATCH = 400  # cases of a child process


def fuzz_readers(until: float) -> tuple[int, list[str]]:
    """The number of damaged files that were tried, and the faults."""
    number = first = random.randrange(10**6, 10**9)
    faults: dict[str, str] = {}
    while time.monotonic() < until:
        stop = number + BATCH
        with tempfile.TemporaryDirectory() as folder:
            words = [sys.executable, "-m", "tests.fuzz.readers", str(number), str(stop), folder]
            child = subprocess.run(words, capture_output=True, text=True)
        for line in child.stdout.splitlines():
            found = json.loads(line)
            text = f"case {found['case']}, {found['reader']}: {found['fault']}"
            faults.setdefault(f"{found['reader']} {found['fault'][:40]}", text)
        begun = [int(line) for line in child.stderr.splitlines() if line.isdigit()]
        if child.returncode:
            at = begun[-1] if begun else number
            faults[f"crash {at}"] = f"case {at} ended its process with {child.returncode}"
            stop = at + 1
        number = stop
    return number - first, list(faults.values())


def fuzz_functions(until: float) -> tuple[int, list[str]]:
    """The number of hostile calls, and the faults."""
    from hypothesis import HealthCheck, Phase, given, seed, settings

    from tests.fuzz.functions import calls, public_functions, try_call

    functions = public_functions()
    n_calls = 0
    faults: dict[str, str] = {}
    options = settings(
        max_examples=12,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )

    def attack(name: str, function: Any) -> None:
        @seed(random.randrange(2**32))
        @options
        @given(calls(function))
        def call(said: dict[str, Any]) -> None:
            nonlocal n_calls
            n_calls += 1
            try:
                try_call(function, said)
            except Exception as problem:
                kind = f"{type(problem).__name__}: {problem}"[:300]
                faults.setdefault(f"{name} {kind[:40]}", f"{name}(**{said!r}): {kind}")

        call()

    while time.monotonic() < until:
        for name, function in functions.items():
            if time.monotonic() < until:
                attack(name, function)
    return n_calls, list(faults.values())


def main(minutes: float) -> int:
    """Fuzz, print what was found, and return the exit status."""
    start = time.monotonic()
    n_files, of_files = fuzz_readers(start + 30 * minutes)
    n_calls, of_calls = fuzz_functions(start + 60 * minutes)
    for fault in (*of_files, *of_calls):
        print(fault)
    print(
        f"{n_files} damaged files, {n_calls} hostile calls, {len(of_files) + len(of_calls)} faults"
    )
    return int(bool(of_files or of_calls))


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 1))
