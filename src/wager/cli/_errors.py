"""How every command reports an error: one sentence on standard error and an exit status.

A traceback that reaches the user is a bug in the package.
"""

from __future__ import annotations

import errno
import os
import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from wager.cli._say import say

FAILED = 1  # some units of a run failed, or results could not be stored or written
WRONG_INPUT = 2
STOPPED = 130
_INTERRUPTED = "Query interrupted"  # what DuckDB makes of Ctrl-C
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def one_sentence(results: Path | None = None, full: int = FAILED) -> Iterator[None]:
    """Print an error about the user's input as one sentence and exit with status 2.

    Put it around everything that reads and checks input: ``with one_sentence(): ...``.  If there is
    no space for the output, which is not a fault of the input, the status is 1.

    Parameters
    ----------
    results : Path, optional
        The folder that a run fills.  If given, each problem of a plan is printed as a sentence of
        its own, a folder that cannot be written to exits with status 1, and an interrupted run
        says where its results are.
    full : int, default=1
        The exit status if there is no space, for a command whose status 1 says something else.
    """
    try:
        yield
    except BrokenPipeError:  # the reader has seen enough, as in `| head`: typer exits quietly
        raise
    except MemoryError as error:
        _say_that_memory_is_short(error)
        raise typer.Exit(WRONG_INPUT) from None
    except (ValueError, OSError, ImportError) as error:
        for sentence in _sentences(error, one_per_line=results is not None):
            say(f"wager: {sentence}", err=True)
        if _is_full(error):
            raise typer.Exit(full) from None
        is_failure = results is not None and _is_store_error(error)
        raise typer.Exit(FAILED if is_failure else WRONG_INPUT) from None
    except (KeyboardInterrupt, RuntimeError) as error:
        if isinstance(error.__cause__, SystemExit):  # by a signal during an import
            raise error.__cause__ from None
        if not _is_interrupt(error):
            raise
        where = "" if results is None else f"; finished units are in {results}, run again to resume"
        say(f"wager: stopped{where}", err=True)
        raise typer.Exit(STOPPED) from None


@contextmanager
def space_for_lines() -> Iterator[None]:
    """Print one sentence and exit with status 1 if there is no space for what a command prints.

    It is for what happens outside of `one_sentence`, such as printing help texts.  If there is not
    enough memory, the status is 2, as in `one_sentence`.
    """
    try:
        yield
    except MemoryError as error:
        _say_that_memory_is_short(error)
        raise SystemExit(WRONG_INPUT) from None
    except OSError as error:
        if not _is_full(error):
            raise
        say(f"wager: {_sentences(error, one_per_line=False)[0]}", err=True)
        raise SystemExit(FAILED) from None


def _say_that_memory_is_short(error: MemoryError) -> None:
    traceback.clear_frames(error.__traceback__)  # their arrays leave no memory for the sentence
    why = " ".join(str(error).split())
    cause = f": {why[:1].lower()}{why[1:].rstrip('.')}" if why else ""
    say(
        f"wager: this needs more memory than there is{cause}; try fewer rows, columns or classes",
        err=True,
    )


def _is_full(error: Exception) -> bool:
    """Whether there was no space on a disk or device, or none for this user."""
    return isinstance(error, OSError) and error.errno in _FULL


def _is_interrupt(error: BaseException) -> bool:
    """Whether Ctrl-C ended the work; a query and an import make another error of it."""
    return (
        isinstance(error, KeyboardInterrupt)
        or isinstance(error.__cause__, KeyboardInterrupt)
        or str(error) == _INTERRUPTED
    )


def _sentences(error: Exception, one_per_line: bool) -> list[str]:
    if isinstance(error, OSError) and error.filename is not None:
        return [f"{_in_one_line(error.filename)}: {(error.strerror or 'cannot be read').lower()}"]
    if isinstance(error, OSError) and error.errno is not None and _is_full(error):
        return [f"cannot write the output: {os.strerror(error.errno).lower()}"]
    if one_per_line:
        return _for_the_shell(str(error)).splitlines()
    advice = [f"; {note}" for note in getattr(error, "__notes__", [])]
    return [" ".join(_for_the_shell("".join([str(error), *advice])).split())]


def _in_one_line(name: object) -> str:
    """The name of a file, whose line ends are spelt out."""
    return str(name).replace("\n", "\\n")


def _for_the_shell(text: str) -> str:
    """A sentence without the Python spelling of an option that it also names.

    Examples
    --------
    >>> _for_the_shell('leave the row out with na="drop" (--na drop)')
    'leave the row out with --na drop'
    >>> _for_the_shell('use --truth label (columns={"y_true": "label"})')
    'use --truth label'
    """
    text = re.sub(r' \(columns=\{"[^"]*": "[^"]*"\}\)', "", text)
    return re.sub(r'(?:na="drop"|classes=) \((--na drop|--classes)\)', r"\1", text)


def _is_store_error(error: Exception) -> bool:
    from wager.experiments import StoreError

    return isinstance(error, StoreError | ConnectionError)  # of a Dask scheduler
