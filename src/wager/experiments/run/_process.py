"""Worker processes: each does one task after another for the process that started it.

Every unit runs in a worker, on one machine as well as under Dask.  A learner that hangs in compiled
code or crashes its process costs only its own unit, and a worker ends by itself when the process
that started it is gone.  All workers compute in the same way (one thread, hashes not randomised),
so that results do not depend on which worker does a unit; whether a worker has compiled a loop or
runs it in plain Python changes no result.

The two processes exchange pickled messages through the worker's standard input and output, which
every operating system has and no other process can reach.  The worker takes these pipes over before
any learner runs, so that learners that print or read do not disturb the exchange.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import platform
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

from wager.experiments.plan import Task, canonical
from wager.experiments.run._fit_unit import do_task
from wager.experiments.store import UnitResult

__all__ = ["Worker"]

PACKAGES = ("wager", "numpy", "scipy", "scikit-learn", "numba", "llvmlite", "duckdb", "mapie")
THREADS = ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB_MAXIMUM")
GRACE = 5.0  # seconds that a worker gets, after its limits, to report that its time is up
RETRIES = 1  # a worker may have died for another reason than its unit: the unit is tried again
STDERR_KEPT = 4000  # characters of a dead worker's error output
READY = b"wager worker is ready\n"
CLOSED = object()  # in place of a message: there will be no more


class Worker:
    """The handle of a worker process; a process that has died is replaced by a new one.

    ``environment`` has environment variables for the process, besides those of this one.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = environment or {}
        self._process: subprocess.Popen[bytes] | None = None
        self._messages: SimpleQueue[Any] = SimpleQueue()
        self._stderr: IO[bytes]
        self.stopped = False
        self.versions = ""

    def do(self, task: Task) -> Iterator[UnitResult]:
        """The results of the task's units, each as soon as it is available."""
        waiting = list(task.units)
        deaths = 0
        while waiting:
            try:
                self.start()
                self._send(task.only(waiting))
                for result in self._results(task.limits.seconds):
                    waiting.pop(0)
                    deaths = 0
                    yield result
            except (EOFError, OSError) as problem:
                how, stderr = self.kill()
                if self.stopped:
                    return
                reason = f"its process died ({how})"
                overdue = isinstance(problem, TimeoutError)
                if overdue:
                    reason = f"took longer than the time limit of {task.limits.seconds:g} seconds"
                deaths += 1
                if overdue or deaths > RETRIES:
                    yield UnitResult(waiting.pop(0).key, error=reason, trace=stderr)
                    deaths = 0

    def start(self) -> None:
        """Start the process, unless it is running already."""
        if self.stopped:
            raise EOFError
        if self._process is not None:
            return
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        settings = {f"{library}_NUM_THREADS": "1" for library in THREADS}
        path = os.pathsep.join(folder or str(Path.cwd()) for folder in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import main; main()"],
            env={
                **os.environ,
                **settings,
                "PYTHONHASHSEED": "0",
                "PYTHONPATH": path,
                **self._environment,
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
        )
        self._messages = SimpleQueue()
        received = (self._process.stdout, self._messages)
        Thread(target=_receive_results, args=received, daemon=True).start()
        self.versions = self._next_message()

    def stop(self) -> None:
        """End the process permanently; called from another thread than `do`."""
        self.stopped = True
        process = self._process
        if process is not None:
            process.kill()
            process.wait()
            self._messages.put(CLOSED)

    def kill(self) -> tuple[str, str]:
        """End the process; returns how it ended, and the end of its error output."""
        process = self._process
        if process is None:
            return "", ""
        self._process = None
        process.kill()
        code = process.wait()
        with suppress(OSError):  # what was not sent to a dead process is lost
            _pipe(process.stdin).close()
        self._stderr.seek(0)
        stderr = self._stderr.read().decode(errors="replace")[-STDERR_KEPT:]
        self._stderr.close()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return how, stderr

    def _results(self, seconds: float | None) -> Iterator[UnitResult]:
        """The results that the process sends until the task is done."""
        # preparation and learner may each take the time limit
        limit = None if seconds is None else 2 * seconds + GRACE
        while (result := self._next_message(limit)) is not None:
            yield result

    def _send(self, task: Task) -> None:
        assert self._process is not None
        _send(_pipe(self._process.stdin), task)

    def _next_message(self, seconds: float | None = None) -> Any:
        try:
            message = self._messages.get(timeout=seconds)
        except Empty:
            raise TimeoutError from None
        if message is CLOSED:
            raise EOFError
        return message


def _receive_results(stream: IO[bytes], messages: SimpleQueue[Any]) -> None:
    """Put the worker's messages into a queue, since a queue can be waited on with a time limit."""
    with suppress(Exception), stream:  # a message that is cut off can raise almost anything
        while (line := stream.readline()) and line != READY:
            pass  # whatever was printed while Python started
        while True:
            messages.put(pickle.load(stream))
    messages.put(CLOSED)


def _send(stream: IO[bytes], message: Any) -> None:
    pickle.dump(message, stream, protocol=pickle.HIGHEST_PROTOCOL)
    stream.flush()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def main() -> None:
    """Run a worker: do the tasks that arrive on standard input until it is closed."""
    faulthandler.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started us decides when to stop
    incoming, outgoing = _take_over_pipes()
    _send(outgoing, versions())
    tasks: SimpleQueue[Task] = SimpleQueue()
    Thread(target=_receive_tasks, args=(incoming, tasks), daemon=True).start()
    while True:
        task = tasks.get()
        if task.limits.memory is not None:  # the limit is for the learner, not for loading Numba
            with suppress(ImportError):
                import numba  # noqa: F401
        if task.folder not in sys.path:
            sys.path.insert(0, task.folder)
        for result in do_task(task):
            _send(outgoing, result)
        _send(outgoing, None)


def _take_over_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Keep standard input and output for messages; for everything else they become empty."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "r+b", buffering=0) as nothing:  # noqa: PTH123 - not a path in a folder
        os.dup2(nothing.fileno(), 0)
        os.dup2(nothing.fileno(), 1)
    outgoing.write(b"\n" + READY)
    outgoing.flush()
    return incoming, outgoing


def _receive_tasks(stream: IO[bytes], tasks: SimpleQueue[Task]) -> None:
    """Pass tasks on; end the process when the other side is gone, even in the middle of a task."""
    with suppress(Exception):
        while True:
            tasks.put(pickle.load(stream))
    os._exit(0)


@cache
def versions() -> str:
    """The versions of Python, the machine and every package that results may depend on, as JSON."""
    found = {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
    }
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return canonical(found)
