"""Worker processes: each does one task after another for the process that started it.

Every unit runs in a worker, on one machine as well as under Dask.  A learner that hangs in compiled
code or crashes its process costs only its own unit, and a worker ends by itself when the process
that started it is gone.  A worker leads its own process group: when it is ended, so is all that its
learners have started.  All workers compute in the same way (one thread, hashes not randomised),
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
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import IO, Any

from wager.experiments.plan import Task, versions
from wager.experiments.run._clean_state import (
    CleanState,
    adopt_orphans,
    end_processes_of,
    go_on_if_parent_ends,
)
from wager.experiments.run._fit_unit import do_task, get_ready
from wager.experiments.store import UnitResult

__all__ = ["Worker"]

THREADS = ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB_MAXIMUM")
GRACE = 5.0  # seconds that a worker gets, after its limits, to report that its time is up
RETRIES = 1  # a worker may have died for another reason than its unit: the unit is tried again
LOOK = 1.0  # seconds after which a silent worker is looked at: its process may be gone
STDERR_KEPT = 4000  # bytes of a dead worker's error output
READY = b"wager worker is ready\n"
CLOSED = object()  # in place of a message: there will be no more
STARTED = "imports are done"  # from here on, time limits count
RETIRE = "replace this worker"  # the message of a worker that a unit has left in a bad state


def _environment() -> dict[str, str]:
    """The environment variables of a worker."""
    return {
        **_common_kernels(),
        **os.environ,
        **{f"{library}_NUM_THREADS": "1" for library in THREADS},
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join(folder for folder in sys.path if folder),
    }


def _common_kernels() -> dict[str, str]:
    """The kernels of linear algebra that all x86 processors with AVX2 have.

    OpenBLAS takes those of the processor at hand by default.  They add up in different orders, and
    the training of a neural network makes different networks of differences in the last digit.
    """
    try:
        from numpy._core._multiarray_umath import (  # type: ignore[import-not-found]
            __cpu_features__ as known,
        )
    except ImportError:  # not a public name
        return {}
    return {"OPENBLAS_CORETYPE": "Haswell"} if known.get("AVX2") and known.get("FMA3") else {}


class Worker:
    """The handle of a worker process; a process that has died is replaced by a new one.

    ``environment`` has environment variables for the process, besides those of this one.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = environment or {}
        self._process: subprocess.Popen[bytes] | None = None
        self._messages: SimpleQueue[Any] = SimpleQueue()
        self._stderr: _Tail
        self.stopped = False
        self.versions = versions()  # until a process says its own

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
                if not how:
                    reason = f"its process could not be started ({problem})"
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
        self._messages = SimpleQueue()
        self._process = subprocess.Popen(
            # -P: the current folder is not searched for modules
            [sys.executable, "-P", "-c", f"from {__name__} import main; main()"],
            env={**_environment(), **self._environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._stderr = _Tail(_pipe(self._process.stderr))
        received = (self._process.stdout, self._messages)
        Thread(target=_receive_results, args=received, daemon=True).start()
        if self.stopped:  # in the meantime
            raise EOFError
        self.versions = self._next_message()

    def stop(self) -> None:
        """End the process permanently; called from another thread than `do`."""
        self.stopped = True
        process = self._process
        if process is not None:
            _end(process)
            self._messages.put(CLOSED)

    def kill(self) -> tuple[str, str]:
        """End the process; returns how it ended, and the end of its error output."""
        process = self._process
        if process is None:
            return "", ""
        self._process = None
        code = _end(process)
        with suppress(OSError):  # what was not sent to a dead process is lost
            _pipe(process.stdin).close()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return how, self._stderr.text()

    def _results(self, seconds: float | None) -> Iterator[UnitResult]:
        """The results that the process sends until the task is done."""
        self._next_message()  # STARTED
        # preparation and learner may each take the time limit
        limit = None if seconds is None else 2 * seconds + GRACE
        while (result := self._next_message(limit)) is not None:
            if result == RETIRE:
                self.kill()
                return
            yield result

    def _send(self, task: Task) -> None:
        _send(_pipe(self._running().stdin), task)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:  # another thread has stopped it
            raise EOFError
        return self._process

    def _next_message(self, seconds: float | None = None) -> Any:
        process = self._running()
        end = float("inf") if seconds is None else monotonic() + seconds
        has_ended = False
        while True:
            try:
                message = self._messages.get(timeout=max(min(LOOK, end - monotonic()), 0))
            except Empty:
                # the pipe of a process that is gone can be held open by one that it has started
                if has_ended:
                    raise EOFError from None
                has_ended = _has_ended(process)
                if not has_ended and monotonic() >= end:
                    raise TimeoutError from None
                continue
            if message is CLOSED:
                raise EOFError
            return message


class _Tail:
    """The last bytes of a stream, read by a thread so that nobody has to wait for a reader."""

    def __init__(self, stream: IO[bytes]):
        self._kept = b""
        self._thread = Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream: IO[bytes]) -> None:
        with suppress(Exception), stream:
            while part := os.read(stream.fileno(), 1 << 16):
                self._kept = (self._kept + part)[-STDERR_KEPT:]

    def text(self) -> str:
        """What was read last, when the stream has ended."""
        self._thread.join(LOOK)
        return self._kept.decode(errors="replace")


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process is gone; its number is not given to another one until `_end`."""
    if not hasattr(os, "waitid"):
        return process.poll() is not None
    try:
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, process.pid, options) is not None
    except ChildProcessError:
        return True


def _end(process: subprocess.Popen[bytes]) -> int:
    """Kill a process and all that it has started; returns its exit code."""
    if process.returncode is None and hasattr(os, "killpg"):
        with suppress(OSError):  # so that it starts no others while they are looked for
            os.kill(process.pid, signal.SIGSTOP)
        end_processes_of(process.pid)
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    return process.wait()


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
    adopt_orphans()
    go_on_if_parent_ends()
    incoming, outgoing = _take_over_pipes()
    _send(outgoing, versions())
    tasks: SimpleQueue[Task] = SimpleQueue()
    Thread(target=_receive_tasks, args=(incoming, tasks), daemon=True).start()
    clean = CleanState()
    while True:
        task = tasks.get()
        get_ready(task)
        clean.restore()
        clean = CleanState()  # threads that an import has started may stay
        _send(outgoing, STARTED)
        for result in do_task(task):
            is_clean = clean.restore()
            _send(outgoing, result)
            if not is_clean:
                _send(outgoing, RETIRE)
                Event().wait()  # to be killed
        _send(outgoing, None)


def _take_over_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Keep standard input and output for messages; for everything else they become empty."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "r+b", buffering=0) as nothing:  # noqa: PTH123 - not a path in a folder
        os.dup2(nothing.fileno(), 0)
        os.dup2(nothing.fileno(), 1)
    if hasattr(os, "register_at_fork"):  # a copy of this process must not send or receive
        pipes = incoming.fileno(), outgoing.fileno()
        os.register_at_fork(after_in_child=lambda: _close(*pipes))
    outgoing.write(b"\n" + READY)
    outgoing.flush()
    return incoming, outgoing


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        with suppress(OSError):
            os.close(descriptor)


def _receive_tasks(stream: IO[bytes], tasks: SimpleQueue[Task]) -> None:
    """Pass tasks on; end the process when the other side is gone, even in the middle of a task."""
    with suppress(Exception):
        while True:
            tasks.put(pickle.load(stream))
    with suppress(Exception):
        end_processes_of(os.getpid())
        if os.getpgrp() == os.getpid():
            os.killpg(0, signal.SIGKILL)
    os._exit(0)
