"""What a unit must not leave behind: settings of the process, processes, threads and open files.

One worker process does many units.  After each of them its settings are put back, and processes
that the unit started are ended.  What cannot be undone, such as a running thread or a limit that
only the system's administrator may raise, ends the worker: the next unit gets a new one.
"""

from __future__ import annotations

import decimal
import gc
import locale
import logging
import os
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np

__all__ = ["CleanState", "adopt_orphans", "end_processes_of"]

MORE_FILES = 64  # open files that units may leave behind before their worker is replaced
ATTEMPTS = 100  # to end processes that start others
PR_SET_CHILD_SUBREAPER = 36
PR_SET_PDEATHSIG = 1


class CleanState:
    """The settings of this process as they were when this object was made."""

    def __init__(self) -> None:
        self._settings = [(read, write, read()) for read, write in _SETTINGS]
        self._threads = set(threading.enumerate())
        self._n_files = _n_open_files()

    def restore(self) -> bool:
        """Put everything back; returns False if that is impossible."""
        is_clean = True
        for read, write, before in self._settings:
            try:
                if read() != before:
                    write(before)
            except Exception:
                is_clean = False
        ended = _end_children()
        return (
            is_clean
            and ended
            and set(threading.enumerate()) <= self._threads
            and _n_open_files() <= self._n_files + MORE_FILES
        )


def _set_environment(before: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(before)


def _set_warnings(before: list[Any]) -> None:
    warnings.filters[:] = before  # type: ignore[index]
    warnings._filters_mutated()  # type: ignore[attr-defined]  # as warnings.resetwarnings does


def _set_streams(before: tuple[Any, ...]) -> None:
    sys.stdin, sys.stdout, sys.stderr = before


def _set_collection(before: bool) -> None:
    (gc.enable if before else gc.disable)()


def _set_path(before: list[str]) -> None:
    sys.path[:] = before


def _configuration() -> Any:
    import sklearn

    return sklearn.get_config()


def _set_configuration(before: dict[str, Any]) -> None:
    import sklearn

    sklearn.set_config(**before)


def _umask() -> int:
    before = os.umask(0o077)  # it can only be read by setting it
    os.umask(before)
    return before


def _priority() -> int:
    return os.getpriority(os.PRIO_PROCESS, 0)


def _set_priority(before: int) -> None:
    os.setpriority(os.PRIO_PROCESS, 0, before)


def _decimals() -> dict[str, Any]:
    """The arguments of the context of decimal numbers: contexts cannot be compared."""
    context = decimal.getcontext()
    numbers = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp")
    signals = {"traps": dict(context.traps), "flags": dict(context.flags)}
    return {**{name: getattr(context, name) for name in numbers}, **signals}


def _set_decimals(before: dict[str, Any]) -> None:
    decimal.setcontext(decimal.Context(**before))


def _logging() -> dict[str | None, tuple[Any, ...]]:
    """What messages are logged where: the settings of each logger by name, None for all together.

    A logger that a unit adds keeps its settings, since a library sets them up only once.
    """
    loggers = [logging.root, *logging.root.manager.loggerDict.values()]
    settings: dict[str | None, tuple[Any, ...]] = {
        each.name: (each.level, each.propagate, each.disabled, *map(tuple, _parts(each)))
        for each in loggers
        if isinstance(each, logging.Logger)  # others are only places of loggers below
    }
    return {None: (logging.root.manager.disable,), **settings}


def _parts(logger: logging.Logger) -> tuple[list[Any], list[Any]]:
    return logger.handlers, logger.filters


def _set_logging(before: dict[str | None, tuple[Any, ...]]) -> None:
    for name, settings in before.items():
        if name is None:
            logging.disable(*settings)
            continue
        logger = logging.root if name == logging.root.name else logging.getLogger(name)
        level, logger.propagate, logger.disabled, *parts = settings
        logger.setLevel(level)
        for now, then in zip(_parts(logger), parts, strict=True):
            now[:] = then


def _limits() -> dict[int, tuple[int, int]]:
    return {limit: resource.getrlimit(limit) for limit in _LIMITS}


def _set_limits(before: dict[int, tuple[int, int]]) -> None:
    for limit, values in before.items():
        resource.setrlimit(limit, values)


def _handlers() -> dict[int, Any]:
    return {number: signal.getsignal(number) for number in _SIGNALS}


def _set_handlers(before: dict[int, Any]) -> None:
    for number, handler in before.items():
        signal.signal(number, handler)


def _mask() -> Any:
    return signal.pthread_sigmask(signal.SIG_BLOCK, [])


def _set_mask(before: Any) -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


_SETTINGS: list[tuple[Callable[[], Any], Callable[[Any], Any]]] = [
    (_configuration, _set_configuration),  # first, since the import changes other settings
    (np.geterr, lambda before: np.seterr(**before)),
    (np.geterrcall, np.seterrcall),
    (lambda: list(warnings.filters), _set_warnings),
    (lambda: dict(os.environ), _set_environment),
    (os.getcwd, os.chdir),
    (lambda: list(sys.path), _set_path),
    (lambda: (sys.stdin, sys.stdout, sys.stderr), _set_streams),
    (sys.getrecursionlimit, sys.setrecursionlimit),
    (gc.isenabled, _set_collection),
    (gc.get_threshold, lambda before: gc.set_threshold(*before)),
    (np.get_printoptions, lambda before: np.set_printoptions(**before)),
    (sys.getswitchinterval, sys.setswitchinterval),
    (socket.getdefaulttimeout, socket.setdefaulttimeout),
    (_umask, os.umask),
    (_decimals, _set_decimals),
    (_logging, _set_logging),
    (partial(locale.setlocale, locale.LC_ALL), partial(locale.setlocale, locale.LC_ALL)),
]
_SIGNALS = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGALRM", "SIGCHLD")
    if hasattr(signal, name)
]
_SETTINGS.append((_handlers, _set_handlers))
if hasattr(os, "setpriority"):  # only an administrator may raise it again
    _SETTINGS.append((_priority, _set_priority))
if hasattr(os, "sched_setaffinity"):
    _SETTINGS.append((partial(os.sched_getaffinity, 0), partial(os.sched_setaffinity, 0)))
if hasattr(signal, "pthread_sigmask"):
    _SETTINGS.append((_mask, _set_mask))
try:
    import resource
except ImportError:  # Windows has no limits of this kind
    pass
else:
    _LIMITS = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
    _SETTINGS.append((_limits, _set_limits))


def _n_open_files() -> int:
    """The number of open files of this process; 0 where that is unknown."""
    try:
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - faster, and called for every unit
    except OSError:
        return 0


def adopt_orphans() -> None:
    """Become the parent of processes whose parent ends, so that they can be found (Linux only)."""
    _set_process(PR_SET_CHILD_SUBREAPER, 1)


def go_on_if_parent_ends() -> None:
    """Let this process go on if its parent ends after it has stopped it (Linux only).

    A run stops a worker before it ends all of its processes.  If the run is killed in between, the
    worker would stay for ever.
    """
    _set_process(PR_SET_PDEATHSIG, signal.SIGCONT)


def _set_process(what: int, value: int) -> None:
    """Change a property of this process, where the system knows it."""
    with suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(what, value, 0, 0, 0)


def _end_children() -> bool:
    """End all processes that this one has started; returns False if there are still some."""
    if not hasattr(os, "waitid"):
        return True
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return True  # the usual case: there are none
    ended = end_processes_of(os.getpid())
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    return ended


def end_processes_of(parent: int) -> bool:
    """Kill all processes below a process, where the system lists them in ``/proc``.

    Returns False if some cannot be killed.
    """
    for _ in range(ATTEMPTS):  # they may start others in the meantime
        living = list(_living_descendants(parent))
        if not living:
            return True
        for process in living:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        sleep(0.01)
    return False


def _living_descendants(parent: int) -> Iterator[int]:
    children: dict[int, list[tuple[int, str]]] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            # the name of the program, in parentheses, may contain anything
            state, its_parent = file.read_text(errors="replace").rpartition(")")[2].split()[:2]
            children.setdefault(int(its_parent), []).append((int(file.parent.name), state))
    waiting = list(children.get(parent, ()))
    while waiting:
        process, state = waiting.pop()
        if state not in ("Z", "X"):  # ended, and only waiting to be counted
            yield process
        waiting += children.get(process, ())
