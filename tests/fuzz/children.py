"""Cases in copies of this process, so that a crash, a hang or a memory bomb is named.

A case is a number, from which everything about it follows.  A copy of the process tries many cases
one after the other, and says the number of each before it begins; if it dies, another copy goes on
with the next number.  Copies need no imports, so almost all of the time goes into the cases.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

MEMORY = 6 << 30  # bytes of address space, most of which libraries reserve without using it
GROWTH = 1 << 20  # kilobytes that a case may take
SECONDS = 120  # after which a case hangs
CPU_SECONDS = 20  # that a case may take: the files have a few kilobytes
BATCH = 200  # cases of a copy


class Fault(NamedTuple):
    """What went wrong in a case."""

    case: int
    text: str


def try_cases(
    attempt: Callable[[int, Path], str | None],
    first: int,
    stop: int,
    until: float = float("inf"),
    told: Callable[[Fault], None] = lambda fault: None,
) -> tuple[int, list[Fault]]:
    """Try cases in copies of this process.

    Parameters
    ----------
    attempt : callable
        Gets the number of a case and a folder for its files, and returns the fault, if any.
    first, stop : int
        The numbers of the cases.
    until : float
        The time (`time.monotonic`) after which no case begins.
    told : callable
        Gets each fault soon after it was found.

    Returns
    -------
    int
        The number after the last case that was tried.
    list of Fault
    """
    faults: list[Fault] = []
    number = first

    def tell(case: int, text: str) -> None:
        faults.append(Fault(case, text))
        told(faults[-1])

    while number < stop and time.monotonic() < until:
        end = min(number + BATCH, stop)
        with tempfile.TemporaryDirectory() as folder:
            said, status, errors = _in_copy(attempt, number, end, until, Path(folder))
        for line in said:
            if line[0] == "begin":
                number = line[1]
            elif line[0] == "fault":
                tell(line[1], line[2])
        if not said or said[-1][0] != "end":
            tell(number, f"the process ended with {status}: {errors}")
        number += 1
    return number, faults


def _in_copy(
    attempt: Callable[[int, Path], str | None], first: int, stop: int, until: float, folder: Path
) -> tuple[list[list[Any]], int, str]:
    """What a copy says about its cases, its exit status and the end of its errors."""
    errors = folder / "errors"
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other threads of this process only wait
        process = os.fork()
    if process == 0:
        status = 1
        try:
            os.close(reading)
            _become_copy(errors)
            with os.fdopen(writing, "w", buffering=1) as out:
                _work(attempt, range(first, stop), until, folder / "files", out)
            status = 0
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as answer:
        said = [json.loads(line) for line in answer if line.endswith("\n")]
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    text = errors.read_text(errors="replace") if errors.is_file() else ""
    return said, status, text if len(text) < 2000 else f"{text[:1000]} ... {text[-1000:]}"


def _become_copy(errors: Path) -> None:
    descriptor = os.open(errors, os.O_WRONLY | os.O_CREAT)
    for number in (1, 2):
        os.dup2(descriptor, number)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", closefd=False)
    faulthandler.enable(file=2)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))
    warnings.resetwarnings()
    warnings.simplefilter("ignore")
    warnings.simplefilter("error", RuntimeWarning)


def _work(
    attempt: Callable[[int, Path], str | None],
    numbers: range,
    until: float,
    folder: Path,
    out: Any,
) -> None:
    folder.mkdir()
    for number in numbers:
        if time.monotonic() > until and number > numbers[0]:
            break
        _say(out, "begin", number)
        faulthandler.dump_traceback_later(SECONDS, exit=True, file=2)
        peak, begun = _peak(), time.process_time()
        fault = attempt(number, folder)
        spent, grown = time.process_time() - begun, _peak() - peak
        faulthandler.cancel_dump_traceback_later()
        if fault is None and spent > CPU_SECONDS:
            fault = f"took {spent:.0f} s"
        if fault is None and grown > GROWTH:
            fault = f"took {grown >> 10} MB"
        if fault is not None:
            _say(out, "fault", number, fault)
    _say(out, "end")


def _peak() -> int:
    """The largest memory of this process so far, in kilobytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _say(out: Any, *words: Any) -> None:
    out.write(json.dumps(words) + "\n")


def in_copy(work: Callable[[], bytes]) -> bytes:
    """What a function returns in a copy of this process, where it may start threads."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        process = os.fork()
    if process == 0:
        status = 1
        try:
            os.close(reading)
            with os.fdopen(writing, "wb") as out:
                out.write(work())
            status = 0
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        said = answer.read()
    if os.waitpid(process, 0)[1]:
        raise RuntimeError("a copy of this process failed; see its error above")
    return said
