"""Limits on one unit's time and memory, where the operating system can set them.

Time: an alarm raises inside the learner, so that its traceback shows where it was.  Code that
never returns to Python does not hear the alarm; whoever started the process ends it then.
Memory: what the process may map beyond what it has now; an allocation that goes further raises
``MemoryError`` in the learner.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["TimeUp", "limited"]


class TimeUp(BaseException):  # not an Exception: learners that catch those must not catch this
    """A unit has used up its time."""


@contextmanager
def limited(seconds: float | None, memory: int | None) -> Iterator[None]:
    """Run a block with at most so much time and so many more bytes."""
    with _time(seconds), _memory(memory):
        yield


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
    mapped = None if memory is None else _mapped()
    if memory is None or mapped is None:
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    room = mapped + memory
    if hard != resource.RLIM_INFINITY:
        room = min(room, hard)
    resource.setrlimit(resource.RLIMIT_AS, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _mapped() -> int | None:
    """How many bytes this process maps now; None where that cannot be told."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        import resource
    except (OSError, ImportError):
        return None
    return pages * resource.getpagesize()
