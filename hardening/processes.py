"""Runs in processes that can be killed.

They are copies of this process, so that a run does not spend its time on imports; so are most of
their workers.  Every fiftieth round starts its workers as usual, as new interpreters.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.experiments.filled import n_stored
from tests.experiments.forked import FORKING

from wager.experiments.run import _process

MOST_SECONDS = 300.0  # for what must happen by itself, on a busy machine


def start(work: Callable[..., Any], *given: Any, answer: Path | None = None) -> int:
    """Start a copy of this process that calls a function; its result or error goes to a file."""
    process = os.fork()
    if process:
        return process
    try:
        # opened first, since the work may give up rights
        with Path(answer or os.devnull).open("w", encoding="utf-8") as file:
            try:
                file.write(f"{work(*given)}")
            except BaseException as problem:
                file.write(f"{type(problem).__name__}: {problem}")
    finally:
        os._exit(0)


def finish(work: Callable[..., Any], *given: Any, answer: Path) -> str:
    """The result or the error of a function that is called in a copy of this process."""
    os.waitpid(start(work, *given, answer=answer), 0)
    return answer.read_text(encoding="utf-8")


def use_workers(number: int) -> None:
    """Choose how the workers of the next runs start."""
    _process.subprocess = subprocess if number % 50 == 0 else FORKING  # type: ignore[assignment]


def wait_for(out: Path, units: int, process: int) -> bool:
    """Wait until so many units are stored; returns False if the run ends before that."""
    while n_stored(out) < units:
        if has_ended(process):
            return False
        time.sleep(0.05)
    return not has_ended(process)


def has_ended(process: int) -> bool:
    """Whether a process that this one has started is over."""
    options = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, process, options) is not None


def kill(process: int) -> None:
    """Kill a process that this one has started, if it is still running."""
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


def children(process: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for tasks in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(FileNotFoundError):  # a thread that has ended in the meantime
            found += [int(child) for child in tasks.read_text().split()]
    return found


def require_end(processes: list[int]) -> None:
    """Wait until processes are gone; raises an error if they stay."""
    end = time.monotonic() + MOST_SECONDS
    while any(map(_is_running, processes)):
        if time.monotonic() > end:
            raise AssertionError(f"workers outlived their run: {processes}")
        time.sleep(0.02)


def _is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
