"""How much memory the parts of an Arrow file declare, read without unpacking them.

A compressed buffer begins with its size after unpacking, for which pyarrow takes memory before it
unpacks anything: a kilobyte can ask for gigabytes.  Where the buffers are is in the footer of the
file and in the description of each part, both of which are flatbuffers: a table begins with the
distance to the list of its fields, and vectors with their length
(https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from struct import Struct, error, unpack_from
from typing import BinaryIO

_FOOTER_FIELDS = {"dictionaries": 2, "batches": 3}
_HEADER = 2  # the field of a message
_DATA = 1  # the field of a dictionary batch: its record batch
_DICTIONARY = 2  # the kind of message
_BUFFERS, _COMPRESSION = 2, 3  # fields of a record batch
_BLOCK, _BUFFER = Struct("<qi4xq"), Struct("<qq")
_MOST_METADATA = 1 << 28  # bytes of a footer or a description


class DamagedPartError(ValueError):
    """The description of a part cannot be read."""


def unpacked_sizes(path: Path) -> tuple[int, list[int]]:
    """The bytes that all dictionaries declare, and those of each record batch; 0 if not compressed.

    Parameters
    ----------
    path : Path
        An Arrow (Feather) file that pyarrow could open.
    """
    with path.open("rb") as file:
        try:
            found = {
                name: [_unpacked(file, *block) for block in _blocks(_footer(file), field)]
                for name, field in _FOOTER_FIELDS.items()
            }
        except (error, IndexError, OverflowError, OSError):
            raise DamagedPartError("the description of a part is damaged") from None
    return sum(found["dictionaries"]), found["batches"]


def _footer(file: BinaryIO) -> bytes:
    end = file.seek(0, 2)
    file.seek(max(end - 10, 0))
    (length,) = unpack_from("<i", file.read(10))
    return _read(file, end - 10 - length, length)


def _blocks(footer: bytes, field: int) -> Iterator[tuple[int, ...]]:
    """Where parts are: the position, the length of the description, the length of the body."""
    return _vector(footer, _field(footer, _root(footer), field), _BLOCK)


def _unpacked(file: BinaryIO, start: int, length: int, _: int) -> int:
    """The bytes that one part declares to take after unpacking."""
    message = _read(file, start, length)
    # the length of the description stands before it, in new files after four bytes of 255
    message = message[8 if message[:4] == b"\xff" * 4 else 4 :]
    root = _root(message)
    kind, header = (_field(message, root, number) for number in (_HEADER - 1, _HEADER))
    if header is None:
        return 0
    batch: int | None = _target(message, header)
    if kind is not None and message[kind] == _DICTIONARY and batch is not None:
        data = _field(message, batch, _DATA)
        batch = None if data is None else _target(message, data)
    if batch is None or _field(message, batch, _COMPRESSION) is None:
        return 0
    total = 0
    for offset, size in _vector(message, _field(message, batch, _BUFFERS), _BUFFER):
        if size >= 8:  # -1 stands for a buffer that is not compressed
            total += max(unpack_from("<q", _read(file, start + length + offset, 8))[0], 0)
    return total


def _read(file: BinaryIO, start: int, length: int) -> bytes:
    if start < 0 or not 0 <= length <= _MOST_METADATA:
        raise IndexError(start)
    file.seek(start)
    data = file.read(length)
    if len(data) < length:
        raise IndexError(length)
    return data


# -- flatbuffers -----------------------------------------------------------------------------------


def _target(data: bytes, place: int) -> int:
    """Where an offset points to."""
    found: int = unpack_from("<I", data, place)[0]
    return place + found


def _root(data: bytes) -> int:
    return _target(data, 0)


def _field(data: bytes, table: int, number: int) -> int | None:
    """The place of a field of a table; None if the table does not have it."""
    fields: int = table - unpack_from("<i", data, table)[0]
    if fields < 0:
        raise IndexError(fields)
    (size,) = unpack_from("<H", data, fields)
    place = 4 + 2 * number
    offset: int = unpack_from("<H", data, fields + place)[0] if place + 2 <= size else 0
    return table + offset if offset else None


def _vector(data: bytes, field: int | None, item: Struct) -> Iterator[tuple[int, ...]]:
    """The items of a vector, none if there is no such field."""
    if field is None:
        return iter(())
    start = _target(data, field)
    (length,) = unpack_from("<I", data, start)
    end = start + 4 + length * item.size
    if end > len(data):
        raise IndexError(end)
    return item.iter_unpack(data[start + 4 : end])
