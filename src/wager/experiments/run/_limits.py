"""Limits on the time and memory of one unit, where the operating system supports them.

Time: a signal raises an exception inside the learner, so that the traceback shows where it was.
Systems without such a signal, as Windows, and compiled code that does not return to Python need
the process that started the worker: it ends a worker that is silent for too long.

Memory: the limit is what the process may map in addition to what it maps already; an allocation
beyond it raises ``MemoryError`` in the learner.  It needs ``resource`` and ``/proc``, as on Linux.
Elsewhere there is no limit on memory, and `run` warns about it.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["TimeUp", "can_limit_memory", "limited"]


class TimeUp(BaseException):  # not an Exception, so that learners do not catch it by accident
    """A unit has used up its time."""


@contextmanager
def limited(seconds: float | None, memory: int | None) -> Iterator[None]:
    """Run a block with at most this much time and this many additional bytes."""
    with _time(seconds), _memory(memory):
        yield


def can_limit_memory() -> bool:
    """Whether this system can limit the memory of a unit."""
    return _mapped_bytes() is not None


@contextmanager
def _time(seconds: float | None) -> Iterator[None]:
    if seconds is None or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(*_: Any) -> None:
        raise TimeUp

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _memory(memory: int | None) -> Iterator[None]:
    mapped = None if memory is None else _mapped_bytes()
    if memory is None or mapped is None:
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = mapped + memory
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _mapped_bytes() -> int | None:
    """The number of bytes that this process maps now; None where that is unknown."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (OSError, ImportError):
        return None
    return pages * resource.getpagesize()
