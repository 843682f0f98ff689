"""No command writes over a file that it reads, or writes two things to one file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from glob import glob, has_magic
from pathlib import Path
from typing import Any, NoReturn

import typer

from wager.cli._errors import WRONG_INPUT
from wager.cli._say import say

_WRITTEN = {"output": "--output", "plot": "--plot", "save": "--save"}
_FILES = (
    "files", "inputs", "file", "answers", "folder", "plan", "costs", "train", "test", "model",
    "log", "reference", "state",
)  # fmt: skip
_PERHAPS_FILES = ("utility", "classes")  # a name, or a file: u.toml, @classes.txt
_READ_IN_FOLDERS = (".parquet", ".sqlite")


def refuse_overwriting(values: Mapping[str, Any]) -> None:
    """End the program with one sentence if an output is an input file, or two outputs are one file.

    Another spelling of the path, and a link to the file, are the same file.

    Parameters
    ----------
    values : mapping of str to object
        The arguments and options of the command, by the name of the parameter.
    """
    given: dict[Path, str] = {}
    for name, option in _WRITTEN.items():
        if values.get(name) is None:
            continue
        written = Path(values[name])
        other = given.setdefault(_resolved(written), option)
        if _is_read(written, values):
            _refuse(f"{written} is an input file: choose another name for {option}")
        if other != option:
            _refuse(f"{written} is named by {other} and by {option}: choose two names")


def _refuse(sentence: str) -> NoReturn:
    say(f"wager: {sentence}", err=True)
    raise typer.Exit(WRONG_INPUT)


def _resolved(path: Path) -> Path:
    """The path without links; as it is if no file can have this name."""
    with suppress(OSError, ValueError, RuntimeError):
        return path.resolve()
    return path


def _is_read(written: Path, values: Mapping[str, Any]) -> bool:
    """Whether the command reads the file that it would write."""
    return any(_is_same(path, written) for path in _inputs(values))


def _is_same(path: Path, written: Path) -> bool:
    """Whether an input is a file that is written, or a folder from which that is read."""
    with suppress(OSError, ValueError):  # of names that no file can have, such as a list of classes
        if not written.is_file():
            return False
        if path.is_dir():
            within = path.resolve() in written.resolve().parents
            return within and written.resolve().suffix.lower() in _READ_IN_FOLDERS
        return path.exists() and path.samefile(written)
    return False


def _inputs(values: Mapping[str, Any]) -> Iterator[Path]:
    """The files and folders that the command reads; a pattern stands for its files."""
    for name in (*_FILES, *_PERHAPS_FILES):
        for text in _texts(values.get(name)):
            path = text.removeprefix("@") if name in _PERHAPS_FILES else text
            if has_magic(path) and not _exists(path):
                yield from map(Path, glob(path, recursive=True))  # noqa: PTH207 - or an absolute one
            else:
                yield Path(path)


def _exists(path: str) -> bool:
    with suppress(OSError, ValueError):
        return Path(path).exists()
    return False


def _texts(value: Any) -> Iterable[str]:
    if value is None or isinstance(value, bool):
        return []
    return map(str, value) if isinstance(value, list | tuple) else [str(value)]
