"""Errors in cost and answer files that start with the name of the file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

__all__ = ["errors_name", "read_text"]


@contextmanager
def errors_name(path: str | PathLike[str]) -> Iterator[None]:
    """Put the path in front of every ValueError that is raised inside."""
    try:
        yield
    except tomllib.TOMLDecodeError as problem:
        raise ValueError(f"{path}: this is not a valid TOML file ({problem})") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path}: this is not a text file in UTF-8") from None
    except ValueError as problem:
        raise ValueError(f"{path}: {problem}") from None


def read_text(path: Path, content: str) -> str:
    """The text of a file; a ValueError that names the expected content if it does not exist."""
    if not path.is_file():
        raise ValueError(f"no such file to read {content} from")
    return path.read_text(encoding="utf-8-sig")
