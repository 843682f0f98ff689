"""Keys and random states that depend on content alone.

Python's built-in ``hash`` differs between processes.  A key here is the SHA-256 digest of the
content, written as canonical JSON, and a random state is derived from such a digest.  Equal units
therefore get equal keys and random states in every process and on every machine.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

__all__ = ["canonical", "digest_of_file", "key_of", "random_state_of"]

KEY_LENGTH = 32  # hexadecimal digits, that is 128 bits: no two keys are equal by chance


def canonical(content: Any) -> str:
    """Plain data as JSON, always written in the same way.

    Examples
    --------
    >>> canonical({"b": 1, "a": [2.5, None]})
    '{"a":[2.5,null],"b":1}'
    """
    return json.dumps(content, sort_keys=True, separators=(",", ":"))


def key_of(content: Any) -> str:
    """The key of plain data.

    Examples
    --------
    >>> key_of({"a": 1, "b": 2}) == key_of({"b": 2, "a": 1}) != key_of({"a": 1, "b": 3})
    True
    """
    return hashlib.sha256(canonical(content).encode()).hexdigest()[:KEY_LENGTH]


def random_state_of(content: Any) -> int:
    """A random state below 2^32 that depends only on the content."""
    digest = hashlib.sha256(b"random state of " + canonical(content).encode()).digest()
    return int.from_bytes(digest[:4], "big")


def digest_of_file(path: Path) -> str:
    """The key of the content of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:KEY_LENGTH]
