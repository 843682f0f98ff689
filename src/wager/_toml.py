"""Read TOML; text that would take very long or much memory is refused before it is parsed."""

from __future__ import annotations

import re
import tomllib
from typing import Any

__all__ = ["parsed_toml"]

_DEEPEST = 100  # names that the dots of one key may join
# Strings and comments; one that has no end reaches to the end of the text or line, where parsing
# stops anyway.
_TEXT = re.compile(
    r'"""(?:\\.|[^\\])*?(?:"{3,5}|\Z)'
    r"|'''.*?(?:'{3,5}|\Z)"
    r'|"(?:\\[^\n]|[^"\\\n])*"?'
    r"|'[^'\n]*'?"
    r"|#[^\n]*",
    re.DOTALL,
)
_BETWEEN_KEYS = re.compile(r"[\n=,{}\[\]]")


def parsed_toml(text: str) -> dict[str, Any]:
    """The data that the text of a TOML file holds.

    Raises
    ------
    tomllib.TOMLDecodeError
        If it is not valid TOML.
    RecursionError
        If its tables or lists are nested too deeply.

    Examples
    --------
    >>> parsed_toml("a.b = 1")
    {'a': {'b': 1}}
    """
    # The time and memory of tomllib grow with the square of the dots in a key.
    keys = _BETWEEN_KEYS.split(_TEXT.sub("s", text)) if text.count(".") >= _DEEPEST else ()
    if any(key.count(".") >= _DEEPEST for key in keys):
        raise RecursionError
    return tomllib.loads(text)
