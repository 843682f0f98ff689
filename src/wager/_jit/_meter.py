"""Counting the work of plain loops, so that one that turns out too long can be given up.

Work is counted in seconds that plain Python would take on an ordinary machine.  It is not measured
with a clock: the same job takes the same decisions on every machine and under every load.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from threading import local

from wager._jit._kernels import inlined_kernel


class TooMuchWork(Exception):  # noqa: N818 - not an error: the compiled form takes over
    """A plain loop has used up its budget; nothing that it computed may be used."""


class Used:
    """How much work a block of code has counted, and what happens when it is much."""

    def __init__(self, budget: float, much: float, tell: Callable[[], None] | None):
        self.work = 0.0
        self.budget = budget
        self.much = much
        self.tell = tell
        self.limit = min(budget, much)  # a single comparison for most calls

    def over(self) -> None:
        if self.work > self.budget:
            raise TooMuchWork
        if self.tell is not None:
            self.tell()
        self.limit = self.budget


class _Meter(local):
    """The plain loop that runs in this thread."""

    used: Used | None = None


_METER = _Meter()


def _spend(work: float) -> None:
    used = _METER.used
    if used is not None:
        used.work += work
        if used.work > used.limit:
            used.over()


@inlined_kernel(plain=_spend)
def spend(work):
    """Count work that a plain loop is about to do; compiled code does not count."""


@contextmanager
def metered(
    budget: float, much: float = inf, tell: Callable[[], None] | None = None
) -> Iterator[Used]:
    """Count the work of a block of code, and raise `TooMuchWork` beyond a budget.

    ``tell`` is called once when the work exceeds ``much``.

    Examples
    --------
    >>> with metered(1.0) as used:
    ...     spend(0.25)
    >>> used.work
    0.25
    """
    before = _METER.used
    _METER.used = used = Used(budget, much, tell)
    try:
        yield used
    finally:
        _METER.used = before
