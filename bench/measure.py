"""How a ratio is measured: the best CPU time of a few runs, ours and the other's in turn."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the bench: ours, the other's, and the ratio that was asked for."""

    what: str
    ours: float
    other: float
    other_name: str
    at_most: float | None = None  # the largest ratio that meets the aim; None: for information

    @property
    def ratio(self) -> float:
        return self.ours / self.other

    @property
    def met(self) -> bool | None:
        return None if self.at_most is None else self.ratio <= self.at_most


def cpu_seconds(function: Callable[[], object], repeat: int = 5) -> float:
    """The least CPU time of ``repeat`` calls, after one that warms caches and compilers."""
    function()
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        function()
        best = min(best, time.process_time() - start)
    return best


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
