"""How a ratio is measured: the best CPU time of a few runs, ours and the other's in turn."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import NamedTuple


@dataclass(frozen=True)
class Row:
    """One line of the bench: ours, the other's, and the largest ratio that meets the target.

    The other is a peer or a floor that was measured in the same run; where the target is a limit by
    itself (memory, the seconds of a first call), the other is that limit and its name says so.
    """

    what: str
    ours: float
    other: float
    other_name: str
    at_most: float | None = None  # None: for information
    unit: str = "s"  # of ours and other: "s" or "MB"
    note: str = ""  # what limits a row that misses its target: shown beside it

    @property
    def ratio(self) -> float:
        return self.ours / self.other

    @property
    def met(self) -> bool | None:
        return None if self.at_most is None else self.ratio <= self.at_most


@dataclass(frozen=True)
class Curve:
    """How the time of a job grows: seconds by size, and the largest exponent that is accepted."""

    what: str
    axis: str  # what the sizes count: rows, classes, attributes, groups, units ...
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    at_most: float
    note: str = ""

    @property
    def exponent(self) -> float:
        """The slope of the least-squares line through log(seconds) over log(size)."""
        x, y = [log(size) for size in self.sizes], [log(s) for s in self.seconds]
        mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
        products = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
        return products / sum((a - mean_x) ** 2 for a in x)

    @property
    def met(self) -> bool:
        # one decimal is what a few times on a shared machine support
        return round(self.exponent, 1) <= self.at_most

    def at(self, size: float) -> float:
        """The fitted line's seconds at a size."""
        centre = sum(log(s) for s in self.sizes) / len(self.sizes)
        level = sum(log(s) for s in self.seconds) / len(self.seconds)
        return exp(level + self.exponent * (log(size) - centre))


def as_result(record: dict) -> Row | Curve:
    """A stored record as the value it was."""
    fields = {key: value for key, value in record.items() if key not in ("kind", "module")}
    if record["kind"] == "rows":
        return Row(**fields)
    return Curve(**fields | {key: tuple(fields[key]) for key in ("sizes", "seconds")})


def cpu_seconds(function: Callable[[], object], repeat: int = 5, warm: bool = True) -> float:
    """The least CPU time of ``repeat`` calls, after one that warms caches and compilers.

    The time of child processes counts once they have ended.
    """
    if warm:
        function()
    best = float("inf")
    for _ in range(repeat):
        start = _cpu_clock()
        function()
        best = min(best, _cpu_clock() - start)
    return best


def _cpu_clock() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def race(
    what: str,
    ours: Callable[[], object],
    other: Callable[[], object],
    other_name: str,
    at_most: float | None = None,
    repeat: int = 5,
) -> Row:
    """Time two functions in the same process and put them in one row."""
    return Row(what, cpu_seconds(ours, repeat), cpu_seconds(other, repeat), other_name, at_most)


def growth(
    what: str,
    axis: str,
    job: Callable[[int], Callable[[], object]],
    sizes: Sequence[int],
    at_most: float,
    repeat: int = 3,
) -> Curve:
    """Time ``job(size)()`` for every size; making the job's data is not timed."""
    job(sizes[0])()  # compile what must be
    seconds = tuple(cpu_seconds(job(size), repeat, warm=repeat > 1) for size in sizes)
    return Curve(what, axis, tuple(sizes), seconds, at_most)


class Spent(NamedTuple):
    """What a process took: CPU seconds of all its threads and children, and its peak memory."""

    seconds: float
    megabytes: float
    printed: str


# the largest process below this one, which alone knows the peak of what it started
_WATCH = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"\\n{use.ru_utime + use.ru_stime} {use.ru_maxrss / 1024}")
sys.exit(status)
"""


def process(*command: str, environment: dict[str, str] | None = None) -> Spent:
    """Run a program and measure it from outside, from its start to its end."""
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", _WATCH, *command],
        check=True,
        capture_output=True,
        text=True,
        env=inherited | (environment or {}),
    )
    printed, _, measured = done.stdout.rstrip("\n").rpartition("\n")
    seconds, megabytes = map(float, measured.split())
    return Spent(seconds, megabytes, printed)


def python(code: str, environment: dict[str, str] | None = None, repeat: int = 1) -> Spent:
    """Run code in fresh interpreters; the one that took the least CPU time."""
    runs = (process(sys.executable, "-c", code, environment=environment) for _ in range(repeat))
    return min(runs, key=lambda spent: spent.seconds)
