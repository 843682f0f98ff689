"""Fuzz all readers and all public functions for some minutes: ``make fuzz MINUTES=10``.

Half of the time goes to damaged files and half to hostile calls.  Every fault is printed with the
number of its case, which repeats it, and the exit status is 1 if there was one.
"""

from __future__ import annotations

import random
import re
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

ENOUGH = 10**12  # more cases than any time allows


def fuzz(module: Any, name_of: Callable[[int], str], first: int, until: float) -> tuple[Any, Any]:
    """How often each reader or function was tried, and the faults, one of each kind."""
    from tests.fuzz.children import try_cases

    stop, found = try_cases(module.attempt, first, first + ENOUGH, until)
    again = f"python -m {module.__name__}"
    return Counter(map(name_of, range(first, stop))), one_of_each(
        found, lambda case: f"{again} {case}"
    )


def kind_of(text: str) -> str:
    """What faults of one kind have in common: the line of wager, or else the words."""
    place = re.search(r"\[wager\S*:\d+\]", text)
    return place[0] if place else re.sub(r"\d+", "", text)[:60]


def one_of_each(found: list[Any], again: Callable[[int], str]) -> list[str]:
    """The first fault of each kind, with the command that repeats it."""
    faults: dict[str, str] = {}
    for case, text in found:
        faults.setdefault(kind_of(text), f"{text}\n    {again(case)}\n")
    return list(faults.values())


def main(minutes: float, first: int | None = None) -> int:
    """Fuzz, print what was found, and return the exit status."""
    from tests.fuzz import functions, readers

    first = random.randrange(10**6, 10**9) if first is None else first
    readers.readers()
    functions.targets()
    start = time.monotonic()
    files, of_files = fuzz(readers, readers.reader_of, first, start + 30 * minutes)
    calls, of_calls = fuzz(functions, functions.target_of, first, start + 60 * minutes)
    for fault in (*of_files, *of_calls):
        print(fault)
    for name, number in sorted(files.items()):
        print(f"{number:8} {name}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{files.total()} damaged files for {len(files)} readers, {calls.total()} hostile calls of "
        f"{len(calls)} functions and estimators, {len(of_files) + len(of_calls)} kinds of faults, "
        f"{(used.ru_utime + used.ru_stime) / 60:.1f} minutes of CPU time, from case {first}"
    )
    return int(bool(of_files or of_calls))


if __name__ == "__main__":
    numbers = sys.argv[1:]
    sys.exit(main(float(numbers[0]) if numbers else 1, int(numbers[1]) if numbers[1:] else None))
