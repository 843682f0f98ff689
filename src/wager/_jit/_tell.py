"""One line on standard error where something takes longer than a user would expect."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Timer

PAUSE = 1.0  # seconds
_TOLD: set[str] = set()


def tell_once(topic: str, text: str) -> None:
    """Print a line, unless this process has printed one on this topic already."""
    if topic not in _TOLD:
        _TOLD.add(topic)
        with suppress(Exception):  # there may be no standard error
            print(f"wager: {text}", file=sys.stderr, flush=True)


@contextmanager
def told_if_long(topic: str, text: Callable[[], str]) -> Iterator[None]:
    """Print a line if the block takes longer than a second."""
    timer = Timer(PAUSE, lambda: tell_once(topic, text()))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
