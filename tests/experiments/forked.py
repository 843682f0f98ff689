"""Workers that are copies of this process: they start at once, since they need no imports.

Many tests start workers, and a new interpreter spends more time on its imports than on the units
of a test.  A copy runs the same code on the same pipes.  A fixture in `tests/conftest.py` makes all
workers copies; the fixture `new_processes` is for tests of how a worker starts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from wager.experiments.run import _fit_unit, _process, _unit_data

ROOT = Path(__file__).parents[2]
FIRST, MOST = 3, 1024  # open files besides standard input, output and error
_ONE_FORK = threading.Lock()  # filelock 4 refuses to copy a process in two threads at a time


class ForkedWorker(subprocess.Popen):
    """A worker process that is a copy of this one."""

    def _execute_child(self, *given: Any) -> None:
        environment, its_ends = given[6], (given[10], given[13], given[15])
        try:
            self.pid = _fork()
        except OSError:  # each database of DuckDB 1.5 reserves most of the memory
            super()._execute_child(*given)
            return
        if self.pid == 0:
            try:
                os.setsid()
                _become_new(environment, *its_ends)
                _process.main()
            finally:
                os._exit(1)
        self._child_created = True
        for end in its_ends:
            os.close(end)


FORKING = SimpleNamespace(Popen=ForkedWorker, PIPE=subprocess.PIPE)  # in place of subprocess


def copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs of this process start copies of it, where the system can copy a process."""
    if hasattr(os, "fork"):
        monkeypatch.setattr(_process, "subprocess", FORKING)


def in_copy(work: Callable[[], str]) -> str:
    """What a function returns in a copy of this process, without the modules of plans."""
    reading, writing = os.pipe()
    process = _fork()
    if process == 0:
        try:
            _forget()
            os.write(writing, work().encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        said = answer.read()
    os.waitpid(process, 0)
    return said


def _fork() -> int:
    with _ONE_FORK, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other threads of this process only wait for messages
        return os.fork()


def _become_new(environment: Mapping[str, str], *ends: int) -> None:
    """Leave behind what a new interpreter would not have."""
    for number, end in enumerate(ends):
        os.dup2(end, number)
    os.closerange(FIRST, MOST)
    os.environ.clear()
    os.environ.update(environment)
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w")
    warnings.resetwarnings()
    warnings.simplefilter("ignore")
    _forget()


def _forget() -> None:
    """Forget data that were loaded, and modules in the folders of plans."""
    _fit_unit._CODE.clear()
    for loaded in (_unit_data._loaded, _unit_data._prepared_once, _unit_data._folds):
        loaded.cache_clear()
    for name, module in list(sys.modules.items()):
        place = Path(getattr(module, "__file__", None) or "/")
        installed = any(map(place.is_relative_to, (ROOT, sys.prefix, sys.base_prefix)))
        of_a_plan = place.is_relative_to(tempfile.gettempdir()) and not installed
        if name == "faulty" or of_a_plan:
            del sys.modules[name]
