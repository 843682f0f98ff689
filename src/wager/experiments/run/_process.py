"""A process that does tasks, and the handle by which another process uses it.

Every unit runs in such a process, on one machine as under Dask: a learner that hangs in compiled
code or takes the whole process down costs nothing but its own unit, and a worker ends by itself
when whoever started it is gone.  All workers compute in the same way - one thread, Numba loaded,
hashes not randomised - so that it does not matter which one does a unit.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import IO

from wager.experiments.plan._units import Task
from wager.experiments.run._outcome import Outcome

__all__ = ["Worker"]

THREADS = ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB_MAXIMUM")
GRACE = 5.0  # seconds between the alarm inside a worker and its end from outside
SECOND_CHANCE = 1  # a worker may have died for reasons of its own: its unit is tried again so often


class Worker:
    """A process that does tasks one after the other; a new one takes the place of a dead one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection
        self._said: IO[bytes]
        self.stopped = False
        self.versions = ""

    def do(self, task: Task) -> Iterator[Outcome]:
        """Outcomes of the task's units, each as soon as it is there."""
        waiting = list(task.units)
        deaths = 0
        while waiting:
            try:
                self.start()
                self._pipe.send(task.only(waiting))
                for outcome in self._outcomes(task.limits.seconds):
                    waiting.pop(0)
                    deaths = 0
                    yield outcome
            except (EOFError, OSError) as problem:
                how, words = self.kill()
                if self.stopped:
                    return
                reason = f"its process died ({how})"
                overdue = isinstance(problem, TimeoutError)
                if overdue:
                    reason = f"took longer than the time limit of {task.limits.seconds:g} seconds"
                deaths += 1
                if overdue or deaths > SECOND_CHANCE:
                    yield Outcome(waiting.pop(0).key, error=reason, trace=words)
                    deaths = 0

    def _outcomes(self, seconds: float | None) -> Iterator[Outcome]:
        """What the process sends until the task is done; silence past the limit is an error."""
        while True:
            # preparation and learner may each take as long as the limit says
            if seconds is not None and not self._pipe.poll(2 * seconds + GRACE):
                raise TimeoutError
            outcome = self._pipe.recv()
            if outcome is None:
                return
            yield outcome

    def start(self) -> None:
        """Start the process, unless it runs already."""
        if self.stopped:
            raise EOFError
        if self._process is not None:
            return
        ours, theirs = Pipe()
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        settings = {f"{library}_NUM_THREADS": "1" for library in THREADS}
        path = os.pathsep.join(folder or str(Path.cwd()) for folder in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import main; main({theirs.fileno()})"],
            env={**os.environ, **settings, "PYTHONHASHSEED": "0", "PYTHONPATH": path},
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._said,
        )
        theirs.close()
        self._pipe = ours
        self.versions = ours.recv()

    def stop(self) -> None:
        """Give up, from another thread than the one that uses the worker."""
        self.stopped = True
        process = self._process
        if process is not None:
            process.kill()
            process.wait()

    def kill(self) -> tuple[str, str]:
        """End the process; how it ended, and the last it said."""
        if self._process is None:
            return "", ""
        self._process.kill()
        code = self._process.wait()
        self._process = None
        self._pipe.close()
        self._said.seek(0)
        words = self._said.read().decode(errors="replace")[-4000:]
        self._said.close()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return how, words


def main(handle: int) -> None:
    """Do the tasks that come through a pipe until it is closed."""
    import faulthandler

    faulthandler.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started us decides when to stop
    pipe = Connection(handle)
    tasks: SimpleQueue[Task] = SimpleQueue()
    from wager.experiments.run._fit_unit import do_task
    from wager.experiments.run._versions import versions

    pipe.send(versions())
    Thread(target=_listen, args=(pipe, tasks), daemon=True).start()
    while True:
        task = tasks.get()
        if task.folder not in sys.path:
            sys.path.insert(0, task.folder)
        for outcome in do_task(task):
            pipe.send(outcome)
        pipe.send(None)


def _listen(pipe: Connection, tasks: SimpleQueue[Task]) -> None:
    """Pass tasks on; end the process when the other side is gone, even in the midst of a task."""
    try:
        while True:
            tasks.put(pipe.recv())
    except (EOFError, OSError):
        os._exit(0)
