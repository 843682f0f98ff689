"""Checksums of records, and limits on what a compressed value may expand to.

A database notices damage to its own structure, but not a changed byte inside a value.  Every record
of a store therefore has a checksum of its values, which is computed once when it is written and
compared whenever the record is read.  It finds accidents, not forgeries.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

__all__ = ["checksum_of", "inflate"]

MOST_BYTES = 1 << 28  # of a value after decompression: 256 MiB, more than any unit needs


def checksum_of(names: Iterable[str], values: Iterable[Any]) -> str:
    """The checksum of a record; None does not count as a value, so columns can be added later.

    Examples
    --------
    >>> checksum_of(["a", "b"], [1, None]) == checksum_of(["a"], [1]) != checksum_of(["a"], [1.0])
    True
    """
    digest = blake2b(digest_size=8)
    for name, value in zip(names, values, strict=True):
        if value is None:
            continue
        content = value if isinstance(value, bytes) else repr(value).encode("utf-8")
        digest.update(f"{name} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()


def inflate(packed: bytes, most: int | None = None) -> bytes:
    """Decompress a stored value; a ValueError if it is damaged or expands to too much.

    Examples
    --------
    >>> inflate(zlib.compress(b"rows"))
    b'rows'
    >>> inflate(zlib.compress(bytes(1000)), most=100)
    Traceback (most recent call last):
        ...
    ValueError: a compressed value expands to more than 100 bytes, too many for a result
    """
    most = MOST_BYTES if most is None else most
    worker = zlib.decompressobj()
    try:
        content = worker.decompress(packed, most + 1)
    except zlib.error as problem:
        raise ValueError(f"a compressed value is damaged ({problem})") from None
    if len(content) > most:
        raise ValueError(
            f"a compressed value expands to more than {most} bytes, too many for a result"
        )
    if not worker.eof:
        raise ValueError("a compressed value is damaged (its end is missing)")
    return content
