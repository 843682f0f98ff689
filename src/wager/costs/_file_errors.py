"""Read the text of cost and answer files; errors start with the name of the file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from wager._tables import bounded, open_text, reading
from wager._visible import in_one_line, reason, shortened

__all__ = ["errors_name", "read_text"]

_BLOCK = 1 << 20  # characters that are read at a time
_LARGEST = 1 << 25  # characters that any file may have, or so many times its bytes:
_LARGEST_RATIO = 100


@contextmanager
def errors_name(path: str | PathLike[str]) -> Iterator[None]:
    """Put the path, or the name of a part, in front of every ValueError that is raised inside.

    Line ends in labels and keys are spelt out: an error is one line.
    """
    shown = shortened(path)
    try:
        yield
    except tomllib.TOMLDecodeError as problem:
        raise ValueError(f"{shown}: this is not a valid TOML file ({reason(problem)})") from None
    except RecursionError:
        raise ValueError(f"{shown}: its tables or lists are nested too deeply") from None
    except ValueError as problem:
        text = in_one_line(str(problem))
        raise ValueError(text if text.startswith(shown) else f"{shown}: {text}") from None


def read_text(path: Path, content: str) -> str:
    """The text of a file, perhaps compressed or in UTF-16.

    A ValueError names the expected content if the file does not exist.
    """
    if not path.is_file():
        raise ValueError(f"no such file to read {content} from")
    with reading(path), open_text(path) as stream:
        blocks = iter(lambda: stream.read(_BLOCK), "")
        return "".join(bounded(blocks, path, _LARGEST, _LARGEST_RATIO))
