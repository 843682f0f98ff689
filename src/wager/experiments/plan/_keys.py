"""What a thing is, as a key: the same on every machine, in every process, in any order.

Python's own ``hash`` differs from one process to the next.  A key here is the SHA-256 of the thing
written as canonical JSON, and a random state is cut from such a key: two units that are the same
get the same numbers wherever and whenever they run.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

__all__ = ["canonical", "digest_of_file", "key_of", "random_state_of"]

KEY_LENGTH = 32  # hexadecimal digits: 128 bits never meet by chance


def canonical(what: Any) -> str:
    """Plain data as JSON in one way only.

    Examples
    --------
    >>> canonical({"b": 1, "a": [2.5, None]})
    '{"a":[2.5,null],"b":1}'
    """
    return json.dumps(what, sort_keys=True, separators=(",", ":"))


def key_of(what: Any) -> str:
    """The key of plain data.

    Examples
    --------
    >>> key_of({"a": 1, "b": 2}) == key_of({"b": 2, "a": 1}) != key_of({"a": 1, "b": 3})
    True
    """
    return hashlib.sha256(canonical(what).encode()).hexdigest()[:KEY_LENGTH]


def random_state_of(what: Any) -> int:
    """A random state below 2^32 that depends on what it is for, and on nothing else."""
    digest = hashlib.sha256(b"random state of " + canonical(what).encode()).digest()
    return int.from_bytes(digest[:4], "big")


def digest_of_file(path: Path) -> str:
    """The key of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:KEY_LENGTH]
